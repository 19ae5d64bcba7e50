"""Whether a launcher of MPI has started this process, and ending with that launcher.

Imports little: ranks begin with it.
"""

from __future__ import annotations

import os
import signal

from halocline.runtime import _native


def ranks_started() -> int:
    """Ranks that an MPI launcher says it has started with this process; 1 if there is none."""
    sizes = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS")
    return next((int(os.environ[name]) for name in sizes if os.environ.get(name)), 1)


def rank_started() -> int:
    """The rank that an MPI launcher says this process is; 0 if there is none."""
    ranks = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
    return next((int(os.environ[name]) for name in ranks if os.environ.get(name)), 0)


def under_mpi() -> bool:
    """Whether this process was started by an MPI launcher with more than one rank."""
    return ranks_started() > 1


def end_with_launcher() -> None:
    """Let a rank end with the process that started it: mpiexec, or its daemon on this node.

    Where that had ended before it could be watched, the rank ends now.
    """
    if not under_mpi():
        return
    _native.end_with_parent()
    launcher = launcher_here()
    if launcher and not os.path.exists(f"/proc/{launcher}"):
        os.kill(os.getpid(), signal.SIGKILL)


def launcher_here() -> int:
    """The process number of our mpiexec, where it runs on this node; otherwise 0."""
    node, _, number = os.environ.get("HALOCLINE_LAUNCHER", "").partition(" ")
    return int(number) if node == os.uname().nodename else 0
