"""The platform file of this machine: what messages cost here, measured with its MPI.

Two ranks play ping-pong with messages of many sizes, all sizes in turns; of all rounds the least
counts, which other programs disturb least. Between two sizes the time grows in proportion, so that
every size becomes a protocol of LogGP. What the memory lets through is found by two messages at
once, and what waiting on crowded processors costs, by barriers of more ranks than processors.
"""

from __future__ import annotations

import json
import math
import os
import platform as system
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from halocline_lab.benchmarks import stream
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.prediction.platform_measure_run import summed
from halocline_lab.prediction.platform_model import Platform, Protocol

sizes = (0, 256, 1024, 4096, 4097, 16384, 65536, 262144, 1048576, 4194304)
program = "halocline_lab.prediction.platform_measure_run"


def measured_platform(rounds: int = 15, processors: int | None = None) -> Platform:
    """This machine as a platform of one node."""
    cores = processors or len(os.sched_getaffinity(0))
    pair = run_messages(2, rounds=rounds, sizes=sizes)
    crowd = run_messages(2 * cores, rounds=rounds)
    inside, channel = protocols(pair)
    memory = stream.measure(cores, size=8_000_000, repeats=3)
    return Platform(
        name=system.node() or "this machine",
        about=f"measured on {date.today().isoformat()}, {cores} processors, mpi4py",
        flops=_flops(pair),
        memory_bandwidth=memory["triad"],
        reduction=reduction(pair),
        processors=cores,
        nodes=1,
        wake=wake_seconds(pair, crowd, cores),
        progress="both",
        inside=inside,
        between=inside,
        memory_channel=channel,
    )


def run_messages(ranks: int, *, rounds: int, **settings: Any) -> dict[str, Any]:
    """What `platform_measure_run` finds on so many ranks."""
    found: dict[str, Any] = json.loads(answer_of(program, {"rounds": rounds, **settings}, ranks))
    return found


def protocols(pair: dict[str, Any]) -> tuple[tuple[Protocol, ...], float]:
    """Protocols of all sizes, and the bandwidth of all messages together [byte s-1].

    The time of a message grows with its size: where a larger one took less, noise is taken out.
    """
    found = sorted(int(name.split()[-1]) for name in pair["least"] if name.startswith("one way"))
    times = np.maximum.accumulate([pair["least"][f"one way {size}"] for size in found])
    both = [pair["least"][f"both ways {size}"] for size in found]
    send, receive = pair["overheads"]
    share = min(1.0, float(times[0]) / (send + receive))
    send, receive = share * send, share * receive
    rows = []
    for before, size in zip(range(len(found)), found[1:], strict=False):
        step = found[before + 1] - found[before]
        per_byte = float(times[before + 1] - times[before]) / step
        rest = float(times[before + 1]) - size * per_byte - send - receive
        eager = pair["eager"][str(size)] > 0.5
        rows.append(
            Protocol(
                latency=max(0.0, rest),
                send_overhead=send,
                receive_overhead=receive,
                bandwidth=1.0 / per_byte if per_byte > 0.0 else math.inf,
                handshake=-1.0 if eager else 0.0,
                up_to=math.inf if size == found[-1] else size,
            )
        )
    extra = max(0.0, both[-1] - float(times[-1])) / found[-1]
    return tuple(rows), 1.0 / extra if extra > 0.0 else math.inf


def wake_seconds(pair: dict[str, Any], crowd: dict[str, Any], cores: int) -> float:
    """What each round of a barrier costs more where ranks share processors [s]."""
    rounds = math.ceil(math.log2(2 * cores))
    return max(0.0, float(crowd["least"]["barrier"]) / rounds - float(pair["least"]["barrier"]))


def reduction(pair: dict[str, Any]) -> float:
    """Bytes per second that a sum of MPI adds, its own copies included.

    Of two ranks each sends half of the vector, adds the other half, and sends that back.
    """
    half = summed // 2
    adding = float(pair["least"]["sum"]) - 2.0 * float(pair["least"][f"one way {half}"])
    return half / adding if adding > 0.0 else math.inf


def _flops(pair: dict[str, Any]) -> float:
    """Operations per second of one processor, in products of small matrices."""
    return 2.0 * 48**3 / float(pair["piece"])


def platform_toml(platform: Platform) -> str:
    """The text of a platform file whose numbers were measured."""
    lines = [f"# {platform.about}", "", f'name = "{platform.name}"', f'about = "{platform.about}"']
    words = ("progress", "wiring")
    plain = ("rate", "flops", "memory_bandwidth", "reduction", "processors", "nodes", "wake")
    for key in (*plain, "memory_channel", *words):
        value = getattr(platform, key)
        lines.append(f'{key} = "{value}"' if key in words else f"{key} = {value!r}")
    for name in ("inside", "between"):
        lines += _rows(name, getattr(platform, name))
    lines += ["", "[sources]"]
    measured = ("flops", "memory_bandwidth", "reduction", "wake", "memory_channel", "inside")
    known = {"rate": "1: this machine", "processors": "of this process", "nodes": "one"}
    known |= dict.fromkeys(measured, f"measured: {platform.about}")
    known["between"] = "as inside: there is one node"
    return "\n".join([*lines, *(f'{key} = "{value}"' for key, value in known.items())]) + "\n"


def _rows(name: str, rows: Sequence[Protocol]) -> list[str]:
    lines = []
    for row in rows:
        lines += ["", f"[[{name}]]"]
        for key in ("up_to", "latency", "send_overhead", "receive_overhead", "bandwidth"):
            lines.append(f"{key} = {getattr(row, key)!r}")
        lines.append(f"handshake = {row.handshake!r}")
    return lines


def write_platform(path: Path, platform: Platform) -> None:
    path.write_text(platform_toml(platform), encoding="utf-8")
