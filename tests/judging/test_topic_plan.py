"""`plan_topics` and `plan_budget`: the right variance for each design, and what a budget buys."""

import numpy as np
import pytest

import rankwise
from rankwise import CallError, simulate
from rankwise.errors import TooLittle
from rankwise.judging import plan_budget, plan_topics, pool
from rankwise.stats import anova_topics, residual_variance, t_test_topics, width_topics

MADE = simulate(topics=20, systems=5, depth=30, pool_depth=30, seed=2)
LEVELS = {"alpha": 0.05, "power": 0.8}


def test_each_design_uses_its_variance() -> None:
    scores = rankwise.score(MADE.qrels, MADE.runs, "AP")
    plan = plan_topics(scores, difference=0.1, width=0.2, margin=0.1, systems=8)
    found = {row["design"]: row for row in plan.frame.to_dicts()}
    variance = residual_variance(scores.value[0])
    assert found["t-test"]["topics"] == t_test_topics(0.1, 2 * variance.two_way, **LEVELS)
    assert found["interval"]["topics"] == width_topics(0.2, 2 * variance.two_way, alpha=0.05)
    one_way = anova_topics(0.1, variance.one_way, 8, paired=False, **LEVELS)
    assert found["one-way ANOVA"]["topics"] == one_way
    two_way = anova_topics(0.1, variance.two_way, 8, paired=True, **LEVELS)
    assert found["two-way ANOVA"]["topics"] == two_way
    assert plan.frame["variance"].to_list()[:3] == pytest.approx(
        [variance.two_way, variance.two_way, variance.one_way]
    )
    assert (plan.frame["cautious"] > plan.frame["topics"]).all()
    assert len(found) == 5
    again = plan_topics(MADE.qrels, MADE.runs, "AP", difference=0.1, width=0.2, margin=0.1)
    assert (
        again.frame.filter(again.frame["design"] == "t-test")["topics"].item()
        == (found["t-test"]["topics"])
    )


def test_a_variance_needs_no_pilot() -> None:
    plan = plan_topics(variance={"AP": 0.02, "nDCG@10": 0.04}, difference=0.1)
    assert plan.frame.select("metric", "topics").rows() == [("AP", 34), ("nDCG@10", 65)]
    assert "cautious" not in plan.table().frame.columns
    assert plan_topics(None, None, "RR", variance=0.02, difference=0.1).frame["metric"][0] == "RR"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "the goal of the plan is missing"),
        ({"difference": 0.0}, "`difference` must be above 0"),
        ({"margin": 0.1, "power": 0.01}, "`power` must be above alpha .0.05."),
        ({"margin": 0.1, "power": 1.0}, "`power` must be between 0 and 1"),
        ({"width": 0.1, "systems": 1}, "`systems` must be a whole number, 2 or more, not 1"),
        ({"width": 0.1}, "there is no data to estimate"),
        ({"width": 0.1, "variance": -1.0}, "`variance` must be above 0"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(CallError, match=message):
        plan_topics(**arguments)  # type: ignore[arg-type]


def test_a_pilot_needs_two_runs_and_two_topics() -> None:
    with pytest.raises(TooLittle, match="two runs or more"):
        plan_topics(MADE.qrels, MADE.runs[:1], width=0.1)
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}}
    with pytest.raises(TooLittle, match="AP: 1 topic has a score for every run"):
        plan_topics({"1": {"a": 1}}, runs, "AP", width=0.1)
    with pytest.raises(CallError, match="cannot be combined with judgments, runs or scores"):
        plan_topics(MADE.qrels, MADE.runs, width=0.1, variance=0.1)


def test_runs_that_never_differ_have_no_design() -> None:
    run = MADE.runs[0].frame
    plan = plan_topics(MADE.qrels, {"one": run, "two": run}, "AP", difference=0.1)
    assert plan.frame["topics"].to_list() == [None]
    assert "Without variance" in str(plan.notes[-1])


def test_a_budget_pays_for_the_pools_of_topics() -> None:
    plan = plan_budget(
        MADE.qrels, MADE.runs, ["AP", "P@5"], budget=2_000, depths=(5, 30), difference=0.1
    )
    rows = plan.frame.to_dicts()
    assert [(row["metric"], row["depth"]) for row in rows] == [
        ("AP", 5), ("AP", 30), ("P@5", 5), ("P@5", 30),
    ]  # fmt: skip
    for row in rows:
        size = pool(MADE.runs, row["depth"]).height / 20
        assert row["documents"] == pytest.approx(size)
        assert row["topics"] == 2_000 // size
        judged = pool(MADE.runs, row["depth"], qrels=MADE.qrels)
        cut = rankwise.score(judged.select("topic", "document", "grade"), MADE.runs, row["metric"])
        values = np.nan_to_num(cut.value[0])
        assert row["variance"] == pytest.approx(residual_variance(values).two_way)
        needed = t_test_topics(0.1, 2 * row["variance"], **LEVELS)
        assert row["budget_needed"] == round(needed * size)
    assert rows[1]["tau"] == pytest.approx(1)
    assert "detects the smallest difference" in str(plan.notes[0])


def test_a_budget_that_pays_for_no_two_topics_shows_nothing() -> None:
    plan = plan_budget(MADE.qrels, MADE.runs, "AP", budget=20, depths=(30,))
    assert plan.frame.select("topics", "difference", "width").row(0) == (0, None, None)
    with pytest.raises(CallError, match="`budget` must be a whole number"):
        plan_budget(MADE.qrels, MADE.runs, "AP", budget=0)
    with pytest.raises(CallError, match="must be whole numbers, 1 or more"):
        plan_budget(MADE.qrels, MADE.runs, "AP", budget=10, depths=())
