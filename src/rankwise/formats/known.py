"""The formats that are recognised, in the order in which they are asked."""

from rankwise.errors import InputError
from rankwise.formats.format import File, Format
from rankwise.formats.json import JSON, JSON_LINES
from rankwise.formats.letor import LETOR
from rankwise.formats.tables import ARROW, CSV, PARQUET
from rankwise.formats.triples import TRIPLES

# The first that recognises a file reads it. What is more particular comes first: a JSON
# document of some tool before JSON as such. What no format recognises is TREC text.
FORMATS: tuple[Format, ...] = (PARQUET, ARROW, JSON_LINES, JSON, LETOR, CSV, TRIPLES)


def recognise(file: File) -> Format | None:
    """The format of a file, by its name and its first bytes; None for TREC text."""
    if not file.first_line:
        raise InputError(file.name, "is empty.")
    return next((form for form in FORMATS if form.recognises(file)), None)
