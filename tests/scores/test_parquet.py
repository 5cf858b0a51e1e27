"""Scores that are written as parquet are read back as they were."""

from pathlib import Path

import polars as pl
import pytest
from calls import same_scores

import rankwise
from rankwise import InputError, Scores, score

MADE = rankwise.simulate(topics=6, systems=4, seed=5)
METRICS = ["AP", "nDCG@10", "RBP(p=0.8)", "NumRet", "AP(rel=3)"]
FRAME = MADE.runs[1].frame
SHORT = rankwise.Run(FRAME.filter(FRAME["topic"] != "2"), name="short")  # lacks a topic


@pytest.mark.parametrize("bounds", [False, True])
def test_they_are_read_back_whole(tmp_path: Path, bounds: bool) -> None:
    runs = [MADE.runs[3], SHORT, MADE.runs[0]]
    given = score(
        rankwise.read(MADE.qrels, runs, gains="1:0.6:0.3"),
        metrics=METRICS,
        bounds=bounds,
        mean="geometric",
    )
    assert len(given.notes) >= 3
    given.write_parquet(tmp_path / "scores.parquet")
    same_scores(Scores.read_parquet(tmp_path / "scores.parquet"), given)


def test_groups_of_topics_are_read_back(tmp_path: Path) -> None:
    groups = {"1": "easy", "2": "hard", "4": "easy", "6": "hard"}  # topics 3 and 5 in none
    given = score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=groups), metrics=METRICS, bounds=True
    )
    given.write_parquet(tmp_path / "scores.parquet")
    found = Scores.read_parquet(tmp_path / "scores.parquet")
    same_scores(found, given)
    assert found.groups == given.groups == ("easy", "hard", None, "easy", None, "hard")


def test_parts_are_put_together(tmp_path: Path) -> None:
    for run in MADE.runs:
        part = score(MADE.qrels, run, METRICS, bounds=True, unjudged="own")
        part.write_parquet(tmp_path / f"{run.name}.parquet")
    parts = [Scores.read_parquet(tmp_path / f"{run.name}.parquet") for run in MADE.runs]
    whole = score(MADE.qrels, MADE.runs, METRICS, bounds=True, unjudged="own")
    same_scores(Scores.concat(parts), whole)


def test_other_tools_find_the_columns_that_we_print(tmp_path: Path) -> None:
    given = score(MADE.qrels, MADE.runs, METRICS, bounds=True)
    given.write_parquet(tmp_path / "scores.parquet")
    columns = ["run", "topic", "metric", "value", "low", "high"]
    assert pl.read_parquet(tmp_path / "scores.parquet").select(columns).equals(given.frame)
    assert rankwise.read_scores(tmp_path / "scores.parquet").runs == given.runs


def test_what_holds_no_scores_is_said(tmp_path: Path) -> None:
    file = tmp_path / "other.parquet"
    MADE.qrels.frame.write_parquet(file)
    with pytest.raises(InputError, match="has no column run; the columns are topic, document"):
        Scores.read_parquet(file)
    frame = score(MADE.qrels, MADE.runs[0], "AP").frame
    pl.concat([frame, frame[:1]]).write_parquet(file)
    with pytest.raises(InputError, match="two rows have the same run, topic and metric"):
        Scores.read_parquet(file)
    file.write_text("no parquet")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        Scores.read_parquet(file)
    with pytest.raises(InputError, match="cannot be read as parquet"):
        Scores.read_parquet(tmp_path / "nothing")


def test_weights_and_runs_of_systems_are_refused(tmp_path: Path) -> None:
    """Read back, their means and intervals would be those of other scores."""
    given = score(MADE.qrels, MADE.runs, "AP")
    weighted = rankwise.weight_topics(given, dict(zip(given.topics, range(1, 7), strict=True)))
    names = {run: f"s{number // 2}" for number, run in enumerate(given.runs)}
    for lossy, what in ((weighted, "weights of topics"), (given.of_systems(names), "runs of")):
        with pytest.raises(rankwise.CallError, match=f"{what}.* cannot be stored as Parquet"):
            lossy.write_parquet(tmp_path / "scores.parquet")
        assert not (tmp_path / "scores.parquet").exists()
