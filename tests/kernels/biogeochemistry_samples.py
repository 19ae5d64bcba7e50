"""Samples of the kernels of the biogeochemistry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernels.samples import Maker, Sample, sample, samples


def biogeochemistry_sample(kernel: str, scalars: Callable[[], dict[str, Any]]) -> None:
    """Register the sample of a kernel whose arrays follow from its contract."""

    @sample(kernel)
    def make(random: np.random.Generator, dtype: type) -> Sample:
        from halocline.biogeochemistry import _native

        extents, plane = {"tracer": 5, "4": 4, "depth": 3}, (4, 11)
        ranges = {
            "temperature": (5, 25), "salinity": (30, 38), "ph": (7.8, 8.3),
            "air_carbon_dioxide": (300, 500), "tracer": (1500, 2500), "attenuation": (0.02, 0.2),
            "tracer_attenuation": (1e-6, 1e-5), "wind_speed": (1, 9),
        }  # fmt: skip
        arrays = {}
        for name, _, place, _, _, _, _, axes in _native.contracts[kernel]:
            outer = tuple(extents[word] for word in axes.split())
            shape = outer if place == "none" else (*outer, *plane)
            arrays[name] = random.uniform(*ranges.get(name, (0.5, 1.5)), shape).astype(dtype)
        if "tracer" in arrays:
            arrays["tracer"][1] *= 1.2  # more alkalinity than carbon
        if kernel == "npzd_react":
            arrays["tracer"] /= 1000
        return Sample((0, 4, 0, 11, 0), arrays, scalars())


def carbonate_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.carbonate import CarbonateOptions, carbonate_tracers

    names = ["carbon", "alkalinity", "phosphate", "silicate", "oxygen"]
    return {
        "numbers": CarbonateOptions().numbers,
        "of": carbonate_tracers(names, **dict(zip(names, names, strict=True))),
    }


def exchange_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.gas_exchange import GasExchangeOptions

    return carbonate_scalars() | {"gas": GasExchangeOptions().numbers, "dt": 1800.0}


biogeochemistry_sample("carbonate", carbonate_scalars)
biogeochemistry_sample("air_sea_exchange", exchange_scalars)
biogeochemistry_sample(
    "surface_light",
    lambda: {"per_watt": 2.3, "course": True, "declination": 0.1, "begin": 0.49, "end": 0.51},
)
biogeochemistry_sample("light_in_water", lambda: {"mean": False})


def npzd_scalars() -> dict[str, Any]:
    from halocline.biogeochemistry.npzd.options import NpzdOptions

    return {"numbers": NpzdOptions().numbers, "dt": 1800.0}


biogeochemistry_sample("npzd_react", npzd_scalars)


def bfm_sample(*results: str, **sizes: tuple[int, ...]) -> Maker:
    """Two levels of cells in states around that of BFM's preset; all of them are wet."""

    def make(random: np.random.Generator, dtype: type) -> Sample:
        from biogeochemistry.bfm_states import random_states
        from halocline.biogeochemistry.bfm.options import BfmOptions

        levels, halo, rows, columns = 2, 1, 2, 9
        shape = (levels, rows + 2 * halo, columns + 2 * halo)
        state, around = random_states(random, int(np.prod(shape)))
        cells = {
            "volume": random.uniform(1e3, 2e3, shape),
            "temperature": around[0].reshape(shape),
            "light": around[1].reshape(shape),
            "calcite_saturation": random.uniform(0.2, 0.8, shape),
            "area": random.uniform(50.0, 100.0, shape[1:]),
            "tracer": state.reshape(-1, *shape),
            "floor": random.uniform(10.0, 20.0, (8, *shape[1:])),
        }
        one = {name: np.zeros((*before, *shape)) for name, before in sizes.items()}
        options = BfmOptions.from_table({"sinking": {"floor": "returned"}})
        sinks = "floor" in results
        numbers = options.native_of_sinking() if sinks else options.native()
        arrays = {name: array.astype(dtype) for name, array in (cells | one).items()}
        arrays["cut_cells"] = np.zeros(2, np.int64)
        scalars = {"numbers": numbers} | ({} if "tracer_gain" in sizes else {"dt": 1800.0})
        box = (halo, halo + rows, halo, halo + columns, 0)
        return Sample(box, {name: arrays[name] for name in results}, scalars)

    return make


samples["bfm_react"] = bfm_sample(
    "tracer",
    "volume",
    "temperature",
    "light",
    "calcite_saturation",
    "gross_production",
    "primary_production",
    "bacterial_production",
    "cut_cells",
    gross_production=(),
    primary_production=(),
    bacterial_production=(),
)
samples["bfm_rates"] = bfm_sample(
    "tracer",
    "temperature",
    "light",
    "calcite_saturation",
    "tracer_gain",
    "tracer_loss",
    tracer_gain=(51,),
    tracer_loss=(51,),
)
samples["bfm_sink"] = bfm_sample("tracer", "volume", "area", "temperature", "floor")
