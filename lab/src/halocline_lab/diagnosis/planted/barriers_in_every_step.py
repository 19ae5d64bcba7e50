"""Ranks work unequally in each of two parts, alike in both together; barriers stand between.

Mended, there are none.
"""

from halocline_lab.diagnosis.planted.model import (
    compute,
    fixed,
    halo,
    rank,
    reduce,
    steps,
    tell_work,
    world,
)


def main() -> None:
    """Run the program."""
    tell_work(2000)
    for _ in steps(60):
        for part in range(2):
            compute(4e-3 * (1.35 if (rank + part) % 2 else 0.65))
            if not fixed:
                world.Barrier()
        halo()
        reduce()


if __name__ == "__main__":
    main()
