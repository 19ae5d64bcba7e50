"""Starts ranks that measure, from a process of the laboratory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.launch import mpi_environment, mpiexec_command


def on_ranks(
    module: str,
    settings: Mapping[str, Any],
    ranks: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What `python -m MODULE SETTINGS.json RESULT.json` finds on ranks of one thread each."""
    with tempfile.TemporaryDirectory() as folder:
        path, result = Path(folder) / "settings.json", Path(folder) / "result.json"
        path.write_text(json.dumps(settings), encoding="utf-8")
        command = [sys.executable, "-m", module, str(path), str(result)]
        around = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
        if ranks > 1:
            command = [*mpiexec_command(ranks), *command]
            around = mpi_environment(around)
        done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
        if done.returncode:
            name = module.rsplit(".", 1)[-1]
            raise UserError(f"{name} on {ranks} ranks failed:\n{done.stdout}{done.stderr}")
        found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found
