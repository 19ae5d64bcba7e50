"""Tracers moved by an ocean's files, by both schemes, cut in several ways; prints hashes."""

import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np

from halocline.biogeochemistry.case import TransportCase
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from biogeochemistry import sea_files as sea

communicator = world()
with tempfile.TemporaryDirectory() as name:
    folder = Path(str(communicator.broadcast(name)))
    if communicator.rank == 0:
        sea.write_grid(folder / "grid.nc")
        sea.write_corners(folder / "ocean.nc")
    communicator.broadcast("written")
    table = {
        "data_folder": str(folder),
        "grid": {
            "file": "grid.nc",
            "closed_edges": False,
            "levels": {"thickness": sea.thickness.tolist()},
        },
        "time": {"start": "2000-01-02T11:00", "length": "3h", "step": "1h"},
    }
    moved = {
        "tracers": ["constant", "layers"],
        "circulation": "files",
        "sinking": {"layers": 5.0},
        "horizontal_diffusivity": 50.0,
        "files": {"file": "ocean.nc", "largest_surface_water": 1e3},
    }
    cuts = ({}, {"blocks_per_rank": 3}, {"kind": "curve", "blocks_per_rank": 2})
    for cut in cuts:
        for advection in ("limited3", "smolarkiewicz"):
            for precision in ("float32", "float64"):
                case = TransportCase.from_table(
                    {
                        **table,
                        "precision": precision,
                        "decomposition": cut,
                        "transport": {**moved, "advection": advection},
                    }
                )
                clock = case.time.clock()
                component = case.build(clock, communicator, check_halos=cut == {})
                component.start(clock.start, restarted=False)
                for step in range(3):
                    component.step(clock.start + step * clock.step)
                fields = [field.gather() for field in component.restart_fields()]
                component.close()
                if fields[0] is not None:
                    assert all(np.isfinite(values).all() for values in fields)
                    assert np.ptp(fields[0][1]) > 0
                    text = b"".join(values.tobytes() for values in fields)
                    found = hashlib.sha256(text).hexdigest()
                    print("bits", advection, precision, found, flush=True)
    communicator.gather("read")
