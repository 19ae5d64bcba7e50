"""A small moving atmosphere over a mountain, cut in several ways; prints hashes.

On one rank each is cut in two ways; on three and on five in one, other ones on five than on three.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.atmosphere.component import AtmosphereComponent
from halocline.runtime.ranks.communicator import world

sys.path.append(str(Path(__file__).parents[1]))
from atmosphere.dynamics_cases import held, small

stir = {"atmosphere.mixing.kind": "smagorinsky", "atmosphere.mixing.filter": 0.12,
        "atmosphere.damping.depth": 3000.0, "atmosphere.damping.return_rate": 0.003}  # fmt: skip
sides = {
    "joined": {
        "atmosphere.mixing.kind": "turbulent-energy", "atmosphere.mixing.ground_heat_flux": 0.5,
    },
    "mirrors": stir | {
        "grid.periodic_x": False, "grid.periodic_y": False,
        **{f"grid.sides.{side}": "mirror" for side in ("west", "east", "south", "north")},
    },
    "given": {
        "grid.periodic_x": False, "grid.periodic_y": False, "atmosphere.sides.kind": "nest",
        "grid.kind": "lambert", "grid.ny": 17, "atmosphere.mountain.width": 1500.0,
        "atmosphere.mountain.y": 0.0,
    },
    "open": {
        "grid.periodic_x": False, "grid.periodic_y": False, "atmosphere.sides.kind": "open",
        "atmosphere.microphysics.scheme": "kessler", "atmosphere.mixing.kind": "turbulent-energy",
        "atmosphere.base.kind": "standard", "atmosphere.start.sounding.kind": "weisman-klemp",
        "atmosphere.start.shear.kind": "tanh", "atmosphere.start.bubble.z": 1000.0,
    },
    "moist": {
        "atmosphere.microphysics.scheme": "wsm6", "atmosphere.advection.limiter": "monotone",
        "atmosphere.advection.weno": True, "atmosphere.base.kind": "standard",
        "atmosphere.start.sounding.kind": "weisman-klemp",
        "atmosphere.start.shear.kind": "tanh", "atmosphere.start.bubble.z": 1000.0,
        "atmosphere.advection.weno_heat": True, "atmosphere.advection.weno_wind": True,
    },
    "globe": {
        "grid.kind": "spherical", "grid.nx": 16, "grid.ny": 16, "grid.dx": 22.5, "grid.dy": 11.25,
        "grid.x0": 0.0, "grid.y0": -84.375, "grid.periodic_x": None, "grid.periodic_y": False,
        "grid.sides.south": "pole", "grid.sides.north": "pole", "atmosphere.rotation": 0.0,
        "atmosphere.mountain.x": 40.0, "atmosphere.mountain.y": 60.0,
        "atmosphere.mountain.width": 30.0, "atmosphere.mountain.width_y": 20.0,
        "atmosphere.start.bubble.x": 90.0, "atmosphere.start.bubble.y": 80.0,
        "atmosphere.start.bubble.radius_x": 40.0, "atmosphere.start.bubble.radius_y": 20.0,
        "time.step": "600s", "time.length": "40min", "atmosphere.held_suarez.acts": True,
        "atmosphere.mixing.filter": 0.12,
    },
    "physics": {
        "atmosphere.microphysics.scheme": "thompson", "atmosphere.base.kind": "standard",
        "atmosphere.start.sounding.kind": "weisman-klemp", "atmosphere.physics.turbulence": "ysu",
        "atmosphere.physics.sunlight": "rrtmgp", "atmosphere.physics.radiation.interval": 4.0,
        "atmosphere.physics.convection": "kain-fritsch",
        "atmosphere.ground.kind": "strip", "atmosphere.ground.east": 3e3,
        "atmosphere.start.bubble.z": 1000.0,
        "time.start": "2000-06-21T11",
    },
}  # fmt: skip
sides["wet globe"] = sides["globe"] | {
    "atmosphere.held_suarez.acts": False, "atmosphere.microphysics.scheme": "wsm6",
    "atmosphere.base.kind": "standard", "atmosphere.start.sounding.kind": "weisman-klemp",
    "atmosphere.physics.turbulence": "ysu", "atmosphere.ground.kind": "strip",
    "atmosphere.ground.east": 90.0,
}  # fmt: skip
sides["hydrostatic"] = sides["given"] | {
    "atmosphere.hydrostatic": True, "atmosphere.microphysics.scheme": "kessler",
    "atmosphere.base.kind": "standard", "atmosphere.start.sounding.kind": "weisman-klemp",
    "atmosphere.start.shear.kind": "tanh", "atmosphere.start.bubble.z": 1000.0,
}  # fmt: skip
sides["open"] |= {"atmosphere.parted_above": 0.1, "atmosphere.stages": 2}
sides["physics"] |= sides["given"] | {"atmosphere.ground.west": -3e3}
ways = ({"blocks_per_rank": 3}, {"kind": "curve", "blocks_per_rank": 2})
whole_rows = ({"blocks_per_rank": 2}, {"blocks_per_rank": 3})
"""Besides the plain cut; one after the other has it in turn."""
stirred = {
    "grid.nx": 26, "grid.ny": 11, "precision": "float32", "time.length": "8s",
    "atmosphere.layers.count": 9, "atmosphere.air.kind": "stable", "atmosphere.rotation": 1e-4,
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 500.0,
    "atmosphere.mountain.width": 3000.0, "atmosphere.mountain.width_y": 2000.0,
    "atmosphere.mountain.y": 2500.0, "atmosphere.start.wind_u": 10.0,
    "atmosphere.start.wind_v": 5.0, "atmosphere.start.bubble.amplitude": 5.0,
    "atmosphere.start.bubble.radius_y": 2000.0, "atmosphere.mixing.viscosity": 50.0,
    "atmosphere.mixing.diffusivity": 50.0,
    "atmosphere.diagnostics.pressure_levels": [95e3, 85e3, 50e3],
}  # fmt: skip


def rain_and_ice(component: AtmosphereComponent) -> None:
    """Some of each kind of water, other from cell to cell."""
    water, levels = component.state.water, component.state.layers.size
    for kind in range(1, len(component.state.species)):
        water.set_cells(
            lambda j, i, k=kind: np.float32(
                1e-3 * (1.0 + np.sin(3.0 * j + 5.0 * i + k + np.arange(levels)[:, None, None]))
            ),
            at=kind,
        )
    component.air.follow()


def rising_air(component: AtmosphereComponent) -> None:
    """Air has risen before the start, in some columns enough to make clouds."""
    convection, levels = component.dynamics.physics.convection, component.state.layers.size
    convection.fields["mean_rise"].set_cells(
        lambda j, i: np.float32(4.0 * np.sin(2.0 * j + 3.0 * i) * np.ones((levels, 1, 1)))
    )


for number, (name, settings) in enumerate(sides.items()):
    both = {}, (whole_rows if "globe" in name else ways)[number % 2]
    half = (number + world().size // 2) % 2
    for way in both if world().size == 1 else both[half : half + 1]:
        cut = {f"decomposition.{key}": value for key, value in way.items()}
        case = small(**(stirred | settings | cut))
        clock = case.time.clock()
        component = case.build(clock, world(), check_halos=not way)
        component.start(clock.time, False)
        if component.given:
            held(component)
        if name in ("moist", "open", "physics", "hydrostatic", "wet globe"):
            rain_and_ice(component)
        if name == "physics":
            rising_air(component)
        while clock.time < clock.end:
            component.step(clock.time)
            clock.advance()
        fields = {field.name: field.gather() for field in component.restart_fields()}
        shown = component.diagnose(list(case.map_shapes()), clock.time)
        shown_values = [shown[name].gather() for name in case.map_shapes()]
        if fields["w"] is not None:
            assert all(np.isfinite(values).all() for values in fields.values())
            may_be_even = {"water", "roughness", "deep_temperature"}
            may_be_even |= {name for name in fields if name.endswith(("_total", "_tendency"))}
            may_be_even |= {name for name in fields if name.startswith("convective_")}
            if name == "wet globe":  # without sun
                may_be_even |= {"skin_temperature", "soil_temperature"}
                may_be_even |= {"short_wave_down", "long_wave_down"}
            assert all(
                np.ptp(values) > 1e-3 for key, values in fields.items() if key not in may_be_even
            )
            assert name != "moist" or np.ptp(fields["water"], axis=(1, 2, 3)).min() > 1e-6
            assert name != "physics" or 0 < (fields["convective_time"] > 0).mean() < 1
            text = b"".join(values.tobytes() for values in (*fields.values(), *shown_values))
            print("bits", name, hashlib.sha256(text).hexdigest(), flush=True)
