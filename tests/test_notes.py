"""Notes and remedies are values: they merge by their numbers, and become sentences at the edge."""

import json
import pickle
from typing import Any

import click
import pytest
from hypothesis import given, strategies as st

from rankwise.cli.flags import Flags
from rankwise.errors import CallError, Fault, Faults, InputError, unpacked_error
from rankwise.notes import Note, add_counts, below_table, group_runs, note, warning
from rankwise.wording import Argument, Count, Remedy, said

LENIENT = Remedy(Argument("lenient", True), "skip malformed lines")
WORDS = st.text(max_size=8)  # also braces, colons and what reads like a count
PARTS = st.one_of(
    WORDS,
    st.builds(Count, st.integers(0, 10**6), WORDS),
    st.builds(Argument, WORDS, st.one_of(st.none(), st.booleans(), st.integers(), WORDS)),
)
NOTES = st.builds(
    Note,
    kind=WORDS,
    text=st.lists(PARTS, max_size=4).map(tuple),
    severity=st.sampled_from(["note", "warning", "detail"]),
    runs=st.lists(WORDS, max_size=3).map(tuple),
    source=WORDS,
    metric=WORDS,
    remedy=st.one_of(st.none(), st.just(LENIENT)),
)


def skipped(number: int, source: str = "", run: str = "") -> Note:
    return note("malformed", "skipped ", Count(number, "line"), source=source, run=run)


def test_a_sentence_names_what_it_concerns_and_what_to_do() -> None:
    found = note("malformed", "has ", Count(1, "bad line"), source="a.run", remedy=LENIENT)
    assert str(found) == "a.run: has 1 bad line. Use `lenient=True` to skip malformed lines."
    assert (found.count, found.severity) == (1, "note")
    assert str(warning("tied", "all scores are equal", run="a")) == "a: all scores are equal"
    assert repr(skipped(2)) == "<note: skipped 2 lines>"


def test_counts_of_pieces_are_added_and_others_stay() -> None:
    pieces = [skipped(2, "a"), skipped(1, "b"), skipped(1000, "a"), note("x", "1 line")]
    assert add_counts([*pieces, *pieces[-1:]]) == (skipped(1002, "a"), skipped(1, "b"), pieces[3])
    assert str(add_counts(pieces)[0]) == "a: skipped 1,002 lines"


@given(st.lists(NOTES, max_size=6), st.integers(0, 6))
def test_adding_is_associative_and_loses_no_count(notes: list[Note], cut: int) -> None:
    whole = add_counts(notes)
    assert add_counts([*add_counts(notes[:cut]), *add_counts(notes[cut:])]) == whole
    total = sum(each.count or 0 for each in notes)
    assert sum(each.count or 0 for each in whole) == total


def test_what_is_said_of_several_runs_is_said_once() -> None:
    notes = [
        skipped(5, run="a"),
        note("x", "all is well"),
        skipped(5, run="b: c"),
        skipped(6, run="d"),
    ]
    found = group_runs(notes)
    assert [each.runs for each in found] == [("a", "b: c"), (), ("d",)]
    assert list(map(str, found)) == [
        "each of 2 runs (a, b: c): skipped 5 lines",
        "all is well",
        "d: skipped 6 lines",
    ]


@given(NOTES)
def test_a_note_survives_json_and_pickling(found: Note) -> None:
    assert Note.unpacked(json.loads(json.dumps(found.packed()))) == found
    assert pickle.loads(pickle.dumps(found)) == found
    assert str(found) == found.data()["text"]


@pytest.mark.parametrize(
    "error",
    [
        CallError("give ", Argument("by"), " or nothing.", source="-m AP", remedy=LENIENT),
        InputError("a.run", "A line has 6 fields.", [Fault(7, "5 fields", "1 Q0", ", as before")]),
        InputError("a", ("see ", Argument("x", 2)), Faults((), 0), remedy=LENIENT, hint="h"),
    ],
)  # fmt: skip
def test_an_error_survives_json_and_pickling(error: Any) -> None:
    for same in (
        unpacked_error(json.loads(json.dumps(error.packed()))),
        pickle.loads(pickle.dumps(error)),
    ):
        assert type(same) is type(error) and str(same) == str(error)
        assert (same.source, same.text, same.remedy) == (error.source, error.text, error.remedy)


def test_an_input_error_says_where() -> None:
    error = InputError(
        "a.run", "A line has 6 fields.", [Fault(7, "5 fields", "1 Q0")], remedy=LENIENT
    )
    assert (error.source, error.line, error.reason) == ("a.run", 7, "A line has 6 fields.")
    assert str(error).splitlines() == [
        "a.run:7: 5 fields: 1 Q0",
        "A line has 6 fields. Use `lenient=True` to skip malformed lines.",
    ]
    assert "lenient" not in str(error.without_remedy())
    assert InputError("a.run", "has no rows.").line is None


@click.command()
@click.option("--lenient", is_flag=True)
@click.option("--bounds/--no-bounds", default=True)
@click.option("-m", "--metric", "metrics", multiple=True)
@click.option("--mean", type=click.Choice(["arithmetic", "geometric"]))
@click.option("--topics", type=click.IntRange(1))
@click.option("--max-size")
def command() -> None:
    """A command with some options."""


@pytest.mark.parametrize(
    ("argument", "name", "use"),
    [
        (Argument("lenient", True), "--lenient", "Use --lenient"),
        (Argument("lenient", False), "`lenient=False`", "Leave out --lenient"),
        (Argument("bounds", False), "--no-bounds", "Use --no-bounds"),
        (Argument("metrics", "AP"), "--metric AP", "Use --metric AP"),
        (Argument("mean", "geometric"), "--mean geometric", "Use --mean geometric"),
        (Argument("mean", "harmonic"), "`mean='harmonic'`", None),  # no value of this option
        (Argument("topics", "all"), "`topics='all'`", None),  # another option of that name
        (Argument("depth"), "`depth`", None),
        (Argument("max_size", "20G", "SIZE=20G"), "--max-size 20G", "Use --max-size 20G"),
        (Argument("max_size", "a b"), "--max-size 'a b'", "Use --max-size 'a b'"),
        (Argument("holes", 4, "f(4)", "plan Q"), "`f(4)`", "Use `rankwise plan Q --holes 4`"),
    ],
)  # fmt: skip
def test_a_command_speaks_of_its_own_options(
    argument: Argument, name: str, use: str | None
) -> None:
    flags = Flags(command)
    assert (flags.name(argument), flags.use(argument)) == (name, use)
    told = said(["It is wrong."], Remedy(argument, "mend it"), flags)
    assert told == ("It is wrong." if use is None else f"It is wrong. {use} to mend it.")


def test_json_has_a_remedy_only_where_it_can_be_used() -> None:
    found = note("x", "It is so", remedy=LENIENT)
    remedy = {"argument": "lenient", "value": True}
    assert found.data(Flags(command))["remedy"] == remedy
    assert found.data(Flags(click.Command("bare")))["remedy"] is None
    assert found.data(Flags(click.Command("bare")))["text"] == "It is so"


@given(st.lists(NOTES, max_size=12))
def test_below_a_table_are_the_warnings_and_two_notes(notes: list[Note]) -> None:
    shown, remaining = below_table(notes)
    assert len(shown) + len(remaining) == len(set(notes)) and {*shown, *remaining} == set(notes)
    order = [("warning", "note", "detail").index(each.severity) for each in shown]
    assert order == sorted(order) and sum(place > 0 for place in order) <= 2
    if any(each.severity == "note" for each in remaining):
        assert all(each.severity != "detail" for each in shown)
