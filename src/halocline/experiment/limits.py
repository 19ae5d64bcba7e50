"""Limits of the system for this process (`ulimit`) that are too low for ranks."""

from __future__ import annotations

import resource

from halocline.core.errors import UserError
from halocline.runtime.files.room import file_limit, size_words

shared_bytes = 20_000_000
"""The largest file that MPI makes before it computes, memory that ranks share: Open MPI 5 fails
with 5 MB and does with 20 MB [byte]."""

open_files = 40
"""Files that mpiexec must be able to have open: Open MPI 5 fails with 20, does with 40 [1]."""

_suspects = {
    "memory (ulimit -v)": resource.RLIMIT_AS,
    "data (ulimit -d)": resource.RLIMIT_DATA,
    "processor time (ulimit -t)": resource.RLIMIT_CPU,
    "files (ulimit -f)": resource.RLIMIT_FSIZE,
}


def refuse_low_limits() -> None:
    """Refuse to start ranks where MPI could only crash."""
    limit = file_limit()
    if limit is not None and limit < shared_bytes:
        raise UserError(
            f"A file may have {size_words(limit)} at most here (ulimit -f), but MPI needs one of"
            f" {size_words(shared_bytes)} to start ranks. Raise the limit ('ulimit -f unlimited'),"
            " or run with '-n 1' and without output servers."
        )
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < open_files:
        raise UserError(
            f"Only {soft} files may be open at a time here (ulimit -n), but MPI needs {open_files}"
            " to start ranks. Raise the limit ('ulimit -n 1024'), or run with '-n 1' and without"
            " output servers."
        )


def limits_in_force() -> str:
    """A sentence on limits that may have ended a rank; empty without any."""
    found = [name for name, which in _suspects.items() if _limited(which)]
    return f" Limited here: {', '.join(found)}." if found else ""


def _limited(which: int) -> bool:
    return resource.getrlimit(which)[0] != resource.RLIM_INFINITY
