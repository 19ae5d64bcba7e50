"""Weights from a million points to a million, a share for each rank; prints times and memory."""

import resource
import sys
import time

import numpy as np

from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.remap import GridRemap, RemapOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import world

rows, columns = 707, 1414
communicator = world()
step_x, step_y = 360.0 / columns, 180.0 / rows
tripole = build_grid(GridOptions(kind="tripole", nx=columns, ny=rows, closed_edges=False))
regular = build_grid(
    GridOptions(
        nx=columns, ny=rows, x0=0.1, y0=0.5 * step_y - 90.0, dx=step_x, dy=step_y,
        closed_edges=False,
    )
)  # fmt: skip
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
j, i = np.nonzero(regular.mask)
rank, size = communicator.rank, communicator.size
share = slice(j.size * rank // size, j.size * (rank + 1) // size)
communicator.gather(None)
begin, cpu = time.perf_counter(), time.process_time()
remap = GridRemap(tripole, regular, RemapOptions(method=sys.argv[1]), ("a", "b"))
weights = remap(Place.center, Place.center, j[share], i[share])
took = time.perf_counter() - begin, time.process_time() - cpu
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
found = communicator.gather((*took, more / 1024, weights.place.size))
if found is not None:
    parts = zip(*found, strict=True)
    wall, processor, memory, terms = (tuple(part) for part in parts)
    print(
        f"seconds {max(wall):.1f} processor {max(processor):.1f} MB {max(memory):.0f}", sum(terms)
    )
