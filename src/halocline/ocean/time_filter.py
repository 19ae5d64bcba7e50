"""What keeps the two chains of leapfrog's levels together."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class TimeFilterOptions(Options):
    """What keeps the two chains of leapfrog's levels together."""

    scheme: str = option(
        "averaging",
        "",
        "means of neighbouring levels, or Matsuno's steps, forward and again with what that gave,"
        " every `ocean.averaging` steps; or the filter of Robert and Asselin in every step",
        choices=("averaging", "matsuno", "robert"),
    )
    strength: float = option(
        0.1, "1", "of `robert`: weight of the second difference", at_least=0.0, at_most=1.0
    )
    share: float = option(
        0.53,
        "1",
        "of `robert`: how much of the change the present level takes, the next one loses the rest;"
        " 1: all, as Asselin (1972)",
        at_least=0.5,
        at_most=1.0,
        source="Williams (2009)",
    )
