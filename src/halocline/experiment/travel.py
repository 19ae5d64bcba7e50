"""Nests that begin late and move along, at work.

A nest that moves is made anew where it then lies, as after a restart elsewhere: it has the state
that it had where both places overlap, and on all other points what the member around it has there,
brought to its own ground. One that begins has that everywhere. Both happen when all members are at
one moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.component import Component
from halocline.component.exchange import Exchange, Pair, Remap
from halocline.component.port import Port
from halocline.core.clock import Date, duration, text
from halocline.core.errors import UserError
from halocline.experiment.grid_pairs import by_nest
from halocline.experiment.itinerary import (
    Itinerary,
    itineraries,
    moved,
    nest_of,
    none,
    refuse_leaving,
    refuse_unfit,
)
from halocline.experiment.member_options import FollowOptions
from halocline.grids.remapping.nests import Nest
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import on_first_rank

if TYPE_CHECKING:
    from halocline.experiment.exchanges import Exchanges
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Member, Members

Mask = NDArray[np.bool_]


class Travel:
    """The nests of a run that begin late or move, as a rank sees them; calls are for all ranks."""

    def __init__(
        self,
        members: Members,
        here: Sequence[MemberRun],
        council: Communicator,
        tell: Callable[[str], None],
    ) -> None:
        self.members, self.council, self.tell = members, council, tell
        self.here = {some.name: some for some in here}
        self.plans = itineraries(members)
        self.placed: dict[str, Member] = dict(members.members)
        self.away = {name: (0, 0) for name, plan in self.plans.items() if plan.moving}
        self.fields: dict[str, Field] = {}
        on_first_rank(council, lambda: refuse_leaving(members))

    def asleep(self, moment: Date) -> set[str]:
        """Nests that have not begun at a moment."""
        return {
            name
            for name, plan in self.plans.items()
            if moment < self.members.start + (plan.begins or none)
        }

    def restore(self, *, restarted: bool) -> None:
        """Let restarts hold where nests lie; take those to their places that one has moved."""
        for name in self.away:
            found = None
            if name in self.here:
                some = self.here[name]
                self.fields[name] = field = Field(
                    "cells_moved", "1", some.component.run.decomposition, axes=(2,),
                    place=Place.none, dtype=np.float64, restart=True,
                )  # fmt: skip
                some.restarts.add([field])
                found = tuple(int(count) for count in field.read()[0].ravel())
            away = self._known(found)
            if restarted and away != (0, 0):
                self._place(name, away)
                if name in self.here:
                    some = self.here[name]
                    former = some.rebuild(self.placed[name].case)
                    _carry(former, some.component)
                    former.close()

    def meet(self, moment: Date, exchanges: Exchanges | None) -> None:
        """All members are at a moment: nests begin and move whose time has come."""
        after, begun, gone = moment - self.members.start, [], []
        for name, plan in self.plans.items():
            if moment > self.members.members[name].clock.end or after < (plan.begins or none):
                continue
            if plan.begins == after:
                self._inherit(name, None, moment)
                begun.append(name)
            elif cells := self._way(name, plan, moment):
                if self._move(name, cells, moment):
                    gone.append(name)
        if exchanges is not None and (begun or gone):
            exchanges.renew(gone, begun, self.placed, moment)
        for name in begun:
            if name in self.here:
                self.here[name].simulation.show()

    def _way(self, name: str, plan: Itinerary, moment: Date) -> tuple[int, int] | None:
        """By how many rows and columns of the member around it a nest is to move now."""
        after = moment - self.members.start
        if move := plan.move_at(after):
            return move.rows, move.columns
        if plan.follow is None or not plan.looks_at(after):
            return None
        nest, found = self._nest(name), None
        if name in self.here:
            found = _looked(self.here[name].component, plan.follow, nest, moment)
        wanted = self._known(found)
        return wanted if wanted != (0, 0) else None

    def _known(self, found: tuple[int, ...] | None) -> tuple[int, int]:
        """What the ranks of one member know."""
        everyone = self.council.gather(found) or []
        rows, columns = self.council.broadcast(next((x for x in everyone if x is not None), None))
        return rows, columns

    def _nest(self, name: str) -> Nest:
        """How a nest lies in the member around it now."""
        cases = {known: member.case for known, member in self.placed.items()}
        return nest_of(name, self.placed[name].options.nested_in, cases)

    def _place(self, name: str, away: tuple[int, int]) -> None:
        """Remember where a nest lies, in cells of the member around it from where it began."""
        ratio, member = self._nest(name).ratio, self.members.members[name]
        self.away[name] = away
        self.placed[name] = replace(member, case=moved(member.case, *away, ratio))

    def _move(self, name: str, cells: tuple[int, int], moment: Date) -> bool:
        """Move a nest, unless it or one inside of it would leave the grid in which it lies."""
        ratio, before = self._nest(name).ratio, self.placed[name]
        old = self.away[name]
        self._place(name, (old[0] + cells[0], old[1] + cells[1]))
        try:
            cases = {known: member.case for known, member in self.placed.items()}
            on_first_rank(self.council, lambda: refuse_unfit(name, self.members, cases))
        except UserError as error:
            self.away[name], self.placed[name] = old, before
            self.tell(f"{text(moment)}: '{name}' does not move: {error}")
            return False
        if name in self.here:
            some = self.here[name]
            former = some.rebuild(self.placed[name].case)
            some.component.start(moment, restarted=False)
            self.fields[name].set_global(np.array(self.away[name], np.float64))
        else:
            former = None
        shift = cells[0] * ratio, cells[1] * ratio
        self._inherit(name, shift, moment, former)
        if former is not None:
            former.close()
        self.tell(
            f"{text(moment)}: '{name}' moves by {cells[0]} rows and {cells[1]} columns of"
            f" '{before.options.nested_in}', {self.away[name][0]} and {self.away[name][1]} in all"
        )
        return True

    def _inherit(
        self,
        name: str,
        shift: tuple[int, int] | None,
        moment: Date,
        former: Component | None = None,
    ) -> None:
        """State of points that are new, of the member around it, and of all others where it was.

        `shift` are rows and columns of its own; None where all are new.
        """
        outer = self.members.members[name].options.nested_in
        target = self.here[name].component if name in self.here else None
        source = self.here[outer].component if outer in self.here else None
        remap = by_nest(f"start of {name}", self._nest(name), outwards=False)
        given = None if source is None else source.inherited()
        taken = None if target is None else {**target.inherited(), **target.compared()}

        def new(place: Place) -> Mask:
            return ~_old(target, place, shift)

        self._bring(f"start of {name}", given, taken, remap, new)
        if shift is not None:
            old = None if former is None else _on_places(former)
            own = None if target is None else _on_places(target)
            self._bring(
                f"state of {name}", old, own, _shifted(target, shift),
                lambda place: _old(target, place, shift),
            )  # fmt: skip
        if target is not None:
            target.entered(new)
            target.settled(moment)

    def _bring(
        self,
        name: str,
        given: Mapping[str, Field] | None,
        taken: Mapping[str, Field] | None,
        remap: Remap,
        points: Callable[[Place], Mask],
    ) -> None:
        """Give some points of fields their values, of those that source and target both have."""
        own = (None if given is None else list(given), None if taken is None else list(taken))
        everyone = self.council.broadcast(self.council.gather(own))
        theirs, ours = (next(x[end] for x in everyone if x[end] is not None) for end in (0, 1))
        both = [Pair(known, known) for known in theirs if known in ours]
        ports = None
        if taken is not None:
            masks = {place: points(place) for place in {taken[pair.taken].place for pair in both}}
            ports = {k: Port(taken[k], masks[taken[k].place]) for k, _ in both}
        fields = None if given is None else {known: given[known] for known, _ in both}
        exchange = Exchange(name, both, fields, ports, remap, self.council)
        if given is not None or taken is not None:
            values = exchange.start("parallel", fields)()
            if values is not None:
                exchange.put(values)


def _on_places(component: Component) -> dict[str, Field]:
    """What a restart holds that lies on the grid."""
    return {some.name: some for some in component.restart_fields() if some.place != Place.none}


def _carry(former: Component, new: Component) -> None:
    """Give a component the state of one that is cut alike."""
    pairs = zip(former.restart_fields(), new.restart_fields(), strict=True)
    for one, other in pairs:
        with other.change() as owned:
            for array, values in zip(owned, one.read(), strict=True):
                array[...] = values


def _old(component: Component | None, place: Place, shift: tuple[int, int] | None) -> Mask:
    """Points of a place that lay in the grid before it moved by so many rows and columns."""
    assert component is not None
    shape = component.plane.topology.shape(place)
    if shift is None:
        return np.zeros(shape, bool)
    lines = [np.arange(count) + step for count, step in zip(shape, shift, strict=True)]
    rows, columns = ((0 <= a) & (a < count) for a, count in zip(lines, shape, strict=True))
    return np.asarray(rows[:, None] & columns)


def _shifted(component: Component | None, shift: tuple[int, int]) -> Remap:
    """Values of a grid for the one that lies so many rows and columns farther on."""

    def remap(source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        assert component is not None
        columns = component.plane.topology.shape(source)[1]
        numbers = (j + shift[0]) * columns + i + shift[1]
        return RemapWeights.of(numbers[None], np.ones((1, numbers.size)))

    return remap


def _looked(
    component: Component, follow: FollowOptions, nest: Nest, moment: Date
) -> tuple[int, int]:
    """By how many cells of the outer grid the extreme lies off the middle, as far as it may move.

    Rows on the nest's own sides, which the member around it gives, do not count. Of equal values
    the first counts, row by row. A call for all ranks of the nest.
    """
    values = component.diagnose([follow.field], moment)[follow.field].gather()
    found = (0, 0)
    if values is not None:
        plane = np.array(values, np.float64).reshape(values.shape[-2:])
        sign = 1.0 if follow.extreme == "minimum" else -1.0
        plane = np.where(_seen(component, follow, nest), sign * plane, np.inf)
        at = np.unravel_index(int(np.nanargmin(plane)), plane.shape)
        outer = nest.outer.nj, nest.outer.ni
        first, ratio = (nest.row, nest.column), nest.ratio
        steps = [
            _step(
                (at[n] + 0.5 - 0.5 * plane.shape[n]) / ratio,
                follow.most,
                first[n],
                outer[n] - first[n] - plane.shape[n] // ratio,
                follow.margin,
            )
            for n in (0, 1)
        ]
        found = steps[0], steps[1]
    rows, columns = component.run.decomposition.communicator.broadcast(found)
    return rows, columns


def _seen(component: Component, follow: FollowOptions, nest: Nest) -> Mask:
    """Cells of a nest in which its extreme is looked for."""
    grid = component.plane
    rim = component.feedback_rim * nest.ratio
    seen = np.zeros(grid.shape, bool)
    seen[rim : -rim or None, rim : -rim or None] = True
    if follow.fastest:
        reach = follow.fastest * duration(follow.interval).total_seconds()
        j, i = (np.arange(count) + 0.5 - 0.5 * count for count in grid.shape)
        seen &= (j[:, None] * grid.dy) ** 2 + (i * grid.dx) ** 2 <= reach**2
    if not seen.any():
        raise UserError(
            "A nest that follows an extreme is so small that it has no cell to look for it in."
            " Take more cells, or a greater follow.fastest."
        )
    return seen


def _step(off: float, most: int, before: int, behind: int, margin: int) -> int:
    """Cells to move by: towards what lies `off` the middle, by `most` at most, and no farther than
    a `margin` from the sides of a grid that has so many cells `before` and `behind`.

    >>> _step(2.6, 1, 10, 10, 4), _step(-0.4, 1, 10, 10, 4), _step(-5.0, 3, 5, 10, 4)
    (1, 0, -1)
    """
    wanted = int(np.clip(round(off), -most, most))
    return int(np.clip(wanted, min(0, margin - before), max(0, behind - margin)))
