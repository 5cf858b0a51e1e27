"""A hook of mkdocs: long sentences in sessions are wrapped, as in a terminal; tables are not."""

import re
from textwrap import fill
from typing import Any

SENTENCE = re.compile(r"^[a-zA-Z](?!.*   ).{100,}$", re.MULTILINE)
SESSION = re.compile(r"^```(?:console|python)\n.*?^```$", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    markdown = markdown.replace(" > table.txt 2>&1", "")  # of the gallery, for the tests only
    return SESSION.sub(
        lambda block: SENTENCE.sub(lambda line: wrapped(line[0]), block[0]), markdown
    )


def wrapped(sentence: str) -> str:
    return fill(
        sentence, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
