"""Moffat (2013): seven numeric properties of effectiveness metrics."""

from functools import cache
from itertools import accumulate

import numpy as np
import polars as pl

from papers_page.data import Data
from papers_page.figures import Row
from papers_page.page import Paper, Part
from rankwise import WeightedPrecision, parse, properties, score_gains
from rankwise.experiments.properties import Properties
from rankwise.experiments.properties.search import SEVEN
from rankwise.judging import weight_left

TABLE_2 = {
    "DCG@k": "No Yes Yes Yes Yes Yes No",
    "SP@k": "No Yes Yes Yes Yes Yes No",
    "RPrec@k": "Yes No No No No No Yes",
    "SN-DCG@k": "Yes No No Yes Yes No Yes",
    "SN-AP@k": "Yes No No Yes Yes No Yes",
    "Prec@k": "Yes No Yes No Yes Yes No",
    "NDCG@k": "Yes No Yes Yes No No Yes",
    "SDCG@k": "Yes No Yes Yes Yes Yes No",
    "HIT@k": "Yes Yes No No Yes Yes Yes",
    "RR@k": "Yes Yes No No Yes Yes Yes",
    "Recall@k": "Yes Yes Yes No No No No",
    "AP@k": "Yes Yes Yes Yes No No No",
    "RBP@k": "Yes Yes Yes Yes Yes Yes No",
}
NOTES = {
    "SN-DCG@k": "complete:d",
    "SN-AP@k": "complete:d",
    "Prec@k": "realizable:e",
    "SDCG@k": "realizable:e",
    "HIT@k": "convergent:b top-weighted:b",
    "RR@k": "convergent:b top-weighted:b localized:c complete:c",
    "Recall@k": "realizable:f",
    "AP@k": "realizable:f",
    "RBP@k": "monotonic:a convergent:a localized:a",
}


def of(metric: str, ranking: str, relevant: int | None = None) -> float:
    """Return the score of a ranking such as 10100; `relevant` is R."""
    judged = None if relevant is None else [1] * relevant + [0] * len(ranking)
    return score_gains(metric, [int(digit) for digit in ranking], judged=judged)


@cache
def searched() -> Properties:
    return properties(grades=(0, 1))


def gain(_: Data) -> list[Row]:
    dcg, squares = parse("DCG@1000"), parse("InvSq")
    assert isinstance(dcg, WeightedPrecision)
    assert isinstance(squares, WeightedPrecision)
    below = weight_left(squares, 100)
    weights = dcg.weight(np.arange(1, 1001))
    needed = 1 + sum(total < 123 for total in accumulate(weights.tolist()))
    return [
        Row("number of relevant documents at the top for DCG = 123.0", "1,000", needed),
        Row("DCG@5 of 11000", "1.63", of("DCG@5", "11000")),
        Row("DCG@11 of 00000111111", "> 1.63", of("DCG@11", "00000111111")),
        Row("weights of ranks 1 to 5", "1.00 0.63 0.50 0.43 0.39", weights[:5].tolist()),
        Row("SDCG@5 of 11000", "0.55", of("SDCG@5", "11000")),
        Row("weights 1 / (i (i + 1)): their sum", "1", of("InvSq", "1" * 100) + below),
    ]


def normalised(_: Data) -> list[Row]:
    cut = "0.8855; truncated, not rounded"
    return [
        Row("SN-DCG@5 of 10100", "0.92", of("SN-DCG@5", "10100")),
        Row(
            "DCG@5 of 10101 and of 11100", "1.89 2.13", [of("DCG@5", "10101"), of("DCG@5", "11100")]
        ),
        Row("SN-DCG@5 of 10101", "0.88", of("SN-DCG@5", "10101"), cut),
    ]


def counterexamples(_: Data) -> list[Row]:
    metrics = ("P", "SDCG", "NDCG")
    five, six = (
        [of(f"{name}@{len(ranking)}", ranking, 6) for name in metrics]
        for ranking in ("11111", "111110")
    )
    rr = [of("RR@5", ranking) for ranking in ("01000", "01100", "10001", "11000")]
    return [
        Row("P@5, SDCG@5, NDCG@5 of 11111", "1.0 1.0 1.0", five),
        Row("P@6, SDCG@6, NDCG@6 of 111110, R > 5", "0.83 0.89 0.89", six),
        Row(
            "SN-AP@5 of 10000 and of 10001",
            "1.0 0.7",
            [of("SN-AP@5", "10000"), of("SN-AP@5", "10001")],
        ),
        Row("RR@5 of 01000 and of 01100", "the same", "the same" if rr[0] == rr[1] else "not"),
        Row("RR@5 of 10001 and of 11000", "the same", "the same" if rr[2] == rr[3] else "not"),
    ]


def table_2(_: Data) -> list[Row]:
    found = searched()
    holds = {
        name: answers for name, *answers in found.matrix().select("metric", *SEVEN).iter_rows()
    }
    noted = found.frame.filter(pl.col("note") != "").iter_rows(named=True)
    letters: dict[str, list[str]] = {name: [] for name in NOTES}
    for row in noted:
        letters[row["name"]].append(f"{row['property']}:{row['note']}")
    words = {True: "Yes", False: "No"}
    return [
        *(Row(name, TABLE_2[name], [words[one] for one in holds[name]]) for name in TABLE_2),
        *(Row(f"notes of {name}", NOTES[name], letters[name]) for name in NOTES),
    ]


def combinations(_: Data) -> list[Row]:
    kinds = searched().matrix().select(SEVEN)
    convergent_top = kinds.select("convergent", "top-weighted").n_unique()
    return [
        Row("metrics", "13", len(kinds)),
        Row("different combinations of properties", "10", kinds.n_unique()),
        Row("most properties of a metric", "6", max(sum(kind) for kind in kinds.rows())),
        Row("properties of RBP@k", "6", sum(kinds.row(-1))),
        Row("combinations of convergent and top-weighted, of four", "4", convergent_top),
        Row(
            "combinations of complete and realizable, of four",
            "4",
            kinds.select("complete", "realizable").n_unique(),
        ),
    ]


PAPER = Paper(
    "Moffat 2013",
    "Seven numeric properties of effectiveness metrics. *AIRS 2013*, LNCS 8281.",
    (
        Part("Section 2: discounted cumulative gain", gain),
        Part("Section 3: self-normalised metrics", normalised),
        Part("Section 4: counterexamples", counterexamples),
        Part(
            "Table 2: properties of each metric",
            table_2,
            "The properties are bounded, monotonic, convergent, top-weighted, localized, complete "
            "and realizable, found by the search that [properties](properties.md) describes. The "
            "letters are the notes of the paper that the search confirms.",
        ),
        Part("Section 4: combinations of properties", combinations),
    ),
    "- Table 1 has no numbers. `rankwise study moffat-2013` has it with scores.",
)
