"""Write runs and judgments in any format: `write_run`, `write_qrels` and `convert`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import rankwise.formats as formats
from rankwise.errors import CallError, InputError, check_word
from rankwise.lazy import pl
from rankwise.notes import Note, note
from rankwise.rankings.preferences import bradley_terry_grades
from rankwise.rankings.reading import read_qrels, read_runs
from rankwise.rankings.run import Qrels, Run
from rankwise.rankings.types import QrelsLike, RunLike, RunsLike
from rankwise.vocabulary import Order, RowKind
from rankwise.wording import Argument, Count

TABLES = (formats.PARQUET, formats.ARROW, formats.CSV)
WITH_SUBTOPICS = ("trec", "csv", "tsv", "parquet", "arrow", "jsonl")
SAY_KIND = (" Use ", Argument("kind", "run"), " or ", Argument("kind", "qrels"), ".")
FITTED = note(
    "bradley-terry",
    "the grades are estimated with a Bradley–Terry model. A grade is the probability that the "
    "document is preferred to a random other document of its topic",
)


def write_run(
    run: RunLike,
    path: str | Path,
    *,
    name: str | None = None,
    order: Order = "score",
    format: str | None = None,
    index: str | None = None,
) -> None:
    """Write a run as TREC text or in another format, atomically.

    Parameters
    ----------
    run
        One run, as for `score`.
    path
        The file. It is compressed if its name ends in .gz, .bz2 or .xz.
    name
        Name of the run in the file; the default is the run's own name.
    order
        Order of the documents in a ranking: by `score`, by the run's own `rank`, or as in the
        `file`. The ranks in the file follow this order.
    format
        As for `convert`.
    index
        Name of the index that has the documents; only for `format="elasticsearch"`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> write_run({"1": {"a": 0.5, "b": 2}}, path, name="bm25")
    >>> print(path.read_text(), end="")
    1 Q0 b 1 2.0 bm25
    1 Q0 a 2 0.5 bm25
    """
    check_word("order", order, get_args(Order))
    _, writer = formats.writer_for(Path(path), format, "run")
    runs = read_runs(run, order=order)
    if len(runs) != 1:
        raise CallError(f"write_run takes one run; {len(runs)} are given.")
    named = runs[0] if name is None else replace(runs[0], name=name)
    formats.write_whole(Path(path), _runs_file([named], Path(path), writer, order, index))


def write_qrels(
    qrels: QrelsLike, path: str | Path, *, format: str | None = None, index: str | None = None
) -> None:
    """Write judgments as TREC text or in another format, atomically.

    Parameters
    ----------
    qrels
        Judgments, as for `score`. Preference judgments are written as Bradley–Terry grades.
    path
        The file. It is compressed if its name ends in .gz, .bz2 or .xz.
    format
        As for `convert`.
    index
        Name of the index that has the documents; only for `format="elasticsearch"`.
    """
    form, writer = formats.writer_for(Path(path), format, "qrels")
    frame = _graded_rows(read_qrels(qrels))
    formats.write_whole(Path(path), _judgments_file(frame, Path(path), form, writer, index))


def convert(
    source: QrelsLike | RunsLike,
    path: str | Path,
    *,
    kind: RowKind | None = None,
    format: str | None = None,
    index: str | None = None,
    order: Order = "score",
    lenient: bool = False,
    columns: formats.ColumnsGiven | None = None,
    subset: str | None = None,
    split: str | None = None,
) -> list[Note]:
    """Convert runs or judgments to another format, and write them to a file, atomically.

    Parameters
    ----------
    source
        One or several runs, or judgments, as for `score`. Preference judgments are converted to
        Bradley–Terry grades.
    path
        The file to write. It is compressed if its name ends in .gz, .bz2 or .xz.
    kind
        `run` or `qrels`; needed only if the source could be either.
    format
        `trec`, `csv`, `tsv`, `parquet`, `arrow`, `jsonl`, `json` ({topic: {document: value}}),
        `elasticsearch`, `opensearch`, `quepid`, `quepid-json`, `quepid-ltr`, `rre`, `vespa`, `mteb`
        or `sentence-transformers`. By default the suffix of the file decides: .csv, .tsv, .parquet,
        .arrow (.feather, .ipc), .jsonl (.ndjson), .json; any other file is TREC text.
    index
        Name of the index that has the documents; only for `format="elasticsearch"`.
    order, lenient
        As for `read`.
    columns
        Column names of a table, as for `read_qrels`.
    subset, split
        Subset and split of MTEB's predictions, if there are several.

    Returns
    -------
    list
        Notes on the input, on data that the format cannot store, and on the numbers of rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> print(*convert({"red shoes": {"b7": 2}}, path, kind="qrels", format="quepid"))
    wrote 1 judgment of 1 topic as quepid
    >>> print(path.read_text(), end="")
    query,docid,rating
    red shoes,b7,2
    """
    named = {} if columns is None else formats.parse_columns(columns)
    given = formats.WithColumns(source, named, formats.Part(subset, split))
    content, notes = converted(given, path, kind, format, index, order, lenient)
    formats.write_whole(Path(path), content)
    return notes


def converted(
    given: formats.WithColumns,
    path: str | Path,
    kind: RowKind | None,
    format: str | None,
    index: str | None,
    order: Order,
    lenient: bool,
) -> tuple[bytes, list[Note]]:
    """Return the content of the file that `convert` writes, and the notes that it returns."""
    source = given.given
    files = Path(path).is_file() and isinstance(source, str | Path) and Path(source).is_file()
    if files and Path(path).samefile(Path(str(source))):
        raise CallError(f"{path} is both the input and the output. Give another output.")
    check_word("order", order, get_args(Order))
    if kind is not None:
        check_word("kind", kind, get_args(RowKind))
    data = _read_as(given, kind, order, lenient)
    if isinstance(data, Qrels):
        form, writer = formats.writer_for(Path(path), format, "qrels")
        frame = _graded_rows(data)
        content = _judgments_file(frame, Path(path), form, writer, index)
        count, topics = Count(frame.height, "judgment"), Count(frame["topic"].n_unique(), "topic")
        written = note("written", "wrote ", count, " of ", topics, f" as {form}")
        fitted = [] if data.preferences is None else [FITTED]
        below = frame.filter(pl.col("grade") < 0).height
        if below and form == "elasticsearch":
            count = Count(below, "grade is", "grades are")
            what = " negative; DCG in Elasticsearch gives these documents a negative gain"
            fitted.append(note("negative-grades", count, what))
        return content, [*fitted, *data.notes, written]
    form, writer = formats.writer_for(Path(path), format, "run")
    if len(data) > 1 and not writer.holds_several:
        names = ", ".join(run.name for run in data[:5])
        raise CallError(
            f"the format {form} holds one run, and {len(data)} are given: {names}. "
            "Use csv, parquet or another table format."
        )
    content = _runs_file(data, Path(path), writer, order, index)
    rows = sum(run.frame.height for run in data)
    lost = note("scores-lost", f"the format {form} stores the order of documents, not their scores")
    count, lines = Count(len(data), "run"), Count(rows, "row")
    written = note("written", "wrote ", count, " with ", lines, f" as {form}")
    of_runs = (each for run in data for each in run.notes)
    return content, [*of_runs, written, *([] if writer.holds_scores else [lost])]


def write_template(
    pairs: pl.DataFrame, path: str | Path, *, format: str, index: str | None = None
) -> None:
    """Write a template of ratings for another tool, with the documents to be judged.

    Parameters
    ----------
    pairs
        Columns topic and document, as in the result of `pool` and in `plan_judgments(...).frame`.
        Documents that have already been rated have a grade in the optional column `grade`.
    path
        The file. It is compressed if its name ends in .gz, .bz2 or .xz.
    format
        As for `convert`. Without a column `grade`, the format must support unrated documents.
    index
        Name of the index that has the documents; only for `format="elasticsearch"`.
    """
    content = template(pairs, Path(path), format, index)
    formats.write_whole(Path(path), formats.compressed(content, Path(path)))


def template(pairs: pl.DataFrame, path: Path, form: str, index: str | None) -> bytes:
    """Return the content of the file that `write_template` writes, before compression."""
    form, writer = formats.writer_for(path, form, "qrels")
    grade = pl.col("grade") if "grade" in pairs.columns else pl.lit(None, pl.Int64).alias("grade")
    if "grade" not in pairs.columns and not writer.holds_unrated:
        what = f"the format {form} cannot hold documents without a grade."
        raise CallError(f"{what} Use another format, for example csv.")
    assert writer.judgments is not None
    rows = pairs.select("topic", "document", grade)
    return writer.judgments(rows, formats.Details(_stem(path), index))


def _read_as(
    given: formats.WithColumns, kind: RowKind | None, order: Order, lenient: bool
) -> Qrels | list[Run]:
    """Read the source as runs or as judgments; raise an error if it could be either."""
    source = given.given
    if kind is None and isinstance(source, str | Path):
        is_stdin = str(source) == formats.STDIN
        if is_stdin or Path(source).is_fifo():
            called = "standard input" if is_stdin else source
            what = f"{called} can be read only once, so its kind must be given."
            raise CallError(what, *SAY_KIND)
    kind = kind or _told_by_columns(given)
    readings: list[Qrels | list[Run]] = []
    refused: list[InputError] = []
    for one in ("run", "qrels") if kind is None else (kind,):
        try:
            if one == "qrels":
                readings.append(read_qrels(source, lenient=lenient, columns=given.columns))
            else:
                runs = read_runs(
                    source,
                    order=order,
                    lenient=lenient,
                    columns=given.columns,
                    subset=given.part.subset,
                    split=given.part.split,
                )
                readings.append(runs)
        except InputError as error:
            refused.append(error)
    if len(readings) == 2:
        called = str(source) if isinstance(source, str | Path) else "the source"
        what = "can be read as a run and as judgments."
        raise InputError(called, (what, *SAY_KIND))
    if not readings:  # the error for the kind of this file, if it is known
        raise refused[-1] if refused[0].expected == "run" else refused[0]
    return readings[0]


def _told_by_columns(given: formats.WithColumns) -> RowKind | None:
    """Return `run` or `qrels` if the source is `Qrels` or its columns show the kind; else None."""
    source, column_names = given.given, given.columns
    if isinstance(source, Qrels):
        return "qrels"
    if isinstance(source, str | Path) and not formats.is_dataset_id(source):
        file = formats.File(formats.open_source(source), column_names)
        form = formats.recognise(file)
        frame = form.read(file, "run").frame if form is not None and form in TABLES else None
    else:
        frame = formats.to_polars(source)
    columns = [] if frame is None else frame.columns
    if any(
        formats.is_called(column, role, column_names)
        for column in columns
        for role in ("rank", "run")
    ):
        return "run"
    graded = [column for column in columns if formats.is_called(column, "grade", column_names)]
    scored = any(formats.is_called(column, "score", column_names) for column in columns)
    return "qrels" if graded and not scored else None


def _graded_rows(qrels: Qrels) -> pl.DataFrame:
    """Return the rows to write, with the grades of the input or Bradley–Terry grades."""
    given = qrels.preferences
    return qrels.rows_as_read if given is None else bradley_terry_grades(given)


def _judgments_file(
    frame: pl.DataFrame, path: Path, form: str, writer: formats.Writer, index: str | None
) -> bytes:
    if writer.needs_whole_grades and frame["grade"].dtype.is_float():
        grades = frame["grade"]
        first = grades.filter(grades != grades.round())
        example = f", for example {first[0]:g}" if len(first) else ""
        what = f"{form} holds whole grades only, and some grades are fractions{example}."
        raise CallError(f"{what} Round the grades, or use another format.")
    if "subtopic" in frame.columns and form not in WITH_SUBTOPICS:
        allowed = ", ".join(WITH_SUBTOPICS)
        raise CallError(f"{form} cannot store subtopics. Use one of {allowed}.")
    assert writer.judgments is not None
    _check_index(writer, index)
    return formats.compressed(writer.judgments(frame, formats.Details(_stem(path), index)), path)


def _runs_file(
    runs: Sequence[Run], path: Path, writer: formats.Writer, order: Order, index: str | None
) -> bytes:
    frame = pl.concat([_ranked(run, order) for run in runs])
    assert writer.runs is not None
    _check_index(writer, index)
    return formats.compressed(writer.runs(frame, formats.Details(_stem(path), index)), path)


def _check_index(writer: formats.Writer, index: str | None) -> None:
    """Raise an error if an index is named for a format that does not store it."""
    if index is not None and not writer.holds_index:
        what = " applies only to the format elasticsearch. Remove "
        raise CallError(Argument("index"), what, Argument("index"), ".")


def _ranked(run: Run, order: Order) -> pl.DataFrame:
    """Return columns run, topic, document, rank and score; topics stay in the order of the run."""
    frame = run.frame.with_row_index("line")
    keys = {"score": ["score", "document"], "rank": ["rank", "document"], "file": ["line"]}[order]
    # Ties are broken by document name, descending, as in scoring; ranks and lines are ascending.
    down = {"score": [True, True], "rank": [False, True], "file": [False]}[order]
    topic = pl.col("line").min().over("topic")
    return frame.sort(topic, *keys, descending=[False, *down]).select(
        pl.lit(run.name).alias("run"),
        "topic",
        "document",
        pl.int_range(1, pl.len() + 1).over("topic").alias("rank"),
        "score",
    )


def _stem(path: Path) -> str:
    return path.name.partition(".")[0] or path.name
