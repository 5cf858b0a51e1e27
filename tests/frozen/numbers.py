"""The numbers of the collection in this folder, as text; `make freeze` writes them anew.

The collection was made once, by `rankwise simulate --topics 6 --systems 5 --depth 40
--pool-depth 8 --seed 13`, and is kept: what `simulate` makes may change, these files do not.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from table import EXAMPLES

import rankwise

HERE = Path(__file__).parent
QRELS = HERE / "collection" / "qrels.txt"
RUNS = sorted((HERE / "collection" / "runs").iterdir())

STUDIES: dict[str, dict[str, str | int | float]] = {
    "moffat-zobel-2008": {"pool_depth": 4},
    "zhang-park-moffat-2008": {},
    "ahlgren-gronqvist-2007": {"splits": 50, "repeats": 2},
    "moffat-2013": {"depth": 4},
    "sakai-2007": {"systems": 4, "resamples": 100},
}


def scores() -> str:
    """Each setting of each metric: one row per run; its score per topic, the bounds of its mean."""
    found = [
        rankwise.score(QRELS, RUNS, EXAMPLES, bounds=True, unjudged=unjudged)
        for unjudged in ("own", "retrieved", "open")
    ]
    ends = [pl.Series(scored.mean()[end]) for scored in found for end in ("low", "high")]
    shut = found[0]
    rows = []
    for place, example in enumerate(EXAMPLES):
        for at, run in enumerate(shut.runs):
            mean = [column[place * len(shut.runs) + at] for column in ends]
            cells = [*shut.value[place, at], *mean]
            rows.append([example, run, *(number(cell, 12) for cell in cells)])
    head = ["metric", "run", *shut.topics, "own low", "own high", "low", "high"]
    head += ["open low", "open high"]
    return as_csv(pl.DataFrame(rows, schema=head, orient="row"))


def comparison() -> str:
    found = rankwise.compare(QRELS, RUNS, ["AP", "nDCG@10", "RBP(p=0.8)"])
    return as_csv(rounded(found.frame, 12))


def study(paper: str) -> str:
    """All tables of a study, the numbers under its figures among them."""
    with TemporaryDirectory() as folder:
        left = rankwise.study(
            paper, QRELS, RUNS, folder, parameters=STUDIES[paper], seed=1, complete_runs=False
        )
        parts = [part.name for part in left.paper.parts]
        tables = [as_csv(rounded(left.table(part), 7)) for part in parts]
    return "\n".join(f"# {part}\n{table}" for part, table in zip(parts, tables, strict=True))


def number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def rounded(frame: pl.DataFrame, digits: int) -> pl.DataFrame:
    return frame.select(
        pl.Series(column.name, [number(cell, digits) for cell in column])
        if column.dtype.is_float()
        else column
        for column in frame
    )


def as_csv(frame: pl.DataFrame) -> str:
    return frame.write_csv()


FILES: dict[str, Callable[[], str]] = {
    "scores.csv": scores,
    "comparison.csv": comparison,
    **{f"{paper}.csv": partial(study, paper) for paper in STUDIES},
}

if __name__ == "__main__":
    for name, make in FILES.items():
        (HERE / name).write_text(make(), encoding="utf-8")
        print(f"wrote {HERE / name}")
