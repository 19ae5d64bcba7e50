"""Two numbers of each point go as a derived type; mended, they are packed."""

import numpy as np
from mpi4py import MPI

from halocline_lab.diagnosis.planted.model import compute, fixed, left, reduce, right, steps, world


def main() -> None:
    """Run the program."""
    count = 50_000
    point = np.dtype([("kind", "i4"), ("age", "i4"), ("owner", "i4"), ("rest", "u1", 52)])
    here, there = np.zeros(count, point), np.zeros(count, point)
    packed, arrived = np.zeros((2, count), "i4"), np.zeros((2, count), "i4")
    line = np.zeros((2, count))
    pair = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.INT, MPI.INT])
    kind_and_owner = pair.Create_resized(0, point.itemsize).Commit()
    for _ in steps(100):
        compute(3e-4)
        requests = [world.Irecv(line[0], left, 1), world.Isend(line[1], right, 1)]
        MPI.Request.Waitall(requests)
        if fixed:
            packed[0], packed[1] = here["kind"], here["owner"]
            requests = [world.Irecv(arrived, right, 2), world.Isend(packed, left, 2)]
            MPI.Request.Waitall(requests)
            there["kind"], there["owner"] = arrived
        else:
            requests = [
                world.Irecv([there, count, kind_and_owner], right, 2),
                world.Isend([here, count, kind_and_owner], left, 2),
            ]
            MPI.Request.Waitall(requests)
        reduce()
    kind_and_owner.Free()


if __name__ == "__main__":
    main()
