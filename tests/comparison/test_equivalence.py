"""The four outcomes of a comparison with a margin, from Python, in tables and in the chart."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from rankwise import TestOptions, compare
from rankwise.comparison import Comparison
from rankwise.errors import CallError
from rankwise.scores import scores_from_matrices
from rankwise.stats.equivalence import tost
from rankwise.stats.multiple_comparisons import corrected
from rankwise.vocabulary import Test

TOPICS = 40


def matrix() -> pl.DataFrame:
    """Runs that are the same but for noise, better, worse, and noisy, and a baseline."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.6, TOPICS)
    columns = {
        "base": base,
        "same": base + rng.normal(0, 0.01, TOPICS),
        "up": base + rng.normal(0.1, 0.05, TOPICS),
        "down": base - rng.normal(0.1, 0.05, TOPICS),
        "noisy": base + rng.normal(0, 0.3, TOPICS),
        "slightly": base + rng.normal(0.01, 0.005, TOPICS),
    }
    return pl.DataFrame({"topic": [str(t) for t in range(TOPICS)], **columns})


def compared(**options: Any) -> Comparison:
    asked: Any = {"baseline": "base", "margin": 0.03} | options
    ways = TestOptions(**asked)
    return compare(scores_from_matrices({"AP": matrix()}), test=ways)


def outcomes(found: Comparison) -> dict[str, str]:
    return dict(found.equivalence().select("a", "outcome").rows())


@pytest.mark.parametrize("test", ["t", "permutation", "dunnett"])
def test_there_are_four_outcomes(test: Test) -> None:
    found = compared(test=test)
    assert outcomes(found) == {
        "same": "equivalent",
        "up": "better",
        "down": "worse",
        "noisy": "inconclusive",
        "slightly": "equivalent",
    }
    slightly = found.frame.filter(a="slightly").row(0, named=True)
    # Significant, and within the margin; Dunnett's error is that of the noisy run too.
    assert slightly["significant"] == (test != "dunnett")
    note = (
        "AP: equivalence test (TOST) with margin ±0.03: 2 pairs of runs are equivalent; run a is "
        "significantly better than run b in 1 pair, and worse in 1 pair; 1 pair is inconclusive"
    )
    assert note in map(str, found.notes)


def test_p_of_equivalence_is_corrected_over_the_family() -> None:
    found = compared().equivalence()
    assert found["corrected_p_equivalent"].to_numpy() == pytest.approx(
        corrected(found["p_equivalent"].to_numpy(), "holm")
    )
    plain = compared(correction="none").equivalence()
    assert plain["p_equivalent"].equals(plain["corrected_p_equivalent"], check_names=False)
    shares = found.select(pl.sum_horizontal("prob_better", "prob_equivalent", "prob_worse"))
    assert shares.to_series().to_list() == pytest.approx([1] * 5)


def test_less_is_better_turns_better_and_noninferior_round() -> None:
    rng = np.random.default_rng(2)
    base = rng.uniform(2, 6, TOPICS)
    frame = pl.DataFrame(
        {
            "topic": [str(t) for t in range(TOPICS)],
            "base": base,
            "fewer": base - rng.normal(0.3, 0.1, TOPICS),
        }
    )
    scores = scores_from_matrices({"SearchLength": frame})
    assert scores.metrics[0].less_is_better
    row = compare(scores, test=TestOptions(margin=0.1)).equivalence().row(0, named=True)
    assert (row["a"], row["outcome"]) == ("fewer", "better")
    assert row["difference"] < 0 and row["p_noninferior"] < 0.001 and row["prob_better"] > 0.99
    differences = -(frame["fewer"] - frame["base"]).to_numpy()
    assert row["p_noninferior"] == pytest.approx(tost(differences[None], 0.1).above[0])


def test_the_outcome_of_two_runs_is_a_sentence() -> None:
    told = {}
    for name in ("same", "up", "noisy"):
        found = compare(
            scores_from_matrices({"AP": matrix().select("topic", "base", name)}),
            test=TestOptions(margin=0.03),
        )
        [note] = [each for each in found.notes if each.kind == "equivalence"]
        told[outcomes(found)[name]] = str(note)
    about = "AP: equivalence test (TOST) with margin ±0.03: "
    assert told["equivalent"] == f"{about}same and base are equivalent"
    assert told["inconclusive"].startswith(f"{about}neither a difference nor")
    assert told["better"].startswith(f"{about}up is significantly better than base")


def test_fewer_than_six_topics_are_inconclusive() -> None:
    frame = pl.DataFrame({"topic": list("12345"), "a": [0.5] * 5, "b": [0.5, 0.5, 0.5, 0.5, 0.501]})
    found = compare(scores_from_matrices({"AP": frame}), test=TestOptions(margin=0.1))
    assert found.equivalence()["p_equivalent"][0] < 0.001
    assert outcomes(found) == {"b": "inconclusive"}


def test_tables_and_machines_have_the_outcome() -> None:
    found = compared()
    assert "margin ±0.03" in found.table().frame.columns
    assert "outcome" in found.described.columns
    frame = pl.DataFrame({"topic": list("1234567"), "a": np.linspace(0, 1, 7), "b": [0.4] * 7})
    two = compare(scores_from_matrices({"AP": frame}), test=TestOptions(margin=0.1))
    shown = dict(two.table().frame.rows())
    assert shown["margin ±0.1"] == "inconclusive"
    assert len(shown["  P(better, equivalent, worse)"].split(", ")) == 3


def test_the_chart_shows_each_pair_against_the_margin() -> None:
    drawn = compared().chart().to_dict()
    assert len(drawn["layer"]) == 5
    assert "Band: ±0.03." in drawn["title"]["subtitle"][0]
    assert "mark" not in drawn


def test_a_margin_must_be_above_0() -> None:
    with pytest.raises(CallError, match="`margin` must be above 0"):
        TestOptions(margin=0)
    with pytest.raises(CallError, match="equivalence needs a margin"):
        compared(margin=None).equivalence()
