// Charts: the Vega-Lite that came with the page, and rows for it.

import { DATA } from "./data.js";
import { element } from "./elements.js";

const tip = document.getElementById("tip");
let waiting = Promise.resolve();
let drawn = 0; // counts the views, so that charts of one that is gone are not drawn

/** The view is drawn anew: charts that still wait are of no use. */
export function forgetCharts() {
  drawn += 1;
  tip.hidden = true;
}

/** Once all charts are drawn that were asked for so far. */
export function chartsDrawn() {
  return waiting;
}

/** A figure with a chart in it; `label` says in words what there is to see. */
export function chart(name, label, datasets, height = DATA.charts[name].height) {
  const place = element("div", { class: "drawing" }); // Vega gives it a role of its own
  const view = drawn;
  waiting = waiting
    .then(nextFrame)
    .then(() => (view === drawn && place.isConnected ? draw(place, name, datasets, height) : null));
  const image = element("div", { class: `chart ${name}${height < 200 ? " low" : ""}`, role: "img", "aria-label": label }, element("div", { "aria-hidden": "true" }, place));
  return element("figure", {}, image, element("figcaption", {}, label));
}

function nextFrame() {
  return new Promise((done) => {
    setTimeout(done, 0);
  });
}

function draw(place, name, datasets, height) {
  const options = { actions: false, ast: true, defaultStyle: false, renderer: "svg", tooltip: showTip, mode: "vega-lite" };
  return window.vegaEmbed(place, { ...DATA.charts[name], datasets, height }, options);
}

function showTip(_handler, event, _item, value) {
  tip.hidden = !value;
  if (!value) return;
  tip.textContent = value;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, room)) + window.scrollX}px`;
  tip.style.top = `${event.clientY + 16 + window.scrollY}px`;
}
