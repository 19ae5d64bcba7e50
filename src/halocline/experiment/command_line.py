"""The command `halocline`: its arguments, what each command calls, and its exit codes."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import halocline
from halocline.analysis import plot_command
from halocline.core.assumptions import taken
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.added_commands import added_commands
from halocline.experiment.demo import name as demo_case
from halocline.experiment.parser import Parser, add_settings

epilog = f"""examples:
  halocline cases                              list the shipped cases
  halocline run swell                          run one on all cores
  halocline run swell -n 4 --set time.length=6h
  halocline resume results/swell               go on with a broken run
  halocline verify results/swell               look for damaged files
  halocline new swell my-swell                 copy one, to change it
  halocline check my-swell                     what a run would need, without running
  halocline explain time.length                the manual of an option

exit codes:
{exit_codes.table()}
"""


checks = ("halos",)
"""What `--check` can look after in a run."""


def build_parser(*, complete: bool = True) -> argparse.ArgumentParser:
    """The parser of the whole command; if not `complete`, without those of other packages."""
    parser = Parser(
        prog="halocline",
        description=halocline.__doc__,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"halocline {halocline.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, words: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=words,
            description=f"{words[0].upper()}{words[1:]}.",
            epilog=f"example:\n  halocline {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    run = command("run", "run a case", "run swell -n 2 --set time.length=6h --output results/a")
    _case_arguments(run)
    _run_arguments(run)
    resume = command(
        "resume",
        "go on with a broken run from its last good restart file, in its folder",
        "resume results/swell -n 2",
    )
    resume.add_argument("run", metavar="FOLDER|CASE", help="folder of results, or the case")
    _run_arguments(resume)
    verify = command(
        "verify",
        "verify the checksums of restart files and output files, also while they grow",
        "verify results/swell",
    )
    verify.add_argument("paths", metavar="FILE", nargs="+", help="file, or folder of results")
    cycle = command(
        "cycle",
        "run the next forecast from a restart of the last one, with new input",
        "cycle my-case --output forecasts --start 2011-01-16T00",
    )
    _case_arguments(cycle)
    _run_arguments(cycle)
    cycle.add_argument("--start", metavar="DATE", help="start of the forecast; newest restart")
    check = command(
        "check",
        "validate a case; say grid, ranks, memory, output volume and expected time",
        "check swell -n 4",
    )
    _case_arguments(check)
    check.add_argument("-n", "--ranks", type=_positive, help="number of ranks to plan for")
    check.add_argument("--output", metavar="DIR", help="folder of results; results/CASE")
    plan = command(
        "plan",
        "print the schedule of a run, and the kernels and exchanges of one step",
        "plan swell -n 2",
    )
    _case_arguments(plan)
    plan.add_argument("-n", "--ranks", type=_positive, default=2, help="number of ranks (2)")
    plan.add_argument("--draw", metavar="FILE", help="draw members and what they give each other")
    new = command("new", "copy a shipped case with the files it reads", "new swell my-swell")
    new.add_argument("name", metavar="NAME", help="a shipped case: see 'halocline cases'")
    new.add_argument("folder", metavar="FOLDER", nargs="?", help="new folder; NAME if not given")
    explain = command("explain", "the manual of the options of case files", "explain time")
    explain.add_argument("key", metavar="KEY", nargs="?", default="", help="option or table")
    plot_command.main_arguments(command("plot", "draw an output file", "plot fields.nc --animate"))
    command("cases", "list the shipped cases", "cases")
    command("demo", f"run the case {demo_case} and draw all that it writes", "demo")
    for name, added in (added_commands() if complete else {}).items():
        own = command(name, added.words, added.example)
        added.add_arguments(own)
        own.set_defaults(action=added.main)
    return parser


def _case_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", metavar="CASE", help="case file, its folder, or a shipped case")
    add_settings(parser)
    parser.add_argument(
        "--site",
        metavar="NAME",
        action="append",
        type="site={}".format,
        dest="settings",
        help="of a run at two sites: compute the members of this one",
    )


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", "--ranks", type=_positive, help="number of ranks; all cores")
    parser.add_argument(
        "--oversubscribe",
        action="store_true",
        help="start the ranks even where they are more than 8 for each core, or need more memory"
        " than is free: without it such a run is refused",
    )
    parser.add_argument("--threads", type=_positive, help="threads per rank (1)")
    parser.add_argument("--output", metavar="DIR", help="folder of results; results/CASE")
    parser.add_argument(
        "--walltime", metavar="HH:MM:SS", help="end cleanly, with a restart, before this time"
    )
    parser.add_argument(
        "--check",
        metavar="WHAT[,WHAT]",
        type=_checks,
        default=[],
        help="halos: refuse reads of stale halos; report at the end which exchanges were redundant"
        " and what deeper halos would save (slow: kernels that exchange run several times)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress and no summary")


def _positive(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"'{word}' is no whole number of 1 or more")
    return int(word)


def _checks(words: str) -> list[str]:
    """Names of checks, separated by commas.

    >>> _checks("halos")
    ['halos']
    """
    names = [word.strip() for word in words.split(",")]
    for name in names:
        if name not in checks:
            raise argparse.ArgumentTypeError(f"'{name}' is none of: {', '.join(checks)}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. User mistakes print one line, no traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        parser = build_parser(complete=not given or given[0] not in _commands)
        options = parser.parse_args(given or ["--help"])
    except SystemExit as ending:
        return int(ending.code or 0)
    options.arguments = given
    action = _commands.get(options.command) or options.action
    code = guarded(lambda: action(options))
    for words in taken() if code == exit_codes.done else ():
        print(f"halocline: {words}", file=sys.stderr)
    return code


def guarded(action: Callable[[], int]) -> int:
    """The exit code of an action; what a user did wrong is said in one line."""
    try:
        return action()
    except UserError as error:
        return fail(f"halocline: {error}", exit_codes.user_error)
    except MemoryError as error:
        words = f"halocline: the memory of this machine does not hold it: {error}"
        return fail(f"{words}. Take a smaller case, or more machines.", exit_codes.user_error)
    except BrokenPipeError:
        sys.stderr.close()
        return exit_codes.done
    except KeyboardInterrupt:
        return fail("halocline: interrupted", exit_codes.interrupted)
    except Exception:
        return fail(traceback.format_exc().rstrip(), exit_codes.internal_error)


def fail(message: str, code: int) -> int:
    """Say why; where other ranks run on, end them too."""
    from halocline.runtime.ranks.launched import under_mpi

    if under_mpi():
        from halocline.experiment.ending import end_all_ranks

        return end_all_ranks(message, code)
    print(message, file=sys.stderr)
    return code


def _run(options: Any) -> int:
    from halocline.experiment.start import start

    return start(options, options.arguments)


def _cycle(options: Any) -> int:
    from halocline.experiment.start import start_cycle

    return start_cycle(options, options.arguments)


def _resume(options: Any) -> int:
    from halocline.experiment.start import start_resume

    return start_resume(options, options.arguments)


def _verify(options: Any) -> int:
    from halocline.experiment.verifying import verify

    return verify(options.paths)


def _check(options: Any) -> int:
    from halocline.experiment.check import report_members
    from halocline.experiment.members import read_members
    from halocline.experiment.start import results_folder

    members = read_members(options.case, options.settings)
    print(report_members(members, options.ranks, Path(results_folder(options))))
    return exit_codes.done


def _plan(options: Any) -> int:
    from halocline.experiment.members import read_members
    from halocline.experiment.plan import plan_members

    members = read_members(options.case, options.settings)
    if options.draw:
        from halocline.experiment.exchange_plot import plot_exchanges

        print(plot_exchanges(members, options.draw))
        return exit_codes.done
    print(plan_members(members, options.ranks, options.case))
    return exit_codes.done


def _new(options: Any) -> int:
    from halocline.component.case.shipped import copy_case

    path = copy_case(options.name, options.folder or options.name)
    print(f"{path}: change it, then 'halocline run {path.parent}'")
    return exit_codes.done


def _explain(options: Any) -> int:
    from halocline.experiment.manual import explain

    print(explain(options.key))
    return exit_codes.done


def _cases(options: Any) -> int:
    from halocline.component.case.shipped import names, summary

    for name in names():
        print(f"{name:<20} {summary(name)}")
    return exit_codes.done


def _plot(options: Any) -> int:
    from halocline.experiment.grid_plot import is_case, plot_grid

    if not (options.grid or is_case(options.file)):
        return plot_command.run(options)
    given = {name: getattr(options, name) for name in ("output", "region", "lines", "title")}
    for path in plot_grid(options.file, **given):
        print(path)
    return exit_codes.done


def _demo(options: Any) -> int:
    from halocline.experiment.demo import demo

    return demo(main)


_commands: dict[str, Callable[[Any], int]] = {
    "run": _run,
    "resume": _resume,
    "verify": _verify,
    "cycle": _cycle,
    "check": _check,
    "plan": _plan,
    "new": _new,
    "explain": _explain,
    "plot": _plot,
    "demo": _demo,
    "cases": _cases,
}
