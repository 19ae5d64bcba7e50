"""Starting a run: here, or on several ranks by the launcher of MPI."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline.experiment import exit_codes
from halocline.experiment.ending import report_code
from halocline.experiment.launching import on_ranks, ready_to_stop
from halocline.experiment.meeting import meet
from halocline.experiment.pauses import Pauses, to_end
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import can_start_ranks, how_to_get_mpi
from halocline.runtime.ranks.launched import under_mpi
from halocline.runtime.ranks.threads import set_threads_of_ranks

if TYPE_CHECKING:
    from halocline.experiment.members import Members

points_per_rank = 200
"""Fewer sea points per rank than these are not worth a rank that nobody asked for."""


def cores() -> int:
    """Cores that this process may use; under Slurm the tasks of the allocation."""
    return int(os.environ.get("SLURM_NTASKS", 0)) or len(os.sched_getaffinity(0))


def default_ranks(sea_points: int, threads: int) -> int:
    """Ranks for all cores, fewer for a small grid."""
    return max(1, min(cores() // threads, sea_points // points_per_rank))


def start(options: Any, arguments: list[str]) -> int:
    """Run the case of the parsed `options`; `arguments` are the whole command, for the ranks."""
    threads = options.threads or 1
    set_threads_of_ranks(threads)
    if under_mpi():
        return to_end(running_here(options))
    if options.walltime:
        read_walltime(options.walltime)  # refused before ranks are started
    from halocline.experiment.meeting import told
    from halocline.experiment.members import read_members
    from halocline.experiment.server_advice import planned_servers, refuse_wrong_layout, telling
    from halocline.experiment.too_many_ranks import field_bytes, refuse_too_many

    members = read_members(options.case, options.settings)
    if members.several:
        return _start_members(members, options, arguments)
    case = members.first.case
    grid = case.build_grid()
    ranks = options.ranks or default_ranks(grid.sea_points, threads)
    if not options.ranks and ranks > 1 and not can_start_ranks():
        if not options.quiet:
            print(f"one rank, not {ranks}: no 'mpiexec' is found. {how_to_get_mpi}.", flush=True)
        ranks = 1
    servers = planned_servers(case, grid, ranks, Path(results_folder(options)))
    if not options.ranks and "SLURM_NTASKS" in os.environ:  # servers are among its tasks
        ranks = max(1, min(ranks, cores() - servers.count))
    refuse_wrong_layout(case, ranks, servers.count)
    if not options.oversubscribe:
        fields = {"": field_bytes(case, grid)}
        refuse_too_many(fields, ranks + servers.count, threads, cores())
    if servers.count and not options.quiet:
        print(servers.line, flush=True)
    command = _program_of(members, members.first.name)
    parts = [(ranks + servers.count, command)] if command else []
    with telling(servers):
        if ranks + servers.count == 1 and not command:
            return to_end(running_here(options))
        return on_ranks(
            arguments, ranks, threads,
            servers=servers.count, quiet=options.quiet, parts=parts,
            told=told(options) if command else "",
        )  # fmt: skip


def _start_members(members: Members, options: Any, arguments: list[str]) -> int:
    """Run a case of several members, on as many ranks as asked for or as there are cores."""
    from halocline.experiment.meeting import told
    from halocline.experiment.members import of_member
    from halocline.experiment.seating import parts_of, seats_of
    from halocline.experiment.too_many_ranks import field_bytes, refuse_too_many

    threads = options.threads or 1
    grids = {}
    for name, member in members.here.items():
        with of_member(name):
            grids[name] = member.case.build_grid()
    points = sum(grid.sea_points for grid in grids.values())
    least = members.least_ranks()
    ranks = options.ranks or max(least, default_ranks(points, threads))
    if not options.ranks and ranks > 1 and not can_start_ranks():
        ranks = 1
    if not options.ranks and members.ranks_by_number():
        ranks = least
    seats = seats_of(members, ranks)
    if not options.oversubscribe:
        fields = {
            name: field_bytes(member.case, grids[name]) for name, member in members.here.items()
        }
        refuse_too_many(fields, seats.size, threads, cores())
    if not options.quiet:
        print(f"{members.schedule().text()}; {seats.describe()}", flush=True)
    if seats.size == 1:
        return to_end(running_here(options))
    parts = [(count, _program_of(members, name)) for count, name in parts_of(members, seats)]
    return on_ranks(
        arguments, ranks, threads,
        servers=seats.serving, quiet=options.quiet, parts=parts, told=told(options),
    )  # fmt: skip


def _program_of(members: Members, name: str) -> Sequence[str]:
    """The command of a member that is a program of its own; empty: ours."""
    alone = not members.several
    command = members.members[name].case.outside_command if name or alone else ()
    if command and not find_program(command[0], own_first=False):
        member = "" if alone else f"Member '{name}': "
        raise UserError(
            f"{member}there is no program '{command[0]}' (program.command) beside the"
            " case, in this folder or on PATH. Build it, or give its path."
        )
    return command


def start_cycle(options: Any, arguments: list[str]) -> int:
    """Run the next forecast of a case below the folder of its forecasts."""
    from halocline.experiment.cycle import next_forecast
    from halocline.experiment.members import read_members
    from halocline.runtime.writing.restart import on_first_rank

    set_threads_of_ranks(options.threads or 1)
    members = read_members(options.case, options.settings)
    folder = Path(options.output or default_folder(options.case))
    forecast = on_first_rank(world(), lambda: next_forecast(members, folder, options.start or ""))
    if world().rank == 0 and not options.quiet:
        origin = forecast.restart or "the start that the case gives"
        print(f"forecast from {forecast.start.isoformat()}, from {origin}", flush=True)
    options.output = str(forecast.folder)
    options.settings = [*options.settings, *forecast.settings()]
    changes = [word for setting in forecast.settings() for word in ("--set", setting)]
    given = ["run", *_without(arguments[1:], "--output", "--start"), *changes]
    return start(options, [*given, "--output", options.output])


def start_resume(options: Any, arguments: list[str]) -> int:
    """Go on with a broken run, in its folder, with its own options."""
    from halocline.experiment.resuming import case_file, ended, find_run

    named = Path(options.run)
    is_results = (named / case_file).exists()
    is_case = named.is_file() or (named / "case.toml").exists() or len(named.parts) == 1
    own = default_folder(options.run) if is_case and not is_results else named
    folder = Path(options.output or own)
    path = find_run(folder)
    if time := ended(folder):
        print(f"nothing to do: the run in '{folder}' reached its end, {time}")
        return exit_codes.done
    options.case, options.settings, options.output = str(path), [], str(folder)
    return start(options, arguments)


def _without(arguments: list[str], *names: str) -> list[str]:
    """Arguments less these options and their values.

    >>> _without(["a", "--start", "b", "--output=c", "-n", "2"], "--start", "--output")
    ['a', '-n', '2']
    """
    kept, words = [], iter(arguments)
    for word in words:
        if word in names:
            next(words, "")
        elif not word.startswith(tuple(f"{name}=" for name in names)):
            kept.append(word)
    return kept


def running_here(options: Any | None, program_of: str = "") -> Pauses[int]:
    """Run on the ranks that call this, say at the end where things are, return the exit code.

    It pauses wherever the program computes that this rank runs, which is that of a member and has
    the `options` of the others.
    """
    met = ready_to_stop(lambda: meet(world(), options, program_of), lambda: _has_programs(options))
    from halocline.experiment.member_run import Extras
    from halocline.experiment.members import read_members
    from halocline.experiment.run import run_with_pauses

    options = met.options

    limit = read_walltime(options.walltime) if options.walltime else None
    folder = results_folder(options)
    extras = Extras("halos" in options.check, options.command == "resume", joined=met.programs)
    members = read_members(options.case, options.settings)
    result = yield from run_with_pauses(
        members, extras, folder, walltime=limit, show=not options.quiet
    )
    if world().rank == 0 and not options.quiet:
        print(result.summary)
        if result.stopped_by:
            print(f"to go on: halocline resume {shlex.quote(str(folder))}")
        print(f"results are in {folder}: {', '.join(sorted(os.listdir(folder)))}")
    return report_code(exit_codes.stopped if result.stopped_by else exit_codes.done)


def _has_programs(options: Any | None) -> bool:
    """Whether this rank is halocline's, and programs of others are members of its run."""
    from halocline.experiment.members import read_members

    if options is None:
        return False
    members = read_members(options.case, options.settings).members.values()
    return any(member.case.outside_command for member in members)


def results_folder(options: Any) -> str:
    """Where the results of a run go; of one at two sites those of each to its own folder."""
    site = next((some[5:] for some in options.settings if some.startswith("site=")), "")
    return options.output or default_folder(options.case) + (f"-{site}" if site else "")


def default_folder(case: str) -> str:
    """Where the results of a case go if nothing is said.

    >>> default_folder("swell"), default_folder("cases/mine/case.toml"), default_folder("a/b.toml")
    ('results/swell', 'results/mine', 'results/b')
    """
    path = Path(case)
    name = path.parent.name if path.name == "case.toml" else path.name.removesuffix(".toml")
    return f"results/{name or Path.cwd().name}"


def read_walltime(words: str) -> float:
    """A limit of wall time from HH:MM:SS, MM:SS or seconds [s].

    >>> read_walltime("01:30:00"), read_walltime("90")
    (5400.0, 90.0)
    """
    if not re.fullmatch(r"\d+(:\d\d?){0,2}", words):
        raise UserError(f"--walltime {words}: write HH:MM:SS, for example 02:00:00.")
    seconds = 0
    for part in words.split(":"):
        seconds = 60 * seconds + int(part)
    return float(seconds)
