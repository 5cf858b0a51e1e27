"""Calls of vl-convert, in a separate process if the memory of processes is limited.

vl-convert draws with the JavaScript engine V8, which reserves many gigabytes of address space. If
`ulimit` does not allow that, V8 ends the process with a stack dump.
"""

import json
import subprocess
import sys
from functools import cache
from typing import Any

from rankwise.errors import CallError

CHILD = """
import json, sys
import vl_convert
name, arguments, keywords = json.loads({given!r})
found = getattr(vl_convert, name)(*arguments, **keywords)
sys.stdout.buffer.write(found.encode() if isinstance(found, str) else bytes(found))
"""


def render(function: str, *arguments: Any, **keywords: Any) -> bytes:
    """Call a function of vl-convert and return its result as bytes; text is encoded as UTF-8."""
    limit = _limit_of_addresses()
    if limit is None:
        import vl_convert

        try:
            drawn = getattr(vl_convert, function)(*arguments, **keywords)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            first_line = next(iter(str(error).splitlines()), type(error).__name__)
            what = f"the chart cannot be drawn: vl-convert failed ({first_line})"
            raise CallError(f"{what}. Write FILE.json, which needs no drawing.") from error
        return drawn.encode() if isinstance(drawn, str) else bytes(drawn)
    script = CHILD.format(given=json.dumps([function, arguments, keywords]))
    done = subprocess.run([sys.executable], input=script.encode(), capture_output=True)
    if done.returncode:
        what = f"the chart cannot be drawn in {limit / 2**30:,.0f} GB of address space (see ulimit)"
        raise CallError(f"{what}. Raise the limit, or write FILE.html, which a browser draws.")
    return done.stdout


@cache
def script_with_vega(snippet: str, vl_version: str) -> str:
    """Return one script with Vega, Vega-Lite and a snippet. The call takes about two seconds."""
    return render("javascript_bundle", snippet, vl_version=vl_version).decode()


def _limit_of_addresses() -> int | None:
    """Return the limit of the process for address space or data, in bytes; None if unlimited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)
