// The leaderboard: all runs by a metric, with their intervals and marks against the baseline.

import { compared, familyWords, mark } from "./compared.js";
import { DATA, METRICS, RUNS, bestFirst, cell, level, mean } from "./data.js";
import { chooseMetric, chooseRun, element, link, named, runLink } from "./elements.js";
import { go, remember, state } from "./state.js";
import { endColumns, table } from "./table.js";
import { counted, percent, shownScore, visible } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

export function leaderboard() {
  const { metric, filter } = state();
  const order = bestFirst(metric);
  const rows = order.map((run, place) => ({ run, place: place + 1, marked: run === state().baseline }));
  let sought = filter.toLowerCase();
  const keep = (row) => RUNS[row.run].toLowerCase().includes(sought);
  const board = table("leaderboard", `Leaderboard by ${METRICS[metric].name}`, columns(metric), rows, { keep });
  const find = element("input", {
    type: "search",
    value: filter,
    oninput: () => {
      sought = find.value.toLowerCase();
      remember({ filter: find.value });
      board.fill();
    },
  });
  return [
    element("h2", {}, "Leaderboard"),
    summary(metric, order),
    element(
      "div",
      { class: "controls" },
      chooseMetric(),
      RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null,
      element("label", { class: "choice" }, element("span", {}, "Find a run"), find),
      metricsShown(metric),
    ),
    board.made,
    legend(),
  ];
}

/** The answer in two sentences. */
function summary(metric, order) {
  const [best] = order;
  const parts = [runLink(best), ` is first of ${counted(RUNS.length, "run")} by ${METRICS[metric].name} (${shownScore(mean("value", metric, best), METRICS[metric])}). `];
  if (DATA.pairs === null || METRICS[metric].diagnostic) return element("p", { class: "lead" }, ...parts);
  const { baseline } = state();
  const even = RUNS.filter((_, run) => run !== best && !compared(metric, run, best).significant).length;
  parts.push(even ? `${counted(even, "other run")} ${even === 1 ? "is" : "are"} not significantly different from it. ` : "All others are significantly different from it. ");
  if (baseline !== best) {
    const found = RUNS.map((_, run) => compared(metric, run, baseline)).filter((pair) => pair?.significant);
    const up = found.filter((pair) => pair.better > 0).length;
    parts.push("Of the others, ", `${up} ${up === 1 ? "is" : "are"} significantly better and ${found.length - up} significantly worse than the baseline `, runLink(baseline), ".");
  }
  return element("p", { class: "lead" }, ...parts);
}

function metricsShown(current) {
  const { hidden } = state();
  const boxes = METRICS.map((metric, place) => {
    const change = () => {
      const names = new Set(hidden);
      if (box.checked) names.delete(metric.name);
      else names.add(metric.name);
      go({ hide: [...names] });
    };
    const box = element("input", { type: "checkbox", checked: !hidden.has(metric.name) || place === current, disabled: place === current, onchange: change });
    return element("label", {}, box, " ", metric.name);
  });
  return element("details", { class: "metrics", open: hidden.size > 0 }, element("summary", {}, "Metrics shown"), ...boxes);
}

function columns(metric) {
  const { baseline, hidden } = state();
  const entry = METRICS[metric];
  const digits = entry.sum ? 0 : 4;
  const frame = range(metric);
  const first = [
    { name: "Rank", csv: "rank", value: (row) => row.place },
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => [runLink(row.run), row.marked ? element("small", {}, " baseline") : ""] },
    scoreColumn(metric, baseline),
    { name: "Interval and bounds", text: true, unsorted: true, show: (row) => picture(metric, row.run, frame) },
    ...ends(`${level()} interval`, ["conf_low", "conf_high"], metric, digits),
    ...ends("Bounds", ["low", "high"], metric, digits),
    ...probable(metric, digits),
    { name: "Judged@10", csv: "Judged@10", value: (row) => cell(DATA.judged["10"], row.run), show: (row) => percent(cell(DATA.judged["10"], row.run), 0) },
  ];
  const others = METRICS.map((_, place) => place).filter((place) => place !== metric && !hidden.has(METRICS[place].name));
  const pairs = others.map((place) => scoreColumn(place, baseline));
  const hint = DATA.pairs === null || entry.diagnostic ? [] : [{ name: "Pair", text: true, unsorted: true, show: (row) => pairLink(row.run, baseline) }];
  return [...first, ...pairs, ...hint];
}

function pairLink(run, baseline) {
  if (run === baseline) return "";
  const to = link({ view: "pair", a: RUNS[run], b: RUNS[baseline] }, "Compare");
  to.setAttribute("aria-label", `Compare ${visible(RUNS[run])} with ${visible(RUNS[baseline])}`);
  return to;
}

function scoreColumn(metric, baseline) {
  const value = (row) => mean("value", metric, row.run);
  const show = (row) => [shownScore(value(row), METRICS[metric]), element("span", { class: "signs" }, mark(metric, row.run, baseline))];
  return { name: METRICS[metric].name, value, show };
}

function ends(name, names, metric, digits) {
  const [low, high] = names.map((end) => (row) => mean(end, metric, row.run));
  return endColumns(name, names, low, high, () => digits);
}

/** Where the mean would probably lie if more were judged. */
function probable(metric, digits) {
  if (DATA.probable === null) return [];
  const [low, high] = ["low", "high"].map((end) => (row) => cell(DATA.probable[end], metric, row.run));
  return endColumns("Probable", ["probable_low", "probable_high"], low, high, () => digits);
}

/** From where to where the pictures of a metric go. */
function range(metric) {
  const values = ["value", "low", "high", "conf_low", "conf_high"].flatMap((name) => RUNS.map((_, run) => mean(name, metric, run)));
  const known = values.filter((value) => Number.isFinite(value));
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 1e-9)];
  return { least, width: most - least };
}

/** The interval as a line, the bounds as a band, the mean as a dot. */
function picture(metric, run, { least, width }) {
  const at = (name) => (100 * (mean(name, metric, run) - least)) / width;
  const box = (kind, low, high, top, bottom) =>
    Number.isFinite(low) && Number.isFinite(high) ? [shape("path", { class: kind, d: `M${low} ${top}H${high}V${bottom}H${low}Z` })] : [];
  const made = shape("svg", { viewBox: "0 0 100 12", class: "interval", preserveAspectRatio: "none", "aria-hidden": "true" });
  made.append(
    ...box("bounds", at("low"), Math.max(at("high"), at("low") + 0.4), 1.5, 10.5),
    ...box("confidence", at("conf_low"), at("conf_high"), 5.2, 6.8),
    ...box("mean", at("value") - 0.7, at("value") + 0.7, 2.5, 9.5),
  );
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function legend() {
  const lines = [
    `Interval (thin line): ${level()} confidence interval of the mean over topics. Bounds (band): how low and how high the score can be if ${DATA.assumed}.`,
    "Judged@10: the share of the first ten documents that is judged.",
  ];
  if (DATA.probable !== null) lines.push(`Probable: range of the mean, predicted by a model if the first ${DATA.probable.top} documents of each of these runs were judged; about no other documents and no other runs. ${DATA.probable.held}.`);
  if (DATA.pairs !== null) {
    const some = DATA.pairs.verdicts.a.shape[0] < DATA.pairs.p.shape[1] ? " Bounds of differences were computed for the baseline of the report only." : "";
    const about = [
      element("p", {}, "▲\u00a0▼ significantly better or worse than the baseline ", named(RUNS[state().baseline]), ", and guaranteed: no judgments of the unjudged documents reverse it."),
      element("p", {}, `△\u00a0▽ significantly better or worse, but not guaranteed: it can be reversed, or it is not resolved.${some}`),
      element("p", {}, `${familyWords()}.`),
    ];
    return element("div", { class: "legend" }, ...about, ...lines.map((text) => element("p", {}, text)));
  }
  return element("div", { class: "legend" }, ...lines.map((text) => element("p", {}, text)));
}
