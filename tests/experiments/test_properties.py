"""The seven numeric properties (Moffat, AIRS 2013) and SWAP (Ahlgren and Grönqvist 2008)."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rankwise import Metric, WeightedPrecision, score, score_gains
from rankwise.errors import CallError, MetricError
from rankwise.experiments.properties import PROPERTIES, SEVEN, Case, Properties, properties
from rankwise.experiments.properties.changes import equal
from rankwise.experiments.properties.rankings import (
    Space,
    Spaces,
    at_depth,
    every_ranking,
    grade_of,
    score_space,
)
from rankwise.experiments.properties.search import search
from rankwise.experiments.properties.table import TABLE_2
from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics import parse

# Table 2 as it is printed: bounded, monotonic, convergent, top-weighted, localized,
# complete, realizable; a letter is the note that stands there.
PRINTED = """
DCG@k    N  Y  Y  Y  Y  Y  N
SP@k     N  Y  Y  Y  Y  Y  N
RPrec@k  Y  N  N  N  N  N  Y
SN-DCG@k Y  N  N  Y  Y  Nd Y
SN-AP@k  Y  N  N  Y  Y  Nd Y
Prec@k   Y  N  Y  N  Y  Y  Ne
NDCG@k   Y  N  Y  Y  N  N  Y
SDCG@k   Y  N  Y  Y  Y  Y  Ne
HIT@k    Y  Y  Nb Nb Y  Y  Y
RR@k     Y  Y  Nb Nb Yc Yc Y
Recall@k Y  Y  Y  N  N  N  Nf
AP@k     Y  Y  Y  Y  N  N  Nf
RBP@k    Y  Ya Ya Y  Ya Y  N
"""


@pytest.fixture(scope="module")
def thirteen() -> Properties:
    return properties()


@pytest.fixture(scope="module")
def catalogue() -> Properties:
    return properties("all", depth=7)


def of(metric: Metric, case: Case) -> float:
    """The score of a case, one ranking at a time, with the cutoff at its end."""
    grade = grade_of(metric)
    values = {"0": 0, "1": grade, "-": None}
    judged = [grade] * case.relevant + [0] * case.others
    vector = [values[sign] for sign in case.ranking]
    return score_gains(at_depth(metric, len(vector)), vector, judged=judged)


def test_table_2_comes_out_as_printed_91_of_91(thirteen: Properties) -> None:
    found = {
        row.name: [("Y" if row.answers[name].holds else "N") + row.mark(name) for name in SEVEN]
        for row in thirteen.rows
    }
    printed = {line.split()[0]: line.split()[1:] for line in PRINTED.strip().splitlines()}
    assert found == printed
    assert list(found) == list(printed) == list(TABLE_2)
    assert sum(len(row) for row in found.values()) == 91


def test_the_notes_of_table_2_say_what_was_found(thirteen: Properties) -> None:
    """Note e of Prec and f of AP, from scores alone; note b: equal scores, never less."""
    for k in range(1, 6):
        for total in range(1, 8):
            best = "1" * min(k, total) + "0" * (k - total)
            case = Case(best, total, 9, 0.0)
            assert (of(parse("P@1"), case) == 1) == (k <= total)
            assert (of(parse("AP"), case) == pytest.approx(1)) == (k >= total)
    for name in ("HIT@k", "RR@k"):
        row = next(row for row in thirteen.rows if row.name == name)
        for one in ("convergent", "top-weighted"):
            before, after = row.answers[one].counterexample or (None, None)
            assert before and after and before.score == after.score


def check_counterexample(metric: Metric, name: str, pair: tuple[Case, Case]) -> None:
    """That two cases are what the property speaks of, and that they break it."""
    first, second = pair
    for case in pair:
        assert of(metric, case) == pytest.approx(case.score, nan_ok=True)
    ones = [case.ranking.count("1") for case in pair]
    together = first.relevant == second.relevant and first.others == second.others
    if name == "monotonic":
        assert second.ranking[:-1] == first.ranking
        assert together and second.score < first.score
    elif name == "convergent":
        changed = [a + b for a, b in zip(first.ranking, second.ranking, strict=True) if a != b]
        assert changed == ["01"]
        assert together and ones[1] <= second.relevant and second.score <= first.score + 1e-12
    elif name in ("top-weighted", "SWAP"):
        changed = [a + b for a, b in zip(first.ranking, second.ranking, strict=True) if a != b]
        assert changed == ["01", "10"]
        assert together and second.score <= first.score + 1e-12
    elif name == "localized":
        assert first.ranking == second.ranking and not together
        assert abs(first.score - second.score) > 1e-12
    elif name == "complete":
        assert first.relevant == 0 and math.isnan(first.score)
    elif name == "realizable":
        assert first.score < second.score and min(first.relevant, second.relevant) >= 1
    else:
        assert name == "bounded" and abs(second.score) > max(1, abs(first.score))


def test_every_counterexample_is_one(thirteen: Properties, catalogue: Properties) -> None:
    checked = 0
    for row in [*thirteen.rows, *catalogue.rows]:
        for name, answer in row.answers.items():
            if answer.holds is False:
                assert answer.counterexample is not None
                check_counterexample(row.metric, name, answer.counterexample)
                checked += 1
    assert checked > 200


def test_the_papers_own_counterexamples_are_among_those_tried() -> None:
    """Section 4: 11111 → 111110, 10000 → 10001, 01000 → 01100, 10001 → 11000."""

    def tried(space: Space, after: Space, step: tuple[Ints, Ints]) -> set[tuple[str, str]]:
        width = len(space.relevant)
        return {
            (space.text(one), after.text(other))
            for one, other in {
                (int(a) // width, int(b) // width) for a, b in zip(*step, strict=True)
            }
        }

    five, six = every_ranking(5, 7), every_ranking(6, 7)
    assert ("11111", "111110") in tried(five, six, five.extended)
    inserted, lifted = tried(five, five, five.inserted), tried(five, five, five.lifted)
    assert {("10100", "10101"), ("10000", "10001"), ("01000", "01100")} <= inserted
    assert ("10001", "11001") in inserted
    assert ("10001", "11000") in lifted
    assert len(lifted) == 5 * 4 // 2 * 2**3  # two ranks, and any three others


def test_self_normalised_metrics_even_fall(thirteen: Properties) -> None:
    rows = {row.name: row for row in thirteen.rows}
    for name, printed in (("SN-DCG@k", "0.9197"), ("SN-AP@k", "0.8333")):
        remark = rows[name].answers["convergent"].remark
        assert remark == f"the score even falls: 100 → 101 (R=2 N=2): 1.0000 → {printed}"


def test_no_metric_has_all_seven(thirteen: Properties, catalogue: Properties) -> None:
    """Monotonic and convergent exclude realizable; of the three any two go together."""
    three = ("monotonic", "convergent", "realizable")
    held = {
        tuple(bool(row.answers[name].holds) for name in three)
        for row in [*thirteen.rows, *catalogue.rows]
    }
    assert (True, True, True) not in held
    assert {(True, True, False), (True, False, True), (False, True, True)} <= held
    assert not any(row.has_all_seven for row in catalogue.rows)
    six = [r.name for r in catalogue.rows if sum(bool(r.answers[n].holds) for n in SEVEN) == 6]
    assert {"RBP(p=0.8)@k", "InvSq@k"} <= set(six)


def test_the_clash_at_k_1_and_r_2(catalogue: Properties) -> None:
    """The proof: 1 ≤ 10 by monotonicity, 10 < 11 by convergence: 1, the best of its depth, is
    not the greatest score."""
    checked = 0
    for row in catalogue.rows:
        if row.answers["monotonic"].holds and row.answers["convergent"].holds:
            one, two, both = (of(row.metric, Case(text, 2, 1, 0)) for text in ("1", "10", "11"))
            assert one <= two < both, row.name
            checked += 1
    assert checked >= 10


def test_swap_of_ahlgren_and_gronqvist() -> None:
    """Propositions 1 to 3 of their appendix."""
    rows = {row.name: row.answers for row in properties(["RankEff", "AP", "bpref-10"]).rows}
    assert rows["RankEff"]["SWAP"].holds and rows["AP@k"]["SWAP"].holds
    answer = rows["Bpref(k=10)"]["SWAP"]
    assert answer.holds is False and answer.counterexample is not None
    # R = 1: the 11 + 1st non-relevant document is below the 10 + R that count.
    assert [case.ranking for case in answer.counterexample] == ["0" * 12 + "1", "0" * 11 + "10"]


# A slow literal loop for each property.


class Slow:
    """All rankings to a depth, one at a time, as the definitions read."""

    def __init__(self, metric: Metric, depth: int) -> None:
        self.metric, self.depth, self.most = metric, depth, depth + 1
        self.known: dict[tuple[str, int, int], float] = {}

    def score(self, ranking: str, relevant: int, others: int) -> float:
        """NaN also where the collection does not hold the documents."""
        key = (ranking, relevant, others)
        if key not in self.known:
            enough = ranking.count("1") <= relevant and ranking.count("0") <= others
            case = Case(*key, 0.0)
            self.known[key] = of(self.metric, case) if enough else math.nan
        return self.known[key]

    def rankings(self, depth: int, signs: str = "01") -> list[str]:
        found = [""]
        for _ in range(depth):
            found = [ranking + sign for ranking in found for sign in signs]
        return found

    def collections(self) -> list[tuple[int, int]]:
        return [(r, n) for r in range(self.most + 1) for n in range(self.most + 1)]

    def first_break(self, changes: "list[tuple[str, str]]", strictly: bool) -> tuple[str, ...]:
        for pair in self.collections():
            for before, after in changes:
                old, new = self.score(before, *pair), self.score(after, *pair)
                if math.isnan(old) or math.isnan(new):
                    continue
                same = math.isclose(old, new, rel_tol=1e-12)
                if (same and strictly) or (not same and new < old):
                    return before, after, str(pair)
        return ()

    def monotonic(self) -> tuple[str, ...]:
        for k in range(1, self.depth):
            changes = [(b, b + sign) for b in self.rankings(k) for sign in "01"]
            if found := self.first_break(changes, strictly=False):
                return found
        return ()

    def convergent(self) -> tuple[str, ...]:
        for k in range(1, self.depth + 1):
            changes = [
                (b, b[:i] + "1" + b[i + 1 :])
                for b in self.rankings(k)
                for i in range(k)
                if b[i] == "0"
            ]
            if found := self.first_break(changes, strictly=True):
                return found
        return ()

    def top_weighted(self, depth: int, signs: str = "01") -> tuple[str, ...]:
        for k in range(1, depth + 1):
            changes = [
                (b, b[:i] + "1" + b[i + 1 : j] + "0" + b[j + 1 :])
                for b in self.rankings(k, signs)
                for i in range(k)
                for j in range(i + 1, k)
                if b[i] == "0" and b[j] == "1"
            ]
            if found := self.first_break(changes, strictly=True):
                return found
        return ()

    def localized(self) -> bool:
        for k in range(1, self.depth + 1):
            for ranking in self.rankings(k):
                scores = [self.score(ranking, *pair) for pair in self.collections()]
                scores = [value for value in scores if not math.isnan(value)]
                if scores and not math.isclose(min(scores), max(scores), rel_tol=1e-12):
                    return False
        return True

    def complete(self) -> bool:
        return not any(
            math.isnan(self.score("0" * k, 0, others))
            for k in range(1, self.depth + 1)
            for others in range(k, self.most + 1)
        )

    def realizable(self) -> bool:
        best = {}
        for k in range(1, self.depth + 1):
            for pair in self.collections():
                scores = [self.score(ranking, *pair) for ranking in self.rankings(k)]
                scores = [value for value in scores if not math.isnan(value)]
                if pair[0] >= 1 and scores:
                    best[k, pair] = max(scores)
        greatest = max(best.values())
        return all(math.isclose(value, greatest, rel_tol=1e-12) for value in best.values())


SLOW_METRICS = [*TABLE_2.values(), "Bpref", "RankEff", "Accuracy", "infAP", "Rndcg", "Utility"]


@pytest.mark.parametrize("name", SLOW_METRICS)
def test_a_slow_loop_finds_the_same(name: str) -> None:
    metric, depth = parse(name), 4
    slow, found = Slow(metric, depth), search(metric, Spaces.to(depth))

    def smallest(name: str) -> tuple[str, ...]:
        pair = found[name].counterexample
        if pair is None or len(pair[0].ranking) > depth:
            return ()
        return pair[0].ranking, pair[1].ranking, str((pair[0].relevant, pair[0].others))

    assert smallest("monotonic") == slow.monotonic()
    assert smallest("convergent") == slow.convergent()
    assert smallest("top-weighted") == slow.top_weighted(depth)
    # Unjudged documents go to depth 2, where there are as few rankings as without to depth 4.
    assert smallest("SWAP") == (slow.top_weighted(2, "01-") or slow.top_weighted(depth))
    assert found["localized"].holds == slow.localized()
    assert found["complete"].holds == slow.complete()
    assert found["realizable"].holds == slow.realizable()


@pytest.mark.parametrize("name", TABLE_2.values())
def test_a_slow_loop_finds_the_same_bounds(name: str) -> None:
    """Six shapes at k = 1, 2, 4, … 4,096, by score_gains."""
    metric, grows = parse(name), False
    for shape in range(6):
        sizes = []
        for k in (2**power for power in range(13)):
            half = k // 2
            vector = [
                *[[1] * k, [0] * k, [0] * (k - 1) + [1], [1] + [0] * (k - 1)],
                *[[1 - i % 2 for i in range(k)], [0] * half + [1] * (k - half)],
            ][shape]
            sizes.append(abs(score_gains(at_depth(metric, k), vector)))
        before, step = sizes[-2] - sizes[-3], sizes[-1] - sizes[-2]
        grows |= sizes[-1] > 1 and step > 0.75 * before
    assert properties(metric, depth=2).rows[0].answers["bounded"].holds == (not grows)


def test_the_cases_are_all_there_are() -> None:
    """Σ over rankings of the collections that hold them, counted one by one."""
    for depth, most, signs in ((3, 4, "01"), (5, 6, "01"), (3, 4, "01-")):
        space = every_ranking(depth, most, unjudged="-" in signs)
        slow = Slow(parse("AP"), depth)
        texts = slow.rankings(depth, signs)
        assert [space.text(place) for place in range(len(texts))] == texts
        cases = sum((most + 1 - t.count("1")) * (most + 1 - t.count("0")) for t in texts)
        assert space.valid.sum() == cases


def test_the_swaps_are_all_there_are() -> None:
    """To depth 5, R and N to 6: swaps × collections; and from 6 to 24 one relevant, R 1 or 2."""
    slow = Slow(parse("DCG"), 5)
    texts = [text for k in range(1, 6) for text in slow.rankings(k)]
    every = sum(
        (7 - text.count("1"))
        * (7 - text.count("0"))
        * sum(text[:place].count("0") for place, sign in enumerate(text) if sign == "1")
        for text in texts
    )
    sparse = sum(2 * (k - 1) for k in range(6, 25))
    assert properties("DCG", depth=5).rows[0].answers["top-weighted"].cases == every + sparse


def test_all_rankings_at_once_score_as_one_by_one(catalogue: Properties) -> None:
    """The shared collections are topics that metrics look up: any cell is as score_gains says."""
    rng = np.random.default_rng(0)
    spaces = [every_ranking(5, 6), every_ranking(4, 5, unjudged=True)]
    for row in catalogue.rows:
        for space in spaces:
            scored = score_space(row.metric, space)
            cells = np.argwhere(space.valid)
            for ranking, collection in rng.permutation(cells)[:12]:
                case = scored.case(ranking, collection)
                assert of(row.metric, case) == pytest.approx(case.score, nan_ok=True), row.name


@pytest.mark.parametrize(
    ("setting", "plain"),
    [
        ("AP(rel=2)", "AP"),
        ("SDCG(max_rel=3)@9", "SDCG@1"),
        ("nDCG(gains={1:1,2:5,3:2})@20", "nDCG"),
        ("P(judged_only=True)@3", "P@1"),
        ("RBP(p=0.95)@7", "RBP"),
    ],
)
def test_settings_do_not_matter(setting: str, plain: str) -> None:
    """A relevant document has the best grade; a cutoff is k."""
    rows = properties([setting, plain], depth=6).rows
    answers = [[a.holds for n, a in row.answers.items() if n != "SWAP"] for row in rows]
    assert answers[0] == answers[1]


# Metrics of one's own, and the edges.


@dataclass(frozen=True, kw_only=True)
class Harmonic(WeightedPrecision):
    """Weights 1 / i: their sum grows with the logarithm of the depth."""

    def weight(self, rank: Ints) -> Floats:
        return 1 / rank


@dataclass(frozen=True, kw_only=True)
class Nothing(Metric):
    """Never has a score."""

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.full(judged.count, np.nan)


@dataclass(frozen=True, kw_only=True)
class Infinite(Metric):
    """1 / R: infinite where nothing is relevant."""

    def compute(self, judged: JudgedRankings) -> Floats:
        with np.errstate(divide="ignore"):
            return 1 / judged.judged_count(1).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Broken(Metric):
    def compute(self, judged: JudgedRankings) -> Floats:
        raise KeyError("broken")


def test_bounded_is_about_the_whole_of_depths() -> None:
    harmonic = properties(Harmonic(), depth=4).rows[0].answers["bounded"]
    assert harmonic.holds is False and harmonic.counterexample is not None
    assert [case.ranking for case in harmonic.counterexample] == ["1", "11"]
    assert harmonic.remark.startswith("8.895 at depth 4,096")  # ln 4096 + γ
    for name, range_ in (("RBP(p=0.9999)", ""), ("WRR", "from 0 to 1.333"), ("YAAP", None)):
        answer = properties(name, depth=4).rows[0].answers["bounded"]
        assert answer.holds == (range_ is not None), name
        assert not range_ or answer.remark == range_


def test_a_metric_without_scores_has_no_answers() -> None:
    answers = properties(Nothing(), depth=3).rows[0].answers
    assert {name for name, answer in answers.items() if answer.holds is None} == {*PROPERTIES} - {
        "complete"
    }
    assert answers["complete"].holds is False


def test_infinite_scores_are_scores() -> None:
    answers = properties(Infinite(), depth=3).rows[0].answers
    assert answers["bounded"].holds is False
    assert answers["complete"].holds and answers["localized"].holds is False
    assert equal(np.array([np.inf, np.inf, 1.0]), np.array([np.inf, 1.0, np.inf])).tolist() == [
        True,
        False,
        False,
    ]


def test_what_is_wrong_is_said() -> None:
    for depth in (1, 13):
        with pytest.raises(CallError, match="from 2 to 12"):
            properties("AP", depth=depth)
    with pytest.raises(CallError, match="no metric"):
        properties([])
    with pytest.raises(MetricError):
        properties("ngcd")
    with pytest.raises(MetricError, match="Broken"):
        properties(Broken(), depth=3)


def test_weights_that_vanish_are_noted() -> None:
    notes = properties("RBP(p=0.001)", depth=6).notes
    assert any("64 bits" in note for note in notes)
    assert not any("64 bits" in note for note in properties("RBP(p=0.5)", depth=6).notes)


def test_the_frame_holds_everything(thirteen: Properties) -> None:
    frame = thirteen.frame
    assert frame.height == 13 * 8
    lacking = frame.filter(~frame["holds"])
    assert lacking["first_ranking"].null_count() == 0
    assert lacking.filter(lacking["first_score"].is_null())["property"].unique().to_list() == [
        "complete"
    ]
    assert frame.filter(frame["holds"])["first_ranking"].null_count() == frame["holds"].sum()
    assert frame["cases"].min() > 0


def test_the_page_shows_what_is_found(catalogue: Properties) -> None:
    """docs/properties.md has the catalogue as `rankwise properties --all --format markdown`."""
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text(encoding="utf-8")
    missing = []
    for row in catalogue.rows:
        cells = [row.name, *("Y" if a.holds else "N" for a in row.answers.values())]
        line = "| " + " | ".join(cells) + " |"
        if line not in page:
            missing.append(line)
    assert not missing, "run `rankwise properties --all --format markdown` and put these in"


def test_on_trec_8_no_monotonic_score_falls(trec8: Path, thirteen: Properties) -> None:
    """Every eighth run, 50 topics, k = 5, 10, 20: where it says Y none falls, where N some do."""
    runs = sorted((trec8 / "runs").iterdir())[::8]
    depths = (5, 10, 20)
    metrics = [at_depth(row.metric, k) for row in thirteen.rows for k in depths]
    found = score(trec8 / "trec8.qrels.gz", runs, metrics).value
    by_metric = found.reshape(len(thirteen.rows), len(depths), -1)
    for row, values in zip(thirteen.rows, by_metric, strict=True):
        steps = np.diff(values, axis=0)
        fell = bool((steps[~np.isnan(steps)] < -1e-12).any())
        assert fell != row.answers["monotonic"].holds, row.name
