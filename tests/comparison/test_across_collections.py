"""Runs over several data sets, beside plain loops."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankwise
from rankwise import CallError, InputError, compare_collections, read_scores
from rankwise.scores import Scores
from rankwise.simulation import simulate

RUNS = ("a", "b", "c")


def scores_of(seed: int, topics: int) -> Scores:
    import polars as pl

    rng = np.random.default_rng(seed)
    rows = {run: rng.uniform(size=topics).round(2) for run in RUNS}
    table = pl.DataFrame({"topic": [str(t) for t in range(topics)], **rows})
    return read_scores({"AP": table})


@pytest.fixture
def parts() -> dict[str, Scores]:
    return {f"set{seed}": scores_of(seed, 5 + 2 * seed) for seed in range(6)}


def test_means_borda_and_wins_are_those_of_plain_loops(parts: dict[str, Scores]) -> None:
    found = compare_collections(parts)
    means = {
        run: [float(p.value[0, at].mean()) for p in parts.values()] for at, run in enumerate(RUNS)
    }
    rows = {row["run"]: row for row in found.frame.to_dicts()}
    for run in RUNS:
        others = [other for other in RUNS if other != run]
        borda = 0.0
        for place, own in enumerate(means[run]):
            borda += sum(own > means[o][place] for o in others)
            borda += sum(own == means[o][place] for o in others) / 2
        assert rows[run]["borda"] == borda
        assert rows[run]["mean"] == pytest.approx(sum(means[run]) / 6)
        higher = [sum(means[o]) > sum(means[run]) for o in others]
        assert rows[run]["rank"] == 1 + sum(higher)
    pairs = found.pairs().to_dicts()
    assert [(row["a"], row["b"]) for row in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    for row in pairs:
        differences = [x - y for x, y in zip(means[row["a"]], means[row["b"]], strict=True)]
        test = stats.ttest_1samp(differences, 0)
        low, high = test.confidence_interval()
        expected = (sum(differences) / 6, float(test.pvalue), float(low), float(high))
        got = (row["difference"], row["p"], row["conf_low"], row["conf_high"])
        assert got == pytest.approx(expected)
        assert row["wins"] == sum(d > 0 for d in differences)
        assert row["losses"] == sum(d < 0 for d in differences)


def test_the_interval_of_fixed_data_sets_is_welchs(parts: dict[str, Scores]) -> None:
    row = compare_collections(parts, baseline="b").pairs().row(0, named=True)
    assert (row["a"], row["b"]) == ("a", "b")
    variances, means, degrees = 0.0, 0.0, 0.0
    for part in parts.values():
        d = part.value[0, 0] - part.value[0, 1]
        of_mean = float(d.var(ddof=1)) / len(d)
        variances += of_mean
        degrees += of_mean**2 / (len(d) - 1)
        means += float(d.mean()) / 6
    half = stats.t.ppf(0.975, variances**2 / degrees) * sqrt(variances) / 6
    assert (row["topics_low"], row["topics_high"]) == pytest.approx((means - half, means + half))


def test_tau_between_data_sets_is_scipys(parts: dict[str, Scores]) -> None:
    found = compare_collections(parts)
    taus = found.tau()
    assert taus.height == 15
    for metric, one, other, tau in taus.rows():
        x, y = (parts[name].value[0].mean(axis=1) for name in (one, other))
        assert metric == "AP" and tau == pytest.approx(stats.kendalltau(x, y).statistic)


def test_scores_whose_topics_are_data_sets_have_no_interval_by_topics() -> None:
    found = compare_collections(scores_of(1, 8))
    assert found.frame["collections"].to_list() == [8, 8, 8]
    assert found.pairs()["topics_low"].null_count() == 3


def test_below_six_data_sets_nothing_is_significant(parts: dict[str, Scores]) -> None:
    few = {name: parts[name] for name in list(parts)[:3]}
    shifted = {name: read_scores({"AP": _shifted(part)}) for name, part in few.items()}
    found = compare_collections(shifted)
    assert found.pairs()["p"].to_numpy().min() < 0.001
    assert not found.pairs()["significant"].any()
    assert any("at least six" in str(note) for note in found.notes)


def _shifted(part: Scores) -> Any:
    import polars as pl

    own = part.value[0, 0]
    wobble = np.linspace(0, 0.001, len(own)) * (1 + len(own) % 3)
    return pl.DataFrame({"topic": list(part.topics), "a": own, "b": own + 1 + wobble})


def test_runs_that_are_not_in_all_data_sets_are_excluded_with_a_warning() -> None:
    parts = {f"s{seed}": scores_of(seed, 6) for seed in range(3)}
    parts["s3"] = rankwise.read_scores({"AP": _shifted(scores_of(9, 6))})
    found = compare_collections(parts)
    assert found.scores.runs == ("a", "b")
    assert any(note.kind == "runs-not-common" and "c" in str(note) for note in found.notes)


def test_a_folder_has_a_sub_folder_or_a_file_of_scores_per_data_set(tmp_path: Path) -> None:
    for seed in range(3):
        simulate(topics=6, systems=3, depth=10, pool_depth=5, seed=seed).write(
            tmp_path / f"s{seed}"
        )
    (tmp_path / ".DS_Store").write_text("x")
    found = compare_collections(tmp_path, "AP")
    for seed in range(3):
        one = rankwise.score(
            tmp_path / f"s{seed}" / "qrels.txt", tmp_path / f"s{seed}" / "runs", "AP"
        )
        assert found.scores.value[0, :, seed] == pytest.approx(one.totals["value"][0])
        one.frame.write_csv(tmp_path / "scores.csv")
        only = tmp_path / f"only{seed}"
        only.mkdir()
        (tmp_path / "scores.csv").rename(only / "scores.csv")
    assert len(compare_collections(tmp_path, "AP").scores.topics) == 6


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda folder: folder / "none", "is not a folder"),
        (lambda folder: folder, "is empty"),
        (lambda _: {}, "there is no data set"),
        (lambda _: {"one": scores_of(1, 5)}, "at least two data sets"),
        (lambda _: 7, "`collections` must be text, a path"),
    ],
)
def test_what_is_no_set_of_collections_is_an_error(
    build: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises((CallError, InputError), match=message):
        compare_collections(build(tmp_path))


def test_the_command_has_a_table_for_each_view(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rankwise.cli.commands.collections import command

    for seed in range(2):
        simulate(topics=6, systems=3, depth=10, pool_depth=5, seed=seed).write(
            tmp_path / f"s{seed}"
        )
    asked = [str(tmp_path), "-m", "AP"]
    for view, column in (
        ([], "borda"),
        (["--show", "pairs"], "topics_low"),
        (["--show", "tau"], "tau"),
        (["--show", "means"], "collection"),
        (["--show", "pairs", "--baseline", "system2", "--test", "sign"], "topics_low"),
    ):
        done = CliRunner().invoke(command, [*asked, *view])
        assert done.exit_code == 0 and column in done.output, done.output
    done = CliRunner().invoke(command, [*asked, "--show", "tau", "--test", "sign"])
    assert done.exit_code == 2 and "--test applies only with --show pairs" in done.output


def test_metrics_that_are_not_in_all_data_sets_are_excluded_with_a_warning() -> None:
    more = rankwise.simulate(topics=6, systems=3, seed=1)
    both = rankwise.score(more.qrels, more.runs, ["AP", "RR"])
    found = compare_collections({"one": both, "other": both["AP"]})
    assert "these metrics are not in all data sets and are excluded: RR" in map(str, found.notes)
    assert found.frame["metric"].unique().to_list() == ["AP"]
    assert found.frame["conf_low"].is_null().all()  # two equal means have no variance


def test_the_tasks_of_mteb_are_data_sets(tmp_path: Path) -> None:
    for model, gain in (("a__x", 0.0), ("b__y", 0.1)):
        for place, task in enumerate(["NFCorpus", "SciFact", "FiQA2018"]):
            folder = tmp_path / model / "rev"
            folder.mkdir(parents=True, exist_ok=True)
            score = {"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5}
            score |= {"ndcg_at_10": 0.2 * place + gain}
            result = {"task_name": task, "mteb_version": "2", "scores": {"test": [score]}}
            (folder / f"{task}.json").write_text(json.dumps(result))
    found = compare_collections(tmp_path, "ndcg_at_10")
    assert sorted(found.scores.topics) == ["FiQA2018", "NFCorpus", "SciFact"]
    assert found.frame.select("metric", "run", "borda").rows() == [
        ("ndcg_at_10", "b/y", 3.0),
        ("ndcg_at_10", "a/x", 0.0),
    ]
    assert [str(metric) for metric in compare_collections(tmp_path).scores.metrics] == [
        "main_score",
        "ndcg_at_10",
    ]
