"""The HTML page of a report as a single file, built from a template, styles, scripts and data."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from rankwise.colours import as_css
from rankwise.errors import visible

# Each module comes after the modules that it imports.
MODULES = (
    *("text", "data", "state", "later", "elements", "draw", "table", "compared", "forest"),
    *("heat", "leaderboard", "run", "collection", "pair", "topic", "groups", "judges", "methods"),
    *("appendix", "main"),
)
# The same characters as in web/text.js, which displays them.
UNSEEN = re.compile(
    "[<\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.M)
EXPORT = re.compile(r"^export (?=(?:function|const|class) (\w+))", re.M)


def page(title: str, data: dict[str, Any]) -> str:
    """Return the HTML page of a report with this title and data.

    The security policy of the page allows only its own scripts and styles, by their hashes.
    """
    script = inside_script(joined_modules())
    style = as_css() + _read("page.css")
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}"
    filled = {
        "TITLE": escape(visible(title)),
        "POLICY": f"{policy}; base-uri 'none'; form-action 'none'",
        "STYLE": style,
        "DATA": as_json(data),
        "SCRIPT": script,
    }
    # In one pass, so that inserted text is not searched again.
    return re.sub(r"<!--([A-Z]+)-->", lambda slot: filled[slot[1]], _read("page.html"))


def as_json(data: dict[str, Any]) -> str:
    """Return JSON that can neither end the script that contains it nor begin a comment there.

    Invisible characters and characters that change the direction of text are escaped too.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def joined_modules() -> str:
    """Return all modules as one script, because a page opened from disk cannot import modules."""
    return "\n".join(_as_function(name, _read(f"{name}.js")) for name in MODULES)


def _as_function(name: str, module: str) -> str:
    """Return JavaScript that defines a constant with the exports of a module.

    Imports are replaced by the constants of the imported modules.
    """
    exported = ", ".join(EXPORT.findall(module))
    body = EXPORT.sub("", IMPORT.sub(r"const \1 = module_\2;", module))
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"


def inside_script(code: str) -> str:
    """Return JavaScript that cannot end its script element (in `</script`, `<` becomes \\x3c)."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", code, flags=re.I)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return files("rankwise.reporting").joinpath("web", name).read_text(encoding="utf-8")
