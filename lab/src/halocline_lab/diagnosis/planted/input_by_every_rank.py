"""Every rank reads the same file through MPI-IO; mended, one reads and broadcasts."""

import os
import tempfile

import numpy as np
from mpi4py import MPI

from halocline_lab.diagnosis.planted.model import compute, fixed, halo, rank, reduce, steps, world


def main() -> None:
    """Run the program."""
    length, records = 2_000_000, 8
    name = os.path.join(tempfile.gettempdir(), f"halocline-{os.getppid()}.slow")
    field = np.zeros(length, np.uint8)
    if rank == 0:
        np.zeros(length * records, np.uint8).tofile(name)
    world.Barrier()
    file = MPI.File.Open(MPI.COMM_SELF, name, MPI.MODE_RDONLY)
    for record in range(records):
        if rank == 0 or not fixed:
            file.Read_at(record * length, field)
        if fixed:
            world.Bcast(field, root=0)
    file.Close()
    for _ in steps(20):
        compute(2e-3)
        halo()
        reduce()
    if rank == 0:
        os.remove(name)


if __name__ == "__main__":
    main()
