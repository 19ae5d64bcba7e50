"""One member of a run on its ranks: its component, files and record, from beginning to end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.component.outside import ComputedOutside
from halocline.component.streams.field_stream import FieldStream
from halocline.component.streams.own_stream import OwnStream
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import text
from halocline.core.errors import BrokenState, UserError
from halocline.experiment.building import build_component, build_streams, shown_names
from halocline.experiment.exchange_record import ExchangeRecord
from halocline.experiment.exchange_report import exchange_facts, exchange_words
from halocline.experiment.exchange_room import bytes_of_exchanges
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.files_written import FilesWritten
from halocline.experiment.itinerary import Itinerary
from halocline.experiment.joint_recording import JointRecording
from halocline.experiment.members import Member, of_member, prefixed
from halocline.experiment.progress import speed_words, time_words
from halocline.experiment.restarting import Restarts
from halocline.experiment.resuming import never_refusing
from halocline.experiment.run_log import MemberLog, RunLog
from halocline.experiment.run_recording import RunRecording, threads_per_rank
from halocline.experiment.simulation import Outcome, Simulation
from halocline.experiment.writing import cost_lines
from halocline.runtime.fields.field import Field
from halocline.runtime.files.room import Need, named_needs
from halocline.runtime.files.striping import spread
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.referee import Referee, cache_folder
from halocline.runtime.writing.record_files import check_places, need_of
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.writers import Writers


@dataclass(frozen=True)
class Extras:
    """What a run is given besides its cases."""

    check_halos: bool = False
    resume: bool = False
    streams: Mapping[str, Sequence[OwnStream]] = field(default_factory=dict)  # by member
    given: Mapping[str, Any] = field(default_factory=dict)
    joined: Sequence[str] = ()  # by rank, the members whose programs these are; empty: ours


class MemberRun:
    """A member of a run on the ranks that compute for it; calls are for all of these.

    They come in this order: `begin_log`, reading `restarts`, `prepare`, `open`, `begin`, `advance`
    as often as wanted, `end`, `close`, `report`.
    """

    def __init__(
        self,
        member: Member,
        writers: Writers,
        folder: Path | None,
        extras: Extras,
        joint: JointRecording | None = None,
    ) -> None:
        self.name, self.given, self.extras = member.name, member, extras
        self.writers, self.folder = writers, folder
        self.communicator: Communicator = writers.communicator
        self.joint, self.lent, self.waited = joint, 0.0, 0.0
        recorded = joint.of_member(self.name) if joint else nullcontext()
        with of_member(self.name), recorded:
            self.case, self.cut = _automatic(member.running(), self.communicator)
            self.clock = self.case.time.clock()
            self.component: Component = build_component(
                self.case,
                self.clock,
                self.communicator,
                check_halos=extras.check_halos,
                given=extras.given,
            )
        world = joint.seats.crew_of(self.name).world_of(self.name) if joint else None
        self.recording = RunRecording(self.case, self.component, writers, world)
        self.restarts = Restarts(
            self.case.restart, self.component, self.clock, folder, self.tell, self.name
        )
        self.component.moves = Itinerary.of(member).moving
        self.looked_at = Itinerary.of(member).looked_at
        self.referee: Referee | None = None
        self.after_steps: list[Callable[[], None]] = []
        self.exchanges: Sequence[ExchangePlan] = ()  # all of the run
        self.recorded: Sequence[ExchangePlan] = ()  # those whose values it keeps on file
        self.log: MemberLog | None = None
        self.streams: Sequence[OutputStream] = ()
        self.restarted = False

    @property
    def leads(self) -> bool:
        """Whether this is the first rank of the member."""
        return self.communicator.rank == 0

    def begin_log(self, log: RunLog) -> None:
        """Tell the log of the run what this member is."""
        self.log = log.of_member(self.name, self.communicator)
        self.log.begin(
            self.case,
            ranks=self.communicator.size,
            threads=threads_per_rank(),
            decomposition=self.component.run.decomposition.describe(),
        )
        self.writers.tell = self.log.line
        self.log.line(self.writers.about)
        if self.cut:
            self.log.line(self.cut)

    def tell(self, line: str) -> None:
        """Say a line in the log and to who looks on."""
        if self.log is not None:
            self.log.line(line)
        if self.leads:
            whose = f"{self.name}: " if self.name else ""
            print(f"halocline: {whose}{line}", file=sys.stderr, flush=True)

    def prepare(self) -> None:
        """Make the output streams and see whether there is room for what they will write."""
        restarted = self.restarted
        if self.extras.resume and not restarted:
            self.case = never_refusing(self.case)
        with of_member(self.name):
            self.streams = build_streams(
                self.case,
                self.component,
                self.clock,
                self.communicator,
                self.folder,
                resumed=restarted,
                own=self._own_streams(),
                looked_at=self.looked_at,
            )
            if self.folder is not None:
                self.streams = [*self.streams, *self._records(self.folder)]
                plans = [stream.plan for stream in self.streams]
                on_first_rank(self.communicator, lambda: check_places(plans))

    def _records(self, folder: Path) -> list[ExchangeRecord]:
        """Streams of what others give it, where the case wants that on file."""
        facts = self.case.takes_from_others()
        return [
            ExchangeRecord(plan, self.component, self.clock, folder, facts, resumed=self.restarted)
            for plan in self.recorded
        ]

    def needs(self) -> list[Need]:
        """The room that it needs on disks; of one of several members with its name."""
        needs = [need_of(stream.plan) for stream in self.streams]
        exchanged = bytes_of_exchanges(self.exchanges, self.name, self.case, self.component)
        needs += self.restarts.needs(self._gathered(), exchanged)
        return named_needs(needs, self.name)

    def _own_streams(self) -> list[OwnStream]:
        """Streams of the user's own for this member.

        Of several members each has a copy, whose names of files begin with its own.
        """
        given = self.extras.streams.get(self.name, ())
        if not self.name:
            return list(given)
        copies = [copy(stream) for stream in given]
        for stream in copies:
            stream.options = prefixed(stream.options, self.name)
        return copies

    def open(self) -> None:
        """Open the files of all streams; what an earlier run left gets out of the way."""
        if self.folder is None:
            return
        files = FilesWritten(self.folder, self.name)
        if self.leads:
            self.writers.began = files.add

        def leave_names() -> None:
            self.restarts.move_aside()
            first = [(stream.plan.name, stream.path) for stream in self.streams]
            files.begin(first, goes_on=self.extras.resume and self.restarted)

        folder, wanted = self.folder, self.case.output.writing
        with of_member(self.name):
            words = on_first_rank(
                self.communicator, lambda: spread(folder, wanted.stripe_count, wanted.stripe_size)
            )
            if words:
                self.tell(words)
            for stream in self.streams:
                stream.open(self.writers)
            on_first_rank(self.communicator, leave_names)

    def begin(self) -> None:
        """Get ready for the first step."""
        missing = self.restarts.add(self._gathered())
        if missing and self.log is not None:
            self.log.line(f"not in the restart, begun anew: {', '.join(missing)}")
        clock, component = self.clock, self.component
        self.referee = referee = Referee(
            component.run.exchange,
            self.case.communication,
            tell=self.log.line if self.log is not None else lambda line: None,
            folder=cache_folder(),
            steps=clock.steps - clock.step_number,
            watch=not self.extras.check_halos,
            sums=component.sums,
        )

        def after_step() -> None:
            for each in self.after_steps:
                each()
            recorder = self.component.run.recorder
            with recorder.time("choice of exchanges"):
                referee.after_step(recorder.seconds("step"))

        self.simulation = Simulation(
            component, clock, self.streams, restarted=self.restarted, after_step=after_step
        )
        with of_member(self.name):
            self.simulation.begin()
        for remark in component.remarks:
            self.tell(remark)

    def advance(self, steps: int) -> Iterator[ComputedOutside]:
        """Some steps, or fewer where the member ends before; a pause in each computed outside."""
        with of_member(self.name):
            try:
                yield from self.simulation.advance(steps)
            except BrokenState as error:
                raise UserError(f"{error} {self.restarts.last_words()}") from None

    def rebuild(self, case: Case) -> Component:
        """Make the component anew on the grid of a case, which lies elsewhere; the former one."""
        former = self.component
        with of_member(self.name), former.run.recorder.goes_on():
            self.case = replace(self.case, grid=case.grid)
            self.component = build_component(
                self.case, self.clock, self.communicator, check_halos=self.extras.check_halos
            )
        self.component.moves = True
        if self.streams:
            self.component.show_only(shown_names(self.case, self.streams, self.looked_at))
        for stream in self.streams:
            if isinstance(stream, FieldStream):
                stream.move(self.component.plane)
        self.restarts.component = self.recording.component = self.component
        if self.referee is not None:
            exchange = self.component.run.exchange
            exchange.chosen.update(former.run.exchange.chosen)
            self.referee.goes_on(exchange, self.component.sums)
            self.simulation.component = self.component
        return former

    def close_component(self) -> None:
        """Close the files that the component reads."""
        self.component.close()

    def leave_restart(self) -> None:
        """Write a restart of this moment."""
        if self.folder is not None:
            self.restarts.leave(self.writers, self.folder)

    def end(self, stopped_by: str) -> None:
        """Close the output streams."""
        self.outcome: Outcome = self.simulation.end(stopped_by)

    def close(self) -> None:
        """Wait until all is written."""
        if self.folder is not None:
            self.writers.close()

    def report(self) -> str:
        """How it went, for people; the record, and the end of the log."""
        component, outcome = self.component, self.outcome
        notes = self.case.lacking(
            restarted=self.restarted,
            watched=self.folder is None or bool(self.extras.streams.get(self.name)),
            given=(*self.extras.given, *self.component.expected),
        )
        words = [_summary(self.case, outcome, component), *notes, *self._without_work()]
        words += exchange_words(component.run.recorder, self.communicator, outcome.seconds)
        words += cost_lines(self.writers, outcome)
        table = component.run.recorder.table(self.communicator)
        truth = component.run.truth.report() if component.run.truth else ""
        if self.folder is not None and self.case.record.write and self.joint is None:
            words.append(self.recording.leave(self.folder, outcome, self.restarts.fields))
        said = "\n".join(filter(None, words))
        if self.log is not None:
            self.log.section("time by phase", table or "")
            if truth:
                self.log.section("halos", truth)
            self.log.section("summary", said)
        return "\n".join(filter(None, [said, truth]))

    def facts(self) -> dict[str, Any]:
        """What is known of it for the record of all members. A call for all its ranks."""
        exchanged = exchange_facts(self.component.run.recorder, self.communicator)
        return {
            **self.recording.facts(self.outcome, self.restarts.fields),
            "exchanges": exchanged,
        }

    def _without_work(self) -> list[str]:
        """Of one of several: how long its ranks computed for others, and waited for others."""
        whole = max(self.outcome.seconds, 1e-9)
        spent = {"computed": self.lent, "waited": self.waited}
        if self.joint is None or len(self.joint.seats.crews) == 1:
            del spent["waited"]
        return [
            f"its ranks {verb} {time_words(some)} of {time_words(whole)} for other members"
            f" ({some / whole:.0%})"
            for verb, some in spent.items()
            if some >= 0.005 * whole
        ]

    def _gathered(self) -> list[Field]:
        """What streams gather between records, which restarts hold too."""
        return [field for stream in self.streams for field in stream.restart_fields]


def _automatic(case: Case, communicator: Communicator) -> tuple[Case, str]:
    """The case with its cut decided, and the reason for the log."""
    if case.decomposition.tiles != "auto":
        return case, ""
    from halocline.experiment.advice import automatic

    return automatic(case, communicator)


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
