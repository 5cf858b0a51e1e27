"""The experiment of the paper's conclusion, on TREC-8 and on a simulated collection."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import CallError, score, simulate
from rankwise.studies.zhang_park_moffat_2008 import (
    PERSISTENCES,
    trial_metrics,
    trial_on_scores,
)
from rankwise.wording import percent

PAGE = Path(__file__).parents[2] / "docs" / "inversion.md"


def trial_on_runs(
    qrels: Any, runs: Any, persistences: Any = PERSISTENCES, *, residuals: bool = False
) -> pl.DataFrame:
    metrics = trial_metrics(persistences)
    if residuals:
        return trial_on_scores(
            score(qrels, runs, metrics, bounds=True, unjudged="open"), persistences
        )
    found = score(qrels, runs, metrics)
    return trial_on_scores(found, persistences)


def test_sound_verdicts_are_never_wrong() -> None:
    made = simulate(topics=20, systems=8, seed=3)
    found = trial_on_runs(made.qrels, made.runs)
    assert found.height == 40
    assert found["sound_wrong"].sum() == 0
    assert (found["sound"] > 0.3).any()
    towards_lower = found.filter(found["at"] < found["p"])
    assert (towards_lower["sound"] <= towards_lower["paper"] + 0.02).all()


def test_the_table_in_the_docs_is_that_of_the_study(trec8: Path) -> None:
    runs = sorted(str(path) for path in (trec8 / "runs").iterdir())
    found = trial_on_runs(str(trec8 / "trec8.qrels.gz"), runs, [0.5, 0.8])
    assert found["sound_wrong"].sum() == 0
    page = PAGE.read_text(encoding="utf-8")
    for p, at in [(0.5, 0.8), (0.8, 0.5)]:
        cells = [f"{p:g}", f"{at:g}"]
        for row in found.filter((found["p"] == p) & (found["at"] == at)).to_dicts():
            wrong = f"{row['paper_wrong']:,} ({row['by_far']:,})"
            cells += [percent(row["sound"], 1), percent(row["paper"], 1), wrong]
        assert f"| {' | '.join(cells)} |" in page


def test_a_trial_that_makes_no_sense_is_refused() -> None:
    made = simulate(topics=3, systems=2, seed=1)
    with pytest.raises(CallError, match="a comparison of runs needs two runs or more"):
        trial_on_runs(made.qrels, made.runs[:1])
    with pytest.raises(CallError, match=r"at least 0\.5: at lower p"):
        trial_on_runs(made.qrels, made.runs, [0.3, 0.8])


def test_with_residuals_fewer_comparisons_are_decided_and_none_wrongly() -> None:
    made = simulate(topics=12, systems=6, seed=3)
    known = trial_on_runs(made.qrels, made.runs, [0.5, 0.8, 0.95])
    found = trial_on_runs(made.qrels, made.runs, [0.5, 0.8, 0.95], residuals=True)
    assert found["sound_wrong"].sum() == 0 and (found["sound"] > 0).any()
    assert (found["sound"] <= known["sound"]).all() and found["sound"].sum() < known["sound"].sum()
