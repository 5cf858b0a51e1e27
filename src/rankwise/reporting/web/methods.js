// Methods: date, command, versions, options, files, notes.

import { familyWords } from "./compared.js";
import { DATA, FEW_JUDGED, JUDGED, METRICS, RUNS, cell } from "./data.js";
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
    DATA.pairs === null ? null : element("p", {}, `${familyWords()}. ${JUDGED ? `Bounds and verdicts assume that ${DATA.assumed}.` : "The scores were computed elsewhere: without judgments and rankings there are no bounds, no verdicts and no rankings here."}`),
    section("Before you send this page", beforeSending()),
    command ? section("Command", element("pre", { tabindex: "0" }, named(command))) : null,
    section("Notes", DATA.notes.length ? element("ul", {}, ...DATA.notes.map((note) => element("li", {}, named(note)))) : element("p", {}, "none")),
    element("div", { class: "abreast" }, section("Options", list(given)), section("Versions", list(versions))),
    section("Files", files.length ? fileTable(files) : element("p", {}, "The data was given in memory.")),
  ];
}

/** What is in the page, and what a reader will ask first. */
function beforeSending() {
  if (!JUDGED) return element("p", {}, "It contains the scores of every run on every topic. File names are without folders, and nothing is loaded from a network.");
  const texts = [["topic", DATA.texts.topics], ["document", DATA.texts.documents]].map(([thing, found]) => [thing, Object.keys(found).length]).filter(([, count]) => count > 0);
  const judged = RUNS.map((_, run) => ({ run, share: cell(DATA.judged["10"], run) })).sort((one, other) => one.share - other.share);
  const empty = RUNS.map((_, run) => ({ run, count: DATA.empty[run].length })).filter((one) => one.count > 0);
  const items = [
    `It contains the scores of every run on every topic, the names and labels of the first ${DATA.rankings.depth} documents of each ranking, the name, label and ranks of every relevant document, the documents to judge next, ${texts.length ? "" : "and "}the command with the names of its files${texts.length ? `, and the texts of ${texts.map(([thing, count]) => counted(count, thing)).join(" and ")}` : ""}. File names are without folders, and nothing is loaded from a network.`,
    judged[0].share === 1 ? "The top 10 of every run is judged." : ["Judged in the top 10: at least ", percent(judged[0].share, 0), " (", runLink(judged[0].run), ")", judged[0].share < FEW_JUDGED ? ". Scores of runs with few judged documents are probably underestimated." : "."],
    empty.length ? [`Without results on some topics: ${counted(empty.length, "run")}, most often `, runLink(empty.sort((one, other) => other.count - one.count)[0].run), ` (${counted(empty[0].count, "topic")}).`] : "Every run has results on every topic.",
    DATA.pairs === null || DATA.all_topics >= DATA.pairs.few_topics ? "" : `With fewer than ${DATA.pairs.few_topics} topics no difference is called significant.`,
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
