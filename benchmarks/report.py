"""The report on 129 TREC-8 runs, 50 topics and 6 metrics: size, time to make, to open, to click.

Chromium (Debian's package, driven by playwright) opens it from disk with the network off. A
click counts from the event to the second frame after the page has changed, when it is on the
screen. What is below the screen and charts follow in frames of their own; for the measurement
they are held back until then. `processor` is what the page's thread worked until the click was
seen, `whole` until everything was there: other work on the machine hardly changes these, while
the clock counts it too. So verdicts are by the processor.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import BIN, Verdict, print_verdicts, shown

METRICS = "AP,nDCG@10,P@10,RR,RBP(p=0.8),Bpref"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SIZE, MAKE, OPEN, CLICK = 10_000_000, 20.0, 1.5, 0.1  # bytes and seconds
SHARE = 0.95  # of all clicks

# What is clicked, view by view: a name, and what finds the element. Choices take the next entry.
CLICKS = {
    "leaderboard": {
        "sort by a number": "thead th:nth-child(3) button >> nth=0",
        "sort by name": "thead button >> nth=1",
        "choose a metric": "[data-choice=Metric] select",
        "choose a baseline": "[data-choice=Baseline] select",
        "hide a metric": ".metrics input >> nth=4",
        "find a run": "input[type=search]",
    },
    "run": {
        "choose a run": "[data-choice=Run] select",
        "next run": ".steps a >> nth=-1",
        "choose a metric": "[data-choice=Metric] select",
        "choose a baseline": "[data-choice=Baseline] select",
        "sort topics": "section:last-of-type thead button >> nth=1",
    },
    "pair": {
        "choose a run": "[data-choice=Run] select",
        "choose the other run": "[data-choice='Compared with'] select",
        "choose a metric": "[data-choice=Metric] select",
        "swap": ".controls > a",
        "sort topics": "section:last-of-type thead button >> nth=1",
    },
    "topic": {
        "choose a topic": "[data-choice=Topic] select",
        "next topic": ".steps a >> nth=-1",
        "choose a metric": "[data-choice=Metric] select",
        "choose a run": "[data-choice=Run] select",
        "choose a baseline": "[data-choice=Baseline] select",
        "sort relevant documents": "section:has-text('Relevant documents') thead button >> nth=2",
        "show all runs, or fewer": ".bench section p a >> nth=-1",
    },
    "collection": {
        "sort runs": "section >> nth=3 >> thead button >> nth=1",
        "sort documents to judge": "section >> nth=0 >> thead button >> nth=2",
    },
    "methods": {"sort files": "thead button >> nth=1"},
    "appendix": {
        "choose a metric": "[data-choice=Metric] select",
        "choose a baseline": "[data-choice=Baseline] select",
    },
}

# Clicks, or chooses the next entry of a list, or types; resolves with seconds until it is seen.
# Once the address changes, the page draws in its own listener, which was there before this one.
ACT = """
element => new Promise(done => {
  const before = location.hash;
  const start = performance.now();
  const seen = () => requestAnimationFrame(() => requestAnimationFrame(
    () => done((performance.now() - start) / 1000)));
  if (element.tagName === "SELECT") {
    element.selectedIndex = (element.selectedIndex + 1) % element.options.length;
    element.dispatchEvent(new Event("change"));
  } else if (element.type === "search") {
    element.value = element.value ? "" : "8";
    element.dispatchEvent(new Event("input"));
  } else element.click();
  const quietly = element.type === "search" || element.closest("thead");
  if (location.hash === before || quietly) seen();
  else addEventListener("hashchange", seen, { once: true });
})
"""


# Timers wait while `held` is true: what the page leaves for later does not count as the click.
HOLD = """
window.held = false;
const waiting = [];
const plain = window.setTimeout;
const hold = (work) => () => (window.held ? waiting.push(work) : work());
window.setTimeout = (work, ...more) => plain(hold(work), ...more);
window.release = () => {
  window.held = false;
  waiting.splice(0).forEach((work) => plain(work, 0));
};
"""

# Whether all charts are drawn and all rows are in.
WHOLE = """
document.querySelectorAll(".chart").length === document.querySelectorAll(".chart > svg").length
  && !document.querySelector("[aria-busy=true]")
"""


@dataclass(frozen=True)
class Click:
    """One click, in seconds: until it is seen by the clock and by the processor, and whole."""

    seen: float
    processor: float
    whole: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--page", type=Path, help="A page made before, with --appendix.")
    asked = parser.parse_args()
    folder = os.environ.get("RANKWISE_DATA")
    if shutil.which("chromium") is None or not (folder or asked.page):
        print("left out: chromium is not found, or RANKWISE_DATA, which has trec8/, is not set")
        return
    with tempfile.TemporaryDirectory() as left:
        page: Path = asked.page
        verdicts: list[Verdict] = []
        if page is None:
            page, verdicts = made(Path(folder or "") / "trec8", Path(left))
        with opened(page) as (tab, seconds):
            verdicts.append(Verdict(f"opens in under {OPEN:g} s", shown(seconds), seconds < OPEN))
            clicks = {
                f"{view}: {name}": found
                for view in CLICKS
                for name, found in measured(tab, view, asked.repeats).items()
            }
    print_clicks(clicks)
    print_verdicts([*verdicts, judged(clicks)])


def made(data: Path, left: Path) -> tuple[Path, list[Verdict]]:
    """The page, with its size and what it took to make."""
    page = left / "report.html"
    files = [data / "trec8.qrels.gz", *sorted((data / "runs").iterdir())]
    command: list[str | Path] = [BIN / "rankwise", "report", *files, "-m", METRICS]
    start = time.perf_counter()
    subprocess.run([*command, "--appendix", "-o", page], check=True, stderr=subprocess.DEVNULL)
    seconds, size = time.perf_counter() - start, page.stat().st_size
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = used.ru_utime + used.ru_stime
    clock = f"{shown(work)} ({shown(seconds)} by the clock)"
    return page, [
        Verdict(f"under {SIZE / 1e6:g} MB", f"{size / 1e6:.1f} MB", size < SIZE),
        Verdict(f"made in under {MAKE:g} s", clock, work < MAKE),
    ]


@contextmanager
def opened(page: Path) -> Iterator[tuple[Any, float]]:
    """The page in a browser, and how long it took until it could be used."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
        context.add_init_script(HOLD)
        tab = context.new_page()
        start = time.perf_counter()
        tab.goto(page.resolve().as_uri())
        tab.wait_for_selector("html[data-ready]")
        yield tab, time.perf_counter() - start
        browser.close()


def measured(tab: Any, view: str, repeats: int) -> dict[str, list[Click]]:
    """Every click of a view, in turns, and first the way there."""
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    # The appendix draws hundreds of charts, for most of a minute: clicks do not wait for it.
    wait = view != "appendix"
    away = "methods" if view != "methods" else "leaderboard"
    found: dict[str, list[Click]] = {"open": []}
    for _ in range(repeats):
        click(tab, session, f"nav a[href*='view={away}']", True)
        found["open"].append(click(tab, session, f"nav a[href*='view={view}']", wait))
    for _ in range(repeats):
        for name, selector in CLICKS[view].items():
            found.setdefault(name, []).append(click(tab, session, f"main {selector}", wait))
    return found


def click(tab: Any, session: Any, selector: str, wait: bool) -> Click:
    tab.evaluate("window.held = true")
    before = processor(session)
    seen = tab.locator(selector).first.evaluate(ACT)
    worked = processor(session) - before
    tab.evaluate("release()")
    while wait and not tab.evaluate(WHOLE):
        tab.wait_for_timeout(5)
    return Click(seen, worked, processor(session) - before)


def processor(session: Any) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def print_clicks(clicks: dict[str, list[Click]]) -> None:
    print(
        "milliseconds until seen, by the clock and by the processor: median, worst; whole: median"
    )
    print(f"{'click':40}{'clock':>8}{'worst':>8}{'processor':>11}{'worst':>8}{'whole':>8}")
    for name, found in clicks.items():
        clock, work = [one.seen for one in found], [one.processor for one in found]
        whole = statistics.median(one.whole for one in found)
        figures = [statistics.median(clock), max(clock), statistics.median(work), max(work), whole]
        cells = zip((f"{1000 * figure:.0f}" for figure in figures), (8, 8, 11, 8, 8), strict=True)
        print(f"{name:40}" + "".join(f"{cell:>{width}}" for cell, width in cells))


def judged(clicks: dict[str, list[Click]]) -> Verdict:
    """By the share of all clicks that are within the limit, by the processor."""
    work = sorted(one.processor for found in clicks.values() for one in found)
    share = sum(one < CLICK for one in work) / len(work)
    nearly_all = work[min(len(work) - 1, int(SHARE * len(work)))]
    what = f"{share:.1%} of {len(work)}; {SHARE:.0%} within {shown(nearly_all)}"
    return Verdict(f"{SHARE:.0%} of clicks in under {CLICK * 1000:g} ms", what, share >= SHARE)


if __name__ == "__main__":
    main()
