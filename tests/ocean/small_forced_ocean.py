"""The forced ocean of forced_ocean.py, cut in several ways; prints hashes."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from halocline.ocean.fresh_water_options import MarginalSeaOptions, RiverOptions
from halocline.ocean.region_options import RegionOptions
from halocline.ocean.relaxation_options import RelaxationOptions
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from ocean.forced_ocean import advance, build, everything

path = sys.argv[1]
west = RegionOptions(boxes=[(-1.5, 13.5, 36.5, 80.0)])
east = RegionOptions(boxes=[(40.0, 50.0, 36.5, 80.0)])
yearly = {"file": path, "every_year": True}
given = everything.forcing
options = replace(
    everything,
    averaging=3,
    checkerboard=0.1,
    start=replace(everything.start, deep=-1.8, range=-0.05, overturn=True),
    wind=replace(everything.wind, **yearly),
    forcing=replace(
        given,
        heat=replace(given.heat, **yearly),
        temperature=replace(given.temperature, **yearly, target="files", variable="sst"),
        water=replace(
            given.water,
            **yearly,
            variable="rain",
            rivers={"nile": RiverOptions(mouth=(31.0, 39.0), flow=5e4, spread=5e5)},
            marginal_seas={"east": MarginalSeaOptions(sea=east, outlet=west)},
        ),
    ),
    relax={"west": RelaxationOptions(box=west.boxes[0], ramp=(0.0, 6.0, 0.0, 0.0))},
)
sky = replace(given.bulk, **yearly, radiation="formulas", cloud=0.5)
air = replace(
    options,
    wind=everything.wind,
    forcing=replace(options.forcing, heat=given.heat, bulk=sky),
)
curve = {"kind": "curve", "blocks_per_rank": 2}
thirds = {"blocks_per_rank": 3}
ways = [
    ({}, options, "float32"),
    ({}, options, "float64"),
    (thirds, options, "float64"),
    ({}, air, "float64"),
    (curve, air, "float64"),
]
for cut, chosen, precision in ways:
    made = build(
        chosen, cut=cut, precision=precision, communicator=world(), check_halos=cut is thirds
    )
    component = made[0]
    assert component.remarks
    advance(*made, 3)
    s = component.model.state
    fields = [s.tracer, s.heat_store, s.layer, s.u, s.stress_x, s.water_flux]
    arrays = [field.gather() for field in fields]
    if arrays[0] is not None:
        assert all(np.isfinite(array).all() and array.any() for array in arrays)
        text = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        print("bits", precision, chosen is air, hashlib.sha256(text).hexdigest(), flush=True)
    component.close()
