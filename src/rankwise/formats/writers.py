"""Writers of runs and judgments, one for each format that rankwise can write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rankwise.errors import CallError, check_word
from rankwise.formats import predictions, quepid, search_engines as engines
from rankwise.formats.base import COMPRESSED, Details
from rankwise.formats.json_values import by_topic, json_bytes
from rankwise.formats.source import Kind
from rankwise.formats.trec import trec_lines
from rankwise.lazy import pl

if TYPE_CHECKING:
    Write = Callable[[pl.DataFrame, Details], bytes]


@dataclass(frozen=True)
class Writer:
    """Functions that convert judgments and runs to the bytes of a file, and what the format stores.

    A function takes a frame and `Details`. Judgments have columns topic, document and grade. Runs
    have columns run, topic, document, rank and score, with the best document of a ranking first.
    Files with one of the `suffixes` are written in this format by default.
    """

    judgments: Write | None = None
    runs: Write | None = None
    holds_several: bool = False  # whether one file can have several runs
    holds_scores: bool = True
    holds_unrated: bool = False  # whether judgments can include documents without a grade
    needs_whole_grades: bool = False
    holds_index: bool = False  # whether the file has the name of the index with the documents
    suffixes: tuple[str, ...] = ()  # suffixes of files that are written in this format by default


def _trec_judgments(frame: pl.DataFrame, _: Details) -> bytes:
    second = pl.lit("0").alias("0") if "subtopic" not in frame.columns else pl.col("subtopic")
    return _trec(frame.select("topic", second, "document", "grade"))


def _trec_run(frame: pl.DataFrame, _: Details) -> bytes:
    lines = frame.with_columns(pl.lit("Q0").alias("Q0"))
    columns = ["topic", "Q0", "document", "rank", "score", "name"]
    return _trec(lines.rename({"run": "name"}).select(columns))


def _trec(lines: pl.DataFrame) -> bytes:
    try:
        return trec_lines(lines)
    except CallError as error:
        raise CallError(f"{error} Use another format, for example csv or parquet.") from None


def _binary(write: Callable[[pl.DataFrame, BytesIO], Any]) -> Write:
    def written(frame: pl.DataFrame, _: Details) -> bytes:
        target = BytesIO()
        write(frame, target)
        return target.getvalue()

    return written


def _table(write: Write, *suffixes: str) -> Writer:
    return Writer(write, write, holds_several=True, holds_unrated=True, suffixes=suffixes)


def _nested(value: str) -> Write:
    def written(frame: pl.DataFrame, _: Details) -> bytes:
        return json_bytes({topic: dict(rows) for topic, rows in by_topic(frame, "document", value)})

    return written


WRITERS: dict[str, Writer] = {
    "trec": Writer(_trec_judgments, _trec_run),
    "csv": _table(lambda frame, _: frame.write_csv().encode(), ".csv"),
    "tsv": _table(lambda frame, _: frame.write_csv(separator="\t").encode(), ".tsv"),
    "parquet": _table(_binary(lambda frame, to: frame.write_parquet(to)), ".parquet"),
    "arrow": _table(_binary(lambda frame, to: frame.write_ipc(to)), ".arrow", ".feather", ".ipc"),
    "jsonl": _table(lambda frame, _: frame.write_ndjson().encode(), ".jsonl", ".ndjson"),
    "json": Writer(_nested("grade"), _nested("score"), suffixes=(".json",)),
    "elasticsearch": Writer(
        engines.request_of,
        engines.response_of,
        holds_unrated=True,
        holds_index=True,
        needs_whole_grades=True,
    ),
    "opensearch": Writer(
        engines.judgment_list_of,
        engines.results_of,
        holds_several=True,
        holds_scores=False,
        holds_unrated=True,
    ),
    "quepid": Writer(
        quepid.basic_csv_of,
        quepid.snapshot_csv_of,
        holds_several=True,
        holds_scores=False,
        holds_unrated=True,
    ),
    "quepid-json": Writer(quepid.ratings_of, holds_unrated=True),
    "quepid-ltr": Writer(quepid.ltr_of),
    "rre": Writer(quepid.rre_of),
    "vespa": Writer(engines.labelled_data_of),
    "mteb": Writer(runs=predictions.mteb_of),
    "sentence-transformers": Writer(runs=predictions.sentence_transformers_of),
}


SPREADSHEETS = (".xlsx", ".xls", ".ods")


def writer_for(path: PurePath, form: str | None, kind: Kind) -> tuple[str, Writer]:
    """Return the name and the writer of the format `form`.

    Without `form`, the format depends on the suffix of `path`; TREC text is the default.
    """
    writers = WRITERS
    if form is not None and form not in WRITERS:
        from rankwise.formats.registry import check_plugin
        from rankwise.plugins import FORMATS, load_plugins

        plugins = load_plugins(FORMATS, check_plugin)
        own = {each.name: each.value for each in plugins if isinstance(each.value, Writer)}
        writers = WRITERS | own
        check_word("format", form, writers)
    parts = [part.lower() for part in path.suffixes if part.lower() not in COMPRESSED]
    suffix = parts[-1] if parts else ""
    if form is None and suffix in SPREADSHEETS:
        what = "rankwise cannot write spreadsheet files. Use .csv, which Excel opens."
        raise CallError(f"{path}: {what}")
    name = form or next((n for n, w in WRITERS.items() if suffix in w.suffixes), "trec")
    writer = writers[name]
    if (writer.runs if kind == "run" else writer.judgments) is None:
        what, other = ("runs", "judgments") if kind == "run" else ("judgments", "runs")
        known = [n for n, w in WRITERS.items() if (w.runs if kind == "run" else w.judgments)]
        wrong = f"the format {name} holds {other}, and cannot hold {what}."
        raise CallError(f"{wrong} Formats for {what}: {', '.join(known)}.")
    return name, writer
