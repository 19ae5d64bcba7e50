"""Life in a small ocean with rain and averages of levels, cut in several ways; prints hashes."""

import hashlib
import sys
from pathlib import Path

from halocline.living_ocean.case import LivingOceanCase
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from living_ocean.seas import ocean, sea, wet_state

mixing = {"viscosity": 2e4, "scheme": "kpp", "eddies": {"along": 500.0, "flattening": 500.0}}
table = sea("living-ocean", biology={"model": "npzd"}, ocean=ocean(mixing=mixing))
ways = (
    ({}, "limited3", True),
    ({"blocks_per_rank": 3}, "smolarkiewicz", False),
    ({"kind": "curve", "blocks_per_rank": 2}, "limited3", False),
    ({}, "smolarkiewicz", False),
)
for cut, advection, check in ways:
    for precision in ("float32", "float64"):
        moved = {
            "advection": advection, "horizontal_diffusivity": 100.0, "biharmonic_diffusivity": 1e12,
        }  # fmt: skip
        case = LivingOceanCase.from_table(
            {**table, "precision": precision, "decomposition": cut, "transport": moved}
        )
        clock = case.time.clock()
        component = case.build(clock, world(), check_halos=check)
        component.start(clock.start, restarted=False)
        for step in range(3):
            component.step(clock.start + step * clock.step)
        if state := wet_state(component):
            text = b"".join(values.tobytes() for values in state.values())
            print("bits", advection, precision, hashlib.sha256(text).hexdigest(), flush=True)
