"""A chart of scores against p in plain characters, within 80 columns."""

from collections.abc import Iterable, Sequence

WIDTH, HEIGHT = 70, 20
Layer = tuple[str, Sequence[float], Sequence[float]]
COLUMNS = tuple((column + 0.5) / WIDTH for column in range(WIDTH))


def chart(layers: Iterable[Layer], points: Iterable[tuple[str, float, float]] = ()) -> str:
    """Areas between a low and a high for each of COLUMNS, then points (mark, p, score).

    A later layer is drawn over an earlier one; where two areas meet, `#`.
    """
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]
    for mark, lows, highs in layers:
        for column, (low, high) in enumerate(zip(lows, highs, strict=True)):
            for row in range(_row(low), _row(high) + 1):
                shared = mark.islower() and cells[row][column].islower()
                cells[row][column] = "#" if shared else mark
    for mark, p, score in points:
        cells[_row(score)][min(int(p * WIDTH), WIDTH - 1)] = mark
    labels = {HEIGHT - 1: "1.0", HEIGHT // 2: "0.5", 0: "0.0"}
    lines = [
        f"{labels.get(row, ''):>4} |{''.join(cells[row])}".rstrip() for row in range(HEIGHT)[::-1]
    ]
    axis = "     +" + "-" * WIDTH
    marks = "".join(f"{tenth / 10:<7g}" for tenth in range(10)) + "1"
    return "\n".join([*lines, axis, "      " + marks]) + "\n"


def _row(score: float) -> int:
    return min(max(int(score * HEIGHT), 0), HEIGHT - 1)
