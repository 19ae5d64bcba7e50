"""What this machine remembers of each run that it has sent away: a small file for each.

The files lie below `~/.local/state/halocline/submissions` (or XDG_STATE_HOME), are written whole or
not at all, and one command at a time works on each.
"""

from __future__ import annotations

import fcntl
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.experiment.resuming import write_small

suffix = ".toml"
stages = ("staging", "submitted", "fetched")


class WorkedOn(UserError):
    """Another command works on a submission."""


@dataclass(frozen=True, kw_only=True)
class Submission(Options):
    """A run at a site, as this machine knows it."""

    identity: str = option("", "", "its name: that of the case, and a part of its checksum")
    case: str = option("", "", "the case, as it was named")
    site: str = option("", "", "the site")
    sites_file: str = option("", "", "the file that says what the site is; empty: the default one")
    folder: str = option("", "", "its folder at the site; empty until that is made")
    stage: str = option("staging", "", "how far it has come", choices=stages)
    submitted: str = option("", "", "when it was first submitted, UTC")
    ranks: int = option(1, "1", "ranks", at_least=1)
    walltime: float = option(0.0, "s", "wall time of each job; 0: not limited", at_least=0)
    begins: str = option("", "", "date of its start")
    ends: str = option("", "", "date of its end")
    steps: int = option(0, "1", "its steps", at_least=0)
    shape: str = option("", "", "checksum of its options but for time: equal runs cost the same")
    expected: float = option(0.0, "s", "expected time of computing", at_least=0)
    took: float = option(0.0, "s", "time of computing, once it is complete", at_least=0)

    @property
    def job_name(self) -> str:
        """Its name in a queue: some queues take 15 letters only."""
        return f"hl-{self.identity.rpartition('.')[2]}"


def state_folder() -> Path:
    """Where the files lie."""
    own = os.environ.get("XDG_STATE_HOME", "")
    return (Path(own) if own else Path.home() / ".local/state") / "halocline" / "submissions"


def save(submission: Submission) -> Submission:
    """Write the file of a submission, whole or not at all."""
    path = state_folder() / f"{submission.identity}{suffix}"
    write_small(path, tomli_w.dumps(submission.to_table()))
    return submission


def load(identity: str) -> Submission | None:
    """A submission by its whole name."""
    path = state_folder() / f"{identity}{suffix}"
    try:
        return Submission.from_table(tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, UserError) as error:
        raise UserError(f"'{path}' cannot be read: {error} Remove it if it is of no use.") from None


def all_submissions() -> list[Submission]:
    """All that this machine remembers, the newest last."""
    folder = state_folder()
    paths = list(folder.glob(f"*{suffix}")) if folder.is_dir() else []
    paths.sort(key=lambda path: path.stat().st_mtime)
    return [some for path in paths if (some := load(path.name.removesuffix(suffix))) is not None]


def find(words: str) -> Submission:
    """A submission by its name, by the beginning of it or by its case; '': the newest."""
    known = {some.identity: some for some in all_submissions()}
    if not known:
        raise UserError("Nothing was submitted from here yet: halocline submit CASE --to SITE")
    if not words:
        return max(known.values(), key=lambda some: some.submitted)
    if words in known:
        return known[words]
    found = [some for name, some in known.items() if name.startswith(words)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(some.identity for some in found)
        raise UserError(f"'{words}' is the beginning of several jobs: {names}. Write more of it.")
    raise UserError(f"There is no job '{words}'.{nearest(words, known)} Jobs: {', '.join(known)}.")


def forget(submission: Submission) -> None:
    """Remember nothing of a submission any more."""
    for ending in (suffix, ".lock"):
        (state_folder() / f"{submission.identity}{ending}").unlink(missing_ok=True)


@contextmanager
def working_on(identity: str, *, wait: bool = False) -> Iterator[None]:
    """Keep other commands off a submission; ends with this process, however that ends.

    What cannot be had at once is refused, or awaited.
    """
    folder = state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / f"{identity}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UserError(f"Cannot write to '{folder}': {error.strerror}.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        raise WorkedOn(
            f"Another command works on the job '{identity}'. Wait for its end, then try again."
        ) from None
    try:
        yield
    finally:
        os.close(handle)
