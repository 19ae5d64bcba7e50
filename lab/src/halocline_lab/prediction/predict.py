"""`halocline lab predict WHAT`: how long a run would take elsewhere, longer, larger, on more ranks.

`placement` predicts from a parallel fraction and the load of the processors (Tolman, 2003),
`phases` from measured phases by laws of scaling. `replay` does again what a record holds on a
described machine; `whatif` changes networks, ranks, process grids and output servers. Each has its
own `--help`.
"""

from __future__ import annotations

import argparse
from importlib import import_module

parts = {
    "placement": "halocline_lab.prediction.predict_placement",
    "phases": "halocline_lab.prediction.predict_phases",
    "replay": "halocline_lab.prediction.predict_replay",
    "whatif": "halocline_lab.prediction.predict_whatif",
    "check": "halocline_lab.prediction.predict_check",
}
"""Modules by their words; each has `add_arguments(parser)` and `main(options) -> int`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict`."""
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for name, module_name in parts.items():
        module = import_module(module_name)
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
