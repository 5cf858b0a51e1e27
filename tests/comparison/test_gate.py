"""The gate against scipy and plain loops, and its outcome in every format."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from calls import READING
from scipy import stats

import rankwise
from rankwise.comparison.gate.rules import limits_of
from rankwise.errors import CallError, InputError
from rankwise.scores.score_tables import long_form

MADE = rankwise.simulate(topics=24, systems=6, depth=40, pool_depth=15, seed=8)
RUNS = {run.name: run for run in MADE.runs}
PAIRS = [(a, b) for a in RUNS for b in RUNS if a != b]
TOPICS = rankwise.score(MADE.qrels, MADE.runs, "RR").topics


@cache
def values(metric: str, run: str) -> np.ndarray:
    """The scores of a run by topic; NaN where the metric is undefined."""
    found = rankwise.score(MADE.qrels, {run: RUNS[run].frame}, metric).to_dict(by_topic=True)
    by_topic = found[run].popitem()[1]
    return np.array([by_topic[topic] for topic in TOPICS], np.float64)


def gate(old: str, new: str, **rules: Any) -> Any:
    reading = {name: rules.pop(name) for name in READING & rules.keys()}
    return rankwise.gate(rankwise.read(MADE.qrels, **reading), RUNS[old], RUNS[new], **rules)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.08])
@pytest.mark.parametrize("metric", ["AP", "P@10", "SearchLength"])
def test_no_worse_means_that_the_confidence_limit_is_within_the_margin(
    metric: str, margin: float
) -> None:
    """By scipy's interval of paired differences; AP is undefined on some topics here."""
    margin = margin * 10 if metric == "SearchLength" else margin
    outcomes = set()
    for old, new in PAIRS:
        a, b = values(metric, new), values(metric, old)
        kept = np.isfinite(a) & np.isfinite(b)
        interval = stats.ttest_rel(a[kept], b[kept]).confidence_interval(0.95)
        worst, best = -interval.high, -interval.low
        if metric != "SearchLength":
            worst, best = interval.low, interval.high
        sure = "passes" if worst > -margin else "fails" if best < -margin else None
        expected = sure or "inconclusive"
        found = gate(old, new, max_drop={metric: margin})
        row = found.frame.row(0, named=True)
        assert (found.outcome, row["outcome"]) == (expected, expected), (old, new)
        assert row["conf_low"] == pytest.approx(interval.low)
        assert row["conf_high"] == pytest.approx(interval.high)
        assert row["topics"] == kept.sum()
        outcomes.add(expected)
    assert outcomes == {"passes", "fails", "inconclusive"}


EXAMPLE = """\
1 query returned no results: topic 7.
INCONCLUSIVE  RR -0.1500 (95 % CI -0.4893 to +0.1893): a drop of more than 0.1 cannot be ruled out.
              {prospect} To pass in 80 %, it needs about 180 topics.
1 query got worse by more than 0.5 (half of the metric's range): topic 7.
"""


def test_the_text_says_what_happened() -> None:
    qrels = {topic: {"a": 1} for topic in "1234567890"}
    old = {topic: {"a": 2.0, "b": 1.0} for topic in "1234567890"}
    worse = {topic: {"b": 2.0, "a": 1.0} for topic in "234"}
    new = {topic: ranking for topic, ranking in (old | worse).items() if topic != "7"}
    better = {topic: {"b": 2.0, "a": 1.0} for topic in "56"}
    found = rankwise.gate(qrels, old | better, new, max_drop={"RR": 0.1})
    prospect = "With 10 topics, a candidate as good as the baseline would pass in 9 % of tests."
    assert found.to_text() == EXAMPLE.format(prospect=prospect)
    assert found.moved["topic"][0] == "7" and found.moved["no_results"][0]
    assert "no results returned" in found.to_markdown()
    unchanged = rankwise.gate(qrels, old, old, max_drop={"RR": 0.1})
    assert not any("CI" in str(note) for note in unchanged.notes)  # nor has the text any
    same = unchanged.to_text().splitlines()
    assert same[0] == "PASSES        RR +0.0000: the same score on every topic."
    limit = "0.5 (half of the metric's range)"
    assert same[1:] == [f"No query got worse by more than {limit}. Every query returned results."]


@pytest.mark.parametrize("margin", [0.0, 0.05, 0.1, 0.3])
def test_the_chance_of_an_equal_candidate_by_drawing_samples(margin: float) -> None:
    """The differences of an equally good candidate are normal, with the observed deviation."""
    old, new = PAIRS[0]
    row = gate(old, new, max_drop={"P@10": margin}).frame.row(0, named=True)
    differences = values("P@10", new) - values("P@10", old)
    rng, alpha = np.random.default_rng(5), 0.05

    def passing(topics: int, samples: int = 10_000) -> float:
        drawn = rng.normal(0, differences.std(ddof=1), (samples, topics))
        error = drawn.std(axis=1, ddof=1) / topics**0.5
        return float((drawn.mean(1) - stats.t.isf(alpha / 2, topics - 1) * error > -margin).mean())

    assert row["chance"] == pytest.approx(passing(len(TOPICS)), abs=0.012)
    if margin == 0:
        assert row["topics_needed"] is None and "any number of topics" in row["prospect"]
        return
    needed = int(row["topics_needed"])
    assert passing(needed) > 0.8 - 0.012 and passing(needed - 1) < 0.8 + 0.012


def test_two_outcomes_for_those_who_want_two() -> None:
    old, new = PAIRS[0]
    codes = {"pass": 0, "fail": 1, None: 2}
    tags = {"pass": "skipped", "fail": "failure", None: "error"}
    for counted, code in codes.items():
        found = gate(old, new, max_drop={"P@10": 0.001}, inconclusive=counted)
        assert (found.outcome, found.exit_code) == ("inconclusive", code)
        assert found.passed == (code == 0)
        [case] = ElementTree.fromstring(found.to_junit().encode()).iter("testcase")
        assert [child.tag for child in case] == [tags[counted]]
        level = "error" if counted == "fail" else "warning"
        assert found.to_github().startswith(f"::{level} title=rankwise gate%3A inconclusive::P@10")
    with pytest.raises(CallError, match="`inconclusive` 'maybe' is not one of"):
        gate(old, new, max_drop={"P@10": 0.001}, inconclusive="maybe")


def test_annotations_are_one_line_each_whatever_the_names() -> None:
    lines = odd_gate().to_github().splitlines()
    assert len(lines) == odd_gate().frame.height + 1
    for line in lines:
        kind, title, text = line.removeprefix("::").split("::", 2)[0].partition(" title=")[::2] + (
            line,
        )
        assert kind in ("error", "warning", "notice") and title.startswith("rankwise gate%3A ")
        assert "%" not in text.replace("%25", "").replace("%3A", "").replace("%2C", "")


def test_the_least_mean_has_an_interval() -> None:
    old, new = PAIRS[0]
    scores = values("P@10", new)
    interval = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    for limit, said in (
        (scores.mean() - 0.001, "on other topics it may be below"),
        (scores.mean() + 0.001, "on other topics it may be above"),
        (interval.low - 0.01, "at least"),
        (interval.high + 0.01, ": below"),
    ):
        row = gate(old, new, min={"P@10": limit}).frame.row(0, named=True)
        assert row["outcome"] == ("passes" if scores.mean() >= limit else "fails")
        assert said in row["why"] and ("others" in said) == ("others" in row["why"])
        assert row["conf_low"] == pytest.approx(interval.low, abs=0.02)
        assert row["conf_high"] == pytest.approx(interval.high, abs=0.02)


def test_scores_from_elsewhere_pass_the_same_gate() -> None:
    scores = rankwise.score(MADE.qrels, list(RUNS.values()), ["P@10", "SearchLength"])
    rules: dict[str, Any] = {"max_drop": {"P@10": 0.05, "SearchLength": 1}, "significant": True}
    rules |= {"min": {"P@10": 0.3}}
    numbers = ["rule", "outcome", "why", "difference", "conf_low", "p", "chance", "topics"]
    read = rankwise.read_scores(scores.frame)
    for old, new in PAIRS[:8]:
        expected = gate(old, new, **rules)
        for given in (scores, read):
            found = rankwise.gate(given, old, new, **rules)
            compared = pl.col("kind") != "min"  # the range of an imported metric is not known
            rows = [one.frame.filter(compared).select(numbers) for one in (found, expected)]
            assert rows[0].equals(rows[1])
            assert found.no_results is None and found.outcome == expected.outcome
            assert found.moved["gained"].null_count() == found.moved.height > 0
    with pytest.raises(CallError, match="the candidate 'sistem2' is not a run of the scores"):
        rankwise.gate(scores, "system1", "sistem2", **rules)
    with pytest.raises(CallError, match="no metric 'AP'; they have P@10, SearchLength"):
        rankwise.gate(scores, "system1", "system2", max_drop="AP=0.1")
    with pytest.raises(CallError, match="needs rankings, but only scores are given"):
        rankwise.gate(scores, "system1", "system2", max_unjudged="10=0.1")


def test_a_saved_baseline_knows_its_judgments(tmp_path: Path) -> None:
    scores = rankwise.score(MADE.qrels, RUNS["system2"], ["P@10"])
    file = tmp_path / "saved.parquet"
    scores.write_parquet(file, qrels=MADE.qrels)
    assert rankwise.scores.Scores.read_parquet(file).to_dict() == scores.to_dict()

    def warnings(qrels: Any) -> list[str]:
        found = rankwise.gate(qrels, file, RUNS["system3"], max_drop="P@10=0.99")
        return [str(note) for note in found.notes if note.severity == "warning"]

    frame = MADE.qrels.frame
    assert warnings(MADE.qrels) == warnings(frame.sample(fraction=1, shuffle=True, seed=1)) == []
    first = pl.int_range(pl.len()) == 0
    other = frame.with_columns(pl.when(first).then(2).otherwise("grade").alias("grade"))
    for changed in (other, frame.slice(1)):
        [said] = warnings(changed)
        assert f"the judgments of 1 of {len(TOPICS)} topics have changed" in said
        assert frame["topic"][0] in said


def test_another_alpha_is_another_interval() -> None:
    old, new = PAIRS[0]
    interval = stats.ttest_rel(values("P@10", new), values("P@10", old)).confidence_interval(0.9)
    found = gate(old, new, max_drop="P@10=0.1", alpha=0.1).frame
    assert found.select("conf_low", "conf_high").row(0) == pytest.approx(tuple(interval))


@pytest.mark.slow
def test_a_drop_is_significant_by_scipys_test_corrected_by_holm() -> None:
    metrics = ["P@10", "RR", "SearchLength"]
    outcomes = set()
    for old, new in PAIRS:
        p, drops = [], []
        for metric in metrics:
            a, b = values(metric, new), values(metric, old)
            p.append(stats.ttest_rel(a, b).pvalue)
            mean = (a - b).mean()
            drops.append(mean > 0 if metric == "SearchLength" else mean < 0)
        expected = [
            "fails" if drop and value <= 0.05 else "passes"
            for drop, value in zip(drops, holm(p), strict=True)
        ]
        found = gate(old, new, significant=True, metrics=metrics)
        assert found.frame["outcome"].to_list() == expected, (old, new)
        assert found.frame["p"].to_list() == pytest.approx(holm(p))
        outcomes |= set(expected)
    assert outcomes == {"passes", "fails"}


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "permutation", "bootstrap"])
def test_other_tests_are_those_of_compare(test: Any) -> None:
    old, new = PAIRS[0]
    pair = {new: RUNS[new].frame, old: RUNS[old].frame}
    compared = rankwise.compare(MADE.qrels, pair, "P@10", test=test, correction="none", seed=3)
    found = gate(old, new, significant=True, metrics="P@10", test=test, seed=3)
    assert found.frame["p"].to_list() == compared.frame["p"].to_list()
    assert ("the random seed is 3" in map(str, found.notes)) == (
        test in ("permutation", "bootstrap")
    )


def holm(p: Sequence[float]) -> list[float]:
    found, greatest = [0.0] * len(p), 0.0
    for place, at in enumerate(np.argsort(p)):
        greatest = max(greatest, min(1.0, p[at] * (len(p) - place)))
        found[at] = greatest
    return found


def test_the_least_mean_is_of_the_candidate_and_the_other_way_round_where_less_is_better() -> None:
    old, new = PAIRS[3]
    for metric, sign in (("P@10", 1), ("AP", 1), ("SearchLength", -1), ("NumRelRet", 1)):
        scores = rankwise.score(MADE.qrels, RUNS[new], metric)
        mean = scores.mean()["value"][0]
        for limit, expected in ((mean, "passes"), (mean + sign * 0.01, "fails")):
            found = gate(old, new, min={metric: limit})
            assert found.outcome == expected, metric
            assert found.frame["candidate"][0] == pytest.approx(mean)
            assert found.frame["topics"][0] == scores.mean()["topics"][0]


def test_where_holes_may_decide_nothing_is_decided() -> None:
    old, new = PAIRS[0]
    judged = {}
    for name in (old, new):
        seen = rankwise.overview(MADE.qrels, RUNS[name], cutoffs=[20])
        judged[name] = seen.by_run["judged@20"][0]
    worst = 1 - min(judged.values())
    assert worst > 0.05
    rules = {"max_drop": "P@10=0.99", "min": "P@10=1"}
    enough = gate(old, new, **rules, max_unjudged={"20": worst + 0.001})
    assert enough.outcome == "fails"
    shares = enough.frame.filter(pl.col("kind") == "max-unjudged").row(0, named=True)
    assert shares["baseline"] == pytest.approx(1 - judged[old])
    assert shares["candidate"] == pytest.approx(1 - judged[new])
    too_few = f"20={worst - 0.001}"
    failed = gate(old, new, **rules, max_unjudged=too_few, inconclusive="pass")
    assert (failed.outcome, failed.exit_code) == ("fails", 1)
    assert failed.frame["outcome"].to_list() == ["inconclusive", "inconclusive", "fails"]
    assert failed.frame["why"][-1].endswith(", and too many documents are unjudged")
    refused = gate(old, new, max_drop=rules["max_drop"], max_unjudged=too_few)
    assert (refused.outcome, refused.exit_code) == ("inconclusive", 2)
    assert set(refused.frame["outcome"]) == {"inconclusive"}
    words = "is inconclusive: Unjudged documents in the"
    assert "at most" in refused.caption and words in refused.caption
    assert refused.frame["why"][-1].endswith("are unjudged for the rule to pass")


def test_an_empty_ranking_has_no_holes() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    full = {topic: {"a": 2.0, "b": 1.0} for topic in "123"}
    found = rankwise.gate(qrels, full, {"1": {"a": 1.0}}, max_unjudged="2=0.5")
    assert found.passed
    assert found.frame.select("baseline", "candidate", "topics").row(0) == (0.5, 0.0, 1)
    assert found.no_results == ("2", "3")
    assert found.to_text().startswith("2 queries returned no results: topics 2, 3.\n")


def test_a_topic_that_the_candidate_lacks_counts_against_it() -> None:
    frame = RUNS["system1"].frame
    less = frame.filter(pl.col("topic") != TOPICS[0])
    found = rankwise.gate(MADE.qrels, frame, less, max_drop="P@10=0.5")
    assert found.frame["difference"][0] < 0
    common = rankwise.gate(
        rankwise.read(MADE.qrels, topics="common"), frame, less, max_drop="P@10=0"
    )
    assert common.passed and common.frame["topics"][0] == len(TOPICS) - 1


def test_a_candidate_that_changes_nothing_passes_whatever_the_margin() -> None:
    run = RUNS["system1"]
    found = rankwise.gate(
        MADE.qrels, run, run, max_drop={"AP": 0, "P@10": 0}, significant=True, min="P@10=0"
    )
    assert found.passed and found.exit_code == 0
    assert found.moved.is_empty()
    assert found.caption == "candidate passes 5 rules against baseline"


UP = {topic: {"a": 2.0, "b": 1.0} for topic in "123456"}
DOWN = {topic: {"b": 2.0, "a": 1.0} for topic in "123456"}


@pytest.mark.parametrize("metric", ["RR", "SearchLength"])
def test_equal_differences_on_all_topics_prove_nothing(metric: str) -> None:
    """They have no estimated variance, and so neither a confidence interval nor a t-test."""
    qrels = {topic: {"a": 1} for topic in "123456"}
    limits = {"RR": (0.4, 0.6), "SearchLength": (0.9, 1.1)}[metric]
    for old, new, significant in ((UP, DOWN, "inconclusive"), (DOWN, UP, "passes")):
        for limit in (0, *limits):
            found = rankwise.gate(qrels, old, new, max_drop={metric: limit})
            assert found.outcome == "inconclusive", limit
            assert found.frame.select("conf_low", "conf_high", "chance").row(0) == (None,) * 3
            assert "without variance there is no confidence interval" in found.frame["why"][0]
        tested = rankwise.gate(qrels, old, new, significant=True, metrics=metric)
        assert tested.outcome == significant
    assert (
        "permutation and sign tests have one"
        in rankwise.gate(qrels, UP, DOWN, significant=True, metrics=metric).caption
    )
    signs = rankwise.gate(qrels, UP, DOWN, significant=True, metrics=metric, test="sign")
    assert signs.outcome == "fails" and signs.frame["p"][0] == pytest.approx(2 / 2**6)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
def test_a_candidate_that_is_nowhere_worse_has_no_significant_drop(test: Any) -> None:
    rng, tried = np.random.default_rng(27), 0
    qrels = {str(topic): {"a": 1} for topic in range(8)}
    for _ in range(30):
        ranks = rng.integers(1, 4, (2, rng.integers(2, 9)))
        old, new = (
            {str(topic): {"a": 4.0 - rank, "x": 2.5, "y": 1.5} for topic, rank in enumerate(row)}
            for row in (ranks.max(axis=0), ranks.min(axis=0))
        )
        found = rankwise.gate(
            rankwise.read(qrels, topics="common"),
            old,
            new,
            significant=True,
            metrics="RR",
            test=test,
        )
        assert found.passed, (old, new)
        tried += 1
    assert tried == 30


@pytest.mark.parametrize("rule", [{"max_drop": "AP=0.5"}, {"significant": True, "metrics": "AP"}])
def test_one_topic_decides_nothing(rule: dict[str, Any]) -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 0}}  # AP is undefined on topic 2
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    found = rankwise.gate(qrels, run, run, **rule)
    assert (found.outcome, found.exit_code) == ("inconclusive", 2)
    assert "there is one" in found.caption
    counted = rankwise.gate(rankwise.read(qrels, undefined="zero"), run, run, **rule)
    assert counted.passed and counted.frame["topics"][0] == 2


@pytest.mark.parametrize("sign", [1, -1])
def test_fewer_than_six_topics_decide_nothing(sign: int) -> None:
    """By Student's t a clear gain, or a clear drop, would be decided; six topics are."""
    apart = [0.20, 0.21, 0.19, 0.20, 0.22, 0.18]
    outcomes = {}
    for count in (3, 5, 6):
        rows: dict[str, list[Any]] = {"run": ["old"] * count + ["new"] * count}
        rows |= {"metric": ["acc"] * (2 * count)}
        rows |= {"topic": [str(t) for t in range(count)] * 2}
        rows |= {"value": [0.5] * count + [0.5 + sign * d for d in apart[:count]]}
        scores = rankwise.read_scores(pl.DataFrame(rows))
        found = rankwise.gate(scores, "old", "new", max_drop={"acc": 0.05}, significant=True)
        outcomes[count] = found.frame["outcome"].to_list()
        too_few = f"{count} topics are too few to decide"
        assert (too_few in found.frame["why"][0]) == (count < 6)
    decided = ["passes", "passes"] if sign > 0 else ["fails", "fails"]
    few = ["inconclusive", "passes" if sign > 0 else "inconclusive"]
    assert outcomes == {3: few, 5: few, 6: decided}


def test_every_rule_holds_for_each_group_too() -> None:
    groups = {topic: "even" if place % 2 else "odd" for place, topic in enumerate(TOPICS)}
    old, new = PAIRS[1]
    rules: dict[str, Any] = {"max_drop": "P@10=0.05", "min": {"RR": 0.3}, "max_unjudged": "5=0.9"}
    found = gate(old, new, **rules, topic_groups=groups)
    assert found.frame["group"].unique(maintain_order=True).to_list() == ["all", "odd", "even"]
    assert found.frame.filter(pl.col("group") == "all").equals(gate(old, new, **rules).frame)
    for name in ("odd", "even"):
        topics = [topic for topic in TOPICS if groups[topic] == name]
        alone = gate(old, new, **rules, only_topics=topics).frame
        part = found.frame.filter(pl.col("group") == name)
        assert part.drop("group").equals(alone.drop("group"))
    tested = gate(old, new, significant=True, metrics=["P@10", "RR"], topic_groups=groups)
    plain = [
        stats.ttest_rel(values(metric, new)[of], values(metric, old)[of]).pvalue
        for of in (slice(None), slice(0, None, 2), slice(1, None, 2))
        for metric in ("P@10", "RR")
    ]
    assert tested.frame["p"].to_list() == pytest.approx(holm(plain))


def test_holes_of_one_group_leave_the_others_decided() -> None:
    qrels = {topic: {"a": 1} for topic in "123456"}
    old = {topic: {"a": 3.0} for topic in "123456"}
    new = old | {topic: {"x": 2.0, "a": 1.0} for topic in "456"}
    groups = dict(zip("123456", ["same"] * 3 + ["new"] * 3, strict=True))
    found = rankwise.gate(
        rankwise.read(qrels, topic_groups=groups),
        old,
        new,
        max_drop="RR=0.1",
        max_unjudged="1=0.6",
    )
    outcomes = dict(found.frame.select(pl.concat_str("group", "kind"), "outcome").rows())
    assert outcomes["samemax-drop"] == "passes" and outcomes["newmax-drop"] == "inconclusive"
    assert outcomes["allmax-drop"] == "inconclusive" == found.outcome
    assert set(found.frame.filter(group="all", kind="max-unjudged")["outcome"]) == {"passes"}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    scores = rankwise.score(MADE.qrels, RUNS["system2"], ["ndcg_cut_10", "AP", "P@10"])
    rows = pl.DataFrame(long_form(scores, by_topic=True), infer_schema_length=None)
    rows.write_parquet(tmp_path / "baseline.parquet")
    rows.write_csv(tmp_path / "baseline.csv")
    return tmp_path


def test_saved_scores_are_as_good_as_the_run(saved: Path) -> None:
    rules: dict[str, Any] = {"max_drop": {"nDCG@10": 0.05, "map": 0.01}, "significant": True}
    rules |= {"min": {"Recall@20": 0.1}, "max_unjudged": "20=1"}
    expected = rankwise.gate(MADE.qrels, RUNS["system2"], RUNS["system3"], **rules)
    scores = rankwise.score(MADE.qrels, RUNS["system2"], ["nDCG@10", "AP"], bounds=True)
    numbers = ["rule", "outcome", "candidate", "conf_low", "conf_high", "p", "topics"]
    for given in (saved / "baseline.parquet", str(saved / "baseline.csv"), scores, scores.frame):
        found = rankwise.gate(MADE.qrels, given, RUNS["system3"], **rules)
        assert found.baseline == "system2"
        assert found.frame.select(numbers).equals(expected.frame.select(numbers))
        moved = found.moved.filter(pl.col("metric") != "Recall@20")
        known = ["metric", "topic", "baseline", "candidate", "difference", "missed"]
        of_run = expected.moved.filter(pl.col("metric") != "Recall@20")
        assert moved.select(known).equals(of_run.select(known))
        assert moved["gained"].null_count() == moved.height > 0
        assert not any("Recall" in note for note in map(str, found.notes))


def test_topics_that_were_not_saved_are_left_out_and_counted(saved: Path) -> None:
    rows = pl.read_parquet(saved / "baseline.parquet").filter(pl.col("topic") != TOPICS[0])
    more = rows.head(1).with_columns(topic=pl.lit("gone"))
    found = rankwise.gate(
        MADE.qrels, pl.concat([rows, more]), RUNS["system3"], max_drop="P@10=0.99"
    )
    assert found.frame["topics"][0] == len(TOPICS) - 1
    assert "1 topic of the saved scores has no judgments and is excluded" in map(str, found.notes)
    left = f"1 of {len(TOPICS)} judged topics has no saved score and is excluded"
    assert left in map(str, found.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.filter(pl.col("topic") == "all"), "has only means over topics"),
        (lambda rows: pl.concat([rows, rows]), "scores of the same run system2, topic "),
        (lambda rows: rows.with_columns(topic="x" + pl.col("topic")), "no topic in common with"),
        (lambda rows: rows.filter(pl.col("metric") == "AP"), "no scores of P@10. Metrics: AP"),
        (
            lambda rows: pl.concat([rows, rows.with_columns(run=pl.lit("other"))]),
            r"there are 2: system2, other\. Save",
        ),
        (
            lambda rows: rows.with_columns(value=pl.lit("high")),
            "row 1: value 'high' is not a number",
        ),
    ],
)
def test_saved_scores_that_cannot_be_used_are_an_error(
    saved: Path, change: Any, message: str
) -> None:
    rows = change(pl.read_parquet(saved / "baseline.parquet"))
    with pytest.raises(InputError, match=message):
        rankwise.gate(MADE.qrels, rows, RUNS["system3"], max_drop="P@10=0.99")


def test_the_topics_that_moved_most_by_a_plain_loop() -> None:
    old, new = PAIRS[2]
    found = gate(old, new, max_drop={"P@5": 0.99}, moved=4).moved
    change = dict(zip(TOPICS, values("P@5", new) - values("P@5", old), strict=True))
    most = sorted(change, key=lambda topic: -abs(change[topic]))[:4]
    assert sorted(abs(found["difference"]), reverse=True) == pytest.approx(
        [abs(change[topic]) for topic in most]
    )
    assert found["difference"].to_list() == sorted(found["difference"])
    grades = {(topic, document): grade for topic, document, grade in MADE.qrels.frame.rows()}
    tops = {}
    for name in (old, new):
        ranked = RUNS[name].frame.sort("score", "document", descending=True)
        for topic in TOPICS:
            first = ranked.filter(pl.col("topic") == topic).head(5)["document"].to_list()
            tops[name, topic] = [one for one in first if grades.get((topic, one), 0) >= 1]
    for row in found.iter_rows(named=True):
        topic = row["topic"]
        before, after = tops[old, topic], tops[new, topic]
        relevant = {one for (t, one), grade in grades.items() if t == topic and grade >= 1}
        assert row["gained"] == [one for one in after if one not in before]
        assert row["lost"] == [one for one in before if one not in after]
        assert set(row["missed"]) == relevant - set(after)
        assert len(row["gained"]) - len(row["lost"]) == round(5 * row["difference"])


ODD = ["<script>alert(1)</script>", "a|b `c` *d*", "@someone", "tab\there", "\x01\x02", "עברית"]


def odd_gate() -> Any:
    qrels = {name: {f"{name} {n}": 1 for n in range(3)} for name in ODD}
    old = {name: {f"{name} {n}": 3.0 - n for n in range(3)} for name in ODD}
    new = {name: {"other": 2.0, f"{name} 1": 1.0} for name in ODD}
    groups = {name: f"group of {name}" for name in ODD}
    rules: dict[str, Any] = {"max_drop": "RR=0.1", "min": "P@1=0.5"}
    return rankwise.gate(
        rankwise.read(qrels, topic_groups=groups),
        rankwise.read_runs({"<b>": old})[0],
        new,
        **rules,
    )


def test_json_holds_everything() -> None:
    found = odd_gate()
    read = json.loads(found.to_json())
    assert (read["outcome"], read["exit_code"], read["why"]) == ("fails", 1, found.caption)
    assert read["rules"] == found.frame.to_dicts()
    assert read["moved"] == found.moved.to_dicts()
    assert (
        read["notes"] == [note.data() for note in found.notes]
        and read["version"] == rankwise.__version__
    )
    assert (read["baseline"], read["topics"], read["alpha"]) == ("<b>", 6, 0.05)


def test_junit_has_a_case_a_rule_whatever_the_names() -> None:
    found = odd_gate()
    suite = ElementTree.fromstring(found.to_junit().encode()).find("testsuite")
    assert suite is not None
    outcomes = found.frame["outcome"].to_list()
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == found.frame["rule"].to_list()
    kinds = {"fails": "failure", "inconclusive": "error"}
    for case, row in zip(cases, found.frame.iter_rows(named=True), strict=True):
        tags = [child.tag for child in case]
        assert tags == ([kinds[row["outcome"]]] if row["outcome"] in kinds else [])
        if tags:
            assert case[0].get("message") == f"{row['why']}. {row['prospect']}".strip()
    assert int(suite.get("failures", "")) == outcomes.count("fails") > 0
    assert int(suite.get("errors", "")) == outcomes.count("inconclusive") > 0
    assert any("<script>" in str(case.get("classname")) for case in cases)


def test_nothing_in_the_markdown_is_markup_but_ours() -> None:
    text = odd_gate().to_markdown()
    outside = [part for place, part in enumerate(text.split("`")) if place % 2 == 0]
    plain = "".join(outside).replace("\\<", "").replace("<details>", "").replace("</details>", "")
    plain = plain.replace("<summary>", "").replace("</summary>", "")
    assert "<" not in plain and " @s" not in plain
    assert "\x01" not in text and "\t" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(line.replace("\\|", "").split("|")) for line in rows}
    assert widths == {9}  # group, rule, … or topic, baseline, …: seven cells each
    assert "עברית" in text


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "no rule is given"),
        ({"max_drop": "AP"}, "`max_drop` 'AP' has no number. Write for example AP=0"),
        ({"max_drop": ["AP=1", "AP=2"]}, "`max_drop` 'AP=2': AP is given twice"),
        ({"max_drop": "AP=nan"}, "`max_drop` 'nan' is not a finite number"),
        ({"max_drop": "AP=-0.1"}, "the allowed drop must be 0 or more"),
        (
            {"max_drop": "AP=2"},
            "AP=2: AP ranges from 0 to 1, so no drop is larger and the rule "
            "would always pass. Write 0.02 for 2 %.",
        ),
        ({"max_drop": "AP=1"}, "Write 0.01 for 1 %."),
        (
            {"min": "P@10=80"},
            "P@10=80: P@10 ranges from 0 to 1, so the rule would always fail. Write 0.8 for 80 %.",
        ),
        ({"max_drop": "Judged@10=0.1"}, "does not measure quality"),
        ({"max_unjudged": "10=2"}, "the fraction must be between 0 and 1"),
        ({"max_unjudged": "ten=0.2"}, "1 or more, not 'ten'"),
        ({"min": "AP=0.1", "metrics": "AP"}, "`metrics` applies only with `significant=True`"),
        ({"min": "AP=0.1", "test": "tukey"}, "`test` 'tukey' is not one of"),
        ({"min": "AP=0.1", "alpha": 1}, "`alpha` must be between 0 and 1"),
    ],
)
def test_wrong_rules_are_said_before_anything_is_read(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        rankwise.gate("no such file", "none", "none", **rules)


def test_a_side_is_one_run() -> None:
    frame = pl.concat([run.frame.with_columns(run=pl.lit(run.name)) for run in MADE.runs])
    with pytest.raises(CallError, match="the candidate must be one run, and 6 are given: system1"):
        rankwise.gate(MADE.qrels, RUNS["system1"], frame, min="AP=0.1")


def test_queries_without_results_are_limited_by_a_rule() -> None:
    qrels = {topic: {"a": 1} for topic in "123456"}
    old = {topic: {"a": 1.0} for topic in "123456"}
    new = {topic: docs for topic, docs in old.items() if topic not in "25"}
    assert rankwise.gate(qrels, old, new, max_empty=2).outcome == "passes"
    found = rankwise.gate(qrels, old, new, max_empty=1)
    assert found.outcome == "fails" and found.frame["why"].to_list() == [
        "Queries without results: 2 of 6"
    ]
    with pytest.raises(CallError, match="`max_empty` must be 0 or more"):
        rankwise.gate(qrels, old, new, max_empty=-1)
    with pytest.raises(CallError, match="scores have no rankings"):
        rankwise.gate(rankwise.score(qrels, {"a": old, "b": new}, "AP"), "a", "b", max_empty=1)


def test_limits_may_be_listed_with_commas() -> None:
    listed = limits_of("nDCG@10=0.02, RBP(p=0.8,rel=2)=0.01,AP=0.03", "max_drop")
    assert listed == {"nDCG@10": 0.02, "RBP(p=0.8,rel=2)": 0.01, "AP": 0.03}
    assert limits_of(["10=0.1,20=0.2", "30=1"], "max_unjudged") == {"10": 0.1, "20": 0.2, "30": 1}


def test_the_options_of_a_test_are_those_of_compare() -> None:
    made = rankwise.simulate(topics=12, systems=2, seed=1)
    options = rankwise.TestOptions("bootstrap", interval="bootstrap", alpha=0.1, seed=3)
    rules: dict[str, Any] = {"max_drop": {"AP": 0.02}, "significant": True}
    found = rankwise.gate(made.qrels, *made.runs, test=options, **rules).frame
    compared = rankwise.compare(made.qrels, made.runs, "AP", test=options).frame
    assert found["conf_low"][0] == pytest.approx(compared["conf_low"][0])
    assert found["p"].drop_nulls()[0] == pytest.approx(compared["p"][0])
    for wrong in ({"margin": 0.1}, {"clusters": {"1": "a"}}, {"baseline": "system1"}):
        with pytest.raises(CallError, match="must not have baseline, margin or clusters"):
            rankwise.gate(made.qrels, *made.runs, test=rankwise.TestOptions(**wrong), **rules)
