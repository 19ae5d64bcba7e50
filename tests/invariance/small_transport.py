"""Four tracers in upper levels of the real ocean, cut and run in several ways; prints hashes."""

import hashlib

import numpy as np

from halocline.biogeochemistry.transport import Transport, TransportOptions, reach
from halocline.component.case.shipped import data_folder
from halocline.grids.vertical.levels import read_layers
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner

options = TransportOptions(
    tracers=["a", "b", "c", "constant"],
    circulation="gyres",
    sinking={"b": 20.0},
    horizontal_diffusivity=1000.0,
)
communicator = world()
grid = read_layers(data_folder() / "g_pop_x1_grid.nc", 3)
ways = (
    ({}, reach, {}),
    ({"blocks_per_rank": 3}, 2 * reach, {"overlap": True, "recompute_halos": True}),
    ({"kind": "curve", "blocks_per_rank": 2}, reach, {"overlap": True}),
)
for cut, halo, settings in ways:
    decomposition = Decomposition(
        grid.mask,
        grid.topology,
        halo=halo,
        options=DecompositionOptions(**cut),
        communicator=communicator,
    )
    for precision in ("float32", "float64"):
        model = Transport(grid, options, decomposition, 3600.0, dtype=precision)
        model.set_start()
        run = Runner(decomposition, check_halos=True, **settings)
        for number in range(2):
            model.step(run, model.state, 3600.0, number)
        contents, (least, greatest) = model.contents(), model.extremes()
        tracers = model.state.tracer.gather()
        if tracers is not None:
            assert np.isfinite(tracers).all() and np.ptp(tracers[0]) > 0
            figures = np.concatenate([contents, least, greatest])
            text = tracers.tobytes() + figures.tobytes()
            print("bits", precision, hashlib.sha256(text).hexdigest(), flush=True)
