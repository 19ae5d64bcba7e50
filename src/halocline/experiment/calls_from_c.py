"""The calls of halocline.h as functions of C, for other_languages/halocline.c: it starts Python and
asks for their addresses."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.outside import Loops
from halocline.experiment.joining import Program, join

number, real, words = ctypes.c_int64, ctypes.c_double, ctypes.c_char_p
numbers, reals = ctypes.POINTER(number), ctypes.POINTER(real)


class Calls:
    """What the table of halocline.c holds, in its order; names are those of its entries."""

    program: Program

    def join(self, member: bytes | None) -> None:
        self.program = join((member or b"").decode())

    def cells(self, count: int, cells: Any, longitude: Any, latitude: Any) -> None:
        east, north = (array(some, count) if some else None for some in (longitude, latitude))
        self.program.cells(array(cells, count), east, north)

    def gives(self, name: bytes, units: bytes) -> None:
        self.program.gives(name.decode(), units.decode())

    def takes(self, name: bytes, units: bytes) -> None:
        self.program.takes(name.decode(), units.decode())

    def put(self, name: bytes, count: int, values: Any) -> None:
        self.program.put(name.decode(), array(values, count))

    def take(self, name: bytes, count: int, values: Any) -> None:
        self.program.take_into(name.decode(), array(values, count))

    def field(self, name: bytes, axes: int, bounds: Any) -> None:
        """Where a field lies: address, first column and row, columns, rows and levels there.

        The program sees it with so many axes.
        """
        array, row, column = self.program.window(name.decode(), axes)
        levels, rows, columns = array.shape
        found = array.ctypes.data, column, row, columns, rows, levels
        for at, value in enumerate(found):
            bounds[at] = value

    def kernel(
        self, loops: int, in_fortran: int, name: bytes, reads: bytes, writes: bytes, updates: bytes
    ) -> None:
        make = loops_of_fortran if in_fortran else loops_of_c
        words = (some.decode() for some in (reads, writes, updates))
        self.program.declare(loops, name.decode(), make(loops), *words)

    def run(self, loops: int) -> None:
        self.program.compute(loops)

    def sum(self, name: bytes, found: Any) -> None:
        found[0] = self.program.sum(name.decode())

    def largest(self, name: bytes, found: Any) -> None:
        found[0] = self.program.largest(name.decode())

    def step(self) -> int:
        return int(self.program.step())

    def end(self) -> None:
        self.program.end()

    def fact(self, name: bytes) -> int:
        program = self.program
        if name == b"communicator":
            return int(program.communicator.py2f())
        known = {
            b"rank": program.communicator.Get_rank(),
            b"ranks": program.communicator.Get_size(),
            b"rows": program.shape[0],
            b"columns": program.shape[1],
            b"restarted": program.restarted,
        }
        return int(known[name])

    def seconds(self, name: bytes) -> float:
        return self.program.seconds if name == b"seconds" else self.program.step_length


kinds: dict[str, Any] = {
    "join": ctypes.CFUNCTYPE(number, words),
    "cells": ctypes.CFUNCTYPE(number, number, numbers, reals, reals),
    "gives": ctypes.CFUNCTYPE(number, words, words),
    "takes": ctypes.CFUNCTYPE(number, words, words),
    "put": ctypes.CFUNCTYPE(number, words, number, reals),
    "take": ctypes.CFUNCTYPE(number, words, number, reals),
    "field": ctypes.CFUNCTYPE(number, words, number, numbers),
    "kernel": ctypes.CFUNCTYPE(number, ctypes.c_void_p, number, words, words, words, words),
    "run": ctypes.CFUNCTYPE(number, ctypes.c_void_p),
    "sum": ctypes.CFUNCTYPE(number, words, reals),
    "largest": ctypes.CFUNCTYPE(number, words, reals),
    "step": ctypes.CFUNCTYPE(number),
    "end": ctypes.CFUNCTYPE(number),
    "fact": ctypes.CFUNCTYPE(number, words),
    "seconds": ctypes.CFUNCTYPE(real, words),
}

whole = ctypes.c_int


def loops_of_c(address: int) -> Loops:
    """Loops that C has at an address: first and last columns and rows, the last not included."""
    found: Loops = ctypes.CFUNCTYPE(None, whole, whole, whole, whole)(address)
    return found


def loops_of_fortran(address: int) -> Loops:
    """Those of Fortran, which counts from 1, includes the last, and takes addresses."""
    place = ctypes.POINTER(whole)
    call = ctypes.CFUNCTYPE(None, place, place, place, place)(address)
    bounds = (whole * 4)()
    places = [ctypes.pointer(whole.from_buffer(bounds, 4 * at)) for at in range(4)]

    def loops(i0: int, i1: int, j0: int, j1: int) -> None:
        bounds[0], bounds[1], bounds[2], bounds[3] = i0 + 1, i1, j0 + 1, j1
        call(*places)

    return loops


kept: list[Any] = []
"""Functions live as long as this holds them."""


def fill(address: int, size: int) -> None:
    """Write the addresses of all functions into the table at an address."""
    calls = Calls()
    kept.extend(kind(ending(getattr(calls, name))) for name, kind in kinds.items())
    table = (ctypes.c_void_p * len(kept)).from_address(address)
    assert ctypes.sizeof(table) == size, "halocline.c has another table"
    for at, function in enumerate(kept):
        table[at] = ctypes.cast(function, ctypes.c_void_p)


def ending(action: Callable[..., float | None]) -> Callable[..., float]:
    """What an action gives, 0 for nothing; -1 - code where the program has to end with a code."""

    def act(*arguments: Any) -> float:
        try:
            return action(*arguments) or 0
        except SystemExit as end:
            sys.stderr.flush()
            return -1 - int(end.code or 0)

    return act


def array(values: Any, count: int) -> NDArray[Any]:
    """An array of C; of none there may be no address."""
    return np.ctypeslib.as_array(values, (count,)) if count else np.zeros(0)
