"""pytrec_eval's interface: `import rankwise.compat.pytrec_eval as pytrec_eval`.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.3"})
>>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.5}})
{'q1': {'map': 0.5, 'ndcg_cut_3': 0.6309297535714575}}

Names, results and error types are those of pytrec_eval-terrier, which wraps version 9 of
trec_eval, with the exceptions that docs/tools/pytrec_eval.md lists and explains.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from math import log
from typing import Any

import numpy as np

from rankwise.arrays import Floats
from rankwise.compat.trec_eval import row_values
from rankwise.compat.trec_eval.measures import (
    CUTOFFS,
    FRACTIONS,
    NICKNAMES,
    ORDER,
    Request,
    Row,
    wanted_rows,
)
from rankwise.errors import RankwiseError, did_you_mean
from rankwise.lazy import pl
from rankwise.rankings import Collection, Judgments, Run, judge_singles, read_judgments
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN
from rankwise.wording import Count

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

Nested = Mapping[str, Mapping[str, Any]]

SINCE_VERSION_10 = {"ideal_dcg", "dcg", "yaap", "rbp", "rbp_resid", "unj"}
MANY = {*CUTOFFS, *FRACTIONS}  # measures with one value per parameter
supported_measures = set(ORDER) - SINCE_VERSION_10
supported_nicknames = {name: set(of) - SINCE_VERSION_10 for name, of in NICKNAMES.items()}
GREATEST_GRADE = 2**31 - 1
UNREADABLE = "Unable to extract query/object scores"
WITH_NUMBERS = re.compile(r"(\w+?)[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", re.ASCII)


class RelevanceEvaluator:
    """Scores of runs by topic, with the interface of `pytrec_eval.RelevanceEvaluator`."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        for flag in (relevance_level, judged_docs_only_flag):
            if not isinstance(flag, int):
                what = "relevance_level and judged_docs_only_flag are integers"
                raise TypeError(f"{what}; {flag!r} is given.")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        if not isinstance(query_relevance, Mapping):
            raise TypeError("Argument query_relevance should be of type dictionary.")
        _check_grades(query_relevance)
        self._judgments = {topic: grades for topic, grades in query_relevance.items() if grades}
        self._rows = _rows(_combined(measures), relevance_level)
        self._level = relevance_level
        self._judged_only = bool(judged_docs_only_flag)
        self._last: tuple[frozenset[str], Judgments | None] = (frozenset(), None)
        if self._judgments:  # prepare for all topics, which most runs have
            self._prepared(list(self._judgments))

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return {topic: {measure: value}} for the topics of the run that have judgments.

        `scores` is the run: {topic: {document: score}}.
        """
        if not scores:
            return {}
        _check_topics(scores)
        topics = [topic for topic in scores if topic in self._judgments]
        if len(topics) < len(scores):
            _check_scores({topic: scores[topic] for topic in scores.keys() - set(topics)})
        found = [topic for topic in topics if scores[topic]]
        names = [row.name for row in self._rows]
        columns = self._values(found, scores).T.tolist() if found else []
        values = dict(zip(found, columns, strict=True))
        # For a geometric mean pytrec_eval returns 0, which is the logarithm of a perfect score.
        # Here it is the logarithm of the smallest value.
        least = {"geometric": log(LEAST_IN_GEOMETRIC_MEAN)}
        for topic in topics:
            if topic not in values:  # a ranking without documents
                relevant = sum(grade >= self._level for grade in self._judgments[topic].values())
                known = {"num_q": 1.0, "num_rel": float(relevant)}
                values[topic] = [
                    known.get(row.name, least.get(row.average, 0.0)) for row in self._rows
                ]
        return {topic: dict(zip(names, values[topic], strict=True)) for topic in topics}

    def _values(self, topics: list[str], scores: Nested) -> Floats:
        """Return values of shape (measures, topics), in the order of the topics."""
        given, judgments = {topic: scores[topic] for topic in topics}, self._prepared(topics)
        judged = judge_singles(judgments, given)  # None without the kernel or for other types
        if judged is None:
            _check_scores(given)
            judged = Collection(judgments, Run(_frame(given))).judged()
        if self._judged_only:
            judged = judged.condensed()
        place = {topic: at for at, topic in enumerate(judged.topics)}
        values = row_values(judged, self._rows, self._level)[:, [place[t] for t in topics]]
        for row, value in zip(self._rows, values, strict=True):
            if row.average == "geometric":
                np.log(np.maximum(value, LEAST_IN_GEOMETRIC_MEAN), out=value)
        return values

    def _prepared(self, topics: list[str]) -> Judgments:
        """Return the judgments of these topics, cached because many runs have the same topics."""
        before, prepared = self._last
        if prepared is None or before != frozenset(topics):
            some = {topic: self._judgments[topic] for topic in topics}
            prepared = read_judgments(some)
            self._last = (frozenset(topics), prepared)
        return prepared


def _rows(measures: Mapping[str, set[str]], level: int) -> list[Row]:
    """Return the output rows of trec_eval 10, with the names and the rounding of version 9."""
    rows = []
    for name in (each for each in ORDER if each in measures):
        asked = ".".join([name, *([",".join(sorted(measures[name]))] if measures[name] else [])])
        try:
            found = wanted_rows(Request([asked], level=level))
        except RankwiseError as error:
            raise ValueError(f"unsupported measure {asked}: {error.reason}") from None
        for row in found:
            metrics = tuple(
                metric.altered(rounding="up") if "rounding" in metric.parameters else metric
                for metric in row.metrics
            )
            rows.append(replace(row, name=row.name if name in MANY else name, metrics=metrics))
    return rows


def _combined(measures: Iterable[str]) -> dict[str, set[str]]:
    """Return {measure: parameters}, with nicknames such as `official` expanded.

    A measure with parameters is written `P.5,10` or `P_5,10`, possibly several times. Its default
    parameters are used only if none are given.
    """
    combined: dict[str, set[str]] = defaultdict(set)
    for given in measures:
        if not isinstance(given, str):
            raise TypeError(f"{given!r} is not the name of a measure.")
        for measure in supported_nicknames.get(given, {given}):
            matched = WITH_NUMBERS.fullmatch(measure)
            if measure in supported_measures:
                combined[measure] |= set()
            elif matched and matched[1] in supported_measures:
                combined[matched[1]] |= set(matched[2].split(","))
            else:
                near = did_you_mean(measure, [*supported_nicknames, *supported_measures])
                raise ValueError(f"unsupported measure {measure}.{near}")
    return combined


def _check_grades(judgments: Mapping[Any, Any]) -> None:
    for topic, grades in judgments.items():
        where = f"topic {topic!r}"
        if not isinstance(topic, str):
            raise TypeError(f"Expected string as key, not topic {topic!r}.")
        if not isinstance(grades, dict):
            raise TypeError(f"Expected dictionary as value ({where}).")
        if not _all(grades, str):
            what = "Expected mapping of document id to query relevance or matching score"
            raise TypeError(f"{what} ({where}).")
        if not _all(grades.values(), int):
            raise TypeError(f"Expected relevance to be integer ({where}).")
        if grades and max(map(abs, grades.values())) > GREATEST_GRADE:
            raise OverflowError(f"a grade of {where} is beyond ±{GREATEST_GRADE:,}.")


def _check_topics(scores: Any) -> None:
    if not isinstance(scores, dict):
        raise TypeError("Argument object scores should be of type dictionary.")
    for topic, documents in scores.items():
        if not isinstance(topic, str):
            raise TypeError(f"{UNREADABLE}: a topic is not text.")
        if not isinstance(documents, dict):
            raise TypeError(f"{UNREADABLE}: topic {topic!r} is not {{document: score}}.")


def _check_scores(scores: Nested) -> None:
    for topic, documents in scores.items():
        if not _all(documents, str):
            raise TypeError(f"{UNREADABLE}: topic {topic!r} is not {{document: score}}.")
        if not _all(documents.values(), int, float):
            what = f"a score of topic {topic!r} is not an int or a float"
            raise TypeError(f"{UNREADABLE}: {what}.")


def _all(values: Iterable[Any], *kinds: type) -> bool:
    return all(issubclass(kind, kinds) for kind in set(map(type, values)))


def _frame(given: Nested) -> pl.DataFrame:
    """Return a run as a frame with columns topic, document and score.

    Scores are rounded to single precision, as in trec_eval 9, so scores that become equal are tied.
    """
    lengths = [len(documents) for documents in given.values()]
    topics = pl.Series(list(given), dtype=pl.String)
    documents = pl.Series(list(chain.from_iterable(given.values())), dtype=pl.String)
    values = chain.from_iterable(documents.values() for documents in given.values())
    with np.errstate(over="ignore"):
        numbers = np.fromiter(values, np.float64, len(documents)).astype(np.float32)
    if np.isnan(numbers).any():
        raise ValueError("a score is NaN, which cannot be ranked.")
    topic = topics.gather(np.repeat(np.arange(len(lengths)), lengths))
    score = numbers.astype(np.float64)
    return pl.DataFrame({"topic": topic, "document": documents, "score": score})


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return {topic: {document: score}} from the lines of a run in TREC format."""
    return _parsed(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return {topic: {document: grade}} from the lines of judgments in TREC format."""
    return _parsed(f_qrel, 4, 3, int)


def _parsed(lines: Iterable[str], width: int, place: int, kind: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != width:
            count = Count(len(fields), "field")
            raise ValueError(f"line {number}: {count} instead of {width}.")
        topic, document = fields[0], fields[2]
        if document in found[topic]:
            raise AssertionError(f"line {number}: document {document} twice in topic {topic}.")
        found[topic][document] = kind(fields[place])
    return found


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Return the aggregate of the values of a measure, one value per topic.

    The aggregate is the sum for counts (`num_…`), the geometric mean for `gm_…`, and the mean for
    all other measures. The values of `gm_…` must be logarithms of scores, as in `evaluate`.

    >>> compute_aggregated_measure("num_ret", [3.0, 4.0])
    7.0
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if not len(values):
        return float("nan")
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))
