"""A comparison over a range of a parameter: the same numbers as one comparison per value."""

from dataclasses import dataclass
from typing import Any

import pytest

from rankwise import compare, simulate
from rankwise.comparison.sweep import Sweep
from rankwise.errors import CallError, WrongParameter
from rankwise.metrics import RBP, P, nDCG, vary
from rankwise.metrics.ranges import Range

MADE = simulate(topics=12, systems=4, seed=1)
RUNS = list(MADE.runs)


def test_each_row_is_the_comparison_by_its_value_alone() -> None:
    found = compare(MADE.qrels, RUNS, vary("RBP", "p=0.5:0.9:0.2"), unjudged="open").over("p")
    assert found.frame.height == 3 * 6
    for row in found.frame.iter_rows(named=True):
        alone = compare(MADE.qrels, RUNS, RBP(p=row["value"]), unjudged="open").frame
        [same] = alone.filter(a=row["a"], b=row["b"]).to_dicts()
        assert {name: row[name] for name in same if name != "metric"} == {
            name: value for name, value in same.items() if name != "metric"
        }
        assert (row["metric"], row["parameter"]) == ("RBP", "p")


def test_values_of_a_pair_stand_together_and_rise() -> None:
    found = compare(MADE.qrels, RUNS[:3], vary("nDCG, P", {"cutoff": [20, 5, 10]})).over("cutoff")
    assert found.metrics == ["nDCG", "P"]
    assert [pair["value"].to_list() for pair in found.pairs] == [[5, 10, 20]] * 6


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("p=0.5:0.95", [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]),
        ("cutoff = 10:100", [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
        ("k=1:100", [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]),
        ("cutoff=1:3", [1, 2, 3]),
        ("beta=0:1", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        ("k=0:1:0.3", [0, 0.3, 0.6, 0.9, 1]),
        ("rel=1,3", [1, 3]),
        ({"b": (2, 1)}, [2, 1]),
    ],
)
def test_ranges_hold_both_ends(given: Any, values: list[float]) -> None:
    assert list(Range.parse(given).values) == values


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("p=0.9:0.5", "the end 0.5 is not above the start 0.9"),
        ("p=0.1:0.5:0", "the step 0 is not above 0"),
        ("p=0.1:0.5:nan", "is not a range. Write it as p=0.5:0.95"),
        ("p=0:1:0.0001", "more than 1,000 values"),
        ("0.5:0.9", "is not a range"),
        ("p=1:2:3:4", "is not a range"),
        ({"p": [], "q": []}, "has 2 parameters: p, q"),
        ({"p": []}, "`over` has no value for p"),
    ],
)
def test_what_is_no_range_is_said(given: Any, message: str) -> None:
    with pytest.raises(WrongParameter, match=message):
        Range.parse(given)


def test_metrics_vary_by_name_class_and_value() -> None:
    assert vary(nDCG, {"cutoff": [5]}) == [nDCG @ 5]
    assert vary(["P(rel=2)", RBP(p=0.5)], {"cutoff": [5]}) == [P(cutoff=5, rel=2), RBP(p=0.5) @ 5]
    assert vary(P(cutoff=3, rel=2), {"cutoff": [5]}) == [P(cutoff=5, rel=2)]


@pytest.mark.parametrize(
    ("metric", "over", "message"),
    [
        ("RBP(p=0.8)", "p=0.5:0.9", "has a value for p, and a range of p is also given"),
        ("ndcg_cut_10", "cutoff=5,10", "has a value for cutoff"),
        ("AP", "p=0.5:0.9", "AP has no parameter 'p'. Its parameters:"),
        (P(cutoff=5), "p=0.5:0.9", "P has no parameter 'p'"),
        ("RBP", "p=0.5:1", "p=1 is not allowed"),
        ("nDCG", "cutoff=1:2:0.5", "cutoff=1.5 is not allowed"),
    ],
)
def test_what_cannot_vary_is_said(metric: Any, over: str, message: str) -> None:
    with pytest.raises(WrongParameter, match=message):
        vary(metric, over)


def test_a_comparison_without_the_parameter_is_not_one_over_it() -> None:
    with pytest.raises(CallError, match="AP has no value for p"):
        compare(MADE.qrels, RUNS[:2], ["AP", "RBP(p=0.5)"]).over("p")
    with pytest.raises(CallError, match="does not measure quality"):
        compare(MADE.qrels, RUNS[:2], vary("Judged", "cutoff=5,10")).over("cutoff")


@dataclass
class Flip:
    """Two runs of which one leads at the top and the other below."""

    top: dict[str, dict[str, float]]
    below: dict[str, dict[str, float]]

    @classmethod
    def made(cls) -> "Flip":
        topics = [str(number) for number in range(8)]
        top = {t: {"r0": 9.0, **{f"n{i}{t}": 8.0 - i for i in range(7)}} for t in topics}
        below = {t: {"n": 9.0, **{f"r{i}": 8.0 - i for i in range(1, 6)}} for t in topics}
        for t in topics[:3]:  # so that differences vary
            below[t]["n"] = 3.5
        return cls(top, below)

    def swept(self) -> Sweep:
        qrels = {t: {f"r{i}": 1 for i in range(6)} for t in self.top}
        runs = {"below": self.below, "top": self.top}  # top − below
        return compare(qrels, runs, vary("RBP", "p=0,0.4,0.8")).over("p")


def test_notes_say_where_each_run_leads() -> None:
    note = str(Flip.made().swept().notes[0])
    assert note.startswith(
        "RBP over p: top is better at p = 0. It is significantly better at p = 0. At "
    )
    assert ". below is better at p = 0.4 to 0.8. It is significantly better at " in note


def test_a_metric_of_which_less_is_better_leads_by_less() -> None:
    found = compare(MADE.qrels, RUNS[:2], vary("SearchLength", "give_up=500,1000")).over("give_up")
    [rows] = found.pairs
    leader = rows["a" if rows["difference"][0] < 0 else "b"][0]
    assert str(found.notes[0]).startswith(
        f"SearchLength over give_up: {leader} is better at give_up = 500"
    )
