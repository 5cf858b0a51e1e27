// The first view for three or more runs: a leaderboard with a forest plot, all metrics, a heat map.

import { ASSUMPTION, MARKS_AND_INTERVALS, compared, disagreement, familyWords, guaranteed, intervalWords, isCorrected, isPredicted, mark, probableEnd, probableWords, reversalOf, stateTip } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, bestFirst, cell, level, mean, rankOf } from "./data.js";
import { extent, gridBelow, picture, scale, shape, text } from "./draw.js";
import { chooseMetric, chooseRun, element, info, link, named, runLink, section, toggle } from "./elements.js";
import { forestHead, forestRow, informative, isNarrow } from "./forest.js";
import { heatMap } from "./heat.js";
import { address, go, remember, state } from "./state.js";
import { table } from "./table.js";
import { between, counted, fixed, pWords, percent, short, shownScore, signed, visible } from "./text.js";

const FIRST_RUNS = 60; // rows shown first, so that the charts below are not far down
const FIRST_NARROW = 30; // rows on a narrow screen
const NAMED = 30; // most runs that are named in the panels of metrics
const DRAWN = 0.9; // of the runs must have informative bounds

export function leaderboard() {
  const { metric, filter, baseline } = state();
  const order = bestFirst(metric);
  const tier = topTier(metric, order[0]);
  const rows = order.map((run, place) => ({ run, place: place + 1, kind: [run === baseline ? "pinned" : "", tier.has(run) ? "tier" : ""].join(" ").trim() }));
  let sought = filter.toLowerCase();
  const keep = (row) => RUNS[row.run].toLowerCase().includes(sought);
  const pinned = (row) => RUNS.length > 1 && row.run === baseline;
  const board = table("leaderboard", `Leaderboard by ${METRICS[metric].name}`, columns(metric), rows, { keep, pinned, full: true, first: state().all ? Infinity : isNarrow() ? FIRST_NARROW : FIRST_RUNS, all: () => remember({ all: "1" }) });
  const find = element("input", {
    type: "search",
    value: filter,
    oninput: () => {
      sought = find.value.toLowerCase();
      remember({ filter: find.value });
      board.fill();
    },
  });
  if (RUNS.length > FIRST_NARROW) board.made.classList.add("many");
  const axes = [["score", "score"], ["difference", "difference"]];
  return [
    ...answer(metric, order, tier),
    element(
      "div",
      { class: "controls" },
      chooseMetric(),
      RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null,
      DATA.pairs === null || METRICS[metric].sum ? null : toggle("Axis", axes, state().axis, (key) => go({ axis: key === "score" ? null : key })),
      RUNS.length > 12 ? element("label", { class: "choice" }, element("span", {}, "Find a run"), find) : null,
      METRICS.length > 2 ? metricsShown(metric) : null,
    ),
    keys(metric, tier),
    board.made,
    METRICS.length > 1 && RUNS.length > 1 ? section("Does the order change with the metric?", multiples(metric, order)) : null,
    TOPICS.length > 1 ? section("Every run on every topic", heatMap(metric)) : null,
  ];
}

/**
 * The best run and the runs that are not significantly different from it; empty if it is not the baseline.
 *
 * All tests of this view therefore belong to one family, the comparisons with the chosen baseline.
 */
function topTier(metric, best) {
  if (DATA.pairs === null || METRICS[metric].diagnostic || state().baseline !== best) return new Set();
  return new Set(RUNS.map((_, run) => run).filter((run) => run === best || !compared(metric, run, best).significant));
}

/** The heading, which names the best run, and a sentence on the certainty of its rank. */
function answer(metric, order, tier) {
  const [best, second] = order;
  const entry = METRICS[metric];
  const also = order.filter((run) => run !== best && rankOf(metric, run) === 1);
  const names = also.length > 1 ? `${also.length} other runs` : also.map((run) => visible(RUNS[run]));
  const title = element("h2", {}, named(RUNS[best]), also.length ? [" and ", named(names), " are"] : " is", ` first of ${counted(RUNS.length, "run")} by ${entry.name}: ${shownScore(mean("value", metric, best), entry)}`);
  if (DATA.pairs === null || entry.diagnostic || second === undefined) return [title];
  const tests = tier.size ? againstBest(order, tier) : againstBaseline(metric, best);
  return [title, element("p", { class: "lead" }, ...tests, ...certainty(metric, order), element("span", { class: "narrow" }, ` ${firstBy(metric, best)}`))];
}

/** In brackets: whether the baseline was chosen by default, and the number of tests with it. */
function testsOf(baseline, choice = "") {
  const chosen = DATA.baseline_given || baseline !== DATA.baseline ? "" : `no baseline was given${choice}`;
  const words = [chosen, isCorrected() && RUNS.length > 2 ? counted(RUNS.length - 1, "test") : ""].filter(Boolean);
  return words.length ? ` (${words.join("; ")})` : "";
}

/** A sentence on the runs that are not significantly different from the best run, the baseline. */
function againstBest(order, tier) {
  const [best] = order;
  const near = order.filter((run) => run !== best && tier.has(run));
  const first = `Compared with the best run as baseline${testsOf(best)}, `;
  if (near.length === 0) return [first, RUNS.length > 2 ? "all other runs are significantly worse. " : "the other run is significantly worse. "];
  if (near.length === RUNS.length - 1) return [first, "no other run is significantly different. "];
  return [first, ...listed(near), ` not significantly different (shaded), and ${RUNS.length - 1 - near.length === 1 ? "the other run is" : "all others are"} significantly worse. `];
}

/** A sentence on the number of runs that differ significantly from a baseline other than the best run. */
function againstBaseline(metric, best) {
  const { baseline } = state();
  const found = RUNS.map((_, run) => compared(metric, run, baseline)).filter((pair) => pair?.significant);
  const up = found.filter((pair) => pair.better > 0).length;
  const rest = RUNS.length - 1 - found.length;
  return ["Compared with the baseline ", runLink(baseline), `${testsOf(baseline, `, so it is the best run by ${METRICS[0].name}`)}, ${up ? counted(up, "run") : "no run"} ${up === 1 || !up ? "is" : "are"} significantly better, ${found.length - up || "none"} significantly worse${rest ? `, and ${rest} not significantly different` : ""}. To test the first place, `, link({ baseline: RUNS[best] }, "choose ", named(RUNS[best]), " as baseline"), ". "];
}

/** The names of up to three runs, or the number of runs, followed by is or are. */
function listed(runs) {
  const names = runs.length > 3 ? [counted(runs.length, "run")] : runs.flatMap((run, place) => [place === 0 ? "" : place === runs.length - 1 ? " and " : ", ", named(RUNS[run])]);
  return [...names, runs.length === 1 ? " is" : " are"];
}

/** A sentence on whether the best run is first by other metrics too. */
function firstBy(metric, best) {
  const others = METRICS.map((_, place) => place).filter((place) => place !== metric && !METRICS[place].diagnostic);
  if (others.length === 0) return "";
  const not = others.filter((place) => rankOf(place, best) !== 1).map((place) => `${METRICS[place].name} (${visible(RUNS[bestFirst(place)[0]])})`);
  return not.length ? `Another run is first by ${not.join(", ")}.` : `${visible(RUNS[best])} is also first by ${others.length === 1 ? "the other metric" : others.length === 2 ? "both other metrics" : `all ${others.length} other metrics`}; choose a metric to see how certain its first place is.`;
}

/** Sentences on how judging the unjudged documents can change the first place. */
function certainty(metric, order) {
  if (!JUDGED) return [];
  const [best] = order;
  const found = order.slice(1).map((run) => ({ run, ...compared(metric, best, run) }));
  const count = (...states) => found.filter((pair) => states.includes(pair.state)).length;
  const [sure, open, not, unknown] = [found.filter((pair) => guaranteed(pair) > 0).length, count("reversible", "tie"), count("unresolved"), count("unknown")];
  const all = found.length;
  if (unknown === all) return ["Bounds were computed only for pairs with the baseline of the report."];
  if (sure + count("equal") === all) return [`On these topics, no judgments of the unjudged documents change the first place${count("equal") ? `, which is shared with ${counted(count("equal"), "run")}` : ""}${otherRanks(metric, best)}.`];
  const widest = () => boundsOf(metric, found.find((pair) => pair.state === "unresolved"));
  if (not === all) return [`Whether judging more documents can change the first place is not resolved: the bounds of all ${not} comparisons with the best run are too wide`, ...widest(), "."];
  const few = (count_) => (count_ === all ? `${all === 2 ? "both comparisons" : `${all > 1 ? "all " : ""}${counted(all, "comparison")}`} with the best run` : `${count_} of ${all} comparisons with the best run`);
  const parts = [
    open ? [`judging can reverse ${count("tie") ? "or equalise " : ""}${few(open)}`, ...sizeOf(metric, best, found)] : [],
    not ? [`${open ? not : few(not)} ${not === 1 ? "is" : "are"} not resolved`, ...(open ? [] : widest())] : [],
    unknown ? [`${unknown} ${unknown === 1 ? "was" : "were"} not computed`] : [],
    count("equal") ? [`${counted(count("equal"), "run")} ${count("equal") === 1 ? "stays" : "stay"} equal to the best run`] : [],
  ].filter((part) => part.length);
  const clauses = parts.flatMap((part, place) => [place ? "; " : "", ...part]);
  if (sure === 0) return ["Unjudged documents may change the first place: ", ...clauses, "."];
  return [`No matter how the unjudged documents are judged, the best run stays ahead of ${counted(sure, "run")}; `, ...clauses, "."];
}

/** In brackets: the smallest and the largest number of judgments in the known examples; without an example, the bounds of the closest pair. */
function sizeOf(metric, best, found) {
  const open = found.filter((pair) => ["reversible", "tie"].includes(pair.state));
  const known = open.map((pair) => ({ run: pair.run, count: reversalOf(metric, best, pair.run)?.count })).filter((pair) => pair.count);
  if (known.length === 0) return boundsOf(metric, open[0]);
  known.sort((one, other) => one.count - other.count);
  const [fewest, most] = [known[0], known[known.length - 1]];
  const pair = ({ run }) => link({ view: "pair", a: RUNS[run], b: RUNS[best] }, named(RUNS[run]));
  const number = ({ count }) => count.toLocaleString("en");
  return [` (${number(fewest)} unjudged ${fewest.count === 1 ? "document" : "documents"} judged relevant put `, pair(fewest), " ahead", ...(most === fewest ? [] : [`, ${number(most)} put `, pair(most), " ahead"]), `, in the example${known.length === 1 ? "" : "s"} on this page)`];
}

/** In brackets: the bounds of a run's difference from the best run. */
function boundsOf(metric, { run, low, high, difference }) {
  if (!Number.isFinite(low)) return [];
  const digits = METRICS[metric].sum ? 0 : 4;
  return [" (the difference from ", link({ view: "pair", a: RUNS[run], b: RUNS[state().baseline] }, named(RUNS[run])), `, now ${signed(difference, digits)}, has bounds ${between(low, high, digits)})`];
}

function metricsShown(current) {
  const { hidden } = state();
  const boxes = METRICS.map((metric, place) => {
    const change = () => {
      const names = new Set(hidden);
      if (box.checked) names.delete(metric.name);
      else names.add(metric.name);
      go({ hide: [...names] });
    };
    const box = element("input", { type: "checkbox", checked: !hidden.has(metric.name) || place === current, disabled: place === current, onchange: change });
    return element("label", {}, box, " ", metric.name);
  });
  return element("details", { class: "metrics", open: hidden.size > 0 }, element("summary", {}, "Metrics shown"), ...boxes);
}

/** The legend above the rows. */
function keys(metric, tier) {
  if (DATA.pairs === null || METRICS[metric].diagnostic) return null;
  const shaded = tier.size > 1 ? element("span", {}, element("span", { class: "look tier", "aria-hidden": "true" }), ` the best run, and ${counted(tier.size - 1, "run")} not significantly different from it`) : null;
  if (!JUDGED) {
    const about = info("marks", element("p", {}, `${marksFamily()}. Bounds and guarantees need judgments and rankings: this report was made from scores.`));
    return element("p", { class: "key" }, shaded, element("span", {}, element("span", { class: "sign up" }, "△"), " ", element("span", { class: "sign down" }, "▽"), " significantly better or worse than the baseline ", about), ranksKey(metric));
  }
  const against = state().axis === "difference" ? RUNS.filter((_, run) => run !== state().baseline && disagreement(compared(metric, run, state().baseline))).length : 0;
  const apart = against ? element("span", {}, `${against === 1 ? "1 interval disagrees with its mark" : `${against} intervals disagree with their marks`}: marks show the result of the test `, info("intervals and marks", element("p", {}, MARKS_AND_INTERVALS))) : null;
  const some = DATA.pairs.verdicts.a.shape[0] < DATA.pairs.p.shape[1] ? " Bounds were computed only for pairs with the baseline of the report." : "";
  const marks = info(
    "marks",
    element("p", {}, "▲ ▼ significantly better or worse than the baseline ", named(RUNS[state().baseline]), `, and guaranteed: no matter how the unjudged documents are judged, the difference on these topics keeps its sign. ${ASSUMPTION}`),
    element("p", {}, `△ ▽ significantly better or worse, but not guaranteed: judging the unjudged documents can reverse the difference or make both runs equal, or whether it can is not resolved.${some}`),
    element("p", {}, "No mark: not significantly different from the baseline. “Significant” is about other topics, “guaranteed” about unjudged documents."),
    element("p", {}, `${marksFamily()}.`),
  );
  return element(
    "p",
    { class: "key" },
    shaded,
    element("span", {}, element("span", { class: "sign up" }, "▲"), " ", element("span", { class: "sign down" }, "▼"), " significant, and guaranteed no matter how the unjudged documents are judged"),
    element("span", {}, element("span", { class: "sign up" }, "△"), " ", element("span", { class: "sign down" }, "▽"), " significant, but not guaranteed ", marks),
    ranksKey(metric),
    apart,
  );
}

/** The test of the marks, and the correction of other pairs. */
function marksFamily() {
  const { baseline } = state();
  const other = RUNS.length > 2 && isCorrected();
  return `${familyWords(`the ${RUNS.length - 1} comparisons with the baseline ${visible(RUNS[baseline])}`)}${other ? ". The view Pair has the same p for pairs with this baseline; it corrects the p of other pairs over all pairs" : ""}`;
}

/** A key that names the different families of tests of the marks and of the ranks. */
function ranksKey(metric) {
  if (RUNS.length < 3 || rankWords(metric, 0) === "") return null;
  const pairs = (RUNS.length * (RUNS.length - 1)) / 2;
  return element("span", { class: "narrow" }, `marks: ${RUNS.length - 1} tests with the baseline; ranks: intervals for all ${pairs.toLocaleString("en")} pairs of runs`);
}

function columns(metric) {
  const { baseline, hidden } = state();
  const first = [
    { name: "Rank", csv: "rank", narrow: true, value: (row) => row.place },
    { name: "Run", csv: "run", text: true, heads: true, value: (row) => RUNS[row.run], show: (row) => [runLink(row.run), row.kind.includes("pinned") && RUNS.length > 1 ? element("small", {}, " baseline") : ""] },
    scoreColumn(metric, baseline),
    forestColumn(metric, baseline),
    ...rankColumns(metric),
    ...written(metric),
    ...(JUDGED ? [judgedColumn()] : []),
  ];
  const others = METRICS.map((_, place) => place).filter((place) => place !== metric && !hidden.has(METRICS[place].name));
  return [...first, ...others.map((place) => ({ ...scoreColumn(place, baseline), narrow: true }))];
}

function judgedColumn() {
  return { name: "Judged@10", csv: "Judged@10", narrow: true, about: "Fraction of the first ten documents that are judged, averaged over topics.", value: (row) => cell(DATA.judged["10"], row.run), show: (row) => percent(cell(DATA.judged["10"], row.run), 0) };
}

/** Columns with the confidence limits of the ranks, without and with the effect of unjudged documents. */
function rankColumns(metric) {
  if (RUNS.length < 3 || rankWords(metric, 0) === "") return [];
  const of = (name) => ({ name, csv: name, written: true, value: (row) => cell(DATA.pairs.ranks[name], metric, row.run) });
  const both = ` In brackets, if different: the ranks that are also possible under any judgments of the unjudged documents, if ${DATA.assumed}.`;
  const pairs = (RUNS.length * (RUNS.length - 1)) / 2;
  const about = `${level()} confidence interval of the run's rank over the population of topics, simultaneous for all ${pairs.toLocaleString("en")} pairs of runs. The marks are of another family, the ${RUNS.length - 1} comparisons with the baseline: ranks can overlap where a mark shows a difference.${JUDGED ? both : ""}`;
  const seen = { ...of("lowest_rank"), name: "Ranks", written: false, narrow: true, about, show: (row) => rankWords(metric, row.run) };
  return [seen, ...["highest_rank", "lowest_rank_both", "highest_rank_both"].map(of)];
}

/** A clause on the ranks of the best run on other topics; empty if it can only be first. */
function otherRanks(metric, run) {
  const last = RUNS.length < 3 || DATA.pairs.ranks === null ? NaN : cell(DATA.pairs.ranks.highest_rank, metric, run);
  return last > 1 ? `; on other topics, the best run may have ranks ${cell(DATA.pairs.ranks.lowest_rank, metric, run)} to ${last}` : "";
}

function rankTip(metric, run) {
  const words = RUNS.length < 3 ? "" : rankWords(metric, run);
  return words === "" ? "" : `, ranks ${words}`;
}

function rankWords(metric, run) {
  const ranks = DATA.pairs?.ranks ?? null;
  if (ranks === null) return "";
  const span = (...names) => {
    const [low, high] = names.map((name) => cell(ranks[name], metric, run));
    return Number.isFinite(low) ? (low === high ? `${low}` : `${low}–${high}`) : "";
  };
  const [topics, both] = [span("lowest_rank", "highest_rank"), span("lowest_rank_both", "highest_rank_both")];
  return both === "" || both === topics ? topics : `${topics} (${both})`;
}

/** Columns of the csv with the numbers of the forest plot. */
function written(metric) {
  const of = (name) => ({ name, csv: name, written: true, value: (row) => mean(name, metric, row.run) });
  const found = ["conf_low", "conf_high", ...(JUDGED ? ["low", "high"] : [])].map(of);
  if (DATA.probable === null) return found;
  return [...found, ...["low", "high"].map((end) => ({ name: `probable_${end}`, written: true, value: (row) => probableEnd(end, metric, row.run) }))];
}

function forestColumn(metric, baseline) {
  const relative = state().axis === "difference" && DATA.pairs !== null && !METRICS[metric].sum;
  const found = RUNS.map((_, run) => (relative ? differenceOf(metric, run, baseline) : scoreOf(metric, run)));
  // Bounds of only some runs would mislead. Then probable ranges are drawn instead, if there are any.
  const said = JUDGED && found.filter((row) => row.informative).length >= DRAWN * (RUNS.length - Number(relative));
  const instead = !said && !relative && isPredicted(metric);
  const all = said ? found : found.map((row, run) => ({ ...row, least: instead ? probableEnd("low", metric, run) : NaN, most: instead ? probableEnd("high", metric, run) : NaN, probable: true }));
  const range = extent(all.flatMap((row) => [row.value, row.low, row.high, row.least, row.most]), { zero: relative, within: relative ? [-Infinity, Infinity] : METRICS[metric].range.map((end, place) => end ?? [-Infinity, Infinity][place]) });
  const about = [
    `Dot: ${relative ? `mean difference from the baseline ${visible(RUNS[baseline])}` : "mean over topics"}. Thick line: its ${level()} confidence interval${relative ? ` ${intervalWords(baseline)}` : ""}.`,
    !JUDGED ? "" : said ? `Thin line with ends: bounds, the lowest and the highest possible value if ${DATA.assumed}.` : `Bounds are not drawn: for more than a tenth of the runs they are wider than half of the range of ${METRICS[metric].name}${relative ? ", or were not computed." : ". The csv has them."}`,
    !isPredicted(metric) ? "" : `${instead ? "Dotted line with ends: probable range" : "The probable range is in the tips and the csv"}. ${probableWords()}`,
    relative ? MARKS_AND_INTERVALS : "The vertical line is the baseline.",
  ];
  const title = relative ? `${METRICS[metric].name}, difference from ${visible(RUNS[baseline])}${said || !JUDGED ? "" : ", bounds not informative"}` : `${METRICS[metric].name}, ${level()} interval${said ? " and bounds" : instead ? " and probable range" : JUDGED ? ", bounds not informative" : ""}`;
  const zero = relative ? 0 : RUNS.length > 1 ? mean("value", metric, baseline) : null;
  return { name: forestHead(range, title), forest: true, text: true, unsorted: true, about: about.filter(Boolean).join(" "), show: (row) => forestCell(range, all[row.run], zero, row.run, baseline) };
}

function forestCell(range, row, zero, run, baseline) {
  const made = forestRow(range, row, zero);
  if (DATA.pairs === null || run === baseline) return made;
  return element("a", { href: address({ view: "pair", a: RUNS[run], b: RUNS[baseline] }), "aria-label": `Compare ${visible(RUNS[run])} with ${visible(RUNS[baseline])}: ${row.tip}`, tabindex: "-1" }, made);
}

function scoreOf(metric, run) {
  const of = (name) => mean(name, metric, run);
  const digits = METRICS[metric].sum ? 0 : 4;
  const shown = informative(metric, of("low"), of("high"));
  const bounds = !JUDGED ? "" : shown ? `, bounds ${between(of("low"), of("high"), digits)}` : `, bounds not informative (${between(of("low"), of("high"), digits)})`;
  const probable = isPredicted(metric) ? `, probable range ${between(probableEnd("low", metric, run), probableEnd("high", metric, run), digits)}` : "";
  const tip = `${visible(RUNS[run])}: ${shownScore(of("value"), METRICS[metric])}, ${level()} interval ${between(of("conf_low"), of("conf_high"), digits)}${bounds}${probable}${rankTip(metric, run)}`;
  return { value: of("value"), low: of("conf_low"), high: of("conf_high"), least: of("low"), most: of("high"), informative: shown, tip, kind: run === state().baseline ? "base" : "" };
}

function differenceOf(metric, run, baseline) {
  const found = compared(metric, run, baseline);
  if (found === null) return { value: 0, low: NaN, high: NaN, least: NaN, most: NaN, kind: "base", tip: `${visible(RUNS[run])}: the baseline` };
  const shown = informative(metric, found.low, found.high);
  const bounds = Number.isNaN(found.low) ? "" : shown ? `, bounds ${between(found.low, found.high)}` : `, bounds not informative (${between(found.low, found.high)})`;
  const tip = `${visible(RUNS[run])}: ${signed(found.difference)}, ${level()} interval ${between(found.confLow, found.confHigh)}, ${pWords(found.corrected)} corrected${bounds}${stateTip(found, run, baseline)}${rankTip(metric, run)}`;
  return { value: found.difference, low: found.confLow, high: found.confHigh, least: found.low, most: found.high, informative: shown, tip };
}

function scoreColumn(metric, baseline) {
  const value = (row) => mean("value", metric, row.run);
  const show = (row) => [shownScore(value(row), METRICS[metric]), element("span", { class: "signs" }, mark(metric, row.run, baseline))];
  return { name: METRICS[metric].name, value, show };
}

/** One panel per metric, with the runs in the order by the chosen metric. */
function multiples(metric, order) {
  const tau = DATA.collection.agreement;
  const panels = METRICS.map((entry, place) => {
    const values = order.map((run) => mean("value", place, run));
    const words = place === metric ? "sorts the rows" : tau === null ? "" : `τ = ${fixed(cell(tau.values, metric, place), 2)}`;
    const head = element("p", {}, link({ metric: entry.name }, entry.name), element("small", {}, ` ${words}`));
    return element("div", {}, head, panel(place, order, values, order.length <= NAMED));
  });
  return element("div", {}, element("p", { class: "legend" }, `Rows are the runs, best by ${METRICS[metric].name} on top. Where a dot is further right${METRICS.some((entry) => entry.less) ? " (further left, if lower scores are better)" : ""} than the dot above it, that metric has these two runs in the opposite order.${tau === null ? "" : ` τ: Kendall's tau with ${METRICS[metric].name}.`}`), element("div", { class: `multiples tight${order.length <= NAMED ? " named" : ""}` }, ...panels));
}

function panel(metric, order, values, names) {
  const high = Math.max(2, Math.min(16, Math.floor((isNarrow() ? 260 : 420) / order.length)));
  const height = high * order.length + 34;
  const { baseline } = state();
  const ranks = bestFirst(metric);
  const paint = (width) => {
    const range = extent(values);
    const labelled = names && width >= 200;
    const left = labelled ? Math.min(110, width * 0.4) : 8;
    const toX = scale(...range, left, width - 8);
    const grid = gridBelow(toX, range, high * order.length + 6, width < 200 ? 3 : 4);
    const dots = order.map((run, row) => {
      if (!Number.isFinite(values[row])) return null;
      const kind = run === baseline ? "base" : run === ranks[0] ? "best" : "other";
      const tip = `${visible(RUNS[run])}: ${shownScore(values[row], METRICS[metric])}, rank ${ranks.indexOf(run) + 1} by ${METRICS[metric].name}, row ${row + 1}`;
      const y = (row + 0.5) * high + 2;
      const name = labelled ? text(left - 10, y + 4, short(RUNS[run], Math.floor(left / 7)), { "text-anchor": "end", "font-size": 11 }) : null;
      return shape("g", { tip }, name, shape("circle", { class: `dot ${kind}`, cx: toX(values[row]).toFixed(1), cy: y, r: Math.max(1.8, Math.min(4, high / 2.2)) }));
    });
    const line = shape("path", { class: "line other", d: values.map((value, row) => (Number.isFinite(value) ? `${row ? "L" : "M"}${toX(value).toFixed(1)} ${((row + 0.5) * high + 2).toFixed(1)}` : "")).join("").replace(/^L/, "M") });
    return [...grid, line, ...dots];
  };
  return picture(`${METRICS[metric].name} of all runs`, height, paint, { kind: "small" });
}
