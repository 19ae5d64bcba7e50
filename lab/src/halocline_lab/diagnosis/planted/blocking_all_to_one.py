"""All ranks send their variables to rank 0, one by one; mended, one collective takes them."""

import numpy as np

from halocline_lab.diagnosis.planted.model import (
    compute,
    fixed,
    halo,
    rank,
    reduce,
    size,
    steps,
    world,
)


def main() -> None:
    """Run the program."""
    variables, length = 500, 32
    mine = np.ones((variables, length))
    whole = np.zeros((size, variables, length))
    for _ in steps(100):
        compute(2e-3)
        halo()
        if fixed:
            world.Gather(mine, whole if rank == 0 else None, root=0)
        elif rank == 0:
            for other in range(1, size):
                for n in range(variables):
                    world.Recv(whole[other, n], other, n)
        else:
            for n in range(variables):
                world.Send(mine[n], 0, n)
        reduce()


if __name__ == "__main__":
    main()
