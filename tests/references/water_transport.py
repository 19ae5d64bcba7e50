"""Transport of mixing ratios by fluxes of dry mass in NumPy, on a plane periodic both ways.

Wicker and Skamarock 2002 (fluxes), Jiang and Shu 1996 (weighted values), Skamarock 2006 and Zalesak
1979 (limiters).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

even = {2: (1 / 2,), 3: (7 / 12, -1 / 12), 4: (7 / 12, -1 / 12)}
even |= dict.fromkeys((5, 6), (37 / 60, -8 / 60, 1 / 60))
odd = {3: (3 / 12, -1 / 12), 5: (10 / 60, -5 / 60, 1 / 60)}


def carried(flux: Array, before: list[Array], after: list[Array], order: int) -> Array:
    """What `flux` carries between before[0] and after[0]; the others lie farther away."""
    value = sum(w * (b + a) for w, b, a in zip(even[order], before, after, strict=False))
    found = flux * value
    if order in odd:
        steeper = sum(w * (a - b) for w, b, a in zip(odd[order], before, after, strict=False))
        found = found - np.abs(flux) * steeper
    return np.asarray(found)


thirds = (((2, -7, 11), (1, -4, 3), 0.1), ((-1, 5, 2), (1, 0, -1), 0.6),
          ((2, 5, -1), (3, -4, 1), 0.3))  # fmt: skip
"""Of three cells each: weights of six times the value at the face, of their slope, and a share."""


def weighted(before: list[Array], after: list[Array]) -> Array:
    """The value between before[0] and after[0], from `before`, by WENO of fifth order."""
    v = [before[2], before[1], before[0], after[0], after[1]]
    even = 1e-12 * sum(a**2 for a in v[1:4]) + 1e-36
    values, weights = [], []
    for n, (of_value, of_slope, share) in enumerate(thirds):
        value, slope, bend = (
            sum(w * a for w, a in zip(of, v[n : n + 3], strict=True))
            for of in (of_value, of_slope, (1, -2, 1))
        )
        values.append(value / 6.0)
        weights.append(share / (13.0 / 12.0 * bend**2 + 0.25 * slope**2 + even) ** 2)
    return np.asarray(sum(w * a for w, a in zip(weights, values, strict=True)) / sum(weights))


def carried_weighted(flux: Array, before: list[Array], after: list[Array]) -> Array:
    """As `carried`, of such values."""
    return flux * np.where(flux > 0.0, weighted(before, after), weighted(after, before))


@dataclass
class Cells:
    """Fluxes through western, southern [Pa m2 s-1] and lower [Pa s-1] faces, masses and lengths."""

    x_flux: Array  # (nk, nj, ni)
    y_flux: Array
    rise: Array  # (nk + 1, nj, ni)
    layer: Array  # new mass of layers [Pa], (nk, nj, ni)
    heavier: Array  # than before
    area: float
    thickness: Array  # (nk, 1, 1)
    weno: bool = False

    def sharp(self, q: Array, order: int, vertical_order: int) -> list[Array]:
        """Through western, southern and lower faces."""
        found = []
        for axis, flux in ((2, self.x_flux), (1, self.y_flux)):
            before = [np.roll(q, n, axis) for n in (1, 2, 3)]
            after = [np.roll(q, -n, axis) for n in (0, 1, 2)]
            if self.weno:
                found.append(carried_weighted(flux, before, after))
            else:
                found.append(carried(flux, before, after, order))
        upward = np.zeros_like(self.rise)
        levels = q.shape[0]
        for k in range(1, levels):
            values = min(k, levels - k)
            lower_order = {1: 2, 2: 3 if vertical_order % 2 else 4}.get(values, vertical_order)
            used = min(vertical_order, lower_order)
            before = [q[max(k - n, 0)] for n in (1, 2, 3)]
            after = [q[min(k + n, levels - 1)] for n in (0, 1, 2)]
            if self.weno and values >= 3:
                upward[k] = carried_weighted(self.rise[k], before, after)
            else:
                upward[k] = carried(self.rise[k], before, after, used)
        return [*found, upward]

    def upstream(self, q: Array) -> list[Array]:
        """The same of the values upstream."""

        def of(flux: Array, before: Array, after: Array) -> Array:
            return np.where(flux > 0.0, flux * before, flux * after)

        found = [of(f, np.roll(q, 1, n), q) for n, f in ((2, self.x_flux), (1, self.y_flux))]
        upward = np.zeros_like(self.rise)
        upward[1:-1] = of(self.rise[1:-1], q[:-1], q[1:])
        return [*found, upward]

    def gain(self, fluxes: list[Array], dt: float) -> Array:
        """Of cells per area and coordinate."""
        x, y, z = fluxes
        around = x - np.roll(x, -1, 2) + y - np.roll(y, -1, 1)
        return dt * (around / self.area + (z[:-1] - z[1:]) / self.thickness)

    def outward(self, fluxes: list[Array], dt: float) -> tuple[Array, Array]:
        """What leaves cells, and what enters them, all faces together."""
        x, y, z = fluxes
        faces = [(x, np.roll(x, -1, 2), self.area), (y, np.roll(y, -1, 1), self.area),
                 (z[:-1], z[1:], self.thickness)]  # fmt: skip
        leaves = sum((np.maximum(b, 0) - np.minimum(a, 0)) / over for a, b, over in faces)
        enters = sum((np.maximum(a, 0) - np.minimum(b, 0)) / over for a, b, over in faces)
        return dt * np.asarray(leaves), dt * np.asarray(enters)

    def after(self, old: Array, gained: Array) -> Array:
        """New mixing ratios."""
        return (old * (self.layer - self.heavier) + gained) / self.layer


def moved(
    cells: Cells, water: Array, old: Array, dt: float, order: int, vertical: int, limiter: str,
    along: Array | float = 1.0,
) -> Array:  # fmt: skip
    """One species after a stage of dt [s]; where `along` is 0 nothing is limited along x."""
    fluxes = cells.sharp(water, order, vertical)
    if limiter == "none":
        return cells.after(old, cells.gain(fluxes, dt))
    low = cells.upstream(old)
    more = [a - b for a, b in zip(fluxes, low, strict=True)]
    middle = cells.after(old, cells.gain([low[0] * along, *low[1:]], dt))
    leaves, enters = cells.outward([more[0] * along, *more[1:]], dt)
    tiny = 1e-300
    least, most = np.zeros_like(old), np.full_like(old, np.inf)
    if limiter == "monotone":
        beside = [middle, old, *(np.roll(old, n, axis) for n in (1, -1) for axis in (1, 2))]
        beside += [np.concatenate([old[:1], old[:-1]]), np.concatenate([old[1:], old[-1:]])]
        least, most = np.min(beside, axis=0), np.max(beside, axis=0)
    lost = np.clip(cells.layer * (middle - least) / np.maximum(leaves, tiny), 0.0, 1.0)
    gained = np.clip(cells.layer * (most - middle) / np.maximum(enters, tiny), 0.0, 1.0)

    def limited(a: Array, before: tuple[Array, Array], after: tuple[Array, Array]) -> Array:
        forward = np.minimum(before[0], after[1])
        backward = np.minimum(after[0], before[1])
        return a * np.where(a > 0.0, forward, backward)

    shares = lost, gained
    x, y = (
        limited(a, (np.roll(lost, 1, axis), np.roll(gained, 1, axis)), shares)
        for a, axis in ((more[0], 2), (more[1], 1))
    )
    x = np.where(along, x, more[0])
    z = np.zeros_like(more[2])
    z[1:-1] = limited(more[2][1:-1], (lost[:-1], gained[:-1]), (lost[1:], gained[1:]))
    both = [a + b for a, b in zip(low, (x, y, z), strict=True)]
    return cells.after(old, cells.gain(both, dt))
