"""`halocline lab predict WHAT`: how long a run would take elsewhere, longer, larger, on more ranks.

`placement` predicts from a parallel fraction and the load of the processors (Tolman, 2003),
`phases` from measured phases by laws of scaling. `replay` does again what a record holds on a
described machine; `whatif` changes networks, ranks, process grids and output servers. Each has its
own `--help`.
"""

from __future__ import annotations

import argparse

from halocline_lab.commands import Command
from halocline_lab.prediction import (
    predict_check,
    predict_phases,
    predict_placement,
    predict_replay,
    predict_whatif,
)

parts: dict[str, Command] = {
    "placement": predict_placement,
    "phases": predict_phases,
    "replay": predict_replay,
    "whatif": predict_whatif,
    "check": predict_check,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict`."""
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for name, module in parts.items():
        words = (module.__doc__ or "").strip()
        part = commands.add_parser(
            name,
            help=words.splitlines()[0].partition(": ")[2],
            description=words,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(part)
        part.set_defaults(part=module.main)


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    code: int = options.part(options)
    return code
