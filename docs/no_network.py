"""A hook of mkdocs: pages load nothing from the network."""

import re
from typing import Any

from mkdocs.exceptions import PluginError

LOADED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*""")


def on_post_page(output: str, page: Any, **_: Any) -> str:
    if found := LOADED.search(output):
        raise PluginError(f"{page.file.src_uri} loads something from a network: {found[0]}")
    return output
