"""PnetCDF, where a site has it: the library found, checked to be of this MPI, and called.

Its functions are called through ctypes, so that nothing of it is needed to build Halocline.

Interface: Parallel netCDF, C interface reference, 1.8 and later.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p
from ctypes.util import find_library
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError

variable = "HALOCLINE_PNETCDF"
"""Environment variable with the path of the library."""

_instead = f"Set {variable} to the path of a libpnetcdf.so built for it, or write in another way."
_write = 1
_all_requests = -1
_names = {
    "S1": "text", "i1": "schar", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int",
    "u4": "uint", "i8": "longlong", "u8": "ulonglong", "f4": "float", "f8": "double",
}  # fmt: skip


class Pnetcdf:
    """The functions of the library that Halocline calls; each raises OSError where it fails."""

    def __init__(self, library: ctypes.CDLL) -> None:
        from mpi4py import MPI

        self._library = library
        self._library.ncmpi_strerror.restype = c_char_p
        communicator, info = _handle_type(MPI.Comm), _handle_type(MPI.Info)
        arguments: dict[str, list[Any]] = {
            "ncmpi_open": [communicator, c_char_p, c_int, info, POINTER(c_int)],
            "ncmpi_inq_varid": [c_int, c_char_p, POINTER(c_int)],
            "ncmpi_begin_indep_data": [c_int],
            "ncmpi_wait": [c_int, c_int, c_void_p, c_void_p],
            "ncmpi_wait_all": [c_int, c_int, c_void_p, c_void_p],
            "ncmpi_close": [c_int],
        }
        for kind in _names.values():
            pointers = [c_void_p] * 3
            arguments[f"ncmpi_iput_varn_{kind}"] = [*[c_int] * 3, *pointers, POINTER(c_int)]
        for name, types in arguments.items():
            getattr(library, name).argtypes = types

    def open(self, comm: Any, path: Path, info: Any) -> int:
        """Open an existing file for writing; a call for all ranks of an MPI communicator."""
        from mpi4py import MPI

        number = c_int()
        handles = MPI._handleof(comm), MPI._handleof(info)
        self._call("open", handles[0], os.fsencode(path), _write, handles[1], byref(number))
        return number.value

    def find(self, file: int, name: str) -> int:
        """Number of a variable."""
        number = c_int()
        self._call("inq_varid", file, name.encode(), byref(number))
        return number.value

    def begin_independent(self, file: int) -> None:
        """From now on ranks write by themselves; a call for all ranks."""
        self._call("begin_indep_data", file)

    def post(
        self,
        file: int,
        number: int,
        starts: NDArray[np.int64],
        counts: NDArray[np.int64],
        values: NDArray[Any],
    ) -> None:
        """Note parts of a variable to write: starts and counts (part, dimension), their values.

        All three stay as they are until `write`.
        """
        assert starts.flags.c_contiguous and counts.flags.c_contiguous and values.flags.c_contiguous
        rows = np.arange(len(starts), dtype=np.uint64) * np.uint64(8 * starts.shape[1])
        pointers = [np.uint64(array.ctypes.data) + rows for array in (starts, counts)]
        addresses = [array.ctypes.data for array in (*pointers, values)]
        name = f"iput_varn_{_names[values.dtype.str[1:]]}"
        self._call(name, file, number, len(starts), *addresses, byref(c_int()))

    def write(self, file: int, *, collective: bool) -> None:
        """Write all that was noted; with `collective` a call for all ranks."""
        self._call("wait_all" if collective else "wait", file, _all_requests, None, None)

    def close(self, file: int) -> None:
        """Close the file; a call for all ranks."""
        self._call("close", file)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, f"ncmpi_{name}")(*arguments)
        if status != 0:
            reason = self._library.ncmpi_strerror(c_int(status)).decode()
            raise OSError(None, f"PnetCDF's {name}: {reason}")


def _handle_type(kind: Any) -> Any:
    """C type of a handle of MPI: a pointer or an int."""
    from mpi4py import MPI

    return c_void_p if MPI._sizeof(kind) == ctypes.sizeof(c_void_p) else c_int


@lru_cache(maxsize=1)
def load() -> Pnetcdf:
    """The library of this process, found by HALOCLINE_PNETCDF or in the system's folders.

    ROMIO, which it calls, is told not to write back bytes of other ranks (data sieving): by its
    file of hints, since Open MPI drops those that PnetCDF gives to MPI_File_open.
    """
    os.environ.setdefault("ROMIO_HINTS", str(Path(__file__).with_name("romio_hints.txt")))
    path = os.environ.get(variable) or find_library("pnetcdf")
    ours = _mpi_of_this_process()
    if not path:
        raise UserError(f"No PnetCDF was found for this MPI ({_version(ours)}). {_instead}")
    try:
        library = ctypes.CDLL(path)
        _ = library.ncmpi_iput_varn_float
    except (OSError, AttributeError) as error:
        raise UserError(f"'{path}' cannot be used as PnetCDF: {error}. {_instead}") from None
    _compare(path, library, ours)
    return Pnetcdf(library)


def _mpi_of_this_process() -> ctypes.CDLL:
    from mpi4py import MPI

    return ctypes.CDLL(MPI.__file__)


def _compare(path: str, library: ctypes.CDLL, ours: ctypes.CDLL) -> None:
    """Refuse a PnetCDF that would call another MPI than mpi4py does: handles are not the same.

    A function is looked up in a library and those that it links, so its address tells which MPI.
    """
    theirs = getattr(library, "MPI_Get_library_version", None)
    if theirs is None:
        raise UserError(f"The PnetCDF '{path}' does not say which MPI it was built for. {_instead}")
    addresses = [ctypes.cast(one.MPI_Get_library_version, c_void_p) for one in (library, ours)]
    if addresses[0].value != addresses[1].value:
        raise UserError(
            f"The PnetCDF '{path}' was built for another MPI ({_version(library)}) than the one"
            f" that runs ({_version(ours)}). {_instead}"
        )


def _version(library: ctypes.CDLL) -> str:
    """First words of what an MPI library says about itself, which it may do at any time."""
    text, size = ctypes.create_string_buffer(8192), c_int()
    library.MPI_Get_library_version(text, byref(size))
    return text.value.decode(errors="replace").splitlines()[0].split(",")[0].strip()
