"""All ranks write maps through MPI-IO and wait; mended, a thread of each writes behind."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from mpi4py import MPI

from halocline_lab.diagnosis.planted.model import compute, fixed, halo, rank, reduce, steps


def main() -> None:
    """Run the program."""
    length, every = 1_000_000, 5
    field = np.zeros(length, np.uint8)
    name = os.path.join(tempfile.gettempdir(), f"halocline-{os.getppid()}-{rank}.slow")
    handle = os.open(name, os.O_CREAT | os.O_WRONLY)
    file = MPI.File.Open(MPI.COMM_SELF, name, MPI.MODE_WRONLY)
    with ThreadPoolExecutor(1) as behind:
        for step in steps(50):
            compute(4e-3)
            halo()
            reduce()
            if step % every == every - 1:
                offset = step // every * length
                if fixed:
                    behind.submit(os.pwrite, handle, field.tobytes(), offset)
                else:
                    file.Write_at(offset, field)
    file.Close()
    os.close(handle)
    os.remove(name)


if __name__ == "__main__":
    main()
