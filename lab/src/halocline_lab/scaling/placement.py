"""How processes meet processors, and what that does to run times: the model of Tolman (2003).

A cluster has M_n nodes of M_p processors. Its n processes are dealt to the nodes in groups of m:
the first m to the first node, the next m to the second, after the last node again to the first.
Where a node gets more processes than it has processors, they share these, and the most loaded node
sets the pace of all. Equation numbers are those of the report's section 3.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.core.errors import UserError


@dataclass(frozen=True)
class Cluster:
    """`nodes` (M_n) of `processors` (M_p) each, for processes of so many `threads`.

    >>> Cluster(4, 2).capacity, Cluster(4, 2, threads=2).capacity
    (8.0, 4.0)
    """

    nodes: int
    processors: int
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("nodes", "processors", "threads"):
            value = getattr(self, name)
            if value < 1:
                raise UserError(f"A cluster of {value} {name}: there must be 1 or more.")

    @property
    def room(self) -> float:
        """Processes that a node runs at full speed: M_p, over the threads of each."""
        return self.processors / self.threads

    @property
    def capacity(self) -> float:
        """Processes that the cluster runs at full speed: N = M_p M_n, over the threads of each."""
        return self.nodes * self.room


titan = Cluster(4, 2)
"""The Rocketcalc Titan T8-240 of Tolman (2003)."""


@dataclass(frozen=True)
class Place:
    """Where a process goes: all numbers from 0.

    `first` and `last` are the processors of the node that it may use: as many as it has threads,
    or all of the node where processes must share them.
    """

    process: int
    node: int
    first: int
    last: int


def largest_load(processes: int, per_node: int, cluster: Cluster) -> int:
    """Processes on the most loaded node, n_n (3.9).

    >>> [largest_load(n, 1, titan) for n in (1, 4, 5, 9, 12, 13)]
    [1, 1, 2, 3, 3, 4]
    """
    _check(processes, per_node)
    rounds, rest = divmod(processes, per_node * cluster.nodes)
    return rounds * per_node + min(rest, per_node)


def alpha(processes: int, per_node: int, cluster: Cluster) -> float:
    """Processes per processor of the most loaded node (3.10), 1 where processors stay free.

    The report asks for no less than 1, though (3.10) as printed gives 0.5 for n <= 4 and m = 1.

    >>> alpha(3, 1, titan), alpha(3, 4, titan), alpha(9, 1, titan)
    (1.0, 1.5, 1.5)
    """
    return max(1.0, largest_load(processes, per_node, cluster) / cluster.room)


def node_loads(processes: int, per_node: int, cluster: Cluster) -> list[int]:
    """Processes on every node.

    >>> node_loads(11, 2, titan)
    [4, 3, 2, 2]
    """
    _check(processes, per_node)
    rounds, rest = divmod(processes, per_node * cluster.nodes)
    return [
        rounds * per_node + min(max(rest - node * per_node, 0), per_node)
        for node in range(cluster.nodes)
    ]


def places(processes: int, per_node: int, cluster: Cluster) -> list[Place]:
    """Where every process goes.

    >>> [(p.node, p.first) for p in places(6, 1, Cluster(4, 2))]
    [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]
    >>> places(3, 4, Cluster(4, 2))[2]
    Place(process=2, node=0, first=0, last=1)
    """
    loads, before = node_loads(processes, per_node, cluster), [0] * cluster.nodes
    found = []
    for process in range(processes):
        node = process // per_node % cluster.nodes
        first = before[node] * cluster.threads
        before[node] += 1
        if loads[node] * cluster.threads <= cluster.processors:
            found.append(Place(process, node, first, first + cluster.threads - 1))
        else:
            found.append(Place(process, node, 0, cluster.processors - 1))
    return found


def amdahl(first: float, processes: int, parallel: float, overhead: float = 0.0) -> float:
    """Time of `processes` without overcommitted processors (3.1), (3.2), (3.6).

    `first` is the time of one process t_1, `parallel` the parallel fraction p (with the overhead
    t_o given apart) or the effective one p_e. Times in any unit.

    >>> amdahl(100.0, 4, 1.0), amdahl(100.0, 4, 0.5, overhead=3.0)
    (25.0, 65.5)
    """
    return overhead + first * (1.0 - parallel * (processes - 1) / processes)


def predicted(
    first: float, processes: int, parallel: float, per_node: int, cluster: Cluster
) -> float:
    """Time of `processes` with the effective parallel fraction (3.7).

    >>> round(predicted(247.45, 12, 0.967, 1, titan), 1)
    42.2
    """
    return alpha(processes, per_node, cluster) * amdahl(first, processes, parallel)


def parallel_fraction(first: float, time: float, processes: int, overhead: float) -> float:
    """The parallel fraction p, of a run whose overhead t_o is known (3.3).

    >>> round(parallel_fraction(100.0, amdahl(100.0, 4, 0.9, 3.0), 4, 3.0), 12)
    0.9
    """
    return _fraction(processes, (time - overhead) / first)


def effective_fraction(
    first: float, time: float, processes: int, per_node: int = 1, cluster: Cluster | None = None
) -> float:
    """The effective parallel fraction p_e: (3.4), or (3.8) on a cluster that may be overcommitted.

    It is never more than p, since it takes the overhead for serial work (3.5).

    >>> round(effective_fraction(247.45, 42.04, 12, 1, titan), 3)
    0.967
    """
    shared = alpha(processes, per_node, cluster) if cluster else 1.0
    return _fraction(processes, time / (shared * first))


def _fraction(processes: int, ratio: float) -> float:
    if processes < 2:
        raise UserError("One process has no parallel fraction: give the time of 2 or more.")
    return processes / (processes - 1) * (1.0 - ratio)


def efficiency(first: float, time: float, processes: int, cluster: Cluster | None = None) -> float:
    """The bulk parallel efficiency zeta: (3.11), or (3.12) with a cluster's limited resources.

    >>> round(efficiency(247.45, 42.04, 12, titan), 3), round(efficiency(247.45, 42.04, 12), 3)
    (0.736, 0.491)
    """
    used = processes if cluster is None else min(float(processes), cluster.capacity)
    return first / (used * time)


def is_ideal_as_printed(processes: int, per_node: int, cluster: Cluster) -> bool:
    """The condition of ideal loading as the report prints it (3.13).

    >>> [n for n in range(1, 25) if is_ideal_as_printed(n, 1, titan)]
    [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24]
    """
    _check(processes, per_node)
    whole_rounds = processes % (cluster.nodes * per_node) == 0
    return whole_rounds or (processes <= cluster.capacity and per_node <= cluster.room)


def is_ideal(processes: int, per_node: int, cluster: Cluster) -> bool:
    """Whether a perfectly parallel program would use every processor that it can: zeta = 1.

    That is what (3.13) is for. It says the same for the report's cluster with m up to 2; but it
    misses the few processes that fit on the first node (n <= M_p < m), and where m does not divide
    M_p it takes some for ideal that overload a node.

    >>> [n for n in range(1, 25) if is_ideal(n, 3, titan)]
    [1, 2, 12, 24]
    >>> is_ideal_as_printed(8, 3, Cluster(2, 4)), node_loads(8, 3, Cluster(2, 4))
    (True, [5, 3])
    """
    time = predicted(1.0, processes, 1.0, per_node, cluster)
    return math.isclose(efficiency(1.0, time, processes, cluster), 1.0, rel_tol=1e-12)


def ideal_numbers(per_node: int, cluster: Cluster, most: int) -> list[int]:
    """Numbers of processes with ideal loading, up to `most`."""
    return [n for n in range(1, most + 1) if is_ideal(n, per_node, cluster)]


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in few letters.

    >>> ranges([1, 2, 3, 4, 12, 16]), ranges([])
    ('1-4, 12, 16', 'none')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(words) or "none"


def _check(processes: int, per_node: int) -> None:
    if processes < 1 or per_node < 1:
        raise UserError(
            f"{processes} processes in groups of {per_node} per node: both must be 1 or more."
        )


def add_cluster_arguments(parser: argparse.ArgumentParser, nodes: int, processors: int) -> None:
    """Arguments that describe a cluster."""
    parser.add_argument("--nodes", type=int, default=nodes, help=f"nodes, M_n ({nodes})")
    parser.add_argument(
        "--processors",
        type=int,
        default=processors,
        help=f"processors per node, M_p ({processors})",
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of a process (1)")
