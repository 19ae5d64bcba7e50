"""Small atmospheres for tests of the dynamics."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np

from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.sides.given_sides import given_names
from halocline.component.case.reading import make_case, read_case
from halocline.grids.horizontal.projection_options import on_maps
from halocline.runtime.ranks.communicator import Alone


def small(**settings: Any) -> AtmosphereCase:
    """A case of 40 x 1 x 20 cells of 500 m with these settings, by dotted names."""
    table: dict[str, Any] = {
        "component": "atmosphere",
        "precision": "float64",
        "time": {"start": "2000-01-01", "length": "60s", "step": "2s"},
        "grid": {
            "kind": "cartesian", "nx": 40, "ny": 1, "x0": -9750.0, "dx": 500.0, "dy": 500.0,
            "periodic_x": True, "periodic_y": True,
        },
        "atmosphere": {"layers": {"count": 20, "top": 10e3}},
    }  # fmt: skip
    if settings.get("grid.kind") in on_maps:  # whose middle is given
        del table["grid"]["x0"]
    case = make_case(table).with_settings(settings)
    assert isinstance(case, AtmosphereCase)
    return case


def globe(columns: int, **settings: Any) -> AtmosphereCase:
    """The same around the globe, from pole to pole, with so many columns and half as many rows."""
    step = 360.0 / columns
    grid = {
        "grid.kind": "spherical", "grid.nx": columns, "grid.ny": columns // 2, "grid.dx": step,
        "grid.dy": step, "grid.x0": 0.5 * step, "grid.y0": 0.5 * step - 90.0,
        "grid.periodic_x": True, "grid.periodic_y": False, "grid.sides.south": "pole",
        "grid.sides.north": "pole",
    }  # fmt: skip
    return small(**(grid | settings))


def shipped(name: str, **settings: Any) -> AtmosphereCase:
    case = read_case(name).with_settings(settings)
    assert isinstance(case, AtmosphereCase)
    return case


def begun(case: AtmosphereCase) -> AtmosphereComponent:
    """The atmosphere at its start."""
    component = case.build(case.time.clock(), Alone())
    component.start(case.time.clock().time, False)
    return component


def held(component: AtmosphereComponent) -> AtmosphereComponent:
    """Its given sides keep the state that the air has now, for a day."""
    assert component.given is not None
    for moment in ("before", "after"):
        for name in (*given_names, *(("water",) if component.state.species else ())):
            component.given.field(moment, name).copy(getattr(component.state, name))
    start = component.period[0]
    component.given.before_time, component.given.after_time = start, start + timedelta(days=1)
    return component


def ended(
    case: AtmosphereCase, component: AtmosphereComponent | None = None
) -> AtmosphereComponent:
    """The atmosphere at its end."""
    component, clock = component or begun(case), case.time.clock()
    while clock.time < clock.end:
        component.step(clock.time)
        clock.advance()
    return component


def values(component: AtmosphereComponent, name: str) -> np.ndarray:
    """A field of the state, float64."""
    found = getattr(component.state, name).gather()
    assert found is not None
    return np.asarray(found, np.float64)
