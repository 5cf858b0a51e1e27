"""The site of `make docs`, opened from disk: the search, the menu, and pages on a narrow screen."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NARROW, WIDE = 400, 1000

# What a reader types, and a page that must be among the first two.
SEARCHES = {
    "nDCG": "metrics/nDCG",
    "nDCG@10": "metrics/nDCG",
    "MAP": "metrics/AP",
    "MRR": "metrics/RR",
    "RBP": "metrics/RBP",
    "ERR": "metrics/ERR",
    "bpref": "metrics/Bpref",
    "infNDCG": "designing",
    "hit rate": "metrics/Success",
    "average precision": "metrics/AP",
    "alpha-nDCG": "metrics/alpha_nDCG",
    "R-precision": "metrics/Rprec",
    "significance": "statistics",
    "confidence interval": "statistics",
    "LLM": "rag",
    "RAG": "rag",
    "judge agreement": "judges",
    "kappa": "judges",
    "pandas": "tools/pandas-polars",
    "notebook": "notebook",
    "Spark": "tools/spark",
    "unjudged": "partly-judged",
    "pooling": "track",
    "residual": "metrics/RBPResidual",
    "power": "designing",
    "latex": "paper-table",
    "CI": "ci",
    "GitHub action": "ci",
    "csv": "formats",
    "Elasticsearch": "engines",
    "p-value": "statistics",
    "trec_eval": "tools/pytrec_eval",
}
FOUND = """() => [...document.querySelectorAll(".md-search-result__item a.md-search-result__link")]
  .map(link => link.getAttribute("href"))"""

# The results differ from those of the previous word, and have not changed for half a second.
STABLE = """previous => new Promise(resolve => {
  const list = document.querySelector(".md-search-result__list");
  let before = list.innerHTML, since = performance.now();
  const look = setInterval(() => {
    if (list.innerHTML !== before) { before = list.innerHTML; since = performance.now(); }
    if (performance.now() - since > 500) { clearInterval(look); resolve(before !== previous); }
  }, 50);
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is not built here")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True)
    yield context.new_page()
    context.close()


def test_the_search_finds_the_page_of_a_word_among_the_first_two(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")
    wrong, results = {}, ""
    for words, wanted in SEARCHES.items():
        page.fill(".md-search__input", words[:-1])
        page.wait_for_timeout(50)
        page.type(".md-search__input", words[-1])  # the search listens to keys
        page.wait_for_function(STABLE, arg=results)
        results = page.inner_html(".md-search-result__list")
        pages = [link.partition("?")[0].removesuffix(".html") for link in page.evaluate(FOUND)]
        first = list(dict.fromkeys(pages))[:2]
        if not any(found.endswith(f"/{wanted}") for found in first):
            wrong[words] = first
    assert wrong == {}


def test_the_menu_is_visible_from_1000_pixels_on(site: Path, page: Any) -> None:
    page.goto((site / "quickstart.html").as_uri())
    for width, shown in ((WIDE, True), (WIDE - 1, False)):
        page.set_viewport_size({"width": width, "height": 900})
        menu = page.locator(".md-sidebar--primary").bounding_box()
        assert (menu is not None and 0 <= menu["x"] < width) == shown, width


def test_no_page_is_wider_than_a_narrow_screen(site: Path, page: Any) -> None:
    page.set_viewport_size({"width": NARROW, "height": 900})
    pages = [file for file in sorted(site.rglob("*.html")) if "assets" not in file.parts]
    metrics = [file for file in pages if file.parent.name == "metrics"]
    assert len(pages) > 100 and len(metrics) > 80
    for file in sorted({*pages} - {*metrics[10:]}):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW, file
        broken = "[...document.images].filter(each => !each.naturalWidth).map(each => each.src)"
        assert page.evaluate(broken) == [], file
