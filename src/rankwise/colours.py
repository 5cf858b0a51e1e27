"""Colours of runs, the same in all charts and in the report.

Dark and light pages need different shades. The baseline has a colour that no other run has.
"""

from collections.abc import Mapping, Sequence

# Okabe and Ito's colours, which are distinguishable with colour blindness, in an order in which
# neighbours also differ in lightness. With dashes they remain distinguishable in grey.
COLOURS = ["#0072B2", "#D55E00", "#56B4E9", "#000000", "#E69F00", "#009E73", "#CC79A7", "#999999"]
RUN, BASELINE, OTHER = "#0072B2", "#C2410C", "#8C959F"  # white text on the first two is legible
ON_DARK = {RUN: "#5AA9E6", BASELINE: "#F0894A", OTHER: "#7D8590"}
OTHER_RUNS = [colour for colour in COLOURS if colour not in (RUN, "#D55E00", "#E69F00")]


def run_colours(runs: Sequence[str], baseline: str | None = None) -> Mapping[str, str]:
    """Return the colour of each run, by its position in the collection and not by its rank.

    If there are two runs, the first is the default baseline, as in `compare`. Colours repeat from
    the seventh run on, not counting the baseline.
    """
    if baseline is None and len(runs) == 2:
        baseline = runs[0]
    palette = [RUN, *OTHER_RUNS]
    others = [run for run in runs if run != baseline]
    colours = {run: palette[place % len(palette)] for place, run in enumerate(others)}
    return colours if baseline is None else {baseline: BASELINE, **colours}


def as_css() -> str:
    """Return the colours of a run, the baseline and other runs as CSS, for light and dark pages."""
    roles = {"own": RUN, "base": BASELINE, "other": OTHER}
    light = "; ".join(f"--{name}: {colour}" for name, colour in roles.items())
    dark = "; ".join(f"--{name}: {ON_DARK[colour]}" for name, colour in roles.items())
    rules = [
        f":root {{ {light}; }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not(.printing) {{ {dark}; }} }}",
    ]
    return "\n".join(rules) + "\n"
