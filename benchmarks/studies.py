"""Two whole studies on the 129 runs of TREC-8, files to page, each in a fresh process."""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

from core import BIN, Verdict, print_verdicts, shown

TARGETS = {"moffat-zobel-2008": 180, "ahlgren-gronqvist-2007": 300}


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return
    data = Path(folder) / "trec8"
    verdicts = []
    for paper, target in TARGETS.items():
        with tempfile.TemporaryDirectory() as left:
            files = [data / "trec8.qrels.gz", *sorted((data / "runs").iterdir())]
            start = time.perf_counter()
            command: list[str | Path] = [BIN / "rankwise", "study", paper, *files, "-o", left]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - start
        wanted = f"study {paper} in under {target} s"
        verdicts.append(Verdict(wanted, shown(seconds), seconds < target))
    print_verdicts(verdicts)


if __name__ == "__main__":
    main()
