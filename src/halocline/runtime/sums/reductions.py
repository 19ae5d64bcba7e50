"""Global sums with the same bits in any order, any number of them in one reduction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Counter, Recorder
from halocline.runtime.sums.choice import SumChoice
from halocline.runtime.sums.variants import Reduction, reduction

Arrays = Iterable[NDArray[Any]]
Parts = NDArray[np.float64]
Fill = Callable[[Parts], None]


class Terms(Protocol):
    """The arrays of terms of each sum."""

    def __len__(self) -> int:
        """How many sums there are."""

    def __iter__(self) -> Iterator[Arrays]:
        """The arrays of one sum after the other; again for every call."""


@dataclass(frozen=True)
class MadeTerms:
    """Terms of `count` sums, made one sum after the other while they are added.

    >>> made = MadeTerms(2, lambda: ([np.full(2, number)] for number in range(2)))
    >>> [arrays[0].tolist() for arrays in made]
    [[0, 0], [1, 1]]
    """

    count: int
    make: Callable[[], Iterator[Arrays]]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Arrays]:
        return self.make()


def simplest(communicator: Communicator, count: int) -> SumChoice:
    """The way to add that every machine has."""
    return SumChoice()


choose: Callable[[Communicator, int], SumChoice] = simplest
"""How `count` numbers are added over the ranks of a communicator where nobody says it."""


class GlobalSums:
    """Sums over all ranks whose bits depend on neither order nor decomposition.

    Each of the `count` sums keeps a scale (a power of two above every term) from call to call. The
    scale that belongs to the terms at hand follows from the largest of them alone; a kept one that
    is not it is noticed inside the one reduction, and the sum is done again. So the bits do not
    depend on earlier calls either.

    With `ordinary` sums are fast, and their bits depend on the decomposition. A `recorder` counts
    the calls and the time on the way over the ranks.

    >>> from halocline.runtime.ranks.communicator import Alone
    >>> sums = GlobalSums(Alone(), 2)
    >>> sums([[np.array([1e16, 1.0, -1e16])], [np.arange(5)]]).tolist()
    [1.0, 10.0]
    """

    def __init__(
        self,
        communicator: Communicator,
        count: int,
        choice: SumChoice | None = None,
        *,
        ordinary: bool = False,
        recorder: Recorder | None = None,
    ) -> None:
        self.communicator, self.count, self.ordinary = communicator, count, ordinary
        self._recorder = recorder
        self.exponents = np.zeros(count, np.int32)
        self._words = 1 if ordinary else _native.word_count
        self.spent = Counter()  # calls and wall time of this rank
        self._choice = choice
        self._reduction: Reduction | None = None

    @property
    def words_in_all(self) -> int:
        """How many numbers are added over the ranks."""
        return self.count * self._words

    @property
    def choice(self) -> SumChoice:
        """How the sums are added over the ranks."""
        if self._choice is None:
            self._choice = choose(self.communicator, self.words_in_all)
        return self._choice

    def use(self, choice: SumChoice) -> None:
        """Add over the ranks in another way from now on; no sum may be under way."""
        self.free()
        self._choice = choice

    def free(self) -> None:
        """Give back what the sums needed; a call for all ranks. They may be used again."""
        if self._reduction is not None:
            self._reduction.free()
        self._reduction = None

    @property
    def reduction(self) -> Reduction:
        if self._reduction is None:
            self._reduction = reduction(self.communicator, self.choice, self.words_in_all)
        return self._reduction

    def __call__(self, terms: Terms) -> NDArray[np.float64]:
        """Sums of each group of arrays: `terms[sum]` are this rank's arrays of terms.

        Raises FloatingPointError, on all ranks alike, where a term is not finite.
        """
        return self.of_parts(*self._parts(terms))

    def start(self, terms: Terms) -> PendingSums:
        """Begin the sums: `finish()` of what this returns gives them.

        The arrays of `terms` must not change before that. Sums may overlap: one has to be finished
        before the fourth after it begins.
        """
        return self.start_parts(*self._parts(terms))

    def _parts(self, terms: Terms) -> tuple[Parts, Fill]:
        assert len(terms) == self.count

        def fill(parts: Parts) -> None:
            add = _native.add_ordinarily if self.ordinary else _native.add_exactly
            for part, arrays in zip(parts, terms, strict=True):
                for array in arrays:
                    add(_flat(array), part)

        parts = self.new_parts()
        fill(parts)
        return parts, fill

    def new_parts(self) -> Parts:
        """Parts of sums without terms, on the kept scales, for a kernel to fill.

        A kernel adds to row `sum` with an `ExactSum` (or `OrdinarySum`) of reductions.hpp.
        """
        parts = np.zeros((self.count, _native.part_count))
        parts[:, _native.exponent_place] = self.exponents
        return parts

    def of_parts(self, parts: Parts, again: Fill) -> NDArray[np.float64]:
        """Sums whose parts a kernel has made; `again` fills new parts from the same terms."""
        begun = time.perf_counter()
        totals = self.reduction.add(self.words(parts))
        self.record(begun)
        return self.settle(totals, parts, again)

    def start_parts(self, parts: Parts, again: Fill) -> PendingSums:
        """Begin the sums of parts that a kernel has made."""
        return PendingSums(self, parts, again)

    def record(self, begun: float) -> None:
        """Put the time since `begun` on record."""
        seconds = time.perf_counter() - begun
        self.spent.calls += 1
        self.spent.seconds += seconds
        if self._recorder is not None:
            if self.communicator.size > 1:
                self._recorder.reduce("all-reduce", seconds, 8 * self.words_in_all)
            self._recorder.add_sum("global sum", seconds)

    def words(self, parts: Parts) -> NDArray[np.float64]:
        """What is added over the ranks."""
        if self.ordinary:
            return parts[:, 0].copy()
        words = np.empty(self.count * _native.word_count)
        _native.judge_parts(parts, words)
        return words

    def settle(self, totals: NDArray[np.float64], parts: Parts, again: Fill) -> NDArray[np.float64]:
        """The sums of which these are the words over all ranks; done again on a wrong scale."""
        while True:
            if self.ordinary:
                if not np.isfinite(totals).all():
                    raise FloatingPointError("A global sum has terms that are not finite.")
                return totals
            values = np.empty(self.count)
            if not _native.round_parts(totals, values):
                return values
            self.rescale(parts)
            parts = self.new_parts()
            again(parts)
            totals = self.reduction.add(self.words(parts))

    def rescale(self, parts: Parts) -> None:
        """Take the scales that belong to the terms of these parts; a call for all ranks."""
        largest = parts[:, _native.largest_place].copy()
        largest[~np.isfinite(parts).all(axis=1)] = np.inf
        largest = self.communicator.maximum(largest)
        if not (largest < 2.0**_native.greatest_exponent).all():
            raise FloatingPointError("A global sum has terms that are not finite, or above 1e289.")
        for at in np.flatnonzero(largest):
            self.exponents[at] = _native.exponent_of(float(largest[at]))


class PendingSums:
    """Sums under way."""

    def __init__(self, sums: GlobalSums, parts: Parts, again: Fill) -> None:
        self._sums, self._parts, self._again = sums, parts, again
        self._pending = sums.reduction.start(sums.words(parts))

    def finish(self) -> NDArray[np.float64]:
        """The sums, the same bits on all ranks; a call for all ranks."""
        begun = time.perf_counter()
        totals = self._pending.finish()
        self._sums.record(begun)
        return self._sums.settle(totals, self._parts, self._again)


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat if flat.dtype.kind == "f" else flat.astype(float)
