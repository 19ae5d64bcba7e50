"""`halocline lab predict placement`: run times from a parallel fraction and a placement

The model of Tolman (2003): Amdahl's law, times the load of the most loaded processor. The
effective parallel fraction is given, or fitted to measured times and tested on times left out.
With --files it also says which process goes where, in files and options for launchers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline_lab.scaling.placement import (
    Cluster,
    add_cluster_arguments,
    alpha,
    efficiency,
    is_ideal,
    node_loads,
    predicted,
)
from halocline_lab.scaling.placement_files import (
    host_names,
    open_mpi_words,
    slurm_words,
    write_files,
)
from halocline_lab.scaling.placement_fit import Fit, Timing, first_time, fit
from halocline_lab.scaling.timing_files import read_timings
from halocline_lab.statistics.number_lists import shares, whole_numbers

keys = {
    "law": "the effective parallel fraction and, where fitted, the error where it had to predict",
    "rows": "one entry per number of processes and group size",
    "rows.processes": "processes n",
    "rows.per_node": "group size m",
    "rows.seconds": "predicted time [s], or over that of one process where none is given",
    "rows.alpha": "processes per processor of the most loaded node",
    "rows.efficiency": "bulk parallel efficiency",
    "rows.ideal": "whether the loading is ideal",
    "rows.measured": "mean of measured times [s]; null where there is none",
}


def predict(
    time: Callable[[int, int], float],
    processes: Sequence[int],
    per_node: Sequence[int],
    cluster: Cluster,
    measured: Sequence[Timing] = (),
) -> list[dict[str, Any]]:
    """Predictions of all loadings; `time` gives that of n processes in groups of m."""
    first = time(1, 1)
    known: dict[tuple[int, int], list[float]] = {}
    for timing in measured:
        known.setdefault((timing.processes, timing.per_node), []).append(timing.seconds)
    found = []
    for m in per_node:
        for n in processes:
            seconds, times = time(n, m), known.get((n, m))
            row = {
                "processes": n,
                "per_node": m,
                "seconds": seconds,
                "alpha": alpha(n, m, cluster),
                "efficiency": efficiency(first, seconds, n, cluster),
                "ideal": is_ideal(n, m, cluster),
                "measured": sum(times) / len(times) if times else None,
            }
            found.append(row)
    return found


def table(rows: Sequence[dict[str, Any]], law: str, units: str) -> str:
    """The predictions as text, and which is the fastest."""
    lines = [law, f"{'n':>5}{'m':>4}{'t ' + units:>12}{'alpha':>8}{'zeta':>8}{'measured':>11}"]
    for row in rows:
        measured = f"{row['measured']:.4g}" if row["measured"] else ""
        ideal = "   ideal loading" if row["ideal"] else ""
        lines.append(
            f"{row['processes']:>5}{row['per_node']:>4}{row['seconds']:>12.4g}{row['alpha']:>8.3f}"
            f"{row['efficiency']:>8.3f}{measured:>11}{ideal}"
        )
    best = min(rows, key=lambda row: row["seconds"])
    lines.append(f"fastest: n = {best['processes']}, m = {best['per_node']}")
    return "\n".join(lines)


def placement_table(processes: int, per_node: int, cluster: Cluster, hosts: Sequence[str]) -> str:
    """How many processes every node gets."""
    loads = node_loads(processes, per_node, cluster)
    return ", ".join(f"{host} {load}" for host, load in zip(hosts, loads, strict=True))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict placement`."""
    add_cluster_arguments(parser, 4, 2)
    parser.add_argument("--ranks", metavar="LIST", default="1-16", help="processes n (1-16)")
    parser.add_argument("--per-node", metavar="LIST", default="1", help="group sizes m (1)")
    parser.add_argument(
        "--times",
        metavar="FILE",
        help="measured times to fit: JSON of 'lab scale', or CSV: processes,per_node,seconds",
    )
    parser.add_argument("--seconds", type=float, help="time of one process; 1")
    parser.add_argument("--parallel", metavar="SHARE", help="effective parallel fraction p_e")
    parser.add_argument("--hosts", metavar="LIST", default="", help="names of the nodes")
    parser.add_argument(
        "--files",
        metavar="FOLDER",
        help="write hostfile, rankfile and slurm_hosts of one n and m into this folder",
    )
    parser.add_argument("--json", metavar="FILE", help=f"write values; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    cluster = Cluster(options.nodes, options.processors, options.threads)
    processes = whole_numbers(options.ranks, "--ranks")
    per_node = whole_numbers(options.per_node, "--per-node")
    time, law, measured = _law(options, cluster)
    rows = predict(time, processes, per_node, cluster, measured)
    units = "[s]" if options.seconds or options.times else "/ t(1)"
    print(table(rows, law, units))
    if options.files:
        _place(options, processes, per_node, cluster)
    if options.json:
        result = {"law": law, "rows": rows, "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def _law(
    options: argparse.Namespace, cluster: Cluster
) -> tuple[Callable[[int, int], float], str, list[Timing]]:
    """Time of n processes in groups of m, the law in words, and what was measured."""
    if bool(options.times) == bool(options.parallel):
        raise UserError(
            "Give either measured times (--times FILE) or a fraction (--parallel 0.95)."
        )
    if options.seconds is not None and options.seconds <= 0.0:
        raise UserError(f"--seconds {options.seconds}: a time is more than 0.")
    if options.parallel:
        parallel = shares(options.parallel, "--parallel")[0]
        first = options.seconds or 1.0
        words = f"p_e = {parallel:g}"
        return (lambda n, m: predicted(first, n, parallel, m, cluster)), words, []
    measured = read_timings(options.times)
    law: Fit = fit(measured, cluster)
    first = options.seconds or first_time(measured)
    return (lambda n, m: law.predict(first, n, m)), law.words, measured


def _place(
    options: argparse.Namespace,
    processes: Sequence[int],
    per_node: Sequence[int],
    cluster: Cluster,
) -> None:
    if len(processes) != 1 or len(per_node) != 1:
        raise UserError(
            "--files is for one placement: give one number with --ranks and --per-node."
        )
    hosts = host_names(cluster.nodes, [name for name in options.hosts.split(",") if name])
    n, m = processes[0], per_node[0]
    written = write_files(Path(options.files), n, m, cluster, hosts)
    print(f"processes by node: {placement_table(n, m, cluster, hosts)}")
    print(f"Open MPI 5: {open_mpi_words(n, options.files)} PROGRAM")
    print(f"Slurm:      {slurm_words(n, m, cluster)} PROGRAM")
    print(f"written: {', '.join(map(str, written))}")
