"""The members of a run together: who steps when, and what they do at the same moment.

Between two moments at which all members meet (the intervals of the schedule) those side by side
know nothing of each other; a case of one component is a run of one member that meets itself after
every step.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from halocline.component.outside import ComputedOutside
from halocline.core.assumptions import taken
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.experiment.exchanges import Exchanges
from halocline.experiment.joint_recording import JointRecording
from halocline.experiment.member_run import Extras, MemberRun
from halocline.experiment.members import Members, of_member
from halocline.experiment.moments import candidates, remove_old
from halocline.experiment.plan import exchange_lines
from halocline.experiment.restarting import read_together
from halocline.experiment.resuming import leave_end, taking_over
from halocline.experiment.run_log import RunLog
from halocline.experiment.schedule import Giving, in_turn
from halocline.experiment.seating import Team
from halocline.experiment.sites import TwoSites
from halocline.experiment.travel import Travel
from halocline.runtime.files.room import check_room
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.seats import Seats
from halocline.runtime.writing.restart import on_first_rank


class JointRun:
    """All members of a run, as a rank sees them that computes for those `here`."""

    def __init__(
        self,
        members: Members,
        team: Team,
        here: Sequence[MemberRun],
        folder: Path | None,
        extras: Extras,
        recording: JointRecording | None = None,
    ) -> None:
        self.members, self.council, self.here = members, team.council, here
        self.recording = recording
        self.folder, self.extras = folder, extras
        self.clocks = {name: member.clock for name, member in members.members.items()}
        self.schedule = members.schedule()
        self.intervals = 0  # of the schedule, from the start of the run
        self.exchanges: Exchanges | None = None
        self.log = self._begin_log(team.seats)
        self.travel = Travel(members, here, self.council, self.tell)
        self.sites = TwoSites(members, here, self.council) if members.site else None

    @property
    def clock(self) -> Clock:
        """The clock of the first member, at its start."""
        return self.clocks[self.members.first.name]

    @property
    def end(self) -> Date:
        """When the last member ends."""
        return max(clock.end for clock in self.clocks.values())

    @property
    def moment(self) -> Date:
        """The model time at which all members are, but those that have ended."""
        return min(self.clock.start + self.intervals * self.schedule.interval, self.end)

    def tell(self, line: str) -> None:
        """Say a line in the log and to who looks on."""
        if self.log is not None:
            self.log.line(line)
        if self.council.rank == 0:
            print(f"halocline: {line}", file=sys.stderr, flush=True)

    def _expect(self) -> None:
        """Tell the members here what others will give them: a restart holds more for it."""
        for plan in self.members.exchanges() if self.members.several else []:
            for some in self.here:
                if plan.kind == "fields" and plan.link.target == some.name:
                    some.component.expect(plan.taken)

    def read_restart(self) -> None:
        """Set all members to the newest good restart that there is, if it is to go on from one."""
        self._expect()
        resume = self.extras.resume
        if self.members.several:
            options = self.members.first.case.restart

            def find() -> Sequence[dict[str, Path]]:
                interval, clocks = self.schedule.interval, self._own_clocks
                return candidates(self.folder, options.source, clocks, interval, resume=resume)

            found = on_first_rank(self.council, find)
            if self.sites is not None:
                found = self.sites.common(found)
                self.tell(self.sites.words())
            restarts = [some.restarts for some in self.here]
            self.restarted = read_together(restarts, found, self.council, self.tell, resume=resume)
        else:
            self.restarted = self.here[0].restarts.read(resume=resume)
        self.intervals = self._passed()
        self.travel.restore(restarted=self.restarted)
        if resume and not self.restarted:
            self.tell("There is no restart file in the folder yet: the run begins anew.")

    def open_files(self) -> None:
        """Make the folder that of this run, with the files of all members."""
        for some in self.here:
            some.restarted = self.restarted
            if self.members.several:
                some.exchanges = self.members.exchanges()
                some.recorded = self.members.recorded(some.name)
        _agreed(self.council, [some.prepare for some in self.here])
        if self.folder is not None:
            own = [need for some in self.here if some.leads for need in some.needs()]
            needs = [need for some in self.council.gather(own) or [] for need in some]
            on_first_rank(self.council, lambda: check_room(needs))
        taken = None if self.extras.resume else self.members
        with taking_over(self.folder, taken, self.council):
            _agreed(self.council, [some.open for some in self.here])

    def programs(self) -> Iterator[ComputedOutside]:
        """A pause for each member here that is computed outside, before it is got ready."""
        for some in self.here:
            if isinstance(some.component, ComputedOutside):
                some.component.restarted = self.restarted
                with of_member(some.name):
                    yield some.component

    def begin(self) -> None:
        """Get all members ready for their first steps."""
        plans = self.members.exchanges() if self.members.several else []
        for some in self.here:
            with self._busy(some):
                some.begin()
        for words in dict.fromkeys(chain(*(self.council.gather(taken()) or []))):
            self.tell(words)
        self.times = dict.fromkeys(self.clocks, self.moment)
        if plans:
            assert self.recording is not None, "several members have one record"
            self.exchanges = Exchanges(
                plans, self.travel.placed, self.here, self.council, self.recording.recorder,
                self.sites,
            )  # fmt: skip
            for words in self.exchanges.remarks:
                self.tell(words)
            self.exchanges.begin(self.moment, restarted=self.restarted)
        if not self.restarted:
            self._show_starts()
            self.travel.meet(self.moment, self.exchanges)

    def _show_starts(self) -> None:
        """Write what is due before the first step, with what members have of each other then."""
        asleep = self.travel.asleep(self.moment)
        for some in self.here:
            if some.name not in asleep:
                with self._busy(some), of_member(some.name):
                    some.simulation.show()

    def settle(self) -> None:
        """Wait for what members give each other and is on its way."""
        if self.exchanges is not None:
            self.exchanges.settle()

    def meet(self) -> None:
        """At the end of an interval, all members: what they agree on for those to come."""
        for words in self.exchanges.choose_paths() if self.exchanges is not None else []:
            self.tell(words)

    def agree(self, stopped_by: str) -> str:
        """Why to stop now, also where the other site asked for it: a call for all ranks."""
        return stopped_by if self.sites is None else self.sites.agree(stopped_by)

    def leave(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Leave the other site, and tell it of a failure."""
        if self.sites is not None:
            self.sites.leave("" if error is None else str(error) or type(error).__name__)

    @property
    def _own_clocks(self) -> dict[str, Clock]:
        """Those of members at this site."""
        return {name: clock for name, clock in self.clocks.items() if name in self.members.here}

    @contextmanager
    def interval(self) -> Iterator[None]:
        """Put an interval of the schedule on record; that of one member is its step."""
        with self.recording.recorder.step() if self.recording else nullcontext():
            yield

    def advance(self) -> Iterator[ComputedOutside]:
        """One interval of the schedule, by those of its entries that are for members here.

        It pauses in each step of one that is computed outside, and goes on when that is done.
        """
        mine = {some.name: some for some in self.here}
        asleep = self.travel.asleep(self.moment)
        for turn in in_turn(self.schedule.entries):
            if isinstance(turn, Giving):
                assert self.exchanges is not None, "who gives has exchanges"
                if asleep.isdisjoint((turn.source, turn.target)):
                    self.exchanges.give(turn.exchange, self.times[turn.source])
                continue
            self.times[turn.member] += turn.steps * turn.step
            if turn.member in asleep:
                if turn.member in mine:
                    mine[turn.member].simulation.sleep(turn.steps)
            elif turn.member in mine:
                with self._busy(mine[turn.member]):
                    yield from mine[turn.member].advance(turn.steps)
        self.intervals += 1
        self.travel.meet(self.moment, self.exchanges)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Put on record that members wait for each other."""
        begun = time.perf_counter()
        with self.recording.waiting() if self.recording else nullcontext():
            yield
        for some in self.here:
            some.waited += time.perf_counter() - begun

    @contextmanager
    def _busy(self, member: MemberRun) -> Iterator[None]:
        """Count for the other members here that their ranks compute for this one."""
        begun = time.perf_counter()
        yield
        for some in self.here:
            if some is not member:
                some.lent += time.perf_counter() - begun

    def leave_restarts_where_due(self) -> None:
        """Write a restart of all members where the options ask for one of this moment."""
        if self.folder is not None and self.here[0].restarts.due(self.moment):
            self._leave_restarts(self.folder)

    def finish(self, stopped_by: str) -> None:
        """Leave the last restart, close all files, and mark the end of a run that reached it."""
        self.settle()
        if self.sites is not None:
            self.sites.part()
        for some in self.here:
            some.end(stopped_by)
        if self.folder is None:
            return
        folder, moment = self.folder, self.moment
        if stopped_by or self.members.first.case.restart.at_end:
            self._leave_restarts(folder)
        for some in self.here:
            some.close()
        if self.members.several:
            self.council.gather(None)
            self._remove_old(folder)
        if not stopped_by:
            on_first_rank(self.council, lambda: leave_end(folder, moment))

    def report(self) -> str:
        """How the run went, member by member; the same words on all ranks."""
        said = [(some.name, some.report()) for some in self.here]
        if not self.members.several:
            return said[0][1]
        record = self._leave_record()
        spoken = [words for words, some in zip(said, self.here, strict=True) if some.leads]
        everyone = self.council.broadcast(self.council.gather(spoken))
        found = dict(pair for pairs in everyone for pair in pairs)
        if self.log is not None:
            self.log.deliver(self.council)
        lines = [self.members.title] if self.members.title else []
        lines += [
            f"{name}: {line}" for name in self.members.here for line in found[name].splitlines()
        ]
        if self.sites is not None:
            lines.append(self.sites.report())
        return "\n".join([*lines, *filter(None, [record])])

    def _leave_record(self) -> str:
        """Write the record of all members, where one of them wants it; a line on it, on rank 0."""
        wanted = any(member.case.record.write for member in self.members.members.values())
        if self.recording is None or self.folder is None or not wanted:
            return ""
        known = [(some, some.facts()) for some in self.here]
        led = {some.name: facts for some, facts in known if some.leads}
        servers = {some.name: some.writers.server_parts for some in self.here if some.leads}
        some = self.here[0]
        rank = some.recording.ranks[some.communicator.rank]
        site = self.sites.clock_facts() if self.sites is not None else None
        return self.recording.leave(self.folder, rank, led, servers, site)

    def _begin_log(self, seats: Seats | None) -> RunLog | None:
        if self.folder is None:
            return None
        several = self.members.several
        leads = any(some.leads for some in self.here)
        path, append = self.folder / "halocline.log", self.extras.resume
        log = RunLog.of_ranks(path, self.council, append=append, keep=several and leads)
        log.begin()
        if seats is not None and self.council.rank == 0:
            told = [*self.members.turns(), *exchange_lines(self.members.exchanges())]
            log.section("members", [*seats.describe().split("; "), *told])
        for some in self.here:
            some.begin_log(log)
        return log

    def _passed(self) -> int:
        """Intervals of the schedule from the start of the run to where its members are."""
        interval = self.schedule.interval
        own = max(-((some.clock.start - some.clock.time) // interval) for some in self.here)
        return int(self.council.maximum(np.array([float(own)]))[0])

    def _leave_restarts(self, folder: Path) -> None:
        self.settle()
        self._remove_old(folder)
        for some in self.here:
            some.leave_restart()

    def _remove_old(self, folder: Path) -> None:
        """Of several members: restarts that are too many go where all members' are complete."""
        if self.members.several and self.council.rank == 0:
            keep = self.members.first.case.restart.keep
            remove_old(folder, self._own_clocks, self.schedule.interval, keep)


def _agreed(council: Communicator, actions: Sequence[Callable[[], None]]) -> None:
    """Do something for the members here; what one of them refuses, all ranks refuse.

    For what all ranks of a member refuse alike.
    """
    failure: tuple[type[UserError], str] | None = None
    try:
        for action in actions:
            action()
    except UserError as error:
        failure = type(error), str(error)
    everyone = council.broadcast(council.gather(failure))
    found = next((some for some in everyone if some is not None), None)
    if found is not None:
        kind, words = found
        raise kind(words)
