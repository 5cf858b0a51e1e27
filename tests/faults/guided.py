"""Coverage-guided fuzzing of the parsers, by atheris: any text gives an answer or our own error.

`python -m faults.guided --seconds 60 --seed 1`; needs atheris. What crashes is left as a file in
`tests/faults/found/guided/`, and `python -m faults.guided FILE` tries it again.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["rankwise"]):
    from rankwise.errors import RankwiseError
    from rankwise.formats.columns import parse_columns
    from rankwise.formats.gains import parse_gains
    from rankwise.formats.unpacking import parse_size
    from rankwise.metrics import parse_all
    from rankwise.metrics.ranges import Range
    from rankwise.rankings.assumption import Possible
    from rankwise.rankings.reading import read_qrels, read_runs

FOUND = Path(__file__).with_name("found") / "guided"
FILE = Path(mkdtemp()) / "input"
SUFFIXES = ("", ".csv", ".tsv", ".json", ".jsonl")
TEXTS: list[Callable[[str], object]] = [
    parse_all,
    parse_columns,
    parse_gains,
    parse_size,
    Possible.parse,
    Range.parse,
]
FILES: list[Callable[[Path], object]] = [read_qrels, read_runs]
# Where to start from: for each parser some texts that it takes.
SAMPLES = [
    ["AP", "nDCG(gains={1:2,2:5})@10, RBP( p = .80, rel=2 )", "ndcg_cut_10", "map@10-l2"],
    ["topic=search_term,document=sku"],
    ["0=0,0.5=0.4,1=1", "3:2:1"],
    ["20G"],
    ["top=100,extra=3"],
    ["p=0.5:0.95:0.05", "cutoff=5,10"],
    ["\0 1 0 a 1\n", "\1topic,document,grade\n1,a,2\n", '\3{"1": {"a": 1}}', '\4{"topic": "1"}\n'],
    ["\0 1 Q0 a 1 3.5 tag\n", "\1topic,document,score\n1,a,2\n", '\3{"1": {"a": 0.5}}'],
]


def one_input(data: bytes) -> None:
    """The first byte says which parser, and the second what the file is called."""
    if len(data) < 2:
        return
    which = data[0] % (len(TEXTS) + len(FILES))
    try:
        if which < len(TEXTS):
            TEXTS[which](data[1:].decode("utf-8", "surrogateescape"))
            return
        path = FILE.with_suffix(SUFFIXES[data[1] % len(SUFFIXES)])
        path.write_bytes(data[2:])
        FILES[which - len(TEXTS)](path)
    except RankwiseError:
        pass


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("file", nargs="?", help="a file that crashed: try it again")
    asked.add_argument("--seconds", type=int, default=60)
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    FOUND.mkdir(parents=True, exist_ok=True)
    corpus = Path(mkdtemp())
    for place, texts in enumerate(SAMPLES):
        for number, text in enumerate(texts):
            (corpus / f"{place}-{number}").write_bytes(bytes([place]) + text.encode())
    args = [sys.argv[0], f"-max_total_time={given.seconds}", f"-seed={given.seed}", "-max_len=400"]
    args += [f"-artifact_prefix={FOUND}/", "-timeout=20", given.file or str(corpus)]
    atheris.Setup(args, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
