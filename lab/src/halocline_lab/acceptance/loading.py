"""`halocline lab loading`: what a way to load a cluster does to run times (figures 3.1 and 3.2).

Processes are dealt to the nodes in groups of m; the most loaded node sets the pace. Drawn are the
load per processor, the run time and the bulk parallel efficiency against the number of processes,
for programs of which some part is parallel. Model and numbers of equations: Tolman (2003). The
report's own cluster is what you get without options.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline_lab.scaling.pictures import write_picture
from halocline_lab.scaling.placement import (
    Cluster,
    add_cluster_arguments,
    alpha,
    efficiency,
    ideal_numbers,
    is_ideal,
    is_ideal_as_printed,
    predicted,
    ranges,
)
from halocline_lab.statistics.number_lists import shares, whole_numbers

keys = {
    "cluster": "nodes (M_n), processors of each (M_p), threads of a process",
    "rows": "one entry per number of processes and group size",
    "rows.processes": "processes n",
    "rows.per_node": "group size m",
    "rows.alpha": "processes per processor of the most loaded node (3.10), at least 1",
    "rows.ideal": "whether a perfectly parallel program would use all it can",
    "rows.predicted": "one entry per parallel fraction",
    "rows.predicted.parallel": "effective parallel fraction p_e",
    "rows.predicted.time": "run time over that of one process (3.7)",
    "rows.predicted.efficiency": "bulk parallel efficiency (3.12)",
}


@dataclass(frozen=True)
class Loading:
    """What is looked at: a cluster, numbers of processes, group sizes, parallel fractions."""

    cluster: Cluster
    processes: Sequence[int]
    per_node: Sequence[int]
    parallel: Sequence[float]

    def time(self, n: int, m: int, p: float) -> float:
        """Run time over that of one process."""
        return predicted(1.0, n, p, m, self.cluster)

    def efficiency(self, n: int, m: int, p: float) -> float:
        return efficiency(1.0, self.time(n, m, p), n, self.cluster)


def rows(loading: Loading) -> list[dict[str, Any]]:
    """All values as plain ones; see `keys`."""
    cluster = loading.cluster
    return [
        {
            "processes": n,
            "per_node": m,
            "alpha": alpha(n, m, cluster),
            "ideal": is_ideal(n, m, cluster),
            "predicted": [
                {
                    "parallel": p,
                    "time": loading.time(n, m, p),
                    "efficiency": loading.efficiency(n, m, p),
                }
                for p in loading.parallel
            ],
        }
        for m in loading.per_node
        for n in loading.processes
    ]


def table(loading: Loading) -> str:
    """All values as text; ideal loadings have a star."""
    cluster, groups = loading.cluster, loading.per_node
    lines = [
        f"{cluster.nodes} nodes of {cluster.processors} processors, processes of"
        f" {cluster.threads} thread{'s' * (cluster.threads > 1)}",
        "alpha, processes per processor of the most loaded node; * ideal loading",
        f"{'n':>5}" + "".join(f"{f'm = {m}':>10}" for m in groups),
    ]
    for n in loading.processes:
        cells = (f"{alpha(n, m, cluster):.3f}{_star(n, m, cluster)}" for m in groups)
        lines.append(f"{n:>5}" + "".join(f"{cell:>10}" for cell in cells))
    for p in loading.parallel:
        head = "".join(f"{f'm = {m}':>8}" for m in groups)
        lines += ["", f"p_e = {p:g}: run time over that of one process, and efficiency zeta"]
        lines.append(f"{'n':>5}{head}  {head}")
        for n in loading.processes:
            times = "".join(f"{loading.time(n, m, p):>8.3f}" for m in groups)
            zetas = "".join(f"{loading.efficiency(n, m, p):>8.3f}" for m in groups)
            lines.append(f"{n:>5}{times}  {zetas}")
    return "\n".join([*lines, "", *ideal_lines(loading)])


def _star(n: int, m: int, cluster: Cluster) -> str:
    return "*" if is_ideal(n, m, cluster) else " "


def ideal_lines(loading: Loading) -> list[str]:
    """Which numbers of processes load the cluster ideally, and where (3.13) says otherwise."""
    cluster, most = loading.cluster, max(loading.processes)
    lines = []
    for m in loading.per_node:
        ideal = ideal_numbers(m, cluster, most)
        printed = [n for n in range(1, most + 1) if is_ideal_as_printed(n, m, cluster)]
        lines.append(f"ideal loading, m = {m}: n = {ranges(ideal)}")
        if printed != ideal:
            lines.append(f"  (3.13) of the report as printed gives n = {ranges(printed)}")
    return lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab loading`."""
    add_cluster_arguments(parser, 4, 2)
    parser.add_argument("--ranks", metavar="LIST", default="1-25", help="processes n (1-25)")
    parser.add_argument("--per-node", metavar="LIST", default="1-4", help="group sizes m (1-4)")
    parser.add_argument(
        "--parallel", metavar="LIST", default="1,0.9,0.8", help="parallel fractions (1,0.9,0.8)"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="draw both figures into this PNG, PDF, SVG"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write values; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    loading = Loading(
        Cluster(options.nodes, options.processors, options.threads),
        whole_numbers(options.ranks, "--ranks"),
        whole_numbers(options.per_node, "--per-node"),
        shares(options.parallel, "--parallel"),
    )
    print(table(loading))
    if options.output:
        from halocline_lab.acceptance.loading_plots import draw

        write_picture(lambda path: draw(loading, path), Path(options.output))
    if options.json:
        cluster = {name: getattr(options, name) for name in ("nodes", "processors", "threads")}
        result = {"cluster": cluster, "rows": rows(loading), "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0
