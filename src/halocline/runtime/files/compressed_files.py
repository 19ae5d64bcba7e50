"""Finished files as netCDF-4 with compression, and back when a run goes on.

In netCDF-4 each chunk has a checksum of its own (Fletcher's, of HDF5), verified by readers.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import netCDF4

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.classic_files import (
    GrowingFile,
    checksum_name,
    create,
    read_header,
    unwritable,
)
from halocline.runtime.files.disk import disk


def is_netcdf4(path: Path) -> bool:
    """Whether a file is netCDF-4 (HDF5)."""
    with path.open("rb") as file:
        return file.read(4) == b"\x89HDF"


def to_netcdf4(path: Path, compression: int) -> None:
    """Replace a CDF-5 file by one with the same contents in netCDF-4, when that is complete."""
    part = path.with_name(path.name + ".part")
    try:
        with netcdf_lock, netCDF4.Dataset(path) as old, netCDF4.Dataset(part, "w") as new:
            _copy(old, new, compression)
        disk().publish(part, path)
    except (OSError, RuntimeError) as error:
        failure = error if isinstance(error, OSError) else OSError(_reason(part, error))
        part.unlink(missing_ok=True)
        raise unwritable(path, failure, " The file is complete, but not compressed.") from None


def _reason(part: Path, error: RuntimeError) -> str:
    """Why the library could not write, which says no more than 'HDF error' of a full disk."""
    full = shutil.disk_usage(part.parent).free < 1 << 20
    return os.strerror(errno.ENOSPC) if full else str(error)


def _copy(old: netCDF4.Dataset, new: netCDF4.Dataset, compression: int) -> None:
    old.set_auto_maskandscale(False)
    old.set_auto_chartostring(False)
    new.setncatts({name: old.getncattr(name) for name in old.ncattrs()})
    records = 0
    for name, dimension in old.dimensions.items():
        grows = dimension.isunlimited()
        records = len(dimension) if grows else records
        new.createDimension(name, None if grows else len(dimension))
    for name, variable in old.variables.items():
        if name == checksum_name:
            continue
        attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
        grows = bool(variable.ndim) and old.dimensions[variable.dimensions[0]].isunlimited()
        settings: dict[str, Any] = {"fill_value": attributes.pop("_FillValue", None)}
        if grows and variable.ndim > 1:
            settings["chunksizes"] = (1, *variable.shape[1:])
        if variable.ndim:
            settings["fletcher32"] = True
        if compression and variable.ndim:
            settings |= {"compression": "zlib", "complevel": compression}
        made = new.createVariable(name, variable.dtype, variable.dimensions, **settings)
        made.set_auto_maskandscale(False)
        made.set_auto_chartostring(False)
        made.setncatts(attributes)
        if not grows:
            made[...] = variable[...]
            continue
        for record in range(records):
            made[record] = variable[record]


def from_netcdf4(path: Path, head: bytes) -> bool:
    """Replace a netCDF-4 file by CDF-5 with the same records, so that it can grow again.

    False, and nothing is changed, where its variables are not those of files with that `head`.
    """
    part = path.with_name(path.name + ".old")
    create(part, head)
    with netcdf_lock, netCDF4.Dataset(path) as old:
        old.set_auto_maskandscale(False)
        growing = read_header(part).growing
        growing.pop(checksum_name)
        same = all(
            name in old.variables
            and old[name].shape[1:] == place.shape
            and old[name].dtype == place.dtype.newbyteorder("=")
            for name, place in growing.items()
        )
        if not same:
            part.unlink()
            return False
        file = GrowingFile(part)
        try:
            for record in range(len(old.dimensions["time"])):
                file.append({name: old[name][record] for name in growing})
        except UserError:
            part.unlink()
            raise
        finally:
            file.close()
    part.replace(path)
    return True


def verify_chunks(path: Path) -> int:
    """The number of records of a netCDF-4 file all of whose chunks can be read."""
    try:
        with netcdf_lock, netCDF4.Dataset(path) as file:
            file.set_auto_maskandscale(False)
            for variable in file.variables.values():
                step = range(variable.shape[0]) if variable.ndim > 1 else [...]
                for part in step:
                    variable[part]
            return len(file.dimensions["time"]) if "time" in file.dimensions else 0
    except (OSError, RuntimeError) as error:
        raise DamagedFile(f"The file '{path}' is damaged: {error}.") from None
