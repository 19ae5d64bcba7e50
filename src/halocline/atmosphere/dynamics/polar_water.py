"""Water in the rows that are filtered near the poles, where it may pass several cells in a step.

What a stage brings is filtered as heat is: less what the change of mass has of the row's mean
mixing ratio, so that one mixing ratio everywhere stays. Limiters, which look at single cells, leave
out what goes along these rows; what a cell lacks after the filter comes from others of its row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.dynamics.polar_filter import PolarFilter
from halocline.atmosphere.dynamics.state import AirFields
from halocline.runtime.fields.field import Field

Array = NDArray[np.float64]


class PolarWater:
    """What the filter does to the water of a stage, and to the fluxes of dry mass it rides on."""

    def __init__(self, polar: PolarFilter, s: AirFields) -> None:
        self.polar, self.state = polar, s

    def fluxes(self) -> None:
        """Filter what acoustic steps have carried, as the momentum that moved columns was.

        The filter is linear, and the same for all faces of a row: once for the sum of all steps.
        """
        self.polar([self.state.x_carried, self.state.y_carried])

    def __call__(self, water: Field, *, positive: bool) -> None:
        """Filter the change of mixing ratios [1] since the beginning of the step.

        With `positive`, what is below 0 then is taken from the rest of the row.
        """
        s = self.state
        c1, c2 = (table[:, None, None] for table in (s.coordinate.c1, s.coordinate.c2))
        given = (s.old_water, s.mass, s.old_mass, s.base_mass)
        with self.polar.recorder.time("polar filter"), water.change() as owned:
            fields = (field.read() for field in given)
            for array, *known, parts in zip(owned, *fields, self.polar.rows_of(water), strict=True):
                for part in parts:
                    old, mass, old_mass, base = (
                        values[..., part.rows, :].astype(np.float64) for values in known
                    )
                    before, after = (c1 * (base + some) + c2 for some in (old_mass, mass))
                    heavier = c1 * (mass - old_mass)
                    new = array[..., part.rows, :]
                    kept = old.mean(axis=-1, keepdims=True) * heavier
                    gained = part.filtered(after * new - before * old - kept) + kept
                    found = old + (gained - old * heavier) / after
                    if positive and found.min() < 0.0:
                        lacks = (found < 0.0).any(axis=-1)
                        weight = np.broadcast_to(after, found.shape)[lacks]
                        found[lacks] = without_lack(found[lacks] * weight) / weight
                    new[...] = found


def without_lack(rows: Array) -> Array:
    """Rows, shape (rows, i), of which what is below 0 is taken from other cells of the row.

    A cell asks those 1, 2, 4 ... columns to both sides for as much of what they have, at most half
    of it each time; what is then still lacking is taken from all. The sum of a row stays, to
    round-off; if that is below 0, cells stay so too.

    >>> without_lack(np.array([[0.0, 3.0, -1.0, 1.0, 0.0, 0.0]])).tolist()
    [[0.0, 2.25, 0.0, 0.75, 0.0, 0.0]]
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
