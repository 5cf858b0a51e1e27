// The appendix: one printable page per run.

import { RUNS } from "./data.js";
import { chooseMetric, chooseRun, element, named } from "./elements.js";
import { allDone, later } from "./later.js";
import { runPage } from "./run.js";
import { state } from "./state.js";
import { counted } from "./text.js";

export function appendixView() {
  const { metric } = state();
  const ready = element("p", { role: "status" }, "Drawing the pages. Print when this line says that all pages are drawn.");
  const print = element("button", { type: "button", onclick: () => window.print() }, "Print");
  const pages = RUNS.map((name) => element("article", { class: "page" }, element("h3", {}, named(name))));
  later(() => fill(pages, metric));
  allDone().then(() => ready.isConnected && ready.replaceChildren("All pages are drawn. ", print));
  return [
    element("h2", {}, "Appendix"),
    element("div", { class: "controls" }, element("p", {}, `${counted(RUNS.length, "page")}, one per run.`), chooseMetric(), RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null, ready),
    ...pages,
  ];
}

/** Draw the pages one after another, each with its charts. */
function fill(pages, metric, run = 0) {
  if (run === pages.length) return;
  pages[run].append(...runPage(run, metric, false).filter(Boolean));
  later(() => fill(pages, metric, run + 1));
}
