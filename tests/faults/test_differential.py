"""What is accepted scores as a plain reader has it; equal data in another form, equal bytes."""

import bz2
import gzip
import lzma
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import rankwise
from faults.mutators import compress, cut_short, put_bytes, put_field, shuffle_lines
from faults.plain import Refused, Rows, mean_ap, trec_rows
from rankwise.errors import RankwiseError

pytestmark = pytest.mark.slow

MUTATIONS = 600


def lines_of(made: rankwise.Simulated, folder: Path) -> tuple[bytes, bytes]:
    made.write(folder)
    return (folder / "qrels.txt").read_bytes(), (folder / "runs" / "system1.run").read_bytes()


def run_rows(text: bytes) -> Rows:
    """A run of six fields, or without a tag of five."""
    try:
        return trec_rows(text, 6, 4)
    except Refused:
        return trec_rows(text, 5, 4)


@pytest.mark.usefixtures("each_reader")
def test_accepted_text_scores_as_a_plain_reader_has_it(tmp_path: Path) -> None:
    qrels, run = lines_of(rankwise.simulate(topics=3, systems=3, depth=6, seed=9), tmp_path / "c")
    rng, accepted = random.Random(18), 0
    changes = [put_field, put_field, put_bytes, shuffle_lines, shuffle_lines, cut_short]
    whole = trec_rows(qrels, 4, 3)
    for _ in range(MUTATIONS):
        changed = run
        for _ in range(rng.choice([1, 1, 2])):
            changed = rng.choice(changes)(changed, rng)
        (tmp_path / "run").write_bytes(changed)
        try:
            found = rankwise.score(tmp_path / "c" / "qrels.txt", tmp_path / "run", ["AP"])
        except RankwiseError:
            continue
        try:
            expected = mean_ap(whole, run_rows(changed))
        except Refused as reason:
            pytest.fail(f"taken in silence: {reason}: {changed!r}: {found.notes}")
        value = float(found.pivot()["AP"][0])
        assert value == pytest.approx(expected, abs=1e-12), changed
        accepted += 1
    assert accepted > MUTATIONS / 10


@pytest.mark.usefixtures("each_reader")
def test_accepted_qrels_score_as_a_plain_reader_has_them(tmp_path: Path) -> None:
    qrels, run = lines_of(rankwise.simulate(topics=3, systems=3, depth=6, seed=9), tmp_path / "c")
    rng, accepted = random.Random(19), 0
    whole = trec_rows(run, 6, 4)
    for _ in range(MUTATIONS):
        changed = rng.choice([put_field, put_bytes, shuffle_lines])(qrels, rng)
        (tmp_path / "qrels").write_bytes(changed)
        try:
            found = rankwise.score(tmp_path / "qrels", tmp_path / "c/runs/system1.run", ["AP"])
        except RankwiseError:
            continue
        rows = trec_rows(changed, 4, 3)
        if any(not grade.is_integer() for judged in rows.values() for grade in judged.values()):
            continue  # fractions are gains, and said to be
        expected = mean_ap(rows, whole)
        value = found.pivot()["AP"][0]
        assert (value is None or math.isnan(value)) == math.isnan(expected)
        if not math.isnan(expected):
            assert value == pytest.approx(expected, abs=1e-12), changed
        accepted += 1
    assert accepted > MUTATIONS / 10


def shuffled(text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    random.Random(4).shuffle(lines)
    return b"".join(lines)


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "carriage returns": lambda text: text.replace(b"\n", b"\r\n"),
    "no last line end": lambda text: text.rstrip(b"\n"),
    "tabs": lambda text: text.replace(b" ", b"\t"),
    "more blanks": lambda text: text.replace(b" ", b" \t  "),
    "blank lines": lambda text: b"\n\n" + text.replace(b"\n", b"\n \n"),
    "a mark": lambda text: b"\xef\xbb\xbf" + text,
    "comments": lambda text: b"# x\n" + text + b"# y\n",
    "another order": shuffled,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.usefixtures("each_reader")
@pytest.mark.parametrize("form", FORMS)
def test_equal_data_in_another_form_gives_equal_bytes(form: str, tmp_path: Path) -> None:
    made = rankwise.simulate(topics=5, systems=4, depth=20, seed=2)
    qrels, run = lines_of(made, tmp_path / "c")
    (tmp_path / "q").write_bytes(FORMS[form](qrels))
    (tmp_path / "r").write_bytes(FORMS[form](run))
    metrics = ["AP", "nDCG@10", "RBP(p=0.8)", "Bpref"]
    plain = rankwise.score(tmp_path / "c/qrels.txt", tmp_path / "c/runs/system1.run", metrics)
    other = rankwise.score(tmp_path / "q", tmp_path / "r", metrics)
    assert plain.frame.write_csv() == other.frame.write_csv()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "jsonl", "json", "csv.gz"])
def test_every_format_of_ours_gives_equal_bytes(suffix: str, tmp_path: Path) -> None:
    made = rankwise.simulate(topics=5, systems=4, depth=20, seed=2)
    rankwise.write_qrels(made.qrels, tmp_path / f"q.{suffix}")
    rankwise.write_run(made.runs[0], tmp_path / f"r.{suffix}", name="system1")
    plain = rankwise.score(made.qrels, {"system1": made.runs[0]}, ["AP", "nDCG@10"])
    other = rankwise.score(
        tmp_path / f"q.{suffix}", {"system1": tmp_path / f"r.{suffix}"}, ["AP", "nDCG@10"]
    )
    assert plain.frame.write_csv() == other.frame.write_csv()


def test_compression_is_undone_or_refused(tmp_path: Path) -> None:
    _, run = lines_of(rankwise.simulate(topics=3, systems=3, depth=6, seed=9), tmp_path / "c")
    whole = rankwise.score(tmp_path / "c/qrels.txt", tmp_path / "c/runs/system1.run", ["AP"])
    rng, same = random.Random(3), 0
    for _ in range(200):
        (tmp_path / "r").write_bytes(compress(run, rng))
        try:
            found = rankwise.score(tmp_path / "c/qrels.txt", tmp_path / "r", ["AP"])
        except RankwiseError:
            continue
        assert found.value.tolist() == whole.value.tolist()
        same += 1
    assert same > 40


def test_no_order_of_lines_or_files_changes_what_is_drawn(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=6, systems=5, depth=20, seed=2)
    made.write(tmp_path / "c")
    runs = sorted((tmp_path / "c" / "runs").iterdir())
    (tmp_path / "q").write_bytes(shuffled((tmp_path / "c/qrels.txt").read_bytes()))
    order = [runs[place] for place in (3, 0, 4, 1, 2)]
    plain, other = (tmp_path / "c/qrels.txt", runs), (tmp_path / "q", order)

    def reduced(qrels: Path) -> list[tuple[object, ...]]:
        return sorted(rankwise.judging.sample_judgments(qrels, 0.5, seed=7).frame.rows())

    assert reduced(plain[0]) == reduced(other[0])
    kept = [rankwise.stability(*g, ["AP"], by="sample", at=[0.3, 0.6]) for g in (plain, other)]
    columns = [c for c in kept[0].frame.columns if c != "run"]
    assert (
        kept[0]
        .frame.select(columns)
        .sort(columns)
        .equals(kept[1].frame.select(columns).sort(columns))
    )
    for test in ("randomised-tukey", "permutation", "bootstrap"):
        results = [
            rankwise.compare(*given, ["AP"], test=test, resamples=500) for given in (plain, other)
        ]
        p = [
            {frozenset((row["a"], row["b"])): row["p"] for row in result.frame.to_dicts()}
            for result in results
        ]
        assert len(p[0]) == 10 and p[0] == p[1]
