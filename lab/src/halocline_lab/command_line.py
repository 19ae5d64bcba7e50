"""`halocline lab COMMAND`: measure, explain, predict performance."""

from __future__ import annotations

import argparse

from halocline.core.errors import UserError, nearest
from halocline.experiment.parser import Parser
from halocline_lab.commands import commands, table

words = "measure, explain, predict performance"
example = "lab report results/swell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab`."""
    parser.add_argument(
        "benchmark", metavar="COMMAND", nargs="?", help="one of those below; without it, their list"
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="its own options: see its --help")
    parser.epilog = f"{table()}\n\n{parser.epilog}"


def main(options: argparse.Namespace) -> int:
    """Run a command of the laboratory; its exit code."""
    if options.benchmark is None:
        print(f"{table()}\n\n'halocline lab COMMAND --help' tells the options of one.")
        return 0
    if options.benchmark not in commands:
        hint = nearest(options.benchmark, commands)
        raise UserError(
            f"'{options.benchmark}' is no command of the laboratory.{hint} 'halocline lab' lists"
            " them."
        )
    from halocline_lab.evolution import remembering

    command = commands[options.benchmark]()
    parser = Parser(prog=f"halocline lab {options.benchmark}", description=command.__doc__)
    command.add_arguments(parser)
    remembering.offer(parser, options.benchmark)
    given = parser.parse_args(options.rest)
    return remembering.run(options.benchmark, command.main, given, options.rest)
