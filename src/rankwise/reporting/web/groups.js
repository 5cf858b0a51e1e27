// Groups of topics: differences of two runs by group, and the means of all runs by group.

import { comparedInGroup, comparedPair, familyOf, familyInGroups, familyOfPair, familyWords, isCorrected, markOf, stateBadge, stateWords, withoutBrackets } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, better, cell, level, score, titleOf } from "./data.js";
import { axisLeft, extent, gridBelow, legend, markLink, picture, scale, shape, text } from "./draw.js";
import { chooseMetric, chooseRun, element, info, link, named, runLink, section } from "./elements.js";
import { differenceColumn, differenceRow } from "./forest.js";
import { address, state } from "./state.js";
import { table } from "./table.js";
import { between, counted, fixed, pValue, pWords, short, shownScore, signed, visible } from "./text.js";

const NAMED_GROUPS = 4; // most groups of a kind that the heading names
const SAME = 5e-5; // the difference of scores that look the same

export function groupsView() {
  const { metric, a, b } = state();
  const controls = element("div", { class: "controls" }, chooseRun("Run", "a"), chooseRun("Compared with", "b"), chooseMetric());
  if (a === b) return [element("h2", {}, "Groups of topics"), controls, element("p", { class: "lead" }, "Both are the same run. Choose another run.")];
  const order = inOrder(metric, a, b);
  return [headline(metric, a, b, order), element("p", { class: "lead" }, ...about(metric, b)), significantAnywhere(b), controls, groupTable(metric, a, b, order), section(`Difference in ${METRICS[metric].name} by topic in each group`, topicPanels(metric, a, b, order)), RUNS.length > 2 ? section("Every run on every group", panels(metric, order)) : null];
}

/** The kind of a group: 0 significantly worse, 1 worse, 2 equal or better, 3 significantly better. */
function kindOf(pair) {
  if (pair.significant) return pair.better < 0 ? 0 : 3;
  return pair.better < 0 ? 1 : 2;
}

/** All groups, sorted by kind and then by difference, worst first. */
function inOrder(metric, a, b) {
  const found = DATA.groups.names.map((name, group) => ({ name, group, pair: comparedInGroup(metric, group, a, b) }));
  if (found.some((one) => one.pair === null)) return found;
  const sign = METRICS[metric].less ? -1 : 1;
  return found.sort((one, other) => kindOf(one.pair) - kindOf(other.pair) || sign * (one.pair.difference - other.pair.difference));
}

const KINDS = ["significantly worse on ", "worse, not significantly, on ", "better, not significantly, on ", "significantly better on "];

/** A heading that names the groups of each kind, worst first. */
function headline(metric, a, b, order) {
  if (METRICS[metric].diagnostic || order.some((one) => one.pair === null)) return element("h2", {}, "Groups of topics");
  const of = (kind) => order.filter((one) => kindOf(one.pair) === kind && one.pair.better !== 0);
  const names = (groups) => (groups.length > NAMED_GROUPS ? [counted(groups.length, "group")] : groups.flatMap((one, place) => [place === 0 ? "" : place === groups.length - 1 ? " and " : ", ", quoted(one.name)]));
  const clauses = KINDS.map((words, kind) => [words, ...names(of(kind))]).filter((clause) => clause.length > 1);
  if (of(0).length + of(1).length === 0) clauses.push(["worse on no group"]);
  return element("h2", {}, named(RUNS[a]), " is ", ...clauses.flatMap((clause, place) => [place ? "; " : "", ...clause]));
}

/** Sentences on the default baseline, on the hardest group, and on differences that are not tested. */
function about(metric, b) {
  const entry = METRICS[metric];
  const words = [];
  if (!DATA.baseline_given && b === DATA.baseline) words.push("No baseline was given; it is ", runLink(b), RUNS.length === 2 ? ", the first run. " : `, the best run by ${METRICS[0].name}. `);
  if (entry.diagnostic || entry.sum || DATA.groups.names.length < 2) return words;
  const means = DATA.groups.names.map((_, group) => average(RUNS.map((_run, run) => cell(DATA.groups.means.value, metric, group, run))));
  const hard = means.reduce((most, value, group) => (better(metric, value - means[most]) < 0 ? group : most), 0);
  const runs = `the ${RUNS.length === 2 ? "two" : RUNS.length} runs have ${shownScore(means[hard], entry)} ${entry.name} on average`;
  const alike = means.every((value) => !(Math.abs(value - means[hard]) > SAME));
  words.push(...(alike ? [`No group is harder than another: ${runs} on each.`] : ["The hardest group is ", quoted(DATA.groups.names[hard]), `: ${runs} there.`]), " Each group is tested separately; no test compares the differences on two groups.");
  return words;
}

/** The name of a group in quotation marks, because a name such as "other" would be misread. */
function quoted(name) {
  return ["“", named(name), "”"];
}

/** A sentence on the significant differences from run b on groups, of all runs and metrics. */
function significantAnywhere(b) {
  const all = RUNS.flatMap((_, run) => METRICS.flatMap((entry, metric) => DATA.groups.names.map((name, group) => ({ run, entry, name, pair: run === b || entry.diagnostic ? null : comparedInGroup(metric, group, run, b) })))).filter((one) => one.pair !== null);
  if (all.length <= DATA.groups.names.length) return null; // one run and one metric
  const found = all.filter(({ pair }) => pair.significant && pair.better !== 0).sort((one, other) => one.pair.corrected - other.pair.corrected);
  const each = found.slice(0, NAMED_GROUPS).flatMap(({ run, entry, name, pair }, place) => [
    place ? "; " : "",
    link({ view: "groups", a: RUNS[run], metric: entry.name }, named(RUNS[run]), " on ", quoted(name), ` by ${entry.name}`),
    ` (${signed(pair.difference, entry.sum ? 1 : 4)}, ${pWords(pair.corrected)})`,
  ]);
  const more = found.length > NAMED_GROUPS ? `; and ${counted(found.length - NAMED_GROUPS, "other")}` : "";
  const who = [RUNS.length > 2 ? "run" : "", METRICS.length > 1 ? "metric" : ""].filter(Boolean).join(" or ");
  return element("p", {}, `Significant in any ${who}: `, ...(found.length ? [...each, `${more}.`] : ["none."]));
}

function average(values) {
  const known = values.filter((value) => Number.isFinite(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function groupTable(metric, a, b, order) {
  const entry = METRICS[metric];
  const groups = order.map(({ name, group, pair }) => ({ name, group, size: DATA.groups.topics[group].length, found: pair, mean: (run) => cell(DATA.groups.means.value, metric, group, run) }));
  const all = { name: "all topics", group: -1, size: DATA.all_topics, found: comparedPair(metric, a, b), mean: (run) => cell(DATA.means.value, metric, run), kind: "total" };
  const rows = [...groups, all].filter((row) => row.found !== null);
  if (rows.length === 1) return element("p", {}, "Groups were compared only for pairs with the baseline of the report.");
  const pictures = new Map(rows.map((row) => [row, differenceRow(metric, visible(row.name), row.found, a, b)]));
  const of = (name, csv, value, show) => ({ name, csv, narrow: true, value, show: (row) => show(value(row)) });
  const digits = entry.sum ? 1 : 4;
  const columns = [
    { name: "Group", csv: "group", text: true, heads: true, value: (row) => row.name, show: (row) => link({ view: "pair", group: row.group < 0 ? null : row.name }, named(row.name)) },
    { name: "Topics", csv: "topics", narrow: true, value: (row) => row.size },
    of(short(RUNS[b]), "mean_b", (row) => row.mean(b), (value) => shownScore(value, entry)),
    of(short(RUNS[a]), "mean_a", (row) => row.mean(a), (value) => shownScore(value, entry)),
    { name: "Difference", csv: "difference", value: (row) => row.found.difference, show: (row) => [signed(row.found.difference, digits), element("span", { class: "signs" }, entry.diagnostic ? "" : markOf(row.found, a, b))] },
    differenceColumn(a, b, (row) => pictures.get(row), rows),
    { ...of("p, corrected", "corrected_p", (row) => row.found.corrected, pValue), narrow: false },
    { name: "Wins / losses", csv: "wins", narrow: true, value: (row) => row.found.wins, show: (row) => `${row.found.wins} / ${row.found.losses}` },
    ...(JUDGED ? [{ name: "Unjudged documents", csv: "verdict", text: true, narrow: true, value: (row) => stateWords(row.found, a, b), show: (row) => element("span", { class: "line" }, stateBadge(row.found), reachWords(row.found, digits)) }] : []),
  ];
  const alone = RUNS.length > 2 ? `over ${familyOf(familyOfPair(a, b), -1)} only` : "one test, not corrected";
  const family = isCorrected() ? `p is corrected over ${familyOf(familyInGroups(a, b), 0)} together (row of all topics: ${alone}). Intervals are not corrected for the number of groups. ` : "Neither p nor intervals are corrected for the number of groups. ";
  const words = [
    element("p", {}, `${familyWords(familyOf(familyInGroups(a, b), -1))}. All groups and runs are one family, as in compare --topic-groups. The row of all topics is not in this family.`),
    element("p", {}, `Intervals of groups: ${withoutBrackets(DATA.groups.pairs.interval) || "Student's t"}, separately in each group. An interval may therefore exclude 0 although the corrected p is above ${DATA.pairs.alpha}. Significance follows p.`),
  ];
  const key = element("p", { class: "key" }, element("span", {}, family, info("the correction", ...words)));
  return element("div", {}, key, table("groups", `${entry.name} by group of topics, worst first`, columns, rows, { full: true }).made);
}

/** A clause on the bound that a reversible difference can reach; otherwise empty. */
function reachWords(found, digits) {
  if (found.state !== "reversible" || found.better === 0 || !Number.isFinite(found.low)) return "";
  const [verb, end] = found.difference < 0 ? ["rise", found.high] : ["fall", found.low];
  return element("small", { class: "role" }, ` could ${verb} to ${signed(end, Math.abs(end) < 0.01 ? digits : Math.min(2, digits))} (bound)`);
}

/** One panel per group with a bar per topic, largest difference first; all panels have the same axis. */
function topicPanels(metric, a, b, order) {
  const height = 200;
  const groups = order.map(({ group }) => {
    const rows = DATA.groups.topics[group].filter((topic) => topic in TOPICS).map((topic) => ({ topic, one: score(metric, a, topic), other: score(metric, b, topic) }));
    return rows.filter((row) => Number.isFinite(row.one - row.other)).sort((one, other) => other.one - other.other - (one.one - one.other));
  });
  const range = extent(groups.flat().map((row) => row.one - row.other), { zero: true });
  const made = groups.map((rows, at) => {
    const { name } = order[at];
    const paint = (width) => {
      const [left, bottom] = [54, height - 10];
      const toY = scale(...range, bottom, 8);
      const wide = (width - left) / Math.max(1, rows.length);
      const bars = rows.map((row, place) => {
        const [x, y, zero] = [left + place * wide, toY(row.one - row.other), toY(0)];
        const title = titleOf(row.topic);
        const tip = `${visible(TOPICS[row.topic])}${title ? ` ${visible(title)}` : ""}: ${fixed(row.other)} → ${fixed(row.one)}, ${signed(row.one - row.other)}`;
        const kind = { 1: "own", "-1": "base", 0: "ties" }[better(metric, row.one - row.other)];
        return markLink(address({ view: "topic", topic: TOPICS[row.topic], run: RUNS[a], against: RUNS[b] }), tip, shape("rect", { class: "hit", x, y: 8, width: wide, height: bottom - 8 }), shape("rect", { class: kind, x: x + wide * 0.1, width: Math.max(1, wide * 0.8), y: Math.min(y, zero), height: Math.max(1, Math.abs(y - zero)) }));
      });
      return [...axisLeft(toY, range, width, { left, title: "" }), ...bars];
    };
    const head = element("p", {}, link({ view: "pair", group: name }, named(name)), element("small", {}, ` ${counted(rows.length, "topic")}`));
    return element("div", {}, head, picture(`Difference of ${METRICS[metric].name} on the topics of ${visible(name)}`, height, paint, { kind: "small" }));
  });
  const keys = legend([["own", `${visible(RUNS[a])} better`], ["base", `${visible(RUNS[b])} better`]]);
  return element("div", {}, keys, element("div", { class: "multiples" }, ...made));
}

/** One panel per group with the means and intervals of all runs, in their order over all topics. */
function panels(metric, groups) {
  const order = bestFirst(metric);
  const { a, b } = state();
  const high = Math.max(4, Math.min(20, Math.floor(420 / order.length)));
  const of = (name, group, run) => cell(DATA.groups.means[name], metric, group, run);
  const range = extent(DATA.groups.names.flatMap((_, group) => order.flatMap((run) => ["value", "conf_low", "conf_high"].map((name) => of(name, group, run)))), { within: METRICS[metric].range.map((end, place) => end ?? [-Infinity, Infinity][place]) });
  const named_ = order.length <= 30;
  const made = groups.map(({ name, group }) => {
    const paint = (width) => {
      const left = named_ ? 110 : 8;
      const toX = scale(...range, left, width - 8);
      const grid = gridBelow(toX, range, high * order.length + 4, 4);
      const rows = order.map((run, row) => {
        const y = (row + 0.5) * high + 2;
        const kind = run === a ? "own" : run === b ? "base" : "other";
        const tip = `${visible(RUNS[run])} on ${visible(name)}: ${shownScore(of("value", group, run), METRICS[metric])} (${between(of("conf_low", group, run), of("conf_high", group, run))})`;
        // Intervals of many runs would merge into a grey area.
        const drawn = Number.isFinite(of("conf_low", group, run)) && (high >= 8 || kind !== "other") ? shape("line", { class: `interval ${kind}${high < 8 ? " thin" : ""}`, x1: toX(of("conf_low", group, run)), x2: toX(of("conf_high", group, run)), y1: y, y2: y }) : null;
        const label = named_ ? text(left - 6, y + 4, visible(RUNS[run]).slice(0, 15), { "text-anchor": "end", "font-size": 11 }) : null;
        return shape("g", { tip }, label, drawn, shape("circle", { class: `dot ${kind}`, cx: toX(of("value", group, run)), cy: y, r: Math.max(2, Math.min(4, high / 2.5)) }));
      });
      return [...grid, ...rows];
    };
    const head = element("p", {}, link({ view: "pair", group: name }, named(name)), element("small", {}, ` ${counted(DATA.groups.topics[group].length, "topic")}`));
    return element("div", {}, head, picture(`${METRICS[metric].name} of all runs on ${visible(name)}, with ${level()} intervals`, high * order.length + 30, paint, { kind: "small" }));
  });
  return element("div", {}, element("p", { class: "legend" }, "Runs are sorted by their mean over all topics; ", runLink(a), " in blue, ", runLink(b), " in orange."), element("div", { class: named_ ? "multiples" : "multiples tight" }, ...made));
}
