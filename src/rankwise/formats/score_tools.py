"""Files of scores written by other tools.

To add a tool, write a function that returns the rows of its files, and add it to SCORE_FORMATS with
a function that recognises the files. The first format that recognises a file reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from math import exp, inf, isfinite, log
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from rankwise.errors import Fault, Faults, InputError, some_of
from rankwise.formats.base import COMPRESSED, File, JsonFault, load_json
from rankwise.formats.json import each_record, first_record
from rankwise.formats.json_values import Value, has
from rankwise.formats.source import Source
from rankwise.formats.unpacking import check_expansion, most_bytes
from rankwise.lazy import pl

MEAN = "all"  # name of the topic that has the means, in our own tables and in trec_eval's
SUFFIXES = {".txt", ".eval", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", *COMPRESSED}


class ScoreRow(NamedTuple):
    """One score of a run on a topic; its value is None if undefined."""

    run: str
    topic: str
    metric: str
    value: float | None


class ScoreFormat(NamedTuple):
    """A file format of scores: functions that recognise and read a file."""

    name: str
    recognises: Callable[[File], bool]
    rows: Callable[[File], Iterable[ScoreRow]]


def rows_frame(rows: Iterable[ScoreRow]) -> pl.DataFrame:
    schema = dict.fromkeys(("run", "topic", "metric"), pl.String) | {"value": pl.Float64}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def run_of_file(file: File) -> str:
    """Return the name of the run: the file name without its folder and its suffixes."""
    name = PurePath(file.name).name
    while PurePath(name).suffix.lower() in SUFFIXES and PurePath(name).stem:
        name = PurePath(name).stem
    return name


def _folder_of(file: File) -> str:
    return Path(file.name).resolve().parent.name


def distinct_names(names: list[str | None]) -> list[str]:
    """Return the names if all are present and distinct; otherwise return 1, 2, 3 … as names."""
    if all(names) and len(set(names)) == len(names):
        return [str(name) for name in names]
    return [str(place + 1) for place in range(len(names))]


# Grades of inspect_ai: correct, incorrect, partially correct, no answer.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _score(value: Value) -> float | None:
    """Convert a number, a boolean or inspect_ai's C, I, P or N to a score.

    Null and NaN become None. Other text that is not a number is an error.
    """
    given: Any = value.found
    if given is None or given != given:  # NaN
        return None
    if isinstance(given, bool):
        return float(given)
    return LETTERS[given] if isinstance(given, str) and given in LETTERS else value.number()


def _is_number(value: Value) -> bool:
    return isinstance(value.found, int | float)


def _document(file: File) -> Value:
    return Value(file.json, file.name)


def _records(file: File) -> list[Value]:
    return [Value(record, file.name, f"line {line}:") for line, record in each_record(file)]


# lm-evaluation-harness: samples_TASK_DATE.jsonl of --log_samples, and results_DATE.json.
SAMPLES_FILE = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+$")
NOT_SCORES = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
LM_EVAL_KEYS = ("n-samples", "versions", "higher_is_better")  # results have at least one of them
# Metrics that are logged as log-likelihoods, from which the scores must be computed.
LIKELIHOODS = {"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"}


def _lm_eval_samples(file: File) -> list[ScoreRow]:
    """Return the scores of each document; the run has the name of the folder, which is the model.

    A topic is task/document. If the file name is not `samples_TASK_DATE`, the run has the name of
    the file, and a topic is a document. A metric with a filter other than `none` is called
    `metric,filter`. Perplexities are computed per document. Other metrics without a score per
    document, such as BLEU, are skipped.
    """
    records, name, folder = _records(file), run_of_file(file), _folder_of(file)
    task = SAMPLES_FILE.fullmatch(name)
    run, prefix = (folder, f"{task[1]}/") if task and folder else (name, "")
    rows = []
    for record in records:
        topic = prefix + record["doc_id"].name()
        chosen = record.get("filter")
        after = "" if chosen is None or chosen.found == "none" else f",{chosen.name()}"
        for metric, value in record.items():
            if metric in LIKELIHOODS:
                rows.append(ScoreRow(run, topic, metric + after, _perplexity(metric, value.found)))
            elif metric not in NOT_SCORES and _is_number(value):
                rows.append(ScoreRow(run, topic, metric + after, _score(value)))
    if not rows and records:
        what = f"has no score per document: {', '.join(records[0]['metrics'].found)}."
        raise InputError(file.name, what)
    return rows


def _perplexity(metric: str, logged: Any) -> float | None:
    """Return a document's perplexity or bits per byte; None if it is undefined.

    `logged` is the log-likelihood of the document, or a list of its log-likelihood and its length.
    """
    likelihood, length = logged if isinstance(logged, list) else (logged, 1)
    if not isinstance(likelihood, int | float) or not length:
        return None
    bits = -likelihood / length / log(2)
    if metric == "bits_per_byte":
        return bits
    return exp(bits * log(2)) if bits < 1_000 else inf


def _lm_eval_results(file: File) -> Iterator[ScoreRow]:
    """Yield the means of each task; a topic is a task."""
    found = _document(file)
    model = found.get("model_name")
    run = _folder_of(file) or run_of_file(file) if model is None else model.name()
    for task, results in found["results"].items():
        for name, value in results.items():
            metric, _, chosen = name.partition(",")
            if chosen and not metric.endswith("_stderr") and _is_number(value):
                shown = metric if chosen == "none" else name
                yield ScoreRow(run, task, shown, _score(value))


def _promptfoo(results: list[Value]) -> Iterator[ScoreRow]:
    """Yield `score`, `success` and the named scores of each test of `promptfoo eval -o FILE`.

    A run is a provider or, if there are several prompts, a provider and a prompt. A topic is the
    description of a test or, if descriptions are missing or equal, the number of the test.
    """
    prompts = {result["promptIdx"].name() for result in results}
    described = {}
    for result in results:
        text = result.get("testCase.description")
        described[result["testIdx"].name()] = None if text is None else text.name()
    texts = list(described.values())
    unique = all(texts) and len(set(texts)) == len(texts)
    for result in results:
        run, number = _provider(result["provider"]), result["testIdx"].name()
        if len(prompts) > 1:
            run = f"{run} [{result['prompt']['label'].name()}]"
        topic = str(described[number]) if unique else number
        success = result.get("success")
        values = {"score": result["score"]} | ({} if success is None else {"success": success})
        values |= dict(result.items_of("namedScores"))
        yield from (ScoreRow(run, topic, name, _score(value)) for name, value in values.items())


def _provider(provider: Value) -> str:
    if isinstance(provider.found, str):
        return provider.name()
    label = provider.get("label")
    return provider["id"].name() if label is None or not label.found else label.name()


def _deepeval(file: File) -> Iterator[ScoreRow]:
    """Yield the score of each test case and metric; the run has the name of the file.

    deepeval writes the file to DEEPEVAL_RESULTS_FOLDER, or as .deepeval/.latest_test_run.json.
    """
    found = _document(file)
    inner = found if "testCases" in found.found else found["testRunData"]
    cases = list(inner["testCases"].each())
    names = [case.get("name") for case in cases]
    topics = distinct_names([None if name is None else name.name() for name in names])
    for topic, case in zip(topics, cases, strict=True):
        for metric in case.each_of("metricsData"):
            score = metric.get("score")
            value = None if score is None else _score(score)
            yield ScoreRow(run_of_file(file), topic, metric["name"].name(), value)


def _beir(file: File) -> list[ScoreRow]:
    """Return the means that beir.util.save_results writes to MODEL/DATASET.json.

    The run is the model; the topic is the data set.
    """
    run, topic = _folder_of(file) or "run", run_of_file(file)
    return [
        ScoreRow(run, topic, metric, _score(value))
        for _, group in _document(file).items()
        for metric, value in group.items()
    ]


# MTEB's results of models by task.
def is_task_result(found: Any) -> bool:
    return has(found, "task_name", "scores", "mteb_version")


def task_scores(found: Value, path: Path) -> Iterator[ScoreRow]:
    """Yield the rows of one task's results; a topic is a task.

    If a task has several splits or subsets, each of them is a topic: Task/test/de. The name of the
    model is in the path of the file: results/MODEL/REVISION/TASK.json.
    """
    model = path.resolve().parent.parent.name
    if not model:
        what = "does not name its model. Results are in results/MODEL/REVISION/TASK.json."
        raise InputError(str(path), what)
    task = found["task_name"].name()
    parts = [
        (split, scores) for split, listed in found["scores"].items() for scores in listed.each()
    ]
    for split, scores in parts:
        subset = scores["hf_subset"].name()
        topic = task if len(parts) == 1 else f"{task}/{split}/{subset}"
        for metric, value in scores.items():
            if metric not in ("hf_subset", "languages") and _is_number(value):
                yield ScoreRow(model.replace("__", "/"), topic, metric, float(value.found))


# inspect_ai: logs of evaluations, as .json and as .eval (a zip file).
ZIP = b"PK\x03\x04"
ZSTD = 93  # compression of zip entries that Python reads from 3.14 on
LOCAL_HEADER = 30  # bytes, before the name and the extra field of an entry


def _inspect_log(file: File) -> Iterator[ScoreRow]:
    log = _document(file)
    if log.get("samples") is None:
        status = log.get("status")
        said = "" if status is None else f" (status {status.found})"
        raise log.wrong(f"has no samples{said}. Log the samples, and finish the evaluation.")
    return _inspect(log["eval"], log["samples"].each())


def _inspect(about: Value, samples: Iterable[Value]) -> Iterator[ScoreRow]:
    """Yield the scores of each sample; the run is the model.

    A topic is task/sample. A score with several named values becomes several metrics: scorer/name.
    """
    run, task = about["model"].name(), about["task"].name()
    for sample in samples:
        topic = f"{task}/{sample['id'].name()}"
        for scorer, score in sample.items_of("scores"):
            value = score["value"]
            if isinstance(value.found, dict):
                several = [(f"{scorer}/{name}", one) for name, one in value.items()]
            else:
                several = [] if isinstance(value.found, list) else [(scorer, value)]
            yield from (ScoreRow(run, topic, metric, _score(one)) for metric, one in several)


def is_zip(file: File) -> bool:
    return file.source.head.startswith(ZIP)


def _inspect_zip(file: File) -> Iterator[ScoreRow]:
    data = file.source.data
    try:
        with ZipFile(BytesIO(data)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            names = [name for name in entries if name.startswith("samples/")]
            size = sum(entry.file_size for entry in entries.values())
            check_expansion(file.name, size, most_bytes(len(data)))
            if "header.json" not in entries:
                what = "is a zip file, but not a finished log of inspect_ai: it has no header.json."
                raise InputError(file.name, what)
            header = _zipped(archive, entries["header.json"], file)
            samples = [_zipped(archive, entries[name], file) for name in names]
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise InputError(file.name, f"cannot be read as a zip file: {error}.") from None
    return _inspect(header["eval"], samples)


def _zipped(archive: ZipFile, entry: ZipInfo, file: File) -> Value:
    if entry.compress_type == ZSTD:
        data, start = file.source.data, entry.header_offset + LOCAL_HEADER
        head = data[entry.header_offset : start]
        start += int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        text = Source(file.name, data[start : start + entry.compress_size]).data
    else:
        text = archive.read(entry)
    try:
        return Value(load_json(text), file.name, entry.filename)
    except JsonFault as error:
        raise InputError(file.name, f"{entry.filename}: {error}.") from None
    except ValueError as error:
        what = f"{entry.filename} cannot be read as JSON: {error}."
        raise InputError(file.name, what) from None


# Lines of scores. The order of columns must be guessed; only means have a known topic, `all`.
ORDERS = {
    3: (
        ("metric", "topic"),  # trec_eval -q
        ("topic", "metric"),  # ir_measures -q
    ),
    4: (
        ("run", "metric", "topic"),  # AutoJudge's leaderboards: tot
        ("run", "topic", "metric"),  # ir_measures
        ("topic", "run", "metric"),  # rag4reports
    ),
}
TEXTS = {"runid", "relstring"}  # measures of trec_eval whose values are text
KNOWN_METRICS = {
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "ndcg", "num_ret", "num_rel", "num_rel_ret"),
    *("set_P", "set_recall", "set_F", "utility", "infAP", "P_5", "P_10", "P_20", "recall_100"),
    *("AP", "RR", "nDCG", "Bpref", "RBP", "ERR", "P", "R", "SetP", "SetR", "SetF"),
}


def _is_lines(file: File) -> bool:
    """Return whether the first row has three or four fields, the last a number, and is not CSV.

    Not all fields may be numbers. A measure of trec_eval with text as its value is also accepted.
    """
    fields = file.first_row.split()
    if len(fields) not in ORDERS or "," in file.first_row or "=" in fields[0]:
        return False
    names = [field for field in fields[:-1] if _number(field) is None]
    return fields[0] in TEXTS or (_number(fields[-1]) is not None and bool(names))


def _lines(file: File) -> Iterator[ScoreRow]:
    lines = [(number, line.split()) for number, line in file.source.lines()]
    lines = [(number, fields) for number, fields in lines if not fields[0].startswith("#")]
    width = len(lines[0][1])
    run = run_of_file(file)
    scores: list[list[str]] = []
    faults: list[Fault] = []
    for number, fields in lines:
        if len(fields) == 3 and fields[0] == "runid":
            run = fields[2]
        elif fields[0] in TEXTS:
            continue
        elif len(fields) != width:
            what = f"{len(fields)} fields, where the first line has {width}"
            faults.append(Fault(number, what, " ".join(fields)))
        elif _number(fields[-1]) is None and fields[-1].lower() not in ("nan", "na"):
            faults.append(Fault(number, "value is not a number", " ".join(fields)))
        else:
            scores.append(fields)
    if faults:
        what = "A line is measure, topic and value, or run, topic, measure and value."
        raise InputError(file.name, what, Faults.of(faults))
    order = _order(file, scores, width)
    for fields in scores:
        named = {"run": run, **dict(zip(order, fields, strict=False))}
        yield ScoreRow(named["run"], named["topic"], named["metric"], _number(fields[-1]))


def _order(file: File, lines: list[list[str]], width: int) -> tuple[str, ...]:
    """Return the roles of the columns before the value: run, topic and metric, in their order.

    The only column that contains `all` has the topics. Otherwise, the only column with known
    metrics has the metrics or, with three fields, the column with fewer different names. It is an
    error if these rules do not decide.
    """
    orders = ORDERS[width]
    if not lines:
        raise InputError(file.name, "holds no scores.")
    columns = [set(column) for column in zip(*lines, strict=True)][:-1]
    means = [at for at, column in enumerate(columns) if MEAN in column]
    if len(means) == 1:
        return next(order for order in orders if order.index("topic") == means[0])
    fits = [order for order in orders if _are_metrics(columns[order.index("metric")])]
    if len(fits) == 1:
        return fits[0]
    if width == 3 and len(columns[0]) != len(columns[1]):  # measures are fewer than topics
        return orders[0] if len(columns[0]) < len(columns[1]) else orders[1]
    listed = "; ".join(some_of(sorted(column), 2) for column in columns)
    what = f"the columns of topics and of measures cannot be distinguished ({listed})."
    raise InputError(file.name, f"{what} Give a table with a header: run,topic,metric,value.")


def _are_metrics(names: set[str]) -> bool:
    """Return whether all names look like metrics of trec_eval, ir_measures or rankwise."""
    return all("@" in name or "_cut_" in name or name in KNOWN_METRICS for name in names)


def _number(text: str) -> float | None:
    try:
        return float(text) if isfinite(float(text)) else None
    except ValueError:
        return None


RESULT = ("promptIdx", "testIdx", "score")  # of promptfoo
SCORE_FORMATS = (
    ScoreFormat("inspect_ai's .eval", is_zip, _inspect_zip),
    ScoreFormat(
        "lm-evaluation-harness's samples",
        lambda file: has(first_record(file), "doc_id", "resps", "arguments"),
        _lm_eval_samples,
    ),
    ScoreFormat(
        "promptfoo's lines",
        lambda file: has(first_record(file), *RESULT),
        lambda file: _promptfoo(_records(file)),
    ),
    ScoreFormat(
        "MTEB's results",
        lambda file: is_task_result(file.json),
        lambda file: task_scores(_document(file), Path(file.name)),
    ),
    ScoreFormat(
        "inspect_ai's log", lambda file: has(file.json, "eval.task", "eval.model"), _inspect_log
    ),
    ScoreFormat(
        "promptfoo's results",
        lambda file: has(file.json, *(f"results.results.0.{key}" for key in RESULT)),
        lambda file: _promptfoo(list(_document(file)["results"]["results"].each())),
    ),
    ScoreFormat(
        "lm-evaluation-harness's results",
        lambda file: any(has(file.json, "results{}", key) for key in LM_EVAL_KEYS),
        _lm_eval_results,
    ),
    ScoreFormat(
        "deepeval's test run",
        lambda file: has(file.json, "testCases") or has(file.json, "testRunData.testCases"),
        _deepeval,
    ),
    ScoreFormat(
        "BEIR's results",
        lambda file: has(file.json, "ndcg{}", "map{}", "recall{}", "precision{}"),
        _beir,
    ),
)
LINES = ScoreFormat("lines of scores", _is_lines, _lines)


def read_tool_scores(file: File, form: ScoreFormat) -> pl.DataFrame:
    """Read the scores of a file, averaged over repetitions (epochs, trials).

    The format LINES is not averaged, because repeated scores are an error in it.
    """
    rows = list(form.rows(file))
    if not rows:
        raise InputError(file.name, f"holds no scores (it is read as {form.name}).")
    frame, keys = rows_frame(rows), ["run", "topic", "metric"]
    if form is LINES or not frame.select(keys).is_duplicated().any():
        return frame
    return frame.group_by(keys, maintain_order=True).agg(pl.col("value").mean())
