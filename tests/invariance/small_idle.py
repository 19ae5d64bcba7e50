"""A small atmosphere, alone and around a nest, on more ranks than can be used; prints hashes."""

import sys
from pathlib import Path
from typing import Any

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from invariance.small_air_nests import tell

grid = {"kind": "cartesian", "dx": 3000.0, "dy": 3000.0, "periodic_x": True, "periodic_y": True}
air = {"layers": {"count": 5, "top": 10e3}, "start": {"wind_u": 10.0, "bubble": {"amplitude": 3.0}}}


def case(nx: int, ny: int) -> dict[str, Any]:
    return {
        "component": "atmosphere",
        "time": {"start": "2000-01-01", "length": "1min", "step": "12s"},
        "grid": grid | {"nx": nx, "ny": ny},
        "atmosphere": air,
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    first, second = case(6, 5), case(5, 3)
    both = {"members": {"first": first, "second": second | {"share": 0.9}}}
    for which, table in {"alone": first, "both": both}.items():
        try:
            tell(run(table, output=folder and folder / which))
        except SystemExit:
            print("idle", world().rank, flush=True)
