"""A gate as text: sentences, JSON, Markdown for a pull request, JUnit XML, annotations."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import polars as pl

from rankwise import __version__
from rankwise.comparison.gate.rules import FAILS, INCONCLUSIVE, PASSES
from rankwise.results import SCHEMA_VERSION, format_cell
from rankwise.scores import ALL
from rankwise.wording import Wording

if TYPE_CHECKING:
    from rankwise.comparison.gate.gate_result import Gate

SHOWN_DOCUMENTS = 5  # of a topic, in tables; JSON has them all
WORDS: dict[object, str] = {
    PASSES: "passes",
    FAILS: "**fails**",
    INCONCLUSIVE: "**inconclusive**",
}
SHOWN_TOPICS = 10
INDENT = " " * (len(INCONCLUSIVE) + 2)
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rule_cells(gate: Gate) -> pl.DataFrame:
    """Columns of the table for display."""
    columns = ["rule", "outcome", "baseline", "candidate", "why", "topics"]
    grouped = gate.frame["group"].n_unique() > 1
    return gate.frame.select(["group", *columns] if grouped else columns)


def as_text(gate: Gate) -> str:
    """Format as sentences: queries without results, each rule, the queries that got worse."""
    lines = about_no_results(gate)
    for row in gate.frame.iter_rows(named=True):
        lines.append(f"{row['outcome'].upper():<{len(INDENT)}}{_sentence(row)}")
        lines += [INDENT + row["prospect"]] if row["prospect"] else []
    lines += about_drops(gate)
    if gate.outcome == INCONCLUSIVE and gate.inconclusive is not None:
        lines.append(f"Inconclusive counts as {gate.inconclusive}.")
    return "".join(f"{_one_line(line)}\n" for line in lines)


def _sentence(row: dict[str, Any]) -> str:
    group = f"{row['group']}: " if row["group"] != ALL else ""
    return f"{group}{row['why']}."


def about_queries(gate: Gate) -> list[str]:
    """Sentences on the queries without results, then on those that got much worse."""
    return [*about_no_results(gate), *about_drops(gate)]


def about_no_results(gate: Gate) -> list[str]:
    listed = _queries(gate.no_results or (), "returned no results")
    return [f"{listed}."] if listed else []


def about_drops(gate: Gate) -> list[str]:
    """Sentences on the queries that got worse by more than half of each metric's range."""
    bounded = [drop for drop in gate.drops if drop.limit < float("inf")]
    lines = []
    for drop in bounded:
        worse = f"got worse by more than {drop.limit:g} (half of the metric's range)"
        listed = _queries(drop.topics, worse)
        if len(gate.drops) > 1:
            lines.append(f"{drop.metric}: {listed or f'no query {worse}'}.")
        else:
            lines.append(f"{listed or f'No query {worse}'}.")
    if gate.no_results is not None and not gate.no_results:
        if len(lines) == 1 and not bounded[0].topics:
            return [f"{lines[0][:-1]}. Every query returned results."]
        if len(lines) == 1:
            return [f"{lines[0]} Every query returned results."]
        lines.append("Every query returned results.")
    return lines


def _queries(topics: Sequence[str], verb: str) -> str:
    """List topics: `2 queries returned no results: 401, 402`; empty if there are none."""
    if not topics:
        return ""
    more = len(topics) - SHOWN_TOPICS
    rest = f" and {more:,} more" if more > 0 else ""
    plural = "query" if len(topics) == 1 else "queries"
    return f"{len(topics):,} {plural} {verb}: {', '.join(topics[:SHOWN_TOPICS])}{rest}"


def as_github(gate: Gate) -> str:
    """Format as GitHub's workflow commands: errors, warnings and notices."""
    levels = {PASSES: "notice", FAILS: "error", INCONCLUSIVE: "warning"}
    if gate.inconclusive == "fail":
        levels[INCONCLUSIVE] = "error"
    lines = [
        (levels[row["outcome"]], f": {row['outcome']}", f"{_sentence(row)} {row['prospect']}")
        for row in gate.frame.iter_rows(named=True)
    ]
    level = "warning" if gate.no_results or any(drop.topics for drop in gate.drops) else "notice"
    about = " ".join(about_queries(gate))
    lines += [(level, ": queries", about)] if about else []
    return "".join(
        f"::{kind} title=rankwise gate{_property(title)}::{_data(text.rstrip())}\n"
        for kind, title, text in lines
    )


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return _one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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
        "no_results": gate.no_results,
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
    prospects = [row for row in gate.frame.iter_rows(named=True) if row["prospect"]]
    said = [f"- {_plain(row['rule'])}: {_plain(row['prospect'])}\n" for row in prospects]
    said += [f"- {_plain(line)}\n" for line in about_queries(gate)]
    parts += ["".join(said)] if said else []
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
            _documents(row["gained"]),
            "no results returned" if row["no_results"] else _documents(row["lost"]),
            _documents(row["missed"]),
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
    """Format as JUnit XML; an inconclusive rule is an error, or what `inconclusive` says."""
    rows = gate.frame.to_dicts()
    counted = {"pass": "skipped", "fail": "failure", None: "error"}[gate.inconclusive]
    tags = {FAILS: "failure", INCONCLUSIVE: counted}
    tag_of_rows = [tags.get(row["outcome"]) for row in rows]
    counts = {
        name: str(tag_of_rows.count(tag))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    }
    suites = ElementTree.Element("testsuites")
    about = {"name": "rankwise gate", "tests": str(len(rows)), **counts}
    suite = ElementTree.SubElement(suites, "testsuite", about)
    for row, tag in zip(rows, tag_of_rows, strict=True):
        group = row["group"] or ALL
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(f"rankwise.gate.{group}"), name=_xml(row["rule"])
        )
        if tag is not None:
            message = f"{row['why']}. {row['prospect']}".rstrip()
            ElementTree.SubElement(case, tag, message=_xml(message))
    said = [gate.caption, *about_queries(gate), *(note.said(wording) for note in gate.notes)]
    ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(said))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Remove characters that XML does not allow."""
    return NOT_IN_XML.sub("\ufffd", text)
