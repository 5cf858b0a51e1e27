"""`Gate`: the outcomes of the rules for a candidate, with the numbers behind each outcome.

Its methods write sentences, JSON, Markdown for a pull request, JUnit XML and GitHub annotations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.etree import ElementTree

import polars as pl

from rankwise import __version__
from rankwise.comparison.gate.rules import FAILS, INCONCLUSIVE, PASSES, Outcome
from rankwise.comparison.gate.sides import Drop
from rankwise.errors import in_words
from rankwise.notes import Note
from rankwise.results import SCHEMA_VERSION, Result, Table, format_cell
from rankwise.scores import ALL
from rankwise.wording import PYTHON, Wording

EXIT_CODES = {PASSES: 0, FAILS: 1, INCONCLUSIVE: 2, "pass": 0, "fail": 1}
SHOWN_DOCUMENTS = 5  # documents per topic in tables; JSON has all of them
WORDS: dict[str, str] = {PASSES: "passes", FAILS: "**fails**", INCONCLUSIVE: "**inconclusive**"}
SHOWN_TOPICS = 10
INDENT = " " * (len(INCONCLUSIVE) + 2)
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Outcome of each rule of a gate.

    `frame` has one row per rule (with topic groups, per rule and `group`): the outcome (`passes`,
    `fails` or `inconclusive`), the reason (`why`), and the numbers. For `max-drop`, `chance` is the
    probability that a candidate exactly as good as the baseline passes, and `topics_needed` the
    number of topics with which this probability is 80 %. `moved` has the topics that changed most,
    with the relevant documents that entered the top of the ranking (`gained`), left the top
    (`lost`), or are not in the candidate's top (`missed`). `drops` has, for each metric, the topics
    that got worse by more than half of the metric's range. `no_results` lists the topics for which
    the candidate returned nothing, or is None if both sides are imported scores.
    """

    _everyday = (
        *("exit_code", "moved", "no_results", "outcome", "passed", "to_github", "to_json"),
        "to_junit",
    )

    baseline: str
    candidate: str
    frame: pl.DataFrame
    moved: pl.DataFrame = field(repr=False)
    drops: tuple[Drop, ...]
    no_results: tuple[str, ...] | None
    settings: dict[str, object]
    notes: list[Note]
    inconclusive: Literal["pass", "fail"] | None = None

    @property
    def outcome(self) -> Outcome:
        """`fails` if any rule fails, `passes` if all rules pass; in other cases `inconclusive`."""
        outcomes = set(self.frame["outcome"])
        return FAILS if FAILS in outcomes else INCONCLUSIVE if INCONCLUSIVE in outcomes else PASSES

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """Exit code: 0 if the gate passes, 1 if it fails, 2 if it is inconclusive.

        The argument `inconclusive` of `gate` changes the code 2 to 0 or 1.
        """
        counted = self.inconclusive if self.outcome == INCONCLUSIVE else None
        return EXIT_CODES[counted or self.outcome]

    @property
    def caption(self) -> str:
        """The outcome in one line, with the reason of the first rule that decides it.

        If the gate passes, the line has the number of rules instead.
        """
        rows = self.frame.filter(pl.col("outcome") == self.outcome)
        if self.outcome == PASSES:
            rules = f"{rows.height} rule{'s' * (rows.height != 1)}"
            return f"{self.candidate} passes {rules} against {self.baseline}"
        first = rows.row(0, named=True)
        where = f"{first['group']}: " if first["group"] != ALL else ""
        more = f"; and {rows.height - 1} more" if rows.height > 1 else ""
        words = {FAILS: "fails", INCONCLUSIVE: "is inconclusive"}[self.outcome]
        return f"{self.candidate} {words}: {where}{first['why']}{more}"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per rule."""
        return Table(_rule_cells(self), digits=digits)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def to_text(self) -> str:
        """Return the outcome of each rule in sentences.

        More sentences list the queries without results, and the queries that got worse by more than
        half of a metric's range.
        """
        lines = _about_no_results(self)
        for row in self.frame.iter_rows(named=True):
            lines.append(f"{row['outcome'].upper():<{len(INDENT)}}{_sentence(row)}")
            lines += [INDENT + _prospect(row)] if _prospect(row) else []
        lines += [_overall(self)] if self.frame.height > 1 else []
        lines += _about_drops(self)
        if self.outcome == INCONCLUSIVE and self.inconclusive is not None:
            lines.append(f"Inconclusive counts as {self.inconclusive}.")
        return "".join(f"{_one_line(line)}\n" for line in lines)

    def to_json(self, wording: Wording = PYTHON) -> str:
        """Return the full result as JSON.

        `wording` decides if notes write arguments in Python or as command-line options.
        """
        content: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "version": __version__,
            "command": "gate",
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "why": self.caption,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "no_results": self.no_results,
            **self.settings,
            "rules": self.frame.to_dicts(),
            "moved": self.moved.to_dicts(),
            "notes": [note.data(wording) for note in self.notes],
        }
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def to_markdown(self, wording: Wording = PYTHON, *, digits: int = 4) -> str:
        """Return Markdown for a comment on a pull request.

        Names of topics and documents are code spans, and all other text is escaped, so that no name
        can act as markup, a link or a mention. `wording` decides if notes write arguments in Python
        or as command-line options.
        """
        parts = [f"### rankwise gate: {_plain(self.caption)}\n"]
        cells = _rule_cells(self)
        rows = [[_cell(value, digits) for value in row] for row in cells.rows()]
        parts.append(_markdown_table(cells.columns, rows))
        prospects = [row for row in self.frame.iter_rows(named=True) if _prospect(row)]
        items = [
            f"- {_plain(_of_group(row) + row['rule'])}: {_plain(_prospect(row))}\n"
            for row in prospects
        ]
        items += [f"- {_plain(line)}\n" for line in _about_queries(self)]
        parts += ["".join(items)] if items else []
        for metric in self.moved["metric"].unique(maintain_order=True):
            moved = self.moved.filter(pl.col("metric") == metric)
            table = _markdown_table(*_moved_cells(moved, digits))
            summary = f"<summary>{_plain(metric)}: topics that moved most</summary>"
            parts.append(f"<details>{summary}\n\n{table}\n</details>\n")
        notes = [f"- {_plain(note.said(wording))}\n" for note in self.notes]
        parts += ["".join(notes)] if notes else []
        return "\n".join(parts)

    def to_junit(self, wording: Wording = PYTHON) -> str:
        """Return JUnit XML, one test case per rule, for CI servers.

        An inconclusive rule is an error by default, a failure if `inconclusive` is "fail", and
        skipped if it is "pass". `wording` decides if notes write arguments in Python or as
        command-line options.
        """
        rows = self.frame.to_dicts()
        counted = {"pass": "skipped", "fail": "failure", None: "error"}[self.inconclusive]
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
                message = f"{row['why']}. {_prospect(row)}".rstrip()
                ElementTree.SubElement(case, tag, message=_xml(message))
        lines = [self.caption, *_about_queries(self), *(note.said(wording) for note in self.notes)]
        ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(lines))
        ElementTree.indent(suites)
        return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"

    def to_github(self) -> str:
        """Return GitHub's workflow commands: one annotation per rule, and one on the queries.

        The annotation on the queries lists the queries without results, and the queries that got
        worse by more than half of a metric's range.
        """
        levels = {PASSES: "notice", FAILS: "error", INCONCLUSIVE: "warning"}
        if self.inconclusive == "fail":
            levels[INCONCLUSIVE] = "error"
        lines = [
            (levels[row["outcome"]], f": {row['outcome']}", f"{_sentence(row)} {_prospect(row)}")
            for row in self.frame.iter_rows(named=True)
        ]
        is_worse = self.no_results or any(drop.topics for drop in self.drops)
        level = "warning" if is_worse else "notice"
        about = " ".join(_about_queries(self))
        lines += [(level, ": queries", about)] if about else []
        return "".join(
            f"::{kind} title=rankwise gate{title.replace(':', '%3A')}::{_data(text.rstrip())}\n"
            for kind, title, text in lines
        )


def _rule_cells(gate: Gate) -> pl.DataFrame:
    """Return the columns of `Gate.frame` that tables show."""
    columns = ["rule", "outcome", "baseline", "candidate", "why", "topics"]
    grouped = gate.frame["group"].n_unique() > 1
    return gate.frame.select(["group", *columns] if grouped else columns)


def _of_group(row: dict[str, Any]) -> str:
    return f"{row['group']}: " if row["group"] != ALL else ""


def _sentence(row: dict[str, Any]) -> str:
    return f"{_of_group(row)}{row['why']}."


def _prospect(row: dict[str, Any]) -> str:
    """Return the probability that an equally good candidate passes, in words.

    The text is empty if the rule in `row` is not inconclusive.
    """
    return row["prospect"] if row["outcome"] == INCONCLUSIVE else ""


def _overall(gate: Gate) -> str:
    """Return a line with the outcome of all rules together."""
    outcomes, verbs = gate.frame["outcome"].to_list(), {PASSES: ("passes", "pass")}
    verbs |= {FAILS: ("fails", "fail"), INCONCLUSIVE: ("is inconclusive", "are inconclusive")}
    counts = {outcome: outcomes.count(outcome) for outcome in (FAILS, INCONCLUSIVE, PASSES)}
    parts = [f"{n} {verbs[outcome][n > 1]}" for outcome, n in counts.items() if n]
    return f"Overall: {gate.outcome.upper()}. Of {len(outcomes)} rules, {in_words(parts)}."


def _about_queries(gate: Gate) -> list[str]:
    """Return sentences on queries without results, then on queries that got much worse."""
    return [*_about_no_results(gate), *_about_drops(gate)]


def _about_no_results(gate: Gate) -> list[str]:
    listed = _queries(gate.no_results or (), "returned no results")
    return [f"{listed}."] if listed else []


def _about_drops(gate: Gate) -> list[str]:
    """Return sentences on the queries that got worse by more than half of a metric's range.

    The last sentence is "Every query returned results.", if this is known and true.
    """
    lines = []
    for drop in (drop for drop in gate.drops if drop.limit < float("inf")):
        worse = f"got worse by more than {drop.limit:g} (half of the metric's range)"
        listed = _queries(drop.topics, worse)
        if len(gate.drops) > 1:
            lines.append(f"{drop.metric}: {listed or f'no query {worse}'}.")
        else:
            lines.append(f"{listed or f'No query {worse}'}.")
    if gate.no_results is not None and not gate.no_results:
        every = "Every query returned results."
        return [f"{lines[0]} {every}"] if len(lines) == 1 else [*lines, every]
    return lines


def _queries(topics: Sequence[str], verb: str) -> str:
    """Return a list of queries in words: `1 query returned no results: topic 401`.

    Without topics, the text is empty.
    """
    if not topics:
        return ""
    more = len(topics) - SHOWN_TOPICS
    rest = f" and {more:,} more" if more > 0 else ""
    queries, named = ("query", "topic") if len(topics) == 1 else ("queries", "topics")
    return f"{len(topics):,} {queries} {verb}: {named} {', '.join(topics[:SHOWN_TOPICS])}{rest}"


def _data(text: str) -> str:
    """Escape the message of a GitHub workflow command."""
    return _one_line(text).replace("%", "%25")


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
    if not isinstance(value, str):
        return format_cell(value, digits)
    return WORDS[value] if value in WORDS else _plain(value)


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _plain(text: str) -> str:
    """Escape text so that it has no Markdown markup and no mentions by @."""
    escaped = re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", _one_line(text))
    return re.sub(r"(?<!\w)@", "@\u2060", escaped)


def _code(name: str) -> str:
    """Format a Markdown code span; | is escaped, because GitHub ends a table cell at it."""
    shown = _one_line(name).replace("|", r"\|")
    longest = max((len(ticks) for ticks in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if "`" in shown else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _xml(text: str) -> str:
    """Remove characters that XML does not allow."""
    return NOT_IN_XML.sub("\ufffd", text)
