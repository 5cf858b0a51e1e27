// Two runs: the difference on each topic, the test, the interval, and the verdict.

import { chart } from "./chart.js";
import { STATE_WORDS, chanceOfBetter, compared, familyWords, stateSentence } from "./compared.js";
import { DATA, METRICS, RUNS, TOPICS, better, level, mean, score, titleOf } from "./data.js";
import { chooseMetric, chooseRun, element, figures, link, named, runLink, section, topicLink } from "./elements.js";
import { state } from "./state.js";
import { endColumns, table } from "./table.js";
import { between, counted, fixed, pValue, percent, shownScore, signed, visible } from "./text.js";

const MOST_TOPICS = 150; // in a chart
const MOVED = 5;

export function pairView() {
  const { metric, a, b } = state();
  const turn = link({ a: RUNS[b], b: RUNS[a] }, "swap the two");
  const controls = element("div", { class: "controls" }, chooseRun("Run A", "a"), chooseRun("Run B", "b"), chooseMetric(), turn);
  const title = element("h2", {}, named(RUNS[a]), " and ", named(RUNS[b]));
  if (a === b) return [title, controls, element("p", { class: "lead" }, "These are the same run: choose another.")];
  const found = compared(metric, a, b);
  const rows = differences(metric, a, b);
  return [
    title,
    controls,
    element("p", { class: "lead" }, ...sentence(metric, a, b, found)),
    figures(numbersOf(metric, a, b, found)),
    section("Difference by topic", differenceChart(metric, a, b, found, rows)),
    section("Topics that moved most", moved(metric, rows, a, b)),
    ...(DATA.changes === null ? [] : [section("Changes in the rankings", changes())]),
    section("All metrics", allMetrics(a, b)),
    section("All topics", topicTable(metric, a, b, rows)),
  ];
}

/** The verdict in words. */
function sentence(metric, a, b, found) {
  const entry = METRICS[metric];
  const scores = `${entry.name} ${shownScore(mean("value", metric, a), entry)} against ${shownScore(mean("value", metric, b), entry)}: `;
  if (entry.diagnostic) return [scores, `a difference of ${signed(found.difference, 4)}. ${entry.name} says how much there was to measure, not how good a run is, and is not tested.`];
  const who = found.better < 0 ? b : a;
  const parts = [scores];
  if (found.better === 0) parts.push("the two are even. ");
  else parts.push(runLink(who), found.significant ? " is significantly better. " : " is better, but not significantly. ");
  return [...parts, ...stateSentence(found, [runLink(a), runLink(b)])];
}

function numbersOf(metric, a, b, found) {
  if (METRICS[metric].diagnostic) return [["Difference A − B", signed(found.difference)]];
  return [
    ["Difference A − B", signed(found.difference), `effect size ${fixed(found.effect, 2)}`],
    [`${level()} interval`, between(found.confLow, found.confHigh), DATA.pairs.interval],
    ["p", pValue(found.p), `corrected ${pValue(found.corrected)}`],
    ["Topics", `${found.wins} : ${found.losses}`, `better : worse, of ${found.topics}`],
    ["Bounds of the difference", between(found.low, found.high), boundsWords(found)],
    ...(DATA.probable === null ? [] : [["A is probably better", percent(chanceOfBetter(metric, a, b)), `if a pool of depth ${DATA.probable.top} were judged, on these topics`]]),
  ];
}

function boundsWords(found) {
  if (Number.isNaN(found.low)) return "not computed";
  const tight = found.gap === 0 ? "exact" : "valid, not tight";
  return `${tight}, if ${DATA.pairs.verdicts.assumed}`;
}

function differences(metric, a, b) {
  return TOPICS.map((_, topic) => {
    const [one, other] = [score(metric, a, topic), score(metric, b, topic)];
    return { topic, one, other, difference: one - other };
  });
}

function differenceChart(metric, a, b, found, all) {
  const known = all.filter((row) => Number.isFinite(row.difference));
  const by = (row) => row.difference;
  const sorted = [...known].sort((one, other) => by(other) - by(one));
  const shown = sorted.length <= MOST_TOPICS ? sorted : [...sorted.slice(0, MOST_TOPICS / 2), ...sorted.slice(-MOST_TOPICS / 2)];
  const names = { 1: `${visible(RUNS[a])} better`, "-1": `${visible(RUNS[b])} better`, 0: "even" };
  const rows = shown.map((row) => ({ topic: visible(TOPICS[row.topic]), difference: row.difference, who: names[better(metric, row.difference)], tip: `${visible(TOPICS[row.topic])}: ${signed(row.difference)} (${fixed(row.one)} and ${fixed(row.other)})` }));
  const marks = [{ mean: found.difference, low: Number.isFinite(found.confLow) ? found.confLow : found.difference, high: Number.isFinite(found.confHigh) ? found.confHigh : found.difference }];
  const cut = shown.length < sorted.length ? ` The ${shown.length} topics with the greatest differences.` : "";
  const label = `${METRICS[metric].name} of ${visible(RUNS[a])} less that of ${visible(RUNS[b])}, topic by topic; the line is the mean, the shade its ${level()} interval.${cut}`;
  return METRICS[metric].sum ? element("p", {}, "Counts are added up, not averaged.") : chart("differences", label, { rows, marks });
}

function moved(metric, rows, a, b) {
  const known = rows.filter((row) => better(metric, row.difference) !== 0);
  const sorted = known.sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
  const list = (sign, who) => {
    const most = sorted.filter((row) => better(metric, row.difference) === sign).slice(0, MOVED);
    const items = most.map((row) => element("li", {}, topicLink(row.topic), " ", titleOf(row.topic) ? named(titleOf(row.topic)) : "", ` ${signed(row.difference)}`));
    return element("div", {}, element("p", {}, "For ", named(RUNS[who])), items.length ? element("ol", {}, ...items) : element("p", {}, "none"));
  };
  return element("div", { class: "abreast" }, list(1, a), list(-1, b));
}

/** Similarity of the two rankings without judgments, and the topics that changed most. */
function changes() {
  const columns = [
    { name: "Measure", csv: "measure", text: true, heads: true, value: (row) => row.measure },
    { name: "Mean", csv: "mean", value: (row) => row.value ?? NaN, show: (row) => fixed(row.value ?? NaN) },
    ...endColumns("Interval", ["conf_low", "conf_high"], (row) => row.low ?? NaN, (row) => row.high ?? NaN),
  ];
  const measures = table("changes", "Similarity of the rankings, averaged over topics", columns, DATA.changes.measures).made;
  const items = DATA.changes.topics.map((row) => element("li", {}, topicLink(row.topic), " ", titleOf(row.topic) ? named(titleOf(row.topic)) : "", ` RBO ${fixed(row.rbo, 2)}`));
  const legend = `RBO: rank-biased overlap (p = ${DATA.changes.p}); KTU: Kendall's tau of the union; changed@k: fraction of topics whose top k changed. These need no judgments; rankwise diff has the largest difference that any judgments allow.`;
  const most = element("div", {}, element("p", {}, "Topics whose rankings changed most"), element("ol", {}, ...items));
  return element("div", {}, element("div", { class: "abreast" }, measures, most), element("p", { class: "legend" }, legend));
}

function allMetrics(a, b) {
  const rows = METRICS.map((entry, metric) => ({ entry, metric, found: compared(metric, a, b) }));
  const of = (name, csv, value, show) => ({ name, csv, value: (row) => value(row), show: (row) => show(value(row), row) });
  const columns = [
    { name: "Metric", csv: "metric", text: true, heads: true, value: (row) => row.entry.name },
    of("A", "mean_a", (row) => mean("value", row.metric, a), (value, row) => shownScore(value, row.entry)),
    of("B", "mean_b", (row) => mean("value", row.metric, b), (value, row) => shownScore(value, row.entry)),
    of("Difference", "difference", (row) => row.found.difference, (value, row) => signed(value, row.entry.sum ? 0 : 4)),
    ...endColumns("Interval", ["conf_low", "conf_high"], (row) => row.found.confLow, (row) => row.found.confHigh),
    ...endColumns("Bounds", ["low", "high"], (row) => row.found.low, (row) => row.found.high),
    of("p", "p", (row) => row.found.p, pValue),
    of("p, corrected", "corrected_p", (row) => row.found.corrected, pValue),
    ...(DATA.probable === null ? [] : [of("P(A better)", "probability_a_better", (row) => chanceOfBetter(row.metric, a, b), (value) => percent(value))]),
    { name: "Better : worse", csv: "wins", value: (row) => row.found.wins, show: (row) => (row.entry.diagnostic ? "–" : `${row.found.wins} : ${row.found.losses}`) },
    { name: "losses", value: (row) => row.found.losses, written: true },
    { name: "Verdict", csv: "verdict", text: true, wide: true, value: verdictWords },
  ];
  return element("div", {}, table("metrics", "Both runs by all metrics", columns, rows).made, element("p", { class: "legend" }, `${familyWords()}, the baseline being B.`));
}

function verdictWords(row) {
  if (row.entry.diagnostic) return "not tested";
  const { found } = row;
  const test = !found.significant ? "not significant" : found.better > 0 ? "A significantly better" : "B significantly better";
  return `${test}; ${STATE_WORDS[found.state]}`;
}

function topicTable(metric, a, b, rows) {
  const titles = TOPICS.some((_, topic) => titleOf(topic));
  const columns = [
    { name: "Topic", csv: "topic", text: true, heads: true, value: (row) => TOPICS[row.topic], show: (row) => topicLink(row.topic) },
    ...(titles ? [{ name: "Title", csv: "title", text: true, value: (row) => titleOf(row.topic), show: (row) => named(titleOf(row.topic)) }] : []),
    { name: "A", csv: RUNS[a], value: (row) => row.one, show: (row) => fixed(row.one) },
    { name: "B", csv: RUNS[b], value: (row) => row.other, show: (row) => fixed(row.other) },
    { name: "Difference", csv: "difference", value: (row) => row.difference, show: (row) => signed(row.difference) },
  ];
  return table("differences", `${METRICS[metric].name} by topic: ${counted(rows.length, "topic")}`, columns, rows).made;
}
