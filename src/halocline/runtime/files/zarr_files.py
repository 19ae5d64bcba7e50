"""Finished files as Zarr 3, and back when a run goes on.

Every chunk ends with its CRC32C, which readers verify.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import re
import shutil
import struct
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.core.buffer import Buffer
from zarr.storage import LocalStore

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.files.checksums import DamagedFile, crc32c
from halocline.runtime.files.classic_files import (
    GrowingFile,
    checksum_name,
    create,
    read_header,
    unwritable,
)
from halocline.runtime.files.disk import disk

metadata_checksum = "metadata_crc32c"
"""Attribute of a group: checksum of the bytes of its metadata and of that of its arrays."""

_digits = rf'("{metadata_checksum}": ")([0-9a-f]{{8}})"'.encode()


class _Store(LocalStore):
    """A folder whose files go through the one layer for all writing."""

    async def set(self, key: str, value: Buffer) -> None:
        await asyncio.to_thread(self._write, self.root / key, value)

    def _write(self, path: Path, value: Buffer) -> None:
        if not self.root.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "its folder is no longer there", str(self.root))
        path.parent.mkdir(parents=True, exist_ok=True)
        with disk().open(path, create=True) as file:
            file.write(value.to_bytes(), 0)


def to_zarr(path: Path, target: Path, compression: int, shard: int = 1) -> None:
    """Replace a CDF-5 file by a Zarr folder with the same contents, when that is complete.

    A chunk is one record of one variable, `shard` of them are one file; the numbers of each along
    time are one chunk. Texts lose their trailing blanks. `compression` is a level of Zstandard, 0
    for none.
    """
    part = target.with_name(target.name + ".part")
    try:
        if part.exists():
            shutil.rmtree(part)
        with netcdf_lock, netCDF4.Dataset(path) as old:
            old.set_auto_maskandscale(False)
            group = zarr.open_group(_Store(part), mode="w", zarr_format=3)
            attributes = {name: _plain(old.getncattr(name)) for name in old.ncattrs()}
            group.attrs.update({**attributes, metadata_checksum: f"{0:08x}"})
            for variable in old.variables.values():
                if variable.name != checksum_name:
                    _copy(variable, group, compression, shard)
        _leave_checksum(part)
        _sync(part)
        if target.exists():
            remove_folder(target)
        disk().replace(part, target)
        disk().sync_folder(target.parent)
        path.unlink()
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        kept = f" The records are complete in '{path.name}'."
        raise unwritable(target, error, kept) from None


def _leave_checksum(folder: Path) -> None:
    """Put the checksum of all metadata into that of the group, in place of zeros."""
    path = folder / "zarr.json"
    zeros = f'"{metadata_checksum}": "{0:08x}"'.encode()
    content = path.read_bytes()
    assert content.count(zeros) == 1, "the attribute is written so"
    words = f'"{metadata_checksum}": "{_checksum_of_metadata(folder):08x}"'.encode()
    with disk().open(path) as file:
        file.write(content.replace(zeros, words), 0)


def _checksum_of_metadata(folder: Path) -> int:
    """CRC32C of the metadata of all arrays and of the group, its own digits taken as zeros."""
    value = 0
    for path in (folder / "zarr.json", *sorted(folder.glob("*/zarr.json"))):
        name = str(path.relative_to(folder)).encode()
        content = re.sub(_digits, rb'\g<1>00000000"', path.read_bytes(), count=1)
        value = crc32c(content, crc32c(name, value))
    return value


def _copy(variable: Any, group: Any, compression: int, shard: int) -> None:
    attributes = {key: _plain(variable.getncattr(key)) for key in variable.ncattrs()}
    grows = variable.ndim > 1 and variable.group().dimensions[variable.dimensions[0]].isunlimited()
    settings: dict[str, Any] = {
        "compressors": [*([ZstdCodec(level=compression)] if compression else []), Crc32cCodec()],
        "attributes": attributes,
        "dimension_names": variable.dimensions,
        # A chunk that is not there would stand for missing values; so its loss would not be seen.
        "config": {"write_empty_chunks": True},
    }
    if variable.dtype == np.dtype("S1"):
        texts = netCDF4.chartostring(variable[...]).astype(str)
        settings["dimension_names"] = variable.dimensions[:-1]
        made = group.create_array(variable.name, shape=texts.shape, dtype=str, **settings)
        made[...] = texts.astype(object)
        return
    if "_FillValue" in attributes:
        settings["fill_value"] = attributes["_FillValue"]
        # What xarray reads: the number in base64, as it writes it.
        number = struct.pack("<d", attributes["_FillValue"])
        attributes["_FillValue"] = base64.standard_b64encode(number).decode()
    shape = variable.shape
    chunks = (1, *shape[1:]) if grows else tuple(max(1, size) for size in shape)
    step = min(shard, max(1, shape[0])) if grows else 1
    if step > 1:
        settings["shards"] = (step, *shape[1:])
    made = group.create_array(
        variable.name, shape=shape, dtype=variable.dtype, chunks=chunks, **settings
    )
    if not grows:
        made[...] = variable[...]
        return
    for record in range(0, shape[0], step):
        made[record : record + step] = variable[record : record + step]


def _plain(value: Any) -> Any:
    """An attribute as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def from_zarr(folder: Path, path: Path, head: bytes) -> bool:
    """Replace a Zarr folder by a CDF-5 file with the same records, so that it can grow again.

    False, and nothing is changed, where its variables are not those of files with that `head`.
    """
    part = path.with_name(path.name + ".old")
    create(part, head)
    group = zarr.open_group(folder, mode="r")
    growing = read_header(part).growing
    growing.pop(checksum_name)
    arrays: dict[str, Any] = {name: group[name] for name in growing if name in group}
    same = arrays.keys() == growing.keys() and all(
        arrays[name].shape[1:] == place.shape
        and arrays[name].dtype == place.dtype.newbyteorder("=")
        for name, place in growing.items()
    )
    if not same:
        part.unlink()
        return False
    file = GrowingFile(part)
    try:
        for record in range(arrays["time"].shape[0]):
            file.append({name: np.asarray(array[record]) for name, array in arrays.items()})
    except UserError:
        part.unlink()
        raise
    finally:
        file.close()
    part.replace(path)
    remove_folder(folder)
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder and what it holds; under its own name it is never there in part."""
    gone = folder.with_name(folder.name + ".old")
    shutil.rmtree(gone, ignore_errors=True)
    folder.replace(gone)
    shutil.rmtree(gone)


def _sync(folder: Path) -> None:
    """Bring all files of a folder to disk."""
    for path in folder.rglob("*"):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def verify_zarr(folder: Path) -> int:
    """The number of records of a Zarr folder all of whose chunks have the right checksums."""
    place = "its header"
    try:
        for inner in sorted(folder.glob("*/")):
            if not (inner / "zarr.json").exists():
                place = f"'{inner.name}'"
                raise ValueError("its header (zarr.json) is missing")
        place = "its metadata"
        _compare_metadata(folder)
        group: Any = zarr.open_group(folder, mode="r")
        for name, array in group.arrays():
            place = f"'{name}'"
            codecs: Any = array.metadata.to_dict()["codecs"]
            if codecs[0]["name"] == "sharding_indexed":
                codecs = codecs[0]["configuration"]["codecs"]
            if not any(codec["name"] == "crc32c" for codec in codecs):
                raise UserError(f"'{folder}' has no checksums in '{name}': it cannot be verified.")
            _compare_files(folder / name, array)
            for chunk in _chunks(array):
                place = f"record {chunk} of '{name}'" if array.ndim > 1 else f"'{name}'"
                array[chunk]
        return int(group["time"].shape[0]) if "time" in group else 0
    except (ValueError, RuntimeError, KeyError, OSError) as error:
        words = str(error).rstrip(".")
        raise DamagedFile(f"The folder '{folder}' is damaged in {place}: {words}.") from None


def _compare_metadata(folder: Path) -> None:
    """Refuse metadata that is not what was written, before anything is made of it."""
    found = re.search(_digits, (folder / "zarr.json").read_bytes())
    if found is None:
        raise ValueError(f"its checksum ({metadata_checksum}) is missing")
    checksum = _checksum_of_metadata(folder)
    if found[2] != f"{checksum:08x}".encode():
        words = f"{checksum:08x}, and {found[2].decode()} is what was written"
        raise ValueError(f"it has the checksum {words}")


def _compare_files(folder: Path, array: Any) -> None:
    """Refuse an array whose files are not those of its chunks."""
    sizes = array.shards or array.chunks
    counts = [-(-length // size) for length, size in zip(array.shape, sizes, strict=True)]
    expected = {array.metadata.encode_chunk_key(place) for place in np.ndindex(*counts)}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    if missing := sorted(expected - found):
        raise ValueError(f"the chunk '{missing[0]}' is missing")
    if more := sorted(found - expected - {"zarr.json"}):
        raise ValueError(f"there is '{more[0]}' beyond its {array.shape[0]} records")


def _chunks(array: Any) -> Any:
    """One part of an array after the other: records, or all."""
    return range(array.shape[0]) if array.ndim > 1 else [...]
