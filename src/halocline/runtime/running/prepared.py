"""Calls of a kernel that are bound once and repeated: what iterations of a solver are made of."""

from __future__ import annotations

import time
from typing import Any

from halocline.runtime.fields.field import Rows, Storage
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.kernel import Kernel
from halocline.runtime.halos.exchange import Request
from halocline.runtime.running.runner import PerBlock, Runner, bind


class PreparedCall:
    """A kernel bound to fields: the call looks up, exchanges and records as the runner does.

    The fields must keep their memory (no `swap`) and lie in the layout that the kernel wants.
    """

    def __init__(self, run: Runner, kernel: Kernel, state: Any = None, /, **given: Any) -> None:
        self.run, self.kernel, self.state, self.given = run, kernel, state, given
        layout = run.decomposition.planes if kernel.horizontal else run.decomposition.home
        bound = [(argument, bind(argument, state, given)) for argument in kernel.arguments]
        names = {argument.name for argument in kernel.arguments}
        self.layout, self._bound = layout, bound
        self._halos: list[tuple[Storage, Request]] = []
        self._writes: list[Storage] = []
        storages: dict[str, Storage] = {}
        for argument, value in bound:
            assert not isinstance(value, Rows) and not value.move_to(layout)
            storage = storages[argument.name] = value.storage(layout)
            if argument.depth and argument.access != "write" and not value.static:
                self._halos.append(
                    (storage, Request(storage.flat, value.place, all_around(argument.depth)))
                )
            if argument.writes:
                self._writes.append(storage)
        self._calls: list[dict[str, Any]] = []
        self._moved = 0
        for at, block in enumerate(layout.blocks):
            arrays = {name: storage.arrays[at] for name, storage in storages.items()}
            local = {
                name: item.value(layout, at) if isinstance(item, PerBlock) else item
                for name, item in given.items()
                if name not in names
            }
            self._calls.append({"box": block.box, **arrays, **local})
            self._moved += kernel.bytes_of(block.box, arrays)

    def __call__(self, **scalars: Any) -> None:
        """Fill stale halos, run the kernel on every local block with these scalars too."""
        run = self.run
        if run.plan is not None or run.check_halos or run.overlap or run.recompute_halos:
            run(self.kernel, self.state, **self.given, **scalars)
            return
        stale = [one for one in self._halos if _depth(one[0]) < one[1].depth]
        if stale:
            begin = time.perf_counter()
            run.exchange(self.layout, [request for _, request in stale])
            run.recorder.count("halo exchange", time.perf_counter() - begin)
            for storage, request in stale:
                storage.fresh[:] = request.depth
        begun = run.recorder.kernel_begins()
        for arguments in self._calls:
            self.kernel.function(**arguments, **scalars)
        run.recorder.kernel_ends(self.kernel.name, begun, self._moved)
        for storage in self._writes:
            storage.fresh[:] = 0


def _depth(storage: Storage) -> int:
    """How deep all rows of a halo are fresh [cells]."""
    fresh = storage.fresh
    return int(fresh[0] if fresh.size == 1 else fresh.min())
