"""How files are spread over the targets of a parallel file system: the stripes of Lustre.

A file's stripes are settled when it is made, whoever writes it later and by whatever library; hints
of MPI-IO (`striping_factor`, `striping_unit`) come too late for a file that is there. So the folder
of results is told, by Lustre's own program, what files in it shall have.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from halocline.core.errors import UserError
from halocline.core.programs import find_program

mounts = Path("/proc/self/mounts")
"""What is mounted where: device, folder, kind, options (proc(5))."""


def spread(folder: Path, count: int, size: int) -> str:
    """Have files that are made in a folder from now on spread in stripes; words for the log.

    `count` targets, -1: all; `size` of a stripe [byte]; 0 of either: as the folder has it.
    Nothing is said where nothing is asked. Elsewhere than on Lustre nothing is done, and the words
    say so. Raises UserError where Lustre refuses.
    """
    if not count and not size:
        return ""
    kind = file_system(folder)
    if kind != "lustre":
        return (
            f"stripes of files (output.writing.stripe_count = {count}, stripe_size = {size}) were"
            f" not set: the folder of results lies on {kind}, not on Lustre"
        )
    program = find_program("lfs", own_first=False)
    if program is None:
        raise UserError(
            f"output.writing.stripe_count = {count}, stripe_size = {size}: '{folder}' lies on"
            " Lustre, but its program 'lfs' is not on PATH. Add it, or leave the stripes out."
        )
    words = [*(["-c", str(count)] if count else []), *(["-S", str(size)] if size else [])]
    done = subprocess.run(
        [program, "setstripe", *words, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise UserError(
            f"output.writing.stripe_count = {count}, stripe_size = {size}: Lustre refuses this for"
            f" '{folder}': {(done.stderr or done.stdout).strip()[-300:]}. Ask for other stripes"
            f" ('{program} df' lists the targets)."
        )
    targets = "all targets" if count == -1 else f"{count} target{'s' * (count != 1)}"
    over = f" over {targets}" if count else ""
    return f"files are spread{over} of Lustre" + (f" in stripes of {size} bytes" if size else "")


def file_system(path: Path) -> str:
    """The kind of file system that a path lies on, as the system calls it.

    >>> file_system(Path("/proc/self"))
    'proc'
    """
    wanted, best, kind = path.resolve(), -1, "an unknown file system"
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return kind
    for line in lines:
        _, place, found, *_ = line.split(" ")
        folder = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place))
        if wanted.is_relative_to(folder) and len(folder.parts) >= best:
            best, kind = len(folder.parts), found
    return kind
