"""A command names no option that it does not have, whatever is wrong with its input."""

import gzip
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .conftest import commands

FLAG = re.compile(r"(?<![-\w])--[a-z][a-z_-]*")
ARGUMENT = re.compile(r"\b[a-z_]+=(?:True|False|'[^']*')")  # an argument of Python
ANOTHER = re.compile(r"`rankwise ((?:metrics |plan |judges |published )?[a-z_-]+)([^`]*)`")
TOPICS = [str(topic) for topic in range(1, 7)]
GRADES = {"a": 2, "b": 1, "c": 0, "d": 1}
QRELS = "".join(f"{t} 0 {name} {grade}\n" for t in TOPICS for name, grade in GRADES.items())

SAMPLE = "".join(f"{t} 0 {name} 1 {grade}\n" for t in TOPICS for name, grade in GRADES.items())
OTHER = QRELS.replace("b 1\n", "b 0\n")  # the judgments of a second judge


def run_text(names: str, topics: list[str] = TOPICS) -> str:
    places = [(topic, rank, name) for topic in topics for rank, name in enumerate(names, 1)]
    return "".join(f"{topic} Q0 {name} {rank} {9 - rank} run\n" for topic, rank, name in places)


A, B = run_text("abxcd"), run_text("xbacy")
ROW = '{{"query": "{topic}", "thing": "a", "rank": 1}}\n'
TABLE = "".join(ROW.format(topic=topic) for topic in TOPICS)


HALF = "".join(QRELS.splitlines(keepends=True)[: len(QRELS.splitlines()) // 2])
FILES = {"qrels": QRELS, "half": HALF, "other": OTHER, "sample": SAMPLE, "a.run": A, "b.run": B}


class Case(NamedTuple):
    """Files and options that raise a note or an error, and the argument that its remedy names.

    `advised` is how many commands name it; `only` are the commands that can raise it, where
    these are not all that have the options.
    """

    remedy: str
    advised: int
    files: Mapping[str, str | bytes] = {}
    options: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


OF_MODEL = ("report", "plan next")
SELF = "".join(f"{topic} Q0 {topic} 9 0 run\n" for topic in TOPICS)
COUNTED = "".join(f"{topic} a 2\n{topic} b 1\n{topic} c 3\n" for topic in TOPICS)
APART = {"a.run": run_text("ab", ["1"]), "b.run": run_text("ab", ["2"])}
FEW = ("--test", "permutation", "--resamples", "5", "-m", "AP")
TWO = '"docno": "a", "pid"'
NO_POOL = "".join(f"{topic} 0 q 1\n" for topic in TOPICS)
CASES = {
    "a line of instead of 5": Case("lenient", 25, {"b.run": B + "1 Q0 z 1 2\n"}),
    "a document twice": Case("lenient", 25, {"b.run": B + "1 Q0 x 9 0 run\n"}),
    "qrels with a bad line": Case("lenient", 22, {"qrels": QRELS + "1 0 e high\n"}),
    "no column for the document": Case("columns", 24, {"b.run": TABLE}),
    "two such columns": Case("columns", 24, {"b.run": TABLE.replace('"thing"', TWO)}),
    "ranks or scores": Case("columns", 23, {"b.run": COUNTED}),
    "too large": Case("max_size", 25, {"b.run": gzip.compress(B.encode() * 9)}),
    "the query itself": Case("drop_self", 19, {"b.run": B + SELF}),
    "fractions": Case("gains", 20, {"qrels": QRELS.replace(" 2\n", " 0.5\n")}),
    "equal scores": Case("order", 19, {"b.run": re.sub(r"\d+ run", "1 run", B)}),
    "an unknown metric": Case("metrics_from", 19, options=("-m", "nDGC")),
    "a geometric mean": Case("mean", 20, options=("-m", "gm_map")),
    "gains beyond one": Case(
        "gains", 17, {"qrels": QRELS.replace(" 2\n", " 2.5\n")}, ("-m", "RBP(p=0.8)")
    ),
    "no lengths": Case("lengths", 6, options=("-m", "TBG")),
    "no complete run": Case("complete_runs", 17, options=("--complete-runs",)),
    "no topic in common": Case("topics", 13, APART, ("--topics", "common")),
    "bounds of own documents": Case(
        "unjudged", 1, {}, ("--bounds", "--unjudged", "own", "-m", "AP"), ("score",)
    ),
    "no pool": Case("holes", 2, {"qrels": NO_POOL}, ("--probable", "-m", "AP"), OF_MODEL),
    "no pool to predict": Case("holes", 1, {"qrels": NO_POOL}, ("-m", "AP"), ("plan predict",)),
    "unresolved": Case("effort", 2, {}, ("--effort", "0", "-m", "AP")),
    "few resamples": Case("resamples", 1, {}, FEW, ("compare",)),
    "a log-bootstrap": Case("mean", 1, {}, ("--method", "log-bootstrap", "-m", "AP")),
    "either a run or judgments": Case("kind", 1, {"b.run": "1 a 1\n"}, (), ("convert",)),
}
BOTH = ["qrels", "a.run", "b.run"]
CALLS: dict[str, list[str]] = {
    "score": BOTH,
    "compare": BOTH,
    "overview": BOTH,
    "metrics correlate": [*BOTH, "-m", "P@5", "-m", "RR"],
    "metrics choose": [*BOTH, "-m", "P@5", "-m", "RR"],
    "metrics discriminate": [*BOTH, "--resamples", "20", "-m", "P@5"],
    "metrics stability": [*BOTH, "--by", "pool-depth"],
    "report": [*BOTH, "-o", "page.html", "-m", "P@5"],
    "gate": [*BOTH, "--max-drop", "AP=0.1", "--significant"],
    "explain": ["qrels", "b.run", "--topic", "1"],
    "plan next": [*BOTH, "--budget", "3"],
    "pool": ["a.run", "b.run", "--depth", "2"],
    "plan sample": ["qrels", "--keep", "0.5", "-o", "less"],
    "study": ["moffat-zobel-2008", *BOTH, "-o", "study"],
    "convert": ["b.run", "out.csv"],
    "trec_eval": ["qrels", "b.run"],
    "judges agree": ["qrels", "other", "--runs", "a.run", "b.run", "--resamples", "20"],
    "diff": ["a.run", "b.run", "--qrels", "qrels"],
    "plan calibrate": [*BOTH, "-m", "P@5", "--test", "t", "--experiments", "2"],
    "plan topics": [*BOTH, "-m", "P@5", "--width", "0.5"],
    "plan power": BOTH,
    "plan predict": BOTH,
    "judges flips": BOTH,
    "judges scores": [*BOTH, "--judge", "other"],
    "judges cheap": ["half", "other", "a.run", "b.run"],
    "judges sampled": ["sample", "a.run", "b.run"],
    "metrics sweep": [*BOTH, "-m", "RBP", "--over", "p=0.5,0.8"],
}


OWN = {
    name: {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
    for name, command in commands()
}


def foreign_flags(command: str, text: str) -> set[str]:
    """The options in a message that are not the command's own, or not those of one it names."""
    others = {
        flag
        for name, rest in ANOTHER.findall(text)
        for flag in FLAG.findall(rest)
        if flag not in OWN[name]
    }
    return others | (set(FLAG.findall(ANOTHER.sub("", text))) - OWN[command])


# Those that are notes: the commands do all their work.
WHOLE = {"the query itself", "fractions", "equal scores"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in WHOLE)) for name in CASES]
)
def test_every_option_that_a_command_names_is_its_own(
    name: str, rankwise: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    for file, content in {**FILES, **case.files}.items():
        (tmp_path / file).write_bytes(content.encode() if isinstance(content, str) else content)
    if case.remedy == "max_size":
        monkeypatch.setenv("RANKWISE_MAX_SIZE", "1K")
    asked = {option for option in case.options if option.startswith("-")}
    flag = f"--{case.remedy.replace('_', '-')}"
    advised = []
    for command in case.only or [each for each in CALLS if asked <= OWN[each]]:
        more = ["-m", "P@5"] if command in ("plan next", "explain") and "-m" not in asked else []
        every = ["--notes"] * ("--notes" in OWN[command])
        done = rankwise(*command.split(), *CALLS[command], *more, *case.options, *every)
        assert "Traceback" not in done.err and f"rankwise {command} --help" not in done.err, done
        assert not foreign_flags(command, done.err), f"{command}: {done.err}"
        assert not ARGUMENT.findall(done.err), f"{command}: {done.err}"
        advised += [command] if flag in FLAG.findall(done.err) else []
    assert len(advised) == case.advised, advised


def test_every_command_that_reads_runs_is_tried() -> None:
    inputs = {"qrels", "runs", "run", "source", "baseline"}
    read = {name for name, command in commands() if inputs & {p.name for p in command.params}}
    # `collections` reads a folder, with an option of its own for none of these cases.
    assert read - {"collections"} == set(CALLS) and len(CALLS) == 27
    assert sum(case.advised for case in CASES.values()) >= 160
