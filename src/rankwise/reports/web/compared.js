// Pairs of runs: what was tested, what was found, and what holds under any judgment.

import { DATA, METRICS, RUNS, better, cell, numbers } from "./data.js";
import { element } from "./elements.js";

/** The place of a pair with a < b among all pairs. */
function placeOf(a, b) {
  return a * RUNS.length - (a * (a + 1)) / 2 + (b - a - 1);
}

const verdictPlaces = new Map();

function placeOfVerdict(a, b) {
  if (verdictPlaces.size === 0) {
    const [first, second] = ["a", "b"].map((side) => numbers(DATA.pairs.verdicts[side]));
    first.forEach((one, place) => verdictPlaces.set(one * RUNS.length + second[place], place));
  }
  return verdictPlaces.get(a * RUNS.length + b);
}

/** How run a compares with run b by a metric; null where there is nothing to compare. */
export function compared(metric, a, b) {
  if (DATA.pairs === null || a === b) return null;
  const turned = a > b;
  const place = turned ? placeOf(b, a) : placeOf(a, b);
  const of = (name) => cell(DATA.pairs[name], metric, place);
  const sign = turned ? -1 : 1;
  const corrected = cell(DATA.pairs.corrected, metric, b, a);
  const found = {
    difference: sign * of("difference"),
    confLow: turned ? -of("conf_high") : of("conf_low"),
    confHigh: turned ? -of("conf_low") : of("conf_high"),
    effect: sign * of("effect"),
    p: of("p"),
    corrected,
    wins: turned ? of("losses") : of("wins"),
    losses: turned ? of("wins") : of("losses"),
    topics: of("topics"),
    significant: corrected <= DATA.pairs.alpha,
  };
  return { ...found, ...verdict(metric, a, b), better: better(metric, found.difference) };
}

/** How likely run a is better than run b once more is judged; NaN where it is not known. */
export function chanceOfBetter(metric, a, b) {
  if (DATA.probable === null || a === b) return NaN;
  const chance = cell(DATA.probable.better, metric, a < b ? placeOf(a, b) : placeOf(b, a));
  return a < b ? chance : 1 - chance;
}

/** Whether one is better under any judgment: `sure` is 1, −1 or 0; undefined where unknown. */
function verdict(metric, a, b) {
  const asked = placeOfVerdict(a, b);
  const turned = asked === undefined;
  const place = turned ? placeOfVerdict(b, a) : asked;
  if (place === undefined || METRICS[metric].diagnostic) return { low: NaN, high: NaN };
  const { low, high, verdict: found, words } = DATA.pairs.verdicts;
  const ends = [cell(low, metric, place), cell(high, metric, place)];
  if (Number.isNaN(ends[0])) return { low: NaN, high: NaN };
  const word = words[cell(found, metric, place)];
  const sure = { A: 1, B: -1 }[word] ?? 0;
  return turned ? { low: -ends[1], high: -ends[0], sure: -sure || 0 } : { low: ends[0], high: ends[1], sure };
}

/** ▲ or ▼ where the difference from the baseline is significant, ✓ where judging cannot turn it. */
export function mark(metric, run, baseline) {
  const found = compared(metric, run, baseline);
  if (found === null || METRICS[metric].diagnostic) return "";
  const arrow = !found.significant ? "" : found.better > 0 ? "▲" : "▼";
  const sure = found.sure ? "✓" : "";
  if (!arrow && !sure) return "";
  const words = [
    arrow ? `significantly ${found.better > 0 ? "better" : "worse"} than the baseline` : "",
    sure ? `${found.sure > 0 ? "better" : "worse"} under any judgment of the unjudged documents` : "",
  ];
  const told = words.filter(Boolean).join(", ");
  const kind = (arrow ? found.better : found.sure) > 0 ? "up" : "down";
  return element("span", { class: `sign ${kind}`, title: told, role: "img", "aria-label": told }, arrow + sure);
}

/** The family within which p-values are corrected, in words. */
export function familyWords() {
  const { correction, test } = DATA.pairs;
  const names = { holm: "Holm", bonferroni: "Bonferroni", bh: "Benjamini–Hochberg" };
  const rule = correction in names ? `${names[correction]} over the ${RUNS.length - 1} comparisons with the baseline` : "no further correction";
  return `Two-sided ${test}, ${rule}, α = ${DATA.pairs.alpha}`;
}
