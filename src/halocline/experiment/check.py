"""What a run of a case would need, without running it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.component.streams.stream import OutputStream
from halocline.core.assumptions import taken
from halocline.core.clock import Clock, duration_text, text
from halocline.core.counting import amount
from halocline.experiment.building import build_component, build_streams
from halocline.experiment.exchange_room import bytes_of_exchanges
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.expectations import showing, to_start, work
from halocline.experiment.grid_pairs import refuse_unfit_nests
from halocline.experiment.idle_ranks import idle_words, useful_ranks
from halocline.experiment.imagined import Imagined
from halocline.experiment.itinerary import refuse_leaving
from halocline.experiment.members import Members, of_member
from halocline.experiment.moments import candidates
from halocline.experiment.progress import time_words
from halocline.experiment.restarting import Restarts
from halocline.experiment.seating import seats_of
from halocline.experiment.server_advice import planned_servers, refuse_wrong_layout
from halocline.experiment.start import cores, default_ranks
from halocline.experiment.too_many_ranks import field_bytes, option, why_too_many
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.files.room import Need, check_room, named_needs, size_words
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.ranks.roles import count_words
from halocline.runtime.ranks.seats import Seats
from halocline.runtime.running.referee import Referee
from halocline.runtime.running.runner import Plan
from halocline.runtime.writing.record_files import check_places, need_of
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions

patience = 30.0
"""How long records of input are looked through [s]."""


def report_members(members: Members, ranks: int | None, folder: Path) -> str:
    """What `report` says of each member, after the schedule and who is on which ranks."""
    if not members.several:
        return report(members.first.case, ranks, folder)
    seats = seats_of(members, ranks or max(members.least_ranks(), cores()))
    clocks = {name: member.clock for name, member in members.here.items()}
    source = members.first.case.restart.source
    interval = members.schedule().interval
    refuse_unfit_nests(members.exchanges(), members.members)
    refuse_leaving(members)
    begin = next(iter(candidates(None, source, clocks, interval, resume=False)), None)
    found: dict[str, Checked] = {}
    for name, member in members.here.items():
        with of_member(name):
            path = begin[name] if begin else None
            own = len(seats.crew_of(name).ranks)
            found[name] = look(
                member.running(), own, folder, member=name, begin=path,
                exchanges=members.exchanges(),
            )  # fmt: skip
    check_room([need for some in found.values() for need in some.needs])
    lines = [members.title, *members.turns(), *seats.describe().split("; "), ""]
    lines += _table(found, seats)
    fields = {name: some.fields for name, some in found.items()}
    if reason := why_too_many(fields, seats.size, 1, cores()):
        lines += ["", f"'halocline run' wants {option} for them: {reason}"]
    for name, some in found.items():
        lines += ["", f"[members.{name}]", some.words]
    return "\n".join(lines)


def _table(found: Mapping[str, Checked], seats: Seats) -> Iterator[str]:
    """A line for each member, and one for all of them together."""
    rows: list[tuple[str, ...]] = [
        ("member", "ranks", "steps", "fields", "output", "restarts", "run time")
    ]
    for name, some in found.items():
        ranks = len(seats.crew_of(name).ranks)
        rows.append((name, str(ranks), *_cells([some], some.steps, _seconds([some], ranks))))
    crews = [_seconds([found[n] for n in crew.members], len(crew.ranks)) for crew in seats.crews]
    seconds = to_start + max(*crews, _seconds([*found.values()], cores()))
    rows.append(("together", str(seats.computing), *_cells([*found.values()], 0, seconds)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])
    if seats.serving:
        yield f"and {count_words(seats.serving)}"


def _seconds(some: Sequence[Checked], ranks: int) -> float:
    """Expected time of members, one after the other, on so many ranks [s]."""
    return sum(one.work / ranks + one.showing for one in some)


def _cells(some: Sequence[Checked], steps: int, seconds: float) -> tuple[str, ...]:
    """Steps, memory of fields, room for output and restarts, and time, in words."""
    sizes = [
        sum(one.fields for one in some),
        sum(one.output for one in some),
        sum(need.size for one in some for need in one.restarts),
    ]
    return (str(steps or ""), *map(size_words, sizes), f"about {_time(seconds)}")


@dataclass(frozen=True)
class Checked:
    """What is known of a case: in words, memory of its fields on all ranks and room [byte], time.

    `needs` is all room, `restarts` that of them; `output` the bytes of all streams; `work` is on
    one core [s], `showing` what ranks do not share of it.
    """

    words: str
    steps: int
    fields: float
    output: int
    needs: Sequence[Need]
    restarts: Sequence[Need]
    work: float
    showing: float


def report(case: Case, ranks: int | None = None, folder: Path = Path("results")) -> str:
    """Grid, sea points, ranks, memory, output and time of a case, as lines; see `look`."""
    found = look(case, ranks, folder)
    check_room(found.needs)
    return found.words


def look(
    case: Case,
    ranks: int | None,
    folder: Path,
    *,
    member: str = "",
    begin: Path | None = None,
    exchanges: Sequence[ExchangePlan] = (),
) -> Checked:
    """What a run would need, but whether there is room for it.

    What a run reads is read, and what it makes before its first step is made, so that what would
    stop the run is found here; `folder` is where its results would go. A `member` of several begins
    from the restart `begin`; its restarts hold what it has of `exchanges`.
    """
    clock = case.time.clock()
    grid = case.build_grid()
    ranks = ranks or default_ranks(grid.sea_points, threads=1)
    there, ranks = ranks, useful_ranks(case, grid, ranks)
    communicator = Imagined(ranks)
    component = build_component(case, clock, communicator, plan=Plan())
    for plan in exchanges:
        if plan.kind == "fields" and plan.link.target == member:
            component.expect(plan.taken)
    restarts = Restarts(case.restart, component, clock, folder, lambda line: None, member)
    with closing(component):
        restarted = not restarts.read_from(begin) if begin else not member and restarts.read()
        component.start(clock.time, restarted)
        lines_of_input = list(_input(component))
    exchanged = bytes_of_exchanges(exchanges, member, case, component)
    room, needs, streams = _check_output(
        case, component, clock, communicator, folder, restarts, exchanged
    )
    Referee(
        component.run.exchange, case.communication, lambda line: None, watch=False,
        sums=component.sums,
    )  # fmt: skip
    lines: list[tuple[str, str]] = [
        ("case", case.title or case.component),
        ("grid", describe(case, grid)),
        ("time", f"{_period(clock)}, {clock.steps} steps of {duration_text(clock.step)}"),
    ]
    lines += component.describe()
    size = sum(_bytes(field) for field in fields_of([component, *streams]))
    lines += [
        ("ranks", f"{ranks} ({cores()} cores here)"),
        *(_too_many(case, grid, ranks) if not member else ()),
        *([("idle", idle_words(there, there - ranks))] if ranks < there else []),
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
    alone, shown = work(case, grid, clock), showing(case, clock)
    seconds = to_start + alone / min(ranks, cores()) + shown
    lines.append(("run time", f"about {_time(seconds)} on {amount(ranks, 'rank')} here"))
    lines += [("note", words) for words in (*case.lacking(restarted=restarted), *taken())]
    return Checked(
        words="\n".join(f"{name:<10}{value}" for name, value in lines),
        steps=clock.steps,
        fields=field_bytes(case, grid),
        output=sum(case.stream_bytes(grid, clock).values()),
        needs=named_needs([*room, *needs], member),
        restarts=needs,
        work=alone,
        showing=shown,
    )


def _time(seconds: float) -> str:
    return time_words(max(seconds, 1.0))


def _too_many(case: Case, grid: Grid, ranks: int) -> Iterator[tuple[str, str]]:
    """What a run would say to so many ranks."""
    if reason := why_too_many({"": field_bytes(case, grid)}, ranks, 1, cores()):
        yield "", f"'halocline run' wants {option} for them: {reason}"


def _cut_later(case: Case) -> str:
    """What a run would still decide."""
    if case.decomposition.tiles != "auto":
        return ""
    return "; decomposition.tiles = 'auto': the run measures others and may take one"


def describe(case: Case, grid: Grid) -> str:
    """The grid in one line."""
    nj, ni = grid.shape
    kind = "longitude-latitude" if grid.spherical else "Cartesian"
    kind = "curvilinear" if grid.curvilinear is not None else kind
    return f"{kind}, {ni} x {nj} cells, {case.holds(grid)}"


def _period(clock: Clock) -> str:
    return f"{text(clock.start)} to {text(clock.end)}"


def fields_of(owner: Any) -> Iterator[Field]:
    """All fields that a component holds, itself or in its parts, each once."""
    known: set[int] = set()
    waiting = [owner]
    while waiting:
        one = waiting.pop()
        if id(one) in known:
            continue
        known.add(id(one))
        if isinstance(one, Field):
            yield one
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
        elif type(one).__module__.startswith("halocline.") and hasattr(one, "__dict__"):
            waiting += vars(one).values()


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
    exchanged: int,
) -> tuple[Sequence[Need], Sequence[Need], Sequence[OutputStream]]:
    """See whether the output has its place, and open its files in a folder thrown away.

    Returns the room that streams and restarts need, and the streams.
    """
    streams = build_streams(case, component, clock, some, folder, resumed=False)
    gathered = [field for stream in streams for field in stream.restart_fields]
    needs = restarts.needs(gathered, exchanged)
    check_places([stream.plan for stream in streams], make_folders=False)
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
    return [need_of(stream.plan) for stream in streams], needs, streams


def _output(case: Case, grid: Grid, clock: Clock) -> Iterator[tuple[str, str]]:
    """Records and volume of each stream."""
    streams: dict[str, StreamOptions] = {
        name.partition(".")[2]: some for name, some in case.output.streams()
    }
    for name, size in case.stream_bytes(grid, clock).items():
        yield _stream(name, streams[name], size, clock)


def _stream(name: str, options: StreamOptions, size: int, clock: Clock) -> tuple[str, str]:
    return "output", f"{name}: {options.records_in_words(clock)}, {size / 1e6:,.1f} MB"
