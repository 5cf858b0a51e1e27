// Methods: date, command, versions, options, files, notes.

import { familiesOfTests, familyWords } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS, cell, isUnderestimated, option, textCounts } from "./data.js";
import { element, named, runLink, section } from "./elements.js";
import { table } from "./table.js";
import { counted, percent } from "./text.js";

const FIRST_FILES = 20;

export function methodsView() {
  const { versions, options, files, command, date } = DATA.made;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== false));
  return [
    element("h2", {}, "Methods"),
    element("p", {}, `${counted(RUNS.length, "run")}, ${counted(DATA.all_topics, "topic")}, ${counted(METRICS.length, "metric")}. Made on ${date}.`),
    DATA.pairs === null ? null : element("p", {}, `${familyWords()}. ${JUDGED ? `Bounds and verdicts assume that ${DATA.assumed}.` : "This report was made from scores. Bounds and verdicts need judgments and rankings."}`),
    testedTogether(),
    element("div", { class: "abreast" }, section("Before you send this page", beforeSending()), JUDGED ? section("Judged documents and results", completeness()) : null),
    command ? section("Command", element("pre", { tabindex: "0" }, named(command))) : null,
    section("Notes", DATA.notes.length ? element("ul", {}, ...DATA.notes.map((note) => element("li", {}, named(note)))) : element("p", {}, "none")),
    element("div", { class: "abreast" }, section("Options", list(given)), section("Versions", list(versions))),
    section("Files", files.length ? fileTable(files) : element("p", {}, "The data was given in memory.")),
  ];
}

/** The families of tests, which are corrected together. */
function testedTogether() {
  const items = familiesOfTests();
  return items.length ? section("Families of tests", element("p", {}, "p-values are corrected within each family:"), element("ul", {}, ...items.map((words) => element("li", {}, words)))) : null;
}

/** A list of what the page contains about topics, documents and files. */
function beforeSending() {
  const { topics, documents } = textCounts();
  const whole = DATA.texts.cut ? `, truncated to ${DATA.texts.length} characters (${counted(DATA.texts.cut, "text")})` : ", whole";
  const items = [
    `names of the runs${DATA.groups === null ? "" : " and of the groups of topics"}, and the scores of every run on every topic`,
    topics ? `texts of ${counted(topics, "topic")} (from ${option("topics_file")}${DATA.texts.of_runs ? " or the runs" : ""})` : "no texts of topics",
    documents ? `texts of ${counted(documents, "document")}${whole} (from ${option("documents")}${DATA.texts.of_runs ? " or the runs" : ""})` : "no texts of documents",
    ...(JUDGED ? [`names and labels of the first ${DATA.rankings.depth} documents of each ranking`, "name, label and ranks of every relevant document", DATA.collection.next.plans.some((plan) => plan.documents.topic?.length) ? "names of the documents to judge next" : "", DATA.examples?.length || DATA.flips?.rows.some((row) => row.example) ? "names and labels of documents, in examples of judgments that reverse a difference" : ""] : []),
    DATA.made.command ? "the command, with the names of its files" : "",
    DATA.made.files.length ? "names, sizes and checksums of the files, without their folders" : "",
  ];
  return element("div", {}, element("p", {}, "This page contains:"), element("ul", {}, ...items.filter(Boolean).map((words) => element("li", {}, words))), element("p", {}, "It loads nothing from a network."));
}

/** Sentences on the completeness of the judgments and of the runs. */
function completeness() {
  const judged = RUNS.map((_, run) => ({ run, share: cell(DATA.judged["10"], run) })).sort((one, other) => one.share - other.share);
  const empty = RUNS.map((_, run) => ({ run, count: DATA.empty[run].length })).filter((one) => one.count > 0).sort((one, other) => other.count - one.count);
  const few = METRICS.filter((one, metric) => RUNS.some((_, run) => isUnderestimated(metric, run))).map((metric) => metric.name);
  const items = [
    judged[0].share === 1 ? "The top 10 of every run is judged." : ["Judged in the top 10: at least ", percent(judged[0].share, 0), " (", runLink(judged[0].run), ")."],
    few.length ? `Some scores are probably underestimated, because few documents are judged: ${few.join(", ")}.` : "",
    empty.length ? [...empty.slice(0, 5).flatMap(({ run, count }, place) => [place ? "; " : "", runLink(run), ` has no results on ${counted(count, "topic")}`]), empty.length > 5 ? `; ${counted(empty.length - 5, "other run")} on fewer` : "", "."] : "Every run has results on every topic.",
    DATA.pairs === null || DATA.all_topics >= DATA.pairs.few_topics ? "" : `With fewer than ${DATA.pairs.few_topics} topics, no difference is reported as significant.`,
  ];
  return element("ul", {}, ...items.filter((words) => words !== "").map((words) => element("li", {}, ...[words].flat())));
}

function list(entries) {
  const pairs = Object.entries(entries).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, named(String(value)))]);
  return element("dl", { class: "record" }, ...pairs);
}

function fileTable(files) {
  const columns = [
    { name: "File", csv: "file", text: true, heads: true, value: (row) => row.file, show: (row) => named(row.file) },
    { name: "Bytes", csv: "bytes", value: (row) => row.bytes, show: (row) => row.bytes.toLocaleString("en") },
    { name: "SHA-256", csv: "sha256", text: true, narrow: true, value: (row) => row.sha256, show: (row) => element("code", {}, row.sha256) },
  ];
  return table("files", "Files and their checksums", columns, files, { first: FIRST_FILES }).made;
}
