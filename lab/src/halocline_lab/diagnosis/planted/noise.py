"""Now and then something stops a rank for a while, each time another; mended, nothing does."""

import numpy as np

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
    random = np.random.default_rng(7)
    stopped = random.random((100, size)) < 0.12
    tell_work(2000)
    for step in steps(100):
        compute(5e-3)
        if stopped[step, rank] and not fixed:
            compute(12e-3)
        halo()
        reduce()


if __name__ == "__main__":
    main()
