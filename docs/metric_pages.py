"""A hook of mkdocs: one page per metric, with a picture of its weights if it has any.

The pages are generated from the same entries as docs/metrics.md. On the site that page has only the
list of the metrics, and is excluded from the search, which then finds a metric's own page first.
"""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from mkdocs.structure.files import File, Files, InclusionLevel

sys.path.insert(0, str(Path(__file__).parent))
from make_metrics_page import entry, in_order, properties_of, titled

from rankwise import user_model
from rankwise.errors import RankwiseError
from rankwise.metrics import Metric, parse
from rankwise.metrics.descriptions import family

RANKS = 20
BAR, GAP, HEIGHT = 14, 4, 72
BOOST = 20  # in the search
BOOSTS = {"alpha_nDCG": 10, "Rprec": 30}  # "alpha-nDCG" also finds nDCG, "R-precision" P
GAIN = 0.3  # of every document, in pictures of users who react to gains


def on_files(files: Files, config: Any, **_: Any) -> Files:
    properties = properties_of()
    for metric in in_order():
        text = metric_page(metric, properties.get(metric.__name__))
        file = File.generated(config, page_of(metric), content=text)
        file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link to the pages of the metrics, and boost these in the search."""
    name = page.file.src_uri.removeprefix("metrics/").removesuffix(".md")
    if page.file.src_uri == f"metrics/{name}.md":
        page.meta["search"] = {"boost": BOOSTS.get(name, BOOST if begins_another(name) else 2)}
    if page.file.src_uri == "metrics.md":
        page.meta["search"] = {"exclude": True}
        markdown = without_entries(markdown).replace("](#", "](metrics.md#")
    pages = {metric.__name__.lower(): page_of(metric) for metric in in_order()}
    return re.sub(
        r"\]\(((?:\.\./)*)metrics\.md#(\w+)\)",
        lambda link: f"]({link[1]}{pages[link[2]]})" if link[2] in pages else link[0],
        markdown,
    )


def without_entries(markdown: str) -> str:
    """Drop the entries of the metrics, which have pages of their own, from the catalogue."""
    head, marker, rest = markdown.partition("\n## All metrics\n")
    first, *_, last = rest.split("\n## ")
    return "\n## ".join([head + marker + first, last])


def begins_another(name: str) -> bool:
    """Return whether a search for this name also finds longer names, such as nDCGRel."""
    names = [metric.__name__.lower() for metric in in_order()]
    return any(each.startswith(name.lower()) and each != name.lower() for each in names)


def page_of(metric: type[Metric]) -> str:
    return f"metrics/{metric.__name__}.md"


def metric_page(metric: type[Metric], properties: dict[str, bool] | None) -> str:
    heading, *body = entry(metric, properties)
    parts = [f"# {heading.removeprefix('### ')}", *body, weights_picture(metric)]
    related = [each for each in in_order() if family(each) == family(metric) and each != metric]
    if related:
        links = ", ".join(f"[{each.__name__}]({each.__name__}.md)" for each in related)
        parts.append(f"Family: {titled(family(metric))}. Other metrics of this family: {links}.")
    parts.append("[All metrics, and the notation](../metrics.md)")
    text = "\n\n".join(part for part in parts if part) + "\n"
    return text.replace("](#", "](../metrics.md#")  # on_page_markdown links to the page


def weights_picture(metric: type[Metric]) -> str:
    """Draw the weights of the first ranks, or the users who view them, as bars."""
    name = metric.__name__
    for text in (name, f"{name}@{RANKS // 2}"):
        try:
            parsed = parse(text)
        except RankwiseError:  # a parameter or the cutoff is missing
            continue
        fixed = parsed.sum_of_weights
        if fixed is None and parsed.normalised is not None:
            fixed = parsed.normalised.earned
        if fixed is not None:
            weights = np.asarray(fixed.weight(np.arange(1, RANKS + 1)), float)
            cutoff = parsed.cutoff or RANKS
            weights[cutoff:] = 0.0
            title = f"Weights of ranks 1 to {RANKS} in {parsed}, relative to the largest"
            return bars(weights / weights.max(), title)
        try:
            model = user_model(parsed, [GAIN] * RANKS, depth=RANKS)
        except RankwiseError:  # it has no user model
            continue
        views = model.by_rank()["view"].to_numpy()
        title = f"Fraction of users who view each rank ({parsed}; each document has gain {GAIN})"
        return bars(views[:RANKS], title)
    return ""


def bars(heights: Any, title: str) -> str:
    """Draw an inline chart of bars; heights are from 0 to 1."""
    rectangles = [
        f'<rect x="{place * (BAR + GAP)}" y="{HEIGHT * (1 - height):.1f}" '
        f'width="{BAR}" height="{HEIGHT * height:.1f}"/>'
        for place, height in enumerate(heights)
    ]
    labels = [
        f'<text x="{(rank - 1) * (BAR + GAP) + BAR / 2}" y="{HEIGHT + 14}">{rank}</text>'
        for rank in (1, 5, 10, 15, RANKS)
    ]
    box = f"0 0 {RANKS * (BAR + GAP)} {HEIGHT + 18}"
    return (
        f'<figure class="weights"><svg viewBox="{box}" role="img" aria-label="{title}">'
        f"{''.join(rectangles)}{''.join(labels)}</svg>"
        f"<figcaption>{title}.</figcaption></figure>"
    )
