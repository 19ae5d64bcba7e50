"""All output of a run: which way each goes, and what it costs the model.

Calls are for all ranks of the model. Where something cannot be written a call goes on, and
`failure` says so: a run looks at it after every step, so that all ranks end alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halocline.core.clock import Date
from halocline.core.errors import UserError
from halocline.runtime.fields.field import Field
from halocline.runtime.files.classic_files import checksum_name
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.roles import Roles
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.writing.direct_writing import Direct, Job
from halocline.runtime.writing.frames import Frame, Table
from halocline.runtime.writing.library_parts import LibraryParts
from halocline.runtime.writing.mail import Mail
from halocline.runtime.writing.own_parts import OwnParts, Striped
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.record_files import FilePlan, RecordFiles, check
from halocline.runtime.writing.restart import (
    Facts,
    RestartTarget,
    on_first_rank,
    restart_frame,
    restart_target,
)
from halocline.runtime.writing.served_writing import Served
from halocline.runtime.writing.sources import Columns, TableSource
from halocline.runtime.writing.targets import RecordTarget, Target
from halocline.runtime.writing.writing_choice import WritingChoice
from halocline.runtime.writing.writing_options import WritingOptions

Way = Direct | OwnParts | Striped | Served
behind = ("buffered", "separate", "servers")
"""Ways whose calls return before everything is on the disk."""

restarts = "restart"
"""The name of restarts among the outputs."""


@dataclass
class Cost:
    """What an output has cost so far on this rank, and what it has written."""

    frames: int = 0
    bytes: int = 0
    lost: float = 0.0  # wall time in calls [s]
    writing: float = 0.0  # from the order to the disk, where that is known [s]
    way: str = ""


@dataclass
class _Output:
    """One stream, or the restarts."""

    name: str
    order: int
    way: str
    group: int
    files: RecordFiles | None = None
    number: int = 0
    records: int = 0
    frame: tuple[tuple[Any, ...], Frame] | None = None
    choice: WritingChoice | None = None
    cost: Cost = field(default_factory=Cost)

    def written(self, seconds: float) -> None:
        """Count the time that a frame took until it was complete."""
        self.cost.writing += seconds


class Writers:
    """Writes the records of streams and the restarts of a run.

    `communicator` are the ranks of the model, `world` those and the servers, whose roles are
    `roles`; `tell` gets a line for the log.
    """

    def __init__(
        self,
        communicator: Communicator,
        options: WritingOptions | None = None,
        *,
        world: Communicator | None = None,
        roles: Roles | None = None,
        round_robin: bool = False,
        restart_way: str = "",
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.communicator, self.options = communicator, options or WritingOptions()
        self.tell = tell
        self._mail = Mail(communicator)
        self._pen = Pen(self.options.buffers)
        self._outputs: dict[str, _Output] = {}
        self._ways: dict[str, Way] = {}
        self._served: Served | None = None
        self.began: Callable[[str, Path], None] | None = None  # told by rank 0 of further files
        self.about = ""  # who writes, and why, for the log
        if roles is not None and roles.servers:
            assert world is not None
            mail = Mail(world)
            self._served = Served(communicator, mail, roles, self.options, round_robin)
            self._ways["servers"] = self._served
        self._columns = Columns()
        self._add(restarts, restart_way, -1)

    def record_in(self, recorder: Recorder) -> None:
        """Put on record what writing takes, besides calls that the model times itself."""
        self._pen.recorder = recorder
        if self._served is not None:
            self._served.recorder = recorder

    @property
    def world_ranks(self) -> tuple[int, ...]:
        """Numbers of the model's ranks among all ranks of the run."""
        if self._served is not None:
            return self._served.roles.model
        return tuple(range(self.communicator.size))

    @property
    def server_parts(self) -> list[bytes]:
        """What servers bring to the record of the run, on rank 0, after `close`."""
        return self._served.parts if self._served is not None else []

    def costs(self) -> dict[str, Cost]:
        """What each output has cost this rank, by name."""
        if self._served is not None:
            while self._served.written:
                name, seconds = self._served.written.popleft()
                self._outputs[name].cost.writing += seconds
        return {name: output.cost for name, output in self._outputs.items()}

    def open(self, plan: FilePlan, number: int) -> None:
        """Open file `number` of a stream; what is wrong with it is told to all ranks."""
        output = self._add(plan.name, plan.options.way, plan.options.group)
        output.files, output.number = RecordFiles(plan), number
        files = output.files

        def begin() -> int:
            check([plan])
            return files.open(number)

        output.records = on_first_rank(self.communicator, begin)
        self._give(output)

    def record(self, name: str, number: int, sources: Mapping[str, TableSource]) -> None:
        """Add a record to file `number` of a stream; the sources are all variables that grow."""
        begin = time.perf_counter()
        output = self._outputs[name]
        assert output.files is not None
        begins = number != output.number
        if begins:
            output.number, output.records = number, 0
            self._tell_of(name, output.files.plan.final_path(number))
        frame = self._record_frame(output, sources)
        target = RecordTarget(output.files, number, output.records)
        held = [sources[table.name].held for table in frame.tables]
        self._write(output, target, frame, held, begins)
        output.records += 1
        self._lost(output, begin)

    def restart(self, target: RestartTarget, fields: Sequence[Field]) -> None:
        """Write a restart; it is there when it is complete, which may be later."""
        begin = time.perf_counter()
        output = self._outputs[restarts]
        self._tell_of(restarts, target.path)
        sources = {field.name: self._columns.source(field) for field in fields}
        key = (_key(sources), target.layout.size)
        if output.frame is None or output.frame[0] != key:
            output.frame = key, restart_frame(target.layout, sources)
        if isinstance(self._way(output), Served):
            self._pen.drain()  # what this rank wrote counts before its part arrives
        else:
            self.settle()
        held = [source.held for source in sources.values()]
        self._write(output, target, output.frame[1], held, True)
        self._lost(output, begin)

    def _tell_of(self, name: str, path: Path) -> None:
        """Say on rank 0 that a file is begun."""
        if (began := self.began) is not None:
            self._pen.do(lambda: began(name, path))

    def finish(self, name: str) -> None:
        """Finish the file of a stream, after all that was written before."""
        begin = time.perf_counter()
        output = self._outputs[name]
        way = self._way(output)
        if isinstance(way, LibraryParts):
            way.leave(output.name)
        if isinstance(way, Served):
            way.leave(output.name, output.order, output.group, finish=True)
        elif way.clerk(output.order) == self.communicator.rank:
            assert output.files is not None
            self._pen.do(output.files.finish)
        if output.way not in behind:
            self._pen.drain()
        output.cost.lost += time.perf_counter() - begin

    def settle(self) -> None:
        """Wait until all that was written is complete on the disk."""
        self._pen.drain()
        if self._served is not None:
            self._served.wait()
        self.communicator.broadcast(self.communicator.gather(None))

    def close(self) -> None:
        """Wait until all is written; what could not be is said to all ranks."""
        self._pen.drain()
        self._pen.close()
        if self._served is not None:
            self._served.stop()
        self.raise_failure()

    def free(self) -> None:
        """Give back what is used no more, after `close`; a call for all ranks."""
        self._pen.close()
        if self._served is not None:
            self._served.free()
        self._mail.free()

    def abandon(self, because: str) -> None:
        """End without waiting, since the model has failed."""
        self._pen.close()
        if self._served is not None:
            self._served.abandon(because)

    @property
    def failed(self) -> bool:
        """Whether this rank knows of something that could not be written."""
        if self._served is not None:
            self._served.progress()
            self._served.look()
        return bool(self.failure)

    def raise_failure(self) -> None:
        """Say what could not be written, if anything, on all ranks; a call for all ranks."""
        everyone = self.communicator.broadcast(self.communicator.gather(self.failure))
        failures = [words for words in everyone if words]
        if failures:
            raise UserError(failures[0])

    @property
    def failure(self) -> str:
        """What this rank knows that could not be written."""
        failure = self._pen.failure
        if failure is not None and not isinstance(failure, UserError):
            raise failure
        return str(failure or (self._served.failure if self._served is not None else ""))

    def _add(self, name: str, way: str, group: int) -> _Output:
        output = _Output(name, len(self._outputs), way or self.options.way, group)
        if output.way == "auto":
            output.choice = self._choice(name)
            output.way = output.choice.way
        output.cost.way = output.way
        self._outputs[name] = output
        return output

    def _choice(self, name: str) -> WritingChoice:
        """What there is to choose from for an output, the likely best first."""
        candidates = ["servers"] if self._served is not None else []
        candidates += ["buffered"]
        if self.communicator.size > 1:
            candidates += ["shared"] if name == restarts else ["separate", "shared"]
        return WritingChoice(
            name, candidates, self.options.budget, self.communicator, lambda line: self.tell(line)
        )

    def _lost(self, output: _Output, begin: float) -> None:
        """Count the time of a call, and go another way from now on if that is better."""
        lost = time.perf_counter() - begin
        output.cost.lost += lost
        choice = output.choice
        if choice is None or choice.settled:
            return
        others = sum(other.choice is not None for other in self._outputs.values())
        choice.budget = self.options.budget / max(1, others)
        choice.judge(lost)
        if choice.way != output.way:
            self._fetch(output)
            output.way = output.cost.way = choice.way
            self._give(output)

    def _way(self, output: _Output) -> Way:
        name = output.way
        if name not in self._ways:
            self._ways[name] = self._make_way(name)
        return self._ways[name]

    def _make_way(self, name: str) -> Way:
        if name == "servers":
            raise UserError(
                "way = 'servers', but the run has no output servers. Set output.servers.count to 1"
                " or more, or choose another way."
            )
        place = self.communicator, self._mail, self._pen
        if name == "parts":
            return OwnParts(*place)
        if name.startswith(("mpiio", "pnetcdf")):
            return LibraryParts(name, *place)
        if name == "striped":
            return Striped(self._mail, self._pen)
        return Direct(name, *place, self.options)

    def _give(self, output: _Output) -> None:
        """Give the file of a stream, which rank 0 has open, to whoever writes it."""
        files, way = output.files, self._way(output)
        if files is None:
            return
        if isinstance(way, Served):
            files.hand_over()
            target = RecordTarget(files, output.number, output.records)
            way.take(output.name, target, output.order, output.group)
            return
        clerk = way.clerk(output.order)
        if clerk != 0:
            files.hand_over()
            self.communicator.broadcast(None)
            if clerk == self.communicator.rank:
                files.go_on(output.number)

    def _fetch(self, output: _Output) -> None:
        """Bring the file of a stream, all of it written, back to rank 0."""
        files, way = output.files, self._way(output)
        self._pen.drain()
        if isinstance(way, Served):
            way.wait()
        if files is None:
            return
        if isinstance(way, Served):
            way.leave(output.name, output.order, output.group, finish=False)
            files.number = -1
        elif way.clerk(output.order) == 0:
            return
        else:
            files.hand_over()
        self.communicator.broadcast(self.communicator.gather(None))
        if self.communicator.rank == 0:
            files.go_on(output.number)

    def _write(
        self,
        output: _Output,
        target: Target,
        frame: Frame,
        held: Sequence[Any],
        begins: bool,
    ) -> None:
        job = Job(
            output.name, output.order, target, frame, held, begins, output.group, output.written
        )
        self._way(output).write(job)
        output.cost.frames += 1
        output.cost.bytes += frame.size

    def _record_frame(self, output: _Output, sources: Mapping[str, TableSource]) -> Frame:
        """The frame of a record; the same object as long as the ranks share its tables alike."""
        key = _key(sources)
        if output.frame is None or output.frame[0] != key:
            assert output.files is not None
            header = output.files.plan.header
            growing = header.growing
            growing.pop(checksum_name)
            assert set(sources) == set(growing), "a record has all variables"
            tables = tuple(
                Table(
                    name, place.offset - header.record_start, sources[name].rows,
                    sources[name].sharing, sources[name].dtype, place.dtype, sources[name].fill,
                )
                for name, place in growing.items()
            )  # fmt: skip
            for table, place in zip(tables, growing.values(), strict=True):
                assert table.end - table.offset <= place.size, f"{table.name} is too large"
            size = header.record_size
            output.frame = key, Frame(tables, size, (size,), header.checksum_at)
        return output.frame[1]


def _key(sources: Mapping[str, TableSource]) -> tuple[Any, ...]:
    """Equal for two frames of one output where the ranks share its tables alike."""
    return tuple((name, id(s.sharing), s.dtype, s.rows) for name, s in sources.items())


def write_restart(
    path: Path, fields: Sequence[Field], time: Date, facts: Facts, way: str = "shared"
) -> None:
    """Write the fields at `time` and wait until the file is complete; a call for all ranks."""
    with writing_once(fields[0].decomposition.communicator, way) as writers:
        writers.restart(restart_target(path, fields, time, facts), fields)


@contextmanager
def writing_once(communicator: Communicator, way: str = "buffered") -> Iterator[Writers]:
    """Writers for a single use; all is complete at the end."""
    writers = Writers(communicator, WritingOptions(way=way))
    yield writers
    writers.close()
    writers.free()
