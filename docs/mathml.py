"""A hook of mkdocs: formulas of the pages as MathML, which browsers draw by themselves.

A formula is a fenced block of LaTeX called `math`, as GitHub shows it too.
"""

import re
from textwrap import dedent
from typing import Any

FORMULA = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    return FORMULA.sub(lambda block: drawn(block[1]), markdown)


def drawn(latex: str) -> str:
    """One line of HTML: Markdown leaves that alone."""
    from latex2mathml.converter import convert

    return f'<div class="formula">{convert(dedent(latex).strip(), display="block")}</div>'
