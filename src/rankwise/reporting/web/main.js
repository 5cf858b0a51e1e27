// The page: its header, and the view that the address names.

import { appendixView } from "./appendix.js";
import { collectionView } from "./collection.js";
import { DATA, JUDGED, METRICS, RUNS, TOPICS, textCounts, titleOf } from "./data.js";
import { hideTip, watchTips } from "./draw.js";
import { element, link, named } from "./elements.js";
import { groupsView } from "./groups.js";
import { judgesView } from "./judges.js";
import { startView } from "./later.js";
import { leaderboard } from "./leaderboard.js";
import { methodsView } from "./methods.js";
import { pairView } from "./pair.js";
import { runView } from "./run.js";
import { HOME, VIEWS, state, unknownNames } from "./state.js";
import { counted, visible } from "./text.js";
import { topicKeys, topicView } from "./topic.js";

const MADE = { leaderboard, run: runView, pair: pairView, topic: topicView, groups: groupsView, judges: judgesView, collection: collectionView, methods: methodsView, appendix: appendixView };
const main = document.getElementById("main");
const header = document.getElementById("header");
const CONTROLS = "select, input, button, a";
let last = null;

function drawHeader(view) {
  const items = Object.keys(VIEWS).map((one) => {
    const to = link({ view: one }, VIEWS[one]);
    if (one === view) to.setAttribute("aria-current", "page");
    return element("li", {}, to);
  });
  const size = `${counted(RUNS.length, "run")} · ${counted(DATA.all_topics, "topic")} · ${counted(METRICS.length, "metric")} · ${DATA.made.date}`;
  header.replaceChildren(
    element("div", { class: "title" }, element("h1", {}, named(DATA.title)), element("p", {}, size)),
    element("nav", { "aria-label": "Views" }, element("ul", {}, ...items)),
  );
}

function notices() {
  const unknown = unknownNames().map(({ key, name }) => `There is no ${key === "a" || key === "b" ? "run" : key} “${visible(name)}” in this report.`);
  return [...unknown, ...DATA.cut].map((text) => element("p", { class: "notice" }, text));
}

function draw() {
  const { view } = state();
  startView();
  hideTip();
  drawHeader(view);
  const focused = focusedControl();
  main.replaceChildren(...notices(), ...MADE[view]().filter(Boolean));
  if (view === HOME) (main.querySelector(".card, .table") ?? main.lastElementChild).after(sending());
  document.title = [...subject(view), DATA.title].map(visible).join(" · ");
  settleFocus(view, focused);
  last = view;
}

/** A note on the texts that the page contains, for the first view. */
function sending() {
  const { topics, documents } = textCounts();
  const texts = [topics ? counted(topics, "topic") : "", documents ? counted(documents, "document") : ""].filter(Boolean);
  return element("p", { class: "legend sending" }, link({ view: "methods" }, "Before you send this page"), `: it contains ${JUDGED ? "names and labels of documents, " : ""}scores by topic, and ${texts.length ? `the texts of ${texts.join(" and ")}` : "no texts of topics or documents"}.`);
}

/** The subject of a view, for the title of the window: for example the run and the metric. */
function subject(view) {
  const { a, b, group, metric, run, topic } = state();
  const by = METRICS[metric].name;
  const pair = `${RUNS[a]} and ${RUNS[b]}`;
  switch (view) {
    case "leaderboard":
      return [`Leaderboard by ${by}`];
    case "pair":
      return [pair, ...(group < 0 ? [] : [DATA.groups.names[group]]), by];
    case "groups":
      return [`Groups: ${pair}`, by];
    case "run":
      return [`Run ${RUNS[run]}`, by];
    case "topic":
      return [`Topic ${TOPICS[topic]}${titleOf(topic) ? ` ${titleOf(topic)}` : ""}`, by];
    default:
      return [VIEWS[view]];
  }
}

/** The group and the text of the control with the focus; null if the focus is not in the content. */
function focusedControl() {
  const at = document.activeElement;
  if (!main.contains(at)) return null;
  const group = at.closest("[data-choice]");
  return group ? { choice: group.dataset.choice, words: at.textContent } : {};
}

/** Scroll a new view to its top, or give the focus back to the same control within a view. */
function settleFocus(view, focused) {
  if (last !== null && last !== view) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  } else if (focused) {
    const same = [...main.querySelectorAll("[data-choice]")].find((group) => group.dataset.choice === focused.choice);
    const controls = [...(same?.querySelectorAll(CONTROLS) ?? [])];
    (controls.find((control) => control.textContent === focused.words) ?? controls[0] ?? main).focus({ preventScroll: true });
  }
}

watchTips();
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
  if (state().view === "topic") topicKeys(event);
});
window.addEventListener("hashchange", () => {
  if (location.hash !== "#main") draw();
});
draw();
document.documentElement.dataset.ready = "true";
