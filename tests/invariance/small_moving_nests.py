"""Nests of the air that begin late and move, one in the other, over a hill, of which the middle one
has a file, on any ranks and over restarts; prints hashes. On one rank as a whole only."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from atmosphere.test_air_nests import member, moist, nest
from atmosphere.test_file_window import hills
from invariance.small_air_nests import tell

hill = {"height": 500.0, "width": 2500.0, "width_y": 2000.0, "x": 19500.0, "y": 9000.0}
physics = {"mixing": {"kind": "turbulent-energy"}, "physics": {"turbulence": "none"}}


def ground(folder: Path) -> Path:
    """A file of the hill on all cells of 500 m, written by the first rank."""
    path, grid = folder / "hill.nc", {"nx": 108, "ny": 48, "x0": 250.0, "y0": 250.0}
    if world().rank == 0:
        hills({f"grid.{name}": value for name, value in grid.items()}, path, **hill)
    return Path(world().broadcast(str(path)))


def case(seats: dict[str, str], length: str, file: Path, **more: Any) -> dict[str, Any]:
    """A nest that begins and moves, and one in it that follows the wind."""
    made = nest(**moist)
    inmost = member(30, 27, "1s", 500.0 / 3.0, 22500.0, 6000.0, moist)
    inmost["atmosphere"]["sides"] = {"kind": "nest"}
    follow = {"field": "updraft", "extreme": "maximum", "interval": "6s"}
    made["members"]["inmost"] = inmost | {"nested_in": "inner", "begins": "6s", "follow": follow}
    made["members"]["inner"] |= {"begins": "6s", "moves": ["12s west 1", "18s west 1 north 1"]}
    for name, table in made["members"].items():
        table["precision"] = "float32"
        table["time"] |= {"length": length}
        table["atmosphere"] |= physics | {"mountain": {"kind": "bell"} | hill}
        table.update(more)
        if name != "outer":
            table.update(seats)
    made["members"]["inner"]["atmosphere"]["mountain"] = {"kind": "file", "file": str(file)}
    return made


if __name__ == "__main__":
    several = {"decomposition": {"blocks_per_rank": 2}}
    shared = {"on_ranks_of": "outer"}
    with TemporaryDirectory() as own:
        hilly = ground(Path(own))
        tell(run(case(shared, "24s", hilly)))
        if world().size == 1:
            sys.exit()
        tell(run(case({}, "24s", hilly, **several)))
        for first, then, split in (({}, shared, "6s"), (shared, {}, "12s")):
            with TemporaryDirectory() as folder:
                common = world().broadcast(folder)
                run(case(first, split, hilly, restart={"at_end": True}), output=Path(common))
                tell(run(case(then, "24s", hilly, restart={"source": common}, **several)))
