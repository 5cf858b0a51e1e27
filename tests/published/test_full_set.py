"""The full set of vectors, the two other combinations, and what the paper calls tempting."""

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise import CallError
from rankwise.cli.root import root
from rankwise.published import invert, significant_ranks
from rankwise.published.vectors import bounding_vectors, contribution, every_vector


@pytest.mark.parametrize(
    ("p", "precision"), [(0.5, 0.001), (0.6, 0.01), (0.7, 0.01), (0.8, 0.05), (0.3, 0.001)]
)
def test_the_full_set_is_what_enumeration_finds(p: float, precision: float) -> None:
    ranks = significant_ranks(p, precision)
    assert ranks <= 17
    every = (np.arange(2**ranks)[:, None] >> np.arange(ranks)[::-1]) & 1
    totals = every @ contribution(p, ranks)
    tried = 0
    for score in np.round(totals[:: 2**ranks // 7] / precision) * precision:
        # From below, as the paper has it; where p < 0.5 the only one may lie above.
        low = score - precision / 2 - 1e-12
        found = every_vector(p, float(score), precision)
        from_below = every[(totals >= low) & (totals <= score + 1e-12)]
        if p >= 0.5:
            assert found.astype(int).tolist() == from_below[::-1].tolist()
        assert (np.abs(found @ contribution(p, ranks) - score) <= precision / 2 + 1e-9).all()
        tried += len(found)
    assert tried > 5


def test_the_full_set_goes_from_r_g_to_r_l() -> None:
    for score in (0.2, 0.41, 0.6):
        found, ends = every_vector(0.7, score, 0.01), bounding_vectors(0.7, [score], precision=0.01)
        assert (found[0] == ends.greatest[0]).all() and (found[-1] == ends.least[0]).all()


def test_half_has_two_vectors_as_section_6_says() -> None:
    assert [len(every_vector(0.5, score)) for score in (0.25, 0.5, 0.8125)] == [2, 2, 2]
    assert len(every_vector(0.2, 0.832, 1e-4)) == 1


def test_vectors_as_a_table_with_their_scores_elsewhere() -> None:
    frame = invert(0.7, 0.41, precision=0.01, at=[0.5, 0.7]).all_vectors()
    assert frame.columns == ["vector", "score", "at 0.5", "at 0.7"]
    assert ((frame["at 0.7"] - frame["score"]).abs() < 1e-12).all()
    first = np.array([int(bit) for bit in frame["vector"][0]])
    assert frame["at 0.5"][0] == pytest.approx(first[:8] @ contribution(0.5, 8))  # cropped


def test_too_many_vectors_and_residuals_are_refused() -> None:
    with pytest.raises(
        CallError, match=r"more than 100,000 relevance vectors have the score 0\.41 at p = 0\.8"
    ):
        invert(0.8, 0.41).all_vectors()
    for given in ({"residual": 0.02}, {"topics": 50}, {"graded": True}):
        with pytest.raises(CallError, match="listed only for the score of one topic"):
            invert(0.8, 0.41, precision=0.01, **given).all_vectors()


@pytest.mark.parametrize("p", [0.7, 0.8, 0.9])
def test_the_other_two_combinations_weigh_the_residual_at_the_other_end(p: float) -> None:
    found = bounding_vectors(p, [0.41], [0.1], 1e-4)
    con = contribution(p, significant_ranks(p, 1e-4))
    ways = {
        "up": (found.greatest_unjudged[0], found.least_unjudged_up[0]),
        "down": (found.greatest_unjudged_down[0], found.least_unjudged[0]),
    }
    for unjudged, relevant in zip(
        [*ways["up"], *ways["down"]], [found.greatest[0], found.least[0]] * 2, strict=True
    ):
        assert not (unjudged & relevant).any()
        assert unjudged @ con == pytest.approx(0.1, abs=1e-4)
    for up, down in zip(*ways.values(), strict=True):
        assert up.tolist() >= down.tolist()  # lexicographically
    scores = found.scores(0.5)
    assert scores["R'_G"][0] >= scores["R''_G"][0] >= scores["R_G"][0]
    assert scores["R''_L"][0] >= scores["R'_L"][0] >= scores["R_L"][0]


def test_the_range_of_the_paper_is_still_that_of_its_four_vectors() -> None:
    found = bounding_vectors(0.8, [0.41], [0.1], 1e-4)
    for at in (0.5, 0.95):
        scores = found.scores(at)
        four = [scores[name][0] for name in ("R_G", "R_L", "R'_G", "R'_L")]
        assert [end[0] for end in found.range_at(at)] == [min(four), max(four)]


def test_the_commands() -> None:
    asked = ["--p", "0.7", "--score", "0.41", "--precision", "0.01", "--all-vectors"]
    done = CliRunner().invoke(
        root, ["published", "invert", *asked, "--at", "0.5", "--format", "csv"]
    )
    assert done.exit_code == 0 and done.output.count("\n1") > 20, done.output
    assert "275 relevance vectors have this score" in done.output
