"""A nest of the atmosphere, on any ranks, whole and over a restart; prints hashes."""

import hashlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halocline.experiment.run import Result, run
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from atmosphere.test_air_nests import moist, nest

physics = {
    "physics": {"turbulence": "ysu", "sunlight": "rrtmgp", "radiation": {"interval": 12.0}},
    "mountain": {
        "kind": "bell", "height": 500.0, "width": 2500.0, "width_y": 2000.0, "x": 17e3, "y": 9e3,
    },
    "ground": {"kind": "strip", "west": 20e3, "east": 30e3, "latitude": 50.0},
}  # fmt: skip


def case(seats: dict[str, str], length: str, **more: Any) -> dict[str, Any]:
    """Moist air with physics over a strip of land, with a hill at the nest's side, for so long."""
    made = nest(**moist)
    for table in made["members"].values():
        table["precision"] = "float32"
        table["time"] |= {"start": "2000-06-21T11", "length": length}
        table["atmosphere"] |= physics
        table.update(more)
    made["members"]["inner"].update(seats)
    return made


def tell(result: Result) -> None:
    for name, found in result.components.items():
        whole = [field.gather() for field in found.restart_fields()]
        if whole[0] is not None:
            text = b"".join(values.tobytes() for values in whole)
            print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)


if __name__ == "__main__":
    several = {"decomposition": {"blocks_per_rank": 3}}
    shared = {"on_ranks_of": "outer"}
    tell(run(case(shared, "18s")))
    if world().size == 1:
        sys.exit()
    tell(run(case({}, "18s", **several)))
    for first, then in (({}, shared), (shared, {})):
        with TemporaryDirectory() as folder:
            common = world().broadcast(folder)
            run(case(first, "6s", restart={"at_end": True}), output=Path(common))
            tell(run(case(then, "18s", restart={"source": common}, **several)))
