// The state of the page, stored in its address, so that every view has a link.

import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, score } from "./data.js";

// The first view: the leaderboard for three or more runs, the pair for two, the run for one.
const FIRST = RUNS.length > 2 ? { leaderboard: "Leaderboard" } : RUNS.length === 2 ? { pair: "Result" } : { run: "Result" };

export const VIEWS = {
  ...FIRST,
  ...(RUNS.length > 2 ? { pair: "Pair" } : {}),
  ...(DATA.groups === null || DATA.groups.pairs === null ? {} : { groups: "Groups" }),
  topic: "Topic",
  ...(RUNS.length > 1 ? { run: "Run" } : {}),
  ...(DATA.judges === null ? {} : { judges: "Judges" }),
  ...(JUDGED ? { collection: "Collection" } : {}),
  methods: "Methods",
  ...(DATA.appendix ? { appendix: "Appendix" } : {}),
};
export const HOME = Object.keys(VIEWS)[0];

const SECOND = bestFirst(0).find((run) => run !== DATA.best) ?? 0;

function given() {
  return new URLSearchParams(location.hash.slice(1));
}

function placeOf(names, name, otherwise) {
  const at = name === null ? -1 : names.indexOf(name);
  return at < 0 ? otherwise : at;
}

const worst = new Map();

/** The topic with the largest loss of a run against the baseline; the first topic without a loss. */
function worstTopic(metric, run, baseline) {
  const key = [metric, run, baseline].join();
  if (!worst.has(key)) {
    const sign = METRICS[metric].less ? -1 : 1;
    const drops = TOPICS.map((_, topic) => sign * (score(metric, baseline, topic) - score(metric, run, topic)) || 0);
    worst.set(key, drops.reduce((most, drop, topic) => (drop > drops[most] ? topic : most), 0));
  }
  return worst.get(key);
}

/** The state in the address, with the defaults of the report for missing parts. */
export function state() {
  const words = given();
  const names = METRICS.map((metric) => metric.name);
  const baseline = placeOf(RUNS, words.get("baseline"), DATA.baseline);
  const other = DATA.best === baseline ? SECOND : DATA.best;
  const view = words.get("view") in VIEWS ? words.get("view") : HOME;
  const metric = placeOf(names, words.get("metric"), 0);
  const against = placeOf(RUNS, words.get("against"), baseline); // run to compare with in the topic view, if it was opened from a pair
  const run = placeOf(RUNS, words.get("run"), view === "topic" || RUNS.length === 2 ? other : DATA.best); // the topic view compares two runs
  return {
    view,
    metric,
    baseline,
    against,
    run,
    a: placeOf(RUNS, words.get("a"), other),
    b: placeOf(RUNS, words.get("b"), baseline),
    topic: placeOf(TOPICS, words.get("topic"), worstTopic(metric, run, against)),
    filter: words.get("filter") ?? "",
    hidden: new Set(words.getAll("hide")),
    all: words.get("all") === "1",
    axis: words.get("axis") === "difference" ? "difference" : "score",
    colour: words.get("colour") === "difference" ? "difference" : "score",
    group: DATA.groups === null ? -1 : placeOf(DATA.groups.names, words.get("group"), -1),
    document: words.get("document"),
  };
}

/** The names in the address that are not in the report. */
export function unknownNames() {
  const words = given();
  const lists = { metric: METRICS.map((metric) => metric.name), topic: TOPICS };
  for (const key of ["run", "a", "b", "baseline"]) lists[key] = RUNS;
  return Object.entries(lists)
    .filter(([key, names]) => words.has(key) && !names.includes(words.get(key)))
    .map(([key]) => ({ key, name: words.get(key) }));
}

/** The address after these changes; null removes a part. Another view does not keep the sorting. */
export function address(changes) {
  const words = given();
  if ("view" in changes && changes.view !== state().view) {
    for (const key of [...words.keys()]) if (key.startsWith("sort-")) words.delete(key);
    words.delete("filter");
    words.delete("against");
  }
  if ("baseline" in changes) words.delete("against");
  for (const [key, value] of Object.entries(changes)) {
    words.delete(key);
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== "") words.append(key, one);
  }
  return `#${words.toString()}`;
}

export function go(changes) {
  location.hash = address(changes);
}

/** Change the address without drawing the page again. */
export function remember(changes) {
  history.replaceState(null, "", address(changes));
}

export function sorting(table) {
  const [column, direction] = (given().get(`sort-${table}`) ?? "").split("~");
  return column ? { column: Number(column), down: direction === "down" } : null;
}
