"""Charts, a study and a report where `ulimit -v` leaves V8 too few addresses.

A picture that was asked for and cannot be drawn is an error: one line after the table, exit code 2.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.errors import CallError
from rankwise.simulation import simulate

pytest.importorskip("vl_convert")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="addresses are limited on Linux"
    ),
]
CONSOLE = Path(sys.executable).with_name("rankwise")
LIMIT = 12_000_000  # kB


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    simulate(topics=6, systems=3, depth=20).write(tmp_path / "c")
    return tmp_path


def limited(folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    runs = sorted(str(path.relative_to(folder)) for path in (folder / "c/runs").iterdir())
    line = f'ulimit -v {LIMIT}; exec "$0" "$@"'
    given = [part for arg in args for part in (runs if arg == "RUNS" else [arg])]
    command = ["bash", "-c", line, str(CONSOLE), *given]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ)


def refused(done: "subprocess.CompletedProcess[str]", before: str = "") -> bool:
    line = done.stderr.splitlines()[-1]
    assert "native stack" not in done.stderr and "V8" not in done.stderr
    return done.returncode == 2 and line.startswith(
        f"rankwise: {before}the chart cannot be drawn in 11 GB"
    )


def test_the_table_comes_first_and_then_one_line(collection: Path) -> None:
    score = ("score", "c/qrels.txt", "RUNS", "-m", "AP")
    plain = limited(collection, *score)
    assert plain.returncode == 0 and plain.stdout
    for kind in ("svg", "png", "pdf"):
        drawn = limited(collection, *score, "--chart", f"out.{kind}")
        assert drawn.stdout == plain.stdout
        assert refused(drawn, "the table is complete, but ") and drawn.stderr.count("\n") == 1
        assert not (collection / f"out.{kind}").exists()


@pytest.mark.parametrize("name", ["out.html", "out.json"])
def test_a_chart_that_a_browser_draws_needs_no_drawing(collection: Path, name: str) -> None:
    done = limited(collection, "score", "c/qrels.txt", "RUNS", "-m", "AP", "--chart", name)
    assert done.returncode == 0 and done.stdout and (collection / name).exists()


def test_a_study_keeps_its_table(collection: Path) -> None:
    done = limited(
        collection, "study", "zhang-park-moffat-2008", "c/qrels.txt", "RUNS", "-o", "study"
    )
    assert refused(done) and (collection / "study/figure-1.csv").exists()


@pytest.mark.slow
def test_a_report_draws_nothing_itself(collection: Path) -> None:
    done = limited(collection, "report", "c/qrels.txt", "RUNS", "-m", "AP", "-o", "out.html")
    assert done.returncode == 0 and (collection / "out.html").exists()


def test_both_ways_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankwise.charts import renderer

    spec = {"data": {"values": [{"x": 1}]}, "mark": "point", "encoding": {"x": {"field": "x"}}}
    here = renderer.render("vegalite_to_svg", spec, vl_version="5.20")
    monkeypatch.setattr(renderer, "_limit_of_addresses", lambda: 1 << 40)
    assert renderer.render("vegalite_to_svg", spec, vl_version="5.20") == here
    with pytest.raises(CallError, match="1,024 GB of address space"):
        renderer.render("vegalite_to_svg", spec, vl_version="no version")


def test_a_failure_of_the_drawing_engine_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import vl_convert

    from rankwise.charts import renderer

    class Panic(BaseException):
        """As pyo3 raises it: no Exception."""

    def fail(*_arguments: object, **_keywords: object) -> str:
        raise Panic("thread panicked\nstack backtrace: 1, 2, 3")

    monkeypatch.setattr(renderer, "_limit_of_addresses", lambda: None)
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fail)
    with pytest.raises(
        CallError, match=r"vl-convert failed \(thread panicked\)\. Write FILE\.json"
    ):
        renderer.render("vegalite_to_svg", {}, vl_version="5.20")
