"""Choosing how an output is written, by what the first frames cost, against the budget of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from halocline.runtime.ranks.communicator import Communicator


class WritingChoice:
    """The ways that an output may go, of which the first that keeps its part of the budget stays.

    A way is judged by its second and third frame (the first one makes buffers, and waits for
    nothing): the time lost in it over the time since the frame before it, on the rank where that is
    most; the less of the two, since disturbances only add. Where no way keeps the budget the
    cheapest is taken.
    """

    def __init__(
        self,
        name: str,
        candidates: Sequence[str],
        budget: float,
        communicator: Communicator,
        tell: Callable[[str], None],
    ) -> None:
        self.name, self.candidates, self.budget = name, list(candidates), budget
        self.communicator, self.tell = communicator, tell
        self.shares: dict[str, float] = {}
        self.settled = len(self.candidates) == 1
        self._found: list[float] = []
        self._last = time.perf_counter()

    @property
    def way(self) -> str:
        """The way to go now."""
        if self.settled and self.shares:
            return min(self.shares, key=lambda way: self.shares[way])
        return self.candidates[len(self.shares)]

    def judge(self, lost: float) -> None:
        """Take in the time that a frame has lost on this rank [s]; a call for all ranks."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        if self.settled:
            return
        self._found.append(lost / max(passed, 1e-9))
        if len(self._found) < 3:
            return
        share = min(self.communicator.maximum(np.array(self._found[1:])))
        self._found.clear()
        self.shares[self.way] = float(share)
        kept = share <= self.budget
        if kept or len(self.shares) == len(self.candidates):
            self.settled = True
            self.tell(self._reason(kept))

    def _reason(self, kept: bool) -> str:
        tried = ", ".join(f"'{way}' {share:.2%}" for way, share in self.shares.items())
        words = f"output '{self.name}' is written by '{self.way}': of the time are lost {tried}"
        if kept:
            return f"{words}; its part of the budget is {self.budget:.2%}"
        return (
            f"{words}; none keeps its part of the budget, {self.budget:.2%}. More servers"
            " (output.servers.count), fewer records or fewer variables would help"
        )
