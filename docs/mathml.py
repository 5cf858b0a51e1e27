"""A hook of mkdocs: formulas of the pages as MathML, which browsers display without a script.

LaTeX is written as GitHub shows it too: a fenced block called `math`, or $…$ in a line.
"""

import re
from typing import Any

from latex2mathml.converter import convert

FENCES = re.compile(r"^(```+)(.*?)^\1$", re.DOTALL | re.MULTILINE)
CODE_OR_FORMULA = re.compile(r"`[^`\n]*`|(?<![\w$])\$([^$`\n]+)\$(?![\w$])")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Convert formulas outside of code to one line of HTML each."""
    shown, end = [], 0
    for block in FENCES.finditer(markdown):
        shown.append(CODE_OR_FORMULA.sub(in_line, markdown[end : block.start()]))
        shown.append(displayed(block[2]) if block[2].startswith("math\n") else block[0])
        end = block.end()
    return "".join([*shown, CODE_OR_FORMULA.sub(in_line, markdown[end:])])


def displayed(block: str) -> str:
    latex = block.removeprefix("math").strip()
    return f'<div class="formula">{spaced(convert(latex, display="block"))}</div>'


def spaced(formula: str) -> str:
    """Put space around colons, which the converter takes for letters."""
    return formula.replace("<mi>:</mi>", '<mo lspace="0.25em" rspace="0.25em">:</mo>')


def in_line(found: re.Match[str]) -> str:
    return convert(found[1]) if found[1] else found[0]
