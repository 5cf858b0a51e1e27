"""Lines of scores: trec_eval -q, ir_measures -q, and AutoJudge's leaderboards.

    trec_eval                measure topic value
    ir_measures              topic measure value
    AutoJudge (tot)          run measure topic value
    AutoJudge (ir_measures)  run topic measure value
    AutoJudge (rag4reports)  topic run measure value

Nothing in such a file says which column is which, except that means have the topic `all`.
"""

from __future__ import annotations

from rankwise.errors import Fault, Faults, InputError, some_of
from rankwise.formats.base import File
from rankwise.formats.score_table import MEAN, ScoreRow, rows_frame, run_of_file
from rankwise.lazy import pl

ORDERS = {
    3: (("metric", "topic"), ("topic", "metric")),
    4: (("run", "metric", "topic"), ("run", "topic", "metric"), ("topic", "run", "metric")),
}
TEXTS = {"runid", "relstring"}  # measures of trec_eval whose values are text


def recognises(file: File) -> bool:
    """Whether lines have three or four fields, the last a number, and no other form fits."""
    fields = file.first_row.split()
    if len(fields) not in ORDERS or "," in file.first_row or "=" in fields[0]:
        return False
    names = [field for field in fields[:-1] if _number(field) is None]
    return fields[0] in TEXTS or (_number(fields[-1]) is not None and bool(names))


def read(file: File) -> pl.DataFrame:
    """Return columns run, topic, metric, value."""
    lines = [(number, line.split()) for number, line in file.source.lines()]
    lines = [(number, fields) for number, fields in lines if not fields[0].startswith("#")]
    width = len(next(fields for _, fields in lines))
    run = run_of_file(file)
    kept: list[tuple[int, list[str]]] = []
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
            kept.append((number, fields))
    if faults:
        what = "A line is measure, topic and value, or run, topic, measure and value."
        raise InputError(file.name, what, Faults.of(faults))
    order = _order(file, [fields for _, fields in kept], width)
    rows = []
    for _, fields in kept:
        named = dict(zip(order, fields, strict=False))
        value = _number(fields[-1])
        rows.append(ScoreRow(named.get("run", run), named["topic"], named["metric"], value))
    return rows_frame(rows)


def _order(file: File, lines: list[list[str]], width: int) -> tuple[str, ...]:
    """Return the columns in order: the topic's has `all`, or the metric's has known metrics."""
    orders = ORDERS[width]
    if not lines:
        raise InputError(file.name, "holds no scores.")
    columns = list(zip(*lines, strict=True))
    means = [at for at in range(width - 1) if MEAN in columns[at]]
    if len(means) == 1:
        return next(order for order in orders if order.index("topic") == means[0])
    fits = [order for order in orders if _are_metrics(set(columns[order.index("metric")]))]
    if len(fits) == 1:
        return fits[0]
    counts = [len(set(column)) for column in columns[:-1]]
    if width == 3 and counts[0] != counts[1]:  # measures are fewer than topics
        return orders[0] if counts[0] < counts[1] else orders[1]
    listed = "; ".join(some_of(sorted(set(column)), 2) for column in columns[:-1])
    what = f"the columns of topics and of measures cannot be distinguished ({listed})."
    raise InputError(file.name, f"{what} Give a table with a header: run,topic,metric,value.")


def _are_metrics(names: set[str]) -> bool:
    """Whether all are names of metrics, of trec_eval or of ours, by their letters."""
    return all("@" in name or "_cut_" in name or name in KNOWN for name in names)


KNOWN = {
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "ndcg", "num_ret", "num_rel", "num_rel_ret"),
    *("set_P", "set_recall", "set_F", "utility", "infAP", "P_5", "P_10", "P_20", "recall_100"),
    *(
        "AP",
        "RR",
        "nDCG",
        "Bpref",
        "RBP",
        "ERR",
        "infAP",
        "P",
        "R",
        "SetP",
        "SetR",
        "SetF",
        "Rprec",
    ),
}


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number == number and abs(number) != float("inf") else None
