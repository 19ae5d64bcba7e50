"""Even ranks compute before they send what they had before; mended, they send first."""

import numpy as np
from mpi4py import MPI

from halocline_lab.diagnosis.planted.model import compute, fixed, rank, reduce, steps, world


def main() -> None:
    """Run the program."""
    message = np.zeros(500)
    for _ in steps(50):
        compute(4e-3)
        reduce()
        if rank % 2 == 0:
            if not fixed:
                compute(6e-3)
            request = world.Isend(message, rank + 1, 3)
            if fixed:
                compute(6e-3)
            MPI.Request.Wait(request)
        else:
            world.Recv(message, rank - 1, 3)
            compute(6e-3)
        reduce()


if __name__ == "__main__":
    main()
