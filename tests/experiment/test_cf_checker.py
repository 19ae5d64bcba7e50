"""Every kind of output file passes the checker of the CF conventions."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

import halocline

maps = ["significant_height", "mean_direction", "peak_period", "wind_u", "ice", "swell1_height"]


def waves(positions: Path, nest: Path) -> dict[str, Any]:
    points = {"points": {"a buoy": [31.0, 4.0], "b": [60.0, 5.0]}}
    one = {
        "points": {"one": [31.0, 4.0]}, "precision": "float64", "processing": "mean",
        "variables": maps,
    }  # fmt: skip
    return {
        "grid": {"nx": 12, "ny": 8, "dx": 30.0, "dy": 10.0, "y0": -35.0, "depth": 3000.0},
        "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
        "time": {"start": "2000-01-01", "length": "2h", "step": "30min"},
        "forcing": {"wind": {"speed": 15.0, "direction": 250.0}},
        "start": {"kind": "jonswap"},
        "output": {
            "fields": {
                "moments": {"variables": maps},
                "means": {"variables": maps, "processing": "mean", "region": [-60, 60, -20, 20]},
                "greatest": {"processing": "maximum", "format": "netcdf4", "compression": 1},
            },
            "points": {
                "buoys": points,
                "precise": one,
            },
            "tracks": {"ship": {"positions": str(positions)}},
            "boundary": {"nest": {"case": str(nest)}},
        },
    }


of_ocean = [
    "sea_level", "temperature", "velocity_u", "velocity_v", "velocity_w",
    "barotropic_stream_function", "wind_stress_x", "wind_stress_y",
]  # fmt: skip
"""At all places; time of the checker grows with the square of their number."""


def ocean(kind: str) -> dict[str, Any]:
    """All maps of an ocean on longitudes and latitudes, and numbers; some between poles."""
    grid: dict[str, Any] = {"levels": {"thickness": [100.0, 300.0]}, "depth": 400.0, "nx": 24}
    if kind == "regular":
        grid |= {"ny": 8, "dx": 15.0, "dy": 10.0, "y0": -35.0, "closed_edges": False}
    else:
        grid |= {"kind": kind, "ny": 16}
    some = {} if kind == "regular" else {"variables": of_ocean}
    mean = {"interval": "1h", "processing": "mean"}
    maps = {"fields": {kind: mean | some, f"{kind}_now": some}}
    numbers = {"series": {f"{kind}_numbers": {"interval": "1h"}}} if kind == "regular" else {}
    return {
        "component": "ocean",
        "grid": grid,
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "ocean": {"tracers": {"passive": {"dye": {"units": "mol m-3"}, "age": {"ages": True}}}},
        "output": maps | numbers,
    }


of_sgrid = (
    "* grid_topology is not a valid cf_role value. It must be one of timeseries_id, profile_id,"
    " trajectory_id"
)
"""What the checker of CF says of the role that the SGRID conventions demand, and nothing else."""


def extent(fields, grid):
    plane = np.where(fields["significant_height"] > 1.0, 1.0, 0.0)
    return {"rough": plane}


def test_all_streams(tmp_path):
    path, nest = tmp_path / "ship.csv", tmp_path / "nest.toml"
    path.write_text("time,lon,lat\n2000-01-01T00:10,30,5\n2000-01-01T01:10,31,6\n")
    grid = {"x0": 20.0, "y0": -10.0, "nx": 5, "ny": 5, "boundary": ["west", "east", "south"]}
    nest.write_text(tomli_w.dumps({"grid": grid}))
    own = [
        halocline.OwnStream(
            "own_map", extent, reads=["significant_height"], writes={"rough": "1"}, maps=True
        ),
        halocline.OwnStream(
            "own_number",
            lambda fields, grid: {"greatest_height": np.nanmax(fields["significant_height"])},
            reads=["significant_height"],
            writes={"greatest_height": "m"},
        ),
    ]
    halocline.run(waves(path, nest), output=tmp_path, streams=own)
    plain = {"grid": {"kind": "cartesian", "nx": 5, "ny": 5, "dx": 1e4, "dy": 1e4}}
    streams = {
        "output": {"fields": {"plain": {}}, "points": {"flat": {"points": {"a": [2e4, 2e4]}}}}
    }
    time = {"time": {"length": "1h"}, "spectrum": {"frequencies": 4, "directions": 8}}
    halocline.run(plain | streams | time, output=tmp_path)
    for kind in ("regular", "displaced-pole", "tripole"):
        halocline.run(ocean(kind), output=tmp_path)
    files = [file for file in sorted(tmp_path.glob("*.nc")) if "restart" not in file.name]
    assert len(files) == 18
    checker = str(Path(sys.executable).parent / "compliance-checker")
    done = subprocess.run(
        [checker, "--test=cf:1.8", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = [line.strip() for line in done.stdout.splitlines()]
    assert {line for line in found if line.startswith("* ")} == {of_sgrid}, done.stdout
    staggered = found.count(of_sgrid)
    assert staggered == 6, done.stdout
    assert done.stdout.count("All tests passed!") == len(files) - staggered, done.stdout
