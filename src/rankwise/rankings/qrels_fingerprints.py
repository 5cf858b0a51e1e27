"""Fingerprints of judgments, to notice that saved scores were computed with others."""

from __future__ import annotations

from hashlib import sha256

from rankwise.rankings.run import Qrels

DIGITS = 12  # hexadecimal: two sets of judgments agree by chance once in 10^14


def fingerprints(qrels: Qrels) -> dict[str, str]:
    """Return a fingerprint of the judgments of each topic.

    It depends on the documents, their grades and the gains of these, not on their order.

    >>> from rankwise import read_qrels
    >>> one = fingerprints(read_qrels({"1": {"a": 1, "b": 0}, "2": {"a": 2}}))
    >>> other = fingerprints(read_qrels({"2": {"a": 1}, "1": {"b": 0, "a": 1}}))
    >>> {topic: one[topic] == other[topic] for topic in one}
    {'1': True, '2': False}
    """
    gains = qrels.gains or {}
    rows = qrels.as_read.select("topic", "document", "grade").sort("topic", "document", "grade")
    numbers = qrels.frame.sort("topic", "document", "grade")["grade"].to_list()
    digests = {topic: sha256() for topic in rows["topic"].unique(maintain_order=True).to_list()}
    for (topic, document, grade), number in zip(rows.iter_rows(), numbers, strict=True):
        judgment = (document, float(grade), gains.get(number))
        digests[topic].update(f"{judgment!r}\n".encode("utf-8", "surrogatepass"))
    return {topic: digest.hexdigest()[:DIGITS] for topic, digest in digests.items()}
