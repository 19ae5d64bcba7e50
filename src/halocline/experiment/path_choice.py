"""By which path an exchange goes: as its case says, or as its first times tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from halocline.component.exchange_paths import PartTimes, paths
from halocline.runtime.ranks.communicator import Communicator

trials = 3
"""How often each path is tried, in turns."""


@dataclass
class PathChoice:
    """The path of the next time; where the case says 'auto', the one that took less of the ranks.

    What counts is the least time of the trials, of the rank that took longest, without what its
    target waited for the source. No path changes a bit.
    """

    exchange: str
    option: str
    times: Mapping[str, PartTimes] = field(default_factory=dict)
    _tried: dict[str, list[float]] = field(default_factory=dict)
    _begun: tuple[str, float] | None = None
    _chosen: str = ""
    _count: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The paths that are made."""
        return tuple(paths) if self.option == "auto" else (self.option,)

    def next(self) -> str:
        """The path to take now."""
        word = self._chosen or self.words[self._count % len(self.words)]
        self._count += 1
        self._begun = word, self.times[word].work
        return word

    def done(self) -> None:
        """What was begun has come."""
        if self._begun is not None and not self._chosen:
            word, before = self._begun
            self._tried.setdefault(word, []).append(self.times[word].work - before)

    def decide(self, council: Communicator) -> str:
        """Choose when all ranks have tried enough; what was chosen, for the log.

        A call for all ranks: those that take no part have nothing to say.
        """
        if self.option != "auto" or self._chosen:
            return ""
        known = [self._tried.get(word, []) for word in self.words]
        ready = 0.0 if not self._count else min(len(some) for some in known)
        lacking = trials if not self._count else trials - ready
        takes_part = float(self._count > 0)
        least = [min(some, default=0.0) for some in known]
        found = council.maximum(np.array([takes_part * lacking, takes_part, *least]))
        if found[0] > 0 or not found[1]:
            return ""
        self._chosen = self.words[int(np.argmin(found[2:]))]
        each = ", ".join(
            f"{word} {1e6 * time:.0f} us" for word, time in zip(self.words, found[2:], strict=True)
        )
        return f"exchange {self.exchange} goes by the path '{self._chosen}': {each}"
