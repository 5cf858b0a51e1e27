"""compare: each number against scipy or a plain loop, and what odd input gives."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
import polars as pl
import pytest
from calls import read_judged
from scipy import stats

import rankwise
from rankwise import Metric, compare, parse, score, simulate, standardise
from rankwise.comparison import Comparison, TestOptions, first_places
from rankwise.comparison.options import FAMILYWISE
from rankwise.comparison.verdicts import difference_bounds
from rankwise.errors import CallError
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.imported import scores_from_matrices
from rankwise.scores.scores import Scores
from rankwise.vocabulary import Family, Test

TOPICS = [str(topic) for topic in range(1, 21)]
RUNS = list("abcd")


def matrix(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    table = rng.random((20, 4)) * np.array([0.7, 0.8, 1.0, 0.4])
    return pl.DataFrame({"topic": TOPICS, **dict(zip(RUNS, table.T, strict=True))})


@pytest.fixture
def scores() -> Scores:
    return scores_from_matrices({"X": matrix(1), "Y": matrix(2)})


def test_the_docstring_names_the_columns_of_the_frame() -> None:
    runs = {"a": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "b": {"1": {"e": 1.0}, "2": {"d": 1.0}}}
    found = compare({"1": {"d": 1}, "2": {"d": 1}}, runs, "RR")
    named = set(re.findall(r"`(\w+)`", str(Comparison.__doc__))) - {"frame", "by_group"}
    assert named == set(found.frame.columns)


@pytest.fixture
def unique_as_in_numpy_2_0_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """Along an axis its inverse has as many axes as what it was given."""
    real: Any = np.unique

    def unique(given: Any, *, axis: int | None = None, **options: bool) -> Any:
        found = real(given, axis=axis, **options)
        if axis is None or options != {"return_inverse": True}:
            return found
        return found[0], found[1].reshape(-1, *[1] * (np.ndim(given) - 1))

    monkeypatch.setattr(np, "unique", unique)


def compared_with_holes() -> pl.DataFrame:
    made = simulate(topics=5, systems=4, depth=15)
    runs = {run.name: run for run in made.runs} | {"same": made.runs[0]}
    found = compare(made.qrels, runs, ["AP", "nDCG@5"], test=TestOptions(interval="bootstrap"))
    holes = with_holes(scores_from_matrices({"X": matrix(1)}))
    both = [found.frame, compare(holes, test=TestOptions(interval="bootstrap")).frame]
    return pl.concat(both, how="diagonal")


def test_numpy_2_0_0_gives_the_same(request: pytest.FixtureRequest) -> None:
    before = compared_with_holes()
    request.getfixturevalue("unique_as_in_numpy_2_0_0")
    assert compared_with_holes().equals(before)


def with_holes(scores: Scores) -> Scores:
    """Run a has no score for topics 1 to 3, b none for topic 20."""
    value = scores.value.copy()
    value[:, 0, :3], value[:, 1, 19] = np.nan, np.nan
    return replace(scores, value=value)


def rows(found: Comparison) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(row["metric"], row["a"], row["b"]): row for row in found.frame.to_dicts()}


def test_each_pair_has_the_numbers_of_scipy(scores: Scores) -> None:
    holes = with_holes(scores)
    found = rows(compare(holes, correction="none", alpha=0.1))
    assert len(found) == 12
    for (metric, a, b), row in found.items():
        x, y = (holes.value["XY".index(metric)][RUNS.index(run)] for run in (a, b))
        kept = np.isfinite(x) & np.isfinite(y)
        x, y = x[kept], y[kept]
        test = stats.ttest_rel(x, y)
        interval = test.confidence_interval(0.9)
        assert (row["topics"], row["dropped"]) == (kept.sum(), 20 - kept.sum())
        assert (row["wins"], row["losses"]) == ((x > y).sum(), (x < y).sum())
        expected = {
            "mean_a": x.mean(),
            "mean_b": y.mean(),
            "difference": x.mean() - y.mean(),
            "percent": 100 * (x.mean() / y.mean() - 1),
            "conf_low": interval.low,
            "conf_high": interval.high,
            "effect": (x - y).mean() / (x - y).std(ddof=1),
            "p": test.pvalue,
            "corrected_p": test.pvalue,
        }
        assert {name: row[name] for name in expected} == pytest.approx(expected)
        assert row["significant"] == (test.pvalue <= 0.1)


def test_pairs_keep_the_order_in_which_the_runs_were_given(scores: Scores) -> None:
    frame = compare(scores).frame
    expected = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert frame.select("a", "b").rows() == expected * 2
    assert (frame["difference"] > 0).any() and (frame["difference"] < 0).any()
    against = compare(scores, baseline="c").frame
    assert against.select("a", "b").rows() == [("a", "c"), ("b", "c"), ("d", "c")] * 2


def test_turning_the_runs_round_turns_every_number_round(scores: Scores) -> None:
    back = replace(
        scores, runs=scores.runs[::-1], value=scores.value[:, ::-1], present=scores.present[::-1]
    )
    for test in get_args(Test):
        ways: Any = {"test": test, "resamples": _few(test)}
        if test == "dunnett":
            continue  # which has a baseline
        there, again = (rows(compare(given, test=TestOptions(**ways))) for given in (scores, back))
        for (metric, a, b), row in there.items():
            other = again[metric, b, a]
            assert row["difference"] == pytest.approx(-other["difference"])
            assert row["effect"] == pytest.approx(-other["effect"])
            assert (row["wins"], row["losses"]) == (other["losses"], other["wins"])
            if test != "randomised-tukey":  # which draws otherwise
                assert row["p"] == pytest.approx(other["p"])
                ends = (-other["conf_high"], -other["conf_low"])
                assert (row["conf_low"], row["conf_high"]) == pytest.approx(ends)


def _few(test: str) -> int | None:
    return 200 if test in ("permutation", "bootstrap", "randomised-tukey") else None


def test_a_baseline_is_compared_with_every_other_run(scores: Scores) -> None:
    found = compare(scores, baseline="b")
    assert set(found.frame["b"]) == {"b"}
    assert sorted(set(found.frame["a"])) == ["a", "c", "d"]
    assert found.frame.height == 6
    with pytest.raises(CallError, match="Remove `baseline`"):
        found.leaderboard()


def test_the_family_is_corrected_together_and_named(scores: Scores) -> None:
    alone = compare(scores, correction="none")
    both = compare(scores, family="all")
    by_metric = compare(scores, correction="bonferroni")
    p = alone.frame["p"].to_numpy()
    assert both.frame["corrected_p"].min() == pytest.approx(12 * p.min())
    assert by_metric.frame["corrected_p"].to_numpy() == pytest.approx(np.minimum(1, 6 * p))
    assert alone.family == "no correction for 12 comparisons"
    assert both.family == "Holm over 12 comparisons: 6 pairs × 2 metrics"
    assert by_metric.family == (
        "Bonferroni over 6 comparisons in each of 2 metrics, one family per metric"
    )
    assert TestOptions().family == "metric"


def test_a_note_says_how_many_marks_a_family_of_all_would_leave(scores: Scores) -> None:
    """At this α some differences are significant in their metric, and fewer in all."""
    alpha = 0.012
    found, together = (
        compare(scores, alpha=alpha, family=family)
        for family in get_args(Family)[::-1]  # metric, all
    )
    marked, stay = (one.frame["significant"].sum() for one in (found, together))
    assert 0 < stay < marked
    note = (
        "after correction across all metrics (Holm over 12 comparisons: 6 pairs × 2 metrics), "
        f"{stay} of {marked} significant differences remain significant"
    )
    assert note in map(str, found.notes)
    for other in (together, compare(scores, test="tukey", alpha=alpha)):
        assert not any("across all metrics" in note for note in map(str, other.notes))
    alone = compare(scores_from_matrices({"X": matrix(1)}), alpha=alpha)
    assert not any("across all metrics" in note for note in map(str, alone.notes))


def test_a_caption_says_what_a_paper_must(scores: Scores) -> None:
    assert compare(scores, baseline="a", test="wilcoxon", alpha=0.01).caption == (
        "X, Y of 4 runs over 20 topics; a is the baseline. Two-sided Wilcoxon signed-rank test "
        "(zeros dropped), Holm over 3 comparisons "
        "in each of 2 metrics, one family per metric, α = 0.01."
    )
    assert "over 16 to 20 topics" in compare(with_holes(scores)).caption


@pytest.mark.parametrize("test", get_args(Test))
def test_every_test_says_that_far_is_far_and_same_is_same(test: Any) -> None:
    rng = np.random.default_rng(1)
    x = rng.random(20)
    frame = pl.DataFrame({"topic": TOPICS, "up": x + 1 + rng.random(20), "x": x, "twin": x})
    baseline = "twin" if test == "dunnett" else None
    matrices = scores_from_matrices({"M": frame})
    found = compare(matrices, test=test, seed=3, baseline=baseline)
    by_pair = {(a, b): row for (_, a, b), row in rows(found).items()}
    assert by_pair["up", "twin"]["significant"]
    assert baseline or by_pair["up", "x"]["significant"]
    same = by_pair["x", "twin"]
    assert (same["difference"], same["effect"], same["ties"], same["p"]) == (0, None, 20, 1)
    assert same["conf_low"] < 0 < same["conf_high"]  # the variance is that of all runs
    if test not in FAMILYWISE:
        alone = compare(matrices, test=TestOptions(test, interval="t"))
        same = rows(alone)["M", "x", "twin"]
        assert same["conf_low"] is same["conf_high"] is None
    assert str(found.notes[0]).startswith("1 comparison is between runs with identical scores")
    assert ("the random seed is 3" in map(str, found.notes)) == (found.options.repeats > 0)


@pytest.mark.parametrize("test", FAMILYWISE)
def test_tukeys_tests_are_not_corrected_twice(scores: Scores, test: Any) -> None:
    baseline = "a" if test == "dunnett" else None
    found = compare(with_holes(scores), test=test, baseline=baseline)
    assert found.frame["p"].to_list() == found.frame["corrected_p"].to_list()
    family = "comparisons with the baseline" if baseline else "pairs of runs"
    assert found.family == f"familywise error controlled over all {family}, one family per metric"
    assert (
        f"p-values and intervals of the {test} test use only the 16 topics on which all runs have "
        "a score" in map(str, found.notes)
    )
    with pytest.raises(CallError, match="controls the familywise error rate"):
        compare(scores, test=test, correction="holm", baseline=baseline)


@pytest.mark.parametrize(("test", "least"), [("bootstrap", 1 / 50), ("permutation", 1 / 51)])
def test_too_few_repeats_for_the_family_are_said(scores: Scores, test: Any, least: float) -> None:
    """A bootstrap p of 0 would stay 0 whatever the family, and be significant in any."""
    found = compare(scores, test=test, resamples=50)
    assert found.frame["p"].min() == pytest.approx(least)
    assert not found.frame["significant"].any()
    assert str(found.notes[0]).startswith(
        "no difference can be significant: the smallest p-value with 50 resamples"
    )
    alone = compare(scores, test=test, resamples=50, correction="none")
    assert alone.frame["significant"].any()
    assert not any("no difference can be" in note for note in map(str, alone.notes))


def test_wilcoxon_takes_its_options(scores: Scores) -> None:
    x, y = scores.value[0, 0], scores.value[0, 2]
    asked: Any = {"test": "wilcoxon", "correction": "none"}
    exact = rows(compare(scores, test=TestOptions(**asked)))
    assert exact["X", "a", "c"]["p"] == pytest.approx(stats.wilcoxon(x - y).pvalue)
    raw = rows(compare(scores, test=TestOptions(continuity=False, raw_ranks=True, **asked)))
    expected = stats.wilcoxon(x - y, correction=False, method="approx").pvalue
    assert raw["X", "a", "c"]["p"] == pytest.approx(expected)


@pytest.mark.parametrize("test", ["t", *FAMILYWISE])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_an_interval_excludes_0_where_its_p_is_at_most_alpha(
    scores: Scores, test: Any, alpha: float
) -> None:
    """The p that is not corrected, or that of the family itself for Tukey's tests."""
    for given in (scores, with_holes(scores)):
        options = TestOptions(
            test,
            alpha=alpha,
            interval="t" if test == "t" else None,
            baseline="a" if test == "dunnett" else None,
        )
        frame = compare(given, test=options).frame
        excludes = (frame["conf_low"] > 0) | (frame["conf_high"] < 0)
        assert excludes.to_list() == (frame["p"] <= alpha).to_list()
        assert excludes.any() and not excludes.all()


@pytest.mark.parametrize(("ways", "words"), [
    ({}, "95 % confidence intervals (max-t bootstrap, 1,000 resamples, seed 0), simultaneous "
     "over the 6 comparisons of a metric"),
    ({"family": "all"}, "95 % confidence intervals (max-t bootstrap, 1,000 resamples, seed 0), "
     "simultaneous over the 6 comparisons and 2 metrics"),
    ({"interval": "t"},
     "95 % confidence intervals (Student's t), unadjusted for multiple comparisons"),
    ({"interval": "bootstrap", "alpha": 0.1},
     "90 % confidence intervals (studentised bootstrap, 1,000 resamples), unadjusted for "
     "multiple comparisons"),
    ({"test": "tukey"}, "95 % confidence intervals (Tukey's HSD), simultaneous over the 6 "
     "comparisons of a metric"),
    ({"test": "dunnett", "baseline": "c"}, "95 % confidence intervals (Dunnett), simultaneous "
     "over the 3 comparisons of a metric"),
])  # fmt: skip
def test_the_kind_of_interval_is_named(scores: Scores, ways: Any, words: str) -> None:
    found = compare(scores, test=TestOptions(**ways))
    level = f"{100 * (1 - ways.get('alpha', 0.05)):g} %"
    assert f"{level} confidence intervals {found.intervals.words}" == words
    assert words in repr(found.table(pairs=True))


@pytest.mark.parametrize(("ways", "message"), [
    ({"test": "tt"}, "`test` 'tt' is not one of t, permutation"),
    ({"test": "tuky"}, "Did you mean tukey"),
    ({"correction": "bonf"}, "Did you mean bonferroni"),
    ({"alpha": 1.0}, "`alpha` must be between 0 and 1"),
    ({"baseline": "e"}, "no run has this name. The runs are a, b, c, d"),
    ({"resamples": 10}, "only to the tests permutation"),
    ({"resamples": 0, "test": "permutation"}, "`resamples` must be a whole number, 1 or more"),
    ({"test": "tukey", "interval": "t"}, "'tukey'` has its own simultaneous intervals"),
    ({"test": "tukey", "family": "all"}, "`family='all'` has no effect"),
    ({"correction": "none", "family": "all"}, "`family='all'` has no effect"),
    ({"raw_ranks": True}, "`raw_ranks` apply only to the Wilcoxon test"),
    ({"zeros": "pratt", "test": "sign"}, "use `test='wilcoxon'`"),
])  # fmt: skip
def test_what_cannot_be_asked_for_is_said(
    scores: Scores, ways: dict[str, Any], message: str
) -> None:
    with pytest.raises(CallError, match=message):
        compare(scores, test=TestOptions(**ways))


def test_one_run_and_geometric_means_are_refused(scores: Scores) -> None:
    with pytest.raises(CallError, match="two runs or more; only one run is given"):
        compare(scores_from_matrices({"X": matrix(1).select("topic", "a")}))
    with pytest.raises(CallError, match="arithmetic means"):
        compare(replace(scores, averaged="geometric"))


@pytest.mark.parametrize("test", get_args(Test))
def test_one_topic_has_no_test(test: Any) -> None:
    baseline = "a" if test == "dunnett" else None
    found = compare(scores_from_matrices({"X": matrix(1).head(1)}), test=test, baseline=baseline)
    empty = ["p", "corrected_p", "conf_low", "conf_high", "effect"]
    pairs = 3 if baseline else 6
    assert found.frame.select(empty).null_count().row(0) == (pairs,) * 5
    assert not found.frame["significant"].any()
    assert found.frame["difference"].is_not_null().all()
    needed = "at least two topics with scores of both runs are needed"
    assert f"{pairs} comparisons are not tested: {needed}" in map(str, found.notes)
    assert baseline or found.leaderboard()["to_rank"].to_list() == [4, 4, 4, 4]
    assert found.power()["needed"].null_count() == pairs


@pytest.mark.parametrize(
    ("test", "interval"),
    [(test, None) for test in get_args(Test)] + [("t", "bootstrap"), ("bootstrap", "bootstrap")],
)
def test_without_a_variance_there_is_no_t(test: Any, interval: Any) -> None:
    """Two topics with the same difference had p = 0, an endless effect, an interval of 0."""
    frame = pl.DataFrame({"topic": ["1", "2"], "a": [0.3, 0.5], "b": [0.1, 0.5 - 0.2]})
    found = compare(
        scores_from_matrices({"X": frame}),
        test=TestOptions(test=test, interval=interval, baseline="a" if test == "dunnett" else None),
    )
    [row] = found.frame.to_dicts()
    assert (row["difference"], row["losses"]) == (pytest.approx(-0.2), 2)
    assert (row["effect"], row["significant"]) == (None, False)
    [note] = [note for note in map(str, found.notes) if "same difference on every topic" in note]
    if test in ("t", "bootstrap", "tukey", "dunnett"):
        assert row["p"] is row["corrected_p"] is None
        assert "Use a permutation test or a sign test instead" in note
    else:  # these need no variance: with two topics, p is 1/2, or Wilcoxon's 0.37 by z
        assert row["p"] > 0.3
        assert "no p" not in note
    if test != "randomised-tukey":
        assert row["conf_low"] is row["conf_high"] is None
    assert found.power()["needed"].to_list() == [None]


def test_an_interval_without_0_beside_a_large_p_is_explained() -> None:
    many = pl.DataFrame({"topic": TOPICS, "a": [0.1] * 20, "b": [0.9] * 8 + [0.8] * 3 + [0.09] * 9})
    found = compare(scores_from_matrices({"X": many}), test="sign")
    row = found.frame.row(0, named=True)
    assert row["conf_low"] > 0 and not row["significant"]
    [said] = [str(each) for each in found.notes if each.kind == "interval-and-test"]
    start = "1 difference that is not significant has a confidence interval that does not contain 0"
    assert said.startswith(start)
    by_t = compare(scores_from_matrices({"X": many}))
    assert "interval-and-test" not in {each.kind for each in by_t.notes}


def test_the_first_place_is_as_certain_as_the_tests_and_bounds(scores: Scores) -> None:
    in_x, _ = first_places(compare(scores))
    rows = compare(scores).frame.filter(metric="X").to_dicts()
    with_c = [row for row in rows if "c" in (row["a"], row["b"])]
    near = [row for row in with_c if not row["significant"]]
    assert in_x.startswith("c is first of 4 runs by X: 0.") and len(near) == 2
    assert in_x.endswith("b and a are not significantly different, and the other run is "
                         "significantly worse.")  # fmt: skip
    # Every document is judged: nothing can change.
    qrels = {str(t): {"r": 1, "n": 0} for t in range(9)}
    good = {t: {"r": 2.0, "n": 1.0} for t in qrels}
    bad = {t: {"n": 2.0, "r": 1.0} for t in qrels}
    found = compare(qrels, {"good": good, "bad": bad, "worst": {"0": {"n": 1.0}}}, "P@1")
    assert first_places(found) == [
        "good is first of 3 runs by P@1: 1.0000. No other run is significantly different. On these "
        "topics, no judgments of the unjudged documents change the first place."
    ]
    equal = first_places(compare(qrels, {"good": good, "again": good, "bad": bad}, "P@1"))[0]
    assert equal.startswith("good and again are first of 3 runs by P@1: 1.0000.")
    assert "first place, which is shared with 1 run." in equal


def test_bounds_that_exclude_no_rank_are_called_not_informative() -> None:
    made = simulate(topics=40, systems=4, depth=100, pool_depth=3, seed=2)
    found = compare(made.qrels, made.runs, "AP", unjudged="open")
    board = found.leaderboard()
    assert (board["lowest_rank_both"] == 1).all() and (board["highest_rank_both"] == 4).all()
    assert (board["highest_rank"] < 4).any()
    [said] = first_places(found)
    assert "The bounds of AP are not informative" in said
    assert said.endswith("they exclude no rank of any run.")
    assert "not informative" not in first_places(compare(made.qrels, made.runs, "P@1"))[0]


def test_fewer_than_six_topics_have_no_marks() -> None:
    """Differences that are nearly constant have p < 0.001 by t from three topics on."""
    for topics, marked in ((3, False), (5, False), (6, True)):
        names = [str(topic) for topic in range(topics)]
        steps = np.linspace(0, 0.01, topics)
        frame = pl.DataFrame({"topic": names, "a": 0.2 + steps, "b": 0.5 + 2 * steps})
        found = compare(scores_from_matrices({"X": frame}))
        assert found.frame["p"][0] < 0.001
        assert found.frame["significant"].to_list() == [marked]
        note = "1 comparison is not marked as significant, although p ≤ α: at least six topics"
        assert any(one.startswith(note) for one in map(str, found.notes)) != marked
        claim = "no significance is claimed with fewer than six topics"
        assert (claim in found.sentence()) != marked
        assert "do not differ significantly" not in found.sentence()


def test_few_topics_are_not_blamed_for_a_large_p() -> None:
    frame = pl.DataFrame({"topic": ["1", "2", "3"], "a": [0.2, 0.5, 0.1], "b": [0.3, 0.1, 0.4]})
    found = compare(scores_from_matrices({"X": frame}))
    assert not any("fewer than six" in str(one) for one in found.notes)
    assert "do not differ significantly" in found.sentence()


def test_fewer_than_six_clusters_claim_no_significance() -> None:
    names = [str(topic) for topic in range(12)]
    steps = np.linspace(0, 0.01, 12)
    scores = scores_from_matrices(
        {"X": pl.DataFrame({"topic": names, "a": 0.2 + steps, "b": 0.5 + 2 * steps})}
    )
    for clusters, said in ((3, "fewer than six clusters"), (6, "")):
        table = {topic: str(int(topic) % clusters) for topic in names}
        found = compare(scores, test=TestOptions(clusters=table))
        assert found.frame["p"][0] < 0.05
        assert (f"no significance is claimed with {said}" in found.sentence()) == bool(said)
        assert any("not marked as significant" in str(one) for one in found.notes) == bool(said)
    found = compare(scores, test=TestOptions(clusters=dict.fromkeys(names, "all")))
    notes = [str(one) for one in found.notes]
    assert "1 comparison is not tested: all topics are in one cluster" in notes
    assert not any("account for the dependence" in one for one in notes)


def test_a_permutation_test_says_how_many_signs_it_tries() -> None:
    rng = np.random.default_rng(0)
    for topics, said in ((3, "all 8 sign patterns"), (20, "10,000 random sign patterns")):
        frame = pl.DataFrame({"topic": [str(n) for n in range(topics)], "a": rng.random(topics)})
        frame = frame.with_columns(b=pl.Series(rng.random(topics)))
        found = compare(scores_from_matrices({"X": frame}), test="permutation")
        assert f"paired permutation test ({said})" in found.caption


def test_a_difference_may_be_significant_and_within_the_margin() -> None:
    steps = np.linspace(0, 0.01, 12)
    frame = pl.DataFrame(
        {"topic": [str(n) for n in range(12)], "a": 0.2 + steps, "b": 0.21 + steps**2}
    )
    found = compare(scores_from_matrices({"X": frame}), test=TestOptions(margin=0.1))
    assert found.frame["significant"].all()
    text = "1 difference is significant, but shown to be smaller than the margin (equivalent)"
    assert text in map(str, found.notes)


def test_the_leaderboard_says_what_is_not_told_apart(scores: Scores) -> None:
    found = compare(scores)
    board = found.leaderboard()
    assert board["metric"].to_list() == ["X"] * 4 + ["Y"] * 4
    assert board["rank"].to_list() == [1, 2, 3, 4] * 2
    assert board.head(4)["mean"].is_sorted(descending=True)
    differing = board.select(pl.col("worse", "better").sum()).row(0)
    assert sum(differing) / 2 == found.frame["significant"].sum()


def test_power_is_of_the_differences_that_were_found(scores: Scores) -> None:
    table = compare(scores).power(0.9, topics=100)
    row = table.row(0, named=True)
    assert row["sd"] * row["effect"] == pytest.approx(row["difference"])
    assert table["at_topics"].to_list() == [100] * 12
    assert (table["smallest"] / table["sd"]).n_unique() == 1
    wrongs: list[dict[str, Any]] = [{"level": 0.01}, {"topics": 1}]
    for wrong in wrongs:
        with pytest.raises(CallError, match=r"`(level|topics)`"):
            compare(scores).power(**wrong)


# Verdicts, from judgments. u is unjudged and retrieved first by both runs; v only by y.
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}, "3": {"a": 1, "b": 0}}
X = {"1": {"u": 3, "a": 2}, "2": {"a": 3, "b": 2}}
Y = {"1": {"u": 3, "b": 2}, "2": {"b": 3, "v": 2}, "3": {"b": 1}}


def test_verdicts_are_those_of_shared_judgments() -> None:
    [row] = compare(QRELS, {"y": Y, "x": X}, "P@2").frame.to_dicts()
    assert (row["a"], row["b"]) == ("x", "y")  # new − old
    assert row["difference"] == pytest.approx(1 / 3)
    assert (row["low"], row["high"]) == pytest.approx((1 / 6, 1 / 3))
    assert (row["verdict"], row["to_resolve"]) == ("A", 0)
    judged = read_judged(QRELS, {"x": X, "y": Y}, retrieved=True)
    whole = difference_bounds(judged, parse("P@2"), np.array([0]), np.array([1])).mean
    assert (row["low"], row["high"]) == (whole.low[0], whole.high[0])


def test_verdicts_are_over_the_topics_that_are_compared() -> None:
    [row] = compare(
        rankwise.read(QRELS, {"y": Y, "x": X}, topics="common"), metrics="P@2"
    ).frame.to_dicts()
    assert (row["topics"], row["difference"]) == (2, 0.5)
    assert (row["low"], row["high"]) == pytest.approx((0.25, 0.5))


DIAGNOSTICS = ["Judged@2", "Unjudged@2", "RBPResidual(p=0.5)", "NumRet", "NumRelRet"]
JUDGING = ["conf_low", "conf_high", "effect", "wins", "ties", "losses", "p", "corrected_p"]
JUDGING += ["significant", "low", "high", "verdict", "to_resolve", "gap", "proven"]


def test_diagnostics_are_shown_and_not_judged() -> None:
    alone = compare(QRELS, {"x": X, "y": Y}, ["P@2", "AP"])
    found = compare(QRELS, {"x": X, "y": Y}, ["Unjudged@2", "P@2", *DIAGNOSTICS, "AP"])
    assert found.frame.filter(pl.col("metric").is_in(["P@2", "AP"])).equals(alone.frame)
    assert (found.family, found.leaderboard().rows()) == (alone.family, alone.leaderboard().rows())
    assert found.power().rows() == alone.power().rows()
    shown = found.frame.filter(pl.col("metric").is_in(DIAGNOSTICS))
    assert shown.height == len(DIAGNOSTICS)
    assert all(shown[name].null_count() == shown.height for name in JUDGING)
    means = score(QRELS, {"x": X, "y": Y}, DIAGNOSTICS).mean()
    for row in shown.to_dicts():
        x, y = means.filter(metric=row["metric"]).sort("run")["value"]
        assert (row["mean_b"], row["mean_a"]) == pytest.approx((x, y))  # of counts, the sums
        assert row["difference"] == pytest.approx(y - x)
    assert any(
        note.startswith("these metrics are shown but not tested") for note in map(str, found.notes)
    )
    assert "these metrics are sums over topics, not means: NumRet, NumRelRet" in map(
        str, found.notes
    )


@pytest.mark.parametrize("test", get_args(Test))
def test_diagnostics_alone_are_nothing_to_compare(test: Any) -> None:
    found = compare(QRELS, {"x": X, "y": Y}, ["Unjudged@2", "NumRet"], test=test, baseline="y")
    assert "Nothing to compare: none of these metrics measures effectiveness." in found.caption
    assert found.frame["p"].null_count() == 2
    assert not found.has_verdicts
    assert found.frame.select("a", "b").unique().rows() == [("x", "y")]
    whole = compare(QRELS, {"x": X, "y": Y}, ["Unjudged@2", "NumRet"])
    for ask in (whole.leaderboard, whole.power):
        with pytest.raises(CallError, match=r"nothing to compare.*: Unjudged@2, NumRet"):
            ask()


def test_given_and_standardised_scores_are_read_as_their_metric_is() -> None:
    names = {"SearchLength": matrix(1), "Unjudged@10": matrix(2), "mine": matrix(1)}
    given = scores_from_matrices(names)
    for scores in (given, standardise(given)):
        cost, diagnostic, mine = scores.metrics
        assert (cost.less_is_better, mine.less_is_better) == (True, False)
        assert (diagnostic.is_diagnostic, cost.is_diagnostic) == (True, False)


def test_sums_that_are_tested_are_compared_by_means() -> None:
    """Those of a metric of one's own, which does not say that it is a diagnostic."""

    class Total(Metric):
        aggregate: ClassVar[Any] = "sum"

        def compute(self, judged: JudgedRankings) -> Any:
            return judged.total(judged.grade / 2)

    found = compare(QRELS, {"y": Y, "x": X}, Total())
    [row] = found.frame.to_dicts()
    assert row["difference"] == pytest.approx(1 / 3)
    assert "the means over topics of these metrics are compared, not their sums: Total" in map(
        str, found.notes
    )


def test_without_bounds_there_is_no_verdict() -> None:
    assert not compare(QRELS, {"x": X, "y": Y}, "AP", bounds=False).has_verdicts
    assert not compare(score(QRELS, {"x": X, "y": Y}, "AP")).has_verdicts


def test_scores_and_means_are_those_of_score() -> None:
    found = compare(rankwise.read(QRELS, {"x": X, "y": Y}, topics="common"), metrics=["AP", "RR"])
    expected = score(rankwise.read(QRELS, {"x": X, "y": Y}, topics="common"), metrics=["AP", "RR"])
    assert np.array_equal(found.scores.value, expected.value)
    assert found.scores.notes == expected.notes


def test_it_prints_itself(scores: Scores) -> None:
    found = compare(scores)
    assert repr(found).startswith("X, Y of 4 runs over 20 topics.")
    assert found._repr_html_().startswith("<p>X, Y of 4 runs")


def test_ways_have_the_defaults_that_the_docs_give() -> None:
    assert (TestOptions().applied, TestOptions(test="tukey").applied, TestOptions().repeats) == (
        "holm",
        "none",
        0,
    )


@pytest.mark.parametrize(("metric", "test", "at_95", "at_99"), [
    ("ap", "t", 1164, 969), ("p10", "t", 1150, 915), ("rr", "t", 1000, 752),
    ("ap", "wilcoxon", 1259, 1077), ("p10", "wilcoxon", 1141, 897), ("rr", "wilcoxon", 1020, 759),
    ("ap", "tied", 1260, 1079), ("p10", "tied", 1153, 901), ("rr", "tied", 1021, 759),
])  # fmt: skip
def test_table_4_of_moffat_and_zobel_2008(
    trec8: Path, metric: str, test: Any, at_95: int, at_99: int
) -> None:
    """But for the last three, which tie what rounding error sets apart."""
    given = scores_from_matrices({metric: trec8.parent / "trec5" / f"adhoc5_{metric}.csv"})
    ways: Any = {"raw_ranks": test == "wilcoxon"}
    test = "wilcoxon" if test == "tied" else test
    for alpha, expected in ((0.05, at_95), (0.01, at_99)):
        found = compare(given, test=TestOptions(test, "none", alpha=alpha, **ways))
        assert found.frame["significant"].sum() == expected


def test_all_pairs_of_trec_8_are_compared(trec8: Path) -> None:
    runs = sorted((trec8 / "runs").iterdir())
    found = compare(rankwise.read(trec8 / "trec8.qrels.gz", runs, depth=100), metrics="RBP(p=0.8)")
    assert found.frame.height == 8256
    board = found.leaderboard()
    assert board["run"][0] == "READWARE2"
    inner = board["to_rank"] - board["from_rank"] + 1 - board["inside"]
    assert (inner + board["worse"] + board["better"] == 129).all()
    assert found.frame.filter(pl.col("low") > pl.col("difference") + 1e-12).height == 0
    assert found.frame.filter(pl.col("high") < pl.col("difference") - 1e-12).height == 0


def test_rounding_error_is_no_difference_between_runs() -> None:
    """One way of adding up gives 0.3, another 0.30000000000000004."""
    values = np.array([[[0.1 + 0.2, 0.7, 0.5, 0.2], [0.3, 0.1 + 0.6, 0.5, 0.2]]])
    assert (values[0, 0] != values[0, 1]).any()
    scores = Scores(
        (parse("AP"),), ("A", "B"), tuple("1234"), values, present=np.ones((2, 4), bool)
    )
    for test in get_args(Test):
        baseline = "B" if test == "dunnett" else None
        row = compare(scores, test=test, baseline=baseline).frame.row(0, named=True)
        assert (row["difference"], row["effect"], row["p"]) == (0, None, 1)
        assert (row["wins"], row["ties"], row["losses"]) == (0, 4, 0)


def test_means_that_are_equal_on_paper_need_endless_topics() -> None:
    """0.2 up and 0.1 + 0.1 down is 1e-17 in binary, and was a difference to look for."""
    up = np.array([0.5, 0.4, 0.3, 0.3, 0.5, 0.2, 0.1, 0.1])
    down = np.array([0.3, 0.5, 0.3, 0.3, 0.3, 0.2, 0.2, 0.3])
    assert (up - down).mean() != 0
    scores = Scores(
        (parse("AP"),), ("A", "B"), tuple("12345678"), np.array([[up, down]]),
        present=np.ones((2, 8), bool),
    )  # fmt: skip
    found = compare(scores)
    assert found.frame.row(0, named=True)["difference"] == 0
    assert found.power()["needed"].to_list() == [np.inf]


def test_less_is_better_where_the_metric_says_so() -> None:
    """SearchLength counts what is read in vain."""
    import rankwise

    qrels = {t: {"a": 1, "b": 0, "c": 0} for t in "123"}
    early = {t: {"a": 3, "b": 2, "c": 1} for t in "123"}
    late = {t: {"b": 3, "c": 2, "a": 1} for t in "123"}
    found = rankwise.compare(qrels, {"early": early, "late": late}, "SearchLength")
    row = found.frame.row(0, named=True)
    assert (row["a"], row["b"], row["difference"]) == ("late", "early", 2.0)
    assert (row["wins"], row["losses"], row["verdict"]) == (0, 3, "B")
    turned = rankwise.compare(qrels, {"late": late, "early": early}, "SearchLength")
    row = turned.frame.row(0, named=True)
    assert (row["wins"], row["losses"], row["verdict"]) == (3, 0, "A")
    assert found.leaderboard()["run"].to_list() == ["early", "late"]
    assert "SearchLength: lower scores are better" in map(str, found.notes)
    assert found.scores.pivot()["run"].to_list() == ["early", "late"]
    both = rankwise.correlate(qrels, {"late": late, "early": early}, ["SearchLength", "RR"])
    assert both.frame["value"][0] == 1.0


def test_a_sentence_for_a_paper_has_the_numbers_of_the_table() -> None:
    found = compare(QRELS, {"y": Y, "x": X}, ["P@2", "SearchLength"])
    text, row = found.sentence(), found.frame.row(0, named=True)
    assert text.startswith(f"x ({row['mean_a']:.4f}) and y ({row['mean_b']:.4f}) do not differ")
    assert f"difference {row['difference']:+.4f}" in text and f"p = {row['p']:.4f}" in text
    assert (
        f"d_z = {row['effect']:.2f} (n = 3 topics). On these topics, x is guaranteed to be better, "
        "no matter how the unjudged documents are judged." in text
    )
    assert text.endswith("relevant only if at least one of the given runs retrieved it.")
    assert "SearchLength" in text and "SearchLength" not in found.sentence(metric="P@2")
    assert "paired t-test" in text and "α = 0.05" in text
    better = {t: {"a": 3, "b": 2, "c": 1} for t in "12345678"}
    worse = better | {t: {"b": 3, "c": 2, "a": 1} for t in "1234567"}
    qrels = {t: {"a": 1, "b": 0, "c": 0} for t in "12345678"}
    for name, word in (("RR", "worse"), ("SearchLength", "worse")):
        sentence = compare(qrels, {"old": better, "new": worse}, name).sentence()
        assert f"is significantly {word} than old" in sentence, sentence
        assert "On these topics, old is guaranteed to be better: " in sentence
        assert "unjudged documents cannot change the difference." in sentence
    three = compare(qrels, {"old": better, "new": worse, "third": worse}, "RR", bounds=False)
    assert three.sentence().startswith("2 of 3 differences in RR are significant.")
    assert compare(qrels, {"old": better, "new": worse}, "NumRet").sentence() == ""


def test_unadjusted_intervals_beside_corrected_p_values_are_a_warning() -> None:
    made = rankwise.simulate(topics=20, systems=4, seed=2)
    for interval, correction, loud in (
        ("t", None, True),
        ("bootstrap", None, True),
        ("max-t", None, False),
        ("t", "none", False),
    ):
        options = TestOptions(interval=interval, correction=correction)  # type: ignore[arg-type]
        found = rankwise.compare(made.qrels, made.runs, "AP", test=options, bounds=False)
        severities = [
            each.severity for each in found.table(pairs=True).notes if each.kind == "intervals"
        ]
        assert severities == ["warning" if loud else "detail"]


def test_resamples_are_those_of_the_interval_if_the_test_does_not_resample() -> None:
    few = rankwise.TestOptions(interval="bootstrap", resamples=100)
    assert "100 resamples" in few.interval_words and few.repeats == 0
    both = rankwise.TestOptions("permutation", interval="bootstrap", resamples=500)
    assert "1,000 resamples" in both.interval_words and both.repeats == 500
    with pytest.raises(rankwise.CallError, match="applies only to the tests permutation"):
        rankwise.TestOptions(interval="t", resamples=100)
