"""Chlorophyll of a run beside that which satellites saw: pairs, bias, RMS, correlation, maps.

Statistics are those of model minus satellite over all cells and records that both have, of the
values and, as chlorophyll is spread like a logarithmic normal distribution (Campbell 1995, J.
Geophys. Res. 100, 13237), of their decimal logarithms.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.map_grid import MapGrid, grid_of, nearest_cells, values_on
from halocline.analysis.sheet import map_sheet
from halocline.core.assumptions import without_units
from halocline.core.errors import UserError

Numbers = NDArray[np.float64]
CHLOROPHYLL = (
    "mass_concentration_of_chlorophyll_a_in_sea_water",
    "mass_concentration_of_chlorophyll_in_sea_water",
    "chlorophyll",
    "chlor_a",
    "CHL",
    "chl",
)
"""How files call chlorophyll: standard names, then usual names."""
_TO_MG = {"mg m-3": 1.0, "mg/m3": 1.0, "mg m^-3": 1.0, "milligram m-3": 1.0, "ug l-1": 1.0,
          "kg m-3": 1e6, "g m-3": 1e3}  # fmt: skip
least_shown = 1e-3
"""Chlorophyll that counts in logarithms at least [mg m-3]."""


@dataclass(frozen=True)
class Agreement:
    """How a model agrees with observations; chlorophyll in mg m-3."""

    pairs: int
    model_mean: float
    satellite_mean: float
    bias: float
    rms: float
    correlation: float
    log_bias: float
    log_rms: float
    log_correlation: float

    def lines(self) -> list[str]:
        """As printed."""
        return [
            f"pairs of cells and records  {self.pairs}",
            f"mean: model {self.model_mean:.4g}, satellite {self.satellite_mean:.4g} mg m-3",
            f"bias {self.bias:+.4g} mg m-3, RMS {self.rms:.4g} mg m-3,"
            f" correlation {self.correlation:.3f}",
            f"of log10: bias {self.log_bias:+.3f}, RMS {self.log_rms:.3f},"
            f" correlation {self.log_correlation:.3f}",
        ]


def agreement(model: Numbers, satellite: Numbers, weight: Numbers) -> Agreement:
    """Statistics over all places where both are known, weighed by the areas of the cells.

    >>> one = agreement(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.ones(2))
    >>> one.pairs, one.bias, round(one.rms, 4), round(one.correlation, 12)
    (2, 0.5, 0.7071, 1.0)
    """
    known = np.isfinite(model) & np.isfinite(satellite)
    a, b, w = model[known], satellite[known], np.broadcast_to(weight, model.shape)[known]
    if a.size < 2:
        raise UserError(
            "Model and satellite have fewer than two cells and times in common: look at the times"
            " and the region of both files."
        )
    log_a, log_b = (np.log10(np.maximum(x, least_shown)) for x in (a, b))
    return Agreement(
        int(a.size),
        _mean(a, w),
        _mean(b, w),
        _mean(a - b, w),
        float(np.sqrt(_mean((a - b) ** 2, w))),
        _correlation(a, b, w),
        _mean(log_a - log_b, w),
        float(np.sqrt(_mean((log_a - log_b) ** 2, w))),
        _correlation(log_a, log_b, w),
    )


def _mean(values: Numbers, weight: Numbers) -> float:
    return float((values * weight).sum() / weight.sum())


def _correlation(a: Numbers, b: Numbers, weight: Numbers) -> float:
    """Nothing where one of them is the same everywhere."""
    x, y = a - _mean(a, weight), b - _mean(b, weight)
    spread = float(np.sqrt(_mean(x * x, weight) * _mean(y * y, weight)))
    return _mean(x * y, weight) / spread if spread > 0.0 else float("nan")


def chlorophyll_of(dataset: xr.Dataset, file: Path | str, name: str = "") -> xr.DataArray:
    """Chlorophyll at the surface [mg m-3], of a file of a run or of satellites."""
    found = reading.variable_named(dataset, name, file) if name else None
    if found is None:
        found = reading.find(dataset, *CHLOROPHYLL)
    if found is None:
        raise UserError(
            f"There is no chlorophyll in '{file}'. Name the variable; it has:"
            f" {reading.listed(dataset.data_vars)}."
        )
    units = str(found.attrs.get("units", "")).strip()
    if not units:
        units = without_units(f"The variable '{found.name}' of {file}", "mg m-3")
    if units not in _TO_MG:
        raise UserError(f"'{found.name}' in '{file}' is in '{units}', not in mg m-3.")
    depth = reading.coordinate(found, "depth")
    if depth is not None and depth.ndim == 1 and depth.dims[0] in found.dims:
        found = found.isel({depth.dims[0]: int(np.abs(depth.values).argmin())})
    surface = found * _TO_MG[units]
    surface.attrs = {**found.attrs, "units": "mg m-3"}
    surface.name = found.name
    return surface


def on_cells(grid: MapGrid, data: xr.DataArray) -> Numbers:
    """Values of a map of satellites on the cells of `grid`, shape (j, i), NaN where it has none.

    Each cell has the mean of the pixels whose nearest cell it is, if they lie within a cell's
    size of it; where pixels are larger than cells, the value of the pixel around its centre.
    """
    given = grid_of(data)
    values, (lon, lat), (east, north) = values_on(given, data), _places(given), _places(grid)
    dx, dy = (np.abs(x) for x in grid.spacing)
    wide = given.spacing[0] > 1.5 * dx or given.spacing[1] > 1.5 * dy
    if wide:
        at = _cells_around(given, east, north, given.spacing)
        return np.where(at >= 0, values.ravel()[at], np.nan).reshape(east.shape)
    at = _cells_around(grid, lon, lat, (dx, dy))
    inside = (at >= 0) & np.isfinite(values.ravel())
    count = np.bincount(at[inside], minlength=east.size)
    total = np.bincount(at[inside], weights=values.ravel()[inside], minlength=east.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, total / count, np.nan).reshape(east.shape)


def _places(grid: MapGrid) -> tuple[Numbers, Numbers]:
    if grid.regular:
        east, north = np.meshgrid(grid.longitude, grid.latitude)
        return east, north
    return grid.longitude, grid.latitude


def _cells_around(
    grid: MapGrid, east: Numbers, north: Numbers, size: tuple[float, float]
) -> NDArray[np.int64]:
    """Number of the cell of `grid` around each place, -1 where there is none."""
    x, y = np.ravel(east), np.ravel(north)
    if grid.regular:
        row, column = _nearest(grid.latitude, y), _nearest_turned(grid.longitude, x)
        cell = row * grid.longitude.size + column
    else:
        cell = np.asarray(nearest_cells(grid, x, y)[0], np.int64)
    longitude, latitude = (places.ravel()[cell] for places in _places(grid))
    away = np.abs(np.remainder(longitude - x + 180.0, 360.0) - 180.0)
    near = (away <= 0.5001 * size[0]) & (np.abs(latitude - y) <= 0.5001 * size[1])
    return np.where(near, cell, -1)


def _nearest(centres: Numbers, places: Numbers) -> NDArray[np.int64]:
    """Number of the centre next to each place; centres rise."""
    edges = 0.5 * (centres[1:] + centres[:-1])
    return np.searchsorted(edges, places)


def _nearest_turned(longitude: Numbers, places: Numbers) -> NDArray[np.int64]:
    """The same on a circle."""
    middle = 0.5 * (longitude[0] + longitude[-1])
    return _nearest(longitude, middle + np.remainder(places - middle + 180.0, 360.0) - 180.0)


def pairs_in_time(
    model: xr.DataArray, satellite: xr.DataArray, within: float
) -> list[tuple[int, int]]:
    """Numbers of the records of the model and the satellite at most `within` [s] apart.

    Each record of the satellite has the nearest one of the model. Files without time have one.
    """
    times = [reading.coordinate(data, "time") for data in (model, satellite)]
    if any(time is None or time.ndim == 0 for time in times):
        return [(0, 0)]
    ours, theirs = (reading.seconds_of(time.values) for time in times if time is not None)
    nearest = np.abs(ours[:, None] - theirs[None, :]).argmin(axis=0)
    found = [
        (int(number), at)
        for at, number in enumerate(nearest)
        if abs(ours[number] - theirs[at]) <= within
    ]
    if not found:
        raise UserError(
            f"No record of the satellite lies within {within / 3600:g} hours of one of the model."
            " Give more by --within, or files of the same time."
        )
    return found


@dataclass(frozen=True)
class Comparison:
    """What `compare_chlorophyll` found: statistics of all pairs and by record, and mean maps."""

    whole: Agreement
    records: list[tuple[str, Agreement]]
    maps: xr.Dataset

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        by_time = [{"time": time, **asdict(one)} for time, one in self.records]
        return {"all": asdict(self.whole), "records": by_time}


def compare_chlorophyll(
    model_file: Path | str,
    satellite_file: Path | str,
    *,
    model_variable: str = "",
    satellite_variable: str = "",
    within: float = 43200.0,
) -> Comparison:
    """Compare a run's surface chlorophyll with that of satellites.

    Records at most `within` [s] apart are pairs. Maps are means over what both have.
    """
    with reading.open_output(model_file) as ours, reading.open_output(satellite_file) as theirs:
        model = chlorophyll_of(ours, model_file, model_variable)
        satellite = chlorophyll_of(theirs, satellite_file, satellite_variable)
        grid = grid_of(model)
        if not grid.geographic:
            raise UserError(f"'{model_file}' lies on a Cartesian grid: no satellite sees it.")
        weight = np.cos(np.deg2rad(_places(grid)[1]))
        records, seen = [], []
        for number, at in pairs_in_time(model, satellite, within):
            one = values_on(grid, reading.record(model, number))
            two = on_cells(grid, reading.record(satellite, at))
            seen.append((one, two))
            if (np.isfinite(one) & np.isfinite(two)).sum() > 1:
                time = reading.valid_time(reading.record(satellite, at))
                records.append((time, agreement(one, two, weight)))
        pairs = np.array(seen)
        return Comparison(
            agreement(pairs[:, 0], pairs[:, 1], weight), records, _mean_maps(grid, model, pairs)
        )


def _mean_maps(grid: MapGrid, model: xr.DataArray, pairs: Numbers) -> xr.Dataset:
    """Means over the records where both are known, and the logarithm of their ratio."""
    both = np.isfinite(pairs).all(axis=1)
    count = both.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ours, theirs = (np.where(both, pairs[:, n], 0.0).sum(axis=0) / count for n in (0, 1))
        ratio = np.log10(np.maximum(ours, least_shown) / np.maximum(theirs, least_shown))
    ratio[count == 0] = np.nan
    latitude, longitude = reading.horizontal(model)
    coordinates = {}
    for axis, values in ((latitude, grid.latitude), (longitude, grid.longitude)):
        coordinates[str(axis.name)] = (axis.dims, values, axis.attrs)
    facts = {
        "model": (ours, "mg m-3", "chlorophyll of the model"),
        "satellite": (theirs, "mg m-3", "chlorophyll of the satellite"),
        "ratio": (ratio, "1", "log10 of model over satellite"),
    }
    return xr.Dataset(
        {
            name: (grid.dimensions, values, {"units": units, "long_name": words})
            for name, (values, units, words) in facts.items()
        },
        coords=coordinates,
    )


def agreement_figure(comparison: Comparison, title: str = "") -> Figure:
    """Maps of model and satellite, in the same colours, and of the logarithm of their ratio."""
    with looks.style():
        maps = comparison.maps
        both = np.concatenate([maps[name].values.ravel() for name in ("model", "satellite")])
        whole = comparison.whole
        words = f"log10: bias {whole.log_bias:+.2f}, RMS {whole.log_rms:.2f}"
        figure, _ = map_sheet(
            maps,
            [maps[name] for name in ("model", "satellite", "ratio")],
            title=title or f"Chlorophyll of the model and of satellites; {words}",
            seen={"model": both, "satellite": both},
        )
    return figure
