"""`halocline.files`: the outputs of a run, each named when it is begun, so that none can go unseen.

One line for a file: the name of its stream and its path in the folder, as JSON.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.experiment.resuming import case_file, ended, write_small
from halocline.runtime.files.classic_files import unwritable
from halocline.runtime.files.disk import disk
from halocline.runtime.writing.writers import restarts


def list_file(member: str = "") -> str:
    """Name of the list of a run, or of one member of it.

    >>> list_file(), list_file("waves")
    ('halocline.files', 'halocline.waves.files')
    """
    return f"halocline.{member}.files" if member else "halocline.files"


@dataclass(frozen=True)
class Written:
    """An output: the stream that it is of, and its path in the folder of results."""

    stream: str
    path: str


class FilesWritten:
    """The list of one run, or of a member, kept by its rank 0."""

    def __init__(self, folder: Path, member: str = "") -> None:
        self.folder, self.member, self.path = folder, member, folder / list_file(member)

    def begin(self, files: Sequence[tuple[str, Path]], *, goes_on: bool) -> None:
        """Begin the list with files that are open; a run that `goes_on` keeps what it had."""
        kept = [
            some
            for some in (read_list(self.folder, self.member) if goes_on else [])
            if some.stream != restarts or (self.folder / some.path).exists()
        ]
        entries = [*kept, *(self._entry(*file) for file in files)]
        write_small(self.path, "".join(map(_line, dict.fromkeys(entries))))

    def add(self, stream: str, path: Path) -> None:
        """Name a file that is begun now."""
        try:
            with disk().open(self.path) as file:
                file.write(_line(self._entry(stream, path)).encode(), self.path.stat().st_size)
        except OSError as error:
            raise unwritable(self.path, error) from None

    def _entry(self, stream: str, path: Path) -> Written:
        return Written(stream, str(path.relative_to(self.folder)))


def _line(some: Written) -> str:
    return json.dumps([some.stream, some.path]) + "\n"


def members_in(folder: Path) -> list[str]:
    """Members that have a list in a folder; one without a name where the run has only one."""
    names = [path.name for path in folder.glob("halocline*.files")]
    found = [re.fullmatch(r"halocline(?:\.([\w-]+))?\.files", name) for name in names]
    return sorted(name[1] or "" for name in found if name)


def read_list(folder: Path, member: str = "") -> list[Written]:
    """What a folder's list names, a line that was broken off left out; nothing without a list."""
    path = folder / list_file(member)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    return [Written(*json.loads(line)) for line in lines if _is_whole(line)]


def _is_whole(line: str) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    texts = isinstance(found, list) and [type(some) for some in found] == [str, str]
    return texts and line.endswith("\n")


def missing(folder: Path, member: str = "") -> Iterator[Path]:
    """Files that the run in a folder has written and that are not there.

    Of a run that was broken off, what it began last may never have been there: the last restart,
    and the last file of a stream that has several.
    """
    named: dict[str, list[str]] = {}
    for some in read_list(folder, member):
        named.setdefault(some.stream, []).append(some.path)
    whole = bool(ended(folder))
    for stream, paths in named.items():
        certain = sorted(set(paths)) if stream == restarts else list(dict.fromkeys(paths))
        if not whole and (stream == restarts or len(certain) > 1):
            certain = certain[:-1]
        if stream == restarts and (keep := _kept(folder, member)):
            first = len(certain) - (keep if whole else keep - 1)
            certain = certain[max(first, 0) :]
        for name in certain:
            path = folder / name
            growing = not whole and path.with_suffix(".nc").exists()
            if not path.exists() and not growing:
                yield path


def _kept(folder: Path, member: str) -> int:
    """How many restarts the run in a folder keeps; 0: all."""
    try:
        table = tomllib.loads((folder / case_file).read_text(encoding="utf-8"))
        own = table["members"][member] if member else table
        return int(own["restart"]["keep"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def lists_in(folder: Path) -> list[Path]:
    """Folders with a list, at or below a folder."""
    return sorted(Path(root) for root, _, _ in os.walk(folder) if members_in(Path(root)))
