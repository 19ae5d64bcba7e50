"""The file of a record: netCDF-4 with one group per table, compressed; xarray opens each group.

A column of a table is a variable along the dimension `row`. Regions are the group "regions"; what
was run stands in the attribute `about` of the file, as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.record.run_record import Region, RunRecord, Table, empty, kinds, table_types

record_name = "halocline.record"
"""The file's name in a folder of results: no *.nc, which are taken for results."""

format_name = "halocline run record"
format_version = 1


def write_record(path: str | Path, record: RunRecord) -> None:
    """Write a record; the file appears when it is whole."""
    path = Path(path)
    growing = path.with_name(path.name + ".part")
    try:
        _write(growing, record)
        growing.replace(path)
    finally:
        growing.unlink(missing_ok=True)


def _write(path: Path, record: RunRecord) -> None:
    with netcdf_lock, netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        file.title = "Record of a parallel run: statistics, and events of representative spans"
        file.format_name, file.format_version = format_name, np.int32(format_version)
        file.about = json.dumps(record.about, default=str)
        group = file.createGroup("regions")
        group.createDimension("row", len(record.regions))
        for name in ("name", "kind", "site"):
            column = group.createVariable(name, str, ("row",))
            for at, region in enumerate(record.regions):
                column[at] = getattr(region, name)
        for name in table_types:
            _write_table(file.createGroup(name), getattr(record, name))


def _write_table(group: Any, table: Table) -> None:
    group.createDimension("row", len(table))
    for name in table.dtype.names or ():
        column = table[name]
        variable = group.createVariable(
            name, column.dtype, ("row",), compression="zlib", complevel=4, shuffle=True
        )
        if name in ("begin", "end", "steady_begin", "steady_end"):
            variable.long_name = f"{name} since the zero of the record"
            variable.unit_of_time = "ns"
        variable[:] = column


def read_record(path: str | Path) -> RunRecord:
    """Read a record, or the record in a folder of results."""
    path = Path(path)
    if path.is_dir():
        path = path / record_name
    if not path.is_file():
        raise UserError(
            f"There is no record '{path}'. 'halocline run' leaves a {record_name} in its folder"
            " of results, unless it dies; 'halocline lab record -- COMMAND' makes one of any MPI"
            " program."
        )
    try:
        with netcdf_lock, netCDF4.Dataset(path) as file:
            return _read(file, path)
    except OSError as error:
        raise UserError(
            f"'{path}' is no netCDF-4 file and so no record of a run ({error})."
        ) from None


def _read(file: Any, path: Path) -> RunRecord:
    if getattr(file, "format_name", "") != format_name:
        raise UserError(
            f"'{path}' is a netCDF file but no record of a run. Name a {record_name}, or the"
            " folder that it lies in."
        )
    if int(file.format_version) > format_version:
        raise UserError(
            f"'{path}' is a record of version {int(file.format_version)}; this program reads up to"
            f" version {format_version}. Use a newer Halocline."
        )
    words = file.groups["regions"].variables
    columns = [[str(word) for word in words[name][:]] for name in ("name", "kind", "site")]
    regions = [Region(*row) for row in zip(*columns, strict=True)]
    assert all(region.kind in kinds for region in regions)
    tables = {name: _read_table(file, name) for name in table_types}
    return RunRecord(json.loads(file.about), regions, **tables)


def _read_table(file: Any, name: str) -> Table:
    """A table of a file; empty where an older file has none."""
    if name not in file.groups:
        return empty(name)
    group = file.groups[name]
    table = empty(name, len(group.dimensions["row"]))
    for column in table.dtype.names or ():
        if column not in group.variables:
            table[column] = np.nan  # of an older file; such columns are floats
            continue
        variable = group.variables[column]
        variable.set_auto_mask(False)
        table[column] = variable[:]
    return table
