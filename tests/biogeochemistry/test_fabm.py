"""Models of FABM: the door, held against a module that has the interface of pyfabm. Ranks: 1.

pyfabm itself is not among the packages that tests can install: its model is a stand-in here, so
that names and shapes of its interface are what its documentation says.
"""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from biogeochemistry.test_bloom_case import SEA
from halocline.biogeochemistry.known_biologies import registered
from halocline.core.errors import UserError
from halocline.experiment.run import run

names = ("nutrient", "algae")


class Dependency:
    def __init__(self, name: str, units: str) -> None:
        self.name, self.units, self.required, self.value = name, units, True, None


class Variable:
    def __init__(self, name: str, array: np.ndarray) -> None:
        self.name, self.output_name = f"life/{name}", f"life_{name}"
        self.units, self.long_name, self._array = "mmol m-3", f"life {name}", array

    @property
    def value(self) -> np.ndarray:
        return self._array


class StandIn:
    """Nutrient and algae of one cell, as `pyfabm.Model` without a shape; the air gives nutrient."""

    wanted = {"temperature": "Celsius", "downwelling_photosynthetic_radiative_flux": "W m-2"}

    def __init__(self, path: str) -> None:
        assert Path(path).exists()
        self.interior_state = np.array([4.0, 0.5])
        parts = zip(names, self.interior_state.reshape(2, 1), strict=True)
        self.interior_state_variables = [
            Variable(name, part[0:1].reshape(())) for name, part in parts
        ]
        self.surface_state_variables: list[Variable] = []
        self.bottom_state_variables: list[Variable] = []
        self.dependencies = [Dependency(*pair) for pair in self.wanted.items()]
        self.cell_thickness = 0.0

    def start(self) -> bool:
        return all(one.value is not None for one in self.dependencies)

    def getRates(self, surface: bool = True, bottom: bool = True) -> np.ndarray:
        n, p = self.interior_state
        warm, light = (one.value for one in self.dependencies)
        grown = 1e-5 * 1.1 ** (warm - 10.0) * light / (light + 20.0) * n / (n + 1.0) * p
        from_air = 1e-5 / self.cell_thickness if surface else 0.0
        return np.array([from_air - grown, grown])

    def get_vertical_movement(self) -> np.ndarray:
        return np.array([0.0, -1e-5])


class FabmError(Exception):
    """What the package raises."""


@pytest.fixture
def pyfabm(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The stand-in as the module."""
    module = ModuleType("pyfabm")
    made = SimpleNamespace(kind=StandIn, error=None)
    monkeypatch.setattr(module, "FABMException", FabmError, raising=False)
    monkeypatch.setattr(module, "getError", lambda: made.error, raising=False)
    monkeypatch.setattr(module, "Model", lambda path: made.kind(path), raising=False)
    monkeypatch.setitem(sys.modules, "pyfabm", module)
    return made


def case(folder: Path) -> dict:
    (folder / "fabm.yaml").write_text("instances: {}\n")
    return {
        **SEA,
        "time": {**SEA["time"], "length": "30min"},
        "biology": {"model": "fabm", "fabm": {"file": str(folder / "fabm.yaml")}},
        "season": {"mixing": 0.0, "background": 0.0},
    }


def test_a_cell_follows_the_rates_of_the_model(pyfabm, tmp_path: Path) -> None:
    done = run(case(tmp_path)).component
    assert done.biology.names == ["life_nutrient", "life_algae"]
    assert done.biology.sinking == {"life_algae": 1e-5}
    found, state = done.state.tracer.gather(), done.state
    light, warm = state.light.gather()[:, 0, 0], state.temperature.gather()[:, 0, 0]
    n, p = np.full(3, 4.0), np.full(3, 0.5)
    p[2], p[1], p[0] = sunk(p)
    watt = 0.217 * light
    grown = 1800e-5 * 1.1 ** (warm - 10.0) * watt / (watt + 20.0) * n / (n + 1.0) * p
    n, p = n - grown + np.array([0.0, 0.0, 1800e-5 / 20.0]), p + grown
    np.testing.assert_allclose(found[0, :, 0, 0], n, rtol=1e-9)
    np.testing.assert_allclose(found[1, :, 0, 0], p, rtol=1e-9)


def sunk(p: np.ndarray) -> tuple[float, float, float]:
    """Implicit, upwind, onto a closed floor; from the uppermost cell down."""
    share = 1800.0 * 1e-5 / 20.0
    top = p[2] / (1.0 + share)
    middle = (p[1] + share * top) / (1.0 + share)
    return top, middle, p[0] + share * middle


class Hungry(StandIn):
    """Loses 20 times what it has in a step."""

    def getRates(self, surface: bool = True, bottom: bool = True) -> np.ndarray:
        loss = 20.0 / 1800.0 * self.interior_state[1]
        return np.array([loss, -loss])


def test_nothing_becomes_negative(pyfabm, tmp_path: Path) -> None:
    pyfabm.kind = Hungry
    done = run(case(tmp_path))
    found = done.component.state.tracer.gather()
    wet = done.component.grid.wet
    assert 0.0 <= found[1][wet].max() < 1e-3
    np.testing.assert_allclose(found.sum(axis=0)[0, 0, 0], 4.5, rtol=1e-2)
    assert "steps of cells were made in parts" in done.summary


class Wanting(StandIn):
    wanted = {"phytoplankton_mood": "1"}


class Benthic(StandIn):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.bottom_state_variables = [Variable("worm", np.zeros(()))]


class Misread(StandIn):
    def __init__(self, path: str) -> None:
        raise FabmError("instances is not a dictionary")


class Stuck(StandIn):
    def start(self) -> bool:
        return False


class Failing(StandIn):
    def getRates(self, surface: bool = True, bottom: bool = True) -> np.ndarray:
        raise FabmError("light is not a number")


class Rising(StandIn):
    def get_vertical_movement(self) -> np.ndarray:
        return np.array([0.0, 1e-5])


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (Wanting, r"wants 'phytoplankton_mood' \[1\], which is not among"),
        (Benthic, "'life/worm' lives at the surface or on the floor"),
        (Rising, "'life_algae' rises through the water"),
        (Misread, r"fabm.yaml': FABM does not take it: instances is not a dictionary"),
        (Stuck, r"fabm.yaml': FABM cannot start: it says above what is missing."),
        (Failing, r"fabm.yaml': FABM gives no rates: light is not a number"),
    ],
)
def test_what_cannot_be_carried_is_refused(pyfabm, tmp_path: Path, kind, says) -> None:
    pyfabm.kind = kind
    with pytest.raises(UserError, match=says):
        run(case(tmp_path))


def test_without_the_package_it_says_where_it_is_from(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyfabm", None)
    assert "fabm" in registered()
    with pytest.raises(UserError, match="needs the package pyfabm, which comes with the sources"):
        run(case(tmp_path))
