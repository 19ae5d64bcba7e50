"""Names for parts of a program, and its steps, in the records of `halocline lab record`.

    from halocline_regions import region, step, steps_end

    for number in range(steps):
        step()
        with region("advection"):
            ...
    steps_end()

All are calls of `MPI.Pcontrol` of mpi4py: without a recorder they do nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from mpi4py import MPI

mark, numbers = 0x48000000, 0x100000
named, begin_number, end_region, step_mark, steps_end_mark = 1, 2, 4, 5, 6
first = numbers // 2  # numbers below are Fortran's
names: dict[str, int] = {}


def begin(name: str) -> None:
    """A region begins; regions nest."""
    if name not in names:
        number = names[name] = first + len(names)
        for byte in name.encode():
            MPI.Pcontrol(mark + byte)
        MPI.Pcontrol(mark + named * numbers + number)
    MPI.Pcontrol(mark + begin_number * numbers + names[name])


def end() -> None:
    """The region that began last ends."""
    MPI.Pcontrol(mark + end_region * numbers)


@contextmanager
def region(name: str) -> Iterator[None]:
    """What is done inside belongs to a region."""
    begin(name)
    try:
        yield
    finally:
        end()


def step() -> None:
    """The next step begins; the one before ends."""
    MPI.Pcontrol(mark + step_mark * numbers)


def steps_end() -> None:
    """The last step ends."""
    MPI.Pcontrol(mark + steps_end_mark * numbers)
