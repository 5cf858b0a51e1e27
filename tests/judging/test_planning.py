"""How deep to judge, and which documents next."""

from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from calls import read_judged

import rankwise
from rankwise.comparison.verdicts import difference_bounds
from rankwise.judging import (
    depth_for,
    greatest_p,
    plan_depth,
    plan_judgments,
    weight_left,
    why_no_depth,
)
from rankwise.judging.planning import best_to_separate, plan_judged, worth_of_pairs
from rankwise.judging.state import Standing, candidates_of, separating_weight


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_depths_for_rbp_are_those_of_moffat_and_zobel(p: float, depth: int) -> None:
    metric = rankwise.parse(f"RBP(p={p})")
    assert depth_for(metric, 0.0001) == depth
    assert isinstance(metric, rankwise.WeightedPrecision)
    assert weight_left(metric, depth) < 0.0001 <= weight_left(metric, depth - 1)


def test_rbp_at_p_0_needs_the_first_document_only() -> None:
    assert depth_for("RBP(p=0)", 0.0001) == 1
    qrels = {"1": {"r": 1}}
    runs = {"x": {"1": {"a": 3.0, "r": 2.0, "b": 1.0}}, "y": {"1": {"b": 3.0, "a": 2.0}}}
    found = rankwise.judging.plan_judgments(qrels, runs, "RBP(p=0)", 5)
    assert sorted(found.frame["document"]) == ["a", "b"]
    assert found.frame["weight"].to_list() == [1.0, 1.0]


def test_a_hundred_documents_suffice_up_to_p_091() -> None:
    assert round(greatest_p(0.0001, 100), 2) == 0.91
    assert depth_for("RBP(p=0.91)", 0.0001) <= 100 < depth_for("RBP(p=0.92)", 0.0001)


def test_other_weights_and_cutoffs() -> None:
    assert depth_for("InvSq", 0.0001) == 10_000  # 1 / (d + 1)
    assert depth_for("P@10", 0.25) == 8  # two of ten are left
    assert depth_for("P@10", 0.0001) == 10
    assert depth_for("RBP(p=0.95)@20", 0.0001) == 20
    assert depth_for("RBP(p=0.5,gains={1:0.5})", 0.0001) == 13
    assert depth_for("RBP", 2) == 0
    frame, reasons = plan_depth(["RBP(p=0.5)", "AP", "P@10"])
    assert frame["depth"].to_list() == [14, 10]
    assert [str(reason).split()[0] for reason in reasons] == ["AP"]


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("AP", "depends on the number of relevant documents in the topic"),
        ("nDCG@10", "depends on the number of relevant documents in the topic"),
        ("DCG", "no finite sum"),
        ("Success@3", "not a sum of fixed weights"),
    ],
)
def test_where_there_is_no_such_depth_it_says_why(metric: str, why: str) -> None:
    assert why in (why_no_depth(rankwise.parse(metric)) or "")
    with pytest.raises(rankwise.CallError, match=why):
        depth_for(metric, 0.0001)


@pytest.mark.parametrize(
    "metric",
    ["RR", "RR(n=2,k=1)", "ERR(max_rel=1)", "ERR(max_rel=3)", "RBP2(p1=0.9,p2=0.4)"]
    + ["RBP2(p1=0.4,p2=0.9)", "RBP2(p1=0.7,p2=0.7)", "INST", "INST(T=3)", "INST@6"]
    + ["NERR8@6", "NERR9@6", "NERR10(p=0.7)", "NERR11", "RBP(p=0.7)", "RR@4"],
)
def test_no_documents_below_a_depth_change_a_score_by_more(metric: str) -> None:
    """Every ranking above it, and below it nothing, everything, and some of it."""
    tails: list[list[int]] = [[], [1] * 400, [0, 1] * 200, [1] * 3, [0] * 5 + [1] * 300]
    greatest = 0.0
    for depth in (1, 2, 5):
        most = rankwise.parse(metric).most_below(depth)
        assert most is not None
        for above in product((0, 1), repeat=depth):
            judged = {"judged": [1] * 500} if "n=2" not in metric else {}
            scores = [rankwise.score_gains(metric, [*above, *tail], **judged) for tail in tails]
            assert max(scores) - min(scores) <= most + 1e-9
            greatest = max(greatest, (max(scores) - min(scores)) / most if most else 0)
    assert greatest > 0.3, "a bound that is of use"


def collection_at_random(seed: int) -> tuple[Any, Any]:
    """Two topics, five runs, most of what they retrieve unjudged."""
    random = Random(seed)
    documents = [f"d{place}" for place in range(8)]
    qrels = {
        topic: {name: random.choice([0, 0, 1]) for name in random.sample(documents, 3)}
        for topic in ("1", "2")
    }
    runs = {
        f"r{number}": {
            topic: {name: random.random() for name in random.sample(documents, 6)}
            for topic in ("1", "2")
        }
        for number in range(5)
    }
    return qrels, runs


def residual(qrels: Any, runs: Any, metric: str) -> float:
    found = rankwise.score(qrels, runs, metric, bounds=True)
    assert found.low is not None and found.high is not None
    return float((found.high - found.low).mean())


def judging(qrels: Any, rows: list[tuple[str, str]], grade: int) -> Any:
    new = {topic: dict(known) for topic, known in qrels.items()}
    for topic, document in rows:
        new[topic][document] = grade
    return new


@pytest.mark.parametrize(
    "metric", ["RBP(p=0.7)", "RBP(p=0)", "P@5", "DCG@4", "RBP(p=0.5,ties=share)"]
)
def test_no_other_documents_leave_a_smaller_residual(metric: str) -> None:
    """Every pair of documents is tried; and the progress tells the residual as it comes."""
    qrels, runs = collection_at_random(1)
    plan = rankwise.judging.plan_judgments(qrels, runs, metric, 10**6)
    every = [(topic, document) for topic, document, *_ in plan.frame.rows()]
    best = min(
        residual(judging(qrels, list(two), 0), runs, metric) for two in combinations(every, 2)
    )
    for grade in (0, 1):  # whatever they turn out to be
        left = residual(judging(qrels, every[:2], grade), runs, metric)
        assert left == pytest.approx(best)
    two = rankwise.judging.plan_judgments(qrels, runs, metric, 2)
    assert two.frame.rows() == plan.frame.rows()[:2]
    assert two.progress["residual"].to_list()[::2] == pytest.approx(
        [residual(qrels, runs, metric), best]
    )
    assert plan.progress["residual"][-1] == pytest.approx(0, abs=1e-12)
    assert f"{plan.frame.height} unjudged documents can change " in str(plan.input_notes[-1])


def test_the_list_says_how_many_runs_have_a_document_and_where() -> None:
    qrels, runs = collection_at_random(2)
    plan = rankwise.judging.plan_judgments(qrels, runs, "RBP(p=0.5)", 20).frame
    assert plan.height > 5
    for topic, document, weight, count, best in plan.rows():
        ranks = [
            sorted(run[topic], key=run[topic].get, reverse=True).index(document) + 1
            for run in runs.values()
            if document in run[topic]
        ]
        assert (count, best) == (len(ranks), min(ranks))
        assert weight == pytest.approx(sum(0.5**rank for rank in ranks))
        assert document not in qrels[topic]


def undecided(qrels: Any, runs: Any, metric: str, unjudged: Any = "retrieved") -> int:
    judged = read_judged(qrels, runs, retrieved=True)
    first, second = np.triu_indices(len(runs), 1)
    found = difference_bounds(judged, rankwise.parse(metric), first, second, unjudged)
    return int((found.mean.verdict == "undecided").sum())


@pytest.mark.parametrize("unjudged", ["retrieved", "open"])
def test_undecided_pairs_of_the_course_are_those_of_the_verdicts(unjudged: Any) -> None:
    """With a rate of 0 the documents are expected not to be relevant: so they are judged."""
    _, runs = collection_at_random(3)
    qrels = {topic: {"none": 0, "d0": 0} for topic in ("1", "2")}
    for separate in (False, True):
        plan = rankwise.judging.plan_judgments(
            qrels, runs, "RBP(p=0.6)", 10, separate=separate, unjudged=unjudged
        )
        assert plan.rate == 0
        rows = [(topic, document) for topic, document, *_ in plan.frame.rows()]
        assert plan.progress.height > 1
        for judged, count in plan.progress.select("judged", "undecided").rows():
            known = judging(qrels, rows[:judged], 0)
            assert undecided(known, runs, "RBP(p=0.6)", unjudged) == count


def test_weight_that_separates_is_that_of_all_pairs_one_by_one() -> None:
    qrels, runs = collection_at_random(4)
    judged = read_judged(qrels, runs, retrieved=True)
    metric = rankwise.parse("RBP(p=0.6)")
    assert isinstance(metric, rankwise.WeightedPrecision)
    candidates = candidates_of(judged, metric)
    worth = worth_of_pairs(Standing.of(judged, metric, candidates, "retrieved"))
    found = separating_weight(candidates, worth)
    for document in range(candidates.count):
        weight = np.zeros(5)
        here = candidates.document == document
        weight[candidates.run[here]] = candidates.weight[here]
        pairs = [worth[a, b] * abs(weight[a] - weight[b]) for a, b in combinations(range(5), 2)]
        assert found[document] == pytest.approx(sum(pairs))
    taken = np.zeros(candidates.count, np.bool_)
    best = best_to_separate(candidates, worth, taken, 3)
    assert sorted(found[best]) == pytest.approx(sorted(found)[-3:])


def test_documents_of_one_weight_are_spread_over_topics() -> None:
    run = {topic: {f"{topic}a": 2, f"{topic}b": 1} for topic in "123"}
    plan = rankwise.judging.plan_judgments({t: {"z": 1} for t in "123"}, run, "P@2", 6).frame
    assert plan["topic"].to_list() == ["1", "2", "3", "1", "2", "3"]
    assert plan["document"].n_unique() == 6


@pytest.mark.parametrize("options", [{"separate": True}, {"weigh": "residual"}])
def test_they_are_where_documents_are_chosen_in_steps_too(options: Any) -> None:
    """Each step of so small a budget chooses one document."""
    topics = [str(topic) for topic in range(1, 9)]
    runs = {
        run: {topic: {f"{run}{topic}{place}": -place for place in range(2)} for topic in topics}
        for run in "AB"
    }
    qrels = {topic: {"z": 1} for topic in topics}
    plan = rankwise.judging.plan_judgments(qrels, runs, "P@2", 16, **options).frame
    assert [set(plan["topic"][at : at + 8]) for at in (0, 8)] == [set(topics)] * 2


def test_what_both_runs_have_at_the_same_rank_does_not_separate_them() -> None:
    runs = {"A": {"1": {"both": 3, "a": 2}}, "B": {"1": {"both": 3, "b": 2}}}
    by_weight = rankwise.judging.plan_judgments({"1": {"z": 0}}, runs, "P@2", 5)
    assert by_weight.frame["document"].to_list() == ["both", "a", "b"]
    apart = rankwise.judging.plan_judgments({"1": {"z": 0}}, runs, "P@2", 5, separate=True)
    assert apart.frame["document"].to_list() == ["a", "b"]
    assert "2 unjudged documents could decide undecided pairs of runs" in str(apart.input_notes[-1])
    whole = {"1": {"both": 1, "a": 1, "b": 0}}
    plain: dict[str, Any] = {}
    for options, said in (
        (plain, "every retrieved document that counts in P@2 is judged"),
        ({"separate": True}, "no pair of runs is undecided"),
    ):
        nothing = rankwise.judging.plan_judgments(whole, runs, "P@2", 5, **options)
        assert str(nothing.input_notes[-1]) == f"nothing needs to be judged: {said}"


@pytest.mark.parametrize(
    ("metric", "options", "why"),
    [
        ("AP", {"separate": True}, "needs a metric with fixed rank weights"),
        ("AP", {}, "two runs or more"),
        ("infAP", {}, "cannot be predicted"),
        ("AP", {"unjudged": "open"}, "AP are chosen by predicted scores, which need top=K"),
        ("AP", {"unjudged": "retrieved"}, "for example top=100"),
        ("P@10", {"unjudged": "top=5"}, "applies only with `probable=True`"),
        ("P(judged_only=True)@10", {"separate": True}, "needs a metric with fixed rank weights"),
        ("DCG", {"unjudged": "open"}, "no finite sum"),
        ("P@10", {"separate": True}, "two runs or more"),
    ],
)
def test_what_cannot_be_planned_says_why(metric: str, options: Any, why: str) -> None:
    with pytest.raises(rankwise.CallError, match=why):
        rankwise.judging.plan_judgments({"1": {"a": 1}}, {"1": {"b": 1}}, metric, 3, **options)


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (("system1", "sytem2"), "`pair`: no run is called 'sytem2'. Did you mean system2"),
        (("system1", "system1"), "twice. Give two different runs"),
        (("system1",), "Give the names of two runs"),
    ],
)
def test_a_pair_that_is_none_is_refused(pair: Any, why: str) -> None:
    made = rankwise.simulate(topics=5, systems=3, depth=20, pool_depth=6, seed=1)
    with pytest.raises(rankwise.CallError, match=why):
        rankwise.judging.plan_judgments(made.qrels, made.runs, "AP", 3, pair=pair)


def test_values_near_0_are_shown_with_significant_digits() -> None:
    ranking = {f"d{rank:02}": 100.0 - rank for rank in range(60)}
    qrels = {"1": {f"d{rank:02}": rank % 2 for rank in range(50)}}
    plan = plan_judgments(qrels, {"A": {"1": ranking}}, "RBP(p=0.8)", 5)
    column = plan.table().frame["weight"].to_list()
    assert column[0] == f"{0.2 * 0.8**50:.2g}" == "2.9e-06" and len(set(column)) == 5
    residual = plan.progress_table().frame["residual"].to_list()
    assert float(residual[0]) > float(residual[-1]) > 0
    assert any("not worth judging" in str(each) for each in plan.notes)
    first = plan_judgments({"1": {"d59": 1}}, {"A": {"1": ranking}}, "RBP(p=0.8)", 5)
    assert not any("not worth" in str(each) for each in first.notes)
    assert "0.2000" in str(first.table())
    tiny = plan_judgments(
        {"1": {f"d{rank:02}": 1 for rank in range(55)}}, {"A": {"1": ranking}}, "RBP(p=0.5)", 2
    )
    assert tiny.table().frame["weight"].to_list() == ["<1e-12", "<1e-12"]


def test_a_plan_where_all_is_judged_is_empty() -> None:
    plan = rankwise.judging.plan_judgments({"1": {"a": 1}}, {"1": {"a": 1}}, "P@10", 3)
    assert plan.frame.is_empty() and plan.progress.rows() == [(0, 0.0, 0.1, 0)]


def test_on_trec8_the_plan_leaves_less_open_than_a_pool_of_the_same_size(trec8: Path) -> None:
    """The judgments hidden, 500 documents of 40 runs."""
    runs, qrels = sorted((trec8 / "runs").iterdir())[:40], trec8 / "trec8.qrels.gz"
    topics = rankwise.read_qrels(qrels).frame["topic"].unique()
    hidden = {topic: {"none": 0} for topic in topics}
    judged = read_judged(hidden, runs, depth=50, retrieved=True)
    every = plan_judged(judged, rankwise.parse("RBP(p=0.8)"), 10**6).frame
    pool = every.sort("best_rank", "topic", "document").head(500)
    assert float(every.head(500)["weight"].sum()) > 1.4 * float(pool["weight"].sum())
    by_weight, apart = (
        rankwise.judging.plan_judgments(
            rankwise.read(qrels, runs, depth=50),
            metric="RBP(p=0.95)",
            budget=500,
            separate=separate,
        )
        for separate in (False, True)
    )
    assert apart.progress["undecided"][-1] < by_weight.progress["undecided"][-1]


@pytest.mark.parametrize("weigh", ["residual", "score"])
@pytest.mark.parametrize("unjudged", ["retrieved", "open"])
def test_targeted_judging_is_that_of_moffat_webber_and_zobel(weigh: Any, unjudged: Any) -> None:
    """w = Σ c ε, or Σ c ε (S + ε / 2)³, run by run and document by document, in a plain loop.

    With a budget of 20 there is one document to a step, and each is weighed anew.
    """
    made = rankwise.simulate(topics=4, systems=5, seed=3)
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in made.qrels.frame.select("topic", "document", "grade").rows():
        if int(document[-1], 36) % 3 == 0:  # the rest is unjudged
            qrels.setdefault(topic, {})[document] = grade
    p, weight = 0.8, {}
    for one in made.runs:
        for topic in qrels:
            rows = one.frame.filter(topic=topic).sort(["score", "document"], descending=True)
            for above, document in enumerate(rows["document"].to_list()):
                weight[one.name, topic, document] = (1 - p) * p**above
    names, topics = [run.name for run in made.runs], len(qrels)
    score, residual = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    judged_weight = 0.0
    for (run, topic, document), w in weight.items():
        grade = qrels[topic].get(document)
        score[run] += w * ((grade or 0) > 0)
        residual[run] += w * (grade is None)
        judged_weight += w * (grade is not None)
    rate = sum(score.values()) / judged_weight
    if unjudged == "open":
        lengths = {(run, topic): 0 for run in names for topic in qrels}
        for run, topic, _ in weight:
            lengths[run, topic] += 1
        for (run, _), length in lengths.items():
            residual[run] += p**length
    expected, left = [], {key: w for key, w in weight.items() if key[2] not in qrels[key[1]]}
    for _ in range(20):
        value: dict[tuple[str, str], float] = {}
        for (run, topic, document), w in left.items():
            e, s = residual[run] / topics, score[run] / topics
            worth = e if weigh == "residual" else e * (s + e / 2) ** 3
            value[topic, document] = value.get((topic, document), 0.0) + w * worth
        best = max(value, key=lambda key: value[key])
        expected.append(best)
        for key in [key for key in left if key[1:] == best]:
            w = left.pop(key)
            score[key[0]] += w * rate
            residual[key[0]] -= w
    found = rankwise.judging.plan_judgments(
        qrels, made.runs, "RBP(p=0.8)", 20, weigh=weigh, unjudged=unjudged
    )
    assert found.frame.select("topic", "document").rows() == expected
    plain = rankwise.judging.plan_judgments(qrels, made.runs, "RBP(p=0.8)", 20)
    assert plain.frame.select("topic", "document").rows() != expected


def test_pairs_and_runs_are_not_weighed_at_once() -> None:
    given = ({"1": {"a": 1}}, {"x": {"1": {"b": 1.0}}, "y": {"1": {"c": 1.0}}}, "RBP", 5)
    with pytest.raises(rankwise.CallError, match="`weigh` cannot be combined with"):
        rankwise.judging.plan_judgments(*given, separate=True, weigh="score")
    with pytest.raises(rankwise.CallError, match="weigh"):
        rankwise.judging.plan_judgments(*given, weigh="scores")  # type: ignore[arg-type]
