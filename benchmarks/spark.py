"""On a Spark cluster of this machine, beside a local stream of the same parquet and MLlib.

    python benchmarks/spark.py 1000x1000 100000x1000 10000000x10     # topics × documents of each
    SIDES="local stream,rankwise.spark" python benchmarks/spark.py 100000x1000

Each side runs in a fresh process on files that are made once, into bench-data/. The cluster
has a master and two workers of one core. MLlib's `RankingMetrics` has AP, P and nDCG of binary
relevance, and so these are what all sides compute; it reads its input once for each of them:
caching it took three times as long. Topics without a relevant document, which short ones may
be, it is not given: they have no AP and no nDCG. So its mean of P@10 is over fewer topics.

Memory is the peak of the driver (Python and its Java) and of everything that the workers
started; so is what lies on disk after a shuffle. Time of the processor is that of all of them,
which a machine with other users does not stretch.
"""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import data

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from cluster import Cluster

METRICS = ["AP", "P@10", "nDCG(gains={0:0,1:1,2:1,3:1})@10"]
PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
TOLERANCE = 1e-9
ROWS_OF_A_FILE = 1_000_000


class Size(NamedTuple):
    topics: int
    depth: int

    @classmethod
    def of(cls, text: str) -> "Size":
        """As `1000x10`."""
        topics, _, depth = text.partition("x")
        return cls(int(topics), int(depth))

    def __str__(self) -> str:
        return f"{self.topics}x{self.depth}"

    @property
    def folder(self) -> Path:
        return data.FOLDER / f"spark-{self}"


def make(size: Size) -> None:
    """Parquet files of a million rows each: run and qrels, as `data.frames` makes them."""
    if (size.folder / "done").exists():
        return
    for part in ("run", "qrels"):
        (size.folder / part).mkdir(parents=True, exist_ok=True)
    step = ROWS_OF_A_FILE // size.depth
    for first in range(0, size.topics, step):
        frames = data.frames(min(step, size.topics - first), size.depth, first)
        for part, frame in zip(("run", "qrels"), frames, strict=True):
            kept = [
                name for name in frame.columns if name in ("topic", "document", "score", "grade")
            ]
            frame.select(kept).write_parquet(size.folder / part / f"{first:08}.parquet")
    (size.folder / "done").touch()


def local_stream(size: Size, _url: str) -> dict[str, float]:
    import polars as pl

    import rankwise

    qrels, run = (pl.scan_parquet(size.folder / part / "*.parquet") for part in ("qrels", "run"))
    batches = run.collect_batches(chunk_size=1 << 17, maintain_order=True)
    means = rankwise.score(qrels, iter(batches), METRICS).mean()
    return dict(zip(means["metric"], means["value"], strict=True))


def session(url: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.log.level": "FATAL"}
    settings |= {"spark.driver.memory": "700m", "spark.executor.memory": "2g"}
    settings |= {"spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master(url)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def on_spark(size: Size, url: str) -> dict[str, float]:
    import rankwise.spark

    spark = session(url)
    qrels, runs = (spark.read.parquet(str(size.folder / part)) for part in ("qrels", "run"))
    found = rankwise.spark.summary(rankwise.spark.score(qrels, runs, METRICS))
    return dict(zip(found["metric"], found["value"], strict=True))


def mllib(size: Size, url: str) -> dict[str, float]:
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as sf

    spark = session(url)
    qrels, runs = (spark.read.parquet(str(size.folder / part)) for part in ("qrels", "run"))
    pairs = sf.sort_array(sf.collect_list(sf.struct("score", "document")), asc=False)
    ranked = runs.groupBy("topic").agg(pairs["document"].alias("ranked"))
    relevant = (
        qrels.where("grade > 0").groupBy("topic").agg(sf.collect_list("document").alias("relevant"))
    )
    both = ranked.join(relevant, "topic").select("ranked", "relevant")
    found = RankingMetrics(both.rdd.map(tuple))
    values = [found.meanAveragePrecision, found.precisionAt(10), found.ndcgAt(10)]
    return dict(zip(METRICS, values, strict=True))


WORK = {"local stream": local_stream, "rankwise.spark": on_spark, "MLlib": mllib}


def tree(pid: int) -> set[int]:
    """A process and all that it started, and they."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found, left = set[int](), [pid]
    while left:
        found.add(one := left.pop())
        left += parents.get(one, [])
    return found


def resident(pids: set[int]) -> float:
    """Megabytes in memory."""
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        except OSError:
            continue
    return total / 1e6


def shuffled(folder: Path) -> float:
    """Megabytes that lie on disk for others to fetch."""
    total = 0
    for parent, _, names in os.walk(folder):  # which passes over what has gone
        for name in names:
            if name.startswith("shuffle_") and name.endswith(".data"):
                with suppress(OSError):
                    total += (Path(parent) / name).stat().st_size
    return total / 1e6


def used(pid: int) -> float:
    """Seconds of the processor that a process has had."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


class Watch:
    """What the driver and the workers take, looked at five times a second."""

    def __init__(self, driver: int, workers: list[int], disk: Path) -> None:
        self.driver = self.workers = self.shuffle = 0.0  # megabytes, the most
        self.disk = disk
        self.seconds: dict[int, float] = {}
        self.before = {pid: used(pid) for root in workers for pid in tree(root)}
        self.roots, self.over = (driver, workers), threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self) -> None:
        driver, workers = self.roots
        while not self.over.wait(0.2):
            here, there = tree(driver), set[int]().union(*map(tree, workers))
            self.driver = max(self.driver, resident(here))
            self.workers = max(self.workers, resident(there))
            self.shuffle = max(self.shuffle, shuffled(self.disk))
            for pid in here | there:
                self.seconds[pid] = max(self.seconds.get(pid, 0.0), used(pid))

    def stop(self) -> float:
        """Seconds of the processor in all."""
        self.over.set()
        self.thread.join()
        return sum(seconds - self.before.get(pid, 0.0) for pid, seconds in self.seconds.items())


def run(side: str, size: Size, cluster: Cluster) -> dict[str, float]:
    """One side in a process of its own; a line on it; its means."""
    command = [sys.executable, __file__, "--side", side, str(size), cluster.url]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    watch = Watch(process.pid, [worker.pid for worker in cluster.processes[1:]], cluster.folder)
    output, _ = process.communicate()
    busy = watch.stop()
    if process.returncode:
        print(f"  {side}: failed")
        return {}
    found = json.loads(output)
    print(
        f"  {side:15} {found['seconds']:7.1f} s, {busy:7.1f} s of the processor; driver "
        f"{watch.driver:5,.0f} MB, workers {watch.workers:5,.0f} MB, "
        f"shuffle {watch.shuffle:5,.0f} MB",
        flush=True,
    )
    means: dict[str, float] = found["means"]
    return means


def compare_sides(size: Size, sides: list[str], cluster: Cluster) -> None:
    make(size)
    print(f"{size.topics * size.depth:,} rows: {size.topics:,} topics × {size.depth:,}")
    first, *others = [run(side, size, cluster) for side in sides]
    for side, means in zip(sides[1:], others, strict=True):
        apart = {name: abs(first[name] - means[name]) for name in means if name in first}
        agreeing = [name for name in apart if apart[name] <= TOLERANCE]
        most = max((apart[name] for name in agreeing), default=0)
        print(f"  {sides[0]} and {side} agree: {agreeing}, at most {most:.1e} apart", flush=True)
        if differing := {name: far for name, far in apart.items() if name not in agreeing}:
            print(f"  {sides[0]} and {side} DISAGREE: {differing}", flush=True)


def main() -> None:
    sides = os.environ.get("SIDES", ",".join(WORK)).split(",")
    data.FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=data.FOLDER) as work:
        cluster = Cluster(Path(work).resolve(), "3g")
        try:
            cluster.start_master()
            cluster.start_workers(2)
            cluster.wait_for_workers()
            for size in map(Size.of, sys.argv[1:] or ["1000x1000", "10000x1000"]):
                compare_sides(size, sides, cluster)
        finally:
            cluster.stop()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        start = time.perf_counter()
        means = WORK[sys.argv[2]](Size.of(sys.argv[3]), sys.argv[4])
        print(json.dumps({"seconds": time.perf_counter() - start, "means": means}))
    else:
        main()
