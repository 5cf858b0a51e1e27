"""promptfoo: results of `promptfoo eval -o results.json`, or .jsonl."""

from __future__ import annotations

from typing import Any

from rankwise.formats.json_values import Value
from rankwise.formats.score_table import ScoreRow, averaged, rows_frame, score_of
from rankwise.lazy import pl


def is_result(record: Any) -> bool:
    return isinstance(record, dict) and {"promptIdx", "testIdx", "score"} <= record.keys()


def is_results(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("results"), dict):
        return False
    listed = found["results"].get("results")
    return isinstance(listed, list) and bool(listed) and is_result(listed[0])


def read_results(found: Value) -> pl.DataFrame:
    return read_each(list(found["results"]["results"].each()))


def read_each(results: list[Value]) -> pl.DataFrame:
    """Return `score`, `success` and the named scores of each test; repetitions are averaged.

    A run is a provider, with its prompt if there are several. A topic is the description of a
    test, or its number if tests share one.
    """
    prompts = {result["promptIdx"].name() for result in results}
    described = {result["testIdx"].name(): _description(result) for result in results}
    texts = list(described.values())
    unique = all(texts) and len(set(texts)) == len(texts)
    rows = []
    for result in results:
        run, number = _provider(result), result["testIdx"].name()
        if len(prompts) > 1:
            run = f"{run} [{result['prompt']['label'].name()}]"
        topic = str(described[number]) if unique else number
        values = {"score": result["score"]}
        success = result.get("success")
        values |= {} if success is None else {"success": success}
        named = result.get("namedScores")
        values |= {} if named is None else dict(named.items())
        rows += [ScoreRow(run, topic, name, score_of(value)) for name, value in values.items()]
    return averaged(rows_frame(rows))


def _description(result: Value) -> str | None:
    test = result.get("testCase")
    text = None if test is None else test.get("description")
    return None if text is None else text.name()


def _provider(result: Value) -> str:
    provider = result["provider"]
    if isinstance(provider.found, str):
        return provider.name()
    label = provider.get("label")
    return provider["id"].name() if label is None or not label.found else label.name()
