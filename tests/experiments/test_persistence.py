"""p from a log: against the closed form, a grid, and logs that were made with a known p."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from rankwise.errors import CallError
from rankwise.experiments.persistence import fit_persistence


def test_p_is_the_greatest_of_the_likelihood_and_the_interval_its_ratio() -> None:
    ranks = np.random.default_rng(0).geometric(0.2, 500)
    goes_on = ranks % 10 == 0
    found = fit_persistence(ranks.tolist(), goes_on.tolist())
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
    found = fit_persistence(cut.tolist(), (cut == 10).tolist())
    assert taken.high < 0.9 and abs(found.p - 0.9) < 0.01


def test_users_who_all_stop_at_once() -> None:
    found = fit_persistence([1, 1, 1])
    assert (found.p, found.low) == (0, 0) and 0 < found.high < 1
    assert found.frame["seen"][0] == 1


@pytest.mark.parametrize(
    ("last", "goes_on", "said"),
    [([], None, "from 1 on"), ([0, 1], None, "from 1 on"), ([1.5], None, "from 1 on")]
    + [([10], [True], "every search may go on"), ([1, 2], [True], "2 last ranks, but 1")],
)
def test_what_is_no_log_is_refused(last: list, goes_on: list | None, said: str) -> None:
    with pytest.raises(CallError, match=said):
        fit_persistence(last, goes_on)


def test_the_command(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rankwise.cli.commands.fit_p import command

    log = tmp_path / "log.csv"
    log.write_text("session,rank\n1,1\n2,2\n3,10\n4,1\n")
    done = CliRunner().invoke(command, [str(log), "--page", "10", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert "searches,may go on,p" in done.output and "\n4,1,0.769" in done.output
    wrong = CliRunner().invoke(command, [str(log), "--column", "rnk"])
    assert "has no column 'rnk'" in str(wrong.exception) and "rank" in str(wrong.exception)
