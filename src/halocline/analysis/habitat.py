"""What life finds in a sea: indicators of habitat and of what it can carry, from maps of a run.

All are means over the records of a file, but for the worst hypoxia.

- `hypoxic_thickness` [m]: of the water of a column with less oxygen than 62.5 mmol m-3, which is
  2 mg l-1 (Vaquer-Sunyer and Duarte 2008, Proc. Natl. Acad. Sci. 105, 15452); `..._worst`: the most
  of all records.
- `trophic_index` [1] of the surface, TRIX (Vollenweider, Giovanardi, Montanari and Rinaldi 1998,
  Environmetrics 9, 329): (log10(chlorophyll x |100 - oxygen saturation in %| x dissolved inorganic
  nitrogen x total phosphorus, all three in mg m-3) + 1.5) / 1.2. Below 4: high quality and low
  productivity; 4 to 5: good; 5 to 6: poor; above: bad. Total phosphorus is that of the tracers in
  the file.
- `primary_production` [mg m-2 day-1 of carbon]: of the whole column.
- `carried_production` [g m-2 year-1, wet weight; also t km-2 year-1]: what can be produced on a
  trophic level L of it, production x efficiency^(L - 1) x 9 g of wet weight per g of carbon (Pauly
  and Christensen 1995, Nature 374, 255), a bound of what can be caught.
- `suitability` [1]: share of the records in which given quantities of the surface lie in given
  ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.sheet import map_sheet
from halocline.core.errors import UserError

Numbers = NDArray[np.float64]
hypoxia = 62.5
"""Oxygen [mmol m-3]."""
wet_per_carbon = 9.0
nitrogen_mass, phosphorus_mass = 14.007, 30.974
phosphorus = ("N1p", "B1p", "P1p", "P2p", "P3p", "P4p", "Z3p", "Z4p", "Z5p", "Z6p", "R1p", "R6p")
"""Tracers that hold phosphorus [mmol m-3]."""
nitrogen = ("N3n", "N4n")
"""Dissolved inorganic nitrogen [mmol m-3]."""


def oxygen_saturation(temperature: Numbers, salinity: Numbers) -> Numbers:
    """Of water under air [mmol m-3]: Garcia and Gordon 1992, as fitted to Benson and Krause.

    >>> round(float(oxygen_saturation(np.array(10.0), np.array(35.0))), 3)
    282.015
    """
    x = np.log((298.15 - temperature) / (273.15 + temperature))
    fresh = np.polyval([3.88767, -2.56847e-1, 4.94457, 4.0501, 3.22014, 2.00907], x)
    salty = np.polyval([-8.17083e-3, -1.0341e-2, -7.37614e-3, -6.24523e-3], x)
    return np.asarray(44.6596 * np.exp(fresh + salinity * (salty - 4.88682e-7 * salinity)))


def trophic_index(
    chlorophyll: Numbers, saturation: Numbers, nitrogen: Numbers, phosphorus: Numbers
) -> Numbers:
    """TRIX of chlorophyll, nitrogen and phosphorus [mg m-3] and saturation of oxygen [%].

    >>> float(trophic_index(*np.array([1.0, 110.0, 100.0, 10.0]))).__round__(4)
    4.5833
    """
    product = chlorophyll * np.abs(100.0 - saturation) * nitrogen * phosphorus
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((np.log10(product) + 1.5) / 1.2)


def carried_production(production: Numbers, level: float, efficiency: float) -> Numbers:
    """Wet weight [g m-2 year-1] on a trophic level of a production of carbon [mg m-2 day-1].

    >>> round(float(carried_production(np.array(100.0), 3.0, 0.1)), 3)
    3.287
    """
    per_year = 1e-3 * 365.25 * wet_per_carbon
    return np.asarray(per_year * production * efficiency ** (level - 1.0))


def thicknesses(depth: Numbers) -> Numbers:
    """Of levels whose centres are given [m], from the surface on.

    >>> thicknesses(np.array([30.0, 15.0, 5.0])).tolist()
    [20.0, 10.0, 10.0]
    """
    order = np.argsort(depth)
    edge, result = 0.0, np.zeros(depth.size)
    for level in order:
        result[level] = 2.0 * (depth[level] - edge)
        edge += result[level]
    return result


class HabitatMaps:
    """Means over the records of one file, of the indicators for which it has what is needed."""

    def __init__(
        self,
        file: Path | str,
        *,
        level: float = 3.0,
        efficiency: float = 0.1,
        ranges: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.file, self.level, self.efficiency = file, level, efficiency
        self.ranges = dict(ranges or {})
        self.lacking: dict[str, str] = {}
        """What each indicator lacks that is left out."""

    def maps(self) -> xr.Dataset:
        """The indicators as maps."""
        with reading.open_output(self.file) as dataset:
            made = {name: self._made(name, find, dataset) for name, find in self._finders.items()}
        found = xr.Dataset({name: one for name, one in made.items() if one is not None})
        if not found.data_vars:
            reasons = "; ".join(f"{name}: {why}" for name, why in self.lacking.items())
            raise UserError(f"'{self.file}' has nothing that an indicator is made of. {reasons}.")
        return found

    @property
    def _finders(self) -> dict[str, Callable[[xr.Dataset], xr.DataArray]]:
        finders: dict[str, Callable[[xr.Dataset], xr.DataArray]] = {
            "hypoxic_thickness": self._hypoxic,
            "hypoxic_thickness_worst": self._worst,
            "trophic_index": self._trophic,
            "primary_production": self._production,
            "carried_production": self._carried,
        }
        return finders | ({"suitability": self._suitability} if self.ranges else {})

    def _made(
        self, name: str, find: Callable[[xr.Dataset], xr.DataArray], dataset: xr.Dataset
    ) -> xr.DataArray | None:
        try:
            return find(dataset)
        except KeyError as lack:
            self.lacking[name] = f"the file has no {lack.args[0]}"
            return None

    def _hypoxic(self, dataset: xr.Dataset) -> xr.DataArray:
        words = f"thickness of water with less than {hypoxia:g} mmol m-3 of oxygen"
        return _mean(_hypoxic_thickness(dataset), "m", words)

    def _worst(self, dataset: xr.Dataset) -> xr.DataArray:
        each = _hypoxic_thickness(dataset)
        worst = each.max(_time_of(each)) if _time_of(each) else each
        return worst.assign_attrs(units="m", long_name="greatest thickness of hypoxic water")

    def _trophic(self, dataset: xr.Dataset) -> xr.DataArray:
        top = _surface(dataset)
        saturation = 100.0 * _of(top, "O2o") / xr.apply_ufunc(
            oxygen_saturation, _of(top, "temperature"), _of(top, "salinity")
        )  # fmt: skip
        inorganic = nitrogen_mass * sum(_of(top, name) for name in nitrogen)
        _of(top, "N1p")
        total = phosphorus_mass * sum(_of(top, name) for name in phosphorus if name in top)
        index = xr.apply_ufunc(trophic_index, _of(top, "chlorophyll"), saturation, inorganic, total)
        return _mean(index.where(np.isfinite(index)), "1", "trophic index TRIX of the surface")

    def _production(self, dataset: xr.Dataset) -> xr.DataArray:
        return _mean(_column_production(dataset), "mg m-2 day-1", "primary production of carbon")

    def _carried(self, dataset: xr.Dataset) -> xr.DataArray:
        produced = self._production(dataset)
        carried = carried_production(produced.values, self.level, self.efficiency)
        words = f"wet weight that can be produced on trophic level {self.level:g}"
        return produced.copy(data=carried).assign_attrs(units="g m-2 year-1", long_name=words)

    def _suitability(self, dataset: xr.Dataset) -> xr.DataArray:
        top, good, known = _surface(dataset), None, None
        for name, (low, high) in self.ranges.items():
            values = _of(top, name)
            here, there = (values >= low) & (values <= high), np.isfinite(values)
            good = here if good is None else good & here
            known = there if known is None else known & there
        assert good is not None
        limits = ", ".join(f"{name} {a:g} to {b:g}" for name, (a, b) in self.ranges.items())
        return _mean(good.astype(float).where(known), "1", f"share of time with {limits}")


def _of(dataset: xr.Dataset, name: str) -> xr.DataArray:
    if name not in dataset:
        raise KeyError(name)
    return dataset[name]


def _time_of(data: xr.DataArray) -> str:
    time = reading.coordinate(data, "time")
    return "" if time is None or time.ndim == 0 else str(time.dims[0])


def _mean(data: xr.DataArray, units: str, words: str) -> xr.DataArray:
    mean = data.mean(_time_of(data)) if _time_of(data) else data
    return mean.assign_attrs(units=units, long_name=words)


def _levels(data: xr.DataArray) -> tuple[str, Numbers]:
    depth = reading.coordinate(data, "depth")
    if depth is None or depth.ndim != 1 or depth.dims[0] not in data.dims:
        raise KeyError("levels of depth")
    return str(depth.dims[0]), depth.values.astype(np.float64)


def _surface(dataset: xr.Dataset) -> xr.Dataset:
    depth = reading.coordinate(dataset, "depth")
    if depth is None or depth.ndim != 1:
        return dataset
    return dataset.isel({depth.dims[0]: int(np.abs(depth.values).argmin())})


def over_depth(data: xr.DataArray) -> xr.DataArray:
    """Sum of values times thickness; nothing where the uppermost cell has none."""
    name, depth = _levels(data)
    thick = xr.DataArray(thicknesses(depth), dims=[name])
    top = data.isel({name: int(np.abs(depth).argmin())})
    return (data * thick).sum(name).where(np.isfinite(top))


def _hypoxic_thickness(dataset: xr.Dataset) -> xr.DataArray:
    oxygen = _of(dataset, "O2o")
    return over_depth((oxygen < hypoxia).astype(float).where(np.isfinite(oxygen)))


def _column_production(dataset: xr.Dataset) -> xr.DataArray:
    return 86400.0 * over_depth(_of(dataset, "primary_production").drop_attrs())


def habitat_figure(maps: xr.Dataset, title: str = "") -> Figure:
    """One map of each indicator."""
    with looks.style():
        figure, _ = map_sheet(
            maps, [maps[name] for name in maps.data_vars], title=title or "Habitat"
        )
    return figure
