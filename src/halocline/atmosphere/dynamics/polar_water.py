"""Water in the rows that are filtered near the poles, where it may pass several cells in a step.

What a stage brings is filtered as heat is: less what the change of mass has of the row's mean
mixing ratio, so that one mixing ratio everywhere stays. Limiters, which look at single cells, leave
out what goes along these rows; what a cell lacks after the filter comes from others of its row
(`row_lack.hpp`).
"""

from __future__ import annotations

from halocline.atmosphere.dynamics.polar_filter import PolarFilter
from halocline.atmosphere.dynamics.state import AirFields
from halocline.runtime.fields.field import Field


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
        tables = s.coordinate.c1, s.coordinate.c2
        given = (s.old_water, s.mass, s.old_mass, s.base_mass)
        with self.polar.recorder.time("polar filter"), water.change() as owned:
            fields = (field.read() for field in given)
            for array, *known, parts in zip(owned, *fields, self.polar.rows_of(water), strict=True):
                for rows, waves in parts:
                    new, old, *columns = (values[..., rows, :] for values in (array, *known))
                    for kind in range(len(new)):
                        waves.filter_water(new[kind], old[kind], *columns, *tables, positive)
