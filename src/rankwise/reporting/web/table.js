// Tables with sorting, a limit on the rows shown first, and download as csv.

import { element, info } from "./elements.js";
import { painted } from "./later.js";
import { remember, sorting } from "./state.js";
import { between } from "./text.js";

const FIRST_ROWS = 300;
const SCREENFUL = 40; // rows that are inserted first; the others are inserted after a paint

/**
 * A table of rows.
 *
 * Columns have a `name`; `value(row)` for sorting and for the csv; and `show(row)` for the screen,
 * if it shows something else. Flags of columns: `text` (not numbers), `wide` (sentences), `unsorted`
 * (charts), `written` (only in the csv), `narrow` (hidden on a narrow screen). `about` is an
 * explanation in the head.
 *
 * Rows for which `keep` is false are hidden, except pinned rows. Rows for which `pinned` is true come
 * first in any order. A `full` table has the whole width. `all` is called when the user shows all rows.
 */
export function table(id, caption, all, rows, { keep = null, first = FIRST_ROWS, pinned = null, full = false, all: shownAll = null } = {}) {
  const columns = all.filter((column) => !column.written);
  const body = element("tbody");
  const more = element("p", { class: "more" });
  const heads = columns.map((column, place) => head(column, () => sortBy(place)));
  const lines = new Map(); // HTML rows, which are created once and moved when the order changes
  let order = sorting(id);
  let shown = first;
  let fills = 0;

  function sortBy(place) {
    const down = order?.column === place ? !order.down : !columns[place].text;
    order = { column: place, down };
    remember({ [`sort-${id}`]: `${place}~${down ? "down" : "up"}` });
    fill();
  }

  function fill() {
    const chosen = keep === null ? rows : rows.filter((row) => keep(row) || pinned?.(row));
    const ordered = order === null || !(order.column in columns) ? chosen : inOrder(chosen, columns[order.column], order.down);
    const sorted = pinned === null ? ordered : [...ordered.filter(pinned), ...ordered.filter((row) => !pinned(row))];
    putIn(sorted.slice(0, shown));
    heads.forEach((cell, place) => {
      const direction = order?.column !== place ? "none" : order.down ? "descending" : "ascending";
      if (!columns[place].unsorted) cell.setAttribute("aria-sort", direction);
    });
    more.replaceChildren(...moreRows(sorted.length));
  }

  function putIn(seen) {
    fills += 1;
    const asked = fills;
    const rest = seen.slice(SCREENFUL);
    body.replaceChildren(...seen.slice(0, SCREENFUL).map(lineOf));
    body.setAttribute("aria-busy", rest.length > 0);
    if (rest.length === 0) return;
    painted().then(() => {
      if (asked !== fills) return;
      body.append(...rest.map(lineOf));
      body.setAttribute("aria-busy", false);
    });
  }

  function lineOf(row) {
    if (!lines.has(row)) lines.set(row, line(columns, row));
    return lines.get(row);
  }

  function moreRows(count) {
    if (count <= shown) return count ? [] : ["No rows."];
    const showAll = () => {
      shown = Infinity;
      shownAll?.();
      fill();
      made.focus({ preventScroll: true }); // the button is gone
    };
    return [`${shown} of ${count.toLocaleString("en")} rows `, element("button", { type: "button", onclick: showAll }, "Show all")];
  }

  fill();
  const save = element("button", { type: "button", class: "csv", onclick: () => download(id, all, rows) }, "csv");
  save.setAttribute("aria-label", `Download ${caption} as csv`);
  const grid = element(
    "table",
    { class: full ? "full" : null },
    element("caption", {}, element("span", {}, caption), " ", save),
    element("thead", {}, element("tr", {}, ...heads)),
    body,
  );
  const made = element("div", { class: "table", tabindex: "0", role: "region", "aria-label": caption }, grid, more, hiddenColumns(columns));
  return { made, fill };
}

/** A list of the columns that a narrow screen hides; visible only there. */
function hiddenColumns(columns) {
  const names = columns.filter((column) => column.narrow && typeof column.name === "string").map((column) => column.name);
  return names.length ? element("p", { class: "legend only-narrow" }, `Not shown on a narrow screen: ${names.join("; ")}. The csv has ${names.length === 1 ? "it" : "them"}.`) : null;
}

function head(column, sort) {
  const kind = kindOf(column);
  const about = column.about ? info(column.label ?? (typeof column.name === "string" ? column.name : "the picture"), element("p", {}, column.about)) : null;
  const name = column.unsorted ? column.name : element("button", { type: "button", onclick: sort }, column.name);
  return element("th", { scope: "col", class: kind }, column.forest ? element("div", { class: "headed" }, name, about) : [name, about ? " " : null, about]);
}

function kindOf(column) {
  const kind = column.wide ? "text wide" : column.text ? "text" : "number";
  return `${kind}${column.forest ? " picture" : ""}${column.narrow ? " narrow" : ""}`;
}

function line(columns, row) {
  return element(
    "tr",
    { class: row.kind || null, "data-document": row.document },
    ...columns.map((column) => {
      const shown = column.show ? column.show(row) : column.value(row);
      return element(column.heads ? "th" : "td", { class: kindOf(column), scope: column.heads ? "row" : null }, shown);
    }),
  );
}

function inOrder(rows, column, down) {
  const sign = down ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (column.text) return sign * String(a).localeCompare(String(b), "en", { numeric: true });
    const known = [Number.isFinite(a), Number.isFinite(b)]; // unknown values come last
    if (!known[0] || !known[1]) return Number(known[1]) - Number(known[0]);
    return sign * (a - b);
  });
}

/** The rows of a table as csv, with up to seven digits. */
export function csvOf(columns, rows) {
  const kept = columns.filter((column) => !column.unsorted);
  const lines = [kept.map((column) => column.csv ?? column.name), ...rows.map((row) => kept.map((column) => column.value(row)))];
  return lines.map((cells) => cells.map(csvCell).join(",")).join("\n") + "\n";
}

function csvCell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function download(id, columns, rows) {
  const file = URL.createObjectURL(new Blob([csvOf(columns, rows)], { type: "text/csv" }));
  element("a", { href: file, download: `${id}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(file), 1000);
}

/** Two columns for a range: the screen shows both ends in the first, the csv has one end in each. */
export function endColumns(name, names, low, high, digits = () => 4) {
  return [
    { name, csv: names[0], value: low, show: (row) => between(low(row), high(row), digits(row)) },
    { name: names[1], value: high, written: true },
  ];
}
