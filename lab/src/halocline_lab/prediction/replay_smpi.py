"""The replay beside SMPI, the simulator of MPI in SimGrid, where that is installed.

A program is written as a time-independent trace, and a platform of one rank per node on a crossbar
as SimGrid's XML; both are given to `smpirun -replay`. SMPI (Degomme et al. 2017, "Simulating MPI
applications: the SMPI approach") models flows that share links, not messages one after the other:
an independent account of the same network.
"""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline_lab.prediction import program_patterns as patterns
from halocline_lab.prediction.platform_model import Platform, Protocol
from halocline_lab.prediction.programs import Program, collective_kinds, operation_kinds
from halocline_lab.prediction.replay import replay

eager_limit = 65536
speed = 1e9  # flop/s of SimGrid's hosts: a second of computation is so many operations
settings = (
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:0.94",
    f"smpi/async-small-thresh:{eager_limit}",
    f"smpi/send-is-detached-thresh:{eager_limit}",
    "network/TCP-gamma:1e12",
    "network/weight-S:0",
)
"""Factors of SMPI that were fitted to somebody's cluster are set to nothing, but for the share of
the bandwidth that headers leave."""

header_share = 0.94


def smpi_platform(latency: float = 10e-6, bandwidth: float = 1.25e9) -> Platform:
    """The platform that both simulate: one rank per node, a crossbar, no time of processors."""
    shares = {"latency": latency, "bandwidth": header_share * bandwidth}
    small = Protocol(**shares, up_to=eager_limit - 1)
    large = Protocol(**shares, handshake=0.0)
    return Platform("smpi", processors=1, between=(small, large))


def platform_xml(nodes: int, latency: float = 10e-6, bandwidth: float = 1.25e9) -> str:
    """The same for SimGrid: two links make a way between two hosts."""
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'  <cluster id="cluster" prefix="node-" suffix="" radical="0-{nodes - 1}"'
        f' speed="{speed:.0f}f" bw="{bandwidth:.0f}Bps" lat="{latency / 2:.12f}s"'
        ' sharing_policy="SPLITDUPLEX"/>\n'
        "</platform>\n"
    )


_collectives = {
    "barrier": "barrier",
    "broadcast": "bcast",
    "reduce": "reduce",
    "all reduce": "allreduce",
    "gather": "gather",
    "all gather": "allgather",
    "all to all": "alltoall",
}


def trace(program: Program) -> Iterator[str]:
    """A program as a time-independent trace, rank by rank; sizes are bytes."""
    for rank in range(program.size):
        yield f"{rank} init"
        rows = program.of_rank(rank)
        for _ in range(program.repeats):
            yield from _lines(program, rank, rows)
        yield f"{rank} finalize"


def _lines(program: Program, rank: int, rows: object) -> Iterator[str]:
    opened: dict[int, str] = {}
    for row in rows:  # type: ignore[attr-defined]
        kind = operation_kinds[row["kind"]]
        partner, tag, size = int(row["partner"]), int(row["tag"]), int(row["bytes"])
        if kind == "compute" and row["seconds"] > 0.0:
            yield f"{rank} compute {row['seconds'] * speed:.6f}"
        elif kind in ("send", "receive"):
            yield f"{rank} {kind.replace('receive', 'recv')} {partner} {tag} {size}"
        elif kind in ("start send", "start receive"):
            word, ends = (
                ("isend", (rank, partner)) if "send" in kind else ("irecv", (partner, rank))
            )
            yield f"{rank} {word} {partner} {tag} {size}"
            opened[int(row["request"])] = f"{rank} wait {ends[0]} {ends[1]} {tag}"
        elif kind == "wait":
            yield from _waits(rank, int(row["request"]), tag, opened)
        elif kind == "collective":
            yield _collective(program, rank, row)
        elif kind == "start collective":
            raise UserError("Traces for SMPI hold no non-blocking collectives.")


def _waits(rank: int, request: int, more: int, opened: dict[int, str]) -> Iterator[str]:
    if request and (more or len(opened) > 1):
        line = opened.pop(request, "")
        if line:
            yield line
        return
    opened.clear()
    yield f"{rank} waitall"


def _collective(program: Program, rank: int, row: object) -> str:
    which = collective_kinds[row["tag"]]  # type: ignore[index]
    size, root = int(row["bytes"]), max(0, int(row["partner"]))  # type: ignore[index]
    members = len(program.communicators[row["communicator"]])  # type: ignore[index]
    if which not in _collectives or members != program.size:
        raise UserError(f"Traces for SMPI hold no '{which}' of {members} ranks.")
    word = f"{rank} {_collectives[which]}"
    return {
        "barrier": word,
        "broadcast": f"{word} {size} {root}",
        "reduce": f"{word} {size} 0 {root}",
        "all reduce": f"{word} {size} 0",
        "gather": f"{word} {size} {size} {root}",
        "all gather": f"{word} {size} {size}",
        "all to all": f"{word} {size // members} {size // members}",
    }[which]


small_sum = 2048  # up to so many bytes MPICH doubles recursively


def _sums(program: Program) -> str:
    """Which algorithm SMPI takes for sums: what MPICH would take for the largest."""
    is_sum = program.of_kind("collective")
    is_sum &= program.operations["tag"] == collective_kinds.index("all reduce")
    largest = int(program.operations["bytes"][is_sum].max(initial=0))
    return "smpi/allreduce:" + ("rdb" if largest <= small_sum else "rab_rdb")


def smpi_command(given: str | None = None) -> list[str]:
    """The command that starts SMPI."""
    command = given.split() if given else ["smpirun"]
    found = find_program(command[0])
    if found is None:
        raise UserError(
            f"SMPI is not here: no program '{command[0]}'. Install SimGrid (Debian and Ubuntu:"
            " 'apt install libsimgrid-dev'), or name it with --smpirun."
        )
    return [found, *command[1:]]


def smpi_seconds(program: Program, command: Sequence[str], folder: Path | None = None) -> float:
    """How long a program takes by SMPI, one rank per node [s]."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        place = str(Path(place).resolve())
        hosts, xml = Path(place) / "hosts", Path(place) / "platform.xml"
        hosts.write_text("".join(f"node-{n}\n" for n in range(program.size)), encoding="utf-8")
        xml.write_text(platform_xml(program.size), encoding="utf-8")
        lines, listing = Path(place) / "trace", Path(place) / "traces"
        lines.write_text("\n".join(trace(program)) + "\n", encoding="utf-8")
        listing.write_text(f"{lines}\n", encoding="utf-8")
        words = [
            *command,
            "-np",
            str(program.size),
            "-platform",
            str(xml),
            "-hostfile",
            str(hosts),
            *[f"--cfg={setting}" for setting in (*settings, _sums(program))],
            "-replay",
            str(listing),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    found = re.findall(r"Simulation time (\S+)", done.stdout + done.stderr)
    if done.returncode or not found:
        raise UserError(
            f"SMPI failed on {program.size} ranks:\n{(done.stdout + done.stderr)[-2000:]}"
        )
    return float(found[-1])


@dataclass(frozen=True)
class Comparison:
    """A program by both; seconds of the whole program."""

    name: str
    ranks: int
    smpi: float
    ours: float

    @property
    def difference(self) -> float:
        """Ours over SMPI's, less 1."""
        return self.ours / self.smpi - 1.0


def programs(ranks: int) -> dict[str, Program]:
    """What is compared: halos and sums, small and large, alone and as a solver has them."""
    seconds = 1e-4
    return {
        "halo 2-D, 1 KiB": patterns.halo(ranks, size=1024, seconds=seconds, steps=5),
        "halo 2-D, 256 KiB": patterns.halo(ranks, size=2**18, seconds=seconds, steps=5),
        "halo 3-D, 32 KiB": patterns.halo(
            ranks, size=2**15, seconds=seconds, dimensions=3, imbalance=0.1, steps=5
        ),
        "all-reduce, 8 B": patterns.collective(ranks, "all reduce", seconds=seconds, steps=5),
        "all-reduce, 1 MiB": patterns.collective(
            ranks, "all reduce", size=2**20, seconds=seconds, imbalance=0.1, steps=5
        ),
        "solver": patterns.solver(ranks, size=1024, seconds=seconds, imbalance=0.1, steps=5),
    }


def compare(
    ranks: Sequence[int], command: Sequence[str], folder: Path | None = None
) -> list[Comparison]:
    """All programs by SMPI and by ours."""
    found = []
    for number in ranks:
        for name, program in programs(number).items():
            theirs = smpi_seconds(program, command, folder)
            ours = replay(program, smpi_platform()).seconds
            found.append(Comparison(name, number, theirs, ours))
    assert all(math.isfinite(one.difference) for one in found)
    return found
