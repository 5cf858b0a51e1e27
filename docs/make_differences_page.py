"""Writes docs/why-numbers-differ.md from what other tools print: `make differences`.

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

The same run, the same judgments, and two tools print two numbers. Each known reason is shown here
on one small example, with the number of each tool and the metric and options of `rankwise.score`
that give it (on the command line, `-m` and the option of that name). Other names for a metric are
in [Metrics](metrics.md#names-of-other-tools); every deliberate difference, with its reason, is in
[Decisions](decisions.md).

The numbers are what the tools give when they are run on the example; a test runs rankwise, and
every tool that is installed, again.
"""

TAIL = """## Still different?

`rankwise explain QRELS RUN --topic T -m METRIC` shows what each document contributes to one score:
find the first topic on which two tools differ (`rankwise score --by-topic`), and look. Common
causes that no setting mends: a document that is a duplicate in a topic (trec_eval and rankwise
refuse it, pytrec_eval, ir_measures and ranx keep one), another version of the judgments, and a run
cut at another depth.
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
    """Of a row of rankwise itself, too, where nothing is to be compared."""
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
