"""A small atmosphere at stations, cut in several ways; prints hashes of the values in files."""

import hashlib
import sys
import tempfile
from pathlib import Path

import netCDF4

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from atmosphere.dynamics_cases import small

points = {f"at {x}": [x, 900.0] for x in (-9700.0, -1300.0, 0.0, 2600.0, 5300.0, 9700.0)}
stations = {"points": points, "interval": "4s"}
streams = {
    "series": stations | {"variables": ["wind_u", "surface_pressure"], "processing": "mean"},
    "columns": stations | {"variables": ["layer_temperature", "isobaric_height"]},
}
moving = {
    "grid.ny": 6, "grid.y0": 0.0, "time.length": "8s", "atmosphere.mountain.kind": "bell",
    "atmosphere.mountain.height": 900.0, "atmosphere.mountain.width": 1500.0,
    "atmosphere.mountain.y": 1000.0, "atmosphere.start.wind_u": 10.0,
    "atmosphere.diagnostics.pressure_levels": [95e3, 90e3, 50e3],
}  # fmt: skip

for cut in ({}, {"decomposition.kind": "curve", "decomposition.blocks_per_rank": 3}):
    folder = world().broadcast(tempfile.mkdtemp() if world().rank == 0 else None)
    run(small(**moving | cut | {"output.stations": streams}), output=folder)
    if world().rank == 0:
        text = b""
        for name in streams:
            with netCDF4.Dataset(Path(folder) / f"{name}.nc") as file:
                text += b"".join(file[value][:].tobytes() for value in streams[name]["variables"])
        print("bits", hashlib.sha256(text).hexdigest(), flush=True)
