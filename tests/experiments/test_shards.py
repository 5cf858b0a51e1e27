"""Shards of documents: against runs and judgments from which the others are struck out."""

from typing import Any

import numpy as np
import pytest
from calls import read_judged

import rankwise
from rankwise.errors import CallError
from rankwise.experiments.stability.shards import Sharding

METRICS = ["AP", "P@5", "RBP(p=0.8,ties=share)", "nDCG@10", "Bpref", "SearchLength"]


def collection(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Documents that several topics share, scores that tie, a topic without judgments left."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(40)]
    qrels = {
        topic: {str(name): int(rng.integers(0, 3)) for name in rng.choice(names, 12, replace=False)}
        for topic in ("1", "2", "3")
    }
    qrels["4"] = {"d1": 1}
    runs = {
        run: {
            topic: {
                str(name): float(rng.integers(0, 6))
                for name in rng.choice(names, 20, replace=False)
            }
            for topic in ("1", "2", "4", "3")[: 4 - (run == "b")]
        }
        for run in ("a", "b", "c")
    }
    return qrels, runs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("depth", [None, 6])
def test_a_shard_is_scored_as_if_the_other_documents_did_not_exist(
    seed: int, depth: int | None
) -> None:
    qrels, runs = collection(seed)
    metrics = METRICS if depth is None else [name for name in METRICS if "share" not in name]
    judged = read_judged(qrels, runs, retrieved=True, share_ties=True)
    sharding = Sharding.of(judged)
    kept = sharding.drawn(0.4, seed)
    names = set(judged.retrieved.names.filter(kept))  # type: ignore[union-attr]
    assert 10 <= len(names) <= 17
    [shard] = sharding.blocks(kept, depth, None)
    found = rankwise.scores.engine.score_judged(
        shard, rankwise.metrics.parse_all(metrics), unjudged="retrieved"
    )
    fewer = {t: {d: g for d, g in rows.items() if d in names} for t, rows in qrels.items()}
    fewer = {topic: rows or {"nowhere": 0} for topic, rows in fewer.items()}
    there = {
        run: {t: {d: s for d, s in rows.items() if d in names} for t, rows in topics.items()}
        for run, topics in runs.items()
    }
    plain = rankwise.score(rankwise.read(fewer, there, depth=depth), metrics=metrics, bounds=True)
    for one, other in ((found.value, plain.value), (found.low, plain.low)):
        assert one == pytest.approx(other, nan_ok=True)
    assert np.isfinite(found.value).sum() > 40


def test_the_last_level_is_the_whole_collection_and_shards_are_nested() -> None:
    qrels, runs = collection(1)
    found = rankwise.stability(qrels, runs, METRICS, by="shard", at=[0.5], resamples=3, seed=7)
    assert found.levels == (0.5, 1.0) and found.repeats == 3
    means = rankwise.score(qrels, runs, METRICS).mean()["value"].to_numpy().reshape(6, 3)
    assert found.value[:, 1, 0] == pytest.approx(means)
    assert (found.frame.filter(keep=1.0)["tau"].drop_nulls() == 1).all()
    assert str(found.notes[-1]) == "each row uses 3 random shards; the random seed is 7"
    sharding = Sharding.of(read_judged(qrels, runs, retrieved=True))
    assert not (sharding.drawn(0.2, 3) & ~sharding.drawn(0.6, 3)).any()


def test_what_does_not_go_with_shards_is_refused() -> None:
    qrels, runs = collection(1)
    with pytest.raises(CallError, match="cannot be combined with `groups`"):
        rankwise.stability(qrels, runs, "AP", by="shard", groups={"a": "g", "b": "g", "c": "h"})
    with pytest.raises(CallError, match=r"1\.5"):
        rankwise.stability(qrels, runs, "AP", by="shard", at=[1.5])
