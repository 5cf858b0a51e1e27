"""The docs name what is there."""

import re
from importlib import import_module
from pathlib import Path

DOCS = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))


def test_every_dotted_name_in_the_docs_exists() -> None:
    names = {
        name
        for page in DOCS
        for code in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
        for name in re.findall(r"\brankwise(?:\.[A-Za-z_]+)+", code)
    }
    assert len(names) >= 3
    for name in sorted(names):
        resolve(name)


def resolve(name: str) -> object:
    """The module or what is in it; an error where there is no such thing."""
    module, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(module), last)
