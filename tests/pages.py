"""The Python of the docs: found in a page, and run."""

import doctest
import re
from pathlib import Path
from typing import Any

import rankwise


def blocks_of(page: Path) -> list[tuple[int, str]]:
    """The Python blocks of a page, each with the line that it starts on."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, block.start(1)), block[1]) for block in found]


def run_blocks(page: Path) -> None:
    """Blocks of a page follow each other, as a reader would type them."""
    names: dict[str, Any] = {"__name__": page.stem, "score_gains": rankwise.score_gains}
    for line, block in blocks_of(page):
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), line)
            said: list[str] = []
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            result = runner.run(example, out=said.append, clear_globs=False)
            assert result.attempted and not result.failed, "".join(said)
            names.update(example.globs)  # an example has a copy
        else:
            exec(compile("\n" * line + block, str(page), "exec"), names)
