"""Small living oceans: a sea with coasts, what drives it, and air from a file."""

from pathlib import Path
from typing import Any

import numpy as np

from halocline.living_ocean.component import LivingOceanComponent
from halocline.runtime.fields.place import Place
from ocean.forced_ocean import monthly

hours = 7


def sea(component: str, **more: Any) -> dict[str, Any]:
    """Seas with an island, a strait of one cell and a stepped floor; cells as odd as can be.

    Steps 5 and 9 of the ocean end in averages of levels.
    """
    random = np.random.default_rng(4)
    depth = random.choice([30.0, 80.0, 300.0, 300.0, 300.0], (9, 17))
    depth[3:5, 7:9] = depth[:, 12] = 0.0
    depth[6, 12] = 80.0
    base = {
        "component": component,
        "precision": "float64",
        "grid": {
            "nx": 17, "ny": 9, "dx": 2.0, "dy": 1.5, "x0": 11.0, "y0": 37.0,
            "periodic_x": False, "depth": depth.tolist(),
            "levels": {"thickness": [10.0, 20.0, 50.0, 220.0]},
        },
        "time": {"start": "2000-04-01", "length": f"{hours}h", "step": "1h"},
    }  # fmt: skip
    return base | more


def ocean(**more: Any) -> dict[str, Any]:
    return {
        "averaging": 4,
        "lone_cells": "keep",  # the strait
        "mixing": {"viscosity": 2e4, "scheme": "kpp"},
        "tracers": {"advection": "limited3"},
        "wind": {"amplitude": 0.3},
        "forcing": {"heat": {"short_wave": 150.0, "rest": -400.0}},
        **more,
    }


def under_air(folder: Path) -> dict[str, Any]:
    path = monthly(
        folder / "air.nc",
        u10=lambda x, y, m: 6.0 + np.sin(y),
        v10=lambda x, y, m: -4.0 + np.cos(x),
        wind_speed=lambda x, y, m: 9.0 + np.sin(x + y),
        t_air=lambda x, y, m: 9.0 + m,
        q_air=lambda x, y, m: 6.0 + 0 * x,
        sw_net=lambda x, y, m: 150.0 + m + np.cos(y),
        lw_up=lambda x, y, m: 60.0 + 0 * x,
    )
    bulk = {"bulk": {"file": path, "every_year": True}}
    return {key: some for key, some in ocean().items() if key != "wind"} | {"forcing": bulk}


def wet_state(component: LivingOceanComponent) -> dict[str, np.ndarray]:
    """What a restart holds, on rank 0, with 0 on land, of which no rank may have blocks."""
    found = {field: field.gather() for field in component.restart_fields()}
    state = {}
    for field, values in found.items():
        if values is not None:
            assert np.isfinite(values).all(), field.name
            wet = component.grid.wet if field.levels else component.grid.mask
            state[field.name] = np.where(wet, values, 0) if field.place is Place.center else values
    return state
