// Pairs of runs: tests, verdicts, and their marks.
//
// A family is the set of tests that are corrected together: the comparisons with a baseline, named by
// the index of the baseline, or all pairs of runs (`ALL_PAIRS`).

import { DATA, JUDGED, METRICS, RUNS, better, cell, numbers } from "./data.js";
import { element, info } from "./elements.js";
import { state } from "./state.js";
import { chance, counted, pValue, signed, visible } from "./text.js";

/** The index of a pair with a < b among all pairs. */
function placeOf(a, b) {
  return a * RUNS.length - (a * (a + 1)) / 2 + (b - a - 1);
}

const placesOf = new WeakMap();

/** The index of a pair in columns for the pairs (`columns.a`, `columns.b`); undefined if it is missing. */
function placeAmong(columns, a, b) {
  if (!placesOf.has(columns)) {
    const [first, second] = ["a", "b"].map((side) => numbers(columns[side]));
    placesOf.set(columns, new Map(Array.from(first, (one, place) => [one * RUNS.length + second[place], place])));
  }
  return placesOf.get(columns).get(a * RUNS.length + b);
}

/** The sentences of `rankwise compare` on a pair, for a paper; empty if the page has none. */
export function quotable(metric, a, b) {
  const { pairs, without, families, closings } = DATA.pairs.sentences;
  const family = familyOfPair(a, b);
  const place = a < b ? placeOf(a, b) : placeOf(b, a);
  const ofReport = [a, b].includes(DATA.baseline);
  const lists = family === ALL_PAIRS ? (ofReport ? without : pairs) : family === DATA.baseline ? pairs : families;
  const said = lists?.[metric]?.[lists === families ? family * RUNS.length + (family === b ? a : b) : lists === without ? (a === DATA.baseline ? b : a) : place] ?? null;
  if (said === null) return "";
  const which = familyOf(family, -1);
  const named = RUNS.length > 2 && which ? ` The comparisons of each metric are ${which}.` : "";
  return `${said} ${closings[Number(family === ALL_PAIRS)]}${named}`;
}

/** The result of the test of a pair; with `turned`, the columns compare b with a. */
function tested(of, turned, corrected) {
  const sign = turned ? -1 : 1;
  return {
    difference: sign * of("difference"),
    confLow: turned ? -of("conf_high") : of("conf_low"),
    confHigh: turned ? -of("conf_low") : of("conf_high"),
    effect: sign * of("effect"),
    p: of("p"),
    corrected,
    wins: turned ? of("losses") : of("wins"),
    losses: turned ? of("wins") : of("losses"),
    topics: of("topics"),
    significant: corrected <= DATA.pairs.alpha && of("topics") >= DATA.pairs.few_topics,
  };
}

export const ALL_PAIRS = -1;

/** The family of a pair, in either order: the baseline of the page if it is in the pair, or all pairs. */
export function familyOfPair(a, b) {
  const { baseline } = state();
  return a === baseline || b === baseline ? baseline : ALL_PAIRS;
}

/** The family of a pair on groups: the baseline of the report if groups were compared only for its pairs. */
export function familyInGroups(a, b) {
  const whole = DATA.groups.pairs.a.shape[0] === DATA.pairs.p.shape[1];
  return whole ? familyOfPair(a, b) : DATA.baseline;
}

/** A sentence on the p of the pair in the family of all pairs, if it changes significance; otherwise empty. */
export function otherFamilyWords(metric, a, b) {
  const family = familyOfPair(a, b);
  if (RUNS.length < 3 || family === ALL_PAIRS || !isCorrected()) return "";
  const other = compared(metric, a, b, ALL_PAIRS);
  if (other.significant === comparedPair(metric, a, b).significant) return "";
  return `In another family of tests, ${familyOf(ALL_PAIRS, -1)}, the corrected p is ${pValue(other.corrected)}.`;
}

/** Whether a difference is significant after correction across all metrics; null if this correction is not different. */
export function acrossMetrics(metric, a, b) {
  const { across } = DATA.pairs;
  if (across === null) return null;
  const family = familyOfPair(a, b);
  const place = a < b ? placeOf(a, b) : placeOf(b, a);
  return Boolean(family === ALL_PAIRS ? cell(across.all, metric, place) : cell(across.baselines, metric, family, family === b ? a : b));
}

/** A sentence if correction across all metrics makes a significant difference not significant; otherwise empty. */
export function acrossWords(metric, a, b) {
  if (!comparedPair(metric, a, b).significant || acrossMetrics(metric, a, b) !== false) return "";
  const metrics = METRICS.map((_, place) => place).filter((place) => !METRICS[place].diagnostic);
  const stay = metrics.filter((place) => comparedPair(place, a, b).significant && acrossMetrics(place, a, b)).map((place) => METRICS[place].name);
  const pairs = familyOfPair(a, b) === ALL_PAIRS ? DATA.pairs.p.shape[1] : RUNS.length - 1;
  const others = stay.length ? `; the ${stay.length === 1 ? "difference" : "differences"} in ${stay.join(", ")} ${stay.length === 1 ? "is" : "are"}` : ", and neither is the difference in any other metric";
  return `Corrected across ${metrics.length === 2 ? "both" : `all ${metrics.length}`} metrics (${CORRECTIONS[DATA.pairs.correction]}, ${counted(metrics.length * pairs, "test")}), this difference is not significant${others}.`;
}

/** The comparison of run a with run b in the family of the pair; the order of the runs changes only signs. */
export function comparedPair(metric, a, b) {
  return compared(metric, a, b, familyOfPair(a, b));
}

/**
 * The comparison of run a with run b by a metric; null for one run, or without comparisons.
 *
 * `family` is a, b or `ALL_PAIRS`.
 */
export function compared(metric, a, b, family = b) {
  if (DATA.pairs === null || a === b) return null;
  const turned = a > b;
  const place = turned ? placeOf(b, a) : placeOf(a, b);
  const of = (name) => cell(DATA.pairs[name], metric, place);
  const corrected = family === ALL_PAIRS ? of("corrected_all") : cell(DATA.pairs.corrected, metric, family, family === b ? a : b);
  const found = { ...tested(of, turned, corrected), ...familyInterval(metric, a, b, family) };
  return { ...found, ...verdict(metric, a, b), better: better(metric, found.difference) };
}

/** The interval of the difference in a family or, if the page does not have it, in the family of all pairs. */
function familyInterval(metric, a, b, family) {
  const { families, interval } = DATA.pairs;
  const place = families === null ? -1 : families.baselines.indexOf(family);
  if (place < 0) return { interval };
  const [low, high] = [families.low, families.high].map((ends) => cell(ends, metric, place, family === b ? a : b));
  return { confLow: family === b ? low : -high, confHigh: family === b ? high : -low, interval: families.interval };
}

/** A description of the intervals of a family. */
export function intervalWords(baseline) {
  const { families, interval } = DATA.pairs;
  if (baseline === ALL_PAIRS) return interval;
  if (families === null || families.baselines.includes(baseline)) return (families ?? DATA.pairs).interval;
  return `${interval} for all pairs, which is wider than for the tests, the comparisons with this baseline only`;
}

export const MARKS_AND_INTERVALS = `Marks and p come from the test. The interval comes from another method${RUNS.length > 2 ? ", and may be simultaneous for several comparisons" : ""}: it may contain 0 beside a mark, or exclude 0 without a mark.`;

/** A remark if the interval and the test disagree; otherwise empty. */
export function disagreement(found) {
  const apart = found.confLow > 0 || found.confHigh < 0;
  if (!Number.isFinite(found.confLow) || apart === found.significant || found.topics < DATA.pairs.few_topics) return "";
  return `The interval ${apart ? "does not contain 0, although the difference is not significant" : "contains 0, although the difference is significant"}. Significance follows the test; the interval is from another method: ${withoutBrackets(found.interval)}.`;
}

/** The description of an interval without its brackets, for use in a sentence. */
export function withoutBrackets(interval) {
  return interval.replace(/^\(([^)]*)\)/, "$1");
}

/** The comparison of two runs on a group of topics; null if it was not computed. Its state is unknown without a verdict. */
export function comparedInGroup(metric, group, a, b) {
  const { pairs } = DATA.groups;
  const asked = placeAmong(pairs, a, b);
  const turned = asked === undefined;
  const place = turned ? placeAmong(pairs, b, a) : asked;
  if (place === undefined) return null;
  const of = (name) => cell(pairs[name], metric, group, place);
  const reached = DATA.pairs.verdicts.states[of("state")];
  const family = familyInGroups(a, b);
  const corrected = family === ALL_PAIRS ? of("corrected_all") : cell(pairs.corrected, metric, family, group, family === b ? a : b);
  const found = tested(of, turned, corrected);
  return {
    ...found,
    interval: pairs.interval,
    low: turned ? -of("high") : of("low"),
    high: turned ? -of("low") : of("high"),
    gap: NaN,
    state: turned ? ({ A: "B", B: "A" }[reached] ?? reached) : reached,
    better: better(metric, found.difference),
  };
}

/** The entry on judgments that would have to be wrong to reverse a difference; undefined if unknown. */
export function flipsOf(metric, a, b) {
  return DATA.flips?.rows.find((row) => row.metric === metric && ((row.a === a && row.b === b) || (row.a === b && row.b === a)));
}

/** A sentence on the number of judgments that would have to be wrong to reverse the difference; empty if unknown. */
export function flipsWords(metric, a, b) {
  const found = flipsOf(metric, a, b);
  if (!found || found.better === null) return "";
  const existing = `the ${DATA.flips.judgments.toLocaleString("en")} existing judgments`;
  if (found.low === null) return `If nothing more is judged, no change of ${existing} reverses the difference.`;
  if (found.low === found.high) return `If nothing more is judged, ${found.low.toLocaleString("en")} of ${existing} would have to be wrong to reverse the difference.`;
  const known = found.high === null ? "" : `; ${found.high.toLocaleString("en")} are enough`;
  return `If nothing more is judged, at least ${found.low.toLocaleString("en")} of ${existing} would have to be wrong to reverse the difference${known}.`;
}

/** The prediction of the judging plan's model for two runs: the difference, and P(wrong winner). */
export function expectedOf(metric, a, b) {
  const next = DATA.collection.next;
  const plan = next?.plans[next.places[metric]];
  if (!plan?.expected || plan.documents.document.length === 0) return null; // nothing to predict down to rank 100
  return { difference: plan.expected[a] - plan.expected[b], wrong: plan.course.misordered[0], doubts: plan.doubts };
}

/** The prediction as a sentence; empty if there is none. */
export function expectedWords(metric, a, b) {
  const found = expectedOf(metric, a, b);
  return found === null ? "" : `Prediction by a model of the present judgments: with the first 100 documents of each run judged, and none below, the expected difference ${visible(RUNS[a])} − ${visible(RUNS[b])} is ${signed(found.difference)} instead of ${signed(compared(metric, a, b).difference)}. The difference is reversed with probability ${chance(found.wrong)}.`;
}

/** A mark "less reliable" with the reasons; empty without reasons. */
export function doubtsBeside(doubts) {
  if (doubts.length === 0) return [];
  return [" ", element("span", { class: "badge open" }, "less reliable"), " ", info("the reliability", ...doubts.map((one) => element("p", {}, `${one[0].toUpperCase()}${one.slice(1)}.`)))];
}

/** The probability that run a is better than run b under a deeper pool; NaN if unknown. */
export function chanceOfBetter(metric, a, b) {
  if (DATA.probable === null || a === b) return NaN;
  const firstBetter = cell(DATA.probable.better, metric, a < b ? placeOf(a, b) : placeOf(b, a));
  return a < b ? firstBetter : 1 - firstBetter;
}

/** An end of the probable range of a run's mean. */
export function probableEnd(end, metric, run) {
  return DATA.probable === null ? NaN : cell(DATA.probable[end], metric, run);
}

/** Whether the range of some predicted mean has a width. */
export function isPredicted(metric) {
  return RUNS.some((_, run) => probableEnd("high", metric, run) - probableEnd("low", metric, run) > 5e-5);
}

function doubted() {
  return DATA.probable.doubts.length ? "Less reliable here: see Methods. " : "";
}

export function betterWords() {
  return `${doubted()}Probability that the run is better after the first ${DATA.probable.top} documents of each of these runs are judged, by a model. Other documents, runs and topics are not considered. ${DATA.probable.pairs_held[0].toUpperCase()}${DATA.probable.pairs_held.slice(1)}.`;
}

export function probableWords() {
  return `${doubted()}Range of the mean after the first ${DATA.probable.top} documents of each of these runs are judged, predicted by a model. Other documents and runs are not considered. ${DATA.probable.held}.`;
}

/**
 * The bounds of a difference, and the state of the pair.
 *
 * `state`: A or B is guaranteed better; both are guaranteed equal; judgments are known for either
 * winner (reversible); both can become equal, but one of them cannot be better (tie); unresolved; or
 * unknown, if nothing was computed.
 */
function verdict(metric, a, b) {
  const unknown = { low: NaN, high: NaN, gap: NaN, state: "unknown" };
  const asked = placeAmong(DATA.pairs.verdicts, a, b);
  const turned = asked === undefined;
  const place = turned ? placeAmong(DATA.pairs.verdicts, b, a) : asked;
  if (place === undefined || METRICS[metric].diagnostic) return unknown;
  const { verdicts } = DATA.pairs;
  const [low, high, gap] = ["low", "high", "gap"].map((name) => cell(verdicts[name], metric, place));
  if (Number.isNaN(low)) return unknown;
  const reached = verdicts.states[cell(verdicts.state, metric, place)];
  return turned ? { low: -high, high: -low, gap, state: { A: "B", B: "A" }[reached] ?? reached } : { low, high, gap, state: reached };
}

/** 1 if run A is guaranteed better, −1 if run B is, 0 otherwise. */
export function guaranteed(found) {
  return { A: 1, B: -1 }[found.state] ?? 0;
}

/** An example of judgments that reverse the difference of two runs; null if the page has none. */
export function reversalOf(metric, a, b) {
  return (DATA.examples ?? []).find((each) => each.metric === metric && ((each.a === a && each.b === b) || (each.a === b && each.b === a))) ?? null;
}

/** A clause on the number of judgments of an example, to follow "can be reversed"; empty without an example. */
export function reversalWords(metric, a, b) {
  const known = reversalOf(metric, a, b);
  return known === null ? "" : ` if ${counted(known.count, "unjudged document")} ${known.count === 1 ? "is" : "are"} judged relevant (an example)`;
}

/**
 * Sentences on the state of a pair; `names` are the names of A and B, as text or as links.
 *
 * `known` is an example of judgments that reverse the difference, or null.
 */
export function stateSentence(found, names, known = null) {
  const [a, b] = names;
  switch (found.state) {
    case "A":
    case "B":
      return ["On these topics, ", found.state === "A" ? a : b, ` is guaranteed to be better${found.high - found.low < 1e-6 ? ": unjudged documents cannot change the difference" : ", no matter how the unjudged documents are judged"}.`, ` ${ASSUMPTION}`, found.significant ? "" : " This says nothing about other topics."];
    case "equal":
      return ["On these topics, both runs are guaranteed to be equal, no matter how the unjudged documents are judged.", ` ${ASSUMPTION}`];
    case "reversible":
      if (found.better === 0) return ["The unjudged documents leave the winner open: each run is better under some judgments of them."];
      if (known !== null) return ["The unjudged documents can reverse the difference: ", found.better > 0 ? b : a, ` is better if ${counted(known.count, "unjudged document")}, on ${counted(known.topics.length, "topic")}, ${known.count === 1 ? "is" : "are"} judged relevant (an example${known.count === 1 ? "" : "; fewer may be enough"}).`];
      return ["The unjudged documents can reverse the difference: ", found.better > 0 ? b : a, " is better under some judgments of them.", RUNS.length > 2 ? " This page has no example; a report on these two runs alone may have one." : " This page has no example."];
    case "tie":
      if (found.better === 0) return ["The unjudged documents can make only one of the two runs better."];
      return ["The unjudged documents can make the two runs equal, but cannot reverse their order."];
    case "unresolved":
      return ["Whether the unjudged documents can reverse the difference is not resolved: the bounds of the difference are not tight, and no judgments are known that reverse it.", RUNS.length > 2 ? " rankwise compare with these two runs alone searches further." : ""];
    default:
      return ["Bounds were not computed for this pair."];
  }
}

/** The badge of a state, for example Guaranteed. It concerns unjudged documents; tests concern topics. */
export function stateBadge(found) {
  const kind = { A: "sure", B: "sure", equal: "sure", reversible: "open", tie: "open", unresolved: "unresolved" }[found.state] ?? "unknown";
  const signs = { sure: "■", open: "⇄", unresolved: "?", unknown: "–" };
  const words = { sure: "Guaranteed", open: found.state === "tie" ? "Can become equal" : "Can be reversed", unresolved: "Not resolved", unknown: "Not computed" };
  return element("span", { class: `badge ${kind}`, title: ABOUT_STATES[found.state] }, element("span", { "aria-hidden": "true" }, signs[kind]), ` ${words[kind]}`);
}

/** The assumption of a guarantee. */
export const ASSUMPTION = DATA.assumed ? `Assumption: the existing judgments are correct, and ${DATA.assumed}.` : "";

const SURE = `On these topics, no judgments of the unjudged documents change which run is better. ${ASSUMPTION}`;

const ABOUT_STATES = {
  A: SURE,
  B: SURE,
  equal: `The two runs stay equal on these topics no matter how the unjudged documents are judged. ${ASSUMPTION}`,
  reversible: "Judgments of the unjudged documents are known under which the other run is better.",
  tie: "Judgments of the unjudged documents can make the two runs equal, but cannot reverse their order.",
  unresolved: "The bounds include 0 but are not tight, and no judgments are known that reverse the difference. Its sign may be guaranteed or reversible.",
  unknown: "Bounds were not computed for this pair.",
};

/** The state of a pair for a tip; empty in a report on scores. */
export function stateTip(found, a, b) {
  return JUDGED ? `; ${stateWords(found, a, b)}` : "";
}

const STATE_WORDS = {
  equal: "guaranteed equal",
  reversible: "can be reversed",
  tie: "can become equal",
  unresolved: "not resolved",
  unknown: "bounds not computed",
};

/** The state of a pair in a few words, for a table. */
export function stateWords(found, a, b) {
  return STATE_WORDS[found.state] ?? `${visible(RUNS[found.state === "A" ? a : b])} guaranteed better no matter how the unjudged documents are judged`;
}

/** Marks of significant differences from the baseline: hollow, and filled if guaranteed. */
export const MARKS = { up: ["△", "▲"], down: ["▽", "▼"] };

export function mark(metric, run, baseline, found = compared(metric, run, baseline)) {
  return METRICS[metric].diagnostic ? "" : markOf(found, run, baseline, reversalWords(metric, run, baseline));
}

/** The mark of a comparison with the baseline; `size` is text on the number of judgments that reverse it. */
export function markOf(found, run, baseline, size = "") {
  if (found === null || !found.significant || found.better === 0) return "";
  const kind = found.better > 0 ? "up" : "down";
  const sure = guaranteed(found) !== 0;
  const told = `significantly ${kind === "up" ? "better" : "worse"} than the baseline${JUDGED ? `, ${sure ? "guaranteed no matter how the unjudged documents are judged" : stateWords(found, run, baseline)}${size}` : ""}`;
  return element("span", { class: `sign ${kind}`, title: told, role: "img", "aria-label": told }, MARKS[kind][Number(sure)]);
}

const CORRECTIONS = { holm: "Holm", bonferroni: "Bonferroni", bh: "Benjamini–Hochberg" };

/** Whether p-values are corrected over several comparisons. */
export function isCorrected() {
  return DATA.pairs.correction in CORRECTIONS;
}

/** The family over which p-values are corrected, in words; empty if they are not. `group` ≥ 0 includes groups. */
export function familyOf(baseline, group) {
  if (!isCorrected()) return "";
  const groups = group < 0 ? "" : counted(DATA.groups.names.length, "group");
  if (RUNS.length === 2) return groups;
  const pairs = (RUNS.length * (RUNS.length - 1)) / 2;
  const which = baseline === ALL_PAIRS ? `all ${pairs.toLocaleString("en")} pairs of runs` : `the ${RUNS.length - 1} comparisons with ${visible(RUNS[baseline])}`;
  return `${groups ? `${groups} × ` : ""}${which}`;
}

/** The test, the correction with its family, and α, in words. */
export function familyWords(over = `the ${RUNS.length - 1} comparisons with the baseline`) {
  const { correction, test } = DATA.pairs;
  const rule = RUNS.length === 2 ? [] : [isCorrected() ? `${CORRECTIONS[correction]} over ${over}` : "no further correction"];
  return [`Two-sided ${test}`, ...rule, `α = ${DATA.pairs.alpha}`].join(", ");
}

/** The number of runs significantly different from run b, for each metric, in words. */
function significantWords(b) {
  const each = METRICS.flatMap((entry, metric) => {
    if (entry.diagnostic) return [];
    const found = RUNS.map((_, run) => compared(metric, run, b)).filter((pair) => pair?.significant && pair.better !== 0);
    return [`${found.length} (${entry.name})`];
  });
  return each.length ? `; significant: ${each.join(", ")}` : "";
}

/** Sentences on each family of tests on the page, with its size; empty if p-values are not corrected. */
export function familiesOfTests() {
  if (DATA.pairs === null || !isCorrected()) return [];
  const others = RUNS.length - 1;
  const metrics = METRICS.filter((entry) => !entry.diagnostic).length;
  const all = DATA.pairs.family === "all" && metrics > 1;
  const size = (tests) => (all ? `${counted(tests * metrics, "test")} (${tests} for each of ${metrics} metrics, one family)` : `${counted(tests, "test")}${metrics > 1 ? " for each metric" : ""}`);
  const items = [];
  if (others > 1) {
    const { baseline } = state();
    const pairs = ((others + 1) * others) / 2;
    items.push(`Comparisons with the baseline ${visible(RUNS[baseline])}, in every view: ${size(others)}${significantWords(baseline)}.`);
    items.push(`Comparisons with another baseline, chosen on Leaderboard or Run: ${size(others)}.`);
    items.push(`Pairs without the baseline, on Pair: all ${pairs.toLocaleString("en")} pairs of runs, ${size(pairs)}.`);
    if (DATA.pairs.ranks !== null) items.push(`Ranks on Leaderboard: simultaneous intervals of all ${pairs.toLocaleString("en")} pairs of runs.`);
    if (JUDGED && DATA.pairs.verdicts.a.shape[0] === pairs) items.push(`Number of significant differences under Notes: all pairs of runs, ${size(pairs)}.`);
  }
  const groups = DATA.groups?.pairs ? DATA.groups.names.length : 0;
  if (groups) items.push(`Groups: ${groups} groups${others > 1 ? ` × ${others} comparisons with the chosen baseline` : ""}, ${size(groups * others)}. The row of all topics is not in this family.`);
  return items;
}
