"""Sea without a value: where a quantity of the waves is undefined, maps are hatched."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PolyCollection
from matplotlib.contour import ContourSet
from numpy.typing import NDArray

from halocline.analysis import reading
from halocline.analysis.coastline import Extent
from halocline.analysis.map_grid import MapGrid, Numbers, cell_shapes, values_on, windowed

NOTE = "hatched: sea without waves, where this has no value · plain: outside the model"
HATCH = "/////"


def undefined_cells(
    grid: MapGrid, dataset: xr.Dataset, data: xr.DataArray, shown: Numbers
) -> NDArray[np.bool_]:
    """Where the model has sea and a map shows nothing, of shape (j, i).

    The model has sea where any quantity of the sea in this record of the file has a value;
    `shown` holds the values of the map, NaN where it has none.
    """
    sea = np.zeros(shown.shape, dtype=bool)
    for name in reading.fields_of(dataset):
        field = dataset[name]
        marine = str(field.attrs.get("standard_name", "")).startswith("sea_")
        if marine and set(field.dims) == set(data.dims):
            sea |= np.isfinite(values_on(grid, field))
    floor = "sea_floor" in str(data.attrs.get("standard_name", ""))
    return sea & ~np.isfinite(shown) & (not floor)


def draw_undefined(
    axes: Axes, grid: MapGrid, cells: NDArray[np.bool_], shown: Numbers, extent: Extent
) -> Collection | None:
    """Hatch these cells, under the colours of those beside them; None where there are none."""
    if not cells.any():
        return None
    if grid.regular:
        under = cells | (_grown(cells) & np.isfinite(shown))
        x, turned = windowed(grid, under.astype(np.float64), extent)
        return _hatched_areas(axes, x, grid.latitude, turned)
    shapes, _ = cell_shapes(grid, cells, extent)
    hatched = PolyCollection(list(shapes), facecolors="white", hatch=HATCH, linewidths=0.0)
    hatched.set_zorder(1.1)
    axes.add_collection(hatched, autolim=False)
    return hatched


def _grown(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells and their eight neighbours."""
    padded = np.pad(cells, 1)
    rows = padded[:-2] | padded[1:-1] | padded[2:]
    return np.asarray(rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:])


def _hatched_areas(axes: Axes, x: Numbers, y: Numbers, cells: Numbers) -> ContourSet | None:
    if min(cells.shape) < 2 or not cells.any():
        return None
    return axes.contourf(
        x, y, cells, levels=[0.5, 1.5], colors=["white"], hatches=[HATCH], zorder=0.9
    )
