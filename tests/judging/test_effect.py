"""What to judge next by what each document by itself would do to the scores."""

import polars as pl
import pytest

import rankwise
from rankwise import Qrels, read_qrels, simulate
from rankwise.judging import plan_judgments
from rankwise.judging.effect import plan_by_effect
from rankwise.metrics import parse
from rankwise.rankings.join import read_judged

MADE = simulate(topics=6, systems=5, depth=20, pool_depth=4, seed=3)
BINARY = MADE.qrels.frame.select("topic", "document", pl.col("grade").clip(0, 1))
QRELS = read_qrels(BINARY)


def with_relevant(topic: str, document: str) -> Qrels:
    """The judgments, and one document more."""
    more = pl.DataFrame({"topic": [topic], "document": [document], "grade": [1]})
    return read_qrels(pl.concat([BINARY, more.cast(dict(BINARY.schema))]))


@pytest.mark.parametrize("baseline", [None, "system2"])
@pytest.mark.parametrize("metric", ["AP", "nDCG@10", "RR", "Recall@20", "RBP(p=0.8)"])
def test_an_effect_is_what_judging_that_document_relevant_changes(
    metric: str, baseline: str | None
) -> None:
    judged = read_judged(QRELS, MADE.runs, retrieved=True)
    frame = plan_by_effect(judged, parse(metric), 10, baseline).frame
    before = rankwise.score(QRELS, MADE.runs, metric).to_dict()
    assert frame.height == 10 and frame["effect"].round(9).is_sorted(descending=True)
    for topic, document, effect, *_ in frame.iter_rows():
        after = rankwise.score(with_relevant(topic, document), MADE.runs, metric).to_dict()
        moved = {run: after[run][metric] - before[run][metric] for run in before}
        base = 0.0 if baseline is None else moved[baseline]
        assert effect == pytest.approx(sum(abs(one - base) for one in moved.values()))


def test_by_a_sum_of_weights_effects_are_weights_over_the_topics() -> None:
    judged = read_judged(QRELS, MADE.runs, retrieved=True)
    ours = plan_by_effect(judged, parse("RBP(p=0.8)"), 8).frame
    theirs = plan_judgments(QRELS, MADE.runs, "RBP(p=0.8)", 8).frame
    assert ours["document"].to_list() == theirs["document"].to_list()
    assert ours["effect"].to_list() == pytest.approx((theirs["weight"] / 6).to_list())
