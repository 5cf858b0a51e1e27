"""A stream of any length is scored in the same memory."""

import subprocess
import sys
from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")
# Batches of 100,000 rows end in the middle of a topic of 1,000; one document in 500 is judged.
PROGRAM = """
import re, sys
from pathlib import Path
import numpy as np, polars as pl, rankwise

def rows(batch):
    number = np.arange(batch * 99_900, (batch + 1) * 99_900)
    names = pl.Series(number).cast(pl.String)
    return pl.DataFrame({
        "topic": pl.Series(number // 1_000).cast(pl.String),
        "document": "a document with a long name " + names,
        "score": -number.astype(float),
    })

def arrow(batches):
    for batch in range(batches):
        yield from rows(batch).to_arrow().to_batches()

batches, kind = int(sys.argv[1]), sys.argv[2]
qrels = {
    str(topic): {f"a document with a long name {topic * 1_000 + 500 * at}": at for at in (0, 1)}
    for topic in range(999 * batches // 10)
}
runs = arrow(batches) if kind == "arrow" else map(rows, range(batches))
found = rankwise.score(qrels, runs, ["RR", "NumRet"])
assert (found["RR"].value == 1 / 501).all() and found["NumRet"].value.sum() == batches * 99_900
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux says how much memory a process had")
@pytest.mark.parametrize("kind", [pytest.param("arrow", marks=pytest.mark.slow), "frames"])
def test_memory_does_not_grow_with_a_stream(kind: str) -> None:
    """As one table the 30 batches more take 300 MB more; what is judged of them is 6,000 rows."""
    if kind == "arrow":
        pytest.importorskip("pyarrow")
    peaks = []
    for batches in ("10", "40"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, batches, kind], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout) / 1024)
    few, many = peaks
    assert many - few < 150, peaks
