"""What `halocline lab scale` runs: numbers of ranks, placements, threads; on which processors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.core.errors import UserError
from halocline_lab.scaling.placement import Cluster, places

most_per_processor = 64
"""More ranks than this on one processor nobody wants to wait for."""

Series = tuple[int, int, str, str]
"""Group size, threads, use of hardware threads, setting: what the rows of a curve share."""


@dataclass(frozen=True)
class Setup:
    """Ranks n, dealt to nodes in groups of m, threads of each, and hardware threads in use.

    `smt` is "on" or "off" where hardware threads of the cores are told apart, else ""; `setting` an
    option of the case and its value, KEY=VALUE, where runs differ in one, else "".
    """

    ranks: int
    per_node: int = 1
    threads: int = 1
    smt: str = ""
    setting: str = ""

    @property
    def name(self) -> str:
        """For people.

        >>> Setup(4, 2, 1, "on").name, Setup(3).name
        ('n = 4, m = 2, smt on', 'n = 3, m = 1')
        >>> Setup(1, setting="atmosphere.layers.count=40").name
        'n = 1, m = 1, atmosphere.layers.count=40'
        """
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        smt = f", smt {self.smt}" if self.smt else ""
        setting = f", {self.setting}" if self.setting else ""
        return f"n = {self.ranks}, m = {self.per_node}{threads}{smt}{setting}"

    @property
    def series(self) -> Series:
        """What it shares with the other numbers of ranks of its curve."""
        return self.per_node, self.threads, self.smt, self.setting


def all_setups(
    ranks: Sequence[int],
    per_node: Sequence[int],
    threads: Sequence[int],
    smt: Sequence[str],
    settings: Sequence[str] = ("",),
) -> list[Setup]:
    """Every combination; one rank is among them, since all is set against it."""
    counts = sorted({1, *ranks})
    return [
        Setup(n, m, count, how, setting)
        for setting in settings
        for how in smt
        for count in threads
        for m in per_node
        for n in counts
    ]


def different(setups: Sequence[Setup], cluster: Cluster) -> dict[Setup, list[Setup]]:
    """Setups that differ in where their ranks are, each with all that are like it.

    >>> found = different([Setup(1, 1), Setup(2, 1), Setup(1, 2), Setup(2, 2)], Cluster(2, 1))
    >>> [[setup.name for setup in alike] for alike in found.values()]
    [['n = 1, m = 1', 'n = 1, m = 2'], ['n = 2, m = 1'], ['n = 2, m = 2']]
    """
    first: dict[tuple[object, ...], Setup] = {}
    found: dict[Setup, list[Setup]] = {}
    for setup in setups:
        nodes = tuple(place.node for place in places(setup.ranks, setup.per_node, cluster))
        same = first.setdefault((nodes, *setup.series[1:]), setup)
        found.setdefault(same, []).append(setup)
    return found


def core_threads(
    usable: Sequence[int] | None = None, folder: str = "/sys/devices/system/cpu"
) -> list[list[int]]:
    """Hardware threads of every core that this process may use."""
    usable = sorted(os.sched_getaffinity(0)) if usable is None else sorted(usable)
    cores: dict[str, list[int]] = {}
    for number in usable:
        path = Path(folder, f"cpu{number}", "topology", "thread_siblings_list")
        try:
            name = path.read_text(encoding="utf-8").strip()
        except OSError:
            name = str(number)
        cores.setdefault(name, []).append(number)
    return list(cores.values())


def check_smt(smt: str, cores: Sequence[Sequence[int]]) -> list[str]:
    """The words of --smt, where the machine has more than one hardware thread per core.

    >>> check_smt("", [[0], [1]]), check_smt("off,on", [[0, 2], [1, 3]])
    ([''], ['off', 'on'])
    """
    words = [word.strip() for word in smt.split(",")] if smt else [""]
    if any(word not in ("", "on", "off") for word in words):
        raise UserError(f"--smt {smt}: write off, on, or off,on.")
    if smt and all(len(threads) == 1 for threads in cores):
        raise UserError(
            f"--smt {smt}: this machine shows one hardware thread per core, so there is nothing to"
            " switch. Leave --smt out."
        )
    return words


def processors_of_ranks(
    setup: Setup, cluster: Cluster, cores: Sequence[Sequence[int]]
) -> list[list[int]]:
    """The processors that every rank may use: all of its node, as without binding on a cluster.

    Nodes are made of the cores of this machine, one after the other; empty where all is one node.

    >>> processors_of_ranks(Setup(3, 1), Cluster(2, 1), [[0], [1]])
    [[0], [1], [0]]
    """
    if cluster.nodes == 1 and setup.smt != "off":
        return []
    nodes = []
    for node in range(cluster.nodes):
        own = cores[node * cluster.processors : (node + 1) * cluster.processors]
        nodes.append([cpu for core in own for cpu in (core[:1] if setup.smt == "off" else core)])
    return [nodes[place.node] for place in places(setup.ranks, setup.per_node, cluster)]


def check_machine(cluster: Cluster, cores: int, ranks: Sequence[int], points: int) -> None:
    """Refuse what this machine or the case cannot do."""
    if cluster.nodes * cluster.processors > cores:
        raise UserError(
            f"{cluster.nodes} nodes of {cluster.processors} processors need"
            f" {cluster.nodes * cluster.processors} cores to stand for them; there are {cores}."
            " Give fewer (--nodes, --processors), or the start of a cluster (--launcher)."
        )
    check_ranks(cluster, ranks, points)


def check_ranks(cluster: Cluster, ranks: Sequence[int], points: int) -> None:
    """Refuse more ranks than the case has points, or than anybody waits for."""
    if max(ranks) > points:
        raise UserError(
            f"Cannot share {points} sea points among {max(ranks)} ranks. Use at most {points}"
            " (--ranks)."
        )
    most = most_per_processor * cluster.nodes * cluster.processors
    if max(ranks) > most:
        raise UserError(
            f"{max(ranks)} ranks on {cluster.nodes * cluster.processors} processors would take"
            f" turns more than {most_per_processor} on each. Use at most {most} (--ranks)."
        )
