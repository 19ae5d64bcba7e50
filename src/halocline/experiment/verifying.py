"""`halocline verify`: whether files are what was written, by the checksums in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from halocline.core.clock import date, text
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.runtime.checksums import DamagedFile
from halocline.runtime.classic_files import verify_records
from halocline.runtime.communicator import Alone
from halocline.runtime.compressed_files import is_netcdf4, verify_chunks
from halocline.runtime.restart import find_restarts, suffix, verified
from halocline.runtime.zarr_files import verify_zarr


def verify(names: Sequence[str]) -> int:
    """Verify files, or all files of folders; one line each, and the exit code."""
    damaged = 0
    for name in names:
        for path in _files(Path(name)):
            try:
                print(f"{path}: good, {verify_file(path)}")
            except DamagedFile as error:
                print(error, file=sys.stderr)
                damaged += 1
    return exit_codes.damaged if damaged else exit_codes.done


def verify_file(path: Path) -> str:
    """What a good file is; a damaged one raises `DamagedFile`."""
    if path.is_dir():
        return _records(verify_zarr(path))
    if path.suffix == suffix:
        layout = verified(path, Alone())
        count = layout.table.shape[0] - 1
        time = date(layout.texts["time"], layout.texts["calendar"])
        return f"restart of {text(time)}, {count} checksums"
    if is_netcdf4(path):
        return _records(verify_chunks(path))
    count, more = verify_records(path)
    if not more:
        return _records(count)
    return (
        f"{_records(count)}; {more} more complete, but not counted: a run was broken off there, or"
        " the count in the header is damaged"
    )


def _records(count: int) -> str:
    return f"{count} record{'s' * (count != 1)}"


def _files(path: Path) -> Iterator[Path]:
    """The file itself, or what a folder of results holds under final names."""
    if not path.exists():
        raise UserError(f"There is no file or folder '{path}'.")
    if path.is_file() or path.suffix == ".zarr" or (path / "zarr.json").exists():
        yield path
        return
    found = [*path.glob("*.nc"), *path.glob("*.zarr"), *find_restarts(path)]
    if not found:
        raise UserError(f"There are no output files (*.nc, *.zarr) or restart files in '{path}'.")
    yield from sorted(found)
