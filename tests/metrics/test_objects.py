"""Metrics as objects: imported by name, cut by @, shown as they are written, taken everywhere."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from table import EXAMPLES

import rankwise
from rankwise import Metric, metrics as package
from rankwise.errors import UnknownMetric, WrongParameter
from rankwise.metrics import AP, RBP, REGISTRY, Bpref, IPrec, P, nDCG, parse, parse_all


def test_every_metric_is_imported_by_its_name() -> None:
    ours = {
        name: metric for name, metric in REGISTRY.items() if metric.__module__[:8] == "rankwise"
    }
    assert len(ours) > 60
    for name, metric in ours.items():
        assert getattr(package, name) is metric and name in dir(package)


def test_at_is_the_cutoff_or_what_the_metric_has_in_its_place() -> None:
    assert nDCG @ 10 == nDCG(cutoff=10) == parse("nDCG@10")
    assert AP(rel=2) @ 100 == parse("AP(rel=2)@100")
    assert parse("P@5") == P @ 5
    assert IPrec @ 0.5 == parse("IPrec@0.5") == (IPrec @ 0.1) @ 0.5
    assert (nDCG @ 10) @ 20 == nDCG @ 20
    assert nDCG @ "10" == nDCG @ 10
    assert isinstance(nDCG @ 10, nDCG)


def test_at_what_is_no_cutoff_is_an_error_that_says_what_to_write() -> None:
    with_a_cutoff: list[Callable[[], Metric]] = [
        lambda: Bpref @ 10,
        lambda: Bpref(rel=2) @ 10,
        lambda: parse("Bpref@10"),
    ]
    for made in with_a_cutoff:
        with pytest.raises(
            WrongParameter, match=r"Bpref has no cutoff\. Write Bpref, not Bpref@10"
        ):
            made()
    for value in (0, -1, 2.5, "x", True):
        with pytest.raises(WrongParameter, match=r"nDCG: cutoff=.* is not allowed"):
            nDCG @ value
    with pytest.raises(WrongParameter, match="IPrec: recall=10 is not allowed"):
        IPrec @ 10


def test_a_class_stands_for_the_metric_with_its_defaults() -> None:
    assert parse(AP) == AP() and parse_all([AP, nDCG @ 10, "AP", "RBP"]) == [AP(), nDCG @ 10, RBP()]
    assert parse_all(AP) == [AP()]
    with pytest.raises(
        WrongParameter, match=r"P needs the parameter cutoff .*Write for example P@10"
    ):
        parse(P)
    for wrong in (int, 3, None):
        with pytest.raises(UnknownMetric, match="is not a metric"):
            parse(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("example", EXAMPLES)
def test_repr_is_str_and_parses(example: str) -> None:
    metric = parse(example)
    assert repr(metric) == str(metric) and parse(repr(metric)) == metric
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_repr_of_a_metric_of_ones_own() -> None:
    class Mine(AP):
        """Its name is that of the class."""

    class Shown(Metric):
        def __repr__(self) -> str:
            return "as it likes"

    assert repr(Mine(rel=2) @ 5) == "Mine(rel=2)@5"
    assert repr(Shown()) == "as it likes"
    assert repr([nDCG @ 10, AP(rel=2)]) == "[nDCG@10, AP(rel=2)]"


# Every verb takes them.

QRELS = {str(t): {f"d{i}": (i * t) % 3 for i in range(1, 9)} for t in range(1, 9)}
RUNS = {
    f"run{r}": {str(t): {f"d{(i * r + t) % 12}": 9.0 - i for i in range(8)} for t in range(1, 9)}
    for r in (1, 5, 7)
}


VERBS: dict[str, Callable[[Any], Any]] = {
    "score": lambda metric: rankwise.score(QRELS, RUNS, metric),
    "compare": lambda metric: rankwise.compare(QRELS, RUNS, metric),
    "correlate": lambda metric: rankwise.correlate(QRELS, RUNS, [metric, "RR"]),
    "diff": lambda metric: rankwise.diff(RUNS, metric),
    "discriminate": lambda metric: rankwise.discriminate(QRELS, RUNS, metric, seed=1),
    "stability": lambda metric: rankwise.stability(QRELS, RUNS, metric, resamples=2, seed=1),
    "explain": lambda metric: rankwise.explain(QRELS, RUNS["run1"], metric, "1"),
    "plan_judgments": lambda metric: rankwise.judging.plan_judgments(QRELS, RUNS, metric, 3),
    "depth_for": lambda metric: rankwise.judging.depth_for(metric, 0.01),
    "properties": lambda metric: rankwise.properties(metric, depth=4),
    "score_gains": lambda metric: rankwise.score_gains(metric, [1, 0, 1]),
    "leave groups out": lambda metric: rankwise.stability(
        QRELS, RUNS, metric, by="group", groups={run: run for run in RUNS}
    ),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("given", "name"), [(RBP(p=0.5) @ 3, "RBP(p=0.5)@3"), (RBP, "RBP")])
def test_every_verb_takes_objects_and_classes(verb: str, given: Any, name: str) -> None:
    assert repr(VERBS[verb](given)) == repr(VERBS[verb](name))


def test_a_persistence_is_below_1_in_every_metric() -> None:
    named = [
        (name, p)
        for name, each in REGISTRY.items()
        for p in {"p", "p1", "p2"} & each.parameters.keys()
    ]
    assert len(named) >= 10
    for name, parameter in [*named, ("NCU", "gamma")]:
        for value in (1, 1.5, -0.5):
            with pytest.raises(WrongParameter, match=f"{name}: {parameter}={value} is not allowed"):
                REGISTRY[name](**{parameter: value})


def test_a_record_has_all_parameters_as_json_can_hold_them() -> None:
    assert parse("RBP(rel=2)@10").record == {
        "name": "RBP(p=0.8,rel=2)@10",
        "parameters": {
            "p": 0.8,
            "rel": 2,
            "gains": None,
            "cutoff": 10,
            "judged_only": False,
            "ties": "name",
        },
    }
    assert parse("nDCG(gains=5:2:1)").record["parameters"]["gains"] == "{1:1,2:2,3:5}"
    assert parse("IA(AP@5)").record == {"name": "IA(AP@5)", "parameters": {"metric": "AP@5"}}


def test_a_name_as_papers_print_it_keeps_its_parameters() -> None:
    assert parse("PPlus(rel=2)@10").as_printed == "P⁺(rel=2)@10"
    assert parse("AP(rel=2)").as_printed == "AP(rel=2)"


def test_the_printed_name_is_known_before_the_metric_is_loaded() -> None:
    code = "from rankwise.metrics import as_printed; print(ascii(as_printed('PPlus@10')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert shown.decode().strip() == ascii("P⁺@10")


def test_the_value_of_a_parameter_is_a_number_or_none() -> None:
    metric = parse("RBP(p=0.6)@10")
    assert (metric.value_of("p"), metric.value_of("cutoff")) == (0.6, 10)
    assert metric.value_of("judged_only") is None  # a flag is no number
    assert metric.value_of("ties") is metric.value_of("gains") is metric.value_of("T") is None


def test_a_name_without_one_of_its_parameters() -> None:
    assert parse("RBP(p=0.6,rel=2)@10").written(without="p") == "RBP(rel=2)@10"
    assert parse("RBP(p=0.6)@10").written(without="cutoff") == "RBP(p=0.6)"
