"""Stress and fluxes of turbulent mixing on a doubly periodic plane, in plain NumPy.

All fields have the shape (k, rows, columns); those of faces lie west and south of their cell, those
at interfaces have one entry more. Formulas are those of Skamarock et al. (2019), NCAR/TN-556,
section 4.2, in lengths instead of map factors.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
gravity = 9.81


def at(field: Array, dj: int, di: int) -> Array:
    """The values dj rows north and di columns east."""
    return np.roll(field, (-dj, -di), (-2, -1))


def behind(field: Array, eastward: bool) -> Array:
    return at(field, 0, -1) if eastward else at(field, -1, 0)


def mean_behind(field: Array, eastward: bool) -> Array:
    """At western or southern faces of what `field` lies in."""
    return 0.5 * (field + behind(field, eastward))


def mean_ahead(field: Array, eastward: bool) -> Array:
    return 0.5 * (field + (at(field, 0, 1) if eastward else at(field, 1, 0)))


def at_corner(field: Array) -> Array:
    return mean_behind(mean_behind(field, True), False)


def gradient(field: Array, height: Array) -> Array:
    """Upward, over the entries around each, or to the next one at the ends."""
    low = np.maximum(np.arange(len(field)) - 1, 0)
    high = np.minimum(np.arange(len(field)) + 1, len(field) - 1)
    return (field[high] - field[low]) / (height[high] - height[low])


def at_interfaces(field: Array) -> Array:
    """Inner ones only."""
    return 0.5 * (field[1:] + field[:-1])


class Motion:
    """Wind and heights of a periodic plane; layers are level where not `sloping`.

    `f` has the arguments of the kernels by name, without halos.
    """

    def __init__(self, f: Mapping[str, Array], upward: float = 1.0, sloping: bool = True) -> None:
        self.f, self.upward, self.sloping = f, upward, float(sloping)
        self.face = (f["geopotential"] + f["base_geopotential"]) / gravity
        self.middle = at_interfaces(self.face)
        self.distance = {True: f.get("x_distance"), False: f.get("y_distance")}

    def across_cell(self, field: Array, eastward: bool) -> Array:
        """Difference over two cells by the distance between their middles."""
        ahead = at(field, 0, 1) if eastward else at(field, 1, 0)
        between = self.distance[eastward]
        apart = between + (at(between, 0, 1) if eastward else at(between, 1, 0))
        return (ahead - behind(field, eastward)) / apart

    def across_face(self, field: Array, eastward: bool) -> Array:
        return (field - behind(field, eastward)) / self.distance[eastward]

    def stretching(self, eastward: bool) -> Array:
        wind = self.f["u" if eastward else "v"]
        ahead = at(wind, 0, 1) if eastward else at(wind, 1, 0)
        along = (ahead - wind) / self.f["dx" if eastward else "dy"]
        slope = self.sloping * self.across_cell(self.middle, eastward)
        return 2.0 * (along - slope * gradient(0.5 * (wind + ahead), self.middle))

    def rising(self) -> Array:
        return 2.0 * np.diff(self.f["w"], axis=0) / np.diff(self.face, axis=0)

    def turning(self) -> Array:
        u, v = self.f["u"], self.f["v"]
        x, y = mean_behind(self.distance[True], False), mean_behind(self.distance[False], True)
        height, total = at_corner(self.middle), 0.0
        for wind, apart, eastward in ((v, x, True), (u, y, False)):
            other = mean_behind(self.middle, not eastward)
            slope = self.sloping * (other - behind(other, eastward)) / apart
            upward = gradient(mean_behind(wind, eastward), height)
            total = total + (wind - behind(wind, eastward)) / apart - slope * upward
        return np.asarray(total)

    def shear(self, eastward: bool) -> Array:
        """At all interfaces, 0 at the ground; at the top without the horizontal wind's."""
        w, wind = self.f["w"], self.f["u" if eastward else "v"]
        slope = self.sloping * self.across_face(self.face, eastward)
        rate = self.across_face(w, eastward) - slope * gradient(
            mean_behind(w, eastward), mean_behind(self.face, eastward)
        )
        height = mean_behind(self.middle, eastward)
        rate[1:-1] += self.upward * np.diff(wind, axis=0) / np.diff(height, axis=0)
        rate[0] = 0.0
        return rate

    def strain(self) -> Array:
        x, y = self.stretching(True) ** 2, self.stretching(False) ** 2
        square = self.turning() ** 2
        around = mean_ahead(mean_ahead(square, True), False)
        if not self.upward:
            return 0.25 * (self.stretching(True) - self.stretching(False)) ** 2 + around
        total = 0.5 * (x + y + self.rising() ** 2) + around
        for eastward in (True, False):
            square = self.shear(eastward) ** 2
            square[-1] = 0.0  # no stress passes the top
            total += at_interfaces(mean_ahead(square, eastward))
        return total

    def mass(self, interfaces: bool = False) -> Array:
        more = "_face" if interfaces else ""
        c1, c2 = (self.f[f"c{n}{more}"][:, None, None] for n in (1, 2))
        return c1 * (self.f["mass"] + self.f["base_mass"]) + c2

    def wind_forcing(self, eastward: bool) -> Array:
        """What `mix_u` or `mix_v` makes."""
        f, k = self.f, self.f["viscosity"]
        stretched, turned = k * self.stretching(eastward), at_corner(k) * self.turning()
        through = self.mass() * f["dy" if eastward else "dx"] * stretched
        width = mean_behind(f["y_length" if eastward else "x_length"], eastward)
        beside = at_corner(self.mass()) * width * turned
        ahead = at(beside, 1, 0) if eastward else at(beside, 0, 1)
        area = f["x_area" if eastward else "y_area"]
        along = (through - behind(through, eastward) + ahead - beside) / area
        stress = self.upward * at_interfaces(mean_behind(k, eastward)) * self.shear(eastward)[1:-1]
        slope = self.across_face(self.face, eastward)[1:-1]
        stress -= self.sloping * slope * at_interfaces(mean_behind(stretched, eastward))
        cross = self.across_face(self.face, not eastward)[1:-1]
        cross = mean_ahead(mean_behind(cross, eastward), not eastward)
        stress -= self.sloping * cross * at_interfaces(mean_ahead(turned, not eastward))
        volume = at_interfaces(mean_behind(f["full_volume"], eastward))
        return along + self._upward(gravity * stress / volume, f["thickness"])

    def rise_forcing(self) -> Array:
        """What `mix_w` makes; 0 at the ground."""
        f, k = self.f, self.f["viscosity"]
        faces = np.concatenate([k[:1], at_interfaces(k), k[-1:]])
        total = np.zeros_like(f["w"])
        stress = self.upward * k * self.rising()
        for eastward in (True, False):
            sheared = mean_behind(faces, eastward) * self.shear(eastward)
            length = f["x_length" if eastward else "y_length"]
            through = mean_behind(self.mass(True), eastward) * length * sheared
            ahead = at(through, 0, 1) if eastward else at(through, 1, 0)
            total += (ahead - through) / f["area"]
            slope = self.sloping * self.across_cell(self.middle, eastward)
            stress -= slope * at_interfaces(mean_ahead(sheared, eastward))
        flux = gravity * stress / f["full_volume"]
        spacing = f["spacing"][1:, None, None]
        total[1:] += (np.append(flux[1:], np.zeros_like(flux[:1]), 0) - flux) / spacing
        total[0] = 0.0
        return total

    def heat_forcing(self, factor: float, given: float) -> Array:
        """What `mix_theta` makes."""
        f, k, q = self.f, factor * self.f["viscosity"], self.f["theta"]
        total, flux = 0.0, self.upward * at_interfaces(k) * np.diff(q, axis=0)
        flux = flux / np.diff(self.middle, axis=0)
        for eastward in (True, False):
            slope = self.sloping * self.across_face(self.middle, eastward)
            middle = mean_behind(self.middle, eastward)
            upward = gradient(mean_behind(q, eastward), middle)
            sideways = mean_behind(k, eastward) * (self.across_face(q, eastward) - slope * upward)
            length = f["x_length" if eastward else "y_length"]
            through = mean_behind(self.mass(), eastward) * length * sideways
            ahead = at(through, 0, 1) if eastward else at(through, 1, 0)
            total = total + (ahead - through) / f["area"]
            risen = self.sloping * self.across_cell(self.face, eastward)[1:-1]
            flux = flux - risen * at_interfaces(mean_ahead(sideways, eastward))
        flux = gravity * flux / at_interfaces(f["full_volume"])
        total = total + self._upward(flux, f["thickness"])
        total[0] += gravity * given / f["full_volume"][0] / f["thickness"][0]
        return np.asarray(total)

    def _upward(self, flux: Array, thickness: Array) -> Array:
        """Divergence of a flux through inner interfaces."""
        none = np.zeros_like(flux[:1])
        whole = np.concatenate([none, flux, none])
        return np.asarray(np.diff(whole, axis=0) / thickness[:, None, None])


def filtered(q: Array, weight: Array, rate: float) -> Array:
    """The filter's change of `q` times `weight`, with fluxes that go down the gradient only."""
    total = np.zeros_like(q)
    for eastward in (True, False):

        def shifted(n: int, eastward: bool = eastward) -> Array:
            return at(q, 0, n) if eastward else at(q, n, 0)

        near = shifted(0) - shifted(-1)
        flux = 10.0 * near - 5.0 * (shifted(1) - shifted(-2)) + (shifted(2) - shifted(-3))
        flux = np.where(flux * near > 0.0, flux, 0.0) * mean_behind(weight, eastward)
        ahead = at(flux, 0, 1) if eastward else at(flux, 1, 0)
        total += rate * (ahead - flux)
    return total
