"""Every metric that a peer has, topic by topic: pytrec_eval, and what ir_measures reaches."""

import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from peers import import_peer

import rankwise
from rankwise.metrics import Metric, parse

pytrec_eval = import_peer("pytrec_eval")
ir_measures = import_peer("ir_measures", lambda it: it.parse_measure("P(rel=1)@5"))

Theirs = Callable[[rankwise.Run], Iterable[tuple[str, str, float]]]  # topic, measure, value

# Text, and what is meant for geometric means: no scores of a topic.
NO_NUMBERS = {"runid", "relstring", "gm_map", "gm_bpref"}
TREC_EVAL = sorted(pytrec_eval.supported_measures - NO_NUMBERS)
# Long rankings and short ones, good and bad; three of these runs have tied scores.
SOME = ("Dm8NbnR", "READWARE", "READWARE2", "acsys8alo", "isa25", "ok8amxc")
# cwl_eval takes a sixth of a second for each ranking.
SOME_TOPICS = ("401", "403", "405", "411", "413", "421", "430", "446")

CWL = {  # it fills up or cuts every ranking to 1000 documents
    "P@10": "P@10",
    "RR@1000": "RR",
    "RBP(p=0.8)@1000": "RBP(rel=1,p=0.8)",
    "RBP(p=0.95)@1000": "RBP(rel=1,p=0.95)",
    "INSQ@1000": "INSQ(max_rel=1,T=1)",
    "INSQ(T=3)@1000": "INSQ(max_rel=1,T=3)",
    "APStar@1000": "AP",
}
CWL_GRADED = {
    "BPM(T=1,max_rel=#)@10": "BPM(T=1,max_rel=#)@10",
    "BPM(T=2.5,max_rel=#)@30": "BPM(T=2.5,max_rel=#)@30",
    "SDCG(max_rel=#)@100": "SDCG(max_rel=#)@100",
    "NERR8(max_rel=#)@10": "NERR8(max_rel=#)@10",
    "NERR9(max_rel=#)@100": "NERR9(max_rel=#)@100",
    "NERR10(p=0.9,max_rel=#)@1000": "NERR10(p=0.9,max_rel=#)",
    "NERR11(T=3,max_rel=#)@1000": "NERR11(T=3,max_rel=#)",
    "INST(T=1,max_rel=#)@1000": "INST(T=1,max_rel=#)",
    "INST(T=3,max_rel=#)@1000": "INST(T=3,max_rel=#)",
}
GDEVAL = {"ERR(max_rel=4)@20": "ERR@20", "nDCG(dcg=exp-log2)@20": "nDCG(dcg='exp-log2')@20"}
PYTHON = {
    provider: dict(zip(names, names, strict=True))
    for provider, names in {
        "accuracy": ("Accuracy", "Accuracy@10", "Accuracy(rel=2)@100"),
        "judged": ("Judged", "Judged@10", "Judged@1000"),
        "compat": ("Compat(p=0.95)", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"),
    }.items()
}
FIVE_DIGITS = 5.001e-6  # what gdeval prints
needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")


def graded(pairs: Mapping[str, str], best: int) -> dict[str, str]:
    return {a.replace("#", str(best)): b.replace("#", str(best)) for a, b in pairs.items()}


def by_topic(frame: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    parts = frame.partition_by("topic", as_dict=True)
    return {str(t): dict(p.select("document", value).iter_rows()) for (t,), p in parts.items()}


def untied(run: rankwise.Run) -> rankwise.Run:
    """The run with ties broken by document name, descending, as trec_eval does."""
    rows = run.frame.sort("topic", "score", "document", descending=[False, True, True])
    score = pl.int_range(pl.len(), 0, -1).over("topic").cast(pl.Float64).alias("score")
    return rankwise.Run(rows.select("topic", "document", score), name=run.name)


def assert_agreement(
    qrels: rankwise.Qrels,
    runs: list[rankwise.Run],
    pairs: Mapping[Metric, str] | Mapping[str, str],
    theirs: Theirs,
    within: float = 1e-9,
    undefined: float = math.nan,
) -> None:
    """Every pair of metrics says the same of every ranking, and none is left out.

    `undefined` is what the peer says where rankwise says NaN.
    """
    scores = rankwise.score(qrels, runs, list(pairs))
    row = {peer: scores.metrics.index(parse(ours)) for ours, peer in pairs.items()}
    column = {topic: place for place, topic in enumerate(scores.topics)}
    values = np.where(np.isnan(scores.value), undefined, scores.value)
    count, differing = 0, []
    for at, run in enumerate(runs):
        for topic, peer, value in theirs(run):
            if peer in row:
                ours, count = values[row[peer], at, column[topic]], count + 1
                same = abs(ours - value) <= within or (math.isnan(ours) and math.isnan(value))
                differing += [] if same else [(run.name, topic, peer, float(ours), value)]
    assert differing == []
    assert count == len(pairs) * scores.present.sum()


def by_pytrec_eval(
    qrels: rankwise.Qrels, measures: Iterable[str] = TREC_EVAL, level: int = 1, condensed: int = 0
) -> Theirs:
    evaluator = pytrec_eval.RelevanceEvaluator(
        by_topic(qrels.frame, "grade"),
        set(measures),
        relevance_level=level,
        judged_docs_only_flag=condensed,
    )

    def theirs(run: rankwise.Run) -> Iterator[tuple[str, str, float]]:
        for topic, values in evaluator.evaluate(by_topic(run.frame, "score")).items():
            yield from ((topic, name, value) for name, value in values.items())

    return theirs


def by_provider(qrels: rankwise.Qrels, provider: str, measures: Iterable[str]) -> Theirs:
    asked = {ir_measures.parse_measure(name): name for name in measures}
    evaluator = ir_measures.providers.registry[provider].evaluator(
        list(asked), by_topic(qrels.frame, "grade")
    )

    def theirs(run: rankwise.Run) -> Iterator[tuple[str, str, float]]:
        for one in evaluator.iter_calc(by_topic(run.frame, "score")):
            yield one.query_id, asked[one.measure], float(one.value)

    return theirs


def by_accuracy(qrels: rankwise.Qrels, measures: Iterable[str]) -> Theirs:
    """Says nothing without relevant documents retrieved, divides by zero without others."""
    judged, find = by_topic(qrels.frame, "grade"), ir_measures.providers.registry["accuracy"]
    evaluators = {m: find.evaluator([ir_measures.parse_measure(m)], judged) for m in measures}

    def theirs(run: rankwise.Run) -> Iterator[tuple[str, str, float]]:
        for topic, ranked in by_topic(run.frame, "score").items():
            for name, evaluator in evaluators.items():
                least = parse(name).rel or 1
                relevant = any(grade >= least for grade in judged[topic].values())
                nothing = 0.0 if relevant else math.nan  # ours, where they say nothing
                try:
                    found = [one.value for one in evaluator.iter_calc({topic: ranked})]
                except ZeroDivisionError:  # nothing but relevant documents
                    found = [1.0]
                yield topic, name, (found or [nothing])[0]

    return theirs


def by_python(provider: str, qrels: rankwise.Qrels) -> Theirs:
    if provider == "accuracy":
        return by_accuracy(qrels, PYTHON[provider])
    return by_provider(qrels, provider, PYTHON[provider])


def trec_eval_names(**parameters: Any) -> dict[Metric, str]:
    """The metric for each name that pytrec_eval prints, with parameters where it has them.

    It is version 9 of trec_eval, which rounds recall × R up.
    """
    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, set(TREC_EVAL))
    found = {}
    for name in evaluator.evaluate({"1": {"a": 1.0}})["1"]:
        metric = parse(name)
        has = {field.name for field in fields(metric)}
        if "judged_only" in has or "judged_only" not in parameters:
            asked = {**parameters, "rounding": "up"}
            if metric.rel is None:  # a grade would make nDCG binary
                asked.pop("rel", None)
            taken = {key: value for key, value in asked.items() if key in has}
            found[replace(metric, **taken)] = name
    return found


@pytest.fixture(scope="module")
def qrels(trec8: Path) -> rankwise.Qrels:
    return rankwise.read_qrels(trec8 / "trec8.qrels.gz")


@pytest.fixture(scope="module")
def some_runs(trec8: Path) -> list[rankwise.Run]:
    return rankwise.read_runs([trec8 / "runs" / f"input.{name}.gz" for name in SOME])


@pytest.fixture(scope="module")
def made() -> rankwise.Simulated:
    """Graded judgments; one of the four systems has ties."""
    return rankwise.simulate(topics=10, systems=4, depth=50, seed=5)


def test_all_of_pytrec_eval_on_all_runs_of_trec8(trec8: Path, qrels: rankwise.Qrels) -> None:
    """With scores cut to float32, as it does; `test_trec8.py` shows what that changes."""
    float32 = pl.col("score").cast(pl.Float32).cast(pl.Float64)
    runs = [
        rankwise.Run(run.frame.with_columns(float32), name=run.name)
        for run in rankwise.read_runs(sorted((trec8 / "runs").glob("*.gz")))
    ]
    pairs = trec_eval_names()
    assert (len(runs), len(pairs)) == (129, 90)
    assert_agreement(qrels, runs, pairs, by_pytrec_eval(qrels))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_all_of_pytrec_eval_with_grades(made: rankwise.Simulated, level: int) -> None:
    pairs = trec_eval_names(rel=level)
    if level > 1:
        del pairs[parse("Rndcg")]  # see below
    theirs = by_pytrec_eval(made.qrels, level=level)
    assert_agreement(made.qrels, made.runs, pairs, theirs, undefined=0)


def test_rndcg_of_trec_eval_is_0_where_no_document_reaches_the_level() -> None:
    """It looks at grades, not at the level, for everything else."""
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"x": 2.0, "a": 1.0}}
    ours = rankwise.score(qrels, run, "Rndcg").value.item()
    for level, theirs in ((1, ours), (2, 0)):
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"Rndcg"}, relevance_level=level)
        assert evaluator.evaluate(run)["1"]["Rndcg"] == pytest.approx(theirs, abs=1e-12)
    assert ours > 0


def test_condensed_lists_of_pytrec_eval(made: rankwise.Simulated) -> None:
    pairs = trec_eval_names(judged_only=True)
    assert len(pairs) == 82
    assert_agreement(made.qrels, made.runs, pairs, by_pytrec_eval(made.qrels, condensed=1))


def test_pytrec_eval_with_pooled_documents_that_were_not_judged(made: rankwise.Simulated) -> None:
    """Not ndcg, ndcg_rel and G: with negative grades pytrec_eval may never return."""
    sampled = pl.when(pl.int_range(pl.len()) % 3 == 0).then(-1).otherwise(pl.col("grade"))
    qrels = rankwise.Qrels(made.qrels.frame.with_columns(sampled.cast(pl.Int32).alias("grade")))
    unsafe = {"ndcg", "ndcg_rel", "G"}
    pairs = {metric: name for metric, name in trec_eval_names().items() if name not in unsafe}
    theirs = by_pytrec_eval(qrels, set(TREC_EVAL) - unsafe)
    assert_agreement(qrels, made.runs, pairs, theirs, undefined=0)


def test_ir_measures_reads_parameters_alike(made: rankwise.Simulated) -> None:
    names = (
        *("nDCG(gains={0:0,1:1,2:4,3:9})@20", "nDCG(gains={3:10})", "SetF(beta=2)"),
        *("SetF(beta=0.5,rel=2)", "SetP(relative=True,rel=2)", "SetAP(rel=2)", "SetR(rel=2)"),
        *("IPrec(rel=2)@0.3", "infAP(rel=2)", "P(rel=2,judged_only=True)@7"),
        "NumRet(rel=2)",
    )
    theirs = by_provider(made.qrels, "pytrec_eval", names)
    assert_agreement(made.qrels, made.runs, dict(zip(names, names, strict=True)), theirs, 1e-9, 0)


def test_cwl_eval_on_trec8(qrels: rankwise.Qrels, some_runs: list[rankwise.Run]) -> None:
    """Its AP is AP*, and 0 where that is undefined."""
    here = pl.col("topic").is_in(SOME_TOPICS)
    some = rankwise.Qrels(qrels.frame.filter(here))
    runs = [rankwise.Run(untied(run).frame.filter(here), name=run.name) for run in some_runs]
    pairs = CWL | graded(CWL_GRADED, 1)
    assert_agreement(some, runs, pairs, by_provider(some, "cwl_eval", pairs.values()), undefined=0)


@pytest.mark.parametrize("best", [2, 3, 4])
def test_cwl_eval_with_grades(made: rankwise.Simulated, best: int) -> None:
    """Grades run to 3: a greatest of 2 cuts them, one of 4 is never reached."""
    steps = ",".join(f"{grade}:{min(grade / best, 1)!r}" for grade in (1, 2, 3))
    pairs = graded(CWL_GRADED, best)
    pairs |= {f"INSQ(T=2,gains={{{steps}}})@1000": f"INSQ(T=2,max_rel={best})"}
    pairs |= {f"INSQ(max_rel={best},min_rel=1)@1000": f"INSQ(max_rel={best},min_rel=1)"}
    pairs |= {f"INST(max_rel={best},min_rel=1)@1000": f"INST(max_rel={best},min_rel=1)"}
    pairs |= {
        name: name
        for name in (
            f"BPM(max_rel={best},min_rel=1)@10",
            f"SDCG(max_rel={best},min_rel=1)@100",
            f"NERR9(max_rel={best},min_rel=1)@100",
        )
    }
    theirs = by_provider(made.qrels, "cwl_eval", pairs.values())
    assert_agreement(made.qrels, [untied(run) for run in made.runs], pairs, theirs)


@needs_perl
def test_gdeval_on_trec8(qrels: rankwise.Qrels, some_runs: list[rankwise.Run]) -> None:
    theirs = by_provider(qrels, "gdeval", GDEVAL.values())
    assert_agreement(qrels, some_runs, GDEVAL, theirs, FIVE_DIGITS)


@needs_perl
def test_gdeval_with_grades(made: rankwise.Simulated) -> None:
    theirs = by_provider(made.qrels, "gdeval", GDEVAL.values())
    assert_agreement(made.qrels, made.runs, GDEVAL, theirs, FIVE_DIGITS)


@pytest.mark.parametrize("provider", PYTHON)
def test_the_python_providers_on_trec8(
    provider: str, qrels: rankwise.Qrels, some_runs: list[rankwise.Run]
) -> None:
    runs = [untied(run) for run in some_runs]
    assert_agreement(qrels, runs, PYTHON[provider], by_python(provider, qrels))


@pytest.mark.parametrize("provider", PYTHON)
def test_the_python_providers_with_grades(provider: str, made: rankwise.Simulated) -> None:
    runs = [untied(run) for run in made.runs]
    assert_agreement(made.qrels, runs, PYTHON[provider], by_python(provider, made.qrels))


def test_compat_of_ir_measures_changes_when_all_scores_are_lowered_alike() -> None:
    """It takes 0 for the score of what is not retrieved, and so puts that first."""
    qrels = {"1": {"a": 1, "b": 1}}
    above, below = {"1": {"a": 1.0}}, {"1": {"a": -1.0}}
    ours = [rankwise.score(qrels, run, "Compat").value.item() for run in (above, below)]
    theirs = [ir_measures.Compat.iter_calc(qrels, run) for run in (above, below)]
    first, second = (next(iter(found)).value for found in theirs)
    assert ours == pytest.approx([first, first])
    assert second == pytest.approx(1 - first)
