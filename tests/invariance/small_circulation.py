"""Oceans with every scheme, cut, tiled and exchanged in several ways; prints hashes.

A rough belt, a displaced pole, and both kinds of folds. An argument: in so many of the ways only.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.numerics.solver_options import SolverOptions
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.forcing_options import OceanHeatOptions, SurfaceForcingOptions
from halocline.ocean.model import Ocean, reach
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanWindOptions
from halocline.ocean.time_filter import TimeFilterOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.vertical_mixing_options import DoubleDiffusionOptions, KppOptions
from halocline.ocean.viscous_options import ViscousOptions
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner

sys.path.append(str(Path(__file__).parents[1]))
from biogeochemistry.folded_ocean import folded_ocean
from ocean.oceans import displaced_pole, rough_sphere, thinned

ways = (
    ({}, 160, {"check_halos": True}),
    ({"blocks_per_rank": 3}, 8, {"overlap": True, "recompute_halos": True}),
    ({"kind": "curve", "blocks_per_rank": 2}, 13, {"overlap": True}),
)
harmonic = ViscousOptions(scheme="anisotropic", smagorinsky=3.0, axis="east")
twice = ViscousOptions(scheme="biharmonic", biharmonic=1e14, smagorinsky=3.0)
fingers = KppOptions(double_diffusion=DoubleDiffusionOptions(act=True, limit=50.0))
eddies = EddyOptions(along=800.0, flattening=600.0)
kinds = {
    "belt": (
        thinned(rough_sphere()), "float64", 3600.0, "upwind3", "averaging",
        {"scheme": "kpp", "kpp": fingers, "eddies": eddies},
    ),
    "pole": (
        displaced_pole(), "float32", 3600.0, "upwind3", "robert",
        {"scheme": "richardson", "viscous": harmonic, "eddies": eddies},
    ),
    "faces": (
        thinned(folded_ocean("faces")), "float64", 600.0, "limited3", "matsuno",
        {"scheme": "richardson", "viscous": twice, "eddies": eddies},
    ),
    "centres": (
        thinned(folded_ocean("centres")), "float32", 600.0, "centred", "robert",
        {"scheme": "kpp", "eddies": eddies},
    ),
}  # fmt: skip


def stirred(kind, cut, columns, running):
    """An ocean after four steps under wind and cooling."""
    levels, precision, dt, advection, scheme, mixing = kinds[kind]
    random = np.random.default_rng(3)
    warm = 12.0 - 0.005 * levels.depth[:, None, None] + random.uniform(-1, 1, levels.shape[1:])
    start = np.stack([warm, np.full(levels.shape, 35.0) + 0.1 * random.random(levels.shape)])
    decomposition = Decomposition(
        levels.mask,
        levels.topology,
        halo=reach,
        options=DecompositionOptions(**cut),
        communicator=world(),
    )
    options = OceanOptions(
        averaging=3,
        checkerboard=0.1,
        tracers=OceanTracerOptions(advection=advection),
        time_filter=TimeFilterOptions(scheme=scheme),
        mixing=OceanMixingOptions(viscosity_length=2e5, **mixing),
        tile_columns=columns,
        solver=SolverOptions(tolerance=1e-5 if precision == "float64" else 1e-3),
        wind=OceanWindOptions(amplitude=0.2),
        forcing=SurfaceForcingOptions(heat=OceanHeatOptions(short_wave=100.0, rest=-400.0)),
    )
    run = Runner(decomposition, **running)
    model = Ocean(levels, options, decomposition, run, dt, dtype=precision)
    state = model.state
    state.layer.fill(float(levels.thickness[-1]))
    state.old_layer.copy(state.layer)
    state.tracer.set_global(start)
    state.old_tracer.copy(state.tracer)
    model.densities()
    model.first_step()
    for number in range(1, 4):
        model.step(number)
    return state


number_of_ways = int(sys.argv[1]) if len(sys.argv) > 1 else len(ways)
for kind in kinds:
    for way in ways[:number_of_ways]:
        state = stirred(kind, *way)
        names = ("tracer", "layer", "surface", "u", "v", "mean_u", "mean_v")
        fields = [getattr(state, p + n).gather() for n in names for p in ("old_", "")]
        fields += [state.vertical_viscosity.gather(), state.vertical_diffusivity.gather()]
        if fields[0] is not None:
            assert all(np.isfinite(values).all() for values in fields)
            assert np.abs(fields[6]).max() > 1e-4
            assert np.unique(fields[-1]).size > 10
            text = b"".join(values.tobytes() for values in fields)
            print("bits", kind, hashlib.sha256(text).hexdigest(), flush=True)
