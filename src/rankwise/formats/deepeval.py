"""deepeval: test runs, as written to DEEPEVAL_RESULTS_FOLDER or .deepeval/.latest_test_run.json."""

from __future__ import annotations

from typing import Any

from rankwise.formats.base import File
from rankwise.formats.json_values import Value
from rankwise.formats.score_table import ScoreRow, distinct_names, rows_frame, run_of_file, score_of
from rankwise.lazy import pl

INNER = "testRunData"


def is_test_run(found: Any) -> bool:
    if not isinstance(found, dict):
        return False
    return "testCases" in found or (
        isinstance(found.get(INNER), dict) and "testCases" in found[INNER]
    )


def read_test_run(found: Value, file: File) -> pl.DataFrame:
    """Return the score of each test case and metric; the run is named after the file."""
    inner = found.get(INNER) if "testCases" not in found.found else found
    cases = list((inner or found)["testCases"].each())
    given = [case.get("name") for case in cases]
    topics = distinct_names([None if name is None else name.name() for name in given])
    run, rows = run_of_file(file), []
    for topic, case in zip(topics, cases, strict=True):
        scores = case.get("metricsData")
        for metric in () if scores is None else scores.each():
            score = metric.get("score")
            value = None if score is None else score_of(score)
            rows.append(ScoreRow(run, topic, metric["name"].name(), value))
    return rows_frame(rows)
