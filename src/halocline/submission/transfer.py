"""Files to a site and back, by checksum: what is there is not sent, what is cut off goes on.

Input lies once at a site, in `store`, each file under its SHA-256; a file that is under way has
`.part` behind that. Results come from the folder of the run. All files of one round go through one
stream; each is checked where it arrives, and one whose checksum is wrong comes again.
"""

from __future__ import annotations

import errno
import hashlib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from halocline.core.errors import UserError
from halocline.submission.site_shell import SiteShell, lines_of
from halocline.submission.staging import StagedFile

rounds = 3
"""How often a file whose checksum is wrong is sent."""

piece = 1 << 20  # [byte]

_look = """
look() {
  if [ -f "store/$1" ] && [ "$(sha256sum < "store/$1")" = "$1  -" ]; then echo "$1 there"
  else rm -f "store/$1"
    if [ -f "store/$1.part" ]; then echo "$1" $(wc -c < "store/$1.part"); else echo "$1 0"; fi
  fi
}
"""

_put = """
put() {
  head -c "$2" >> "store/$1.part" || exit 1
  size=$(wc -c < "store/$1.part")
  if [ "$size" -lt "$3" ]; then echo "$1 short"
  elif [ "$(sha256sum < "store/$1.part")" = "$1  -" ]; then
    chmod a-w "store/$1.part" && mv -f "store/$1.part" "store/$1" && echo "$1 there" || exit 1
  else rm -f "store/$1.part"; echo "$1 wrong"; fi
}
"""

_list = """
[ -d results ] || exit 0
cd results || exit 1
find . -type f -exec sh -c 'for f do
  case $f in *.part|*.new|*.old) continue;; esac
  s=$(sha256sum < "$f") && n=$(wc -c < "$f") && printf "%s %s %s\\n" "${s%% *}" $n "$f"
done' sh {} +
"""

_get = """
cd results || exit 1
get() {
  n=$(wc -c < "$1" 2>/dev/null) || n=0
  n=$((n - $2)); [ "$n" -gt "$3" ] && n=$3; [ "$n" -gt 0 ] || n=0
  echo "$n"
  [ "$n" -gt 0 ] && tail -c "+$(($2 + 1))" "$1" | head -c "$n"
  return 0
}
"""


def send(shell: SiteShell, folder: str, files: Sequence[StagedFile]) -> int:
    """Have all files in the store of a site's folder; returns the bytes that were sent."""
    wanted = {file.sha256: file for file in files}
    inside = f"mkdir -p {shlex.quote(folder)}/store && cd {shlex.quote(folder)} || exit 1\n"
    sent = 0
    for _ in range(rounds):
        asked = "".join(f"look {sha256}\n" for sha256 in wanted)
        said = shell.run(inside + _look + asked, what="look for input")
        there = {sha256: words[0] for sha256, *words in lines_of(said)}
        missing = {
            sha256: int(word) for sha256, word in there.items() if word != "there"
        }  # what has come of each [byte]
        if not missing:
            return sent
        for sha256, size in missing.items():
            if size > wanted[sha256].size:
                missing[sha256] = 0
        puts = "".join(_put_call(wanted[sha256], size) for sha256, size in missing.items())
        feed = partial(_feed, [(wanted[sha256], size) for sha256, size in missing.items()])
        said = shell.run(inside + _put + puts, what="put input", feed=feed)
        sent += sum(wanted[sha256].size - size for sha256, size in missing.items())
        if all(word == "there" for _, word in lines_of(said)):
            return sent
    wrong = ", ".join(wanted[sha256].name for sha256, word in lines_of(said) if word != "there")
    raise UserError(
        f"Input has come to the site '{shell.name}' with wrong checksums {rounds} times: {wrong}."
        " Look at its disk and its network, or whether the files change here, then try again."
    )


def _put_call(file: StagedFile, there: int) -> str:
    """Take what is missing of a file from the stream; begin anew if nothing counts."""
    begin = "" if there else f"rm -f store/{file.sha256}.part\n"
    return f"{begin}put {file.sha256} {file.size - there} {file.size}\n"


def _feed(files: Iterable[tuple[StagedFile, int]], pipe: IO[bytes]) -> None:
    """Write what is missing of each file, exactly so many bytes."""
    for file, offset in files:
        if file.path is None:
            pipe.write(file.content[offset:])
            continue
        left = file.size - offset
        with file.path.open("rb") as source:
            source.seek(offset)
            while left and (part := source.read(min(piece, left))):
                pipe.write(part)
                left -= len(part)
        if left:
            raise UserError(f"'{file.path}' has become shorter while it was sent. Try again.")


@dataclass(frozen=True)
class Fetched:
    """What came of results: files in place, bytes that came, files that changed meanwhile."""

    files: int
    size: int
    changing: Sequence[str]


def fetch(shell: SiteShell, job_folder: str, target: Path, *, running: bool) -> Fetched:
    """Bring the results of a run to the folder `target`, as far as they are complete.

    A file that the run is writing is complete where it has the checksum at its arrival that it had
    before.
    """
    inside = f"cd {shlex.quote(job_folder)} || exit 1\n"
    size, lacking = 0, dict[str, tuple[str, int]]()
    for _ in range(1 if running else rounds):
        listed = _listed(shell.run(inside + _list, what="list results"))
        lacking = {name: facts for name, facts in listed.items() if not _here(target, name, facts)}
        if not lacking:
            break
        size += _bring(shell, inside, target, lacking)
        lacking = {name: facts for name, facts in lacking.items() if not _here(target, name, facts)}
        if not lacking:
            break
    if lacking and not running:
        raise UserError(
            f"Results came from the site '{shell.name}' with wrong checksums {rounds} times:"
            f" {', '.join(lacking)}. Look at its disk and its network, then fetch again."
        )
    return Fetched(len(listed) - len(lacking), size, list(lacking))


def _listed(said: str) -> dict[str, tuple[str, int]]:
    """Checksum and size of each file of results, by name."""
    found = {}
    for line in said.splitlines():
        sha256, size, name = line.split(" ", 2)
        name = name.removeprefix("./")
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UserError(f"'{name}' is no name of a result. Nothing of it was fetched.")
        found[name] = (sha256, int(size))
    return found


def _here(target: Path, name: str, facts: tuple[str, int]) -> bool:
    """Whether a file of results is here already."""
    path = target / name
    if not path.is_file() or path.stat().st_size != facts[1]:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == facts[0]


def _part(target: Path, name: str, sha256: str) -> Path:
    """What has come of a file; of one that has changed there it is begun anew."""
    path = target / name
    return path.with_name(f".{path.name}.{sha256[:16]}.part")


def _bring(shell: SiteShell, inside: str, target: Path, wanted: dict[str, tuple[str, int]]) -> int:
    """Take the rest of each file from one stream; returns the bytes that came."""
    offsets = {}
    for name, (sha256, whole) in wanted.items():
        part = _part(target, name, sha256)
        offsets[name] = min(part.stat().st_size, whole) if part.is_file() else 0
    gets = "".join(
        f"get {shlex.quote('./' + name)} {offsets[name]} {whole - offsets[name]}\n"
        for name, (_, whole) in wanted.items()
    )
    came = 0

    def take(pipe: IO[bytes]) -> None:
        nonlocal came
        for name, (sha256, whole) in wanted.items():
            came += _take_one(pipe, target, name, sha256, whole)

    try:
        shell.run(inside + _get + gets, what="bring results", take=take)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        reason = "the disk is full" if full else error.strerror
        raise UserError(
            f"Cannot write results to '{target}': {reason}. Then give the same command again: it"
            " goes on where it was."
        ) from None
    return came


def _take_one(pipe: IO[bytes], target: Path, name: str, sha256: str, whole: int) -> int:
    """Take one file from the stream, and give it its name where its checksum is right."""
    head = pipe.readline().strip()
    if not head.isdigit():
        return 0
    left = count = int(head)
    part = _part(target, name, sha256)
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("ab") as file:
        while left and (piece_here := pipe.read(min(piece, left))):
            file.write(piece_here)
            left -= len(piece_here)
    if part.stat().st_size >= whole:
        if _here(part.parent, part.name, (sha256, whole)):
            part.replace(target / name)
        else:
            part.unlink()
    return count - left
