"""A collection at a glance: plain loops, and Tables 1 to 3 of Ahlgren and Grönqvist (2007)."""

from pathlib import Path

import polars as pl
import pytest

import rankwise
from rankwise.errors import CallError

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"a": 0, "e": 1}}
RUNS = {
    "one": {"1": {"a": 9.0, "x": 8.0, "b": 7.0}, "2": {"y": 2.0, "e": 1.0}},
    "two": {"1": {"c": 9.0, "d": 8.0}},
}


def test_the_summary_by_hand() -> None:
    seen = rankwise.overview(QRELS, RUNS, cutoffs=[2, 1000])
    assert seen.frame.rows() == [
        ("pool", None, 3.0, 3.0, 1.5, None),
        ("top 2", 2, 6 / 4, 4 / 4, 3 / 4, 2 / 4),
        ("top 1000", 2, 7 / 4, 5 / 4, 3 / 4, 2 / 4),
    ]


def test_by_topic_run_and_rank_by_hand() -> None:
    seen = rankwise.overview(QRELS, RUNS, cutoffs=[2], rel=2)
    assert seen.by_topic.rows() == [("1", 4, 1, 0.25), ("2", 2, 0, 0.0)]
    assert seen.by_run.rows() == [("one", 0.5, 0.5, 3, 1), ("two", 1.0, 0.0, 2, 0)]
    expected = [(1, 3, 1 / 3, 2 / 3), (2, 3, 0.0, 2 / 3), (3, 1, 0.0, 1.0)]
    assert seen.by_rank.drop("unjudged").rows() == expected
    assert (seen.by_rank["judged"] + seen.by_rank["unjudged"]).to_list() == [1.0] * 3


@pytest.mark.parametrize("pool_depth", [1, 3, 10, 40])
def test_what_is_unique_to_a_run_by_a_plain_loop(pool_depth: int) -> None:
    made = rankwise.simulate(topics=6, systems=5, depth=40, pool_depth=40, seed=3)
    grades = {(topic, document): grade for topic, document, grade in made.qrels.frame.rows()}
    tops = {}
    for run in made.runs:
        ranked = run.frame.sort("score", "document", descending=True)
        first = ranked.group_by("topic", maintain_order=True).head(pool_depth)
        tops[run.name] = {
            pair for pair in first.select("topic", "document").rows() if pair in grades
        }
    expected = {}
    for name, top in tops.items():
        alone = top - set().union(*(other for run_name, other in tops.items() if run_name != name))
        expected[name] = (len(alone), sum(grades[pair] >= 1 for pair in alone))
    seen = rankwise.overview(made.qrels, made.runs, cutoffs=[10], pool_depth=pool_depth)
    found = seen.by_run.select("run", "unique", "unique rel.").rows()
    assert {name: tuple(counts) for name, *counts in found} == expected
    assert any(count for count, _ in expected.values())
    shares = seen.by_run["judged@10"].to_list()
    assert shares == sorted(shares)


def test_wrong_calls() -> None:
    with pytest.raises(CallError, match="`pool_depth` must be a whole number, 1 or more"):
        rankwise.overview(QRELS, RUNS, pool_depth=0)
    with pytest.raises(CallError, match="`cutoffs` must be a whole number, 1 or more"):
        rankwise.overview(QRELS, RUNS, cutoffs=[0])
    with pytest.raises(CallError, match="`rel` must be above 0"):
        rankwise.overview(QRELS, RUNS, rel=0)


def test_tables_1_2_and_3_of_ahlgren_and_gronqvist(trec8: Path) -> None:
    """TREC-8, ordered by the runs' ranks; by their scores 4.66 of the top 100 are unjudged."""
    files = sorted((trec8 / "runs").iterdir())
    seen = rankwise.overview(
        rankwise.read(trec8 / "trec8.qrels.gz", files, order="rank", complete_runs=True)
    )
    pool, _, top_100, top_1000 = seen.frame.rows(named=True)
    assert len(seen.judged.topics) == 50
    assert (round(pool["relevant"], 1), round(pool["judged"], 1)) == (94.6, 1736.6)
    wanted = ("documents", "relevant", "unjudged")
    assert top_100["runs"] == top_1000["runs"] == 122
    assert [round(top_1000[name], 1) for name in wanted] == [997.5, 53.2, 555.3]
    assert [round(top_100[name], 2) for name in wanted] == [99.97, 20.97, 4.91]
    shares = seen.by_rank.filter(pl.col("rank").is_in([100, 101]))["unjudged"].to_list()
    assert shares[0] < 0.1 < 0.18 < shares[1]  # the pool ends at rank 100
