"""Running a case: from options to members, through the time loop, to a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from halocline.component.case.case import Case
from halocline.component.case.tables import read_setting
from halocline.component.component import Component
from halocline.component.streams.own_stream import OwnStream
from halocline.core.errors import UserError, nearest
from halocline.experiment import exit_codes
from halocline.experiment.folder_lock import holding
from halocline.experiment.joint_recording import JointRecording
from halocline.experiment.joint_run import JointRun
from halocline.experiment.member_run import Extras, MemberRun
from halocline.experiment.members import Members, make_members, read_members
from halocline.experiment.pauses import Pauses, to_end
from halocline.experiment.progress import Progress
from halocline.experiment.seating import seated
from halocline.experiment.simulation import Outcome
from halocline.experiment.stopping import Stopping
from halocline.runtime.files.read_ahead import end_readings
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.ranks.freed_memory import return_large_arrays
from halocline.runtime.record.hardware_counters import running


@dataclass
class Result:
    """A finished run: how it ended, its component (with all fields), and where its files are.

    Where a run has several members, `components` are those on this rank, by name, and `outcome`
    and `component` those of the first of them.
    """

    outcome: Outcome
    component: Component
    folder: Path | None
    summary: str
    components: Mapping[str, Component]
    stopped_by: str  # empty where the run reached its end


def run(
    case: Case | Members | Mapping[str, Any] | str | Path,
    *,
    settings: Iterable[str] = (),
    output: str | Path | None = None,
    walltime: float | None = None,
    check_halos: bool = False,
    resume: bool = False,
    show: bool = False,
    communicator: Communicator | None = None,
    streams: Sequence[OwnStream] | Mapping[str, Sequence[OwnStream]] = (),
    **given: Any,
) -> Result:
    """Run a case on the ranks that call this; those that only serve output end with the run.

    `case` is a shipped name, a path, nested tables, or a `Case`; `settings` are texts "key=value".
    Files go to the folder `output`; without it nothing is written and the result is in the fields
    of the component. `walltime` [s] ends the run cleanly before its time. With `resume` the run
    goes on from the newest good restart in `output`, or begins anew where there is none. `streams`
    are output streams of your own, besides those of the case; of several members a list for each
    name. Other arguments (`wind_function`) go to the component, if its case takes them.
    """
    members = as_members(case, settings)
    extras = Extras(check_halos, resume, _by_member(streams, members), given)
    return to_end(
        run_with_pauses(
            members, extras, output, walltime=walltime, show=show, communicator=communicator
        )
    )


def run_with_pauses(
    members: Members,
    extras: Extras,
    output: str | Path | None,
    *,
    walltime: float | None = None,
    show: bool = False,
    communicator: Communicator | None = None,
) -> Pauses[Result]:
    """The same of members that are there, with a pause wherever a program outside computes."""
    return_large_arrays()
    given = {name: value for name, value in extras.given.items() if value is not None}
    if members.several and given:
        raise UserError(
            "A run of several members takes no arguments of a component, as it could not tell whose"
            " they are. Run the member alone."
        )
    extras = replace(extras, given=given)
    counters = [name for some in members.members.values() for name in some.case.record.counters]
    running(tuple(dict.fromkeys(counters)))  # before there are threads, so that it counts in them
    folder = Path(output) if output is not None else None
    with assembled(members, communicator or world(), folder, extras) as found:
        if found is None:
            raise SystemExit(exit_codes.done)
        return (yield from _run(found.joint, found.folder_gone, walltime, show=show))


class Assembled(NamedTuple):
    """A run whose components are there, on a rank that computes."""

    joint: JointRun
    folder_gone: Callable[[], str]  # why the folder of results is no longer ours, if it is not


@contextmanager
def assembled(
    members: Members, communicator: Communicator, folder: Path | None, extras: Extras
) -> Iterator[Assembled | None]:
    """The members of a run on their ranks; on output servers None, when the run has ended."""
    with seated(members, communicator, folder, extras.joined) as team:
        if team is None:
            yield None
            return
        with holding(folder, team.council) as folder_gone, ExitStack() as ending:
            ending.callback(end_readings)
            here = []
            recording = None
            if team.seats is not None:
                recording = JointRecording(members, team.seats, team.council)
            for member, writers in team.here:
                here.append(MemberRun(member, writers, folder, extras, recording))
                ending.callback(here[-1].close_component)
            joint = JointRun(members, team, here, folder, extras, recording)
            ending.push(joint.leave)
            yield Assembled(joint, folder_gone)


def _run(
    joint: JointRun, folder_gone: Callable[[], str], walltime: float | None, *, show: bool
) -> Pauses[Result]:
    """All of a run, once its components are there.

    1. go on from a restart  2. open files  3. step, and meet after each interval  4. last restart,
    files closed  5. reports
    """
    joint.read_restart()
    joint.open_files()
    yield from joint.programs()
    joint.begin()
    first, start, end = joint.moment, joint.clock.start, joint.end
    stopped_by = ""
    show = show and joint.council.rank == 0
    writers = [some.writers for some in joint.here]
    stopping = Stopping(joint.council, walltime, writers, folder_gone, joint.log)
    with Progress(start, end, first=first, show=show) as progress, stopping.listening():
        while joint.moment < end and not stopped_by:
            with joint.interval():
                yield from joint.advance()
                joint.leave_restarts_where_due()
                progress.update(joint.moment)
                with joint.waiting():
                    stopped_by = joint.agree(stopping.asked())
                joint.meet()
    stopped_by = stopped_by if joint.moment < end else ""
    joint.finish(stopped_by)
    summary = joint.report()
    some = joint.here[0]
    return Result(
        some.outcome,
        some.component,
        joint.folder,
        summary,
        {some.name: some.component for some in joint.here},
        stopped_by,
    )


def _by_member(
    streams: Sequence[OwnStream] | Mapping[str, Sequence[OwnStream]], members: Members
) -> Mapping[str, Sequence[OwnStream]]:
    """The user's streams by the names of members; one that is alone has none."""
    if not isinstance(streams, Mapping):
        if streams and members.several:
            raise UserError(
                "Streams of your own are those of one member where a run has several. Give a list"
                f" for each: streams={{{members.first.name!r}: [...]}}."
            )
        return {members.first.name: streams}
    for name in streams:
        if name not in members.members or not members.several:
            raise UserError(
                f"There are streams for '{name}', which is no member of this run."
                f"{nearest(name, members.members)}"
            )
    return streams


def as_members(
    case: Case | Members | Mapping[str, Any] | str | Path, settings: Iterable[str]
) -> Members:
    """The members of a run, of what `run` takes."""
    settings = list(settings)
    if isinstance(case, str | Path):
        return read_members(case, settings)
    if isinstance(case, Mapping):
        return make_members(case, settings)
    if isinstance(case, Case):
        read = dict(map(read_setting, settings))
        return Members.of(case.with_settings(read) if read else case)
    if settings:
        raise UserError(f"Members that are made have their settings: no {settings[0]!r} for them.")
    return case
