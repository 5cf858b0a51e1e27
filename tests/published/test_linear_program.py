"""What several scores say together: against closed forms, and against every ranking."""

import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.published import implied, invert
from rankwise.published.linear_program import SOLVERS, System


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


@pytest.mark.slow
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
        ("AP", {"P@10": 0.5}, {}, "AP does not have fixed rank weights"),
        ("P@5", {"DCG": 0.5}, {}, "DCG does not have fixed rank weights"),
        ("P@5", {}, {}, "no known score is given"),
        (
            "P@5",
            {"P@1": 0.2, "RBP(p=0.5)": 0.9},
            {},
            "no ranking, and no mean over topics, has all",
        ),
        ("P@5", {"P@1": 0.2}, {"precision": 0}, "`precision` must be between 0 and 1"),
        ("P@5", {"P@1": float("nan")}, {}, "P@1 = nan is not possible: scores are between 0 and 1"),
        ("P@5", {"RBP(p=0.5)": 1e308}, {}, "scores are between 0 and 1"),
        ("P@5", {"DCG@2": 1.7}, {}, r"DCG@2 = 1.7 is not possible: scores are between 0 and 1.631"),
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
    done = CliRunner().invoke(
        root, ["published", "implied", *asked, "--precision", "0.01", "--format", "csv"]
    )
    assert done.exit_code == 0, done.output
    assert "RBP(p=0.8),0." in done.output and "RBP(p=0.5) = 0.61" in done.output
    wrong = CliRunner().invoke(root, ["published", "implied", "--known", "P@10", "-m", "RBP"])
    assert wrong.exit_code == 2 and "not METRIC=SCORE. Write it as P@10=0.42" in wrong.output


HARD = {"RBP(p=0.5)": 0.41, "RBP(p=0.95)": 0.169, "P@5": 0.45}


def test_a_program_that_one_solver_gives_up_is_solved() -> None:
    """HiGHS returned status 15, unknown, for this one when it was not scaled."""
    row = implied("RBP(p=0.8)", HARD, precision=0.001).frame.row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx((0.2767, 0.4180), abs=1e-4)
    asked = [word for name, score in HARD.items() for word in ("--known", f"{name}={score}")]
    command = [
        "-m",
        "rankwise",
        "published",
        "implied",
        *asked,
        "-m",
        "RBP(p=0.8)",
        "--precision",
        "0.001",
    ]
    done = subprocess.run([sys.executable, "-O", *command], capture_output=True, timeout=60)
    assert done.returncode == 0 and b"0.2767  0.4180" in done.stdout


def test_a_program_that_is_solved_only_as_it_stands_is_solved() -> None:
    """With rows divided by their greatest coefficient every solver gave this one up."""
    known = {"P@10": 0.5, "RBP(p=0.5)": 0.5951, "RBP(p=0.95)": 0.2403}
    found = implied("RBP(p=0.8)", known)
    assert found.frame.select("low", "high").row(0) == pytest.approx((0.390459, 0.584922), abs=1e-6)
    assert not found.not_tight


def exact_bound(system: System, goal: Any, multipliers: Any) -> Fraction:
    """The bound of the module's docstring, in fractions."""
    used = [Fraction(max(float(one), 0.0)) for one in multipliers]
    weighed = (u * Fraction(float(b)) for u, b in zip(used, system.limits, strict=True))
    total = -sum(weighed, Fraction(0))
    for place, cost in enumerate(goal):
        column = [Fraction(float(one)) for one in system.rows[:, place]]
        reduced = Fraction(float(cost)) + sum(u * a for u, a in zip(used, column, strict=True))
        total += min(reduced, Fraction(0))
    return total


def random_system(rng: np.random.Generator) -> tuple[System, Any]:
    scale = 10.0 ** rng.integers(-3, 2, (3, 1))
    rows = rng.random((3, 8)) * scale
    inside = rows @ rng.random(8)
    limits = np.concatenate([inside + 1e-3 * scale[:, 0], 1e-3 * scale[:, 0] - inside])
    if rng.random() < 0.5:
        limits -= rng.random(6) * scale[:, 0].repeat(2) * 0.3  # mostly without a solution
    return System(np.concatenate([rows, -rows]), limits), rng.normal(size=8)


def test_bounds_and_proofs_of_infeasibility_hold_in_fractions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[tuple[Any, Any, float]] = []
    bound = System.bound

    def recorded(self: System, goal: Any, multipliers: Any) -> float:
        used.append((goal, multipliers, bound(self, goal, multipliers)))
        return used[-1][-1]

    monkeypatch.setattr(System, "bound", recorded)
    rng, solved, impossible = np.random.default_rng(10), 0, 0
    for _ in range(60):
        system, goal = random_system(rng)
        used.clear()
        least = system.least(goal)
        for asked, multipliers, claimed in used:
            exact = exact_bound(system, asked, multipliers)
            assert Fraction(claimed) <= exact
            assert claimed == pytest.approx(float(exact), abs=1e-9)
        if least is None:
            impossible += 1
            assert used[-1][-1] > 0 and not used[-1][0].any()  # the certificate
        else:
            solved += 1
            assert least.tight and least.bound == max(one[-1] for one in used if one[0] is goal)
    assert solved > 20 and impossible > 10


@pytest.mark.parametrize("status", [2, 4])
@pytest.mark.parametrize("failing", [SOLVERS[:1], SOLVERS[:2], SOLVERS])
def test_a_solver_that_fails_or_lies_changes_no_claim(
    monkeypatch: pytest.MonkeyPatch, failing: tuple[str, ...], status: int
) -> None:
    """Status 2 claims that there is no solution, 4 that the solver had difficulties."""
    expected = implied("RBP(p=0.8)", HARD, precision=0.001)
    right = System._solved

    def solved(
        self: System, goal: Any, solver: str, *, most: float | None = 1.0, scaled: bool = True
    ) -> Any:
        if solver in failing:
            return SimpleNamespace(status=status)
        return right(self, goal, solver, most=most, scaled=scaled)

    monkeypatch.setattr(System, "_solved", solved)
    found = implied("RBP(p=0.8)", HARD, precision=0.001)
    low, high = found.frame.select("low", "high").row(0)
    if failing == SOLVERS:
        assert low <= expected.frame["low"][0] and high >= expected.frame["high"][0]
        assert found.not_tight == ("RBP(p=0.8)",)
        assert any("the true range may be narrower" in note for note in map(str, found.notes))
    else:
        assert found.frame["low"][0] == pytest.approx(expected.frame["low"][0], abs=1e-6)
        assert not found.not_tight and found.notes == expected.notes


def test_multipliers_that_are_wrong_still_give_a_valid_bound() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        system, goal = random_system(rng)
        least = system.least(goal)
        if least is not None:
            assert system.bound(goal, rng.normal(size=6)) <= least.bound + 1e-6
