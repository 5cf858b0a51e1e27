"""Use of rankwise with PyTerrier's experiments: significance tests, scores and data frames.

    import pyterrier as pt
    from rankwise.integrations.pyterrier import scores, significance_test

    pt.Experiment(systems, topics, qrels, ["map"], baseline=0, test=significance_test("bootstrap"))
    rankwise.compare(scores(pt.Experiment(systems, topics, qrels, ["map"], perquery=True)))

After `rankwise.integrations.ir_measures.install()`, rankwise also computes the measures.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.comparison import FAMILYWISE, TestOptions
from rankwise.errors import CallError, InputError, check_word
from rankwise.formats import to_polars
from rankwise.rankings import Qrels, Run, rank_rows
from rankwise.scores import Scores, scores_from_matrices
from rankwise.vocabulary import Test, Zeros

__all__ = ["Significance", "scores", "significance_test", "to_pandas"]

FIRST_RANK = 0  # PyTerrier's ranks start at 0
PER_QUERY = ["name", "qid", "measure", "value"]


class Significance(NamedTuple):
    """Result of a test with the fields of SciPy's tests; PyTerrier reads the p-value."""

    statistic: float  # the mean difference
    pvalue: float


def significance_test(
    test: Test = "t", *, resamples: int | None = None, seed: int = 0, zeros: Zeros = "drop"
) -> Callable[[Any, Any], Significance]:
    """Return a significance test of `compare` as a function for PyTerrier's argument `test`.

    Parameters
    ----------
    test
        `t`, `wilcoxon`, `sign`, `permutation` or `bootstrap`.
    resamples
        Number of permutations or bootstrap resamples.
    seed
        Random seed.
    zeros
        Treatment of differences of 0 in Wilcoxon's test.

    Examples
    --------
    >>> significance_test("permutation")([0.5, 0.25, 1.0, 0.75], [0.25, 0.0, 0.5, 0.5])
    Significance(statistic=0.3125, pvalue=0.125)
    """
    allowed = [name for name in get_args(Test) if name not in FAMILYWISE]
    check_word("test", test, allowed)
    options = TestOptions(test=test, correction="none", resamples=resamples, seed=seed, zeros=zeros)

    def tested(first: Any, second: Any) -> Significance:
        values: Floats = np.array([first, second], np.float64)
        p = options.p_values(values, np.array([0]), np.array([1]))
        return Significance(float(np.nanmean(values[0] - values[1])), float(p[0]))

    return tested


def scores(perquery: Any) -> Scores:
    """Convert the result of `pt.Experiment(…, perquery=True)` to `Scores`.

    Parameters
    ----------
    perquery
        A frame with the columns name, qid, measure and value.

    Examples
    --------
    >>> rows = [("bm25", "1", "map", 0.5), ("bm25", "2", "map", 0.25)]
    >>> scores(pl.DataFrame(rows, PER_QUERY, orient="row")).to_dict()
    {'bm25': {'map': 0.375}}
    """
    frame = to_polars(perquery)
    if frame is None or not set(PER_QUERY) <= set(frame.columns):
        actual = type(perquery).__name__ if frame is None else f"columns {', '.join(frame.columns)}"
        what = f"a data frame with columns {', '.join(PER_QUERY)} is needed, not {actual}."
        raise InputError("the results", what)
    frame = frame.select(pl.col("name", "qid", "measure").cast(pl.String), "value")
    repeated = frame.filter(frame.select("name", "qid", "measure").is_duplicated())
    if repeated.height:
        name, topic, measure, _ = repeated.row(0)
        what = f"system {name!r} has two values of {measure} for topic {topic}"
        raise InputError("the results", f"{what}. Give each system its own name.")
    matrices = {
        str(measure): part.pivot("name", index="qid", values="value").rename({"qid": "topic"})
        for (measure,), part in frame.partition_by("measure", as_dict=True).items()
    }
    return scores_from_matrices(matrices)


def to_pandas(given: Run | Qrels | Scores) -> Any:
    """Convert a run, judgments or scores to a pandas frame with PyTerrier's columns.

    Parameters
    ----------
    given
        A `Run` (qid, docno, score, rank from 0), `Qrels` (qid, docno, label), or `Scores` (name,
        qid, measure, value, as with `perquery=True`). Labels are the grades as read: numbers with
        decimals if some grades are fractions.
    """
    if isinstance(given, Run):
        rank = rank_rows(given, "score").all_places().rank - 1 + FIRST_RANK
        columns = {"topic": "qid", "document": "docno"}
        frame = given.frame.select("topic", "document", "score").rename(columns)
        frame = frame.with_columns(pl.Series("rank", rank))
    elif isinstance(given, Qrels):
        names = {"topic": "qid", "document": "docno", "grade": "label"}
        frame = given.as_read.select(*names).rename(names)
    elif isinstance(given, Scores):
        names = {"run": "name", "topic": "qid", "metric": "measure", "value": "value"}
        frame = given.frame.select(*names).rename(names)
    else:
        raise CallError(f"a {type(given).__name__} is given; a Run, Qrels or Scores is needed.")
    try:
        return frame.to_pandas()
    except ModuleNotFoundError as error:
        raise CallError(f"to_pandas needs {error.name}: pip install pandas pyarrow.") from None
