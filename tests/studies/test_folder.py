"""What a study leaves behind, and how it goes on after a stop."""

import json
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise.studies
from rankwise.charts.drawing import rendered
from rankwise.charts.sizes import sized_specification
from rankwise.errors import CallError
from rankwise.studies import PAPERS, paper_named, study
from rankwise.studies.material import Material
from rankwise.studies.page import page
from rankwise.studies.paper import Figure, Paper, Part, Table, TooLittleFor

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
RUNS: dict[str, dict[str, Any]] = {
    "x": {"1": {"a": 2, "b": 1, "d": 0.5}, "2": {"a": 2, "c": 1}},
    "y": {"1": {"d": 2, "a": 1}, "2": {"c": 2, "d": 1}},
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> str:
    """A paper with a table and a figure, quickly made."""
    paper = Paper("small", "Someone: <Title>. 2000.", "About it.", parameters={"depth": 2})

    @paper.part("Table I", section="1 Means")
    def means(data: Material) -> pl.DataFrame:
        """Mean scores of runs & topics."""
        return data.scores("AP", "RR").pivot()

    @paper.part("Figure 1", section="1 Means")
    def bars(data: Material) -> Figure:
        """The same, drawn."""
        import altair as alt

        frame = data.scores("AP", "RR").pivot()
        rows = alt.Data(values=frame.to_dicts())  # type: ignore[no-untyped-call]
        chart = alt.Chart(rows).mark_bar()
        return Figure(frame, chart.encode(x="run:N", y="AP:Q"))

    monkeypatch.setattr(
        "rankwise.studies.reproduction.paper_named", lambda name: paper if name == "small" else None
    )
    return "small"


def test_every_part_has_its_files_and_its_place_on_the_page(small: str, tmp_path: Path) -> None:
    left = study(small, QRELS, RUNS, tmp_path / "deep" / "out")
    there = {file.name for file in left.path.iterdir()}
    figure = {f"figure-1.{kind}" for kind in ("svg", "dark.svg", "png", "pdf", "json", "csv")}
    assert there == {"table-i.csv", "table-i.tex", *figure, "index.html", "study.json"}
    assert left.record["finished"] == ["table-i", "figure-1"]
    page = (left.path / "index.html").read_text()
    for part in left.paper.parts:
        assert f'id="{part.name}"' in page and escape(part.caption) in page
    outside = [part for part in page.split('"') if part.startswith(("http:", "https:", "//"))]
    assert outside == [], "the page opens without a network"
    assert left.table("table-i").rows() == [("x", 0.75, 0.75), ("y", 0.75, 0.75)]
    tex = (left.path / "table-i.tex").read_text()
    assert "\\caption{Mean scores of runs \\& topics." in tex and "\\label{tab:table-i}" in tex


def test_a_stopped_study_goes_on_where_it_was(small: str, tmp_path: Path) -> None:
    def stop(_part: Part, _made: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(small, QRELS, RUNS, tmp_path, on_part=stop)
    record = json.loads((tmp_path / "study.json").read_text())
    assert record["finished"] == ["table-i"]
    made = {}
    study(small, QRELS, RUNS, tmp_path, on_part=lambda part, one: made.update({part.name: one}))
    assert made["table-i"] is None and isinstance(made["figure-1"], Figure)
    assert (tmp_path / "index.html").exists()


@pytest.mark.parametrize("lost", ["table-i.csv", "table-i.tex", "figure-1.svg", "figure-1.json"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_part_of_which_a_file_is_lost_is_made_again(
    small: str, tmp_path: Path, lost: str, gone: bool
) -> None:
    study(small, QRELS, RUNS, tmp_path)
    (tmp_path / lost).unlink() if gone else (tmp_path / lost).write_bytes(b"")
    made = []
    left = study(small, QRELS, RUNS, tmp_path, on_part=lambda part, one: made.append((part, one)))
    assert [part.name for part, one in made if one is not None] == [lost.partition(".")[0]]
    assert (tmp_path / lost).stat().st_size > 0 and len(left.record["finished"]) == 2


def test_a_part_names_the_tables_that_it_stands_for() -> None:
    parts = {part.name: part for part in paper_named("ahlgren-gronqvist-2007").parts}
    assert parts["table-5"].heading == "Table 5 (6, 7)"
    assert parts["table-5"].caption.endswith(
        "Tables 6 and 7 of the paper show the same for other collections."
    )


def test_a_stop_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import click

    from rankwise.cli.commands.study import command

    def stop(*_given: Any, **_named: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rankwise.studies, "study", stop)
    with pytest.raises(click.Abort):
        command.main(["moffat-2013", "-o", str(tmp_path)], standalone_mode=False)
    assert "note: stopped; run the same command to continue" in capsys.readouterr().err


def test_another_study_in_the_folder_is_refused(small: str, tmp_path: Path) -> None:
    study(small, QRELS, RUNS, tmp_path)
    with pytest.raises(CallError, match=r"other seed. Give another folder\. Use `again=True`"):
        study(small, QRELS, RUNS, tmp_path, seed=1)
    assert study(small, QRELS, RUNS, tmp_path, seed=1, again=True).record["seed"] == 1


def test_input_files_are_known_by_their_checksums(small: str, tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("1 Q0 a 1 0.5 a\n")
    left = study(small, QRELS, [run], tmp_path / "out")
    assert list(left.record["inputs"]) == [str(run)]
    run.write_text("1 Q0 a 1 0.6 a\n")
    with pytest.raises(CallError, match="other inputs"):
        study(small, QRELS, [run], tmp_path / "out")


@pytest.mark.parametrize("text", ["[1]", '{"finished": 3}'])
def test_a_folder_with_another_file_of_that_name_is_refused(
    small: str, tmp_path: Path, text: str
) -> None:
    (tmp_path / "study.json").write_text(text)
    with pytest.raises(CallError, match="is not a record of a study"):
        study(small, QRELS, RUNS, tmp_path)


def test_parameters_are_checked() -> None:
    paper = Paper("p", "", "", parameters={"resamples": 1000, "share": 0.5})
    assert paper.with_defaults({"share": "0.25"}) == {"resamples": 1000, "share": 0.25}
    with pytest.raises(CallError, match="resamples must be a whole number"):
        paper.with_defaults({"resamples": "many"})
    with pytest.raises(CallError, match=r"no parameter 'resample'\. Did you mean resamples"):
        paper.with_defaults({"resample": 10})


def test_an_unknown_study_gets_the_nearest() -> None:
    with pytest.raises(CallError, match="Did you mean sakai-2007"):
        paper_named("sakai2007")


def test_runs_are_asked_for(small: str, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="needs judgments and runs"):
        study(small, None, (), tmp_path)


SMALL: dict[str, tuple[dict[str, dict[str, int]], dict[str, Any]]] = {
    "two runs, two topics": (QRELS, RUNS),
    "one topic": ({"1": QRELS["1"]}, {name: {"1": run["1"]} for name, run in RUNS.items()}),
    "one run": (QRELS, {"x": RUNS["x"]}),
    "one run, one topic, one document": ({"1": {"a": 1}}, {"x": {"1": {"a": 1}}}),
    "nothing relevant": ({"1": {"a": 0}, "2": {"b": 0}}, RUNS),
    "nothing found": ({"1": {"z": 1, "q": 0}, "2": {"z": 1}}, RUNS),
    "five grades": ({"1": {"a": 5, "b": 0, "d": 2}, "2": {"a": 1, "c": 3}}, RUNS),
}
QUICK: dict[str, dict[str, str | int | float]] = {
    "moffat-2013": {"depth": 3},
    "sakai-2007": {"resamples": 20},
    "ahlgren-gronqvist-2007": {"splits": 5, "repeats": 1},
}


def _drawn_once(chart: Any, kind: str, *, dark: bool = False, names: Any) -> bytes:
    return rendered(chart, kind, names=names) if kind == "svg" and not dark else b"<svg/>"


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", SMALL)
def test_every_study_runs_on_small_data_without_options(
    paper: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What needs more runs or topics is left out, and said so; all else is there."""
    qrels, runs = SMALL[name]
    if name != "two runs, two topics":  # to fit a chart to its width takes most of the time
        as_drawn = lambda chart, _: sized_specification(chart, None)  # noqa: E731
        monkeypatch.setattr("rankwise.studies.folder.sized_specification", as_drawn)
        monkeypatch.setattr("rankwise.studies.folder.rendered", _drawn_once)
    left = study(paper, qrels, runs, tmp_path, parameters=QUICK.get(paper, {}))
    out = left.record["left_out"]
    assert {part.name for part in left.paper.parts} == {*out, *left.record["finished"]}
    assert len(out) < len(left.paper.parts)
    page = (tmp_path / "index.html").read_text()
    for why in out.values():
        assert escape(why) in page
    assert len([note for note in map(str, left.notes) if "is not computed" in note]) == len(out)
    if name == "two runs, two topics":
        assert out == {}


def test_what_a_part_lacks_is_reported(tmp_path: Path) -> None:
    made: dict[str, Any] = {}
    study(
        *("sakai-2007", QRELS, {"x": RUNS["x"]}, tmp_path),
        on_part=lambda part, one: made.update({part.name: one}),
    )
    assert isinstance(made["table-4"], TooLittleFor) and "there is only one" in made["table-4"].why
    assert not isinstance(made["table-1"], TooLittleFor)


def printing(name: str, printed: dict[str, Any], **fields: Any) -> Paper:
    """A paper that prints these values."""
    paper = Paper(name, "Doe and Roe: On runs. IP&M 1(1), 2001.", "", **fields)
    paper.__dict__["printed"] = printed
    return paper


def test_what_the_paper_prints_stands_beside_it_as_printed() -> None:
    frame = pl.DataFrame({"metric": ["AP", "RR"], "tau": [0.93249, 0.5]})
    paper = printing("p", {"Table 1": {"TREC-0": {"tau": [0.93, None]}}}, names={"tau": "τ"})
    table = paper.beside("Table 1", Table(frame), "TREC-0")
    assert table.frame.columns == ["metric", "tau", "tau (paper)"]
    assert (
        table.remark == "Columns marked (paper) have the values that the paper prints for TREC-0."
    )
    assert paper.beside("Table 1", Table(frame), "").frame.equals(frame)
    part = Part("Table 1", "", "", lambda _: frame, 4)
    shown = paper.shown(part, table.frame)
    assert shown.columns == ["metric", "τ", "τ (paper)"]
    assert shown["τ (paper)"].to_list() == ["0.93", "–"]
    assert paper.right(part, table.frame) == ["τ (paper)"]


def test_the_page_has_the_papers_title_and_its_figures_beside_ours(tmp_path: Path) -> None:
    frame = pl.DataFrame({"tau": [0.93249]})
    part = Part("Table 1", "1 Data", "The data.", lambda _: frame, 4)
    paper = printing("p", {"Table 1": {"TREC-0": {"tau": [0.93]}}}, parts=[part])
    record: dict[str, Any] = {
        name: {} for name in ("inputs", "parameters", "scoring", "versions", "notes")
    }
    for table in (paper.beside("Table 1", Table(frame), name) for name in ("TREC-0", "")):
        table.frame.write_csv(tmp_path / "table-1.csv")
        kinds = {n: str(kind) for n, kind in table.frame.schema.items()}
        said: dict[str, Any] = {"seed": 0, "left_out": {}, "remarks": {"table-1": table.remark}}
        said |= {"columns": {"table-1": kinds}}
        text = page(tmp_path, paper, record | said)
        assert "<h1>On runs</h1>" in text
        assert text.count("(paper)</th>") == (1 if table.remark else 0)
        assert table.remark in text


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_a_title(name: str) -> None:
    paper = paper_named(name)
    assert paper.title
    assert f": {paper.title}. " in paper.citation
