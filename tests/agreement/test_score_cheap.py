"""`score_cheap`: cheap labels, corrected by expert ones."""

import numpy as np
import pytest

from rankwise import CallError, RankwiseError, score, score_cheap
from rankwise.agreement import plan_expert
from rankwise.stats import powered_mean, sampled_total

Nested = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]


def made(seed: int, topics: int = 60) -> tuple[Nested, Nested, Runs]:
    """Expert and cheap labels of everything, and three runs."""
    rng = np.random.default_rng(seed)
    expert, cheap = {}, {}
    runs: Runs = {name: {} for name in ("good", "fair", "poor")}
    for topic in map(str, range(topics)):
        grades = rng.choice(3, 25, p=[0.6, 0.25, 0.15])
        wrong = rng.random(25) < 0.25
        expert[topic] = {f"d{n}": int(g) for n, g in enumerate(grades)}
        cheap[topic] = {
            f"d{n}": int(rng.integers(0, 3)) if w else int(g)
            for n, (g, w) in enumerate(zip(grades, wrong, strict=True))
        }
        for run, noise in zip(runs.values(), (1.0, 1.5, 2.5), strict=True):
            run[topic] = {f"d{n}": float(g + noise * rng.normal()) for n, g in enumerate(grades)}
    return expert, cheap, runs


def some_topics(expert: Nested, count: int) -> Nested:
    return {topic: expert[topic] for topic in list(expert)[:count]}


def some_documents(expert: Nested, share: float, seed: int) -> Nested:
    rng = np.random.default_rng(seed)
    return {t: {d: g for d, g in v.items() if rng.random() < share} for t, v in expert.items()}


def test_by_topics_is_prediction_powered_inference() -> None:
    expert, cheap, runs = made(1)
    found = score_cheap(some_topics(expert, 20), runs, ["nDCG@10", "P@5"], cheap=cheap)
    assert found.by == "topics" and found.topics == (20, 60)
    y, f = (score(judged, runs, "nDCG@10").value[0] for judged in (expert, cheap))
    expected = powered_mean(y[:, :20], f[:, :20], f[:, 20:])
    rows = found.frame.filter(metric="nDCG@10")
    assert rows["value"].to_list() == pytest.approx(expected.value.tolist())
    assert rows["weight"].to_list() == pytest.approx(expected.weight.tolist())
    assert rows["expert"].to_list() == pytest.approx(y[:, :20].mean(axis=1).tolist())
    assert rows["cheap"].to_list() == pytest.approx(f.mean(axis=1).tolist())
    pair = found.pairs().filter(metric="nDCG@10").row(0, named=True)
    apart = powered_mean(
        y[:1, :20] - y[1:2, :20], f[:1, :20] - f[1:2, :20], f[:1, 20:] - f[1:2, 20:]
    )
    assert pair["difference"] == pytest.approx(apart.value[0])


@pytest.mark.parametrize("by", ["topics", "documents"])
def test_intervals_hold_the_expert_score(by: str) -> None:
    held = tried = 0
    for seed in range(6):
        expert, cheap, runs = made(seed)
        few = some_topics(expert, 20) if by == "topics" else some_documents(expert, 0.2, seed)
        found = score_cheap(few, runs, "nDCG@10", cheap=cheap, resamples=40, seed=seed)
        assert found.by == by
        truth = score(expert, runs, "nDCG@10").mean()["value"].to_numpy()
        rows = found.frame
        low, high = rows["low"].to_numpy(), rows["high"].to_numpy()
        held += int(((low <= truth) & (truth <= high)).sum())
        tried += 3
        error = np.abs(rows["value"].to_numpy() - truth).mean()
        assert error < np.abs(rows["cheap"].to_numpy() - truth).mean()
    assert tried == 18 and held >= 16


def test_by_documents_keeps_the_expert_labels() -> None:
    """With nearly all labels expert, the score is nearly that under them."""
    expert, cheap, runs = made(2)
    few = some_documents(expert, 0.97, 0)
    found = score_cheap(few, runs, "P@5", cheap=cheap, by="documents", resamples=30).frame
    truth = score(expert, runs, "P@5").mean()["value"].to_numpy()
    assert np.abs(found["value"].to_numpy() - truth).max() < 0.02
    assert (found["high"] - found["low"]).to_numpy().max() < 0.08


def test_what_does_not_hold_its_level_is_refused() -> None:
    expert, cheap, runs = made(3)
    with pytest.raises(RankwiseError, match=r"only 7 topics have a score under both.*at least 8"):
        score_cheap(some_topics(expert, 7), runs, "nDCG@10", cheap=cheap)
    with pytest.raises(RankwiseError, match=r"only 60 documents have both .* at least 100"):
        score_cheap(some_documents(expert, 0.04, 1), runs, "nDCG@10", cheap=cheap, by="documents")


def test_what_was_sampled_is_not_guessed() -> None:
    expert, cheap, runs = made(4)
    mixed = some_documents(some_topics(expert, 30), 0.5, 0)
    with pytest.raises(CallError, match=r"were sampled: use `by='topics'`"):
        score_cheap(mixed, runs, "nDCG@10", cheap=cheap)
    with pytest.raises(CallError, match="the cheap judgments add nothing"):
        score_cheap(expert, runs, "nDCG@10", cheap=cheap)
    with pytest.raises(CallError, match="no document is judged by two judges"):
        score_cheap({"x": {"y": 1}}, runs, "nDCG@10", cheap=cheap)


def test_expert_and_cheap_labels_in_the_wrong_order_are_refused() -> None:
    expert, cheap, runs = made(4)
    for part in (some_topics(expert, 20), some_documents(expert, 0.3, 0)):
        with pytest.raises(CallError, match=r"of the 1,500 documents in the qrels.* exchanged"):
            score_cheap(cheap, runs, "nDCG@10", cheap=part)
        with pytest.raises(CallError, match="exchanged"):
            plan_expert(cheap, runs, "nDCG@10", cheap=part, budget=5)
    with pytest.raises(CallError, match="the cheap judgments add nothing"):
        plan_expert(expert, runs, "nDCG@10", cheap=cheap, budget=5)


def test_grades_on_different_scales_are_said() -> None:
    expert, cheap, runs = made(4)
    tens = {t: {d: 10 * g for d, g in grades.items()} for t, grades in cheap.items()}
    part = some_topics(expert, 20)
    plain, found = (score_cheap(part, runs, "nDCG@10", cheap=one) for one in (cheap, tens))
    assert "different-scales" in [note.kind for note in found.notes]
    assert "different-scales" not in [note.kind for note in plain.notes]
    assert np.allclose(found.frame["value"], plain.frame["value"])


def test_notes_say_what_the_estimate_is_for() -> None:
    expert, cheap, runs = made(5)
    by_topics = score_cheap(some_topics(expert, 20), runs, "P@5", cheap=cheap)
    assert "random sample of all topics" in " ".join(map(str, by_topics.notes))
    assert by_topics.table().frame.height == 3 and by_topics.table(pairs=True).frame.height == 3
    part = score_cheap(some_documents(expert, 0.3, 0), runs, "P@5", cheap=cheap, resamples=20)
    assert "these topics would have" in " ".join(map(str, part.notes))
    assert score_cheap(
        some_documents(expert, 0.3, 0), runs, "P@5", cheap=cheap, resamples=20
    ).frame.equals(part.frame)


def test_labels_to_buy_matter_and_are_not_bought_yet() -> None:
    expert, cheap, runs = made(6)
    bought = some_documents(expert, 0.2, 0)
    plan = plan_expert(bought, runs, "P@5", cheap=cheap, budget=40)
    rows = plan.frame.select("topic", "document").rows()
    assert len(rows) == 40 and not any(d in bought[t] for t, d in rows)
    assert plan.frame["value"].is_sorted(descending=True) and (plan.frame["value"] > 0).all()
    tops = [
        set(sorted(run[t], key=run[t].__getitem__)[-5:]) for run in runs.values() for t, _ in rows
    ]
    by_row = [set.union(*tops[n :: len(rows)]) for n in range(len(rows))]
    assert all(d in top for (_, d), top in zip(rows, by_row, strict=True))  # P@5 sees no others


def test_a_plan_decides_more_than_chance() -> None:
    """After 300 more labels the intervals of differences are narrower than with 300 random ones."""
    expert, cheap, runs = made(7)
    bought = some_documents(expert, 0.12, 0)
    plan = plan_expert(bought, runs, "nDCG@10", cheap=cheap, budget=300)
    planned = {t: dict(grades) for t, grades in bought.items()}
    for topic, document in plan.frame.select("topic", "document").rows():
        planned[topic][document] = expert[topic][document]
    rng = np.random.default_rng(0)
    left = [(t, d) for t in expert for d in expert[t] if d not in bought[t]]
    chance = {t: dict(grades) for t, grades in bought.items()}
    for place in rng.permutation(len(left))[:300]:
        topic, document = left[place]
        chance[topic][document] = expert[topic][document]
    widths = []
    for labels in (planned, chance):
        pairs = score_cheap(labels, runs, "nDCG@10", cheap=cheap, by="documents").pairs()
        widths.append(float((pairs["high"] - pairs["low"]).to_numpy().mean()))
    assert widths[0] < 0.9 * widths[1]


def test_a_plan_needs_labels_to_learn_from() -> None:
    expert, cheap, runs = made(6)
    with pytest.raises(RankwiseError, match="at least 100"):
        plan_expert(some_documents(expert, 0.03, 0), runs, "P@5", cheap=cheap, budget=5)
    with pytest.raises(CallError, match="`budget` must be a whole number"):
        plan_expert(expert, runs, "P@5", cheap=cheap, budget=0)


def test_inclusion_probabilities_give_an_estimate_without_a_model() -> None:
    """The estimate is the total of the cheap labels, corrected by the sampled ones."""
    expert, cheap, runs = made(3)
    known = some_documents(expert, 0.3, 1)
    found = score_cheap(known, runs, "P@5", cheap=cheap, inclusion=0.3)
    assert found.by == "documents" and found.by_design
    assert "Hájek" in " ".join(map(str, found.notes))
    row = found.frame.row(0, named=True)
    top = {t: sorted(docs, key=lambda d: -docs[d])[:5] for t, docs in runs["good"].items()}
    u = [float(g > 0 and d in top[t]) / 5 / 60 for t, v in known.items() for d, g in v.items()]
    v = [float(cheap[t][d] > 0 and d in top[t]) / 5 / 60 for t in known for d in known[t]]
    total = sum(cheap[t][d] > 0 for t in cheap for d in top[t]) / 5 / 60
    expected = sampled_total(
        np.array([u]), np.array([v]), np.array([total]), np.full(len(u), 0.3), 60 * 25
    )
    assert row["run"] == "good"
    assert row["value"] == pytest.approx(expected.value[0])
    assert row["weight"] == pytest.approx(expected.weight[0])
    assert row["cheap"] == pytest.approx(score(cheap, runs, "P@5").to_dict()["good"]["P@5"])
    by_document = {t: dict.fromkeys(v, 0.3) for t, v in expert.items()}
    table = score_cheap(known, runs, "P@5", cheap=cheap, inclusion=by_document)
    assert table.frame.equals(found.frame)


@pytest.mark.slow
def test_intervals_from_inclusion_probabilities_hold_their_level() -> None:
    """Also where the documents at the top are sampled more often than the others."""
    covered, tried, off = 0.0, 0, []
    for seed in range(30):
        expert, cheap, runs = made(seed, topics=40)
        rng = np.random.default_rng(seed)
        chance = {
            t: {d: 0.5 if points > 1 else 0.15 for d, points in docs.items()}
            for t, docs in runs["good"].items()
        }
        known = {
            t: {d: g for d, g in v.items() if rng.random() < chance[t][d]}
            for t, v in expert.items()
        }
        found = score_cheap(known, runs, ["P@5", "DCG@5"], cheap=cheap, inclusion=chance)
        truth = score(expert, runs, ["P@5", "DCG@5"]).totals["value"].ravel()
        low, high, value = (found.frame[name].to_numpy() for name in ("low", "high", "value"))
        covered += float(((low <= truth) & (truth <= high)).sum())
        tried += len(truth)
        off.append(value - truth)
    assert tried == 180 and 0.88 <= covered / tried <= 1.0
    deviation = np.std(off, axis=0)
    assert (np.abs(np.mean(off, axis=0)) < 3 * deviation / np.sqrt(30)).all()  # unbiased


def test_wrong_inclusion_probabilities_are_refused() -> None:
    expert, cheap, runs = made(3)
    known = some_documents(expert, 0.3, 1)
    with pytest.raises(CallError, match=r"and not to nDCG@5"):
        score_cheap(known, runs, ["P@5", "nDCG@5"], cheap=cheap, inclusion=0.3)
    with pytest.raises(CallError, match=r"`inclusion` 0\.1 does not fit .* 150 of 1,500 documents"):
        score_cheap(known, runs, "P@5", cheap=cheap, inclusion=0.1)
    with pytest.raises(CallError, match=r"`inclusion` 1\.5"):
        score_cheap(known, runs, "P@5", cheap=cheap, inclusion=1.5)
    some = {topic: dict.fromkeys(v, 0.3) for topic, v in expert.items() if topic != "7"}
    with pytest.raises(CallError, match=r"no probability .* for 8 of the .* of topic 7"):
        score_cheap(known, runs, "P@5", cheap=cheap, inclusion=some)
    with pytest.raises(RankwiseError, match="of the documents that the expert judged contribute"):
        few = some_documents(expert, 0.005, 1)
        score_cheap(few, runs, "P@5", cheap=cheap, inclusion=0.005)


def test_a_document_of_the_expert_without_a_cheap_label_is_refused() -> None:
    expert, cheap, runs = made(8)
    known = some_documents(expert, 0.3, 1)
    topic, documents = next((topic, list(v)) for topic, v in known.items() if v)
    cheap[topic] = {d: g for d, g in cheap[topic].items() if d != documents[0]}
    with pytest.raises(CallError, match=r"no label for 1 of the [\d,]+ documents that the expert"):
        score_cheap(known, runs, "P@5", cheap=cheap, by="documents")


def test_documents_at_the_top_without_a_cheap_label_are_warned_of() -> None:
    expert, cheap, runs = made(9)
    known = some_documents(expert, 0.3, 1)
    told = score_cheap(known, runs, "P@5", cheap=cheap, resamples=5).notes
    assert not [each for each in told if each.kind == "unlabelled"]
    fewer = {
        t: {d: g for at, (d, g) in enumerate(v.items()) if d in known[t] or at % 2}
        for t, v in cheap.items()
    }
    told = score_cheap(known, runs, "P@5", cheap=fewer, resamples=5).notes
    (warning,) = (str(each) for each in told if each.kind == "unlabelled")
    assert "some of the first 10 documents of a run have no cheap judgment" in warning


def test_scores_and_intervals_stay_in_the_range_of_the_metric() -> None:
    expert, cheap, runs = made(3)
    full = {topic: dict.fromkeys(v, 2) for topic, v in expert.items()}
    cheap = {t: {d: 2 * (at % 2) for at, d in enumerate(v)} for t, v in cheap.items()}
    found = score_cheap(some_documents(full, 0.3, 1), runs, "P@5", cheap=cheap, inclusion=0.3)
    unclipped = found.estimates[0](np.eye(3), 0.05)
    assert max(unclipped["high"]) > 1.0
    assert max(found.frame["high"]) == 1.0 and max(found.frame["value"]) <= 1.0
