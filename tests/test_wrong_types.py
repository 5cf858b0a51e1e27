"""A law of the public functions: an argument of a wrong type is refused in a sentence of ours."""

import inspect
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from test_keywords import FUNCTIONS

import rankwise
from rankwise.errors import RankwiseError
from rankwise.metrics import parse
from rankwise.published import Published

MADE = rankwise.simulate(topics=8, systems=3, depth=10, pool_depth=5, seed=1)
JUDGMENTS, RUNS = MADE.qrels, MADE.runs
SCORES = rankwise.score(JUDGMENTS, RUNS, ["AP", "P@5"])
NO_QRELS = rankwise.read(None, RUNS)
WRONG = [5, -1, "x", None, [], {}, 0.1, object(), True, float("nan"), [1, "x"], ["x"]]

# Arguments by name, for all functions; then those of single functions.
USUAL: dict[str, Any] = {
    "data": JUDGMENTS,
    "qrels": JUDGMENTS,
    "runs": RUNS,
    "run": RUNS[0],
    "metrics": ["P@5"],
    "metric": "P@5",
    "topic": "1",
    "scores": SCORES,
    "resamples": 20,
    "p": 0.8,
    "score": 0.4,
    "path": "new.csv",
    "accuracy": 0.01,
    "depth": 3,
    "precision": 0.01,
    "baseline": RUNS[0].name,
    "budget": 5,
    "printed": Published(0.8, 0.4),
    "at": [0.5],
    "keep": 0.5,
}
GROUPS = {run.name: group for run, group in zip(RUNS, "aab", strict=True)}
OWN: dict[str, dict[str, Any]] = {
    "agree": {"data": {"a": JUDGMENTS, "b": MADE.truth}, "runs": None},
    "calibrate": {"experiments": 5, "tests": ["t"], "topics": 4},
    "compare_collections": {"collections": dict.fromkeys("ab", rankwise.read(JUDGMENTS, RUNS))},
    "convert": {"source": RUNS[0]},
    "correlate": {"metrics": ["AP", "P@5"]},
    "diff": {"runs": RUNS[:2], "qrels": None},
    "explain": {"topic": SCORES.topics[0]},
    "gate": {"baseline": RUNS[0], "candidate": RUNS[1], "max_drop": "P@5=0.1", "metrics": None},
    "implied": {"metrics": ["RBP"], "known": {"P@10": 0.4}},
    "plan_budget": {"budget": 500},
    "plan_depth": {"metrics": ["RBP"]},
    "plan_topics": {"difference": 0.1},
    "pool": {"data": NO_QRELS, "qrels": None},
    "properties": {"metrics": ["AP"]},
    "read_qrels": {"source": JUDGMENTS},
    "read_runs": {"sources": RUNS},
    "read_scores": {"sources": SCORES},
    "report": {"output": "report.html"},
    "sample_pool": {"data": NO_QRELS, "design": "5=1", "qrels": None},
    "score_cheap": {"cheap": MADE.truth, "resamples": 5},
    "compare_published": {"a": "p=0.8,score=0.4", "b": "p=0.9,score=0.3"},
    "score_sampled": {"sample": "sample.csv", "metrics": ["infNDCG"]},
    "score_gains": {"vector": [1, 0, 1]},
    "stability": {"at": None, "groups": GROUPS},
    "user_model": {"metrics": ["RBP"]},
    "weight_left": {"metric": parse("RBP")},
    "weight_topics": {"weights": dict.fromkeys(SCORES.topics, 1.0)},
    "which_metric": {"metrics": ["AP", "P@5"], "resamples": 5},
    "why_no_depth": {"metric": parse("RBP")},
    "write_qrels": {"path": "qrels.txt"},
    "write_run": {"path": "new.run"},
    "write_template": {"pairs": JUDGMENTS.frame.select("topic", "document"), "format": "quepid"},
}
# Not called: they run for minutes, register metrics, or take what only rankwise makes.
LEFT = {"study", "register", "plan_judged", "plan_resolution", "bounding_vectors", "outer_range"}


def _calls() -> Iterator[Any]:
    """Yield each public function with arguments that are valid, or nearly so."""
    for name, function in FUNCTIONS.items():
        short = name.rpartition(".")[2]
        if short not in LEFT:
            own = OWN.get(short, {})
            parameters = inspect.signature(function).parameters
            given = {key: (USUAL | own)[key] for key in parameters if key in USUAL | own}
            yield pytest.param(function, given, id=name)


@pytest.mark.parametrize(("function", "valid"), list(_calls()))
def test_a_wrong_type_is_refused_in_words(
    function: Any, valid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rankwise.judging.sample_pool(NO_QRELS, "3=1", qrels=JUDGMENTS).write_csv("sample.csv")
    tried, faults = 0, []
    for name in inspect.signature(function).parameters:
        for wrong in WRONG:
            tried += 1
            try:
                with redirect_stdout(StringIO()):
                    repr(function(**{**valid, name: wrong}))
            except RankwiseError as error:
                assert str(error)
            except Exception as error:  # every other error is a fault
                faults.append(f"{name}={wrong!r}: {type(error).__name__}: {error}")
    assert tried and not faults, "\n".join(faults)


@pytest.mark.parametrize("of", [rankwise.TestOptions, Published])
def test_so_are_fields_of_a_wrong_type(of: Any) -> None:
    valid = {"p": 0.8, "score": 0.4} if of is Published else {}
    for name in inspect.signature(of).parameters:
        for wrong in WRONG:
            try:
                of(**{**valid, name: wrong})
            except RankwiseError as error:
                assert str(error)


def test_the_message_names_the_argument_and_what_it_must_be() -> None:
    for given, said in (
        ({"bounds": "yes"}, "`bounds` must be True or False, not 'yes'."),
        ({"rel": None}, "`rel` must be a number, not None."),
        ({"unjudged": 5}, "`unjudged` must be text, not 5."),
    ):
        with pytest.raises(rankwise.CallError) as caught:
            rankwise.score(JUDGMENTS, RUNS, **given)
        assert str(caught.value) == said
    with pytest.raises(rankwise.CallError, match="`seed` must be 0 or more, not -1"):
        rankwise.compare(JUDGMENTS, RUNS, seed=-1)
