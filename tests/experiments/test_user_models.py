"""Whom metrics model: views, weights and gains against the metrics' own scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise
from rankwise import Metric
from rankwise.errors import CallError
from rankwise.experiments.user_models import RANKS, user_model

A = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_section_4_2_of_moffat_and_zobel_pages_two_and_three() -> None:
    """“a roughly 60 % likelihood” to enter page 2 at p = 0.95, “a 35 % chance” of page 3."""
    row = user_model("RBP(p=0.95)").frame.row(0, named=True)
    assert row["page 2"] == pytest.approx(0.95**10) == pytest.approx(0.60, abs=0.005)
    assert row["page 3"] == pytest.approx(0.95**20) == pytest.approx(0.35, abs=0.01)
    assert row["seen"] == pytest.approx(20) and row["depth"] == 180


@pytest.mark.parametrize(
    ("metric", "rank"),
    [("RBP(p=0)", 1), ("RBP(p=0.5)", 2), ("RBP(p=0.95)", 14), ("P@10", 10), ("DCG", 3), ("INST", 1)]
    + [("INST(T=5)", 5), ("ERR", None)],
)
def test_the_half_life_is_the_last_rank_that_half_of_the_users_see(
    metric: str, rank: int | None
) -> None:
    found = user_model(metric)
    assert found.frame["half-life"].to_list() == [rank]
    if rank is not None:
        view = found.users[0].view
        assert view[rank - 1] >= 0.5 - 1e-12 > view[rank]


def test_half_of_the_users_of_section_4_2_look_at_three_answers() -> None:
    """Joachims et al. by Moffat and Zobel: “roughly half of users scanned only the first three”."""
    halves = {p: user_model(f"RBP(p={p})").frame["half-life"][0] for p in (0.7, 0.71, 0.79, 0.8)}
    assert halves == {0.7: 2, 0.71: 3, 0.79: 3, 0.8: 4}


@pytest.mark.parametrize(
    "metric",
    ["RBP(p=0.5)", "RBP(p=0)", "P@5", "InvSq", "INSQ(T=2)", "INSQ@20", "INST", "INST(T=3)@30"]
    + ["RBP2(p1=0.9,p2=0.5)", "RBP2(p1=0.3,p2=0.8)", "NERR8@9", "NERR9@9", "NERR10", "NERR11"]
    + ["RR", "RR@10", "SDCG(max_rel=1)@10"],
)
def test_gain_per_document_seen_is_the_score(metric: str) -> None:
    row = user_model(metric, A).frame.row(0, named=True)
    scored = rankwise.score_gains(metric, A)
    assert row["per document"] == pytest.approx(scored, abs=3e-5)  # the tail is cut at RANKS


def test_err_is_the_mean_reciprocal_rank_at_which_its_user_stops() -> None:
    gains = [0.0, 0.5, 0.25, 0.0, 0.75]
    found = user_model("ERR@5", gains).users[0]
    # A user who reaches the cutoff stops there, satisfied or not.
    satisfied = found.view[:5] * found.gain[:5]
    table = "{1:0.25,2:0.5,3:0.75}"
    scored = rankwise.score_gains(f"ERR(gains={table})@5", [0, 2, 1, 0, 3])
    assert (satisfied / np.arange(1, 6)).sum() == pytest.approx(scored)


def test_ap_as_robertson_reads_it_is_precision_where_users_stop() -> None:
    found = user_model("AP", A).users[0]
    precision = np.cumsum(found.gain) / np.arange(1, RANKS + 1)
    assert (found.last * precision).sum() == pytest.approx(rankwise.score_gains("AP", A))
    ends = user_model("AP@6", A).users[0].last[:6].tolist()
    assert ends == pytest.approx([1 / 3, 1 / 3, 0, 0, 0, 1 / 3])


def test_views_weights_and_ends_belong_together() -> None:
    found = user_model(["RBP(p=0.8)", "P@3", "ERR"], [0.5, 0, 1], depth=4)
    frame = found.by_rank().filter(metric="P@3")
    assert frame["view"].to_list() == [1, 1, 1, 0]
    assert frame["last"].to_list() == [0, 0, 1, 0]
    for user in found.users:
        assert user.weight.sum() == pytest.approx(1) and user.last.sum() == pytest.approx(1)
    assert found.by_rank().height == 12


def test_a_user_of_ones_own() -> None:
    def steady(gain: np.ndarray) -> np.ndarray:
        return np.full(len(gain), 0.8)

    own, rbp = user_model("RBP(p=0.8)", A, continuation=steady).frame.drop("metric").rows()
    assert own == pytest.approx(rbp)
    ranks = user_model("RBP(p=0.8)", A, continuation=steady).by_rank()
    residuals = ranks["residual"].to_numpy().reshape(2, -1)
    assert residuals == pytest.approx(np.tile(0.8 ** np.arange(1, 31), (2, 1)))
    endless = user_model("RR", continuation=np.ones_like).frame
    assert endless.select("seen", "depth").rows() == [(None, 10_000), (None, None)]


class Steady(Metric):
    """A metric of somebody's own: its user goes on with a chance of 0.8."""

    def continuation(self, gain: Any) -> Any:
        return np.full(len(gain), 0.8)


class Reacting(Metric):
    """One Give metrics, or a function is more likely to stop at what is relevant."""

    def continuation(self, gain: Any) -> Any:
        return 0.8 - 0.5 * gain


def test_a_metric_of_ones_own_has_a_depth_where_its_user_does_not_react() -> None:
    steady, reacting = user_model([Steady(), Reacting()]).frame["depth"]
    assert (steady, reacting) == (42, None)


@pytest.mark.parametrize(
    ("metrics", "more", "said"),
    [
        ("nDCG", {}, "the user model of nDCG is not known"),
        ("AP", {}, "depends on the relevance of the documents"),
        ("RBP", {"ranking": [2]}, "not between 0 and 1"),
        ("RBP", {"page": 0}, "`page` must be from 1 to"),
        ((), {}, "Give metrics, or a function"),
        ((), {"continuation": lambda gain: gain + 2}, "must return a probability from 0 to 1"),
    ],
)
def test_what_cannot_be_said_says_why(metrics: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(CallError, match=said):
        user_model(metrics, **more)


def test_the_command_prints_what_the_function_finds(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    from click.testing import CliRunner

    from rankwise.cli.commands.metrics.user_model import command

    picture = tmp_path / "users.svg"
    asked = ["RBP(p=0.5)", "INST", "--ranking", "101", "--format", "csv", "--chart", str(picture)]
    done = CliRunner().invoke(command, asked)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[1].startswith("RBP(p=0.5),2.0")
    assert picture.read_text().startswith("<svg")
    ranks = CliRunner().invoke(command, ["RBP", "--by-rank", "--depth", "3", "--format", "csv"])
    assert len(ranks.output.splitlines()) == 4
    wrong = CliRunner().invoke(command, ["RBP", "--ranking", "a"])
    assert wrong.exit_code == 2 and "--ranking a: not a list of gains" in wrong.output
