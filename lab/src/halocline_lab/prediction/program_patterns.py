"""Programs of common patterns, of any number of ranks: one step, done as often as wanted.

All step programs have a phase "step" around each step. Times are seconds on the machine that counts
as 1, sizes bytes. `imbalance` is how much longer than the mean the slowest rank computes, as a
share of the mean; ranks differ evenly between that and as much less, in an order that is always
the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import nobody
from halocline_lab.prediction.programs import Program, ProgramBuilder

Ints = NDArray[np.int64]


def grid_of(ranks: int, dimensions: int) -> tuple[int, ...]:
    """Numbers of ranks along each axis, as near to each other as they get (R-17).

    >>> grid_of(256, 2), grid_of(64, 3), grid_of(7, 2)
    ((16, 16), (4, 4, 4), (7, 1))
    """
    if dimensions == 1:
        return (ranks,)
    most = round(ranks ** (1.0 / dimensions) + 1e-9)
    least = max(n for n in range(1, most + 1) if ranks % n == 0)
    return tuple(sorted((*grid_of(ranks // least, dimensions - 1), least), reverse=True))


def neighbour(shape: Sequence[int], axis: int, step: int, *, periodic: bool) -> Ints:
    """The rank next to each rank along an axis of a grid of ranks, the last axis fastest.

    >>> neighbour((2, 3), 1, 1, periodic=False)
    array([ 1,  2, -1,  4,  5, -1])
    """
    places = np.indices(tuple(shape)).reshape(len(shape), -1)
    moved = places.copy()
    moved[axis] += step
    inside = (moved[axis] >= 0) & (moved[axis] < shape[axis])
    moved[axis] %= shape[axis]
    found: Ints = np.array(np.ravel_multi_index(tuple(moved), tuple(shape)), np.int64)
    found[~inside & (not periodic)] = nobody
    return found


def work(seconds: float, ranks: int, imbalance: float) -> NDArray[np.float64]:
    """What each rank computes: the mean is `seconds`, the largest `1 + imbalance` times that.

    >>> work(1.0, 3, 0.2).round(2)
    array([0.8, 1. , 1.2])
    """
    # Multiples of a number without common factors visit all ranks, neighbours far apart.
    stride = next(n for n in range(max(1, int(0.6 * ranks)), 2 * ranks + 2) if _coprime(n, ranks))
    place = np.arange(ranks) * stride % ranks
    return seconds * (1.0 + imbalance * (2.0 * place / max(1, ranks - 1) - 1.0 * (ranks > 1)))


def _coprime(a: int, b: int) -> bool:
    return math.gcd(a, b) == 1


def add_halo(
    build: ProgramBuilder, shape: Sequence[int], sizes: ArrayLike, ranks: ArrayLike | None = None
) -> None:
    """Exchange with both neighbours along each axis of a periodic grid of the first ranks."""
    sizes = np.broadcast_to(np.asarray(sizes, np.int64), (len(shape),))
    sides = [(axis, step) for axis in range(len(shape)) if shape[axis] > 1 for step in (-1, 1)]
    region = build.region("completion", "completion")
    build.enter("halo", "halo", ranks)
    for axis, step in sides:
        partner = neighbour(shape, axis, step, periodic=True)
        tag = 2 * axis + (step < 0)  # the neighbour below sends upward
        build.message("start receive", partner, sizes[axis], ranks, tag=tag, request=1 + tag)
    for axis, step in sides:
        partner = neighbour(shape, axis, step, periodic=True)
        tag = 2 * axis + (step > 0)
        build.message("start send", partner, sizes[axis], ranks, tag=tag, request=11 + tag)
    build.enter("MPI_Waitall", "wait", ranks)
    requests = [first + 2 * axis + (step < 0) for first in (1, 11) for axis, step in sides]
    for request in requests:
        together = int(request != requests[-1])
        build.add("wait", ranks, request=request, tag=together, region=region)
    build.leave("MPI_Waitall", "wait", ranks)
    build.leave("halo", "halo", ranks)


def halo(
    ranks: int,
    *,
    size: int | Sequence[int] = 8192,
    seconds: float = 1e-3,
    dimensions: int = 2,
    grid: Sequence[int] | None = None,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """A computation, then a halo on a periodic grid of ranks.

    >>> halo(4, steps=3).size
    4
    """
    shape = _shape(ranks, dimensions, grid)
    build = ProgramBuilder(ranks)
    build.enter("step")
    build.compute(work(seconds, ranks, imbalance), name="interior")
    add_halo(build, shape, size)
    build.leave("step")
    return build.program(steps)


def _shape(ranks: int, dimensions: int, grid: Sequence[int] | None) -> tuple[int, ...]:
    shape = tuple(grid) if grid is not None else grid_of(ranks, dimensions)
    if math.prod(shape) != ranks:
        words = "x".join(map(str, shape))
        raise UserError(
            f"The process grid {words} has {math.prod(shape)} ranks, not {ranks}. Give factors of"
            f" {ranks}, for example {'x'.join(map(str, grid_of(ranks, len(shape))))}."
        )
    return shape


def collective(
    ranks: int,
    which: str,
    *,
    size: int = 8,
    seconds: float = 1e-3,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """A computation, then a collective operation; `size` is what each rank contributes.

    Of an all-to-all and a scatter it is what goes to each rank.
    """
    build = ProgramBuilder(ranks)
    rooted = which in ("broadcast", "reduce", "gather", "scatter")
    whole = size * ranks if which in ("all to all", "scatter") else size
    build.enter("step")
    build.compute(work(seconds, ranks, imbalance), name="work")
    build.collective(which, whole, root=0 if rooted else nobody)
    build.leave("step")
    return build.program(steps)


def all_to_one(
    ranks: int,
    *,
    size: int = 8192,
    seconds: float = 1e-3,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """A computation, then each rank sends to rank 0, which receives in the order of ranks."""
    build = ProgramBuilder(ranks)
    build.enter("step")
    build.compute(work(seconds, ranks, imbalance), name="work")
    others = np.arange(1, ranks)
    build.message("receive", others, size, np.zeros(ranks - 1, int))
    build.message("send", 0, size, others)
    build.leave("step")
    return build.program(steps)


def one_to_all(
    ranks: int,
    *,
    size: int = 8192,
    seconds: float = 1e-3,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """Rank 0 sends to each other rank in their order, and then all compute."""
    build = ProgramBuilder(ranks)
    build.enter("step")
    others = np.arange(1, ranks)
    build.message("send", others, size, np.zeros(ranks - 1, int))
    build.message("receive", 0, size, others)
    build.compute(work(seconds, ranks, imbalance), name="work")
    build.leave("step")
    return build.program(steps)


def wavefront(
    ranks: int,
    *,
    size: int = 8192,
    seconds: float = 1e-3,
    grid: Sequence[int] | None = None,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """Each rank of a plane waits for its south and west neighbours, computes, and sends on."""
    shape = _shape(ranks, 2, grid)
    build = ProgramBuilder(ranks)
    build.enter("step")
    for axis in (0, 1):
        below = neighbour(shape, axis, -1, periodic=False)
        build.message("receive", below, size, tag=axis)
    build.compute(work(seconds, ranks, imbalance), name="block")
    for axis in (0, 1):
        above = neighbour(shape, axis, 1, periodic=False)
        build.message("send", above, size, tag=axis)
    build.leave("step")
    return build.program(steps)


def solver(
    ranks: int,
    *,
    size: int | Sequence[int] = 1024,
    seconds: float = 1e-4,
    sums: int = 2,
    words: int = 1,
    grid: Sequence[int] | None = None,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """Iterations of conjugate gradients: a halo, an operator, and `sums` global sums of `words`.

    With two sums of one word it is the classical method, with one of two words that of Chronopoulos
    and Gear (1989).
    """
    shape = _shape(ranks, 2, grid)
    build = ProgramBuilder(ranks)
    build.enter("step")
    add_halo(build, shape, size)
    amount = work(seconds, ranks, imbalance) / max(1, sums)
    for _ in range(sums):
        build.compute(amount, name="operator")
        build.collective("all reduce", 8 * words)
    build.leave("step")
    return build.program(steps)


def frames(
    ranks: int,
    *,
    servers: int = 1,
    frame: float = 1e8,
    writing: float = 1e9,
    every: int = 10,
    seconds: float = 1e-3,
    size: int | Sequence[int] = 8192,
    imbalance: float = 0.0,
    steps: int = 1,
) -> Program:
    """Halo steps of the first ranks; a frame of `frame` bytes goes to the last ranks, the servers.

    A repetition is `every` steps and one frame. Workers start to send their share and go on; they
    wait for it before the next frame. Servers write with `writing` bytes per second together. With
    no servers, rank 0 gathers and writes while all wait.
    """
    workers = ranks - servers
    if workers < 1:
        raise UserError(f"{servers} servers of {ranks} ranks leave nobody to compute. Use fewer.")
    build = ProgramBuilder(ranks)
    shape = grid_of(workers, 2)
    mine = np.arange(workers)
    build.enter("step")
    for _ in range(every):
        amount = work(seconds, workers, imbalance)
        build.compute(amount, mine, name="interior")
        add_halo(build, shape, size, mine)
    share = int(frame / workers)
    if servers == 0:
        build.collective("gather", share, root=0)
        build.compute(frame / writing, [0], name="write")
        build.collective("barrier")
    else:
        add_to_servers(build, workers, servers, share, frame / writing)
    build.leave("step")
    return build.program(math.ceil(steps / every))


frame_tag = 99


def add_to_servers(
    build: ProgramBuilder, workers: int, servers: int, share: int, writing: float
) -> None:
    """The first ranks start to send their shares of a frame to the last, which write for a time."""
    mine = np.arange(workers)
    server = workers + mine * servers // workers
    region = build.region("MPI_Wait", "wait")
    build.enter("output", "output")
    build.add("wait", mine, request=frame_tag, region=region)  # the frame before
    build.message("start send", server, share, mine, tag=frame_tag, request=frame_tag)
    build.message("receive", mine, share, server, tag=frame_tag)
    at_servers = np.arange(workers, workers + servers)
    build.compute(writing, at_servers, name="write")
    build.leave("output", "output")
