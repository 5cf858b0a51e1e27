"""Every verb returns a result that shows the command's table, with its notes below."""

import re
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from calls import call

import rankwise
from rankwise.agreement import plan_expert, score_by_judge
from rankwise.experiments.persistence import fit_persistence, fit_two_persistences
from rankwise.metrics import vary
from rankwise.notes import Note
from rankwise.probable import predict
from rankwise.results.result import SHOWN_ROWS, Result, Table
from rankwise.scores.confidence_intervals import confidence

QRELS = {t: {"a": 1, "b": 0, "c<i>": 2} for t in "123456"}
UP = {t: {"a": 4.0, "c<i>": 3.0, "x": 2.0, "b": 1.0} for t in "123456"}
DOWN = UP | {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 3.0, "x": 2.0, "c<i>": 1.0}}
RUNS = {"up": UP, "<b>down": DOWN, "third": UP | {"3": {"x": 1.0}}}
METRICS = ["AP", "P@2"]


def scores(**how: Any) -> rankwise.Scores:
    return call(rankwise.score, QRELS, RUNS, METRICS, **how)


OTHER = {topic: {**grades, "a": 0} if topic in "12" else grades for topic, grades in QRELS.items()}
JUDGES = {"first": QRELS, "second": OTHER}


def cheap_scores() -> Result:
    made = rankwise.simulate(topics=16, systems=3, seed=1)
    expert = made.qrels.frame.filter(pl.col("topic").cast(pl.Int64) % 2 == 0)
    return rankwise.score_cheap(expert, made.runs, "AP", cheap=made.qrels, resamples=5)


def expert_plan() -> Result:
    made = rankwise.simulate(topics=12, systems=6, seed=1)
    expert = made.qrels.frame.gather_every(3)
    return plan_expert(expert, made.runs, "nDCG@10", cheap=made.qrels, budget=5, resamples=5)


def probable_scores() -> Result:
    made = rankwise.simulate(topics=12, systems=6, seed=1)
    return predict(made.qrels, made.runs, ["AP"], top=40)


def calibrated() -> Result:
    made = rankwise.simulate(topics=12, systems=4, seed=1)
    return rankwise.calibrate(made.qrels, made.runs, "AP", tests=["t"], experiments=5)


RESULTS: dict[str, Callable[[], Result]] = {
    "Scores": scores,
    "Scores with bounds": lambda: scores(bounds=True),
    "Confidence": lambda: confidence(scores()),
    "Comparison": lambda: rankwise.compare(QRELS, RUNS, METRICS),
    "Comparison of two": lambda: rankwise.compare(QRELS, {"up": UP, "down": DOWN}, METRICS),
    "Comparison by group": lambda: rankwise.compare(
        rankwise.read(QRELS, RUNS, topic_groups={"1": "<i>"}), metrics=METRICS
    ),
    "AcrossCollections": lambda: rankwise.compare_collections(
        {"one": scores(), "two": scores(), "three": scores()}
    ),
    "Sweep": lambda: rankwise.compare(QRELS, RUNS, vary("RBP", "p=0.5,0.8")).over("p"),
    "Sweep of two": lambda: rankwise.compare(
        QRELS, {"up": UP, "down": DOWN}, vary("P", "cutoff=1:3")
    ).over("cutoff"),
    "Agreement": lambda: rankwise.agree(JUDGES, RUNS, METRICS, resamples=20),
    "CheapScores": cheap_scores,
    "ExpertPlan": expert_plan,
    "Flips": lambda: rankwise.flips(QRELS, RUNS, "P@2", resamples=5),
    "JudgeScores": lambda: score_by_judge(JUDGES, RUNS, METRICS),
    "Gate": lambda: rankwise.gate(QRELS, UP, DOWN, max_drop={"AP": 0.1}),
    "Correlation": lambda: rankwise.correlate(QRELS, RUNS, [*METRICS, "RR"]),
    "RunDiff": lambda: rankwise.diff(RUNS, METRICS, qrels=QRELS),
    "Discrimination": lambda: rankwise.discriminate(QRELS, RUNS, METRICS, resamples=20),
    "Stability": lambda: rankwise.stability(QRELS, RUNS, METRICS, at=[1, 2]),
    "LeftOut": lambda: rankwise.stability(
        QRELS, RUNS, METRICS, by="group", groups={"up": "1", "<b>down": "2", "third": "2"}
    ),
    "Overview": lambda: rankwise.overview(QRELS, RUNS, cutoffs=[2]),
    "Explanation": lambda: rankwise.explain(QRELS, UP, "AP", "1"),
    "JudgmentPlan": lambda: rankwise.judging.plan_judgments(QRELS, RUNS, "P@3", 5),
    "TopicPlan": lambda: rankwise.judging.plan_topics(variance=0.02, difference=0.1),
    "BudgetPlan": lambda: rankwise.judging.plan_budget(QRELS, RUNS, "AP", budget=9, depths=[2]),
    "Calibration": lambda: calibrated(),
    "SampledScores": lambda: rankwise.judging.score_sampled(
        rankwise.judging.sample_pool(RUNS, "3=1", qrels=QRELS), RUNS, ["statAP"]
    ),
    "MetricChoice": lambda: rankwise.which_metric(QRELS, RUNS, [*METRICS, "RR"], method="t"),
    "Prediction": lambda: probable_scores(),
    "Properties": lambda: rankwise.properties("P@1", depth=2),
    "Inversion": lambda: rankwise.published.invert(0.8, 0.41, at=0.5),
    "Implied": lambda: rankwise.published.implied("P@5", {"P@3": 0.5}),
    "UserModel": lambda: rankwise.user_model(["RBP(p=0.8)", "P@3"]),
    "Persistence": lambda: fit_persistence([1, 2, 1, 5]),
    "TwoPersistences": lambda: fit_two_persistences([1, 2, 1, 5], [[1], [1, 2], [], [3]]),
    "PublishedComparison": lambda: rankwise.published.compare_published(
        "p=0.8,score=0.9", "p=0.95,score=0.01"
    ),
}
WITHOUT_A_PICTURE = {
    "AcrossCollections",
    "BudgetPlan",
    "SampledScores",
    "TopicPlan",
    "CheapScores",
    "ExpertPlan",
    "Flips",
    "JudgeScores",
    "Gate",
    "Explanation",
    "Implied",
    "Persistence",
    "PreferredRanks",
    "Properties",
    "TwoPersistences",
}


def all_kinds(kind: type[Result] = Result) -> set[str]:
    return {name for one in kind.__subclasses__() for name in {one.__name__, *all_kinds(one)}}


@pytest.mark.slow
def test_every_kind_of_result_is_tried() -> None:
    made = {type(make()).__name__ for make in RESULTS.values()}
    assert made == all_kinds() - {"Charted"}  # a base of results with a chart
    assert len(made) == 32


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_its_table_and_its_notes(name: str) -> None:
    found = RESULTS[name]()
    table = found.table()
    assert isinstance(table, Table) and table.frame.height > 0
    assert isinstance(found.frame, pl.DataFrame) and isinstance(found.notes, list)
    text = repr(found)
    assert str(table) in text and found.caption and text.startswith(found.caption)
    notes = list(dict.fromkeys((*found.notes, *table.notes)))
    shown = [line for line in text.splitlines() if line.startswith(("note: ", "warning: "))]
    assert all(isinstance(note, Note) for note in notes)
    assert len(shown) == len(set(shown)) <= 2 + sum(note.severity == "warning" for note in notes)
    assert {line.partition(": ")[2] for line in shown} <= set(map(str, notes))
    left = len(notes) - len(shown)
    assert (f"more note{'s' * (left > 1)}: see .notes and .table().notes" in text) == (left > 0)
    assert "toprule" in found.to_latex() and found.to_markdown().count("|") > 4
    assert found.to_pandas().shape == found.frame.shape


@pytest.mark.parametrize("name", RESULTS)
def test_completion_shows_the_everyday_names(name: str) -> None:
    found = RESULTS[name]()
    assert {"frame", "notes", "table", "to_pandas"} <= set(dir(found))
    assert len(dir(found)) <= 15 and all(hasattr(found, shown) for shown in dir(found))


@pytest.mark.parametrize("name", RESULTS)
def test_notebooks_show_names_as_text(name: str) -> None:
    shown = RESULTS[name]()._repr_html_()
    assert shown.count("<table") == shown.count("</table>") >= 1
    assert "<b>" not in shown and "<i>" not in shown
    assert shown.count("<td ") >= shown.count("<th ")


def test_the_names_that_are_not_html_are_there() -> None:
    assert "&lt;b&gt;down" in scores()._repr_html_()
    assert "c&lt;i&gt;" in rankwise.explain(QRELS, UP, "AP", "1")._repr_html_()


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_has_a_picture_draws_it(name: str) -> None:
    found: Any = RESULTS[name]()
    assert hasattr(found, "chart") == (type(found).__name__ not in WITHOUT_A_PICTURE)
    if hasattr(found, "chart"):
        assert found.chart().to_dict()["$schema"].startswith("https://vega.github.io")


def test_long_tables_show_their_first_rows() -> None:
    many = {f"system {place:03}": UP for place in range(SHOWN_ROWS + 3)}
    found = rankwise.score(QRELS, many, "P@1")
    assert "… and 3 more rows" in repr(found) and "… and 3 more rows" in found._repr_html_()
    assert f"system {SHOWN_ROWS:03}" not in repr(found)
    assert f"system {SHOWN_ROWS:03}" in str(found.table())


def test_digits_are_those_asked_for() -> None:
    assert "0.3333" not in scores().to_latex(digits=2)
    two = rankwise.compare(QRELS, {"up": UP, "down": DOWN}, "AP").table(digits=2)
    decimals = re.findall(r"\.(\d+)", " ".join(two.frame["AP"]))
    assert len(decimals) > 5 and all(len(digits) <= 2 for digits in decimals)


@pytest.mark.parametrize("verb", [rankwise.compare, rankwise.correlate, rankwise.discriminate])
def test_verbs_take_qrels_and_runs_or_scores(verb: Callable[..., Result]) -> None:
    more = {} if verb is not rankwise.compare else {"bounds": False}
    direct, from_scores = verb(QRELS, RUNS, METRICS, **more), verb(scores())
    assert direct.frame.equals(from_scores.frame) and direct.notes == from_scores.notes
    with pytest.raises(rankwise.CallError, match=r"no run is given\. Give qrels and runs\."):
        verb(QRELS)
    for wrong in ({"runs": RUNS}, {"metrics": "AP"}):
        [name] = wrong
        with pytest.raises(rankwise.CallError, match=f"{name} cannot be combined with Scores"):
            verb(scores(), **wrong)
    with pytest.raises(TypeError, match=rf"{verb.__name__}\(\) got an unexpected keyword"):
        verb(QRELS, RUNS, METRICS, corection="none")
