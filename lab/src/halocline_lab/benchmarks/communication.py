"""`halocline lab communication`: every way to exchange halos and to sum, measured on this machine.

The HALO benchmark, GLOBAL_SUM and NINEPT_4 of Worley & Levesque (2004, POP on the Cray X1), the 51
tracers of Cheptsov et al. (2009), processor grids and tiles as in Porter et al. (2010), and the
referee's own decisions against what is measured afterwards. All ways of one exchange take turns in
one run; times are medians of the slowest rank with bounds of about 95 % confidence.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launched import under_mpi
from halocline_lab.benchmarks.communication_benchmarks import Protocol, benchmarks
from halocline_lab.benchmarks.communication_rows import Row, Verdict, columns, write_rows
from halocline_lab.benchmarks.rank_programs import answer_of

usual = Protocol()
everything = (*benchmarks, "referee")


def communication(
    ranks: Sequence[int] = (2, 4, 8),
    what: Sequence[str] = everything,
    output: str | Path | None = None,
    protocol: Protocol = usual,
) -> tuple[list[Row], list[Verdict]]:
    """Measure on every number of ranks; write tables and figures into the folder `output`.

    Under an MPI launcher its ranks measure, and all but the first come back empty-handed.
    """
    settings = {"what": list(what), "protocol": asdict(protocol)}
    results = _measure_here(settings) if under_mpi() else [_start(settings, n) for n in ranks]
    rows = [Row(**row) for result in results for row in result["rows"]]
    verdicts = [Verdict(**verdict) for result in results for verdict in result["verdicts"]]
    if output is not None and world().rank == 0:
        _write(Path(output), rows, verdicts)
    return rows, verdicts


def _measure_here(settings: dict[str, Any]) -> list[dict[str, Any]]:
    from halocline_lab.benchmarks.communication_run import measure

    result = measure(world(), settings)
    return [result] if world().rank == 0 else []


def _start(settings: dict[str, Any], ranks: int) -> dict[str, Any]:
    """Start ranks that measure."""
    if ranks < 2:
        raise UserError(f"-n {ranks}: one rank has nobody to exchange with. Use 2 or more.")
    found: dict[str, Any] = json.loads(
        answer_of("halocline_lab.benchmarks.communication_run", settings, ranks)
    )
    return found


def _write(folder: Path, rows: Sequence[Row], verdicts: Sequence[Verdict]) -> None:
    from halocline_lab.benchmarks.communication_plots import draw
    from halocline_lab.benchmarks.communication_tables import tables

    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "communication.csv", rows)
    write_rows(folder / "referee.csv", verdicts)
    (folder / "communication.txt").write_text(tables(rows, verdicts) + "\n", encoding="utf-8")
    draw(rows, folder)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab communication`."""
    parser.add_argument(
        "-n", "--ranks", type=int, nargs="+", default=[2, 4, 8], help="numbers (2 4 8)"
    )
    parser.add_argument(
        "--what",
        type=lambda words: words.split(","),
        default=list(everything),
        metavar="NAMES",
        help=f"some of {','.join(everything)}",
    )
    parser.add_argument("--output", metavar="FOLDER", help="where tables and figures go")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(columns)}")
    parser.add_argument("--rounds", type=int, default=usual.rounds, help=f"{usual.rounds} turns")
    parser.add_argument(
        "--seconds", type=float, default=usual.seconds, help="at most, for one exchange [s]"
    )
    parser.add_argument(
        "--words", type=int, nargs="+", default=list(usual.words), help="sizes of HALO"
    )
    parser.add_argument(
        "--least", action="store_true", help="the least of all turns: for a machine in other use"
    )
    parser.add_argument(
        "--repeats", type=int, default=usual.repeats, help="decisions of the referee"
    )
    parser.add_argument(
        "--budget", type=float, default=usual.budget, help="time of one decision [s]"
    )


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    from halocline_lab.benchmarks.communication_tables import tables

    for name in options.what:
        if name not in everything:
            raise UserError(f"--what {name} is not known. Known are {', '.join(everything)}.")
    for words in options.words:
        if words < 1 or words > 32 and words % 32:
            raise UserError(f"--words {words}: up to 32, or a multiple of 32.")
    protocol = Protocol(
        options.rounds,
        options.seconds,
        tuple(options.words),
        options.repeats,
        options.budget,
        least=options.least,
    )
    rows, verdicts = communication(options.ranks, options.what, options.output, protocol)
    if world().rank == 0:
        print(tables(rows, verdicts))
        if options.json:
            result = {"rows": [asdict(row) for row in rows], "keys": columns}
            Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0
