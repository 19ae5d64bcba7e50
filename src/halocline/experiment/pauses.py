"""Runs that pause wherever a program outside computes a step of its member."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

from halocline.component.outside import ComputedOutside
from halocline.core.errors import UserError

Result = TypeVar("Result")

Pauses = Generator[ComputedOutside, None, Result]
"""What gives the component at each pause, and something at its end."""


def to_end(going: Pauses[Result] | Iterator[ComputedOutside]) -> Result:
    """What comes of a run without programs outside: it has no pauses."""
    try:
        next(going)
    except StopIteration as end:
        return end.value
    raise UserError(
        "A member of this run is computed by another program (component = 'program'), which has to"
        " run on the ranks of that member. Start all with 'halocline run', or see"
        " 'halocline plan' for the command."
    )
