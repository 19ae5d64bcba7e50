"""Tracers on tripolar grids of both kinds, cut in several ways; prints hashes."""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.biogeochemistry.transport import Transport, TransportOptions, reach
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner

sys.path.append(str(Path(__file__).parents[1]))
from biogeochemistry.folded_ocean import folded_ocean

options = TransportOptions.from_table(
    {
        "tracers": ["layers", "sand", "constant"],
        "circulation": "gyres",
        "gyres": {"gyre_transport": 5.0, "overturning_transport": 0.001},
        "sinking": {"sand": 20.0},
        "horizontal_diffusivity": 300.0,
    }
)
ways = (
    ({}, reach, {}),
    ({"blocks_per_rank": 3}, 2 * reach, {"overlap": True, "recompute_halos": True}),
    ({"kind": "curve", "blocks_per_rank": 2}, reach, {"overlap": True}),
)
for fold in ("faces", "centres"):
    grid = folded_ocean(fold)
    for cut, halo, settings in ways:
        decomposition = Decomposition(
            grid.mask,
            grid.topology,
            halo=halo,
            options=DecompositionOptions(**cut),
            communicator=world(),
            staggered=False,
        )
        for precision in ("float32", "float64"):
            model = Transport(grid, options, decomposition, 1800.0, dtype=precision)
            model.set_start()
            run = Runner(decomposition, check_halos=True, **settings)
            for number in range(3):
                model.step(run, model.state, 1800.0, number)
            contents, (least, greatest) = model.contents(), model.extremes()
            tracers = model.state.tracer.gather()
            if tracers is not None:
                assert np.isfinite(tracers).all() and np.ptp(tracers[0]) > 0
                figures = np.concatenate([contents, least, greatest])
                text = tracers.tobytes() + figures.tobytes()
                print("bits", fold, precision, hashlib.sha256(text).hexdigest(), flush=True)
