"""`halocline lab scale CASE`: how a case scales over ranks, threads and placements (table 4.1).

Every setup runs the case once per round, in turns; times are those of the steps, so starting the
ranks and reading do not count, and there is no output (Tolman, 2003, section 4); nor do first steps
that are to be left out (--skip). With --vary the case is run with several values of one of its
options too, such as numbers of levels. Each rank count is
put on nodes in groups of m. On one machine, cores can stand for nodes: --nodes 2 --processors 1
makes two nodes of one core each, to which ranks are bound. On a cluster give --nodes, --processors
and the words that start ranks there, such as
--launcher 'srun -n {ranks} -m plane={per_node} -c {threads} --overcommit'.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.experiment.parser import add_settings
from halocline.experiment.progress import time_words
from halocline_lab.benchmarks.machine_load import load_words
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.evolution.provenance import build_words, provenance
from halocline_lab.scaling import scale_table
from halocline_lab.scaling.growth import growths, varied
from halocline_lab.scaling.placement import Cluster
from halocline_lab.scaling.scale_cuts import refuse_impossible_cuts
from halocline_lab.scaling.scale_setups import (
    Setup,
    all_setups,
    check_machine,
    check_ranks,
    check_smt,
    core_threads,
    different,
    processors_of_ranks,
)
from halocline_lab.statistics.number_lists import shares, whole_numbers
from halocline_lab.statistics.paired import fewest
from halocline_lab.statistics.run_progress import RunProgress

Runs = Mapping[Setup, Sequence[Mapping[str, Any]]]


def order_of_round(count: int, turn: int) -> list[int]:
    """The order in which a round takes setups: forward, backward, from a beginning that moves.

    >>> [order_of_round(3, turn) for turn in range(4)]
    [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]]
    """
    first = turn // 2 % count
    order = [*range(first, count), *range(first)]
    return order if turn % 2 == 0 else order[::-1]


def measure(
    case: str,
    settings: Sequence[str],
    setups: Sequence[Setup],
    rounds: int,
    cluster: Cluster,
    launcher: str = "",
    records: Path | None = None,
    skip: int = 0,
) -> Runs:
    """Run all setups in turns; what every run told, by setup, in rounds.

    Those that put every rank on the same node are run once and share their times. The folder
    `records` gets the records of the last round. `skip` steps of each run do not count. An
    interrupt ends with the rounds that are complete, if there is one.
    """
    cores = [] if launcher else core_threads()
    chosen = different(setups, cluster)
    runs: dict[Setup, list[dict[str, Any]]] = {setup: [] for setup in chosen}
    weights = {setup.name: 1.0 + setup.ranks / 4.0 for setup in runs}
    try:
        with RunProgress(rounds, weights) as progress:
            for turn in range(rounds):
                for at in order_of_round(len(runs), turn):
                    setup = list(runs)[at]
                    task = {
                        "case": case,
                        "settings": [*settings, *([setup.setting] if setup.setting else [])],
                        "skip": skip,
                        "record": _record(records, setup, turn, rounds),
                        "processors": processors_of_ranks(setup, cluster, cores) if cores else [],
                    }
                    runs[setup].append(_run(task, setup, launcher_words(launcher, setup)))
                    progress.done(setup.name, runs[setup][-1]["wall"])
    except KeyboardInterrupt:
        complete = min(map(len, runs.values()))
        if not complete:
            raise
        print(f"interrupted: {complete} of {rounds} rounds are complete", file=sys.stderr)
        runs = {setup: found[:complete] for setup, found in runs.items()}
    return {setup: runs[same] for same, alike in chosen.items() for setup in alike}


def _run(task: dict[str, Any], setup: Setup, launcher: Sequence[str]) -> dict[str, Any]:
    """What one run tells, with its time outside the steps and in all [s]."""
    began = time.monotonic()
    found = answer_of(
        "halocline_lab.scaling.scale_run", task, setup.ranks, setup.threads, launcher=launcher
    )
    wall = time.monotonic() - began
    run = json.loads(found)
    if run.get("ranks") != setup.ranks:
        raise UserError(
            f"{setup.ranks} ranks were asked for, {run.get('ranks')} ran. The launcher was:"
            f" {shlex.join(launcher)}. Write {{ranks}} where it takes their number."
        )
    before = run["seconds"] + run.get("first", 0.0)
    return {"first": 0.0, **run, "wall": wall, "start_up": max(0.0, wall - before)}


def _record(folder: Path | None, setup: Setup, turn: int, rounds: int) -> str:
    """Where the record of a run goes; nowhere before the last round."""
    if folder is None or turn < rounds - 1:
        return ""
    name = setup.name.replace(" = ", "").replace(", ", "-").replace(" ", "")
    return str((folder / f"{name}.record").absolute())


def launcher_words(launcher: str, setup: Setup) -> list[str]:
    """The words that start the ranks of a setup.

    >>> launcher_words("srun -n {ranks} -m plane={per_node}", Setup(8, 2))
    ['srun', '-n', '8', '-m', 'plane=2']
    """
    try:
        filled = launcher.format(ranks=setup.ranks, per_node=setup.per_node, threads=setup.threads)
    except (KeyError, IndexError, ValueError):
        raise UserError(
            f"--launcher '{launcher}': what can be filled in are {{ranks}},"
            " {per_node} and {threads}."
        ) from None
    return shlex.split(filled)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab scale`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case", metavar="CASE", help="case file, its folder, or a shipped case")
    parser.add_argument("--ranks", metavar="LIST", help="numbers of ranks n (1 to twice the cores)")
    parser.add_argument("--per-node", metavar="LIST", default="1", help="group sizes m (1)")
    parser.add_argument("--threads", metavar="LIST", default="1", help="threads per rank (1)")
    parser.add_argument(
        "--smt", default="", help="hardware threads of cores: off, on or off,on; as they are"
    )
    parser.add_argument(
        "--vary",
        metavar="KEY=LIST",
        default="",
        help="run the case with each of these values of an option, as"
        " atmosphere.layers.count=20,40,80, and tell how the time goes with it",
    )
    parser.add_argument(
        "--skip",
        metavar="STEPS",
        type=int,
        default=0,
        help="first steps that do not count, as tables and buffers are made in them (0)",
    )
    parser.add_argument("--repeat", type=int, default=10, help="runs of each (10)")
    parser.add_argument("--nodes", type=int, default=1, help="nodes, M_n (1: this machine)")
    parser.add_argument("--processors", type=int, help="processors per node, M_p; cores / nodes")
    parser.add_argument(
        "--parallel", metavar="SHARE", help="parallel fraction to predict with; fitted to the times"
    )
    parser.add_argument("--launcher", default="", help="words that start ranks on a cluster")
    add_settings(parser)
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="write scale.html, scale.png (growth.png with --vary), table.txt, table.csv,"
        " scale.json and records of the last round into this folder",
    )
    parser.add_argument(
        "--json", metavar="FILE", help=f"write results; keys: {', '.join(scale_table.keys)}"
    )


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.repeat < 1:
        raise UserError(f"--repeat {options.repeat}: 1 or more runs of each are needed.")
    if options.skip < 0:
        raise UserError(f"--skip {options.skip}: must be 0 or more.")
    if options.parallel:
        shares(options.parallel, "--parallel")
    cluster, setups, points = plan(options)
    count = len(different(setups, cluster))
    print(f"{count} setups, {options.repeat} runs of {options.case} each", file=sys.stderr)
    began, busy = time.monotonic(), "" if options.launcher else load_words()
    records = Path(options.output) / "records" if options.output else None
    runs = measure(
        options.case,
        options.settings,
        setups,
        options.repeat,
        cluster,
        options.launcher,
        records,
        options.skip,
    )
    print(f"took {time_words(time.monotonic() - began)}", file=sys.stderr)
    result = {**evaluate(runs, cluster, points, options), "busy": busy}
    print(report(result))
    if options.output:
        write(result, Path(options.output))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def plan(options: argparse.Namespace) -> tuple[Cluster, list[Setup], int]:
    """The cluster, what to run on it, and the points of the case; or what cannot be."""
    cores = core_threads()
    if options.launcher and not options.processors:
        raise UserError("With --launcher give the processors of a node (--processors).")
    each = options.processors or max(1, len(cores) // max(1, options.nodes))
    cluster = Cluster(options.nodes, each)
    words = options.ranks or f"1-{2 * cluster.nodes * cluster.processors}"
    ranks = whole_numbers(words, "--ranks")
    settings = varied(options.vary)
    cases = [
        read_case(options.case, [*options.settings, *([setting] if setting else [])])
        for setting in settings
    ]
    case = cases[0]
    for one in cases:
        if options.skip >= one.time.clock().steps:
            raise UserError(
                f"--skip {options.skip} leaves none of the {one.time.clock().steps} steps of the"
                " case. Skip fewer, or make it longer (--set time.length=...)."
            )
    points = case.build_grid().sea_points
    if options.launcher:
        if options.smt:
            raise UserError("--smt is for this machine; with --launcher leave it to the launcher.")
        launcher_words(options.launcher, Setup(1))
        check_ranks(cluster, ranks, points)
    else:
        check_machine(cluster, len(cores), ranks, points)
    setups = all_setups(
        ranks,
        whole_numbers(options.per_node, "--per-node"),
        whole_numbers(options.threads, "--threads"),
        check_smt(options.smt, cores),
        settings,
    )
    for one in cases:
        refuse_impossible_cuts(one, sorted({setup.ranks for setup in setups}))
    return cluster, setups, points


def evaluate(
    runs: Runs, cluster: Cluster, points: int, options: argparse.Namespace
) -> dict[str, Any]:
    """All that the runs tell, as plain values; see `scale_table.keys`."""
    parallel = shares(options.parallel, "--parallel")[0] if options.parallel else None
    rows, laws = scale_table.table_rows(runs, cluster, parallel)
    steps = next(iter(runs.values()))[0]["steps"]
    return {
        "case": " ".join([options.case, *(f"--set {words}" for words in options.settings)]),
        "cluster": {"nodes": cluster.nodes, "processors": cluster.processors},
        "points": points,
        "unit": f"seconds of {steps} steps, from inside the run"
        + (f", after {options.skip} that do not count" if options.skip else ""),
        "skip": options.skip,
        "build": provenance()["build"],
        "growth": [asdict(found) for found in growths(rows, options.vary)],
        "rows": rows,
        "laws": laws,
        "fastest": scale_table.fastest(rows),
        "keys": scale_table.keys,
    }


def report(result: Mapping[str, Any]) -> str:
    """The table, the laws and the fastest, as text."""
    cluster, rounds = result["cluster"], len(result["rows"][0]["seconds"])
    lines = [
        f"{result['case']}; {result['unit']}; {rounds} runs of each, in turns",
        f"{cluster['nodes']} node{'s' * (cluster['nodes'] > 1)} of {cluster['processors']}"
        f" processor{'s' * (cluster['processors'] > 1)} on {os.uname().nodename}; predicted: by the"
        " placement model, without the times of that number",
        "",
        scale_table.text(result["rows"], result["laws"]),
        "",
        *[f"{found['name']}: {found['words']}" for found in result["growth"]],
        result["fastest"]["words"],
        build_words(result["build"]),
    ]
    if result["busy"]:
        lines.append(result["busy"])
    if rounds < fewest:
        lines.append(f"Fewer than {fewest} runs of each tell nothing for sure (--repeat).")
    return "\n".join(lines)


def write(result: Mapping[str, Any], folder: Path) -> None:
    """Write all files of the result into a folder."""
    from halocline_lab.scaling.growth_plot import draw_growth
    from halocline_lab.scaling.scale_page import page
    from halocline_lab.scaling.scale_plots import draw

    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "table.txt").write_text(report(result) + "\n", encoding="utf-8")
        (folder / "table.csv").write_text(scale_table.csv_text(result["rows"]), encoding="utf-8")
        (folder / "scale.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        (folder / "scale.html").write_text(page(result), encoding="utf-8")
        draw(result, folder / "scale.png")
        if result["growth"]:
            draw_growth(result["growth"], folder / "growth.png")
    except OSError as error:
        raise UserError(f"Cannot write into '{folder}': {error.strerror} (--output).") from None
    print(f"written into {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
