"""Both sides of a measurement on this machine, with a path between them.

Each side is a program of its own. The path is one of packets between two network namespaces, where
those are allowed: then TCP is the kernel's, and so are its windows. Else it is one of bytes between
sockets (`shaper`), with windows that are a model.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket, socketpair
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.ranks.launch import tethered
from halocline_lab.sites import field_exchange, namespaces
from halocline_lab.sites.field_exchange import ExchangeTimes
from halocline_lab.sites.packet_path import PacketPath
from halocline_lab.sites.shaper import NetworkPath, Passed, Shaper

ways = ("namespaces", "shaper", "none")
congestion = "reno"
"""Of the namespaces: what RFC 5681 says, and what every kernel allows there."""

namespace_port = 7000


@dataclass(frozen=True, kw_only=True)
class PairSettings:
    """What two sides do, over which path."""

    path: NetworkPath
    way: str
    """`namespaces`, `shaper`, or `none`: straight over this machine."""
    streams: int
    restarts: bool
    """Whether connections begin slowly again after a pause."""
    pause: float
    """Both compute so long before each exchange [s]."""
    fit: bool = False
    seed: int = 0


@dataclass(frozen=True)
class PairResult:
    """What both sides saw, by side, and what entered the path."""

    exchanges: dict[str, list[ExchangeTimes]]
    clocks: dict[str, tuple[float, float]]
    transfers: dict[str, list[tuple[int, float]]]
    passed: Sequence[Passed]
    of_bytes: bool
    """Whether the path was one of bytes, not of packets."""

    def side_of_path(self, side: str) -> int:
        """Which side of the path: of bytes, 0 is who connects, the ocean; of packets the air."""
        return int((side == "air") is self.of_bytes)


def run_pair(settings: PairSettings, credentials: Path) -> PairResult:
    """Run both sides to their end."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _Sides(settings, credentials, Path(folder)) as own,
    ):
        with _path_of(settings, own) as path:
            answers = own.answers()
        passed = path.passed if path is not None else []
    return PairResult(
        {side: field_exchange.from_table(one["exchanges"]) for side, one in answers.items()},
        {side: tuple(one["clock"]) for side, one in answers.items()},
        {side: [(int(a), b) for a, b in one["transfers"]] for side, one in answers.items()},
        passed,
        settings.way == "shaper",
    )


@contextmanager
def _path_of(settings: PairSettings, own: _Sides) -> Iterator[PacketPath | Shaper | None]:
    """Start both sides, with the path between them."""
    if settings.way == "namespaces":
        for side in field_exchange.sizes:
            own.start(side, *_link(side, f"{namespaces.addresses[0]}:{namespace_port}"))
        devices = own.device("air"), own.device("ocean")
        packets = PacketPath(devices, settings.path, seed=settings.seed, watched=True)
        try:
            yield packets
        finally:
            packets.close()
        return
    own.start("air", "listen", "127.0.0.1:0")
    port = own.port("air")
    if settings.way == "none":
        own.start("ocean", "connect", f"127.0.0.1:{port}")
        yield None
        return
    with Shaper(port, settings.path, seed=settings.seed, watched=True) as shaper:
        own.start("ocean", "connect", f"127.0.0.1:{shaper.port}")
        yield shaper


def _link(side: str, where: str) -> tuple[str, str]:
    return ("listen" if side == "air" else "connect"), where


class _Sides:
    """The two programs, ended when this ends."""

    def __init__(self, settings: PairSettings, credentials: Path, folder: Path) -> None:
        self._settings, self._credentials, self._folder = settings, credentials, folder
        self._programs: dict[str, subprocess.Popen[str]] = {}
        self._channels: dict[str, socket] = {}

    def __enter__(self) -> _Sides:
        return self

    def __exit__(self, *_: object) -> None:
        for channel in self._channels.values():
            channel.close()
        for program in self._programs.values():
            if program.poll() is None:
                program.terminate()
            program.wait()
            for pipe in (program.stdout, program.stderr):
                if pipe is not None:
                    pipe.close()

    def start(self, side: str, how: str, where: str) -> None:
        """Start one side, which listens or connects."""
        settings = self._settings
        passed: list[int] = []
        spaces = settings.way == "namespaces"
        if spaces:
            self._channels[side], theirs = socketpair()
            passed = [theirs.fileno()]
        table: dict[str, Any] = {
            "side": side,
            "link": {
                how: where,
                "credentials": str(self._credentials / side),
                "streams": settings.streams,
                "patience": 30.0,
                "meet_within": 30.0,
            },
            "channel": passed[0] if spaces else None,
            "restart_after_idle": settings.restarts,
            "congestion": congestion,
            "pause": settings.pause,
            "look_at_windows": spaces,
            "fit": settings.fit,
        }
        path = self._folder / f"{side}.json"
        path.write_text(json.dumps(table), encoding="utf-8")
        self._programs[side] = subprocess.Popen(
            tethered(
                [sys.executable, "-P", "-m", "halocline_lab.sites.one_side", str(path),
                 str(self._answer(side))]
            ),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            pass_fds=passed,
        )  # fmt: skip
        if spaces:
            theirs.close()

    def _answer(self, side: str) -> Path:
        return self._folder / f"{side}-answer.json"

    def device(self, side: str) -> int:
        """The device of a side's namespace."""
        return namespaces.take_over(self._channels[side])

    def port(self, side: str) -> int:
        """Where a side listens."""
        pipe = self._programs[side].stdout
        assert pipe is not None
        words = pipe.readline()
        if not words:
            self._failed(side)
        return int(words)

    def answers(self) -> dict[str, Any]:
        """What both have found, when they have ended."""
        while any(program.poll() is None for program in self._programs.values()):
            for side, program in self._programs.items():
                if program.poll():
                    self._failed(side)
            time.sleep(0.02)
        for side, program in self._programs.items():
            if program.returncode:
                self._failed(side)
        return {
            side: json.loads(self._answer(side).read_text(encoding="utf-8"))
            for side in self._programs
        }

    def _failed(self, side: str) -> None:
        _, words = self._programs[side].communicate()
        raise UserError(f"The side '{side}' failed: {words.partition('halocline: ')[2] or words}")


def make_credentials(folder: Path) -> Path:
    """Certificates of the two sides, good for a day."""
    from halocline.link.authority import found_authority, issue

    authority = found_authority(folder / "authority", None)
    for side in field_exchange.sizes:
        issue(authority, side, folder / side, days=1, passphrase=None, key_passphrase=None)
    return folder
