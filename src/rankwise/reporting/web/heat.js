// The heat map: all runs × all topics, sorted both ways; every cell opens its topic.

import { DATA, METRICS, RUNS, TOPICS, bestFirst, better, score, titleOf } from "./data.js";
import { drawForPrint, hideTip, showTip } from "./draw.js";
import { element, toggle } from "./elements.js";
import { later } from "./later.js";
import { go, state } from "./state.js";
import { fixed, signed, visible } from "./text.js";

const LABELS = 150; // pixels for names of runs
const WIDE = 72; // maximum width of a cell
const NAMED = 11; // minimum width of a cell with the name of its topic
const HIGHEST = 76; // maximum height of the names of topics
const TALL = [7, 18]; // minimum and maximum height of a row
const FLAT = 5; // minimum height of a row on a narrow screen

/** Return a function from [0, 1] to a colour, interpolated between CSS variables with these names. */
function colours(names) {
  const style = window.getComputedStyle(document.documentElement);
  const parts = names.map((name) => style.getPropertyValue(name).trim().split(",").map(Number));
  return (share) => {
    const at = Math.max(0, Math.min(1, share)) * (parts.length - 1);
    const low = Math.min(parts.length - 2, Math.floor(at));
    const mixed = parts[low].map((value, place) => Math.round(value + (parts[low + 1][place] - value) * (at - low)));
    return `rgb(${mixed.join(",")})`;
  };
}

/** Topics by their mean score over runs, easiest first. */
function easiestFirst(metric) {
  const sign = METRICS[metric].less ? 1 : -1;
  const means = TOPICS.map((_, topic) => {
    const known = RUNS.map((_run, run) => score(metric, run, topic)).filter((value) => Number.isFinite(value));
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : NaN;
  });
  const key = (topic) => (Number.isNaN(means[topic]) ? Infinity : sign * means[topic]);
  return TOPICS.map((_, topic) => topic).sort((a, b) => key(a) - key(b) || a - b);
}

export function heatMap(metric) {
  const { baseline, colour } = state();
  const relative = colour === "difference";
  const [runs, topics] = [bestFirst(metric), easiestFirst(metric)];
  const known = runs.flatMap((run) => topics.map((topic) => score(metric, run, topic))).filter((value) => Number.isFinite(value));
  const most = Math.max(...known, 1e-9);
  const least = Math.min(...known, 0);
  const value = (run, topic) => score(metric, run, topic) - (relative ? score(metric, baseline, topic) : 0);
  const widest = relative ? Math.max(1e-9, ...runs.flatMap((run) => topics.map((topic) => Math.abs(value(run, topic)) || 0))) : 0;
  const share = (found) => (relative ? (1 + (better(metric, found) * Math.abs(found)) / widest) / 2 : Math.sqrt((found - least) / (most - least)));
  const canvas = element("canvas", { tabindex: "0", role: "application", "data-own-tip": true, "aria-label": `Heat map of ${METRICS[metric].name}: ${RUNS.length} runs, best first, by ${TOPICS.length} topics, easiest first. Arrow keys move, Enter opens the topic.` });
  const place = element("div", { class: "heatmap" }, canvas);
  let cursor = null;
  let cells = { left: 0, top: 0, wide: 1, high: 1 };

  const words = (run, topic) => {
    const title = titleOf(topic);
    const than = relative ? `${signed(value(run, topic))} from ${visible(RUNS[baseline])}` : fixed(score(metric, run, topic));
    return `${visible(RUNS[run])}, topic ${visible(TOPICS[topic])}${title ? ` (${visible(title)})` : ""}: ${than}`;
  };
  const open = ([row, column]) => go({ view: "topic", topic: TOPICS[topics[column]], run: RUNS[runs[row]] });
  const under = (event) => {
    const row = Math.floor((event.offsetY - cells.top) / cells.high);
    const column = Math.floor((event.offsetX - cells.left) / cells.wide);
    return row in runs && column in topics ? [row, column] : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const at = under(event);
    canvas.style.cursor = at ? "pointer" : "default";
    if (at) showTip(words(runs[at[0]], topics[at[1]]), event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const at = under(event);
    if (at) open(at);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Enter" && cursor) open(cursor);
    if (!step) return;
    event.preventDefault();
    cursor = cursor === null ? [0, 0] : [Math.max(0, Math.min(runs.length - 1, cursor[0] + step[0])), Math.max(0, Math.min(topics.length - 1, cursor[1] + step[1]))];
    paint();
    const box = canvas.getBoundingClientRect();
    showTip(words(runs[cursor[0]], topics[cursor[1]]), box.left + cells.left + cursor[1] * cells.wide, box.top + cells.top + cursor[0] * cells.high);
  });
  canvas.addEventListener("blur", () => {
    cursor = null;
    hideTip();
    paint();
  });

  function paint(part = 1) {
    const width = Math.floor(place.clientWidth * part);
    if (width === 0) return;
    const high = Math.max(width < 600 ? FLAT : TALL[0], Math.min(TALL[1], Math.floor(620 / runs.length)));
    const left = width < 600 ? 90 : LABELS;
    const wide = Math.max(1, Math.min(WIDE, (width - left) / topics.length));
    const ink = window.getComputedStyle(document.body);
    const pen = canvas.getContext("2d");
    pen.font = `10px ${ink.fontFamily}`;
    const names = wide < NAMED ? [] : topics.map((topic) => visible(TOPICS[topic]));
    const longest = Math.max(0, ...names.map((name) => pen.measureText(name).width));
    const level = longest + 4 <= wide;
    const top = names.length === 0 ? 4 : level ? 18 : Math.min(HIGHEST, longest + 10);
    cells = { left, top, wide, high };
    const ratio = window.devicePixelRatio || 1;
    const height = top + high * runs.length + 2;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    pen.scale(ratio, ratio);
    const colourOf = colours(relative ? ["--cold", "--middle", "--hot"] : ["--pale", "--deep"]);
    runs.forEach((run, row) =>
      topics.forEach((topic, column) => {
        const found = value(run, topic);
        if (!Number.isFinite(found)) return;
        pen.fillStyle = colourOf(share(found));
        pen.fillRect(left + column * wide, top + row * high, wide > 4 ? wide - 1 : wide + 0.5, high > 8 ? high - 1 : high + 0.5);
      }),
    );
    pen.fillStyle = ink.color;
    pen.font = `11px ${ink.fontFamily}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    let last = -99;
    runs.forEach((run, row) => {
      const y = top + (row + 0.5) * high;
      if (run !== baseline && row !== 0 && (y - last < 12 || Math.abs(runs.indexOf(baseline) - row) * high < 12)) return;
      last = y;
      pen.font = `${run === baseline ? "600 " : ""}11px ${ink.fontFamily}`;
      pen.fillText(clipped(pen, visible(RUNS[run]), left - 8), left - 6, y);
    });
    pen.font = `10px ${ink.fontFamily}`;
    pen.textAlign = level ? "center" : "left";
    names.forEach((name, column) => {
      pen.save();
      pen.translate(left + (column + 0.5) * wide, level ? top - 9 : top - 4);
      if (!level) pen.rotate(-Math.PI / 2);
      pen.fillText(level ? name : clipped(pen, name, top - 6), 0, 0);
      pen.restore();
    });
    if (cursor) {
      pen.strokeStyle = ink.color;
      pen.lineWidth = 2;
      pen.strokeRect(left + cursor[1] * wide - 1, top + cursor[0] * high - 1, wide + 1, high + 1);
    }
  }

  later(() => {
    if (!place.isConnected) return;
    paint();
    new window.ResizeObserver(() => paint()).observe(place);
    drawForPrint(place, paint);
  });
  const choices = toggle("Colour", [["score", "score"], ["difference", "difference"]], relative ? "difference" : "score", (key) => go({ colour: key === "score" ? null : key }));
  const scaleWords = relative ? [signed(-widest, 2), "0", signed(widest, 2)] : [fixed(least, 2), fixed(least + (most - least) / 4, 2), fixed(most, 2)];
  const ramp = element("span", { class: `ramp ${relative ? "diverging" : ""}`, "aria-hidden": "true" });
  const keyed = element("p", { class: "key" }, element("span", {}, `${METRICS[metric].name}${relative ? `, difference from ${visible(RUNS[baseline])}, better in blue` : ""}: ${scaleWords[0]} `, ramp, ` ${scaleWords[2]}`), element("span", {}, "runs: best first · topics: easiest first · click a cell to open its topic"));
  return element("div", {}, element("div", { class: "controls" }, DATA.pairs === null ? null : choices), keyed, place);
}

function clipped(pen, words, room) {
  if (pen.measureText(words).width <= room) return words;
  let kept = words;
  while (kept.length > 1 && pen.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}
