"""Wrong input is one error that says where and what; `lenient` drops it and says how much."""

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from rankwise import InputError, read_qrels, read_runs
from rankwise.errors import SHOWN_FAULTS, RankwiseError
from rankwise.wording import Count

Write = Callable[[str, str | bytes], Path]

RUN_LINES = [f"1 Q0 d{place} {place} {9 - place} t" for place in range(1, 6)]
QRELS_LINES = [f"1 0 d{place} {place % 2}" for place in range(1, 6)]


def fault_of(read: Callable[..., Any], path: Path, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert str(caught.value).count(str(path)) >= 1
    return caught.value


BAD_RUN_LINES = {
    "1 Q0 d9": "3 fields instead of 6",
    "1 Q0 d9 9 0.5": "5 fields instead of 6",
    "1 Q0 d9 9 0.5 t extra": "7 fields instead of 6",
    "1 Q0 d9 9 high t": "score 'high' is not a finite number",
    "1 Q0 d9 9 0,5 t": "score '0,5' is not a finite number",
    "1 Q0 d9 9 1_0 t": "score '1_0' is not a finite number",
    "1 Q0 d9 9 nan t": "score 'nan' is not a finite number",
    "1 Q0 d9 9 NaN t": "score 'NaN' is not a finite number",
    "1 Q0 d9 9 inf t": "score 'inf' is not a finite number",
    "1 Q0 d9 9 -Infinity t": "score '-Infinity' is not a finite number",
    "1 Q0 d9 9 1e999 t": "score '1e999' is not a finite number",
}
BAD_QRELS_LINES = {
    "1 0 d9": "3 fields instead of 4",
    "1 0 d9 1 # why": "6 fields instead of 4",
    "1 0 d9 yes": "grade 'yes' is not a finite number",
    "1 0 d9 0,5": "grade '0,5' is not a finite number",
    "1 0 d9 nan": "grade 'nan' is not a finite number",
}


@pytest.mark.parametrize("place", [0, 3, 5])
@pytest.mark.parametrize("bad", [*BAD_RUN_LINES, *BAD_QRELS_LINES])
def test_a_bad_line_is_named_with_its_number_and_text(write: Write, bad: str, place: int) -> None:
    is_run = bad in BAD_RUN_LINES
    read, lines = (read_runs, RUN_LINES) if is_run else (read_qrels, QRELS_LINES)
    path = write("file", "\n".join([*lines[:place], bad, *lines[place:]]))
    error = fault_of(read, path)
    what = (BAD_RUN_LINES | BAD_QRELS_LINES)[bad]
    assert str(error).startswith(f"{path}:{place + 1}: {what}")
    assert str(error).splitlines()[0].endswith(f": {bad}")
    assert len(error.faults) == 1


def test_a_bad_rank_matters_only_where_ranks_are_wanted(write: Write) -> None:
    path = write("run", "1 Q0 d1 one 0.5 t\n")
    error = fault_of(read_runs, path, order="rank")
    assert f"{path}:1: rank 'one' is not an integer" in str(error)


def test_line_numbers_count_blank_lines_comments_and_marks(write: Write) -> None:
    path = write("qrels", "\ufeff# grades\r\n\r\n1 0 d1 1\r\n\t\r\n1 0 d2 x\r\n")
    assert str(fault_of(read_qrels, path)).startswith(f"{path}:5: grade 'x'")


@pytest.mark.parametrize(("count", "hidden"), [(1, 0), (2, 0), (3, 1), (2500, 2498)])
def test_all_faults_are_counted_and_two_are_shown(write: Write, count: int, hidden: int) -> None:
    path = write("run", "".join(f"1 Q0 d{place} 1 x t\n" for place in range(count)))
    error = fault_of(read_runs, path)
    assert error.count == count
    assert [fault.line for fault in error.faults] == list(range(1, min(count, 10) + 1))
    lines = str(error).splitlines()
    shown = [line for line in lines if re.match(rf"{re.escape(str(path))}:\d+: ", line)]
    assert len(shown) == min(count, SHOWN_FAULTS)
    assert (f"{path}: and {Count(hidden, 'more error')}" in lines) == (hidden > 0)


def test_faults_of_every_kind_stand_in_the_order_of_lines(write: Write) -> None:
    good, short, no_text = b"1 Q0 d1 1 2 t\n", b"1 Q0\n", b"1 Q0 \xff 1 2 t\n"
    path = write("run", good + no_text + short + b"1 Q0 d2 1 nan t\n" + no_text)
    error = fault_of(read_runs, path)
    assert [(fault.line, fault.what) for fault in error.faults] == [
        (2, "not UTF-8 text"),
        (3, "2 fields instead of 6"),
        (4, "score 'nan' is not a finite number"),
        (5, "not UTF-8 text"),
    ]
    assert r"1 Q0 \xff 1 2 t" in str(error)


def test_long_and_unprintable_text_is_shown_short_and_harmless(write: Write) -> None:
    path = write("run", "1 Q0 \x1b[31m" + "x" * 1000)
    first = str(fault_of(read_runs, path)).splitlines()[0]
    assert r"\x1b[31m" in first
    assert "\x1b" not in first
    assert first.endswith("…")
    assert len(first) < len(str(path)) + 200


@pytest.mark.parametrize("blank", ["", " \t "])
def test_a_document_twice_in_a_topic_is_named_with_both_lines(write: Write, blank: str) -> None:
    run = ["1 Q0 a 1 2 t", "2 Q0 a 1 2 t", blank, "1 Q0 b 1 2 t", "1 Q0 a 2 3 t"]
    if blank == "":
        run.remove(blank)  # the fast path
    path = write("run", "\n".join(run))
    what = f"{path}:{len(run)}: duplicate document in topic 1, first at line 1: a"
    assert what in str(fault_of(read_runs, path))

    path = write("qrels", "1 0 a 1\n1 0 a 0\n2 0 a 1\n1 0 a 1\n")
    assert [fault.line for fault in fault_of(read_qrels, path).faults] == [2, 4]


DIVERSITY = ["topic,subtopic,document,grade", "51,1,a,1", "51,2,a,2", "51,2,b,0", "52,1,a,0"]
DIVERSITY_TABLES: dict[str, Callable[[list[str]], str]] = {
    "qrels": lambda rows: "\n".join(row.replace(",", " ") for row in rows[1:]),
    "messy": lambda rows: "\n".join(row.replace(",", " \t") for row in rows[1:]),
    "a.csv": "\n".join,
    "b.csv": lambda rows: "\n".join(rows).replace("subtopic", "subtopic_id"),
    "c.csv": lambda rows: "\n".join(rows).replace("subtopic", "Iteration"),
}


@pytest.mark.parametrize("name", DIVERSITY_TABLES)
def test_diversity_qrels_are_recognised(write: Write, name: str) -> None:
    path = write(name, DIVERSITY_TABLES[name](DIVERSITY))
    for qrels in (read_qrels(path), read_qrels(path, lenient=True)):
        assert qrels.frame.rows() == [("51", "a", 2), ("51", "b", 0), ("52", "a", 0)]
        assert qrels.subtopics is not None and qrels.subtopics.height == 4
        [note] = qrels.notes
        assert str(note).startswith(f"{path}: has judgments of 3 subtopics")


def test_qrels_by_subtopic_without_a_document_in_two_are_read(write: Write) -> None:
    path = write("qrels", "51 1 a 1\n51 2 b 1\n52 1 a 0\n")
    assert read_qrels(path).frame.rows() == [("51", "a", 1), ("51", "b", 1), ("52", "a", 0)]


def test_a_document_twice_in_a_subtopic_is_a_repeat(write: Write) -> None:
    path = write("qrels", "51 1 a 1\n51 2 b 1\n51 1 a 0\n")
    assert "3: duplicate document in topic 51 for subtopic 1, first at line 1: a" in str(
        fault_of(read_qrels, path)
    )


def test_a_column_of_subtopics_without_names_is_ignored() -> None:
    for column in ([None, None], [[1], [2]], ["x", "x"]):
        frame = pl.DataFrame(
            {"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0], "subtopic": column}
        )
        assert read_qrels(frame).frame.rows() == [("1", "a", 1), ("1", "b", 0)]


@pytest.mark.parametrize("name", ["file", "file.csv", "file.jsonl", "file.parquet"])
def test_an_empty_file_is_called_empty(write: Write, name: str) -> None:
    for read in (read_runs, read_qrels):
        path = write(name, "")
        assert str(fault_of(read, path)) == f"{path}: the file is empty."


@pytest.mark.parametrize("text", ["\n", " \t\r\n\n", "\ufeff", "\ufeff\n"])
def test_a_file_of_blanks_is_empty_too(write: Write, text: str) -> None:
    path = write("file", text)
    assert str(fault_of(read_qrels, path)) == f"{path}: the file is empty."


def test_qrels_of_comments_alone_hold_nothing(write: Write) -> None:
    path = write("qrels", "# one two three four five\n")
    assert "has no valid line of qrels." in str(fault_of(read_qrels, path))


def test_a_binary_file_is_called_binary(write: Write) -> None:
    for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"1 0 d\0 1\n", "1 0 d 1\n".encode("utf-16")):
        path = write("file", content)
        assert "UTF-8" in str(fault_of(read_qrels, path))
    for name in ("a.parquet", "a.arrow"):
        path = write(name, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        assert "cannot be read as" in str(fault_of(read_runs, path))


def test_a_directory_is_called_one_and_its_files_are_counted(tmp_path: Path) -> None:
    assert str(fault_of(read_runs, tmp_path)).endswith("is a directory without files. Give a file.")
    (tmp_path / "bm25.run").touch()
    assert f"for example {tmp_path}/" in str(fault_of(read_qrels, tmp_path))
    folder = tmp_path / "runs.csv"
    folder.mkdir()
    assert "is a directory without files" in str(fault_of(read_runs, folder))


def test_the_files_of_a_delta_table_are_not_taken_for_its_rows(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "part.parquet").touch()
    assert "is a Delta table, whose files still contain deleted rows" in str(
        fault_of(read_runs, tmp_path)
    )


@pytest.mark.parametrize("suffix", ["", ".csv", ".parquet", ".gz"])
def test_a_file_that_is_not_there_gets_the_nearest_name(write: Write, suffix: str) -> None:
    there = write(f"qrels{suffix}", "1 0 d 1\n")
    error = fault_of(read_qrels, there.with_name(f"qrles{suffix}"))
    assert str(error).endswith(f"no such file. Did you mean qrels{suffix}?")


def test_a_name_that_shares_only_its_ending_is_not_suggested(write: Write) -> None:
    there = write("input.tno8t2.gz", "1 0 d 1\n")
    error = fault_of(read_qrels, there.with_name("nothing.gz"))
    assert str(error).endswith("no such file.")


def test_a_file_in_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    error = fault_of(read_qrels, tmp_path / "nowhere" / "qrels")
    assert f"no such file. The folder {tmp_path}/nowhere does not exist either." in str(error)
    assert "cannot be read: File name too long" in str(fault_of(read_qrels, tmp_path / ("x" * 300)))


COMPRESS = [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]


@pytest.mark.parametrize("compress", COMPRESS)
def test_a_compressed_file_cut_anywhere_is_damaged(
    write: Write, compress: Callable[[bytes], bytes]
) -> None:
    text = "".join(f"1 Q0 d{place * 7919 % 104729} {place} {-place} t\n" for place in range(20000))
    whole = compress(text.encode())
    for end in (8, 30, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        path = write("run", whole[:end])
        what = f"{path}: is compressed, but damaged or truncated"
        assert str(fault_of(read_runs, path)).startswith(what)


@pytest.mark.parametrize("compress", COMPRESS)
def test_compressed_bytes_that_are_no_text_are_refused(
    write: Write, compress: Callable[[bytes], bytes]
) -> None:
    assert fault_of(read_runs, write("run", compress(b"1 Q0 \xe9 1 2 t\n")))
    assert fault_of(read_runs, write("run", compress(b"1 Q0 \0 1 2 t\n")))
    assert str(fault_of(read_runs, write("run", compress(b"")))).endswith("is empty.")


@pytest.mark.parametrize(
    ("name", "lines", "where"),
    [
        ("a.csv", ["topic,document,score", "1,a,2", "1,b", "", "1,c,x"], [3, 5]),
        ("a.csv", ["topic,document,score", "1,a,2", "1,b,nan", "1,,1", ",c,1"], [3, 4, 5]),
        ("a.csv", ["topic,document,score", "1,a,2", "1,b,3,4"], [3]),
        ("a.tsv", ["topic\tdocument\tscore", "1\ta\tinf"], [2]),
        ("a.csv", ["topic,document,score", "1,a,2", "1,b,1", "1,a,1"], [4]),
        ("a.csv", ["run,topic,document,score", "x,1,a,2", "y,1,a,1", "y,1,a,1"], [4]),
        ("a.jsonl", ['{"qid": 1, "docid": "a", "score": 1}', '{"qid": 1}'], [2]),
        ("a.jsonl", ['{"qid": 1, "docid": "a", "score": 1}', '{"qid": 1, "doc'], [2]),
        ("a.jsonl", ['{"qid": 1, "docid": "a", "score": NaN}', "[1, 2]", "3"], [1, 2, 3]),
    ],
)
def test_faults_of_text_tables_have_line_numbers(
    write: Write, name: str, lines: list[str], where: list[int]
) -> None:
    error = fault_of(read_runs, write(name, "\n".join(lines)))
    assert [fault.line for fault in error.faults] == where


def test_a_csv_that_is_not_utf8_names_the_line(write: Write) -> None:
    error = fault_of(read_runs, write("a.csv", b"topic,document,score\n1,a,1\n1,\xff,2\n"))
    assert [(fault.line, fault.what) for fault in error.faults] == [(3, "not UTF-8 text")]


def test_files_given_the_other_way_round_are_guessed(write: Write) -> None:
    run, qrels = write("run", "\n".join(RUN_LINES)), write("qrels", "\n".join(QRELS_LINES))
    for error in (fault_of(read_qrels, run), fault_of(read_runs, qrels)):
        assert "Give the qrels first, then the runs." in str(error).splitlines()[0]
    cut = write("cut", "# topic zero document grade more words\n1 0 d1 1\n1 0 d2\n")
    assert "the other way round" not in str(fault_of(read_qrels, cut))


@pytest.mark.parametrize(
    "first", ["1 Q0 a 1 2 t\n", "topic Q0 document rank score tag\n", "a b c d e\n"]
)
def test_lenient_drops_bad_lines_and_keeps_the_best_of_repeats(write: Write, first: str) -> None:
    text = (
        first + "1 Q0 a 1 3 t\n1 Q0 b 1 x t\n1 Q0 c 1 nan t\n1 Q0 a 1 1 t\n1 Q0 c\n1 Q0 c 1 1 t\n"
    )
    path = write("run", text)
    [run] = read_runs(path, lenient=True)
    assert run.frame.rows() == [("1", "a", 3.0), ("1", "c", 1.0)]
    assert run.name == "t"
    bad, repeats = (3, 2) if first.startswith("1") else (4, 1)
    kinds = [(note.kind, note.count, note.source) for note in run.notes]
    assert kinds == [("malformed-lines", bad, str(path)), ("duplicates", repeats, str(path))]


def test_lenient_qrels_keep_the_highest_grade(write: Write) -> None:
    path = write("qrels", "1 0 a 1\n1 0 a 3\n1 0 b x\n1 0 a 2\n")
    qrels = read_qrels(path, lenient=True)
    assert qrels.frame.rows() == [("1", "a", 3)]
    assert len(qrels.notes) == 2
    assert "skipped 1 malformed line" in str(qrels.notes[0])
    said = (
        "skipped 2 duplicate documents; of each document, only the row with the highest grade is "
        "kept"
    )
    assert said in str(qrels.notes[1])


def test_lenient_tables_drop_bad_rows_and_say_so_once(write: Write) -> None:
    path = write("a.csv", "run,topic,document,score\nx,1,a,2\ny,1,a,1\ny,1,b,\nx,1,c,nan\n")
    runs = read_runs(path, lenient=True)
    assert [run.frame.rows() for run in runs] == [[("1", "a", 2.0)], [("1", "a", 1.0)]]
    assert [note for run in runs for note in map(str, run.notes)] == [
        f"{path}: skipped 2 malformed lines"
    ]


def test_lenient_does_not_make_a_run_of_nothing(write: Write) -> None:
    path = write("run", "nothing\nat all\n")
    assert "has no valid line of a run (2 skipped)." in str(fault_of(read_runs, path, lenient=True))
    path = write("a.csv", "topic,document,grade\n1,a,x\n")
    assert "has no valid row" in str(fault_of(read_qrels, path, lenient=True))


def test_what_is_wrong_with_the_input_is_an_error_of_ours() -> None:
    assert issubclass(InputError, RankwiseError)


def test_csv_that_is_not_told_by_its_name_or_header_gets_a_hint(tmp_path: Path) -> None:
    hints = {"txt": "CSV file needs the suffix .csv and", "csv": "first line of a CSV file must"}
    for suffix, hint in hints.items():
        name = f"qrels.{suffix}"
        (tmp_path / name).write_text("1,a,yes\n1,b,no\n")
        with pytest.raises(InputError, match=hint + r".* such as topic,document,grade\."):
            read_qrels(tmp_path / name)


def test_a_grade_that_is_too_large_is_refused_with_its_document(write: Write) -> None:
    error = fault_of(read_qrels, write("qrels", "1 0 a 1\n1 0 d9 3000000000\n"))
    assert "grade 3,000,000,000 of document d9 in topic 1 is out of range" in str(error)


def test_a_duplicate_of_a_response_is_named_by_its_hit(tmp_path: Path) -> None:
    hits = [
        {"hit": {"_index": "i", "_id": name, "_score": 3 - at}, "rating": 1}
        for at, name in enumerate("aba")
    ]
    details = {"1": {"metric_score": 0.5, "unrated_docs": [], "hits": hits}}
    path = tmp_path / "response.json"
    path.write_text(json.dumps({"metric_score": 0.5, "details": details, "failures": {}}))
    found = str(fault_of(read_runs, path))
    assert found.startswith(f"{path}: hit 3: duplicate document in topic 1, first at hit 1: a")
    judged = str(fault_of(read_qrels, path))
    assert judged.startswith(
        f"{path}: rating 3: duplicate document in topic 1, first at rating 1: a"
    )
