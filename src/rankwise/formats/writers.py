"""Writers of runs and judgments, one for each format that can hold them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rankwise.errors import CallError, check_word
from rankwise.formats import predictions, quepid, search_engines as engines
from rankwise.formats.base import COMPRESSED
from rankwise.formats.json_values import by_topic
from rankwise.formats.source import Kind
from rankwise.formats.trec import trec_lines
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy


@dataclass(frozen=True)
class Details:
    """The run's name and the documents' index, which some file formats need besides the rows."""

    name: str  # of the judgments
    index: str | None = None

    def asked_index(self) -> str:
        if self.index is None:
            remedy = Remedy(Argument("index", "NAME"), "name it")
            what = "the Elasticsearch format needs the name of the index that has the documents."
            raise CallError(what, remedy=remedy)
        return self.index


if TYPE_CHECKING:
    Write = Callable[[pl.DataFrame, Details], bytes]


@dataclass(frozen=True)
class Writer:
    """Functions that write judgments (columns topic, document, grade) and runs.

    Runs have columns run, topic, document, rank and score, each ranking best first.
    """

    judgments: Write | None = None
    runs: Write | None = None
    holds_several: bool = False  # runs in one file
    holds_scores: bool = True
    holds_unrated: bool = False  # documents that are yet to be judged
    needs_whole_grades: bool = False
    suffixes: tuple[str, ...] = ()  # of files that have this format by default


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
        rows = by_topic(frame)
        return _json({topic: dict(part.select("document", value).rows()) for topic, part in rows})

    return written


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


WRITERS: dict[str, Writer] = {
    "trec": Writer(_trec_judgments, _trec_run),
    "csv": _table(lambda frame, _: frame.write_csv().encode(), ".csv"),
    "tsv": _table(lambda frame, _: frame.write_csv(separator="\t").encode(), ".tsv"),
    "parquet": _table(_binary(lambda frame, to: frame.write_parquet(to)), ".parquet"),
    "arrow": _table(_binary(lambda frame, to: frame.write_ipc(to)), ".arrow", ".feather", ".ipc"),
    "jsonl": _table(lambda frame, _: frame.write_ndjson().encode(), ".jsonl", ".ndjson"),
    "json": Writer(_nested("grade"), _nested("score"), suffixes=(".json",)),
    "elasticsearch": Writer(
        lambda frame, about: _json(engines.request_of(frame, about.asked_index())),
        lambda frame, about: _json(engines.response_of(frame, about.asked_index())),
        holds_unrated=True,
        needs_whole_grades=True,
    ),
    "opensearch": Writer(
        lambda frame, about: _json(engines.judgment_list_of(frame, about.name)),
        lambda frame, _: _json(engines.results_of(frame)),
        holds_several=True,
        holds_scores=False,
        holds_unrated=True,
    ),
    "quepid": Writer(
        lambda frame, _: quepid.basic_csv_of(frame),
        lambda frame, _: quepid.snapshot_csv_of(frame),
        holds_several=True,
        holds_scores=False,
        holds_unrated=True,
    ),
    "quepid-json": Writer(lambda frame, _: _json(quepid.ratings_of(frame)), holds_unrated=True),
    "quepid-ltr": Writer(lambda frame, _: quepid.ltr_of(frame)),
    "rre": Writer(lambda frame, _: _json(quepid.rre_of(frame))),
    "vespa": Writer(lambda frame, _: _json(engines.labelled_data_of(frame))),
    "mteb": Writer(runs=lambda frame, _: _json(predictions.mteb_of(frame, str(frame["run"][0])))),
    "sentence-transformers": Writer(
        runs=lambda frame, _: predictions.sentence_transformers_of(frame)
    ),
}


def _plugin_writers() -> dict[str, Writer]:
    """Return the formats that other packages can write."""
    from rankwise.formats.registry import check_plugin
    from rankwise.plugins import FORMATS, load_plugins

    plugins = load_plugins(FORMATS, check_plugin)
    return {each.name: each.value for each in plugins if isinstance(each.value, Writer)}


SPREADSHEETS = (".xlsx", ".xls", ".ods")


def writer_for(path: PurePath, form: str | None, kind: Kind) -> tuple[str, Writer]:
    """Return the name and the writer of the requested format, or of that of the file's name.

    TREC text is the default.
    """
    writers = WRITERS if form is None or form in WRITERS else WRITERS | _plugin_writers()
    if form is not None:
        check_word("format", form, writers)
    parts = [part.lower() for part in path.suffixes if part.lower() not in COMPRESSED]
    suffix = parts[-1] if parts else ""
    if form is None and suffix in SPREADSHEETS:
        raise CallError(f"{path}: spreadsheet files are not written. Use .csv, which Excel opens.")
    name = form or next((n for n, w in WRITERS.items() if suffix in w.suffixes), "trec")
    writer = writers[name]
    if (writer.runs if kind == "run" else writer.judgments) is None:
        what, other = ("runs", "judgments") if kind == "run" else ("judgments", "runs")
        known = [n for n, w in WRITERS.items() if (w.runs if kind == "run" else w.judgments)]
        wrong = f"the format {name} holds {other}, and cannot hold {what}."
        raise CallError(f"{wrong} Formats for {what}: {', '.join(known)}.")
    return name, writer
