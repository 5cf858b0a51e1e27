"""Laws of the files that commands write: no output overwrites an input, or another output."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from rankwise.cli.options.reading import MetricsFile
from rankwise.cli.output import OutputFile

from .conftest import Call, commands

NUMBERS = click.types.IntParamType | click.types.FloatParamType
TEXTS = (click.types.StringParamType, click.Path, MetricsFile)
CONTENT = "# 1 0 a 1\n"


def _typed(parameter: click.Parameter, value: str) -> list[str]:
    """Return an option with its values, or an argument."""
    values = [value] * max(parameter.nargs, 1)
    return (
        values if isinstance(parameter, click.Argument) else [max(parameter.opts, key=len), *values]
    )


def _is_folder(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, click.Path) and not parameter.type.file_okay


def _value(parameter: click.Parameter, folder: str) -> str:
    """Return a value for a parameter that is required."""
    number = isinstance(parameter.type, NUMBERS)
    return folder if _is_folder(parameter) else "1" if number else "other"


def _pairs() -> Iterator[Any]:
    """Yield each output of each command with each of its options that may name a file."""
    for words, command in commands():
        outputs = [each for each in command.params if isinstance(each.type, OutputFile)]
        for output in outputs:
            for parameter in command.params:
                takes_text = type(parameter.type) in TEXTS
                if takes_text and parameter.metavar != "TEXT" and parameter not in outputs:
                    name = f"{words} {output.name} {parameter.name}"
                    yield pytest.param(words, command, output, parameter, id=name)


PAIRS = list(_pairs())


def test_there_are_such_pairs() -> None:
    assert len(PAIRS) > 250


@pytest.mark.parametrize(("words", "command", "output", "parameter"), PAIRS)
def test_no_output_overwrites_an_input(
    rankwise: Call,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    command: click.Command,
    output: click.Parameter,
    parameter: click.Parameter,
) -> None:
    monkeypatch.setattr(MetricsFile, "convert", lambda *_: [])
    target = tmp_path / f"input{min(getattr(output.type, 'suffixes', ()) or [''])}"
    target.write_text(CONTENT)
    (tmp_path / "link.py").symlink_to(target)
    (tmp_path / "other").write_text(CONTENT)
    given = {output: str(target), parameter: str(tmp_path) if _is_folder(parameter) else "link.py"}
    typed: list[str] = []
    for each in command.params:  # arguments in their order
        if each in given or each.required:
            typed += _typed(each, given.get(each, _value(each, str(tmp_path))))
    done = rankwise(*words.split(), *typed)
    assert done.code == 2 and "this file is also an input" in done.err, done.err
    assert done.out == "" and target.read_text() == CONTENT


@pytest.mark.parametrize(
    "given",
    [
        "score {}/qrels.txt {}/runs/system1.run -o {}/qrels.txt",
        "score {}/qrels.txt x={}/runs/system1.run -o {}/runs/system1.run",
        "score {}/qrels.txt {}/runs/*.run -o {}/runs/system1.run",
        "score {}/qrels.txt {}/runs -o {}/runs/system1.run",
        "pool {}/runs/system1.run --depth 5 -o {}/runs/system1.run",
        "pool {}/runs/system1.run --depth 5 --qrels {}/qrels.txt -o {}/qrels.txt",
        "plan sample {}/qrels.txt --keep 0.5 -o {}/qrels.txt",
        "convert {}/qrels.txt {}/qrels.txt --format csv",
    ],
)
def test_an_input_is_kept(rankwise: Call, collection: Path, given: str) -> None:
    before = {path: path.read_bytes() for path in collection.rglob("*.*") if path.is_file()}
    done = rankwise(*given.replace("{}", str(collection)).split())
    assert done.code == 2 and "is also an input. Give another output." in done.err
    assert before == {path: path.read_bytes() for path in before}


def test_two_outputs_are_two_files(rankwise: Call, collection: Path) -> None:
    scored = ["score", str(collection / "qrels.txt"), str(collection / "runs" / "system1.run")]
    done = rankwise(*scored, "-o", "x.json", "--chart", "./x.json")
    assert done.code == 2 and "x.json is given for two outputs." in done.err
    done = rankwise(*scored, "-o", "x.csv", "-o", "y.csv")
    assert done.code == 2 and "--output is given twice. Give it once." in done.err


def test_a_simulation_keeps_other_files(rankwise: Call, tmp_path: Path) -> None:
    made = ["simulate", "-o", "made", "--topics", "2", "--systems", "2"]
    assert rankwise(*made).code == rankwise(*made).code == 0  # the same files again
    (tmp_path / "made" / "qrels.txt").write_text(CONTENT)
    done = rankwise(*made)
    expected = "made: qrels.txt already exists with different content. Give a new folder."
    assert done.code == 2 and expected in done.err
    assert (tmp_path / "made" / "qrels.txt").read_text() == CONTENT
