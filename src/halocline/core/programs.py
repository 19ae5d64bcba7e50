"""Finding programs: those of the environment of this Python, then those of the machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def own_folder() -> Path:
    """Where the programs of this Python's environment lie."""
    return Path(sys.executable).parent


def find_program(name: str, *, own_first: bool = True) -> str | None:
    """The path of a program, None where there is none.

    What we start ourselves is looked for beside this Python first: an environment need not be
    activated. What a user's command names is found as by the user's shell, PATH first.

    >>> find_program("no-such-program")
    """
    return shutil.which(name, path=search_path(own_first=own_first))


def search_path(*, own_first: bool) -> str:
    """The folders where programs are looked for, as a value of PATH."""
    folders = [str(own_folder()), os.environ.get("PATH", os.defpath)]
    return os.pathsep.join(folders if own_first else folders[::-1])
