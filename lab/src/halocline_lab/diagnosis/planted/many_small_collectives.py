"""Rank 0 scatters a field point by point; mended, many points at a time."""

import numpy as np

from halocline_lab.diagnosis.planted.model import compute, fixed, halo, rank, size, steps, world


def main() -> None:
    """Run the program."""
    points, length = 500, 32
    whole = np.ones((points, size, length))
    mine = np.zeros((points, length))
    for _ in steps(60):
        compute(1e-3)
        halo()
        if fixed:
            packed = np.ascontiguousarray(whole.swapaxes(0, 1)) if rank == 0 else None
            world.Scatter(packed, mine, root=0)
        else:
            for n in range(points):
                world.Scatter(whole[n] if rank == 0 else None, mine[n], root=0)


if __name__ == "__main__":
    main()
