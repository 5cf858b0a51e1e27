// Formatting of numbers and names.

// Control characters, invisible characters, and characters that change the direction of text.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** A name with escapes, such as \u202e, for characters that cannot be seen. */
export function visible(name) {
  return String(name).replace(UNSEEN, (one) => {
    const code = one.codePointAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** A name, truncated to fit a column. */
export function short(name, most = 18) {
  const shown = visible(name);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}

export function fixed(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const known = Math.abs(value) < 1e-6 ? 0 : value; // a rounding error has no sign
  return known.toFixed(digits).replace("-", "−");
}

export function signed(value, digits = 4) {
  const text = fixed(value, digits);
  return value >= 1e-6 && Number.isFinite(value) ? `+${text}` : text;
}

/** An estimated probability, which is never shown as 0 % or 100 %. */
export function chance(share) {
  if (!(share >= 0)) return "–";
  return share < 0.001 ? "below 0.1 %" : share > 0.999 ? "above 99.9 %" : percent(share);
}

/** A fraction in percent; fractions below 1 are never shown as 100 %. */
export function percent(share, digits = 1) {
  if (!Number.isFinite(share)) return "–";
  const shown = (100 * share).toFixed(digits);
  if (Number(shown) < 100 || share >= 1) return `${shown} %`;
  return digits === 0 ? percent(share, 1) : "> 99.9 %";
}

/** A mean score, or a sum of counts, which is shown without decimals. */
export function shownScore(value, metric, digits = 4) {
  return fixed(value, metric.sum ? 0 : digits);
}

export function pValue(p) {
  if (!Number.isFinite(p)) return "–";
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

/** A p-value with its name: p < 0.0001, or p = 0.0312. */
export function pWords(p) {
  const shown = pValue(p);
  return shown.startsWith("<") ? `p ${shown}` : `p = ${shown}`;
}

export function between(low, high, digits = 4) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "–";
  const ends = [fixed(low, digits), fixed(high, digits)];
  return ends[0] === ends[1] ? ends[0] : ends.join(" to ");
}

/** A lower and an upper bound as text; "exactly …" if both are equal after rounding. */
export function boundsText(low, high, digits = 4) {
  const words = between(low, high, digits);
  return words === fixed(low, digits) && Number.isFinite(low) ? `exactly ${words}` : words;
}

export function counted(count, thing) {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

export function median(values) {
  const known = values.filter((value) => Number.isFinite(value)).sort((one, other) => one - other);
  if (known.length === 0) return NaN;
  const half = known.length >> 1;
  return known.length % 2 ? known[half] : (known[half - 1] + known[half]) / 2;
}
