"""Stations in files of discrete geometries, by the CF conventions (chapter 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.names import Quantity

Array = NDArray[Any]


def define_stations(
    file: netCDF4.Dataset, names: Sequence[str], places: Mapping[str, tuple[Quantity, Array]]
) -> None:
    """The dimension `station` with numbers, places and names."""
    length = max(16, max(len(name.encode()) for name in names))
    file.createDimension("station", len(names))
    file.createDimension(f"string{length}", length)
    station = file.createVariable("station", "i4", ("station",))
    station.long_name = "station number"
    station[:] = np.arange(1, len(names) + 1)
    for name, (facts, values) in places.items():
        variable = file.createVariable(name, "f8", ("station",))
        variable.setncatts(facts.attributes())
        variable[:] = values
    station_name = file.createVariable("station_name", "S1", ("station", f"string{length}"))
    station_name.setncatts({"long_name": "station name", "cf_role": "timeseries_id"})
    texts = np.array([name.encode() for name in names], f"S{length}")
    station_name[:] = texts.view("S1").reshape(len(names), length)
