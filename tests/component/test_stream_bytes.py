"""Bytes that streams of maps are expected to write: those of the files that they write.

Ranks: 1. A component with a field at every place, with levels, interfaces and an axis of tracers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from halocline.component.case.case import Case, named
from halocline.component.case.reading import make_case
from halocline.component.component import Component
from halocline.component.streams.field_stream import MapShape
from halocline.core.names import Quantity
from halocline.experiment.run import run
from halocline.runtime.fields.axis import Axis, sizes
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.files.classic_files import read_header
from halocline.runtime.running.runner import Runner

depth, tracer = Axis("depth", 3), Axis("tracer", 2)
interfaces = Axis("depth", 4, staggered=True)
lie: dict[str, tuple[Place, tuple[Axis, ...]]] = {
    "h": (Place.center, ()),
    "u": (Place.x_face, (depth,)),
    "v": (Place.y_face, (depth,)),
    "turn": (Place.corner, ()),
    "w": (Place.center, (interfaces,)),
    "salt": (Place.center, (tracer, depth)),
}


@dataclass(frozen=True, kw_only=True)
class EverywhereCase(Case):
    """Fields at every place."""

    component: str = named("everywhere")
    exports: ClassVar[Mapping[str, Quantity]] = {
        name: Quantity(name, "", "1", f"field {name}") for name in lie
    }

    def build(self, clock: Any, communicator: Any, **more: Any) -> Component:
        return Everywhere(self, clock, communicator)

    def map_shapes(self) -> Mapping[str, MapShape]:
        return {name: MapShape(place, sizes(axes)) for name, (place, axes) in lie.items()}


class ForgetfulCase(EverywhereCase):
    """One that does not say where its fields lie."""

    map_shapes = Case.map_shapes


class Everywhere(Component):
    """Fields that do not change."""

    def __init__(self, case: Case, clock: Any, communicator: Any) -> None:
        self.plane, self.step_length = case.build_grid(), clock.step
        mask, topology = self.plane.mask, self.plane.topology
        cut = Decomposition(mask, topology, halo=1, communicator=communicator)
        self.run, space = Runner(cut), Space(cut, levels=depth)
        self.shown = {
            name: Field(name, "1", space, axes=axes, place=place)
            for name, (place, axes) in lie.items()
        }

    def restart_fields(self) -> list[Field]:
        return [self.shown["h"]]

    def start(self, time: Any, restarted: bool) -> None:
        pass

    def step(self, time: Any) -> None:
        pass

    def diagnose(self, names: Any, time: Any) -> Mapping[str, Field]:
        return {name: self.shown[name] for name in names}


def table(stream: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    grid = {"nx": 12, "ny": 7, "dx": 5.0, "dy": 5.0, "x0": -27.5, "y0": -15.0, "depth": 90.0}
    return {
        "time": {"start": "2000-01-01", "length": "4h", "step": "1h"},
        "grid": {**grid, "closed_edges": False},
        "output": {"fields": {"maps": {"interval": "2h", **stream}}},
        **changes,
    }


def written(case: Case, folder: Path) -> int:
    """Bytes of all records in the file of a run: its size less what stands before them."""
    run(case, output=folder)
    header = read_header(folder / "maps.nc")
    assert header.records == case.output.fields["maps"].records(case.time.clock()) > 0
    return (folder / "maps.nc").stat().st_size - header.record_start


def expected(case: Case) -> int:
    return case.stream_bytes(case.build_grid(), case.time.clock())["maps"]


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    "stream",
    [
        {},
        {"precision": "float64", "variables": ["u", "turn"]},
        {"region": [-18.0, 12.0, -6.0, 11.0]},
        {"processing": "mean", "variables": ["v", "w", "salt"]},
        {"variables": ["v", "v"]},
    ],
)
def test_fields_at_all_places_are_counted_as_written(tmp_path: Path, stream: Any, joined: bool):
    tables = table(stream)
    tables["grid"] |= {"kind": "cartesian", "periodic_x": joined}
    case = EverywhereCase.from_table(tables)
    if not stream:
        faces = 12 + (not joined)
        values = 7 * 12 * (1 + 4 + 6) + 7 * 3 * faces + 8 * 3 * 12 + 8 * faces
        assert expected(case) == 3 * (4 * values + 12)
    assert expected(case) == written(case, tmp_path)


@pytest.mark.parametrize("stream", [{}, {"variables": ["a"], "region": [-18.0, 12.0, -6.0, 11.0]}])
def test_tracers_are_counted_as_written(tmp_path: Path, stream: Any):
    tables = table(stream, component="transport", transport={"tracers": ["a", "b"]})
    tables["grid"] |= {"levels": {"thickness": [10.0, 30.0, 50.0]}}
    case = make_case(tables)
    assert expected(case) == written(case, tmp_path)


def test_a_case_that_does_not_know_its_fields_is_told(tmp_path: Path):
    case = ForgetfulCase.from_table(table({}))
    with pytest.raises(AssertionError, match=r"map_shapes\(\) has .*center.* for 'u': .*x_face"):
        run(case, output=tmp_path)
