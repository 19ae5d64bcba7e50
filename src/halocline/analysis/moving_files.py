"""Files of grids that move along, on one still grid: each record at its place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
before = "moving_"


def moves(dataset: xr.Dataset) -> bool:
    """Whether the records of a file lie at places of their own."""
    return any(str(name).startswith(before) for name in dataset.variables)


def at_places(dataset: xr.Dataset, record: int | None = None) -> xr.Dataset:
    """The fields of a file whose grid moves, on a grid over the places of all records, or of one.

    Around the place of a record its fields are missing; longitudes and latitudes of cells that no
    record has are those of a polynomial through the others, as nothing lies there.

    >>> file = xr.Dataset({"q": (("time", "x"), [[1.0, 2.0], [3.0, 4.0]])}, {"time": [0, 1]})
    >>> file = file.assign_coords(moving_x=(("time", "x"), [[0.0, 5.0], [5.0, 10.0]]))
    >>> still = at_places(file)
    >>> still.x.values, still.q.values
    (array([ 0.,  5., 10.]), array([[ 1.,  2., nan],
           [nan,  3.,  4.]]))
    """
    if record is not None:
        dataset = dataset.isel(time=[record])
    lines: dict[str, xr.Variable] = {}
    first: dict[str, NDArray[np.int64]] = {}
    for name, line in dataset.variables.items():
        if str(name).startswith(before):
            dimension = str(line.dims[1])
            whole, first[dimension] = _line(np.asarray(line.values, np.float64))
            lines[dimension] = xr.Variable((dimension,), whole, line.attrs)
    fields, planes = {}, {}
    for name, some in dataset.variables.items():
        on_grid = "time" in some.dims and bool(set(some.dims) & set(lines))
        if str(name).startswith(before) or not on_grid:
            continue
        placed = _placed(some, lines, first)
        if some.attrs.get("standard_name") in ("longitude", "latitude"):
            planes[name] = _plane(placed.transpose("time", ...))
        else:
            fields[name] = placed
    others = {
        name: some.variable
        for name, some in dataset.coords.items()
        if not set(some.dims) & set(lines)
    }
    return xr.Dataset(fields, {**others, **lines, **planes}, dataset.attrs)


def _line(values: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """One line through those of all records, (time, n), and where in it each of them begins."""
    step = values[0, 1] - values[0, 0] if values.shape[1] > 1 else 1.0
    steps = np.rint((values[:, 0] - values[0, 0]) / step).astype(np.int64)
    lowest = int(steps.min())
    count = int(np.ptp(steps)) + values.shape[1]
    whole = values[0, 0] + step * (lowest + np.arange(count))
    return whole, steps - lowest


def _placed(
    some: xr.Variable, lines: Mapping[str, xr.Variable], first: Mapping[str, NDArray[np.int64]]
) -> xr.Variable:
    """A variable of time on the whole lines, missing where a record is not."""
    shape = [lines[str(n)].size if n in lines else size for n, size in some.sizes.items()]
    whole = np.full(shape, np.nan)
    axis = some.dims.index("time")
    for record in range(some.sizes["time"]):
        where = [slice(None)] * some.ndim
        for number, name in enumerate(some.dims):
            if name in lines:
                begin = int(first[str(name)][record])
                where[number] = slice(begin, begin + some.shape[number])
        where[axis] = slice(record, record + 1)
        whole[tuple(where)] = some.isel(time=[record]).values
    return xr.Variable(some.dims, whole, some.attrs)


def _plane(placed: xr.Variable) -> xr.Variable:
    """Longitudes or latitudes of all cells, of those of the records, (time, j, i)."""
    known = np.isfinite(placed.values)
    there = known.any(0)
    values = np.take_along_axis(placed.values, known.argmax(0)[None], 0)[0]
    if placed.attrs["standard_name"] == "longitude":
        middle = values[there][0]
        values = middle + np.remainder(values - middle + 180.0, 360.0) - 180.0
    if not there.all():
        j, i = (np.linspace(-1.0, 1.0, count) for count in there.shape)
        terms = np.polynomial.polynomial.polyvander2d(*np.meshgrid(j, i, indexing="ij"), [3, 3])
        weights = np.linalg.lstsq(terms[there], values[there], rcond=None)[0]
        values = np.where(there, values, terms @ weights)
    return xr.Variable(placed.dims[1:], values, placed.attrs)
