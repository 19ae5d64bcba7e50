"""Nutrient, phytoplankton and zooplankton in 60 lines, in the manner of Franks (2002)."""

from dataclasses import dataclass

import numpy as np

from halocline.biogeochemistry.biology import Biology
from halocline.core.names import Quantity
from halocline.core.options import Options, option
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update

center, day = Place.center, 86400.0


@dataclass(frozen=True, kw_only=True)
class PlanktonOptions(Options):
    """What grows, eats and dies."""

    growth: float = option(2.0, "day-1", "most growth of phytoplankton", at_least=0)
    half_light: float = option(100.0, "umol m-2 s-1", "light of half of it", at_least=1e-3)
    half_nutrient: float = option(1.0, "mmol m-3", "nutrient of half of it", at_least=1e-3)
    grazing: float = option(1.0, "day-1", "most that zooplankton eats", at_least=0)
    death: float = option(0.1, "day-1", "of both, back to the nutrient", at_least=0)


@kernel(
    tracer=update(center, "1", "3 depth"),
    light=read(center, "umol m-2 s-1", "depth"),
)
def grow(at, tracer, light, options, dt):
    """Pass nitrogen on; each loses dt x rate of itself, but never more than it has."""
    n, p, z = at(tracer)
    limits = at(light) / (at(light) + options.half_light) / (n + options.half_nutrient)
    days = dt / day
    grown = n * -np.expm1(-days * options.growth * limits * p)
    eaten = p * -np.expm1(-days * options.grazing * z / (1.0 + p))
    dead_p = (p - eaten) * -np.expm1(-days * options.death)
    dead_z = z * -np.expm1(-days * options.death)
    n += dead_p + dead_z - grown
    p += grown - eaten - dead_p
    z += eaten - dead_z


class Plankton(Biology):
    """Three tracers of nitrogen [mmol m-3]."""

    options_kind = PlanktonOptions
    tracers = tuple(
        Quantity(name, "", "mmol m-3", f"{meaning}, as nitrogen")
        for name, meaning in [("N", "nutrient"), ("P", "phytoplankton"), ("Z", "zooplankton")]
    )
    elements = {"nitrogen": ("N", "P", "Z")}
    environment = ("light",)
    attenuation = {"P": 0.05}

    def __init__(self, options):
        self.options = options

    def start_values(self):
        return {"N": 4.0, "P": 0.2, "Z": 0.1}

    def step(self, run, state, dt):
        run(grow, state, options=self.options, dt=dt)
