"""`calibrate`: known error rates are found, and words follow from them."""

import numpy as np
import pytest

import rankwise
from rankwise import CallError, Scores, calibrate, parse, simulate
from rankwise.errors import TooLittle
from rankwise.experiments.calibration import Experiments, Outcomes, _best, _recommended

MADE = simulate(topics=30, systems=6, seed=4)
SCORES = rankwise.score(MADE.qrels, MADE.runs, ["AP", "P@10"])


def scores_of(values: np.ndarray) -> Scores:
    runs = tuple(f"run{place}" for place in range(len(values)))
    topics = tuple(map(str, range(values.shape[1])))
    return Scores((parse("AP"),), runs, topics, values[None], present=np.ones(values.shape, bool))


@pytest.mark.slow
def test_exact_tests_hold_their_level_and_intervals_cover() -> None:
    found = calibrate(SCORES, experiments=400, seed=1)
    frame = found.frame
    assert frame.height == 2 * 2 * 5
    assert frame["type_1"].max() < 0.09  # type: ignore[operator]
    assert frame["coverage"].drop_nulls().min() > 0.91  # type: ignore[operator]
    assert frame["power"].min() > 0.2  # type: ignore[operator]
    assert set(frame.drop_nulls("coverage")["test"]) == {"t", "bootstrap"}
    t = frame.filter(test="t", source="simulated")["power"]
    assert t.to_list() == pytest.approx([0.8, 0.8], abs=0.12)
    assert found.recommendation.keys() == {"AP", "P@10"}
    assert str(found.notes[1]).startswith("AP: the recommended test is ")
    assert found.frame.equals(calibrate(SCORES, experiments=400, seed=1).frame)


def test_normal_scores_have_the_power_of_the_formula() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(0.5, 0.1, (4, 60)) + rng.normal(0, 0.1, 60)
    found = calibrate(scores_of(values), tests=["t"], experiments=1_500)
    assert found.frame["power"].to_list() == pytest.approx([0.8, 0.8], abs=0.06)
    assert found.frame["type_1"].to_list() == pytest.approx([0.05, 0.05], abs=0.02)
    assert found.frame["type_1_se"].to_list() == pytest.approx([0.0056, 0.0056], abs=0.0015)


@pytest.mark.slow
def test_several_systems_are_a_family() -> None:
    found = calibrate(SCORES, systems=4, tests=["t", "tukey", "randomised-tukey"], experiments=60)
    frame = found.frame
    assert frame["type_1"].max() < 0.17  # type: ignore[operator]
    assert set(frame.drop_nulls("coverage")["test"]) == {"tukey", "randomised-tukey"}
    assert "in any pair" in str(found.notes[2])


def test_topics_and_difference_can_be_chosen() -> None:
    few = calibrate(SCORES, tests=["t"], topics=10, difference=0.05, experiments=100)
    assert few.settings[0].topics == 10 and few.settings[0].difference == 0.05
    many = calibrate(SCORES, tests=["t"], topics=200, difference=0.05, experiments=100)
    assert (many.frame["power"] > few.frame["power"]).all()


def outcomes(rates: dict[str, tuple[float, float]]) -> dict[str, Outcomes]:
    """Tests with given type I error and power, in 1,000 experiments."""
    place = np.arange(1_000)
    return {
        test: Outcomes(
            place < 1_000 * false, np.asarray(place < 1_000 * power, np.float64), np.zeros(0, bool)
        )
        for test, (false, power) in rates.items()
    }


def test_the_recommendation_follows_from_the_rates() -> None:
    tests = ("t", "wilcoxon", "permutation", "bootstrap")
    settings = Experiments(tests, 0.05, 2, 50, 0.1, 1_000, 0)  # type: ignore[arg-type]
    rates = {"t": (0.05, 0.8), "wilcoxon": (0.05, 0.9), "permutation": (0.05, 0.7)}
    rates["bootstrap"] = (0.09, 0.95)
    both = {"permuted": outcomes(rates), "simulated": outcomes(rates)}
    assert _best(settings, both) == "t"  # type: ignore[arg-type]
    words = _recommended("AP", settings, both)  # type: ignore[arg-type]
    assert words == (
        "AP: the recommended test is t. Its type I error is 0.050 on permuted scores and 0.050 on "
        "simulated scores, not significantly above 0.05 (one-sided test at 2.5 %). Its power on "
        "simulated scores is 80 % for a true difference of 0.1000. wilcoxon detected significantly "
        "more differences (90 %), but does not test the mean. The type I error of "
        "bootstrap is significantly above 0.05 on permuted scores, simulated scores or both."
    )
    rates["permutation"] = (0.05, 0.8)
    both = {"permuted": outcomes(rates), "simulated": outcomes(rates)}
    assert _best(settings, both) == "t"  # type: ignore[arg-type]
    words = _recommended("AP", settings, both)  # type: ignore[arg-type]
    assert "The power of permutation is not significantly lower." in words
    loose = dict.fromkeys(tests, (0.2, 0.9))
    both = {"permuted": outcomes(loose), "simulated": outcomes(loose)}
    assert _best(settings, both) is None  # type: ignore[arg-type]
    words = _recommended("AP", settings, both)  # type: ignore[arg-type]
    assert "no test is recommended, because no test of the mean keeps the level 0.05." in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": 1}, "`systems` must be a whole number, 2 or more, not 1"),
        ({"experiments": 1}, "`experiments` must be a whole number, 2 or more, not 1"),
        ({"topics": 4}, "`topics` must be a whole number, 5 or more, not 4"),
        ({"alpha": 1.0}, "`alpha` must be between 0 and 1"),
        ({"difference": 0.0}, "`difference` must be above 0"),
        ({"difference": 0.99, "experiments": 2}, "`difference` 0.99 is too large"),
        ({"tests": ["z"]}, "z"),
        ({"tests": []}, "no test is given"),
        ({"systems": 7}, "the experiments need 7 runs"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(CallError, match=message):
        calibrate(SCORES, **arguments)  # type: ignore[arg-type]


def test_identical_runs_and_few_topics() -> None:
    values = np.random.default_rng(6).random((3, 12))
    found = calibrate(scores_of(np.vstack([values, values[:1]])), tests=["t"], experiments=10)
    excluded = "1 run with the same scores as another run on every topic is excluded"
    assert any(excluded in str(note) for note in found.notes)
    with pytest.raises(TooLittle, match="4 topics have a score for every run"):
        calibrate(scores_of(values[:, :4]))


def test_a_picture_has_a_panel_for_each_rate() -> None:
    drawn = calibrate(SCORES, tests=["t", "sign"], experiments=20).chart().to_dict()
    panels = drawn["vconcat"][0]["hconcat"]
    titles = [panel["layer"][-2]["encoding"]["x"]["title"] for panel in panels]
    assert titles == ["type I error", "power", "coverage"]


def test_the_default_difference_fits_the_scores() -> None:
    """Few topics and a small range: what a t-test would find is more than any run can gain."""
    values = {"a": [0.4, 0.5, 0.6, 0.5, 0.4], "b": [0.6, 0.4, 0.4, 0.6, 0.5]}
    scores = scores_of(np.array(list(values.values())))
    found = rankwise.calibrate(scores, experiments=5)
    assert found.settings[0].difference == pytest.approx((0.6 - 0.48) / 2)
    with pytest.raises(CallError, match="too large for these scores"):
        rankwise.calibrate(scores, experiments=5, difference=0.2)
