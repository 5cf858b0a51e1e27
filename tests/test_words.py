"""Text for readers follows the style of the project: plain words, known openings, clear names."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from source_trees import nodes_of, tree_of

from rankwise.doors import homes

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
    r"and said|said of|may (?:one|I) say|"
    r"turns? out (?:to be )?relevant|"
    r"lowest grade that is relevant|"
    r"some run has|"
    r"where chance starts|made anew|how it was made|"
    r"of each(?: \w+)? by itself|"
    r"whole or not at all|holes|"
    r"what (?:\w+ ){0,3}(?:is|are) worth|"
    r"(?<!there )(?:is|are) no (?!longer|more|less|other|such|\w+er\b)\w+|"
    r"for want of|takes no notice|on purpose|in the wrong way"
    r")\b",
    re.IGNORECASE,
)
# Names that are known to be vague, to be renamed with all of their uses.
VAGUE_EXCEPTIONS = {"Draw: kept", "InputError: said", "RankwiseError: said"}
VAGUE = {"found", "given", "taken", "made", "what", "ways", "kept", "asked", "said"}

KINDS = ("docstrings", "messages", "pages")
# `holes` is a function: its name in a message and on the page of the API is code.
EXCEPTIONS = {"rankwise.judging.holes", "pool, holes, sample_judgments"}


class Text(str):
    """A text and where it is, for a message."""

    where: str

    def __new__(cls, text: str, where: str) -> "Text":
        self = super().__new__(cls, text)
        self.where = where
        return self


def docstrings(file: Path) -> Iterator[Text]:
    """All docstrings of a module."""
    for node in nodes_of(file):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                where = f"{file.relative_to(CHECKOUT)}:{node.body[0].lineno}"
                yield Text(text, where)


def messages(file: Path) -> Iterator[Text]:
    """All sentences of a module that are not docstrings: notes, messages, help, headings."""
    tree = tree_of(file)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    # Names of options, not words.
    named = ("everyday", "GROUPS")
    documented |= {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in named
        for part in ast.walk(node.value)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in documented:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield Text(node.value, f"{file.relative_to(CHECKOUT)}:{node.lineno}")


def prose(page: Path) -> Iterator[Text]:
    """The lines of a page that are not code."""
    in_code = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield Text(line, f"{page.relative_to(CHECKOUT)}:{number}")


def banned(text: str) -> list[str]:
    """The banned words of a text; code in backticks and examples aside."""
    for code in EXCEPTIONS:
        text = text.replace(code, "")
    text = re.sub(r"^ *>>>.*?(?=\n *\n|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    plain = " ".join(re.sub(r"`[^`]*`|--[a-z-]+", "", text).split())
    return [match[0] for match in BANNED.finditer(plain)]


def wrong(texts: Iterable[Text]) -> list[str]:
    """Where banned words are."""
    return [f"{text.where}: {', '.join(words)}" for text in texts if (words := banned(text))]


@cache
def faults(kind: str) -> dict[str, list[str]]:
    """The files with banned words in their texts of a kind, with the places."""
    if kind == "pages":
        return {page.name: found for page in PAGES if (found := wrong(prose(page)))}
    read = {"docstrings": docstrings, "messages": messages}[kind]
    each = {str(file.relative_to(PACKAGE)): wrong(read(file)) for file in MODULES}
    return {file: found for file, found in each.items() if found}


def test_no_docstring_begins_with_a_question_word() -> None:
    texts = [text for file in MODULES for text in docstrings(file)]
    assert len(texts) > 1500
    assert [f"{text.where}: {text[:50]}" for text in texts if OPENINGS.match(text)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_has_a_banned_word(kind: str) -> None:
    assert [place for places in faults(kind).values() for place in places] == []


def public_definitions() -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The public functions and classes, and all classes of results."""
    doors = [PACKAGE, *(PACKAGE / name for name in ("judging", "metrics", "published", "spark"))]
    exported: set[tuple[str, str]] = set()
    for door in doors:
        for name, module in homes(str(door / "__init__.py")).items():
            package = CHECKOUT / "src" / module.replace(".", "/")
            behind = homes(str(package / "__init__.py")) if package.is_dir() else {}
            exported.add((behind.get(name, module), name))
    for file in MODULES:
        module = ".".join(file.relative_to(CHECKOUT / "src").with_suffix("").parts)
        for node in tree_of(file).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                bases = node.bases if isinstance(node, ast.ClassDef) else []
                is_result = any(
                    isinstance(base, ast.Name) and base.id == "Result" for base in bases
                )
                if (module, node.name) in exported or is_result:
                    yield node


def parameters(function: ast.FunctionDef) -> Iterator[str]:
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield argument.arg


def public_names(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The parameters of a function; the attributes of a class, and its methods' parameters."""
    if isinstance(node, ast.FunctionDef):
        yield from parameters(node)
        return
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
        elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            yield part.name
            yield from parameters(part)


def test_no_public_name_is_vague() -> None:
    definitions = list(public_definitions())
    names = [(node.name, name) for node in definitions for name in public_names(node)]
    assert len(definitions) > 80 and len(names) > 500
    vague = {f"{owner}: {name}" for owner, name in names if name in VAGUE}
    assert vague == VAGUE_EXCEPTIONS


@pytest.mark.parametrize(
    "text",
    ["made anew", "a row a topic", "Told apart", "they would else", "tell the two runs apart"],
)
def test_a_banned_word_is_seen(text: str) -> None:
    assert banned(text)


@pytest.mark.parametrize(
    "text", ["`whatever`", "--holes 4", ">>> holes(QRELS)\nwhatever", "a file name"]
)
def test_code_is_not_prose(text: str) -> None:
    assert not banned(text)


@pytest.mark.parametrize("text", ["What is it?", "How many", "Of the runs", "That it is so"])
def test_an_opening_is_seen(text: str) -> None:
    assert OPENINGS.match(text)


def test_vague_names_are_seen() -> None:
    [node] = ast.parse("class A:\n    found: int\n    def of(self, given): ...").body
    assert isinstance(node, ast.ClassDef)
    assert VAGUE & set(public_names(node)) == {"found", "given"}
