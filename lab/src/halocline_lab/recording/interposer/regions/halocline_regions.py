"""Names for parts of a program, and its steps, in the records of `halocline lab record`.

    from halocline_regions import region, step, steps_end

    for number in range(steps):
        step()
        with region("advection"):
            ...
    steps_end()

All are names given to a communicator of our own by mpi4py: without a recorder nobody reads them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from mpi4py import MPI

told = MPI.COMM_SELF.Dup()


def begin(name: str) -> None:
    """A region begins; regions nest."""
    told.Set_name("halocline:begin:" + name[:40])


def end() -> None:
    """The region that began last ends."""
    told.Set_name("halocline:end")


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
    told.Set_name("halocline:step")


def steps_end() -> None:
    """The last step ends."""
    told.Set_name("halocline:steps end")
