// The collection: documents to judge next, the pool, contributions of runs, agreement of metrics.

import { compared, doubtsBeside, expectedWords, reversalOf, reversalWords } from "./compared.js";
import { DATA, METRICS, RUNS, TOPICS, cell, mean, numbers } from "./data.js";
import { lineChart } from "./draw.js";
import { chooseMetric, element, info, link, named, runLink, section, topicLink } from "./elements.js";
import { sharesChart } from "./run.js";
import { HOME, VIEWS, state } from "./state.js";
import { table } from "./table.js";
import { between, counted, fixed, median, percent, signed, visible } from "./text.js";

const NEARLY_ALL = 0.99;
const FIRST_NEXT = 20; // documents to judge next that are shown first
const FIRST_RUNS = 20;
const NAMED_PAIRS = 3; // most pairs of runs that are named
const NAMED_TOPICS = 5; // most topics of documents to judge that are named
const LITTLE = 0.05; // a smaller decrease of the probability of an unresolved pair is not worth judging
const NOTHING = 0.001; // documents expected to resolve fewer pairs have no effect, as in the note of the plan
const MODELLED = 100; // depth to which the model considers documents
// Notes that the page replaces with its own sentences.
const SAID = /^the last \d|^these documents are not worth judging: the model|shorter than the budget/;
const POSSIBLE = "Verdicts and bounds use no model: they say what is possible, even if it is improbable.";

export function collectionView() {
  return [
    element("h2", {}, "Collection"),
    element("p", { class: "lead" }, ...judgedWords()),
    METRICS.length > 1 ? element("div", { class: "controls" }, chooseMetric()) : null,
    reversiblePairs(),
    section(`What to judge next, by ${planOf().metric}`, kindWords(), next()),
    element("div", { class: "abreast" }, section("Judged documents", overview(), judgedByRank()), element("div", {}, section("Pool", element("p", {}, poolDepth()), pool()), DATA.collection.agreement === null || RUNS.length < 3 ? null : section("Agreement of metrics", agreement()))),
    section("Contribution of each run to the pool", contributions()),
  ];
}

/** Sentences on the number of judgments, and on the run with the smallest judged fraction. */
function judgedWords() {
  const judged = rowsOf(DATA.collection.overview)[0];
  const total = (each) => Math.round(each * DATA.all_topics).toLocaleString("en");
  const [least] = RUNS.map((_, run) => run).sort((one, other) => cell(DATA.judged["10"], one) - cell(DATA.judged["10"], other));
  const share10 = cell(DATA.judged["10"], least);
  const shallow = share10 === 1 ? ["The top 10 of every run is judged."] : ["The top 10 of ", runLink(least), " is judged least: ", percent(share10, 0), ...mostUnjudged(least), "."];
  return [`${total(judged.judged)} judgments on ${counted(DATA.all_topics, "topic")}; ${total(judged.relevant)} of these documents are relevant. `, ...shallow];
}

/** A clause on the topic with the most unjudged documents in the top 10 of a run. */
function mostUnjudged(run) {
  const count = (topic) => cell(DATA.unjudged10, run, topic);
  const [worst] = TOPICS.map((_, topic) => topic).sort((one, other) => count(other) - count(one));
  return [" on average; on topic ", topicLink(worst, { run: RUNS[run] }), `, ${count(worst)} of its first 10 are unjudged`];
}

/** A note with names of columns replaced by headings of the page: 'best_rank' by Best rank. */
function asHeads(note) {
  return note.replace(/'([a-z_]+)'/g, (_, name) => `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}`);
}

/** Convert {column: values} to a list of rows. */
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
  // If no ranking reaches a depth, its row would repeat the previous row.
  const rows = rowsOf(DATA.collection.overview).filter((row, place, all) => row.of === "pool" || row.documents !== all[place - 1]?.documents);
  const columns = [
    { name: "Documents", csv: "of", text: true, heads: true, value: (row) => row.of, show: (row) => (row.of === "pool" ? "all judged" : row.of) },
    { ...number("Number", "documents", 2), narrow: true },
    number("Judged", "judged", 2),
    number("Relevant", "relevant", 2),
    number("Unjudged", "unjudged", 2),
  ];
  return table("overview", "Documents per topic, averaged over topics and runs", columns, rows, { full: true }).made;
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
  return sharesChart("Fractions of all runs' documents that are judged and that are relevant, by rank. Each point covers the ranks since the previous point.", series, 240);
}

/** A sentence on the depth to which the pool of all runs is judged. */
function poolDepth() {
  const rows = rowsOf(DATA.collection.pool);
  const deep = rows.filter((row) => row.judged >= NEARLY_ALL);
  if (deep.length === 0) return `${percent(rows[0].judged)} of top-ranked documents are judged; some runs or topics did not contribute to the pool.`;
  const { depth, judged } = deep[deep.length - 1];
  return `${judged === 1 ? "The whole pool" : `At least ${percent(NEARLY_ALL, 0)} of the pool`} of all runs is judged down to depth ${depth}.`;
}

function pool() {
  const columns = [
    { name: "Depth", csv: "depth", heads: true, value: (row) => row.depth, show: (row) => String(row.depth) },
    number("Documents per topic", "documents"),
    share("Judged", "judged"),
    number("Relevant per topic", "relevant"),
    { ...share("In one run only", "one_run"), narrow: true },
    { ...share("Overlap of two runs", "overlap"), narrow: true },
  ];
  return table("pool", "The pool of all runs at each depth", columns, rowsOf(DATA.collection.pool), { full: true }).made;
}

function contributions() {
  const { contributions: found } = DATA.collection;
  const of = (key) => numbers(found[key]);
  const rows = RUNS.map((_, run) => ({ run, unique: of("unique")[run], retrieved: of("retrieved")[run], relevant: of("relevant")[run], uniqueRelevant: of("unique_relevant")[run], to: of("judged_to")[run], at10: cell(DATA.judged["10"], run), at100: cell(DATA.judged["100"], run) }));
  rows.sort((one, other) => other.uniqueRelevant - one.uniqueRelevant || other.unique - one.unique || one.run - other.run);
  const columns = [
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => runLink(row.run) },
    { name: `Unique in the first ${found.depth}`, csv: "unique", value: (row) => row.unique },
    { name: "Unique, relevant", csv: "unique_relevant", value: (row) => row.uniqueRelevant },
    { name: "Relevant", csv: "relevant", narrow: true, value: (row) => row.relevant },
    { ...share("Judged@10", "at10", 0), narrow: true },
    { ...share("Judged@100", "at100", 0), narrow: true },
    { name: "All judged to rank", csv: "judged_to", value: (row) => row.to, show: (row) => fixed(Math.floor(row.to), 0) },
  ];
  const made = table("contributions", `Contributions of runs: first ${found.depth} documents of all topics together`, columns, rows, { first: FIRST_RUNS, full: true }).made;
  return element("div", {}, made, element("p", { class: "legend" }, `Unique: documents that are not in the first ${found.depth} of any other run, judged or not. All judged to rank: number of documents above the first unjudged document, median over topics.`));
}

function agreement() {
  const { title, values } = DATA.collection.agreement;
  const head = element("tr", {}, element("td", {}), ...METRICS.map((metric) => element("th", { scope: "col", class: "number" }, metric.name)));
  const lines = METRICS.map((metric, one) =>
    element("tr", {}, element("th", { scope: "row", class: "text" }, metric.name), ...METRICS.map((_, other) => heat(cell(values, one, other)))),
  );
  const grid = element("table", { class: "heat full" }, element("caption", {}, `${title} between the system rankings of two metrics`), element("thead", {}, head), element("tbody", {}, ...lines));
  return element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Agreement of metrics" }, grid);
}

function heat(value) {
  const made = element("td", { class: "number" }, fixed(value, 3));
  // From the lowest agreement to 1, so that high values differ in colour.
  const lowest = Math.min(...numbers(DATA.collection.agreement.values));
  made.style.setProperty("--heat", Number.isFinite(value) ? (value - lowest) / (1 - lowest || 1) : 0);
  return made;
}

/** The plan by the chosen metric or, if it has no plan, the first plan. */
function planOf() {
  const { plans, places } = DATA.collection.next;
  return plans[places[state().metric] ?? 0];
}

/** Whether successive documents of the list have equal weights. */
function hasTies() {
  const { way, documents } = planOf();
  return way === "weight" && documents.weight.some((weight, place) => place > 0 && Math.abs(weight - documents.weight[place - 1]) < 1e-9);
}

/** The command for a longer list; `deeper` is the rank down to which documents are listed. */
function planCall(deeper = null) {
  const { metric, runs } = planOf();
  return element("code", {}, `rankwise plan next QRELS ${runs.length ? runs.map(visible).join(" ") : "RUN…"} -m "${metric}"${DATA.baseline_given ? ` --baseline ${visible(RUNS[DATA.baseline])}` : ""}${deeper === null ? "" : ` --unjudged top=${deeper}`} --budget 500`);
}

/** The kind of the plan, with an explanation of all three kinds. */
function kindWords() {
  const { metric, way } = planOf();
  const kinds = [
    "For a metric that is a sum of weights (P, RBP, DCG), documents are listed by weight: the amount that each could add to the scores. No model is used, so the list shows what is possible.",
    "For any other metric, a model of the present judgments estimates the probability of relevance of each document. The list shows what is probable: it starts with the documents that are expected to decide which run of a pair is better.",
    "If the model leaves no pair in doubt, there is no list. Judgments that reverse a pair can still be possible.",
  ];
  const course = expectedRows();
  const none = planOf().documents.document.length === 0 || (course.length > 0 && inNoDoubt(course));
  const listed = way === "weight" ? `By weight: the documents that could add most to ${metric}, without a model.` : "By a model of the present judgments: the documents that are expected to decide most.";
  const without = settledWords() ? `the unjudged documents cannot change the order${isOfBaseline() ? " of these pairs" : ""}.` : way === "weight" ? `all documents that count in ${metric} are judged.` : "a model of the present judgments leaves no pair in doubt.";
  const own = none ? `No list: ${without}` : listed;
  return element("p", { class: "kind" }, element("strong", {}, own), " ", info("the kinds of lists", ...kinds.map((words) => element("p", {}, words))));
}

/** The steps of the plan, as rows. */
function expectedRows() {
  return rowsOf(planOf().course);
}

/** Sentences on the choice of the listed documents, and the command for a longer list if there is one. */
function wayWords() {
  const { way, why, runs, documents } = planOf();
  const pairs = RUNS.length === 2 ? "those expected to decide which run is better" : `those expected to resolve most pairs ${runs.length ? `of the ${runs.length} best runs` : "of runs"}`;
  const ways = {
    weight: "those that could add most to the scores of all runs",
    probable: `${pairs}, under a model of the present judgments`,
  };
  const { places } = DATA.collection.next;
  const other = places[state().metric] === null ? ` This page has no plan by ${METRICS[state().metric].name}.` : "";
  const ties = hasTies() ? " Documents with equal weight are listed in turns: one of each topic, then a second one of each topic." : "";
  const longer = documents.document.length < DATA.collection.next.budget ? [] : [" A longer list: ", planCall()];
  return element("p", {}, `Documents of all topics, ${ways[way]}${why ? ` (${visible(why).replace(/\.$/, "")})` : ""}.${ties}${other} `, ...topicsOfPlan(), ...longer);
}

/** Sentences on the number of listed documents per topic. */
function topicsOfPlan() {
  const { documents, metric, way } = planOf();
  const [counts, sums] = [new Map(), new Map()];
  const some = resolving() || documents.document.length; // later documents are expected to change nothing
  documents.topic.slice(0, some).forEach((name, place) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    sums.set(name, (sums.get(name) ?? 0) + (way === "weight" ? documents.weight : documents.resolves)[place]);
  });
  const most = [...counts].filter(([name]) => TOPICS.includes(name)).sort((one, other) => sums.get(other[0]) - sums.get(one[0]) || other[1] - one[1]).slice(0, NAMED_TOPICS);
  if (most.length === 0 || counts.size < 2) return [];
  const rest = counts.size - most.length;
  const each = most.flatMap(([name, count], place) => [place ? ", " : "", topicLink(TOPICS.indexOf(name)), ` (${count})`]);
  const which = some < documents.document.length ? `The first ${some} by topic, those that are expected to decide most first: ` : "By topic: ";
  return [which, ...each, `${rest ? ` and ${counted(rest, "other")}` : ""}.`, way === "probable" && most[0][1] > some / 2 ? fewRelevant(most[0][0], metric) : ""];
}

/** A sentence if few relevant documents are known on a topic, which explains why many of its documents are listed. */
function fewRelevant(name, metric) {
  const metricPlace = METRICS.findIndex((entry) => entry.name === metric);
  const known = DATA.rankings.topics.map((entry) => entry?.relevant[metricPlace] ?? NaN);
  const [here, usual] = [known[TOPICS.indexOf(name)], median(known)];
  return here < usual ? ` On topic ${visible(name)}, ${counted(here, "relevant document")} ${here === 1 ? "is" : "are"} known (median over topics ${fixed(usual, 0)}), so a further one changes ${metric} more than on other topics.` : "";
}

// Columns on the expected effect, for each kind of plan: heading, name, decimals.
const EXPECTED = {
  weight: [["Residual", "residual", 5], ["Score", "score", 5], ["Undecided pairs", "undecided", 0]],
  probable: [["Relevant", "relevant", 1], ["Unresolved pairs", "unresolved", 1], ["Misordered pairs", "misordered", 1]],
};
const CHOSEN_BY = {
  weight: [["Weight", "weight", 4]],
  probable: [["Chance", "chance", 3], ["Resolves", "resolves", 4]],
};

/** An explanation of the column Resolves. */
function resolvesWords() {
  const { judged } = planOf().course;
  const one = ofOnePair();
  const meaning = one ? "The fraction of the remaining uncertainty about the difference that this judgment removes, times P(wrong winner)" : "For each pair of runs, the fraction of the remaining uncertainty about its difference that this judgment removes, times the probability that the pair is in the wrong order; summed over pairs";
  return `${meaning}. The sum of the column is therefore close to the present ${one ? "P(wrong winner), not to P(undecided)" : "number of misordered pairs, not to that of unresolved pairs"}. Documents are chosen in steps of up to ${judged[1] - judged[0]}. After each step less uncertainty remains, so a judgment can remove a larger fraction of it: the first value of a step can be larger than the last value of the previous step.`;
}

/** Whether the plan is by the model and for a single pair of runs; its columns are then probabilities. */
function ofOnePair() {
  return RUNS.length === 2 && planOf().way === "probable";
}

function expectedColumns() {
  if (!ofOnePair()) return EXPECTED[planOf().way].map((one) => number(...one));
  return [number("Relevant", "relevant", 1), share("P(undecided)", "unresolved"), share("P(wrong winner)", "misordered")];
}

/** Whether the model leaves no pair in doubt. */
function inNoDoubt(course) {
  return planOf().way === "probable" && course[0].unresolved < 0.005;
}

/** The pairs of runs of the plan, with their comparisons; empty if the page does not have these. */
function plannedPairs() {
  const { metric: name, runs } = planOf();
  const metric = METRICS.findIndex((entry) => entry.name === name);
  if (metric < 0 || DATA.pairs === null) return [];
  const chosen = RUNS.map((_, run) => run).filter((run) => runs.length === 0 || runs.includes(RUNS[run]));
  const pairs = isOfBaseline() ? chosen.filter((run) => run !== DATA.baseline).map((run) => [run, DATA.baseline]) : chosen.flatMap((a, place) => chosen.slice(place + 1).map((b) => [a, b]));
  const turned = pairs.map(([a, b]) => (a === DATA.baseline ? [b, a] : [a, b]));
  return turned.map(([a, b]) => ({ metric, a, b, found: compared(metric, a, b) }));
}

/** A pair of runs, as a link to their comparison by the metric of the plan. */
function pairLink(a, b) {
  return link({ view: "pair" in VIEWS ? "pair" : HOME, a: RUNS[a], b: RUNS[b], metric: planOf().metric }, named(RUNS[a]), " and ", named(RUNS[b]));
}

/** Whether the plan is for pairs with the baseline only. */
function isOfBaseline() {
  return DATA.baseline_given && RUNS.length > 2 && planOf().way === "probable";
}

/** A sentence that judging cannot change which run is better; empty if that is not guaranteed. */
function settledWords() {
  const states = plannedPairs().map((pair) => pair.found.state);
  if (states.length === 0 || !states.every((one) => ["A", "B", "equal"].includes(one))) return "";
  const { metric } = planOf();
  if (isOfBaseline()) return `Judging cannot change which runs are better than the baseline by ${metric}: the signs of these differences are guaranteed. Pairs without the baseline were not considered.`;
  const which = states.length === 1 ? "the sign of the difference is" : "the signs of all differences are";
  return `Judging cannot change which run is better by ${metric}: ${which} guaranteed.`;
}

/** Sentences on why no document is listed. */
function nothingToList() {
  const { metric, way } = planOf();
  if (way === "weight") return [`All retrieved documents that count in ${metric} are judged.`];
  const can = reversiblePair() === null ? "may" : "can";
  const why = topRows()[0].unjudged === 0 ? `The first ${MODELLED} documents of all runs are judged. Unjudged documents below rank ${MODELLED} ${can} still reverse a difference, but the model does not rank them.` : `A model of the present judgments expects no unjudged document among the first ${MODELLED} of these runs to change which run is better by ${metric}. Improbable judgments of these documents, or documents below rank ${MODELLED}, which the model does not rank, ${can} still reverse a difference.`;
  return [why, ...reversibleWords()];
}

/** The rows of the overview from the depth of the model on. */
function topRows() {
  const rows = rowsOf(DATA.collection.overview);
  return rows.slice(rows.findIndex((row) => row.of === `top ${MODELLED}`));
}

/** The command that lists documents below the depth of the model; null if there are no such documents. */
function deeperList() {
  const [top, ...below] = topRows();
  const last = below.filter((row) => row.documents > top.documents).pop();
  return last && planOf().way === "probable" ? element("p", {}, `For a list of documents down to rank ${last.of.replace("top ", "")}: `, planCall(last.of.replace("top ", ""))) : null;
}

/** Sentences on the pairs of runs that judging can reverse; pairs with the smallest examples are named. */
function reversiblePairs() {
  const { metric } = state();
  if (RUNS.length < 3 || DATA.pairs === null || METRICS[metric].diagnostic) return null;
  const [first, second] = ["a", "b"].map((side) => numbers(DATA.pairs.verdicts[side]));
  const size = (pair) => pair.known?.count ?? Infinity;
  const pairs = Array.from(first, (a, place) => ({ a, b: second[place], found: compared(metric, a, second[place]), known: reversalOf(metric, a, second[place]) }));
  const open = pairs.filter((pair) => pair.found.state === "reversible").sort((one, other) => (size(one) === size(other) ? Math.abs(one.found.difference) - Math.abs(other.found.difference) : size(one) - size(other)));
  const not = pairs.filter((pair) => pair.found.state === "unresolved").length;
  const of = `${counted(pairs.length, "pair")} ${pairs.length < DATA.pairs.p.shape[1] ? "with the baseline of the report" : "of runs"}`;
  const unresolved = not.toLocaleString("en");
  const more = not ? ` ${open.length ? `For ${unresolved} more` : `For ${unresolved} of ${of}`} it is not known whether judging can reverse them.` : "";
  const by = `can be reversed by judging, by ${METRICS[metric].name}`;
  if (open.length === 0) return element("p", {}, not ? `No pair of runs is known that ${by}.${more}` : `None of ${of} ${by}.`);
  const named_ = open.slice(0, NAMED_PAIRS).flatMap(({ a, b, known }, place) => [
    place ? "; " : ": ",
    link({ view: "pair", a: RUNS[a], b: RUNS[b] }, named(RUNS[a]), "–", named(RUNS[b])),
    known ? ` (${counted(known.count, "document")} in the example)` : "",
  ]);
  const ours = open.filter(({ a, b }) => [a, b].includes(DATA.baseline)).length;
  const part = !isOfBaseline() || pairs.length < RUNS.length ? "" : ` The list below is for pairs with the baseline ${visible(RUNS[DATA.baseline])} only: ${ours === open.length ? (ours === 1 ? "this is one" : "these are such pairs") : `${ours || "none"} of these`}.`;
  const others = open.length > NAMED_PAIRS ? `; and ${counted(open.length - NAMED_PAIRS, "other")}` : "";
  return element("p", {}, open.length === pairs.length ? `All ${of} ${by}` : `${open.length} of ${of} ${by}`, ...named_, `${others}.${part}${more}`);
}

/** The reversible pair of the plan with the smallest example or, without an example, the smallest difference. */
function reversiblePair() {
  const open = plannedPairs().filter((pair) => pair.found.state === "reversible");
  const size = (pair) => reversalOf(pair.metric, pair.a, pair.b)?.count ?? Infinity;
  open.sort((one, other) => size(one) - size(other) || Math.abs(one.found.difference) - Math.abs(other.found.difference));
  return open[0] ?? null;
}

/** For two runs: a sentence on the judgments that reverse the difference, or on its bounds. */
function reversibleWords() {
  const pair = reversiblePair();
  if (pair === null || RUNS.length > 2) return []; // for several runs, `reversiblePairs` names the pairs
  const { a, b, metric, found } = pair;
  const size = reversalWords(metric, a, b);
  const from = `now ${signed(found.difference)}`;
  return [" For example, the difference of ", pairLink(a, b), size ? `, ${from}: it is reversed${size}; the comparison lists them.` : `, ${from}: its bounds are ${between(found.low, found.high)}.`];
}

/** Sentences on a prediction without doubtful pairs, and on what the bounds still allow. */
function noDoubt() {
  if (!ofOnePair()) {
    const turned = planOf().reversals.map(([one, other]) => `${visible(one)} better than ${visible(other)}`);
    const against = turned.length ? ` Contrary to the present order, the model expects ${turned.join(", ")}.` : "";
    const improbable = reversiblePair() === null ? "" : ` Judgments that reverse ${turned.length ? "other" : "some of these"} pairs are possible (see above), but improbable under this model.`;
    return [`By a model of the present judgments, in ${plannedOf()} one run is better with at least 95 % probability after the first ${MODELLED} documents of these runs are judged. Therefore no document is listed.`, against, improbable];
  }
  const { a, b, metric } = state();
  const possible = compared(metric, a, b)?.state === "reversible" ? " Judgments that reverse the difference are possible, but improbable under this model, so no document is listed." : " Therefore no document is listed.";
  const reversal = planOf().reversals[0];
  if (reversal) return [`By a model of the present judgments, ${visible(reversal[0])} is better than ${visible(reversal[1])} after the first 100 documents of both runs are judged. This is the opposite of the present order.`, ...reversibleWords()];
  return [`${expectedWords(metric, a, b) || "By a model of the present judgments, it is decided which run is better."}${possible}`, ...reversibleWords()];
}

/** Sentences on the expected effect of judging the whole list. */
function effect(course) {
  const [first, last] = [course[0], course[course.length - 1]];
  const settled = settledWords();
  if (settled) return [`${settled}${isOfBaseline() ? "" : " Judging can only change the scores."}`];
  const judging = `Judging these ${counted(last.judged, "document")}`;
  if (planOf().way === "weight" && RUNS.length === 2) return [`${judging} is ${last.undecided < 0.5 && first.undecided > 0.5 ? "" : "not "}expected to decide which run is better, however the other unjudged documents are judged.`];
  const all = planOf().way === "weight" && last.judged < DATA.collection.next.budget && last.undecided < 0.5;
  if (all && RUNS.length > 2) return [`The list has all ${counted(last.judged, "unjudged document")} that can change ${planOf().metric}. ${first.undecided < 0.5 ? "They cannot change the order of any two runs." : `The order of ${counted(Math.round(first.undecided), "pair")} of runs can still change. After judging all listed documents, no order can change.`}`];
  if (planOf().way === "weight") return [`${judging} is expected to leave ${counted(Math.round(last.undecided), "pair")} of runs undecided${last.undecided === first.undecided ? ", the same number as now. It is not worthwhile if only the order of the runs matters." : ` instead of ${fixed(first.undecided, 0)}.`}`, ...undecidedWords(first.undecided, last.undecided)];
  if (ofOnePair()) return [`P(undecided), the probability that neither run is better with 95 % certainty, is ${percent(first.unresolved)} now, and ${percent(last.unresolved)} after judging these ${counted(last.judged, "document")}. P(wrong winner), the probability that the run with the higher score is not the better one, is ${percent(first.misordered)} now, and ${percent(last.misordered)} then.${first.unresolved - last.unresolved < LITTLE ? " Judging them is hardly worthwhile to decide which run is better." : ""}`];
  const [now, then] = [about(first.unresolved), about(last.unresolved)];
  const wrong = [about(first.misordered), about(last.misordered)];
  const are = (words) => (words === "none" || words.endsWith(" 1") || words.startsWith("less") ? "is" : "are");
  const known = [`Of ${plannedOf().replace("each of ", "")}, a model expects: now ${now} ${are(now)} unresolved (neither run is better with 95 % probability), and ${wrong[0]} ${are(wrong[0])} in the wrong order. With these ${counted(last.judged, "document")} judged, ${then} ${are(then)} ${now === then && now !== "none" ? "still " : ""}unresolved, and ${wrong[1]} in the wrong order.`];
  if (now === then && then !== "none") known.push(" Judging them is hardly worthwhile to decide which runs are better.");
  return [...known, ...idleWords(), ...leftWords()];
}

/** The number of listed documents down to the last one that is expected to have an effect. */
function resolving() {
  const { way, documents } = planOf();
  return way === "probable" ? documents.resolves.findLastIndex((one) => one >= NOTHING) + 1 : documents.document.length;
}

/** A sentence on documents at the end of the list that are expected to have no effect. */
function idleWords() {
  const [some, all] = [resolving(), planOf().documents.document.length];
  if (some === all) return [];
  if (some === 0) return [` Each of the ${all} documents alone is expected to resolve less than ${NOTHING} pairs.`];
  return [` The first ${some === 1 ? "document has" : `${some} documents have`} this effect; the other ${all - some} ${all - some === 1 ? "is" : "are"} each expected to resolve less than ${NOTHING} pairs.`];
}

/** A sentence on the pairs that will most likely stay unresolved. */
function leftWords() {
  const left = planOf().open_pairs.filter(([, , probability], place) => probability >= (place ? 0.5 : LITTLE));
  if (left.length === 0) return [];
  const each = left.flatMap(([a, b, probability], place) => [place ? "; " : "", pairLink(RUNS.indexOf(a), RUNS.indexOf(b)), ` (with probability ${percent(probability, 0)})`]);
  return [" Most likely unresolved then: ", ...each, "."];
}

/** A sentence that names the undecided pairs, if they are few and their number does not change. */
function undecidedWords(now, then) {
  const metric = METRICS.findIndex((entry) => entry.name === planOf().metric);
  if (metric < 0 || now !== then || now > NAMED_PAIRS) return [];
  const [low, high] = ["low", "high"].map((end) => (run) => mean(end, metric, run));
  const pairs = RUNS.flatMap((_, a) => RUNS.map((_run, b) => [a, b])).filter(([a, b]) => a < b && low(a) <= high(b) && low(b) <= high(a));
  return pairs.length === now && now > 0 ? [" Undecided: ", ...pairs.flatMap(([a, b], place) => [place ? "; " : "", pairLink(a, b)]), "."] : [];
}

/** An expected number of pairs in words. */
function about(expected) {
  return expected < 0.05 ? "none" : expected < 0.95 ? "less than one" : `about ${expected.toFixed(0)}`;
}

/** The pairs of the plan, in words. */
function plannedOf() {
  const { runs } = planOf();
  if (isOfBaseline()) return `each of the ${counted(pairsPlanned(), "pair")} with the baseline ${visible(RUNS[DATA.baseline])}`;
  return `each of the ${counted(pairsPlanned(), "pair")} of ${runs.length ? `the ${runs.length} best runs` : "runs"}`;
}

/** The number of pairs of the plan: all pairs, or the pairs with the baseline. */
function pairsPlanned() {
  const { runs } = planOf();
  const count = runs.length || RUNS.length;
  return DATA.baseline_given ? count - 1 : (count * (count - 1)) / 2;
}

function effortCurve(course) {
  const { way } = planOf();
  const lines = way === "weight" ? [["own", "undecided pairs", "undecided"]] : ofOnePair() ? [["own", "P(undecided)", "unresolved"], ["base", "P(wrong winner)", "misordered"]] : [["own", "unresolved pairs", "unresolved"], ["base", "misordered pairs", "misordered"]];
  const words = ofOnePair() ? (value) => `${Number((100 * value).toFixed(1))} %` : null;
  const series = lines.map(([kind, name, key]) => ({ kind, name, points: course.filter((row) => Number.isFinite(row[key])).map((row) => [row.judged, row[key], `${row.judged} judged: ${name} ${ofOnePair() ? percent(row[key]) : fixed(row[key], 1)}`]) }));
  const most = Math.max(...series.flatMap((one) => one.points.map((point) => point[1])), ofOnePair() ? 0.1 : 1);
  const last = course[course.length - 1].judged;
  const at = course.map((row) => row.judged).filter((_, place) => place % 2 === 0);
  return lineChart("Expected effect of judging the documents in the order of the list.", series, { x: [0, last], y: [0, most * 1.05], height: 220, xTitle: "judged documents", yTitle: ofOnePair() ? "probability" : "pairs of runs", xTicks: at, xWords: String, yWords: words });
}

/** A link from a listed document to its topic, with the run other than the baseline that ranks it highest. */
function documentLink(topic, name, finders) {
  const entry = DATA.rankings.topics[topic];
  const place = entry?.documents.indexOf(name) ?? -1;
  if (place < 0) return named(name);
  const [holder] = finders.map(([run]) => run).filter((run) => run !== state().baseline);
  return link({ view: "topic", topic: TOPICS[topic], document: name, run: RUNS[holder] ?? null }, named(name));
}

/** The documents of a plan, each with its finders: [run, rank] of the runs that rank it highest. */
function rowsOfPlan(plan) {
  return rowsOf({ ...plan.documents, finders: plan.finders });
}

/** The row of a document in the plans; undefined if no plan lists it. */
function planned(topic, name) {
  return DATA.collection.next.plans.flatMap(rowsOfPlan).find((row) => row.document === name && row.topic === TOPICS[topic]);
}

/** A description of a listed document, for the view Topic; empty if no plan lists it. */
export function plannedWords(topic, name) {
  const row = planned(topic, name);
  if (!row) return [];
  const [best] = row.finders;
  return [`to judge next: retrieved by ${counted(row.runs, "run")}, ${best ? "highest by " : `best rank ${row.best_rank}`}`, ...(best ? [runLink(best[0]), ` (rank ${best[1]})`] : [])];
}

/** The rank of a listed document in a run; 0 if the run did not retrieve it, null if unknown. */
export function plannedRank(topic, name, run) {
  const row = planned(topic, name);
  if (!row) return null;
  const found = row.finders.find((one) => one[0] === run);
  return found ? found[1] : row.finders.length === row.runs ? 0 : null;
}

function next() {
  const { metric, way, documents, course, notes } = planOf();
  const topics = new Map(TOPICS.map((name, topic) => [name, topic]));
  const columns = [
    { name: "Topic", csv: "topic", text: true, value: (row) => row.topic, show: (row) => (topics.has(row.topic) ? topicLink(topics.get(row.topic)) : named(row.topic)) },
    { name: "Document", csv: "document", text: true, heads: true, value: (row) => row.document, about: "A link opens the topic with the run that ranks the document highest, and highlights the document in the rankings. If its rank is below the ranks shown, it appears only in the panel.", show: (row) => documentLink(topics.get(row.topic), row.document, row.finders) },
    ...CHOSEN_BY[way].map((one) => ({ ...number(...one), about: one[1] === "resolves" && course.judged.length > 1 ? resolvesWords() : undefined })),
    { ...number("Runs", "runs", 0), narrow: true },
    number("Best rank", "best_rank", 0),
  ];
  const settled = settledWords();
  if (documents.document.length === 0) return element("div", {}, element("p", {}, ...(settled ? [settled] : nothingToList()), " ", POSSIBLE), settled ? null : deeperList());
  const expected = expectedRows();
  const list = table("next", `Documents to judge next, by ${metric}`, columns, rowsOfPlan(planOf()), { first: Math.min(FIRST_NEXT, resolving() || FIRST_NEXT), full: true }).made;
  // The notes of the plan are worded for several pairs.
  const said = ofOnePair() ? [...notes.filter((note) => !/^'(chance|relevant)' is/.test(note)), "Chance: probability of relevance. Resolves: by how much the document is expected to lower P(undecided). P(undecided): probability that neither run is better with 95 % certainty."] : notes.filter((note) => !SAID.test(note));
  // Notes on the columns of the folded table are folded with it.
  const ofSteps = expected.length < 2 ? [] : said.filter((note) => /^'(residual|score|undecided)'/.test(note));
  const items = (notes_) => element("ul", { class: "legend" }, ...notes_.map((note) => element("li", {}, named(asHeads(note)))));
  const legend = items([...said.filter((note) => !ofSteps.includes(note)), POSSIBLE]);
  if (expected.length > 0 && inNoDoubt(expected)) return element("div", {}, element("p", { class: "lead" }, ...(settled ? [settled] : noDoubt()), ...(settled ? [] : doubtsBeside(planOf().doubts)), " ", POSSIBLE));
  if (expected.length < 2) return element("div", {}, wayWords(), list, legend);
  const flat = way === "weight" && expected.every((row) => row.undecided === expected[0].undecided);
  const steps = table("course", "Expected effect of judging the documents", [number("Judged", "judged", 0), ...expectedColumns()], expected).made;
  return element("div", {}, element("p", { class: "lead" }, ...effect(expected)), wayWords(), element("div", { class: "abreast" }, list, element("div", {}, flat ? null : effortCurve(expected), element("details", {}, element("summary", {}, flat ? "Expected effect of judging them" : "Show as a table"), steps, ofSteps.length ? items(ofSteps) : null), legend)));
}
