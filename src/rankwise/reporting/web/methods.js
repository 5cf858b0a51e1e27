// Methods: date, command, versions, options, files, notes.

import { familyWords } from "./compared.js";
import { DATA, JUDGED, METRICS, RUNS } from "./data.js";
import { element, named, section } from "./elements.js";
import { table } from "./table.js";
import { counted } from "./text.js";

export function methodsView() {
  const { versions, options, files, command, date } = DATA.made;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== false));
  return [
    element("h2", {}, "Methods"),
    element("p", {}, `${counted(RUNS.length, "run")}, ${counted(DATA.all_topics, "topic")}, ${counted(METRICS.length, "metric")}. Made on ${date}.`),
    DATA.pairs === null ? null : element("p", {}, `${familyWords()}. ${JUDGED ? `Bounds and verdicts assume that ${DATA.assumed}.` : "The scores were computed elsewhere: without judgments and rankings there are no bounds, no verdicts and no rankings here."}`),
    command ? section("Command", element("pre", {}, named(command))) : null,
    section("Notes", DATA.notes.length ? element("ul", {}, ...DATA.notes.map((note) => element("li", {}, named(note)))) : element("p", {}, "none")),
    section("Options", list(given)),
    section("Versions", list(versions)),
    section("Files", files.length ? fileTable(files) : element("p", {}, "The data was given in memory.")),
  ];
}

function list(entries) {
  const pairs = Object.entries(entries).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, named(String(value)))]);
  return element("dl", { class: "record" }, ...pairs);
}

function fileTable(files) {
  const columns = [
    { name: "File", csv: "file", text: true, heads: true, value: (row) => row.file, show: (row) => named(row.file) },
    { name: "Bytes", csv: "bytes", value: (row) => row.bytes, show: (row) => row.bytes.toLocaleString("en") },
    { name: "SHA-256", csv: "sha256", text: true, value: (row) => row.sha256, show: (row) => element("code", {}, row.sha256) },
  ];
  return table("files", "Files and their checksums", columns, files).made;
}
