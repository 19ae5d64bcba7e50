"""Samples of the kernels of the atmosphere: each follows from the kernel's contract.

A kernel needs one line: `atmosphere_sample("atmosphere_name", "names of random scalars",
other=scalars)`. Arrays are random, in the range of `ranges` under their name, or their units.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.core import moist_air
from kernels.samples import Sample, sample, samples

extents = {"species": 6, "known": 2, "depth": 5, "soil": 3}
tables = {
    "warmth": 2, "pressure": 3, "eta": 2, "term": 4, "band": 2, "lower": 4, "upper": 4,
    "lower_gas": 2, "upper_gas": 2, "ozone": 2, "kelvin": 6,
}  # fmt: skip
extents |= tables
"""Entries of the words of axes; a number stands for itself."""

ranges = {
    "air_pressure": (4e4, 1e5),
    "pressure_share": (0.3, 0.9),
    "pressure_rest": (0.0, 5e3),
    "sine_squared": (0.0, 1.0),
    "exner": (0.8, 1.0),
    "air_density": (0.5, 1.2),
    "layer_depth": (50.0, 500.0),
    "height": (20.0, 9000.0),
    "dry_theta": (-20.0, 20.0),
    "theta": (-20.0, 20.0),
    "skin_temperature": (260.0, 310.0),
    "soil_temperature": (260.0, 300.0),
    "surface_pressure": (9e4, 1e5),
    "mass": (-1e3, 1e3),
    "base_mass": (8e4, 9e4),
    "dilution": (0.98, 1.0),
    "pressure": (-500.0, 500.0),
    "base_pressure": (4e4, 1e5),
    "volume": (-0.05, 0.05),
    "base_volume": (0.8, 2.0),
    "geopotential": (-100.0, 100.0),
    "base_geopotential": (0.0, 5e3),
    "strain": (1e-3, 1e-2),
    "stability": (-1e-2, 1e-2),
    "heat_flux": (-50.0, 300.0),
    "vapor_flux": (-1e-5, 1e-4),
    "friction_velocity": (0.1, 0.8),
    "roughness": (1e-3, 0.5),
    "short_wave_down": (0.0, 800.0),
    "long_wave_down": (200.0, 400.0),
    "albedo": (0.05, 0.6),
    "emissivity": (0.9, 1.0),
    "boundary_layer_depth": (200.0, 2000.0),
    "u": (-20.0, 20.0),
    "v": (-20.0, 20.0),
    "w": (-3.0, 3.0),
    "moisture_availability": (0.2, 0.9),
    "theta_nonlocal": (-0.1, 0.1),
    "sun": (0.1, 0.9),
    "absorption": (1e-25, 1e-24),
    "lower": (1e-26, 1e-25),
    "upper": (1e-26, 1e-25),
    "lower_scattering": (1e-26, 1e-25),
    "upper_scattering": (1e-26, 1e-25),
    "liquid_albedo": (0.5, 0.99),
    "ice_albedo": (0.5, 0.99),
    "liquid_asymmetry": (0.7, 0.9),
    "ice_asymmetry": (0.7, 0.9),
    **dict.fromkeys(("x_flux", "y_flux", "rise"), (-1.0, 1.0)),
    "soil_heat_capacity": (1e6, 4e6),
    "deep_temperature": (275.0, 290.0),
    **{f"{wind}inward_{axis}": (-3.4, 3.4) for wind in ("", "u_", "v_") for axis in "xy"},
    **dict.fromkeys(("x_edge", "y_edge"), (-1.0, 1.0)),
    **{
        f"{moment}_{name}": span
        for moment in ("before", "after", "old")
        for name, span in {
            "mass": (-1e3, 1e3),
            "u": (-20.0, 20.0),
            "v": (-20.0, 20.0),
            "theta": (-20.0, 20.0),
            "geopotential": (-100.0, 100.0),
        }.items()
    },
}
"""Least and largest values by name of an argument; others are between 0.5 and 1.5."""

plane_of_cells = (3, 9)
"""Rows and columns of a sample's box."""

exact = ("total",)
"""Arguments that are float64 in all versions of a kernel."""

humid = (2e-2, *(3e-3,) * 5)
"""Largest mixing ratio of vapour, cloud, rain, ice, snow, graupel [1]."""


def values(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Random values of an argument; a fifth of all drops and crystals, and some of masks, is 0."""
    least, largest = ranges.get(name, (0.5, 1.5))
    some = random.uniform(least, largest, shape)
    if name in ("land", "x_limited"):
        return np.round(random.random(shape))
    if name == "water":
        some = random.random(shape) * np.reshape(humid, (6, *(1,) * (len(shape) - 1)))
        some[1:] *= random.random(shape[1:]) > 0.2
    if name.endswith(("given", "drawn", "outside", "edge")):
        some *= random.random(shape) > 0.3
    if name == "height":
        some.sort(axis=0)
    if name == "base_geopotential":
        some += 1e4 * np.arange(shape[0])[:, None, None]
    return some


def atmosphere_sample(kernel: str, numbers: str = "", **scalars: Any) -> None:
    """Register the sample of a kernel; the scalars `numbers` are random ones."""

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.atmosphere import _native

        contract = _native.contracts[kernel]
        halo = max(1, *(abs(offset) for argument in contract for offset in argument[4]))
        rows, columns = plane_of_cells
        plane = (rows + 2 * halo, columns + 2 * halo)
        arrays = {}
        for name, _, place, _, _, _, _, axes in contract:
            outer = tuple(entries(word) for word in axes.split())
            shape = outer if place == "none" else (*outer, *plane)
            number = np.float64 if name in exact else dtype
            arrays[name] = values(random, name, shape).astype(number)
        given = {name: float(random.uniform(0.1, 0.9)) for name in numbers.split()}
        return Sample((halo, halo + rows, halo, halo + columns, 0), arrays, given | scalars)


def entries(word: str) -> int:
    """How many an axis has: "depth+1" one more than "depth"."""
    name, _, more = word.partition("+")
    return (int(name) if name.isdigit() else extents[name]) + int(more or 0)


def counted_sample(kernel: str, **scalars: Any) -> None:
    """Register the sample of a kernel whose `water` ends with numbers of drops and crystals."""
    atmosphere_sample(kernel, **scalars)
    made = samples[kernel]

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        found = made(random, dtype)
        water = found.arrays["water"]
        numbers = np.exp(random.uniform(np.log(1e2), np.log(1e6), (2, *water.shape[1:])))
        found.arrays["water"] = np.concatenate([water, numbers.astype(dtype)])
        return found


for name, numbers in {
    "mass_fluxes": "",
    "rise": "",
    "acoustic_push": "dt external_damping",
    "acoustic_columns": "dt off_centring divergence_damping",
    "hydrostatic_columns": "dt divergence_damping",
    "hydrostatic_state": "",
    "air_state": "",
    "air_for_physics": "",
    "surface_pressure": "",
    "moist_theta": "",
    "wind_at_centers": "",
    "mean_fluxes": "share",
}.items():
    atmosphere_sample(f"atmosphere_{name}", numbers)
atmosphere_sample("atmosphere_dilution", kinds=2)
for name in ("u", "v", "w"):
    atmosphere_sample(f"atmosphere_mix_{name}", upward=1, sloping=1)
atmosphere_sample("atmosphere_mix_theta", "factor given", upward=1, sloping=1)
atmosphere_sample("atmosphere_strain", upward=1, sloping=1)
atmosphere_sample("atmosphere_smagorinsky", "coefficient prandtl", upward=1)
atmosphere_sample("atmosphere_energy_mixing", "coefficient")
atmosphere_sample("atmosphere_mix_energy", sloping=1)
atmosphere_sample("atmosphere_energy_transport", "dt", order=5, vertical_order=3)
atmosphere_sample("atmosphere_energy_sources", "coefficient given dt", least=1e-6)
for name in ("u", "v", "w", "theta"):
    atmosphere_sample(f"atmosphere_filter_{name}", "strength dt", fresh=0)
for name in ("u", "v", "theta"):
    atmosphere_sample(f"atmosphere_return_{name}", fresh=0)
for name in ("wind", "w", "theta"):
    atmosphere_sample(f"atmosphere_{name}_tendency", order=5, vertical_order=3, weno=0)
atmosphere_sample("atmosphere_geopotential_tendency", order=5)
atmosphere_sample("atmosphere_hydrostatic_rise", "dt", last=1)
for name in ("draw_u", "draw_v", "draw_cells"):
    atmosphere_sample(f"atmosphere_{name}", "share pull smoothing")
for name in ("given_u", "given_v", "given_w"):
    atmosphere_sample(f"atmosphere_{name}", "share elapsed")
atmosphere_sample("atmosphere_given_cells", "share elapsed ahead dt")
for name in "uv":
    atmosphere_sample(f"atmosphere_friction_{name}", "rate", top=2e3, lower=0.4, fresh=0)
atmosphere_sample(
    "atmosphere_relax_theta", "slow fast", top=2e3, lower=0.4, warmest=315.0, contrast=60.0,
    stability=10.0, coldest=200.0, fresh=0,
)  # fmt: skip
atmosphere_sample("atmosphere_draw_water", "share pull smoothing", fresh=0)
atmosphere_sample("atmosphere_given_water", "share elapsed")
atmosphere_sample("atmosphere_inner_w")
for name in ("u", "v"):
    atmosphere_sample(f"atmosphere_radiate_{name}", "dt", wave_speed=30.0)
    atmosphere_sample(f"atmosphere_continue_{name}")
for name in ("rest_u", "rest_v", "rest_cells", "rest_water"):
    atmosphere_sample(f"atmosphere_{name}")
for name in ("cells", "water", "energy"):
    atmosphere_sample(f"atmosphere_continue_{name}")
for name in "uvw":
    atmosphere_sample(f"atmosphere_turn_{name}", "curvature")
for name in ("move_water", "water_shares", "move_water_within"):
    weno = int(name == "move_water_within")
    atmosphere_sample(f"atmosphere_{name}", dt=10.0, order=5, vertical_order=3, weno=weno)
for name in ("new_wind", "new_stage"):
    atmosphere_sample(f"atmosphere_{name}", last=0)
atmosphere_sample(
    "atmosphere_kessler", dt=20.0, autoconversion=1e-3, threshold=1e-3, accretion=2.2, courant=0.75
)
atmosphere_sample(
    "atmosphere_wsm6", dt=20.0, longest=120.0, courant=0.75, droplets=3e8, rain_intercept=8e6,
    snow_intercept=2e6, graupel_intercept=4e6, graupel_density=500.0, graupel_speed=330.0,
    one_speed=True, weak_if_scarce=True,
)  # fmt: skip
atmosphere_sample(
    "atmosphere_reflectivity", rain_intercept=8e6, snow_intercept=2e6, graupel_intercept=4e6,
    graupel_density=500.0, wet=True,
)  # fmt: skip
counted_sample("atmosphere_thompson", dt=20.0, longest=120.0, courant=0.75, droplets=1e8)
counted_sample("atmosphere_thompson_reflectivity")
atmosphere_sample("atmosphere_collect", factor=2.0)
atmosphere_sample(
    "atmosphere_surface_layer",
    zilitinkevich=0.1,
    gustiness=1.0,
    least_wind=0.1,
    sea_saturation=0.98,
)
atmosphere_sample(
    "atmosphere_ysu", critical=0.25, entrainment=0.15, free_length=30.0, background=0.01,
    cloud=1, ice_entry=3,
)  # fmt: skip
atmosphere_sample("atmosphere_column_mixing", dt=60.0)
atmosphere_sample(
    "atmosphere_kain_fritsch", dt=60.0, memory=600.0, rain_rate=0.03, removed=0.9, shortest=1800.0,
    longest=3600.0, turbulent_energy=5.0, shallow=True, cloud=1, ice_entry=3, look=1,
)  # fmt: skip
without_storms = samples["atmosphere_kain_fritsch"]


@sample("atmosphere_kain_fritsch")
def with_storms(random: np.random.Generator, dtype: type) -> Sample:
    """Columns of 16 km in which deep clouds can begin, and in half of them go on."""
    found = without_storms(random, dtype)
    plane = found.arrays["area"].shape
    z = np.arange(0.5e3, 16e3, 1e3)
    theta = 300.0 + 43.0 * (z / 12e3) ** 1.25
    exner = 1.0 - np.cumsum(9.81 * 1e3 / (1004.5 * theta)) + 4.905e3 / (1004.5 * theta)
    pressure = 1e5 * exner**3.5
    humidity = np.maximum(1.0 - 0.75 * (z / 12e3) ** 1.25, 0.2)
    vapor = humidity * moist_air.mixing_ratio(
        moist_air.saturation_pressure(theta * exner), pressure
    )
    profiles = {
        "dry_theta": theta - 300.0, "air_pressure": pressure, "exner": exner,
        "air_density": pressure / (287.0 * theta * exner), "layer_depth": np.full(16, 1e3),
    }  # fmt: skip
    levels = {"w": (0.1, 0.5), "mean_rise": (0.3, 0.6), "u": (5.0, 9.0), "v": (1.0, 3.0)}
    new = {name: np.multiply.outer(values, np.ones(plane)) for name, values in profiles.items()}
    for name, (least, most) in levels.items():
        new[name] = random.uniform(least, most, (16 + (name == "w"), *plane))
    for name in ("water", "convective_wetting"):
        new[name] = 1e-6 * random.random((len(found.arrays["water"]), 16, *plane))
    new["water"][0] = np.multiply.outer(np.minimum(vapor, 0.014), random.uniform(0.95, 1.0, plane))
    new["convective_heating"] = 1e-3 * random.random((16, *plane))
    new["area"] = random.uniform(20e3, 24e3, plane) ** 2
    new["convective_time"] = np.where(random.random(plane) > 0.5, 1000.0, 0.0)
    found.arrays |= {name: values.astype(dtype) for name, values in new.items()}
    return found


for name in ("u", "v", "theta"):
    atmosphere_sample(f"atmosphere_force_{name}", fresh=0)
atmosphere_sample("atmosphere_force_water")
atmosphere_sample("atmosphere_slab", diffusivity=5e-7, dt=60.0)

given_tables = {
    "minors_lower": [[2, 0, 1, 1, 0, 0], [6, 1, 0, -1, 0, 2]],
    "minors_upper": [[2, 1, 1, 1, 1, 2], [6, 0, 0, -1, 0, 0]],
    "keys": [[[1, 2], [3, 0]], [[2, 1], [0, 6]]],
    "band_ends": [0, 2, 4],
    "temperatures": [200.0, 300.0],
    "pressures": [1e5, 6e4, 3e4],
    "ozone_pressure": [1e5, 1e3],
    "standard_temperature": [290.0, 230.0],
}
"""Tables of radiation whose numbers have to fit each other."""


def radiation_sample(kernel: str, **scalars: Any) -> None:
    """Register the sample of radiation, whose tables have two bands of two terms each."""
    atmosphere_sample(kernel, tropopause=6e4, cloud=1, ice_entry=3, extra=2, **scalars)
    made = samples[kernel]

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        found = made(random, dtype)
        found.arrays |= {name: np.array(table, dtype) for name, table in given_tables.items()
                         if name in found.arrays}  # fmt: skip
        return found


radiation_sample("atmosphere_long_wave", first_kelvin=160.0)
radiation_sample("atmosphere_short_wave", solar=1361.0)
