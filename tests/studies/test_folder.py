"""What a study leaves behind, and how it goes on after a stop."""

import json
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise.studies
from rankwise.errors import CallError
from rankwise.studies import paper_named, study
from rankwise.studies.material import Material
from rankwise.studies.paper import Figure, Paper, Part

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
RUNS = {
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
        chart = alt.Chart(alt.Data(values=frame.to_dicts())).mark_bar()
        return Figure(frame, chart.encode(x="run:N", y="AP:Q"))

    monkeypatch.setattr(
        rankwise.studies, "paper_named", lambda name: paper if name == "small" else None
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
        "Tables 6 and 7 of the paper show the same of other collections."
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
    assert "note: stopped; the same command goes on" in capsys.readouterr().err


def test_another_study_in_the_folder_is_refused(small: str, tmp_path: Path) -> None:
    study(small, QRELS, RUNS, tmp_path)
    with pytest.raises(CallError, match="other seed; give another folder, or `again=True`"):
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
    with pytest.raises(CallError, match="is no record of a study"):
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


def test_the_page_has_the_papers_title_and_its_figures_beside_ours(tmp_path: Path) -> None:
    from rankwise.studies import paper_named
    from rankwise.studies.page import page

    paper = paper_named("ahlgren-gronqvist-2007")
    rest = pl.DataFrame({"a": [1]})
    for judged in (1736.6, 1700.0):
        first = pl.DataFrame({"topics": [50], "relevant": [94.56], "judged": [judged]})
        names = ("inputs", "parameters", "scoring", "versions", "notes", "columns")
        record: dict[str, Any] = {name: {} for name in names}
        for part in paper.parts:
            frame = first if part is paper.parts[0] else rest
            frame.write_csv(tmp_path / f"{part.name}.csv")
            record["columns"][part.name] = {n: str(kind) for n, kind in frame.schema.items()}
        text = page(tmp_path, paper, record | {"seed": 0})
        assert "<h1>Evaluation of retrieval effectiveness with incomplete" in text
        assert text.count("(paper)</th>") == (2 if judged == 1736.6 else 0), "of the same data only"
