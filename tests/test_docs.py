"""The docs name what is there, and their Python runs."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from pages import blocks_of, run_blocks
from source_links import on_page_markdown

import rankwise
import rankwise.judging
import rankwise.published

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]


WITH_PYTHON = [page for page in PAGES if blocks_of(page)]


def test_there_is_python_to_run() -> None:
    assert {"README.md", "adding-a-metric.md", "metrics.md"} <= {page.name for page in WITH_PYTHON}
    fences = sum(page.read_text(encoding="utf-8").count("```py") for page in PAGES)
    assert sum(len(blocks_of(page)) for page in PAGES) == fences >= 60


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_every_python_block_runs(page: Path) -> None:
    """A page that begins with `<!-- needs TOOL -->` is of a tool that may not be installed here.

    Or not in the version that follows its name.

    That on Spark is tried in tests/spark, where a cluster is.
    """
    if needs := re.match(r"<!-- needs (\w+)(?: ([\d.]+))? -->", page.read_text(encoding="utf-8")):
        if needs[1] == "pyspark":
            pytest.skip("tests/spark runs this page")
        wanted = " ".join(filter(None, needs.groups()))
        pytest.importorskip(needs[1], needs[2], reason=f"{wanted} is not installed")
    run_blocks(page)


@pytest.mark.usefixtures("own_names")
def test_the_metrics_that_the_docs_show_are_metrics(tmp_path: Path) -> None:
    """Root at ranks 1 and 4: 0.3 + 0.3²; the last relevant document stands at rank 4."""
    file = tmp_path / "my_metrics.py"
    shown = blocks_of(ROOT / "docs" / "adding-a-metric.md")
    file.write_text("\n\n".join(block for _, block in shown), encoding="utf-8")
    rankwise.metrics.load_metrics(file)
    ranking = [1, 0, None, 1, 0]
    assert rankwise.score_gains("Root(p=0.3)", ranking) == pytest.approx(0.3 + 0.3**2)
    assert rankwise.score_gains("LastRelevant", ranking) == 4


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    listed = re.findall(
        r"^::: rankwise\.(\w+)$",
        (ROOT / "docs" / "api.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {*rankwise.__all__} <= {*listed}
    for package in ("judging", "published"):
        assert package in listed


def test_every_page_is_in_the_navigation() -> None:
    named = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(page.relative_to(ROOT / "docs").as_posix() for page in DOCS)


def test_links_of_the_docs_stay_in_the_docs() -> None:
    """Except into the source, which the site has as text: `make docs` refuses all others."""
    links = [
        (page, link)
        for page in DOCS
        for link in re.findall(
            r"\]\(([\w./-]+)[)#]", on_page_markdown(page.read_text(encoding="utf-8"))
        )
    ]
    wrong = [
        f"{page.name}: {link}"
        for page, link in links
        if not (target := (page.parent / link).resolve()).is_relative_to(ROOT / "docs")
        or not target.exists()
    ]
    assert wrong == [] and len(links) > 100


def test_documented_parameters_are_parameters() -> None:
    count = 0
    for module in (rankwise, rankwise.judging, rankwise.published):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isfunction(value):
                continue
            section = (value.__doc__ or "").partition("Parameters\n    ---")[2]
            described = section.partition("\n\n    Returns\n")[0].partition("\n\n    Examples\n")[0]
            names = [
                n
                for line in re.findall(r"^    (\w[\w, ]*)$", described, re.M)
                for n in line.split(", ")
            ]
            assert [n for n in names if n not in inspect.signature(value).parameters] == [], name
            count += len(names)
    assert count > 100


def test_every_dotted_name_in_the_docs_exists() -> None:
    names = {
        name
        for page in PAGES
        for code in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
        for name in re.findall(r"\brankwise(?:\.[A-Za-z_]+)+", code)
    }
    assert len(names) >= 3
    for name in sorted(names):
        if not name.startswith("rankwise.spark") or find_spec("pyspark") is not None:
            resolve(name)


def test_every_file_that_the_docs_name_exists() -> None:
    """Also as its end, `bounds/undefined.py`."""
    files = {path.relative_to(ROOT).as_posix() for path in walked()}
    named = {
        (page.name, file)
        for page in PAGES
        for file in re.findall(
            r"`((?:[\w.-]+/)*[\w-]+\.(?:py|c|js|toml|json))(?:::\w+)?`",
            page.read_text(encoding="utf-8"),
        )
        if "/" in file
    }
    missing = [
        f"{page}: {file}"
        for page, file in sorted(named)
        if not any(known == file or known.endswith(f"/{file}") for known in files)
    ]
    assert missing == [] and len(named) > 60


def walked() -> Iterator[Path]:
    for folder in (".ci", "benchmarks", "docs", "examples", "src", "tests"):
        yield from (ROOT / folder).rglob("*.*")


def options_of_commands() -> dict[str, set[str]]:
    api = (ROOT / "tests/frozen/api.txt").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for command, options in re.findall(r"^  rankwise ([a-z_ -]+?) (-.*)$", api, re.MULTILINE):
        found.setdefault(command, {"--help", "--help-all"}).update(
            re.findall(r"--[a-z-]+", options)
        )
    return found


def test_options_of_commands_that_no_test_runs_exist() -> None:
    """Sessions are run; commands within a sentence, a table or a plain block are not."""
    own, count, wrong = options_of_commands(), 0, []
    for page in [*PAGES, ROOT / "CHANGELOG.md", ROOT / "docs/llms.txt"]:
        text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
        for line in re.findall(r"\brankwise ([a-z][^`\n|]*)", text):
            command = next((c for c in own if f"{line} ".startswith(f"{c} ")), None)
            used = re.findall(r"(?<![\w-])--[a-z][a-z-]*", line) if command else []
            count += len(used)
            wrong += [f"{page.name}: {line}" for option in used if option not in own[str(command)]]
    assert wrong == [] and count > 300


def resolve(name: str) -> object:
    """The module or what is in it; an error where there is no such thing."""
    module, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(module), last)


def test_the_gallery_has_every_chart() -> None:
    """A comment above each picture names the function that draws it."""
    tree = ast.parse((ROOT / "src/rankwise/charts/of_results.py").read_text(encoding="utf-8"))
    drawn = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankwise.charts.")
        for alias in node.names
        if alias.name.islower()  # a constant is no chart
    }
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"^<!-- (\w+) -->\n!\[.+\]\(assets/([\w-]+)\.svg\)$", page, re.MULTILINE)
    assert len(drawn) > 20 and {name for name, _ in shown} == drawn
    assert len({picture for _, picture in shown}) == page.count("--chart ") - 1


def test_every_metric_has_a_page_of_its_own() -> None:
    pytest.importorskip("mkdocs", reason="the site is not built here")
    from metric_pages import begins_another, metric_page, weights_picture

    metrics = [rankwise.metrics.REGISTRY[name] for name in ("RBP", "nDCG", "AP", "P")]
    pages = [metric_page(metric, None) for metric in metrics]
    assert all(
        page.startswith(f"# {metric.__name__}\n")
        for page, metric in zip(pages, metrics, strict=True)
    )
    assert begins_another("nDCG") and not begins_another("nDCGRel")  # the search finds nDCG first
    assert "<svg" in pages[0] and "<svg" in pages[1]
    assert not weights_picture(rankwise.metrics.REGISTRY["Q"])
    assert "| avoid | with few judgments: it divides by R" in pages[2]
