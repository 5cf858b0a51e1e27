"""A real cluster on one machine, with two workers."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from cluster import SMALL, Cluster

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": SMALL,
    "spark.executor.extraJavaOptions": SMALL,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "8",
    "spark.task.maxFailures": "2",  # of a fault one is enough; of a worker that is killed two
    "spark.log.level": "FATAL",
    "spark.ui.showConsoleProgress": "false",
}


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
    if (other := SparkSession.getActiveSession()) is not None:
        other.stop()
    builder = SparkSession.builder.master(cluster.url)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    cluster.wait_for_workers()
    try:
        yield session
    finally:
        session.stop()
        if before is None:
            del os.environ["PYSPARK_PYTHON"]
        else:
            os.environ["PYSPARK_PYTHON"] = before
