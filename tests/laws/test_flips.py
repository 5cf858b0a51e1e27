"""The fewest judgments that reverse a difference, against all possible changes of judgments."""

from itertools import combinations, product

import numpy as np
import pytest
from sampling import LAWS

from rankwise import CallError, agree, compare, flips, score
from rankwise.agreement import Flips

Nested = dict[str, dict[str, int]]
Runs = dict[str, dict[str, list[str]]]
EXACT = ["P@3", "RBP(p=0.7)", "DCG@3", "P(rel=2)@2"]
SEEDS = range(12 if LAWS == "all" else 6)

BOUNDED = ["nDCG@3", "nDCG", "AP", "RR", "R-precision", "ERR@3", "nDCG(dcg=exp-log2)@4", "Bpref"]
BOUNDED += ["AP(rel=2)@3", "AP(norm=min)@2", "AP(judged_only=true)"]


def small(seed: int) -> tuple[Nested, Runs]:
    """Two topics, four judged documents each (one of them retrieved by nobody), grades 0 to 2."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {"A": {}, "B": {}}  # type: ignore[var-annotated]
    for topic in "12":
        documents = [f"{topic}{name}" for name in "abcd"]
        qrels[topic] = {name: int(rng.integers(0, 3)) for name in documents}
        for run in runs.values():
            shown = [*documents[:3], f"{topic}x"]
            run[topic] = [shown[place] for place in rng.permutation(4)][: int(rng.integers(2, 5))]
    qrels["1"]["1a"] = 2
    return qrels, runs


def brute_force(qrels: Nested, runs: Runs, metric: str, *, one_step: bool, most: int) -> int | None:
    """The fewest changes that reverse the difference, up to `most`, by trying all."""
    levels = sorted({0, *(grade for grades in qrels.values() for grade in grades.values())})
    keys = [(topic, document) for topic, grades in qrels.items() for document in grades]

    def difference(judged: Nested) -> float:
        by_topic = score(judged, runs, metric).frame.pivot("run", index="topic", values="value")
        return float((by_topic["A"] - by_topic["B"]).fill_null(0).fill_nan(0).sum())

    sign = np.sign(difference(qrels))
    for count in range(1, most + 1):
        for chosen in combinations(keys, count):
            choices = []
            for topic, document in chosen:
                place = levels.index(qrels[topic][document])
                near = [levels[p] for p in (place - 1, place + 1) if 0 <= p < len(levels)]
                others = [level for level in levels if level != levels[place]]
                choices.append(near if one_step else others)
            for grades in product(*choices):
                changed = {topic: dict(judged) for topic, judged in qrels.items()}
                for (topic, document), grade in zip(chosen, grades, strict=True):
                    changed[topic][document] = grade
                if sign * difference(changed) < -1e-9:
                    return count
    return None


def lead(qrels: Nested, runs: Runs, metric: str) -> float:
    means = score(qrels, runs, metric).to_dict()
    return means["A"][metric] - means["B"][metric]


@pytest.mark.parametrize("step", ["any", "one"])
@pytest.mark.parametrize("metric", EXACT)
def test_sums_of_weights_are_exact(metric: str, step: str) -> None:
    tried = 0
    for seed in SEEDS:
        qrels, runs = small(seed)
        if abs(lead(qrels, runs, metric)) < 1e-9:
            continue
        [row] = flips(qrels, runs, metric, step=step).frame.to_dicts()
        assert row["at_least"] == row["at_most"]
        expected = brute_force(qrels, runs, metric, one_step=step == "one", most=2)
        shown = row["at_least"] if row["at_least"] is not None and row["at_least"] <= 2 else None
        assert shown == expected, seed
        tried += 1
    assert tried >= len(SEEDS) // 3


@pytest.mark.parametrize("metric", BOUNDED)
def test_bounds_hold(metric: str) -> None:
    tried = 0
    for seed in SEEDS:
        qrels, runs = small(seed)
        found = flips(qrels, runs, metric)
        [row] = found.frame.to_dicts()
        if row["better"] is None:
            continue
        tried += 1
        low = row["at_least"] or 10
        assert row["at_most"] is None or low <= row["at_most"]
        expected = brute_force(qrels, runs, metric, one_step=False, most=2)
        if expected is not None:
            assert row["at_least"] is not None and row["at_least"] <= expected, seed
        else:
            assert row["at_most"] is None or row["at_most"] > 2, seed
        check_example(found, qrels, runs, metric)
    assert tried >= len(SEEDS) // 3


def check_example(found: Flips, qrels: Nested, runs: Runs, metric: str) -> None:
    """The documents of the example, changed, do reverse the difference."""
    [row] = found.frame.to_dicts()
    if row["at_most"] is None:
        return
    documents = found.documents()
    assert documents.height == row["at_most"]
    changed = {topic: dict(grades) for topic, grades in qrels.items()}
    for topic, document, grade, other in documents.select(
        "topic", "document", "grade", "other_grade"
    ).rows():
        assert qrels[topic][document] == grade != other
        changed[topic][document] = other
    before, after = (score(judged, runs, metric) for judged in (qrels, changed))
    sums = [
        float(np.nan_to_num(scores.value[0][0]).sum() - np.nan_to_num(scores.value[0][1]).sum())
        for scores in (before, after)
    ]
    assert sums[0] * sums[1] < 0


def larger(seed: int) -> tuple[Nested, Runs]:
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {"A": {}, "B": {}, "C": {}}  # type: ignore[var-annotated]
    for topic in map(str, range(8)):
        names = [f"d{n}" for n in range(30)]
        qrels[topic] = {name: int(rng.choice([0, 0, 0, 1, 2])) for name in names[:20]}
        for place, run in enumerate(runs.values()):
            worth = {n: qrels[topic].get(n, 0) + rng.normal(0, 1 + place) for n in names}
            run[topic] = sorted(names, key=worth.__getitem__, reverse=True)
    return qrels, runs


@pytest.mark.parametrize("metric", ["nDCG@10", "AP", "P@5", "RR"])
def test_examples_of_larger_collections_reverse(metric: str) -> None:
    qrels, runs = larger(3)
    for pair in (("A", "B"), ("A", "C")):
        two = {name: runs[name] for name in pair}
        found = flips(qrels, two, metric)
        assert found.frame["at_most"][0] is not None
        check_example(found, qrels, two, metric)
        one = flips(qrels, two, metric, step="one").frame
        assert (one["at_least"][0] or 99) >= found.frame["at_least"][0]


def test_the_bounds_of_ndcg_are_close() -> None:
    qrels, runs = larger(5)
    frame = flips(qrels, runs, "nDCG@10").frame
    assert (frame["at_most"] <= 2 * frame["at_least"] + 2).all()


def average_precision(grades: tuple[int, ...], ranking: list[int], cutoff: int) -> float:
    """AP of a ranking, documents by number; those beyond the grades are unjudged."""
    found, total = 0, 0.0
    for rank, document in enumerate(ranking[:cutoff], 1):
        if document < len(grades) and grades[document]:
            found += 1
            total += found / rank
    return total / max(sum(grades), 1)


def fewest_by_enumeration(
    grades: list[tuple[int, ...]], rankings: list[tuple[list[int], list[int]]], cutoff: int
) -> int | None:
    """The fewest changed binary judgments that reverse A − B, over all judgments of all topics."""
    lowest = {0: 0.0}  # of Σ d, by number of changes
    for own, (first, second) in zip(grades, rankings, strict=True):
        of_topic: dict[int, float] = {}
        for other in product((0, 1), repeat=len(own)):
            count = sum(one != two for one, two in zip(own, other, strict=True))
            apart = average_precision(other, first, cutoff) - average_precision(
                other, second, cutoff
            )
            of_topic[count] = min(of_topic.get(count, np.inf), apart)
        sums: dict[int, float] = {}
        for before, left in lowest.items():
            for count, apart in of_topic.items():
                sums[before + count] = min(sums.get(before + count, np.inf), left + apart)
        lowest = sums
    return min((count for count, left in lowest.items() if left < -1e-9), default=None)


@pytest.mark.parametrize("cutoff", [99, 4])
@pytest.mark.parametrize("alike", [True, False])
def test_average_precision_against_all_judgments(cutoff: int, alike: bool) -> None:
    """Three topics of eight judged documents, one of them in neither run: 2^24 judgments."""
    tight = tried = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        grades, rankings = [], []
        for _ in range(3):
            grades.append(tuple(int(one) for one in rng.random(8) < 0.4))
            worth = [grades[-1][n] if n < 8 else 0 for n in range(10)]
            noise = rng.normal(0, 0.6, 10)
            first = np.argsort(-(np.array(worth) + noise))
            second = np.argsort(-(noise + rng.normal(0, 0.3 if alike else 1.5, 10)))
            shown = [[int(n) for n in one if n != 7] for one in (first, second)]
            rankings.append((shown[0], shown[1]))
        qrels = {
            str(t): {f"d{n}": one for n, one in enumerate(own)} for t, own in enumerate(grades)
        }
        runs = {
            name: {str(t): [f"d{n}" for n in both[place]] for t, both in enumerate(rankings)}
            for place, name in enumerate("AB")
        }
        metric = "AP" if cutoff == 99 else f"AP@{cutoff}"
        [row] = flips(qrels, runs, metric).frame.to_dicts()
        if row["better"] is None:
            continue
        ordered = rankings if row["better"] == "A" else [(two, one) for one, two in rankings]
        exact = fewest_by_enumeration(grades, ordered, cutoff)
        tried += 1
        if exact is None:
            assert row["at_most"] is None
            continue
        assert row["at_least"] is not None and row["at_least"] <= exact, seed
        assert row["at_most"] is None or row["at_most"] >= exact, seed
        assert row["at_least"] >= exact / 3, (seed, row, exact)
        tight += row["at_most"] == exact
        check_example(flips(qrels, runs, metric), qrels, runs, metric)
    assert tried >= 10 and tight >= 8


def test_a_sentence_that_is_easy_to_read() -> None:
    qrels, runs = larger(3)
    found = flips(qrels, {name: runs[name] for name in "AC"}, "P@10", errors=0.1)
    count = found.frame["at_least"][0]
    start = (
        f"A beats C on P@10; at least {count} of 160 judgments would have to be wrong to reverse"
    )
    assert found.sentence().startswith(start)
    assert "error rate of 10.0 %" in found.sentence()
    assert found.table().frame["wrong judgments"].to_list() == [str(count)]


def test_the_sentence_of_a_comparison_can_have_the_number() -> None:
    qrels, runs = larger(3)
    two = {name: runs[name] for name in "AC"}
    found = flips(qrels, two, ["P@10", "nDCG@10"])
    text = compare(qrels, two, ["P@10", "nDCG@10"]).sentence(flips=found)
    for metric, count in found.frame.select("metric", "at_least").rows():
        number = (
            f"At least {count} of 160 judgments would have to be wrong to reverse the difference."
        )
        assert f"{number}" in text, metric
    with pytest.raises(CallError, match="there is no result for the difference of"):
        compare(qrels, two, "RR").sentence(flips=found)


def test_the_chance_of_random_errors() -> None:
    """One topic, two documents: the difference is reversed if both labels are wrong."""
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"A": {"1": ["a", "b"]}, "B": {"1": ["b", "a"]}}
    found = flips(qrels, runs, "P@1", errors=0.3, resamples=4000)
    assert found.frame["chance"][0] == pytest.approx(0.09, abs=0.02)
    assert found.frame["at_least"][0] == 2
    assert found.error_rate == pytest.approx(0.3)


def test_errors_as_another_judge_makes_them() -> None:
    qrels, runs = larger(3)
    other = {t: {d: 0 if g == 1 else g for d, g in v.items()} for t, v in qrels.items()}
    measured = agree({"first": qrels, "second": other})
    found = flips(qrels, runs, "P@10", errors=measured, resamples=20)
    grades = [grade for judged in qrels.values() for grade in judged.values()]
    assert found.error_rate == pytest.approx(grades.count(1) / len(grades))
    assert "measured against second" in " ".join(map(str, found.notes))


def test_fractions_are_shown_as_they_were_read() -> None:
    qrels = {"1": {"a": 0.25, "b": 0.75, "c": 0.0}}
    runs = {"up": {"1": ["b", "a"]}, "down": {"1": ["a", "b"]}}
    found = flips(qrels, runs, "DCG@2")
    rows = found.documents().select("document", "grade", "other_grade").rows()
    assert rows == [("b", 0.75, 0.0)]


def test_errors_of_fractions_are_those_of_the_same_grades() -> None:
    """The judges' fractions are numbered together, those of the judgments alone."""
    qrels = {str(t): {"a": 0.25, "b": 0.75, "c": 0.0} for t in range(10)}
    other = {t: {**grades, "b": 0.25} for t, grades in qrels.items()}
    runs = {"up": {t: ["b", "a"] for t in qrels}, "down": {t: ["a", "b"] for t in qrels}}
    found = flips(qrels, runs, "DCG@2", errors=agree({"one": qrels, "other": other}))
    assert found.error_rate == pytest.approx(1 / 3)
    halves = {t: {**grades, "b": 0.5} for t, grades in qrels.items()}
    with pytest.raises(CallError, match=r"grades that do not occur in the qrels: 0\.5"):
        flips(qrels, runs, "DCG@2", errors=agree({"one": qrels, "other": halves}))


def test_unusable_documents_are_refused_where_they_are_unlike_0() -> None:
    """Bpref ignores them: with 0 in their place the difference was 0, and is 0.5."""
    qrels = {"1": {"a": 2, "b": -1, "c": -1}}
    runs = {"A": {"1": ["b", "a"]}, "B": {"1": ["c", "b"]}}
    with pytest.raises(CallError, match="Bpref, which treats negative grades"):
        flips(qrels, runs, "Bpref")
    assert flips(qrels, runs, "AP").frame["difference"][0] != 0
    assert flips({"1": {"a": 2, "b": 0, "c": 0}}, runs, "Bpref").frame.height == 1


def test_no_reversal_in_any_draw_is_not_a_probability_of_0() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(40)}
    runs = {"up": {t: ["a", "b"] for t in qrels}, "down": {t: ["b", "a"] for t in qrels}}
    found = flips(qrels, runs, "P@1", errors=0.01, resamples=50)
    assert "random errors reversed the difference in none of 50 simulations." in found.sentence()


def test_tied_and_irreversible_differences() -> None:
    qrels = {"1": {"a": 1}}
    runs = {"A": {"1": ["a", "x"]}, "B": {"1": ["x", "y"]}, "C": {"1": ["a", "z"]}}
    rows = flips(qrels, runs, "P@2").frame
    by_pair = {(row["a"], row["b"]): row for row in rows.to_dicts()}
    assert by_pair["A", "C"]["better"] is None and by_pair["A", "C"]["at_least"] is None
    assert by_pair["A", "B"]["better"] == "A" and by_pair["A", "B"]["at_least"] is None
    assert (
        "no change of the 1 judgments reverses the difference"
        in flips(qrels, runs, "P@2").sentence()
    )


def test_wrong_arguments_are_refused() -> None:
    qrels, runs = larger(1)
    with pytest.raises(CallError, match="`step` 'two' is not one of any, one"):
        flips(qrels, runs, "P@5", step="two")
    with pytest.raises(CallError, match=r"`errors` must be an error rate"):
        flips(qrels, runs, "P@5", errors=1.5)
