"""Comparison of scores before and after a change, and answers of a search."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats
from rankwise.experiments.properties.rankings import Case, Scored, Step

NEVER_FALLS = "the score never falls, but need not rise"
NEVER_WORSE = "the score never gets worse, but need not improve"  # where less is better

Pair = tuple[Case, Case]


@dataclass(frozen=True)
class Answer:
    """Answer of a search; `holds` is None without any comparison, as for undefined scores."""

    holds: bool | None
    cases: int
    counterexample: Pair | None = None
    remark: str = ""
    proof: str = ""  # the argument, where it holds by the metric's formula

    @property
    def status(self) -> str:
        """`refuted` by an example, `proved`, or `searched` and not refuted; otherwise empty."""
        if self.holds is None:
            return ""
        return "refuted" if not self.holds else "proved" if self.proof else "searched"


def equal(one: Floats, other: Floats) -> Bools:
    """Whether scores are equal except for rounding; NaN equals nothing."""
    with np.errstate(invalid="ignore"):  # infinite less infinite
        apart = np.abs(one - other)
    near = apart <= ROUNDING * np.maximum(np.abs(one), np.abs(other))
    return (one == other) | (near & (apart < np.inf))


@dataclass
class Changes:
    """Scores before and after changes: their number, and the smallest counterexample.

    With `sign` −1 lower is better: a worse score is then a higher number.
    """

    sign: int = 1
    cases: int = 0
    failed: Pair | None = None
    fell: Pair | None = None

    def look(self, before: Scored, after: Scored, step: Step, *, strictly: bool) -> None:
        """Compare the changes at one depth. The smallest has the least R, then N."""
        old, new = before.value.ravel()[step[0]], after.value.ravel()[step[1]]
        both = ~np.isnan(old) & ~np.isnan(new)
        same = equal(old, new)
        falls = both & ~same & (self.sign * new < self.sign * old)
        self.cases += int(both.sum())
        self.fell = self.fell or _smallest(falls, before, after, step)
        self.failed = self.failed or (
            _smallest(falls | (both & same), before, after, step) if strictly else self.fell
        )

    def answer(self, remark: str = "") -> Answer:
        if self.failed is None:
            return Answer(True if self.cases else None, self.cases, None, remark)
        if self.fell is None:
            remark = NEVER_FALLS if self.sign > 0 else NEVER_WORSE
        elif self.fell != self.failed:
            verb = "falls" if self.sign > 0 else "gets worse"
            remark = f"the score even {verb}: {shown(self.fell)}"
        else:
            remark = ""
        return Answer(False, self.cases, self.failed, remark)


def _smallest(mask: Bools, before: Scored, after: Scored, step: Step) -> Pair | None:
    if not mask.any():
        return None
    at = int(mask.argmax())
    width = before.value.shape[1]
    first, second = (divmod(int(cells[at]), width) for cells in step)
    return before.case(*first), after.case(*second)


def shown(pair: Pair) -> str:
    """Format a pair as `10 → 11 (R=2 N=1): 1.0000 → 0.5000`; common parts are shown once.

    With grades: `20 → 203 (judged 332200): 0.7500 → 0.6364`.
    """
    scores = ["none" if np.isnan(case.score) else f"{case.score:.4f}" for case in pair]
    rankings = " → ".join(dict.fromkeys(case.ranking for case in pair))
    collections = " → ".join(dict.fromkeys(map(_collection, pair)))
    return f"{rankings} ({collections}): {' → '.join(scores)}"


def _collection(case: Case) -> str:
    return f"judged {case.judged}" if case.judged else f"R={case.relevant} N={case.others}"
