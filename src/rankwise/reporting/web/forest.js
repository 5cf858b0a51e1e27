// Forest plots in tables: the head of the column has the axis, and each cell an interval.

import { stateTip } from "./compared.js";
import { JUDGED, METRICS, RUNS, level } from "./data.js";
import { element } from "./elements.js";
import { extent, shape, text, tickText, ticks } from "./draw.js";
import { between, boundsText, fixed, short, signed, visible } from "./text.js";

const OPEN = 1 / 2; // of the metric's range

/** Whether bounds are no wider than half of the metric's range. */
export function informative(metric, low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return false;
  const [least, most] = METRICS[metric].range;
  if (least === null || most === null) return true;
  return high - low <= (most - least) * OPEN + 1e-9;
}

const percent = (value, [low, high]) => `${((100 * (value - low)) / (high - low || 1)).toFixed(2)}%`;
const NARROW = 700; // pixels, as in page.css
const EDGE = 0.04; // fraction of the width: on a narrow screen, numbers this close to an end stay inside

export function isNarrow() {
  return window.innerWidth < NARROW;
}

/** The ticks of an axis; fewer on a narrow screen, so that their numbers do not overlap. */
function ticksIn(range) {
  return ticks(...range, isNarrow() ? 4 : 6).filter((value) => value >= range[0] && value <= range[1]);
}

/** The head of the column: an axis with ticks and numbers. */
export function forestHead(range, title) {
  const at = ticksIn(range);
  const centred = at.filter((value) => anchor(value, range) === "middle");
  const numbered = centred.length > 1 ? centred : at; // a number that is not centred at its tick could be misread
  const inner = at.map((value) => [
    shape("line", { class: "tick", x1: percent(value, range), x2: percent(value, range), y1: 16, y2: 22 }),
    numbered.includes(value) ? text(percent(value, range), 12, tickText(value, at), { "text-anchor": anchor(value, range) }) : null,
  ]);
  return element("div", { class: "axis" }, element("span", {}, title), shape("svg", { class: "forest head", "aria-hidden": "true" }, ...inner.flat()));
}

/** The alignment of a number at its tick: centred, except at the ends of the axis on a narrow screen. */
function anchor(value, [low, high]) {
  if (!isNarrow()) return "middle"; // the cell has room beside the picture
  const share = (value - low) / (high - low || 1);
  return share < EDGE ? "start" : share > 1 - EDGE ? "end" : "middle";
}

/**
 * One row: grid lines, a line at `zero`, the bounds as a thin line, the interval, the estimate.
 *
 * `row` has value (the estimate), low and high (the interval), least and most (the bounds), kind and
 * tip. NaN is not drawn. If `probable` is true, least and most are the ends of the probable range.
 */
export function forestRow(range, row, zero = null) {
  const at = (value) => percent(Math.max(range[0], Math.min(range[1], value)), range);
  const known = (...values) => values.every((value) => Number.isFinite(value));
  const grid = ticksIn(range);
  const line = (kind, a, b, y1 = "50%", y2 = y1) => shape("line", { class: kind, x1: at(a), x2: at(b), y1, y2 });
  const thin = row.probable ? "bounds probable" : "bounds";
  const whiskers = known(row.least, row.most) ? [line(thin, row.least, row.most), line("bounds", row.least, row.least, "30%", "70%"), line("bounds", row.most, row.most, "30%", "70%")] : [];
  return shape(
    "svg",
    { class: `forest ${row.kind ?? ""}`, tip: row.tip, role: "img", "aria-label": row.tip },
    ...grid.map((value) => line("grid", value, value, "0", "100%")),
    zero === null ? null : line("zero", zero, zero, "0", "100%"),
    ...whiskers,
    known(row.low, row.high) ? line("interval", row.low, row.high) : null,
    known(row.value) ? shape("circle", { class: "estimate", cx: at(row.value), cy: "50%", r: 4.5 }) : null,
  );
}

/** A row without its bounds, if they are not informative. */
export function withBounds(metric, row) {
  return informative(metric, row.least, row.most) ? row : { ...row, least: NaN, most: NaN };
}

/** The row of a difference; `name` is its metric or group. */
export function differenceRow(metric, name, found, a, b) {
  const tip = `${name}: ${signed(found.difference)}, ${level()} interval ${between(found.confLow, found.confHigh)}${JUDGED ? `, bounds ${boundsText(found.low, found.high)}` : ""}${stateTip(found, a, b)}`;
  return withBounds(metric, { value: found.difference, low: found.confLow, high: found.confHigh, least: found.low, most: found.high, tip });
}

/** A column of differences; `pictured(row)` returns the result of `differenceRow`, or undefined. */
export function differenceColumn(a, b, pictured, rows, more = "") {
  const range = extent(rows.map(pictured).flatMap((row) => (row ? [row.value, row.low, row.high, row.least, row.most] : [])), { zero: true });
  const about = `Dot: mean difference. Thick line: ${level()} confidence interval.${JUDGED ? " Thin line with ends: bounds, unless they are wider than half of the range of the metric." : ""}${more}`;
  const show = (row) => (pictured(row) ? forestRow(range, pictured(row), 0) : "");
  return { name: forestHead(range, `${short(RUNS[a])} − ${short(RUNS[b])}`), forest: true, text: true, unsorted: true, about, show };
}

/** A column with two scores per topic: `one` of run a, and `other` of run b or, if b is null, the median. */
export function bothColumn(metric, a, b, rows) {
  const name = b === null ? "median" : visible(RUNS[b]);
  const range = extent(rows.flatMap((row) => [row.one, row.other]), { zero: true });
  const show = (row) => {
    if (!Number.isFinite(row.one - row.other)) return "";
    const dot = (kind, value) => shape("circle", { class: `dot ${kind}`, cx: percent(value, range), cy: "50%", r: 4.5 });
    const tip = `${name} ${fixed(row.other)} → ${visible(RUNS[a])} ${fixed(row.one)}`;
    return shape("svg", { class: "forest", tip, role: "img", "aria-label": tip }, shape("line", { class: "spread", x1: percent(row.other, range), x2: percent(row.one, range), y1: "50%", y2: "50%" }), dot(b === null ? "other" : "base", row.other), dot(b === null ? "base" : "own", row.one));
  };
  const look = (kind, words) => [element("span", { class: `look dot round ${kind}`, "aria-hidden": "true" }), ` ${words} `];
  const title = [`${METRICS[metric].name}: `, ...(b === null ? [...look("other", "median of all runs"), ...look("base", "this run")] : [...look("base", short(RUNS[b])), ...look("own", short(RUNS[a]))])];
  return { name: forestHead(range, title), forest: true, text: true, narrow: true, unsorted: true, show };
}
