"""A simulated test collection that behaves like a TREC track.

Topics differ in difficulty and in the number of relevant documents. Documents have graded
relevance, and some documents look good to every system. Systems come in families that share much of
their rankings and differ in quality. Judgments come from a pool to which not every system
contributes. Unjudged documents therefore occur below the pool depth, and in runs that did not
contribute also above it.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from rankwise.errors import CallError, check_at_least
from rankwise.formats import trec_lines, write_folder
from rankwise.rankings import Qrels, Run

GRADES = np.array([0, 1, 2, 3])
SHARED_NOISE, FAMILY_NOISE, OWN_NOISE = 0.7, 0.5, 0.5


@dataclass(frozen=True)
class Simulated:
    """A simulated test collection; `truth` has the grade of every relevant document.

    `preferences` has the columns topic, winner and loser, if preferences were simulated.
    """

    qrels: Qrels
    runs: list[Run]
    truth: Qrels
    seed: int
    preferences: pl.DataFrame | None = None

    def write(self, folder: str | Path) -> None:
        """Write `runs/*.run`, `truth.txt`, `qrels.txt` and, for preferences, `preferences.csv`.

        A new folder is created atomically. An error is raised if one of these files exists with
        different content, or if `runs` contains other files.
        """
        folder = Path(folder)
        names = {f"{run.name}.run" for run in self.runs}
        there = folder / "runs"
        others = [f for f in there.iterdir() if f.name not in names] if there.is_dir() else []
        if others:
            what = f"contains other files, such as {others[0].name}. Give a new folder."
            raise CallError(f"{there}: {what}")
        contents = {f"runs/{run.name}.run": _run_lines(run) for run in self.runs}
        contents |= {"truth.txt": _qrels_lines(self.truth), "qrels.txt": _qrels_lines(self.qrels)}
        if self.preferences is not None:
            contents["preferences.csv"] = self.preferences.write_csv().encode()
        for name, content in contents.items():
            if (folder / name).is_file() and (folder / name).read_bytes() != content:
                what = f"{name} already exists with different content"
                raise CallError(f"{folder}: {what}. Give a new folder.")
        write_folder(folder, contents)


def _qrels_lines(qrels: Qrels) -> bytes:
    if qrels.subtopics is not None:
        return trec_lines(qrels.subtopics.select("topic", "subtopic", "document", "grade"))
    return trec_lines(qrels.frame.select("topic", pl.lit("0").alias("0"), "document", "grade"))


def _run_lines(run: Run) -> bytes:
    rank = pl.int_range(1, pl.len() + 1).over("topic").alias("rank")
    iteration, tag = pl.lit("Q0").alias("Q0"), pl.lit(run.name).alias("tag")
    return trec_lines(run.frame.select("topic", iteration, "document", rank, "score", tag))


def simulate(
    *,
    topics: int = 50,
    systems: int = 20,
    depth: int = 100,
    pool_depth: int = 20,
    seed: int = 1,
    subtopics: int = 0,
    preferences: int = 0,
) -> Simulated:
    """Simulate a test collection. The same arguments give the same collection.

    Each system ranks `depth` documents per topic. About three quarters of the systems contribute
    their top `pool_depth` documents to the pool, which is judged. With `subtopics` of 2 or more,
    each topic has that number of subtopics, and each relevant document is relevant to one or more
    of them. With `preferences` above 0, the collection also has preference judgments, for up to
    this number of random pairs of judged documents per topic.

    >>> made = simulate(topics=3, systems=4, depth=20, seed=7)
    >>> len(made.runs), made.runs[0].frame.height
    (4, 60)
    """
    for name, number in (("topics", topics), ("systems", systems), ("depth", depth)):
        check_at_least(name, number)
    for name, number in (("subtopics", subtopics), ("preferences", preferences)):
        check_at_least(name, number, 0)
    check_at_least("pool_depth", pool_depth)
    rng = np.random.default_rng(seed)
    documents = 5 * depth + 50
    quality = np.sort(rng.uniform(0.25, 1.4, systems))[::-1]
    family = rng.integers(0, max(1, systems // 4), systems)
    pooled = rng.random(systems) < 0.75
    pooled[0] = True
    judged, true = [], []
    lists: list[list[pl.DataFrame]] = [[] for _ in range(systems)]
    for number in range(1, topics + 1):
        grade = _grades(rng, documents)
        shown = _rank(rng, grade, quality, family)[:, :depth]
        pool = np.unique(shown[pooled, :pool_depth])
        names = pl.Series([f"T{number:03}-D{place:04}" for place in range(documents)])
        judged.append(_qrels_rows(number, names, pool, grade))
        true.append(_qrels_rows(number, names, np.flatnonzero(grade), grade))
        scores = _scores(rng, systems, depth)
        for system in range(systems):
            lists[system].append(
                pl.DataFrame(
                    {
                        "topic": pl.repeat(str(number), depth, eager=True),
                        "document": names.gather(shown[system]),
                        "score": scores[system],
                    }
                )
            )
    width = len(str(systems))
    runs = [
        Run(pl.concat(lists[place]), name=f"system{place + 1:0{width}}")
        for place in rng.permutation(systems)
    ]
    runs.sort(key=lambda run: run.name)
    qrels = [Qrels(pl.concat(judged)), Qrels(pl.concat(true))]
    if subtopics > 1:
        about = _subtopics(np.random.default_rng([seed, subtopics]), documents, topics, subtopics)
        qrels = [_by_subtopic(one, about) for one in qrels]
    simulated = Simulated(qrels[0], runs, qrels[1], seed)
    if not preferences:
        return simulated
    rng = np.random.default_rng([seed, preferences])
    return replace(simulated, preferences=_preferences(rng, pl.concat(judged), preferences))


def _preferences(rng: np.random.Generator, judged: pl.DataFrame, count: int) -> pl.DataFrame:
    """Return preferences between up to `count` random pairs of judged documents per topic.

    Relevant documents are drawn more often. The document with the higher grade wins with
    probability 0.9. If the grades are equal, each document wins with probability 0.5.
    """
    parts = []
    for rows in judged.partition_by("topic", maintain_order=True):
        grade, name = rows["grade"].to_numpy().astype(np.float64), rows["document"]
        chance = (grade + 0.2) / (grade + 0.2).sum()
        first, second = rng.choice(len(grade), (2, 4 * count), p=chance)
        keep = np.flatnonzero(first != second)[:count]
        first, second = first[keep], second[keep]
        difference = np.sign(grade[first] - grade[second])
        wins = rng.random(len(keep)) < 0.5 + 0.4 * difference
        winner, loser = np.where(wins, first, second), np.where(wins, second, first)
        columns = {"winner": name.gather(winner), "loser": name.gather(loser)}
        topic = pl.repeat(rows["topic"][0], len(keep), eager=True)
        parts.append(pl.DataFrame({"topic": topic, **columns}))
    return pl.concat(parts)


def _subtopics(rng: np.random.Generator, documents: int, topics: int, count: int) -> np.ndarray:
    """Draw the subtopics of each document, as a mask of shape (topics, documents, subtopics).

    Each document has at least one subtopic. The first subtopics are more frequent.
    """
    chance = 1 / np.arange(1, count + 1)
    about = rng.random((topics, documents, count)) < 0.3 * chance
    one = rng.choice(count, (topics, documents), p=chance / chance.sum())
    np.put_along_axis(about, one[..., None], True, axis=2)
    return about


def _by_subtopic(qrels: Qrels, about: np.ndarray) -> Qrels:
    """Return judgments by subtopic.

    A document has its grade for the subtopics that `about` selects, and grade 0 for others. `about`
    is a mask of shape (topics, documents, subtopics).
    """
    rows = qrels.frame.join(
        pl.DataFrame({"subtopic": [str(at + 1) for at in range(about.shape[2])]}), how="cross"
    )
    topic, place = rows["topic"].cast(pl.Int64), rows["document"].str.slice(-4).cast(pl.Int64)
    hit = about[topic.to_numpy() - 1, place.to_numpy(), rows["subtopic"].cast(pl.Int64) - 1]
    grade = pl.Series(np.where(hit, rows["grade"].to_numpy(), 0), dtype=pl.Int32)
    return replace(qrels, subtopics=rows.with_columns(grade.alias("grade")))


def _grades(rng: np.random.Generator, documents: int) -> np.ndarray:
    """Draw the grades of a topic's documents.

    Each document is relevant with a probability that is skewed over topics and at most 0.2. At
    least one document is relevant. Grade 3 is the rarest grade of relevant documents.
    """
    share = min(0.2, 3 / documents + rng.lognormal(-3.3, 0.8))
    relevant = rng.random(documents) < share
    relevant[rng.integers(documents)] = True  # every topic has a relevant document
    return np.where(relevant, rng.choice(GRADES[1:], documents, p=[0.55, 0.3, 0.15]), 0)


def _rank(
    rng: np.random.Generator, grade: np.ndarray, quality: np.ndarray, family: np.ndarray
) -> np.ndarray:
    """Return the ranking of each system, as document indices of shape (systems, documents).

    Documents are ranked by the root of their grade times the quality of the system, plus noise. One
    part of the noise is common to all systems, one to the systems of a family, and one is different
    for each system.
    """
    ease = rng.uniform(0.6, 1.4)
    shared = SHARED_NOISE * rng.standard_normal(len(grade))
    by_family = FAMILY_NOISE * rng.standard_normal((family.max() + 1, len(grade)))
    own = OWN_NOISE * rng.standard_normal((len(quality), len(grade)))
    appeal = ease * quality[:, None] * np.sqrt(grade) + shared + by_family[family] + own
    return np.argsort(-appeal, axis=1)


def _scores(rng: np.random.Generator, systems: int, depth: int) -> np.ndarray:
    """Return decreasing scores; every fourth system rounds its scores, which causes ties."""
    scores = -np.sort(-rng.gamma(2.0, 5.0, (systems, depth)), axis=1)
    digits = np.where(np.arange(systems) % 4 == 3, 1, 6)
    return np.where((digits == 1)[:, None], scores.round(1), scores.round(6))


def _qrels_rows(number: int, names: pl.Series, rows: np.ndarray, grade: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "topic": pl.repeat(str(number), len(rows), eager=True),
            "document": names.gather(rows),
            "grade": pl.Series(grade[rows], dtype=pl.Int32),
        }
    )
