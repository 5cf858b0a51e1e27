"""The library speaks of arguments, the command line of options."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from source_trees import nodes_of, tree_of

from rankwise.cli import COMMANDS, GROUPS
from rankwise.cli.root import root

PACKAGE = Path(__file__).parents[1] / "src" / "rankwise"
# `rankwise trec_eval` is a command line of its own, and its measures are flags.
LIBRARY = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.relative_to(PACKAGE).parts[0] != "cli" and file.parent.name != "trec_eval"
]
FLAG = re.compile(r"(?<![-\w])(--[a-z]|-[a-z]\b)")
WRITTEN = re.compile(r"`\w+(=[^`\n]+)?`")


def sayings(file: Path) -> Iterator[tuple[int, str]]:
    """All text in a file but docstrings, which speak to the reader of the code."""
    tree = tree_of(file)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value


def all_commands() -> list[click.Command]:
    """All commands, those in groups among them."""
    context = click.Context(root)
    found = []
    for name in COMMANDS:
        command = root.get_command(context, name)
        if isinstance(command, click.Group):
            found += [command.get_command(context, each) for each in GROUPS[name]]
        else:
            found.append(command)
    assert len(found) >= 25
    return [command for command in found if command is not None]


def test_no_message_of_the_library_names_a_flag() -> None:
    texts = [(file, line, text) for file in LIBRARY for line, text in sayings(file)]
    assert len(LIBRARY) > 100 and len(texts) > 2000
    named = [f"{file}:{line}: {text!r}" for file, line, text in texts if FLAG.search(text)]
    assert named == []


@pytest.mark.parametrize("text", ["give --lenient", "-m AP", "see (-q)", "`--x`"])
def test_a_flag_is_seen(text: str) -> None:
    assert FLAG.search(text)


def arguments(file: Path) -> Iterator[tuple[int, str, str]]:
    """The names of the arguments that messages of a file mention or advise, and their command."""
    for node in nodes_of(file):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Argument":
            name = node.args[0]
            others = [word.value for word in node.keywords if word.arg == "command"]
            command = str(others[0].value) if others and isinstance(others[0], ast.Constant) else ""
            if isinstance(name, ast.Constant):
                yield node.lineno, str(name.value), command


def test_every_argument_in_a_message_is_an_option_on_the_command_line() -> None:
    known = {param.name for command in all_commands() for param in command.params}
    names = {*COMMANDS, *(f"{group} {name}" for group in GROUPS for name in GROUPS[group])}
    found, commands = {}, set()
    for file in LIBRARY:
        for line, name, command in arguments(file):
            if file.name == "wording.py":  # whose examples are its own
                continue
            if command:
                assert command.partition(" QRELS")[0] in names, f"{file}:{line}: {command}"
                commands.add(command)
            if name or not command:
                assert name in known, f"{file}:{line}: no command has {name}"
                found[name] = f"{file}:{line}"
    assert len(found) >= 25 and len(commands) >= 3


def formatted(file: Path) -> Iterator[tuple[int, str]]:
    """The texts of a file that hold values, each value as an x."""
    for node in nodes_of(file):
        if isinstance(node, ast.JoinedStr):
            parts = [getattr(part, "value", "") for part in node.values]
            yield node.lineno, "".join(part if isinstance(part, str) else "x" for part in parts)


def test_arguments_in_messages_are_values() -> None:
    """An argument between backticks in a sentence could not become an option."""
    found = [
        f"{file}:{line}: {text!r}"
        for file in LIBRARY
        for line, text in [*sayings(file), *formatted(file)]
        if WRITTEN.search(text)
        and file.name != "wording.py"
        and "spark" not in file.parts  # where backticks are SQL's
    ]
    assert found == []
    assert WRITTEN.search("give `lenient=True`") and not WRITTEN.search("`rankwise metrics list`")
