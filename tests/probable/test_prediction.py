"""Predictions, against simulated collections whose truth is known."""

import gc
import json
import weakref
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import probable_trial
import pytest
from calls import read_judged
from table import LAWS

import rankwise
from rankwise import Qrels, compare, parse, predict, read_qrels, score, simulate
from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.judging import pool
from rankwise.probable import Prediction, is_predictable, predict_judged
from rankwise.probable.documents import Documents, pool_of
from rankwise.probable.model import PAIR_DEVIATIONS, Model, draw_scores, share_in_range
from rankwise.probable.prediction import DEVIATIONS, HELD, PAIRS_HELD, SHARE, SHARE_ABSENT
from rankwise.progress import show_progress
from rankwise.rankings.judged import JudgedRankings
from rankwise.simulation import Simulated

METRICS = ["RBP(p=0.8)", "AP", "nDCG@10", "Q", "Bpref"]
TOP = 50


@cache
def collection(seed: int = 1, systems: int = 12) -> Simulated:
    return simulate(topics=25, systems=systems, depth=TOP, pool_depth=10, seed=seed)


def judged_to(made: Simulated, depth: int) -> Qrels:
    """The pool of this depth of all runs, judged as in truth."""
    known = made.truth.frame.select("topic", "document", "grade")
    found = pool(made.runs, depth).select("topic", "document")
    found = found.join(known, on=["topic", "document"], how="left")
    return read_qrels(found.with_columns(pl.col("grade").fill_null(0)))


@cache
def predicted(seed: int = 1) -> Prediction:
    """From a pool of depth 10 of all runs."""
    made = collection(seed)
    return predict(judged_to(made, 10), made.runs, METRICS, top=TOP, resamples=40)


@cache
def documents(depth: int = 10, seed: int = 1) -> Documents:
    made = collection(seed)
    return Documents.of(read_judged(judged_to(made, depth), made.runs, retrieved=True), TOP)


@pytest.mark.parametrize(
    "shape",
    [
        "graded",
        pytest.param("few relevant documents (6 per topic), binary", marks=pytest.mark.slow),
        pytest.param("half of the runs contributed", marks=pytest.mark.slow),
        pytest.param("8 runs, 4 contributed", marks=pytest.mark.slow),
        pytest.param("runs of 30 documents", marks=pytest.mark.slow),
    ],
)
def test_ranges_hold_what_a_deeper_pool_gives(shape: str) -> None:
    """The small version of docs/make_probable_page.py, two collections of each shape."""
    held, widths, off = [], [], []
    for seed in (1, 2):
        trial = probable_trial.simulated_trial(probable_trial.SHAPES[shape], seed)
        width, bounds = trial.widths()
        some = bounds > probable_trial.NARROW
        assert some.sum() >= 6
        held.append(trial.held()[some])
        widths.append((width / np.where(some, bounds, 1))[some])
        now = trial.predicted.scores.totals["value"]
        errors = [np.abs(x - trial.truth).mean(axis=1) for x in (trial.predicted.expected, now)]
        off.append((errors[0] / np.maximum(errors[1], 1e-12))[some])
    assert np.concatenate(held).mean() >= 0.9
    assert np.concatenate(widths).mean() <= 0.5
    assert np.median(np.concatenate(off)) < 0.9


def test_a_range_is_three_deviations_and_a_share_of_the_bounds() -> None:
    found = predicted()
    found = replace(found, draws=replace(found.draws, in_range=0.9))
    totals = found.scores.totals
    width = totals["high"] - totals["low"]
    far = np.log(TOP / 10) / np.log(4)
    assert (found.pool.depth, found.reach) == (10, TOP) and found.pool.contributed.all()
    for absent, share in ((False, SHARE), (True, SHARE_ABSENT)):
        contributed = found.pool.contributed.copy()
        contributed[0] = not absent
        some = replace(found, pool=found.pool._replace(contributed=contributed))
        half = np.sqrt((DEVIATIONS * some.draws.deviation) ** 2 + (share * far * width) ** 2)
        low, high = some.ranges
        assert low == pytest.approx(np.maximum(some.draws.expected - half, totals["low"]))
        assert high == pytest.approx(np.minimum(some.draws.expected + half, totals["high"]))
    near = replace(found, reach=30)  # less than four times as deep: the share does not grow
    half = np.hypot(DEVIATIONS * found.draws.deviation, SHARE * width)
    assert near.ranges[0] == pytest.approx(np.maximum(found.draws.expected - half, totals["low"]))


def test_ranges_are_wider_where_the_judged_documents_tell_little_of_the_others() -> None:
    """Most unjudged documents outside the range of the judged ones, or fewer than ten runs."""
    found = predicted()
    inside, outside = (
        replace(found, draws=replace(found.draws, in_range=share)) for share in (0.5, 0.49)
    )
    widths = [high - low for low, high in (inside.ranges, outside.ranges)]
    assert (widths[0] <= widths[1] + 1e-12).all() and (widths[0] < widths[1]).mean() > 0.9
    kinds = [[note.kind for note in each.notes] for each in (inside, outside)]
    assert "similar-runs" not in kinds[0] and "similar-runs" in kinds[1]
    absent = found.pool._replace(contributed=~np.eye(12, dtype=bool)[0])
    assert outside.ranges[0] == pytest.approx(replace(inside, pool=absent).ranges[0])
    made = simulate(topics=10, systems=9, depth=TOP, pool_depth=10, seed=1)
    few = predict(judged_to(made, 10), made.runs, "AP", top=TOP, resamples=20)
    few = replace(few, draws=replace(few.draws, in_range=1.0))
    bounds = few.scores.totals["high"] - few.scores.totals["low"]
    far = np.log(TOP / 10) / np.log(4)
    half = np.hypot(DEVIATIONS * few.draws.deviation, SHARE_ABSENT * far * bounds)
    low = np.maximum(few.draws.expected - half, few.scores.totals["low"])
    assert few.ranges[0] == pytest.approx(low)


def test_the_share_in_range_is_that_of_a_plain_loop() -> None:
    table = documents()
    fused = table.columns(table.is_judged)[:, 1]
    codes = np.flatnonzero(table.unjudged)
    inside = 0
    for code in codes:
        own = (table.topic == table.topic[code]) & table.is_judged & table.in_fusion
        values = np.sort(fused[own])
        inside += bool(fused[code] >= values[int(0.05 * (len(values) - 1))])
    found = share_in_range(table, fused, table.is_judged, codes)
    assert found == pytest.approx(inside / len(codes)) and 0 < found < 1


def test_bounds_are_those_of_score_under_the_same_assumption() -> None:
    made = collection(systems=20)  # more than are scored at a time
    known = judged_to(replace(made, runs=made.runs[::2]), 10)
    ours = predict(known, made.runs, METRICS, top=30, resamples=20).scores
    theirs = score(known, made.runs, METRICS, bounds=True, unjudged="top=30")
    for name, cube in theirs.cubes.items():
        assert ours.cubes[name] == pytest.approx(cube, nan_ok=True, abs=1e-12), name
    assert (ours.runs, ours.unjudged, ours.outer) == (theirs.runs, theirs.unjudged, theirs.outer)
    assert (ours.present == theirs.present).all()


def test_the_columns_are_those_of_a_plain_loop() -> None:
    made = simulate(topics=4, systems=5, depth=130, pool_depth=8, seed=2)
    known = judged_to(made, 8)
    table = Documents.of(read_judged(known, made.runs, retrieved=True), 20)
    columns = table.columns(table.is_judged)
    grades = {(t, d): g for t, d, g in known.frame.select("topic", "document", "grade").rows()}
    ranks: dict[tuple[str, str], dict[int, int]] = {}
    for at, run in enumerate(made.runs):
        for (topic,), part in run.frame.group_by("topic", maintain_order=True):
            ordered = part.sort("score", "document", descending=True)["document"]
            for rank, document in enumerate(ordered, 1):
                ranks.setdefault((str(topic), document), {})[at] = rank
    odds = []
    for at in range(5):
        first = [key for key, of_runs in ranks.items() if of_runs.get(at, 999) <= 20]
        seen = [grades[key] for key in first if key in grades]
        relevant = sum(grade > 0 for grade in seen)
        odds.append((relevant + 1) / (len(seen) - relevant + 4))
    weight = (np.array(odds) / np.exp(np.mean(np.log(odds)))) ** 2
    judged = read_judged(known, made.runs, retrieved=True)
    assert judged.retrieved is not None
    names, tried = judged.retrieved.names.to_list(), 0
    for code in np.flatnonzero(table.unjudged | table.is_judged & table.in_fusion):
        of_runs = ranks[judged.topics[table.topic[code]], names[code]]
        fused = sum(weight[at] / (10 + rank) for at, rank in of_runs.items() if rank <= 100)
        expected = [1.0, np.log(10 / 5 * fused), np.log(min(of_runs.values()) / 10)]
        assert columns[code] == pytest.approx(expected)
        tried += 1
    assert tried > 200


def test_grades_are_drawn_as_often_as_the_model_has_them() -> None:
    table = documents()
    model, codes = Model.fit(table, table.is_judged), np.flatnonzero(table.unjudged)
    rng = np.random.default_rng(1)
    drawn = [model.draw(codes, rng) for _ in range(200)]
    grade = np.array([one for one, _ in drawn])
    chance = np.mean([one for _, one in drawn], axis=0)
    assert (grade > 0).mean() == pytest.approx(chance.mean(), rel=0.05)
    assert model.grades.levels.tolist() == [1, 2, 3] and set(np.unique(grade)) == {0, 1, 2, 3}
    known = table.grade[table.is_judged & (table.best <= 10)]
    for level in (1, 2):  # deeper documents are lower, not higher
        there, then = ((x > level).sum() / (x >= level).sum() for x in (known, grade))
        assert 0 < then < 1.2 * there


def test_metrics_that_do_not_tell_unjudged_are_scored_without_the_non_relevant() -> None:
    """The shortcut of `Documents.scorer` against rankings with every judgment, for every metric."""
    table = documents()
    known, new = table.is_judged | table.unjudged, table.unjudged
    grade = table.grade.copy()
    grade[np.flatnonzero(new)] = np.random.default_rng(3).integers(0, 3, int(new.sum()))
    examples = [parse(text) for laws in LAWS.values() for text in laws.examples]
    metrics = tuple(one for one in examples if is_predictable(one) and not one.reads_lengths)
    assert len(metrics) > 120
    whole = table.rejudged.assign(known, grade)
    found = table.scorer(metrics, known, new)(grade)
    for metric, ours in zip(metrics, found, strict=True):
        assert ours.ravel() == pytest.approx(metric.scores(whole), nan_ok=True), metric


def test_the_pool_is_as_deep_as_runs_contributed() -> None:
    made = collection()
    for depth in (2, 5, 20):
        known = judged_to(made, depth)
        table = Documents.of(read_judged(known, made.runs, retrieved=True), TOP)
        assert pool_of(table).depth == depth and pool_of(table).contributed.all()
    half = judged_to(replace(made, runs=made.runs[::2]), 20)
    found = pool_of(Documents.of(read_judged(half, made.runs, retrieved=True), TOP))
    assert found.depth == 20
    assert found.contributed[::2].all() and not found.contributed[1::2].all()


def test_too_few_contributing_runs_are_refused() -> None:
    made = simulate(topics=12, systems=6, depth=30, pool_depth=10, seed=1)
    known = judged_to(replace(made, runs=made.runs[3:]), 10)
    with pytest.raises(CallError, match=r"at least 4 runs .* 3 of the 6 runs"):
        predict(known, made.runs, "AP", top=30, resamples=20)
    three = predict(known, made.runs[3:], "AP", top=30, resamples=20)
    assert three.pool.contributed.all(), "three runs that all contributed are enough"
    one = made.truth.frame.group_by("topic", maintain_order=True).first()
    with pytest.raises(CallError, match="too few documents are judged"):
        predict(one.select("topic", "document", "grade"), made.runs, "AP")


def test_a_pool_far_shallower_than_the_prediction_is_warned_of() -> None:
    (note,) = (note for note in predicted().notes if note.kind == "deep")
    assert note.severity == "warning" and "more than 4 times" in str(note)
    assert "AP" in str(note) and "RBP" not in str(note)
    made = collection()
    few = predict(judged_to(made, 20), made.runs[:5], "AP", top=TOP, resamples=20)
    assert any(note.severity == "warning" and "uses only 5 runs" in str(note) for note in few.notes)
    near = predict(judged_to(made, 20), made.runs, "AP", top=TOP, resamples=20)
    assert not {note.kind for note in near.notes} & {"deep", "few-runs"}


def test_notes_say_what_it_is_about_and_what_was_measured() -> None:
    found = predicted()
    for notes in (list(map(str, found.notes)), list(map(str, found.pair_notes))):
        assert "first 50 documents of each of these 12 runs" in notes[0]
        assert "predicted for a deeper pool (the current judgments and the first " in notes[0]
        assert not any("95 % range" in note for note in notes)
    assert HELD in str(found.notes[1]) and "95–100 % of the runs" in HELD
    assert "95 %" not in found.chart().to_json().replace("95–100 %", "")


@pytest.mark.parametrize("style", ["latex", "markdown", "html"])
def test_a_table_in_a_document_carries_what_was_measured(style: str) -> None:
    found = predicted()
    for table, held in ((found.table(), HELD), (found.pairs_table(), PAIRS_HELD)):
        text = table.rendered(style).replace("\\", "").replace("--", "–")
        assert "first 50 documents of each of these 12 runs" in text and held in text


def test_a_chart_carries_what_was_measured() -> None:
    found = predicted()
    for chart, held in ((found.chart(), HELD), (found.chart(pairs=True), PAIRS_HELD)):
        text = json.dumps(chart.to_dict(), ensure_ascii=False)
        text = " ".join(text.replace('", "', " ").split())
        assert held[1:] in text and "first 50 documents of these runs" in text


def test_the_run_that_is_probably_better_mostly_is() -> None:
    sure, right = [], []
    for seed in (1, 2, 3):
        made = collection(seed)
        truth = score(judged_to(made, TOP), made.runs, METRICS).totals["value"]
        first, second = np.triu_indices(truth.shape[1], 1)
        better = predicted(seed).pairs()["better"].to_numpy().reshape(len(METRICS), -1)
        for p, true in zip(better, truth, strict=True):
            sure.append(np.maximum(p, 1 - p))
            right.append((true[first] > true[second]) == (p > 0.5))
    chance, hit = np.concatenate(sure), np.concatenate(right)
    doubtful = chance < 0.9
    assert doubtful.sum() >= 30
    assert abs(hit[doubtful].mean() - chance[doubtful].mean()) < 0.15
    assert hit[chance >= 0.99].mean() > 0.98


def test_better_is_by_the_spread_of_the_difference_over_draws() -> None:
    found = predicted()
    pairs = found.pairs().filter(pl.col("metric") == "AP")
    means = found.draws.means[:, METRICS.index("AP")]
    first, second = np.triu_indices(means.shape[1], 1)
    difference = means[:, first] - means[:, second]
    odds = difference.mean(axis=0) / (PAIR_DEVIATIONS * difference.std(axis=0))
    from scipy.stats import norm

    assert pairs["better"].to_numpy() == pytest.approx(norm.cdf(odds))
    worse = predict(judged_to(collection(), 10), collection().runs, "SearchLength", top=TOP)
    order = np.argsort(worse.expected[0])
    assert worse.odds(0)[order[0], order[-1]] > 0, "less is better"


def test_significant_is_what_compare_calls_so() -> None:
    made = collection()
    pairs = predicted().pairs(alpha=0.01, correction="bh")
    asked: dict[str, Any] = {"alpha": 0.01, "correction": "bh", "bounds": False}
    tested = compare(judged_to(made, 10), made.runs, METRICS, test="t", **asked).frame
    assert pairs["significant"].to_list() == tested["significant"].to_list()
    with pytest.raises(CallError, match="`alpha` must be between 0 and 1"):
        predicted().pairs(alpha=2)


def test_a_seed_gives_the_same_again() -> None:
    made, found = collection(), predicted()
    known = judged_to(made, 10)
    again = predict(known, made.runs, METRICS, top=TOP, resamples=40)
    assert again.frame.equals(found.frame)
    assert any("random seed is 0" in note for note in map(str, found.notes))
    other = predict(known, made.runs, METRICS, top=TOP, resamples=40, seed=1)
    assert not other.frame.equals(found.frame)


def test_what_is_all_judged_is_sure() -> None:
    made = simulate(topics=10, systems=4, depth=20, pool_depth=20, seed=2)
    grade = (pl.int_range(pl.len()) % 7 == 0).cast(pl.Int64).alias("grade")
    everything = read_qrels(pool(made.runs, 20).select("topic", "document", grade))
    frame = predict(everything, made.runs, ["AP"], top=20, resamples=20).frame
    for column in ("expected", "probable_low", "probable_high"):
        assert frame[column].to_list() == pytest.approx(frame["value"].to_list())


def test_topics_without_a_known_relevant_document_are_predicted_too() -> None:
    made = collection()
    known = judged_to(made, 10).frame
    first = known["topic"][0]
    none = known.with_columns(grade=pl.when(pl.col("topic") == first).then(0).otherwise("grade"))
    found = predict(read_qrels(none), made.runs, METRICS, top=TOP, resamples=20)
    low, high = found.ranges
    assert (
        np.isfinite(low).all() and (low <= found.expected).all() and (found.expected <= high).all()
    )


@pytest.mark.parametrize(("grade", "kind"), [(0, "not relevant"), (1, "relevant")])
def test_judgments_of_one_kind_are_refused(grade: int, kind: str) -> None:
    made = collection()
    known = judged_to(made, 10).frame.with_columns(grade=pl.lit(grade))
    with pytest.raises(CallError, match=f"judged documents are {kind}\\. A prediction needs"):
        predict(known, made.runs, "P@10", top=TOP)


def test_one_run_is_predicted_and_has_no_pairs() -> None:
    made = collection()
    found = predict(judged_to(made, 10), made.runs[:1], "AP", top=TOP, resamples=20)
    assert "first 50 documents of this run)" in found.scope
    with pytest.raises(
        CallError, match="a comparison of pairs needs two runs or more; only one run"
    ):
        found.pairs()


def test_metrics_that_cannot_be_predicted_are_refused() -> None:
    made = collection()
    known = judged_to(made, 10)
    for metric in ("Judged@10", "infAP", "RBP(ties=share)"):
        with pytest.raises(CallError, match="cannot be predicted"):
            predict(known, made.runs, metric)
    with pytest.raises(CallError, match="`resamples` must be a whole number"):
        predict(known, made.runs, "AP", resamples=5)


def test_progress_goes_through_the_draws() -> None:
    made, seen = collection(), []
    known = judged_to(made, 10)

    def show(steps: Any, name: str, total: int | None) -> Any:
        seen.append((name, total))
        return steps

    with show_progress(show):
        predict(known, made.runs, "AP", top=TOP, resamples=20)
    assert seen == [("runs", len(made.runs)), ("draws", 20)]


def test_predict_is_public() -> None:
    assert "predict" in rankwise.__all__ and rankwise.predict is predict


def test_alternatives_are_freed_without_the_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No draw may outlive its turn: at no time more than a few rankings are alive."""
    alive: weakref.WeakSet[JudgedRankings] = weakref.WeakSet()
    original = JudgedRankings.__post_init__

    def counted(self: JudgedRankings) -> None:
        original(self)
        alive.add(self)

    monkeypatch.setattr(JudgedRankings, "__post_init__", counted)
    made = collection()
    judged = read_judged(judged_to(made, 10), made.runs, retrieved=True)
    metrics = tuple(parse(name) for name in ("AP", "nDCG@10", "P@10", "RR", "Bpref", "Q"))
    most: list[int] = []

    def show(steps: Any, _name: str, _total: int | None) -> Any:
        for step in steps:
            yield step
            most.append(len(alive))

    gc.collect()
    gc.disable()
    try:
        with show_progress(show):
            predict_judged(judged, metrics, top=TOP, resamples=60)
    finally:
        gc.enable()
    assert len(most) == 60
    assert max(most[5:]) <= most[4] and all(b <= a for a, b in pairwise(most[5:]))


def _means(scores: Floats) -> Floats:
    return np.nanmean(scores, axis=-1)


def test_draws_are_means_over_topics_under_the_drawn_grades() -> None:
    table = documents()
    rng = np.random.default_rng(5)
    metrics = (parse("AP"), parse("Bpref"))
    found = draw_scores(table, metrics, table.is_judged, table.unjudged, draws=20, rng=rng)
    grade = table.grade.copy()
    grade[found.codes] = found.samples[0]
    whole = table.rejudged.assign(table.is_judged | table.unjudged, grade)
    for metric, means in zip(metrics, found.means[0], strict=True):
        scores = metric.scores(whole).reshape(len(table.runs), -1)
        assert means == pytest.approx(_means(scores))
