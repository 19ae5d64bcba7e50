"""Schemes on the fields of a run: blocks, totals, options."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.clouds import Clouds, MicrophysicsOptions
from halocline.core.errors import UserError
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.runner import Runner

levels, nj, ni = 10, 6, 20
dt = 30.0


def air(species: int) -> dict[str, np.ndarray]:
    """A damp and rainy atmosphere, by arguments' names."""
    random = np.random.default_rng(1)
    shape = (levels, nj, ni)
    pressure = np.broadcast_to(np.linspace(1e5, 4e4, levels)[:, None, None], shape)
    exner = (pressure / 1e5) ** (2 / 7)
    return {
        "air_pressure": pressure,
        "exner": exner,
        "air_density": pressure / (287.0 * 300.0 * exner),
        "layer_depth": random.uniform(100.0, 600.0, shape),
        "dry_theta": random.uniform(-5.0, 5.0, shape),
        "water": random.uniform(0.0, 5e-3, (species, *shape)),
    }


@pytest.mark.parametrize("scheme", ["kessler", "wsm6"])
def test_steps_on_blocks_and_totals(scheme):
    chosen = MicrophysicsOptions(scheme=scheme).chosen
    assert chosen is not None
    arrays = air(len(chosen.species))
    decomposition = Decomposition(np.ones((nj, ni), bool), Topology(nj, ni), halo=2)
    layers = Axis("height", coordinates=tuple(range(levels)), units="m")
    space = Space(decomposition, levels=layers)
    state = SimpleNamespace()
    units = {"air_pressure": "Pa", "air_density": "kg m-3", "layer_depth": "m", "dry_theta": "K"}
    for name, values in arrays.items():
        axes = (Axis("species", entries=chosen.species), layers) if name == "water" else (layers,)
        unit = units.get(name, "1")
        field = Field(name, unit, space, axes=axes, place=Place.center, dtype=np.float32)
        field.set_global(values.astype(np.float32))
        setattr(state, name, field)
    clouds = Clouds(chosen, Runner(decomposition), state, space, np.float32)
    assert tuple(clouds.fallen) == chosen.fallen

    plain = {name: values.astype(np.float32) for name, values in arrays.items()}
    totals = {name: np.zeros((nj, ni)) for name in chosen.fallen}
    for _ in range(3):
        clouds.step(dt)
        fallen = {name: np.zeros((nj, ni), np.float32) for name in chosen.fallen}
        kernel = getattr(_native, chosen.kernel)
        kernel((0, nj, 0, ni, 0), **plain, **fallen, dt=dt, **chosen.numbers)
        for name, values in fallen.items():
            totals[name] += values
    assert np.array_equal(state.water.gather(), plain["water"])
    for name, total in zip(chosen.fallen, clouds.totals.values(), strict=True):
        assert np.array_equal(total.gather(), totals[name])
        assert total.restart and total.dtype == np.float64
    assert totals["rain_fallen"].min() > 0.0


def test_schemes_that_are_not_known_are_refused():
    assert MicrophysicsOptions().chosen is None
    with pytest.raises(UserError, match="kessler"):
        MicrophysicsOptions(scheme="kesler")
