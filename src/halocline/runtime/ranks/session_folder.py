"""Where Open MPI's launcher keeps the files of a run.

It names the folder of a run after its process number, and refuses to start ("The PMIx server's
listener thread failed to start") where a launcher that was killed left one of that number. Numbers
come again, after 32,768 processes on many machines. So our runs have a folder of their own, from
which what the dead have left is removed before the next starts.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from pathlib import Path

session_variable = "PRTE_MCA_prte_local_tmpdir_base"
"""Open MPI's name of the folder above those of runs, on the node of the launcher."""


def session_folder() -> Path | None:
    """This user's folder of runs on this machine, without leftovers; None where it cannot be made.

    Processes count from one in every container, so each set of process numbers has its own.
    """
    numbers = os.stat("/proc/self/ns/pid").st_ino
    name = f"halocline-mpi-{platform.node()}-{os.getuid()}-{numbers}"
    folder = Path(tempfile.gettempdir(), name)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return None
    except OSError:
        return None
    remove_leftovers(folder)
    return folder


def remove_leftovers(folder: Path) -> None:
    """Remove the folders of launchers that no longer live."""
    for run in folder.glob("ompi.*"):
        number = run.name.removeprefix("ompi.")
        if number.isdigit() and not Path("/proc", number).exists():
            shutil.rmtree(run, ignore_errors=True)
