"""A real cluster on one machine: a master and two workers, each a process of its own."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SECONDS = 120  # for a process to start, on a machine that has much else to do
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # starts fast; nothing here runs for long
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": SMALL,
    "spark.executor.extraJavaOptions": SMALL,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "8",
    "spark.log.level": "FATAL",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass
class Cluster:
    """Processes, each with its log; killing one kills the executors that it started."""

    folder: Path
    url: str = ""
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start_master(self) -> None:
        options = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        log = self._start("master.Master", *options)
        self.url = _said(log, r"Starting Spark master at (spark://\S+)")

    def start_workers(self, count: int) -> None:
        """Side by side."""
        logs = []
        for _ in range(count):
            work = self.folder / f"work{len(self.processes)}"
            options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g"]
            options += ["--webui-port", "0", "--work-dir", str(work), self.url]
            logs.append(self._start("worker.Worker", *options))
        for log in logs:
            _said(log, "Successfully registered with master")

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def stop(self) -> None:
        for process in list(self.processes):
            self.kill(process)

    def _start(self, kind: str, *options: str) -> Path:
        """Start a process; where its log is."""
        import pyspark

        home = Path(pyspark.__file__).parent
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *options]
        own = {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
        own |= {"SPARK_DAEMON_JAVA_OPTS": SMALL, "SPARK_DAEMON_MEMORY": "256m"}
        own |= {"SPARK_LOCAL_DIRS": str(self.folder), "SPARK_LOCAL_IP": "127.0.0.1"}
        path = self.folder / f"{kind}{len(self.processes)}.log"
        with path.open("wb") as log:
            process = subprocess.Popen(
                command,
                env=os.environ | own,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return path


def _said(log: Path, pattern: str) -> str:
    """What a process says in its log, once it does."""
    for _ in range(SECONDS * 10):
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[found.lastindex or 0]
        time.sleep(0.1)
    raise TimeoutError(f"not in {SECONDS} s: {pattern}\n{log.read_text()}")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("pyspark", reason="pyspark is not installed: nothing is tried on Spark")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed: nothing is tried on Spark")
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        started.start_master()
        started.start_workers(2)
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(cluster.url)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        if before is None:
            del os.environ["PYSPARK_PYTHON"]
        else:
            os.environ["PYSPARK_PYTHON"] = before
