"""Runs whose scores are all equal: said of every kind of input, and of no other run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise

TOPICS = [str(topic) for topic in range(401, 421)]
QRELS = {topic: {"a": 1, "b": 0, "e": 1} for topic in TOPICS}
SAID = "all retrieved documents have the same score in run "


def run_with(tied: int) -> dict[str, dict[str, float]]:
    """A run with equal scores in its first topics; in the last there is one document."""
    one = {TOPICS[-1]: {"a": 1.0}}
    return {
        topic: dict.fromkeys("cabd", 1.0) if place < tied else {"a": 3.0, "x": 2.0, "e": 2.0}
        for place, topic in enumerate(TOPICS)
    } | one


def rows_of(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(topic, name, score) for topic, of in run.items() for name, score in of.items()]


def frame_of(run: dict[str, dict[str, float]]) -> pl.DataFrame:
    columns = {"topic": pl.String, "document": pl.String, "score": pl.Float64}
    return pl.DataFrame(rows_of(run), schema=columns, orient="row")


def text_of(run: dict[str, dict[str, float]], folder: Path, ending: str = "\n") -> Path:
    lines = [f"{topic} Q0 {name} 1 {score} run{ending}" for topic, name, score in rows_of(run)]
    (folder / "run").write_text("".join(lines), newline="")
    return folder / "run"


def stream_of(run: dict[str, dict[str, float]]) -> Iterator[pl.DataFrame]:
    for topic in run:
        yield frame_of({topic: run[topic]})


KINDS = ["text", "slow text", "dict", "frame", "stream"]


def given(kind: str, run: dict[str, dict[str, float]], folder: Path) -> Any:
    """A run in several forms; the kernel does not read lines that end in carriage returns."""
    if kind == "text":
        return text_of(run, folder)
    if kind == "slow text":
        return text_of(run, folder, "\t\r\n")
    if kind == "dict":
        return run
    return frame_of(run) if kind == "frame" else stream_of(run)


def warnings_of(result: Any) -> list[str]:
    found = [note for note in result.notes if note.kind == "all-tied"]
    assert all(note.severity == "warning" and SAID in str(note) for note in found)
    return list(map(str, found))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bounds", [False, True])
def test_runs_and_topics_of_equal_scores_are_named(kind: str, bounds: bool, tmp_path: Path) -> None:
    for tied, said in (
        (3, "run on 3 of 20 topics (401, 402, 403)"),
        (19, "run on 19 of 20 topics (401, 402, 403, …)"),
        (2, None),
        (0, None),
    ):
        scores = rankwise.score(QRELS, given(kind, run_with(tied), tmp_path), "AP", bounds=bounds)
        notes = warnings_of(scores)
        assert len(notes) == (said is not None), tied
        assert said is None or said in notes[0], tied


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_one_score_is_named_whatever_the_depth(kind: str, tmp_path: Path) -> None:
    run = {topic: dict.fromkeys("cabd", 0.5) for topic in TOPICS}
    for depth in (None, 2, 4):
        scores = rankwise.score(
            rankwise.read(QRELS, given(kind, run, tmp_path), depth=depth), metrics=["P@1"]
        )
        assert [f"{SAID}run on all 20 topics" in note for note in warnings_of(scores)] == (
            [True] if depth != 2 else []  # d and c are retrieved, and neither is judged
        )


def test_other_orders_and_other_verbs(tmp_path: Path) -> None:
    tied, sound = run_with(19), run_with(0)
    path = text_of(tied, tmp_path)
    assert not warnings_of(rankwise.score(rankwise.read(QRELS, path, order="file"), metrics="AP"))
    # All ranks are 1.
    assert warnings_of(
        rankwise.score(rankwise.read(QRELS, path, order="rank"), metrics="AP")
    )  # all ranks are 1
    several = {"tied": tied, "sound": sound, "flat": run_with(18)}
    said = "in run tied on 19 of 20 topics (401, 402, 403, …), in run flat on 18 of 20 topics ("
    assert [said in note for note in warnings_of(rankwise.compare(QRELS, several, "AP"))] == [True]
    assert warnings_of(rankwise.gate(QRELS, sound, tied, min="AP=0"))
    assert warnings_of(rankwise.overview(QRELS, several))
