"""Names may hold anything: in tables, messages, charts, pages and studies they are text."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from faults.calls import Run, run_named, sound
from rankwise.charts.drawing import drawn, page, rendered
from rankwise.errors import visible
from rankwise.results.tables import rendered as table_as

altair = pytest.importorskip("altair")
HOSTILE = "</script><script>alert(1)</script>"
CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF)]


def bars(name: str) -> Any:
    data = altair.Data(values=[{"run": name, "value": 1}])
    return altair.Chart(data).mark_bar().encode(x="run:N", y="value:Q")


@pytest.mark.parametrize("kind", ["svg", "png", "html", "json"])
def test_control_characters_in_names_are_drawn_as_escapes(kind: str) -> None:
    content = rendered(bars("t" + "".join(CONTROLS) + "ag"), kind)
    assert len(content) > 100
    if kind == "svg":
        assert rb"\x1b" in content and b"\x1b" not in content


def test_a_run_with_an_escape_in_its_name_can_be_compared_with_a_chart(
    run: Run, tmp_path: Path
) -> None:
    qrels, first, second = sound(tmp_path)
    done = run(
        "compare", qrels, run_named(first, "t\x1bag"), second, "-m", "AP", "--chart", "c.png"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert b"\x1b" not in done.stdout + done.stderr
    assert rb"t\x1bag" in done.stdout


def test_a_page_runs_its_own_two_scripts_and_loads_nothing() -> None:
    text = rendered(bars(HOSTILE), "html").decode()
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == text.count("<script") == text.count("</script") == 2
    assert "alert(1)" in scripts[1]  # the name is there, as text
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert f"default-src 'none'; script-src {allowed};" in policy
    assert "eval" not in policy and "http" not in policy


def test_a_script_inside_the_library_cannot_end_it() -> None:
    assert page(drawn(bars("x")), "a = '</script>'").count("</script>") == 2


@pytest.mark.parametrize("name", ["[x]", "*x", "[", "a\nb", "\x1b]0;x\x07"])
@pytest.mark.parametrize("style", ["table", "latex", "markdown", "html"])
def test_no_name_breaks_a_table_for_people(name: str, style: str) -> None:
    frame = pl.DataFrame({"run": [name, name], "value": [0.5, 0.25]})
    text = table_as(frame, style).decode()
    plain = table_as(pl.DataFrame({"run": ["x", "x"], "value": [0.5, 0.25]}), style).decode()
    assert text.count("\n") == plain.count("\n")
    assert all(character.isprintable() for character in text.replace("\n", ""))
    if style == "latex":
        assert not re.search(r"\\\\\n[\[*]", text)  # which would be an argument of \\


def test_markdown_holds_no_html() -> None:
    text = table_as(pl.DataFrame({"<i>": ["<b>x</b> & |"]}), "markdown").decode()
    assert "<" not in text and r"&lt;b&gt;x&lt;/b&gt; &amp; \|" in text


@pytest.mark.parametrize("start", list("=+-@"))
def test_formulas_are_guarded_for_spreadsheets_and_exact_in_csv(start: str) -> None:
    frame = pl.DataFrame({"run": [f"{start}1+1", "x"], "value": [-1.5, 2.0]})
    assert table_as(frame, "csv").decode() == f"run,value\n{start}1+1,-1.5\nx,2.0\n"
    assert table_as(frame, "spreadsheet").decode() == f"run,value\n'{start}1+1,-1.5\nx,2.0\n"


def test_what_prints_stays_as_it_is() -> None:
    assert visible("naïve π 😀 bm25+") == "naïve π 😀 bm25+"
    assert visible("a\x00\u202eb\n") == r"a\x00\u202eb\n"


def test_escapes_in_messages_and_notes_are_shown(run: Run, tmp_path: Path) -> None:
    qrels, *_ = sound(tmp_path)
    (tmp_path / "e.run").write_text("1 Q0 d\x1b[2J 1 x t\n")
    done = run("score", qrels, "e.run", "-m", "AP")
    assert done.returncode == 2 and b"\x1b" not in done.stderr and rb"\x1b[2J" in done.stderr
    done = run("score", qrels, "no\x1b.run")
    assert done.returncode == 2 and b"\x1b" not in done.stderr
