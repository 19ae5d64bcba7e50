"""What a run of a case would need, without running it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.core.clock import Clock, duration_text, text
from halocline.experiment.building import build_component, build_streams
from halocline.experiment.expectations import work
from halocline.experiment.members import Members, of_member
from halocline.experiment.moments import candidates
from halocline.experiment.progress import time_words
from halocline.experiment.restarting import Restarts
from halocline.experiment.seating import seats_of
from halocline.experiment.server_advice import planned_servers, refuse_wrong_layout
from halocline.experiment.start import cores, default_ranks
from halocline.experiment.too_many_ranks import option, why_too_many
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.files.room import Need
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running.referee import Referee
from halocline.runtime.running.runner import Plan
from halocline.runtime.writing.record_files import check
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions

patience = 30.0
"""How long records of input are looked through [s]."""


class Imagined(Alone):
    """A communicator of any size, for looking at decompositions without ranks."""

    def __init__(self, size: int) -> None:
        self.size = size


def report_members(members: Members, ranks: int | None, folder: Path) -> str:
    """What `report` says of each member, after the schedule and who is on which ranks."""
    if not members.several:
        return report(members.first.case, ranks, folder)
    seats = seats_of(members, ranks or max(members.least_ranks(), cores()))
    clocks = {name: member.clock for name, member in members.members.items()}
    source = members.first.case.restart.source
    interval = members.schedule().interval
    begin = next(iter(candidates(None, source, clocks, interval, resume=False)), None)
    lines = [members.title, *members.schedule().lines(), *seats.describe().split("; ")]
    for name, member in members.members.items():
        with of_member(name):
            path = begin[name] if begin else None
            said = report(
                member.running(), len(seats.crew_of(name).ranks), folder, member=name, begin=path
            )
        lines += ["", f"[members.{name}]", said]
    return "\n".join(lines)


def report(
    case: Case,
    ranks: int | None = None,
    folder: Path = Path("results"),
    *,
    member: str = "",
    begin: Path | None = None,
) -> str:
    """Grid, sea points, ranks, memory, output and time of a case, as lines.

    What a run reads is read, and what it makes before its first step is made, so that what would
    stop the run is found here; `folder` is where its results would go. A `member` of several begins
    from the restart `begin`.
    """
    clock = case.time.clock()
    grid = case.build_grid()
    ranks = ranks or default_ranks(grid.sea_points, threads=1)
    communicator = Imagined(ranks)
    component = build_component(case, clock, communicator, plan=Plan())
    restarts = Restarts(case.restart, component, clock, folder, lambda line: None, member)
    restarted = not restarts.read_from(begin) if begin else not member and restarts.read()
    component.start(clock.time, restarted)
    lines_of_input = list(_input(component))
    component.close()
    needs = _check_output(case, component, clock, communicator, folder, restarts)
    Referee(
        component.run.exchange, case.communication, lambda line: None, watch=False,
        sums=component.sums,
    )  # fmt: skip
    lines: list[tuple[str, str]] = [
        ("case", case.title or case.component),
        ("grid", describe(grid)),
        ("time", f"{_period(clock)}, {clock.steps} steps of {duration_text(clock.step)}"),
    ]
    lines += component.describe()
    size = sum(_bytes(field) for field in fields_of(component))
    lines += [
        ("ranks", f"{ranks} ({cores()} cores here)"),
        *_too_many(case, grid, ranks),
        ("cut", component.run.decomposition.describe() + _cut_later(case)),
        ("memory", f"{size / 2**20:,.0f} MiB of fields on the first rank"),
    ]
    lines += lines_of_input
    lines += list(_output(case, grid, clock))
    lines += [("restarts", need.what) for need in needs]
    if not member:
        servers = planned_servers(case, grid, ranks, folder)
        refuse_wrong_layout(case, ranks, servers.count)
        lines.append(("servers", servers.line))
    seconds = work(case, grid, clock) / min(ranks, cores())
    lines.append(("run time", f"about {time_words(max(seconds, 1.0))} on {ranks} ranks here"))
    lines += [("note", words) for words in case.lacking(restarted=restarted)]
    return "\n".join(f"{name:<10}{value}" for name, value in lines)


def _too_many(case: Case, grid: Grid, ranks: int) -> Iterator[tuple[str, str]]:
    """What a run would say to so many ranks."""
    if reason := why_too_many(case, grid, ranks, 1, cores()):
        yield "", f"'halocline run' wants {option} for them: {reason}"


def _cut_later(case: Case) -> str:
    """What a run would still decide."""
    if case.decomposition.tiles != "auto":
        return ""
    return "; decomposition.tiles = 'auto': the run measures others and may take one"


def describe(grid: Grid) -> str:
    """The grid in one line."""
    nj, ni = grid.shape
    kind = "longitude-latitude" if grid.spherical else "Cartesian"
    deepest = float(grid.depth[grid.mask].max()) if grid.sea_points else 0.0
    return f"{kind}, {ni} x {nj} cells, {grid.sea_points} sea points, to {deepest:.0f} m depth"


def _period(clock: Clock) -> str:
    return f"{text(clock.start)} to {text(clock.end)}"


def fields_of(owner: Any, depth: int = 2) -> Iterator[Field]:
    """All fields that a component holds, itself or in its parts."""
    for value in vars(owner).values():
        if isinstance(value, Field):
            yield value
        elif (
            depth and type(value).__module__.startswith("halocline.") and hasattr(value, "__dict__")
        ):
            yield from fields_of(value, depth - 1)


def _is_part(value: Any) -> bool:
    return type(value).__module__.startswith("halocline.") and hasattr(value, "__dict__")


def _bytes(field: Field) -> int:
    return sum(array.nbytes for array in field.blocks)


def _input(component: Component) -> Iterator[tuple[str, str]]:
    """How much of the input was looked through."""
    done, total = component.look_through_input(time.monotonic() + patience)
    if total:
        rest = "" if done == total else f"; no more in {patience:.0f} s"
        yield "input", f"{done} of {total} records read{rest}"


def _check_output(
    case: Case,
    component: Component,
    clock: Clock,
    some: Imagined,
    folder: Path,
    restarts: Restarts,
) -> Sequence[Need]:
    """See whether the output has its place, and open its files in a folder thrown away.

    Returns what restarts need.
    """
    streams = build_streams(case, component, clock, some, folder, resumed=False)
    needs = restarts.needs([field for stream in streams for field in stream.restart_fields])
    check([stream.plan for stream in streams], needs, make_folders=False)
    writers = Writers(Alone(), WritingOptions(way="gathered"))
    with tempfile.TemporaryDirectory() as name:
        for stream in streams:
            # No rank is a server here.
            way = stream.plan.options.way.replace("servers", "gathered")
            options = replace(stream.plan.options, way=way)
            plan = replace(stream.plan, folder=Path(name), options=options, expected=0)
            writers.open(plan, plan.number_of(plan.begin))
            writers.finish(plan.name)
        writers.close()
    return needs


def _output(case: Case, grid: Grid, clock: Clock) -> Iterator[tuple[str, str]]:
    """Records and volume of each stream."""
    streams: dict[str, StreamOptions] = {
        name.partition(".")[2]: some for name, some in case.output.streams()
    }
    for name, size in case.stream_bytes(grid, clock).items():
        yield _stream(name, streams[name], size, clock)


def _stream(name: str, options: StreamOptions, size: int, clock: Clock) -> tuple[str, str]:
    return "output", f"{name}: {options.records_in_words(clock)}, {size / 1e6:,.1f} MB"
