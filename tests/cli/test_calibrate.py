"""`rankwise plan calibrate`."""

import json
from pathlib import Path
from typing import Any


def test_rates_of_runs_and_of_their_scores(rankwise: Any) -> None:
    made = ("simulate", "-o", "made", "--topics", "12", "--systems", "4", "--seed", "1")
    assert rankwise(*made, "--depth", "30", "--pool-depth", "10").code == 0
    runs = sorted(map(str, Path("made/runs").iterdir()))
    scored = ("score", "made/qrels.txt", *runs, "-m", "AP", "--by-topic", "-o", "scores.csv")
    assert rankwise(*scored).code == 0
    few = ("--test", "t", "--test", "sign", "--experiments", "40", "--seed", "3")
    one = rankwise("plan", "calibrate", "made/qrels.txt", *runs, "-m", "AP", *few)
    other = rankwise("plan", "calibrate", "--scores", "scores.csv", *few)
    assert one.code == 0 and one.out == other.out
    lines = [line.split() for line in one.out.splitlines()]
    assert lines[0] == ["metric", "source", "test", "type_1", "power", "coverage"]
    assert [line[1:3] for line in lines[1:]] == [
        ["permuted", "t"], ["permuted", "sign"], ["simulated", "t"], ["simulated", "sign"],
    ]  # fmt: skip
    assert "40 experiments with 2 systems on 12 topics, alpha 0.05, seed 3" in one.err
    assert "\nnote: AP: " in one.err  # the recommendation
    found = rankwise("plan", "calibrate", "--scores", "scores.csv", *few, "--format", "json")
    data = json.loads(found.out)
    assert (data["experiments"], data["seed"], len(data["rows"])) == (40, 3, 4)
    drawn = rankwise("plan", "calibrate", "--scores", "scores.csv", *few, "--chart", "rates.svg")
    assert drawn.code == 0 and Path("rates.svg").read_text().startswith("<svg")


def test_a_family_needs_as_many_runs(rankwise: Any) -> None:
    Path("ap.csv").write_text("topic,a,b\n" + "".join(f"{t},0.{t},0.{9 - t}\n" for t in range(9)))
    done = rankwise("plan", "calibrate", "--scores", "AP=ap.csv", "--systems", "3")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "rankwise: the experiments need 3 runs with different AP scores; there are 2 (runs with "
        "the same scores on every topic count once). Give more runs.\n"
    )
