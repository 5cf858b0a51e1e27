// A topic: a slope graph of two rankings, the rankings of all runs side by side, the relevant
// documents, and a panel on one document, which is highlighted in all rankings.

import { plannedRank, plannedWords } from "./collection.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, better, cell, numbers, score, textCounts, titleOf } from "./data.js";
import { extent, legend, markLink, picture, scale, shape, text, tickText, ticks } from "./draw.js";
import { chooseMetric, chooseRun, chooseTopic, element, info, link, named, runLink, section, steps } from "./elements.js";
import { forestHead, forestRow } from "./forest.js";
import { later } from "./later.js";
import { address, go, remember, state } from "./state.js";
import { table } from "./table.js";
import { counted, fixed, median, short, signed, visible } from "./text.js";

const ABREAST = 12; // rankings shown first
const FIRST_RELEVANT = { plain: 8, texts: 20 }; // relevant documents shown first; 8 beside the rankings
const ROW = 28; // pixels of a document in the slope graph
const MANY = 30; // with more runs, the strip of dots is higher

let chosen = null; // the chosen document, which the panel shows
let foremost = null; // the document that the panel shows if none is chosen
let panel = null;

export function topicView() {
  const { metric, topic, run, against: baseline } = state();
  const entry = DATA.rankings.topics[topic];
  const title = titleOf(topic);
  const controls = element("div", { class: "controls" }, steps("topic", TOPICS, topic), chooseTopic(), chooseMetric(), RUNS.length > 1 ? chooseRun("Run", "run") : null, RUNS.length > 1 ? chooseRun("Compared with", "against") : null);
  const head = element("h2", {}, "Topic ", named(TOPICS[topic]), title ? [" ", element("span", { class: "lead" }, named(title))] : "");
  const scores = RUNS.map((_, one) => score(metric, one, topic));
  const order = bestFirst(metric, (one) => scores[one]);
  const spread = RUNS.length > 2 ? section("All runs on this topic", strip(metric, scores), element("details", {}, element("summary", {}, "Scores of all runs"), scoreTable(metric, scores))) : null;
  if (!JUDGED) return [head, answer(metric, topic, scores, null), controls, section("All runs on this topic", RUNS.length > MANY ? strip(metric, scores) : null, scoreTable(metric, scores))];
  if (!entry) return [head, answer(metric, topic, scores, null), controls, element("p", {}, "The rankings of this topic are not on this page, to keep the page small."), spread];
  const relevant = ranksOfRelevant(entry);
  panel = element("aside", { class: "document", "aria-live": "polite", "aria-label": "Document" });
  const asked = state().document;
  chosen = asked === null ? null : entry.documents.indexOf(asked);
  const unknown = chosen === -1 ? element("p", { class: "notice" }, `Document “${visible(asked)}” is not on this page: it is neither relevant nor in the top ${DATA.rankings.depth} of a run on this topic.`) : null;
  if (chosen === -1) chosen = null;
  const slope = run === baseline ? null : section(`From ${baselineWords(baseline)} to this run`, slopeGraph(entry, baseline, run));
  const abreast = RUNS.length > 2 || slope === null ? section(RUNS.length > 1 ? "Rankings side by side" : "Ranking", rankings(entry, order)) : null;
  const texts = Object.keys(DATA.texts.documents).length > 0;
  foremost = relevantRows(entry, relevant, run)[0]?.place ?? null;
  const relevantPart = section("Relevant documents", missed(entry, relevant, run), relevantTable(entry, relevant, run));
  // Texts need more room, so the table of relevant documents is then below the rankings.
  const bench = element("div", { class: `bench${texts ? "" : " plain"}${RUNS.length === 1 ? " single" : ""}` }, element("div", { class: "first" }, slope, slope === null || texts ? abreast : null), panel, texts ? null : relevantPart, slope === null || texts ? null : element("div", { class: "whole" }, abreast));
  const work = element("div", {}, bench, element("div", {}, texts ? relevantPart : null, spread));
  watch(work, entry);
  later(() => {
    show(entry, chosen);
    if (chosen !== null) scrollToLit();
  });
  return [unknown, head, answer(metric, topic, scores, entry), controls, key(entry), work, explained(metric, topic)];
}

/** Scroll to the first highlighted row or cell, or to the panel if there is none. */
function scrollToLit() {
  const first = document.querySelector("li.lit, td.lit, tr.lit") ?? panel;
  const { top, bottom } = first.getBoundingClientRect();
  const seen = top >= 0 && (first === panel ? top < window.innerHeight / 2 : bottom <= window.innerHeight);
  if (seen && first === panel) return;
  first.scrollIntoView({ block: seen ? "nearest" : "center", inline: "nearest" }); // a visible row stays in place, and so does the header of the page
}

/** The role of the other run: the baseline, or a run that was chosen in the view Pair. */
function baselineWords(run) {
  return run === state().baseline ? "the baseline" : "the other run";
}

/** The score of the run on the topic, compared with the baseline and with the median of all runs. */
function answer(metric, topic, scores, entry) {
  const { run, against: baseline } = state();
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

/** A sentence on the number of relevant documents; for a graded metric, by the threshold of the report. */
function relevantWords(metric, entry) {
  const count = `${entry.relevant[metric]} of ${counted(entry.judged, "judged document")} ${entry.relevant[metric] === 1 ? "is" : "are"} relevant`;
  if (!METRICS[metric].graded) return `${count} by ${METRICS[metric].name}.`;
  return DATA.threshold === 1 ? `${count}.` : `${count} (label ${DATA.threshold} or more); lower labels above 0 also contribute to ${METRICS[metric].name}.`;
}

/** Whether a document below the relevance threshold contributes to the chosen graded metric. */
function gainsBelow(entry, place) {
  return kindOf(entry, place) === "judged" && METRICS[state().metric].graded && entry.grades[place] > 0;
}

/**
 * Keys: left and right change the topic; up and down the document, in the run or in the list with the
 * focus; Escape clears the choice. In the rankings side by side, Enter moves the focus to the first
 * cell, and arrows move it from cell to cell.
 */
export function topicKeys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, canvas")) return;
  const { topic, run } = state();
  const entry = DATA.rankings.topics[topic];
  const region = event.target.closest?.("[role=region]");
  if (event.key === "Escape" && entry && chosen !== null) choose(entry, null);
  if (region) {
    if (region.querySelector(".rankings")) cellKeys(event, region);
    return;
  }
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const to = topic + (event.key === "ArrowLeft" ? -1 : 1);
    if (to in TOPICS) go({ topic: TOPICS[to], document: null });
    event.preventDefault();
  } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && entry) {
    const step = event.key === "ArrowUp" ? -1 : 1;
    const item = event.target.closest?.("li[data-document]");
    const places = item ? [...item.parentElement.children].map((one) => Number(one.dataset.document)) : rankingOf(entry, run);
    if (places.length === 0) return;
    const now = places.indexOf(item ? Number(item.dataset.document) : chosen);
    const to = now < 0 ? 0 : Math.max(0, Math.min(places.length - 1, now + step));
    choose(entry, places[to]);
    (item?.parentElement.children[to] ?? panel).focus({ preventScroll: !item });
    event.preventDefault();
  }
}

/** Move the focus between the cells of the rankings side by side; the panel shows the document with the focus. */
function cellKeys(event, region) {
  const grid = region.querySelector(".rankings");
  const now = event.target.closest("td");
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  if (event.key === "Escape" && now) region.focus();
  let to = null;
  if (event.key === "Enter" && event.target === region) to = grid.tBodies[0].rows[0]?.cells[1];
  if (event.key in moves && now) {
    const [down, right] = moves[event.key];
    to = grid.rows[now.parentElement.rowIndex + down]?.cells[now.cellIndex + right];
  }
  if (now && event.key in moves) event.preventDefault();
  if (!to?.dataset.document) return;
  to.tabIndex = -1;
  to.focus();
  event.preventDefault();
}

function choose(entry, place) {
  chosen = place;
  remember({ document: place === null ? null : entry.documents[place] });
  show(entry, place);
}

/** The documents of a ranking, as indices in the list of documents of the topic. */
function rankingOf(entry, run) {
  const depth = DATA.rankings.depth;
  const tops = numbers(entry.top);
  return Array.from({ length: depth }, (_, rank) => tops[run * depth + rank] - 1).filter((place) => place >= 0);
}

/** Show the document under the pointer or with the focus. */
function watch(work, entry) {
  const at = (event) => event.target.closest?.("[data-document]");
  let under = null;
  // Not `pointerover`, which also comes when the page scrolls to a document below a pointer at rest.
  work.addEventListener("pointermove", (event) => {
    const cellOf = at(event);
    if (cellOf && cellOf !== under) show(entry, Number(cellOf.dataset.document));
    under = cellOf;
  });
  work.addEventListener("pointerleave", () => {
    under = null;
    show(entry, chosen);
  });
  work.addEventListener("focusin", (event) => {
    const cellOf = at(event);
    if (cellOf) show(entry, Number(cellOf.dataset.document));
  });
  work.addEventListener("focusout", (event) => {
    if (!panel.contains(event.relatedTarget)) show(entry, chosen); // a link with the focus in the panel must not disappear
  });
  work.addEventListener("click", (event) => {
    const cellOf = at(event);
    if (!cellOf) return;
    const leads = event.target.closest("a");
    if (leads && !leads.classList.contains("document-link")) return; // to a run
    if (leads) event.preventDefault(); // the address is for a new tab; on this page no redraw is needed
    choose(entry, Number(cellOf.dataset.document));
  });
}

let lit = [];

/** Highlight a document in all lists, and describe it in the panel. */
function show(entry, place) {
  lit.forEach((one) => one.classList.remove("lit"));
  lit = place === null ? [] : [...document.querySelectorAll(`[data-document="${place}"]`)];
  lit.forEach((one) => one.classList.add("lit"));
  panel.classList.toggle("idle", place === null);
  const seen = place ?? foremost;
  const which = place === null ? "The first of the relevant documents below:" : "Highlighted in all rankings:";
  const hint = element("p", { class: "legend" }, "Point at a document, or use ↑ ↓, to highlight it in all rankings. Esc: clear. ← →: other topics.");
  panel.replaceChildren(...(seen === null ? [] : [element("p", { class: "legend" }, which), ...about(entry, seen)]), hint);
}

function about(entry, place) {
  const { metric, run, against: baseline } = state();
  const kind = kindOf(entry, place);
  const words = { unjudged: "not judged", relevant: `label ${entry.grades[place]}, relevant`, judged: `label ${entry.grades[place]}, ${gainsBelow(entry, place) ? `below the threshold ${DATA.threshold}, but contributes to ${METRICS[metric].name}` : "not relevant"}` }[kind];
  const said = DATA.texts.documents[entry.documents[place]];
  const planned = plannedWords(state().topic, entry.documents[place]);
  const rank = (one) => {
    const top = rankingOf(entry, one).indexOf(place) + 1;
    if (top > 0) return String(top);
    if (isWhole(entry, one)) return "not retrieved";
    const further = plannedRank(state().topic, entry.documents[place], one);
    if (further !== null) return String(further || "not retrieved");
    if (kind !== "relevant") return `below ${DATA.rankings.depth}, or not retrieved`;
    return String(numbers(entry.found)[place * RUNS.length + one] || "not retrieved");
  };
  const ranks = [...new Set([baseline, run])].map((one) => element("li", {}, named(RUNS[one]), `: ${/^\d/.test(rank(one)) ? "rank " : ""}${rank(one)}`));
  const holding = RUNS.filter((_, one) => rankingOf(entry, one).includes(place)).length;
  const highest = kind === "relevant" && RUNS.length > 2 ? highestWords(entry, place) : null;
  return [
    element("h3", {}, named(entry.documents[place])),
    element("p", {}, swatch(entry, place), ` ${words}`),
    element("ul", {}, ...ranks, RUNS.length > 2 ? element("li", {}, `in the top ${DATA.rankings.depth} of ${counted(holding, "run")}`) : null, highest, planned.length ? element("li", {}, ...planned) : null),
    said ? element("p", { class: "said" }, named(said)) : textCounts().documents ? element("p", { class: "legend" }, "Its text is not in the file of documents.") : "",
  ];
}

function swatch(entry, place) {
  const made = element("span", { class: `swatch ${classOf(entry, place)}` }, entry.grades[place] === null ? "?" : String(entry.grades[place]));
  made.style.setProperty("--shade", shadeOf(entry, place));
  return made;
}

const highest = new WeakMap();
const ONE_GRADE = 0.5;

/** The strength of a document's colour, from 0 to 1, by its label. */
function shadeOf(entry, place) {
  if (!highest.has(entry)) highest.set(entry, entry.grades.reduce((most, grade) => Math.max(most, grade ?? 0), 1e-9));
  const most = highest.get(entry);
  if (most === entry.grades[entry.relevant[state().metric] - 1]) return kindOf(entry, place) === "relevant" ? ONE_GRADE : 0; // one grade needs no strong colour
  return kindOf(entry, place) === "relevant" || gainsBelow(entry, place) ? Math.max(0, (entry.grades[place] ?? 0) / most).toFixed(2) : 0;
}

/** Two rankings, with a line for each document in both. */
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

/** Whether the page has the rank of a document in every run, which it has if the document is relevant by some metric. */
function isKnownRelevant(entry, place) {
  return place < entry.found.shape[0];
}

/** Whether the page has all documents that a run retrieved. */
function isWhole(entry, run) {
  return rankingOf(entry, run).length < DATA.rankings.depth;
}

/** The change of a document's rank as text: to its new rank (`side` old), or from its old rank (new). */
function moved(entry, place, rank, others, other, side) {
  const at = others.indexOf(place);
  if (at >= 0 && side === "old") return `→ ${at + 1}`;
  if (at >= 0) return at === rank ? "=" : `${at > rank ? "↑" : "↓"}${Math.abs(at - rank)}`;
  const deep = isKnownRelevant(entry, place) ? numbers(entry.found)[place * RUNS.length + other] : 0;
  const there = deep ? String(deep) : isKnownRelevant(entry, place) || isWhole(entry, other) ? "not retrieved" : `> ${DATA.rankings.depth}`;
  return side === "old" ? `→ ${there}` : `from ${there}`;
}

function strip(metric, scores) {
  const { run, against: baseline } = state();
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
  const keys = legend([["dot own", "this run"], ...(run === baseline ? [] : [["dot round base", baselineWords(baseline).replace("the ", "")]]), ["dot other", "other runs"]]);
  return element("div", {}, keys, picture(`${METRICS[metric].name} of every run on this topic.`, tall, paint));
}

function scoreTable(metric, scores) {
  const { run: chosenRun, against: baseline } = state();
  const rows = bestFirst(metric, (run) => scores[run]).map((run) => ({ run }));
  const range = extent(scores, { zero: true });
  const look = (run) => (run === baseline ? "base" : run === chosenRun || RUNS.length === 2 ? "" : "grey");
  const pictured = (run) => forestRow(range, { value: scores[run], kind: look(run), tip: `${visible(RUNS[run])}: ${fixed(scores[run])}` }, scores[baseline]);
  const columns = [
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => runLink(row.run) },
    { name: METRICS[metric].name, value: (row) => scores[row.run], show: (row) => fixed(scores[row.run]) },
    ...(JUDGED ? [] : [{ name: `From ${baselineWords(baseline)}`, csv: "difference", narrow: true, value: (row) => scores[row.run] - scores[baseline], show: (row) => (row.run === baseline ? "–" : signed(scores[row.run] - scores[baseline])) }, { name: forestHead(range, METRICS[metric].name), forest: true, text: true, unsorted: true, show: (row) => pictured(row.run) }]),
    ...(JUDGED ? [{ name: "Unjudged in the first 10", csv: "unjudged10", value: (row) => cell(DATA.unjudged10, row.run, state().topic) }] : []),
  ];
  return table("runs", `${METRICS[metric].name} of all runs`, columns, rows, { full: !JUDGED }).made;
}

/** The runs to show: the chosen run, the baseline, then the best runs. */
function runsShown(order) {
  const { run, against: baseline, all } = state();
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

/** The head and the rows of the table, with only the column of ranks. */
function rankLines(depth) {
  const line = (kind, scope, words) => element("tr", {}, element(kind, { scope }, words));
  const lines = Array.from({ length: depth }, (_, rank) => line("th", "row", String(rank + 1)));
  return [element("thead", {}, line("th", "col", "Rank")), element("tbody", {}, ...lines)];
}

/** Add a column for each of these runs. */
function addRankings(grid, entry, runs) {
  const depth = DATA.rankings.depth;
  const tops = numbers(entry.top);
  const [head, ...lines] = grid.rows;
  head.append(...runs.map((run) => element("th", { scope: "col" }, runLink(run))));
  lines.forEach((line, rank) => line.append(...runs.map((run) => (rank === 0 && tops[run * depth] === 0 ? element("td", { class: "none" }, "no results") : documentCell(entry, tops[run * depth + rank] - 1)))));
}

/** A hint at the command that shows the contribution of each document. */
function explained(metric, topic) {
  const call = `rankwise explain QRELS RUN --topic "${visible(TOPICS[topic])}" -m "${METRICS[metric].name}"`;
  return element("p", { class: "legend" }, "Contribution of each document to a score: ", element("code", {}, call));
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
    below ? element("span", {}, below, ` label below the threshold ${DATA.threshold}: contributes to ${METRICS[state().metric].name}, but does not count as relevant`) : null,
    element("span", {}, element("span", { class: "swatch judged" }, "0"), " judged, not relevant"),
    element("span", {}, element("span", { class: "swatch unjudged" }, "?"), " not judged"),
    RUNS.length > 1 ? element("span", { class: "narrow" }, `→ 12: rank in the right list · ↑3, ↓3, =: three ranks up, down, same rank · from 31: rank in the left list · > ${DATA.rankings.depth}: not in the top ${DATA.rankings.depth}`) : null,
    RUNS.length > 1 ? element("span", { class: "only-narrow" }, "touch a document for its ranks") : null,
  );
}

function kindOf(entry, place) {
  const grade = entry.grades[place];
  // Relevant documents come first; their number depends on the metric.
  return grade === null ? "unjudged" : place < entry.relevant[state().metric] ? "relevant" : "judged";
}

/** The CSS class of a document: its kind, and `gains` if it contributes below the threshold. */
function classOf(entry, place) {
  return `${kindOf(entry, place)}${gainsBelow(entry, place) ? " gains" : ""}`;
}

function documentCell(entry, place) {
  if (place < 0) return element("td", { class: "none" }, "");
  const grade = entry.grades[place] === null ? "?" : String(entry.grades[place]);
  // The style sheet writes the grade, because further elements in thousands of cells would be slow.
  const made = element("td", { class: classOf(entry, place), dir: "auto", "data-grade": grade, "data-document": place }, visible(entry.documents[place]));
  made.style.setProperty("--shade", shadeOf(entry, place));
  return made;
}

/** For each relevant document, its rank in each run; 0 if the run did not retrieve it. */
function ranksOfRelevant(entry) {
  const found = numbers(entry.found);
  return Array.from({ length: entry.relevant[state().metric] }, (_, place) => found.subarray(place * RUNS.length, (place + 1) * RUNS.length));
}

function missed(entry, all, run) {
  if (all.length === 0) return element("p", {}, "No document is relevant to this topic.");
  const lost = all.filter((ranks) => ranks[run] === 0);
  const nobody = all.filter((ranks) => ranks.every((rank) => rank === 0)).length;
  const others = lost.length - nobody;
  const found = RUNS.length === 1 ? [] : RUNS.length === 2 ? [others, "the other run", "neither"] : [others, "other runs", "no run"];
  const was = (count, by) => `${count} ${count === 1 ? "was" : "were"} found by ${by}`;
  const parts = lost.length === 0 || found.length === 0 ? [] : others === lost.length || nobody === lost.length ? [`found by ${others ? found[1] : found[2]}`] : [was(others, found[1]), was(nobody, found[2])];
  const words = all.length === 1 ? `${lost.length ? " missed" : " found"} the only one` : lost.length === 0 ? ` found all ${all.length}` : ` missed ${lost.length} of ${all.length}`;
  return element("p", {}, named(RUNS[run]), words, parts.length ? `, ${parts.join(", ")}` : "", ". ", info("the order of the documents", ...orderWords(run)));
}

/** An explanation of the order of the relevant documents. */
function orderWords(run) {
  const { metric, against: baseline } = state();
  const { name } = METRICS[metric];
  if (DATA.contributions[metric] === null) return [element("p", {}, `${name} is not a sum over documents. Documents with the largest changes of rank near the top come first.`)];
  const part = run === baseline ? `What a document adds to ${name}` : `The part of a document: what it adds to the ${name} of ${visible(RUNS[run])}, minus what it adds to that of ${visible(RUNS[baseline])}`;
  const order = run === baseline ? "The largest contribution comes first." : "Documents that cause the difference come first, documents that reduce it come last (“Show all”).";
  return [element("p", {}, `${part}. The contributions of all documents add up to the score, as in rankwise explain. ${order}`)];
}

/** The number of runs that retrieved a relevant document, and the run that ranks it highest. */
function highestWords(entry, place) {
  const ranks = numbers(entry.found).subarray(place * RUNS.length, (place + 1) * RUNS.length);
  const finders = highestIn(ranks);
  if (finders.length === 0) return element("li", {}, "found by no run");
  const same = finders.filter((run) => ranks[run] === ranks[finders[0]]).length - 1;
  return element("li", {}, `found by ${finders.length} of ${RUNS.length} runs, highest by `, runLink(finders[0]), `${same ? ` and ${counted(same, "other")}` : ""} (rank ${ranks[finders[0]]})`);
}

/** The runs that retrieved a document, best rank first. */
function highestIn(ranks) {
  const finders = RUNS.map((_, run) => run).filter((run) => ranks[run] > 0);
  return finders.sort((one, other) => ranks[one] - ranks[other]);
}

function rankCell(rank) {
  return rank ? String(rank) : element("span", { class: "missed" }, "missed");
}

/** A function that returns the contribution of a relevant document to the score of a run; null if the score is not a sum. */
function contributions(entry, all) {
  const { metric, topic } = state();
  const factors = DATA.contributions[metric];
  if (factors === null) return null;
  const worth = (place) => cell(factors.worth, topic, DATA.labels.indexOf(entry.grades[place]));
  if (factors.weight !== null) {
    const weights = numbers(factors.weight);
    return (place, run) => (all[place][run] ? worth(place) * (weights[all[place][run] - 1] ?? 0) : 0);
  }
  const counts = (rank, other) => other >= rank && other <= (factors.cutoff ?? Infinity);
  return (place, run) => {
    const rank = all[place][run];
    return rank ? worth(place) * all.reduce((sum, ranks) => sum + (counts(rank, ranks[run]) ? 1 / ranks[run] : 0), 0) : 0;
  };
}

/** The relevant documents, each with its part of the difference of two runs or of the score of one run. */
function relevantRows(entry, all, run) {
  const { metric, topic, against: baseline } = state();
  const adds = contributions(entry, all);
  const against = run === baseline ? null : baseline;
  const difference = against === null ? 1 : score(metric, run, topic) - score(metric, baseline, topic);
  const sign = Math.sign(difference);
  const reciprocal = (rank) => (rank ? 1 / rank : 0);
  const rows = all.map((ranks, place) => {
    const part = adds === null ? NaN : adds(place, run) - (against === null ? 0 : adds(place, against));
    const move = reciprocal(ranks[run]) - (against === null ? 0 : reciprocal(ranks[against]));
    return { place, ranks, document: place, label: entry.grades[place], part, weight: adds === null ? move * entry.grades[place] : part, kind: ranks[run] === 0 ? "marked" : "" };
  });
  // Documents that cause the difference come first, documents that reduce it come last.
  const size = (row) => (sign === 0 ? Math.abs(row.weight) : sign * row.weight);
  return rows.sort((one, other) => size(other) - size(one) || other.label - one.label || (reciprocal(other.ranks[run]) - reciprocal(one.ranks[run])) || one.place - other.place);
}

function relevantTable(entry, all, run) {
  if (all.length === 0) return null;
  const { metric, topic, against: baseline } = state();
  const { name: by } = METRICS[metric];
  const rows = relevantRows(entry, all, run);
  const name = (row) => entry.documents[row.place];
  const texts = rows.some((row) => DATA.texts.documents[name(row)]);
  const several = run !== baseline;
  const sum = Number.isFinite(rows[0].part);
  const written = (column, csv, value) => ({ name: column, csv, written: true, value });
  const part = { name: several ? `Part of ${signed(score(metric, run, topic) - score(metric, baseline, topic))}` : `Adds to ${by}`, csv: several ? "part_of_difference" : "contribution", value: (row) => row.part, show: (row) => (several ? signed(row.part) : fixed(row.part)) };
  const columns = [
    { name: "Document", csv: "document", text: true, heads: true, value: name, show: (row) => element("a", { class: "document-link", href: address({ document: name(row) }) }, named(name(row))) },
    ...(texts ? [{ name: "Text", csv: "text", text: true, narrow: true, value: (row) => DATA.texts.documents[name(row)] ?? "", show: (row) => element("div", { class: "said" }, named(DATA.texts.documents[name(row)] ?? "")) }] : []),
    { name: "Label", csv: "grade", narrow: rows.every((row) => row.label === rows[0].label), value: (row) => row.label },
    ...[...new Set([baseline, run])].map((one) => ({ name: `Rank in ${short(RUNS[one], 12)}`, csv: one === run ? "rank" : "baseline_rank", value: (row) => row.ranks[one] || NaN, show: (row) => rankCell(row.ranks[one]) })),
    ...(sum ? [part] : []),
    written("Found by", "runs", (row) => highestIn(row.ranks).length),
    written("Best rank", "best_rank", (row) => row.ranks[highestIn(row.ranks)[0]] ?? NaN),
    written("Highest in", "best_runs", (row) => highestIn(row.ranks).slice(0, 3).map((one) => RUNS[one]).join(" ")),
  ];
  const order = sum ? `by their part of ${several ? `the difference in ${by}` : by}` : "the largest changes of rank near the top first";
  const first = Math.max(FIRST_RELEVANT[Object.keys(DATA.texts.documents).length ? "texts" : "plain"], 1 + rows.findIndex((row) => row.place === chosen));
  return table("relevant", `Relevant documents, ${order}`, columns, rows, { first, full: true }).made;
}
