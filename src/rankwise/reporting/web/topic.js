// A topic as a workbench: old → new as a slope graph, the rankings of all runs side by side, the
// document under the pointer lit up everywhere, and what it says.

import { plannedWords } from "./collection.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, better, cell, numbers, option, score, textCounts, titleOf } from "./data.js";
import { extent, legend, markLink, picture, scale, shape, text, tickText, ticks } from "./draw.js";
import { chooseMetric, chooseRun, chooseTopic, element, link, named, runLink, section, steps } from "./elements.js";
import { forestHead, forestRow } from "./forest.js";
import { later } from "./later.js";
import { address, go, remember, state } from "./state.js";
import { table } from "./table.js";
import { counted, fixed, median, short, signed, visible } from "./text.js";

const ABREAST = 12; // rankings, before all are asked for
const FIRST_RELEVANT = 20; // likewise
const ROW = 28; // pixels of a document in the slope graph
const MANY = 30; // runs, in a strip of dots

let chosen = null; // the document that the panel shows
let panel = null;

export function topicView() {
  const { metric, topic, run, baseline } = state();
  const entry = DATA.rankings.topics[topic];
  const title = titleOf(topic);
  const controls = element("div", { class: "controls" }, steps("topic", TOPICS, topic), chooseTopic(), chooseMetric(), RUNS.length > 1 ? chooseRun("Run", "run") : null, RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null);
  const head = element("h2", {}, "Topic ", named(TOPICS[topic]), title ? [" ", element("span", { class: "lead" }, named(title))] : "");
  const scores = RUNS.map((_, one) => score(metric, one, topic));
  const order = bestFirst(metric, (one) => scores[one]);
  const spread = RUNS.length > 2 ? section("All runs on this topic", strip(metric, scores), element("details", {}, element("summary", {}, "Scores of all runs"), scoreTable(metric, scores))) : null;
  if (!JUDGED) return [head, answer(metric, topic, scores, null), controls, section("All runs on this topic", RUNS.length > MANY ? strip(metric, scores) : null, scoreTable(metric, scores))];
  if (!entry) return [head, answer(metric, topic, scores, null), controls, element("p", {}, "The rankings of this topic are not on this page, so that it stays small."), spread];
  const relevant = ranksOfRelevant(entry);
  panel = element("aside", { class: "document", "aria-live": "polite", "aria-label": "Document" });
  chosen = state().document === null ? null : entry.documents.indexOf(state().document);
  if (chosen !== null && chosen < 0) chosen = null;
  const slope = run === baseline ? null : section("From the baseline to this run", slopeGraph(entry, baseline, run));
  const abreast = RUNS.length > 2 || slope === null ? section(RUNS.length > 1 ? "Rankings side by side" : "Ranking", rankings(entry, order)) : null;
  // Without texts the panel says little: then the rankings take the whole width below it.
  const wide = abreast !== null && slope !== null && Object.keys(DATA.texts.documents).length === 0;
  const work = element("div", { class: "bench" }, element("div", {}, slope, wide ? null : abreast), panel, wide ? element("div", { class: "whole" }, abreast) : null);
  watch(work, entry);
  later(() => show(entry, chosen));
  return [head, answer(metric, topic, scores, entry), controls, key(entry), work, element("div", { class: Object.keys(DATA.texts.documents).length ? "" : "abreast uneven" }, section("Relevant documents", missed(relevant, run), relevantTable(entry, relevant, run)), spread), explained(metric, topic)];
}

/** How the run does here, beside the baseline and all others. */
function answer(metric, topic, scores, entry) {
  const { run, baseline } = state();
  const parts = [runLink(run), ` ${fixed(scores[run])} ${METRICS[metric].name}`];
  if (run !== baseline) {
    const difference = scores[run] - scores[baseline];
    const words = { 1: "better", "-1": "worse", 0: "different" }[better(metric, difference)];
    parts.push(Number.isFinite(difference) ? ` (${signed(difference)}, ${better(metric, difference) === 0 ? "no " : ""}${words}) against ` : " against ", runLink(baseline), ` ${fixed(scores[baseline])}`);
  }
  if (RUNS.length > 2) parts.push(`; median of all runs ${fixed(median(scores))}`);
  parts.push(". ");
  for (const one of new Set([run, baseline])) if (DATA.empty[one].includes(topic)) parts.push(element("span", { class: "badge open" }, named(RUNS[one]), " returned no results"), " ");
  if (entry) parts.push(relevantWords(metric, entry));
  return element("p", { class: "lead" }, ...parts);
}

/** How many judged documents are relevant; a graded metric has no threshold of its own. */
function relevantWords(metric, entry) {
  const count = `${entry.relevant[metric]} of ${counted(entry.judged, "judged document")} ${entry.relevant[metric] === 1 ? "is" : "are"} relevant`;
  if (!METRICS[metric].graded) return `${count} by ${METRICS[metric].name}.`;
  return DATA.threshold === 1 ? `${count}.` : `${count} (label ${DATA.threshold} or more); by ${METRICS[metric].name}, lower labels above 0 gain too.`;
}

/** Whether a document below the threshold has a label that a graded metric counts. */
function gainsBelow(entry, place) {
  return kindOf(entry, place) === "judged" && METRICS[state().metric].graded && entry.grades[place] > 0;
}

/** Left and right: another topic. Up and down: another document of the run. */
export function topicKeys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, canvas, [role=region]")) return;
  const { topic, run } = state();
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const to = topic + (event.key === "ArrowLeft" ? -1 : 1);
    if (to in TOPICS) go({ topic: TOPICS[to], document: null });
    event.preventDefault();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const entry = DATA.rankings.topics[topic];
    const ranked = entry ? rankingOf(entry, run) : [];
    if (ranked.length === 0) return;
    const now = ranked.indexOf(chosen);
    const to = now < 0 ? 0 : Math.max(0, Math.min(ranked.length - 1, now + (event.key === "ArrowUp" ? -1 : 1)));
    choose(entry, ranked[to]);
    event.preventDefault();
  }
}

function choose(entry, place) {
  chosen = place;
  remember({ document: entry.documents[place] });
  show(entry, place);
}

/** Documents of a ranking, as places in the entry's list. */
function rankingOf(entry, run) {
  const depth = DATA.rankings.depth;
  const tops = numbers(entry.top);
  return Array.from({ length: depth }, (_, rank) => tops[run * depth + rank] - 1).filter((place) => place >= 0);
}

/** The pointer and the focus light up a document in all rankings. */
function watch(work, entry) {
  const at = (event) => event.target.closest?.("[data-document]");
  work.addEventListener("pointerover", (event) => {
    const cellOf = at(event);
    if (cellOf) show(entry, Number(cellOf.dataset.document));
  });
  work.addEventListener("pointerleave", () => show(entry, chosen));
  work.addEventListener("focusin", (event) => {
    const cellOf = at(event);
    if (cellOf) show(entry, Number(cellOf.dataset.document));
  });
  work.addEventListener("click", (event) => {
    const cellOf = at(event);
    if (cellOf) choose(entry, Number(cellOf.dataset.document));
  });
}

let lit = [];

/** Light up a document everywhere, and say what it is. */
function show(entry, place) {
  lit.forEach((one) => one.classList.remove("lit"));
  lit = place === null ? [] : [...document.querySelectorAll(`[data-document="${place}"]`)];
  lit.forEach((one) => one.classList.add("lit"));
  panel.classList.toggle("idle", place === null);
  panel.replaceChildren(...(place === null ? [element("p", { class: "legend" }, `Point at a document, or use ↑ ↓, to see it in all rankings${textCounts().documents ? ", with its text" : ""}. ← → go to other topics.`)] : about(entry, place)));
}

function about(entry, place) {
  const { metric, run, baseline } = state();
  const kind = kindOf(entry, place);
  const words = { unjudged: "not judged", relevant: `label ${entry.grades[place]}, relevant`, judged: `label ${entry.grades[place]}, ${gainsBelow(entry, place) ? `below the threshold ${DATA.threshold}, gains by ${METRICS[metric].name}` : "not relevant"}` }[kind];
  const said = DATA.texts.documents[entry.documents[place]];
  const planned = plannedWords(state().topic, entry.documents[place]);
  const rank = (one) => {
    const top = rankingOf(entry, one).indexOf(place) + 1;
    if (top > 0) return String(top);
    if (isWhole(entry, one)) return "not retrieved";
    if (kind !== "relevant") return `below ${DATA.rankings.depth}, or not retrieved`;
    return String(numbers(entry.found)[place * RUNS.length + one] || "not retrieved");
  };
  const ranks = [...new Set([baseline, run])].map((one) => element("li", {}, named(RUNS[one]), `: ${/^\d/.test(rank(one)) ? "rank " : ""}${rank(one)}`));
  const holding = RUNS.filter((_, one) => rankingOf(entry, one).includes(place)).length;
  return [
    element("h3", {}, named(entry.documents[place])),
    element("p", {}, swatch(entry, place), ` ${words}`),
    element("ul", {}, ...ranks, RUNS.length > 2 ? element("li", {}, `in the top ${DATA.rankings.depth} of ${counted(holding, "run")}`) : null, planned ? element("li", {}, planned) : null),
    said ? element("p", { class: "said" }, named(said)) : element("p", { class: "legend" }, ...(Object.keys(DATA.texts.documents).length ? ["Its text is not in the file of documents."] : ["Texts of documents appear here with ", element("span", { class: "option" }, option("documents")), "."])),
  ];
}

function swatch(entry, place) {
  const made = element("span", { class: `swatch ${classOf(entry, place)}` }, entry.grades[place] === null ? "?" : String(entry.grades[place]));
  made.style.setProperty("--shade", shadeOf(entry, place));
  return made;
}

const highest = new WeakMap();
const ONE_GRADE = 0.5;

/** How strong the colour of a relevant document is: by its label. */
function shadeOf(entry, place) {
  if (!highest.has(entry)) highest.set(entry, entry.grades.reduce((most, grade) => Math.max(most, grade ?? 0), 1e-9));
  const most = highest.get(entry);
  if (most === entry.grades[entry.relevant[state().metric] - 1]) return kindOf(entry, place) === "relevant" ? ONE_GRADE : 0; // one grade needs no strong colour
  return kindOf(entry, place) === "relevant" || gainsBelow(entry, place) ? Math.max(0, (entry.grades[place] ?? 0) / most).toFixed(2) : 0;
}

/** Two rankings, and a line for each document that both have. */
function slopeGraph(entry, from, to) {
  const [left, right] = [rankingOf(entry, from), rankingOf(entry, to)];
  const rows = Math.max(left.length, right.length);
  const y = (rank) => (rank + 0.5) * ROW;
  const lines = left.map((place, rank) => {
    const other = right.indexOf(place);
    if (other < 0) return shape("line", { class: "slope lost", x1: 0, x2: "9%", y1: y(rank), y2: y(rank), "data-document": place });
    return shape("line", { class: `slope ${kindOf(entry, place)}`, x1: 0, x2: "100%", y1: y(rank), y2: y(other), "data-document": place });
  });
  const fresh = right.map((place, rank) => (left.includes(place) ? null : shape("line", { class: "slope fresh", x1: "91%", x2: "100%", y1: y(rank), y2: y(rank), "data-document": place })));
  const middle = shape("svg", { class: "slopes", height: rows * ROW, "aria-hidden": "true" }, ...lines, ...fresh);
  const list = (run, places, others, side) =>
    element(
      "ol",
      { class: `ranked ${side}` },
      ...places.map((place, rank) => {
        const shift = moved(entry, place, rank, others, side === "old" ? to : from, side);
        const row = element("li", { class: classOf(entry, place), "data-document": place, tabindex: rank === 0 ? "0" : "-1" }, element("span", { class: "rank" }, String(rank + 1)), swatch(entry, place), element("span", { class: "name", dir: "auto" }, visible(entry.documents[place])), element("span", { class: "shift" }, shift));
        row.style.setProperty("--shade", shadeOf(entry, place));
        return row;
      }),
      places.length ? null : element("li", { class: "none" }, "no results"),
    );
  const heads = [from, to].map((run, place) => element("p", { class: "scores" }, element("span", { class: `look dot ${place ? "own" : "base"}`, "aria-hidden": "true" }), " ", runLink(run), ` ${fixed(score(state().metric, run, state().topic))}`));
  return element("div", { class: "slope-graph" }, heads[0], element("span", {}), heads[1], list(from, left, right, "old"), middle, list(to, right, left, "new"));
}

/** Whether the page has the ranks of a document in every run, however low: those relevant by any metric. */
function isKnownRelevant(entry, place) {
  return place < entry.found.shape[0];
}

/** Whether the page has all documents that a run retrieved. */
function isWhole(entry, run) {
  return rankingOf(entry, run).length < DATA.rankings.depth;
}

/** Where the document went to, or came from: `side` is old or new. */
function moved(entry, place, rank, others, other, side) {
  const at = others.indexOf(place);
  if (at >= 0 && side === "old") return `→ ${at + 1}`;
  if (at >= 0) return at === rank ? "=" : `${at > rank ? "↑" : "↓"}${Math.abs(at - rank)}`;
  const deep = isKnownRelevant(entry, place) ? numbers(entry.found)[place * RUNS.length + other] : 0;
  const there = deep ? String(deep) : isKnownRelevant(entry, place) || isWhole(entry, other) ? "not retrieved" : `> ${DATA.rankings.depth}`;
  return side === "old" ? `→ ${there}` : `from ${there}`;
}

function strip(metric, scores) {
  const { run, baseline } = state();
  const known = RUNS.map((_, one) => one).filter((one) => Number.isFinite(scores[one]));
  const range = extent(known.map((one) => scores[one]), { zero: true });
  const kind = (one) => (one === run ? "own" : one === baseline ? "base" : "other");
  const last = { other: 0, base: 1, own: 2 };
  const order = [...known].sort((one, other) => last[kind(one)] - last[kind(other)]);
  const tall = RUNS.length > MANY ? 92 : 54;
  const axis = tall - 24;
  const paint = (width) => {
    const toX = scale(...range, 10, width - 10);
    const at = ticks(...range, 8).filter((value) => value >= range[0] && value <= range[1]);
    const below = new Map();
    const dots = order.map((one) => {
      const x = Math.round(toX(scores[one]));
      const cellAt = Math.round(x / 6);
      const stack = below.get(cellAt) ?? 0;
      below.set(cellAt, stack + 1);
      const tip = `${visible(RUNS[one])}: ${fixed(scores[one])}`;
      return markLink(address({ run: RUNS[one] }), tip, shape("circle", { class: `dot ${kind(one)}`, cx: x, cy: Math.max(6, axis - 6 - stack * 6), r: kind(one) === "other" ? 3 : 5 }));
    });
    const grid = at.map((value) => [shape("line", { class: "tick", x1: toX(value), x2: toX(value), y1: axis, y2: axis + 5 }), text(toX(value), axis + 18, tickText(value, at), { "text-anchor": "middle" })]);
    return [shape("line", { class: "zero", x1: 0, x2: width, y1: axis, y2: axis }), ...grid.flat(), ...dots];
  };
  const keys = legend([["dot own", "this run"], ...(run === baseline ? [] : [["dot round base", "baseline"]]), ["dot other", "other runs"]]);
  return element("div", {}, keys, picture(`${METRICS[metric].name} of every run on this topic.`, tall, paint));
}

function scoreTable(metric, scores) {
  const { run: chosenRun, baseline } = state();
  const rows = bestFirst(metric, (run) => scores[run]).map((run) => ({ run }));
  const range = extent(scores, { zero: true });
  const look = (run) => (run === baseline ? "base" : run === chosenRun || RUNS.length === 2 ? "" : "grey");
  const pictured = (run) => forestRow(range, { value: scores[run], kind: look(run), tip: `${visible(RUNS[run])}: ${fixed(scores[run])}` }, scores[baseline]);
  const columns = [
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => runLink(row.run) },
    { name: METRICS[metric].name, value: (row) => scores[row.run], show: (row) => fixed(scores[row.run]) },
    ...(JUDGED ? [] : [{ name: "From the baseline", csv: "difference", narrow: true, value: (row) => scores[row.run] - scores[baseline], show: (row) => (row.run === baseline ? "baseline" : signed(scores[row.run] - scores[baseline])) }, { name: forestHead(range, METRICS[metric].name), forest: true, text: true, unsorted: true, show: (row) => pictured(row.run) }]),
    ...(JUDGED ? [{ name: "Unjudged in the first 10", csv: "unjudged10", value: (row) => cell(DATA.unjudged10, row.run, state().topic) }] : []),
  ];
  return table("runs", `${METRICS[metric].name} of all runs`, columns, rows, { full: !JUDGED }).made;
}

/** Which runs are shown: the chosen one, the baseline, then the best; or all. */
function runsShown(order) {
  const { run, baseline, all } = state();
  const first = [...new Set([run, baseline, ...order])];
  return all ? first : first.slice(0, ABREAST);
}

function rankings(entry, order) {
  const shown = runsShown(order);
  const depth = Math.max(1, ...shown.map((run) => rankingOf(entry, run).length));
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
  return element("div", {}, element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Rankings side by side" }, grid), element("p", {}, more));
}

/** The head and the lines of the table, with the ranks alone. */
function rankLines(depth) {
  const line = (kind, scope, words) => element("tr", {}, element(kind, { scope }, words));
  const lines = Array.from({ length: depth }, (_, rank) => line("th", "row", String(rank + 1)));
  return [element("thead", {}, line("th", "col", "Rank")), element("tbody", {}, ...lines)];
}

/** A column more for each of these runs. */
function addRankings(grid, entry, runs) {
  const depth = DATA.rankings.depth;
  const tops = numbers(entry.top);
  const [head, ...lines] = grid.rows;
  head.append(...runs.map((run) => element("th", { scope: "col" }, runLink(run))));
  lines.forEach((line, rank) => line.append(...runs.map((run) => (rank === 0 && tops[run * depth] === 0 ? element("td", { class: "none" }, "no results") : documentCell(entry, tops[run * depth + rank] - 1)))));
}

/** How to see what each document contributes. */
function explained(metric, topic) {
  const call = `rankwise explain QRELS RUN --topic "${visible(TOPICS[topic])}" -m "${METRICS[metric].name}"`;
  return element("p", { class: "legend" }, "What each document contributes to a score: ", element("code", {}, call));
}

function key(entry) {
  const grades = [...new Set(entry.grades.slice(0, entry.relevant[state().metric]))].sort((one, other) => one - other);
  const shown = grades.length > 5 ? [grades[0], grades[grades.length >> 1], grades[grades.length - 1]] : grades;
  const relevant = shown.map((grade) => {
    const made = element("span", { class: "swatch relevant" }, String(grade));
    made.style.setProperty("--shade", shadeOf(entry, entry.grades.indexOf(grade)));
    return made;
  });
  const lower = entry.grades.findIndex((_, place) => gainsBelow(entry, place));
  const below = lower < 0 ? null : swatch(entry, lower);
  return element(
    "p",
    { class: "key" },
    relevant.length ? element("span", {}, ...relevant, METRICS[state().metric].graded ? " relevant, with its label" : ` relevant by ${METRICS[state().metric].name}, with its label`) : null,
    below ? element("span", {}, below, ` label below the threshold ${DATA.threshold}: gains by ${METRICS[state().metric].name}, not counted as relevant`) : null,
    element("span", {}, element("span", { class: "swatch judged" }, "0"), " judged, not relevant"),
    element("span", {}, element("span", { class: "swatch unjudged" }, "?"), " not judged"),
    RUNS.length > 1 ? element("span", { class: "narrow" }, `→ 12: rank in the other run · ↑3, ↓3, =: three ranks up, down, same rank · from 31: rank before · > ${DATA.rankings.depth}: not in the first ${DATA.rankings.depth}`) : null,
    RUNS.length > 1 ? element("span", { class: "only-narrow" }, "touch a document for its ranks") : null,
  );
}

function kindOf(entry, place) {
  const grade = entry.grades[place];
  // The relevant documents come first; how many there are is for the metric to say.
  return grade === null ? "unjudged" : place < entry.relevant[state().metric] ? "relevant" : "judged";
}

/** Its kind, and whether it gains though it is below the threshold: then it has a pale colour. */
function classOf(entry, place) {
  return `${kindOf(entry, place)}${gainsBelow(entry, place) ? " gains" : ""}`;
}

function documentCell(entry, place) {
  if (place < 0) return element("td", { class: "none" }, "");
  const grade = entry.grades[place] === null ? "?" : String(entry.grades[place]);
  // The grade comes by style, and the direction by attribute: there may be thousands of cells.
  const made = element("td", { class: classOf(entry, place), dir: "auto", "data-grade": grade, "data-document": place }, visible(entry.documents[place]));
  made.style.setProperty("--shade", shadeOf(entry, place));
  return made;
}

/** For each relevant document its ranks in all runs; 0 where a run does not have it. */
function ranksOfRelevant(entry) {
  const found = numbers(entry.found);
  return Array.from({ length: entry.relevant[state().metric] }, (_, place) => found.subarray(place * RUNS.length, (place + 1) * RUNS.length));
}

function missed(all, run) {
  if (all.length === 0) return element("p", {}, "No document is relevant here.");
  const lost = all.filter((ranks) => ranks[run] === 0);
  const nobody = all.filter((ranks) => ranks.every((rank) => rank === 0)).length;
  const others = lost.length - nobody;
  const found = RUNS.length === 1 ? [] : RUNS.length === 2 ? [others, "the other run", "neither"] : [others, "other runs", "no run"];
  const was = (count, by) => `${count} ${count === 1 ? "was" : "were"} found by ${by}`;
  const parts = lost.length === 0 || found.length === 0 ? [] : others === lost.length || nobody === lost.length ? [`found by ${others ? found[1] : found[2]}`] : [was(others, found[1]), was(nobody, found[2])];
  const words = all.length === 1 ? `${lost.length ? " missed" : " found"} the only one` : lost.length === 0 ? ` found all ${all.length}` : ` missed ${lost.length} of ${all.length}`;
  return element("p", {}, named(RUNS[run]), words, parts.length ? `, ${parts.join(", ")}` : "", ".");
}

/** The runs that have a document highest. */
function highestIn(ranks) {
  const finders = RUNS.map((_, run) => run).filter((run) => ranks[run] > 0);
  return finders.sort((one, other) => ranks[one] - ranks[other]);
}

/** The run that has it highest, and how many others have it there. */
function highestCell(row) {
  const [first, ...others] = highestIn(row.ranks);
  if (first === undefined) return "";
  const same = others.filter((run) => row.ranks[run] === row.ranks[first]).length;
  return element("span", { class: "line" }, runLink(first), same ? ` and ${counted(same, "other")}` : "");
}

function rankCell(rank) {
  return rank ? String(rank) : element("span", { class: "missed" }, "missed");
}

function relevantTable(entry, all, run) {
  const rows = all.map((ranks, place) => {
    const has = ranks.filter((rank) => rank > 0);
    return { place, ranks, label: entry.grades[place], count: has.length, rank: ranks[run] || NaN, best: has.length ? Math.min(...has) : NaN, missed: ranks[run] === 0, kind: ranks[run] === 0 ? "marked" : "" };
  });
  // The highest labels first; of one label what is missed here and ranked high elsewhere.
  rows.sort((one, other) => other.label - one.label || Number(other.missed) - Number(one.missed) || (one.best || Infinity) - (other.best || Infinity) || one.place - other.place);
  const name = (row) => entry.documents[row.place];
  const texts = rows.some((row) => DATA.texts.documents[name(row)]);
  const { baseline } = state();
  const few = RUNS.length <= 2;
  const columns = [
    { name: "Document", csv: "document", text: true, heads: true, value: name, show: (row) => named(name(row)) },
    ...(texts ? [{ name: "Text", csv: "text", text: true, narrow: true, value: (row) => DATA.texts.documents[name(row)] ?? "", show: (row) => element("div", { class: "said" }, named(DATA.texts.documents[name(row)] ?? "")) }] : []),
    { name: "Label", csv: "grade", value: (row) => entry.grades[row.place] },
    ...[...new Set([baseline, run])].map((one) => ({ name: `Rank in ${short(RUNS[one])}`, csv: one === run ? "rank" : "baseline_rank", value: (row) => row.ranks[one] || NaN, show: (row) => rankCell(row.ranks[one]) })),
    { name: "Found by", csv: "runs", narrow: true, written: few, value: (row) => row.count, show: (row) => `${row.count} of ${RUNS.length}` },
    { name: "Best rank", csv: "best_rank", narrow: true, written: few, value: (row) => row.best, show: (row) => fixed(row.best, 0) },
    { name: "Highest in", csv: "best_runs", text: true, narrow: true, written: few, value: (row) => highestIn(row.ranks).slice(0, 3).map((one) => RUNS[one]).join(" "), show: highestCell },
  ];
  return table("relevant", `Relevant documents and where ${visible(RUNS[run])} has them`, columns, rows, { first: FIRST_RELEVANT }).made;
}
