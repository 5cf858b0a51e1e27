"""A hook of mkdocs: links into the source become plain text, as the site does not contain it."""

import re
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|tests|benchmarks)/[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    return LINK.sub(r"\1", markdown)
