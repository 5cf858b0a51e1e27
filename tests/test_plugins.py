"""Plug-ins of other packages, found by entry points, in processes of their own."""

import csv
import json
import os
import subprocess
import sys
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from calls import Done

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"
QRELS = "q1 0 a 1\nq1 0 b 1\nq1 0 c 0\n"
RANKED = "q1: c a x b y\n"


def install(folder: Path, project: dict[str, object], sources: Path) -> None:
    """Put a package into a folder as an installer does: its modules, and its entry points."""
    name, version = str(project["name"]), str(project["version"])
    (folder / sources.name).symlink_to(sources)
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
    groups = project["entry-points"]
    assert isinstance(groups, dict) and groups
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the example installed, beside the files that the tests read."""
    site = tmp_path / "site"
    site.mkdir()
    text = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    install(site, tomllib.loads(text)["project"], EXAMPLE / "src" / "rankwise_example")
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "new.ranked").write_text(RANKED)
    (tmp_path / "old.run").write_text("q1 Q0 a 1 2 old\nq1 Q0 c 2 1 old\n")
    return site


def call(site: Path, *command: str) -> Done:
    where = os.environ | {"PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *command], cwd=site.parent, env=where, capture_output=True, text=True
    )
    return Done(done.returncode, done.stdout, done.stderr)


def rankwise(site: Path, *args: str) -> Done:
    return call(site, "-m", "rankwise", *args)


def test_a_metric_and_a_format_of_another_package_are_found_by_name(site: Path) -> None:
    given = ["score", "qrels.txt", "new.ranked", "old.run", "-m", "LastRelevant,last_rel(rel=2),AP"]
    done = rankwise(site, *given, "--format", "csv")
    assert (done.code, done.err.count("plug-in")) == (0, 0)
    means = {
        (row["run"], row["metric"]): row["value"] for row in csv.DictReader(StringIO(done.out))
    }
    assert float(means["new", "LastRelevant"]) == 4 and float(means["old", "AP"]) == 0.5


def test_a_metric_that_is_not_here_may_come_from_a_plugin_and_is_described(site: Path) -> None:
    shown = rankwise(site, "metrics", "show", "LastRelevant")
    assert shown.code == 0 and "Also written: last_rel" in shown.out
    listed = rankwise(site, "metrics", "list")
    assert listed.code == 0 and "rankwise-example 1.0.0" in listed.out
    read = json.loads(rankwise(site, "metrics", "list", "--format", "json").out)
    sources = {row["metric"]: row["from"] for row in read["rows"]}
    assert sources["LastRelevant"] == "rankwise-example 1.0.0" and sources["AP"] == "rankwise"


def test_a_format_of_another_package_is_written_by_its_name(site: Path) -> None:
    given = ["convert", "old.run", "out.txt", "--format", "ranked-lines-out"]
    assert rankwise(site, *given).code == 0
    assert (site.parent / "out.txt").read_text() == "q1: a c\n"


def test_known_names_and_formats_do_not_read_entry_points(site: Path) -> None:
    script = (
        "import sys, rankwise\n"
        "rankwise.score('qrels.txt', 'old.run', ['AP', 'ndcg_cut_10']).table()\n"
        "assert 'importlib.metadata' not in sys.modules and 'rankwise_example' not in sys.modules\n"
        "rankwise.parse('last_rel')\n"
        "assert 'rankwise_example.metrics' in sys.modules\n"
        "assert 'rankwise_example.ranked_lines' not in sys.modules\n"
    )
    done = call(site, "-c", script)
    assert done.code == 0, done.err


BROKEN = {
    "import": "raise ImportError('no module named gone')",
    "taken": "from rankwise import Metric, register\n@register()\nclass AP(Metric): ...",
    "nothing": "LastRelevant = None",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_is_a_warning_that_names_it(tmp_path: Path, fault: str) -> None:
    site = tmp_path / "site"
    broken = tmp_path / "broken"
    site.mkdir()
    broken.mkdir()
    (broken / "__init__.py").write_text(BROKEN[fault])
    points = {"rankwise.metrics": {"Mine": "broken:LastRelevant"}}
    points["rankwise.formats"] = {"mine": "broken:LastRelevant"}
    install(site, {"name": "bad-one", "version": "0.3", "entry-points": points}, broken)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2 a\n")
    (tmp_path / "a.odd").write_text("something: else\n")
    unknown = rankwise(site, "score", "qrels.txt", "a.run", "-m", "Mine")
    assert unknown.code == 2 and "unknown metric 'Mine'" in unknown.err
    assert "warning: the plug-in Mine of bad-one 0.3 cannot be used: " in unknown.err
    assert "Traceback" not in unknown.err
    odd = rankwise(site, "score", "qrels.txt", "a.odd", "-m", "AP")
    assert odd.code == 2 and "warning: the plug-in mine of bad-one 0.3 cannot be used" in odd.err
    if fault == "import":  # the rest does not depend on it
        fine = rankwise(site, "score", "qrels.txt", "a.run", "-m", "AP")
        assert (fine.code, fine.err) == (0, "")
        listed = rankwise(site, "metrics", "list")
        assert listed.code == 0 and listed.err.count("warning: the plug-in Mine") == 1


def test_a_module_that_registers_metrics_is_a_plugin(tmp_path: Path) -> None:
    site, sources = tmp_path / "site", tmp_path / "several"
    site.mkdir()
    sources.mkdir()
    names = ["First", "Second"]
    lines = ["from rankwise import Metric, register"]
    for name in names:
        lines += ["@register()", f"class {name}(Metric):", "    def compute(self, judged):"]
        lines += ["        return judged.length * 1.0"]
    (sources / "__init__.py").write_text("\n".join(lines))
    points = {"rankwise.metrics": {"all": "several"}}
    install(site, {"name": "several", "version": "2.0", "entry-points": points}, sources)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2 a\nq1 Q0 x 2 1 a\n")
    done = rankwise(site, "score", "qrels.txt", "a.run", "-m", "First,Second", "--format", "csv")
    assert (done.code, done.err.count("plug-in")) == (0, 0)
    rows = csv.DictReader(StringIO(done.out))
    assert {row["metric"]: float(row["value"]) for row in rows} == {"First": 2, "Second": 2}
    listed = json.loads(rankwise(site, "metrics", "list", "--format", "json").out)["rows"]
    assert {row["from"] for row in listed if row["metric"] in names} == {"several 2.0"}


def test_a_plugin_that_prints_leaves_standard_output_to_the_result(tmp_path: Path) -> None:
    (site := tmp_path / "site").mkdir()
    (loud := tmp_path / "loud").mkdir()
    (loud / "__init__.py").write_text("print('loading')\nimport rankwise_gone")
    points = {"rankwise.metrics": {"Loud": "loud:Loud"}}
    install(site, {"name": "loud-one", "version": "1", "entry-points": points}, loud)
    done = rankwise(site, "metrics", "list", "--format", "json")
    assert done.code == 0 and "loading" in done.err
    assert len(json.loads(done.out)["rows"]) > 80


@pytest.mark.slow
def test_pip_installs_the_example(tmp_path: Path) -> None:
    site = tmp_path / "site"
    options = ["--quiet", "--no-deps", "--disable-pip-version-check", "--target", str(site)]
    command = [sys.executable, "-m", "pip", "install", *options, str(EXAMPLE)]
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "new.ranked").write_text(RANKED)
    done = rankwise(site, "score", "qrels.txt", "new.ranked", "-m", "LastRelevant")
    assert done.code == 0 and "4.0000" in done.out
