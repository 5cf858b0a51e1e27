// Work that waits until what is seen first is on the screen, and is dropped with its view.

let waiting = Promise.resolve();
let view = 0; // counts the views, so that work for one that is gone is not done

/** The view is drawn anew: what still waits is of no use. */
export function startView() {
  view += 1;
  waiting = painted();
}

/** Do this once the page is painted and what was asked for before is done. */
export function later(work) {
  const asked = view;
  waiting = waiting.then(pause).then(() => (asked === view ? work() : null));
}

/** Once everything is done, also what that work asked for in its turn. */
export function allDone() {
  const now = waiting;
  return now.then(() => (now === waiting ? null : allDone()));
}

/** Once the next frame is on the screen; a page in the background has none, and does not wait. */
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
