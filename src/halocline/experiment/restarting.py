"""When restart files are written, and how a run continues from one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from halocline.component.case.restart_options import RestartOptions
from halocline.component.component import Component
from halocline.core.clock import Alarm, Clock, Date, duration, text
from halocline.core.errors import UserError
from halocline.runtime.fields.field import Field
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.room import Need, size_words
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import (
    Facts,
    fields_in,
    find_restarts,
    on_first_rank,
    read_restart,
    restart_path,
    restart_stamp,
    restart_target,
)
from halocline.runtime.writing.writers import Writers


class Restarts:
    """Reads the restart that a run begins with and writes those that it leaves.

    `folder` is that of the results; `tell` gets a line wherever a damaged file is passed over.
    `member` is whose they are in a run of several, which remove their old ones together.
    """

    def __init__(
        self,
        options: RestartOptions,
        component: Component,
        clock: Clock,
        folder: Path | None = None,
        tell: Callable[[str], None] = print,
        member: str = "",
    ) -> None:
        self.options, self.component, self.clock = options, component, clock
        self.folder, self.tell, self.member = folder, tell, member
        self.alarm = (
            Alarm(clock.start, duration(options.interval)) if options.interval != "" else None
        )
        self.newest: Path | None = None
        self.source: Path | None = None
        self._more: list[Field] = []

    @property
    def fields(self) -> Sequence[Field]:
        """What the files hold: the state of the component, and what streams gather."""
        return [*self.component.restart_fields(), *self._more]

    def add(self, fields: Sequence[Field]) -> list[str]:
        """Put more fields into restarts; those in the file that was read are set from it.

        Returns the names of fields that it lacks.
        """
        self._more += fields
        if self.source is None or not fields:
            return []
        path, communicator = self.source, fields[0].decomposition.communicator
        there = on_first_rank(communicator, lambda: fields_in(path))
        known = [field for field in fields if field.name in there]
        if known:
            read_restart(path, known, self.facts(), self.clock.calendar)
        return [field.name for field in fields if field.name not in there]

    def facts(self) -> Facts:
        """What a restart shares with the run that reads it."""
        world = self.component.run.decomposition.world
        mask = hashlib.sha256(world.mask.tobytes()).hexdigest()[:16]
        return {
            "rows": world.mask.shape[0],
            "columns": world.mask.shape[1],
            "sea points": world.sea_points,
            "mask": mask,
            **self.component.facts(),
        }

    def read(self, *, resume: bool = False) -> bool:
        """Set fields and clock from a restart, and say whether there is one.

        A run that is resumed takes the newest good one that it left itself, or else that of the
        case. A damaged file is passed over for the one before it. A call for all ranks.
        """
        communicator = self.component.run.decomposition.communicator
        candidates = on_first_rank(communicator, lambda: self._candidates(resume))
        moments = [{self.member: path} for path in candidates]
        return read_together([self], moments, communicator, self.tell, resume=resume)

    def read_from(self, path: Path) -> str:
        """Set fields and clock from a file; what is damaged in it, if anything is."""
        try:
            time = read_restart(path, self.fields, self.facts(), self.clock.calendar)
        except DamagedFile as error:
            return str(error)
        self.clock.set(time)
        self.source = path
        return ""

    def _candidates(self, resume: bool) -> list[Path]:
        """On rank 0: the files to begin with, the best first."""
        if resume and self.folder is not None:
            own = [path for path in find_restarts(self.folder) if self._within(path)]
            if own:
                return own
        if not self.options.source:
            return []
        source = Path(self.options.source)
        if source.is_dir():
            found = find_restarts(source)
            if not found:
                raise UserError(f"There is no restart file (restart_*) in the folder '{source}'.")
        else:
            earlier = [path for path in find_restarts(source.parent) if path.name < source.name]
            found = [source, *(earlier if restart_stamp(source) else [])]
        return [found[0], *filter(self._within, found[1:])]

    def _within(self, path: Path) -> bool:
        """Whether the date in a file's name lies in this run."""
        first, last = (
            restart_path(path.parent, t).name for t in (self.clock.start, self.clock.end)
        )
        return first <= path.name <= last

    def move_aside(self) -> None:
        """On rank 0: no restarts but those that this run goes on from keep their names.

        What an earlier run left would else be taken for a restart of this one.
        """
        assert self.folder is not None
        ours = self.source is not None and self.source.parent.resolve() == self.folder.resolve()
        for path in find_restarts(self.folder, self.member):
            if ours and path.name <= self._path(self.folder).name:
                continue
            number = 1
            while (aside := path.with_suffix(f".{number}{path.suffix}")).exists():
                number += 1
            path.rename(aside)
        for part in self.folder.glob("restart_*.part"):
            if restart_stamp(part.with_suffix(""), self.member):
                part.unlink()

    def _path(self, folder: Path) -> Path:
        """The file of the clock's time."""
        return restart_path(folder, self.clock.time, self.member)

    def needs(self, more: Sequence[Field] = (), exchanged: int = 0) -> list[Need]:
        """The room for the restarts from now on, those of `more` fields: for all that stay.

        Fields of exchanges, which are made later, add so many bytes to each.

        One more is there while the next is written. Those that an unbroken run had left go for it.
        """
        path = restart_path(self.folder or Path(), self.clock.end, self.member)
        count, keep = self._planned(), self.options.keep
        if keep:
            there = len(find_restarts(path.parent, self.member)) if self.source is not None else 0
            count = min(count, max(1, keep + 1 + bool(self.member) - there))
        if not count:
            return []
        fields = [*self.component.restart_fields(), *more]
        each = restart_target(path, fields, self.clock.end, self.facts()).layout.size
        each += exchanged
        what = f"The restart needs {size_words(each)}"
        if count > 1:
            what = f"{count} restarts need {size_words(count * each)}"
        return [Need("restarts", what, path, count * each, each)]

    def _planned(self) -> int:
        """How many restarts are still to be written if the run reaches its end."""
        clock, at_end = self.clock, self.options.at_end and self.clock.time < self.clock.end
        if self.alarm is None:
            return int(at_end)
        count = self.alarm.count(clock.time + clock.step, clock.end)
        return count + int(at_end and not self.alarm.rings(clock.end))

    def due(self, moment: Date) -> bool:
        """Whether the schedule asks for a restart at a moment of the run."""
        return self.alarm is not None and self.alarm.rings(moment) and moment > self.clock.start

    def leave(self, writers: Writers, folder: Path) -> None:
        """Write a restart of the clock's time unless there is one; a call for all ranks."""
        if self._path(folder) not in (self.newest, self.source):
            self.write(writers, folder, self.clock.time)

    def write(self, writers: Writers, folder: Path, time: Date) -> None:
        """Write a restart, after which those that are too many go if there is no other member."""
        path = restart_path(folder, time, self.member)
        with self.component.run.recorder.time("restart", "output"):
            keep = 0 if self.member else self.options.keep
            target = restart_target(path, self.fields, time, self.facts(), keep)
            writers.restart(target, self.fields)
        self.newest = path

    def last_words(self) -> str:
        """Which restart a run that broke off left last."""
        if self.newest is not None:
            return f"Its last restart is '{self.newest.name}'."
        begun = f" It began with '{self.source.name}'." if self.source is not None else ""
        if self.folder is None:
            return f"It has left no restart, as it has no folder of results.{begun}"
        if self.alarm is None:
            return f"It has left no restart: ask for some with restart.interval.{begun}"
        passed = (self.clock.time - self.clock.start) // self.alarm.interval
        due = self.clock.start + (passed + 1) * self.alarm.interval
        return f"It has left no restart yet: the next one was due at {text(due)}.{begun}"


def read_together(
    restarts: Sequence[Restarts],
    candidates: Sequence[Mapping[str, Path]],
    council: Communicator,
    tell: Callable[[str], None],
    *,
    resume: bool = False,
) -> bool:
    """Begin all members at the newest moment whose files are all good; whether there is one.

    `restarts` are those of the members on this rank, `candidates` the files of all members by
    moment, the best first. A call for all ranks of the `council`.
    """
    damaged = ""
    for candidate in candidates:
        found = [words for some in restarts if (words := some.read_from(candidate[some.member]))]
        everyone = council.broadcast(council.gather("\n".join(found)))
        problems = list(dict.fromkeys(words for words in everyone if words))
        for words in problems:
            tell(words)
        if not problems:
            if damaged or resume:
                paths = " and ".join(f"'{path}'" for path in candidate.values())
                tell(f"Going on from {paths} ({text(max(some.clock.time for some in restarts))}).")
            return True
        damaged = damaged or problems[0]
    if damaged:
        raise UserError(
            f"No restart file that this run can begin with is good. {damaged} There is no"
            " earlier one between the start and the end of the run. Begin anew ('halocline"
            " run'), or name another file (restart.source)."
        )
    return False
