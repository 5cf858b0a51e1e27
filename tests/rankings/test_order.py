"""rank_rows against a plain sort, and the numbers of judgments after a join."""

from random import Random

import numpy as np
import polars as pl
import pytest
from calls import read_judged

from rankwise.rankings.order import rank_rows
from rankwise.rankings.run import Run
from rankwise.vocabulary import Order


def run_at_random(random: Random) -> Run:
    """Rows of some topics in any order, with ties; a topic may stand in several places."""
    rows = [
        (f"t{topic}", f"d{document}", random.choice([0.0, 0.5, 0.5, 1.0, random.random()]), rank)
        for topic in range(random.randint(1, 4))
        for rank, document in enumerate(random.sample(range(12), random.randint(1, 9)), start=1)
    ]
    if random.random() < 0.7:
        random.shuffle(rows)
    return Run(pl.DataFrame(rows, ["topic", "document", "score", "rank"], orient="row"))


def plainly_ranked(run: Run, order: Order) -> list[tuple[int, int, int]]:
    """(rank, first and last rank of its tie) of each row."""
    rows = list(enumerate(run.frame.select("topic", "document", "score", "rank").rows()))
    values = {
        "score": [row[2] for _, row in rows],
        "rank": [-row[3] for _, row in rows],
        "file": [-at for at, _ in rows],
    }[order]
    found = {}
    for topic in {row[0] for _, row in rows}:
        mine = [(values[at], row[1], at) for at, row in rows if row[0] == topic]
        mine.sort(key=lambda one: one[1], reverse=True)
        mine.sort(key=lambda one: -one[0])
        for rank, (score, _, at) in enumerate(mine, start=1):
            tied = [place for place, other in enumerate(mine, start=1) if other[0] == score]
            found[at] = (rank, tied[0], tied[-1])
    return [found[at] for at in range(len(rows))]


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_rows_are_ranked_as_a_plain_sort_does(order: Order) -> None:
    random = Random(7)
    for _ in range(150):
        run = run_at_random(random)
        places = rank_rows(run, order).all_places()
        assert list(zip(*map(np.ndarray.tolist, places), strict=True)) == plainly_ranked(run, order)


def test_the_grade_of_a_row_is_that_of_its_judgment() -> None:
    random, tried = Random(3), 0
    for _ in range(30):
        names = [f"d{at}" for at in range(8)]
        qrels = {
            topic: {name: random.randint(-1, 3) for name in random.sample(names, 5)}
            for topic in "123"
        }
        runs = {
            run: {topic: {name: random.random() for name in names} for topic in "2134"}
            for run in "ab"
        }
        judged = read_judged(qrels, runs)
        assert judged.judgment is not None
        assert (judged.topic_grades[judged.judgment] == judged.grade).all()
        for number in np.unique(judged.judgment):
            rows = judged.ranking[judged.judgment == number]
            assert len(set(judged.topic[rows])) == 1  # a document of one topic, in each run once
            assert len(set(rows)) == len(rows)
        tried += len(judged.grade)
    assert tried > 500
