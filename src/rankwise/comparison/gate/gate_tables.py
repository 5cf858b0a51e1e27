"""A gate as text: a table, JSON, Markdown for a pull request, JUnit XML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import polars as pl

from rankwise import __version__
from rankwise.comparison.gate.rules import FAILS, PASSES, UNDECIDED
from rankwise.results import SCHEMA_VERSION, format_cell
from rankwise.scores import ALL
from rankwise.wording import Wording

if TYPE_CHECKING:
    from rankwise.comparison.gate.gate_result import Gate

SHOWN_DOCUMENTS = 5  # of a topic, in tables; JSON has them all
WORDS: dict[object, str] = {
    PASSES: "passes",
    FAILS: "**fails**",
    UNDECIDED: "**cannot be decided**",
}
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rule_cells(gate: Gate) -> pl.DataFrame:
    """Columns of the table for display."""
    columns = ["rule", "outcome", "baseline", "candidate", "why", "topics"]
    grouped = gate.frame["group"].n_unique() > 1
    return gate.frame.select(["group", *columns] if grouped else columns)


def as_json(gate: Gate, wording: Wording) -> str:
    content: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "command": "gate",
        "outcome": gate.outcome,
        "exit_code": gate.exit_code,
        "why": gate.caption,
        "baseline": gate.baseline,
        "candidate": gate.candidate,
        **gate.settings,
        "rules": gate.frame.to_dicts(),
        "moved": gate.moved.to_dicts(),
        "notes": [note.data(wording) for note in gate.notes],
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_markdown(gate: Gate, wording: Wording, digits: int) -> str:
    """Format as Markdown; names are code spans, so they cannot be markup, links or mentions."""
    parts = [f"### rankwise gate: {_plain(gate.caption)}\n"]
    cells = rule_cells(gate)
    rows = [[_cell(value, digits) for value in row] for row in cells.rows()]
    parts.append(_markdown_table(cells.columns, rows))
    for metric in gate.moved["metric"].unique(maintain_order=True):
        moved = gate.moved.filter(pl.col("metric") == metric)
        table = _markdown_table(*_moved_cells(moved, digits))
        summary = f"<summary>{_plain(metric)}: topics that moved most</summary>"
        parts.append(f"<details>{summary}\n\n{table}\n</details>\n")
    notes = [f"- {_plain(note.said(wording))}\n" for note in gate.notes]
    parts += ["".join(notes)] if notes else []
    return "\n".join(parts)


def _moved_cells(moved: pl.DataFrame, digits: int) -> tuple[list[str], list[list[str]]]:
    columns = ["topic", "baseline", "candidate", "difference", "gained", "lost", "missed"]
    rows = [
        [
            _code(row["topic"]),
            *(format_cell(row[name], digits) for name in ("baseline", "candidate")),
            f"{row['difference']:+.{digits}f}",
            *(_documents(row[name]) for name in ("gained", "lost", "missed")),
        ]
        for row in moved.iter_rows(named=True)
    ]
    return columns, rows


def _documents(names: Sequence[str] | None) -> str:
    if names is None:
        return "not known"
    more = f" … {len(names) - SHOWN_DOCUMENTS} more" if len(names) > SHOWN_DOCUMENTS else ""
    return " ".join(_code(name) for name in names[:SHOWN_DOCUMENTS]) + more


def _cell(value: object, digits: int) -> str:
    if value in WORDS:
        return WORDS[value]
    return _plain(value) if isinstance(value, str) else format_cell(value, digits)


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _plain(text: str) -> str:
    """Escape text: no markup, and no mentions by @."""
    escaped = re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", _one_line(text))
    return re.sub(r"(?<!\w)@", "@\u2060", escaped)


def _code(name: str) -> str:
    """Format a code span; in a table GitHub ends the cell at a | even there."""
    shown = _one_line(name).replace("|", r"\|")
    longest = max((len(ticks) for ticks in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if "`" in shown else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def as_junit(gate: Gate, wording: Wording) -> str:
    rows = gate.frame.to_dicts()
    counts = {name: str(sum(row["outcome"] == of for row in rows)) for name, of in _FAULTS.items()}
    suites = ElementTree.Element("testsuites")
    about = {"name": "rankwise gate", "tests": str(len(rows)), **counts}
    suite = ElementTree.SubElement(suites, "testsuite", about)
    for row in rows:
        group = row["group"] or ALL
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(f"rankwise.gate.{group}"), name=_xml(row["rule"])
        )
        for name, of in _FAULTS.items():
            if row["outcome"] == of:
                ElementTree.SubElement(case, name.removesuffix("s"), message=_xml(row["why"]))
    said = [gate.caption, *(note.said(wording) for note in gate.notes)]
    ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(said))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


_FAULTS = {"failures": FAILS, "errors": UNDECIDED}


def _xml(text: str) -> str:
    """Remove characters that XML does not allow."""
    return NOT_IN_XML.sub("\ufffd", text)
