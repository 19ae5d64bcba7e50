"""A windy sea in every way to exchange halos and to add; prints hashes.

An argument: once, in the way that is found.
"""

import hashlib
import sys
from typing import Any

from halocline.experiment.run import run
from halocline.runtime.halos.choices import mechanisms
from halocline.runtime.ranks.communicator import world

halo_ways = (
    *(f"{way} aggregated" for way in mechanisms if way != "partitioned"),  # some libraries hang
    *(f"messages {grouping}" for grouping in ("per-field", "segments:512", "mixed:512")),
)
sum_ways = ("all-reduce", "tree:2 shared", "tree:4 shared sentinels", "collect shared padded")
hours = 9


def case(**more: Any) -> dict[str, Any]:
    """A windy, cooled sea with an island, thin cells at its floor, KPP and eddies.

    Steps 5 and 9 end in averages of levels.
    """
    depth = [[1500.0 - 60.0 * ((3 * i + 5 * j) % 9) for i in range(16)] for j in range(10)]
    depth[4][5:8] = [0.0, 0.0, 300.0]
    base: dict[str, Any] = {
        "component": "ocean",
        "grid": {
            "nx": 16, "ny": 10, "dx": 22.5, "dy": 10.0, "x0": 11.25, "y0": -45.0, "depth": depth,
            "levels": {"thickness": [100.0, 200.0, 400.0, 800.0], "least_share": 0.1},
        },
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "1h"},
        "ocean": {
            "averaging": 4,
            "mixing": {
                "viscosity": 2e5, "scheme": "kpp", "eddies": {"along": 800.0, "flattening": 600.0},
            },
            "forcing": {"heat": {"short_wave": 100.0, "rest": -400.0}},
            "tracers": {"advection": "limited3", "passive": {"dye": {}, "age": {"ages": True}}},
        },
    }  # fmt: skip
    return base | more


if __name__ == "__main__":
    ways = [{"halos": way} for way in halo_ways] + [{"sums": way} for way in sum_ways]
    for way in ways if len(sys.argv) == 1 else [{}]:
        found = run(case(communication=way, decomposition={"blocks_per_rank": 2}))
        fields = {field.name: field.gather() for field in found.component.restart_fields()}
        if world().rank == 0:
            text = b"".join(fields[name].tobytes() for name in sorted(fields))
            print("bits", hashlib.sha256(text).hexdigest(), flush=True)
