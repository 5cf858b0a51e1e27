"""What is called probable, against simulated collections whose truth is known."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from rankwise import Qrels, Run, compare, parse, read_qrels, score, simulate
from rankwise.arrays import Bools, Floats
from rankwise.errors import CallError, Warned
from rankwise.judging import pool
from rankwise.probable import Probable, estimate
from rankwise.probable.calibration import _pair_scales
from rankwise.probable.checks import Checker, contributed
from rankwise.probable.documents import Documents
from rankwise.probable.result import NOT_SURE_ENOUGH, TOO_SURE
from rankwise.probable.significance import t_values
from rankwise.probable.unseen import unseen_relevant
from rankwise.rankings.join import read_judged
from rankwise.simulation import Simulated
from rankwise.stats.paired import studentised

METRICS = ["RBP(p=0.8)", "AP", "nDCG@10", "Q", "Bpref"]
TOP = 50
SEEDS = (1, 2, 3)


class Case(NamedTuple):
    found: Probable
    truth: Floats  # metrics × runs, if the pool were of depth 50
    shallow: Qrels
    runs: list[Run]


@cache
def collection(seed: int) -> Simulated:
    return simulate(topics=25, systems=12, depth=TOP, pool_depth=10, seed=seed)


def judged_to(made: Simulated, depth: int) -> Qrels:
    """The pool of this depth of all runs, judged as in truth."""
    known = made.truth.frame.select("topic", "document", "grade")
    found = pool(made.runs, depth).select("topic", "document")
    found = found.join(known, on=["topic", "document"], how="left")
    return read_qrels(found.with_columns(pl.col("grade").fill_null(0)))


def deep(seed: int) -> Qrels:
    return judged_to(collection(seed), TOP)


@cache
def predicted(seed: int) -> Case:
    """From a pool of depth 10 of all runs."""
    made = collection(seed)
    shallow = judged_to(made, 10)
    found = estimate(shallow, made.runs, METRICS, top=TOP, draws=40)
    truth = score(deep(seed), made.runs, METRICS).totals["value"]
    return Case(found, truth, shallow, made.runs)


@pytest.mark.slow
def test_ranges_hold_what_a_deeper_pool_gives() -> None:
    held = []
    for seed in SEEDS:
        found, truth, *_ = predicted(seed)
        low, high = found.ranges
        held.append((truth >= low - 1e-12) & (truth <= high + 1e-12))
    assert np.mean(held, axis=(0, 2)).min() >= 0.85, np.mean(held, axis=(0, 2))
    assert np.mean(held) >= 0.9


def from_half_of_the_runs(made: Simulated, depth: int, top: int) -> Case:
    """From the pool of every second run, of which the others have documents that are not in it."""
    known = judged_to(replace(made, runs=made.runs[::2]), depth)
    found = estimate(known, made.runs, METRICS, top=top, draws=40)
    truth = score(judged_to(made, top), made.runs, METRICS).totals["value"]
    return Case(found, truth, known, made.runs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("systems", "depth", "top", "seeds"), [(12, 10, 50, SEEDS), (16, 20, 60, (1, 7, 11))]
)
def test_ranges_hold_also_where_runs_have_not_contributed(
    systems: int, depth: int, top: int, seeds: tuple[int, ...]
) -> None:
    """By depth alone ranges of AP held 44 to 81 % of the second kind: three seeds of twelve."""
    held = []
    for seed in seeds:
        made = simulate(topics=25, systems=systems, depth=top, pool_depth=depth, seed=seed)
        found, truth, *_ = from_half_of_the_runs(made, depth, top)
        low, high = found.ranges
        totals = found.scores.totals
        assert (high - low).mean() < 0.6 * (totals["high"] - totals["low"]).mean()
        held.append((truth >= low - 1e-12) & (truth <= high + 1e-12))
        (note,) = (note for note in found.notes if "some runs have not contributed" in note)
        assert "ranges are wider" in note and not isinstance(note, Warned)
    assert np.mean(held) >= 0.95 and np.mean(held, axis=(0, 2)).min() >= 0.9
    assert not any("not contributed" in note for note in predicted(1).found.notes)


def test_too_few_runs_that_have_contributed_are_warned_of() -> None:
    made = simulate(topics=12, systems=6, depth=30, pool_depth=10, seed=1)
    known = judged_to(replace(made, runs=made.runs[3:]), 10)
    found = estimate(known, made.runs, "AP", top=30, draws=20)
    assert not found.calibration.by_runs and found.calibration.floor.tolist() == [0.0]
    (note,) = (note for note in found.notes if "some runs have not contributed" in note)
    assert isinstance(note, Warned) and "fewer than 4" in note


def test_what_all_draws_agree_on_is_not_certain() -> None:
    found, *_ = predicted(1)
    one = found.prediction.means[:1]
    sure = replace(found.prediction, means=np.repeat(one, 40, axis=0))
    moved = np.abs(sure.now - one[0])
    assert moved.max() > 0.01
    assert sure.deviation == pytest.approx(0.1 * moved)


def test_what_halves_of_the_runs_know_of_each_other_is_a_floor() -> None:
    """Ranges have it though all draws agree, in proportion to what is not judged."""
    made = simulate(topics=25, systems=16, depth=60, pool_depth=20, seed=1)
    trust = from_half_of_the_runs(made, 20, 60).found.calibration
    assert trust.by_runs and (trust.floor > 0).all()
    farther = np.log(60 / trust.depth) / np.log(trust.depth / (trust.depth // 4))
    agreed = trust.reach_to(60, np.zeros((len(METRICS), 16)))
    expected = 1.96 * trust.floor * max(1.0, farther)
    assert agreed == pytest.approx(np.repeat(expected[:, None], 16, axis=1))
    whole = predicted(1).found.calibration
    assert whole.judged_share == 1 and whole.by_runs and not whole.floor.any()


def test_runs_that_have_not_contributed_reach_as_far_as_hidden_ones_would() -> None:
    trust = predicted(1).found.calibration
    some = np.arange(12) % 2 == 0
    trust = replace(trust, contributed=some, widening_absent=2 * trust.widening)
    reach = trust.reach_to(TOP, np.ones((len(METRICS), 12)))
    assert reach[:, ~some] == pytest.approx(2 * reach[:, some])


def test_halves_of_the_contributing_runs_are_hidden_in_turn() -> None:
    """By sets: what is new is what hidden runs have in the pool, and those inside do not."""
    made = simulate(topics=6, systems=9, depth=30, pool_depth=8, seed=2)
    pooled = made.runs[::2]
    known = judged_to(replace(made, runs=pooled), 8)
    judged = read_judged(known, made.runs, retrieved=True).cut_to_depth()
    documents = Documents.of(judged, 30)
    there = contributed(documents, 8)
    assert there[::2].all() and not there.all()
    rng = np.random.default_rng(1)
    checker = Checker(documents, (parse("AP"),), 8, 20, rng, there)
    run = documents.ranking // len(judged.topics)

    def top(runs: Bools, depth: int) -> set[int]:
        rows = zip(run, documents.rank, documents.code, strict=True)
        return {code for one, rank, code in rows if runs[one] and rank <= depth}

    inside = []
    for pair in checker.by_runs():
        for check, depth in zip(pair, (8, 4), strict=True):
            assert ((check.inside | check.hidden) == there).all()
            assert not (check.inside & check.hidden).any()
            whole, small = top(there, 8), top(check.inside, depth)
            new = {code for code in whole - small if documents.is_judged[code]}
            assert set(np.flatnonzero(check.new)) == new and len(new) > 20
            assert check.share_new == pytest.approx(
                len(new) / sum(documents.is_judged[code] for code in whole | small)
            )
        inside.append(pair[0].inside)
    assert (inside[0] ^ inside[1])[there].all()


def test_pairs_that_are_far_apart_do_not_count_for_those_in_doubt() -> None:
    apart = np.concatenate([np.linspace(0, 2, 50), np.full(50, 40.0)])
    off = np.concatenate([np.full(50, 1.5), np.full(50, 6.0)])
    assert _pair_scales([np.array([[off, apart]])]) == pytest.approx([1.5])
    few = np.array([[off[48:53], apart[48:53]]])  # too few to leave any out
    assert _pair_scales([few]) == pytest.approx(np.sqrt(np.mean(off[48:53] ** 2)))
    assert _pair_scales([np.full((1, 2, 0), np.nan)]) == [1.0]


def test_pairs_are_less_sure_the_farther_it_is_down_to_the_cutoff() -> None:
    found = predicted(1).found
    scale, depth = found.calibration.pair_scale, found.calibration.depth
    metrics = found.scores.metrics
    far = found.calibration.pair_scale_to(1000, metrics) / scale
    for metric, times in zip(metrics, far, strict=True):
        last = metric.cutoff or 1000
        expected = max(1.0, np.log(last / depth) / np.log(4)) ** 0.25
        assert times == pytest.approx(expected)
    assert far.min() == 1 and far.max() > 1.3


def test_the_page_shows_how_far_off_probabilities_were() -> None:
    """What `pair_notes` say is what docs/probable.md has found."""
    page = Path(__file__).parents[2].joinpath("docs", "probable.md").read_text(encoding="utf-8")
    page = " ".join(page.split())
    cells = page[page.index("Of the ") :]
    found = re.search(
        r"too sure in \d+ \(by up to (\d+)\), not sure enough in \d+ \(by up to (\d+)", cells
    )
    assert found is not None
    assert (int(found[1]), int(found[2])) == (TOO_SURE, NOT_SURE_ENOUGH)


def test_what_was_predicted_and_found_of_each_run_is_told() -> None:
    found, *_ = predicted(1)
    frame = found.frame.filter(pl.col("metric") == "AP")
    assert frame["found"].to_list() == found.calibration.found.tolist()
    assert abs(float(frame["predicted"].sum()) / float(frame["found"].sum()) - 1) < 0.5
    assert any(note.startswith("predicted, found: ") for note in found.notes)
    assert not any(note.startswith("predicted, found: ") for note in found.pair_notes)
    assert any("on TREC-8" in note and "too sure" in note for note in found.pair_notes)


def test_expected_scores_are_nearer_than_those_of_today() -> None:
    for seed in SEEDS:
        found, truth, *_ = predicted(seed)
        for metric in ("AP", "Q", "Bpref"):
            place = METRICS.index(metric)
            today = np.abs(found.scores.totals["value"][place] - truth[place]).mean()
            assert np.abs(found.expected[place] - truth[place]).mean() < today / 2, metric


def test_ranges_are_far_narrower_than_what_is_possible() -> None:
    found, *_ = predicted(1)
    low, high = found.ranges
    totals = found.scores.totals
    assert (low >= totals["low"] - 1e-12).all() and (high <= totals["high"] + 1e-12).all()
    place = METRICS.index("AP")
    assert (high - low)[place].mean() < 0.5 * (totals["high"] - totals["low"])[place].mean()


def test_the_run_that_is_probably_better_mostly_is() -> None:
    sure, right = [], []
    for seed in SEEDS:
        found, truth, *_ = predicted(seed)
        first, second = np.triu_indices(truth.shape[1], 1)
        better = found.pairs()["better"].to_numpy().reshape(len(METRICS), -1)
        for p, true in zip(better, truth, strict=True):
            sure.append(np.maximum(p, 1 - p))
            right.append((true[first] > true[second]) == (p > 0.5))
    chance, hit = np.concatenate(sure), np.concatenate(right)
    doubtful = chance < 0.9
    assert doubtful.sum() >= 30
    assert abs(hit[doubtful].mean() - chance[doubtful].mean()) < 0.15
    assert hit[chance >= 0.99].mean() > 0.98


def test_significant_is_what_compare_calls_so() -> None:
    found, _, shallow, runs = predicted(1)
    pairs = found.pairs(alpha=0.01, correction="bh")
    tested = compare(shallow, runs, METRICS, alpha=0.01, correction="bh", bounds=False).frame
    assert pairs["significant"].to_list() == tested["significant"].to_list()
    assert (pairs["stays"].is_not_null() == pairs["significant"]).all()
    with pytest.raises(CallError, match="alpha 2 is not between"):
        found.pairs(alpha=2)


def test_t_of_a_draw_is_student_s() -> None:
    scores = np.random.default_rng(1).random((4, 9))
    scores[:, 2] = np.nan
    for one in range(4):
        for other in range(4):
            differences = (scores[one] - scores[other])[None]
            assert t_values(scores)[one, other] == pytest.approx(studentised(differences)[0])


def test_results_that_probably_stay_significant_mostly_do() -> None:
    chance, stayed = [], []
    for seed in SEEDS:
        found, _, shallow, runs = predicted(seed)
        pairs, now, then = (
            found.pairs(),
            compare(shallow, runs, METRICS, bounds=False).frame,
            compare(deep(seed), runs, METRICS, bounds=False).frame,
        )
        same = then["significant"] & (then["difference"].sign() == now["difference"].sign())
        chance.append(pairs["stays"].drop_nulls().to_numpy())
        stayed.append(same.filter(pairs["significant"]).to_numpy())
    likely, kept = np.concatenate(chance), np.concatenate(stayed)
    assert kept[likely >= 0.95].mean() > 0.98 and (likely >= 0.95).sum() > 100
    doubtful = likely < 0.95
    assert doubtful.sum() >= 10
    assert abs(likely[doubtful].mean() - kept[doubtful].mean()) < 0.25


def test_a_run_stays_significantly_better_only_if_it_is_better() -> None:
    for seed in SEEDS:
        found, _, shallow, runs = predicted(seed)
        pairs, now = found.pairs(), compare(shallow, runs, METRICS, bounds=False).frame
        ahead = pl.when(now["difference"] > 0).then(pairs["better"]).otherwise(1 - pairs["better"])
        table = pairs.with_columns(ahead.alias("ahead")).filter("significant")
        assert table.height and (table["stays"] <= table["ahead"]).all()


def test_topics_that_are_sampled_make_it_less_sure() -> None:
    pairs = predicted(1).found.pairs()
    here, elsewhere = (pairs[name].to_numpy() for name in ("better", "better_elsewhere"))
    assert (np.abs(here - 0.5) >= np.abs(elsewhere - 0.5) - 1e-12).all()


def test_a_seed_gives_the_same_again() -> None:
    found, _, shallow, runs = predicted(1)
    again = estimate(shallow, runs, METRICS, top=TOP, draws=40)
    assert again.frame.equals(found.frame)
    assert "seed 0" in found.notes
    other = estimate(shallow, runs, METRICS, top=TOP, draws=40, seed=1)
    assert not other.frame.equals(found.frame)


def test_unseen_relevant_documents_are_those_that_one_run_alone_has() -> None:
    """By a plain loop; and they lower what divides by the relevant documents, nothing else."""
    made = simulate(topics=8, systems=5, depth=30, pool_depth=6, seed=1)
    few = judged_to(made, 6)
    found = estimate(few, made.runs, ["AP", "P@10"], top=30, draws=200)
    documents = found.documents
    relevant = documents.is_judged & (documents.grade > 0)
    expected = []
    for topic in documents.judged.topics:
        tops = [
            set(
                run.frame.filter(pl.col("topic") == topic)
                .sort("score", "document", descending=True)["document"]
                .head(30)
            )
            for run in made.runs
        ]
        rows = few.frame.filter((pl.col("topic") == topic) & (pl.col("grade") > 0))
        alone = [sum(name in top for top in tops) == 1 for name in rows["document"]]
        expected.append(sum(alone) * 4 / 5)
    assert unseen_relevant(documents, relevant).tolist() == pytest.approx(expected)
    assert sum(expected) > 0
    more = estimate(few, made.runs, ["AP", "P@10"], top=30, draws=200, unseen=True)
    assert (more.expected[0] < found.expected[0]).all()
    assert more.expected[1] == pytest.approx(found.expected[1], abs=0.02)
    assert "relevant documents per topic that no run has there" in more.notes[0]
    assert "and nothing else" in found.notes[0]


def test_what_is_all_judged_is_sure() -> None:
    made = simulate(topics=10, systems=4, depth=20, pool_depth=20, seed=2)
    grade = (pl.int_range(pl.len()) % 7 == 0).cast(pl.Int64).alias("grade")
    everything = read_qrels(pool(made.runs, 20).select("topic", "document", grade))
    found = estimate(everything, made.runs, ["AP"], top=20, draws=20)
    frame = found.frame
    for column in ("expected", "probable_low", "probable_high"):
        assert frame[column].to_list() == pytest.approx(frame["value"].to_list())


def test_judgments_that_are_no_pool_are_refused() -> None:
    made = simulate(topics=6, systems=4, depth=30, pool_depth=10, seed=1)
    one = made.truth.frame.group_by("topic", maintain_order=True).first()
    with pytest.raises(CallError, match="no pool"):
        estimate(one.select("topic", "document", "grade"), made.runs, "AP")


def test_metrics_of_which_nothing_is_known_are_refused() -> None:
    _, _, shallow, runs = predicted(1)
    for metric in ("Judged@10", "infAP", "RBP(ties=share)"):
        with pytest.raises(CallError, match="not known of this metric"):
            estimate(shallow, runs, metric)
    with pytest.raises(CallError, match="draws 5"):
        estimate(shallow, runs, "AP", draws=5)
