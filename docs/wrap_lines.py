"""A hook of mkdocs: long lines wrap at the width of the page, except rows of tables, which scroll.

Commands and sentences in blocks of code wrap with a hanging indent, and are copied as one line. The
name of an option, such as `--unjudged`, is not broken after its hyphens.
"""

import re
from html import unescape
from typing import Any

ONLY_FOR_TESTS = " > table.txt 2>&1"  # in the gallery
DOCTEST = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)
BLOCK = re.compile(
    r'(<div class="language-(?:console|pycon|text) highlight"><pre><span></span><code>)'
    r"(.*?)(</code></pre>)",
    re.DOTALL,
)
TAG = re.compile(r"<[^>]+>")
TEXT = re.compile(r"(?<![^>])[^<>]+(?=<|\Z)")  # between tags
INLINE = re.compile(r"<code>([^<\n]*)</code>")
OPTION = re.compile(r"(?<![\w-])(-{1,2}[\w-]+)")
UNBROKEN = r'<span class="option">\1</span>'
PROMPT = re.compile(r"(?:\$|>>>|\.\.\.) ")
GATE = re.compile(r"(?:FAILS|PASSES|INCONCLUSIVE) ")
ROW = re.compile(r"\S {4,}\S|\S {2,}\S.* {2,}\S")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Highlight doctests as sessions."""
    return DOCTEST.sub("```pycon\n", markdown.replace(ONLY_FOR_TESTS, ""))


def on_page_content(html: str, **_: Any) -> str:
    html = INLINE.sub(lambda code: OPTION.sub(UNBROKEN, code[0]), html)
    return BLOCK.sub(lambda block: block[1] + wrapped(block[2]) + block[3], html)


def wrapped(code: str) -> str:
    """Mark the lines of a block that wrap."""
    return "".join(map(marked, code.splitlines(keepends=True)))


def marked(line: str) -> str:
    text = unescape(TAG.sub("", line)).rstrip("\n")
    if not text.strip() or is_row(text):
        return line
    hanging = len(text) - len(text.lstrip()) + 2
    unbroken = TEXT.sub(lambda part: OPTION.sub(UNBROKEN, part[0]), line)
    return f'<span class="wraps" style="--hanging: {hanging}ch">{unbroken}</span>'


def is_row(text: str) -> bool:
    """Return whether the line looks like a row of a table: it has wide or several gaps."""
    return ROW.search(text) is not None and not PROMPT.match(text) and not GATE.match(text)
