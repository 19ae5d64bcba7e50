"""Tables on the terminal: cells below each other, within its width."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

usual_width = 100
"""Where what is printed goes to no terminal."""

narrowest = 12
"""Columns of text are not made narrower."""


def lines_up(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Cells below each other, numbers to the right; columns of text are wrapped to fit a width.

    >>> print(lines_up([["a", "10 s", "x"], ["bc", "9 s", "yz"]]))
    a   10 s  x
    bc   9 s  yz
    >>> print(lines_up([["call", "s"], ["a name that is long", "3"]], width=17))
    call            s
    a name that is  3
    long
    """
    if not rows:
        return ""
    if width is None:
        width = shutil.get_terminal_size((usual_width, 24)).columns
    columns = list(zip(*rows, strict=True))
    numbers = [_is_number(column) for column in columns]
    widths = _fitting([max(map(len, column)) for column in columns], numbers, width)
    lines = []
    for row in rows:
        cells = [
            textwrap.wrap(cell, most) if len(cell) > most else [cell]
            for cell, most in zip(row, widths, strict=True)
        ]
        for at in range(max(map(len, cells))):
            parts = [cell[at] if at < len(cell) else "" for cell in cells]
            placed = [
                part.rjust(most) if number else part.ljust(most)
                for part, most, number in zip(parts, widths, numbers, strict=True)
            ]
            lines.append("  ".join(placed).rstrip())
    return "\n".join(lines)


def _is_number(column: Sequence[str]) -> bool:
    below = [cell for cell in column[1:] if cell]
    return bool(below) and all(cell[0] in "-?0123456789" for cell in below)


def _fitting(widths: list[int], numbers: list[bool], width: int) -> list[int]:
    """Widths of columns that fit together, as far as columns of text can be narrower."""
    found = list(widths)
    while sum(found) + 2 * (len(found) - 1) > width:
        texts = [at for at, number in enumerate(numbers) if not number and found[at] > narrowest]
        if not texts:
            break
        found[max(texts, key=lambda at: found[at])] -= 1
    return found
