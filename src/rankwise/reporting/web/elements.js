// Elements made of text: nothing here or anywhere takes markup.

import { METRICS, RUNS, TOPICS, titleOf } from "./data.js";
import { address, go, state } from "./state.js";
import { visible } from "./text.js";

/** An element with attributes and children; children that are no elements are text. */
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

/** A name from the data, in a direction of its own. */
export function named(text) {
  return element("bdi", {}, visible(text));
}

export function link(changes, ...children) {
  return element("a", { href: address(changes) }, ...children);
}

export function runLink(run) {
  return link({ view: "run", run: RUNS[run] }, named(RUNS[run]));
}

export function topicLink(topic) {
  return link({ view: "topic", topic: TOPICS[topic] }, named(TOPICS[topic]));
}

export function topicText(topic) {
  const title = titleOf(topic);
  return title ? `${TOPICS[topic]} ${title}` : TOPICS[topic];
}

/** A list to choose from, with a label; `changed` gets the place of what is chosen. */
export function choice(label, options, chosen, changed) {
  const list = element("select", { "aria-label": label, onchange: () => changed(Number(list.value)) });
  options.forEach((option, place) => list.append(new Option(visible(option), place, false, place === chosen)));
  return element("label", { class: "choice", "data-choice": label }, element("span", {}, label), list);
}

export function chooseRun(label, key) {
  return choice(label, RUNS, state()[key], (run) => go({ [key]: RUNS[run] }));
}

export function chooseTopic() {
  return choice("Topic", TOPICS.map((_, topic) => topicText(topic)), state().topic, (topic) => go({ topic: TOPICS[topic] }));
}

export function chooseMetric() {
  const names = METRICS.map((metric) => metric.name);
  return choice("Metric", names, state().metric, (metric) => go({ metric: names[metric] }));
}

/** Links to the one before and the one after. */
export function steps(key, names, place) {
  const step = (to, words) =>
    to in names ? link({ [key]: names[to] }, words) : element("span", { class: "off" }, words);
  return element("span", { class: "steps" }, step(place - 1, "← previous"), " ", step(place + 1, "next →"));
}

export function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

/** Figures that are seen first: a list of what is measured and how much it is. */
export function figures(entries) {
  const pairs = entries.map(([term, value, more]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, element("strong", {}, value), more ? element("small", {}, more) : null)),
  );
  return element("dl", { class: "figures" }, ...pairs);
}
