// A run: its scores, its profile over topics, its recall-precision curve, its judged documents.

import { ASSUMPTION, compared, familyOf, isCorrected, isPredicted, mark, probableEnd, probableWords, reversalWords, stateWords } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, better, cell, level, mean, medianScores, rankOf, rowOf, score, titleOf, topicScores } from "./data.js";
import { axisLeft, extent, legend, lineChart, markLink, namesBelow, picture, scale, shape } from "./draw.js";
import { chooseMetric, chooseRun, element, figures, info, link, named, roleOf, runLink, section, steps, titleCell, topicLink } from "./elements.js";
import { bothColumn, forestHead, forestRow, informative, withBounds } from "./forest.js";
import { address, state } from "./state.js";
import { endColumns, table } from "./table.js";
import { between, fixed, median, pValue, pWords, percent, shownScore, signed, visible } from "./text.js";

const MOST_TOPICS = 150; // in a chart
const PRINTED = 210; // height of a chart, so that a printed page has room for three

export function runView() {
  const { metric, run } = state();
  const order = bestFirst(metric);
  const place = order.indexOf(run);
  const controls = element(
    "div",
    { class: "controls" },
    RUNS.length > 1 ? chooseRun("Run", "run") : null,
    chooseMetric(),
    RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null,
    RUNS.length > 1 ? steps("run", order.map((one) => RUNS[one]), place) : null,
  );
  return [element("h2", {}, "Run ", named(RUNS[run]), roleOf(run) ? element("span", { class: "lead" }, ` ${roleOf(run)}`) : ""), controls, ...runPage(run, metric, true)];
}

/** The sections on a run; with `whole`, those of the view Run, otherwise those of a page of the appendix. */
export function runPage(run, metric, whole) {
  const height = whole ? undefined : PRINTED;
  return [
    first(run, metric, whole),
    section("Scores", scoreTable(run, whole)),
    section("Topic by topic", profile(run, metric, height)),
    !JUDGED ? null : element("div", { class: "abreast" }, rowOf(DATA.collection.curves, run).some(Number.isFinite) ? section("Recall and precision", curve(run, height)) : null, section("Judged documents by rank", judgedByRank(run, height), unjudgedText(run, metric))),
    whole ? section("All topics", topicTable(run, metric)) : null,
  ];
}

function first(run, metric, whole) {
  const entry = METRICS[metric];
  const found = compared(metric, run, state().baseline);
  return figures([
    [entry.name, shownScore(mean("value", metric, run), entry), RUNS.length > 1 ? `rank ${rankOf(metric, run)} of ${RUNS.length}` : ""],
    [`${level()} interval`, between(mean("conf_low", metric, run), mean("conf_high", metric, run), entry.sum ? 0 : 4)],
    ...(JUDGED ? judgedFigures(run, metric) : []),
    ...(found ? [["Against the baseline", [signed(found.difference, entry.sum ? 1 : 4), " ", mark(metric, run, state().baseline)], entry.diagnostic ? "" : againstWords(metric, run, found, whole)]] : []),
  ]);
}

/** The p of a comparison, its family, and the effect of unjudged documents; in the appendix only the p. */
function againstWords(metric, run, found, whole) {
  if (!whole) return `${pWords(found.corrected)}${RUNS.length > 2 ? ", corrected" : ""}`;
  const { baseline } = state();
  const family = familyOf(baseline, -1);
  const judged = JUDGED ? `; ${stateWords(found, run, baseline)}${found.state === "reversible" ? reversalWords(metric, run, baseline) : ""}` : "";
  return `${pWords(found.corrected)}${family ? `, corrected over ${family}` : ""}${judged}`;
}

/** Key figures: bounds, probable range, judged fractions. */
function judgedFigures(run, metric) {
  const entry = METRICS[metric];
  return [
    informative(metric, mean("low", metric, run), mean("high", metric, run)) ? ["Bounds", between(mean("low", metric, run), mean("high", metric, run), entry.sum ? 0 : 4), element("span", {}, "no matter how the unjudged documents are judged ", info("the bounds", element("p", {}, ASSUMPTION)))] : ["Bounds", "not informative", `${between(mean("low", metric, run), mean("high", metric, run))}: wider than half of the range`],
    ...(isPredicted(metric) ? [["Probable range", between(probableEnd("low", metric, run), probableEnd("high", metric, run)), element("span", {}, `after judging to depth ${DATA.probable.top} `, info("the probable range", element("p", {}, probableWords())))]] : []),
    ["Judged@10", percent(cell(DATA.judged["10"], run), 0), `Judged@100: ${percent(cell(DATA.judged["100"], run), 0)}`],
  ];
}

/** A column that a narrow screen hides. */
function narrow(column) {
  return { ...column, narrow: true };
}

/** The scores by all metrics, with intervals as a chart on the screen and as numbers in the appendix. */
function scoreTable(run, whole) {
  const { baseline } = state();
  const others = run !== baseline && DATA.pairs !== null;
  const rows = METRICS.map((entry, metric) => ({ entry, metric, found: compared(metric, run, baseline) }));
  const digits = (row) => (row.entry.sum ? 0 : 4);
  const of = (name) => (row) => mean(name, row.metric, run);
  const columns = [
    { name: "Metric", csv: "metric", text: true, heads: true, value: (row) => row.entry.name },
    { name: "Score", csv: "value", value: (row) => mean("value", row.metric, run), show: (row) => [shownScore(mean("value", row.metric, run), row.entry), element("span", { class: "signs" }, others ? mark(row.metric, run, baseline) : "")] },
    ...(RUNS.length > 1 ? [{ name: "Rank", csv: "rank", narrow: true, value: (row) => rankOf(row.metric, run) }] : []),
    ...(whole ? [intervalColumn(run, rows, others)] : []),
    ...endColumns(`${level()} interval`, ["conf_low", "conf_high"], of("conf_low"), of("conf_high"), digits).map((column) => narrow({ ...column, written: whole || column.written })),
    ...(JUDGED ? endColumns("Bounds", ["low", "high"], of("low"), of("high"), digits).map((column) => narrow({ ...column, written: whole || column.written })) : []),
    ...(RUNS.length <= 2 ? [] : [{ name: "Median of runs", csv: "median", narrow: true, value: (row) => median(RUNS.map((_, one) => mean("value", row.metric, one))), show: (row) => shownScore(median(RUNS.map((_, one) => mean("value", row.metric, one))), row.entry) },
    { name: "Best", csv: "best", narrow: true, value: (row) => mean("value", row.metric, bestFirst(row.metric)[0]), show: (row) => shownScore(mean("value", row.metric, bestFirst(row.metric)[0]), row.entry) }]),
  ];
  if (others) {
    columns.push(
      { name: "Difference", csv: "difference", value: (row) => row.found.difference, show: (row) => signed(row.found.difference, digits(row)) },
      { name: RUNS.length > 2 ? "p, corrected" : "p", csv: "corrected_p", narrow: true, about: RUNS.length > 2 && isCorrected() ? `Corrected over ${familyOf(baseline, -1)}, separately for each metric.` : undefined, value: (row) => row.found.corrected, show: (row) => pValue(row.found.corrected) },
    );
  }
  return table(whole ? "scores" : `scores-${run}`, `Scores of ${visible(RUNS[run])}`, columns, rows, { full: whole }).made;
}

/** A column with the mean, its interval and, if informative, its bounds; the baseline is a dotted line. */
function intervalColumn(run, rows, others) {
  const { baseline } = state();
  const pictured = rows.filter((row) => !row.entry.sum && row.entry.range[1] !== null && !row.entry.diagnostic);
  const of = (row) => {
    const [value, low, high, least, most] = ["value", "conf_low", "conf_high", "low", "high"].map((name) => mean(name, row.metric, run));
    const shown = informative(row.metric, least, most);
    const tip = `${row.entry.name}: ${shownScore(value, row.entry)}, ${level()} interval ${between(low, high)}${Number.isFinite(least) ? `, bounds ${shown ? "" : "not informative "}${between(least, most)}` : ""}${others ? `, baseline ${shownScore(mean("value", row.metric, baseline), row.entry)}` : ""}`;
    return withBounds(row.metric, { value, low, high, least, most, tip, kind: colourOf(run) === "base" ? "base" : "" });
  };
  const drawn = new Map(pictured.map((row) => [row.metric, of(row)]));
  const bases = others ? pictured.map((row) => mean("value", row.metric, baseline)) : [];
  const range = extent([...[...drawn.values()].flatMap((row) => [row.value, row.low, row.high, row.least, row.most]), ...bases], { within: [0, 1] });
  const about = `Dot: mean over topics. Thick line: its ${level()} confidence interval.${JUDGED ? " Thin line with ends: bounds, unless they are wider than half of the range of the metric." : ""}${others ? ` Dotted line: the baseline ${visible(RUNS[baseline])}.` : ""} The numbers are in the csv.`;
  return { name: forestHead(range, `${level()} interval${JUDGED ? " and bounds" : ""}`), label: "the intervals", forest: true, text: true, unsorted: true, about, show: (row) => (drawn.has(row.metric) ? forestRow(range, drawn.get(row.metric), others ? mean("value", row.metric, baseline) : null) : "") };
}

/** Topics sorted by the run's score minus the median of all runs, largest first. */
function topicsShown(run, metric) {
  const medians = medianScores(metric);
  const far = (topic) => score(metric, run, topic) - (RUNS.length > 1 ? medians[topic] : 0);
  const all = TOPICS.map((_, topic) => topic).filter((topic) => Number.isFinite(far(topic)));
  all.sort((one, other) => far(other) - far(one) || one - other);
  return all.length <= MOST_TOPICS ? all : [...all.slice(0, MOST_TOPICS / 2), ...all.slice(-MOST_TOPICS / 2)];
}

/** The class of a run's colour: base for the baseline, own for other runs. */
function colourOf(run) {
  return RUNS.length > 1 && run === state().baseline ? "base" : "own";
}

function profile(run, metric, height = 280) {
  const { baseline } = state();
  const medians = medianScores(metric);
  const topics = topicsShown(run, metric);
  const against = run === baseline ? null : baseline;
  const own = colourOf(run); // one colour in all views
  const spread = topics.map((topic) => {
    const known = topicScores(metric, topic).filter((value) => Number.isFinite(value));
    return [Math.min(...known), Math.max(...known)];
  });
  const range = extent(spread.flat(), { zero: true });
  const paint = (width) => {
    const left = 54;
    const wide = (width - left) / Math.max(1, topics.length);
    const names = namesBelow(topics.map((topic) => visible(TOPICS[topic])), wide);
    const bottom = height - names.room;
    const toY = scale(...range, bottom, 8);
    const marks = topics.map((topic, place) => {
      const middle = left + (place + 0.5) * wide;
      const at = (value) => toY(value).toFixed(1);
      const value = score(metric, run, topic);
      const base = against === null ? NaN : score(metric, against, topic);
      const title = titleOf(topic);
      const tip = `${visible(TOPICS[topic])}${title ? ` ${visible(title)}` : ""}: ${fixed(value)}${RUNS.length <= 2 ? "" : `, median ${fixed(medians[topic])}`}${against === null ? "" : `, baseline ${fixed(base)}`}, worst ${fixed(spread[place][0])}, best ${fixed(spread[place][1])}`;
      const half = Math.max(1.5, Math.min(6, wide * 0.35));
      return markLink(
        address({ view: "topic", topic: TOPICS[topic], run: RUNS[run] }),
        tip,
        shape("rect", { class: "hit", x: middle - wide / 2, y: 8, width: wide, height: bottom - 8 }),
        shape("line", { class: wide < 9 ? "spread thin" : "spread", x1: middle, x2: middle, y1: at(spread[place][0]), y2: at(spread[place][1]) }),
        RUNS.length <= 2 ? null : shape("line", { class: "median", x1: middle - half, x2: middle + half, y1: at(medians[topic]), y2: at(medians[topic]) }),
        Number.isFinite(base) ? shape("rect", { class: "dot base", x: middle - 3, y: toY(base) - 3, width: 6, height: 6, transform: `rotate(45 ${middle} ${toY(base)})` }) : null,
        shape("circle", { class: `dot ${own}`, cx: middle, cy: at(value), r: Math.max(2.2, Math.min(4, wide * 0.35)) }),
        names.draw(place, middle, bottom),
      );
    });
    return [...axisLeft(toY, range, width, { left, title: METRICS[metric].name }), ...marks];
  };
  const cut = topics.length < TOPICS.length ? ` The chart has ${topics.length} of ${TOPICS.length} topics, those at both ends.` : "";
  const sorted = ["score", "its difference from the other run; grey lines join the two runs"][RUNS.length - 1] ?? "its difference from the median of all runs; grey lines go from the worst to the best run";
  const label = `${METRICS[metric].name} of ${visible(RUNS[run])} by topic, sorted by ${sorted}.${cut}`;
  const keys = legend([[`dot round ${own}`, "this run"], ...(against === null ? [] : [["dot base", "baseline"]]), ...(RUNS.length <= 2 ? [] : [["median", "median of all runs"]])]);
  return element("div", {}, keys, picture(label, height, paint));
}

function curve(run, height) {
  const { baseline } = state();
  const { curves, recalls } = DATA.collection;
  const middle = recalls.map((_, at) => median(RUNS.map((_run, one) => cell(curves, one, at))));
  const lines = [[colourOf(run), "this run", rowOf(curves, run)], ...(run === baseline ? [] : [["base", "baseline", rowOf(curves, baseline)]]), ...(RUNS.length > 2 ? [["other", "median of all runs", middle]] : [])];
  const series = lines.map(([kind, name, values]) => ({ kind, name, points: recalls.map((recall, at) => [recall, values[at], `${name}: ${fixed(values[at], 3)} at recall ${recall}`]).filter((point) => Number.isFinite(point[1])) }));
  return lineChart("Interpolated precision at eleven recall levels, averaged over topics.", series, { x: [0, 1], y: [0, 1], height, xTitle: "recall", yTitle: "precision", xTicks: recalls, xWords: (value) => value.toFixed(1) });
}

function judgedByRank(run, height) {
  const { ranks, judged, relevant, retrieved } = DATA.collection.by_rank;
  const series = [["judged", "judged", judged], ["good", "relevant", relevant]].map(([kind, name, shares]) => ({
    kind,
    name,
    points: ranks
      .map((rank, place) => [rank, cell(shares, run, place), `rank ${rank}: ${percent(cell(shares, run, place))} ${name}`, cell(retrieved, run, place)])
      .filter((point) => point[3] > 0),
  }));
  return sharesChart("Fractions of this run's documents that are judged and that are relevant, by rank. Each point covers the ranks since the previous point.", series, height);
}

/** Fractions by rank, on a logarithmic axis. */
export function sharesChart(label, series, height) {
  const last = Math.max(2, ...series.flatMap((one) => one.points.map((point) => point[0])));
  const at = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((rank) => rank <= last);
  return lineChart(label, series, { x: [1, last], y: [0, 1], height, xTitle: "rank", yTitle: "fraction of documents", xTicks: at, xWords: String, yWords: (value) => percent(value, 0), log: true });
}

function unjudgedText(run, metric) {
  const found = TOPICS.map((_, topic) => ({ topic, count: cell(DATA.unjudged10, run, topic) })).filter((one) => one.count > 0);
  found.sort((one, other) => other.count - one.count);
  if (found.length === 0) {
    const ideal = METRICS[metric].ideal && mean("high", metric, run) - mean("low", metric, run) > 1e-6 ? ` The bounds of ${METRICS[metric].name} still differ, because relevant documents below rank ${METRICS[metric].cutoff} would change its ideal ranking.` : "";
    return element("p", {}, `The top 10 of this run is judged on every topic.${ideal}`);
  }
  const worst = found.slice(0, 8).flatMap((one, place) => [place ? ", " : "", topicLink(one.topic), ` (${one.count})`]);
  const rest = found.length > 8 ? ` and ${found.length - 8} more` : "";
  return element("p", {}, "Topics with the most unjudged documents in the top 10: ", ...worst, `${rest}.`);
}

function topicTable(run, metric) {
  const { baseline } = state();
  const medians = medianScores(metric);
  const rows = TOPICS.map((_, topic) => ({ topic, one: score(metric, run, topic), other: run === baseline ? medians[topic] : score(metric, baseline, topic) }));
  const titles = TOPICS.some((_, topic) => titleOf(topic));
  const number = (name, csv, value) => ({ name, csv, value, show: (one) => fixed(value(one)) });
  const best = (one) => {
    const known = topicScores(metric, one.topic).filter((value) => Number.isFinite(value));
    return known.length ? known.reduce((a, b) => (better(metric, b - a) > 0 ? b : a)) : NaN;
  };
  const difference = (row) => row.one - row.other;
  const drawn = RUNS.length === 1 ? alone(metric, run, rows) : run !== baseline ? bothColumn(metric, run, baseline, rows) : RUNS.length > 2 ? bothColumn(metric, run, null, rows) : null;
  const columns = [
    { name: "Topic", csv: "topic", text: true, heads: true, value: (one) => TOPICS[one.topic], show: (one) => topicLink(one.topic) },
    ...(titles ? [{ name: "Title", csv: "title", text: true, value: (one) => titleOf(one.topic), show: (one) => titleCell(one.topic) }] : []),
    number("Score", "value", (row) => row.one),
    ...(JUDGED ? endColumns("Bounds", ["low", "high"], (one) => score(metric, run, one.topic, "low"), (one) => score(metric, run, one.topic, "high")).map(narrow) : []),
    ...(RUNS.length <= 2 ? [] : [{ ...number("Median", "median", (one) => medians[one.topic]), narrow: run !== baseline }, { ...number("Best", "best", best), narrow: true }]),
    ...(run === baseline ? [] : [{ ...number("Baseline", "baseline", (row) => row.other), narrow: true }, { name: "Difference", csv: "difference", value: difference, show: (one) => signed(difference(one)) }]),
    ...(JUDGED ? [{ name: "Unjudged in the first 10", csv: "unjudged10", narrow: true, value: (one) => cell(DATA.unjudged10, run, one.topic) }] : []),
    ...(drawn ? [drawn] : []),
  ];
  const about = run === baseline ? [] : [element("p", {}, "The baseline is ", runLink(baseline), "; ", link({ view: "pair", a: RUNS[run], b: RUNS[baseline] }, "compare the two"), ".")];
  return element("div", {}, ...about, table("topics", `${METRICS[metric].name} of ${visible(RUNS[run])} by topic`, columns, rows, { full: drawn !== null }).made);
}

/** A column with the scores of the only run by topic and, if informative, their bounds. */
function alone(metric, run, rows) {
  const pictured = new Map(rows.map((row) => {
    const [least, most] = JUDGED ? ["low", "high"].map((end) => score(metric, run, row.topic, end)) : [NaN, NaN];
    const tip = `${visible(TOPICS[row.topic])}: ${fixed(row.one)}${JUDGED ? `, bounds ${between(least, most)}` : ""}`;
    return [row, withBounds(metric, { value: row.one, low: NaN, high: NaN, least, most, tip })];
  }));
  const range = extent([...pictured.values()].flatMap((row) => [row.value, row.least, row.most]), { zero: true });
  const about = JUDGED ? "Dot: score. Thin line with ends: bounds, unless they are wider than half of the range of the metric." : undefined;
  return { name: forestHead(range, METRICS[metric].name), label: "the scores", forest: true, text: true, narrow: true, unsorted: true, about, show: (row) => forestRow(range, pictured.get(row)) };
}
