"""Progress bars come where there is something to wait for, and nowhere else."""

import io
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

import rankwise
from rankwise.cli import progress
from rankwise.progress import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def waited(seconds: float, things: list[int], shown_after: float) -> str:
    """What a terminal shows while each thing takes so long."""
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        patch.setenv("TERM", "xterm")
        patch.setattr(progress, "PATIENCE", shown_after)
        found = []
        for thing in progress.each_with_progress(things, "things"):
            time.sleep(seconds)
            found.append(thing)
    assert found == things
    return terminal.getvalue()


def test_one_long_step_shows_a_bar() -> None:
    assert "things" in waited(0.5, [1], shown_after=0.01)


def test_what_is_soon_over_shows_none() -> None:
    assert waited(0.0, list(range(100)), shown_after=60.0) == ""


def test_a_bar_ends_with_the_work_that_fails() -> None:
    with pytest.raises(KeyError), progress.LateBar("things", 2) as bar:
        bar._show()
        raise KeyError
    assert bar.bar is not None and not bar.bar.live.is_started


def test_files_and_pipes_get_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for _ in progress.each_with_progress([1, 2], "things"):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_long_parts_show_their_progress() -> None:
    """Planning, choosing a metric, and verdicts of one metric: not only the reading."""
    collection = rankwise.simulate(topics=8, systems=4, depth=20, pool_depth=4, seed=1)
    qrels, runs = collection.qrels, collection.runs
    shown: list[tuple[str, int]] = []

    def show(steps: Iterable[Any], name: str, _total: int | None) -> Iterable[Any]:
        count = 0
        for step in steps:
            yield step
            count += 1
        shown.append((name, count))

    def names(call: Callable[[], Any]) -> set[str]:
        shown.clear()
        with show_progress(show):
            call()
        return {name for name, count in shown if count > 1}

    plan = partial(rankwise.judging.plan_judgments, qrels, runs, budget=40)
    assert "steps of the plan" in names(partial(plan, metric="RBP", separate=True))
    assert "steps of the plan" in names(partial(plan, metric="RBP", weigh="residual"))
    assert "steps of the plan" in names(partial(plan, metric="AP"))
    choose = partial(rankwise.which_metric, qrels, runs, ["AP", "RR"], resamples=3)
    assert "samples" in names(choose)
    assert "pairs" in names(partial(rankwise.compare, qrels, runs, "AP", baseline="system1"))
