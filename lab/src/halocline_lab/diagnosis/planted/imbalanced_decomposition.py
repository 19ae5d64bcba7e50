"""Rank 0 has more points than the others; mended, all have the same."""

from halocline_lab.diagnosis.planted.model import (
    compute,
    fixed,
    halo,
    rank,
    reduce,
    size,
    steps,
    tell_work,
)


def main() -> None:
    """Run the program."""
    points = 2000
    mine = points if fixed else round(points * (1.75 if rank == 0 else (size - 1.75) / (size - 1)))
    tell_work(mine)
    for _ in steps(60):
        compute(8e-3 * mine / points)
        halo()
        reduce()


if __name__ == "__main__":
    main()
