"""`halocline lab coupler`: exchanges of a coupled pair, beside table 1 of Govett et al. (2004).

Air of 161 x 161 x 30 cells and an ocean of 200 x 200 x 15 step side by side, 25 steps with an
exchange every 5: stress to the ocean, temperature to the air. What a run of 5 steps took is taken
from that of one of 25, so that four exchanges are left, from step 6 on (the paper's protocol).
Paths and lengths take turns. The air is idealised, so that its loop is not the paper's; what is
exchanged is of the paper's size.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Sequence
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.exchange_report import parts
from halocline_lab.benchmarks import coupler_run, result_files
from halocline_lab.benchmarks.rank_programs import answer_of

paths = ("serial", "parallel")

published = (
    ("two sites, serial, untuned", 1.53, 1.15),
    ("two sites, serial, tuned", 1.58, 0.34),
    ("two sites, parallel, untuned", 0.83, 0.64),
    ("two sites, parallel, tuned", 0.78, 0.51),
    ("one site, parallel", 0.08, 0.18),
)
"""Table 1 of Govett et al. (2004): communication of WRF on 6 and ROMS on 2 processors [s]."""

sent_by_mct = 4 * 2 * 161**2 * 8
"""What four exchanges of stress took there, 8 bytes for each of the air's points [byte]."""

lengths = 5, 25

keys = {
    "ranks": "of air and ocean",
    "quick": "whether grids are small",
    "rows": "one entry per path",
    "rows.path": "serial or parallel",
    "rows.members": "of each member: medians of the parts of four exchanges, and of steps 6 to 25"
    " [s]",
    "rows.bytes": "sent in four exchanges, by exchange [byte]",
}


def measure(
    ranks: tuple[int, int], *, rounds: int = 3, quick: bool = False, of: Sequence[str] = paths
) -> dict[str, Any]:
    """Time the paths in turns; see `keys`."""
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {
        (path, steps): [] for path in of for steps in lengths
    }
    for turn in range(rounds):
        for (path, steps), found in runs.items():
            print(f"round {turn + 1} of {rounds}: {path}, {steps} steps", flush=True)
            settings = {"path": path, "steps": steps, "ranks": list(ranks), "quick": quick}
            found.append(_run(settings))
    rows = [between(path, *(runs[path, steps] for steps in lengths)) for path in of]
    return {"ranks": list(ranks), "quick": quick, "rows": rows}


def _run(settings: dict[str, Any]) -> dict[str, Any]:

    found: dict[str, Any] = json.loads(
        answer_of(coupler_run.__name__, settings, sum(settings["ranks"]))
    )
    return found


def between(
    path: str, short: Sequence[dict[str, Any]], long: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """What runs took beyond shorter ones, medians of the rounds."""
    members = {
        name: {
            part: statistics.median(
                more["members"][name][part] - less["members"][name][part]
                for less, more in zip(short, long, strict=True)
            )
            for part in (*parts, "step")
        }
        for name in ("air", "ocean")
    }
    sent = {name: long[0]["bytes"][name] - short[0]["bytes"][name] for name in long[0]["bytes"]}
    return {"path": path, "members": members, "bytes": sent}


def communication(spent: dict[str, float]) -> float:
    """What a member's slowest rank spent on exchanges, waiting for the other too [s]."""
    return sum(max(spent[part], 0.0) for part in parts)


def table(result: dict[str, Any]) -> str:
    """What `measure` found, as text."""
    air, ocean = result["ranks"]
    shown = [part for part in parts if any(_of(row, part) for row in result["rows"])]
    lines = [
        f"four exchanges, air on {air} and ocean on {ocean} ranks; ms on the slowest rank",
        f"{'path':<10}{'member':<8}" + "".join(f"{part:>10}" for part in (*shown, "all", "steps")),
    ]
    for row in result["rows"]:
        for name, spent in row["members"].items():
            times = [*(spent[part] for part in shown), communication(spent), spent["step"]]
            lines.append(
                f"{row['path']:<10}{name:<8}" + "".join(f"{1e3 * one:>10.2f}" for one in times)
            )
    for row in result["rows"]:
        stress, whole = row["bytes"]["stress"], sum(row["bytes"].values())
        beside = f"{stress / sent_by_mct:.2f} of the {sent_by_mct / 1e6:.2f} MB of the paper's"
        if result["quick"]:
            beside = "small grids: nothing of the paper's"
        lines.append(
            f"{row['path']}: {stress / 1e6:.2f} MB of stress sent, {beside}; all"
            f" {whole / 1e6:.2f} MB"
        )
    lines += ["", "Govett et al. (2004), table 1: communication of WRF and of ROMS [s]"]
    lines += [f"{name:<30}{wrf:>6.2f}{roms:>6.2f}" for name, wrf, roms in published]
    lines.append("their main loops: WRF 125 s on 6 processors, ROMS 52 s on 2")
    return "\n".join(lines)


def _of(row: dict[str, Any], part: str) -> bool:
    return any(abs(spent[part]) > 0.0 for spent in row["members"].values())


def ranks_of(text: str) -> tuple[int, int]:
    """Ranks of air and ocean.

    >>> ranks_of("6+2")
    (6, 2)
    """
    found = re.fullmatch(r"([1-9]\d*)\+([1-9]\d*)", text)
    if found is None:
        raise UserError(f"--on '{text}' is no ranks of air and ocean. Write for example 6+2.")
    return int(found[1]), int(found[2])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab coupler`."""
    parser.add_argument("--on", default="1+1", metavar="AIR+OCEAN", help="ranks of both (1+1)")
    parser.add_argument("--path", nargs="+", choices=paths, help="both if not given")
    parser.add_argument("--rounds", type=int, default=3, help="how often choices take turns (3)")
    parser.add_argument("--quick", action="store_true", help="small grids: a look, no result")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.rounds < 1:
        raise UserError(f"--rounds {options.rounds}: take a round at least.")
    found = measure(
        ranks_of(options.on),
        rounds=options.rounds,
        quick=options.quick,
        of=options.path or paths,
    )
    print(table(found))
    if options.json:
        result_files.write(options.json, found, keys)
    return 0
