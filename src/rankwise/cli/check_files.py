"""Check that runs and judgments can be read: the pre-commit hook `rankwise-check`.

`python -m rankwise.cli.check_files FILE…`: a file with `qrel` in its name has judgments, any other
file has runs. Exit code 2 if a file has malformed lines, duplicate documents or no rows.
"""

import sys
from collections.abc import Sequence
from pathlib import Path


def main(files: Sequence[str]) -> int:
    """Read each file, print what is wrong with it, and return the exit code."""
    from click import Command

    from rankwise.cli.flags import Flags
    from rankwise.errors import RankwiseError, visible
    from rankwise.rankings import read_qrels, read_runs

    failed, no_options = False, Flags(Command("check"))
    for file in files:
        read = read_qrels if "qrel" in Path(file).name.lower() else read_runs
        try:
            read(file)
        except RankwiseError as error:
            failed = True
            lines = error.said(no_options).split("\n")
            print(*(visible(line) for line in lines), sep="\n", file=sys.stderr)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
