"""Halo truth: stale halos are refused when they are read, and every exchange is questioned.

In a checked run every halo that nobody promised holds NaN. Before a kernel reads a halo that counts
as fresh, it is compared with its owners' values. When NaN appears in what a kernel wrote, the
kernel is run again with true halos: where the answer changes, it has read a halo that it should
not, and the run ends with a message that says which one and how deep. After each exchange the
kernel is run again with wrong values in the halo: where nothing changes, it was not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Storage
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.kernel import Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.halo_ledger import Asked, Ledger
from halocline.runtime.running.halo_trials import (
    Call,
    HeldArgument,
    Kept,
    Trials,
    bits,
    copies,
    difference,
    owned,
    restore,
)


class StaleHalo(UserError):
    """A kernel read a halo that did not hold its owners' values."""


class HaloTruth:
    """The examiner of one runner's calls; all its calls are for all ranks."""

    def __init__(self, decomposition: Decomposition, recorder: Recorder) -> None:
        self.decomposition, self.recorder = decomposition, recorder
        self.exchange = HaloExchange(decomposition, Recorder())
        self.trials = Trials(decomposition, self.exchange)
        self.ledger = Ledger(self.exchange)
        self.comparisons = 0
        self._twins: dict[tuple[Storage, int, int, int], Request] = {}
        self._believed: set[Storage] = set()

    def watch(
        self,
        kernel: Kernel,
        layout: Layout,
        held: list[HeldArgument],
        stale: Sequence[tuple[HeldArgument, Request]],
        action: Callable[[], None],
        again: Callable[[], None],
        beyond: int = 0,
    ) -> None:
        """Do one call of a kernel under examination.

        `action` exchanges the `stale` halos and computes, as far as `beyond` cells into the halos;
        `again` only computes, owned values only.
        """
        coming = {at: request for at, h in enumerate(held) for one, request in stale if one is h}
        self._compare(kernel, layout, [h for at, h in enumerate(held) if at not in coming])
        for item in held:
            if item.checkable and isinstance(layout.blocks[0], Block):
                self._poison_stale(layout, item)
        fresh = [coming[at].depth if at in coming else h.fresh for at, h in enumerate(held)]
        call = Call(kernel, layout, held, list(coming), fresh, {}, again)
        call.before = copies(call, [at for at, h in enumerate(held) if h.argument.writes])
        self.ledger.asked(
            kernel.name,
            [Asked(held[at].field.name, held[at].storage, r) for at, r in coming.items()],
        )
        exchanging = self.recorder.seconds("halo exchange")
        begun = time.perf_counter()
        action()
        seconds = time.perf_counter() - begun
        exchanging = self.recorder.seconds("halo exchange") - exchanging
        counter = replace(self.recorder.counters[kernel.name])
        read = self._examine(call)
        self.recorder.counters[kernel.name] = counter
        self.ledger.done(
            exchanging,
            seconds - exchanging,
            read,
            reads=[(h.storage, h.argument.depth + beyond) for h in held if h.reads],
            writes=[(h.field.name, h.storage) for h in held if h.argument.writes],
        )

    def report(self) -> str:
        """What was found, as text, on rank 0; a call for all ranks."""
        pages = self.decomposition.communicator.gather(self.ledger.page)
        first = f"stale halos: none in {self.comparisons} comparisons with their owners' values"
        return "\n".join([first, *self.ledger.report(pages)]) if pages else ""

    def _compare(self, kernel: Kernel, layout: Layout, items: list[HeldArgument]) -> None:
        """Compare halos that count as fresh with what an exchange would bring."""
        items = [h for h in items if h.reads and h.argument.depth]
        items = [h for h in items if h.storage not in self._believed and not h.field.made_per_block]
        self._believed |= {h.storage for h in items if h.field.static}
        if not items:
            return
        self.comparisons += len(items)
        twins = [self._twin(item) for item in items]
        self.exchange(layout, twins)
        found = ""
        for item, twin in zip(items, twins, strict=True):
            place = self._first_difference(layout, item, twin)
            if place and not found:
                found = (
                    f"Stale halo: kernel '{kernel.name}' reads '{item.argument.name}' (field"
                    f" '{item.field.name}') {item.argument.depth} deep. Its halo counts as fresh"
                    f" to {min(item.fresh, self.decomposition.world.halo)}, but it is not what its"
                    f" owner holds ({self._when()}, {place}). The field was changed outside of a"
                    " kernel: call its 'written()' after such a change."
                )
        self._refuse(found)

    def _twin(self, item: HeldArgument) -> Request:
        """A copy of an argument, to be exchanged in its stead."""
        key = (*item.memory, item.argument.depth)
        if key not in self._twins:
            arrays = [np.empty_like(array) for array in item.flat]
            self._twins[key] = Request(
                arrays, item.field.place, all_around(item.argument.depth), item.field.direction
            )
        for copy, array in zip(self._twins[key].flat, item.flat, strict=True):
            copy[...] = array
        return self._twins[key]

    def _first_difference(self, layout: Layout, item: HeldArgument, twin: Request) -> str:
        """Where a halo and its owners' values differ first; empty if nowhere."""
        for piece in self.exchange.pattern(layout.name, twin.place, twin.depths).targets:
            have = item.flat[piece.target][:, piece.target_index]
            true = twin.flat[piece.target][:, piece.target_index]
            rows, places = np.nonzero(bits(have) != bits(true))
            if rows.size:
                first = rows[0], places[0]
                where = _place(layout, twin.place, piece.target, int(piece.target_index[first[1]]))
                return f"{where} holds {have[first]:.6g}, its owner {true[first]:.6g}"
        return ""

    def _poison_stale(self, layout: Layout, item: HeldArgument) -> None:
        """NaN into the halos of the leading rows that are not fresh at all."""
        stale = item.storage.fresh.stale_rows(item.rows)
        leading = stale.size if stale.all() else int(np.argmin(stale))
        self.trials.poison(layout, item, 1, leading=leading)

    def _examine(self, call: Call) -> list[bool]:
        """Refuse a stale read; say which of the halos that were filled have been read."""
        suspicious, exchanged = self._anyone(self._new_nan(call), bool(call.exchanged))
        if not (suspicious or exchanged):
            return []
        involved = {*call.before, *call.exchanged, *call.unpromised(self.decomposition.world.halo)}
        call.after = copies(call, sorted(involved))
        true = self.trials.true_inputs(call)
        found = self._stale_read(call, true) if suspicious else ""
        read = [self._is_read(call, true, at) for at in call.exchanged]
        restore(call, call.after)
        if suspicious:
            self._refuse(found)
        return read

    def _new_nan(self, call: Call) -> bool:
        """Whether NaN stands where the kernel has written and was not before."""
        if not call.unpromised(self.decomposition.world.halo):
            return False
        for at, before in call.before.items():
            item = call.held[at]
            if not item.judged:
                continue
            pairs = zip(owned(item, item.flat), owned(item, before), strict=True)
            for now, then in pairs:
                new = np.isnan(now)
                if item.argument.access == "update":
                    new &= ~np.isnan(then)
                if new.any():
                    return True
        return False

    def _stale_read(self, call: Call, true: Kept) -> str:
        """Which halo the call has read deeper than it was fresh, and how deep; empty if none."""
        right = self.trials.answer(call, true, 0, 0)
        if not difference(call, right, call.after):
            return ""
        halo = self.decomposition.world.halo
        for at in call.unpromised(halo):
            for ring in range(halo, call.fresh[at], -1):
                place = difference(call, right, self.trials.answer(call, true, at, ring))
                if place:
                    return self._message(call, at, ring, place)
        return ""

    def _message(self, call: Call, at: int, depth: int, place: str) -> str:
        item = call.held[at]
        reach = ", ".join(str(offset) for offset in item.argument.reach)
        return (
            f"Stale halo: kernel '{call.kernel.name}' reads '{item.argument.name}' (field"
            f" '{item.field.name}') {depth} deep, but its halo is fresh to {call.fresh[at]}"
            f" ({self._when()}, {place}). The contract states the reach ({reach}) to west, east,"
            " south, north: correct it there, and the runner will fill the halo."
        )

    def _is_read(self, call: Call, true: Kept, at: int) -> bool:
        """Whether other values in a halo change the answer."""
        if not call.held[at].checkable:
            return True
        return any(
            difference(call, self.trials.answer(call, true, at, 1, value), call.after)
            for value in (np.nan, 1.0)
        )

    def _anyone(self, *mine: bool) -> list[bool]:
        """Whether each is so on any rank."""
        values = np.array([float(value) for value in mine])
        return [value > 0.0 for value in self.decomposition.communicator.maximum(values)]

    def _refuse(self, found: str) -> None:
        """End all ranks alike with the first message that any of them has."""
        (anyone,) = self._anyone(bool(found))
        if anyone:
            communicator = self.decomposition.communicator
            messages = communicator.gather(found)
            raise StaleHalo(communicator.broadcast(next(filter(None, messages or []), "")))

    def _when(self) -> str:
        counter = self.recorder.counters.get("step")
        return f"step {(counter.calls if counter else 0) + 1}"


def _place(layout: Layout, place: Place, at: int, index: int) -> str:
    """Block and global cell of a place in a flat array."""
    block = layout.blocks[at]
    assert isinstance(block, Block)
    if place == Place.point:
        j, i = int(block.point_j[index]), int(block.point_i[index])
    else:
        j, i = divmod(index, block.row_length)
    return (
        f"block {block.number} on rank {block.rank}: cell j = {block.cell_j[j, i]},"
        f" i = {block.cell_i[j, i]}"
    )
