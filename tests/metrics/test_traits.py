"""Traits: what other packages ask of a metric is declared on it, by anybody's own metrics too."""

import ast
from dataclasses import dataclass, fields
from functools import partial
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from table import EXAMPLES, LAWS

import rankwise
from rankwise import JudgedRankings, Metric, WeightedPrecision
from rankwise.bounds.base import EXACT, ScoreBounds
from rankwise.bounds.first_relevant import NthRelevantRank
from rankwise.bounds.grid import Grid
from rankwise.bounds.ratio import levels_of
from rankwise.errors import MetricError, WrongParameter
from rankwise.metrics import REGISTRY, parse, register
from rankwise.metrics.dcg import DCG, nDCG
from rankwise.metrics.parameters import cutoff, flag, gains, rel, ties, whole
from rankwise.metrics.reciprocal_rank import RR
from rankwise.metrics.traits import Normalised, Traits

SOURCE = Path(rankwise.__file__).parent
PARAMETERS = ("cutoff", "rel", "gains", "max_rel", "judged_only", "ties")

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0}}
RUNS = {
    "x": {"1": {"a": 9.0, "u": 8.0, "c": 7.0}, "2": {"a": 1.0, "v": 0.5}},
    "y": {"1": {"b": 9.0, "a": 8.0}, "2": {"w": 2.0, "a": 1.0}},
}


class Plain(Metric):
    """A metric that declares nothing."""

    def compute(self, judged: JudgedRankings) -> Any:
        return judged.total(judged.grade > 0)


# Every trait has a default, and a default is no parameter.


def test_every_metric_has_every_trait() -> None:
    asked = [name for name in vars(Traits) if not name.startswith("_")]
    assert set(PARAMETERS) < set(asked) and len(asked) > 15
    for example in EXAMPLES:
        for trait in asked:
            getattr(parse(example), trait)


def test_a_default_is_no_parameter() -> None:
    assert fields(Plain()) == ()
    assert not Plain.parameters
    assert (Plain().cutoff, Plain().rel, Plain().gains, Plain().max_rel) == (None,) * 4
    assert (Plain().judged_only, Plain().ties) == (False, "name")
    with pytest.raises(TypeError, match="cutoff"):
        Plain(cutoff=3)  # type: ignore[call-arg]


def test_traits_are_the_parameters_of_metrics_that_have_them() -> None:
    metric = parse("RBP(rel=2,judged_only=True)@7")
    assert (metric.cutoff, metric.rel, metric.judged_only) == (7, 2, True)
    assert parse("DCG(ties=share)").ties == "share"
    assert parse("nDCG(gains={1:3})").gains == ((1, 3),)
    assert parse("ERR(max_rel=4)").max_rel == 4
    assert "cutoff" in parse("AP").parameters and "cutoff" not in parse("Bpref").parameters


def test_our_metrics_know_where_scores_lie_that_no_bound_narrows() -> None:
    """Else bounds under `open`, or of condensed lists, would be missing."""
    judged = rankwise.Collection(rankwise.read_qrels(QRELS), rankwise.read_runs(RUNS)).judged()
    for example in EXAMPLES:
        metric = parse(example)
        assert metric.bounds.of(metric, judged, "open") is not None, example


def test_what_is_a_sum_of_weights_and_what_is_normalised() -> None:
    rbp, condensed = parse("RBP"), parse("RBP(judged_only=True)")
    assert rbp.weighted is rbp and rbp.sum_of_weights is rbp
    assert condensed.weighted is condensed and condensed.sum_of_weights is None
    assert parse("AP").weighted is None and parse("AP").sum_of_weights is None
    ratio = parse("nDCG(gains={1:3})@5").normalised
    assert ratio is not None and ratio.earned == parse("DCG(gains={1:3})@5")
    assert parse("nDCG(judged_only=True)").normalised is None and rbp.normalised is None


def test_whose_bounds_pass_over_documents_elsewhere() -> None:
    blind = {"Utility(c=1)"}
    seeing = {
        "AgreedPairs",
        "Bpref",
        "Compat",
        "RankEff",
        "AP",
        "nDCG",
        "RR",
        "RBP",
        "ScaledRBP",
        "ESL",
        "Accuracy",
        "iRBU",
        "Utility",
    }
    metrics = {name: parse(name) for name in blind | seeing}
    found = {name for name, each in metrics.items() if each.bounds.counts_elsewhere(each)}
    assert found == seeing


def test_bounds_of_ones_own_are_not_vouched_for_by_the_class_they_replace() -> None:
    class UpToOne(NthRelevantRank):
        def in_view(self, metric: Any, judged: Any, unjudged: Any) -> Any:
            return metric.compute(judged), np.ones(judged.count)

    class Looking(UpToOne):
        sees_elsewhere = True

    class Inheriting(NthRelevantRank):
        pass

    assert (UpToOne.sees_elsewhere, Looking.sees_elsewhere) == (False, True)
    assert Inheriting.sees_elsewhere and Ones.bounds.sees_elsewhere and RR.bounds.sees_elsewhere


# A metric of the user's own declares each of them.


class UpToSeven(ScoreBounds[Metric]):
    """Everything that bounds declare."""

    exact = EXACT
    exact_if_alike = EXACT
    exact_where = "always"
    open_range = (0.0, 7.0)
    sees_elsewhere = False
    exact_elsewhere = False

    def in_view(self, metric: Metric, judged: JudgedRankings, unjudged: Any) -> Any:
        return self.whole_range(metric, judged)


class Declares(Metric):
    """Everything there is to declare."""

    cutoff: int | None = cutoff()
    rel: int = rel()
    gains: Any = gains()
    max_rel: int | None = whole(1, None)
    judged_only: bool = flag()
    ties: str = ties()

    printed_name = "Declares⁺"
    aggregate = "sum"
    less_is_better = True
    is_diagnostic = True
    needs_relevant = True
    undefined_without = "document"
    worst = 7.0
    favours_the_top = True
    bounds = UpToSeven()
    score_range = (0.0, 7.0)
    divides_alike = True
    tells_unusable = True
    reads_lengths = "words"
    typical_parameters = MappingProxyType({"rel": 2})
    persistence = "p"
    uses_subtopics = True
    uses_preferences = True
    ignores_order = True

    @property
    def weighted(self) -> WeightedPrecision:
        return DCG(cutoff=self.cutoff)

    @property
    def sum_of_weights(self) -> WeightedPrecision | None:
        return None if self.judged_only else self.weighted

    @property
    def normalised(self) -> Normalised:
        return Normalised(self.weighted, nDCG().ideal, partial(levels_of, nDCG()))

    def compute(self, judged: JudgedRankings) -> Any:
        return np.where(judged.present, judged.first(judged.grade >= self.rel), np.nan)


def test_whether_documents_elsewhere_matter_to_a_metric_of_ones_own_is_for_it_to_say() -> None:
    class Weights(DCG):
        pass

    class Own(Plain):
        counts_missed = False

    assert Plain().counts_missed and Declares().counts_missed
    assert not Weights().counts_missed and not Own().counts_missed
    qrels = {"1": {"a": 1}}
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    found = rankwise.score(qrels, runs, [Halves()], bounds=True)
    assert found.low is not None and found.high is not None
    assert (found.low.tolist(), found.high.tolist()) == ([[[0.5], [0.0]]], [[[0.5], [0.5]]])


def test_a_metric_of_ones_own_declares_all_of_them() -> None:
    metric = Declares(cutoff=4, rel=2, gains={1: 0.5}, max_rel=3, judged_only=True, ties="share")
    assert str(metric) == "Declares(rel=2,gains={1:0.5},max_rel=3,judged_only=True,ties='share')@4"
    plain = Plain()
    for name in [name for name in vars(Traits) if not name.startswith("_")]:
        differs = name not in ("at", "zero_if_undefined")  # the latter is set by the parser
        assert (getattr(metric, name) != getattr(plain, name)) is differs, name
    for name in ("weighted", "normalised"):
        assert getattr(metric, name) is not None and getattr(plain, name) is None
    assert (metric.is_builtin, parse("AP").is_builtin) == (False, True)
    assert (metric.sign, metric.ties, metric.takes_gains) == (-1, "share", True)
    assert metric.sum_of_weights is None and Declares().sum_of_weights == DCG()


class Found(Metric):
    """How many relevant documents are found: a sum of weights that says so itself."""

    @property
    def weighted(self) -> WeightedPrecision:
        return Ones()

    @property
    def sum_of_weights(self) -> WeightedPrecision:
        return Ones()

    def compute(self, judged: JudgedRankings) -> Any:
        return judged.total(judged.grade >= 1)


class Ones(WeightedPrecision):
    def weight(self, rank: Any) -> Any:
        return np.ones(len(rank))


def test_verdicts_plans_and_explanations_believe_what_a_metric_declares() -> None:
    declared = rankwise.compare(QRELS, RUNS, Found(), bounds=True).frame
    derived = rankwise.compare(QRELS, RUNS, Ones(), bounds=True).frame
    assert declared.drop("metric").equals(derived.drop("metric"))
    plan = rankwise.judging.plan_judgments(QRELS, RUNS, metric=Found(), budget=2)
    assert plan.frame.equals(
        rankwise.judging.plan_judgments(QRELS, RUNS, metric=Ones(), budget=2).frame
    )
    shown = rankwise.explain(QRELS, RUNS["x"], Found(), "1")
    assert "weight" in shown.frame.columns


class HalvesBounds(ScoreBounds[Metric]):
    """Bounds on a grid, without the range of scores."""

    def on(self, metric: Metric, grid: Grid) -> Any:
        known = grid.relevant(1).sum(axis=1) / 2
        return known, known + grid.unjudged.sum(axis=1) / 2


class Halves(Metric):
    """A metric that declares its bounds."""

    bounds = HalvesBounds()

    def compute(self, judged: JudgedRankings) -> Any:
        return judged.total(judged.grade >= 1) / 2


class RangedBounds(HalvesBounds):
    open_range = (np.inf, np.inf)


class RangedHalves(Halves):
    bounds = RangedBounds()


def test_a_range_that_is_not_declared_is_not_taken_to_be_0_to_1() -> None:
    judged = rankwise.Collection(rankwise.read_qrels(QRELS), rankwise.read_runs(RUNS)).judged()
    metric = Halves()
    assert metric.bounds.of(metric, judged, "retrieved") is not None
    assert metric.bounds.of(metric, judged, "open") is None
    ranged = RangedHalves.bounds.of(RangedHalves(), judged, "open")
    assert ranged is not None and np.isinf(ranged[1]).all()
    assert np.array_equal(ranged[0], Halves().scores(judged))


def test_a_fault_in_a_metric_of_ones_own_is_said_of_it() -> None:
    class Faulty(Metric):
        def compute(self, judged: JudgedRankings) -> Any:
            raise KeyError("oops")

    with pytest.raises(MetricError, match="Faulty: KeyError"):
        rankwise.score(QRELS, RUNS, Faulty())


def test_a_field_that_is_no_parameter_says_what_to_write() -> None:
    what = "Annotated: needs_relevant is a dataclass field, .* as ClassVar"
    with pytest.raises(WrongParameter, match=what):

        @register()
        class Annotated(Metric):
            needs_relevant: bool = True  # type: ignore[misc]

    assert "Annotated" not in REGISTRY


def test_a_metric_that_is_decorated_as_a_dataclass_is_told_to_drop_it() -> None:
    with pytest.raises(WrongParameter, match="Decorated: a metric is a dataclass already"):

        @dataclass(frozen=True)
        class Decorated(Metric):
            def compute(self, judged: JudgedRankings) -> Any:
                return np.zeros(judged.count)


def test_a_metric_of_ones_own_can_be_pickled_by_value() -> None:
    """cloudpickle, which Spark uses, makes an empty class and then sets all its attributes."""

    class Travelling(Metric):
        def compute(self, judged: JudgedRankings) -> Any:
            return np.ones(judged.count)

    class Arrived(Metric):
        pass

    for name, value in vars(Travelling).items():
        if name not in {"__dict__", "__weakref__"}:
            setattr(Arrived, name, value)
    assert rankwise.score(QRELS, RUNS, Arrived()).value.mean() == 1


# Nothing outside of metrics/ looks behind them.


def is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def asks_for_the_name(node: ast.Compare | ast.Subscript, classes: set[str]) -> bool:
    """Whether a metric's class is compared, or looked up, by its name."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and each.attr == "__name__":
            constants = {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}
            if "metric" in ast.unparse(each) or constants & classes:
                return True
    return False


def looks_behind(source: str, classes: set[str], names: set[str]) -> list[str]:
    """Where a metric is asked for its attributes by name, its class or its module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr == "__module__" and is_read(node):
            found.append(ast.unparse(node))
        if isinstance(node, ast.Compare) and "type(metric)" in ast.unparse(node):
            found.append(ast.unparse(node))
        if isinstance(node, ast.Compare | ast.Subscript) and asks_for_the_name(node, classes):
            found.append(ast.unparse(node))
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        written = ast.unparse(node)
        if node.func.id in ("getattr", "hasattr") and len(node.args) > 1:
            asked = ast.unparse(node.args[1]).strip("'")
            if asked in names or "metric" in ast.unparse(node.args[0]):
                found.append(written)
        if node.func.id in ("isinstance", "issubclass"):
            of = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
            if of & classes:
                found.append(written)
    return found


def test_nothing_outside_of_metrics_looks_behind_them() -> None:
    known: set[type[Metric]] = {Metric}
    for metric in REGISTRY.values():
        known.update(each for each in metric.__mro__ if issubclass(each, Metric))
    classes = {each.__name__ for each in known}
    names = {field.name for metric in REGISTRY.values() for field in fields(metric)}
    planted = [
        'getattr(metric, "judged_only", False)',
        'hasattr(one, "cutoff")',
        "isinstance(one, nDCG | RBP)",
        "issubclass(one, WeightedPrecision)",
        "type(one).__module__.startswith('x')",
        "type(metric) is nDCG",
        "type(parse(one)).__name__ != 'RBP'",
        "metric.__name__ in SETTINGS",
        "SETTINGS[metric.__name__]",
    ]
    assert all(looks_behind(source, classes, names) for source in planted)
    files = [path for path in SOURCE.rglob("*.py") if SOURCE / "metrics" not in path.parents]
    assert len(files) > 100
    for path in files:
        assert looks_behind(path.read_text(), classes, names) == [], path


def test_scores_lie_where_the_metric_says() -> None:
    """The range of each metric is that of the table of laws, which tries it."""
    tried = 0
    for name, laws in LAWS.items():
        low, high = REGISTRY[name].score_range or (0.0, 1.0)
        assert low == laws.least and laws.greatest <= high, name
        assert high in (1, inf) and (high == inf) == (laws.greatest != 1), name
        tried += 1
    assert tried == len(REGISTRY)
