"""All formats of runs and judgments, in the order in which they are tried, and of plug-ins."""

from dataclasses import replace
from typing import Any

from rankwise.errors import CallError, InputError, RankwiseError
from rankwise.formats import doccano, predictions, quepid, search_engines as engines
from rankwise.formats.base import File, Format, Table
from rankwise.formats.json import JSON, JSON_LINES
from rankwise.formats.json_values import Document
from rankwise.formats.plain_lines import LETOR, PREFERENCES, TRIPLES
from rankwise.formats.query_records import QUERY_RECORDS
from rankwise.formats.rag_track import ANSWERS
from rankwise.formats.source import Kind
from rankwise.formats.tables import ARROW, CSV, PARQUET
from rankwise.formats.trec import is_trec_line
from rankwise.formats.writers import Writer
from rankwise.plugins import FORMATS as GROUP, Plugin, load_plugins, loaded_plugins, warn_of

# JSON documents of other tools, which are also read as Python objects with the same structure.
# Stored documents of OpenSearch are in the hits of a search, so they come before other searches.
DOCUMENTS = (
    *(predictions.MTEB, engines.REQUEST, engines.RESPONSE),
    *(engines.JUDGMENT_LIST, engines.RESULTS),
    *(engines.SEARCH, engines.MSEARCH, engines.RESPONSES),
    *(quepid.SNAPSHOT, quepid.RRE, quepid.RATINGS, engines.LABELLED_DATA),
)
# The first format that recognises a file reads it, so the specific formats come first: a JSON
# document of some tool before other JSON. A file that no format recognises is TREC text.
FORMATS: tuple[Format, ...] = (
    *(PARQUET, ARROW, predictions.SENTENCE_TRANSFORMERS, doccano.LABELS, ANSWERS),
    *(document.format() for document in DOCUMENTS),
    *(QUERY_RECORDS, JSON_LINES, JSON, quepid.LTR, LETOR),
    *(quepid.BASIC_CSV, quepid.BOOK_CSV, quepid.RANKED_CSV, CSV, PREFERENCES, TRIPLES),
)


def recognise(file: File) -> Format | None:
    """Return the format of a file, by its name and its content.

    Return None for TREC text, and for files that no format recognises.
    """
    if not file.first_line:
        raise InputError(file.name, "the file is empty.")
    form = next((form for form in FORMATS if form.recognises(file)), None)
    if form is not None or is_trec_line(file.first_row):
        return form
    plugins = load_plugins(GROUP, check_plugin)
    others = (_guarded(each, each.value) for each in plugins if isinstance(each.value, Format))
    return next((form for form in others if form.recognises(file)), None)


def known_suffixes() -> list[str]:
    """Return the suffixes that are removed from a file name to get the name of a run.

    Formats of plug-ins are included only if they have been loaded.
    """
    plugins = (plugin.value for plugin in loaded_plugins(GROUP))
    formats = [*FORMATS, *(each for each in plugins if isinstance(each, Format))]
    return [suffix for form in formats for suffix in form.suffixes]


def check_plugin(plugin: Plugin) -> None:
    """Raise an error if a plug-in is neither a `Format` nor a `Writer`."""
    if not isinstance(plugin.value, Format | Writer):
        kind = type(plugin.value).__name__
        wanted = "rankwise.formats.Format or Writer"
        raise CallError(f"{plugin.name} has the type {kind}, not {wanted}.")


def _guarded(plugin: Plugin, form: Format) -> Format:
    """Return the format of a plug-in with error handling.

    Errors of `recognises` become warnings, errors of `read` become input errors.
    """

    def recognises(file: File) -> bool:
        try:
            return form.recognises(file)
        except Exception as error:
            warn_of(f"{plugin.name} of {plugin.package}", error)
            return False

    def read(file: File, kind: Kind) -> Table:
        try:
            return form.read(file, kind)
        except RankwiseError:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            what = f"the plug-in {plugin.package} cannot read this file: {text}."
            raise InputError(file.name, what) from error

    return replace(form, recognises=recognises, read=read)


def document_of(given: Any) -> Document | None:
    """Return the JSON format of an object (a search engine's response, …); None if unknown."""
    return next((document for document in DOCUMENTS if document.is_it(given)), None)
