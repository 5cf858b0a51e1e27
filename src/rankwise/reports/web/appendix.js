// The appendix of a track: one page per run, to be printed.

import { chartsDrawn } from "./chart.js";
import { RUNS } from "./data.js";
import { chooseMetric, chooseRun, element, named } from "./elements.js";
import { runPage } from "./run.js";
import { state } from "./state.js";
import { counted } from "./text.js";

export function appendixView() {
  const { metric } = state();
  const ready = element("p", { role: "status" }, "The charts are being drawn: print when this line says that they are.");
  const print = element("button", { type: "button", onclick: () => window.print() }, "Print");
  setTimeout(() => chartsDrawn().then(() => ready.replaceChildren("All charts are drawn. ", print)), 0);
  const pages = RUNS.map((name, run) => element("article", { class: "page" }, element("h3", {}, named(name)), ...runPage(run, metric, false)));
  return [
    element("h2", {}, "Appendix"),
    element("div", { class: "controls" }, element("p", {}, `${counted(RUNS.length, "page")}, one per run.`), chooseMetric(), RUNS.length > 1 ? chooseRun("Baseline", "baseline") : null, ready),
    ...pages,
  ];
}
