"""p from a log: against the closed form, a grid, and logs that were made with a known p."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from rankwise.errors import CallError
from rankwise.experiments.persistence import (
    _checked,
    _interval,
    fit_persistence,
    fit_two_persistences,
)


def test_p_is_the_greatest_of_the_likelihood_and_the_interval_its_ratio() -> None:
    ranks = np.minimum(np.random.default_rng(0).geometric(0.2, 500), 10)
    goes_on = ranks == 10
    found = fit_persistence(ranks.tolist(), page=10)
    assert found.goes_on.tolist() == goes_on.tolist()
    grid = np.arange(0.0005, 1, 0.0005)
    steps, ends = (ranks - 1).sum(), (~goes_on).sum()
    likelihood = [steps * np.log(p) + ends * np.log(1 - p) for p in grid]
    best = int(np.argmax(likelihood))
    assert found.p == pytest.approx(grid[best], abs=5e-4)
    inside = grid[np.array(likelihood) >= found.log_likelihood[0] - chi2.ppf(0.95, 1) / 2]
    assert (found.low, found.high) == pytest.approx((inside.min(), inside.max()), abs=6e-4)


def test_logs_of_one_p_and_of_many_users_are_told_apart() -> None:
    rng = np.random.default_rng(1)
    one = fit_persistence(rng.geometric(0.3, 3000).tolist())
    assert one.low < 0.7 < one.high and one.fit > 0.01
    assert one.log_likelihood[1] - one.log_likelihood[0] < 3
    many = fit_persistence(rng.geometric(1 - rng.beta(3, 2, 3000)).tolist())
    assert many.fit < 1e-4 and many.log_likelihood[1] - many.log_likelihood[0] > 20
    assert many.alpha == pytest.approx(3, rel=0.25) and many.beta == pytest.approx(2, rel=0.25)


def test_page_ends_are_censored_and_not_taken_for_ends() -> None:
    ranks = np.random.default_rng(2).geometric(0.1, 4000)
    cut = np.minimum(ranks, 10)  # the log has the first page only
    taken = fit_persistence(cut.tolist())
    found = fit_persistence(cut.tolist(), page=10)
    assert taken.high < 0.9 and abs(found.p - 0.9) < 0.01
    assert taken.fit < 1e-4 and found.fit > 0.01


@pytest.mark.parametrize("deepest", [10, 30, 10_000])
def test_p_is_unbiased_and_its_interval_covers_it_in_logs_of_pages(deepest: int) -> None:
    """Logs of the first page, of three pages, and of all that users did: 200 of each.

    With every page end taken for an open end, p was 0.905 and 60 % of the intervals had 0.9.
    """
    rng, p, fitted = np.random.default_rng(11), 0.9, []
    for _ in range(200):
        log = np.minimum(rng.geometric(1 - p, 1000), deepest)
        steps = log.sum() - len(log)
        _, found = _checked(log.tolist(), page=10)
        assert found.any() == (deepest < 10_000 or log.max() % 10 == 0)
        ends = int((~found).sum())
        fitted.append((steps / (steps + ends), *_interval(steps, ends)))
    estimate, low, high = np.array(fitted).T
    assert estimate.mean() == pytest.approx(p, abs=0.0008)  # 3 standard errors
    covered = ((low <= p) & (p <= high)).mean()
    assert 0.905 <= covered <= 0.985  # 95 %, give or take 3 standard errors


def test_a_page_end_is_an_open_end_only_where_the_log_stops() -> None:
    goes_on = fit_persistence([1, 10, 20, 12, 20], page=10)
    assert goes_on.goes_on.tolist() == [False, False, True, False, True]
    said = str(goes_on.notes[-1])
    assert "20, is the end of a result page" in said and "assume that 2 searches" in said
    further = fit_persistence([1, 10, 20, 12, 21], page=10)
    assert not further.goes_on.any() and "deepest rank in the log, 21" in str(further.notes[-1])
    assert further.p == fit_persistence([1, 10, 20, 12, 21]).p


@pytest.mark.slow
def test_the_fit_is_small_as_often_as_it_says() -> None:
    rng, small = np.random.default_rng(5), 0
    for _ in range(100):
        cut = np.minimum(rng.geometric(0.3, 200), 10)
        small += fit_persistence(cut.tolist(), page=10).fit < 0.2
    assert 8 < small < 32  # 20 are expected, give or take 4


def test_users_who_differ_do_not_fit_though_page_ends_are_censored() -> None:
    rng = np.random.default_rng(6)
    cut = np.minimum(rng.geometric(1 - rng.beta(3, 2, 3000)), 10)
    assert fit_persistence(cut.tolist(), page=10).fit < 1e-4


def walked(p1: float, p2: float, searches: int, seed: int) -> tuple[list[int], list[list[int]]]:
    """A log of RBP2's users, step by step, over rankings of which every third is relevant."""
    rng = np.random.default_rng(seed)
    last, relevant = [], []
    for _ in range(searches):
        hits = rng.random(500) < 1 / 3
        rank = 1
        while rank < 500 and rng.random() < (p1 if hits[rank - 1] else p2):
            rank += 1
        last.append(rank)
        relevant.append((np.flatnonzero(hits) + 1).tolist())
    return last, relevant


def test_p1_and_p2_are_found_again_and_told_apart() -> None:
    found = fit_two_persistences(*walked(0.5, 0.9, 3000, 3))
    low, high = found.frame["low"].to_list(), found.frame["high"].to_list()
    assert low[0] < 0.5 < high[0] and low[1] < 0.9 < high[1]
    assert abs(found.p1 - 0.5) < 0.03 and abs(found.p2 - 0.9) < 0.02 and found.differ < 1e-10
    same = fit_two_persistences(*walked(0.8, 0.8, 3000, 4))
    assert same.differ > 0.01


def test_all_documents_together_are_the_p_of_rbp() -> None:
    last, relevant = walked(0.6, 0.8, 200, 5)
    last = [min(rank, 10) for rank in last]
    both, one = fit_two_persistences(last, relevant, page=5), fit_persistence(last, page=5)
    assert one.goes_on.sum() > 0 and str(both.notes[-1]) == str(one.notes[-1])
    row = both.frame.row(2, named=True)
    assert (row["p"], row["low"], row["high"]) == pytest.approx((one.p, one.low, one.high))
    assert row["log-likelihood"] == pytest.approx(one.log_likelihood[0])


def test_the_test_that_p1_is_p2_is_that_of_a_table_of_four() -> None:
    """The G test of went on or stopped × relevant or not, by scipy."""
    from scipy.stats import chi2_contingency

    found = fit_two_persistences(*walked(0.6, 0.8, 300, 6))
    table = found.frame.select("went on", "stopped").head(2).to_numpy()
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert found.differ == pytest.approx(expected.pvalue)


def test_users_who_never_stop_after_what_they_wanted() -> None:
    found = fit_two_persistences([2, 3], [[1], [1, 2]])
    assert found.p1 == 1 and found.frame["high"][0] == 1 and 0 < found.frame["low"][0] < 1


@pytest.mark.parametrize(
    ("last", "relevant", "said"),
    [([1, 2], [[1]], "2 last ranks, but 1 list of relevant documents")]
    + [
        ([1, 2], [[], [3]], "a relevant document, so p1"),
        ([1], [[1]], "a non-relevant document, so p2"),
    ],
)
def test_logs_that_do_not_tell_p1_from_p2(last: list[Any], relevant: list[Any], said: str) -> None:
    with pytest.raises(CallError, match=said):
        fit_two_persistences(last, relevant)


def test_users_who_all_stop_at_once() -> None:
    found = fit_persistence([1, 1, 1])
    assert (found.p, found.low) == (0, 0) and 0 < found.high < 1
    assert found.frame["seen"][0] == 1


@pytest.mark.parametrize(
    ("last", "page", "said"),
    [([], None, "of 1 or more"), ([0, 1], None, "of 1 or more"), ([1.5], None, "of 1 or more")]
    + [
        ([10], 10, "every search is censored"),
        ([1, 2], 0, "`page` must be a whole number, 1 or more"),
    ]
    + [([1, 10**9], None, "last rank 1000000000: ranks above 1,000,000 are not supported")],
)
def test_what_is_no_log_is_refused(last: list[Any], page: int | None, said: str) -> None:
    with pytest.raises(CallError, match=said):
        fit_persistence(last, page)


def test_the_command(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rankwise.cli.commands.metrics.user_model import command

    log = tmp_path / "log.csv"
    log.write_text("session,rank\n1,1\n2,2\n3,10\n4,1\n")
    done = CliRunner().invoke(command, ["--fit", str(log), "--page", "10", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert "searches,may go on,p" in done.output and "\n4,1,0.769" in done.output
    wrong = CliRunner().invoke(command, ["--fit", str(log), "--column", "rnk"])
    assert "has no column 'rnk'" in str(wrong.exception) and "rank" in str(wrong.exception)
    log.write_text('found at,rank\n1 3,3\n,2\n"2,9",4\n')
    two = CliRunner().invoke(
        command, ["--fit", str(log), "--relevant", "found at", "--format", "csv"]
    )
    assert two.exit_code == 0, two.output
    assert "\nrelevant,2,1,0.66" in two.output and "\nothers,4,2,0.66" in two.output
    log.write_text("found at,rank\n1;3,3\n")
    wrong = CliRunner().invoke(command, ["--fit", str(log), "--relevant", "found at"])
    assert "must have ranks" in str(wrong.exception)
