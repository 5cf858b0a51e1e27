"""`rankwise.diff`: measures by plain loops, bounds beside `compare`, and odd runs."""

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from kernels import without_kernel

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.similarity import RunDiff
from rankwise.stats.list_similarity import rank_biased_overlap

Lists = dict[str, list[str]]
MADE = rankwise.simulate(topics=6, systems=3, depth=30, pool_depth=8, seed=3)


def scored(lists: Lists) -> dict[str, dict[str, float]]:
    return {
        topic: {name: float(len(names) - place) for place, name in enumerate(names)}
        for topic, names in lists.items()
    }


def random_lists(seed: int, topics: int = 20) -> Lists:
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(40)]
    return {str(topic): rng.sample(documents, rng.randint(2, 25)) for topic in range(topics)}


def value(found: RunDiff, measure: str) -> dict[str, float]:
    rows = found.by_topic().filter(measure=measure)
    return dict(zip(rows["topic"], rows["value"], strict=True))


def slow_overlap(one: list[str], other: list[str], p: float) -> float:
    names = sorted({*one, *other})
    x, y = ([-some.index(n) if n in some else np.nan for n in names] for some in (one, other))
    return float(rank_biased_overlap(x, y, p).extrapolated)


@pytest.mark.slow
def test_measures_are_those_of_plain_loops() -> None:
    old, new = random_lists(1), random_lists(2)
    new["3"] = old["3"]
    new["4"] = [*old["4"][:2], "other"]
    found = rankwise.diff({"old": scored(old), "new": scored(new)}, p=0.8, depths=(1, 3, 10))
    tried = 0
    for topic, one in old.items():
        other = new[topic]
        assert value(found, "RBO")[topic] == pytest.approx(slow_overlap(one, other, 0.8))
        recall = sum(0.2 * 0.8**rank for rank, name in enumerate(one) if name in other)
        assert value(found, "RBR")[topic] == pytest.approx(recall)
        align = sum(
            0.2 * 0.8 ** ((one.index(name) + other.index(name)) / 2)
            for name in one
            if name in other
        )
        assert value(found, "RBA")[topic] == pytest.approx(align)
        for k in (1, 3, 10):
            a, b = set(one[:k]), set(other[:k])
            size = min(k, max(len(one), len(other)))
            assert value(found, f"overlap@{k}")[topic] == pytest.approx(len(a & b) / size)
            assert value(found, f"Jaccard@{k}")[topic] == pytest.approx(len(a & b) / len(a | b))
            assert value(found, f"changed@{k}")[topic] == (one[:k] != other[:k])
            tried += 1
    assert tried == 60
    same = found.churn(5).filter(depth=3)["changed"].item()
    assert same == sum(old[topic][:3] != new[topic][:3] for topic in old) / 20


@pytest.mark.parametrize("ties", ["name", "a"])
def test_blocks_of_topics_give_the_same(monkeypatch: pytest.MonkeyPatch, ties: Any) -> None:
    """Long runs are compared some topics at a time; here each block has one or two."""
    runs = {str(seed): scored(random_lists(seed)) for seed in (1, 2, 3)}
    del runs["2"]["7"]
    whole = rankwise.diff(runs, "P@2", ties=ties)
    monkeypatch.setattr("rankwise.similarity.measures.AT_A_TIME", 30)
    parts = rankwise.diff(runs, "P@2", ties=ties)
    one, other = (found.by_topic().fill_null(-9.0) for found in (parts, whole))
    assert one.height > 800 and one["measure"].equals(other["measure"])
    for column in ("value", "low", "high"):
        assert one[column].to_list() == pytest.approx(other[column].to_list(), abs=1e-14)
    assert (parts.same_ranks == whole.same_ranks).all()


def test_all_kinds_of_input_give_the_same(tmp_path: Path) -> None:
    first, second = MADE.runs[:2]
    paths = []
    for run in (first, second):
        paths.append(tmp_path / f"{run.name}.run")
        rankwise.write_run(run, paths[-1])
    second.frame.write_parquet(tmp_path / "second.parquet")
    names = [first.name, second.name]
    dicts = {}
    for run in (first, second):
        dicts[run.name] = {
            topic[0]: dict(zip(rows["document"], rows["score"], strict=True))
            for topic, rows in run.frame.group_by(["topic"], maintain_order=True)
        }

    def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
        for _, part in frame.group_by(["topic"], maintain_order=True):
            yield part

    given: dict[str, Any] = {
        "paths": paths,
        "frames": {run.name: run.frame for run in (first, second)},
        "dicts": dicts,
        "streams": {run.name: batches(run.frame) for run in (first, second)},
        "mixed": {names[0]: paths[0], names[1]: tmp_path / "second.parquet"},
        "collection": rankwise.read(None, paths),
    }
    frames = {kind: rankwise.diff(runs).frame for kind, runs in given.items()}
    with without_kernel():
        frames["no kernel"] = rankwise.diff(paths).frame
    expected = frames.pop("paths")
    assert expected.height > 15 and expected["a"][0] == names[0]
    numbers = [name for name, kind in expected.schema.items() if kind.is_float()]
    for kind, frame in frames.items():
        assert frame.drop(numbers).equals(expected.drop(numbers)), kind
        for name in numbers:  # sums are not always in the same order
            got, wanted = (table[name].fill_null(-9).to_list() for table in (frame, expected))
            assert got == pytest.approx(wanted, abs=1e-12), (kind, name)


def test_bounds_with_judgments_are_those_of_compare() -> None:
    runs = {run.name: run for run in MADE.runs[:2]}
    metrics = ["AP", "nDCG@10", "RBP(p=0.8)", "Recall@5"]
    found = rankwise.diff(runs, metrics, qrels=MADE.qrels).frame
    compared = rankwise.compare(MADE.qrels, runs, metrics).frame
    bounds = found.filter(measure="MED")
    change = found.filter(measure="difference")
    assert bounds["low"].to_list() == pytest.approx(compared["low"].to_list())
    assert bounds["high"].to_list() == pytest.approx(compared["high"].to_list())
    assert change["value"].to_list() == pytest.approx(compared["difference"].to_list())
    p_values = found.filter(measure="p")["value"].to_list()
    assert p_values == pytest.approx(compared["p"].to_list())


def test_no_judgments_are_an_empty_set_of_judgments() -> None:
    """As many topics, each with one judged document that neither run retrieved."""
    runs = {run.name: run for run in MADE.runs[:2]}
    topics = sorted({topic for run in MADE.runs for topic in run.frame["topic"]})
    none = {topic: {"nobody has this": 0} for topic in topics}
    metrics = ["AP", "nDCG@10", "P@10", "RR", "Bpref"]
    with_none = rankwise.diff(rankwise.read(none, runs, undefined="zero"), metrics, effort=10_000)
    without = rankwise.diff(runs, metrics, effort=10_000)
    for name in without.bounds:
        for end in ("low", "high"):
            one, other = (getattr(found.bounds[name], end) for found in (with_none, without))
            assert one == pytest.approx(other), name


def test_higher_grades_matter_to_graded_metrics_alone() -> None:
    runs = {"old": scored({"1": ["a", "b"]}), "new": scored({"1": ["b", "c"]})}
    low, high = (rankwise.diff(runs, ["DCG", "P@2"], highest_grade=grade) for grade in (1, 3))
    assert high.limit("DCG").mean == pytest.approx(3 * low.limit("DCG").mean)
    assert high.limit("P@2") == low.limit("P@2")
    gains = rankwise.read(None, runs, gains={1: 1, 2: 5})
    assert rankwise.diff(gains, "DCG").limit().mean == pytest.approx(5 * low.limit("DCG").mean)


def test_grades_that_a_metric_adds_are_named() -> None:
    """A threshold or gains above `highest_grade` allow grades up to theirs."""
    runs = {"old": scored({"1": ["a", "b"]}), "new": scored({"1": ["c", "b"]})}
    found = rankwise.diff(runs, ["P(rel=2)@1", "WRR", "P@1"])
    binary, *higher = (found.sentence(name) for name in ("P@1", "P(rel=2)@1", "WRR"))
    assert binary.startswith("Under any binary judgments")
    assert higher[0].startswith("Under any judgments from 0 to 2")
    assert higher[1].startswith("Under any judgments from 0 to 3")
    [note] = [str(note) for note in found.notes if note.kind == "no-judgments"]
    assert "grade 0 or 1 (up to 2 for P(rel=2)@1, up to 3 for WRR)" in note
    gains = rankwise.diff(rankwise.read(None, runs, gains={1: 1, 2: 5}), "DCG")
    assert gains.sentence().startswith("Under any judgments from 0 to 2")


def test_identical_runs_are_said_to_be_identical() -> None:
    lists = scored(random_lists(1))
    found = rankwise.diff({"old": lists, "new": lists})
    assert found.sentence() == "old and new are identical on all 20 topics."
    assert "old and new are identical on all 20 topics" in map(str, found.notes)
    assert found.within(0) and found.identical.all()
    assert found.frame.filter(measure="RBO")["value"].item() == pytest.approx(1)
    assert found.churn()["changed"].max() == 0


def test_sentences_name_a_size_that_some_topics_exceed() -> None:
    old = scored({"1": ["a", "b"], "2": ["a", "b"], "3": ["a", "b"]})
    new = scored({"1": ["a", "c"], "2": ["c", "d"], "3": ["a", "b"]})
    found = rankwise.diff({"old": old, "new": new}, ["P@2"])
    assert found.limit().mean == pytest.approx(0.5) and found.limit().largest == 1
    assert found.limit().topic == "2"
    assert found.sentence() == (
        "Under any binary judgments, old and new differ in mean P@2 over 3 topics by at most "
        "0.5. On 1 topic, the bound of the difference is above 0.9."
    )
    assert "old and new are identical on 1 of 3 topics" in map(str, found.notes)


def test_a_topic_that_one_run_lacks_is_as_different_as_can_be() -> None:
    old = scored({"1": ["a", "b"], "2": ["a", "b"]})
    new = scored({"1": ["a", "b"], "3": ["a"]})
    found = rankwise.diff({"old": old, "new": new}, ["P@2"])
    assert found.topics == ("1", "2", "3")
    assert value(found, "RBO") == pytest.approx({"1": 1, "2": 0, "3": 0})
    assert value(found, "changed@1") == {"1": 0, "2": 1, "3": 1}
    assert value(found, "overlap@3") == {"1": 1, "2": 0, "3": 0}
    warned = [str(note) for note in found.notes if note.severity == "warning"]
    assert warned[0].startswith("old returned nothing for 1 of 3 topics (3)")
    common = rankwise.diff(rankwise.read(None, {"old": old, "new": new}, topics="common"))
    assert common.topics == ("1",) and common.identical.all()


def test_runs_without_a_common_topic_are_refused() -> None:
    old, new = scored({"1": ["a"], "2": ["a"]}), scored({"3": ["a"]})
    with pytest.raises(
        InputError,
        match=r"in common with new\. Topics of old: 1, 2\. Topics of new",
    ):
        rankwise.diff({"old": old, "new": new})


def test_lengths_that_differ_are_said_and_what_that_means() -> None:
    old, new = scored({"1": ["a", "b", "c"]}), scored({"1": ["a"]})
    notes = map(str, rankwise.diff({"old": old, "new": new}).notes)
    [note] = [note for note in notes if "length" in note]
    assert (
        "rankings of 1 topic differ in length (mean number of documents: old 3.0, new 1.0)" in note
    )
    assert "RBO extrapolates the agreement of the rankings" in note


def test_equal_scores_are_ordered_by_name_here_as_in_score() -> None:
    flat = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    by_name = scored({"1": ["c", "b", "a"]})
    found = rankwise.diff({"flat": flat, "by name": by_name}, ["RR"])
    assert found.identical.all()
    [note] = [note for note in map(str, found.notes) if "same score" in note]
    assert "in run flat on 1 of 1 topics" in note
    qrels = {"1": {"b": 1}}
    assert rankwise.score(qrels, flat, "RR").to_dict() == {"run": {"RR": 0.5}}
    shared = rankwise.diff({"flat": flat, "by name": by_name}, ["RR"], ties="a")
    assert shared.frame.filter(measure="RBO")["value"].item() < 0.95


def test_ties_follow_corsi_and_urbano() -> None:
    old = {"1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}, "2": {"a": 1.0, "b": 1.0}}
    new = {"1": {"b": 3.0, "a": 3.0, "e": 2.0}, "2": {"b": 1.0}, "3": {"x": 1.0}}
    names = "abcde"
    for ties in ("w", "a", "b"):
        found = rankwise.diff({"old": old, "new": new}, ["P@2"], ties=ties, p=0.7)
        for topic in ("1", "2"):
            x, y = ([run[topic].get(name, np.nan) for name in names] for run in (old, new))
            expected = rank_biased_overlap(x, y, 0.7, ties).extrapolated
            assert value(found, "RBO")[topic] == pytest.approx(expected), (ties, topic)
        assert value(found, "RBO")["3"] == 0


def test_a_depth_cuts_the_rankings() -> None:
    old, new = scored({"1": ["a", "b", "c", "d"]}), scored({"1": ["a", "b", "d", "c"]})
    cut = rankwise.diff(rankwise.read(None, {"old": old, "new": new}, depth=2))
    assert cut.identical.all() and cut.lengths.tolist() == [[2], [2]]
    sharing = rankwise.read(None, {"old": old, "new": new}, depth=2)
    assert rankwise.diff(sharing, "RBP(ties=share)").within(0)


def test_topics_that_changed_most_come_first_with_both_lists() -> None:
    old = {"1": ["a", "b", "c"], "2": ["a", "b", "c"], "3": ["a", "b", "c"]}
    new = {"1": ["a", "c", "b"], "2": ["x", "b", "a"], "3": ["a", "b", "c"]}
    found = rankwise.diff({"old": scored(old), "new": scored(new)})
    changed = found.most_changed(2)
    assert changed["topic"].to_list() == ["2", "1"] and changed["same_ranks"].to_list() == [0, 1]
    lists = found.lists("2", depth=2)
    assert lists.rows() == [(1, "a", 3, "x", None), (2, "b", 2, "b", 2)]
    assert lists.columns == ["rank", "old", "in_new", "new", "in_old"]
    with pytest.raises(CallError, match="there is no topic '9'"):
        found.lists("9")


def test_groups_of_topics_have_their_own_means() -> None:
    old = scored({"1": ["a", "b"], "2": ["a", "b"], "3": ["a", "b"]})
    new = scored({"1": ["a", "b"], "2": ["b", "a"], "3": ["x", "y"]})
    reading = rankwise.read(
        None, {"old": old, "new": new}, topic_groups={"1": "head", "2": "tail", "3": "tail"}
    )
    found = rankwise.diff(reading, ["P@1"])
    rows = found.frame.filter(measure="changed@1")
    assert dict(zip(rows["group"], rows["value"], strict=True)) == pytest.approx(
        {"all": 2 / 3, "head": 0, "tail": 1}
    )
    assert found.by_group["head"].within(0) and not found.by_group["tail"].within(0.9)
    assert "group" in found.table().frame.columns and found.bounds_table().frame.height == 3


def test_several_runs_are_compared_in_pairs() -> None:
    runs = {run.name: run for run in MADE.runs}
    found = rankwise.diff(runs, ["RBP(p=0.8)"], measures=["RBO", "overlap@10"])
    assert found.frame.height == 9 and found.table().frame.height == 3
    for a, b in pairwise(runs):
        alone = rankwise.diff({a: runs[a], b: runs[b]}, ["RBP(p=0.8)"], measures=["RBO"]).frame
        both = found.frame.filter(a=a, b=b, measure="RBO")
        assert both.drop("topics").equals(alone.filter(measure="RBO").drop("topics"))
    with pytest.raises(CallError, match="exactly two runs; 3 are given"):
        found.sentence()


def test_two_pairs_have_an_effect_ratio() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(3)}
    lists = {"good": ["a", "b"], "bad": ["b", "a"], "none": ["b", "c"]}
    runs = {name: scored(dict.fromkeys(qrels, names)) for name, names in lists.items()}
    found = rankwise.diff(
        {"b": runs["bad"], "b2": runs["none"]},
        ["RR"],
        qrels=qrels,
        advanced={"a": runs["good"], "a2": runs["bad"]},
    )
    assert found.frame.filter(measure="effect ratio")["value"].item() == pytest.approx(1)
    assert found.frame.filter(measure="RMSE")["value"].item() == pytest.approx(0.5)
    with pytest.raises(CallError, match="needs judgments"):
        rankwise.diff({"b": runs["bad"], "c": runs["none"]}, advanced=[runs["good"]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["RBO", "rbp"]}, "unknown measure 'rbp'"),
        ({"measures": "overlap"}, r"overlap needs a depth, as in overlap@10"),
        ({"measures": "RBO@10"}, "takes no depth"),
        ({"metrics": "NumRel"}, "not the quality of a ranking"),
        ({"p": 1.0}, "`p` must be between 0 and 1"),
        ({"ties": "c"}, "ties"),
        ({"highest_grade": 0}, "between 1 and 1000"),
        ({"alpha": 2.0}, "`alpha` must"),
        ({"depths": (0,)}, "`depths` must be a whole number"),
        ({"unjudged": "own"}, "own"),
        ({"metrics": "P@2", "qrels": {"9": {"a": 1}}}, "no topic in common with the qrels"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, Any], message: str) -> None:
    runs = {"old": scored({"1": ["a", "b"]}), "new": scored({"1": ["b", "a"]})}
    with pytest.raises((CallError, InputError), match=message):
        rankwise.diff(runs, **options)


def test_some_topics_alone_and_other_names_of_documents() -> None:
    old, new = scored({"1": ["a#1", "b#1"], "2": ["a"]}), scored({"1": ["a#2", "b#1"], "2": ["b"]})
    runs = {"old": old, "new": new}
    found = rankwise.diff(rankwise.read(None, runs, only_topics=["1"]), "P@1")
    assert found.topics == ("1",) and found.limit().mean == 1
    found = rankwise.diff(
        rankwise.read(None, runs, only_topics=["1"], map_documents="(.*)#"), "P@1"
    )
    assert found.identical.all() and found.lists("1")["old"].to_list() == ["a", "b"]
    with pytest.raises(CallError, match="needs judgments"):
        rankwise.diff(rankwise.read(None, runs, complete_runs=True))


@pytest.mark.parametrize("unjudged", ["top=1", "extra=2", "open"])
def test_other_assumptions_are_taken_without_judgments(unjudged: str) -> None:
    runs = {"old": scored({"1": ["a", "b", "c"]}), "new": scored({"1": ["b", "c", "d"]})}
    found = rankwise.diff(runs, ["P@3", "RBP(p=0.5)"], unjudged=unjudged)
    # New − old, by document: a −0.5, b 0.25, c 0.125, d 0.125; below each end 0.125.
    expected = {
        "top=1": [(-1 / 3, 0), (-0.5, 0.25)],
        "extra=2": [(-1 / 3, 1 / 3), (-0.5, 0.5)],
        "open": [(-1 / 3, 1 / 3), (-0.625, 0.625)],
    }
    for ends, numbers in zip(found.bounds.values(), expected[unjudged], strict=True):
        assert (ends.low[0, 0], ends.high[0, 0]) == pytest.approx(numbers)


def test_one_run_is_refused() -> None:
    with pytest.raises(CallError, match="diff needs two runs or more; only one run is given"):
        rankwise.diff(scored({"1": ["a"]}))
    data = rankwise.read({"1": {"a": 1}}, {"x": scored({"1": ["a"]}), "y": scored({"1": ["a"]})})
    with pytest.raises(CallError, match=r"must be passed to rankwise\.read"):
        rankwise.diff(data, qrels={"1": {"a": 1}})


def test_bounds_that_are_not_tight_are_called_so() -> None:
    runs = {run.name: run for run in MADE.runs[:2]}
    found = rankwise.diff(runs, ["AP"], effort=0)
    limit = found.limit()
    assert limit.gap > 0
    assert any(
        "bounds on mean differences are valid but not tight" in str(note) for note in found.notes
    )
    least = limit.mean - limit.gap
    [line] = found.verdicts((limit.mean + max(least, 0)) / 2)
    assert "fails: the mean difference may be up to" in line


def test_charts_draw_churn_and_the_lists_of_a_topic() -> None:
    runs = {run.name: run for run in MADE.runs[:2]}
    found = rankwise.diff(runs)
    churn = found.chart().to_dict()
    assert (
        len(churn["data"]["values"]) == 30 and churn["title"]["text"] == "Changed rankings by depth"
    )
    slopes = found.chart(found.topics[0]).to_dict()
    assert "layer" in slopes and found.topics[0] in slopes["title"]["text"]


def trec8_pair(trec8: Path, *names: str) -> list[Path]:
    return [trec8 / "runs" / f"input.{name}.gz" for name in names]


@pytest.mark.data
def test_reproducibility_is_that_of_repro_eval(trec8: Path) -> None:
    """By repro_eval 0.5.0 on runs of TREC-8; its own example runs are no longer to be had."""
    found = rankwise.diff(
        trec8_pair(trec8, "pir9Attd", "pir9Atd0"),
        ["map", "P_10", "ndcg"],
        qrels=trec8 / "trec8.qrels.gz",
        advanced=trec8_pair(trec8, "INQ601", "INQ602"),
        measures=["overlap@10"],
        effort=0,
    )

    def of(part: Any, measure: str) -> list[float]:
        values: list[float] = part.frame.filter(measure=measure)["value"].to_list()
        return values

    expected = {
        "RMSE": [0.035724732065524095, 0.08485281374238572, 0.036902023668874795],
        "nRMSE": [0.045937714818319375, 0.10646601614815146, 0.05015196785782969],
        "p": [0.0001086792284756432, 0.18512475598677372, 0.00100880551599104],
        "unpaired p": [0.7024893338545374, 0.8082646191775706, 0.7259067429890645],
        "effect ratio": [0.6022050581123801, 0.27777777777777773, 0.5897576502944799],
        "delta RI": [-0.09923044361336372, -0.1010818769605021, -0.07288860545253695],
    }
    for measure, numbers in expected.items():
        assert of(found, measure) == pytest.approx(numbers, rel=1e-10), measure
    advanced = [0.10136636635764378, 0.2289104628451919, 0.14474164223241273]
    assert of(found.advanced, "RMSE") == pytest.approx(advanced, rel=1e-10)
    advanced = [0.2497493539501519, 0.27040015836762893, 0.13228399891736733]
    assert of(found.advanced, "p") == pytest.approx(advanced, rel=1e-10)


@pytest.mark.data
def test_bounds_are_those_of_tan_and_clarkes_program(trec8: Path) -> None:
    """By med.c of github.com/cmacdonald/MED, version of 31 May 2016, which prints five digits.

    Its MED-nDCG@20 divides by a constant: SDCG here. It takes a document at rank 20 of the
    other run for one below rank 20; the numbers are without that (docs/decisions.md).
    """
    runs = trec8_pair(trec8, "pir9Attd", "pir9Atd0")
    metrics = ["RBP(p=0.95)", "SDCG(max_rel=2)@20"]
    expected = {
        None: ([0.29010, 0.26176, 0.15378], 0.13720, [0.28851, 0.32495, 0.12013], 0.14606),
        "trec8.qrels.gz": ([0.04843, 0.08892, 0.03434], 0.02690, None, None),
    }
    for qrels, (rbp, rbp_mean, sdcg, sdcg_mean) in expected.items():
        found = rankwise.diff(
            *(runs, metrics),
            qrels=None if qrels is None else trec8 / qrels,
            measures=["overlap@10"],
            highest_grade=2,
        )
        rows = found.by_topic().filter(measure="MED")
        first = rows.filter(metric=metrics[0])["value"][:3].to_list()
        assert first == pytest.approx(rbp, abs=6e-6)
        assert found.limit(metrics[0]).med == pytest.approx(rbp_mean, abs=6e-6)
        if sdcg is not None:
            first = rows.filter(metric=metrics[1])["value"][:3].to_list()
            assert first == pytest.approx(sdcg, abs=6e-6)
            assert found.limit(metrics[1]).med == pytest.approx(sdcg_mean, abs=6e-6)
