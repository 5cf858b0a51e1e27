"""TREC text and CSV read by a plain loop, and AP of it, with nothing of rankwise."""

import csv
import math

BLANKS = " \t\r\x0b\x0c"
Rows = dict[str, dict[str, float]]


class Refused(Exception):
    """What the plain reader does not take; rankwise must not take it either."""


def trec_rows(content: bytes, width: int, value: int) -> Rows:
    """{topic: {document: value}} from lines of so many fields; `value` is the place of a number."""
    found: Rows = {}
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("not UTF-8") from None
    for line in text.split("\n"):
        line = line.strip(BLANKS)
        if not line or line.startswith("#"):
            continue
        for blank in BLANKS:
            line = line.replace(blank, " ")
        fields = [field for field in line.split(" ") if field]
        if len(fields) != width or fields[0].startswith("\ufeff"):
            raise Refused(line)
        _put(found, fields[0], fields[2], fields[value])
    if not found:
        raise Refused("empty")
    return found


def csv_rows(content: bytes, value: str) -> Rows:
    found: Rows = {}
    text = content.decode("utf-8-sig")
    for row in csv.DictReader(text.splitlines()):
        _put(found, row["topic"], row["document"], row[value])
    return found


def _put(found: Rows, topic: str, document: str, text: str) -> None:
    try:
        number = float(text)
    except ValueError:
        raise Refused(text) from None
    if not math.isfinite(number) or document in found.setdefault(topic, {}):
        raise Refused(f"{topic} {document} {text}")
    found[topic][document] = number


def mean_ap(qrels: Rows, run: Rows) -> float:
    """Average precision, over the topics with a relevant document; NaN where none has one."""
    values = []
    for topic, judged in qrels.items():
        relevant = {document for document, grade in judged.items() if grade >= 1}
        if not relevant:
            continue
        retrieved = run.get(topic, {})
        # Ties by name, descending and bytewise.
        order = sorted(retrieved, key=lambda d: (retrieved[d], d.encode()), reverse=True)
        hits, total = 0, 0.0
        for rank, document in enumerate(order, start=1):
            if document in relevant:
                hits += 1
                total += hits / rank
        values.append(total / len(relevant))
    return sum(values) / len(values) if values else math.nan
