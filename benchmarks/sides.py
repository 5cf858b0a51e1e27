"""What is timed: each side of each comparison, alone in a fresh process.

`python benchmarks/sides.py SIDE ARGUMENT…` prints one line of JSON: the seconds from
after the imports to the scores, those of the processor, the peak memory, and means by which
sides are compared.
"""

import contextlib
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import data

if TYPE_CHECKING:
    from rankwise import Scores

# Ours and pytrec_eval's names of the same metrics.
METRICS = {
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "RR": "recip_rank",
    "Bpref": "bpref",
    "Recall@100": "recall_100",
    "Rprec": "Rprec",
}
COMPARED = ("AP", "nDCG@10")
# trec_eval holds scores in 32 bits and sees ties in this run of TREC-8 that are not there.
NOT_COMPARED = {"input.uwmt8a0"}
Means = dict[str, float]
ByTopic = dict[str, dict[str, float]]


processor = 0.0  # seconds of all threads, as far as they are timed


def begin() -> float:
    """Start to count: what came before was imports and data."""
    global processor
    processor = -process_time()
    return perf_counter()


def elapsed(start: float) -> float:
    """Seconds since `begin`; those of the processor are kept."""
    global processor
    processor += process_time()
    return perf_counter() - start


def _imported(*, is_table: bool = False) -> None:
    """All that scoring these metrics loads: what is timed begins after the imports."""
    from rankwise import score
    from rankwise.metrics import parse_all

    parse_all(list(METRICS))
    score({"1": {"a": 1}}, {"1": {"a": 1.0}}, list(METRICS))
    if is_table:
        import polars as pl

        frame = pl.DataFrame({"topic": ["1"], "document": ["a"], "score": [1.0]})
        score({"1": {"a": 1}}, frame, list(METRICS))


def rankwise_files(qrels: str, *runs: str) -> tuple[float, Means]:
    from rankwise import score

    _imported(is_table=runs[0].endswith(".parquet"))
    start = begin()
    scores = score(qrels, runs[0] if len(runs) == 1 else list(runs), list(METRICS))
    return elapsed(start), _rankwise_means(scores, runs)


def rankwise_frame(library: str, qrels: str, run: str) -> tuple[float, Means]:
    """A frame in memory, of polars or of pandas."""
    import polars as pl

    from rankwise import score

    _imported()
    frame: Any = pl.read_parquet(run)
    frame = frame.to_pandas() if library == "pandas" else frame.rechunk()
    start = begin()
    scores = score(qrels, frame, list(METRICS))
    return elapsed(start), _rankwise_means(scores, [run])


def polars_read(run: str) -> tuple[float, Means]:
    """The limit: the columns in memory, and nothing done with them."""
    import polars as pl

    start = begin()
    pl.read_parquet(run)
    return elapsed(start), {}


def polars_join(qrels: str, run: str) -> tuple[float, Means]:
    """The limit: what is retrieved and judged, without its rank."""
    import polars as pl

    names = ["topic", "iteration", "document", "grade"]
    strings = dict.fromkeys(names, pl.String)
    start = begin()
    judged = pl.read_csv(qrels, separator=" ", has_header=False, schema=strings)
    pl.read_parquet(run).join(judged, on=["topic", "document"])
    return elapsed(start), {}


def unpack(library: str, *files: str) -> tuple[float, Means]:
    """The limit: gzip unpacked by a library, and nothing done with it."""
    module = import_module(library)
    start = begin()
    for file in files:
        member = module.decompressobj(31)
        with Path(file).open("rb") as packed:
            while block := packed.read(1 << 15):
                member.decompress(block)
    return elapsed(start), {}


def make_parquet(run: str, parquet: str) -> tuple[float, Means]:
    """The same run as parquet, its names as text."""
    import polars as pl

    fields = ["topic", "q0", "document", "rank", "score", "tag"]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in fields}
    table = pl.read_csv(run, separator=" ", has_header=False, schema=schema)
    table.select("topic", "document", "score").write_parquet(parquet)
    return 0.0, {}


def rankwise_catalogue(qrels: str, *runs: str) -> tuple[float, Means]:
    """Every metric with its default parameters; where one is required, 10 (or recall 0.5).

    All documents are 500 long.
    """
    from dataclasses import MISSING, fields

    from rankwise import score
    from rankwise.metrics import REGISTRY

    metrics = []
    for metric in REGISTRY.values():
        required = [field.name for field in fields(metric) if field.default is MISSING]
        given: dict[str, float] = {name: 0.5 if name == "recall" else 10 for name in required}
        metrics.append(metric(**given | ({"length": 500} if metric.reads_lengths else {})))
    start = begin()
    score(qrels, list(runs), metrics)
    return elapsed(start), {}


def rankwise_four(qrels: str, *runs: str) -> tuple[float, Means]:
    """The four metrics of which bounds are timed, without them."""
    return _four(qrels, runs, bounds=False)


def rankwise_bounds(qrels: str, *runs: str) -> tuple[float, Means]:
    return _four(qrels, runs, bounds=True)


def _four(qrels: str, runs: Sequence[str], *, bounds: bool) -> tuple[float, Means]:
    from rankwise import score

    start = begin()
    score(qrels, list(runs), ["RBP(p=0.8)", "P@10", "nDCG@10", "AP"], bounds=bounds)
    return elapsed(start), {}


def pytrec_eval_files(qrels: str, *runs: str) -> tuple[float, Means]:
    import pytrec_eval

    start = begin()
    with open(qrels) as file:  # noqa: PTH123 as pytrec_eval's README does
        judgments = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, set(METRICS.values()))
    results = []
    for run in runs:
        with open(run) as file:  # noqa: PTH123
            results.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
    return elapsed(start), _pytrec_eval_means(results, runs, len(judgments))


def polars_scan(run: str) -> tuple[float, Means]:
    import polars as pl

    fields = ["topic", "q0", "document", "rank", "score", "tag"]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in fields}
    start = begin()
    scan = pl.scan_csv(run, separator=" ", has_header=False, quote_char=None, schema=schema)
    scan.select("topic", "document", "score").collect()
    return elapsed(start), {}


def rankwise_dicts(topics: str) -> tuple[float, Means]:
    from rankwise import score

    _imported()
    run, qrels = data.dicts(int(topics))
    start = begin()
    scores = score(qrels, run, list(METRICS))
    return elapsed(start), _rankwise_means(scores, ["dict"])


def pytrec_eval_dicts(topics: str) -> tuple[float, Means]:
    import pytrec_eval

    run, qrels = data.dicts(int(topics))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values()))
    start = begin()
    results = evaluator.evaluate(run)
    return elapsed(start), _pytrec_eval_means([results], ["dict"], len(qrels))


def compat_dicts(topics: str) -> tuple[float, Means]:
    """pytrec_eval's interface as rankwise offers it, called as it is."""
    from rankwise.compat import pytrec_eval

    run, qrels = data.dicts(int(topics))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values()))
    start = begin()
    results = evaluator.evaluate(run)
    return elapsed(start), _pytrec_eval_means([results], ["dict"], len(qrels))


def evaluated_runs(module: str, which: str, qrels: str, *runs: str) -> tuple[float, Means]:
    """Dicts of runs, one after another, by the eight measures or all that pytrec_eval has."""
    pytrec_eval = import_module(module)
    with Path(qrels).open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    given = []
    for run in runs:
        with Path(run).open() as file:
            given.append(pytrec_eval.parse_run(file))
    eight = set(METRICS.values())
    measures = eight if which == "eight" else pytrec_eval.supported_measures | eight
    pytrec_eval.RelevanceEvaluator({"1": {"d": 1}}, measures).evaluate({"1": {"d": 1.0}})
    start = begin()  # all is imported now
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, measures)
    results = [evaluator.evaluate(run) for run in given]
    return elapsed(start), _pytrec_eval_means(results, runs, len(judgments))


def help_imports() -> tuple[float, Means]:
    """Show the help; the means say which of the heavy modules it imported."""
    start = begin()
    sys.argv = ["rankwise", "--help"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        from rankwise.cli import main

        main()
    heavy = ("polars", "numpy", "scipy")
    return elapsed(start), {name: 1.0 for name in heavy if name in sys.modules}


def make_data(topics: str, depth: str) -> tuple[float, Means]:
    start = begin()
    data.write(int(topics), int(depth))
    return elapsed(start), {}


def rankwise_warm(qrels: str, run: str) -> tuple[float, Means]:
    """A second call in the same process."""
    rankwise_files(qrels, run)
    return rankwise_files(qrels, run)


def ir_measures_files(qrels: str, run: str) -> tuple[float, Means]:
    import ir_measures

    names = [_as_ir_measures(name) for name in METRICS]
    start = begin()
    read_qrels: Any = ir_measures.read_trec_qrels  # it has no types
    read_run: Any = ir_measures.read_trec_run
    judged, ranked = read_qrels(qrels), read_run(run)
    means = ir_measures.calc_aggregate(names, judged, ranked)
    seconds = elapsed(start)
    found = {str(measure): float(mean) for measure, mean in means.items()}
    return seconds, {f"{name} of {_label(run)}": found[name] for name in COMPARED}


def ir_measures_warm(qrels: str, run: str) -> tuple[float, Means]:
    ir_measures_files(qrels, run)
    return ir_measures_files(qrels, run)


def _as_ir_measures(name: str) -> Any:
    import ir_measures

    return ir_measures.parse_measure({"Recall@100": "R@100"}.get(name, name))


def ranx_files(qrels: str, run: str) -> tuple[float, Means]:
    """The metrics that it has. Its means are not compared: it breaks ties in another way."""
    import ranx

    names = ["map", "ndcg", "ndcg@10", "precision@10", "mrr", "recall@100", "r-precision"]
    start = begin()
    judged, ranked = ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec")
    ranx.evaluate(judged, ranked, names)
    return elapsed(start), {}


def ranx_warm(qrels: str, run: str) -> tuple[float, Means]:
    ranx_files(qrels, run)
    return ranx_files(qrels, run)


def _label(run: str) -> str:
    """The name of a run, whatever form its file has."""
    name = Path(run).name
    for suffix in (".gz", ".parquet", ".txt"):
        name = name.removesuffix(suffix)
    return name


def _rankwise_means(scores: "Scores", runs: Sequence[str]) -> Means:
    """The mean over topics of each compared metric, for each run that is compared."""
    means = scores.mean()
    return {
        f"{metric} of {_label(run)}": mean
        for metric in COMPARED
        for run, mean in zip(runs, means.filter(metric=metric)["value"], strict=True)
        if _label(run) not in NOT_COMPARED
    }


def _pytrec_eval_means(results: list[ByTopic], runs: Sequence[str], topics: int) -> Means:
    """As above; a topic that a run lacks is not in its results, and counts as 0."""
    return {
        f"{metric} of {_label(run)}": sum(s[METRICS[metric]] for s in result.values()) / topics
        for metric in COMPARED
        for run, result in zip(runs, results, strict=True)
        if _label(run) not in NOT_COMPARED
    }


SIDES: dict[str, Callable[..., tuple[float, Means]]] = {
    "rankwise": rankwise_files,
    "rankwise catalogue": rankwise_catalogue,
    "rankwise four": rankwise_four,
    "rankwise bounds": rankwise_bounds,
    "pytrec_eval": pytrec_eval_files,
    "polars scan": polars_scan,
    "rankwise dicts": rankwise_dicts,
    "pytrec_eval dicts": pytrec_eval_dicts,
    "compat dicts": compat_dicts,
    "compat runs": partial(evaluated_runs, "rankwise.compat.pytrec_eval"),
    "pytrec_eval runs": partial(evaluated_runs, "pytrec_eval"),
    "help": help_imports,
    "make data": make_data,
    "rankwise, warm": rankwise_warm,
    "ir_measures": ir_measures_files,
    "ir_measures, warm": ir_measures_warm,
    "ranx": ranx_files,
    "ranx, warm": ranx_warm,
    "rankwise without the kernel": rankwise_files,
    "rankwise by zlib": rankwise_files,
    "rankwise frame": rankwise_frame,
    "polars read": polars_read,
    "polars join": polars_join,
    "unpack": unpack,
    "make parquet": make_parquet,
}


def main() -> None:
    side, *arguments = sys.argv[1:]
    if side == "rankwise without the kernel":
        os.environ["RANKWISE_NATIVE"] = "0"
    if side == "rankwise by zlib":
        sys.modules["isal"] = None  # type: ignore[assignment]
    seconds, means = SIDES[side](*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    result: dict[str, Any] = {"seconds": seconds, "processor": processor}
    result |= {"megabytes": megabytes, "means": means}
    print(json.dumps(result), flush=True)
    os._exit(0)  # taking millions of objects apart takes seconds that nobody measures


if __name__ == "__main__":
    main()
