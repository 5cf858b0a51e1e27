// Deferred work: it starts after the first paint of a view, and is cancelled when the view changes.

let waiting = Promise.resolve();
let view = 0; // number of the current view; deferred work of other views is cancelled

/** Start a new view, and cancel the deferred work of the previous one. */
export function startView() {
  view += 1;
  waiting = painted();
}

/** Do `work` after the page is painted and earlier deferred work is done. */
export function later(work) {
  const asked = view;
  waiting = waiting.then(pause).then(() => (asked === view ? work() : null));
}

/** Return a promise that is fulfilled when all deferred work is done, including work added later. */
export function allDone() {
  const now = waiting;
  return now.then(() => (now === waiting ? null : allDone()));
}

/** Return a promise that is fulfilled after the next frame, or after 200 ms in a background tab. */
export function painted() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done, 0));
    setTimeout(done, 200);
  });
}

function pause() {
  return new Promise((done) => {
    setTimeout(done, 0);
  });
}
