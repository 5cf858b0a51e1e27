// A run: its scores, its profile over topics, its curve, and where its holes are.

import { chart } from "./chart.js";
import { compared, mark } from "./compared.js";
import { DATA, METRICS, RUNS, TOPICS, bestFirst, better, cell, level, mean, medianScores, rowOf, score, titleOf, topicScores } from "./data.js";
import { chooseMetric, chooseRun, element, figures, link, named, runLink, section, steps, topicLink } from "./elements.js";
import { state } from "./state.js";
import { endColumns, table } from "./table.js";
import { between, fixed, median, pValue, pWords, percent, shownScore, signed, visible } from "./text.js";

const MOST_TOPICS = 120; // in a chart
const PRINTED = 175; // the height of charts of which a page has three

export function runView() {
  const { metric, run } = state();
  const order = bestFirst(metric);
  const place = order.indexOf(run);
  const controls = element(
    "div",
    { class: "controls" },
    chooseRun("Run", "run"),
    chooseMetric(),
    RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null,
    steps("run", order.map((one) => RUNS[one]), place),
  );
  return [element("h2", {}, "Run ", named(RUNS[run])), controls, ...runPage(run, metric, true)];
}

/** What is said of one run; the appendix says it of all. */
export function runPage(run, metric, whole) {
  const height = whole ? undefined : PRINTED;
  return [
    first(run, metric),
    section("Scores", scoreTable(run, whole ? "scores" : `scores-${run}`)),
    section("Topic by topic", profile(run, metric, height)),
    element("div", { class: "abreast" }, section("Recall and precision", curve(run, height)), section("Where its holes are", holes(run, height), holesText(run))),
    whole ? section("All topics", topicTable(run, metric)) : null,
  ];
}

function first(run, metric) {
  const place = bestFirst(metric).indexOf(run) + 1;
  const entry = METRICS[metric];
  const found = compared(metric, run, state().baseline);
  return figures([
    [entry.name, shownScore(mean("value", metric, run), entry), `rank ${place} of ${RUNS.length}`],
    [`${level()} interval`, between(mean("conf_low", metric, run), mean("conf_high", metric, run), entry.sum ? 0 : 4)],
    ["Bounds", between(mean("low", metric, run), mean("high", metric, run), entry.sum ? 0 : 4), "what unjudged documents leave open"],
    ["Judged@10", percent(cell(DATA.judged["10"], run), 0), `Judged@100: ${percent(cell(DATA.judged["100"], run), 0)}`],
    ...(found ? [["Against the baseline", signed(found.difference, entry.sum ? 1 : 4), entry.diagnostic ? "" : `${pWords(found.corrected)}, corrected`]] : []),
  ]);
}

function scoreTable(run, id) {
  const { baseline } = state();
  const others = run !== baseline && DATA.pairs !== null;
  const rows = METRICS.map((entry, metric) => ({ entry, metric, found: compared(metric, run, baseline) }));
  const digits = (row) => (row.entry.sum ? 0 : 4);
  const of = (name) => (row) => mean(name, row.metric, run);
  const columns = [
    { name: "Metric", csv: "metric", text: true, heads: true, value: (row) => row.entry.name },
    { name: "Score", csv: "value", value: (row) => mean("value", row.metric, run), show: (row) => [shownScore(mean("value", row.metric, run), row.entry), element("span", { class: "signs" }, others ? mark(row.metric, run, baseline) : "")] },
    { name: "Rank", csv: "rank", value: (row) => bestFirst(row.metric).indexOf(run) + 1 },
    ...endColumns("Interval", ["conf_low", "conf_high"], of("conf_low"), of("conf_high"), digits),
    ...endColumns("Bounds", ["low", "high"], of("low"), of("high"), digits),
    { name: "Median of runs", csv: "median", value: (row) => median(RUNS.map((_, one) => mean("value", row.metric, one))), show: (row) => shownScore(median(RUNS.map((_, one) => mean("value", row.metric, one))), row.entry) },
    { name: "Best", csv: "best", value: (row) => mean("value", row.metric, bestFirst(row.metric)[0]), show: (row) => shownScore(mean("value", row.metric, bestFirst(row.metric)[0]), row.entry) },
  ];
  if (others) {
    columns.push(
      { name: "Difference from the baseline", csv: "difference", value: (row) => row.found.difference, show: (row) => signed(row.found.difference, digits(row)) },
      { name: "p, corrected", csv: "corrected_p", value: (row) => row.found.corrected, show: (row) => pValue(row.found.corrected) },
    );
  }
  return table(id, `Scores of ${visible(RUNS[run])}`, columns, rows).made;
}

/** The topics that a chart has room for: all, or those on which the run differs most. */
function topicsShown(run, metric) {
  const all = TOPICS.map((_, topic) => topic);
  if (all.length <= MOST_TOPICS) return all;
  const medians = medianScores(metric);
  const far = (topic) => Math.abs(score(metric, run, topic) - medians[topic]) || 0;
  return all.sort((one, other) => far(other) - far(one)).slice(0, MOST_TOPICS).sort((one, other) => one - other);
}

function profile(run, metric, height) {
  const { baseline } = state();
  const medians = medianScores(metric);
  const topics = topicsShown(run, metric);
  const against = run === baseline ? [] : [["baseline", (topic) => score(metric, baseline, topic)]];
  const series = [["this run", (topic) => score(metric, run, topic)], ...against, ["median of all runs", (topic) => medians[topic]]];
  const rows = series.flatMap(([who, value]) => topics.map((topic) => ({ topic: visible(TOPICS[topic]), who, value: value(topic), tip: `${visible(TOPICS[topic])}: ${who} ${fixed(value(topic))}` })));
  const marks = topics.map((topic) => {
    const known = topicScores(metric, topic).filter((value) => Number.isFinite(value));
    return { topic: visible(TOPICS[topic]), low: known.length ? Math.min(...known) : 0, high: known.length ? Math.max(...known) : 0 };
  });
  const cut = topics.length < TOPICS.length ? ` The ${topics.length} topics on which it differs most from the median.` : "";
  const label = `${METRICS[metric].name} of ${visible(RUNS[run])} on each topic; the grey bars go from the worst to the best of all runs.${cut}`;
  return chart("profile", label, { rows: rows.filter((one) => Number.isFinite(one.value)), marks }, height);
}

function curve(run, height) {
  const { baseline } = state();
  const { curves, recalls } = DATA.collection;
  const middle = recalls.map((_, at) => median(RUNS.map((_run, one) => cell(curves, one, at))));
  const lines = [["this run", rowOf(curves, run)], ...(run === baseline ? [] : [["baseline", rowOf(curves, baseline)]]), ["median of all runs", middle]];
  const rows = lines.flatMap(([who, values]) => recalls.map((recall, at) => ({ who, recall, precision: values[at], tip: `${who}: ${fixed(values[at], 3)} at recall ${recall}` })));
  return chart("curve", "Precision at eleven levels of recall, interpolated, in the mean over topics.", { rows: rows.filter((one) => Number.isFinite(one.precision)) }, height);
}

function holes(run, height) {
  const { ranks, judged, relevant, retrieved } = DATA.collection.by_rank;
  const rows = [["judged", judged], ["relevant", relevant]].flatMap(([who, shares]) =>
    ranks
      .map((rank, place) => ({ rank, who, share: cell(shares, run, place), there: cell(retrieved, run, place) }))
      .filter((one) => one.there > 0)
      .map((one) => ({ ...one, tip: `rank ${one.rank}: ${percent(one.share)} ${who}` })),
  );
  return chart("shares", "The share of this run's documents that is judged, and relevant, by rank; a point stands for the ranks since the one before.", { rows }, height);
}

function holesText(run) {
  const found = TOPICS.map((_, topic) => ({ topic, count: cell(DATA.unjudged10, run, topic) })).filter((one) => one.count > 0);
  found.sort((one, other) => other.count - one.count);
  if (found.length === 0) return element("p", {}, "All documents in its first ten are judged, on every topic.");
  const worst = found.slice(0, 8).flatMap((one, place) => [place ? ", " : "", topicLink(one.topic), ` (${one.count})`]);
  const rest = found.length > 8 ? ` and ${found.length - 8} more` : "";
  return element("p", {}, "Topics with most unjudged documents in the first ten: ", ...worst, `${rest}.`);
}

function topicTable(run, metric) {
  const { baseline } = state();
  const medians = medianScores(metric);
  const rows = TOPICS.map((_, topic) => ({ topic, value: score(metric, run, topic), base: score(metric, baseline, topic) }));
  const titles = TOPICS.some((_, topic) => titleOf(topic));
  const number = (name, csv, value) => ({ name, csv, value, show: (one) => fixed(value(one)) });
  const best = (one) => {
    const known = topicScores(metric, one.topic).filter((value) => Number.isFinite(value));
    return known.length ? known.reduce((a, b) => (better(metric, b - a) > 0 ? b : a)) : NaN;
  };
  const difference = (one) => one.value - one.base;
  const columns = [
    { name: "Topic", csv: "topic", text: true, heads: true, value: (one) => TOPICS[one.topic], show: (one) => topicLink(one.topic) },
    ...(titles ? [{ name: "Title", csv: "title", text: true, value: (one) => titleOf(one.topic), show: (one) => named(titleOf(one.topic)) }] : []),
    number("Score", "value", (one) => one.value),
    ...endColumns("Bounds", ["low", "high"], (one) => score(metric, run, one.topic, "low"), (one) => score(metric, run, one.topic, "high")),
    number("Median", "median", (one) => medians[one.topic]),
    number("Best", "best", best),
    ...(run === baseline ? [] : [number("Baseline", "baseline", (one) => one.base), { name: "Difference", csv: "difference", value: difference, show: (one) => signed(difference(one)) }]),
    { name: "Unjudged in the first 10", csv: "unjudged10", value: (one) => cell(DATA.unjudged10, run, one.topic) },
  ];
  const about = run === baseline ? [] : [element("p", {}, "The baseline is ", runLink(baseline), "; ", link({ view: "pair", a: RUNS[run], b: RUNS[baseline] }, "compare the two"), ".")];
  return element("div", {}, ...about, table("topics", `${METRICS[metric].name} of ${visible(RUNS[run])} by topic`, columns, rows).made);
}
