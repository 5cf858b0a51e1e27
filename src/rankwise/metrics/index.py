"""The family of each metric, read from the files of this package.

`@register` in front of a class is enough: there is no second list. Only the families that are
asked for are loaded.
"""

import re
from functools import cache
from pathlib import Path

REGISTERED = re.compile(r"\n@register\(.*?\nclass (\w+)", re.DOTALL)


@cache
def homes() -> dict[str, str]:
    """Return the name of each metric with the name of the module that registers it."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in files}
    return {name: family for family, text in texts.items() for name in REGISTERED.findall(text)}


def families() -> list[str]:
    """Return the modules that register metrics."""
    return sorted(set(homes().values()))
