"""The filter of rows near a pole in NumPy, row by row; what water lacks, from cells of its row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def filtered(values: Array, rest: Array) -> Array:
    """What remains of rows, shape (..., rows, i), of whose waves `rest` remains."""
    return np.asarray(np.fft.irfft(np.fft.rfft(values) * rest, values.shape[-1]))


def filtered_heat(heat: Array, theta: Array, mass: Array, c1: Array, rest: Array) -> Array:
    """Heat [Pa K], less what new mass of columns [Pa] has of the mean theta [K] of each row."""
    kept = theta.mean(axis=-1, keepdims=True) * c1[:, None, None] * mass
    return filtered(heat - kept, rest) + kept


def filtered_water(
    water: Array, old: Array, masses: tuple[Array, Array, Array], tables: tuple[Array, Array],
    rest: Array, *, positive: bool,
) -> Array:  # fmt: skip
    """The same for mixing ratios (k, j, i); masses are the new, the old, the base state's."""
    (mass, old_mass, base), (c1, c2) = masses, (table[:, None, None] for table in tables)
    before, after = (c1 * (base + some) + c2 for some in (old_mass, mass))
    heavier = c1 * (mass - old_mass)
    kept = old.mean(axis=-1, keepdims=True) * heavier
    gained = filtered(after * water - before * old - kept, rest) + kept
    found = old + (gained - old * heavier) / after
    return without_lack(found * after) / after if positive else found


def without_lack(rows: Array) -> Array:
    """Rows, shape (..., i), of which what is below 0 is taken from other cells of the row.

    A cell asks those 1, 2, 4 ... columns to both sides for as much of what they have, at most half
    of it each time; what is then still lacking is taken from all. The sum of a row stays, to
    round-off; if that is below 0, cells stay so too.
    """
    reach = 1
    while 2 * reach <= rows.shape[-1] and rows.min() < 0.0:
        held, lacking = np.maximum(rows, 0.0), np.maximum(-rows, 0.0)
        beside = np.roll(held, reach, -1) + np.roll(held, -reach, -1)
        share = 0.5 * (lacking > 0.0)
        np.divide(lacking, beside, out=share, where=beside > 2.0 * lacking)
        asked = np.roll(share, reach, -1) + np.roll(share, -reach, -1)
        rows = rows + share * beside - held * asked
        reach *= 2
    held = np.maximum(rows, 0.0)
    total, all_held = (some.sum(axis=-1, keepdims=True) for some in (rows, held))
    less = np.divide(np.maximum(total, 0.0), all_held, where=all_held > 0.0, out=0.0 * total)
    mended = (rows.min(axis=-1, keepdims=True) < 0.0) & (total > -1e-6 * all_held)
    return np.where(mended, held * less, rows)
