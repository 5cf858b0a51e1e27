// A topic: the rankings of all runs side by side, and which relevant documents each missed.

import { chart } from "./chart.js";
import { DATA, METRICS, RUNS, TOPICS, bestFirst, cell, numbers, score, titleOf } from "./data.js";
import { chooseMetric, chooseRun, chooseTopic, element, figures, link, named, runLink, section, steps } from "./elements.js";
import { later } from "./later.js";
import { state } from "./state.js";
import { table } from "./table.js";
import { counted, fixed, median, visible } from "./text.js";

const ABREAST = 12; // rankings, before all are asked for
const FIRST_RELEVANT = 50; // likewise

export function topicView() {
  const { metric, topic, run } = state();
  const entry = DATA.rankings.topics[topic];
  const title = titleOf(topic);
  const controls = element("div", { class: "controls" }, chooseTopic(), chooseMetric(), chooseRun("Run", "run"), RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null, steps("topic", TOPICS, topic));
  const head = [element("h2", {}, "Topic ", named(TOPICS[topic])), title ? element("p", { class: "lead" }, named(title)) : null, controls];
  const scores = RUNS.map((_, one) => score(metric, one, topic));
  const order = bestFirst(metric, (one) => scores[one]);
  const numbersShown = figures([
    ["Median", fixed(median(scores)), `of ${METRICS[metric].name} over all runs`],
    ["Best", fixed(scores[order[0]]), [named(RUNS[order[0]])]],
    ["This run", fixed(scores[run]), [named(RUNS[run])]],
    ...(entry ? [["Relevant", String(entry.relevant[metric]), `of ${entry.judged} judged, by ${METRICS[metric].name}`]] : []),
  ]);
  const spread = section("All runs on this topic", strip(metric, scores), scoreTable(metric, scores));
  if (!entry) return [...head, numbersShown, element("p", {}, "The rankings of this topic were left out, so that the page stays small."), spread];
  const relevant = ranksOfRelevant(entry);
  return [
    ...head,
    numbersShown,
    section("Rankings side by side", rankings(entry, order), explained(metric, topic)),
    section("Relevant documents", missed(entry, relevant, run), relevantTable(entry, relevant, run)),
    spread,
  ];
}

function strip(metric, scores) {
  const { run, baseline } = state();
  const who = (one) => (one === run ? "this run" : one === baseline ? "baseline" : "other runs");
  const rows = RUNS.map((name, one) => ({ value: scores[one], who: who(one), tip: `${visible(name)}: ${fixed(scores[one])}` }));
  const last = { "other runs": 0, "this run": 1, baseline: 2 };
  rows.sort((one, other) => last[one.who] - last[other.who]);
  return chart("strip", `${METRICS[metric].name} of every run on this topic.`, { rows: rows.filter((one) => Number.isFinite(one.value)) });
}

function scoreTable(metric, scores) {
  const rows = RUNS.map((_, run) => ({ run, marked: run === state().baseline }));
  const columns = [
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => runLink(row.run) },
    { name: METRICS[metric].name, value: (row) => scores[row.run], show: (row) => fixed(scores[row.run]) },
    { name: "Unjudged in the first 10", csv: "unjudged10", value: (row) => cell(DATA.unjudged10, row.run, state().topic) },
  ];
  return element("details", {}, element("summary", {}, "Scores of all runs"), table("runs", `${METRICS[metric].name} of all runs`, columns, rows).made);
}

/** Which runs are shown: the chosen one, the baseline, then the best; or all. */
function runsShown(order) {
  const { run, baseline, all } = state();
  const first = [...new Set([run, baseline, ...order])];
  return all ? first : first.slice(0, ABREAST);
}

function rankings(entry, order) {
  const shown = runsShown(order);
  const depth = DATA.rankings.depth;
  const grid = element("table", { class: "rankings" }, element("caption", {}, `The first ${depth} documents of ${counted(shown.length, "run")}`), ...rankLines(depth));
  const add = (from) => {
    addRankings(grid, entry, shown.slice(from, from + ABREAST));
    const busy = from + ABREAST < shown.length;
    grid.setAttribute("aria-busy", busy);
    if (busy) later(() => add(from + ABREAST));
  };
  add(0);
  const { all } = state();
  const more = shown.length < RUNS.length || all ? link({ all: all ? null : "1" }, all ? `Show ${ABREAST} runs` : `Show all ${RUNS.length} runs`) : null;
  return element("div", {}, key(), element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Rankings side by side" }, grid), element("p", {}, more));
}

/** The head and the lines of the table, with the ranks alone. */
function rankLines(depth) {
  const line = (kind, scope, text) => element("tr", {}, element(kind, { scope }, text));
  const lines = Array.from({ length: depth }, (_, rank) => line("th", "row", String(rank + 1)));
  return [element("thead", {}, line("th", "col", "Rank")), element("tbody", {}, ...lines)];
}

/** A column more for each of these runs. */
function addRankings(grid, entry, runs) {
  const depth = DATA.rankings.depth;
  const tops = numbers(entry.top);
  const [head, ...lines] = grid.rows;
  head.append(...runs.map((run) => element("th", { scope: "col" }, runLink(run))));
  lines.forEach((line, rank) => line.append(...runs.map((run) => documentCell(entry, tops[run * depth + rank] - 1))));
}

/** How to see what each document contributes. */
function explained(metric, topic) {
  const call = `rankwise explain QRELS RUN --topic "${visible(TOPICS[topic])}" -m "${METRICS[metric].name}"`;
  return element("p", { class: "legend" }, "What each document contributes to a score: ", element("code", {}, call));
}

function key() {
  const kinds = [["relevant", "relevant, with its grade"], ["judged", "judged, not relevant"], ["unjudged", "not judged"]];
  return element("p", { class: "key" }, ...kinds.map(([kind, words]) => element("span", {}, element("span", { class: `swatch ${kind}` }, { relevant: "1", judged: "0", unjudged: "?" }[kind]), ` ${words}`)));
}

function kindOf(entry, place) {
  const grade = entry.grades[place];
  // The relevant documents come first; how many there are is for the metric to say.
  return grade === null ? "unjudged" : place < entry.relevant[state().metric] ? "relevant" : "judged";
}

function documentCell(entry, place) {
  if (place < 0) return element("td", { class: "none" }, "");
  const kind = kindOf(entry, place);
  const grade = kind === "unjudged" ? "?" : String(entry.grades[place]);
  const name = entry.documents[place];
  const text = DATA.texts.documents[name];
  // The grade comes by style, and the direction by attribute: there may be thousands of cells.
  return element("td", { class: kind, dir: "auto", "data-grade": grade, title: text ? visible(text) : null }, visible(name));
}

/** For each relevant document its ranks in all runs; 0 where a run does not have it. */
function ranksOfRelevant(entry) {
  const found = numbers(entry.found);
  return Array.from({ length: entry.relevant[state().metric] }, (_, place) => found.subarray(place * RUNS.length, (place + 1) * RUNS.length));
}

function missed(entry, all, run) {
  if (all.length === 0) return element("p", {}, "No document is relevant here.");
  const lost = all.filter((ranks) => ranks[run] === 0);
  const nobody = all.filter((ranks) => ranks.every((rank) => rank === 0)).length;
  const others = lost.length - nobody;
  const words = lost.length === 0 ? ` found all ${all.length}.` : ` missed ${lost.length} of ${all.length}; ${others} of these ${others === 1 ? "was" : "were"} found by other runs.`;
  return element("p", {}, named(RUNS[run]), words, nobody ? ` ${nobody} ${nobody === 1 ? "was" : "were"} found by no run.` : "");
}

/** The runs that have a document highest. */
function highestIn(ranks) {
  const finders = RUNS.map((_, run) => run).filter((run) => ranks[run] > 0);
  return finders.sort((one, other) => ranks[one] - ranks[other]).slice(0, 3);
}

function relevantTable(entry, all, run) {
  const rows = all.map((ranks, place) => {
    const has = ranks.filter((rank) => rank > 0);
    return { place, ranks, count: has.length, rank: ranks[run] || NaN, best: has.length ? Math.min(...has) : NaN, marked: ranks[run] === 0 };
  });
  const name = (row) => entry.documents[row.place];
  const texts = rows.some((row) => DATA.texts.documents[name(row)]);
  const columns = [
    { name: "Document", csv: "document", text: true, heads: true, value: name, show: (row) => named(name(row)) },
    ...(texts ? [{ name: "Text", csv: "text", text: true, value: (row) => DATA.texts.documents[name(row)] ?? "", show: (row) => element("div", { class: "said" }, named(DATA.texts.documents[name(row)] ?? "")) }] : []),
    { name: "Grade", csv: "grade", value: (row) => entry.grades[row.place] },
    { name: "Rank in this run", csv: "rank", value: (row) => row.rank, show: (row) => (row.marked ? "missed" : String(row.rank)) },
    { name: "Found by", csv: "runs", value: (row) => row.count, show: (row) => `${row.count} of ${RUNS.length}` },
    { name: "Best rank", csv: "best_rank", value: (row) => row.best, show: (row) => fixed(row.best, 0) },
    { name: "Highest in", csv: "best_runs", text: true, value: (row) => highestIn(row.ranks).map((one) => RUNS[one]).join(" "), show: (row) => highestIn(row.ranks).flatMap((one, at) => [at ? ", " : "", runLink(one)]) },
  ];
  return table("relevant", `Relevant documents and where ${visible(RUNS[run])} has them`, columns, rows, { first: FIRST_RELEVANT }).made;
}
