"""The last rank takes longer for equal work; mended, it does not."""

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
    pace = 1.0 if fixed or rank < size - 1 else 1.6
    tell_work(points)
    for _ in steps(60):
        compute(4e-3 * pace)
        halo()
        compute(4e-3 * pace)
        reduce()


if __name__ == "__main__":
    main()
