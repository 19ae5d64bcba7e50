"""Options of climates by simple returns."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option

day = 86400.0
paper = "Held and Suarez (1994), Bull. Amer. Meteorol. Soc. 75, 1825"


@dataclass(frozen=True, kw_only=True)
class HeldSuarezOptions(Options):
    """Temperature returns to that of a simple climate, the wind near the ground slows down."""

    acts: bool = option(False, "", "whether it does; the grid lies on the globe then", source=paper)
    warmest: float = option(315.0, "K", "at the ground on the equator", at_least=100.0)
    contrast: float = option(60.0, "K", "between equator and poles", at_least=0.0)
    stability: float = option(
        10.0, "K", "of potential temperature over the equator, where the pressure is e times less",
        at_least=0.0,
    )  # fmt: skip
    coldest: float = option(200.0, "K", "that there is", at_least=50.0)
    slow: float = option(40 * day, "s", "time of return of temperature", at_least=1.0)
    fast: float = option(4 * day, "s", "the same at the ground on the equator", at_least=1.0)
    friction: float = option(day, "s", "time in which the wind at the ground slows", at_least=1.0)
    lower: float = option(
        0.7, "1", "pressure over that at the ground below which air feels the ground",
        at_least=0.0, at_most=0.99,
    )  # fmt: skip
