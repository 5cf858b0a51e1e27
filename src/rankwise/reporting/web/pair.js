// Two runs: a card with the main result, then the difference by topic, all metrics, all topics.

import { MARKS, MARKS_AND_INTERVALS, acrossMetrics, acrossWords, betterWords, chanceOfBetter, comparedInGroup, comparedPair, disagreement, doubtsBeside, expectedOf, expectedWords, familyInGroups, familyOf, familyOfPair, familyWords, flipsOf, flipsWords, intervalWords, isCorrected, mark, otherFamilyWords, quotable, reversalOf, stateBadge, stateSentence, stateWords } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, better, cell, isUnderestimated, judgedShare, level, mean, score, titleOf } from "./data.js";
import { axisLeft, extent, legend, markLink, namesBelow, picture, scale, shape } from "./draw.js";
import { chooseGroup, chooseMetric, chooseRun, element, info, link, named, runInRole, runLink, section, titleCell, topicLink } from "./elements.js";
import { bothColumn, differenceColumn, differenceRow, forestHead, forestRow, informative } from "./forest.js";
import { address, state } from "./state.js";
import { endColumns, table } from "./table.js";
import { between, boundsText, chance, counted, fixed, pValue, pWords, percent, short, shownScore, signed, visible } from "./text.js";

const MOST_TOPICS = 200; // in a chart
const MOVED = 5; // topics listed in each direction
const NAMED_ZEROS = 8; // named topics whose score fell to 0

export function pairView() {
  const { metric, a, b, group } = state();
  const turn = link({ a: RUNS[b], b: RUNS[a] }, "swap");
  turn.setAttribute("aria-label", "Swap the two runs");
  const controls = element("div", { class: "controls" }, chooseRun("Run", "a"), chooseRun("Compared with", "b"), chooseMetric(), chooseGroup(), turn);
  const same = a === b;
  if (same) return [element("h2", {}, named(RUNS[a]), " and ", named(RUNS[b])), controls, element("p", { class: "lead" }, "Both are the same run. Choose another run.")];
  const found = group < 0 ? comparedPair(metric, a, b) : comparedInGroup(metric, group, a, b);
  if (found === null) return [element("h2", {}, named(RUNS[a]), " and ", named(RUNS[b])), controls, element("p", { class: "lead" }, "Groups were compared only for pairs with the baseline of the report.")];
  const rows = differences(metric, a, b, group);
  const everywhere = group < 0 ? "" : `, on all ${counted(TOPICS.length, "topic")}`;
  return [
    headline(metric, a, b, found, group),
    controls,
    card(metric, a, b, found, rows),
    section("Difference by topic", differenceChart(metric, a, b, found, rows)),
    METRICS.length > 1 ? section(`All metrics${everywhere}`, allMetrics(a, b)) : null,
    DATA.changes === null ? null : section(`Changes in the rankings${everywhere}`, changes()),
    section(group < 0 ? "All topics" : `All topics of ${visible(DATA.groups.names[group])}`, topicTable(metric, a, b, rows)),
  ];
}

/** The main result as a heading, which also names the chosen group of topics. */
function headline(metric, a, b, found, group) {
  const words = headlineWords(metric, a, b, found);
  const where = group < 0 ? [] : [`On ${visible(DATA.groups.names[group])} only: `];
  return element("h2", {}, ...where, ...words);
}

function headlineWords(metric, a, b, found) {
  const entry = METRICS[metric];
  const digits = entry.sum ? 1 : 4;
  const amount = `${signed(found.difference, digits)} ${entry.name}`;
  if (entry.diagnostic) return [named(RUNS[a]), " and ", named(RUNS[b]), `: ${amount}`];
  if (found.better === 0) return [named(RUNS[a]), " and ", named(RUNS[b]), ` have equal ${entry.name}`];
  const size = signed(Math.abs(found.difference), digits).replace("+", "");
  if (found.significant) return [markOf(found), named(RUNS[a]), ` is ${found.better > 0 ? "better" : "worse"} than `, named(RUNS[b]), ` by ${size} ${entry.name}`];
  return [named(RUNS[a]), ` is ${size} ${entry.name} ${found.difference > 0 ? "above" : "below"} `, named(RUNS[b]), ": not significant"];
}

function markOf(found) {
  const up = found.better > 0;
  const sure = found.state === "A" || found.state === "B";
  return element("span", { class: `sign ${up ? "up" : "down"}`, "aria-hidden": "true" }, `${MARKS[up ? "up" : "down"][Number(sure)]} `);
}

/** The card: the difference with its interval, sentences, wins, and the topics that changed most. */
function card(metric, a, b, found, rows) {
  const entry = METRICS[metric];
  if (entry.diagnostic) return element("p", { class: "lead" }, `${entry.name} is not tested, because it does not measure effectiveness.`);
  return element(
    "div",
    { class: "card" },
    element("div", { class: "verdict" }, scoresLine(metric, a, b, found), intervalPicture(metric, a, b, found), ...sentences(metric, a, b, found), tally(a, b, found)),
    element("div", { class: "movers" }, movers(metric, rows, a, b, -1), movers(metric, rows, a, b, 1)),
  );
}

function scoresLine(metric, a, b, found) {
  const entry = METRICS[metric];
  const { group } = state();
  const of = (run) => shownScore(group < 0 ? mean("value", metric, run) : cell(DATA.groups.means.value, metric, group, run), entry);
  const one = (run, kind) => element("span", {}, element("span", { class: `look dot ${kind}`, "aria-hidden": "true" }), " ", ...runInRole(run), " ", element("strong", {}, of(run)));
  const change = element("span", { class: "change" }, signed(found.difference, entry.sum ? 1 : 4));
  return element("p", { class: "scores" }, one(b, "base"), element("span", { "aria-hidden": "true" }, "→"), one(a, "own"), change);
}

/** The difference on an axis, with its interval and, if they are informative, its bounds. */
function intervalPicture(metric, a, b, found) {
  const shown = informative(metric, found.low, found.high);
  const ends = [found.difference, found.confLow, found.confHigh, ...(shown ? [found.low, found.high] : [])];
  const range = extent(ends, { zero: true, pad: 0.08 });
  const tip = `difference ${signed(found.difference)}, ${level()} interval ${between(found.confLow, found.confHigh)}${shown ? `, bounds ${boundsText(found.low, found.high)}` : ""}`;
  const row = { value: found.difference, low: found.confLow, high: found.confHigh, least: shown ? found.low : NaN, most: shown ? found.high : NaN, tip, kind: "large" };
  const less = METRICS[metric].less;
  const sides = element("div", { class: "sides", "aria-hidden": "true" }, element("span", {}, "← ", named(RUNS[less ? a : b]), " better"), element("span", {}, named(RUNS[less ? b : a]), " better →"));
  const words = [
    element("p", {}, `Dot: mean difference ${visible(RUNS[a])} − ${visible(RUNS[b])} over ${counted(found.topics, "topic")}. Thick line: its ${level()} confidence interval ${state().group < 0 ? intervalWords(familyOfPair(a, b)) : found.interval}: ${between(found.confLow, found.confHigh)}.`),
    element("p", {}, boundsWords(metric, found)),
    element("p", {}, `Effect size (Cohen's d_z) ${fixed(found.effect, 2)}.`),
  ];
  return element("div", { class: "interval-picture" }, forestHead(range, ""), forestRow(range, row, 0), sides, element("p", { class: "numbers" }, `${level()} interval ${between(found.confLow, found.confHigh)}`, shown ? ` · bounds ${boundsText(found.low, found.high)}` : Number.isFinite(found.low) ? " · bounds not informative" : "", " ", info("the interval", ...words)));
}

function boundsWords(metric, found) {
  if (!JUDGED) return "Bounds need judgments and rankings: this report was made from scores.";
  if (Number.isNaN(found.low)) return "Bounds were not computed for this pair.";
  const tight = found.gap === 0 || found.high - found.low < 1e-6 ? "tight" : "valid, but not tight";
  const words = `${between(found.low, found.high)} (${tight}), if ${DATA.pairs.verdicts.assumed}.`;
  return informative(metric, found.low, found.high) ? `Thin line: bounds of the difference, ${words}` : `Bounds are not drawn, because they are wider than half of the range of ${METRICS[metric].name}: ${words}`;
}

/** Sentences on the test, then on the unjudged documents, then on the existing judgments. */
function sentences(metric, a, b, found) {
  const { group } = state();
  const members = group < 0 ? familyOfPair(a, b) : familyInGroups(a, b);
  const family = familyOf(members, group);
  const corrected = family ? `; corrected over ${family}: ${pValue(found.corrected)}` : "";
  const tested = found.significant
    ? `Significant over ${counted(found.topics, "topic")} (${pWords(found.p)}${corrected}).`
    : `Not significant over ${counted(found.topics, "topic")} (${pWords(found.p)}${corrected}): other topics may give the opposite result.`;
  const lines = [element("p", {}, tested, " ", info("the test", element("p", {}, `${familyWords(familyOf(members, -1))}${group < 0 || !isCorrected() ? "" : `, and over the ${counted(DATA.groups.names.length, "group")}`}.${RUNS.length > 2 && isCorrected() ? ` Pairs with the baseline ${visible(RUNS[state().baseline])} are one family. The p of other pairs is corrected over all pairs. Choose the baseline on Leaderboard or Run.` : ""}`)))];
  const known = exampleOf(metric, a, b, found);
  const across = group < 0 ? acrossWords(metric, a, b) : "";
  if (across) lines.push(element("p", {}, across));
  const other = group < 0 ? otherFamilyWords(metric, a, b) : "";
  if (other) lines.push(element("p", { class: "legend" }, other));
  const apart = disagreement(found);
  if (apart) lines.push(element("p", { class: "legend" }, apart));
  if (JUDGED && (found.better !== 0 || found.state !== "unknown")) lines.push(element("p", {}, stateBadge(found), " ", ...stateSentence(found, [runLink(a), runLink(b)], known), " ", ...example(known, a)));
  const expected = group < 0 && ["reversible", "tie", "unresolved"].includes(found.state) && found.better !== 0 && DATA.probable === null ? expectedWords(metric, a, b) : "";
  if (expected) lines.push(element("p", {}, expected, ...doubtsBeside(expectedOf(metric, a, b).doubts)));
  const probable = chanceOfBetter(metric, a, b);
  if (Number.isFinite(probable)) lines.push(element("p", {}, "By a model of the present judgments, ", named(RUNS[a]), ` is better with probability ${chance(probable)} on these topics after the first ${DATA.probable.top} documents of each run are judged. `, info("the probability", element("p", {}, betterWords())), ...doubtsBeside(DATA.probable.doubts)));
  const flips = state().group < 0 ? flipsWords(metric, a, b) : "";
  if (flips) lines.push(element("p", {}, flips, " ", info("wrong judgments", element("p", {}, "The smallest number of existing judgments that can reverse the difference if their grades are changed. Unjudged documents stay unjudged. “At least” holds for any choice of judgments and grades.")), " ", ...wrongExample(metric, a, b, found.difference)));
  lines.push(lostLine(metric, a, b), JUDGED ? judgedLine(metric, a, b, found) : null, metricsLine(metric, a, b, found), groupsLine(metric, a, b), quoteLine(metric, a, b));
  return lines.filter(Boolean);
}

/** A sentence on whether other metrics have the same winner. */
function metricsLine(metric, a, b, found) {
  const others = METRICS.map((_, place) => place).filter((place) => place !== metric && !METRICS[place].diagnostic);
  if (others.length === 0 || found.better === 0 || state().group >= 0) return null;
  const pairs = others.map((place) => ({ name: METRICS[place].name, pair: comparedPair(place, a, b), lost: acrossMetrics(place, a, b) === false }));
  const listed = (sign) => pairs.filter(({ pair }) => pair.better === sign * found.better).map(({ name, pair, lost }) => `${name} (${pair.significant ? "" : "not "}significantly${pair.significant && lost ? "; not after correction across metrics" : ""})`);
  const [same, against] = [listed(1), listed(-1)];
  const all = others.length === 1 ? "The other metric has" : others.length === 2 ? "Both other metrics have" : `All ${others.length} other metrics have`;
  if (against.length === others.length) return element("p", {}, `${all} the opposite winner: ${against.join(", ")}.`);
  const agreeing = `${same.length === others.length ? all : `${same.length || "None"} of ${counted(others.length, "other metric")} ${same.length > 1 ? "have" : "has"}`} the same winner${same.length ? `: ${same.join(", ")}` : ""}`;
  return element("p", {}, agreeing, against.length ? `; the opposite: ${against.join(", ")}` : "", ".");
}

/** The result in sentences to copy into a paper. */
function quoteLine(metric, a, b) {
  const words = state().group < 0 ? quotable(metric, a, b) : "";
  if (!words) return null;
  const turned = words.startsWith(`${RUNS[b]} `) ? element("p", { class: "legend" }, `The sentence is that of rankwise compare: its difference is ${visible(RUNS[b])} − ${visible(RUNS[a])}, the opposite of the difference above.`) : null;
  return element("details", { class: "quote" }, element("summary", {}, "Sentence for a paper"), element("p", {}, visible(words)), turned);
}

/** A sentence on the groups of topics on which run a is worse, with a link to the groups. */
function groupsLine(metric, a, b) {
  if (DATA.groups === null || DATA.groups.pairs === null || state().group >= 0) return null;
  const found = DATA.groups.names.map((name, group) => ({ name, pair: comparedInGroup(metric, group, a, b) }));
  if (found.some((one) => one.pair === null)) return null;
  const sign = METRICS[metric].less ? -1 : 1;
  const worse = found.filter((one) => one.pair.better < 0).sort((one, other) => sign * (one.pair.difference - other.pair.difference));
  const listed = (significant) => worse.filter((one) => one.pair.significant === significant).map((one) => `${visible(one.name)} ${signed(one.pair.difference, 3)}`).join(", ");
  const clauses = [["significantly worse on ", listed(true)], ["worse, not significantly, on ", listed(false)]].filter(([, names]) => names).map((clause) => clause.join(""));
  return element("p", {}, link({ view: "groups" }, counted(found.length, "group")), clauses.length ? `: ${clauses.join("; ")}.` : ": none got worse.");
}

/** For two runs: the number of topics without results, or with score 0, of the new run but not of the baseline. */
function lostLine(metric, a, b) {
  if (RUNS.length !== 2 || b !== DATA.baseline || state().group >= 0) return null;
  const lost = TOPICS.filter((_, topic) => isEmpty(a, topic) && !isEmpty(b, topic)).length;
  const words = [`${lost ? counted(lost, "topic") : "No topic"} lost all its results`];
  if (METRICS[metric].less) return element("p", {}, `${words[0]}.`);
  const zero = TOPICS.map((_, topic) => topic).filter((topic) => score(metric, a, topic) === 0 && score(metric, b, topic) > 0);
  const links = zero.slice(0, NAMED_ZEROS).flatMap((topic, place) => [place ? ", " : ": ", topicLink(topic, { run: RUNS[a], against: RUNS[b] })]);
  const rest = zero.length > NAMED_ZEROS ? ` and ${zero.length - NAMED_ZEROS} more` : "";
  return element("p", {}, `${words[0]}; ${zero.length ? counted(zero.length, "score") : "no score"} fell to 0`, ...links, `${rest}.`);
}

/** A sentence on why the bounds differ although all documents down to the cutoff are judged. */
function belowCutoff(metric, a, b, found) {
  const { cutoff, ideal } = METRICS[metric];
  if (!ideal || found.high - found.low < 1e-6 || [a, b].some((run) => judgedShare(metric, run, state().group) < 1)) return "";
  return ` The bounds still differ, because relevant documents below rank ${cutoff} would change the ideal ranking and thereby the score.`;
}

function judgedLine(metric, a, b, found) {
  const { group } = state();
  const share = (run) => percent(judgedShare(metric, run, group), 0);
  const few = [b, a].filter((run) => isUnderestimated(metric, run, group));
  const warning = few.length === 0 ? [] : [" ", element("strong", {}, "Unjudged documents count as not relevant: the score of ", ...few.flatMap((run, place) => (place ? [" and of ", named(RUNS[run])] : [named(RUNS[run])])), " is probably underestimated.")];
  const where = group < 0 ? "" : ` on the topics of ${visible(DATA.groups.names[group])}`;
  const deep = METRICS[metric].name.includes("@") || group >= 0 ? [] : [" In the top 100: ", named(RUNS[b]), ` ${percent(cell(DATA.judged["100"], b), 0)}, `, named(RUNS[a]), ` ${percent(cell(DATA.judged["100"], a), 0)}; ${METRICS[metric].name} counts documents at all ranks.`];
  return element("p", {}, `Judged in the top ${METRICS[metric].cutoff}${where}: `, named(RUNS[b]), ` ${share(b)}, `, named(RUNS[a]), ` ${share(a)}.`, ...deep, belowCutoff(metric, a, b, found), ...warning);
}

/** An example of judgments that reverse the difference; null if the page has none. */
function exampleOf(metric, a, b, found) {
  if (found.state !== "reversible" || state().group >= 0) return null;
  return reversalOf(metric, a, b);
}

/** The judgments of an example, to open. */
function example(one, a) {
  if (one === null) return [];
  const judgments = one.topics.flatMap(({ topic, documents }) => documents.map((document) => ({ topic, document, label: null, other: one.grade })));
  return [reversing("unjudged", one, a, `With ${judgments.length === 1 ? "this document" : "these documents"} judged`, judgments, one.now)];
}

/** An example of existing judgments that would have to be wrong, to open. */
function wrongExample(metric, a, b, now) {
  const one = flipsOf(metric, a, b);
  if (!one?.example) return [];
  const judgments = one.example.judgments.map(([topic, document, label, other]) => ({ topic, document, label, other }));
  const sign = one.a === a ? 1 : -1;
  return [reversing("wrong", { a: one.a, reversed: one.example.reversed }, a, `With ${judgments.length === 1 ? "this label" : "these labels"} changed`, judgments, sign * now)];
}

/** Details to open: the difference before and after these judgments, and each document with its labels. */
function reversing(id, { a: first, reversed }, a, start, judgments, now) {
  const sign = first === a ? 1 : -1;
  const { metric } = state();
  const made = element("details", { class: "example" }, element("summary", {}, `The ${counted(judgments.length, "judgment")} of the example`));
  const fill = () => {
    const columns = [
      { name: "Topic", csv: "topic", text: true, value: (row) => TOPICS[row.topic] ?? "", show: (row) => (row.topic in TOPICS ? topicLink(row.topic) : "") },
      { name: "Document", csv: "document", text: true, heads: true, value: (row) => row.document, show: (row) => (isShown(row) ? topicLink(row.topic, { run: RUNS[state().a], against: RUNS[state().b], document: row.document }, row.document) : named(row.document)) },
      { name: "Label now", csv: "label", value: (row) => row.label ?? NaN, show: (row) => row.label ?? "not judged" },
      { name: "Label that reverses", csv: "reversing_label", value: (row) => row.other },
    ];
    const words = `${start}, the difference in ${METRICS[metric].name} changes from ${signed(sign * now)} to ${signed(sign * reversed)}.`;
    made.append(element("p", {}, words), table(`${id}-judgments`, "Judgments that reverse the difference", columns, judgments, { first: 10 }).made);
  };
  made.addEventListener("toggle", fill, { once: true });
  return made;
}

/** Whether the topic view has this document. */
function isShown({ topic, document }) {
  return DATA.rankings.topics[topic]?.documents.includes(document) ?? false;
}

/** Wins, ties and losses as one bar. */
function tally(a, b, found) {
  const ties = found.topics - found.wins - found.losses;
  const part = (count, kind, words) => {
    const made = element("span", { class: kind, "data-tip": words }, count / Math.max(1, found.topics) > 0.06 ? String(count) : "");
    made.style.flexGrow = count;
    return count ? made : null;
  };
  const words = [counted(found.wins, "win"), counted(ties, "tie"), found.losses === 1 ? "1 loss" : `${found.losses} losses`].join(", ");
  return element(
    "div",
    { class: "tally" },
    element("div", { class: "bar", role: "img", "aria-label": words }, part(found.losses, "base", `${visible(RUNS[b])} better on ${found.losses}`), part(ties, "ties", `equal on ${ties}`), part(found.wins, "own", `${visible(RUNS[a])} better on ${found.wins}`)),
    element("p", { class: "numbers" }, named(RUNS[a]), `: ${words} on ${counted(found.topics, "topic")}`),
  );
}

function differences(metric, a, b, group) {
  const topics = group < 0 ? TOPICS.map((_, topic) => topic) : DATA.groups.topics[group].filter((topic) => topic in TOPICS);
  return topics.map((topic) => {
    const [one, other] = [score(metric, a, topic), score(metric, b, topic)];
    return { topic, one, other, difference: one - other };
  });
}

/** Whether a run returned nothing for a topic. */
function isEmpty(run, topic) {
  return DATA.empty[run].includes(topic);
}

/** The topics with the largest losses (sign −1) or gains (1); topics without results come first. */
function movers(metric, rows, a, b, sign) {
  const side = rows.filter((row) => better(metric, row.difference) === sign);
  const loser = sign < 0 ? a : b;
  const first = (row) => Number(!isEmpty(loser, row.topic));
  side.sort((one, other) => first(one) - first(other) || Math.abs(other.difference) - Math.abs(one.difference));
  const nothing = side.filter((row) => isEmpty(loser, row.topic)).length;
  const shown = side.slice(0, Math.max(MOVED, Math.min(nothing, 8)));
  const widest = Math.max(1e-9, ...rows.map((row) => Math.abs(row.difference) || 0));
  const title = sign < 0 ? "Got worse" : "Got better";
  const lines = shown.map((row) => {
    const bar = element("span", { class: `change-bar ${sign < 0 ? "base" : "own"}`, "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.abs(row.difference)) / widest}%`;
    const tags = [isEmpty(loser, row.topic) ? element("span", { class: "badge open" }, "no results") : null, groupTag(row.topic)];
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, topicLink(row.topic, { run: RUNS[a], against: RUNS[b] }), " ", titleOf(row.topic) ? named(titleOf(row.topic)) : "", " ", ...tags.flatMap((tag) => (tag ? [tag, " "] : []))),
      element("td", { class: "number" }, `${fixed(row.other, 3)} → ${fixed(row.one, 3)}`),
      element("td", { class: "bar-cell" }, bar),
      element("td", { class: "number" }, signed(row.difference, 3)),
    );
  });
  const count = `${title} on ${counted(side.length, "topic")}`;
  const rest = nothing ? `, ${nothing} without results` : "";
  return element("div", {}, element("h3", {}, count, rest), lines.length ? element("table", { class: "moved" }, element("tbody", {}, ...lines)) : element("p", {}, "none"), side.length > shown.length ? element("p", { class: "legend" }, `and ${side.length - shown.length} more, below`) : null);
}

function groupTag(topic) {
  if (DATA.groups === null) return null;
  const place = DATA.groups.topics.findIndex((topics) => topics.includes(topic));
  return place < 0 ? null : element("span", { class: "badge unknown" }, named(DATA.groups.names[place]));
}

function differenceChart(metric, a, b, found, all) {
  if (METRICS[metric].sum) return element("p", {}, "No chart: this metric is summed over topics, not averaged.");
  const known = all.filter((row) => Number.isFinite(row.difference));
  const sorted = [...known].sort((one, other) => other.difference - one.difference);
  const shown = sorted.length <= MOST_TOPICS ? sorted : [...sorted.slice(0, MOST_TOPICS / 2), ...sorted.slice(-MOST_TOPICS / 2)];
  const bounds = topicBounds(metric, a);
  const drawn = bounds !== null && shown.every((row) => bounds(row.topic).every(Number.isFinite)) && informative(metric, 0, shown.reduce((sum, row) => sum + bounds(row.topic)[1] - bounds(row.topic)[0], 0) / shown.length);
  const range = extent([...shown.flatMap((row) => [row.difference, ...(drawn ? bounds(row.topic) : [])]), found.confLow, found.confHigh], { zero: true });
  const whiskers = drawn && shown.some((row) => bounds(row.topic)[1] - bounds(row.topic)[0] > 0.005);
  const height = 300;
  const paint = (width) => {
    const left = 54;
    const wide = (width - left) / Math.max(1, shown.length);
    const names = namesBelow(shown.map((row) => visible(TOPICS[row.topic])), wide);
    const bottom = height - names.room;
    const toY = scale(...range, bottom, 8);
    const bars = shown.map((row, place) => {
      const side = { 1: "own", "-1": "base", 0: "ties" }[better(metric, row.difference)];
      const [x, y, zero] = [left + place * wide, toY(row.difference), toY(0)];
      const title = titleOf(row.topic);
      const tip = `${visible(TOPICS[row.topic])}${title ? ` ${visible(title)}` : ""}: ${fixed(row.other)} → ${fixed(row.one)}, ${signed(row.difference)}${drawn ? `, bounds ${boundsText(...bounds(row.topic))}` : ""}${isEmpty(a, row.topic) ? `; no results of ${visible(RUNS[a])}` : ""}${isEmpty(b, row.topic) ? `; no results of ${visible(RUNS[b])}` : ""}`;
      const middle = x + wide / 2;
      const whisker = drawn && bounds(row.topic)[1] - bounds(row.topic)[0] > 1e-6 ? whiskerOver(middle, Math.min(4, wide / 4), ...bounds(row.topic).map(toY)) : null;
      return markLink(
        address({ view: "topic", topic: TOPICS[row.topic], run: RUNS[a], against: RUNS[b] }),
        tip,
        shape("rect", { class: "hit", x, y: 8, width: wide, height: bottom - 8 }),
        shape("rect", { class: side, x: x + wide * 0.1, width: Math.max(1, wide * 0.8), y: Math.min(y, zero), height: Math.max(1, Math.abs(y - zero)) }),
        ...(whisker ?? []),
        names.draw(place, middle, bottom),
      );
    });
    const interval = Number.isFinite(found.confLow) ? shape("rect", { class: "interval-band", x: left, width: width - left, y: toY(found.confHigh), height: Math.max(1, toY(found.confLow) - toY(found.confHigh)) }) : null;
    return [interval, ...axisLeft(toY, range, width, { left, title: `difference in ${METRICS[metric].name}` }), ...bars, shape("line", { class: "mean", x1: left, x2: width, y1: toY(found.difference), y2: toY(found.difference) })];
  };
  const cut = shown.length < sorted.length ? ` The chart has the ${shown.length} topics at both ends.` : "";
  const label = `${METRICS[metric].name} of ${visible(RUNS[a])} minus that of ${visible(RUNS[b])} by topic, largest first. Dashed line: mean; band: its ${level()} confidence interval.${whiskers ? " Thin lines: bounds." : ""}${cut} Click a bar to open its topic.`;
  const keys = legend([["own", `${visible(RUNS[a])} better`], ["base", `${visible(RUNS[b])} better`]]);
  return element("div", {}, keys, picture(label, height, paint));
}

/** A thin line with ends, and an outline that keeps it visible on a bar. */
function whiskerOver(x, half, from, to) {
  const d = `M${x} ${from}V${to}M${x - half} ${from}H${x + half}M${x - half} ${to}H${x + half}`;
  return ["bounds outline", "bounds over"].map((kind) => shape("path", { class: kind, d }));
}

/** A function that returns the bounds of the difference on a topic; null without bounds, which only a report on two runs has. */
function topicBounds(metric, a) {
  const columns = DATA.topic_bounds;
  if (columns === null || columns === undefined || METRICS[metric].diagnostic) return null;
  const turned = columns.a !== a;
  return (topic) => {
    const [low, high] = [cell(columns.low, metric, topic), cell(columns.high, metric, topic)];
    return turned ? [-high, -low] : [low, high];
  };
}

/** Similarity of the rankings of two runs, and the topics that changed most. */
function changes() {
  const columns = [
    { name: "Measure", csv: "measure", text: true, heads: true, value: (row) => row.measure },
    { name: "Mean", csv: "mean", value: (row) => row.value ?? NaN, show: (row) => fixed(row.value ?? NaN) },
    ...endColumns("95 % interval", ["conf_low", "conf_high"], (row) => row.low ?? NaN, (row) => row.high ?? NaN),
  ];
  const measures = table("changes", "Similarity of the rankings, averaged over topics", columns, DATA.changes.measures, { full: true }).made;
  const items = DATA.changes.topics.map((row) => element("li", {}, topicLink(row.topic), " ", titleOf(row.topic) ? named(titleOf(row.topic)) : "", element("small", { class: "role" }, ` RBO ${fixed(row.rbo, 2)}`)));
  const words = `RBO: rank-biased overlap (p = ${DATA.changes.p}); RBA: rank-biased alignment; RBR: rank-biased recall; KTU: Kendall's tau of the union; changed@k: fraction of topics whose top k changed. Higher values mean more similar rankings, except for changed@k. The measures need no judgments. rankwise diff also shows the largest difference in scores under any judgments.`;
  const most = element("div", {}, element("p", {}, "Topics whose rankings changed most"), element("ol", {}, ...items), element("p", { class: "legend" }, words));
  return element("div", { class: "abreast" }, measures, most);
}

function allMetrics(a, b) {
  const rows = METRICS.map((entry, metric) => ({ entry, metric, found: comparedPair(metric, a, b) }));
  const of = (name, csv, value, show) => ({ name, csv, value: (row) => value(row), show: (row) => show(value(row), row) });
  const inUnits = rows.filter((row) => !row.entry.diagnostic && !row.entry.sum && row.entry.range[1] !== null);
  const pictures = new Map(inUnits.map(({ entry, metric, found }) => [metric, differenceRow(metric, entry.name, found, a, b)]));
  const number = (name, value) => ({ name, csv: name, written: true, value });
  const columns = [
    { name: "Metric", csv: "metric", text: true, heads: true, value: (row) => row.entry.name, show: (row) => link({ metric: row.entry.name }, row.entry.name) },
    { ...of(short(RUNS[b]), "mean_b", (row) => mean("value", row.metric, b), (value, row) => shownScore(value, row.entry)), narrow: true },
    { ...of(short(RUNS[a]), "mean_a", (row) => mean("value", row.metric, a), (value, row) => shownScore(value, row.entry)), narrow: true },
    { name: "Difference", csv: "difference", value: (row) => row.found.difference, show: (row) => [signed(row.found.difference, row.entry.sum ? 0 : 4), element("span", { class: "signs" }, mark(row.metric, a, b, row.found))] },
    differenceColumn(a, b, (row) => pictures.get(row.metric), rows, ` ${MARKS_AND_INTERVALS}`),
    ...["confLow", "confHigh", ...(JUDGED ? ["low", "high"] : [])].map((key, place) => number(["conf_low", "conf_high", "low", "high"][place], (row) => row.found[key])),
    { ...of("p", "p", (row) => row.found.p, pValue), narrow: true },
    ...(RUNS.length > 2 ? [{ ...of("p, corrected", "corrected_p", (row) => row.found.corrected, pValue), about: isCorrected() ? `Corrected over ${familyOf(familyOfPair(a, b), -1)}, separately for each metric.` : undefined, narrow: true }] : []),
    ...(DATA.probable === null ? [] : [{ ...of("P(better)", "probability_a_better", (row) => chanceOfBetter(row.metric, a, b), chance), about: `${visible(RUNS[a])} against ${visible(RUNS[b])}. ${betterWords()}`, narrow: true }]),
    { name: "Wins / losses", csv: "wins", narrow: true, value: (row) => row.found.wins, show: (row) => (row.entry.diagnostic ? "–" : `${row.found.wins} / ${row.found.losses}`) },
    number("losses", (row) => row.found.losses),
    ...(JUDGED ? [{ name: "Unjudged documents", csv: "verdict", text: true, narrow: true, value: (row) => verdictWords(row, a, b), show: (row) => (row.entry.diagnostic ? "not tested" : stateBadge(row.found)) }] : []),
  ];
  return table("metrics", "Both runs by all metrics", columns, rows, { full: true }).made;
}

function verdictWords(row, a, b) {
  if (row.entry.diagnostic) return "not tested";
  const { found } = row;
  const test = !found.significant ? "not significant" : `${RUNS[found.better > 0 ? a : b]} significantly better`;
  return `${test}; ${stateWords(found, a, b)}`;
}

function topicTable(metric, a, b, rows) {
  const titles = TOPICS.some((_, topic) => titleOf(topic));
  const columns = [
    { name: "Topic", csv: "topic", text: true, heads: true, value: (row) => TOPICS[row.topic], show: (row) => topicLink(row.topic) },
    ...(titles ? [{ name: "Title", csv: "title", text: true, value: (row) => titleOf(row.topic), show: (row) => titleCell(row.topic) }] : []),
    { name: short(RUNS[b]), csv: RUNS[b], narrow: true, value: (row) => row.other, show: (row) => fixed(row.other) },
    { name: short(RUNS[a]), csv: RUNS[a], narrow: true, value: (row) => row.one, show: (row) => fixed(row.one) },
    { name: "Difference", csv: "difference", value: (row) => row.difference, show: (row) => signed(row.difference) },
    bothColumn(metric, a, b, rows),
  ];
  const sign = METRICS[metric].less ? -1 : 1;
  const worstFirst = [...rows].sort((one, other) => sign * (one.difference - other.difference) || one.topic - other.topic);
  return table("differences", `${METRICS[metric].name} by topic: ${counted(rows.length, "topic")}, worst for ${short(RUNS[a])} first`, columns, worstFirst, { full: true }).made;
}
