"""All formats, in the order of recognition."""

from typing import Any

from rankwise.errors import InputError
from rankwise.formats import elasticsearch, mteb, opensearch, quepid, sentence_transformers, vespa
from rankwise.formats.base import File, Format
from rankwise.formats.json import JSON, JSON_LINES
from rankwise.formats.json_values import Document
from rankwise.formats.letor import LETOR
from rankwise.formats.tables import ARROW, CSV, PARQUET
from rankwise.formats.three_columns import TRIPLES

# What other tools write as one JSON document, and give as a Python object of that shape.
# What OpenSearch keeps comes in the hits of a search: before searches as such.
DOCUMENTS = (
    *(mteb.PREDICTIONS, elasticsearch.REQUEST, elasticsearch.RESPONSE),
    *(opensearch.JUDGMENT_LIST, opensearch.RESULTS),
    *(elasticsearch.SEARCH, elasticsearch.MSEARCH, elasticsearch.RESPONSES),
    *(quepid.SNAPSHOT, quepid.RRE, quepid.RATINGS, vespa.LABELLED_DATA),
)
# The first that recognises a file reads it. What is more particular comes first: a JSON
# document of some tool before JSON as such. What no format recognises is TREC text.
FORMATS: tuple[Format, ...] = (
    *(PARQUET, ARROW, sentence_transformers.PREDICTIONS, JSON_LINES),
    *(document.format() for document in DOCUMENTS),
    *(JSON, quepid.LTR, LETOR, quepid.BASIC_CSV, quepid.RANKED_CSV, CSV, TRIPLES),
)


def recognise(file: File) -> Format | None:
    """Return the format of a file, by its name and its first bytes; None for TREC text."""
    if not file.first_line:
        raise InputError(file.name, "is empty.")
    return next((form for form in FORMATS if form.recognises(file)), None)


def document_of(given: Any) -> Document | None:
    """Return the kind of JSON document that matches a Python object."""
    return next((document for document in DOCUMENTS if document.is_it(given)), None)
