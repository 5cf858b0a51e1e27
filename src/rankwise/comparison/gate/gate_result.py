"""`Gate`: the outcomes of the rules for a candidate, and their evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from rankwise.comparison.gate import gate_tables as layout
from rankwise.comparison.gate.movement import Drop
from rankwise.comparison.gate.rules import FAILS, INCONCLUSIVE, PASSES, Outcome
from rankwise.notes import Note
from rankwise.results import Result, Table
from rankwise.scores import ALL
from rankwise.wording import PYTHON, Wording

EXIT_CODES = {PASSES: 0, FAILS: 1, INCONCLUSIVE: 2, "pass": 0, "fail": 1}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Outcome of each rule of a gate.

    `frame` has one row per rule, or per rule and `group` with topic groups: the outcome
    (`passes`, `fails` or `inconclusive`), the reason, and the numbers; for `max-drop` also the
    `chance` that an equally good candidate passes, and `topics_needed` for 80 %. `moved` has the
    topics that changed most, with the relevant documents that entered the top (`gained`), that
    left it (`lost`) and that are not in it (`missed`). `no_results` are the topics for which the
    candidate returned nothing; None if both are scores from elsewhere.
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
        """`fails` if any rule fails, otherwise `inconclusive` if any is, otherwise `passes`."""
        outcomes = set(self.frame["outcome"])
        return FAILS if FAILS in outcomes else INCONCLUSIVE if INCONCLUSIVE in outcomes else PASSES

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """Exit code: 0 passes, 1 fails, 2 inconclusive, or as `inconclusive` says."""
        counted = self.inconclusive if self.outcome == INCONCLUSIVE else None
        return EXIT_CODES[counted or self.outcome]

    @property
    def caption(self) -> str:
        """The outcome in one line, with the first rule that decided it."""
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
        return Table(layout.rule_cells(self), digits=digits)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def to_text(self) -> str:
        """Return the outcome of each rule in sentences, and the queries that got worse."""
        return layout.as_text(self)

    def to_json(self, wording: Wording = PYTHON) -> str:
        """Return the full result as JSON; `wording` decides how notes name arguments."""
        return layout.as_json(self, wording)

    def to_markdown(self, wording: Wording = PYTHON, *, digits: int = 4) -> str:
        """Return Markdown for a comment on a pull request."""
        return layout.as_markdown(self, wording, digits)

    def to_junit(self, wording: Wording = PYTHON) -> str:
        """Return JUnit XML, one test case per rule, for CI servers."""
        return layout.as_junit(self, wording)

    def to_github(self) -> str:
        """Return GitHub's workflow commands, one annotation per rule."""
        return layout.as_github(self)
