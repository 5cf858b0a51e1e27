"""The report in a real browser: every view, sorted, filtered, linked, with any names."""

import csv
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import pytest

import rankwise
from rankwise.probable import predict
from rankwise.simulation import Simulated, simulate

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

Open = Callable[..., Any]
METRICS = ["nDCG@10", "AP", "Judged@10"]
VIEWS = ["leaderboard", "run", "pair", "topic", "collection", "made", "appendix"]
ODD = {
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "a\"b'c&amp;": "a\"b'c&amp;",
    "מערכת": "מערכת",
    "bell\x07\u202eturned": "bell\\x07\\u202eturned",
}


@pytest.fixture(scope="session")
def collection() -> Simulated:
    return simulate(topics=8, systems=5, depth=30, pool_depth=5, seed=2)


@pytest.fixture(scope="session")
def report(collection: Simulated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("browser") / "report.html"
    rankwise.report(
        *(collection.qrels, collection.runs, METRICS),
        output=output,
        baseline="system3",
        appendix=True,
    )
    return output


def test_what_is_probable_stands_in_columns_of_its_own(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "probable.html"
    rankwise.report(collection.qrels, collection.runs, "AP", output=output, probable=True)
    found = predict(collection.qrels, collection.runs, "AP")
    page = opened(output)
    [low], [high] = found.ranges
    place = [text.strip() for text in page.locator("main table thead th").all_inner_texts()]
    at = next(n for n, text in enumerate(place, 1) if text.startswith("Probable"))
    shown = dict(zip(column(page, 2), column(page, at), strict=True))
    for run, one, other in zip(found.scores.runs, low, high, strict=True):
        [text] = [text for name, text in shown.items() if name.startswith(run)]
        assert text == f"{one:.4f} to {other:.4f}"
    page.locator("nav a").nth(VIEWS.index("pair")).click()
    until_shown(page, "pair")
    assert "A is probably better" in page.locator("main").inner_text()
    means = rankwise.score(collection.qrels, collection.runs, "AP").to_dict()
    best, second, *_ = sorted(means, key=lambda run: -means[run]["AP"])
    assert page.locator("h2").inner_text() == f"{second} and {best}"  # no baseline was given


def until(page: Any, condition: str) -> None:
    """Wait for a condition; playwright's own way is forbidden by the policy of the page."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


def until_shown(page: Any, view: str) -> None:
    """Wait for a view: the address changes before the page does."""
    current = "document.querySelector('nav a[aria-current=page]')?.href"
    until(page, f"{current}?.includes('view={view}')")


def charts_are_drawn(page: Any) -> int:
    until(page, "!document.querySelector('[role=status]')?.textContent.includes('being drawn')")
    count = "document.querySelectorAll('.chart{}').length"
    until(page, f"{count.format('')} === {count.format(' svg')}")
    return page.locator(".chart svg").count()


def column(page: Any, place: int, table: int = 0) -> list[str]:
    cells = page.locator("main table").nth(table).locator(f"tbody tr > *:nth-child({place})")
    return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_every_view_opens_without_a_network(
    report: Path, opened: Open, width: int, scheme: str
) -> None:
    page = opened(report, width=width, scheme=scheme)
    drawn = 0
    for view in VIEWS:
        page.locator("nav a").nth(VIEWS.index(view)).click()
        until_shown(page, view)
        assert page.locator("main h2").count() == 1
        assert page.locator("nav a[aria-current=page]").count() == 1
        drawn += charts_are_drawn(page)
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wider) == 0, f"{view} is wider than the window"
    assert drawn == 3 + 1 + 1 + 1 + 3 * 5


def test_the_leaderboard_has_the_scores_and_marks_of_compare(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report)
    found = rankwise.compare(collection.qrels, collection.runs, "nDCG@10", baseline="system3")
    means = rankwise.score(collection.qrels, collection.runs, "nDCG@10").to_dict()
    rows = {row["a"]: row for row in found.frame.iter_rows(named=True)}
    names = [name.removesuffix(" baseline") for name in column(page, 2)]
    assert names == sorted(names, key=lambda run: -means[run]["nDCG@10"])
    assert any(row["significant"] for row in rows.values())
    for name, text in zip(names, column(page, 3), strict=True):
        assert text.startswith(f"{means[name]['nDCG@10']:.4f}")
        row, expected = rows.get(name), ""
        if row is not None and row["significant"]:
            filled = row["verdict"] in ("A", "B")
            expected = ("▽▼" if row["difference"] < 0 else "△▲")[filled]
        assert text[6:].strip() == expected, name


def test_another_baseline_and_metric_are_chosen_on_the_page(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report)
    page.get_by_role("combobox", name="Baseline", exact=True).select_option(label="system1")
    page.get_by_role("combobox", name="Metric", exact=True).select_option(label="AP")
    until(page, "location.hash.includes('metric=AP')")
    assert "baseline=system1" in page.evaluate("location.hash")
    found = rankwise.compare(collection.qrels, collection.runs, "AP", baseline="system1").frame
    marked = {
        name
        for name, text in zip(column(page, 2), column(page, 3), strict=True)
        if text.endswith(("▼", "▽"))
    }
    worse = found.filter(significant=True)
    assert marked == {a for a, d in worse.select("a", "difference").rows() if d < 0} != set()


def test_a_click_on_a_heading_sorts_and_the_address_keeps_it(report: Path, opened: Open) -> None:
    page = opened(report)
    page.get_by_role("button", name="Run", exact=True).click()
    names = [name.removesuffix(" baseline") for name in column(page, 2)]
    assert names == sorted(names)
    page.get_by_role("button", name="AP", exact=True).click()
    values = [float(text[:6]) for text in column(page, 8)]
    assert values == sorted(values, reverse=True)
    again = opened(report, page.evaluate("location.hash"))
    assert column(again, 2) == column(page, 2)
    assert again.locator("th[aria-sort=descending]").inner_text().strip().startswith("AP")


def test_runs_are_found_and_metrics_are_hidden(report: Path, opened: Open) -> None:
    page = opened(report)
    page.get_by_label("Find a run").fill("TEM4")
    assert column(page, 2) == ["system4"]
    assert "filter=TEM4" in page.evaluate("location.hash")
    page.get_by_text("Metrics shown").click()
    page.get_by_label("AP", exact=True).uncheck()
    until(page, "location.hash.includes('hide=AP')")
    assert page.get_by_role("button", name="AP", exact=True).count() == 0


def test_rows_below_the_screen_follow_and_stay_sorted(opened: Open, tmp_path: Path) -> None:
    many = simulate(topics=120, systems=2, depth=10, pool_depth=5, seed=1)
    output = tmp_path / "many.html"
    rankwise.report(many.qrels, many.runs, "P@10", output=output)
    page = opened(output, "#view=run")
    busy = "document.querySelector('[aria-busy=true]') !== null"
    topics = page.locator("section").last
    assert topics.locator("tbody tr").count() >= 40
    topics.get_by_role("button", name="Score", exact=True).click()
    until(page, f"!({busy})")
    scores = [float(text) for text in topics.locator("tbody td:nth-child(2)").all_inner_texts()]
    assert len(scores) == 120 and scores == sorted(scores, reverse=True)
    topics.get_by_role("button", name="Score", exact=True).click()
    topics.get_by_role("button", name="Score", exact=True).click()  # before the rest is in
    until(page, f"!({busy})")
    assert len(topics.locator("tbody tr").all()) == 120


def test_all_rankings_come_when_they_are_asked_for(opened: Open, tmp_path: Path) -> None:
    many = simulate(topics=3, systems=30, depth=10, pool_depth=5, seed=1)
    output = tmp_path / "wide.html"
    rankwise.report(many.qrels, many.runs, "AP", output=output)
    page = opened(output, "#view=topic")
    assert page.locator(".rankings thead th").count() == 1 + 12
    page.get_by_role("link", name="Show all 30 runs").click()
    until(page, "document.querySelectorAll('.rankings thead th').length === 31")
    first = page.locator(".rankings tbody tr").first
    names = page.locator(".rankings thead th").all_inner_texts()[1:]
    tops = {run.name: run.frame.filter(topic="1")["document"][0] for run in many.runs}
    assert first.locator("td").all_inner_texts() == [tops[name] for name in names]


def test_the_csv_has_every_number(collection: Simulated, report: Path, opened: Open) -> None:
    page = opened(report)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download Leaderboard by nDCG@10 as csv").click()
    rows = list(csv.DictReader(Path(waiting.value.path()).read_text().splitlines()))
    scores = rankwise.score(collection.qrels, collection.runs, METRICS, bounds=True)
    means = rankwise.confidence(scores).frame.filter(metric="nDCG@10")
    assert len(rows) == means.height == 5
    for row in means.iter_rows(named=True):
        [ours] = [one for one in rows if one["run"] == row["run"]]
        assert float(ours["nDCG@10"]) == pytest.approx(row["value"], abs=1e-6)
        for name in ("conf_low", "conf_high", "low", "high"):
            assert float(ours[name]) == pytest.approx(row[name], abs=1e-6)


def test_a_pair_shows_what_compare_prints(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report, "#view=pair&a=system1&b=system3&metric=AP")
    found = rankwise.compare(collection.qrels, collection.runs, "AP").frame
    row = found.filter(a="system1", b="system3").row(0, named=True)
    shown = page.locator(".figures").inner_text()
    for number in (row["difference"], row["conf_low"], row["conf_high"], row["low"], row["high"]):
        assert f"{abs(number):.4f}" in shown
    assert f"{row['wins']} : {row['losses']}" in shown
    lead = page.locator(".lead").inner_text()
    family = rankwise.compare(collection.qrels, collection.runs, "AP", baseline="system3").frame
    significant = family.filter(a="system1")["significant"].item()
    assert ("not significantly" in lead) == (not significant)
    turned = opened(report, "#view=pair&a=system3&b=system1&metric=AP")
    assert f"{row['losses']} : {row['wins']}" in turned.locator(".figures").inner_text()


PAIRS = {
    ("W", "A"): "W is guaranteed to be better",
    ("A", "N"): "A is guaranteed to be better",
    ("U", "A"): "can make the two equal, but cannot reverse the order",
    ("A", "V"): "there are judgments of them under which V is better",
}


def test_each_state_of_a_pair_has_its_sentence_and_its_mark(tmp_path: Path, opened: Open) -> None:
    """Against A by P@2: W is better, N is worse, U can tie with it, V can be better."""
    topics = [str(place) for place in range(1, 9)]
    tops = {"W": "r1 r2", "A": "r1 n1", "U": "n1 u1", "V": "u2 u3", "N": "n1 n2"}
    runs = {
        run: {key: {name: -at for at, name in enumerate(names.split())} for key in topics}
        for run, names in tops.items()
    }
    qrels = {key: {"r1": 1, "r2": 1, "n1": 0, "n2": 0} for key in topics}
    output = tmp_path / "states.html"
    rankwise.report(qrels, runs, "P@2", output=output, baseline="A", test="sign")
    for (a, b), expected in PAIRS.items():
        page = opened(output, f"#view=pair&a={a}&b={b}&metric=P@2")
        assert expected in page.locator(".lead").inner_text()
    page = opened(output, "#view=leaderboard&metric=P@2")
    marks = {
        row.locator("th").inner_text().split()[0]: row.locator(".sign").all_inner_texts()
        for row in page.locator("main tbody tr").all()
    }
    assert marks == {"W": ["▲"], "A": [], "U": ["▽"], "V": ["▽"], "N": ["▼"]}
    legend = page.locator(".legend").inner_text()
    assert "guaranteed" in legend and "△" in legend and "not resolved" in legend
    assert "✓" not in page.locator("main").inner_text()


def test_a_topic_shows_judged_unjudged_and_missed_documents(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report, "#view=topic&topic=2&run=system5")
    grades = {d: g for t, d, g in collection.qrels.frame.iter_rows() if t == "2"}
    rankings = page.locator(".rankings tbody td")
    assert rankings.count() == 5 * 20
    kinds = set()
    for cell in rankings.all():
        kind, name = cell.get_attribute("class"), cell.inner_text()
        grade = grades.get(name)
        assert kind == ("unjudged" if grade is None else "relevant" if grade > 0 else "judged")
        kinds.add(kind)
    assert kinds == {"relevant", "judged", "unjudged"}
    rows = collection.runs[4].frame.filter(topic="2")["document"].to_list()
    missed = [name for name, grade in grades.items() if grade > 0 and name not in rows]
    relevant = sum(grade > 0 for grade in grades.values())
    assert f"system5 missed {len(missed)} of {relevant}" in page.locator("main").inner_text()


def test_odd_names_show_as_they_are(collection: Simulated, tmp_path: Path, opened: Open) -> None:
    runs = dict(zip(ODD, collection.runs, strict=False))
    topics = tmp_path / "topics.tsv"
    topics.write_text("".join(f"{n}\t<i>title {n}</i>\n" for n in range(1, 9)))
    title = "</title><script>alert(2)</script>"
    output = tmp_path / "odd.html"
    rankwise.report(*(collection.qrels, runs, "AP"), output=output, title=title, topics_file=topics)
    page = opened(output)
    assert sorted(column(page, 2)) == sorted(
        shown + (" baseline" if name == next(iter(ODD)) else "") for name, shown in ODD.items()
    )
    assert page.locator("h1").inner_text() == title
    for view in VIEWS[:-1]:
        for name in ODD:
            page.evaluate("h => location.hash = h", f"#view={view}")
            page.evaluate("n => location.hash += '&' + new URLSearchParams({run: n, a: n})", name)
            charts_are_drawn(page)
            assert page.locator("main script, main i").count() == 0
    page.evaluate("location.hash = '#view=topic&topic=3'")
    assert page.locator(".lead").inner_text() == "<i>title 3</i>"


def test_an_address_that_names_what_is_not_there_says_so(report: Path, opened: Open) -> None:
    page = opened(report, "#view=run&run=nobody")
    assert page.locator(".notice").inner_text() == "There is no run “nobody” in this report."


def test_the_keyboard_reaches_views_and_sorts(report: Path, opened: Open) -> None:
    page = opened(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until_shown(page, "run")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("button", name="Rank", exact=True).focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=descending]").inner_text().strip().startswith("Rank")


def test_the_appendix_prints_a_page_per_run(report: Path, opened: Open) -> None:
    page = opened(report, "#view=appendix")
    page.get_by_role("button", name="Print").wait_for()
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1 + 5
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden() and page.locator(".page").count() == 5


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, from the npm registry."""
    npm = which("npm")
    if npm is None:
        pytest.skip("npm is not found: the accessibility check is left out")
    folder = tmp_path_factory.mktemp("axe")
    call = [npm, "install", "--no-save", "--silent", "--prefix", str(folder), "axe-core@4"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    file = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        pytest.skip(f"axe-core cannot be had: no accessibility check: {done.stderr[-200:]}")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(report: Path, opened: Open, axe: str, scheme: str) -> None:
    page = opened(report, scheme=scheme)
    page.evaluate(axe)
    for view in VIEWS[:-1]:
        page.evaluate("v => location.hash = '#view=' + v", view)
        until(page, f"document.querySelector('[aria-current]').href.includes('{view}')")
        charts_are_drawn(page)
        found = page.evaluate("async () => (await axe.run()).violations")
        bad = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] != "minor"]
        assert bad == [], view
