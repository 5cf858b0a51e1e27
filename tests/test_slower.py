"""`benchmarks/slower.py`: a side that got slower is found, a machine that got slower is not."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))
import slower

SIDES = [f"rankwise {number}" for number in range(6)]


def timings(seed: int, *, slow: str = "", factor: float = 1.0, machine: float = 1.0) -> list[Any]:
    """Eight turns of a race with noise of a tenth; the machine has its own, the same for all."""
    chance = random.Random(seed)
    repeats = []
    for turn in range(8):
        speed = machine * chance.lognormvariate(0, 0.5)
        for side in [*SIDES, "peer"]:
            own = factor if side == slow else 1.0
            seconds = speed * own * chance.lognormvariate(0, 0.1)
            place = {"part": "p", "race": "", "side": side, "turn": turn, "ours": side != "peer"}
            repeats.append({**place, "seconds": seconds, "megabytes": 100 + chance.random()})
    return repeats


def worse(base: list[Any], now: list[Any]) -> set[tuple[str, str]]:
    found = slower.changes(base, now)
    assert len(found) == 2 * len(SIDES)
    return {change.key[2:] for change in found if change.p <= slower.ALPHA}


def test_a_side_that_got_slower_is_found() -> None:
    assert worse(timings(1), timings(2, slow="rankwise 3", factor=1.5)) == {
        ("rankwise 3", "seconds")
    }


def test_a_slower_machine_is_no_slower_side() -> None:
    assert not worse(timings(1), timings(2, machine=5))


def test_noise_alone_is_seldom_taken_for_a_change() -> None:
    """At most one comparison in twenty: 40 of them, of which more than 6 would be chance 0.004."""
    false = sum(bool(worse(timings(2 * seed), timings(2 * seed + 1))) for seed in range(40))
    assert false <= 6


def test_more_memory_is_found() -> None:
    now = timings(2)
    for repeat in now:
        if repeat["side"] == "rankwise 0":
            repeat["megabytes"] += 5
    assert worse(timings(1), now) == {("rankwise 0", "megabytes")}


@pytest.mark.parametrize(("turns", "said"), [(8, ""), (2, "too few repeats")])
def test_too_few_repeats_are_told(turns: int, said: str) -> None:
    few = [repeat for repeat in timings(1) if repeat["turn"] < turns]
    assert slower.too_few(few, few).startswith(said)
    assert bool(slower.too_few(few, few)) == bool(said)


def test_runs_without_a_side_in_common_are_told() -> None:
    assert "no side in common" in slower.too_few(timings(1), [])
