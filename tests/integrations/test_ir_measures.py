"""rankwise in front of ir_measures' providers: the same scores, and more measures."""

import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from peers import import_peer

import rankwise
from rankwise.errors import WrongParameter
from rankwise.metrics import REGISTRY

ir_measures = import_peer("ir_measures", lambda it: it.parse_measure("P(rel=1)@5"))

from rankwise.integrations import ir_measures as home  # noqa: E402 after its peer

# Of every measure that rankwise has, with parameters.
MEASURES = [
    *["AP", "AP@10", "AP(rel=2)", "AP(judged_only=True)@5", "P@5", "P(rel=2)@10", "RR", "RR@3"],
    *["RR(rel=2)", "Rprec", "R@10", "R(rel=2)@5", "nDCG", "nDCG@10", "Bpref", "infAP", "NumQ"],
    *["nDCG(gains={1:2,2:5,3:9})@20", "nDCG(dcg='exp-log2')@10", "ERR@20", "NumRet", "NumRelRet"],
    *["NumRet(rel=2)", "NumRel", "SetAP", "SetF", "SetF(beta=2.0)", "SetP", "SetRelP", "SetR"],
    *["Success@5", "IPrec@0.1", "IPrec(rel=2)@0.5", "Judged@10", "Judged", "Compat(p=0.8)"],
    *["Accuracy@10", "RBP(p=0.8,rel=1)", "BPM(T=1.0,max_rel=3)@10", "SDCG(max_rel=3)@10"],
    *["NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10", "NERR10(p=0.9,max_rel=3)"],
    *["NERR11(T=1.0,max_rel=3)", "INST(T=1.0,max_rel=3)", "INSQ(T=1.0,max_rel=3)"],
]
FIVE_DIGITS = 5.001e-6  # what gdeval prints
QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"c": 0}}
RUN = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "3": {"c": 1.0}, "unjudged": {"a": 1.0}}


@pytest.fixture
def installed() -> Iterator[None]:
    home.install()
    yield
    home.uninstall()


def values(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    found = ir_measures.iter_calc(measures, qrels, run)
    return {(one.query_id, str(one.measure)): one.value for one in found}


def untied(run: rankwise.Run) -> pl.DataFrame:
    """Providers order ties each in its own way."""
    rows = run.frame.sort("topic", "score", "document", descending=[False, True, True])
    return rows.with_columns(score=pl.int_range(pl.len(), 0, -1).over("topic").cast(pl.Float64))


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    made = rankwise.simulate(topics=8, systems=1, depth=40, seed=3)
    names = {"topic": "query_id", "document": "doc_id"}
    qrels = made.qrels.frame.rename(names | {"grade": "relevance"})
    run = untied(made.runs[0]).rename(names).filter(pl.col("query_id") != "8")
    return qrels.to_pandas(), run.to_pandas()


@pytest.mark.usefixtures("installed")
def test_every_measure_that_rankwise_has_is_served() -> None:
    first = ir_measures.DefaultPipeline.providers[0]
    names = {ir_measures.parse_measure(name).NAME for name in MEASURES}
    plain = {one for one, ours in home.SERVED.items() if not REGISTRY[ours].uses_subtopics}
    assert names == plain and len(home.SERVED) == len(plain) + 9
    assert all(first.supports(ir_measures.parse_measure(name)) for name in MEASURES)


def test_scores_are_those_of_the_providers_before(
    frames: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    before = values(measures, *frames)
    # Beside others, ir_measures computes these in the first of a set of calls, which may be one
    # that drops unjudged documents or has other gains: alone, they are what they say.
    for alone in (ir_measures.NumRet, ir_measures.nDCG, ir_measures.nDCG @ 10):
        before |= values([alone], *frames)
    home.install()
    after = values(measures, *frames)
    home.uninstall()
    assert after.keys() == before.keys() and len(after) == 8 * len(MEASURES)
    for key, value in before.items():
        within = FIVE_DIGITS if "exp" in key[1] or "ERR@" in key[1] else 1e-9
        assert after[key] == pytest.approx(value, abs=within), key


def test_bpm_reaches_its_goal_where_exact_fractions_do() -> None:
    """2/3 + 1 + 1/3 is the goal of 2, at rank 3; cwl_eval's sum misses it and goes on."""
    qrels = {"1": {"a": 2, "b": 3, "c": 1, "d": 3}}
    run = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    measure = ir_measures.parse_measure("BPM(T=2.0,max_rel=3)@10")
    assert values([measure], qrels, run)["1", str(measure)] == pytest.approx(3 / 4)
    home.install()
    ours = values([measure], qrels, run)["1", str(measure)]
    home.uninstall()
    assert ours == pytest.approx(float(Fraction(2) / 3))


@pytest.mark.usefixtures("installed")
def test_formulas_that_rankwise_lacks_are_left_to_others() -> None:
    for name in ("alpha_nDCG(judged_only=True)@10", "RBP(p=0.8)"):
        assert not home.PROVIDER.supports(ir_measures.parse_measure(name))
    own = ir_measures.define_byquery(lambda *_: 7.0, name="P")
    assert values([own], QRELS, RUN)["1", str(own)] == 7


@pytest.mark.usefixtures("installed")
def test_measures_over_subtopics_have_the_scores_of_rankwise() -> None:
    names = ["alpha_nDCG@5", "alpha_DCG@5", "ERR_IA@5", "nERR_IA@5", "NRBP", "nNRBP", "AP_IA"]
    asked = [ir_measures.parse_measure(name) for name in [*names, "P_IA@2", "StRecall@1"]]
    qrels = [("1", "a", 1, "x"), ("1", "a", 0, "y"), ("1", "b", 2, "y"), ("2", "c", 1, "x")]
    rows = [ir_measures.Qrel(*row) for row in qrels]
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"d": 1.0, "c": 0.5}}
    columns = ("topic", "document", "grade", "subtopic")
    records = [dict(zip(columns, row, strict=True)) for row in qrels]
    found = values(asked, rows, run)
    for measure in asked:
        expected = rankwise.score(records, run, str(measure)).value[0, 0].tolist()
        assert [found[topic, str(measure)] for topic in "12"] == pytest.approx(expected)
        assert home.PROVIDER.supports(measure)


@pytest.mark.usefixtures("installed")
def test_all_that_rankwise_has_more_is_a_measure_by_name() -> None:
    names = {"RankEff", "Q", "O", "PPlus", "RBP2", "NCU", "EBR", "SearchLength", "Unjudged"}
    assert names <= set(ir_measures.measures.registry)
    asked = ["RankEff", "Q(beta=2)@10", "O", "PPlus", "RBP2(p1=0.8,p2=0.6)", "SearchLength"]
    found = values([ir_measures.parse_measure(name) for name in asked], QRELS, RUN)
    expected = rankwise.score(rankwise.read(QRELS, RUN, undefined="zero"), metrics=asked).to_dict(
        by_topic=True
    )["run"]
    assert found == {(t, name): expected[name][t] for name in asked for t in ("1", "2", "3")}


@pytest.mark.usefixtures("installed")
def test_a_run_without_a_judged_topic_scores_as_empty() -> None:
    measures = [ir_measures.AP, home.measure("SearchLength"), home.measure("RankEff")]
    some = {"1": QRELS["1"]}
    empty = values(measures, some, {})
    assert empty == values(measures, some, {"other": {"a": 1.0}})
    worst = rankwise.score(QRELS, {"3": {"c": 1.0}}, "SearchLength").value[0, 0, 0]
    assert empty == {("1", "AP"): 0, ("1", "SearchLength"): worst, ("1", "RankEff"): 0}
    assert values(measures, {}, RUN) == {}


@pytest.mark.usefixtures("installed")
def test_counts_are_added_and_scores_averaged() -> None:
    found = home.measure("NumNonrelRet").calc_aggregate(QRELS, RUN)
    assert found == 2
    q = home.measure("Q").calc_aggregate(QRELS, RUN)
    per_topic = values([home.measure("Q")], QRELS, RUN).values()
    assert q == pytest.approx(np.mean(list(per_topic)))


def test_measures_are_values() -> None:
    q = home.measure("Q")
    assert str(q @ 10) == str(q(beta=1) @ 10) == "Q@10" and q(beta=2) != q
    assert hash(q @ 5) == hash(home.measure("Q@5"))
    assert pickle.loads(pickle.dumps(q @ 5)) == q @ 5
    assert home.measure(rankwise.parse("nDCG(gains={1:1,2:4})")).metric.gains == ((1, 1), (2, 4))
    with pytest.raises(WrongParameter, match=r"Q has no parameter 'bta'.* Did you mean beta"):
        q(bta=2)
    with pytest.raises(WrongParameter, match="is not allowed"):
        q(beta="x").calc_aggregate(QRELS, RUN)
    needs = home.RankwiseMeasure(rankwise.metrics.REGISTRY["P"])
    assert str(needs) == "P(…)" and str(needs @ 5) == "P@5"
    with pytest.raises(WrongParameter, match="P needs the parameter cutoff"):
        needs.validate_params()


@pytest.mark.usefixtures("installed")
def test_ids_of_frames_come_back_as_they_were() -> None:
    qrels = pd.DataFrame({"query_id": [7], "doc_id": [1], "relevance": [1]})
    run = pd.DataFrame({"query_id": [7], "doc_id": [1], "score": [0.5]})
    [one] = ir_measures.iter_calc([ir_measures.RR], qrels, run)
    assert (one.query_id, one.value) == (7, 1)


@pytest.mark.usefixtures("installed")
def test_tuples_are_read() -> None:
    qrels = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("1", "b", 0)]
    run = (ir_measures.ScoredDoc("1", *row) for row in (("b", 2.0), ("a", 1.0)))
    assert values([ir_measures.RR], qrels, run) == {("1", "RR"): 0.5}


@pytest.mark.usefixtures("installed")
def test_a_document_twice_is_an_error() -> None:
    """ir_measures scores the last of them in silence."""
    frame = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"], "score": [2.0, 1.0]})
    with pytest.raises(rankwise.InputError, match="duplicate document in topic 1"):
        values([ir_measures.RR], QRELS, frame)


@pytest.mark.usefixtures("installed")
def test_a_run_that_retrieved_nothing_relevant_has_an_accuracy_of_0() -> None:
    """ir_measures leaves its topic out, unless another provider takes part."""
    run = {"1": {"b": 1.0}, "2": {"a": 1.0}}
    accuracy = ir_measures.Accuracy
    assert list(ir_measures.accuracy.iter_calc([accuracy], {"1": QRELS["1"]}, run)) == []
    assert values([accuracy], QRELS, run)["1", "Accuracy"] == 0


def test_it_is_installed_once_and_leaves_nothing_behind() -> None:
    before, names = list(ir_measures.DefaultPipeline.providers), set(ir_measures.measures.registry)
    home.install()
    home.install()
    assert ir_measures.DefaultPipeline.providers == [home.PROVIDER, *before]
    home.uninstall()
    assert ir_measures.DefaultPipeline.providers == before
    assert set(ir_measures.measures.registry) == names
