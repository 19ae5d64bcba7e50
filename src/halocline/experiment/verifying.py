"""`halocline verify`: whether files are what was written, by the checksums in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from halocline.core.clock import date, text
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.files_written import list_file, lists_in, members_in, missing, read_list
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.classic_files import verify_records
from halocline.runtime.files.compressed_files import is_netcdf4, verify_chunks
from halocline.runtime.files.zarr_files import verify_zarr
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.writing.restart import restarts_of_all, suffix, verified


def verify(names: Sequence[str]) -> int:
    """Verify files, or all files of folders; one line each, and the exit code."""
    damaged, strange = 0, 0
    for name in names:
        for folder in lists_in(Path(name)):
            for member in members_in(folder):
                for path in missing(folder, member):
                    print(
                        f"The file '{path}' is missing: the run in '{folder}' has written it"
                        f" ({list_file(member)}).",
                        file=sys.stderr,
                    )
                    damaged += 1
        for path in _files(Path(name)):
            try:
                print(f"{path}: good, {verify_file(path)}")
            except DamagedFile as error:
                print(error, file=sys.stderr)
                damaged += 1
            except UserError as error:
                if path == Path(name):
                    raise
                print(f"{error} It is passed over.", file=sys.stderr)
                strange += 1
    if damaged:
        return exit_codes.damaged
    return exit_codes.user_error if strange else exit_codes.done


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
    """The file itself, or what a folder and those in it hold under final names."""
    if not path.exists():
        raise UserError(f"There is no file or folder '{path}'.")
    if path.is_file() or _is_zarr(path):
        yield path
        return
    found: set[Path] = set()
    for root, folders, names in os.walk(path):
        here = Path(root)
        found |= {here / name for name in folders if _is_zarr(here / name)}
        inside = [name for name in folders if not _is_zarr(here / name)]
        folders[:] = [name for name in inside if not name.endswith((".zarr.part", ".zarr.old"))]
        found |= {here / name for name in names if name.endswith(".nc")}
        found |= set(restarts_of_all(here))
        listed = (
            here / some.path for member in members_in(here) for some in read_list(here, member)
        )
        found |= {file for file in listed if file.exists()}
    if not found and not lists_in(path):
        raise UserError(f"There are no output files (*.nc, *.zarr) or restart files in '{path}'.")
    yield from sorted(found)


def _is_zarr(folder: Path) -> bool:
    return folder.suffix == ".zarr" or (folder / "zarr.json").exists()
