"""Weights made by all ranks, each a share of the points; prints hashes of the whole."""

import hashlib
import sys
import tempfile
from pathlib import Path

from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.kept import kept_rows, made_by_all
from halocline.grids.remapping.remap import RemapOptions, SurfaceRemap, methods
from halocline.grids.remapping.surface import Surface
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import world

communicator = world()
source = build_grid(GridOptions(kind="tripole", nx=48, ny=30, land=[[100.0, 160.0, -30.0, 20.0]]))
target = build_grid(GridOptions(nx=30, ny=21, x0=3.0, y0=-70.0, dx=12.0, dy=7.0))
surfaces = [Surface.of(grid, Place.center, "a grid") for grid in (source, target)]
folder = communicator.broadcast(tempfile.mkdtemp() if communicator.rank == 0 else None)
for method in methods:
    remap = SurfaceRemap(*surfaces, RemapOptions(method=method, extrapolation="creep"))
    made = made_by_all(remap, communicator)
    kept_rows(remap, Path(folder), communicator)
    again = kept_rows(remap, Path(folder), communicator)
    for rows in (made, again):
        parts = (rows.counts, rows.numbers, rows.weights)
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
        if communicator.rank == 0:
            print("bits", method, rows is made, digest)
sys.stdout.flush()
