// The collection: what to judge next, the pool, contributions of runs, agreement of metrics.

import { DATA, METRICS, RUNS, TOPICS, cell, numbers } from "./data.js";
import { element, named, runLink, section, topicLink } from "./elements.js";
import { sharesChart } from "./run.js";
import { table } from "./table.js";
import { fixed, percent, visible } from "./text.js";

const NEARLY_ALL = 0.99;
const FIRST_NEXT = 20; // documents to judge next

export function collectionView() {
  return [
    element("h2", {}, "Collection"),
    section("What to judge next", next()),
    element("div", { class: "abreast" }, section("Judged documents", overview(), judgedByRank()), section("Pool", element("p", {}, poolDepth()), pool())),
    element("div", { class: "abreast" }, section("Contribution of each run to the pool", contributions()), DATA.collection.agreement === null || RUNS.length < 3 ? null : section("Agreement of metrics", agreement())),
  ];
}

/** The rows of columns that came as lists. */
function rowsOf(columns) {
  const names = Object.keys(columns);
  return (columns[names[0]] ?? []).map((_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
}

function number(name, key, digits = 1) {
  return { name, csv: key, value: (row) => row[key] ?? NaN, show: (row) => fixed(row[key], digits) };
}

function share(name, key, digits = 1) {
  return { name, csv: key, value: (row) => row[key] ?? NaN, show: (row) => percent(row[key] ?? NaN, digits) };
}

function overview() {
  const columns = [
    { name: "Documents", csv: "of", text: true, heads: true, value: (row) => row.of },
    number("Number", "documents"),
    number("Judged", "judged"),
    number("Relevant", "relevant"),
    number("Unjudged", "unjudged"),
  ];
  return table("overview", "Documents per topic, averaged over topics and runs", columns, rowsOf(DATA.collection.overview)).made;
}

function judgedByRank() {
  const { ranks, judged, relevant, retrieved } = DATA.collection.by_rank;
  const series = [["judged", "judged", judged], ["good", "relevant", relevant]].map(([kind, name, shares]) => ({
    kind,
    name,
    points: ranks.map((rank, place) => {
      const there = RUNS.map((_, run) => cell(retrieved, run, place));
      const total = Math.max(1, there.reduce((sum, one) => sum + one, 0));
      const part = RUNS.reduce((sum, _, run) => sum + there[run] * cell(shares, run, place), 0) / total;
      return [rank, part, `rank ${rank}: ${percent(part)} ${name}`];
    }),
  }));
  return sharesChart("Fraction of all runs' documents that is judged, and relevant, by rank; each point covers the ranks since the previous point.", series, 240);
}

/** How deep the pool is judged, all but whole. */
function poolDepth() {
  const rows = rowsOf(DATA.collection.pool);
  const deep = rows.filter((row) => row.judged >= NEARLY_ALL);
  if (deep.length === 0) return `${percent(rows[0].judged)} of top-ranked documents are judged; some runs or topics did not contribute to the pool.`;
  return `At least ${percent(NEARLY_ALL, 0)} of the pool of all runs is judged down to depth ${deep[deep.length - 1].depth}.`;
}

function pool() {
  const columns = [
    { name: "Depth", csv: "depth", heads: true, value: (row) => row.depth, show: (row) => String(row.depth) },
    number("Documents per topic", "documents"),
    share("Judged", "judged"),
    number("Relevant per topic", "relevant"),
    share("In one run only", "one_run"),
    share("Overlap of two runs", "overlap"),
  ];
  return table("pool", "The pool of all runs at each depth", columns, rowsOf(DATA.collection.pool)).made;
}

function contributions() {
  const { contributions: found } = DATA.collection;
  const of = (key) => numbers(found[key]);
  const rows = RUNS.map((_, run) => ({ run, unique: of("unique")[run], retrieved: of("retrieved")[run], relevant: of("relevant")[run], uniqueRelevant: of("unique_relevant")[run], to: of("judged_to")[run], at10: cell(DATA.judged["10"], run), at100: cell(DATA.judged["100"], run) }));
  const columns = [
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => runLink(row.run) },
    { name: `Unique in the first ${found.depth}`, csv: "unique", value: (row) => row.unique },
    { name: "Unique, relevant", csv: "unique_relevant", value: (row) => row.uniqueRelevant },
    { name: "Relevant", csv: "relevant", value: (row) => row.relevant },
    share("Judged@10", "at10", 0),
    share("Judged@100", "at100", 0),
    { name: "All judged to rank", csv: "judged_to", value: (row) => row.to, show: (row) => fixed(row.to, row.to % 1 ? 1 : 0) },
  ];
  const made = table("contributions", `Contributions of runs: first ${found.depth} documents of all topics together`, columns, rows).made;
  return element("div", {}, made, element("p", { class: "legend" }, "Unique: in the top documents of no other run, judged or not. All judged to rank: number of documents above the first unjudged one, median over topics."));
}

function agreement() {
  const { title, values } = DATA.collection.agreement;
  const head = element("tr", {}, element("td", {}), ...METRICS.map((metric) => element("th", { scope: "col" }, metric.name)));
  const lines = METRICS.map((metric, one) =>
    element("tr", {}, element("th", { scope: "row", class: "text" }, metric.name), ...METRICS.map((_, other) => heat(cell(values, one, other)))),
  );
  const grid = element("table", { class: "heat" }, element("caption", {}, `${title} between the system rankings of each two metrics`), element("thead", {}, head), element("tbody", {}, ...lines));
  return element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Agreement of metrics" }, grid);
}

function heat(value) {
  const made = element("td", { class: "number" }, fixed(value, 3));
  // From the lowest agreement to 1, so that high values differ in colour.
  const lowest = Math.min(...numbers(DATA.collection.agreement.values));
  made.style.setProperty("--heat", Number.isFinite(value) ? (value - lowest) / (1 - lowest || 1) : 0);
  return made;
}

/** How the list was chosen, in words, and how to get a longer one. */
function wayWords() {
  const { metric, way, why, runs } = DATA.collection.next;
  const ways = {
    weight: `by weight in ${metric}: how much each could add to the scores of all runs`,
    probable: `by ${metric}: those expected to resolve most pairs ${runs.length ? `of the ${runs.length} best runs` : "of runs"}, under a model of the present judgments`,
  };
  const call = `rankwise plan next QRELS ${runs.length ? runs.map(visible).join(" ") : "RUN…"} -m "${metric}" --budget 500`;
  return element("p", {}, `The next documents to judge, over all topics, ${ways[way]}${why ? ` (${visible(why).replace(/\.$/, "")})` : ""}. A longer list: `, element("code", {}, call));
}

const EXPECTED = {
  weight: [["Residual", "residual", 5], ["Score", "score", 5], ["Undecided pairs", "undecided", 0]],
  probable: [["Relevant", "relevant", 1], ["Unresolved pairs", "unresolved", 1], ["Misordered pairs", "misordered", 1]],
};
const CHOSEN_BY = {
  weight: [["Weight", "weight", 4]],
  probable: [["Chance", "chance", 3], ["Resolves", "resolves", 4]],
};

function next() {
  const { metric, way, documents, course, notes } = DATA.collection.next;
  const topics = new Map(TOPICS.map((name, topic) => [name, topic]));
  const columns = [
    { name: "Topic", csv: "topic", text: true, value: (row) => row.topic, show: (row) => (topics.has(row.topic) ? topicLink(topics.get(row.topic)) : named(row.topic)) },
    { name: "Document", csv: "document", text: true, heads: true, value: (row) => row.document, show: (row) => named(row.document) },
    ...CHOSEN_BY[way].map((one) => number(...one)),
    number("Runs", "runs", 0),
    number("Best rank", "best_rank", 0),
  ];
  if (documents.document.length === 0) return element("p", {}, `Nothing to list: by ${metric}, no unjudged document among the first 100 of these runs is expected to change which run is better. Documents below rank 100 are not considered.`);
  const steps = [number("Judged", "judged", 0), ...EXPECTED[way].map((one) => number(...one))];
  const expected = rowsOf(course);
  const list = table("next", `Documents to judge next, by ${metric}`, columns, rowsOf(documents), { first: FIRST_NEXT }).made;
  const course_ = expected.length ? table("course", "What judging them is expected to do", steps, expected).made : null;
  const said = element("ul", { class: "legend" }, ...notes.map((note) => element("li", {}, named(note))));
  return element("div", {}, wayWords(), element("div", { class: "abreast" }, list, element("div", {}, course_, said)));
}
