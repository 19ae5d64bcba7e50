"""Lists of numbers as users write them: `1-4,8,16`."""

from __future__ import annotations

import re

from halocline.core.errors import UserError

most_numbers = 100_000


def whole_numbers(words: str, option: str) -> list[int]:
    """Whole numbers from 1 up, in order, none twice.

    >>> whole_numbers("1-4,8", "--ranks"), whole_numbers("4,2, 2", "--ranks")
    ([1, 2, 3, 4, 8], [2, 4])
    """
    found: set[int] = set()
    for word in words.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", word)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first > most_numbers:
            raise UserError(
                f"{option} {words}: '{word.strip()}' is no number from 1 up and no range of them."
                " Write for example 1-4,8,16."
            )
        found.update(range(first, last + 1))
    return sorted(found)


def shares(words: str, option: str) -> list[float]:
    """Numbers between 0 and 1, in the order given.

    >>> shares("1,0.9", "--parallel")
    [1.0, 0.9]
    """
    found = []
    for word in words.split(","):
        try:
            value = float(word)
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1.0:
            raise UserError(f"{option} {words}: '{word.strip()}' is not between 0 and 1.")
        found.append(value)
    return found
