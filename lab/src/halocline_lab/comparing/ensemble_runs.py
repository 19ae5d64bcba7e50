"""Members of an ensemble: runs of a case that differ by perturbations near round-off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from halocline.component.case.reading import read_case
from halocline.core.errors import UserError

roundings = 10.0
"""Size of a perturbation in roundings of the precision of the case, where none is given."""


def make_members(
    count: int,
    case: str,
    settings: Sequence[str],
    folder: Path,
    *,
    ranks: int | None = None,
    amplitude: float | None = None,
    tell: Callable[[str], None] = print,
) -> list[Path]:
    """Run perturbed members of a case; folders of their results.

    Start and wind are multiplied by 1 + `amplitude` times a random number between -1 and 1.
    """
    precision = read_case(case, settings).precision
    rounding = float(np.finfo(precision).eps)
    size = roundings * rounding if amplitude is None else amplitude
    if size < rounding:
        raise UserError(
            f"--amplitude {size:g} is below the rounding of {precision}, {rounding:.2g}: members"
            " would not differ. Give more, or leave it out."
        )
    members = []
    for number in range(1, count + 1):
        member = folder / f"member{number:02d}"
        tell(f"member {number} of {count}: {member}")
        own = [*settings, f"perturbation.amplitude={size!r}", f"perturbation.member={number}"]
        words = [word for setting in own for word in ("--set", setting)]
        some = [] if ranks is None else ["-n", str(ranks)]
        command = [sys.executable, "-m", "halocline", "run", case, "--quiet", *some, *words]
        done = subprocess.run(
            [*command, "--output", str(member)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UserError(f"Member {number} failed:\n{(done.stderr or done.stdout).strip()}")
        members.append(member)
    return members
