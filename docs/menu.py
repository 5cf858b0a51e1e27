"""A hook of mkdocs: the menu is visible from 1,000 pixels on, not from 1,220 as in the theme."""

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

# Widths of the theme, and ours.
WIDTHS = {"76.25em": "62.5em", "76.234375em": "62.484375em"}
BREAKPOINT = re.compile("|".join(map(re.escape, WIDTHS)))


def on_post_build(config: Any, **_: Any) -> None:
    assets = Path(config["site_dir"], "assets")
    replaced: set[str] = set()
    for file in [*assets.glob("stylesheets/*.css"), *assets.glob("javascripts/*.js")]:
        text = file.read_text(encoding="utf-8")
        new = BREAKPOINT.sub(lambda width: WIDTHS[width[0]], text)
        if new != text:
            replaced |= set(BREAKPOINT.findall(text))
            file.write_text(new, encoding="utf-8")
    if missing := WIDTHS.keys() - replaced:
        raise PluginError(f"The theme has no width of {', '.join(missing)}: see docs/menu.py.")
