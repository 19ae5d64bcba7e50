"""Whether loops touch what they declare, and nothing else: they are done again with other values.

After each call in a checked run the loops are done again with wrong values in all that they have no
right to read: fields that they do not name, halos beyond what they name, and what they say they
write whatever it held. Where the answer changes, the run ends with a message that says which kernel
has read which field, how far. What has changed that is not declared as written ends it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.program.declared_loops import DeclaredLoops, block_of, sides
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.halo_trials import bits
from halocline.runtime.running.halo_truth import StaleHalo

Array = NDArray[np.float64]
Values = dict[str, Array]
Spoil = Mapping[str, tuple[int, int, int, int]]
"""Of fields what stays as it is when the rest is spoilt: rows and columns; nothing if empty."""

nothing = (0, 0, 0, 0)
wrong_values = (np.nan, 1.0)
"""Comparisons and minima may swallow a NaN, and a 1 may be right by chance: both are tried."""


class UndeclaredAccess(UserError):
    """A kernel has touched what it does not declare."""


class DeclaredCheck:
    """The examiner of declared loops; `watch` is a call for all ranks."""

    def __init__(self, fields: Mapping[str, Field], communicator: Communicator) -> None:
        self.fields, self.communicator = fields, communicator
        self.known: Values | None = None  # what kernels have left; None: all may have changed
        self.last = ""

    def trust_all(self) -> None:
        """Fields may have been changed by others than kernels until now."""
        self.known = None

    def watch(self, declared: DeclaredLoops, call: Callable[[], None], when: str) -> None:
        """Do a call under examination."""
        name = declared.kernel.name
        self._refuse(self._changed_between(), when)
        before = self._copies()
        try:
            call()
        except StaleHalo:
            self._refuse(self._examine(declared, before), when)
            raise
        self._refuse(self._examine(declared, before), when)
        self.known, self.last = self._copies(), name

    def _changed_between(self) -> str:
        for name, field in self.fields.items() if self.known else ():
            assert self.known is not None
            if _differ(_owned(field, self._array(name)), _owned(field, self.known[name])):
                return (
                    f"Field '{name}' has been changed outside of a kernel, after '{self.last}'."
                    " Change fields in kernels only, once the program steps."
                )
        return ""

    def _examine(self, declared: DeclaredLoops, before: Values) -> str:
        """What is wrong with a call that has been done; empty if nothing."""
        kernel, after = declared.kernel, self._copies()
        accesses = {argument.name: argument.access for argument in kernel.arguments}
        for name, field in self.fields.items():
            if accesses.get(name, "read") != "read":
                continue
            pair = (before[name], after[name])
            if name in accesses:
                pair = (_owned(field, pair[0]), _owned(field, pair[1]))
            if _differ(*pair):
                but = "declares to read only" if name in accesses else "does not declare"
                return (
                    f"Kernel '{kernel.name}' writes '{name}', which it {but}. Declare it as what it"
                    f" writes, or updates where old values stay or count: updates = '{name}'."
                )
        writes = {argument.name for argument in kernel.arguments if argument.writes}
        begin = {name: (before if name in writes else after)[name] for name in self.fields}
        try:
            if self._is_changed(declared, begin, after, dict(_allowed(declared, self.fields))):
                return self._culprit(declared, begin, after)
        finally:
            self._restore(after)
        return ""

    def _culprit(self, declared: DeclaredLoops, begin: Values, after: Values) -> str:
        """Which field the answer depends on that it should not, how far to which side."""
        kernel = declared.kernel
        arguments = {argument.name: argument for argument in kernel.arguments}
        for name, kept in _allowed(declared, self.fields):
            if not self._is_changed(declared, begin, after, {name: kept}):
                continue
            argument = arguments.get(name)
            if argument is None:
                return (
                    f"Kernel '{kernel.name}' reads '{name}', which it does not declare. Add it:"
                    f" reads = '{name}', with how far it is read."
                )
            if argument.access == "write":
                return (
                    f"Kernel '{kernel.name}' declares that it writes '{name}' whatever it held, but"
                    " what it held is in the answer: it reads it, or leaves some values as they"
                    f" are. Declare updates = '{name}'."
                )
            far = self._farthest(declared, begin, after, argument)
            return (
                f"Kernel '{kernel.name}' reads '{name}' {far}, and declares"
                f" '{_words(name, argument.depths)}'. Declare how far it is read."
            )
        return f"Kernel '{kernel.name}' reads what it does not declare, in several fields."

    def _farthest(
        self, declared: DeclaredLoops, begin: Values, after: Values, argument: Argument
    ) -> str:
        """How far a field is read beyond what is declared, in words."""
        name = argument.name
        j0, j1, i0, i1, _ = declared.box
        _, rows, columns = self._array(name).shape
        whole = {"west": i0, "east": columns - i1, "south": j0, "north": rows - j1}
        for at, side in enumerate(sides):
            for deep in range(whole[side], argument.depths[at], -1):
                reach = [whole[some] for some in sides]
                reach[at] = deep - 1
                kept = (j0 - reach[2], j1 + reach[3], i0 - reach[0], i1 + reach[1])
                if self._is_changed(declared, begin, after, {name: kept}):
                    return f"{deep} {'cell' if deep == 1 else 'cells'} to the {side}"
        return "across a corner"

    def _is_changed(
        self, declared: DeclaredLoops, begin: Values, after: Values, spoil: Spoil
    ) -> bool:
        """Whether the answer is another one where all but some of a few fields is wrong."""
        for value in wrong_values:
            self._restore(begin)
            for name, (j0, j1, i0, i1) in spoil.items():
                array = self._array(name)
                kept = array[:, j0:j1, i0:i1].copy()
                array[...] = value
                array[:, j0:j1, i0:i1] = kept
            declared.again()
            for argument in declared.kernel.arguments:
                if argument.writes:
                    field, name = self.fields[argument.name], argument.name
                    if _differ(_owned(field, self._array(name)), _owned(field, after[name])):
                        return True
        return False

    def _array(self, name: str) -> Array:
        return _whole(self.fields[name])

    def _copies(self) -> Values:
        return {name: self._array(name).copy() for name in self.fields}

    def _restore(self, values: Values) -> None:
        for name, array in values.items():
            self._array(name)[...] = array

    def _refuse(self, found: str, when: str) -> None:
        """End all ranks alike with the first message that any of them has."""
        flag = np.array([float(bool(found))])
        if self.communicator.maximum(flag)[0] > 0.0:
            messages = self.communicator.gather(found)
            words = self.communicator.broadcast(next(filter(None, messages or []), ""))
            raise UndeclaredAccess(f"{words} (At {when}.)")


def _allowed(
    declared: DeclaredLoops, fields: Mapping[str, Field]
) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Of each field the rows and columns that loops may read."""
    j0, j1, i0, i1, _ = declared.box
    arguments = {argument.name: argument for argument in declared.kernel.arguments}
    for name in fields:
        argument = arguments.get(name)
        if argument is None or argument.access == "write":
            yield name, nothing
        else:
            west, east, south, north = argument.depths
            yield name, (j0 - south, j1 + north, i0 - west, i1 + east)


def _whole(field: Field) -> Array:
    """All memory of a field: levels, rows and columns, those of no use too."""
    block = block_of(field)
    flat = field.storage(field.layout).flat[0]
    return flat.reshape(len(flat), block.shape[0], flat.shape[1] // block.shape[0])


def _owned(field: Field, array: Array) -> Array:
    j0, j1, i0, i1, _ = block_of(field).box_of(field.place)
    return array[:, j0:j1, i0:i1]


def _differ(one: Array, other: Array) -> bool:
    return bool((bits(one) != bits(other)).any())


def _words(name: str, depths: tuple[int, int, int, int]) -> str:
    """A field as a declaration names it.

    >>> _words("u", (1, 0, 0, 2)), _words("u", (0, 0, 0, 0))
    ('u(west=1, north=2)', 'u')
    """
    said = [f"{side}={deep}" for side, deep in zip(sides, depths, strict=True) if deep]
    return f"{name}({', '.join(said)})" if said else name
