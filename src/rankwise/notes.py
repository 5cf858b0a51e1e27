"""Notes: remarks on a result, stored as values and converted to sentences when printed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from rankwise.errors import some_of
from rankwise.wording import PYTHON, Count, Part, Remedy, Wording, packed, said, unpacked

Severity: TypeAlias = Literal["warning", "note", "detail"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
WARNINGS_BELOW, NOTES_BELOW = 5, 2  # numbers of warnings and notes shown below a table


@dataclass(frozen=True, repr=False)
class Note:
    """A remark on a result; `str` returns the sentence.

    Notes with the same cause have the same `kind`. `runs`, `source` (a file) or `metric` is the
    subject of the note, with which the sentence starts. The severity is `warning` if the note
    changes the interpretation of the result, and `detail` for additional information, such as a
    seed or the meaning of a column.
    """

    kind: str
    text: tuple[Part, ...]
    severity: Severity = "note"
    runs: tuple[str, ...] = ()
    source: str = ""
    metric: str = ""
    remedy: Remedy | None = None

    @property
    def count(self) -> int | None:
        """The first count in the text, or None if the text has no count."""
        return next((part.number for part in self.text if isinstance(part, Count)), None)

    @property
    def subject(self) -> str:
        """The run, the file or the metric that the note concerns."""
        if len(self.runs) > 1:
            return f"each of {len(self.runs)} runs ({some_of(self.runs)})"
        return self.runs[0] if self.runs else self.source or self.metric

    def __str__(self) -> str:
        return self.said(PYTHON)

    def __repr__(self) -> str:
        return f"<{self.severity}: {self}>"

    def said(self, wording: Wording) -> str:
        """Return the sentence, with arguments written as in Python or on the command line."""
        subject = f"{self.subject}: " if self.subject else ""
        return subject + said(self.text, self.remedy, wording)

    def data(self, wording: Wording = PYTHON) -> dict[str, Any]:
        """Return the note as a dict for JSON, with its remedy if `wording` can express it."""
        remedy = self.remedy if self.remedy and self.remedy.said(wording) else None
        return {
            "kind": self.kind,
            "severity": self.severity,
            "text": self.said(wording),
            "runs": list(self.runs),
            "source": self.source or None,
            "metric": self.metric or None,
            "count": self.count,
            "remedy": remedy and {"argument": remedy.argument.name, "value": remedy.argument.value},
        }

    def packed(self) -> dict[str, Any]:
        """Return the note as a dict for JSON, from which `unpacked` restores the note."""
        names = ("kind", "severity", "runs", "source", "metric")
        about = {name: getattr(self, name) for name in names}
        return about | packed(self.text, self.remedy)

    @staticmethod
    def unpacked(packed: Mapping[str, Any]) -> "Note":
        """Return the note from the output of `packed`, also after JSON."""
        text, remedy = unpacked(packed)
        return Note(**{**packed, "text": text, "runs": tuple(packed["runs"]), "remedy": remedy})


def note(
    kind: str,
    *text: Part,
    run: str = "",
    source: str = "",
    metric: object = "",
    remedy: Remedy | None = None,
) -> Note:
    """Return a note on one run, file or metric, or on the whole result.

    >>> print(note("bad-lines", "skipped ", Count(2, "malformed line"), source="a.run"))
    a.run: skipped 2 malformed lines
    """
    runs = (run,) if run else ()
    return Note(kind, text, runs=runs, source=source, metric=str(metric), remedy=remedy)


def warning(kind: str, *text: Part, **about: Any) -> Note:
    """Return a note that changes the interpretation of the result; arguments as for `note`."""
    return replace(note(kind, *text, **about), severity="warning")


def detail(kind: str, *text: Part) -> Note:
    """Return a note with additional information, such as a seed or the meaning of a column."""
    return Note(kind, text, "detail")


def add_counts(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Merge notes that differ only in their counts, for example notes on the pieces of one file.

    >>> pieces = [note("bad", "skipped ", Count(n, "line"), source="a") for n in (2, 1000)]
    >>> print(*add_counts(pieces))
    a: skipped 1,002 lines
    """
    numbers: dict[Note, list[list[int]]] = {}  # counts of the notes that differ only in counts
    for each in notes:
        counts = [part.number for part in each.text if isinstance(part, Count)]
        text = (part._replace(number=0) if isinstance(part, Count) else part for part in each.text)
        numbers.setdefault(replace(each, text=tuple(text)), []).append(counts)
    merged = []
    for each, of_each in numbers.items():
        sums = map(sum, zip(*of_each, strict=True))
        text = (p._replace(number=next(sums)) if isinstance(p, Count) else p for p in each.text)
        merged.append(replace(each, text=tuple(text)))
    return tuple(merged)


def group_runs(notes: Iterable[Note]) -> list[Note]:
    """Merge notes that have the same text for several runs.

    >>> print(*group_runs([note("new", "has new topics", run=run) for run in ("a", "b")]))
    each of 2 runs (a, b): has new topics
    """
    runs: dict[Note, list[str]] = {}
    for each in notes:
        runs.setdefault(replace(each, runs=()), []).extend(each.runs)
    return [replace(each, runs=tuple(names)) for each, names in runs.items()]


def below_table(notes: Iterable[Note], most: int = NOTES_BELOW) -> tuple[list[Note], list[Note]]:
    """Return the notes that are shown below a table, warnings first, and all other notes.

    At most `most` of those shown are not warnings.

    >>> shown, remaining = below_table([detail("seed", "seed 0"), note("a", "A"), note("b", "B")])
    >>> print(*shown, len(remaining))
    A B 1
    """
    by_severity = sorted(dict.fromkeys(notes), key=lambda each: SEVERITIES.index(each.severity))
    warnings = [each for each in by_severity if each.severity == "warning"]
    others = by_severity[len(warnings) :]
    shown = warnings[:WARNINGS_BELOW] + others[:most]
    return shown, warnings[WARNINGS_BELOW:] + others[most:]
