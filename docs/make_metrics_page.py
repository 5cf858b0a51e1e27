"""Writes docs/metrics.md from the metrics, their formulas and properties: `make docs`."""

import inspect
import re
import tomllib
from itertools import groupby
from pathlib import Path

from rankwise.metrics import REGISTRY, Metric
from rankwise.metrics.aliases import NOT_HERE, NOT_HERE_FROM, NTCIREVAL, SIMILARITIES
from rankwise.metrics.descriptions import aliases, bounds, family, signature, summary

DOCS = Path(__file__).parent
FORMULAS = tomllib.loads((DOCS / "formulas.toml").read_text(encoding="utf-8"))
FAMILIES = {"dcg": "Discounted cumulative gain", "rbp": "Rank-biased precision"}
FAMILIES |= {"trec eval gain": "Gain in trec_eval"}
PROPERTIES = (
    "bounded",
    "monotonic",
    "convergent",
    "top-weighted",
    "localized",
    "complete",
    "realizable",
    "SWAP",
)

HEAD = r"""# Metrics

<!-- Made by `make docs` from the metrics themselves: do not edit. -->

A metric is written `Name(param=value, …)@cutoff`, on the command line and in Python.
`rankwise metrics list` lists them, `rankwise metrics show NAME` shows one. A metric of your own is
[ten lines](adding-a-metric.md).

## Notation

A ranking has the documents of ranks $1, 2, …, d$. Of the document at rank $i$:

- $r_i$ is 1 if it is relevant (its grade is at least `rel`), else 0; $g_i$ is its gain, $r_i$
  unless grades or `gains` say otherwise;
- $n(i)$, $m(i)$ and $\mathrm{cg}(i)$ are the number of relevant documents, the number of documents
  judged not relevant, and the total gain, each in ranks 1 to $i$.

Of the topic: $R$ documents are judged relevant, $N$ judged not relevant. The ideal ranking has the
judged documents best first; $g^{*}_i$ is its gain at rank $i$, and a metric with a star is that of
the ideal ranking; $g_{\mathrm{max}}$ is the greatest gain there is. $k$ is the cutoff or, without
one, the length $d$; metrics of users without end (RBP, INSQ, INST …) sum over all ranks, and those
below the end of the ranking gain nothing. Sakai's *blended ratio* is

```math
\mathrm{BR}(i) = \frac{n(i) + \beta \, \mathrm{cg}(i)}{i + \beta \, \mathrm{cg}^{*}(i)}
```

*Bounds* are how low and high a score can be under any judgment of the unjudged documents: *exact*,
or *outer*, which are valid but not always tight. The *properties* are Moffat's seven and SWAP:
[Properties of metrics](properties.md) defines them and shows the counterexamples.
"""


def page() -> str:
    by_family = [(name, list(metrics)) for name, metrics in groupby(in_order(), key=family)]
    parts = [HEAD.strip(), "## All metrics", contents(by_family)]
    has = properties_of()
    for name, metrics in by_family:
        parts.append(f"## {titled(name)}")
        for metric in metrics:
            parts += entry(metric, has.get(metric.__name__))
    return "\n\n".join([*parts, *other_tools()]) + "\n"


def in_order() -> list[type[Metric]]:
    return sorted(REGISTRY.values(), key=lambda each: (family(each), each.__name__.lower()))


def titled(family_name: str) -> str:
    return FAMILIES.get(family_name, family_name.capitalize())


def contents(by_family: list[tuple[str, list[type[Metric]]]]) -> str:
    rows = [
        f"| {titled(name) if place == 0 else ''} | [{metric.__name__}](#{metric.__name__.lower()}) "
        f"| {escaped(summary(metric))} |"
        for name, metrics in by_family
        for place, metric in enumerate(metrics)
    ]
    return "\n".join(["| family | metric | what it is |", "|---|---|---|", *rows])


def entry(metric: type[Metric], has: dict[str, bool] | None) -> list[str]:
    """Formula, how it is written, what the docstring says, and the facts in a table."""
    text, _, example = (inspect.getdoc(metric) or "").partition(">>> ")
    first, *body = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    use, citation = advice(text)
    if use:
        body.pop()
    wanted, avoided, rest = use.partition("Do not")
    facts = {
        "use it": escaped(without("Use it ", wanted.strip())),
        "do not use it": escaped(without("Do not use it", avoided + rest).strip(" :")),
        "bounds": bounds(metric),
        "properties": in_words(has) if has else "",
        "elsewhere": ", ".join(f"`{alias}`" for alias in aliases(metric)),
        "from": escaped(citation),
    }
    rows = [f"| {name} | {fact} |" for name, fact in facts.items() if fact]
    return [
        f"### {metric.__name__}",
        escaped(first),
        f"```math\n{FORMULAS[metric.__name__]}\n```",
        f"`{signature(metric)}`",
        *map(escaped, body),
        "\n".join(["| | |", "|---|---|", *rows]),
        f"```python\n>>> {example.strip()}\n```",
    ]


def without(start: str, text: str) -> str:
    """What the name of the row says already; "Do not average it" is said whole."""
    return text.removeprefix(start)


def advice(text: str) -> tuple[str, str]:
    """When to use a metric, and the citation, which begins on a line of its own."""
    lines = text.strip().split("\n\n")[-1].splitlines()
    if not lines[0].startswith(("Use", "Do not")):
        return "", ""
    for place in range(1, len(lines)):
        rest = " ".join(lines[place:])
        cites = re.search(r"\b(19|20)\d\d\b|trec_eval's", rest) and "Do not" not in rest
        if lines[place - 1].endswith(".") and cites:
            return " ".join(lines[:place]), rest
    return " ".join(lines), ""


def properties_of() -> dict[str, dict[str, bool]]:
    """From the catalogue in docs/properties.md, which a test holds to the search."""
    text = (DOCS / "properties.md").read_text(encoding="utf-8").partition("## The catalogue")[2]
    rows = re.findall(rf"^\| (\w+)\S* ((?:\| [YN] ){{{len(PROPERTIES)}}})\|$", text, re.MULTILINE)
    return {
        name: dict(
            zip(PROPERTIES, (cell == "Y" for cell in re.findall("[YN]", cells)), strict=True)
        )
        for name, cells in rows
    }


def in_words(has: dict[str, bool]) -> str:
    yes, no = ([name for name, holds in has.items() if holds is wanted] for wanted in (True, False))
    return "; ".join(
        part for part in (", ".join(yes), f"not {', '.join(no)}" if no else "") if part
    )


def escaped(text: str) -> str:
    return text.replace("*", r"\*").replace("|", r"\|")


def other_tools() -> list[str]:
    """How names of other tools are read, and which of them stand for no metric."""
    ntcireval = ", ".join(f"`{name}@0010` is `{ours}@10`" for name, ours in NTCIREVAL.items())
    reasons = {**NOT_HERE, **{f"{start}…": reason for start, reason in NOT_HERE_FROM.items()}}
    alike: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        alike.setdefault(reason, []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | {reason}. |" for reason, names in alike.items()]
    return [
        "## Names of other tools",
        "Names of trec_eval, ir_measures, MTEB, BEIR, sentence-transformers, ranx and NTCIREVAL "
        "give the numbers of these tools, up to the order of tied documents and the mean over "
        "topics without relevant documents (`undefined`). They are above with each metric, where "
        "`#` is a number. "
        f"`cosine_` may be {', '.join(f'`{each}_`' for each in SIMILARITIES[1:])} as well. A "
        "suffix as in ranx's `map@10-l2` is the lowest relevant grade; documents below it gain "
        "nothing in DCG and nDCG. NTCIREVAL's cutoffs have four digits: "
        f"{ntcireval}.",
        "These names are not metrics of rankwise:",
        "\n".join(["| name | why |", "|---|---|", *rows]),
    ]


if __name__ == "__main__":
    (DOCS / "metrics.md").write_text(page(), encoding="utf-8")
