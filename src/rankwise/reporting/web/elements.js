// HTML elements, built from text. No function of the page accepts markup.

import { DATA, METRICS, RUNS, TOPICS, titleOf } from "./data.js";
import { address, go, state } from "./state.js";
import { visible } from "./text.js";

const SHORT_TITLE = 36; // characters

/** An element with attributes and children; children that are not elements become text. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== "") made.append(child);
  }
  return made;
}

/** A name from the data, isolated from the direction of the surrounding text. */
export function named(text) {
  return element("bdi", {}, visible(text));
}

export function link(changes, ...children) {
  return element("a", { href: address(changes) }, ...children);
}

export function runLink(run) {
  return link({ view: "run", run: RUNS[run] }, named(RUNS[run]));
}

export function topicLink(topic, more = {}, words = TOPICS[topic]) {
  return link({ view: "topic", topic: TOPICS[topic], ...more }, named(words));
}

function topicText(topic) {
  const title = titleOf(topic);
  return title ? `${TOPICS[topic]} ${title}` : TOPICS[topic];
}

/** The title of a topic in a table; short titles are not wrapped. */
export function titleCell(topic) {
  return element("span", { class: titleOf(topic).length <= SHORT_TITLE ? "line" : null }, named(titleOf(topic)));
}

/** A labelled drop-down list; `changed` is called with the index of the chosen option. */
export function choice(label, options, chosen, changed) {
  const list = element("select", { "aria-label": label, onchange: () => changed(Number(list.value)) });
  options.forEach((option, place) => list.append(new Option(visible(option), place, false, place === chosen)));
  return element("label", { class: "choice", "data-choice": label }, element("span", {}, label), list);
}

/** The role of a run in a report on two runs, baseline or new; empty for other reports. */
export function roleOf(run) {
  return RUNS.length !== 2 ? "" : run === DATA.baseline ? "baseline" : "new";
}

/** A link to a run, followed by its role. */
export function runInRole(run) {
  return [runLink(run), roleOf(run) ? element("small", { class: "role" }, ` ${roleOf(run)}`) : ""];
}

export function chooseRun(label, key) {
  const names = RUNS.map((name, run) => (roleOf(run) ? `${name} (${roleOf(run)})` : name));
  return choice(label, names, state()[key], (run) => go({ [key]: RUNS[run] }));
}

export function chooseTopic() {
  return choice("Topic", TOPICS.map((_, topic) => topicText(topic)), state().topic, (topic) => go({ topic: TOPICS[topic] }));
}

export function chooseMetric() {
  const names = METRICS.map((metric) => metric.name);
  return choice("Metric", names, state().metric, (metric) => go({ metric: names[metric] }));
}

/** A choice between all topics and each group; null if there are no comparisons by group. */
export function chooseGroup() {
  if (DATA.groups === null || DATA.groups.pairs === null) return null;
  const names = ["all topics", ...DATA.groups.names];
  return choice("Topics", names, state().group + 1, (place) => go({ group: place ? names[place] : null }));
}

/** Links to the previous and the next name of a list. */
export function steps(key, names, place) {
  const step = (to, words) =>
    to in names ? link({ [key]: names[to] }, words) : element("span", { class: "off" }, words);
  return element("span", { class: "steps", "data-choice": `steps of ${key}` }, step(place - 1, "← previous"), " ", step(place + 1, "next →"));
}

export function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

/** A list of key figures; an entry has a term, a value, and optional further text. */
export function figures(entries) {
  const pairs = entries.map(([term, value, more]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, element("strong", {}, value), more ? element("small", {}, more) : null)),
  );
  return element("dl", { class: "figures" }, ...pairs);
}

let explanations = 0;

/** A button ⓘ that opens an explanation. */
export function info(about, ...words) {
  explanations += 1;
  const id = `about-${explanations}`;
  const box = element("div", { id, popover: "auto", class: "explanation" }, ...words);
  const button = element("button", { type: "button", class: "info", popovertarget: id, "aria-label": `Explain: ${about}` }, "i");
  box.addEventListener("toggle", () => {
    const at = button.getBoundingClientRect();
    const room = document.documentElement.clientWidth - box.offsetWidth - 8;
    box.style.left = `${Math.max(8, Math.min(at.left, room))}px`;
    const below = at.bottom + 6 + box.offsetHeight <= document.documentElement.clientHeight;
    box.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - box.offsetHeight - 6)}px`;
  });
  return element("span", { class: "about" }, button, box);
}

/** Buttons side by side, of which one is chosen; `changed` is called with the key of a new choice. */
export function toggle(label, options, chosen, changed) {
  const buttons = options.map(([key, words]) => element("button", { type: "button", "aria-pressed": String(key === chosen), onclick: () => changed(key) }, words));
  return element("span", { class: "choice", role: "group", "aria-label": label, "data-choice": label }, element("span", {}, label), element("span", { class: "toggle" }, ...buttons));
}
