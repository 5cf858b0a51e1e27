"""The report in a real browser: every view, sorted, filtered, linked, with any names."""

import base64
import csv
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankwise
from rankwise.comparison import Comparison
from rankwise.probable import predict
from rankwise.simulation import Simulated, simulate

Open = Callable[..., Any]
METRICS = ["nDCG@10", "AP", "Judged@10"]
RANKS = ["lowest_rank", "highest_rank", "lowest_rank_both", "highest_rank_both"]
VIEWS = ["leaderboard", "pair", "topic", "run", "collection", "methods", "appendix"]
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


def test_what_is_probable_stands_in_tips_and_the_csv(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "probable.html"
    rankwise.report(collection.qrels, collection.runs, "AP", output=output, probable=True)
    found = predict(collection.qrels, collection.runs, "AP")
    page = opened(output)
    [low], [high] = found.ranges
    tips = [row.get_attribute("data-tip") for row in page.locator("tbody svg.forest").all()]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download Leaderboard by AP as csv").click()
    rows = {row["run"]: row for row in csv.DictReader(saved.value.path().read_text().splitlines())}
    for run, one, other in zip(found.scores.runs, low, high, strict=True):
        [tip] = [tip for tip in tips if tip.startswith(f"{run}: ")]
        assert f"probable range {one:.4f} to {other:.4f}" in tip
        ends = [float(rows[run][name]) for name in ("probable_low", "probable_high")]
        assert ends == pytest.approx([one, other], abs=1e-6)
    page.locator("nav a").nth(VIEWS.index("pair")).click()
    until_shown(page, "pair")
    assert "is better with probability" in page.locator(".verdict").inner_text()
    means = rankwise.score(collection.qrels, collection.runs, "AP").to_dict()
    best, second, *_ = sorted(means, key=lambda run: -means[run]["AP"])
    assert page.locator(".scores a").all_inner_texts() == [best, second]  # no baseline was given


def unpacked(column: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a column of the page."""
    kinds = {"f4": "<f4", "u1": "u1", "u2": "<u2", "u4": "<u4"}
    data = base64.b64decode(column["bytes"])
    return np.frombuffer(data, kinds[column["kind"]]).reshape(column["shape"])


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
    until(
        page, "!document.querySelector('[role=status]')?.textContent.includes('Drawing the pages')"
    )
    count = "document.querySelectorAll('.chart{}').length"
    until(page, f"{count.format('')} === {count.format(' > svg')}")
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
    assert drawn == 3 + 1 + 1 + 3 + 2 + 3 * 5


def test_the_leaderboard_has_the_scores_and_marks_of_compare(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report)
    found = rankwise.compare(collection.qrels, collection.runs, "nDCG@10", baseline="system3")
    means = rankwise.score(collection.qrels, collection.runs, "nDCG@10").to_dict()
    rows = {row["a"]: row for row in found.frame.iter_rows(named=True)}
    names = [name.removesuffix(" baseline") for name in column(page, 2)]
    assert names[0] == "system3", "the baseline is pinned"
    assert names[1:] == sorted(names[1:], key=lambda run: -means[run]["nDCG@10"])
    assert any(row["significant"] for row in rows.values())
    for name, text in zip(names, column(page, 3), strict=True):
        assert text.startswith(f"{means[name]['nDCG@10']:.4f}")
        row, expected = rows.get(name), ""
        if row is not None and row["significant"]:
            filled = row["verdict"] in ("A", "B")
            expected = ("▽▼" if row["difference"] < 0 else "△▲")[filled]
        assert text[6:].strip() == expected, name
    significant = found.frame.filter(significant=True)
    up, down = ((significant["difference"] * sign > 0).sum() for sign in (1, -1))
    said = page.locator(".lead").first.inner_text()
    assert said.startswith(f"Compared with the baseline system3 ({len(means) - 1} tests), {up} run")
    assert f"significantly better, {down or 'none'} significantly worse" in said
    assert page.locator("tr.tier").count() == 0, "all tests are of the family of the baseline"


def test_with_the_best_run_as_baseline_its_equals_are_shaded(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report)
    best = page.locator("h2").inner_text().split(" ", 1)[0]
    page.get_by_role("link", name=f"choose {best} as baseline").click()
    until(page, "document.querySelector('tr.tier') !== null")
    tests = rankwise.compare(collection.qrels, collection.runs, "nDCG@10", baseline=best).frame
    apart = set(tests.filter(significant=True)["a"])
    shaded = page.locator("tr.tier th").all_inner_texts()
    means = rankwise.score(collection.qrels, collection.runs, "nDCG@10").to_dict()
    assert {name.removesuffix(" baseline") for name in shaded} == set(means) - apart
    said = page.locator(".lead").first.inner_text()
    assert said.startswith("Compared with the best run as baseline (")
    assert f"({len(means) - 1} tests), " in said
    near = len(means) - len(apart) - 1
    assert near == 0 or f"the best run, and {near} run" in page.locator(".key").first.inner_text()
    page.locator("thead th", has_text="Ranks").locator(".info").click()
    about = page.locator(".explanation:popover-open").inner_text()
    assert "simultaneous for all 10 pairs of runs. The marks are of another family" in about


def test_a_reversal_has_its_size(collection: Simulated, opened: Open, tmp_path: Path) -> None:
    """The lead has the examples that take the fewest and the most documents."""
    output = tmp_path / "sizes.html"
    done = rankwise.report(collection.qrels, collection.runs, "AP", output=output)
    best = done.data["baseline"]
    examples = [one for one in done.data["examples"] if best in (one["a"], one["b"])]
    counts = sorted(one["count"] for one in examples)
    assert len(counts) > 1
    said = opened(output).locator(".lead").first.inner_text()
    assert "(no baseline was given; 4 tests)" in said
    assert f"({counts[0]:,} unjudged document" in said
    assert f", {counts[-1]:,} put " in said


def test_a_click_beside_an_explanation_does_not_sort(report: Path, opened: Open) -> None:
    page = opened(report)
    box = page.locator("thead th", has_text="Judged@10").locator(".info").first.bounding_box()
    for dx in (-5, box["width"] + 5):
        page.mouse.click(box["x"] + dx, box["y"] + box["height"] / 2)
        assert page.locator(".explanation:popover-open").count() == 1
        assert page.locator("thead [aria-sort=descending]").count() == 0
        page.keyboard.press("Escape")


def test_a_document_to_judge_is_marked_in_its_topic(report: Path, opened: Open) -> None:
    page = opened(report, "#view=collection&metric=AP")
    first = page.locator("section table").first.locator("tbody tr").first
    topic, document = first.locator("td").first.inner_text(), first.locator("th a").inner_text()
    first.locator("th a").click()
    until_shown(page, "topic")
    assert page.locator("h2").inner_text().startswith(f"Topic {topic}")
    page.wait_for_selector("aside h3")
    assert page.locator("aside h3").inner_text() == document
    assert "to judge next: retrieved by " in page.locator("aside").inner_text()


def test_a_document_below_the_shown_ranks_opens_with_a_run_that_has_it(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    """The topic opens at its head, with the run named in the panel."""
    output = tmp_path / "deep.html"
    frames = {run.name: run.frame for run in collection.runs}
    done = rankwise.report(
        *(collection.qrels, collection.runs, "AP"), output=output, baseline="system3", top=5
    )
    plan = done.data["collection"]["next"]["plans"][0]
    documents = plan["documents"]
    deep = [at for at, rank in enumerate(documents["best_rank"]) if rank > 5]
    ranks = {}
    for at in deep:
        topic, document = documents["topic"][at], documents["document"][at]
        found = {done.data["runs"][run]: rank for run, rank in plan["finders"][at]}
        assert set(found) == {
            name
            for name, frame in frames.items()
            if frame.filter(topic=topic, document=document).height
        }
        assert min(found.values()) == documents["best_rank"][at]
        ranks[document] = found
    shown = [at for at in deep if set(ranks[documents["document"][at]]) - {"system3"}]
    document = documents["document"][shown[0]]
    page = opened(output, "#view=collection")
    show_all = page.locator("section .table").first.get_by_role("button", name="Show all")
    if show_all.count():
        show_all.click()
    page.get_by_role("link", name=document, exact=True).click()
    until_shown(page, "topic")
    page.wait_for_selector("aside h3")
    said = page.locator("aside").inner_text()
    best = min(ranks[document], key=lambda run: ranks[document][run])
    assert f"highest by {best} (rank {ranks[document][best]})" in said
    run = page.get_by_role("combobox", name="Run", exact=True).locator("option:checked")
    assert run.inner_text() in ranks[document]
    assert f"{run.inner_text()}: rank {ranks[document][run.inner_text()]}" in said
    assert page.evaluate("window.scrollY") == 0


def test_the_pairs_that_judging_can_reverse_are_listed(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "pairs.html"
    metrics = ["AP", "P@5"]
    done = rankwise.report(collection.qrels, collection.runs, metrics, output=output)
    verdicts = done.data["pairs"]["verdicts"]
    state = unpacked(verdicts["state"])
    for metric, row in zip(metrics, state, strict=True):
        count = int((row == verdicts["states"].index("reversible")).sum())
        page = opened(output, f"#view=collection&metric={metric.replace('@', '%40')}")
        said = page.locator("main > p", has_text="reversed by judging")
        all_ = "All 10" if count == 10 else f"{count} of 10" if count else "None of 10"
        assert said.inner_text().startswith(f"{all_} pairs of runs can be reversed by judging, by ")
        assert said.locator("a").count() == min(3, count)
        if count > 3:
            assert f"; and {count - 3} other" in said.inner_text()
        sizes = [int(size) for size in re.findall(r"\((\d+) document", said.inner_text())]
        examples = [
            one["count"] for one in done.data["examples"] if metrics[one["metric"]] == metric
        ]
        assert sizes == sorted(examples)[: len(sizes)]


def test_documents_that_resolve_nothing_are_folded(
    opened: Open, tmp_path: Path, trec8: Path
) -> None:
    names = "weaver2 ibmg99a Mer8Adtd2 fub99a att99atc Sab8A4 uwmt8a2 ibms99b INQ602 AntHoc1"
    runs = [trec8 / "runs" / f"input.{name}.gz" for name in names.split()]
    output, qrels = tmp_path / "folded.html", trec8 / "trec8.qrels.gz"
    done = rankwise.report(qrels, runs, "nDCG@10", output=output)
    plan = done.data["collection"]["next"]["plans"][0]
    assert plan["way"] == "probable" and plan["course"]["unresolved"][0] > 0.005
    resolves = plan["documents"]["resolves"]
    some = max(at for at, one in enumerate(resolves, 1) if one >= 0.001)
    assert 0 < some < len(resolves), "some resolve nothing"
    page = opened(output, "#view=collection")
    said = page.locator("section .lead").first.inner_text()
    effect = f"The first {some} documents have this effect; the other {len(resolves) - some} are"
    assert f"{effect} each expected to resolve less than 0.001 pairs." in said
    listed = page.locator("section .table").first
    assert listed.locator("tbody tr").count() == min(20, some)
    listed.locator("th", has_text="Resolves").locator(".info").click()
    about = page.locator(".explanation:popover-open").inner_text()
    assert "close to the present number of misordered pairs, not to" in about
    assert f"in steps of up to {plan['course']['judged'][1]}." in about


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
    page.get_by_role("button", name="Explain: marks").click()
    about = page.locator(".explanation:popover-open").inner_text()
    assert "over the 4 comparisons with the baseline system1" in about
    assert "has the same p for pairs with this baseline; it corrects the p of other pairs" in about


def test_a_click_on_a_heading_sorts_and_the_address_keeps_it(report: Path, opened: Open) -> None:
    page = opened(report)
    page.get_by_role("button", name="Run", exact=True).click()
    names = [name.removesuffix(" baseline") for name in column(page, 2)]
    assert names[1:] == sorted(names[1:]) and names[0] == "system3"
    page.get_by_role("button", name="AP", exact=True).click()
    values = [float(text[:6]) for text in column(page, 7)][1:]
    assert values == sorted(values, reverse=True)
    again = opened(report, page.evaluate("location.hash"))
    assert column(again, 2) == column(page, 2)
    assert again.locator("th[aria-sort=descending]").inner_text().strip().startswith("AP")


def test_an_axis_with_one_tick_names_its_value(opened: Open, tmp_path: Path) -> None:
    """By P@20 the three runs have 0.45, 0.5 and 0.75: 0.6 is the only tick."""
    topics, ranks = list("123456"), range(20)
    qrels = {topic: {f"r{n}": 1 for n in ranks} for topic in topics}
    runs = {
        f"run{good}": {
            topic: {f"r{n}" if n < good else f"n{n}": 20.0 - n for n in ranks} for topic in topics
        }
        for good in (9, 10, 15)
    }
    output = tmp_path / "ticks.html"
    rankwise.report(qrels, runs, "P@20,P@19,P@18,P@17,P@16,P@14", output=output)
    page = opened(output, width=1100)  # six panels, too narrow for names
    page.wait_for_selector(".multiples svg text")
    texts = page.locator(".multiples svg").first.locator("text").all_text_contents()
    assert texts == ["0.6"]


def test_every_tick_above_an_interval_has_its_number(report: Path, opened: Open) -> None:
    """Also the tick at 0, which is often at an end of the axis."""
    seen = 0
    for view in ("leaderboard", "pair", "run"):
        page = opened(report, f"#view={view}&axis=difference")
        for head in page.locator(".forest.head").all():
            numbers = head.locator("text").all_text_contents()
            assert len(numbers) == head.locator("line.tick").count() > 1
            seen += 1
        shown = page.locator(".axis").first.inner_text()
        assert view == "run" or re.search(r"(^|\s)0(\.0+)?(\s|$)", shown), shown
    assert seen >= 5


def test_names_of_topics_are_level_where_they_fit(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=26, systems=2, depth=20, seed=1)
    rankwise.report(made.qrels, made.runs, "P@5", output=tmp_path / "r.html")
    for width, level in ((1400, True), (400, False)):
        page = opened(tmp_path / "r.html", width=width)
        charts_are_drawn(page)
        names = page.locator(".chart a text")
        assert names.count() == 26
        turned = [name.get_attribute("transform") is not None for name in names.all()]
        assert turned == [not level] * 26


def test_two_runs_can_share_the_first_place(opened: Open, tmp_path: Path) -> None:
    """By RR two runs find the first relevant document at rank 1; P@2 tells them apart."""
    topics = list("1234567")
    tops = {"both": "r1 r2", "one": "r1 n1", "none": "n1 n2"}
    runs = {
        name: {topic: {doc: -at for at, doc in enumerate(top.split())} for topic in topics}
        for name, top in tops.items()
    }
    qrels = {topic: {"r1": 1, "r2": 1, "n1": 0, "n2": 0} for topic in topics}
    output = tmp_path / "shared.html"
    rankwise.report(qrels, runs, "P@2,RR", output=output)
    page = opened(output, "#view=leaderboard&metric=P@2")
    assert page.locator("h2").inner_text().startswith("both is first of 3 runs by P@2")
    assert "both is also first by the other metric" in page.locator(".lead").first.inner_text()
    page = opened(output, "#view=leaderboard&metric=RR")
    assert page.locator("h2").inner_text().startswith("both and one are first of 3 runs by RR")
    for run in ("both", "one"):
        page = opened(output, f"#view=run&run={run}&metric=RR")
        assert "rank 1 of 3" in page.locator(".figures").inner_text()
        assert column(page, 3)[1] == "1"


def test_a_probability_that_is_less_reliable_says_so(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "few.html"
    rankwise.report(collection.qrels, collection.runs, "AP", output=output, probable=True)
    page = opened(output, "#view=pair")
    said = page.locator(".verdict p", has_text="is better with probability")
    assert "less reliable" in said.inner_text()
    said.get_by_role("button", name="Explain: the reliability").click()
    reasons = page.locator(".explanation:popover-open").inner_text()
    assert "fewer than 10 runs" in reasons and "docs/" not in reasons


def test_expected_numbers_of_pairs_are_whole(report: Path, opened: Open) -> None:
    """Half a pair of runs has no meaning."""
    page = opened(report, "#view=collection&metric=AP")
    said = page.locator("section .lead").first.inner_text()
    assert re.match(r"Of the 4 pairs with the baseline system3, a model expects: now ", said)
    assert re.search(r"now (about \d (is|are)|less than one is|none is) unresolved", said)
    assert not re.search(r"\d\.\d", said)


def test_tables_of_runs_with_long_names_fit(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    wide = "tables => tables.filter(one => one.scrollWidth > one.clientWidth).length"
    frames = {run.name: run.frame for run in collection.runs}
    long = {f"a_long_{name}_9": frame for name, frame in list(frames.items())[:3]}
    output = tmp_path / "long.html"
    rankwise.report(collection.qrels, long, METRICS, output=output, probable=True)
    for width, views in ((1400, ["leaderboard", "pair", "run", "collection"]), (400, ["run"])):
        for view in views:
            page = opened(output, f"#view={view}", width=width)
            charts_are_drawn(page)
            assert page.locator("main .table").evaluate_all(wide) == 0, (view, width)


def test_metrics_are_hidden(report: Path, opened: Open) -> None:
    page = opened(report)
    page.get_by_text("Metrics shown").click()
    page.get_by_label("AP", exact=True).uncheck()
    until(page, "location.hash.includes('hide=AP')")
    buttons = "[...document.querySelectorAll('button')].map(each => each.textContent.trim())"
    until(page, f"!{buttons}.includes('AP')")


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
    page = opened(output, "#view=topic&topic=1")
    assert page.locator(".rankings thead th").count() == 1 + 12
    board = opened(output, "#view=leaderboard")
    board.get_by_label("Find a run").fill("TEM24")
    assert column(board, 2)[1:] == ["system24"], "below the baseline, which stays"
    assert "filter=TEM24" in board.evaluate("location.hash")
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
    shown = page.locator(".verdict").inner_text()
    page.get_by_role("button", name="Explain: the interval").click()
    shown += page.locator(".explanation:popover-open").inner_text()
    family = rankwise.compare(collection.qrels, collection.runs, "AP", baseline="system3").frame
    ours = family.filter(a="system1").row(0, named=True)  # the family of the corrected p
    for number in (row["difference"], ours["conf_low"], ours["conf_high"], row["low"], row["high"]):
        assert f"{abs(number):.4f}" in shown
    assert f"{row['wins']} wins" in shown and f"{row['losses']} losses" in shown
    assert ("not significant" in page.locator("h2").inner_text()) == (not ours["significant"])
    assert ("Not significant" in shown) == (not ours["significant"])
    turned = opened(report, "#view=pair&a=system3&b=system1&metric=AP")
    assert f"{row['losses']} wins" in turned.locator(".verdict").inner_text()
    words = f"corrected over the {len(collection.runs) - 1} comparisons with system3: "
    assert words in shown and words in turned.locator(".verdict").inner_text()


def test_a_pair_is_as_significant_in_either_order(
    collection: Simulated, report: Path, opened: Open
) -> None:
    """With the baseline of the report as compare with it, without it as compare of all pairs."""
    asked = (collection.qrels, collection.runs, METRICS)
    of_baseline = rankwise.compare(*asked, baseline="system3").frame
    of_all = rankwise.compare(*asked)
    page = opened(report, "#view=pair")
    verdicts = []
    for row in of_all.frame.filter(pl.col("metric") != "Judged@10").iter_rows(named=True):
        pair = {row["a"], row["b"]}
        if "system3" in pair:
            [other] = pair - {"system3"}
            row = of_baseline.filter(metric=row["metric"], a=other).row(0, named=True)
        family = "the 4 comparisons with system3" if "system3" in pair else "all 10 pairs of runs"
        number = format(row["corrected_p"], ".4f")
        ends = sorted(f"{abs(row[end]):.4f}" for end in ("conf_low", "conf_high"))
        for a, b in [(row["a"], row["b"]), (row["b"], row["a"])]:
            words = {"view": "pair", "a": a, "b": b, "metric": row["metric"]}
            page.evaluate("w => location.hash = new URLSearchParams(w)", words)
            names = "[...document.querySelectorAll('.scores a')].map(one => one.innerText).join()"
            until(page, f"{names} === '{b},{a}'")
            until(page, f"document.querySelector('h2').innerText.includes('{row['metric']}')")
            shown = page.locator(".verdict").inner_text()
            assert ("Not significant over" in shown) == (not row["significant"]), words
            assert f"corrected over {family}: " in shown
            assert number in shown or "< 0.0001" in shown
            quote = page.locator(".quote p").first.text_content()
            assert ("do not differ significantly" in quote) == (not row["significant"])
            assert f"difference {row['difference']:+.4f}".replace("-", "−") in quote
            interval = page.locator(".interval-picture .numbers").inner_text()
            first = re.findall(r"\d\.\d{4}", interval)[:2]
            assert sorted(first) == ends, words
        verdicts.append(row["significant"])
    assert len(verdicts) == 20 and len(set(verdicts)) == 2


@pytest.mark.parametrize("baseline", ["system1", "system4"])
def test_a_pair_has_one_verdict_with_a_baseline_chosen_on_the_page(
    collection: Simulated, report: Path, opened: Open, baseline: str
) -> None:
    """Leaderboard, Run, Pair and the sentence have the p of compare with this baseline."""
    asked = (collection.qrels, collection.runs, "AP")
    found = rankwise.compare(*asked, baseline=baseline)
    page = opened(report, f"#view=leaderboard&metric=AP&baseline={baseline}")
    family = f"the 4 comparisons with {baseline}"
    marked = {
        name.removesuffix(" baseline")
        for name, text in zip(column(page, 2), column(page, 3), strict=True)
        if text.endswith(tuple("▼▽▲△"))
    }
    assert marked == set(found.frame.filter(significant=True)["a"])
    for row in found.frame.iter_rows(named=True):
        number = f"{row['corrected_p']:.4f}" if row["corrected_p"] >= 1e-4 else "< 0.0001"
        words = {"baseline": baseline, "metric": "AP"}
        page.evaluate(
            "w => location.hash = new URLSearchParams(w)", words | {"view": "run", "run": row["a"]}
        )
        until(page, f"document.querySelector('h2').innerText.includes('Run {row['a']}')")
        said = page.locator(".figures").inner_text()
        assert number in said and f"corrected over {family}" in said
        page.get_by_role("link", name="compare the two").click()
        until_shown(page, "pair")
        until(page, "document.querySelector('.quote') !== null")
        assert f"corrected over {family}: {number}" in page.locator(".verdict").inner_text()
        assert ("not significant" in page.locator("h2").inner_text()) == (not row["significant"])
        quote = page.locator(".quote p").first.text_content()
        sentence = quote.partition(" Test: ")[0]
        assert sentence in found.sentence()
        assert quote.endswith(f"The comparisons of each metric are {family}.")
        # A topic of the pair does not change the baseline.
        page.locator(".movers a").first.click()
        until_shown(page, "topic")
        assert f"baseline={baseline}" in page.evaluate("location.hash")
    methods = opened(report, f"#view=methods&baseline={baseline}").locator("main").inner_text()
    assert f"Comparisons with the baseline {baseline}, in every view: 4 tests" in methods


def test_a_topic_of_a_pair_without_the_baseline_keeps_the_verdict(
    report: Path, opened: Open
) -> None:
    page = opened(report, "#view=pair&a=system1&b=system2&metric=AP")
    verdict = ".verdict p:has-text('ignificant over 8 topics (')"
    before = page.locator(verdict).first.inner_text()
    assert "all 10 pairs of runs" in before
    page.locator(".movers a").first.click()
    until_shown(page, "topic")
    assert "From the other run to this run" in page.locator("main").inner_text()
    page.locator("nav a", has_text="Pair").click()
    until_shown(page, "pair")
    assert page.locator(verdict).first.inner_text() == before


def test_significance_lost_by_correction_across_metrics_is_on_the_result(
    opened: Open, tmp_path: Path, trec8: Path
) -> None:
    runs = [trec8 / "runs" / f"input.{name}.gz" for name in ("acsys8amn", "weaver1")]
    output, qrels = tmp_path / "r.html", trec8 / "trec8.qrels.gz"
    metrics = ["nDCG@10", "P@10"]
    rankwise.report(qrels, runs, metrics, output=output)
    alone, together = (
        rankwise.compare(qrels, runs, metrics, test=rankwise.TestOptions(family=family))
        for family in ("metric", "all")
    )
    assert alone.frame["significant"].all() and not together.frame["significant"].any()
    said = opened(output).locator(".verdict").inner_text()
    words = "Corrected across both metrics (Holm, 2 tests), this difference is not significant"
    assert f"{words}, and neither is the difference in any other metric." in said
    assert "P@10 (significantly; not after correction across metrics)" in said


def test_a_guarantee_has_its_assumption_beside_it(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=8, systems=2, depth=30, pool_depth=5, seed=2)
    rankwise.report(made.qrels, made.runs, ["AP", "P@5", "RR"], output=tmp_path / "r.html")
    seen = 0
    for metric in ("AP", "P@5", "RR"):
        said = opened(tmp_path / "r.html", f"#metric={metric}").locator(".verdict").inner_text()
        if "Guaranteed" in said:
            seen += 1
            assert "Assumption: the existing judgments are correct, and an unjudged" in said
    assert seen


def test_each_kind_of_plan_is_named_and_all_are_explained(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "plans.html"
    rankwise.report(collection.qrels, collection.runs, ["AP", "P@20", "P@5"], output=output)
    words = {"AP": "By a model of the present judgments: ", "P%4020": "By weight: "}
    words["P%405"] = "No list: the unjudged documents cannot change the order."
    explained = set()
    for metric, start in words.items():
        page = opened(output, f"#view=collection&metric={metric}")
        assert page.locator(".kind").inner_text().startswith(start)
        page.get_by_role("button", name="Explain: the kinds of lists").click()
        explained.add(page.locator(".explanation:popover-open").inner_text())
    assert len(explained) == 1


def test_the_first_topics_to_judge_are_those_that_decide_most(
    opened: Open, tmp_path: Path, trec8: Path
) -> None:
    """As many documents are counted as are said to have an effect."""
    names = "unc8al52 acsys8asn acsys8amn Dm8NbnR"
    runs = [trec8 / "runs" / f"input.{name}.gz" for name in names.split()]
    output, qrels = tmp_path / "rr.html", trec8 / "trec8.qrels.gz"
    done = rankwise.report(qrels, runs, "RR", baseline="acsys8asn", output=output)
    plan = done.data["collection"]["next"]["plans"][0]["documents"]
    some = max(at for at, one in enumerate(plan["resolves"], 1) if one >= 0.001)
    assert some < len(plan["resolves"])
    sums: Counter[str] = Counter()
    for topic, resolves in zip(plan["topic"][:some], plan["resolves"], strict=False):
        sums[topic] += resolves
    page = opened(output, "#view=collection")
    said = page.locator("section", has_text="What to judge next").first.inner_text()
    [first] = re.findall(rf"The first {some} by topic, [^:]*: (\w+) \((\d+)\)", said)
    assert first[0] == sums.most_common(1)[0][0]
    assert f"The first {some} documents have this effect" in said
    assert "Of the 3 pairs with the baseline acsys8asn, a model expects: " in said


def badge_of(found: Comparison, place: int) -> str:
    """The badge of a row of the comparison, by the words of `compare`."""
    row = found.frame.row(place, named=True)
    if row["verdict"] in ("A", "B", "equal"):
        return "Guaranteed"
    if found.reversible[row["metric"]][place % len(found.first)]:
        return "Can be reversed"
    one_sided = row["low"] >= -1e-9 or row["high"] <= 1e-9
    return "Can become equal" if row["proven"] and one_sided else "Not resolved"


def test_the_page_has_the_verdicts_of_compare(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=6, systems=4, depth=30, pool_depth=9, seed=5)
    metrics = ["P@10", "AP", "Bpref"]
    output = tmp_path / "r.html"
    rankwise.report(made.qrels, made.runs, metrics, output=output)
    found = rankwise.compare(made.qrels, made.runs, metrics)
    page = opened(output, "#view=pair")
    looked_at = []
    for place, row in enumerate(found.frame.iter_rows(named=True)):
        words = {"view": "pair", "a": row["a"], "b": row["b"], "metric": row["metric"]}
        page.evaluate("w => location.hash = new URLSearchParams(w)", words)
        names = "[...document.querySelectorAll('.scores a')].map(one => one.innerText).join()"
        until(page, f"{names} === '{row['b']},{row['a']}'")
        until(page, f"document.querySelector('h2').innerText.includes('{row['metric']}')")
        badge = page.locator(".verdict .badge").inner_text().partition(" ")[2]
        assert badge == badge_of(found, place), row
        looked_at.append(badge)
    assert len(looked_at) == 18 and len(set(looked_at)) >= 2


def test_two_runs_have_the_words_of_compare(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=8, systems=2, depth=30, pool_depth=5, seed=2)
    metrics = ["AP", "P@5", "RR"]
    rankwise.report(made.qrels, made.runs, metrics, output=tmp_path / "r.html")
    compared = rankwise.compare(made.qrels, made.runs, metrics)
    shown = compared.table().frame
    words = shown.filter(shown[:, 0] == "unjudged documents").row(0)[1:]
    badges = opened(tmp_path / "r.html").locator("td .badge").all_inner_texts()
    told = [text.partition(" ")[2].lower() for text in badges if text[0] in "■⇄?"]
    assert told == list(words)
    assert len(set(words)) >= 2
    guaranteed = re.findall(r"On these topics, \w+ is guaranteed[^.]*\.", compared.sentence())
    assert guaranteed
    for metric in metrics:
        page = opened(tmp_path / "r.html", f"#view=pair&metric={metric}")
        said = page.locator(".verdict").inner_text()
        sure = "Guaranteed" in said
        assert sure == any(sentence in said for sentence in guaranteed), metric


def test_five_topics_have_no_mark_as_in_compare(opened: Open, tmp_path: Path) -> None:
    judged = {str(topic): {"r": 1, "n": 0} for topic in range(5)}
    down = [["n", "n2", "n3", "r"], ["n", "r"], ["n", "n2", "r"], ["n", "r"], ["n", "n2", "r"]]
    runs = {
        "good": {topic: ["r", "n"] for topic in judged},
        "bad": dict(zip(judged, down, strict=True)),
    }
    row = rankwise.compare(judged, runs, "RR").frame.row(0, named=True)
    assert row["corrected_p"] < 0.05 and not row["significant"]
    output = tmp_path / "r.html"
    rankwise.report(judged, runs, "RR", output=output)
    assert "not significant" in opened(output, "#view=pair").locator("h2").inner_text()


PAIRS = {
    ("W", "A"): "W is guaranteed to be better",
    ("A", "N"): "A is guaranteed to be better: unjudged documents cannot change the difference.",
    ("U", "A"): "can make the two runs equal, but cannot reverse their order",
    ("A", "V"): "V is better if 9 unjudged documents, on 8 topics, are judged relevant",
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
        assert expected in page.locator(".verdict").inner_text()
    page = opened(output, "#view=leaderboard&metric=P@2")
    marks = {
        row.locator("th").inner_text().split()[0]: row.locator(".sign").all_inner_texts()
        for row in page.locator("main tbody tr").all()
    }
    assert marks == {"W": ["▲"], "A": [], "U": ["▽"], "V": ["▽"], "N": ["▼"]}
    page.get_by_role("button", name="Explain: marks").click()
    legend = page.locator(".explanation:popover-open").inner_text()
    assert "guaranteed" in legend and "△" in legend and "not resolved" in legend
    assert "✓" not in page.locator("main").inner_text()


def test_wide_bounds_are_called_not_informative(opened: Open, tmp_path: Path) -> None:
    """Of ten ranks two or all are unjudged: bounds of P@10 leave 0.2 or everything open."""
    names = [f"d{place}" for place in range(10)]
    topics = [str(place) for place in range(1, 9)]
    ranked = {key: {name: -at for at, name in enumerate(names)} for key in topics}
    other = {key: {f"x{name}": -at for at, name in enumerate(names)} for key in topics}
    for judged, said in ((8, False), (1, True)):
        qrels = {key: dict.fromkeys(names[:judged], 1) for key in topics}
        output = tmp_path / f"{judged}.html"
        known = {key: {**ranked[key], "d0": -9.5} for key in topics}
        runs = {"one": ranked, "two": known, "three": other if said else known}
        rankwise.report(qrels, runs, "P@10", output=output, baseline="one")
        page = opened(output)
        assert ("bounds not informative" in page.locator("thead").first.inner_text()) is said
        assert (page.locator("td .bounds").count() == 0) is said
        card = opened(output, "#view=pair&a=three&b=one").locator(".verdict")
        assert ("bounds not informative" in card.inner_text()) is said


def test_the_probable_range_is_drawn_in_place_of_wide_bounds(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=8, systems=4, depth=200, pool_depth=5, seed=2)
    output = tmp_path / "r.html"
    rankwise.report(made.qrels, made.runs, "AP", output=output, probable=True)
    page = opened(output)
    assert "probable range" in page.locator("thead").first.inner_text()
    assert page.locator("td .bounds.probable").count() == 4


def test_a_long_leaderboard_shows_all_rows_on_request(opened: Open, tmp_path: Path) -> None:
    many = simulate(topics=3, systems=70, depth=10, pool_depth=5, seed=1)
    output = tmp_path / "many.html"
    rankwise.report(many.qrels, many.runs, ["P@5", "RR"], output=output)
    page = opened(output)
    until(page, "document.querySelectorAll('tr .forest').length === 61")  # with the head
    page.get_by_role("button", name="Show all").click()
    until(page, "document.querySelectorAll('tr .forest').length === 71")
    page.get_by_label("Metric", exact=True).select_option("RR")
    until(page, "document.querySelectorAll('tr .forest').length === 71")


def test_the_first_screen_answers_for_groups_and_other_metrics(
    opened: Open, tmp_path: Path
) -> None:
    """B is better on the topics of x by RR and AP, and worse on y; both are equal by P@2."""
    qrels = {key: {"r": 1, "s": 1, "n": 0} for key in "123456"}
    first, second = {"r": 3, "n": 2, "s": 1}, {"n": 3, "r": 2, "s": 1}
    runs = {
        "A": {key: first if key == "6" else second for key in "123456"},
        "B": {key: second if key == "6" else first for key in "123456"},
    }
    groups = {key: "y" if key == "6" else "x" for key in "123456"}
    output = tmp_path / "r.html"
    asked = rankwise.read(qrels, runs, topic_groups=groups)
    rankwise.report(asked, metrics=["RR", "AP", "P@2"], output=output)
    page = opened(output)
    said = page.locator(".verdict").inner_text()
    assert "2 groups: worse, not significantly, on y −0.500." in said
    words = "1 of 2 other metrics has the same winner: AP (not significantly); the opposite: P@2"
    assert words not in said and "has the same winner: " in said and "(not significantly)" in said
    page.get_by_role("link", name="2 groups").click()
    until_shown(page, "groups")
    assert "is worse, not significantly, on “y”" in page.locator("h2").inner_text()
    about = page.locator(".lead").first.inner_text()
    assert about.startswith("No baseline was given; it is A, the first run.")
    assert "No group is harder than another: the two runs have 0.7500 RR on average" in about
    words = "Each group is tested separately; no test compares the differences on two groups."
    assert words in about
    methods = opened(output, "#view=methods").locator("main").inner_text()
    assert "Before you send this page" in methods
    assert "Every run has results on every topic." in methods


@pytest.fixture(scope="session")
def grouped(collection: Simulated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on five runs and two groups of topics, against system3."""
    groups = {str(topic): "other" if topic % 2 else "dates" for topic in range(1, 9)}
    asked = rankwise.read(collection.qrels, collection.runs, topic_groups=groups)
    output = tmp_path_factory.mktemp("groups") / "groups.html"
    rankwise.report(asked, metrics=METRICS, output=output, baseline="system3")
    return output


def test_methods_has_each_family_of_tests(
    collection: Simulated, grouped: Path, opened: Open
) -> None:
    said = opened(grouped, "#view=methods").locator("main").inner_text()
    found = rankwise.compare(collection.qrels, collection.runs, METRICS, baseline="system3").frame
    count = found.filter(metric="AP", significant=True).height
    assert "with the baseline system3, in every view: 4 tests for each metric" in said
    assert f", {count} (AP)." in said
    assert "another baseline, chosen on Leaderboard or Run: 4 tests for each metric." in said
    assert "simultaneous intervals of all 10 pairs of runs" in said
    assert "all pairs of runs, 10 tests for each metric" in said
    assert "2 groups × 4 comparisons with the chosen baseline, 8 tests for each metric" in said
    assert "among all pairs of runs, the number of significant differences (of 10) is " in said
    assert "p-values of topic groups are corrected" not in said, "over all pairs: not a family here"


def test_groups_name_what_is_significant_by_any_metric(
    collection: Simulated, grouped: Path, opened: Open
) -> None:
    groups = {str(topic): "other" if topic % 2 else "dates" for topic in range(1, 9)}
    asked = rankwise.read(collection.qrels, collection.runs, topic_groups=groups)
    found = rankwise.compare(asked, metrics=METRICS[:2], baseline="system3")
    page = opened(grouped, "#view=groups&b=system3&a=system1")
    line = page.locator("main > p", has_text="Significant in any run or metric: ")
    marked = [
        (row["corrected_p"], name, row)
        for name, part in found.by_group.items()
        for row in part.frame.filter(significant=True).iter_rows(named=True)
    ]
    assert line.inner_text().endswith(": none.") == (not marked)
    assert line.locator("a").count() == min(4, len(marked))
    heading = page.locator("h2").inner_text()
    assert "“other”" in heading or "“dates”" in heading
    assert re.search("The hardest group is “(other|dates)”", page.locator(".lead").inner_text())


def test_a_significant_group_is_found_and_keeps_its_mark_on_a_narrow_screen(
    opened: Open, tmp_path: Path
) -> None:
    """C is better than A by RR on the topics of x; the page opens with B, which equals A."""
    topics = [str(place) for place in range(1, 17)]
    qrels = {key: {"r": 1, "n": 0, "m": 0} for key in topics}
    low, high = {"n": 3, "m": 2, "r": 1}, {"r": 3, "n": 2, "m": 1}
    near = {"n": 3, "r": 2, "m": 1}
    plain = dict.fromkeys(topics, low)
    apart = {key: (near if int(key) % 3 else high) if int(key) < 9 else low for key in topics}
    groups = {key: "x" if int(key) < 9 else "other" for key in topics}
    asked = rankwise.read(qrels, {"A": plain, "B": plain, "C": apart}, topic_groups=groups)
    output = tmp_path / "r.html"
    rankwise.report(asked, metrics=["RR", "AP"], output=output, baseline="A")
    found = rankwise.compare(asked, metrics=["RR"], baseline="A").by_group["x"].frame
    [row] = found.filter(significant=True).to_dicts()
    page = opened(output, "#view=groups&a=B&b=A&metric=AP", width=400)
    line = page.locator("main > p", has_text="Significant in any run or metric: ")
    expected = f"C on “x” by RR (+{row['difference']:.4f}, p "
    assert expected in line.inner_text()
    line.get_by_role("link", name="C on “x” by RR").click()
    until(page, "location.hash.includes('metric=RR')")
    first = page.locator("table").first.locator("tbody tr", has_text="x").first
    assert first.locator(".sign").is_visible() and first.locator(".sign").inner_text() == "▲"


def test_a_badge_says_how_far_judging_can_go_and_what_its_state_means(
    grouped: Path, opened: Open
) -> None:
    page = opened(grouped, "#view=groups&b=system3&a=system1&metric=AP")
    badges = page.locator("table .badge")
    titles = [one.get_attribute("title") for one in badges.all()]
    assert all(titles)
    reach = page.locator("table .badge + small").all_inner_texts()
    assert reach
    for text in reach:
        assert re.fullmatch(r" ?could (fall|rise) to [+−]\d\.\d+ \(bound\)", text)


def test_a_score_is_called_underestimated_only_where_judgments_can_raise_it(
    opened: Open, tmp_path: Path
) -> None:
    """The first two documents of both runs are judged; of the others, none is."""
    topics = "123456"
    qrels = {key: {"r": 0.6, "s": 0.2, "n": 0} for key in topics}
    deep = {f"u{place}": -place for place in range(8)}
    runs = {"A": {key: {"s": 3, "r": 2, **deep} for key in topics}}
    runs["B"] = {key: {"r": 3, "s": 2, **deep} for key in topics}
    groups = {key: "x" if key < "4" else "y" for key in topics}
    output = tmp_path / "r.html"
    asked = rankwise.read(qrels, runs, topic_groups=groups)
    rankwise.report(asked, metrics=["nDCG@10", "P(rel=0.3)@2"], output=output, rel=0.3)
    said = opened(output).locator(".verdict").inner_text()
    assert "Judged in the top 10: A 20 %, B 20 %." in said and "probably underestimated" in said
    page = opened(output, "#metric=P(rel%3D0.3)@2")
    said = page.locator(".verdict").inner_text()
    assert "Judged in the top 2: A 100 %" in said and "underestimated" not in said
    assert "texts of topics" in page.locator(".sending").inner_text()
    page = opened(output, "#view=pair&group=y")
    assert "top 10 on the topics of y: A 20 %" in page.locator(".verdict").inner_text()
    assert page.get_by_role("heading", name="All topics of y").count() == 1
    page = opened(output, "#view=topic")
    shown = page.locator("main").inner_text()
    assert "1 of 3 judged documents is relevant (label 0.3 or more)" in shown
    assert "; lower labels above 0 also contribute to nDCG@10." in shown
    assert "label below the threshold 0.3: contributes to nDCG@10" in shown
    page = opened(output, "#view=topic&metric=P(rel%3D0.3)@2")
    assert "contribute" not in page.locator("main").inner_text()
    notes = opened(output, "#view=methods").locator("main").inner_text()
    assert "counts as relevant, unless a relevance threshold is set" in notes


def test_ranks_say_when_unjudged_documents_leave_every_rank_open(
    opened: Open, tmp_path: Path
) -> None:
    made = simulate(topics=20, systems=5, depth=30, pool_depth=8, seed=2)
    rankwise.report(made.qrels, made.runs, "AP,P@10", output=tmp_path / "ranks.html")
    told = 0
    for metric in ("AP", "P@10"):
        page = opened(tmp_path / "ranks.html", f"#metric={metric}")
        board = rankwise.compare(made.qrels, made.runs, metric).leaderboard()
        heads = [text.strip() for text in page.locator("main table thead th").all_inner_texts()]
        place = next(n for n, text in enumerate(heads, 1) if text.startswith("Ranks"))
        shown = dict(zip(column(page, 2), column(page, place), strict=True))
        rows = [(row["run"], *(row[name] for name in RANKS)) for row in board.iter_rows(named=True)]
        for run, lowest, highest, low, high in rows:
            [text] = [text for name, text in shown.items() if name.startswith(run)]
            if (low, high) != (lowest, highest):
                assert text.endswith(f" ({low}–{high})")
                told += 1
    assert told > 5


def test_a_topic_opens_with_two_runs_to_compare(opened: Open, tmp_path: Path) -> None:
    """Without a baseline the best run is the baseline: a topic compares the second with it."""
    made = simulate(topics=4, systems=4, depth=20, pool_depth=5, seed=2)
    output = tmp_path / "r.html"
    rankwise.report(made.qrels, made.runs, "AP", output=output)
    page = opened(output, "#view=topic")
    assert len(set(page.locator(".slope-graph .scores a").all_inner_texts())) == 2


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
    assert page.locator("h2 .lead").inner_text() == "<i>title 3</i>"


def test_an_address_that_names_what_is_not_there_says_so(report: Path, opened: Open) -> None:
    page = opened(report, "#view=run&run=nobody")
    assert page.locator(".notice").inner_text() == "There is no run “nobody” in this report."


def test_the_keyboard_reaches_views_and_sorts(report: Path, opened: Open) -> None:
    page = opened(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until_shown(page, "run")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("button", name="Rank", exact=True).focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=descending]").inner_text().strip().startswith("Rank")


def test_the_workbench_lights_up_documents_and_takes_arrow_keys(
    collection: Simulated, report: Path, opened: Open
) -> None:
    page = opened(report, "#view=topic&topic=2&run=system1")
    first = collection.runs[0].frame.filter(topic="2")["document"][0]
    page.locator(".ranked.new li").first.hover()
    assert page.locator("aside h3").inner_text() == first
    lit = page.locator(".rankings td.lit").all_inner_texts()
    holding = [
        run.name
        for run in collection.runs
        if first in run.frame.filter(topic="2")["document"].to_list()[:20]
    ]
    assert lit == [first] * len(holding) and len(holding) > 1
    page.locator("h2").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = collection.runs[0].frame.filter(topic="2")["document"][1]
    assert page.locator("aside h3").inner_text() == second
    assert f"document={second}" in page.evaluate("location.hash")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash.includes('topic=3')")
    assert "document=" not in page.evaluate("location.hash")


def test_relevant_documents_are_ordered_by_their_part_of_the_difference(
    collection: Simulated, report: Path, opened: Open
) -> None:
    """By the contributions of explain, in the direction of the difference."""
    page = opened(report, "#view=topic&topic=2&run=system5&metric=AP")
    names, parts = (column(page, place) for place in (1, 5))
    expected = []
    for place in (4, 2):
        frame = rankwise.explain(collection.qrels, collection.runs[place], "AP", "2").frame
        expected.append(
            dict(frame.drop_nulls("contribution").select("document", "contribution").rows())
        )
    own, base = expected
    shown = [float(text.replace("−", "-")) for text in parts]
    assert shown == pytest.approx([own.get(n, 0) - base.get(n, 0) for n in names], abs=1e-4)
    difference = sum(own.values()) - sum(base.values())
    assert shown == sorted(shown, reverse=difference > 0) and len(set(shown)) > 2
    head = page.locator("thead button", has_text="Part of").inner_text()
    assert head == f"Part of {difference:+.4f}".replace("-", "−")


def test_the_panel_starts_with_the_first_relevant_document(report: Path, opened: Open) -> None:
    page = opened(report, "#view=topic&topic=2&run=system5&metric=AP")
    page.wait_for_selector("aside h3")
    assert page.locator("aside h3").inner_text() == column(page, 1)[0]
    assert "null" not in page.locator("aside").inner_text()
    other = page.locator(".ranked.old li").nth(1)
    other.hover()
    assert page.locator("aside h3").inner_text() == other.locator(".name").inner_text()


@pytest.mark.parametrize("view", ["topic", "run"])
def test_a_report_on_one_run_uses_the_width(
    collection: Simulated, opened: Open, tmp_path: Path, view: str
) -> None:
    """The ranking has its relevant documents beside it, and topics have a picture."""
    output = tmp_path / "one.html"
    rankwise.report(collection.qrels, collection.runs[:1], "AP", output=output)
    page = opened(output, f"#view={view}")
    page.wait_for_selector("main table")
    if view == "topic":
        page.wait_for_selector("aside h3")
        parts = (".rankings", "section table.full", "aside")
        boxes = [page.locator(part).bounding_box() for part in parts]
        for left, right in pairwise(boxes):
            assert 0 < right["x"] - left["x"] - left["width"] < 60
    else:
        tips = page.locator("main table").last.locator("tbody svg.forest")
        assert tips.count() == 8 and " bounds " in tips.first.get_attribute("data-tip")


def test_the_topics_of_the_documents_to_judge_are_counted(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    output = tmp_path / "plan.html"
    done = rankwise.report(collection.qrels, collection.runs, ["AP", "P@10"], output=output)
    for number, plan in enumerate(done.data["collection"]["next"]["plans"]):
        documents = plan["documents"]
        key = "resolves" if plan["way"] == "probable" else "weight"
        some = max(at for at, one in enumerate(documents[key], 1) if one >= 0.001)
        counts, sums = Counter(documents["topic"][:some]), Counter[str]()
        for topic, size in zip(documents["topic"][:some], documents[key], strict=False):
            sums[topic] += size
        page = opened(output, f"#view=collection&metric={plan['metric']}")
        said = page.locator("section p", has_text=re.compile("[bB]y topic[^:]*: ")).inner_text()
        shown = {topic: int(n) for topic, n in re.findall(r"(\d+) \((\d+)\)", said)}
        assert len(shown) == min(5, len(counts))
        order = [sums[topic] for topic in shown]
        assert order == pytest.approx(sorted(order, reverse=True))
        assert max(sums.values()) == pytest.approx(order[0])
        assert all(counts[topic] == n for topic, n in shown.items())
        most, count = counts.most_common(1)[0]
        if number == 0:
            assert (f"On topic {most}, " in said) <= (count > sum(counts.values()) / 2)


def test_the_head_of_a_very_wide_page_stands_above_its_content(report: Path, opened: Open) -> None:
    page = opened(report, width=2400)
    title, content = (page.locator(part).bounding_box() for part in ("h1", "main h2"))
    assert title["x"] == pytest.approx(content["x"], abs=1) and title["x"] > 300


def test_the_address_of_a_document_highlights_it_and_scrolls_to_it(
    collection: Simulated, report: Path, opened: Open
) -> None:
    last = collection.runs[3].frame.filter(topic="2")["document"][19]
    page = opened(report, f"#view=topic&topic=2&run=system4&document={last}", width=400)
    until(page, "document.querySelector('.ranked.new li.lit') !== null")
    until(page, "window.scrollY > 0")
    assert page.locator(".ranked.new li.lit .name").inner_text() == last
    box = page.locator(".ranked.new li.lit").bounding_box()
    assert 0 < box["y"] < 900 and page.locator("aside h3").inner_text() == last
    page = opened(report, "#view=topic&topic=2&document=nothing")
    assert "“nothing” is not on this page" in page.locator(".notice").inner_text()


def test_judgments_that_reverse_a_difference_can_be_opened(opened: Open, tmp_path: Path) -> None:
    topics = [str(place) for place in range(1, 9)]
    tops = {"A": "r1 n1 n2", "V": "u2 u3 m1"}
    runs = {
        run: {key: {name: -at for at, name in enumerate(names.split())} for key in topics}
        for run, names in tops.items()
    }
    qrels = {key: {"r1": 1, "n1": 0, "n2": 0, "m1": 0} for key in topics}
    rankwise.report(qrels, runs, "P@3", output=tmp_path / "r.html")
    page = opened(tmp_path / "r.html", "#view=pair")
    [unjudged, wrong] = page.locator("details.example").all()
    unjudged.locator("summary").click()
    said = unjudged.locator("p").first
    assert said.inner_text() == (
        "With these documents judged, the difference in P@3 changes from −0.3333 to +0.0417."
    )
    rows = [row.inner_text().split("\t") for row in unjudged.locator("tbody tr").all()]
    assert len(rows) == 9 and rows[0][1] in ("u2", "u3") and rows[0][2:] == ["not judged", "1"]
    wrong.locator("summary").click()
    wrong.locator("tbody tr").first.wait_for()
    assert wrong.locator("tbody tr").count() == 9
    unjudged.locator("tbody th a").first.click()
    until_shown(page, "topic")
    assert page.locator("aside h3").inner_text() == rows[0][1]


def test_documents_of_every_ranking_are_reached_by_the_keyboard(report: Path, opened: Open) -> None:
    page = opened(report, "#view=topic&topic=2&run=system1")
    page.locator(".ranked.old li").first.focus()
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.querySelector('.name')?.textContent"
    second = page.locator(".ranked.old li .name").nth(1).inner_text()
    assert page.evaluate(focused) == second == page.locator("aside h3").inner_text()
    page.locator(".ranked.new li.relevant").first.focus()
    until(page, "document.querySelector('aside a') !== null")
    page.locator("aside a").focus()
    assert page.evaluate("document.activeElement.closest('aside') !== null")
    page.get_by_role("region", name="Rankings side by side").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    cell = page.locator(".rankings tbody tr").nth(1).locator("td").nth(1)
    assert page.evaluate("document.activeElement.textContent") == cell.inner_text()
    assert page.locator("aside h3").inner_text() == cell.inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.ariaLabel") == "Rankings side by side"
    assert "document=" not in page.evaluate("location.hash")
    page.get_by_role("link", name="next →").focus()
    page.keyboard.press("Enter")
    until(page, "location.hash.includes('topic=3')")
    assert page.evaluate("document.activeElement.textContent") == "next →"


def test_a_bar_and_a_cell_of_the_heat_map_open_their_topic(report: Path, opened: Open) -> None:
    page = opened(report, "#view=pair")
    charts_are_drawn(page)
    page.locator(".chart a.mark").first.click()
    until_shown(page, "topic")
    page = opened(report)
    canvas = page.locator("canvas")
    until(page, "document.querySelector('canvas').width > 300")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    assert "topic" in page.locator("#tip").inner_text()
    page.keyboard.press("Enter")
    until_shown(page, "topic")


def test_two_runs_open_with_one_card(opened: Open, tmp_path: Path) -> None:
    topics = [str(place) for place in range(1, 9)]
    qrels = {key: {"a": 1, "b": 0, "c": 2} for key in topics}
    old = {key: {"a": 3, "b": 2, "c": 1} for key in topics}
    new = {key: {"c": 3, "a": 2, "b": 1} for key in topics[:-1]}
    groups = {key: "head" if int(key) < 5 else "tail" for key in topics}
    output = tmp_path / "two.html"
    asked = rankwise.read(qrels, {"old": old, "new": new}, topic_groups=groups)
    rankwise.report(asked, metrics=["nDCG@2", "RR"], output=output)
    page = opened(output)
    assert page.locator("nav a").first.inner_text() == "Result"
    [worse, better] = page.locator(".movers > div").all()
    assert worse.locator("h3").inner_text() == "Got worse on 1 topic, 1 without results"
    assert "no results" in worse.locator("tr").first.inner_text()
    assert (
        "1 topic lost all its results; 1 score fell to 0: " in page.locator(".verdict").inner_text()
    )
    assert better.locator("h3").inner_text() == "Got better on 7 topics"
    found = rankwise.compare(asked, metrics=["nDCG@2"])
    assert f"{found.frame['difference'].item():.4f}" in page.locator(".change").inner_text()
    page.get_by_role("combobox", name="Topics", exact=True).select_option(label="tail")
    until(page, "location.hash.includes('group=tail')")
    part = found.by_group["tail"].frame["difference"].item()
    assert "corrected over 2 groups" in page.locator(".verdict").inner_text()
    assert f"{abs(part):.4f}" in page.locator(".change").inner_text()
    page.evaluate("location.hash = '#view=groups'")
    until_shown(page, "groups")
    assert column(page, 1) == ["tail", "head", "all topics"], "the order of the heading"


def test_each_view_has_a_title_of_its_own(report: Path, opened: Open) -> None:
    page = opened(report)
    titles = []
    for address in (
        *(f"view={view}" for view in VIEWS),
        "view=topic&topic=3",
        "view=run&run=system2",
    ):
        page.evaluate("a => location.hash = a", f"#{address}")
        until_shown(page, address.partition("&")[0].removeprefix("view="))
        page.wait_for_timeout(50)
        titles.append(page.title())
    assert len(set(titles)) == len(titles)
    assert titles[-2].startswith("Topic 3 ·") and titles[-1].startswith("Run system2 ·")
    assert all(title.endswith("· Evaluation report") for title in titles)


def test_all_tabs_are_seen_on_a_narrow_screen(report: Path, opened: Open) -> None:
    page = opened(report, width=400)
    boxes = [tab.bounding_box() for tab in page.locator("nav a").all()]
    assert len(boxes) == len(VIEWS)
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 400 for box in boxes)


def test_of_two_runs_the_first_is_the_baseline_and_judging_has_probabilities(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    """Unresolved pairs of one pair are shown as a probability: 0.5 is 50 %."""
    runs = [run for run in collection.runs if run.name in ("system2", "system4")]
    output = tmp_path / "two.html"
    done = rankwise.report(collection.qrels, runs, ["AP", "P@10", "Judged@10"], output=output)
    page = opened(output)
    assert page.locator("[data-choice=Run] option:checked").inner_text() == "system4 (new)"
    roles = [text.split() for text in page.locator(".scores").first.inner_text().split("→")]
    assert [part[:2] for part in roles] == [["system2", "baseline"], ["system4", "new"]]
    page.evaluate("location.hash = '#view=collection&metric=AP'")
    until_shown(page, "collection")
    assert page.locator("h3").first.inner_text() == "What to judge next, by AP"
    course = done.data["collection"]["next"]["plans"][0]["course"]["unresolved"]
    judged = collection.qrels.frame.height
    assert page.locator(".lead").first.inner_text().startswith(f"{judged:,} judgments on 8 topics")
    said = page.locator("section .lead").first.inner_text()
    assert f"neither run is better with 95 % certainty, is {course[0]:.1%}"[:-1] in said
    assert "nresolved pairs" not in page.locator("main").inner_text()
    page.evaluate("location.hash = '#view=collection&metric=P%4010'")
    until(page, "document.querySelector('h3').innerText.endsWith('by P@10')")
    page.evaluate("location.hash = '#view=collection&metric=Judged%4010'")
    until(page, "document.querySelector('h3').innerText.endsWith('by AP')")
    assert "no plan by Judged@10" in page.locator("main").inner_text()


def test_an_empty_list_of_documents_to_judge_says_why(opened: Open, tmp_path: Path) -> None:
    """The first 100 documents of both runs are judged, and none below."""
    ranked = [f"d{place:03}" for place in range(150)]
    orders = {"up": ranked, "down": ranked[99::-1] + ranked[:99:-1]}
    runs = {
        name: {topic: {one: -float(at) for at, one in enumerate(order)} for topic in "123456"}
        for name, order in orders.items()
    }
    grades = {one: int(place % 7 == 0) for place, one in enumerate(ranked[:100])}
    output = tmp_path / "judged.html"
    qrels = dict.fromkeys("123456", grades)
    done = rankwise.report(qrels, runs, ["AP", "P@10", "nDCG@10"], output=output)
    assert all(
        plan["documents"]["document"] == [] for plan in done.data["collection"]["next"]["plans"]
    )
    possible = "Verdicts and bounds use no model"
    page = opened(output, "#view=collection&metric=AP")
    said = page.locator("section > div > p").first
    assert said.inner_text().startswith("The first 100 documents of all runs are judged. Unjudged ")
    assert " can still reverse a difference, but the model does not" in said.inner_text()
    assert "For example, the difference of down and up, now " in said.inner_text()
    call = 'rankwise plan next QRELS RUN… -m "AP" --unjudged top=1000 --budget 500'
    assert page.locator("section code").first.inner_text() == call
    assert possible in said.inner_text()
    for metric in ("P@10", "nDCG@10"):
        page = opened(output, f"#view=collection&metric={metric.replace('@', '%40')}")
        said = page.locator("section > div > p").first
        settled = (
            f"Judging cannot change which run is better by {metric}: "
            "the sign of the difference is guaranteed"
        )
        assert said.inner_text().startswith(settled) and possible in said.inner_text()


def test_with_a_baseline_only_its_pairs_are_said_to_be_guaranteed(
    opened: Open, tmp_path: Path, trec8: Path
) -> None:
    """One pair without the baseline can be reversed by nDCG@10, of ten runs of TREC-8."""
    names = "apl8c221 att99atdc CL99SD Flab8ax iit99ma1 MITSLStd ok8alx pir9Attd READWARE uwmt8a2"
    runs = [trec8 / "runs" / f"input.{name}.gz" for name in names.split()]
    output, qrels = tmp_path / "ten.html", trec8 / "trec8.qrels.gz"
    rankwise.report(qrels, runs, "nDCG@10", baseline="ok8alx", output=output)
    said = opened(output, "#view=collection&metric=nDCG%4010").locator("section > div > p").first
    whose = "Judging cannot change which runs are better than the baseline by nDCG@10: "
    assert said.inner_text().startswith(whose)
    verdicts = rankwise.compare(qrels, runs, "nDCG@10").frame["verdict"]
    assert (verdicts == "undecided").any()


def test_an_empty_list_says_what_the_model_expects(opened: Open, tmp_path: Path) -> None:
    """Both runs have the same first 100 documents, of which 40 are not judged."""
    top = [f"d{place:03}" for place in range(100)]
    orders = {
        "up": [*top, "r", *(f"a{place}" for place in range(30))],
        "down": [*top, *(f"b{place}" for place in range(30)), "r"],
    }
    runs = {
        name: {topic: {one: -float(at) for at, one in enumerate(order)} for topic in "12345678"}
        for name, order in orders.items()
    }
    grades = {one: int(place % 3 == 0) for place, one in enumerate(top[:60])} | {"r": 1}
    output = tmp_path / "same.html"
    rankwise.report(dict.fromkeys("12345678", grades), runs, "AP", output=output)
    said = opened(output, "#view=collection").locator("section > div > p").first.inner_text()
    assert said.startswith("A model of the present judgments expects no unjudged document among")
    assert "which the model does not rank, can still reverse a difference" in said


def test_a_complete_list_offers_no_longer_one_and_says_how_ties_are_listed(
    opened: Open, tmp_path: Path
) -> None:
    """Every document has the same weight in P@10; some topics have two unjudged documents."""
    made = simulate(topics=20, systems=3, depth=30, pool_depth=9, seed=5)
    output = tmp_path / "ties.html"
    done = rankwise.report(made.qrels, made.runs, ["P@10", "DCG@30"], output=output)
    short, whole = done.data["collection"]["next"]["plans"]
    count = len(short["documents"]["document"])
    assert 1 < count < len(whole["documents"]["document"]) == 100
    for metric, is_short in (("P@10", True), ("DCG@30", False)):
        page = opened(output, f"#view=collection&metric={metric.replace('@', '%40')}")
        said = page.locator("main").inner_text()
        assert ("A longer list: rankwise plan next" in said) != is_short
        assert "Documents with equal weight are listed in turns" in said or not is_short


def test_the_page_says_what_is_possible_and_what_the_model_expects(
    collection: Simulated, opened: Open, tmp_path: Path
) -> None:
    runs = [run for run in collection.runs if run.name in ("system2", "system4")]
    output = tmp_path / "two.html"
    done = rankwise.report(collection.qrels, runs, "AP", output=output)
    plan = done.data["collection"]["next"]["plans"][0]
    found = predict(collection.qrels, runs, "AP")
    [expected] = found.expected
    assert plan["expected"] == pytest.approx(expected.tolist())
    page = opened(output)
    said = page.locator(".verdict").inner_text()
    assert "Can be reversed" in said
    size = f"{expected[1] - expected[0]:+.4f}".replace("-", "−")
    assert f"the expected difference system4 − system2 is {size} instead of" in said
    first = page.locator(".movers > div").first.locator("th a").first.inner_text()
    page.locator("nav a", has_text="Topic").click()
    until_shown(page, "topic")
    assert page.locator("h2").inner_text() == f"Topic {first}", "the worst topic is opened"


def test_a_narrow_screen_names_the_columns_that_it_leaves_out(report: Path, opened: Open) -> None:
    hint = ".only-narrow >> nth=0"
    page = opened(report, width=400)
    assert "Not shown on a narrow screen: Rank; " in page.locator(hint).inner_text()
    assert not opened(report).locator(hint).is_visible()


def test_the_appendix_prints_a_page_per_run(report: Path, opened: Open) -> None:
    page = opened(report, "#view=appendix")
    page.get_by_role("button", name="Print").wait_for()
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 5
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


@pytest.fixture(scope="session")
def reports(
    report: Path, collection: Simulated, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """Pages that have every view between them: many runs, two runs and one, judges, scores."""
    folder = tmp_path_factory.mktemp("kinds")
    second = collection.qrels.frame.with_columns(
        grade=pl.when(pl.int_range(pl.len()) % 4 == 0).then(0).otherwise(pl.col("grade"))
    )
    judges = rankwise.Judges({"human": collection.qrels, "llm": second}, "first")
    scores = rankwise.score(collection.qrels, collection.runs, ["AP", "RR"])
    groups = {topic: f"g{place % 2}" for place, topic in enumerate(scores.topics)}
    of_judges = rankwise.read(judges, collection.runs, topic_groups=groups)
    rankwise.report(of_judges, metrics="nDCG@10", output=folder / "judges.html")
    for count in (2, 1):
        runs, output = collection.runs[:count], folder / f"{count}.html"
        rankwise.report(collection.qrels, runs, "AP,RR", output=output)
    rankwise.report(scores, output=folder / "scores.html")
    return [report, *sorted(folder.glob("*.html"))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    reports: list[Path], opened: Open, axe: str, scheme: str
) -> None:
    seen = set()
    for file in reports:
        page = opened(file, scheme=scheme)
        page.evaluate(axe)
        for place, name in enumerate(page.locator("nav a").all_inner_texts()):
            page.locator("nav a").nth(place).click()
            page.locator("nav a[aria-current]", has_text=name).wait_for()
            charts_are_drawn(page)
            found = page.evaluate("async () => (await axe.run()).violations")
            bad = [
                (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] != "minor"
            ]
            assert bad == [], (file.name, name)
            seen.add(name)
    assert seen >= {"Result", "Groups", "Judges", "Appendix", "Leaderboard", "Collection"}


def test_what_is_printed_is_light_also_from_a_dark_screen(
    reports: list[Path], opened: Open
) -> None:
    page = opened(reports[0], scheme="dark")

    def colours(page: Any = page) -> Any:
        return page.evaluate(
            "() => ['--paper', '--dim-back', '--pale', '--own'].map((name) =>"
            " window.getComputedStyle(document.documentElement).getPropertyValue(name).trim())"
        )

    dark = colours()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")  # canvases are drawn now
    drawn = colours()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert colours() == dark
    page.emulate_media(media="print", color_scheme="dark")
    light = opened(reports[0])
    assert colours() == drawn == colours(light)
    assert all(one != other for one, other in zip(dark, drawn, strict=True))


@pytest.mark.parametrize("width", [1400, 400])
def test_a_report_made_from_scores_shows_every_view_and_no_bounds(
    collection: Simulated, opened: Open, tmp_path: Path, width: int
) -> None:
    scores = rankwise.score(collection.qrels, collection.runs, ["AP", "RR"])
    groups = {topic: f"g{place % 2}" for place, topic in enumerate(scores.topics)}
    for data, name in ((scores, "five"), (scores.with_groups(groups), "groups")):
        rankwise.report(data, output=tmp_path / f"{name}.html", appendix=True)
        page = opened(tmp_path / f"{name}.html", width=width)
        names = page.locator("nav a").all_inner_texts()
        expected = ["Leaderboard", "Pair", "Topic", "Run", "Methods", "Appendix"]
        assert [each for each in names if each != "Groups"] == expected
        for at, view in enumerate(names):
            page.locator("nav a").nth(at).click()
            page.locator("nav a[aria-current]", has_text=view).wait_for()  # drawn after the click
            text = page.locator("main").inner_text()
            assert "NaN" not in text and "undefined" not in text
            assert view == "Methods" or "ounds" not in text, view


def test_bounds_of_judged_documents_have_a_reason(opened: Open, tmp_path: Path) -> None:
    """Both runs are judged down to rank 2; a relevant document at rank 3 changes the ideal."""
    qrels = {key: {"r": 2, "s": 1} for key in "123456"}
    runs = {
        "A": {key: {"s": 3, "r": 2, "u": 1} for key in qrels},
        "B": {key: {"r": 3, "s": 2, "u": 1} for key in qrels},
    }
    output = tmp_path / "r.html"
    rankwise.report(qrels, runs, ["nDCG@2", "P@2"], output=output)
    reason = "because relevant documents below rank 2 would change the ideal ranking"
    for metric, has_ideal in {"nDCG@2": True, "P@2": False}.items():
        said = opened(output, f"#metric={metric}").locator(".verdict").inner_text()
        assert "Judged in the top 2: A 100 %, B 100 %." in said
        assert (reason in said) == has_ideal
    assert "No topic lost all its results; no score fell to 0." in said


def test_names_of_two_runs_are_whole_on_a_narrow_screen(opened: Open, tmp_path: Path) -> None:
    made = simulate(topics=6, systems=2, depth=10, pool_depth=5, seed=1)
    runs = dict(zip(["bm25base_p", "bm25base_prf_p"], made.runs, strict=True))
    rankwise.report(made.qrels, runs, "AP", output=tmp_path / "r.html")
    page = opened(tmp_path / "r.html", width=400)
    for label in ("Run", "Compared with"):
        box = page.get_by_role("combobox", name=label, exact=True).bounding_box()
        assert box["width"] > 300
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wider) == 0


def test_a_first_place_that_is_guaranteed_is_so_on_these_topics(
    opened: Open, tmp_path: Path
) -> None:
    topics = [str(place) for place in range(1, 9)]
    qrels = {key: {"r": 1, "n": 0} for key in topics}
    runs = {name: {key: {"n": 2, "r": 1} for key in topics} for name in ("second", "third")}
    runs["first"] = {key: {"r": 2, "n": 1} if key == "1" else {"n": 2, "r": 1} for key in topics}
    rankwise.report(qrels, runs, "RR", output=tmp_path / "r.html")
    lead = opened(tmp_path / "r.html").locator(".lead").inner_text()
    words = "On these topics, no judgments of the unjudged documents change the first place"
    assert f"{words}; on other topics, the best run may have ranks 1 to 3." in lead
