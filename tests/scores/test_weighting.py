"""Topics weighted in means and tests, beside plain loops."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from rankwise import (
    CallError,
    InputError,
    Scores,
    TestOptions,
    compare,
    confidence,
    read_scores,
    score,
    weight_topics,
)

OLD, NEW = [0.5, 0.4, 0.3, 0.9, 0.2, 0.7, 0.1], [0.55, 0.6, 0.35, 0.8, 0.4, 0.7, 0.3]
TOPICS = [str(topic) for topic in range(7)]
WEIGHTS = dict(zip(TOPICS, [5, 1, 1, 2, 0, 3, 1], strict=True))


@pytest.fixture
def scores() -> Scores:
    return read_scores({"AP": pl.DataFrame({"topic": TOPICS, "old": OLD, "new": NEW})})


def test_means_are_those_of_repeated_topics(scores: Scores) -> None:
    found = weight_topics(scores, WEIGHTS)
    for run, values in (("old", OLD), ("new", NEW)):
        repeated = [v for t, v in zip(TOPICS, values, strict=True) for _ in range(WEIGHTS[t])]
        mean = found.mean().filter(run=run).row(0, named=True)
        assert mean["metric"] == "weighted(AP)" and mean["topics"] == 6
        assert mean["value"] == pytest.approx(sum(repeated) / len(repeated))


def test_the_test_is_of_weighted_differences(scores: Scores) -> None:
    row = compare(weight_topics(scores, WEIGHTS)).frame.row(0, named=True)
    kept = [t for t in range(7) if WEIGHTS[str(t)]]
    mean = sum(WEIGHTS.values()) / len(kept)
    shares = np.array([WEIGHTS[str(t)] / mean for t in kept])
    differences = np.array([NEW[t] - OLD[t] for t in kept])
    weighted = (shares * differences).sum() / len(kept)
    assert row["difference"] == pytest.approx(weighted)
    # The delete-one jackknife, and t with the degrees of freedom of the effective topics.
    left_out = []
    for place in range(len(kept)):
        others = np.delete(np.arange(len(kept)), place)
        left_out.append((shares * differences)[others].sum() / shares[others].sum())
    deviations = np.array(left_out) - np.mean(left_out)
    error = np.sqrt((len(kept) - 1) / len(kept) * (deviations**2).sum())
    effective = shares.sum() ** 2 / (shares**2).sum()
    error *= stats.t.isf(0.025, effective - 1) / stats.t.isf(0.025, len(kept) - 1)
    p = 2 * stats.t.sf(abs(weighted) / error, len(kept) - 1)
    assert row["p"] == pytest.approx(p)
    reach = stats.t.isf(0.025, len(kept) - 1) * error
    assert (row["conf_low"], row["conf_high"]) == pytest.approx(
        (weighted - reach, weighted + reach)
    )
    assert row["effect"] == pytest.approx(weighted / error / np.sqrt(len(kept)))
    assert (row["wins"], row["ties"], row["losses"]) == (4, 1, 1)


def test_equal_products_still_vary() -> None:
    """Topics of large weight have small differences: Σ w (d − m) varies though w d does not."""
    topics = [str(topic) for topic in range(10)]
    new = [1.0, 1 / 3] * 5
    found = read_scores({"AP": pl.DataFrame({"topic": topics, "old": [0.0] * 10, "new": new})})
    row = compare(weight_topics(found, dict(zip(topics, [1.0, 3.0] * 5, strict=True)))).frame
    assert row["difference"].item() == pytest.approx(0.5)
    assert row["conf_high"].item() - row["conf_low"].item() > 0.3


def test_only_students_t_takes_weights(scores: Scores) -> None:
    """The others missed their level in simulations: see docs/statistics.md."""
    weighted = weight_topics(scores, WEIGHTS)
    for test in ("sign", "wilcoxon", "permutation", "bootstrap", "tukey", "randomised-tukey"):
        with pytest.raises(CallError, match=f"{test}'` cannot be combined with weights of topics"):
            compare(weighted, test=test)
    for interval in ("max-t", "bootstrap"):
        with pytest.raises(
            CallError, match=f"{interval}'` cannot be combined with weights of topics"
        ):
            compare(weighted, test=TestOptions(interval=interval))
    with pytest.raises(CallError, match="bootstrap'` cannot be combined with weights of topics"):
        confidence(weighted, interval="bootstrap")


def test_several_weighted_pairs_have_bonferroni_intervals(scores: Scores) -> None:
    frame = scores.frame
    third = frame.filter(run="old").with_columns(run=pl.lit("third"), value=pl.col("value") / 2)
    found = compare(weight_topics(read_scores(pl.concat([frame, third])), WEIGHTS))
    assert found.options.interval == "bonferroni"
    ranks = confidence(weight_topics(read_scores(pl.concat([frame, third])), WEIGHTS), ranks=True)
    assert ranks.frame["lowest_rank"].is_not_null().all()


def test_equal_weights_change_nothing(scores: Scores) -> None:
    found = compare(weight_topics(scores, dict.fromkeys(TOPICS, 7.5))).frame
    plain = compare(scores).frame
    for column in ("difference", "p", "conf_low", "conf_high"):
        assert found[column].item() == pytest.approx(plain[column].item())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({**WEIGHTS, "3": -1}, "the weight of topic 3 is -1"),
        ({**WEIGHTS, "3": "many"}, "the weight of topic 3 is 'many'"),
        ({**WEIGHTS, "3": float("inf")}, "the weight of topic 3 is inf"),
        ({t: w for t, w in WEIGHTS.items() if t != "3"}, "no weight for 1 of 7 topics: 3"),
        (dict.fromkeys(TOPICS, 0), "all weights are 0"),
    ],
)
def test_wrong_weights_are_errors(scores: Scores, weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        weight_topics(scores, weights)


def test_what_has_no_weighted_mean_is_refused(scores: Scores) -> None:
    groups = scores.with_groups(dict.fromkeys(TOPICS, "g"))
    with pytest.raises(CallError, match="topic_groups"):
        weight_topics(groups, WEIGHTS)
    holes = read_scores({"AP": pl.DataFrame({"topic": TOPICS, "a": OLD, "b": [None, *NEW[1:]]})})
    with pytest.raises(CallError, match="on the same topics"):
        weight_topics(holes, WEIGHTS)
    counts = score({"1": {"a": 1}}, {"1": {"a": 1}}, "NumRel")
    with pytest.raises(CallError, match="is a sum over topics"):
        weight_topics(counts, {"1": 1})


def test_few_effective_topics_are_a_warning(scores: Scores) -> None:
    heavy = weight_topics(scores, {**WEIGHTS, "0": 100})
    assert [note.severity for note in heavy.notes if note.kind == "weights"] == ["warning"]


def test_topics_of_weight_0_are_excluded_and_counted(scores: Scores) -> None:
    weights = {topic: float(place > 1) for place, topic in enumerate(scores.topics)}
    found = weight_topics(scores, weights)
    assert found.topics == scores.topics[2:]
    [said] = [str(each) for each in found.notes if "weight" in str(each)]
    count = len(scores.topics) - 2
    assert (
        f"weighted means over {count} topics are about as precise as unweighted means over " in said
    )
    assert f" over {count:.1f} topics (Kish's effective sample size)" in said
    assert ". 2 topics with weight 0 are excluded" in said
    assert not any("without a score" in str(each) for each in found.notes)


def test_the_commands_take_a_file(scores: Scores, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rankwise.cli.commands.compare import command

    scores.frame.write_csv(tmp_path / "s.csv")
    lines = "".join(f"{topic}\t{weight}\n" for topic, weight in WEIGHTS.items())
    (tmp_path / "w.txt").write_text(f"topic\tweight\n{lines}")
    files = ["--scores", str(tmp_path / "s.csv"), "--weights", str(tmp_path / "w.txt")]
    done = CliRunner().invoke(command, [*files, "--format", "csv"])
    assert done.exit_code == 0, done.output
    row = compare(weight_topics(scores, WEIGHTS)).frame.row(0, named=True)
    assert f"{row['difference']:.6f}"[:7] in done.output and "weighted(AP)" in done.output
    assert np.isfinite(row["p"])
