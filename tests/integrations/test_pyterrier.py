"""PyTerrier's experiments on frames: scored by rankwise, tested by it, read back."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankwise
from rankwise.integrations.pyterrier import scores, significance_test, to_pandas

MADE = rankwise.simulate(topics=12, systems=3, depth=40, seed=2)
PER_QUERY = pd.DataFrame(
    [
        [name, topic, measure, value]
        for name, shift in (("bm25", 0.0), ("dense", 0.25))
        for measure in ("map", "P@10")
        for topic, value in (("1", shift), ("2", shift + 0.5), ("3", 0.5))
    ],
    columns=["name", "qid", "measure", "value"],
)


def test_tests_answer_as_scipys_do() -> None:
    one, other = np.random.default_rng(0).random((2, 30))
    found = significance_test("t")(one, other)
    assert found.pvalue == found[1] == pytest.approx(stats.ttest_rel(one, other).pvalue)
    assert found.statistic == pytest.approx((one - other).mean())
    for test in ("wilcoxon", "sign", "permutation", "bootstrap"):
        assert 0 < significance_test(test)(one, other).pvalue <= 1
    again = [significance_test("bootstrap", resamples=200, seed=7)(one, other) for _ in range(2)]
    assert again[0] == again[1]


def test_tests_of_all_pairs_at_once_are_refused() -> None:
    with pytest.raises(rankwise.CallError, match="`test` 'tukey' is not one of t, permutation"):
        significance_test("tukey")


def test_results_by_topic_are_scores() -> None:
    found = scores(PER_QUERY)
    assert found.to_dict()["dense"]["map"] == pytest.approx(0.5)
    assert (found.runs, found.topics) == (("bm25", "dense"), ("1", "2", "3"))
    assert rankwise.compare(found).frame.height == 2
    assert to_pandas(found).sort_values(["name", "qid"]).columns.tolist() == [*PER_QUERY]
    both = [PER_QUERY, to_pandas(found)]
    rows = [frame.sort_values([*PER_QUERY]).to_numpy().tolist() for frame in both]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (PER_QUERY.drop(columns="qid"), "is needed, not columns name, measure, value."),
        ({"map": 0.5}, "a data frame with columns name, qid, measure, value is needed, not dict."),
        (
            pd.concat([PER_QUERY, PER_QUERY]),
            "'bm25' has two values of map for topic 1. Give each system its own name",
        ),
    ],
)
def test_other_results_are_refused(given: Any, message: str) -> None:
    with pytest.raises(rankwise.InputError, match=message):
        scores(given)


def test_frames_have_pyterriers_columns() -> None:
    [run] = rankwise.read_runs({"1": {"a": 1.0, "c": 2.0, "b": 2.0}})
    rows = to_pandas(run)
    assert rows.columns.tolist() == ["qid", "docno", "score", "rank"]
    assert dict(zip(rows["docno"], rows["rank"], strict=True)) == {"c": 0, "b": 1, "a": 2}
    assert to_pandas(MADE.qrels).columns.tolist() == ["qid", "docno", "label"]
    assert rankwise.read_qrels(to_pandas(MADE.qrels)).frame.equals(MADE.qrels.frame)
    with pytest.raises(rankwise.CallError, match="a dict is given; a Run, Qrels or Scores"):
        to_pandas({})  # type: ignore[arg-type]


@pytest.fixture
def experiment() -> Any:
    """`pt.Experiment` of the systems as frames; it needs no Java."""
    pt = pytest.importorskip(
        "pyterrier", reason="pyterrier is not installed: pip install pyterrier"
    )
    qrels = to_pandas(MADE.qrels)
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "words"})
    systems, names = [to_pandas(run) for run in MADE.runs], [run.name for run in MADE.runs]

    def run_it(metrics: list[Any], **options: Any) -> pd.DataFrame:
        return pt.Experiment(systems, topics, qrels, metrics, names=names, **options)

    return run_it


def test_experiments_run_on_rankwise(experiment: Any) -> None:
    from ir_measures import AP, nDCG

    from rankwise.integrations.ir_measures import install, measure, uninstall

    metrics = ["map", "P_10", nDCG @ 10, AP(rel=2), "num_rel_ret"]
    before = experiment(metrics)
    install()
    try:
        after = experiment(metrics)[before.columns]
        own = experiment([measure("RankEff"), measure("Q") @ 10], perquery=True)
    finally:
        uninstall()
    pd.testing.assert_frame_equal(after, before)
    expected = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, undefined="zero"), metrics=["RankEff", "Q@10"]
    )
    for run, means in scores(own).to_dict().items():
        assert means == pytest.approx(expected.to_dict()[run])


def test_experiments_take_our_tests(experiment: Any) -> None:
    table = experiment(["map"], baseline=0, test=significance_test("permutation"))
    compared = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, undefined="zero"),
        metrics="AP",
        baseline=MADE.runs[0].name,
        test="permutation",
        correction="none",
    )
    assert table["map p-value"][1:].tolist() == pytest.approx(compared.frame["p"].to_list())


def test_labels_are_the_grades_as_read() -> None:
    """Fractional grades are numbered from 1 inside rankwise."""
    grades = {"a": 0.25, "b": 0.5, "c": 1.0, "d": 0.0}
    frame = to_pandas(rankwise.read_qrels({"1": grades}))
    assert dict(zip(frame["docno"], frame["label"], strict=True)) == grades
    assert to_pandas(rankwise.read_qrels({"1": {"a": 2}}))["label"].tolist() == [2]
