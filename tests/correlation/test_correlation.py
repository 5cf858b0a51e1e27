"""How alike metrics, judgments and given orders put systems."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankwise
from rankwise.correlation import correlate, correlate_orders
from rankwise.correlation.correlation import COEFFICIENTS
from rankwise.correlation.system_rankings import from_scores
from rankwise.errors import CallError
from rankwise.scores.imported import scores_from_matrices
from rankwise.scores.scores import Scores
from rankwise.stats.correlation import tau_ap


@pytest.fixture
def scores() -> Scores:
    """Three metrics of six systems on 20 topics; two systems are the same."""
    rng = np.random.default_rng(3)
    value = rng.integers(0, 11, (3, 6, 20)) / 10
    value[:, 5] = value[:, 4][:, ::-1]
    tables = {
        name: pl.DataFrame(
            {"topic": [str(topic) for topic in range(20)]}
            | {f"s{place}": row for place, row in enumerate(table)}
        )
        for name, table in zip(["A", "B", "C"], value, strict=True)
    }
    return scores_from_matrices(tables)


def test_frame_and_matrix_hold_the_coefficients_of_the_means(scores: Scores) -> None:
    means = np.round(scores.value.sum(axis=2) * 10)  # whole numbers: no noise
    found = correlate(scores)
    assert found.frame.columns == ["first", "second", "coefficient", "value", "p", "n"]
    assert found.frame.rows()[1][:3] == ("A", "C", "kendall")
    for row, (one, other) in zip(found.frame.rows(), combinations(range(3), 2), strict=True):
        assert row[3] == pytest.approx(stats.kendalltau(means[one], means[other]).statistic)
        assert row[5] == 6
    matrix = found.matrix()
    assert matrix.columns == ["kendall", "A", "B", "C"]
    assert matrix["A"].to_list() == pytest.approx([1, *found.frame["value"].to_list()[:2]])
    assert "some systems are tied: 2 of 6 in A, 2 of 6 in B, 2 of 6 in C; tau-b" in repr(found)


def test_of_tau_ap_the_row_is_the_truth(scores: Scores) -> None:
    means = np.round(scores.value.sum(axis=2) * 10)
    found = correlate(scores, coefficient="tau-ap")
    assert found.frame.height == 6 and "p" not in found.frame.columns
    first, second, _, value, _ = found.frame.row(3)
    assert (first, second) == ("B", "C")
    assert value == pytest.approx(float(tau_ap(means[1], means[2])))
    assert found.matrix().row(1)[3] == value


def test_rank_biased_overlap_has_its_bounds(scores: Scores) -> None:
    found = correlate(scores, coefficient="rbo", p=0.7).frame
    columns = ["first", "second", "coefficient", "value", "low", "residual", "n"]
    assert found.columns == columns
    inside = (pl.col("low") <= pl.col("value")) & (
        pl.col("value") <= pl.col("low") + pl.col("residual")
    )
    assert found.select(inside.all()).item()


def test_two_systems_in_the_same_order_show_nothing() -> None:
    """The normal approximation gave 0.317; of the two orders of two systems each has |tau| 1."""
    frame = correlate_orders({"A": ["x", "y"], "B": ["x", "y"]}).frame
    assert frame.select("value", "p").row(0) == (1.0, 1.0)
    by_a = correlate_orders({"A": ["x", "y"], "B": ["y", "x"]}, coefficient="kendall-a").frame
    assert by_a.select("value", "p").row(0) == (-1.0, 1.0)


def test_swaps_at_alpha_itself_are_significant(scores: Scores) -> None:
    """As everywhere: p ≤ α."""
    found = correlate(scores)
    p = found.swaps()["first_p"][0]

    def marks(alpha: float) -> int:
        counts = found.swaps(alpha=alpha)["significant"].cast(pl.String)
        return int((counts == "one").sum()) + 2 * int((counts == "both").sum())

    assert marks(p) > marks(float(np.nextafter(p, 0)))


def test_swaps_are_those_of_a_loop(scores: Scores) -> None:
    means = np.round(scores.value.sum(axis=2) * 10)
    expected = set()
    for one, other in combinations(range(3), 2):
        for i, j in combinations(range(6), 2):
            by_one, by_other = means[one][i] - means[one][j], means[other][i] - means[other][j]
            if by_one * by_other < 0:
                better, worse = (i, j) if by_one > 0 else (j, i)
                p = [
                    stats.ttest_rel(scores.value[k][better], scores.value[k][worse]).pvalue
                    for k in (one, other)
                ]
                row = ("ABC"[one], "ABC"[other], f"s{better}", f"s{worse}")
                kind = ["none", "one", "both"][sum(q < 0.6 for q in p)]
                expected.add((*row, *(round(q, 9) for q in p), kind))
    swaps = correlate(scores).swaps(alpha=0.6)
    columns = [*swaps.columns[:4], "first_p", "second_p", "significant"]
    rows = swaps.select(columns).with_columns(pl.col("first_p", "second_p").round(9)).rows()
    assert set(rows) == expected and len(rows) == len(expected)
    assert {"both", "one", "none"} == set(swaps["significant"])
    assert swaps["significant"].is_sorted()
    assert (swaps["first_difference"] > 0).all() and (swaps["second_difference"] < 0).all()


def test_the_geometric_mean_orders_and_is_tested_by_logarithms() -> None:
    """Under the geometric mean `even` is ahead of `odd`, whose scores have a 0."""
    table = pl.DataFrame({"topic": ["1", "2"], "even": [0.4, 0.4], "odd": [1.0, 0.0]})
    arithmetic = scores_from_matrices({"M": table})
    geometric = Scores(**{**vars(arithmetic), "averaged": "geometric"})
    swaps = correlate({"arithmetic": arithmetic, "geometric": geometric}).swaps()
    assert swaps.row(0)[:4] == ("arithmetic", "geometric", "odd", "even")
    assert swaps["second_difference"][0] == pytest.approx(np.log(1e-5) / 2 - np.log(0.4))


def test_qrels_and_runs_as_for_score() -> None:
    collection = rankwise.simulate(topics=10, systems=4, seed=2)
    found = rankwise.correlate(
        rankwise.read(collection.qrels, collection.runs, depth=20), metrics=["AP", "RR", "P@5"]
    )
    scores = rankwise.score(
        rankwise.read(collection.qrels, collection.runs, depth=20), metrics=["AP", "RR", "P@5"]
    )
    assert np.array_equal(found.values, correlate(scores).values)


def test_judgments_are_told_apart_by_name(scores: Scores) -> None:
    part = scores.where_topics(np.arange(20) < 10)
    found = correlate({"all": scores, "half": part})
    assert found.orders.names == ("A all", "B all", "C all", "A half", "B half", "C half")
    one = Scores(
        scores.metrics[:1], scores.runs, scores.topics, scores.value[:1], present=scores.present
    )
    assert correlate({"all": one, "again": one}).orders.names == ("all", "again")


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_two_systems_have_an_answer(coefficient: Any) -> None:
    orders: dict[str, Any] = {"up": ["a", "b"], "down": ["b", "a"], "tied": {"a": 1, "b": 1}}
    values = correlate_orders(orders, coefficient=coefficient).values
    assert values[0, 0] == pytest.approx(1)
    if coefficient != "rbo":
        assert values[0, 1] == pytest.approx(-1)
        undefined = coefficient in ("kendall", "spearman", "tau-ap-b")
        assert np.isnan(values[0, 2]) if undefined else values[0, 2] == pytest.approx(0)


def test_what_is_undefined_is_said() -> None:
    orders: dict[str, Any] = {
        "A": ["x", "y"],
        "flat": {"x": 1, "y": 1},
        "void": {"x": np.nan, "y": np.nan},
    }
    found = correlate_orders(orders)
    assert np.isnan(found.values[:, 1:]).all() and found.values[0, 0] == 1
    assert found.frame["value"].to_list() == [None] * 3
    assert any("flat: all systems are tied" in note for note in map(str, found.notes))
    assert any("void: no system has a score" in note for note in map(str, found.notes))


def test_a_system_without_a_score_is_left_out_of_all() -> None:
    orders: dict[str, Any] = {"A": {"x": 3, "y": 2, "z": 1}, "B": {"x": 3, "y": 2, "z": np.nan}}
    found = correlate_orders(orders)
    assert found.orders.systems == ("x", "y") and found.frame["n"].item() == 2
    assert any("excluded: z" in note for note in map(str, found.notes))


@pytest.mark.parametrize(
    ("orders", "what"),
    [
        ({"A": ["x", "y"], "B": ["x", "z"]}, "A lacks z"),
        ({"A": ["x", "y"]}, "Only one is given"),
        ({}, "correlation needs two metrics, two files of judgments or"),
        ({"A": ["x"], "B": ["x"]}, "there is only one"),
        ({"A": ["x", "x"], "B": ["x", "y"]}, "'A' has a system twice"),
        ({"A": "xy", "B": ["x", "y"]}, "is a text, 'xy'"),
    ],
)
def test_orders_that_cannot_be_compared(orders: Any, what: str) -> None:
    with pytest.raises(CallError, match=what):
        correlate_orders(orders)


def test_wrong_calls(scores: Scores) -> None:
    with pytest.raises(CallError, match="Did you mean spearman"):
        correlate(scores, coefficient="speerman")  # type: ignore[arg-type]
    with pytest.raises(CallError, match="no run is given"):
        correlate({"1": {"a": 1}})
    with pytest.raises(CallError, match=r"`p` must be between 0 and 1"):
        correlate(scores, coefficient="rbo", p=1.5)


def test_overlap_takes_orders_of_other_systems() -> None:
    found = correlate_orders({"A": ["x", "y"], "B": ["x", "z", "w"]}, coefficient="rbo")
    assert found.frame["n"].item() == 1 and 0 < found.frame["value"].item() < 1


def test_table_iii_of_moffat_and_zobel(trec8: Path) -> None:
    """Full pool: the paper, with slightly different data, has 0.846, 0.733 and 0.839–0.841.

    The means of P@10 tie where their counts are equal, whatever the order of adding up.
    """
    folder = trec8.parent / "trec5"
    files = {"AP": "ap", "P@10": "p10", "RR": "rr"}
    scores = scores_from_matrices(
        {name: folder / f"adhoc5_{file}.csv" for name, file in files.items()}
    )
    found = correlate(scores).frame["value"].to_list()
    assert found == pytest.approx([0.8446, 0.7290, 0.8391], abs=5e-5)
    counts = np.round(10 * scores.value[1]).sum(axis=1)
    expected = stats.kendalltau(counts, scores.value[2].mean(axis=1)).statistic
    assert found[2] == pytest.approx(expected)


def test_table_8_of_ahlgren_and_gronqvist(trec8: Path) -> None:
    """The 122 complete runs of TREC-8, ordered by score."""
    runs = sorted((trec8 / "runs").iterdir())
    metrics = ["AP", "bpref-10", "RankEff"]
    found = correlate(
        rankwise.read(trec8 / "trec8.qrels.gz", runs, complete_runs=True), metrics=metrics
    )
    assert len(found.orders.systems) == 122
    assert found.frame["value"].round(3).to_list() == [0.932, 0.856, 0.823]


def test_ranks_of_systems_that_move_most_come_first(scores: Scores) -> None:
    found = correlate_orders(
        {"one": {"a": 4, "b": 3, "c": 3, "d": 1}, "other": {"a": 1, "b": 3, "c": 4, "d": 2}}
    )
    assert found.rank_changes().rows() == [
        ("a", 1, 4, 3),
        ("c", 2, 1, 1),
        ("d", 4, 3, 1),
        ("b", 2, 2, 0),
    ]
    table = found.rank_table(rows=2)
    assert list(map(str, table.notes)) == [
        "the rank of a changes most: it has rank 4 in other and rank 1 in one"
    ]
    assert len(str(table).splitlines()) < len(str(found.rank_table()).splitlines())
    moved = correlate(scores).rank_changes()
    assert moved["change"].to_list() == sorted(moved["change"], reverse=True)


def test_a_note_names_its_judgments_once(tmp_path: Path) -> None:
    """In whatever folder they are; what is said of the runs under both is said once."""
    qrels = {"whole.qrels": "1 0 a 1\n1 0 b 0\n", "halves.qrels": "1 0 a 0.5\n1 0 b 0\n"}
    for name, text in qrels.items():
        (tmp_path / name).write_text(text)
    runs = []
    for name, scores in (("x", (2, 1)), ("y", (1, 2))):
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(f"1 Q0 {d} 1 {s} {name}\n" for d, s in zip("ab", scores, strict=True)) * 2
        )
        runs.append(path)
    judgments = [tmp_path / name for name in qrels]
    scored = {
        path.name: rankwise.score(rankwise.read(path, runs, lenient=True), metrics=["P@1", "RR"])
        for path in judgments
    }
    notes = list(map(str, from_scores(scored).notes))
    assert sum("fractional grades" in note for note in notes) == 1
    assert all(note.count("halves.qrels") <= 1 for note in notes)
    assert sum("x.run: skipped 2 duplicate documents" in note for note in notes) == 1
