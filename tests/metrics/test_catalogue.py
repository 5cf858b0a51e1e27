"""The catalogue, the page made of it, and metrics of one's own."""

import re
from pathlib import Path
from runpy import run_path
from typing import get_args

import pytest
from make_metrics_page import FORMULAS, page, properties_of

import rankwise
from rankwise import Metric
from rankwise.bounds import ScoreBounds
from rankwise.metrics import REGISTRY
from rankwise.metrics.descriptions import bounds, catalogue, entry, listing
from rankwise.metrics.registry import load_metrics
from rankwise.metrics.traits import FormTraits, Traits
from rankwise.vocabulary import Assumption

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_metrics_is_current() -> None:
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_every_metric_has_a_formula_and_its_properties() -> None:
    assert FORMULAS.keys() == REGISTRY.keys()
    assert all(re.search(r"=|:", formula) for formula in FORMULAS.values())
    assert REGISTRY.keys() == properties_of().keys()


def test_bounds_are_known_of_every_metric() -> None:
    assert [name for name, metric in REGISTRY.items() if bounds(metric) == "not known"] == []
    assert bounds(Metric) == "not known"


def test_every_metric_says_what_it_is_and_when_not_to_use_it() -> None:
    for name, metric in REGISTRY.items():
        text = metric.__doc__ or ""
        assert re.search(r"Use |not recommended|does not measure quality|same as", text) or (
            metric.aggregate == "sum"
        ), name
        assert ">>> " in text, f"{name} has no example"


def test_the_listing_fits_a_terminal_and_names_every_metric() -> None:
    lines = listing().splitlines()
    for name in REGISTRY:
        assert any(re.match(rf"  {re.escape(name)}[(\[@]|  {re.escape(name)}$", x) for x in lines)
    assert catalogue().height == len(REGISTRY)


def test_an_entry_can_be_asked_for_by_any_name() -> None:
    assert entry("map") == entry("AP") == entry("AP(rel=2)@10")
    with pytest.raises(rankwise.errors.UnknownMetric, match="Did you mean"):
        entry("nDCQ")


@pytest.mark.usefixtures("own_names")
def test_the_examples_of_the_page_on_own_metrics_run(tmp_path: Path) -> None:
    text = (DOCS / "adding-a-metric.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 4
    for place, example in enumerate(examples):
        path = tmp_path / f"own{place}.py"
        path.write_text(example, encoding="utf-8")
        if "@register()" in example:
            load_metrics(path)
        else:
            run_path(str(path))  # asserts its result itself
    qrels, run = {"1": {"a": 1, "c": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    scores = rankwise.score(qrels, run, ["Root(p=0.25)", "LastRelevant"], bounds=True)
    assert scores.value.ravel() == pytest.approx([0.25 + 0.25**3**0.5, 3.0])
    assert scores.high is not None
    assert scores.high[0, 0, 0] == pytest.approx(0.25 + 0.25**2**0.5 + 0.25**3**0.5)
    assert "RootRBP" in entry("Root")
    for assumption in get_args(Assumption):
        ours, own = (
            rankwise.score(qrels, run, metric, bounds=True, unjudged=assumption)
            for metric in ("Recall@2", "SquaredRecall@2")
        )
        assert own.value == pytest.approx(ours.value**2)
        assert ours.low is not None and ours.high is not None
        assert own.low == pytest.approx(ours.low**2)
        assert own.high == pytest.approx(ours.high**2)


def test_the_page_on_own_metrics_lists_every_trait() -> None:
    text = (DOCS / "adding-a-metric.md").read_text(encoding="utf-8")
    table = "".join(line for line in text.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"\| (`.*?) \|", table))))
    members = {**vars(FormTraits), **vars(Metric)}
    computed = {name for name, each in members.items() if isinstance(each, property)}
    declared = {name for name in vars(Traits) if not name.startswith("_")}
    # Nobody declares these.
    derived = {"sign", "as_printed", "record"}
    derived |= {"mean_range", "greatest_difference"}  # follow from score_range
    declared -= {"zero_if_undefined"}  # set by the parser
    assert declared | (computed - derived) == listed & (declared | computed)
    assert len(listed & (declared | computed)) > 20
    of_bounds = {name for name in ScoreBounds.__annotations__ if not name.startswith("_")}
    methods = set(re.findall(r"`(\w+)\(metric", table))
    assert of_bounds <= listed and len(of_bounds) > 5
    assert len(methods) > 3 and all(hasattr(ScoreBounds, name) for name in methods)


@pytest.mark.usefixtures("own_names")
def test_a_file_that_does_not_work_says_where(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import rankwise\n\nx = 1 / 0\n")
    with pytest.raises(rankwise.CallError, match=r"mine.py:3: ZeroDivisionError"):
        load_metrics(file)
    file.write_text("x = 1\n")
    with pytest.raises(rankwise.CallError, match="defines no metric"):
        load_metrics(file)
    with pytest.raises(rankwise.CallError, match="no such file"):
        load_metrics(tmp_path / "none.py")
    file.write_text("from rankwise import register, Metric\n@register()\nclass AP(Metric): ...\n")
    with pytest.raises(rankwise.CallError, match="another metric is already called 'AP'"):
        load_metrics(file)


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f():\n    return {}['x']\n\nf()\n", "odd.py:2: KeyError: 'x'"),
        ("x = 1\nif x\n", "odd.py:2: SyntaxError: expected ':'"),
        ("import sys\nsys.exit(3)\n", r"odd.py:2: the file ends the program \(sys.exit\)"),
        (
            "import rankwise as r\n@r.register()\ndef mine(judged): ...\n",
            "odd.py:2: mine is not a metric",
        ),
        (
            "import rankwise as r\n@r.register()\nclass Mine: ...\n",
            "odd.py:2: Mine is not a metric",
        ),
    ],
)
def test_a_file_that_does_not_work_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.py").write_text(text)
    with pytest.raises(rankwise.CallError, match=f"^{said}") as error:
        load_metrics("odd.py")
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("own_names")
def test_an_own_metric_that_fails_is_named(tmp_path: Path) -> None:
    head = "from rankwise import Metric, register\n"
    shape = "@register()\nclass {}(Metric):\n"
    body = "    def compute(self, judged):\n        return {}\n"
    text = head + shape.format("Wrong") + body.format("judged.nothing")
    (tmp_path / "own_wrong.py").write_text(text + shape.format("Long") + body.format("judged.rank"))
    load_metrics(tmp_path / "own_wrong.py")
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}
    with pytest.raises(rankwise.errors.MetricError, match=r"Wrong: AttributeError.*own_wrong.py:5"):
        rankwise.score(qrels, run, "Wrong")
    with pytest.raises(rankwise.errors.MetricError, match="one real number per ranking"):
        rankwise.score(qrels, run, "Long")


def test_less_is_better_is_said_and_flagged_together() -> None:
    for metric in REGISTRY.values():
        assert ("Lower is better" in (metric.__doc__ or "")) == metric.less_is_better, metric
