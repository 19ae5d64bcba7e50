"""When nests begin and where they lie, as a case says it: options, and what is refused of them.

    [members.storm]
    nested_in = "around"
    begins = "1h"
    moves = ["2h east 1", "3h east 1 north 2"]

A nest that begins late or moves takes what it lacks from the member around it (`travel.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from halocline.component.case.case import Case
from halocline.component.streams.field_stream import FieldStreamOptions, MapShape
from halocline.core.clock import duration, duration_text, text
from halocline.core.errors import UserError, nearest
from halocline.experiment.member_options import FollowOptions
from halocline.grids.remapping.nests import Nest

if TYPE_CHECKING:
    from halocline.experiment.members import Member, Members

none = timedelta(0)


@dataclass(frozen=True)
class Move:
    """By how many cells of the member around it a nest moves, so long after the run's start."""

    after: timedelta
    rows: int
    columns: int

    def text(self) -> str:
        """How the table of a member has it.

        >>> Move.read("90min north 2 west 1").text()
        '1h 30min north 2 west 1'
        """
        ways = ("north", "south", self.rows), ("east", "west", self.columns)
        words = [f"{up if count > 0 else down} {abs(count)}" for up, down, count in ways if count]
        return " ".join([duration_text(self.after), *words])

    @classmethod
    def read(cls, words: str) -> Move:
        """A move as the table of a member has it.

        >>> Move.read("2h 30min east 1 south 2")
        Move(after=datetime.timedelta(seconds=9000), rows=-2, columns=1)
        """
        found = re.fullmatch(r"\s*(.*?)((?:\s+(?:east|west|north|south)\s+\d+){1,2})\s*", words)
        ways = dict(re.findall(r"([a-z]+)\s+(\d+)", found.group(2))) if found else {}
        rows = int(ways.get("north", 0)) - int(ways.get("south", 0))
        columns = int(ways.get("east", 0)) - int(ways.get("west", 0))
        if not found or not (rows or columns):
            raise UserError(
                f"'{words}' is no move. Write how long after the start of the run, and by how many"
                " cells of the member around the nest, along rows and columns of the grid:"
                " '2h east 1' or '2h 30min east 1 north 2'."
            )
        return cls(duration(found.group(1)), rows, columns)


@dataclass(frozen=True)
class Itinerary:
    """Of one nest: when it begins and moves.

    `begins` is None where it has a start of its own.
    """

    begins: timedelta | None
    moves: tuple[Move, ...]
    follow: FollowOptions | None

    @classmethod
    def of(cls, member: Member) -> Itinerary:
        """That of a member."""
        o = member.options
        begins = None if o.begins == "" else duration(o.begins)
        moves = tuple(sorted((Move.read(some) for some in o.moves), key=lambda move: move.after))
        return cls(begins, moves, o.follow if o.follow.field else None)

    @property
    def moving(self) -> bool:
        """Whether it moves."""
        return bool(self.moves) or self.follow is not None

    @property
    def looked_at(self) -> tuple[str, ...]:
        """Maps of its own that it looks at."""
        return () if self.follow is None else (self.follow.field,)

    def move_at(self, after: timedelta) -> Move | None:
        """The prescribed move at a time after the start of the run, if there is one."""
        return next((move for move in self.moves if move.after == after), None)

    def place(self, after: timedelta) -> tuple[int, int]:
        """Rows and columns that prescribed moves have led it away from where it began."""
        done = [move for move in self.moves if move.after <= after]
        return sum(move.rows for move in done), sum(move.columns for move in done)

    def looks_at(self, after: timedelta) -> bool:
        """Whether it looks for what it follows then."""
        if self.follow is None or after <= (self.begins or none):
            return False
        return not after % duration(self.follow.interval)

    def times(self) -> Iterator[tuple[str, timedelta]]:
        """What has to be a whole number of intervals of the schedule, and which option says it."""
        if self.begins is not None:
            yield "begins", self.begins
        yield from (("moves", move.after) for move in self.moves)
        if self.follow is not None:
            yield "follow.interval", duration(self.follow.interval)


def moved(case: Case, rows: int, columns: int, ratio: int) -> Case:
    """The case of a nest whose grid lies so many cells of the grid around it farther on."""
    grid, o = case.build_grid(), case.grid
    if grid.curvilinear is None:
        x0, y0 = o.x0 + columns * ratio * grid.step_x, o.y0 + rows * ratio * grid.step_y
        return replace(case, grid=replace(o, x0=x0, y0=y0))
    if not o.projection.parents:
        raise UserError(
            "A nest on a map moves by its first cell in the grid around it: say where it lies by"
            " grid.projection.parents."
        )
    *others, (*size, finer, column, row) = o.projection.parents
    place = (size[0], size[1], finer, column + columns, row + rows)
    found = replace(o.projection, parents=[*others, place])
    return replace(case, grid=replace(o, projection=found))


def itineraries(members: Members) -> dict[str, Itinerary]:
    """Of all nests that begin from the member around them or move, those outside first."""
    found = {name: Itinerary.of(member) for name, member in members.members.items()}

    def depth(name: str) -> int:
        outer = members.members[name].options.nested_in
        return 1 + depth(outer) if outer else 0

    wanted = [name for name, some in found.items() if some.begins is not None or some.moving]
    return {name: found[name] for name in sorted(wanted, key=depth)}


def itinerary_lines(members: Members) -> list[str]:
    """When nests begin and how they move, for people."""
    lines = []
    for name, some in itineraries(members).items():
        outer = members.members[name].options.nested_in
        if some.begins is not None:
            start = members.start + some.begins
            late = " (after the end of this run)" * (start > members.members[name].clock.end)
            lines.append(f"{name} begins at {text(start)}, with what '{outer}' has there{late}")
        if some.moves:
            told = ", ".join(move.text() for move in some.moves)
            lines.append(f"{name} moves by cells of '{outer}': {told}")
        if some.follow is not None:
            f = some.follow
            lines.append(
                f"{name} follows the {f.extreme} of {f.field}, looked for every"
                f" {duration_text(duration(f.interval))}, by {f.most} x {f.most} cells of '{outer}'"
                " at most"
            )
    return lines


def refuse_wrong_itineraries(members: Members, interval: timedelta) -> None:
    """Refuse nests that would begin or move when members do not meet, or could not."""
    for name, some in itineraries(members).items():
        member = members.members[name]
        where, outer = f"members.{name}", member.options.nested_in
        if not outer:
            raise UserError(
                f"The member '{name}' begins late or moves (begins, moves, follow), but lies in no"
                " other one. Say in which (nested_in), or leave these out."
            )
        if some.moves and some.follow is not None:
            raise UserError(f"{where} has both moves and follow. Give one of them.")
        for which, time in some.times():
            if time % interval or time < none or (which != "begins" and not time):
                raise UserError(
                    f"{where}.{which}: {duration_text(time)} after the start of the run is no whole"
                    f" number of intervals of the schedule ({duration_text(interval)}), after which"
                    " all members are at one moment. Take a multiple of it."
                )
        after = [move.after for move in some.moves]
        if after and (len(set(after)) < len(after) or after[0] <= (some.begins or none)):
            raise UserError(
                f"{where}.moves has two moves of one moment, or one before the nest has begun. Give"
                " one for each moment, after it has begun."
            )
        around = Itinerary.of(members.members[outer]).begins or none
        if around > (some.begins or none):
            raise UserError(
                f"The member '{name}' begins before '{outer}', in which it lies. Let it begin then"
                f" or later: {where}.begins = '{duration_text(around)}'."
            )
        _refuse_exchanges(name, members)
        if some.moving:
            _refuse_what_stays(name, member)
        if some.follow is not None:
            _refuse_unknown_map(name, some.follow, member.case)


def _refuse_exchanges(name: str, members: Members) -> None:
    """Refuse exchanges of the table with a nest that is not always there, or not in one place."""
    for exchange, table in members.exchange_tables.items():
        if name in (table.source, table.target):
            raise UserError(
                f"exchanges.{exchange} is one with '{name}', which begins late or moves and has"
                " to do with the member around it alone. Let that one give or take."
            )


def _refuse_what_stays(name: str, member: Member) -> None:
    """Refuse output that would be of one place, or of an interval in which the nest moves."""
    for which, stream in member.case.output.streams():
        if not isinstance(stream, FieldStreamOptions) or stream.cumulative or stream.region:
            raise UserError(
                f"members.{name}.output.{which}: a nest that moves has maps of moments and of all"
                " its cells alone, with coordinates that move along. Leave it out, or let the"
                " member around it have it."
            )


def _refuse_unknown_map(name: str, follow: FollowOptions, case: Case) -> None:
    shapes = case.map_shapes()
    flat = [some for some, shape in shapes.items() if shape == MapShape()]
    if follow.field not in flat:
        raise UserError(
            f"members.{name}.follow.field = '{follow.field}' is no map of it without levels."
            f"{nearest(follow.field, flat)} It has: {', '.join(flat)}."
        )


def refuse_leaving(members: Members) -> None:
    """Refuse places that its files do not cover of a nest that moves, and prescribed moves.

    These are refused where they lead out of the grid around it, past a nest inside, or out of
    its files.
    """
    plans = itineraries(members)
    for name, plan in plans.items():
        if plan.moving and name in members.here:
            try:
                members.members[name].case.refuse_uncovered()
            except UserError as error:
                raise UserError(f"The member '{name}' is to move, but {error}") from None
    moves = sorted((m.after, name, m) for name, plan in plans.items() for m in plan.moves)
    if not moves:
        return
    cases = {name: member.case for name, member in members.members.items()}
    for after, name, move in moves:
        member = members.members[name]
        ratio = nest_of(name, member.options.nested_in, cases).ratio
        cases[name] = moved(member.case, *plans[name].place(after), ratio)
        try:
            refuse_unfit(name, members, cases)
        except UserError as error:
            raise UserError(f"members.{name}.moves: after '{move.text()}' {error}") from None


def refuse_unfit(name: str, members: Members, cases: Mapping[str, Case]) -> None:
    """Refuse a place of a member at which it, or one inside of it, does not lie where it has to.

    So are places that files of the member do not cover.
    """
    outer = members.members[name].options.nested_in
    nest_of(name, outer, cases)
    if name in members.here:
        cases[name].refuse_uncovered()
    for inner, member in members.members.items():
        if member.options.nested_in == name:
            nest_of(inner, name, cases)


def nest_of(name: str, outer: str, cases: Mapping[str, Case]) -> Nest:
    """How a member lies in another one."""
    return Nest.between(cases[outer].build_grid(), cases[name].build_grid(), (outer, name))
