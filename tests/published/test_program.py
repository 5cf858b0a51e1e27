"""What several scores say together: against closed forms, and against every ranking."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.published import implied, invert


@pytest.mark.parametrize(("p", "at"), [(0.8, 0.5), (0.8, 0.95), (0.95, 0.5), (0.5, 0.9)])
@pytest.mark.parametrize("score", [0.1, 0.41, 0.8])
def test_one_rbp_score_of_a_mean_has_the_range_in_closed_form(
    p: float, at: float, score: float
) -> None:
    found = implied(f"RBP(p={at})", {f"RBP(p={p})": score}).frame.row(0, named=True)
    closed = invert(p, score, topics=50, at=at).frame.row(0, named=True)
    assert found["low"] == pytest.approx(closed["low"], abs=2e-4)
    assert found["high"] == pytest.approx(closed["high"], abs=2e-4)


KNOWN = ("P@3", "RBP(p=0.5)", "DCG@4")
WANTED = ("RBP(p=0.8)", "P@5", "SDCG(max_rel=1)@6", "InvSq")


def test_the_range_holds_every_ranking_and_shrinks_with_each_score() -> None:
    rng = np.random.default_rng(0)
    rankings = list(product((0, 1), repeat=6))
    tried = 0
    for _ in range(4):
        one = rankings[rng.integers(len(rankings))]
        known = {name: round(rankwise.score_gains(name, one), 2) for name in KNOWN}
        rows = implied(WANTED, known, precision=0.01).frame.rows(named=True)
        widths = [implied(WANTED, {name: known[name]}, precision=0.01).frame for name in KNOWN]
        for place, row in enumerate(rows):
            alone = min(w["high"][place] - w["low"][place] for w in widths)
            assert row["high"] - row["low"] <= alone + 1e-6
            assert row["one high"] - row["one low"] == pytest.approx(alone, abs=1e-6)
            for ranking in rankings:
                scored = {name: rankwise.score_gains(name, ranking) for name in KNOWN}
                if all(abs(scored[name] - known[name]) <= 0.005 + 1e-9 for name in KNOWN):
                    value = rankwise.score_gains(row["metric"], ranking)
                    assert row["low"] - 1e-9 <= value <= row["high"] + 1e-9
                    tried += 1
    assert tried >= 16


def test_on_trec8_three_numbers_say_much_more_than_one(trec8: Path) -> None:
    """Means of ten runs: P@10, RBP at 0.5 and at 0.95, for RBP at 0.8."""
    runs = sorted((trec8 / "runs").iterdir())[:10]
    names = ["P@10", "RBP(p=0.5)", "RBP(p=0.95)", "RBP(p=0.8)"]
    means = rankwise.score(trec8 / "trec8.qrels.gz", runs, names).value.mean(axis=2).round(4)
    widths = []
    for *known, truth in means.T.tolist():
        row = implied(names[3], dict(zip(names, known, strict=False))).frame.row(0, named=True)
        assert row["low"] - 1e-4 <= truth <= row["high"] + 1e-4
        widths.append((row["high"] - row["low"], row["one high"] - row["one low"]))
    together, alone = np.mean(widths, axis=0)
    assert together < 0.5 * alone


@pytest.mark.parametrize(
    ("metrics", "known", "more", "said"),
    [
        ("AP", {"P@10": 0.5}, {}, "AP is no sum of fixed weights"),
        ("P@5", {"DCG": 0.5}, {}, "DCG is no sum of fixed weights"),
        ("P@5", {}, {}, "no score is known"),
        ("P@5", {"P@1": 0.2, "RBP(p=0.5)": 0.9}, {}, "no ranking, and no mean, scores all"),
        ("P@5", {"P@1": 0.2}, {"precision": 0}, "precision 0 is not between"),
    ],
)
def test_what_cannot_be_says_so(
    metrics: str, known: dict[str, float], more: dict[str, Any], said: str
) -> None:
    with pytest.raises(CallError, match=said):
        implied(metrics, known, **more)


def test_the_command_prints_it() -> None:
    from click.testing import CliRunner

    from rankwise.cli.root import root

    asked = ["--known", "RBP(p=0.5)=0.61", "--known", "P@10=0.4", "-m", "RBP(p=0.8)"]
    done = CliRunner().invoke(root, ["implied", *asked, "--precision", "0.01", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert "RBP(p=0.8),0." in done.output and "RBP(p=0.5) = 0.61" in done.output
    wrong = CliRunner().invoke(root, ["implied", "--known", "P@10", "-m", "RBP"])
    assert wrong.exit_code == 2 and "METRIC=SCORE, as P@10=0.42" in wrong.output
