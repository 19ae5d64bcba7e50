"""Tracers that begin as profiles over depth, which change from one meridian to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(Options):
    """Values over depth in the west and in the east, linear in longitude between.

    They are tables of `west` and `east`, linear between their depths and held beyond, or a step of
    `width` around the depth of a `cline`, surface + (deep - surface) (1 + tanh(2 (z - cline) /
    width)) / 2. Or the profile is `factor` times another one.
    """

    between: list[float] = option([-5.5, 36.0], "degree", "longitudes of the west and the east")
    west: list[list[float]] = option([], "m, any", "depths and values in the west")
    east: list[list[float]] = option([], "m, any", "depths and values in the east")
    surface: list[float] = option([], "any", "value above the cline, in the west and in the east")
    deep: list[float] = option([], "any", "value below the cline, in the west and in the east")
    cline: list[float] = option([], "m", "depth of the cline, in the west and in the east")
    width: float = option(60.0, "m", "thickness of the cline", at_least=0.1)
    like: str = option("", "", "name of another profile")
    factor: float = option(1.0, "1", "times the other profile")

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = [self.surface, self.deep, self.cline]
        ways = (bool(self.like), bool(self.west or self.east), any(steps))
        if sum(ways) != 1:
            raise UserError(
                "A profile is one of: like another; tables of west and east; or surface, deep and"
                f" cline. Got {self}."
            )
        if any(steps) and [len(some) for some in steps] != [2, 2, 2]:
            raise UserError(
                "The surface, deep and cline of a profile have two numbers each, for west and east."
            )
        for table in (self.west, self.east) if ways[1] else ():
            depths = [row[0] for row in table if len(row) == 2]
            if not table or len(depths) < len(table) or depths != sorted(set(depths)):
                raise UserError(
                    "The tables west and east of a profile have rows [depth, value] at growing"
                    f" depths. Got {table}."
                )

    def at(self, depth: Array, longitude: Array) -> Array:
        """Values at depths [m], shape (nk,), and longitudes, any shape: (nk, ...)."""
        first, last = self.between
        share = np.clip((longitude - first) / (last - first), 0.0, 1.0)
        z = depth.reshape(-1, *[1] * longitude.ndim)
        if self.west:
            ends = (
                np.interp(depth, *np.array(table).T).reshape(z.shape)
                for table in (self.west, self.east)
            )
            west, east = ends
            return (1 - share) * west + share * east
        surface, deep, cline = (
            (1 - share) * west + share * east
            for west, east in (self.surface, self.deep, self.cline)
        )
        return surface + (deep - surface) * 0.5 * (1 + np.tanh(2 * (z - cline) / self.width))


def profile_at(
    profiles: Mapping[str, ProfileOptions], name: str, depth: Array, longitude: Array
) -> Array:
    """Values of a profile, which may be like another one, at depths and longitudes."""
    factor, seen = 1.0, [name]
    while profiles[seen[-1]].like:
        factor *= profiles[seen[-1]].factor
        seen.append(profiles[seen[-1]].like)
        if seen[-1] not in profiles or len(seen) > len(profiles):
            raise UserError(
                f"The profile '{seen[-2]}' is like '{seen[-1]}', which"
                + (
                    " is like itself in the end."
                    if seen[-1] in profiles
                    else f" there is not.{nearest(seen[-1], profiles)}"
                )
            )
    return factor * profiles[seen[-1]].at(depth, longitude)
