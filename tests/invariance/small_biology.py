"""BFM in a small sea with land, cut and run in several ways; prints hashes."""

import hashlib

import numpy as np

from halocline.biogeochemistry.biogeochemistry_case import BiogeochemistryCase
from halocline.core.clock import Clock
from halocline.runtime.ranks.communicator import world

depth = np.where(np.random.default_rng(1).random((9, 13)) < 0.3, 0.0, 60.0)
table = {
    "grid": {
        "nx": 13,
        "ny": 9,
        "depth": depth.tolist(),
        "closed_edges": False,
        "levels": {"thickness": [30.0, 30.0]},
    },
    "time": {"start": "2001-04-01", "length": "2h", "step": "30min"},
    "light": {"course": "given"},
    "perturbation": {"amplitude": 0.2},
    "biology": {"bfm": {"sinking": {"floor": "returned"}}},
}
for cut in ({}, {"blocks_per_rank": 3}, {"kind": "curve", "blocks_per_rank": 2}):
    for precision in ("float32", "float64"):
        case = BiogeochemistryCase.from_table(
            {**table, "precision": precision, "decomposition": cut}
        )
        clock: Clock = case.time.clock()
        component = case.build(clock, world(), check_halos=True)
        component.start(clock.start, restarted=False)
        for step in range(3):
            component.step(clock.start + step * clock.step)
        cut_cells = component.biology.cut()
        tracers, floor = component.state.tracer.gather(), component.biology.floor.gather()
        if tracers is not None and floor is not None:
            assert np.isfinite(tracers).all() and np.ptp(tracers[0]) > 0
            text = tracers.tobytes() + floor.tobytes() + repr(cut_cells).encode()
            print("bits", precision, hashlib.sha256(text).hexdigest(), flush=True)
