"""A Spark cluster on one machine: a master and workers, each a process of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 120  # for a process to start, on a machine that has much else to do
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # starts fast; nothing here runs for long


@dataclass
class Cluster:
    """Processes, each with its log; killing one kills the executors that it started."""

    folder: Path
    memory: str = "1g"  # of a worker
    url: str = ""
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)  # of the workers

    def start_master(self) -> None:
        options = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        log = self._start("master.Master", *options)
        self.url = _said(log, r"Starting Spark master at (spark://\S+)")

    def start_workers(self, count: int) -> None:
        """Side by side; a driver may start meanwhile."""
        for _ in range(count):
            work = self.folder / f"work{len(self.processes)}"
            options = ["--host", "127.0.0.1", "--cores", "1", "--memory", self.memory]
            options += ["--webui-port", "0", "--work-dir", str(work), self.url]
            self.logs.append(self._start("worker.Worker", *options))

    def wait_for_workers(self) -> None:
        for log in self.logs:
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
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *options]
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
