// The data of the page. Arrays are decoded on first use.

import { median } from "./text.js";

export const DATA = JSON.parse(document.getElementById("data").textContent);
export const RUNS = DATA.runs;
export const TOPICS = DATA.topics;
export const METRICS = DATA.metrics;
/** Whether there are judgments and rankings; a report on scores has none, and no bounds. */
export const JUDGED = DATA.judged !== null;
/** Judged fraction down to the metric's cutoff below which a score is probably underestimated. */
const FEW_JUDGED = 0.9;

const ARRAYS = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
const unpacked = new WeakMap();

/** The numbers of an encoded array as a flat typed array; the last axis varies fastest. */
export function numbers(column) {
  if (!unpacked.has(column)) {
    const text = atob(column.bytes);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    unpacked.set(column, new ARRAYS[column.kind](bytes.buffer));
  }
  return unpacked.get(column);
}

/** One number of an encoded array, by its index on each axis. */
export function cell(column, ...place) {
  let at = 0;
  for (let axis = 0; axis < place.length; axis += 1) at = at * column.shape[axis] + place[axis];
  return numbers(column)[at];
}

/** All numbers of an encoded array along its last axis, by the indices on the other axes. */
export function rowOf(column, ...place) {
  const width = column.shape[column.shape.length - 1];
  const start = cellStart(column, place);
  return numbers(column).subarray(start, start + width);
}

function cellStart(column, place) {
  let at = 0;
  for (let axis = 0; axis < column.shape.length; axis += 1) at = at * column.shape[axis] + (place[axis] ?? 0);
  return at;
}

export function mean(name, metric, run) {
  return cell(DATA.means[name], metric, run);
}

/** The judged fraction of a run down to the cutoff of the metric, on a group, or on all topics (−1). */
export function judgedShare(metric, run, group = -1) {
  const cutoff = METRICS[metric].cutoff;
  return group < 0 ? cell(DATA.judged[cutoff], run) : cell(DATA.judged_in_groups[cutoff], group, run);
}

/** Whether a score is probably too low: few documents are judged, and the bounds differ. */
export function isUnderestimated(metric, run, group = -1) {
  const end = (name) => (group < 0 ? mean(name, metric, run) : cell(DATA.groups.means[name], metric, group, run));
  return !METRICS[metric].diagnostic && judgedShare(metric, run, group) < FEW_JUDGED && end("high") - end("low") > 1e-6;
}

/** The score of a run on a topic, or a bound: `name` is value, low or high. */
export function score(metric, run, topic, name = "value") {
  return cell(DATA.scores[name], metric, run, topic);
}

export function topicScores(metric, topic) {
  return RUNS.map((_, run) => score(metric, run, topic));
}

const medians = new Map();

/** The median score of all runs, for each topic. */
export function medianScores(metric) {
  if (!medians.has(metric)) {
    medians.set(metric, TOPICS.map((_, topic) => median(topicScores(metric, topic))));
  }
  return medians.get(metric);
}

/** Runs, best first by a metric; runs without a mean are last. */
export function bestFirst(metric, value = (run) => mean("value", metric, run)) {
  const sign = METRICS[metric].less ? 1 : -1;
  const order = RUNS.map((_, run) => run);
  const key = (run) => (Number.isFinite(value(run)) ? sign * value(run) : Infinity);
  return order.sort((one, other) => key(one) - key(other) || one - other);
}

/** The rank of a run by a metric. Runs with equal means share a rank; runs without a mean are last. */
export function rankOf(metric, run) {
  const sign = METRICS[metric].less ? -1 : 1;
  const own = mean("value", metric, run);
  const isAbove = (value) => (Number.isFinite(own) ? sign * (value - own) > 1e-7 : Number.isFinite(value));
  return 1 + RUNS.filter((_, other) => isAbove(mean("value", metric, other))).length;
}

/** 1 if a difference is an improvement, −1 if it is a loss, 0 otherwise. */
export function better(metric, difference) {
  return Math.sign(METRICS[metric].less ? -difference : difference) || 0;
}

/** The confidence level of intervals, for example "95 %". */
export function level() {
  return `${Number((100 * (1 - DATA.alpha)).toPrecision(6))} %`;
}

/** The numbers of topics and of documents whose text is on the page. */
export function textCounts() {
  return { topics: Object.keys(DATA.texts.topics).length, documents: Object.keys(DATA.texts.documents).length };
}

/** The name of an option of the report, as on the command line or as in Python. */
export function option(name) {
  return DATA.made.command ? `--${name.replaceAll("_", "-")}` : `${name}=…`;
}

export function titleOf(topic) {
  return DATA.texts.topics[TOPICS[topic]] ?? "";
}
