"""A hook of mkdocs: links into the source become plain text, as the site does not contain it.

The index for language models is copied as it is: its links become those of the site's pages.
"""

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|tests|benchmarks)/[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    return LINK.sub(r"\1", markdown)


def on_post_build(config: Any, **_: Any) -> None:
    index = Path(config.site_dir) / "llms.txt"
    text = index.read_text(encoding="utf-8")
    index.write_text(re.sub(r"\]\(([\w-]+)\.md\)", r"](\1.html)", text), encoding="utf-8")
