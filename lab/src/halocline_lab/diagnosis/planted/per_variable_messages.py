"""A message for every variable; mended, one for all of them."""

import numpy as np
from mpi4py import MPI

from halocline_lab.diagnosis.planted.model import compute, fixed, left, reduce, right, steps, world


def main() -> None:
    """Run the program."""
    variables, length = 400, 16
    here, there = np.ones((2, variables, length)), np.zeros((2, variables, length))
    count = 1 if fixed else variables
    requests = [MPI.REQUEST_NULL] * (4 * count)
    for _ in steps(100):
        compute(1e-3)
        packed = [part.reshape(count, -1) for part in (here[0], here[1], there[0], there[1])]
        for n in range(count):
            requests[2 * n] = world.Irecv(packed[2][n], left, n)
            requests[2 * n + 1] = world.Irecv(packed[3][n], right, count + n)
        for n in range(count, 2 * count):
            requests[2 * n] = world.Isend(packed[0][n - count], right, n - count)
            requests[2 * n + 1] = world.Isend(packed[1][n - count], left, n)
        MPI.Request.Waitall(requests)
        reduce()


if __name__ == "__main__":
    main()
