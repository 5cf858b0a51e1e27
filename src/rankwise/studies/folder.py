"""Output folder of a study: tables, figures, an HTML page, and a record of the settings."""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from rankwise import Collection, __version__
from rankwise.charts import rendered, sized_specification
from rankwise.errors import CallError, in_words
from rankwise.formats import checksum, write_whole
from rankwise.notes import Note
from rankwise.rankings import NamedRun
from rankwise.results import rendered as table_as
from rankwise.studies.material import Material
from rankwise.studies.page import numbers_of, page
from rankwise.studies.paper import Figure, Made, Paper, Part, TooLittleFor
from rankwise.wording import Argument, Remedy

RECORD = "study.json"
LIBRARIES = ("numpy", "polars", "scipy", "altair")
TABLE_FILES = ("csv", "tex")
FIGURE_FILES = ("csv", "svg", "dark.svg", "png", "pdf", "json")


@dataclass(frozen=True)
class Folder:
    """Output folder of a study. `record` is the content of study.json, updated after each part."""

    path: Path
    paper: Paper
    record: dict[str, Any] = field(repr=False)
    input_notes: list[Note] = field(default_factory=list, repr=False)  # of this call

    @classmethod
    def opened(cls, path: Path, paper: Paper, material: Material, *, again: bool) -> "Folder":
        """Open the folder; raise an error if it holds a study with other data or settings."""
        record = {
            "paper": paper.name,
            "seed": material.seed,
            "parameters": dict(material.parameters),
            "scoring": _reading(material.given),
            "inputs": checksums(material),
            "versions": {
                "rankwise": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in LIBRARIES},
            },
        }
        there = path / RECORD
        so_far: dict[str, Any] = {"finished": [], "remarks": {}, "notes": [], "columns": {}}
        if there.is_file() and not again:
            so_far = _so_far(there, record)
        return cls(path, paper, record | so_far | {"left_out": {}})

    def has(self, part: Part) -> bool:
        """Return whether the part is finished: recorded, with all its files present."""

        def there(kind: str) -> bool:
            file = self.path / f"{part.name}.{kind}"
            return file.is_file() and file.stat().st_size > 0

        whole = any(all(map(there, kinds)) for kinds in (TABLE_FILES, FIGURE_FILES))
        return part.name in self.record["finished"] and whole

    def add(self, part: Part, result: Made) -> None:
        """Write a part's files, then record it."""
        frame = result.frame
        # First the table, which is then there even if the chart cannot be drawn.
        write_whole(self.path / f"{part.name}.csv", table_as(frame, "csv"))
        files: dict[str, bytes] = {}
        if isinstance(result, Figure):
            files |= self._pictures(result.chart)
        else:
            files["tex"] = self._latex(part, frame, result.remark)
        self.record["columns"][part.name] = {
            # As far as CSV preserves types.
            name: str(kind.base_type()) if kind.is_numeric() or kind == pl.Boolean else "String"
            for name, kind in frame.schema.items()
        }
        for suffix, content in files.items():
            write_whole(self.path / f"{part.name}.{suffix}", content)
        if part.name not in self.record["finished"]:
            self.record["finished"].append(part.name)
        if result.remark:
            self.record["remarks"][part.name] = result.remark
        self._write_record()

    def leave_out(self, part: Part, lacking: TooLittleFor) -> None:
        """Record that there are too few data for a part."""
        self.record["left_out"][part.name] = lacking.why

    @property
    def notes(self) -> list[str]:
        """Notes on the input, and on excluded parts."""
        headings = {part.name: part.heading for part in self.paper.parts}
        out = self.record["left_out"].items()
        return self.record["notes"] + [
            f"{headings[name]!r} is not computed: {why}" for name, why in out
        ]

    def _pictures(self, chart: Any) -> dict[str, bytes]:
        """Draw a chart at the width of a screen and, as PDF, at the width of a column."""
        names = self.paper.names
        wide = sized_specification(chart, "screen")
        narrow = sized_specification(chart, "column")
        files = {kind: rendered(wide, kind, names=names) for kind in ("svg", "png", "json")}
        files["dark.svg"] = rendered(wide, "svg", dark=True, names=names)
        return files | {"pdf": rendered(narrow, "pdf", names=names)}

    def _latex(self, part: Part, frame: pl.DataFrame, remark: str) -> bytes:
        said = " ".join(filter(None, [part.caption, remark]))
        shown, caption = self.paper.shown(part, frame), f"{said} ({self.paper.citation})"
        right = self.paper.right(part, frame)
        text = table_as(shown, "latex", part.digits, caption=caption, right=right)
        return text.replace(b"{tab:rankwise}", f"{{tab:{part.name}}}".encode())

    def close(self, notes: Iterable[Note]) -> None:
        """Write the page after all parts are finished."""
        self.input_notes.extend(notes)
        self.record["notes"] = list(map(str, self.input_notes)) or self.record["notes"]
        self._write_record()
        content = page(self.path, self.paper, self.record | {"notes": self.notes})
        write_whole(self.path / "index.html", content.encode())

    def table(self, name: str) -> pl.DataFrame:
        """Return the numbers of a part by its name, for example table-iv or figure-2."""
        return numbers_of(self.path, name, self.record)

    def _write_record(self) -> None:
        text = json.dumps(self.record, indent=2, ensure_ascii=False) + "\n"
        write_whole(self.path / RECORD, text.encode())


def _other(keys: Sequence[str]) -> str:
    """Return what differs between two studies, for a sentence."""
    return in_words([f"{'other' if key.endswith('s') else 'another'} {key}" for key in keys], "and")


def _so_far(there: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of the finished parts: remarks, types of columns, and notes.

    An error is raised if the record is of a study with other data or settings.
    """
    try:
        before = json.loads(there.read_text())
        differs = [key for key in record if before.get(key) != record[key]]
        columns = dict(before.get("columns", {}))
        finished = [str(name) for name in before.get("finished", []) if str(name) in columns]
        said = {"remarks": dict(before.get("remarks", {})), "notes": list(before.get("notes", []))}
    except (OSError, ValueError, AttributeError, TypeError):
        raise CallError(f"{there} is not a record of a study. Give another folder.") from None
    if differs:
        what = f"has a study with {_other(differs)}. Give another folder."
        remedy = Remedy(Argument("again", True), "replace the study")
        raise CallError(what, source=str(there.parent), remedy=remedy)
    return {"finished": finished, **said, "columns": columns}  # in a fixed order


def checksums(material: Material) -> dict[str, str]:
    """Return the SHA-256 of every input file; input from memory has none."""
    runs: Any = material.given.runs
    if isinstance(runs, Mapping):
        runs = runs.values()
    elif not isinstance(runs, Sequence) or isinstance(runs, str):
        runs = [runs]
    runs = [one.given if isinstance(one, NamedRun) else one for one in runs]
    files = [Path(one) for one in (material.given.qrels, *runs) if isinstance(one, str | Path)]
    return {str(file): checksum(file) for file in files}


def _reading(collection: Collection) -> dict[str, Any]:
    """Return the options that change the numbers of a study."""
    filters = ("only_topics", "drop_self", "map_documents")
    used = {name: getattr(collection, name) for name in filters if getattr(collection, name)}
    always = ("order", "depth", "gains", "lenient", "complete_runs")
    return used | {name: getattr(collection, name) for name in always}
