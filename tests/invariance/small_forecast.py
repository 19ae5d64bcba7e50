"""A forecast in three domains from the shipped analysis, on any ranks, whole and over a restart.

Prints hashes. Ground, land, ice and skins are those of starts, which the run makes itself.
"""

import hashlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halocline.experiment.run import Result, run
from halocline.runtime.ranks.communicator import world

scheme = sys.argv[1]

parents = [[30, 24, 3, 8, 6], [33, 30, 3, 9, 8]]
shapes = {"outer": (30, 24), "middle": (33, 30), "inner": (36, 33)}
seats = {
    "apart": {},
    "together": {"middle": {"on_ranks_of": "outer"}, "inner": {"on_ranks_of": "outer"}},
    "some": {"inner": {"on_ranks_of": "middle"}},
}


def member(depth: int, name: str, folder: str, length: str) -> dict[str, Any]:
    """A domain around the British Isles with cells of 27, 9 or 3 km."""
    nx, ny = shapes[name]
    outermost = depth == 0
    sides = {"kind": "file", "file": f"{folder}/sides.nc"} if outermost else {"kind": "nest"}
    physics = {"turbulence": "ysu", "sunlight": "rrtmgp", "radiation": {"interval": 360.0}}
    if outermost:
        physics["convection"] = "kain-fritsch"
    return {
        "component": "atmosphere",
        "time": {"start": "2011-10-11", "length": length, "step": f"{180 // 3**depth}s"},
        "grid": {
            "kind": "lambert", "nx": nx, "ny": ny, "dx": 27e3 / 3**depth, "dy": 27e3 / 3**depth,
            "projection": {
                "center_longitude": -5.0, "center_latitude": 55.0, "true_latitudes": [50.0, 60.0],
                "parents": parents[:depth],
            },
        },
        "atmosphere": {
            "layers": {"count": 10, "top": 19.5e3, "stretching": 12.0},
            "base": {"kind": "standard"},
            "analysis": {"files": ["gfs_sample.nc"], "steady": True},
            "start": {"file": f"{folder}/{name}.nc"}, "sides": sides,
            "microphysics": {"scheme": scheme},
            "physics": physics, "ground": {"kind": "start"},
        },
    }  # fmt: skip


def case(seat: str, folder: str, length: str, **more: Any) -> dict[str, Any]:
    """All three for so long, on ranks as a seat says."""
    members = {
        name: member(depth, name, folder, length) | more for depth, name in enumerate(shapes)
    }
    members["middle"]["nested_in"], members["inner"]["nested_in"] = "outer", "middle"
    for name, table in seats[seat].items():
        members[name] |= table
    return {"members": members}


def tell(result: Result) -> None:
    for name, found in result.components.items():
        whole = [field.gather() for field in found.restart_fields()]
        if whole[0] is not None:
            text = b"".join(values.tobytes() for values in whole)
            print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)


with TemporaryDirectory() as own:
    common = world().broadcast(own)
    for seat in ("apart", "together"):
        cut = {"decomposition": {"blocks_per_rank": 2}} if seat == "together" else {}
        tell(run(case(seat, common, "12min", **cut)))
    for first, then in (("together", "some"), ("some", "together")):
        with TemporaryDirectory() as folder:
            left = world().broadcast(folder)
            run(case(first, common, "6min", restart={"at_end": True}), output=Path(left))
            tell(run(case(then, common, "12min", restart={"source": left})))
