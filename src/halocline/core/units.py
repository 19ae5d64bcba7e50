"""Units, compared by what they mean and not by how they are written.

A unit is a product of powers, as CF writes it: "kg m-1 s-2", "W/m2", "degree". Exponents are whole
numbers. Units of the same dimension that differ by a factor ("m", "km") are different.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from halocline.core.errors import UserError

_made_of = {
    "Hz": "s-1",
    "N": "kg m s-2",
    "Pa": "kg m-1 s-2",
    "J": "kg m2 s-2",
    "W": "kg m2 s-3",
    "g": "0.001 kg",
    "mg": "0.000001 kg",
    "km": "1000 m",
    "cm": "0.01 m",
    "mm": "0.001 m",
    "mmol": "0.001 mol",
    "umol": "0.000001 mol",
    "hPa": "100 Pa",
    "ms": "0.001 s",
    "ns": "0.000000001 s",
    "min": "60 s",
    "minute": "60 s",
    "h": "3600 s",
    "hour": "3600 s",
    "day": "86400 s",
    "d": "86400 s",
    "l": "0.001 m3",
    "percent": "0.01",
    "%": "0.01",
    "kelvin": "K",
    "degrees": "degree",
    "radian": "rad",
    "second": "s",
    "metre": "m",
    "byte": "B",
}
_factor = re.compile(r"([A-Za-z%_]+)(?:\^|\*\*)?([+-]?\d+)?|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")

Meaning = tuple[Fraction, tuple[tuple[str, int], ...]]
"""A factor, and the powers of the units that are not made of others, by name."""


@cache
def meaning(units: str) -> Meaning:
    """The normal form of units.

    >>> meaning("Pa m-1") == meaning("kg m-2/s2"), meaning("Hz-1") == meaning("s")
    (True, True)
    >>> meaning("km") == meaning("m"), meaning("1e-3 m") == meaning("mm")
    (False, True)
    """
    scale = Fraction(1)
    powers: dict[str, int] = {}
    for number, side in enumerate(units.split("/")):
        sign = 1 if number == 0 else -1
        for word in side.replace("*", " ").split():
            found = _factor.fullmatch(word)
            if found is None:
                raise UserError(
                    f"Units {units!r}: {word!r} is no unit with an exponent. Write a product such"
                    " as 'kg m-1 s-2'."
                )
            name, exponent, given = found.groups()
            if given:
                scale *= Fraction(given) ** sign
                continue
            power = sign * int(exponent or 1)
            inner, parts = meaning(_made_of[name]) if name in _made_of else (1, ((name, 1),))
            scale *= Fraction(inner) ** power
            for part, times in parts:
                powers[part] = powers.get(part, 0) + times * power
    return scale, tuple(sorted((name, power) for name, power in powers.items() if power))


def same_units(one: str, other: str) -> bool:
    """Whether two units mean the same.

    >>> same_units("W m-2", "kg s-3"), same_units("m s-1", "m")
    (True, False)
    """
    return one == other or meaning(one) == meaning(other)


zero_of_scale = {"degree_C": 273.15, "degC": 273.15, "celsius": 273.15, "degree C": 273.15}
"""Units of temperature whose zero is not that of K, and where it lies [K]."""


def conversion(one: str, other: str) -> tuple[float, float] | None:
    """Factor and offset from values in one unit to those in another; None: there is no way.

    >>> conversion("hPa", "Pa"), conversion("K", "degree_C"), conversion("m", "s")
    ((100.0, 0.0), (1.0, -273.15), None)
    """
    if same_units(one, other):
        return 1.0, 0.0
    zeros = [zero_of_scale.get(units) for units in (one, other)]
    if zeros != [None, None]:
        plain = [
            "K" if zero is not None else units
            for zero, units in zip(zeros, (one, other), strict=True)
        ]
        factor = conversion(*plain)
        shift = (zeros[0] or 0.0) - (zeros[1] or 0.0)
        return (1.0, shift) if factor == (1.0, 0.0) else None
    (scale, powers), (other_scale, other_powers) = meaning(one), meaning(other)
    return (float(scale / other_scale), 0.0) if powers == other_powers else None
