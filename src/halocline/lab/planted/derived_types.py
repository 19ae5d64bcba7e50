"""Columns of an array go as a derived type; mended, they are packed."""

import numpy as np
from mpi4py import MPI

from halocline.lab.planted.model import compute, fixed, left, reduce, right, steps, world


def main() -> None:
    """Run the program."""
    rows, columns = 50_000, 8
    field = np.ones((rows, columns))
    packed, arrived, line = np.zeros(rows), np.zeros(rows), np.zeros((2, rows))
    column = MPI.DOUBLE.Create_vector(rows, 1, columns).Commit()
    for _ in steps(100):
        compute(1e-3)
        # Along the rows: contiguous.
        requests = [world.Irecv(line[0], left, 1), world.Isend(line[1], right, 1)]
        MPI.Request.Waitall(requests)
        # Along the columns.
        if fixed:
            packed[:] = field[:, 1]
            requests = [world.Irecv(arrived, right, 2), world.Isend(packed, left, 2)]
            MPI.Request.Waitall(requests)
            field[:, columns - 1] = arrived
        else:
            requests = [
                world.Irecv([field[0, columns - 1 :], 1, column], right, 2),
                world.Isend([field[0, 1:], 1, column], left, 2),
            ]
            MPI.Request.Waitall(requests)
        reduce()
    column.Free()


if __name__ == "__main__":
    main()
