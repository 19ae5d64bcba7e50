"""Programs of the laboratory that ranks run: how they are started, and how they answer.

What a user did wrong comes back as one message, on however many ranks it was found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import guarded
from halocline.experiment.ending import code_file
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command, rank_command, tethered


def answer_of(
    module: str,
    settings: Mapping[str, Any],
    ranks: int,
    threads: int = 1,
    environment: Mapping[str, str] | None = None,
    launcher: Sequence[str] = (),
) -> bytes:
    """What `python -m MODULE SETTINGS.json ANSWER` leaves in the file ANSWER, run on ranks.

    A `launcher` of your own, with its options, starts them in place of mpiexec.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, result, code = (Path(folder) / name for name in ("settings.json", "answer", "code"))
        path.write_text(json.dumps(settings), encoding="utf-8")
        command = rank_command(module, str(path), str(result))
        around = {**os.environ, "OMP_NUM_THREADS": str(threads), **(environment or {})}
        if launcher or ranks > 1:
            command = [*(launcher or mpiexec_command(ranks, threads)), *command]
            around = mpi_environment(around)
        around[code_file] = str(code)
        done = subprocess.run(
            tethered(command), env=around, capture_output=True, text=True, check=False
        )
        ended = int(code.read_text(encoding="utf-8")) if code.exists() else done.returncode
        if ended == exit_codes.done:
            return result.read_bytes()
    if ended == exit_codes.user_error:
        raise UserError(_message(done.stderr))
    name = module.rsplit(".", 1)[-1]
    raise UserError(f"{name} on {ranks} ranks failed:\n{done.stdout}{done.stderr}")


def _message(words: str) -> str:
    """The message of a mistake, without what the launcher adds.

    >>> _message("halocline: No wind.\\n(on rank 1)\\n-------\\nprterun has ended ...")
    'No wind.\\n(on rank 1)'
    """
    lines = words.partition("halocline: ")[2].splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("-----")]
    return "\n".join(lines[: ends[0] if ends else None])


def as_json(answer: Any) -> bytes:
    """An answer of plain values as JSON."""
    return json.dumps(answer).encode()


def give_answer(
    measure: Callable[[dict[str, Any]], Any], pack: Callable[[Any], bytes] = as_json
) -> None:
    """The whole of such a program: measure as SETTINGS.json says; rank 0 writes ANSWER."""

    def act() -> int:
        answer = measure(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
        if world().rank == 0:
            Path(sys.argv[2]).write_bytes(pack(answer))
        return exit_codes.done

    sys.exit(guarded(act))
