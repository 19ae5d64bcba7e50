"""Descriptions of machines for the replay: processors, nodes, network, noise; and their files.

A platform file is TOML, see docs/predicting.md. Every number may carry a unit ("2 us", "25 GB/s");
the table `sources` tells where each comes from.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError, nearest
from halocline_lab import _native
from halocline_lab.prediction.programs import collective_kinds

_prefixes = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_binary = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}
_times = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def quantity(value: Any, what: str = "value") -> float:
    """A number in SI units (seconds, bytes, bytes per second, flop per second) from words.

    >>> quantity("2us"), quantity("25 GB/s"), quantity("100 Gb/s"), quantity("64 KiB"), quantity(3)
    (2e-06, 25000000000.0, 12500000000.0, 65536.0, 3.0)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    found = re.fullmatch(r"\s*([-+\d.eE]*\d\.?|inf)\s*([A-Za-zµ]*)(/s)?\s*", str(value))
    try:
        if found is None:
            raise ValueError
        number, unit = float(found[1]), found[2]
        if unit in _times and not found[3]:
            scale = _times[unit]
        elif unit.endswith(("B", "b")):
            scale = {**_prefixes, **_binary}[unit[:-1]] / (1.0 if unit.endswith("B") else 8.0)
        elif unit.endswith(("flop", "Flop")):
            scale = _prefixes[unit[:-4]]
        else:
            scale = _prefixes[unit]
        # Decimal numbers: 2us is 2e-06 and no neighbour of it.
        return number / round(1.0 / scale) if scale < 1.0 else number * scale
    except (ValueError, KeyError):
        raise UserError(
            f"The {what} '{value}' is no quantity. Write a number and a unit, for example '2us',"
            " '25GB/s', '100Gb/s' or '64KiB'."
        ) from None


@dataclass(frozen=True)
class Protocol:
    """What messages of up to `up_to` bytes cost: LogGP, see replay_network.hpp [s, byte]."""

    latency: float = 0.0
    send_overhead: float = 0.0
    receive_overhead: float = 0.0
    gap: float = 0.0
    bandwidth: float = math.inf
    send_copy: float = math.inf  # bytes per second that the sending processor copies
    receive_copy: float = math.inf
    handshake: float = -1.0  # of a rendezvous; negative: eager
    up_to: float = math.inf

    def row(self) -> list[float]:
        rates = [1.0 / rate for rate in (self.bandwidth, self.send_copy, self.receive_copy)]
        overheads = [self.send_overhead, self.receive_overhead]
        return [self.up_to, self.latency, *overheads, self.gap, *rates, self.handshake]

    def seconds(self, size: float) -> float:
        """A message alone, from the begin of its send to the end of its receive."""
        _, latency, send, receive, _, per_byte, copy, copy_out, handshake = self.row()
        return latency + send + receive + size * (per_byte + copy + copy_out) + max(0.0, handshake)


wirings = ("crossbar", "fat tree", "torus")
noises = ("none", "periodic", "random", "delay")
progresses = ("always", "receiver", "both")
algorithm_names = (
    "linear",
    "binomial",
    "recursive doubling",
    "ring",
    "rabenseifner",
    "scatter all gather",
    "pairwise",
    "bruck",
    "dissemination",
    "recursive halving",
    "reduce broadcast",
)

default_algorithms: dict[str, list[tuple[float, str]]] = {
    "barrier": [(math.inf, "dissemination")],
    "broadcast": [(12288, "binomial"), (math.inf, "scatter all gather")],
    "reduce": [(2048, "binomial"), (math.inf, "rabenseifner")],
    "all reduce": [(2048, "recursive doubling"), (math.inf, "rabenseifner")],
    "gather": [(math.inf, "binomial")],
    "scatter": [(math.inf, "binomial")],
    "all gather": [(81920, "bruck"), (math.inf, "ring")],
    "all to all": [(256, "bruck"), (32768, "linear"), (math.inf, "pairwise")],
    "reduce scatter": [(524288, "recursive halving"), (math.inf, "pairwise")],
    "scan": [(math.inf, "recursive doubling")],
}
"""By size [byte], as MPICH has them (Thakur, Rabenseifner & Gropp 2005)."""


@dataclass(frozen=True)
class NoiseModel:
    """What takes processors away: see `Noise` of replay_processors.hpp [s]."""

    kind: str = "none"
    period: float = 1.0
    duration: float = 0.0
    probability: float = 1.0
    together: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Platform:
    """A machine; times in seconds, rates per second.

    `rate` is how fast a processor computes relative to the machine of the record. `flops` (of one
    processor) and `memory_bandwidth` (of a node) are there where they are known, NaN elsewhere;
    `nodes` is 0 where there is no limit. `watching`, `wake` and `progress` are described with
    `ReplayOptions` in replay.hpp.
    """

    name: str = "ideal"
    about: str = "A network that costs nothing"
    rate: float = 1.0
    flops: float = math.nan
    memory_bandwidth: float = math.nan
    reduction: float = math.inf  # bytes per second of a sum
    processors: int = 1  # per node
    nodes: int = 0
    watching: float = 0.0
    wake: float = 0.0
    progress: str = "always"
    inside: tuple[Protocol, ...] = (Protocol(),)
    between: tuple[Protocol, ...] = (Protocol(),)
    memory_channel: float = math.inf  # bytes per second of all messages inside a node
    adapter: float = math.inf  # bytes per second of a node, each way
    adapter_gap: float = 0.0
    wiring: str = "crossbar"
    leaf_nodes: int = 32
    taper: float = 1.0
    link: float = math.inf
    hop_latency: float = 0.0
    shape: tuple[int, int, int] = (0, 0, 0)
    noise: NoiseModel = field(default_factory=NoiseModel)
    algorithms: Mapping[str, Sequence[tuple[float, str]]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def with_network(
        self, *, latency: float | None = None, bandwidth: float | None = None
    ) -> Platform:
        """Another latency or bandwidth between nodes, of messages of all sizes."""
        changes: dict[str, float] = {}
        if latency is not None:
            changes["latency"] = latency
        if bandwidth is not None:
            changes["bandwidth"] = bandwidth
        between = tuple(replace(protocol, **changes) for protocol in self.between)
        adapter = self.adapter if bandwidth is None else bandwidth
        link = self.link if bandwidth is None or math.isinf(self.link) else bandwidth
        return replace(self, between=between, adapter=adapter, link=link)

    def native_wiring(self, nodes: int) -> Any:
        """The wiring as the replay takes it, for a number of nodes."""
        wiring = _native.Wiring()
        wiring.kind = wirings.index(self.wiring)
        wiring.leaf_nodes = self.leaf_nodes
        wiring.uplinks = max(1, round(self.leaf_nodes / self.taper))
        wiring.shape = list(self.torus_shape(nodes))
        wiring.hop_latency = self.hop_latency
        wiring.link_per_byte = 1.0 / self.link
        wiring.node_gap = self.adapter_gap
        wiring.node_per_byte = 1.0 / self.adapter
        wiring.memory_per_byte = 1.0 / self.memory_channel
        return wiring

    def torus_shape(self, nodes: int) -> tuple[int, int, int]:
        """Nodes along the axes of a torus: as given, or the least cube-like box that holds them.

        >>> Platform().torus_shape(60)
        (4, 4, 4)
        """
        if min(self.shape) > 0:
            if math.prod(self.shape) < nodes:
                raise UserError(
                    f"The torus {self.shape} of '{self.name}' has {math.prod(self.shape)} nodes;"
                    f" {nodes} are wanted. Use fewer ranks, or leave out 'shape'."
                )
            return self.shape
        side = math.ceil(round(nodes ** (1.0 / 3.0), 9))
        middle = math.ceil(round(math.sqrt(nodes / side), 9))
        return (side, middle, math.ceil(nodes / (side * middle)))

    def algorithm_table(self) -> NDArray[np.float64]:
        """Which algorithm a collective takes up to which size, as the replay takes it."""
        rows = []
        for number, which in enumerate(collective_kinds):
            for up_to, name in self.algorithms.get(which, default_algorithms[which]):
                rows.append((number, up_to, algorithm_names.index(name)))
        return np.array(rows, np.float64)


ideal = Platform()
"""Zero latency, infinite bandwidth, and as many processors as ranks of each node."""


def shipped() -> list[str]:
    """Names of the platforms that come with Halocline."""
    folder = resources.files("halocline_lab.prediction") / "platforms"
    return sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".toml"))


def read_platform(name: str | Path) -> Platform:
    """A platform from a file, or one that comes with Halocline by its name.

    >>> read_platform("cray-x1").processors
    4
    """
    if str(name) == ideal.name:
        return ideal
    path = Path(name)
    if not path.is_file():
        known = shipped()
        if str(name) not in known:
            raise UserError(
                f"No platform '{name}': no such file, and none of that name is shipped."
                f"{nearest(str(name), known)} Shipped: {', '.join(known)}, {ideal.name};"
                " 'halocline lab platform --measure FILE' describes this machine."
            )
        path = Path(str(resources.files("halocline_lab.prediction") / "platforms" / f"{name}.toml"))
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"'{path}' is no TOML file: {error}.") from None
    return platform_of(tables, str(path))


_whole = ("processors", "nodes", "leaf_nodes", "seed")
_words = ("name", "about", "progress", "wiring", "kind")


def platform_of(tables: Mapping[str, Any], where: str) -> Platform:
    """A platform from the tables of its file."""
    values: dict[str, Any] = {}
    for key, value in tables.items():
        if key in ("inside", "between"):
            values[key] = tuple(
                Protocol(**_checked(row, Protocol, f"{where}: {key}")) for row in value
            )
        elif key == "noise":
            values[key] = NoiseModel(**_checked(value, NoiseModel, f"{where}: noise"))
        elif key == "algorithms":
            values[key] = {k: [(quantity(u), n) for u, n in rows] for k, rows in value.items()}
        elif key == "shape":
            values[key] = tuple(int(n) for n in value)
        else:
            values[key] = value
    nested = ("inside", "between", "noise", "algorithms", "shape", "sources")
    plain = _checked({k: v for k, v in values.items() if k not in nested}, Platform, where)
    platform = Platform(**plain, **{k: v for k, v in values.items() if k in nested})
    _check_values(platform, where)
    return platform


def _checked(row: Mapping[str, Any], kind: type, where: str) -> dict[str, Any]:
    known = [one.name for one in fields(kind)]
    result: dict[str, Any] = {}
    for key, value in row.items():
        if key not in known:
            raise UserError(f"{where}: there is no '{key}'.{nearest(key, known)}")
        if key in _words or isinstance(value, bool):
            result[key] = value
        else:
            number = quantity(value, f"{where}: {key}")
            result[key] = int(number) if key in _whole else number
    return result


def _check_values(platform: Platform, where: str) -> None:
    chosen: list[tuple[str, str, tuple[str, ...]]] = [
        ("wiring", platform.wiring, wirings),
        ("noise kind", platform.noise.kind, noises),
        ("progress", platform.progress, progresses),
    ]
    for what, value, known in chosen:
        if value not in known:
            raise UserError(f"{where}: {what} '{value}' is none of {', '.join(known)}.")
    if not 0.0 <= platform.noise.probability <= 1.0:
        raise UserError(
            f"{where}: noise probability {platform.noise.probability:g} is no share; it lies from 0"
            " to 1."
        )
    for which, rows in platform.algorithms.items():
        names = [(which, collective_kinds), *((name, algorithm_names) for _, name in rows)]
        for name, known in names:
            if name not in known:
                raise UserError(f"{where}: '{name}' is none of {', '.join(known)}.")
    for protocols in (platform.inside, platform.between):
        if [p.up_to for p in protocols] != sorted(p.up_to for p in protocols):
            raise UserError(f"{where}: sizes 'up_to' of protocols must grow from row to row.")
