"""A chart for a paper is as wide as its column, with type that can be read."""

import re
from typing import Any

import polars as pl
import pytest

import rankwise
from rankwise.comparison import TestOptions
from rankwise.errors import CallError

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from rankwise.charts.drawing import as_svg, rendered
from rankwise.charts.sizes import SIZES, sized_specification
from rankwise.vocabulary import ChartWidth

pytestmark = pytest.mark.slow

MADE = rankwise.simulate(topics=12, systems=5, seed=3)
GIVEN = (MADE.qrels, MADE.runs)
RESULTS: dict[str, Any] = {
    "score": lambda: rankwise.score(*GIVEN, ["AP", "PPlus", "RR"], bounds=True),
    "compare": lambda: rankwise.compare(*GIVEN, ["AP", "nDCG@10"], baseline="system1"),
    "two": lambda: rankwise.compare(MADE.qrels, MADE.runs[:2], "AP"),
    "pairs": lambda: rankwise.compare(*GIVEN, "AP"),
    "correlate": lambda: rankwise.correlate(*GIVEN, ["AP", "RR", "P@5"]),
    "diff": lambda: rankwise.diff(GIVEN[1][:2]),
    "stability": lambda: rankwise.stability(*GIVEN, ["AP", "RR"], at=[1, 5]),
    "overview": lambda: rankwise.overview(*GIVEN),
    "calibrate": lambda: rankwise.calibrate(*GIVEN, "AP", experiments=20),
    "user model": lambda: rankwise.user_model(["RBP(p=0.8)", "P@10"]),
    "curve": lambda: rankwise.score(*GIVEN, [f"IPrec@{level / 10:g}" for level in range(11)]),
}


def width_of(picture: str) -> float:
    return float(re.search(r'<svg[^>]* width="([\d.]+)', picture)[1])  # type: ignore[index]


def type_sizes(picture: str) -> set[float]:
    return {float(size) for size in re.findall(r'font-size="([\d.]+)px', picture)}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_a_chart_for_a_paper_has_its_width_and_type_of_8_or_9_points(name: str) -> None:
    chart = RESULTS[name]().chart()
    widths: tuple[ChartWidth, ...] = ("column", "page")
    for width in widths:
        picture = rendered(sized_specification(chart, width), "svg").decode()
        asked = SIZES[width].width
        assert asked - 5 <= width_of(picture) <= asked + 5
        assert {8.0} <= type_sizes(picture) <= {8.0, 9.0}


@pytest.mark.parametrize("name", RESULTS)
def test_type_on_a_screen_has_12_pixels_or_more(name: str) -> None:
    sizes = type_sizes(rendered(RESULTS[name]().chart(), "svg").decode())
    assert sizes and min(sizes) >= 12


def test_a_point_of_the_pdf_is_a_pixel_of_the_chart() -> None:
    chart = RESULTS["two"]().chart(width="column")
    picture, file = rendered(chart, "svg").decode(), rendered(chart, "pdf")
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", file)
    assert file.startswith(b"%PDF") and box is not None
    assert float(box[1]) == pytest.approx(width_of(picture), abs=0.5)


def panels_of(picture: str) -> list[tuple[float, float]]:
    """Return width and height of the area of each panel."""
    found = re.findall(r'class="background"[^>]* d="M[\d.]+,[\d.]+h([\d.]+)v([\d.]+)', picture)
    return [(float(wide), float(high)) for wide, high in found if float(wide)]


def test_panels_beside_each_other_have_room_in_a_column() -> None:
    chart = RESULTS["calibrate"]().chart(width="column")
    sizes = panels_of(rendered(chart, "svg").decode())
    assert sum(wide > 30 for wide, _ in sizes) >= 3
    heights = {high for wide, high in sizes if 30 < wide < 100 and high > 40}
    assert len(heights) == 1, "the same tests in the same rows"


def test_probabilities_of_runs_with_long_names_fit_a_column_and_are_read_in_grey() -> None:
    made = rankwise.simulate(topics=6, systems=6, depth=30, pool_depth=5, seed=1)
    runs = {f"a_long_{run.name}_9": run.frame for run in made.runs}
    drawn = rankwise.predict(made.qrels, runs, "AP").chart(pairs=True)
    picture = rendered(sized_specification(drawn, "column"), "svg").decode()
    assert 235 <= width_of(picture) <= 245
    widest = max(wide for wide, _ in panels_of(picture))
    assert widest > 6 * 10, "not squeezed by the legend"
    numbers = re.findall(r">(&lt;1|&gt;99|\d+)</text>", picture)
    assert len(numbers) >= 6 * 5 and "0" not in numbers and "100" not in numbers


def test_an_unknown_width_is_refused() -> None:
    with pytest.raises(CallError, match="width"):
        RESULTS["two"]().chart(width="wide")


def test_raised_and_lowered_letters_are_set_small_in_any_font() -> None:
    values = [{"name": name} for name in ("P⁺@10", "R′_G", "run_G", "x₁₀")]
    spec = {
        "data": {"values": values},
        "mark": {"type": "text"},
        "encoding": {"y": {"field": "name"}, "text": {"field": "name"}},
    }
    picture = as_svg(spec)
    texts = re.sub(r'\s*aria-\w+="[^"]*"', "", picture)
    assert not set("⁺₁₀") & set(texts)
    assert 'font-size="70%">+</tspan>' in texts and 'font-size="70%">10</tspan>' in texts
    assert 'R′<tspan dy="0.36em" font-size="70%">G</tspan>' in texts and "run_G" in texts
    assert 'aria-label="' not in texts and "P⁺@10" in picture, "read aloud as it is"


def test_a_chart_of_many_runs_is_as_high_as_a_page_and_says_which_rows_it_has() -> None:
    rows = [
        (f"run{run:03}", str(topic), run / 200 + topic / 9)
        for run in range(90)
        for topic in (1, 2, 3)
    ]
    frame = pl.DataFrame(rows, schema=["run", "topic", "value"], orient="row")
    scores = rankwise.read_scores(frame.with_columns(metric=pl.lit("AP")))
    chart = rankwise.compare(scores, baseline="run040", test=TestOptions(margin=0.01)).chart()
    picture = as_svg(sized_specification(chart, "column"))
    height = float(re.findall(r' height="([\d.]+)', picture)[0])
    [most] = set(re.findall(r"Rows 1–(\d+) of 89, to fit on a page", picture))
    assert 600 <= height <= 660 and "run089" in picture and "run000" not in picture
    assert len(set(re.findall(r">(run\d+) − run040<", picture))) == int(most)
    assert "run000" in as_svg(sized_specification(chart, "screen"))


def test_a_legend_leaves_a_chart_its_width() -> None:
    chart = rankwise.user_model(["RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]).chart()
    widest = max(wide for wide, _ in panels_of(as_svg(sized_specification(chart, "column"))))
    assert widest > 180


def test_many_runs_have_low_rows_on_a_screen_and_a_few_have_not() -> None:
    """The names have the size of their rows, and so have rows of text beside them."""
    heights = {}
    for count in (10, 129):
        rows = [
            (f"run{run:03}", str(topic), run / 200 + topic / 9)
            for run in range(count)
            for topic in (1, 2, 3)
        ]
        frame = pl.DataFrame(rows, schema=["run", "topic", "value"], orient="row")
        scores = rankwise.read_scores(frame.with_columns(metric=pl.lit("AP")))
        for kind, result in (
            ("score", scores),
            ("compare", rankwise.compare(scores, baseline="run004")),
        ):
            drawn = sized_specification(result.chart(), None)
            picture = as_svg(drawn)
            heights[kind, count] = float(re.findall(r' height="([\d.]+)', picture)[0])
            names = set(re.findall(r'font-size="([\d.]+)px"[^>]*>run\d+<', picture))
            assert names <= {"12", "13"} if count == 10 else "7.5" in names
            assert len(set(re.findall(r">(run\d+)<", picture))) >= count - 1
        assert as_svg(sized_specification(scores.chart(), "screen")).count(">run004<") == 1
    assert heights["score", 10] < 400 and 1000 < heights["score", 129] < 1250
    assert heights["compare", 129] < 1700
