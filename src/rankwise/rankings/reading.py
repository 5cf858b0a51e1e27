"""Read judgments and runs: files, frames and other objects become `Qrels` and `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import STORED_FAULTS, CallError, Fault, Faults, InputError, some_of
from rankwise.formats import (
    SKIP_LINES,
    SUBTOPICS,
    WHOLE,
    Columns,
    ColumnsGiven,
    File,
    Kind,
    Lines,
    Part,
    Table,
    Value,
    WithColumns,
    columns_of_run,
    document_of,
    expanded,
    find_column,
    from_mapping,
    from_records,
    has_rows,
    holds_preferences,
    parse_columns,
    parse_gains,
    parse_trec,
    pick_columns,
    query_records_of,
    read_dataset,
    read_dataset_id,
    read_query_records,
    recognise,
    to_polars,
)
from rankwise.lazy import pl
from rankwise.notes import Note, note, warning
from rankwise.rankings.batches import Stream
from rankwise.rankings.judges import Judges, combined, holds_several, read_judges
from rankwise.rankings.loaders import RunReading, distinct_names, opened, run_loaders, stem
from rankwise.rankings.preferences import Preferences
from rankwise.rankings.run import Qrels, Run, without_repeats
from rankwise.rankings.subtopics import Subtopics, check_weights
from rankwise.vocabulary import Order
from rankwise.wording import Argument, Count, Remedy

GREATEST_GRADE = 2**31 - 1
MOST_FRACTIONS = 100  # more different fractional grades look like the scores of a run


def read_qrels(
    source: Any,
    *,
    gains: str | Mapping[float, float] | None = None,
    lenient: bool = False,
    columns: ColumnsGiven | None = None,
) -> Qrels:
    """Read judgments from a path, a frame, a dict, or another source listed in docs/formats.md.

    If a grade is a fraction, or a negative grade has a positive gain, all grades with a gain above
    0 are renumbered 1, 2, 3 … by increasing gain.

    Parameters
    ----------
    source
        Judgments of one or several judges, as for `read`. The path `-` is standard input.
    gains
        Gain of each grade, as for `read`. Grades of 0 and below have gain 0 unless they are in
        `gains`; a positive grade that is missing in `gains` is an error. By default, if a grade is
        a fraction, each positive grade is its own gain.
    lenient
        Skip malformed lines and duplicate documents, with a warning.
    columns
        Column names of a table: `{"topic": "search_term"}` or `"topic=search_term,document=sku"`.

    Examples
    --------
    >>> read_qrels({"1": {"a": 2, "b": 0}}).frame.rows()
    [('1', 'a', 2), ('1', 'b', 0)]
    >>> read_qrels({"1": {"a": 0.5, "b": 1}}, gains={0.5: 0.5, 1: 1}).frame.rows()
    [('1', 'a', 1), ('1', 'b', 2)]
    """
    if isinstance(source, Subtopics):
        qrels = read_qrels(source.qrels, gains=gains, lenient=lenient, columns=columns)
        weights = source.by_topic()
        if qrels.subtopics is None:
            raise CallError("weights of subtopics are given, but the qrels have no subtopics.")
        check_weights(qrels.subtopics, weights)
        return replace(qrels, weights=weights)
    if holds_several(source):
        combine = source.combine if isinstance(source, Judges) else None
        return combined(read_judges(source, gains=gains, lenient=lenient), combine)
    judges = read_qrels_by_judge(source, gains=gains, lenient=lenient, columns=columns)
    return next(iter(judges.values())) if len(judges) == 1 else combined(judges, None)


def read_qrels_by_judge(
    source: Any,
    *,
    gains: str | Mapping[float, float] | None = None,
    lenient: bool = False,
    columns: ColumnsGiven | None = None,
) -> dict[str, Qrels]:
    """Read judgments like `read_qrels`, as {judge: judgments}.

    The names are in the column `judge` of a table. Without this column, and for preferences, all
    judgments belong to a single judge, called `judge`.
    """
    if isinstance(source, Qrels):
        return {"judge": source if gains is None else _with_gains(source, gains)}
    wanted = ["topic", "document", "grade"]
    given = opened(source, None if columns is None else parse_columns(columns))
    name, parsed = read_rows(given, "qrels", wanted, ["judge"], lenient, "the qrels")
    judges: dict[str, Qrels] = {}
    if "winner" in parsed.frame.columns:  # votes of several judges are added
        if gains is not None:
            what = f"{name}: preference judgments have no grades. Remove "
            raise CallError(what, Argument("gains"), ".")
        return {"judge": _preferred(parsed, name, lenient)}
    for judge, frame, lines in _parts(parsed, "judge", "judge"):
        qrels = graded(_with_subtopics(frame, name, lines), gains, name)
        notes = () if judges else parsed.notes_on(name)
        qrels = replace(qrels, notes=(*notes, *qrels.notes))
        rows = without_repeats(qrels, name, lines, "grade", lenient, unit=parsed.unit)
        judges[judge] = _plain(rows, name)
    return judges


def _preferred(parsed: Table, source: str, lenient: bool) -> Qrels:
    """Return preference judgments.

    It is an error if a winner is also the loser or a count is negative; `lenient` skips such rows.
    """
    rows = parsed.frame
    if "count" not in rows.columns:
        rows = rows.with_columns(count=pl.lit(1.0))
    same = (rows["winner"] == rows["loser"]).to_numpy()
    bad = same | (rows["count"] < 0).to_numpy()
    if bad.any() and not lenient:
        what = {True: "the winner is also the loser", False: "the count is negative"}
        faults = (
            Fault(
                int(parsed.numbers[at]), what[bool(same[at])], " ".join(map(str, rows.row(int(at))))
            )
            for at in np.flatnonzero(bad)[:STORED_FAULTS]
        )
        line_is = "A preference has two different documents, and a count of 0 or more."
        found = Faults.of(faults, int(bad.sum()))
        raise InputError(source, line_is, found, remedy=SKIP_LINES, unit=parsed.unit)
    rows = rows.filter(~bad)
    if rows.is_empty():
        raise InputError(source, "has no valid preference.")
    preferences = Preferences.of(rows.select("topic", "winner", "loser", "count"))
    dropped = replace(parsed, dropped=parsed.dropped + int(bad.sum()))
    notes = (*dropped.notes_on(source), *preferences.notes(source))
    frame = preferences.documents.select("topic", "document", "grade")
    return Qrels(frame, notes, preferences=preferences)


def _with_subtopics(frame: pl.DataFrame, source: str, lines: Lines | None) -> pl.DataFrame:
    """Rename the column `iteration` to `subtopic` if a topic has judgments for several subtopics.

    In TREC text this is the second field, which is constant in qrels without subtopics.
    """
    subtopic = frame["iteration"]
    if subtopic.dtype == pl.Null or subtopic.n_unique() == 1:
        return frame
    if subtopic.null_count():
        row = int(subtopic.is_null().arg_max() or 0)
        at = row + 1 if lines is None else lines[row]
        what = f"line or row {at} has no subtopic, but other lines have one."
        raise InputError(source, f"{what} Give all judgments a subtopic, or none.")
    count = frame.group_by("topic").agg(pl.col("iteration").n_unique())["iteration"]
    return frame.rename({"iteration": "subtopic"}) if count.gt(1).any() else frame


def _plain(qrels: Qrels, source: str) -> Qrels:
    """Return judgments with the highest grade of each document; `subtopics` has all grades."""
    if "subtopic" not in qrels.frame.columns:
        return qrels
    rows = qrels.frame
    keys = ["topic", "document"]
    frame = rows.group_by(*keys, maintain_order=True).agg(pl.col("grade").max())
    count = rows.select("topic", "subtopic").n_unique()
    text = "; metrics that do not use subtopics use the highest grade of each document"
    about = note("subtopics", "has judgments of ", Count(count, "subtopic"), text, source=source)
    notes = (*qrels.notes, about)
    return replace(qrels, frame=frame, subtopics=rows, notes=notes)


def _with_gains(qrels: Qrels, gains: str | Mapping[float, float]) -> Qrels:
    fractions = qrels.fractions or {}
    given = {grade: gain for grade, gain in (qrels.gains or {}).items() if grade > 0}
    if any(fractions.get(grade) != gain for grade, gain in given.items()):
        raise CallError("these qrels already have gains. To use other gains, read the file again.")
    rows = graded(qrels.rows_as_read, gains, "the qrels")
    return replace(_plain(rows, "the qrels"), weights=qrels.weights)


def graded(frame: pl.DataFrame, gains: str | Mapping[float, float] | None, source: str) -> Qrels:
    """Return judgments with integer grades, and with gains if passed or if grades are fractions."""
    keys = ("topic", "document", "grade", "subtopic")
    rows = frame.select(name for name in keys if name in frame.columns)
    labels = rows["grade"].cast(pl.Float64).unique().sort().to_list()
    if labels and max(abs(labels[0]), abs(labels[-1])) > GREATEST_GRADE:
        topic, document, grade, *_ = rows.filter(pl.col("grade").abs() > GREATEST_GRADE).row(0)
        what = f"grade {grade:,.0f} of document {document} in topic {topic} is out of range."
        raise InputError(source, f"{what} Grades must be within ±{GREATEST_GRADE:,}.")
    fractions = [label for label in labels if not label.is_integer()]
    if gains is None and not fractions:
        return Qrels(rows.with_columns(pl.col("grade").cast(pl.Int32)))
    notes = () if gains is not None else (_about_fractions(source, fractions),)
    own = {label: label for label in labels if label > 0}
    table = _with_all(labels, own if gains is None else parse_gains(gains), source)
    grades = grades_of_labels(table)
    is_renumbered = any(grade != label for label, grade in grades.items())
    grade = pl.col("grade").cast(pl.Float64).replace_strict(grades, return_dtype=pl.Int32)
    return Qrels(
        rows.with_columns(grade),
        notes,
        gains={grades[label]: gain for label, gain in table.items()},
        fractions={grades[label]: label for label in labels} if is_renumbered else None,
    )


def _about_fractions(source: str, fractions: list[float]) -> Note:
    some = some_of([f"{label:g}" for label in fractions])
    text = f"fractional grades ({some}) are used directly as gains; any grade above 0 counts as "
    text += "relevant, unless a relevance threshold is set"
    if len(fractions) > MOST_FRACTIONS:
        text = f"has {len(fractions):,} different fractional grades, which look like the scores of "
        text += "a run. Check the order of the inputs: judgments come first"
        return warning("fractional-grades", text, source=source)
    return note(
        "fractional-grades",
        text,
        source=source,
        remedy=Remedy(Argument("gains"), "set other gains"),
    )


def _with_all(found: list[float], table: dict[float, float], source: str) -> dict[float, float]:
    """Return a table of gains, with gain 0 for grades of 0 and below that were missing.

    It is an error if a positive grade is missing.
    """
    unknown = [label for label in found if label > 0 and label not in table]
    if unknown:
        grade, known = f"{unknown[0]:g}", ",".join(f"{of:g}={gain:g}" for of, gain in table.items())
        example = f"{grade}=1" + f",{known}" * (len(known) < 60)
        what = f" has no gain for grade {grade}, which occurs here. Add it, for example {example}."
        raise InputError(source, (Argument("gains"), what))
    return {label: 0 for label in found if label <= 0} | table


def grades_of_labels(table: dict[float, float]) -> dict[float, int]:
    """Return an integer grade for each label, the grade in the input; `table` has the gains.

    Labels are renumbered by gain if one is a fraction. They are also renumbered if a negative label
    has a positive gain, because negative grades have no gain. Otherwise they do not change.
    """
    unfit = (not float(label).is_integer() or label < 0 < gain for label, gain in table.items())
    if not any(unfit):
        return {float(label): int(label) for label in table}
    worth = {gain: at + 1 for at, gain in enumerate(sorted(set(table.values()) - {0}))}
    unusable = sorted((label for label in table if label < 0 and not table[label]), reverse=True)
    below = {label: -1 - at for at, label in enumerate(unusable)}
    return {
        float(label): worth[gain] if gain else below.get(label, 0) for label, gain in table.items()
    }


def read_runs(
    sources: Any,
    *,
    order: Order = "score",
    lenient: bool = False,
    columns: ColumnsGiven | None = None,
    subset: str | None = None,
    split: str | None = None,
) -> list[Run]:
    """Read runs from paths, frames, dicts, or other sources listed in docs/formats.md.

    A run without a name in `sources` is named after its tag. If the run has no tag, or another run
    has the same tag, it is named after its file.

    Parameters
    ----------
    sources
        One run, a list of runs, or {name: run}. A table with a column `run` may have several runs.
    order
        With `rank`, the run must have ranks, and its frame has the column `rank`. `score` and
        `file` make no difference here, because rows stay in the order of the input.
    lenient
        Skip malformed lines and duplicate documents, with a warning.
    columns
        Column names of tables, as for `read_qrels`.
    subset, split
        Subset and split of MTEB's predictions, if there are several.

    Examples
    --------
    >>> [run] = read_runs({"1": {"a": 0.5, "b": 0.7}})
    >>> run.name, run.frame.rows()
    ('run', [('1', 'a', 0.5), ('1', 'b', 0.7)])
    >>> [run] = read_runs({"1": ["b", "a"]})
    >>> run.frame.rows()
    [('1', 'b', 0.0), ('1', 'a', -1.0)]
    """
    loaders = run_loaders(sources, RunReading(order, lenient), columns, Part(subset, split))
    runs = [run for loader in loaders for run in loader.read()]
    names = distinct_names([(run.name, run.file) for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def runs_in(given: Any, name: str | None, options: RunReading) -> list[Run]:
    """Read the runs in one source that `rankings.loaders.opened` has opened."""
    shown, parsed = read_rows(
        given,
        "run",
        columns_of_run(options.order),
        ["run"],
        options.lenient,
        name or "the run",
        as_trec_eval=options.as_trec_eval,
    )
    notes = parsed.notes_on(shown)
    if _lacks_parts(given):
        whole = note("no-parts", "has no subsets or splits, so all rows are read", source=shown)
        notes = (*notes, whole)
    is_file = isinstance(given, File)
    default = name or parsed.name or (stem(shown) if is_file else "run")
    runs = []
    for part_name, part, lines in _parts(parsed, default):
        alone = part.height == parsed.frame.height
        part_name = name if name is not None and alone else part_name
        file = shown if is_file else part_name
        run = Run(part, notes, name=part_name, file=file, metadata_text=parsed.metadata)
        notes = ()  # the notes concern the whole source, so the first run has all of them
        # If a table names its runs, messages name the run too.
        source = shown if is_file or "run" not in parsed.frame.columns else part_name
        runs.append(without_repeats(run, source, lines, "score", options.lenient, parsed.unit))
    return runs


def runs_of_stream(
    stream: Stream, name: str | None, options: RunReading, columns: Columns
) -> list[Run]:
    given = WithColumns(Table(stream.whole(name or "the run")), columns)
    return runs_in(given, name, options)


def pieces_of_stream(
    stream: Stream, name: str | None, options: RunReading, columns: Columns
) -> Iterator[list[Run]]:
    """Yield the runs of a stream in pieces of complete rankings.

    Runs are named by the column of run names, or otherwise by `name`.
    """
    source = name or "the run"
    for piece in stream.pieces(source, columns):
        has_names = find_column(piece.frame, source, "run", columns) is not None
        given = WithColumns(piece, columns)
        yield runs_in(given, None if has_names else name, options)


def _lacks_parts(given: Any) -> bool:
    """Return whether a subset or split is requested from a source that has none."""
    if not isinstance(given, File | WithColumns) or given.part == WHOLE:
        return False
    if isinstance(given, File):
        form = recognise(given)
        return form is None or not form.has_parts
    document = document_of(given.given)
    return document is None or document.part_of is None


def _parts(
    parsed: Table, default: str, column: str = "run"
) -> Iterator[tuple[str, pl.DataFrame, Lines | None]]:
    """Yield (name, rows, line numbers) of each run or judge in a table; `column` has the names."""
    if column not in parsed.frame.columns:
        yield default, parsed.frame, parsed.lines
        return
    numbered = parsed.frame.with_columns(pl.Series("line", parsed.numbers))
    for (key,), part in numbered.partition_by(column, as_dict=True, maintain_order=True).items():
        yield str(key), part.drop(column, "line"), part["line"].to_numpy()


def read_rows(
    given: Any,
    kind: Kind,
    wanted: list[str],
    optional: list[str],
    lenient: bool,
    called: str,
    *,
    as_trec_eval: bool = False,
) -> tuple[str, Table]:
    """Return the source's name for messages, and a table of the wanted columns.

    Qrels also have the column `iteration`. Preference judgments have only the columns `topic`,
    `winner`, `loser` and optionally `count`.
    """
    source, subtopics = opened(given), kind == "qrels"
    columns = source.columns if isinstance(source, File | WithColumns) else {}
    if isinstance(source, File):
        called, form = source.name, recognise(source)
        if form is None:
            fields = [*wanted, "iteration"] if subtopics else wanted
            return called, parse_trec(
                source.source, kind, fields, lenient=lenient, as_trec_eval=as_trec_eval
            )
        table = form.read(source, kind)
    else:
        plain = source.given if isinstance(source, WithColumns) else source
        part = source.part if isinstance(source, WithColumns) else WHOLE
        called = plain if isinstance(plain, str) else called
        table = _table_of(plain, kind, called, columns, part)
    table = expanded(table, called, kind, columns)
    if table.faults and (not lenient or table.frame.is_empty()):
        remedy = None if table.frame.is_empty() else SKIP_LINES  # nothing would be left
        raise InputError(called, table.line_is, table.faults, remedy=remedy, unit=table.unit)
    if holds_preferences(table.frame.columns, columns):
        _check_preferences(table.frame, kind, called, columns)
        wanted, optional, subtopics = ["topic", "winner", "loser"], ["count"], False
    picked = pick_columns(
        table, called, wanted, optional, columns, lenient=lenient, subtopics=subtopics
    )
    return called, replace(picked, dropped=picked.dropped + table.faults.count)


def _check_preferences(frame: pl.DataFrame, kind: Kind, source: str, columns: Columns) -> None:
    """Raise an error if a run is expected, or if preferences have grades or subtopics."""
    if kind == "run":
        what = "has preferences (a winner and a loser per row). A run is expected here."
        raise InputError(source, what, expected="run")
    graded = [role for role in ("document", "grade") if find_column(frame, source, role, columns)]
    if len(graded) == 2:
        what = "has columns of preferences (winner, loser) and of grades (document, grade)."
        raise InputError(source, f"{what} Put them in two files.")
    subtopic = next((name for name in frame.columns if name.strip().lower() in SUBTOPICS), None)
    if subtopic is not None:
        what = f"has preferences per subtopic (column {subtopic!r}), which are not supported."
        raise InputError(source, f"{what} Use a topic for each subtopic, or remove the column.")


def _table_of(given: Any, kind: Kind, called: str, columns: Columns, part: Part) -> Table:
    """Return the rows of a Python object, which may be a JSON document of a known tool."""
    if isinstance(given, Table):
        return given
    if document := document_of(given):
        return document.read(Value(given, called), kind, part)
    if isinstance(given, Iterator):
        given = list(given)
    records = query_records_of(given, columns)
    if records is not None:
        return read_query_records(records, called, kind, columns, "record")
    return Table(_frame_of(given, kind, called, columns), unit="row")


def _frame_of(given: Any, kind: Kind, called: str, columns: Columns) -> pl.DataFrame:
    """Return the rows of a Python object, or of a dataset given by its ID."""
    if isinstance(given, str | Path):
        return read_dataset_id(given, kind)
    if isinstance(given, Mapping):
        return from_mapping(given, called, kind, columns)
    found = to_polars(given)
    if found is not None:
        return found
    if has_rows(given, kind):
        return read_dataset(given, called, kind)
    if isinstance(given, Iterable):
        return from_records(given, called, columns)
    remedy = "a path, a frame or a dict of dicts"
    if hasattr(given, "scores"):  # a result, for example of `score(…, confidence=0.95)`
        remedy = "its attribute scores"
    what = f"a value of type {type(given).__name__} cannot be read. Give {remedy}."
    raise InputError(called, what)
