"""A process that runs the command line on one case after another, and says how each went.

It reads lines of JSON, {"args": […]}, and answers each with {"code", "out", "err"}. Memory is
limited; time is, by whoever waits for the answer. Traceback and all goes to `err`.
"""

import io
import json
import os
import resource
import sys
import tempfile
import traceback
import warnings

MEMORY = 4 << 30


def run(args: list[str]) -> dict[str, object]:
    """What the console script would do; standard error is caught as the system sees it."""
    from rankwise.cli import main

    sys.argv = ["rankwise", *args]
    with tempfile.TemporaryFile() as held:
        printed, kept_out, kept_err = os.dup(2), sys.stdout, sys.stderr
        os.dup2(held.fileno(), 2)
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        except BaseException:
            code = "traceback"
            traceback.print_exc()
        sys.stderr.flush()
        sys.stdout.flush()
        out = sys.stdout.buffer.getvalue()
        sys.stdout, sys.stderr = kept_out, kept_err
        os.dup2(printed, 2)
        os.close(printed)
        held.seek(0)
        err = held.read()
    return {
        "code": code,
        "out": out.decode("utf-8", "replace"),
        "err": err.decode("utf-8", "replace"),
    }


def serve() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line)["args"])), flush=True)


if __name__ == "__main__":
    serve()
