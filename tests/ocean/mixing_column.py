"""One column of water under wind and cooling: KPP's kernel, and implicit diffusion in NumPy."""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_banded

from halocline.core.constants import gravity
from halocline.ocean import _native
from halocline.ocean.equation_of_state import DensityOptions
from halocline.runtime.fields.kernel import kernels_of

kernels = kernels_of(_native)
alpha = 2e-4
"""Expansion [K-1]."""
water = DensityOptions(reference=1000.0, at=1000.0, expansion=1000.0 * alpha)
kpp_numbers = {
    "critical": 0.3,
    "shear_viscosity": 5e-3,
    "shear_limit": 0.8,
    "background": 1e-5,
    "prandtl": 10.0,
    "nonlocal_strength": 10.0,
    "convective_viscosity": 0.1,
    "convective_diffusivity": 0.1,
    "smoothing": 1,
    "limited": False,
    "red": 0.67,
    "short_length": 1.0,
    "long_length": 17.0,
    "width": 8,
}


def four(values, shape=(2, 2)):
    """A column, or a number, at all points of a small plane."""
    values = np.asarray(values, float)
    return np.broadcast_to(values[..., None, None], (*values.shape, *shape)).copy()


@dataclass
class Column:
    """Levels of one thickness [m], counted upward; stratified at rest by N^2 [s-2]."""

    levels: int
    thickness: float
    stability: float = 0.0
    numbers: dict = field(default_factory=dict)
    water: DensityOptions = water

    def __post_init__(self):
        n, dz = self.levels, self.thickness
        self.depth = dz * (n - 0.5 - np.arange(n))
        self.temperature = 20.0 - self.stability / (gravity * alpha) * self.depth
        self.salinity = np.full(n, 35.0)
        self.u, self.v = np.zeros(n), np.zeros(n)

    def frequency(self):
        """Square of the buoyancy frequency at lower interfaces, 0 at the floor [s-2]."""
        step = np.append(0.0, np.diff(self.temperature))
        return gravity * alpha * step / self.thickness

    def mixing(self, friction, buoyancy, floor=0, shape=(2, 2), light=0.0, share=1.0):
        """KPP's viscosity, diffusivity, share and depth of the boundary layer."""
        n, dz = self.levels, self.thickness
        outputs = {
            name: np.zeros((n, *shape))
            for name in ("center_viscosity", "vertical_diffusivity", "nonlocal_share")
        }
        outputs["boundary_layer_depth"] = np.zeros(shape)
        kernels["ocean_kpp"].function(
            box=(0, shape[0] - 1, 0, shape[1] - 1, 0),
            stability=four(self.frequency(), shape),
            tracer=four([self.temperature, self.salinity], shape),
            old_u=four(self.u, shape),
            old_v=four(self.v, shape),
            floor_level=four(floor, shape),
            bottom_share=four(share, shape),
            coriolis=four(1e-4, shape),
            friction_velocity=four(friction, shape),
            buoyancy_flux=four(buoyancy, shape),
            light_flux=four(light, shape),
            depths=self.depth,
            thickness=np.full(n, dz),
            spacing=np.append(0.5 * dz, np.full(n - 1, dz)),
            **outputs,
            gravity=gravity,
            numbers=self.water.numbers,
            **{**kpp_numbers, **self.numbers},
        )
        return tuple(values[..., 0, 0] for values in outputs.values())

    def diffuse(self, values, diffusivity, source, dt):
        """Implicit diffusion, and `source` [m s-1 times units] given to each level."""
        dz = self.thickness
        share = dt / dz**2 * np.append(diffusivity[1:], 0.0)  # at upper interfaces
        lower = dt / dz**2 * np.append(0.0, diffusivity[1:])
        bands = np.stack(
            [np.append(0.0, -share[:-1]), 1 + share + lower, np.append(-lower[1:], 0.0)]
        )
        return solve_banded((1, 1), bands, values + dt * source / dz)

    def step(self, friction, heat, dt):
        """Wind of a friction velocity [m s-1] along x, heat [K m s-1] into the water."""
        found = self.mixing(friction, gravity * alpha * heat)
        viscosity, diffusivity, share, depth = found
        top = np.zeros(self.levels)
        top[-1] = 1.0
        passed = np.append(share[1:], 0.0) - share
        self.u = self.diffuse(self.u, viscosity, friction**2 * top, dt)
        self.temperature = self.diffuse(self.temperature, diffusivity, heat * (top + passed), dt)
        return depth
