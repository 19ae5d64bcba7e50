"""Waiting without spinning: asleep most of the time, so that others have the core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Ranks

shortest_nap, longest_nap = 2e-5, 1e-3
"""Pauses between looks at what has not arrived yet [s]."""

short_looks = 30
"""Looks before the first pause, between which others may have the core."""


def until(done: Callable[[], bool]) -> None:
    """Wait, asleep most of the time, until `done` says so."""
    for _ in range(short_looks):
        if done():
            return
        os.sched_yield()
    nap = shortest_nap
    while not done():
        time.sleep(nap)
        nap = min(1.5 * nap, longest_nap)


class PatientRanks(Ranks):
    """Ranks that come to a call for all of them at very different times: those waiting sleep."""

    def sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        self._meet()
        return super().sum(values)

    def maximum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        self._meet()
        return super().maximum(values)

    def gather(self, item: Any) -> list[Any] | None:
        self._meet()
        return super().gather(item)

    def broadcast(self, item: Any) -> Any:
        self._meet()
        return super().broadcast(item)

    def _meet(self) -> None:
        until(self.comm.Ibarrier().Test)
