"""Frames as text: aligned tables, CSV, JSON, LaTeX, Markdown, HTML."""

import io
import math
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from rankwise.errors import visible

if TYPE_CHECKING:
    import polars as pl

Columns = dict[str, list[Any]]  # columns of equal length by name: numbers, text or None

# Version of the JSON output. It increases if a key or column is removed or changes its meaning.
SCHEMA_VERSION = 1
TO_THE_RIGHT = {"value", "share"}
LATEX_NEEDS = "% needs \\usepackage{booktabs}\n"
FORMULA = r"^([=+\-@\t\r])"
_RAISED = dict(zip("¹²³⁺⁻ᵃᵇᶜᵈᵉᶠᵏ", "123+-abcdefk", strict=True))
_MATHS = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "λ": "lambda"}
_MATHS |= {"μ": "mu", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi"}
_MATHS |= {"Δ": "Delta", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "∞": "infty", "√": "surd"}
_MATHS |= {"≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "×": "times", "±": "pm"}
_MATHS |= {"→": "rightarrow", "↑": "uparrow", "↓": "downarrow", "⌊": "lfloor", "⌋": "rfloor"}
_MATHS |= {"·": "cdot", "∫": "int", "†": "dagger", "‡": "ddagger", "♯": "sharp"}
IN_LATEX = {character: f"\\{character}" for character in "&%$#_{}"}
IN_LATEX |= {"~": r"\textasciitilde{}", "^": r"\^{}", "\\": r"\textbackslash{}"}
IN_LATEX |= {"−": "$-$", "′": "$'$", "–": "--", "…": r"\ldots{}", "“": "``", "”": "''"}
IN_LATEX |= {character: f"${character}$" for character in "<>|"}
IN_LATEX |= {character: f"$\\{name}$" for character, name in _MATHS.items()}
IN_LATEX |= {character: f"$^{{{plain}}}$" for character, plain in _RAISED.items()}


def rendered(
    frame: "pl.DataFrame | Columns",
    style: str,
    digits: int = 4,
    *,
    width: int | None = None,
    caption: str | None = None,
    right: Collection[str] = (),
) -> bytes:
    """Return a frame as table, csv, json, parquet, spreadsheet, latex (booktabs), markdown or html.

    The styles csv, json and parquet have all values without rounding; `digits` and the other
    options apply to table, latex, markdown and html. The style spreadsheet is CSV with an
    apostrophe before text that a spreadsheet would run as a formula. Control characters are escaped
    in table, latex, markdown and html.

    `width` is the maximum number of characters per line of the style table; by default, lines are
    as long as needed. With a `caption`, LaTeX has a table environment, and Markdown and HTML have
    the caption above the table. Columns of text are left-aligned, except `value`, `share` and
    columns named in `right`.
    """
    if style == "csv":
        return _csv(frame).encode() if isinstance(frame, dict) else frame.write_csv().encode()
    if style == "spreadsheet":
        return rendered(_guarded(as_frame(frame)), "csv")
    if style == "json":
        return (as_frame(frame).write_json() + "\n").encode()
    if style == "parquet":
        buffer = io.BytesIO()
        as_frame(frame).write_parquet(buffer)
        return buffer.getvalue()
    if isinstance(frame, dict):
        rows = list(zip(*frame.values(), strict=True))
        numeric = [not any(isinstance(v, str) for v in values) for values in frame.values()]
    else:
        rows, numeric = frame.rows(), [dtype.is_numeric() for dtype in frame.dtypes]
    names = list(frame) if isinstance(frame, dict) else frame.columns
    cells = [[visible(format_cell(value, digits)) for value in row] for row in rows]
    names = [visible(name) for name in names]
    formatted = TO_THE_RIGHT | set(right)  # columns with numbers that are formatted as text
    numeric = [one or name in formatted for one, name in zip(numeric, names, strict=True)]
    if style == "latex":
        return _latex(names, cells, numeric, caption).encode()
    if style == "markdown":
        return _markdown(names, cells, numeric, caption).encode()
    if style == "html":
        return _html(names, cells, numeric, caption).encode()
    return _text(names, cells, numeric, width or 10**9).encode()


def as_frame(columns: "pl.DataFrame | Columns") -> "pl.DataFrame":
    """Return columns as a polars frame; columns that contain only None become numeric."""
    if not isinstance(columns, dict):
        return columns
    import polars as pl

    frame = pl.DataFrame(columns, infer_schema_length=None)
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64))


def _guarded(frame: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    return frame.with_columns(pl.col(pl.String).str.replace(FORMULA, "'$1"))


def _csv(columns: Columns) -> str:
    """Return CSV as polars writes it: numbers in full precision, and quotes where needed."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(",".join(map(_csv_cell, row)) + "\n" for row in rows)


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        text = repr(value)
        if "e" not in text:
            return text
        number, _, exponent = text.partition("e")
        from decimal import Decimal

        # Like polars: decimals down to 0.00001, then 1e-6 and not 1e-06.
        return f"{Decimal(text):f}" if exponent == "-05" else f"{number}e{int(exponent)}"
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def format_cell(value: object, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if math.isnan(value):
            return "–"
        return f"{value:z.{digits}f}"  # never -0.0000
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def format_count(value: object, digits: int) -> str:
    """Format a count: a whole number without decimals, other numbers with `digits` decimals."""
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:,.0f}" if whole else format_cell(value, digits)


def format_intervals(frame: "pl.DataFrame", low: str, high: str, digits: int) -> list[str]:
    """Format two columns of limits as intervals such as "0.1234 to 0.2345", or – if unknown."""
    return [
        "–" if start is None or stop is None else f"{start:.{digits}f} to {stop:.{digits}f}"
        for start, stop in frame.select(low, high).rows()
    ]


def format_p(p: float | None, digits: int) -> str:
    """Format a p-value with `digits` decimals, such as 0.0312.

    With `digits=4`, values below 0.0001 become <0.0001. `digits=0` also gives 4 decimals.
    """
    if p is None or digits == 0:
        return format_cell(p, max(digits, 4))
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if p < least else format_cell(p, digits)


def p_of_sentence(p: float, digits: int) -> str:
    """Write a p-value for a sentence: p = 0.0312, or p < 0.0001."""
    text = format_p(p, digits)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def _text(columns: list[str], cells: list[list[str]], numeric: list[bool], limit: int) -> str:
    """Return aligned columns; if a line is longer than `limit`, split columns into blocks.

    The library Rich would truncate numbers that do not fit, and a truncated number is wrong.
    """
    needed = [max(map(len, column)) for column in zip(*cells, strict=True)] or [0] * len(columns)
    split = list(zip(*map(_in_two_lines, columns, needed), strict=True))
    for heads in ([columns], split):  # splitting names in two lines may be enough
        widths = [max(map(len, column)) for column in zip(*heads, *cells, strict=True)]
        if sum(widths) + 2 * len(widths) - 2 <= limit:
            blocks = [list(range(len(columns)))]
            break
    else:
        blocks = _blocks(columns, numeric, widths, limit)
    texts = []
    for block in blocks:
        lines = [
            "  ".join(
                row[p].rjust(widths[p]) if numeric[p] else row[p].ljust(widths[p]) for p in block
            ).rstrip()
            for row in [*heads, *cells]
        ]
        texts.append("\n".join(lines if lines[0] else lines[1:]) + "\n")
    return "\n".join(texts)


def _in_two_lines(name: str, width: int) -> tuple[str, str]:
    """Split a name longer than `width` at a space or after an underscore into two lines.

    The longer line is as short as possible. The first line is empty if the name is not split.
    """
    if len(name) <= width:
        return "", name
    ends = [found.end() for found in re.finditer("[ _]", name)]
    lines = [("", name), *((name[:end].rstrip(" "), name[end:]) for end in ends)]
    return min(lines, key=lambda pair: max(map(len, pair)))


def _blocks(
    columns: list[str], numeric: list[bool], widths: list[int], limit: int
) -> list[list[int]]:
    """Split columns into blocks whose lines have at most `limit` characters, if possible.

    Return the indices of the columns of each block. Every block starts with the columns that name
    the rows: a rank, and the first columns of text. Columns `low` and `high` stay together.
    """
    first = numeric.index(False) if False in numeric else 0
    names = [place for place in range(len(columns)) if place <= first]
    while len(names) < len(columns) and not numeric[len(names)]:
        names.append(len(names))
    names = names if first <= 1 else [0]
    while len(names) > 1 and sum(widths[p] + 2 for p in names) > limit / 2:
        names.pop()
    blocks = [names.copy()]
    for place in range(len(names), len(columns)):
        ends = columns[place].endswith("low") and columns[place + 1 :][:1]
        together = [place, place + 1] if ends and ends[0].endswith("high") else [place]
        used = sum(widths[p] + 2 for p in [*blocks[-1], *together]) - 2
        if used > limit and len(blocks[-1]) > len(names):
            blocks.append(names.copy())
        blocks[-1].append(place)
    return blocks


def _markdown(
    columns: list[str], cells: list[list[str]], numeric: list[bool], caption: str | None
) -> str:
    from html import escape

    rule = ["---:" if is_number else "---" for is_number in numeric]
    head, *rows = ([escape(text, quote=False) for text in row] for row in (columns, *cells))
    return (f"{caption}\n\n" if caption else "") + markdown_rows([head, rule, *rows])


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as lines of a Markdown table; `rows[1]` is the rule below the header."""
    escaped = ([text.replace("|", r"\|") for text in row] for row in rows)
    return "".join("| " + " | ".join(row) + " |\n" for row in escaped)


def _html(
    columns: list[str], cells: list[list[str]], numeric: list[bool], caption: str | None
) -> str:
    from html import escape

    def line(kind: str, row: list[str]) -> str:
        sides = ["right" if is_number else "left" for is_number in numeric]
        parts = [
            f'<{kind} style="text-align: {side}">{escape(text)}</{kind}>'
            for side, text in zip(sides, row, strict=True)
        ]
        return f"<tr>{''.join(parts)}</tr>\n"

    above = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    shown = [
        [
            re.sub(r"(?<!\w)-(?=\d)", "−", text) if is_number else text
            for text, is_number in zip(row, numeric, strict=True)
        ]
        for row in cells
    ]
    body = "".join(line("td", row) for row in shown)
    head = line("th", columns)
    return f"<table>\n{above}<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _latex(
    columns: list[str], cells: list[list[str]], numeric: list[bool], caption: str | None
) -> str:
    kinds = "".join("r" if is_number else "l" for is_number in numeric)
    rows = [[latex_text(name) for name in columns]]
    for row in cells:
        pairs = zip(row, numeric, strict=True)
        rows.append([_latex_number(t) if is_number else latex_text(t) for t, is_number in pairs])
    for row in rows:
        # After \\ LaTeX would read a bracket as a length, and a star as a ban on a page break.
        row[0] = re.sub(r"^([\[*])", r"{\1}", row[0])
    table = tabular(kinds, rows)
    if caption is None:
        return LATEX_NEEDS + table
    above = f"\\caption{{{latex_text(sentences(caption))}}}\n\\label{{tab:rankwise}}\n\\centering\n"
    return f"{LATEX_NEEDS}\\begin{{table}}\n{above}{table}\\end{{table}}\n"


def tabular(kinds: str, rows: Sequence[Sequence[str]]) -> str:
    """Return rows of LaTeX as a tabular (booktabs); `kinds` is its column specification."""
    head, *lines = (" & ".join(row) + r" \\" for row in rows)
    body = "\n".join([r"\toprule", head, r"\midrule", *lines, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{kinds}}}\n{body}\n\\end{{tabular}}\n"


def sentences(caption: str) -> str:
    """Capitalise the first word of each sentence after the first sentence of a caption.

    The symbol p and words after `et al.` are not changed.
    """
    return re.sub(r"(?<! al)\. [a-z](?=[a-z])", lambda start: start[0].upper(), caption)


def latex_text(text: str) -> str:
    """Escape text for LaTeX, so that pdflatex needs no additional packages."""
    return "".join(IN_LATEX.get(character, character) for character in text)


def _latex_number(text: str) -> str:
    """Escape a number for LaTeX; the hyphen becomes a minus sign in -0.25, but not in 4-9."""
    return latex_text(re.sub(r"(?<!\w)-(?=[\d.])", "−", text))
