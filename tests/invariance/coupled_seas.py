"""Air, sea, waves and the fluxes between them, small; prints hashes of their restarts.

Words: a folder to write to, how members sit (`apart`, `together`), and optionally `split`, by which
the run is broken off after every interval and resumed.
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world

lengths = {"length": "2h"}


def water(nx: int, ny: int, **more: Any) -> dict[str, Any]:
    """Cells of a degree inside of the air, with an island."""
    depth = [[300.0] * nx for _ in range(ny)]
    depth[3][4] = 0.0
    return {
        "nx": nx,
        "ny": ny,
        "x0": -5.3,
        "y0": 30.2,
        "dx": 1.0,
        "dy": 1.0,
        "depth": depth,
        "radius": 6.37e6,
        **more,
    }


air: dict[str, Any] = {
    "component": "atmosphere",
    "time": {"step": "2min"},
    "grid": {
        "kind": "lambert", "nx": 14, "ny": 13, "dx": 100e3, "dy": 100e3,
        "projection": {
            "center_longitude": -1.0, "center_latitude": 34.0, "true_latitudes": [30.0, 40.0]
        },
    },
    "atmosphere": {
        "layers": {"count": 8, "top": 12e3},
        "start": {"wind_u": 12.0, "wind_v": -4.0, "sounding": {"kind": "weisman-klemp"}},
        "sides": {"kind": "open"},
        "microphysics": {"scheme": "kessler"},
        "physics": {"turbulence": "ysu"},
    },
}  # fmt: skip
ocean: dict[str, Any] = {
    "component": "ocean",
    "time": {"step": "20min"},
    "grid": water(10, 8, levels={"thickness": [30.0, 90.0, 180.0]}),
    "ocean": {
        "mixing": {"viscosity": 1e4, "scheme": "kpp"},
        "forcing": {"water": {"balanced": False}},
    },
}
waves: dict[str, Any] = {
    "component": "waves",
    "time": {"step": "10min"},
    "grid": water(10, 8),
    "spectrum": {"first_frequency": 0.06, "factor": 1.2, "frequencies": 10, "directions": 12},
    "start": {"kind": "jonswap", "jonswap": {"fetch": 1e5}},
    "forcing": {"wind": {"speed": 8.0}},
    "waves": {"momentum_fluxes": True},
}
fluxes: dict[str, Any] = {
    "component": "air-sea-fluxes",
    "time": {"step": "10min"},
    "grid": water(10, 8),
    "fluxes": {"usual": {"short_wave": 150.0}},
}
exchanges: dict[str, dict[str, Any]] = {
    "above": {
        "source": "air", "target": "fluxes", "operator": "mean",
        "fields": [
            "wind_u", "wind_v", "air_temperature", "air_humidity", "surface_pressure",
            "precipitation_rate",
        ],
    },
    "below": {
        "source": "ocean", "target": "fluxes",
        "fields": ["surface_temperature", "current_u", "current_v"],
    },
    "rough": {
        "source": "waves", "target": "fluxes", "fields": ["significant_height", "peak_period"],
    },
    "breaking": {
        "source": "waves", "target": "fluxes", "operator": "mean",
        "fields": [
            "stress_into_waves_east", "stress_into_waves_north", "stress_from_waves_east",
            "stress_from_waves_north",
        ],
    },
    "down": {
        "source": "fluxes", "target": "ocean",
        "fields": [
            "stress_into_ocean_east", "stress_into_ocean_north", "short_wave", "heat_flux_into_sea",
            "water_flux",
        ],
    },
    "up": {
        "source": "fluxes", "target": "air", "remapping": "conservative",
        "normalisation": "ownarea", "vectors": "components",
        "fields": [
            "wind_stress_east", "wind_stress_north", "sensible_heat", "evaporation",
            "sea_fraction",
        ],
    },
    "skin": {
        "source": "ocean", "target": "air", "fields": ["surface_temperature"], "lagged": True,
    },
    "blown": {"source": "air", "target": "waves", "fields": ["wind_u", "wind_v"]},
    "flow": {
        "source": "ocean", "target": "waves", "lagged": True,
        "fields": ["current_u", "current_v", "sea_level"],
    },
}  # fmt: skip


def case(seats: str = "apart", **more: Any) -> dict[str, Any]:
    """All four, the fluxes first."""
    sit = {"on_ranks_of": "air"} if seats == "together" else {}
    return {
        "time": {"start": "2000-06-01T00:00:00", **lengths},
        "schedule": {"order": ["fluxes", "air", "ocean", "waves"]},
        "restart": {"interval": "40min"},
        "members": {
            "air": air, "ocean": ocean | sit, "waves": waves | sit,
            "fluxes": fluxes | {"on_ranks_of": "air"},
        },
        "exchanges": exchanges,
    } | more  # fmt: skip


if __name__ == "__main__":
    folder, seats, *split = sys.argv[1:]
    if split:
        resume = False
        while run(case(seats), output=folder, walltime=1e-3, resume=resume).stopped_by:
            resume = True
    else:
        run(case(seats), output=folder)
    if world().rank == 0:
        for file in sorted(Path(folder).glob("restart_20000601T020000.*")):
            print("bits", file.name, hashlib.sha256(file.read_bytes()).hexdigest(), flush=True)
