"""Healthy programs of the simulated machine: what they do cannot be mended as the advice knows.

Their messages follow each other closely, but each depends on the one before, or on work between.
Programs without steps end in a reduction; nothing in them is faulty on any number of ranks.
"""

import numpy as np

from records.simulated import (
    begin,
    compute,
    end,
    everyone,
    receive,
    send,
    start_receive,
    start_send,
    wait_all,
)


def shift(rank, size, length, by=1):
    """A send-receive along the ring."""
    yield start_receive((rank - by) % size, length)
    yield start_send((rank + by) % size, length)
    yield wait_all()


def ring_all_gather(rank, size):
    """Each part goes on as soon as it has come."""
    for _ in range(20):
        for _ in range(size - 1):
            yield from shift(rank, size, 1000)


def ring_of_blocking_messages(rank, size):
    """The same with MPI_Send and MPI_Recv, even ranks first."""
    right, left = (rank + 1) % size, (rank - 1) % size
    for _ in range(20 * (size - 1)):
        if rank % 2 == 0:
            yield send(right, 1000)
            yield receive(left, 1000)
        else:
            yield receive(left, 1000)
            yield send(right, 1000)


def ping_pong(rank, size):
    """Pairs of ranks answer each other."""
    if rank ^ 1 >= size:
        return
    for _ in range(300):
        if rank % 2 == 0:
            yield send(rank ^ 1, 64)
            yield receive(rank ^ 1, 64)
        else:
            yield receive(rank ^ 1, 64)
            yield send(rank ^ 1, 64)


def small_steps(rank, size):
    """A stencil on few points: one message per neighbour and step, and little work between."""
    for _ in range(80):
        yield begin()
        for partner, tag in (((rank - 1) % size, 1), ((rank + 1) % size, 2)):
            yield start_receive(partner, 200, tag)
        for partner, tag in (((rank - 1) % size, 2), ((rank + 1) % size, 1)):
            yield start_send(partner, 200, tag)
        yield wait_all()
        yield compute(15e-6)
        yield end()


def two_colours(rank, size):
    """Red points need the halo of the black ones, which need that of the red ones."""
    for _ in range(30):
        yield begin()
        for _ in range(6):
            yield from shift(rank, size, 400)
            yield from shift(rank, size, 400, by=-1)
            yield compute(4e-6)
        yield everyone()
        yield end()


def durations(tasks):
    return 1e-4 * (1.0 + np.random.default_rng(7).exponential(0.5, tasks))


def tasks_by_worker(size, tasks):
    """Which worker has which tasks, if each takes the next when it is done."""
    free, given = [0.0] * (size - 1), []
    for task, seconds in enumerate(durations(tasks)):
        worker = int(np.argmin(free))
        free[worker] += seconds
        given.append((free[worker], worker + 1, task))
    return given


def master_and_workers(rank, size):
    """Rank 0 gives a task to whom comes; the result comes back with the wish for another."""
    seconds = durations(200)
    given = tasks_by_worker(size, len(seconds))
    if rank == 0:
        waiting = [(worker, at) for at, (_, worker, _) in enumerate(given)]
        for worker, _ in waiting[: size - 1]:
            yield send(worker, 64)
        left = {worker: [w for _, w, _ in given].count(worker) - 1 for worker in range(1, size)}
        for _, worker, _ in sorted(given):
            yield receive(worker, 2000)
            if left[worker] > 0:
                left[worker] -= 1
                yield send(worker, 64)
    else:
        for _, worker, task in given:
            if worker == rank:
                yield receive(0, 64)
                yield compute(seconds[task], "task")
                yield send(0, 2000)


def pipeline(rank, size):
    """Blocks go from rank to rank, each computes a part of each."""
    for _ in range(200):
        if rank > 0:
            yield receive(rank - 1, 800)
        yield compute(2e-5)
        if rank < size - 1:
            yield send(rank + 1, 800)


def wavefront(rank, size):
    """Sweeps over a grid of processes in layers, from one corner and back from the other."""
    columns = next(n for n in range(int(size**0.5), 0, -1) if size % n == 0)
    i, j = rank % columns, rank // columns
    for sweep in range(8):
        di, dj = ((1, 1), (-1, -1))[sweep % 2]
        yield begin()
        for _ in range(30):
            if 0 <= i - di < columns:
                yield receive(rank - di, 400, 1)
            if 0 <= j - dj < size // columns:
                yield receive(rank - dj * columns, 400, 2)
            yield compute(3e-5)
            if 0 <= i + di < columns:
                yield send(rank + di, 400, 1)
            if 0 <= j + dj < size // columns:
                yield send(rank + dj * columns, 400, 2)
        yield end()


def shifts(rank, size):
    """Cannon's product: blocks go round while each rank multiplies what it has."""
    for _ in range(20):
        yield begin()
        for _ in range(size):
            yield compute(1e-4)
            yield from shift(rank, size, 3000)
            yield from shift(rank, size, 3000, by=-1)
        yield end()


def tree(rank, size):
    """A sum by hand: up a binary tree, and down again."""
    children = [child for child in (2 * rank + 1, 2 * rank + 2) if child < size]
    for _ in range(100):
        yield begin()
        yield compute(1e-4)
        for child in children:
            yield receive(child, 8)
        if rank > 0:
            yield send((rank - 1) // 2, 8)
            yield receive((rank - 1) // 2, 8)
        for child in children:
            yield send(child, 8)
        yield end()


def butterfly(rank, size):
    """A sum by hand, by recursive doubling."""
    for _ in range(100):
        yield compute(2e-5)
        stride = 1
        while stride < size:
            if rank ^ stride < size:
                yield start_receive(rank ^ stride, 8)
                yield start_send(rank ^ stride, 8)
                yield wait_all()
            stride *= 2


def two_stages(rank, size):
    """Halos east and west, then north and south with what came: corners need the first stage."""
    for _ in range(60):
        yield begin()
        yield compute(1e-4)
        for by in (1, max(1, size // 2)):
            yield from shift(rank, size, 600, by)
            yield from shift(rank, size, 600, -by)
        yield end()


def producer(rank, size):
    """What has been computed goes to the neighbour at once, who needs it for the next piece."""
    for _ in range(300):
        yield compute(2e-5)
        if rank % 2 == 0 and rank + 1 < size:
            yield send(rank + 1, 512)
        elif rank % 2 == 1:
            yield receive(rank - 1, 512)


def pairwise_exchange(rank, size):
    """A transpose by hand: to each other rank one message."""
    for _ in range(40):
        yield begin()
        yield compute(2e-4)
        for by in range(1, size):
            yield from shift(rank, size, 900, by)
        yield end()


def conjugate_gradients(rank, size):
    """A solver: halo, product, and two sums of which the second needs the first."""
    for _ in range(120):
        yield begin()
        yield from shift(rank, size, 400)
        yield from shift(rank, size, 400, by=-1)
        yield compute(2e-5, "product")
        yield everyone()
        yield compute(1.2e-5, "update")
        yield everyone()
        yield end()


healthy_programs = {
    program.__name__: program
    for program in (
        ring_all_gather,
        ring_of_blocking_messages,
        ping_pong,
        small_steps,
        two_colours,
        master_and_workers,
        pipeline,
        wavefront,
        shifts,
        tree,
        butterfly,
        two_stages,
        producer,
        pairwise_exchange,
        conjugate_gradients,
    )
}
