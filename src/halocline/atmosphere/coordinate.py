"""The vertical coordinate: layers that follow the ground below and surfaces of pressure above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.constants import reference_pressure
from halocline.core.errors import UserError
from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AirLayerOptions(Options):
    """Layers, by heights of their interfaces in the base state above flat ground at sea level."""

    count: int = option(40, "1", "number of layers", at_least=3, at_most=1000)
    top: float = option(20e3, "m", "height of the top, where the pressure is constant", at_least=1)
    stretching: float = option(
        1.0, "1", "thickness of the uppermost layer over that of the lowest; each grows as much",
        at_least=0.01, at_most=1000.0,
    )  # fmt: skip
    interfaces: list[float] = option(
        [], "m", "heights of the interfaces from the ground, 0, to the top, instead", at_least=0.0
    )
    level_above: float = option(
        0.2,
        "1",
        "share of the pressure, above that of the top, from which layers are surfaces of pressure;"
        " -1: layers follow the ground up to the top",
        at_least=-1.0,
        at_most=0.8,
        source="Skamarock et al. (2019), NCAR/TN-556, section 2.2",
    )

    def heights(self) -> Array:
        """Of the interfaces [m], from the ground up.

        >>> AirLayerOptions(count=3, top=700.0, stretching=4.0).heights().tolist()
        [0.0, 100.0, 300.0, 700.0]
        """
        if self.interfaces:
            given = np.array(self.interfaces)
            if given.size < 4 or given[0] != 0.0 or (np.diff(given) <= 0.0).any():
                raise UserError(
                    f"atmosphere.layers.interfaces = {self.interfaces}: give four heights or more,"
                    " from 0 upward, each greater than the one before."
                )
            return given
        thickness = self.stretching ** (np.arange(self.count) / (self.count - 1))
        heights = np.append(0.0, np.cumsum(thickness))
        result: Array = heights * (self.top / heights[-1])
        return result


@dataclass(frozen=True)
class HybridCoordinate:
    """Shares of layers k and interfaces in the dry mass of columns, counted upward.

    At interfaces the dry hydrostatic pressure is share * M + (eta - share) (p0 - top) + top where
    the column has the mass M per area times gravity [Pa]; a layer has (c1 M + c2) thickness of it.
    """

    eta: Array  # of interfaces, 1 at the ground, 0 at the top, shape (nk + 1,)
    share: Array  # B(eta), shape (nk + 1,)
    top: float  # pressure there [Pa]

    @classmethod
    def of(cls, options: AirLayerOptions, base: AirColumn) -> HybridCoordinate:
        """The coordinate whose interfaces lie at the heights of `options` in a base state."""
        pressure = base.pressure(options.heights())
        top = float(pressure[-1])
        eta = (pressure - top) / (pressure[0] - top)
        return cls(eta, hybrid_share(eta, options.level_above), top)

    @cached_property
    def thickness(self) -> Array:
        """Of layers, in eta, positive."""
        return self.eta[:-1] - self.eta[1:]

    @cached_property
    def spacing(self) -> Array:
        """Between middles of layers at interfaces; half a layer at ground and top."""
        half = 0.5 * self.thickness
        return np.concatenate([half[:1], half[:-1] + half[1:], half[-1:]])

    @cached_property
    def upper_share(self) -> Array:
        """Weight of the layer above in values at interfaces."""
        below = np.append(0.0, self.thickness)
        return 0.5 * below / self.spacing

    @cached_property
    def to_ground(self) -> Array:
        """Weights of the lowest three layers in a value at the ground: a parabola through them."""
        at = self.spacing[0] + np.array([0.0, self.spacing[1], self.spacing[1] + self.spacing[2]])
        return np.array(
            [np.prod([-at[m] / (at[n] - at[m]) for m in range(3) if m != n]) for n in range(3)]
        )

    @cached_property
    def c1(self) -> Array:
        return (self.share[:-1] - self.share[1:]) / self.thickness

    @cached_property
    def c1_face(self) -> Array:
        middle = 0.5 * (self.share[:-1] + self.share[1:])
        lower = np.concatenate([self.share[:1], middle])
        upper = np.concatenate([middle, self.share[-1:]])
        return (lower - upper) / self.spacing

    @cached_property
    def c2(self) -> Array:
        """[Pa]"""
        return (1.0 - self.c1) * (reference_pressure - self.top)

    @cached_property
    def c2_face(self) -> Array:
        """[Pa]"""
        return (1.0 - self.c1_face) * (reference_pressure - self.top)

    def pressure(self, mass: Array) -> Array:
        """Dry hydrostatic pressure at interfaces [Pa] of columns of `mass` [Pa], (nk + 1, ...)."""
        shape = (-1, *(1,) * np.ndim(mass))
        share, eta = self.share.reshape(shape), self.eta.reshape(shape)
        rest = (eta - share) * (reference_pressure - self.top) + self.top
        result: Array = share * mass + rest
        return result

    def middle_pressure(self) -> tuple[Array, Array]:
        """Share of the column's mass [1] and rest [Pa] of the pressure in the middle of layers."""
        rest = self.pressure(np.array(0.0))
        return 0.5 * (self.share[1:] + self.share[:-1]), 0.5 * (rest[1:] + rest[:-1])

    def layer_mass(self, mass: Array) -> Array:
        """Dry mass of layers per area and coordinate [Pa], shape (nk, ...)."""
        shape = (-1, *(1,) * np.ndim(mass))
        return self.c1.reshape(shape) * mass + self.c2.reshape(shape)

    def refuse_thin(self, mass: Array) -> None:
        """Refuse columns, of `mass` [Pa], so short that a layer of them has no mass."""
        least = float(np.min(mass))
        thin = self.layer_mass(np.array(least))
        if thin.min() <= 0.0:
            raise UserError(
                f"The ground rises so high that layer {int(thin.argmin())} would have no mass: the"
                f" pressure there is {least + self.top:.0f} Pa. Use a lower"
                " atmosphere.layers.level_above, or a higher top."
            )


def hybrid_share(eta: Array, level_above: float) -> Array:
    """B(eta): eta and its slope at the ground, 0 with no slope where layers are level.

    >>> hybrid_share(np.array([1.0, 0.2, 0.1]), 0.2).round(12).tolist()
    [1.0, 0.0, 0.0]
    """
    if level_above < 0.0:
        return eta
    c = level_above
    cubic = np.array([-(1.0 + c), 2.0 * (1.0 + c + c * c), -c * (4.0 + c + c * c), 2.0 * c * c])
    return np.where(eta > c, np.polyval(cubic / (1.0 - c) ** 3, eta), 0.0)
