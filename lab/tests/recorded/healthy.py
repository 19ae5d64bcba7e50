"""Healthy programs of mpi4py, named by the first argument: no advice on messages mends them."""

import sys
import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size


def compute(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def ring_all_gather():
    parts = np.zeros((size, 500))
    for _ in range(100):
        for turn in range(size - 1):
            sent, received = (rank - turn) % size, (rank - turn - 1) % size
            request = world.Isend(parts[sent], right, 1)
            world.Recv(parts[received], left, 1)
            request.Wait()


def ping_pong():
    message = np.zeros(100)
    for _ in range(500):
        if rank == 0:
            world.Send(message, 1)
            world.Recv(message, 1)
        elif rank == 1:
            world.Recv(message, 0)
            world.Send(message, 0)


def neighbours():
    here, there = np.ones((2, 100)), np.zeros((2, 100))
    for _ in range(400):
        requests = [world.Irecv(there[0], left, 1), world.Irecv(there[1], right, 2)]
        requests += [world.Isend(here[0], right, 1), world.Isend(here[1], left, 2)]
        MPI.Request.Waitall(requests)
        here[:, :] = 0.5 * (here + there)


def master_and_workers():
    task, result = np.zeros(2), np.zeros(200)
    if rank > 0:
        while True:
            world.Send(result, 0, 1)
            world.Recv(task, 0, 2)
            if task[0] < 0:
                return
            compute(task[0])
    random = np.random.default_rng(3)
    status = MPI.Status()
    for seconds in [*random.uniform(2e-4, 4e-4, 300), *[-1.0] * (size - 1)]:
        world.Recv(result, MPI.ANY_SOURCE, 1, status)
        task[0] = seconds
        world.Send(task, status.source, 2)


def pipeline():
    block = np.zeros(100)
    for _ in range(400):
        if rank > 0:
            world.Recv(block, rank - 1)
        compute(5e-5)
        if rank < size - 1:
            world.Send(block, rank + 1)


programs = (ring_all_gather, ping_pong, neighbours, master_and_workers, pipeline)

if __name__ == "__main__":
    {program.__name__: program for program in programs}[sys.argv[1]]()
