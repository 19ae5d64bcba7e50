"""A placement in the words of launchers: rank file of Open MPI, host list and options of Slurm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halocline.core.errors import UserError
from halocline_lab.scaling.placement import Cluster, Place, node_loads, places


def host_names(count: int, given: Sequence[str] = ()) -> list[str]:
    """Names of the nodes: the given ones, which must be enough, or node0, node1, ...

    >>> host_names(2), host_names(1, ["here"])
    (['node0', 'node1'], ['here'])
    """
    if not given:
        return [f"node{number}" for number in range(count)]
    if len(given) != count or len(set(given)) != count:
        raise UserError(
            f"{len(set(given))} different names of nodes for {count} nodes ({', '.join(given)})."
            f" Give {count} names (--hosts)."
        )
    return list(given)


def host_file(processes: int, per_node: int, cluster: Cluster, hosts: Sequence[str]) -> str:
    """Hosts with as many slots as processes go there, for `mpiexec --hostfile`.

    >>> print(host_file(5, 1, Cluster(4, 2), host_names(4)), end="")
    node0 slots=2
    node1 slots=1
    node2 slots=1
    node3 slots=1
    """
    loads = node_loads(processes, per_node, cluster)
    return "".join(
        f"{host} slots={load}\n" for host, load in zip(hosts, loads, strict=True) if load
    )


def rank_file(processes: int, per_node: int, cluster: Cluster, hosts: Sequence[str]) -> str:
    """Node and processors of every rank, for Open MPI.

    >>> print(rank_file(3, 2, Cluster(2, 2), ["a", "b"]), end="")
    rank 0=a slot=0
    rank 1=a slot=1
    rank 2=b slot=0
    """
    return "".join(
        f"rank {place.process}={hosts[place.node]} slot={_slots(place)}\n"
        for place in places(processes, per_node, cluster)
    )


def _slots(place: Place) -> str:
    return f"{place.first}-{place.last}" if place.last > place.first else f"{place.first}"


def arbitrary_hosts(processes: int, per_node: int, cluster: Cluster, hosts: Sequence[str]) -> str:
    """The host of every rank, one per line: for SLURM_HOSTFILE and `srun -m arbitrary`."""
    return "".join(f"{hosts[p.node]}\n" for p in places(processes, per_node, cluster))


def slurm_words(processes: int, per_node: int, cluster: Cluster) -> str:
    """Options of srun: planes of m processes go round the nodes, as the model deals them.

    >>> slurm_words(8, 2, Cluster(4, 2))
    'srun -N 4 -n 8 -c 1 -m plane=2 --cpu-bind=cores'
    >>> slurm_words(12, 1, Cluster(4, 2))
    'srun -N 4 -n 12 -m plane=1 --overcommit --cpu-bind=none'
    >>> slurm_words(3, 4, Cluster(4, 2))
    'srun -N 1 -n 3 -m plane=4 --overcommit --cpu-bind=none'
    """
    loads = node_loads(processes, per_node, cluster)
    used = sum(load > 0 for load in loads)
    shared = max(loads) * cluster.threads > cluster.processors
    width = "" if shared else f" -c {cluster.threads}"
    binding = "--overcommit --cpu-bind=none" if shared else "--cpu-bind=cores"
    return f"srun -N {used} -n {processes}{width} -m plane={per_node} {binding}"


def open_mpi_words(processes: int, folder: str = ".") -> str:
    """Options of mpiexec of Open MPI 5 with the files of `write_files`.

    Version 4 takes `--rankfile rankfile` in place of `--map-by` and `--bind-to`.
    """
    return (
        f"mpiexec -n {processes} --hostfile {folder}/hostfile"
        f" --map-by rankfile:file={folder}/rankfile:oversubscribe"
        " --bind-to core:overload-allowed"
    )


def write_files(
    folder: Path, processes: int, per_node: int, cluster: Cluster, hosts: Sequence[str]
) -> list[Path]:
    """Write all files of a placement into a folder; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "hostfile": host_file(processes, per_node, cluster, hosts),
        "rankfile": rank_file(processes, per_node, cluster, hosts),
        "slurm_hosts": arbitrary_hosts(processes, per_node, cluster, hosts),
    }
    for name, words in made.items():
        (folder / name).write_text(words, encoding="utf-8")
    return [folder / name for name in made]
