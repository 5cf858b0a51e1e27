"""Preference judgments: recognised, ordered, bounded, and converted to Bradley–Terry grades."""

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankwise
from rankwise import CallError, InputError
from rankwise.rankings.preferences import Preferences, bradley_terry

ROWS = [("1", "a", "b", 2), ("1", "b", "c", 1), ("1", "a", "d", 1), ("2", "x", "y", 1)]
COLUMNS = ["topic", "winner", "loser", "count"]
FRAME = pl.DataFrame(ROWS, COLUMNS, orient="row")
RUN = {"1": ["b", "a", "u"], "2": ["y", "x"]}
BOTH = "Compat,AgreedPairs"
Pair = tuple[str, str]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_form_of_preferences_gives_the_same_scores(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "p.csv")
    FRAME.write_parquet(tmp_path / "p.parquet")
    FRAME.write_ndjson(tmp_path / "p.jsonl")
    blanks = [" ".join(map(str, row)) for row in ROWS]
    forms: list[Any] = [
        *[FRAME, FRAME.to_dicts(), FRAME.to_dict(as_series=False), tmp_path / "p.csv"],
        *[tmp_path / "p.parquet", tmp_path / "p.jsonl"],
        write(tmp_path / "header.txt", [" ".join(COLUMNS), *blanks]),
        write(tmp_path / "three.txt", [" ".join(row[:3]) for row in ROWS]),
        write(tmp_path / "best.txt", [f"{t} {b} {a} {a}" for t, a, b, _ in ROWS]),
        FRAME.rename({"winner": "Chosen", "loser": "rejected", "count": "votes"}),
    ]
    expected = rankwise.score(FRAME, RUN, BOTH).value.tolist()
    for form in forms:
        assert rankwise.score(form, RUN, BOTH).value.tolist() == expected
    assert rankwise.score(FRAME, RUN, "AgreedPairs").value.flatten().tolist() == [0.75, 0.0]


def test_numbers_as_names_are_told_from_grades(tmp_path: Path) -> None:
    run = {"1": ["7002", "7001"]}
    named = write(tmp_path / "n.txt", ["1 7001 7002 7001", "1 7003 7001 7001"])
    assert rankwise.score(named, run, "AgreedPairs").value.item() == 0.5
    qrels = write(tmp_path / "q.txt", ["1 0 7001 0", "1 0 7002 0", "1 0 0 1"])
    assert rankwise.score(qrels, {"1": ["0"]}, "P@1").value.item() == 1.0
    three = write(tmp_path / "three.txt", ["1 7001 7002", "1 7001 7003"])
    columns = {"topic": "1", "winner": "2", "loser": "3"}
    qrels_of = rankwise.read_qrels(three, columns=columns)
    assert rankwise.score(qrels_of, run, "AgreedPairs").value.item() == 0.5


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["topic,winner,loser", "1,a,b", "1,c,c"], "p.csv:3: the winner is also the loser"),
        (["topic,winner,loser,count", "1,a,b,-1"], "the count is negative"),
        (["topic,winner,loser,count", "1,a,b,often"], "count 'often' is not a finite number"),
        (
            ["topic,winner,loser,document,grade", "1,a,b,c,1"],
            "has columns of preferences .* two files",
        ),
        (["topic,subtopic,winner,loser", "1,x,a,b"], "column 'subtopic'.* not supported"),
    ],
)
def test_a_bad_preference_is_an_error_that_names_the_line(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        rankwise.score(write(tmp_path / "p.csv", lines), RUN, "Compat")


def test_lines_of_another_kind_are_errors(tmp_path: Path) -> None:
    mixed = write(tmp_path / "p.txt", ["1 a b a"] * 30 + ["1 0 c 1"])
    with pytest.raises(
        InputError, match=r"p\.txt:31: the preferred document is neither of the two documents"
    ):
        rankwise.score(mixed, RUN, "Compat")
    assert rankwise.score(rankwise.read(mixed, RUN, lenient=True), metrics="Compat").value.size
    with pytest.raises(InputError, match=r"has preferences .* A run is expected here"):
        rankwise.score(FRAME, mixed, "Compat")
    with pytest.raises(InputError, match=r"has preferences .* A run is expected here"):
        rankwise.score(FRAME, FRAME, "Compat")
    with pytest.raises(CallError, match=r"AP needs a grade .* preferences"):
        rankwise.score(FRAME, RUN)


def test_equal_votes_and_cycles_are_reported() -> None:
    rows = [("1", "a", "b"), ("1", "b", "a"), ("1", "c", "d"), ("1", "d", "e"), ("1", "e", "c")]
    frame = pl.DataFrame(rows, COLUMNS[:3], orient="row")
    found = rankwise.score(frame, {"1": ["c", "d", "e"]}, BOTH)
    notes = " ".join(map(str, found.notes))
    assert "For 7 of 10 pairs of documents" in notes and "(1 tie)" in notes
    assert "3 documents are in cycles" in notes
    # All of the cycle are in the ideal, at one level; two of its three pairs are agreed.
    assert found.value.flatten().tolist() == pytest.approx([1.0, 2 / 3])


def test_a_complete_tournament_is_ordered_by_wins() -> None:
    """As Clarke, Vtyurina and Smucker do; documents without a win have level 0."""
    random, cycles = Random(3), 0
    for _ in range(30):
        names = list("abcdef")[: random.randint(2, 6)]
        pairs = [random.sample(pair, 2) for pair in combinations(names, 2)]
        frame = pl.DataFrame(pairs, ["winner", "loser"], orient="row")
        found = Preferences.of(frame.with_columns(topic=pl.lit("1"), count=pl.lit(1.0)))
        level = dict(found.documents.select("document", "grade").iter_rows())
        wins = {name: sum(pair[0] == name for pair in pairs) for name in names}
        cycles += bool(found.documents["in_cycle"].any())
        for one, other in product(names, names):
            assert (level[one] > level[other]) == (wins[one] > wins[other])
        assert all((level[name] == 0) == (wins[name] == 0) for name in names)
        assert found.pairs.height == len(pairs)
    assert cycles > 10


def test_agreed_pairs_are_those_of_trec_eval(tmp_path: Path) -> None:
    """prefs_simp, with each decided pair in a group of its own."""
    random, lines, rows = Random(5), [], []
    for topic in "12":
        order = random.sample("abcdefgh", 8)
        pairs = random.sample(list(combinations(order, 2)), 12)
        rows += [(topic, *pair) for pair in pairs]
        decided = Preferences.of(
            pl.DataFrame(pairs, ["winner", "loser"], orient="row").with_columns(
                topic=pl.lit(topic), count=pl.lit(1.0)
            )
        ).pairs
        for number, (_, winner, loser) in enumerate(decided.iter_rows()):
            lines += [f"{topic} j{number} 1 {winner} 1", f"{topic} j{number} 1 {loser} 0"]
    run = {topic: random.sample("abcdefghuv", 7) for topic in "12"}
    rankwise.write_run(run, tmp_path / "r.run")
    prefs = write(tmp_path / "prefs.txt", lines)
    ours = rankwise.score(pl.DataFrame(rows, COLUMNS[:3], orient="row"), run, "AgreedPairs").value
    theirs = _trec_eval(prefs, tmp_path / "r.run")
    assert ours.flatten().tolist() == pytest.approx(theirs, abs=5e-5)


def _trec_eval(prefs: Path, run: Path) -> list[float]:
    from click.testing import CliRunner

    from rankwise.cli.commands.trec_eval import command

    flags = ["-q", "-R", "prefs", "-m", "prefs_simp"]
    done = CliRunner().invoke(command, [*flags, str(prefs), str(run)])
    assert done.exit_code == 0, done.output
    cells = [line.split() for line in done.output.splitlines()]
    return [float(value) for name, topic, value in cells if topic in "12"]


def test_bounds_hold_however_undecided_pairs_are_decided() -> None:
    """All consistent decisions, of documents with preferences and of one without."""
    random, ways = Random(8), 0
    for _ in range(6):
        known = [p for p in combinations("abcd", 2) if random.random() < 0.6] or [("a", "b")]
        ranking = random.sample("abcdu", random.randint(2, 4))
        found = rankwise.score(_as_topics([known]), {"0": ranking}, BOTH, bounds=True)
        assert found.low is not None and found.high is not None
        judged = sorted({name for pair in known for name in pair})
        for metric, documents in ((0, [*judged, *({"u"} & set(ranking))]), (1, judged)):
            decided = [[*known, *more] for more in _decisions(documents, known)]
            decided = [each for each in decided if not _has_cycle(each)]
            runs = {str(topic): ranking for topic in range(len(decided))}
            values = rankwise.score(_as_topics(decided), runs, BOTH).value[metric, 0]
            low, high = found.low[metric].item(), found.high[metric].item()
            assert low - 1e-9 <= values.min() and values.max() <= high + 1e-9, (known, ranking)
            ways += len(decided)
    assert ways > 400


def _as_topics(topics: list[list[Pair]]) -> pl.DataFrame:
    rows = [(str(number), *pair) for number, pairs in enumerate(topics) for pair in pairs]
    return pl.DataFrame(rows, COLUMNS[:3], orient="row")


def _decisions(documents: list[str], known: list[Pair]) -> Iterator[list[Pair]]:
    """Yield all ways to decide some of the pairs that are not known."""
    open_pairs = [pair for pair in combinations(documents, 2) if pair not in known]
    for sides in product((None, 1, -1), repeat=min(len(open_pairs), 5)):
        pairs = zip(open_pairs, sides, strict=False)
        yield [pair if side > 0 else (pair[1], pair[0]) for pair, side in pairs if side]


def _has_cycle(pairs: list[Pair]) -> bool:
    left = set(pairs)
    while left:
        losers = {loser for _, loser in left}
        tops = {pair for pair in left if pair[0] not in losers}
        if not tops:
            return True
        left -= tops
    return False


def test_bradley_terry_is_the_fit_of_a_plain_iteration() -> None:
    """Hunter's MM algorithm, with half a win and half a loss against a document of strength 1."""
    random = np.random.default_rng(2)
    winner, loser = random.integers(0, 6, (2, 20))
    winner, loser = winner[winner != loser], loser[winner != loser]
    winner, loser = np.append(winner, 6), np.append(loser, 7)  # a group of its own; 6 never loses
    count = random.integers(1, 4, len(winner)).astype(np.float64)
    strength = [1.0] * 9  # the last has no comparison
    for _ in range(1500):
        for one in range(9):
            wins = 0.5 + count[winner == one].sum()
            shared = 1 / (strength[one] + 1)
            for first, second, times in zip(winner, loser, count, strict=True):
                if one in (first, second):
                    shared += times / (strength[first] + strength[second])
            strength[one] = wins / shared
    found = bradley_terry(winner, loser, count, 9)
    assert found.tolist() == pytest.approx(np.log(strength).tolist(), abs=1e-6)
    assert found[8] == 0.0 and np.isfinite(found).all()


def test_convert_writes_grades_that_follow_the_preferences(tmp_path: Path) -> None:
    target = tmp_path / "graded.qrels"
    notes = " ".join(map(str, rankwise.convert(FRAME, target)))
    assert "Bradley–Terry" in notes and "For 2 of 7 pairs of documents" in notes
    grade = {name: float(g) for _, _, name, g in map(str.split, target.read_text().splitlines())}
    assert grade["a"] > grade["b"] > grade["c"] and grade["x"] > 0.5 > grade["y"]
    assert grade["x"] + grade["y"] == pytest.approx(1)
    assert rankwise.score(target, RUN, "nDCG@10").value.min() > 0


def test_what_changes_judgments_refuses_preferences() -> None:
    with pytest.raises(CallError, match="the judgments are preferences, and grades are needed"):
        rankwise.explain(FRAME, {"1": ["a", "b"]}, "AgreedPairs", topic="1")


def test_simulated_preferences_follow_the_grades() -> None:
    made = rankwise.simulate(topics=4, systems=4, depth=20, preferences=50)
    assert made.preferences is not None and made.preferences.height >= 190
    again = rankwise.simulate(topics=4, systems=4, depth=20)
    assert again.preferences is None and again.qrels.frame.equals(made.qrels.frame)
    grades = made.qrels.frame
    winner = made.preferences.join(
        grades, left_on=["topic", "winner"], right_on=["topic", "document"]
    )
    loser = made.preferences.join(
        grades, left_on=["topic", "loser"], right_on=["topic", "document"]
    )
    assert winner["grade"].mean() > loser["grade"].mean()  # type: ignore[operator]
    with pytest.raises(CallError, match="`preferences` must be a whole number"):
        rankwise.simulate(preferences=-1)
