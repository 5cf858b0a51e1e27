"""Provider of rankwise for ir_measures; `install()` makes it the provider that is tried first.

>>> import ir_measures
>>> from rankwise.integrations.ir_measures import install, measure, uninstall
>>> install()
>>> qrels, run = {"1": {"a": 2, "b": 0}}, {"1": {"a": 0.5, "b": 0.7}}
>>> ir_measures.AP.calc_aggregate(qrels, run), measure("Q").calc_aggregate(qrels, run)
(0.5, 0.75)
>>> uninstall()

The scores of a measure follow the definition of ir_measures. docs/tools/ir_measures.md explains
differences from other providers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.errors import CallError, MetricError, WrongParameter, did_you_mean
from rankwise.metrics import REGISTRY, Metric, parse
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Run,
    from_vectors,
    read_judgments,
    read_runs,
)
from rankwise.scores import score_judged

try:
    import ir_measures
    from ir_measures import measures, providers, util
    from ir_measures.providers.base import NOT_PROVIDED
except ModuleNotFoundError as error:
    if error.name != "ir_measures":
        raise
    what = "rankwise.integrations.ir_measures needs ir_measures: pip install ir-measures."
    raise ModuleNotFoundError(what, name=error.name) from None

__all__ = ["RankwiseMeasure", "RankwiseProvider", "install", "measure", "uninstall"]

# Names of measures of ir_measures, and of our metrics with the same formula. Measures that have
# only a similar name are not listed.
SERVED = {
    **{name: name for name in ("AP", "Accuracy", "BPM", "Bpref", "Compat", "ERR", "INSQ", "INST")},
    **{name: name for name in ("IPrec", "Judged", "NERR8", "NERR9", "NERR10", "NERR11", "NumQ")},
    **{name: name for name in ("NumRel", "NumRet", "P", "RBP", "RR", "Rprec", "SDCG", "SetAP")},
    **{name: name for name in ("SetF", "SetP", "SetR", "Success", "infAP", "nDCG")},
    **{name: name for name in ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")},
    **{name: name for name in ("AP_IA", "P_IA", "StRecall")},
    "R": "Recall",
}
# cwl_eval defines the measures in OF_CWL. It uses only this number of documents of a ranking.
CWL_DEPTH = 1000
OF_CWL = ("RBP", "INSQ", "INST", "NERR10", "NERR11")
HIGHEST_GRADE_OF_GDEVAL = 4


class RankwiseMeasure(measures.Measure):
    """A metric of rankwise as a measure of ir_measures: `Q(beta=2) @ 10`."""

    def __init__(self, metric: type[Metric], **parameters: Any) -> None:
        super().__init__(**parameters)
        self.kind = metric
        self.NAME = self.__name__ = metric.__name__
        self.AT_PARAM = metric.at
        declared = [field.name for field in fields(metric)]
        self.SUPPORTED_PARAMS = {name: measures.ParamInfo() for name in declared}
        for name in parameters:
            if name not in declared:
                takes = f"it takes {', '.join(declared) or 'none'}"
                near = did_you_mean(name, declared)
                raise WrongParameter(f"{self.NAME} has no parameter {name!r}; {takes}.{near}")

    def __call__(self, **parameters: Any) -> "RankwiseMeasure":
        return RankwiseMeasure(self.kind, **{**self.params, **parameters})

    @property
    def metric(self) -> Metric:
        """The metric with its parameters. A missing required parameter raises an error."""
        if not self.params:
            return parse(self.kind)
        for field in fields(self.kind):
            if field.default is MISSING and field.name not in self.params:
                raise WrongParameter(f"{self.NAME} needs the parameter {field.name}.")
        return self.kind(**self.params)

    def validate_params(self) -> None:
        self.validated = bool(self.metric)

    def aggregator(self) -> Any:
        return measures.SumAgg() if self.metric.aggregate == "sum" else measures.MeanAgg()

    def __repr__(self) -> str:
        try:
            return str(self.metric)
        except MetricError:  # a required parameter is still missing
            return f"{self.NAME}(…)"


def measure(metric: str | Metric | type[Metric]) -> RankwiseMeasure:
    """Return a metric of rankwise, or a user-defined metric, as a measure of ir_measures.

    >>> measure("Q(beta=2)") @ 10
    Q(beta=2)@10
    """
    given = parse(metric)
    declared = {field.name: field.default for field in fields(given)}
    values = {name: getattr(given, name) for name in declared}
    own = {name: value for name, value in values.items() if value != declared[name]}
    return RankwiseMeasure(type(given), **own)


def _served(asked: Any) -> Metric | None:
    """Return the metric that computes a measure of ir_measures, or None if there is none."""
    if isinstance(asked, RankwiseMeasure):
        return asked.metric
    if asked.NAME not in SERVED or hasattr(asked, "runtime_impl"):
        return None
    kind = REGISTRY[SERVED[asked.NAME]]
    values = {name: asked[name] for name in asked.SUPPORTED_PARAMS}
    values = {name: value for name, value in values.items() if value is not NOT_PROVIDED}
    if asked.NAME == "NumRet" and "rel" in values:
        kind = REGISTRY["NumRelRet"]
    if asked.NAME == "RBP" and "rel" not in values:
        return None  # graded, in a way that ir_measures does not define
    if kind.uses_subtopics and values.get("judged_only") is False:
        del values["judged_only"]  # our metrics over subtopics do not have this parameter
    if asked.NAME in OF_CWL:
        values.setdefault("cutoff", CWL_DEPTH)
    if asked.NAME == "ERR":
        values["max_rel"] = HIGHEST_GRADE_OF_GDEVAL
    try:
        return kind(**values)
    except (MetricError, TypeError):  # a cutoff is missing, or a value is not allowed
        return None


class RankwiseProvider(providers.Provider):
    """Provider of ir_measures that computes measures with rankwise."""

    NAME = "rankwise"

    def supports(self, measure: Any) -> bool:
        measure.validate_params()
        return _served(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "RankwiseEvaluator":
        return RankwiseEvaluator(list(measures), qrels)


class RankwiseEvaluator(providers.Evaluator):
    """Evaluator that scores several runs against the same judgments."""

    def __init__(self, asked: list[Any], qrels: Any) -> None:
        self._metrics = [_found(measure) for measure in asked]
        converter = util.QrelsConverter(qrels)
        given: Any = None
        if any(metric.uses_subtopics for metric in self._metrics):
            given = _with_subtopics(converter)
        if given is None:
            columns = ["query_id", "doc_id", "relevance"]
            given = _readable(converter, converter.as_dict_of_dict, columns)
        self._judgments = None if given is None else read_judgments(given)
        topics = () if self._judgments is None else self._judgments.topics
        self._named = {str(topic): topic for topic in _topics(given)}
        super().__init__(asked, [self._named[topic] for topic in topics])

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        converter = util.RunConverter(run)
        given = _readable(converter, converter.as_dict_of_dict, ["query_id", "doc_id", "score"])
        if self._judgments is None:
            return
        judged = self._judged([] if given is None else read_runs(given))
        values = np.nan_to_num(score_judged(judged, self._metrics).value[:, 0, :]).tolist()
        for measure, row in zip(self.measures, values, strict=True):
            everywhere = isinstance(measure, RankwiseMeasure)
            for topic, value, present in zip(judged.topics, row, judged.present, strict=True):
                if present or everywhere:  # otherwise ir_measures uses the measure's default
                    yield util.Metric(self._named[topic], measure, value)

    def _judged(self, runs: list[Run]) -> JudgedRankings:
        assert self._judgments is not None
        known = self._judgments.code_of
        if any(topic in known for run in runs for topic in run.stretches[1]):
            return Collection(self._judgments, runs).judged()
        start, grades = self._judgments.topic_start, self._judgments.grades_by_topic.tolist()
        pools = [grades[a:b] for a, b in pairwise(start.tolist())]
        empty = from_vectors([[] for _ in pools], pools)
        return replace(empty, topics=self._judgments.topics, present=np.zeros(len(pools), np.bool_))


def _found(asked: Any) -> Metric:
    metric = _served(asked)
    if metric is None:
        raise CallError(f"{asked} is not supported by rankwise.")
    return metric


def _readable(converter: Any, as_dicts: Any, columns: list[str]) -> Any:
    """Return qrels or a run as a frame or as {topic: {document: value}}; None if empty."""
    kind, _ = converter.predict_type()
    if kind == "pd_dataframe":
        frame = converter.qrels if hasattr(converter, "qrels") else converter.run
        return frame[columns] if len(frame) else None
    given = {topic: values for topic, values in as_dicts().items() if values}
    return given or None


def _with_subtopics(converter: Any) -> Any:
    """Return judgments as a frame with a column `iteration`; None if there is no such column."""
    if converter.predict_type()[0] not in ("pd_dataframe", "namedtuple_iter"):
        return None
    frame = converter.as_pd_dataframe()
    return frame if len(frame) and "iteration" in frame.columns else None


def _topics(given: Any) -> Iterable[Any]:
    if given is None:
        return ()
    return given if isinstance(given, dict) else given["query_id"].unique()


PROVIDER = providers.register(RankwiseProvider())


def install() -> None:
    """Make rankwise the first provider of all measures of ir_measures that it supports.

    Other metrics of rankwise can then also be used by name: `ir_measures.parse_measure("RankEff")`.
    """
    uninstall()
    ir_measures.DefaultPipeline.providers.insert(0, PROVIDER)
    for name, metric in REGISTRY.items():
        if name not in measures.registry:
            measures.register(RankwiseMeasure(metric))


def uninstall() -> None:
    """Remove the provider and the measures that `install` added to ir_measures."""
    order = ir_measures.DefaultPipeline.providers
    order[:] = [provider for provider in order if provider is not PROVIDER]
    for name, known in list(measures.registry.items()):
        if isinstance(known, RankwiseMeasure):
            del measures.registry[name]
