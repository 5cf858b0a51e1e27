"""Write docs/why-numbers-differ.md from the output of other tools: `make differences`.

All of them must be installed. The script fails where a rankwise setting does not give the number
of the tool that it is said to give.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from differences_page.cases import CASES, Case, Row
from differences_page.tools import TOOLS, is_installed, number_of

HEAD = """# Why your numbers differ

<!-- Made by `make differences`: do not edit. -->

This page shows why two tools print different numbers for the same run and the same
judgments. Each section shows one reason on a small example. The table has the number of each tool,
and the metric and options of `rankwise.score` that reproduce it (on the command line, `-m` and the
option with that name). [Metrics](metrics.md#names-of-other-tools) lists other names for a metric.
[Decisions](decisions.md) lists every deliberate difference, with its reason.

The tools printed these numbers for the example. A test checks them again with rankwise and with
every tool that is installed.
"""

TAIL = """## Other causes

To find another cause, find the first topic on which two tools differ (`rankwise score --by-topic`).
Then `rankwise explain QRELS RUN --topic T -m METRIC` shows the contribution of each document to the
score of this topic. No setting removes these common causes:

- A document is a duplicate within a topic. trec_eval and rankwise refuse it; pytrec_eval,
  ir_measures and ranx keep one of the two.
- The judgments are another version.
- The run was cut at another depth.
"""

CLOSE = 1e-5  # gdeval prints five digits


def page(number: Callable[[Row, Case], float]) -> str:
    return "\n".join([HEAD, *(section(case, number) for case in CASES), TAIL])


def section(case: Case, number: Callable[[Row, Case], float]) -> str:
    rows = [
        f"| {row.tool} | `{row.measure}` | {number(row, case):.4f} | {row.setting} |"
        for row in case.rows
    ]
    head = ["| tool | written there | number | in rankwise |", "|---|---|---:|---|"]
    data = (f"qrels = {json.dumps(case.qrels)}", f"run = {json.dumps(case.run)}")
    example = ["```python", *data, "```"]
    return "\n".join(
        [f"## {case.title}", "", case.text, "", *example, "", *head, *rows, "", case.advice, ""]
    )


def by_rankwise(row: Row, case: Case) -> float:
    return row.number(case.qrels, case.run)


def by_the_tool(row: Row, case: Case) -> float:
    """Return the number of the tool, and exit if rankwise does not reproduce it."""
    if row.tool == "rankwise":
        return by_rankwise(row, case)
    theirs = number_of(row.tool, row.measure, case.qrels, case.run)
    ours = by_rankwise(row, case)
    if abs(theirs - ours) > CLOSE:
        sys.exit(f"{case.title}: {row.tool} {row.measure} {theirs}, but {row.setting} {ours}")
    return theirs


if __name__ == "__main__":
    if missing := [tool for tool in TOOLS if not is_installed(tool)]:
        sys.exit(f"not installed: {', '.join(missing)}. `make differences` installs them.")
    text = page(by_the_tool)
    Path(__file__).with_name("why-numbers-differ.md").write_text(text, encoding="utf-8")
