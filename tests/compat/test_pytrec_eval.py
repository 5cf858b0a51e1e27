"""A changed import line is all it takes: pytrec_eval's names, results and errors."""

import gzip
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import ALL_RUN_ON, import_peer

import rankwise
import rankwise.compat.pytrec_eval as ours

theirs = import_peer("pytrec_eval")

QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 2}, "q2": {"d2": 1, "d3": 1}, "q3": {"d1": 0}}
RUN = {
    "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5},
    "unjudged": {"d1": 1.0},
    "q1": {"d1": 1, "x": 1.5, "d2": 1.5},
    "q3": {"d1": 2.0, "d2": 1.0},
}
Results = dict[str, dict[str, float]]
# On Python 3.14 an error of pytrec_eval-terrier 0.5.11 damages memory: the process ends later.
their_errors = pytest.mark.skipif(
    sys.version_info[:2] > ALL_RUN_ON, reason="an error of pytrec_eval may end the process here"
)


def assert_same(found: Results, expected: Results) -> int:
    """The same topics and measures in the same order, equal to the last printed digit."""
    assert {topic: list(values) for topic, values in found.items()} == {
        topic: list(values) for topic, values in expected.items()
    }
    count = 0
    for topic, values in expected.items():
        for name, value in values.items():
            if name != "runid":  # memory that was never set
                count += 1
                got = found[topic][name]
                assert type(got) is float
                assert got == pytest.approx(value, rel=1e-12, abs=1e-12), (topic, name)
    return count


def nested(frame: Any, value: str) -> dict[str, dict[str, Any]]:
    parts = frame.partition_by("topic", as_dict=True, maintain_order=True)
    return {str(t): dict(p.select("document", value).iter_rows()) for (t,), p in parts.items()}


def test_the_names_are_the_same() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames.items() <= theirs.supported_nicknames.items()
    assert set(theirs.__all__) <= set(ours.__all__)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("condensed", [0, 1])
def test_all_measures_at_all_levels(level: int, condensed: int) -> None:
    made = rankwise.simulate(topics=10, systems=4, depth=50, seed=5)
    qrels = nested(made.qrels.frame, "grade") | QRELS
    count = 0
    for run in made.runs:
        arguments: tuple[Any, ...] = (qrels, theirs.supported_measures, level, condensed)
        scores = nested(run.frame, "score") | RUN
        found = ours.RelevanceEvaluator(*arguments).evaluate(scores)
        count += assert_same(found, theirs.RelevanceEvaluator(*arguments).evaluate(scores))
    assert count == 4 * 13 * 94


def test_all_measures_on_trec8(trec8: Path) -> None:
    with gzip.open(trec8 / "trec8.qrels.gz", "rt") as lines:
        qrels = ours.parse_qrel(lines)
    pair = [m.RelevanceEvaluator(qrels, m.supported_measures) for m in (ours, theirs)]
    count = 0
    for file in sorted((trec8 / "runs").glob("*.gz"))[::8]:
        with gzip.open(file, "rt", errors="replace") as lines:
            run = ours.parse_run(lines)
        count += assert_same(*(evaluator.evaluate(run) for evaluator in pair))
    assert count > 17 * 49 * 94


@pytest.mark.parametrize(
    "measures",
    [
        {"map", "ndcg"},
        {"map_cut", "ndcg_cut"},
        {"official", "set", "ndcg"},
        ["ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "ndcg_cut_15", "recall.1000", "P"],
        {"P.5,2", "set_F.2", "utility_1,2,3,4", "iprec_at_recall_0.25", "relstring_5"},
        {"Rprec_mult.0.5", "11pt_avg.0.5,0.2", "success.3"},
        set(),
    ],
)
def test_measures_are_written_alike(measures: Any) -> None:
    pair = [m.RelevanceEvaluator(QRELS, measures).evaluate(RUN) for m in (ours, theirs)]
    assert assert_same(*pair) or not measures


def test_scores_are_single_precision() -> None:
    """What trec_eval 9 takes for a tie is one; `rankwise.score` tells the two apart."""
    run = {"q2": {"d1": 1 + 1e-10, "d2": 1.0}}
    pair = [m.RelevanceEvaluator(QRELS, {"recip_rank"}).evaluate(run) for m in (ours, theirs)]
    assert_same(*pair)
    assert pair[0]["q2"]["recip_rank"] == 1
    assert rankwise.score(QRELS, run, "RR").value[0, 0, 1] == 0.5


def test_numbers_beyond_single_precision_are_tied_at_the_top() -> None:
    run = {"q2": {"d1": 1e300, "d2": math.inf, "d3": 1.0}}
    pair = [m.RelevanceEvaluator(QRELS, {"map"}).evaluate(run) for m in (ours, theirs)]
    assert assert_same(*pair) == 1


def test_nothing_in_nothing_out() -> None:
    for module in (ours, theirs):
        evaluator = module.RelevanceEvaluator(QRELS, {"map"})
        assert evaluator.evaluate({}) == {}
        assert evaluator.evaluate({"unjudged": {"d1": 1.0}}) == {}
        assert module.RelevanceEvaluator({}, {"map"}).evaluate(RUN) == {}
    # pytrec_eval-terrier 0.5.7 scores a topic without judgments, later ones do not.
    assert ours.RelevanceEvaluator({"q1": {}}, {"map"}).evaluate(RUN) == {}


def test_an_empty_ranking_scores_0() -> None:
    """pytrec_eval's gm_map is that of a perfect score, and some of its values are 0 / 0."""
    run = {"q1": {}, "q2": {"d2": 1.0}}
    odd = {"runid", "num_rel", "gm_map", "gm_bpref", "11pt_avg", "iprec_at_recall"}
    for measure in sorted(theirs.supported_measures - odd):
        pair = [m.RelevanceEvaluator(QRELS, {measure}).evaluate(run) for m in (ours, theirs)]
        assert assert_same(*pair)
    found = ours.RelevanceEvaluator(QRELS, ours.supported_measures).evaluate(run)["q1"]
    assert found.pop("gm_map") == found.pop("gm_bpref") == math.log(0.00001)
    assert {name: value for name, value in found.items() if value} == {"num_q": 1, "num_rel": 2}


def test_an_evaluator_serves_run_after_run() -> None:
    one, other = (
        [m.RelevanceEvaluator(QRELS, {"map", "P_2"}) for _ in range(2)] for m in (ours, theirs)
    )
    runs = [RUN, {"q1": RUN["q1"]}, {"q2": {"d3": 1.0}}, RUN]
    for run in runs:
        assert_same(one[0].evaluate(run), other[0].evaluate(run))
        assert one[0].evaluate(run) == one[1].evaluate(run)


@their_errors
@pytest.mark.parametrize(
    "arguments",
    [
        ({1: {"a": 1}}, {"map"}),
        ({"1": {"a": 1.0}}, {"map"}),
        ({"1": {"a": np.int64(1)}}, {"map"}),
        ({"1": {1: 1}}, {"map"}),
        ({"1": ["a"]}, {"map"}),
        ({"1": {"a": 1}}, {"map"}, 0),
        ({"1": {"a": 1}}, {"map"}, 1.5),
        ({"1": {"a": 1}}, {"foo"}),
        ({"1": {"a": 1}}, "map"),
        ({"1": {"a": 1}}, {5}),
        ({"1": {"a": 1}}, {"prefs"}),
        ({"1": {"a": 1}},),
    ],
)
def test_a_wrong_evaluator_is_the_same_error(arguments: Any) -> None:
    errors = []
    for module in (ours, theirs):
        with pytest.raises((TypeError, ValueError)) as caught:
            module.RelevanceEvaluator(*arguments)
        errors.append(caught)
    found, expected = errors
    assert found.type is expected.type
    known = ("Expected rel", "Expected str", "Expected dict", "Expected map", "Argument", "uns")
    if str(expected.value).startswith(known) and "prefs" not in str(expected.value):
        start = " ".join(str(expected.value).split()[:2])
        assert str(found.value).startswith(start)


@their_errors
@pytest.mark.parametrize(
    "run",
    [
        [1],
        {1: {"a": 1}},
        {"1": {1: 1}},
        {"1": {"a": "x"}},
        {"1": {"a": None}},
        {"1": {"a": np.float32(1)}},
        {"1": []},
        {"other": {1: 1}},
    ],
)
def test_a_wrong_run_is_the_same_error(run: Any) -> None:
    messages = []
    for module in (ours, theirs):
        evaluator = module.RelevanceEvaluator({"1": {"a": 1}}, {"map"})
        with pytest.raises(TypeError) as caught:
            evaluator.evaluate(run)
        messages.append(str(caught.value).rstrip("."))
    assert messages[0].startswith(messages[1])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P_0", "'0' is not a cutoff"),
        ("ndcg_cut_5,5.0", "a cutoff is given twice"),
        ("ndcg.1", "parameters are pairs"),
        ("map_5", "map takes no parameters"),
        ("P_5foo", "unsupported measure P_5foo"),
        ("set_F.0.5,2", "set_F takes 1 parameter, not 2"),
    ],
)
def test_what_stops_pytrec_eval_or_is_ignored_there_is_an_error(measure: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.RelevanceEvaluator(QRELS, {measure})


def test_a_grade_that_is_too_large_is_an_error() -> None:
    with pytest.raises(OverflowError, match="a grade of topic '1' is beyond"):
        ours.RelevanceEvaluator({"1": {"a": 2**31}}, {"map"})


def test_a_score_that_is_no_number_has_no_place() -> None:
    with pytest.raises(ValueError, match="a score is NaN"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"d1": math.nan}})


def test_lines_are_parsed_alike() -> None:
    run = ["q1 Q0 d1 1 0.5 tag\n", "q1 Q0 d2 2 .25 tag\n", "q2 Q0 d1 1 1e-3 tag"]
    qrels = ["q1 0 d1 2\n", "q2 0 d1 -1\n"]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    for parse, lines, error in (
        ("parse_run", [run[0], run[0]], AssertionError),
        ("parse_qrel", [qrels[0], qrels[0]], AssertionError),
        ("parse_run", ["q1 Q0 d1 1 0.5"], ValueError),
        ("parse_qrel", [qrels[0], ""], ValueError),
        ("parse_qrel", ["q1 0 d1 1.5"], ValueError),
    ):
        for module in (theirs, ours):
            with pytest.raises(error) as caught:
                getattr(module, parse)(lines)
        assert f"line {len(lines)}: " in str(caught.value) or "1.5" in str(caught.value)


@pytest.mark.parametrize("measure", ["map", "gm_map", "num_ret"])
def test_values_are_aggregated_alike(measure: str) -> None:
    values = [0.1, 0.2, 0.7]
    found = ours.compute_aggregated_measure(measure, values)
    assert found == theirs.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure("num_q", []) == 0
    assert math.isnan(ours.compute_aggregated_measure("map", []))
