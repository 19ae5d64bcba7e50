"""Running a case: from options to a component, through the time loop, to a summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.case.reading import make_case, read_case
from halocline.component.component import Component
from halocline.component.streams.own_stream import OwnStream
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date, text
from halocline.core.errors import UserError, nearest
from halocline.experiment import exit_codes
from halocline.experiment.files_written import FilesWritten
from halocline.experiment.folder_lock import holding
from halocline.experiment.progress import Progress, speed_words, time_words
from halocline.experiment.restarting import Restarts
from halocline.experiment.resuming import leave_end, never_refusing, taking_over
from halocline.experiment.run_log import RunLog
from halocline.experiment.run_recording import RunRecording, threads_per_rank
from halocline.experiment.simulation import Outcome, Simulation
from halocline.experiment.stopping import Stopping
from halocline.experiment.writing import cost_lines, writing
from halocline.runtime.files.file_names import refuse_shared
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.record.hardware_counters import running
from halocline.runtime.running.referee import Referee, cache_folder
from halocline.runtime.running.runner import Plan
from halocline.runtime.writing.record_files import check
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.writers import Writers


@dataclass
class Result:
    """A finished run: how it ended, its component (with all fields), and where its files are."""

    outcome: Outcome
    component: Component
    folder: Path | None
    summary: str


def run(
    case: Case | Mapping[str, Any] | str | Path,
    *,
    settings: Iterable[str] = (),
    output: str | Path | None = None,
    walltime: float | None = None,
    check_halos: bool = False,
    resume: bool = False,
    show: bool = False,
    communicator: Communicator | None = None,
    streams: Sequence[OwnStream] = (),
    **given: Any,
) -> Result:
    """Run a case on the ranks that call this; those that only serve output end with the run.

    `case` is a shipped name, a path, nested tables, or a `Case`; `settings` are texts "key=value".
    Files go to the folder `output`; without it nothing is written and the result is in the fields
    of the component. `walltime` [s] ends the run cleanly before its time. With `resume` the run
    goes on from the newest good restart in `output`, or begins anew where there is none. `streams`
    are output streams of your own, besides those of the case. Other arguments (`wind_function`) go
    to the component, if its case takes them.
    """
    asked = _as_case(case, settings)
    running(tuple(asked.record.counters))  # before there are threads, so that it counts in them
    folder = Path(output) if output is not None else None
    with writing(asked, communicator or world(), folder) as writers:
        if writers is None:
            raise SystemExit(exit_codes.done)
        with holding(folder, writers.communicator) as folder_gone, ExitStack() as ending:
            return _run(
                asked,
                writers,
                folder,
                ending,
                folder_gone,
                walltime=walltime,
                check_halos=check_halos,
                resume=resume,
                show=show,
                streams=streams,
                given={name: value for name, value in given.items() if value is not None},
            )


def _run(
    asked: Case,
    writers: Writers,
    folder: Path | None,
    ending: ExitStack,
    folder_gone: Callable[[], str],
    *,
    walltime: float | None,
    check_halos: bool,
    resume: bool,
    show: bool,
    streams: Sequence[OwnStream],
    given: Mapping[str, Any],
) -> Result:
    communicator = writers.communicator
    ready, cut = _automatic(asked, communicator)
    clock = ready.time.clock()
    component = build_component(ready, clock, communicator, check_halos=check_halos, given=given)
    ending.callback(component.close)
    recording = RunRecording(ready, component, writers)
    root = communicator.rank == 0
    log = None
    if folder is not None:
        log = RunLog.of_ranks(folder / "halocline.log", communicator, append=resume)
        log.begin(
            ready,
            ranks=communicator.size,
            threads=threads_per_rank(),
            decomposition=component.run.decomposition.describe(),
        )
        writers.tell = log.line
        log.line(writers.about)
        if cut:
            log.line(cut)

    def tell(line: str) -> None:
        if log is not None:
            log.line(line)
        if root:
            print(f"halocline: {line}", file=sys.stderr, flush=True)

    restarts = Restarts(ready.restart, component, clock, folder, tell)
    restarted = restarts.read(resume=resume)
    if resume and not restarted:
        tell("There is no restart file in the folder yet: the run begins anew.")
        ready = never_refusing(ready)
    taken = None if resume else asked
    outputs = build_streams(
        ready, component, clock, communicator, folder, resumed=restarted, own=streams
    )
    gathered = [field for stream in outputs for field in stream.restart_fields]
    if folder is not None:
        plans, more = [stream.plan for stream in outputs], restarts.needs(gathered)
        on_first_rank(communicator, lambda: check(plans, more))
    files = FilesWritten(folder) if folder is not None and root else None
    if files is not None:
        writers.began = files.add

    def leave_names() -> None:
        restarts.move_aside()
        if files is not None:
            first = [(stream.plan.name, stream.path) for stream in outputs]
            files.begin(first, goes_on=resume and restarted)

    with taking_over(folder, taken, communicator, leave_names):
        for stream in outputs:
            stream.open(writers)
    missing = restarts.add(gathered)
    if missing and log is not None:
        log.line(f"not in the restart, begun anew: {', '.join(missing)}")
    referee = Referee(
        component.run.exchange,
        ready.communication,
        tell=log.line if log is not None else lambda line: None,
        folder=cache_folder(),
        steps=clock.steps - clock.step_number,
        watch=not check_halos,
        sums=component.sums,
    )
    with Progress(clock.start, clock.end, first=clock.time, show=show and root) as progress:

        def after_step(time: Date) -> None:
            if folder is not None:
                restarts.after_step(writers, folder, time)
            with component.run.recorder.time("choice of exchanges"):
                referee.after_step(component.run.recorder.seconds("step"))
            progress.update(time)

        stopping = Stopping(communicator, walltime, writers, folder_gone)
        simulation = Simulation(
            component, clock, outputs, stopping, restarted=restarted, after_step=after_step
        )
        outcome = simulation.run()
    if folder is not None:
        results, end = folder, outcome.time
        restarts.at_end(writers, results, end, stopped=bool(outcome.stopped_by))
        writers.close()
        if not outcome.stopped_by:
            on_first_rank(communicator, lambda: leave_end(results, end))
    notes = ready.lacking(
        restarted=restarted, watched=folder is None or bool(streams), given=tuple(given)
    )
    words = "\n".join([_summary(ready, outcome, component), *notes, *cost_lines(writers, outcome)])
    table = component.run.recorder.table(communicator)
    truth = component.run.truth.report() if component.run.truth else ""
    if folder is not None and ready.record.write:
        line = recording.leave(folder, outcome, restarts.fields)
        words += f"\n{line}" if line else ""
    if log is not None:
        log.section("time by phase", table or "")
        if truth:
            log.section("halos", truth)
        log.section("summary", words)
    return Result(outcome, component, folder, "\n".join(filter(None, [words, truth])))


def build_streams(
    case: Case,
    component: Component,
    clock: Clock,
    communicator: Communicator,
    folder: Path | None,
    *,
    resumed: bool,
    own: Sequence[OwnStream] = (),
) -> Sequence[OutputStream]:
    """Output streams of a case and of the user; none without a folder."""
    if folder is None:
        return []
    streams = list(case.streams(component, clock, folder, communicator, resumed=resumed))
    for some in own:
        streams.append(some.prepare(component.plane, clock, folder, communicator, resumed=resumed))
    refuse_shared([stream.plan for stream in streams])
    return streams


def _automatic(case: Case, communicator: Communicator) -> tuple[Case, str]:
    """The case with its cut decided, and the reason for the log."""
    if case.decomposition.tiles != "auto":
        return case, ""
    from halocline.experiment.advice import automatic

    return automatic(case, communicator)


def _as_case(case: Case | Mapping[str, Any] | str | Path, settings: Iterable[str]) -> Case:
    if isinstance(case, str | Path):
        return read_case(case, settings)
    return make_case(case) if isinstance(case, Mapping) else case


def build_component(
    case: Case,
    clock: Clock,
    communicator: Communicator,
    *,
    check_halos: bool = False,
    plan: Plan | None = None,
    given: Mapping[str, Any] | None = None,
) -> Component:
    """The component of a case, with its grid and decomposition; `given` as its case `takes` it."""
    for name in given or {}:
        if name not in case.takes:
            takes = ", ".join(case.takes) or "none"
            raise UserError(
                f"A case of the component '{case.component}' takes no argument '{name}'."
                f"{nearest(name, case.takes)} It takes: {takes}."
            )
    component = case.build(clock, communicator, check_halos=check_halos, plan=plan, given=given)
    component.run.overlap = case.communication.overlap
    component.run.recompute_halos = case.communication.recompute
    return component


def _summary(case: Case, outcome: Outcome, component: Component) -> str:
    lines = [case.title] if case.title else []
    if outcome.stopped_by:
        lines.append(f"stopped by {outcome.stopped_by} at {text(outcome.time)}")
    lines.append(
        f"{outcome.steps} steps to {text(outcome.time)} in {time_words(outcome.seconds)}:"
        f" {speed_words(outcome.days_per_day)}"
    )
    state = component.summary()
    if state:
        lines.append(state)
    return "\n".join(lines)
