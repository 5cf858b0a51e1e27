"""Small random collections for hypothesis: ties, gaps, unjudged, unusable and missing topics."""

from typing import NamedTuple, TypeVar

from hypothesis import strategies as st

Number = TypeVar("Number", int, float)
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


class Small(NamedTuple):
    qrels: Qrels
    run: Run


def _documents(value: st.SearchStrategy[Number], most: int) -> st.SearchStrategy[dict[str, Number]]:
    names = st.sampled_from([f"d{place}" for place in range(16)])
    return st.dictionaries(names, value, max_size=most)


GRADES = st.sampled_from([-1, 0, 0, 0, 1, 1, 2, 3])
SCORES = st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.5, 2.0, -3.25, 1e300]) | st.floats(-10, 10)


@st.composite
def small_collections(draw: st.DrawFn) -> Small:
    topics = draw(st.lists(st.sampled_from(["1", "02", "x", "10"]), min_size=1, unique=True))
    qrels = {topic: draw(_documents(GRADES, 14).filter(len)) for topic in topics}
    has = [topic for topic in topics if draw(st.integers(0, 5))] or topics[:1]
    run = {topic: draw(_documents(SCORES, 14).filter(len)) for topic in has}
    return Small(qrels, run)


def ranking_of(small: Small, topic: str) -> list[int | None]:
    """The grades of a topic's documents by score, equal scores by name, both descending."""
    scored = small.run.get(topic, {})
    names = sorted(scored, key=lambda name: (scored[name], name), reverse=True)
    return [small.qrels[topic].get(name) for name in names]
