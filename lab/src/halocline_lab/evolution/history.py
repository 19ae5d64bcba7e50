"""`halocline lab history FILE`: how benchmarks came out in the course of time, and why.

Any benchmark adds its result with `--remember=FILE`. --rerun builds old versions, or one with other
flags, and runs them in turns with the present one: what differs then is the code, or what the
compiler made of it; what differs for one version between two such batches is the system. Verdicts
are faster, slower or cannot tell, with bounds of about 95 % confidence; a regression is slower
beyond noise and by more than 5 %. Long series (of ten batches or more) are searched for change
points.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from halocline.core.errors import UserError
from halocline_lab.evolution.history_rerun import rerun
from halocline_lab.evolution.history_series import series_of
from halocline_lab.evolution.history_tables import put_into_page, regressions, tables
from halocline_lab.evolution.remembered import read_history
from halocline_lab.evolution.remembering import default_file

slower = 1
"""Exit code where --strict finds a regression."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab history`."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default=default_file, help=f"{default_file}"
    )
    parser.add_argument(
        "--only", metavar="WORDS", action="append", default=[],
        help="quantities with these words in 'command: name', also of --rerun (may be repeated)",
    )  # fmt: skip
    parser.add_argument("--ratios", action="store_true", help="ratios only")
    parser.add_argument("--picture", metavar="FILE", help="draw the quantities (png, pdf, svg)")
    parser.add_argument("--page", metavar="FILE", help="put the tables into a page between marks")
    parser.add_argument(
        "--strict", action="store_true", help=f"end with {slower} where there is a regression"
    )
    parser.add_argument(
        "--rerun",
        metavar="COMMIT[,COMMIT]",
        type=lambda words: [word for word in words.split(",") if word],
        help="build these versions and run them in turns with the present one",
    )
    parser.add_argument(
        "--benchmark", metavar="'NAME ARGUMENTS'", help="what --rerun runs: 'transport --tracers 2'"
    )
    parser.add_argument(
        "--flags",
        metavar="FLAGS",
        action="append",
        default=[],
        help="flags of the compiler after those of --rerun's versions, as --flags='-O2"
        " -ffp-contract=fast' (may be repeated: each version is built with each)",
    )
    parser.add_argument("--rounds", type=int, default=7, help="turns of --rerun (7)")
    parser.add_argument(
        "--builds", metavar="FOLDER", help="where --rerun keeps what it builds; removed if not"
    )


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    path = Path(options.file)
    if options.rerun:
        if not options.benchmark:
            raise UserError("--rerun needs --benchmark, for example 'transport --tracers 2'.")
        if options.rounds < 1:
            raise UserError(f"--rounds {options.rounds}: must be 1 or more.")
        builds = Path(options.builds) if options.builds else None
        rerun(
            path,
            options.rerun,
            options.benchmark,
            options.rounds,
            builds,
            options.only,
            flags=options.flags,
        )
    found = series_of(read_history(path), options.only, ratios=options.ratios)
    if not found:
        raise UserError(f"'{path}' has no quantity with {options.only} in its name.")
    words = tables(found)
    print(words)
    if options.page:
        put_into_page(Path(options.page), words)
    if options.picture:
        from halocline_lab.evolution.history_plots import draw

        draw(found, Path(options.picture))
    return slower if options.strict and regressions(found) else 0
