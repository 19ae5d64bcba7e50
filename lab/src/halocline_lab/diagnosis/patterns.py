"""Patterns of messages between ranks: halos on a grid of processes, all-to-one, rings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from halocline_lab.diagnosis.timeline import Integers


@dataclass(frozen=True)
class Pattern:
    """What the messages look like: a name, words on it, and the grid of processes of a halo.

    Names: "none", "all-to-one", "one-to-all", "master-worker", "all-to-all", "ring", "pipeline",
    "halo 1D", "halo 2D", "halo 3D", "butterfly", "irregular", "collective". `grid` counts processes
    from the slowest dimension to the fastest: rank = (k * nj + j) * ni + i; `periodic` names the
    dimensions that close ("j", "i").
    """

    name: str
    words: str
    grid: list[int]
    periodic: str


rare = 20
"""Pairs with so many times fewer messages than the median pair make no pattern."""


def recognise(senders: ArrayLike, receivers: ArrayLike, counts: ArrayLike, size: int) -> Pattern:
    """The pattern of messages among `size` ranks, each row from a sender to a receiver."""
    first, second = np.asarray(senders, np.int64), np.asarray(receivers, np.int64)
    weight = np.asarray(counts, np.int64)
    used = (weight > 0) & (first != second)
    used &= weight * rare > np.median(weight[used]) if used.any() else used
    edges = np.unique(first[used] * max(size, 1) + second[used])
    if not edges.size:
        return Pattern("none", "no messages between ranks", [], "")
    sender, receiver = np.divmod(edges, size)
    return (
        _star(sender, receiver, size)
        or _line(sender, receiver, size)
        or _everyone(sender, receiver, size)
        or _butterfly(sender, receiver, size)
        or _grid(sender, receiver, size)
        or Pattern("irregular", f"{len(edges)} pairs of ranks, of no known pattern", [], "")
    )


def _star(sender: Integers, receiver: Integers, size: int) -> Pattern | None:
    """One rank in the middle of all; with two ranks this says nothing."""
    if size < 3 or len(sender) < size - 1:
        return None
    if (receiver == receiver[0]).all():
        return Pattern("all-to-one", f"all ranks send to rank {receiver[0]}", [], "")
    if (sender == sender[0]).all():
        return Pattern("one-to-all", f"rank {sender[0]} sends to all", [], "")
    middle = int(np.argmax(np.bincount(np.concatenate([sender, receiver]), minlength=size)))
    if len(sender) == 2 * (size - 1) and ((sender == middle) | (receiver == middle)).all():
        words = f"rank {middle} sends to all and all send to it"
        if size > 3 or middle != 1:
            return Pattern("master-worker", words, [], "")
    return None


def _line(sender: Integers, receiver: Integers, size: int) -> Pattern | None:
    """Each rank sends to the next one only."""
    step = receiver - sender
    if len(sender) == size - 1 and size > 2 and (step == step[0]).all() and abs(step[0]) == 1:
        return Pattern("pipeline", "each rank sends to the next, the last to none", [], "")
    around = step % size
    if len(sender) == size and size > 2 and (around == around[0]).all():
        if around[0] in (1, size - 1):
            return Pattern("ring", "each rank sends to the next, the last to the first", [], "")
    return None


def _everyone(sender: Integers, receiver: Integers, size: int) -> Pattern | None:
    if size > 3 and len(sender) == size * (size - 1):
        return Pattern("all-to-all", "each rank sends to each other", [], "")
    return None


def _butterfly(sender: Integers, receiver: Integers, size: int) -> Pattern | None:
    """Partners differ in one bit of their number, in each bit."""
    if size < 8 or size & (size - 1):
        return None
    difference = sender ^ receiver
    bits = size.bit_length() - 1
    if len(sender) == size * bits and ((difference & (difference - 1)) == 0).all():
        return Pattern("butterfly", "partners differ in one bit of their rank", [], "")
    return None


def _grid(sender: Integers, receiver: Integers, size: int) -> Pattern | None:
    """The grid of processes on which most neighbours, and only they, exchange messages."""
    best: tuple[float, Pattern] | None = None
    for grid in _grids(size):
        found = _fit(sender, receiver, grid)
        if found is not None and (best is None or found[0] > best[0] + 1e-9):
            best = found
    return best[1] if best is not None and best[0] >= 0.5 else None


def _grids(size: int) -> Iterator[tuple[int, ...]]:
    """Ways to arrange ranks, those of fewer dimensions first."""
    yield (size,)
    for slow in range(2, size // 2 + 1):
        if size % slow == 0:
            yield (slow, size // slow)
    for slow in range(2, size // 4 + 1):
        if size % slow == 0:
            rest = size // slow
            for middle in range(2, rest // 2 + 1):
                if rest % middle == 0:
                    yield (slow, middle, rest // middle)


def _fit(
    sender: Integers, receiver: Integers, grid: tuple[int, ...]
) -> tuple[float, Pattern] | None:
    """How much of the halo on a grid the messages are; None where others are among them."""
    here, there = (np.array(np.unravel_index(ranks, grid)) for ranks in (sender, receiver))
    step = there - here
    lengths = np.array(grid)[:, None]
    wrapped = np.where(2 * np.abs(step) > lengths, step - np.sign(step) * lengths, step)
    if (np.abs(wrapped) > 1).any():
        return None
    closes = ((wrapped != step) & (lengths > 2)).any(axis=1)
    corners = bool((np.abs(wrapped).sum(axis=0) > 1).any())
    expected = _pairs_of_halo(grid, closes.tolist(), corners)
    names = "kji"[-len(grid) :]
    periodic = "".join(name for name, one in zip(names, closes, strict=True) if one)
    words = " x ".join(str(n) for n in grid) + " processes"
    words += ", with corners" if corners else ""
    words += f", closing along {' and '.join(periodic)}" if periodic else ""
    size = int(np.prod(grid))
    share = len(sender) / max(expected, 1)
    if expected == size * (size - 1) and len(grid) > 1 and share < 1.0:
        return None  # all are neighbours of all: any messages fit
    return share, Pattern(f"halo {len(grid)}D", words, list(grid), periodic)


def _pairs_of_halo(grid: tuple[int, ...], closes: list[bool], corners: bool) -> int:
    """Number of (sender, receiver) of a whole halo on a grid."""
    if corners:
        ways = [
            n + (2 * n if close else 2 * (n - 1)) for n, close in zip(grid, closes, strict=True)
        ]
        return int(np.prod(ways)) - int(np.prod(grid))
    size = int(np.prod(grid))
    lines = zip(grid, closes, strict=True)
    return sum(size // n * (2 * n if close else 2 * (n - 1)) for n, close in lines)
