"""A ring, and pickled objects, by mpi4py; steps and regions by halocline_regions."""

import sys

import numpy as np
from mpi4py import MPI

sys.path.insert(0, sys.argv[1])
from halocline_regions import region, step, steps_end

world = MPI.COMM_WORLD
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size


def ring():
    a, b = np.zeros(10), np.zeros(20)
    request = world.Irecv(b, source=MPI.ANY_SOURCE, tag=3)
    world.Isend(a, right, 3).Wait()
    request.Wait()


def objects():
    world.send({"a": 1}, right, 4)
    assert world.recv(source=left, tag=4) == {"a": 1}


for _ in range(6):
    step()
    with region("exchange"):
        ring()
steps_end()
objects()
