"""Gate: what the rules said of a candidate, and all that there is to show for it."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from rankwise.comparison.gate import gate_tables as layout
from rankwise.comparison.gate.rules import FAILS, PASSES, UNDECIDED, Outcome
from rankwise.notes import Note
from rankwise.results import Result, Table
from rankwise.scores import ALL
from rankwise.wording import PYTHON, Wording

EXIT_CODES: dict[Outcome, int] = {PASSES: 0, FAILS: 1, UNDECIDED: 2}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """What each rule said.

    `frame` has one row per rule, and where topics are grouped per rule and `group`: the
    outcome (`passes`, `fails` or `undecided`) and why, and the numbers that it rests on.
    `moved` has the topics that moved most, with the relevant documents that came among the
    first (`gained`), that left them (`lost`) and that are not there (`missed`).
    """

    _everyday = ("exit_code", "moved", "outcome", "passed", "to_json", "to_junit")

    baseline: str
    candidate: str
    frame: pl.DataFrame
    moved: pl.DataFrame = field(repr=False)
    settings: dict[str, object]
    notes: list[Note]

    @property
    def outcome(self) -> Outcome:
        """`fails` if a rule does, else `undecided` if one is, else `passes`."""
        outcomes = set(self.frame["outcome"])
        return FAILS if FAILS in outcomes else UNDECIDED if UNDECIDED in outcomes else PASSES

    @property
    def passed(self) -> bool:
        return self.outcome == PASSES

    @property
    def exit_code(self) -> int:
        """0 passes, 1 fails, 2 cannot be decided."""
        return EXIT_CODES[self.outcome]

    @property
    def caption(self) -> str:
        """The outcome in one line, with the first rule that decided it."""
        rows = self.frame.filter(pl.col("outcome") == self.outcome)
        if self.passed:
            rules = f"{rows.height} rule{'s' * (rows.height != 1)}"
            return f"{self.candidate} passes {rules} against {self.baseline}"
        first = rows.row(0, named=True)
        where = f" ({first['group']})" if first["group"] != ALL else ""
        more = f"; and {rows.height - 1} more" if rows.height > 1 else ""
        words = {FAILS: "fails", UNDECIDED: "cannot be decided"}[self.outcome]
        return f"{self.candidate} {words}: {first['rule']}{where}: {first['why']}{more}"

    def table(self, *, digits: int = 4) -> Table:
        """One row per rule."""
        return Table(layout.rule_cells(self), digits=digits)

    def to_json(self, wording: Wording = PYTHON) -> str:
        """Everything, for programs; notes name arguments in this wording."""
        return layout.as_json(self, wording)

    def to_markdown(self, wording: Wording = PYTHON, *, digits: int = 4) -> str:
        """For a comment on a pull request."""
        return layout.as_markdown(self, wording, digits)

    def to_junit(self, wording: Wording = PYTHON) -> str:
        """JUnit's XML, a test case a rule: what CI servers show."""
        return layout.as_junit(self, wording)
