"""The ocean on a rough belt and on a fold, cut and tiled in several ways; prints hashes."""

import hashlib
import sys
from pathlib import Path

import numpy as np

from halocline.numerics.solver_options import SolverOptions
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.model import Ocean, reach
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanWindOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.viscous_options import ViscousOptions
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner

sys.path.append(str(Path(__file__).parents[1]))
from biogeochemistry.folded_ocean import folded_ocean
from ocean.oceans import rough_sphere

ways = (
    ({}, 160, True),
    ({"blocks_per_rank": 3}, 8, False),
    ({"kind": "curve", "blocks_per_rank": 2}, 13, False),
)
harmonic = ViscousOptions(scheme="anisotropic", smagorinsky=3.0, axis="east")
twice = ViscousOptions(scheme="biharmonic", biharmonic=1e14, smagorinsky=3.0)
eddies = EddyOptions(along=800.0, flattening=600.0)
mixing = {
    ("belt", "float32"): {"viscous": harmonic, "eddies": eddies},
    ("fold", "float64"): {"viscous": twice, "eddies": eddies},
}
seas = {
    "belt": (rough_sphere(), 3600.0, "upwind3"),
    "fold": (folded_ocean("faces"), 600.0, "limited3"),
}
for name, (levels, dt, advection) in seas.items():
    random = np.random.default_rng(3)
    warm = 12.0 - 0.005 * levels.depth[:, None, None] + random.uniform(-1, 1, levels.shape[1:])
    start = np.stack([warm, np.full(levels.shape, 35.0) + 0.1 * random.random(levels.shape)])
    for cut, columns, check in ways:
        decomposition = Decomposition(
            levels.mask,
            levels.topology,
            halo=reach,
            options=DecompositionOptions(**cut),
            communicator=world(),
        )
        for precision, tolerance in (("float64", 1e-5), ("float32", 1e-3)):
            options = OceanOptions(
                averaging=3,
                tracers=OceanTracerOptions(advection=advection),
                mixing=OceanMixingOptions(
                    viscosity_length=2e5, **mixing.get((name, precision), {})
                ),
                tile_columns=columns,
                solver=SolverOptions(tolerance=tolerance),
                wind=OceanWindOptions(amplitude=0.2),
            )
            run = Runner(decomposition, check_halos=check)
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
            names = ("tracer", "layer", "surface", "u", "v", "mean_u", "mean_v")
            fields = [getattr(state, p + n).gather() for n in names for p in ("old_", "")]
            if fields[0] is not None:
                assert all(np.isfinite(values).all() for values in fields)
                assert np.abs(fields[6]).max() > 1e-4
                text = b"".join(values.tobytes() for values in fields)
                print("bits", name, precision, hashlib.sha256(text).hexdigest(), flush=True)
