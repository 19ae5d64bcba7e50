"""The PATH of the checks: programs that README names, so that no other one hides what is missing.

README names g++, git (with the checkout) and Python; the rest here is in every Debian.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

named = """
addr2line ar as c++ c++filt cc cpp g++ gcc gcc-ar gcc-nm gcc-ranlib ld nm objcopy objdump ranlib
readelf strip
git
[ awk basename bash cat chmod cksum cmp cp cut date dd df diff dirname du echo env expr false find
flock grep gzip head hostname id ln ls mkdir mkfifo mktemp mv nice nohup nproc od printf prlimit pwd
readlink realpath rm rmdir sed seq setarch setsid sh sha256sum sleep sort stat stdbuf sync tail tar
taskset tee test timeout touch tr true truncate uname uniq wc which xargs
""".split()

variable = "HALOCLINE_MACHINE_PATH"
"""The environment variable that keeps the machine's own PATH."""


def link_programs(folder: Path, path: str) -> None:
    """Fill an empty folder with links to the named programs of a PATH, and to this Python."""
    for name in named:
        if found := shutil.which(name, path=path):
            (folder / name).symlink_to(found)
    (folder / "python3").symlink_to(os.path.realpath(sys.executable))


def restrict_path(folder: Path) -> None:
    """Let this process and those that it starts find named programs only."""
    os.environ.setdefault(variable, os.environ["PATH"])
    link_programs(folder, os.environ[variable])
    os.environ["PATH"] = str(folder)


def where_installed(name: str) -> str | None:
    """The path of a program that a check asks for beyond the named ones; None on most machines."""
    return shutil.which(name, path=os.environ[variable])
