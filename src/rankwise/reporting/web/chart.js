// Charts: the Vega-Lite that came with the page, and rows for it.

import { DATA } from "./data.js";
import { element } from "./elements.js";
import { later } from "./later.js";

const tip = document.getElementById("tip");

/** The chart that it was about may be gone. */
export function hideTip() {
  tip.hidden = true;
}

/** A figure with a chart in it; `label` says in words what there is to see. */
export function chart(name, label, datasets, height = DATA.charts[name].height) {
  const place = element("div", { class: "drawing" }); // Vega gives it a role of its own
  later(() => (place.isConnected ? draw(place, name, datasets, height) : null));
  const image = element("div", { class: `chart ${name}${height < 200 ? " low" : ""}`, role: "img", "aria-label": label }, element("div", { "aria-hidden": "true" }, place));
  return element("figure", {}, image, element("figcaption", {}, label));
}

function draw(place, name, datasets, height) {
  const options = { actions: false, ast: true, defaultStyle: false, renderer: "svg", tooltip: showTip, mode: "vega-lite" };
  return window.vegaEmbed(place, { ...withNamesOf(datasets.rows, DATA.charts[name]), datasets, height }, options);
}

/** The chart with those names of its scales that the rows have: each keeps its colour and shape. */
function withNamesOf(rows, spec) {
  const there = new Set(rows.map((row) => row.who));
  return JSON.parse(JSON.stringify(spec), (key, value) => {
    if (key !== "scale" || !value.range || !value.domain) return value;
    const kept = (looks) => looks.filter((_, place) => there.has(value.domain[place]));
    return { ...value, domain: kept(value.domain), range: kept(value.range) };
  });
}

function showTip(_handler, event, _item, value) {
  tip.hidden = !value;
  if (!value) return;
  tip.textContent = value;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, room)) + window.scrollX}px`;
  tip.style.top = `${event.clientY + 16 + window.scrollY}px`;
}
