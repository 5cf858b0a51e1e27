// Charts, drawn as SVG in the colours of the page.

import { element } from "./elements.js";
import { later } from "./later.js";
import { fixed } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";
const FONT = 12;

/** An SVG element; the attribute `tip` is text that appears on hover or focus. */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(name === "tip" ? "data-tip" : name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** Round numbers from `low` to `high`, about `count` of them. */
export function ticks(low, high, count = 6) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}

/** A tick as text, with as many digits as the distance of the ticks needs. */
export function tickText(value, all) {
  const step = all.length > 1 ? Math.abs(all[1] - all[0]) : Math.abs(value) || 1; // a single tick has no distance
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  const exact = Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6;
  return fixed(value, digits + Number(exact));
}

/** A linear scale from the range `low` to `high` to the range `from` to `to`. */
export function scale(low, high, from, to) {
  const width = high - low || 1;
  return (value) => from + ((value - low) / width) * (to - from);
}

/**
 * The range of the finite numbers, with some padding.
 *
 * `zero`: include 0. `pad`: padding as a fraction of the range. `within`: padding stays in this range.
 */
export function extent(values, { zero = false, pad = 0.03, within = [-Infinity, Infinity] } = {}) {
  const known = values.filter((value) => Number.isFinite(value));
  if (zero) known.push(0);
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const more = pad * (high - low || 1);
  return [Math.max(low - more, Math.min(low, within[0])), Math.min(high + more, Math.max(high, within[1]))];
}

const PRINTED = 720; // pixels of a printed page
const redraws = new WeakMap(); // functions by the element of a chart

/** Draw this chart again before printing: `draw` gets the factor for its width on the screen. */
export function drawForPrint(place, draw) {
  redraws.set(place, draw);
}

function redrawAll(shareOf) {
  // Pages of the appendix have the width of paper already.
  const places = [...document.querySelectorAll(".chart, .heatmap")].filter((place) => !place.closest(".page"));
  places.forEach((place) => redraws.get(place)?.(shareOf(place)));
}

window.addEventListener("beforeprint", () => {
  const share = Math.min(1, PRINTED / document.getElementById("main").clientWidth);
  document.documentElement.classList.add("printing");
  // Charts that are side by side on the screen are stacked on paper, each as wide as the page.
  redrawAll((place) => (place.closest(".abreast") ? Math.min(1, PRINTED / place.clientWidth) : share));
});
window.addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  redrawAll(() => 1);
});

/**
 * A figure with a chart and its caption `label`; `paint(width, height)` returns the SVG elements.
 *
 * The chart is drawn after the first paint of the page, and again when its width changes.
 */
export function picture(label, height, paint, { kind = "" } = {}) {
  const place = element("div", { class: `chart ${kind}` });
  place.style.minHeight = `${height}px`;
  let drawn = 0;
  const draw = (share = 1) => {
    const width = Math.floor(place.clientWidth * share);
    if (width === 0 || width === drawn) return;
    drawn = width;
    const made = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label }, ...paint(width, height));
    place.replaceChildren(made);
  };
  later(() => {
    if (!place.isConnected) return;
    draw();
    new window.ResizeObserver(() => draw()).observe(place);
    drawForPrint(place, draw);
  });
  return element("figure", {}, place, element("figcaption", {}, label));
}

export function text(x, y, words, attributes = {}) {
  return shape("text", { x, y, "font-size": FONT, ...attributes }, words);
}

/** A vertical axis at the left with grid lines over the width. */
export function axisLeft(to, range, width, { left = 46, title = "", count = 5, words = null } = {}) {
  const at = ticks(...range, count);
  const lines = at.map((value) => [
    shape("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: width, y1: to(value), y2: to(value) }),
    text(left - 6, to(value) + 4, words ? words(value) : tickText(value, at), { "text-anchor": "end" }),
  ]);
  const named = title ? [text(12, to((range[0] + range[1]) / 2), title, { "text-anchor": "middle", transform: `rotate(-90 12 ${to((range[0] + range[1]) / 2)})` })] : [];
  return [...lines.flat(), ...named];
}

/** Vertical grid lines from the top to `bottom`, with their numbers below. */
export function gridBelow(to, range, bottom, count) {
  const at = ticks(...range, count).filter((value) => value >= range[0] && value <= range[1]);
  return at.flatMap((value) => [shape("line", { class: "grid", x1: to(value), x2: to(value), y1: 0, y2: bottom }), text(to(value), bottom + 16, tickText(value, at), { "text-anchor": "middle" })]);
}

/** A horizontal axis below, with a title. */
export function axisBelow(to, at, y, { title = "", words = null, middle = 0 } = {}) {
  const lines = at.map((value) => [shape("line", { class: "tick", x1: to(value), x2: to(value), y1: y, y2: y + 4 }), text(to(value), y + 16, words ? words(value) : tickText(value, at), { "text-anchor": "middle" })]);
  return [...lines.flat(), title ? text(middle, y + 32, title, { "text-anchor": "middle" }) : null];
}

const NAMED = 11; // pixels: minimum width of a bar with its name below
const NAME = 8; // characters of a vertical name
const LETTER = 7; // pixels

/**
 * The names of topics below their bars: horizontal if all fit, otherwise vertical; none below narrow bars.
 *
 * Return the height of the names as `room`, and a function `draw(place, x, y)` for one name.
 */
export function namesBelow(names, wide) {
  if (wide < NAMED) return { room: 8, draw: () => null };
  const longest = Math.max(...names.map((name) => name.length));
  if (LETTER * longest + 6 <= wide) return { room: 22, draw: (place, x, y) => text(x, y + 17, names[place], { "text-anchor": "middle", "font-size": 11 }) };
  const upright = (place, x, y) => text(0, 0, names[place].slice(0, NAME), { "text-anchor": "end", transform: `translate(${x + 4} ${y + 8}) rotate(-90)`, "font-size": 11 });
  return { room: 14 + LETTER * Math.min(NAME, longest), draw: upright };
}

/** A mark of a chart that is a link. */
export function markLink(href, tip, ...children) {
  return shape("a", { href, tip, "aria-label": tip, class: "mark" }, ...children);
}

/** A legend; an entry has the class of its symbol and its name. */
export function legend(entries) {
  return element("p", { class: "key" }, ...entries.map(([kind, words]) => element("span", {}, element("span", { class: `look ${kind}`, "aria-hidden": "true" }), ` ${words}`)));
}

/** Lines through points, each series with its class; `points` are [x, y, tip]. */
export function lineChart(label, series, { x, y, height = 260, xTitle, yTitle, xTicks, xWords = null, yWords = null, log = false }) {
  const paint = (width) => {
    const [left, right, top, bottom] = [54, width - 18, 8, height - 44];
    const spread = log ? (value) => Math.log(value) : (value) => value;
    const toX = (value) => scale(spread(x[0]), spread(x[1]), left, right)(spread(value));
    const toY = scale(...y, bottom, top);
    const lines = series.map(({ kind, points }) => [
      shape("path", { class: `line ${kind}`, d: points.map(([a, b], place) => `${place ? "L" : "M"}${toX(a).toFixed(1)} ${toY(b).toFixed(1)}`).join("") }),
      ...points.map(([a, b, tip]) => shape("circle", { class: `point ${kind}`, cx: toX(a).toFixed(1), cy: toY(b).toFixed(1), r: 3, tip })),
    ]);
    return [...axisLeft(toY, y, right, { left, title: yTitle, words: yWords }), ...axisBelow(toX, xTicks, bottom, { title: xTitle, words: xWords, middle: (left + right) / 2 }), ...lines.flat()];
  };
  return element("div", {}, legend(series.map(({ kind, name }) => [`line ${kind}`, name])), picture(label, height, paint));
}

// One tip element for all marks.
const tip = document.getElementById("tip");

export function hideTip() {
  tip.hidden = true;
}

export function showTip(words, x, y) {
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(x + 12, room)) + window.scrollX}px`;
  tip.style.top = `${y + 16 + window.scrollY}px`;
}

/** Show the tips of marks on hover and on focus. */
export function watchTips() {
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (mark) showTip(mark.dataset.tip, event.clientX, event.clientY);
    else if (!event.target.closest?.("[data-own-tip]")) hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (!mark) return;
    const box = mark.getBoundingClientRect();
    showTip(mark.dataset.tip, box.left, box.bottom - 12);
  });
  document.addEventListener("focusout", hideTip);
}
