"""The command `halocline`: its arguments, what each command calls, and its exit codes."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import halocline
from halocline.core.errors import UserError
from halocline.experiment import exit_codes

epilog = f"""examples:
  halocline cases                              list the shipped cases
  halocline new swell my-swell                 copy one, to change it
  halocline explain time.length                the manual of an option

exit codes:
{exit_codes.table()}
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command."""
    parser = argparse.ArgumentParser(
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

    new = command("new", "copy a shipped case with its data", "new swell my-swell")
    new.add_argument("name", metavar="NAME", help="a shipped case: see 'halocline cases'")
    new.add_argument("folder", metavar="FOLDER", nargs="?", help="new folder; NAME if not given")
    explain = command("explain", "the manual of the options of case files", "explain spectrum")
    explain.add_argument("key", metavar="KEY", nargs="?", default="", help="option or table")
    command("cases", "list the shipped cases", "cases")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. User mistakes print one line, no traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = build_parser().parse_args(given)
    except SystemExit as ending:
        return int(ending.code or 0)
    return _guarded(lambda: _commands[options.command](options))


def _guarded(action: Callable[[], int]) -> int:
    try:
        return action()
    except UserError as error:
        return fail(f"halocline: {error}", exit_codes.user_error)
    except BrokenPipeError:
        sys.stderr.close()
        return exit_codes.done
    except KeyboardInterrupt:
        return fail("halocline: interrupted", exit_codes.interrupted)
    except Exception:
        return fail(traceback.format_exc().rstrip(), exit_codes.internal_error)


def fail(message: str, code: int) -> int:
    """Say why; where other ranks run on, end them too."""
    from halocline.runtime.communicator import under_mpi

    if under_mpi():
        from halocline.experiment.ending import end_all_ranks

        return end_all_ranks(message, code)
    print(message, file=sys.stderr)
    return code


def _new(options: Any) -> int:
    from halocline.experiment.shipped import copy_case

    path = copy_case(options.name, options.folder or options.name)
    print(f"{path}: change it, then 'halocline run {path.parent}'")
    return exit_codes.done


def _explain(options: Any) -> int:
    from halocline.experiment.manual import explain

    print(explain(options.key))
    return exit_codes.done


def _cases(options: Any) -> int:
    from halocline.experiment.shipped import names, summary

    for name in names():
        print(f"{name:<20} {summary(name)}")
    return exit_codes.done


_commands: dict[str, Callable[[Any], int]] = {
    "new": _new,
    "explain": _explain,
    "cases": _cases,
}
