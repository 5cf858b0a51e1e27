"""Text for readers follows the style of the project: plain words, known openings, clear names."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click
import pytest

import rankwise
from rankwise.cli import COMMANDS
from rankwise.cli.root import root

CHECKOUT = Path(__file__).parents[1]
PACKAGE = CHECKOUT / "src" / "rankwise"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]

OPENINGS = re.compile(r"(What|How|Of|That|Whom|So many|All that)\b")
THING = "row|column|line|name|mark|system|case|topic|query|file|run|metric|pair|document|page|rank"
BANNED = re.compile(
    r"\b("
    r"anew|likewise|whatever|whom|alike|such that|all that|so many|as it comes|of which|"
    r"(?:tell|tells|told)(?: \w+){0,3} apart|"
    r"(?:would|could|is|are|they|it) else|"
    r"stands? (?:once|twice)|"
    rf"(?:a|one) (?:{THING}) an? (?:{THING})|"
    r"and said|said of|(?:say|says) so|may one say|"
    r"turns? out (?:to be )?relevant|"
    r"lowest grade that is relevant|"
    r"in its first|what some run has|"
    r"where chance starts|made anew|how it was made|"
    r"of each(?: \w+)? by itself|"
    r"whole or not at all|holes|"
    r"what (?:\w+ ){0,3}(?:is|are) worth"
    r")\b",
    re.IGNORECASE,
)
VAGUE = {"found", "given", "taken", "made", "what", "ways", "kept", "asked", "said"}

# Files that are not done yet. Take a file out when it follows the style; never add one.
NOT_YET_MESSAGES: set[str] = set()
NOT_YET_PAGES: set[str] = set()


class Text(str):
    """A text and where it is, for a message."""

    where: str

    def __new__(cls, text: str, where: str) -> "Text":
        self = super().__new__(cls, text)
        self.where = where
        return self


def docstrings(file: Path) -> Iterator[Text]:
    """All docstrings of a module."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                where = f"{file.relative_to(CHECKOUT)}:{node.body[0].lineno}"
                yield Text(text, where)


def messages(file: Path) -> Iterator[Text]:
    """All sentences of a module that are not docstrings: notes, messages and help."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in documented:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield Text(node.value, f"{file.relative_to(CHECKOUT)}:{node.lineno}")


def helps() -> Iterator[Text]:
    """The help of all commands and options."""
    context = click.Context(root)
    commands = [root.get_command(context, name) for name in COMMANDS]
    for command in commands:
        assert command is not None
        if isinstance(command, click.Group):
            commands += list(command.commands.values())
        yield Text(command.help or "", f"rankwise {command.name} --help")
        for option in command.params:
            where = f"rankwise {command.name} {'/'.join(option.opts)}"
            yield Text(getattr(option, "help", None) or "", where)


def prose(page: Path) -> Iterator[Text]:
    """The lines of a page that are not code."""
    in_code = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield Text(line, f"{page.relative_to(CHECKOUT)}:{number}")


def banned(text: str) -> list[str]:
    """The banned words of a text, code in backticks aside."""
    plain = re.sub(r"`[^`]*`|--[a-z-]+|^\s*(?:>>>|\.\.\.).*$", "", text, flags=re.MULTILINE)
    return [match[0] for match in BANNED.finditer(" ".join(plain.split()))]


def wrong(texts: Iterator[Text]) -> list[str]:
    return [f"{text.where}: {', '.join(words)}" for text in texts if (words := banned(text))]


def test_no_docstring_begins_with_a_question_word() -> None:
    texts = [text for file in MODULES for text in docstrings(file)]
    assert len(texts) > 1500
    assert [f"{text.where}: {text[:50]}" for text in texts if OPENINGS.match(text)] == []


def test_no_docstring_has_a_banned_word() -> None:
    assert wrong(text for file in MODULES for text in docstrings(file)) == []


def test_no_help_has_a_banned_word() -> None:
    assert wrong(helps()) == []


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_message_has_a_banned_word(file: Path) -> None:
    found = wrong(messages(file))
    if str(file.relative_to(PACKAGE)) in NOT_YET_MESSAGES:
        assert found, f"{file} is done: take it out of NOT_YET_MESSAGES"
    else:
        assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_banned_word(page: Path) -> None:
    found = wrong(prose(page))
    if page.name in NOT_YET_PAGES:
        assert found, f"{page} is done: take it out of NOT_YET_PAGES"
    else:
        assert found == []


def public_names() -> Iterator[tuple[str, str]]:
    """Each public function or class with the names of its parameters and attributes."""
    for name in rankwise.__all__:
        value = getattr(rankwise, name)
        if inspect.isclass(value):
            attributes = [attribute for attribute in dir(value) if attribute[0] != "_"]
            attributes += [field.name for field in fields(value)] if is_dataclass(value) else []
            yield from ((name, attribute) for attribute in attributes)
            methods: list[Any] = [getattr(value, attribute) for attribute in dir(value)]
        else:
            methods = [value]
        for method in methods:
            if inspect.isfunction(method) and not method.__name__.startswith("_"):
                for parameter in inspect.signature(method).parameters:
                    yield f"{name}.{method.__name__}", parameter


def test_no_public_name_is_vague() -> None:
    names = list(public_names())
    assert len(names) > 500
    assert sorted({f"{owner}: {name}" for owner, name in names if name in VAGUE}) == []


@pytest.mark.parametrize(
    "text",
    ["made anew", "a row a topic", "Told apart", "they would else", "tell the two runs apart"],
)
def test_a_banned_word_is_seen(text: str) -> None:
    assert banned(text)


@pytest.mark.parametrize("text", ["`whatever`", "--holes 4", ">>> holes(QRELS)", "a file name"])
def test_code_is_not_prose(text: str) -> None:
    assert not banned(text)


@pytest.mark.parametrize("text", ["What is it?", "How many", "Of the runs", "That it is so"])
def test_an_opening_is_seen(text: str) -> None:
    assert OPENINGS.match(text)
