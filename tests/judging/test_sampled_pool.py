"""A stratified sample of a pool, and scores from it: from frames, and from files of other tools."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankwise
from rankwise import CallError, InputError, simulate
from rankwise.judging import pool, sample_pool, score_sampled

MADE = simulate(topics=15, systems=4, depth=50, pool_depth=50, seed=3)
DESIGN = "5=1,20=0.4,50=0.2"


def test_a_sample_has_its_inclusion_probabilities() -> None:
    found = sample_pool(MADE.runs, DESIGN, qrels=MADE.qrels, seed=1)
    whole = pool(MADE.runs, 50)
    assert found.height == whole.height
    joined = found.join(whole.select("topic", "document", "rank"), on=["topic", "document"])
    names = {"1-5": (1, 5), "6-20": (6, 20), "21-50": (21, 50)}
    for (_, stratum), part in joined.group_by("topic", "stratum"):
        first, last = names[str(stratum)]
        assert part["rank"].is_between(first, last).all()
        count, drawn = part.height, part["sampled"].sum()
        rate = {"1-5": 1.0, "6-20": 0.4, "21-50": 0.2}[str(stratum)]
        assert drawn == min(count, max(2, int(np.ceil(rate * count - 1e-9))))
        assert part["probability"].unique().to_list() == [drawn / count]
    assert found.filter(~pl.col("sampled"))["grade"].null_count() == (~found["sampled"]).sum()
    assert found.equals(sample_pool(MADE.runs, DESIGN, qrels=MADE.qrels, seed=1))
    assert not found.equals(sample_pool(MADE.runs, DESIGN, qrels=MADE.qrels, seed=2))
    assert sample_pool(MADE.runs, DESIGN)["grade"].null_count() == found.height


@pytest.mark.slow
def test_each_document_is_sampled_as_often_as_it_says() -> None:
    samples = [sample_pool(MADE.runs[:2], "3=1,30=0.3", seed=seed) for seed in range(200)]
    often = np.mean([sample["sampled"].to_numpy() for sample in samples], axis=0)
    chance = samples[0]["probability"].to_numpy()
    error = np.sqrt(chance * (1 - chance) / 200)
    assert (np.abs(often - chance) <= 5 * error + 1e-12).all()


def judged_pool() -> pl.DataFrame:
    """The pool with all its grades, those of unjudged documents 0."""
    found = sample_pool(MADE.runs, "50=1", qrels=MADE.qrels)
    return found.with_columns(pl.col("grade").fill_null(0))


def test_everything_sampled_gives_the_scores() -> None:
    qrels = judged_pool().select("topic", "document", "grade")
    sample = sample_pool(MADE.runs, "50=1", qrels=qrels)
    found = score_sampled(sample, MADE.runs, ["statAP", "infNDCG", "infNDCG@10", "xinfAP"])
    truth = rankwise.score(qrels, MADE.runs, ["AP", "nDCG", "nDCG@10"])
    assert found.frame["se"].to_list() == pytest.approx([0.0] * 16, abs=1e-6)
    for estimate, metric in zip(
        ("statAP", "infNDCG", "infNDCG@10", "xinfAP"), ("AP", "nDCG", "nDCG@10", "AP"), strict=True
    ):
        values = dict(found.frame.filter(metric=estimate).select("run", "value").rows())
        for run, scores in truth.to_dict().items():
            assert values[run] == pytest.approx(scores[metric], abs=1e-4)


def test_samples_estimate_the_scores_by_everything() -> None:
    qrels = judged_pool().select("topic", "document", "grade")
    truth = score_sampled(sample_pool(MADE.runs, "50=1", qrels=qrels), MADE.runs).frame
    found = score_sampled(sample_pool(MADE.runs, "20=1,50=0.5", qrels=qrels), MADE.runs)
    both = truth.join(found.frame, on=["metric", "run"], suffix="_found")
    assert both.height == 12
    assert (both["value"] - both["value_found"]).abs().max() < 0.12  # type: ignore[operator]
    assert (both["se_found"] > 0).all()
    assert "would give on these topics" in str(found.notes[0])


def test_files_of_other_tools(tmp_path: Path) -> None:
    runs = {"one": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    lines = ["1 0 a 1 1", "1 0 b 2 0", "1 0 c 2 1", "1 0 d 2 -1", "1 0 e 2 -1"]
    (tmp_path / "sample").write_text("\n".join(lines) + "\n")
    inferred = score_sampled(tmp_path / "sample", runs, ["xinfAP"]).frame["value"][0]
    # R = 1 + 2 × 1; at rank 3 the precision above is (1 + 0) / 2
    assert inferred == pytest.approx((1 + 2 * (1 + 1) / 3) / 3, abs=1e-3)
    prels = ["1 a 1 0 1.0", "1 b 0 1 0.5", "1 c 1 1 0.5"]
    (tmp_path / "prels").write_text("\n".join(prels) + "\n")
    value = score_sampled(tmp_path / "prels", runs, ["statAP"]).frame["value"][0]
    assert value == pytest.approx((1 + 2 * (1 + 1) / 3) / 3)
    with pytest.raises(CallError, match="need a list of the documents that were not sampled"):
        score_sampled(tmp_path / "prels", runs, ["xinfAP"])
    table = sample_pool(runs, "1=1,4=0.7", qrels={"1": {"a": 1, "c": 1}}, seed=1)
    table.write_csv(tmp_path / "sample.csv")
    table.write_parquet(tmp_path / "sample.parquet")
    frames = [
        score_sampled(source, runs).frame
        for source in (table, str(tmp_path / "sample.csv"), tmp_path / "sample.parquet")
    ]
    assert frames[0].equals(frames[1]) and frames[0].equals(frames[2])


@pytest.mark.parametrize("design", ["10", "10=x", "10=1,5=1", "10=0", "10=2", "0=1", ""])
def test_wrong_designs_are_refused(design: str) -> None:
    with pytest.raises(CallError, match="design"):
        sample_pool(MADE.runs, design)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "sample: the file is empty"),
        ("1 0 a 1\n", "sample:1: 4 fields instead of 5"),
        (
            "1 0 a 1 0\n1 0 b 1 x\n",
            "sample:2: the grade or the probability is not valid: 1 0 b 1 x",
        ),
        ("1 a 1 0 1.0\n1 b 0.5 0 1.0\n", "sample:2: the grade or the probability is not valid"),
        ("1 a 1 0 0.5\n1 0 b 1 0\n", "has lines of two formats"),
        ("topic,document\n1,a\n", "has no column stratum"),
        ("1 a 1 0 1\n1 a 0 0 0.5\n", "document a occurs twice in topic 1"),
        (
            "topic,document,stratum,probability,sampled,grade\n1,a,1,2,true,1\n",
            "the probability of document a in topic 1 is 2. It must be above 0 and at most 1",
        ),
        (
            "topic,document,stratum,probability,sampled,grade\n1,a,1,,true,1\n",
            "the probability of document a in topic 1 is missing",
        ),
        ("topic,document,stratum,probability,sampled,grade\n1,a,1,x,true,1\n", "wrong value"),
    ],
)
def test_wrong_samples_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "sample").write_text(text)
    with pytest.raises(InputError, match=message):
        score_sampled(tmp_path / "sample", MADE.runs)


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    sample = sample_pool(MADE.runs, DESIGN, qrels=MADE.qrels)
    with pytest.raises(CallError, match="'AP' cannot be estimated from a sample"):
        score_sampled(sample, MADE.runs, ["AP"])
    with pytest.raises(CallError, match="'statAP@10' cannot be estimated"):
        score_sampled(sample, MADE.runs, ["statAP@10"])
    with pytest.raises(CallError, match="`confidence` must"):
        score_sampled(sample, MADE.runs, confidence=1)
    with pytest.raises(CallError, match=r"`rel` must be .* not 0\.5"):
        score_sampled(sample, MADE.runs, rel=0.5)
    with pytest.raises(InputError, match="none: no such file"):
        score_sampled(tmp_path / "none", MADE.runs)
