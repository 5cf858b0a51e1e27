"""A small sound file of every format that rankwise reads, and how to call rankwise on it."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import rankwise
from rankwise.formats.writers import WRITERS

SUFFIX = {"trec": ".txt", "csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "arrow": ".arrow"}
SUFFIX |= {"jsonl": ".jsonl", "json": ".json", "quepid": ".csv", "quepid-ltr": ".txt"}
SUFFIX |= {"sentence-transformers": ".jsonl"}
MADE = Path(__file__).parents[1] / "formats"
OTHERS = {
    "letor.txt": "2 qid:1 1:0.5 2:0.1 # docid = d01\n0 qid:1 1:0.2 # d02\n1 qid:2 # d03 x\n",
    "triples.tsv": "1\td01\t1\n1\td02\t2\n2\td03\t1\n",
    "metadata.run": "# ir_metadata.start\n# tag: mine\n# actor:\n#   name: Ada\n#   fields:\n"
    "#   - IR\n# ir_metadata.end\n1 Q0 d01 1 2.5 mine\n1 Q0 d02 2 1.5 mine\n",
}
MATRIX = "topic,bm25,splade\n1,0.5,0.25\n2,0.125,0.75\n3,0.5,\n4,1,0\n"
LONG = "run,topic,metric,value\na,1,AP,0.5\na,2,AP,0.25\nb,1,AP,0.75\nb,2,AP,1\n"
ORDER = "a 0.5\nb 0.25\nc 0.125\n"
GROUPS = "a x\nb y\n"


Calls = tuple[tuple[str, ...], ...]
READABLE = {".json", ".jsonl", ".csv", ".txt", ".tsv"}


class Seed(NamedTuple):
    """A file, by its name and content, and what is called on it: {} is the file."""

    name: str
    content: bytes
    calls: Calls


def seeds(folder: Path) -> list[Seed]:
    """All of them; the files that go with them are written to the folder."""
    made = rankwise.simulate(topics=3, systems=3, depth=6, pool_depth=4, seed=3)
    made.write(folder / "sound")
    qrels, run = str(folder / "sound" / "qrels.txt"), str(folder / "sound" / "runs" / "system1.run")
    two = str(folder / "sound" / "runs" / "system2.run")
    for name in "ab":
        text = Path(run).read_text().replace("system1", name)
        (folder / f"{name}.run").write_text(text)
    as_run = (
        ("score", qrels, "{}", "-m", "AP", "-m", "nDCG@10"),
        ("score", qrels, "{}", two, "-m", "RBP", "--bounds", "--lenient"),
        ("score", qrels, "{}", "-m", "P@5", "--order", "rank", "--by-topic"),
        ("convert", "{}", str(folder / "out.csv"), "--kind", "run"),
        ("overview", qrels, "{}", two),
        ("explain", qrels, "{}", "-m", "AP", "--topic", "1"),
        ("pool", "{}", two, "--depth", "2"),
    )
    as_qrels = (
        ("score", "{}", run, "-m", "AP", "-m", "nDCG@10"),
        ("score", "{}", run, two, "-m", "Bpref", "--lenient", "--format", "csv"),
        ("convert", "{}", str(folder / "out.json"), "--kind", "qrels"),
        ("plan", "sample", "{}", "--keep", "0.5"),
        ("compare", "{}", run, two, "-m", "AP"),
    )
    found = [*_written(made, as_run, as_qrels), *_of_tools(as_run, as_qrels)]
    found += [Seed(name, text.encode(), (as_run[0], as_qrels[0])) for name, text in OTHERS.items()]
    found += [Seed("plain.txt", Path(run).read_bytes(), (("trec_eval", qrels, "{}"), as_run[0]))]
    matrix = (("compare", "--scores", "AP={}"), ("compare", "--scores", "{}"))
    found += [Seed(n, t.encode(), matrix) for n, t in {"m.csv": MATRIX, "long.csv": LONG}.items()]
    other = folder / "order.txt"
    other.write_text("b\nc\na\n")
    found.append(
        Seed("o.txt", ORDER.encode(), (("metrics", "correlate", "--orders", "{}", str(other)),))
    )
    by = (
        "metrics",
        "stability",
        qrels,
        str(folder / "a.run"),
        str(folder / "b.run"),
        "--by",
        "group",
    )
    found.append(Seed("g.txt", GROUPS.encode(), ((*by, "--groups", "{}", "-m", "AP"),)))
    return found


def _written(made: rankwise.Simulated, as_run: Calls, as_qrels: Calls) -> Iterator[Seed]:
    """What our own writers make of a collection."""
    with TemporaryDirectory() as folder:
        for form, writer in WRITERS.items():
            path = Path(folder) / f"{form}{SUFFIX.get(form, '.json')}"
            index = "i" if form == "elasticsearch" else None
            if writer.runs is not None:
                rankwise.write_run(made.runs[0], path, format=form, index=index)
                yield Seed(f"run-{path.name}", path.read_bytes(), as_run)
            if writer.judgments is not None:
                rankwise.write_qrels(made.qrels, path, format=form, index=index)
                yield Seed(f"qrels-{path.name}", path.read_bytes(), as_qrels)


def _of_tools(as_run: Calls, as_qrels: Calls) -> Iterator[Seed]:
    """Files that other tools wrote themselves; some are runs, some judgments, some neither."""
    for path in sorted((MADE / "made").rglob("*")):
        if path.suffix in READABLE and path.stat().st_size < 9_000:
            converted = (as_run[3], as_qrels[2], ("compare", "--scores", "{}"))
            yield Seed(path.name, path.read_bytes(), converted)


def json_of(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return None
