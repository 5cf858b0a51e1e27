// Agreement of several judges on documents and on runs.

import { DATA, METRICS } from "./data.js";
import { axisBelow, axisLeft, extent, markLink, picture, scale, shape, text, ticks } from "./draw.js";
import { chooseMetric, element, named, section } from "./elements.js";
import { address, state } from "./state.js";
import { endColumns, table } from "./table.js";
import { fixed, short, visible } from "./text.js";

const NAMED = 12; // most runs that are named in the chart
const FIRST_STATISTICS = 16;
const LETTER = 7; // pixels

export function judgesView() {
  const { judges } = DATA;
  const head = element("h2", {}, "Agreement of judges");
  if (judges.why) return [head, element("p", {}, `The agreement could not be computed: ${visible(judges.why)}`)];
  return [
    head,
    element("p", { class: "lead" }, named(judges.sentence)),
    element(
      "div",
      { class: "abreast" },
      element("div", {}, section("Documents by the grades of two judges", confusion()), section("Agreement on documents", statistics())),
      section("Runs under two judges", element("div", { class: "controls" }, chooseMetric()), systems(), tau()),
    ),
    section("Notes", element("ul", { class: "legend" }, ...judges.notes.map((note) => element("li", {}, named(note))))),
  ];
}

function confusion() {
  const { confusion: rows, judges } = DATA.judges;
  const grades = [...new Set(rows.map((row) => row.first_grade))].sort((one, other) => one - other);
  const columns = [...new Set(rows.map((row) => row.second_grade))].sort((one, other) => one - other);
  const count = (first, second) => rows.find((row) => row.first_grade === first && row.second_grade === second)?.documents ?? 0;
  const head = element("tr", {}, element("th", { scope: "col" }, `${visible(judges[0])} \\ ${visible(judges[1])}`), ...columns.map((grade) => element("th", { scope: "col", class: "number" }, String(grade))));
  const lines = grades.map((first) => {
    const total = columns.reduce((sum, second) => sum + count(first, second), 0);
    const cells = columns.map((second) => {
      const made = element("td", { class: "number", "data-tip": `${visible(judges[0])} ${first}, ${visible(judges[1])} ${second}: ${count(first, second)} of ${total} documents` }, count(first, second).toLocaleString("en"));
      made.style.setProperty("--heat", total ? count(first, second) / total : 0);
      return made;
    });
    return element("tr", {}, element("th", { scope: "row" }, String(first)), ...cells);
  });
  const grid = element("table", { class: "heat full" }, element("caption", {}, "Rows: grades of the first judge. Columns: grades of the second judge. Shading: fraction of the row."), element("thead", {}, head), element("tbody", {}, ...lines));
  return element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Confusion matrix" }, grid);
}

function systems() {
  const { judges, ranks } = DATA.judges;
  const name = METRICS[state().metric].name;
  const rows = ranks.filter((row) => row.metric === name);
  if (rows.length === 0) return element("p", {}, `There are no scores by ${name} under two judges. Choose another metric.`);
  const range = extent(rows.flatMap((row) => [row.first_score, row.second_score]));
  const height = 380;
  const paint = (width) => {
    const side = Math.min(width - 70, height - 54);
    const [left, bottom] = [60, height - 44];
    const toX = scale(...range, left, left + side);
    const toY = scale(...range, bottom, bottom - side);
    const at = ticks(...range, 5).filter((value) => value >= range[0] && value <= range[1]);
    const dots = rows.map((row) => markLink(address({ view: "run", run: row.run }), `${visible(row.run)}: ${fixed(row.first_score)} (rank ${row.first_rank}) and ${fixed(row.second_score)} (rank ${row.second_rank})`, shape("circle", { class: "dot own", cx: toX(row.first_score), cy: toY(row.second_score), r: 4.5 })));
    const names = rows.length > NAMED ? [] : namesBeside(rows.map((row) => ({ x: toX(row.first_score), y: toY(row.second_score), name: short(row.run) })), width);
    const line = shape("line", { class: "zero", x1: toX(range[0]), y1: toY(range[0]), x2: toX(range[1]), y2: toY(range[1]), "stroke-dasharray": "4 3" });
    return [...axisLeft(toY, range, left + side, { left, title: `${name} under ${visible(judges[1])}` }), ...axisBelow(toX, at, bottom, { title: `${name} under ${visible(judges[0])}`, middle: left + side / 2 }), line, ...dots, ...names];
  };
  return picture(`${name} of each run under both judges, on the documents that both judged. The dashed line marks equal scores.`, height, paint);
}

/** Names at the right or left of their dots, without names that would overlap another name or dot. */
function namesBeside(dots, width) {
  const taken = dots.map(({ x, y }) => ({ from: x - 5, to: x + 5, top: y - 5, bottom: y + 5 }));
  const isFree = (box) => box.from >= 0 && box.to <= width && taken.every((one) => box.to < one.from || box.from > one.to || box.bottom < one.top || box.top > one.bottom);
  return dots.flatMap(({ x, y, name }) => {
    const long = LETTER * name.length;
    for (const [from, attributes] of [[x + 8, { x: x + 8 }], [x - 8 - long, { x: x - 8, "text-anchor": "end" }]]) {
      const box = { from, to: from + long, top: y - 6, bottom: y + 6 };
      if (!isFree(box)) continue;
      taken.push(box);
      return [text(0, y + 4, name, attributes)];
    }
    return [];
  });
}

function tau() {
  const names = { tau: "Kendall's tau", "tau-AP": "tau-AP", Pearson: "Pearson" };
  const columns = [
    { name: "Metric", csv: "metric", text: true, heads: true, value: (row) => row.metric },
    { name: "Statistic", csv: "statistic", text: true, value: (row) => names[row.statistic] ?? row.statistic },
    { name: "Value", csv: "value", value: (row) => row.value ?? NaN, show: (row) => fixed(row.value ?? NaN, 3) },
    ...endColumns("95 % interval", ["low", "high"], (row) => row.low ?? NaN, (row) => row.high ?? NaN, () => 3),
  ];
  return table("systems", "Correlation of the runs' scores under both judges", columns, DATA.judges.systems, { full: true }).made;
}

function statistics() {
  const columns = [
    { name: "Statistic", csv: "statistic", text: true, heads: true, value: (row) => row.statistic, show: (row) => (row.grade === null ? row.statistic : `${row.statistic} ${row.grade}`) },
    { name: "grade", written: true, value: (row) => row.grade ?? NaN },
    { name: "Value", csv: "value", value: (row) => row.value ?? NaN, show: (row) => fixed(row.value ?? NaN, 3) },
    ...endColumns("95 % interval", ["low", "high"], (row) => row.low ?? NaN, (row) => row.high ?? NaN, () => 3),
  ];
  return table("agreement", "Agreement of judges on documents; intervals by the bootstrap over topics", columns, DATA.judges.labels, { first: FIRST_STATISTICS, full: true }).made;
}
