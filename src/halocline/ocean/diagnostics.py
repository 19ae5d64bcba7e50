"""Numbers and maps that are made of the ocean's state for its output and its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.core.constants import gravity
from halocline.ocean import _native
from halocline.ocean.bottom_cells import shares_of_blocks
from halocline.ocean.budget import Budget, Contents, Gain, extremes
from halocline.ocean.mixed_layer import mixed_layer_depth
from halocline.ocean.regions import region_cells
from halocline.ocean.transports import (
    face_transports,
    nearest_corner,
    section_faces,
    section_transports,
    stream_function,
)
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

kernels = kernels_of(_native)


class OceanDiagnostics:
    """Looks at the state of one ocean; all calls are for all ranks, and change no bit of it."""

    def __init__(self, model: Ocean) -> None:
        self.model, self.state = model, model.state
        self.grid = model.levels.horizontal
        self.sections = {
            name: section_faces(name, points, self.grid)
            for name, points in model.options.sections.items()
        }
        self.basins = {
            name: region_cells(given, self.grid, f"ocean.basins.{name}")
            for name, given in model.options.basins.items()
        }
        where = model.options.stream_function_zero
        self.zero = nearest_corner(where[0], where[1], self.grid) if where else None
        self.budget = Budget(model.state)
        self.first: Contents | None = None
        self.entered = dict[str, float]()

    def begin(self) -> None:
        """Remember what there is at the start, and what has entered before a restart."""
        self.first, self.entered = self.budget.contents(), self.budget.entered()

    def gains(self, first: Contents, now: Contents) -> list[Gain]:
        """What water, heat and salt have gained since `begin`, and by which ways."""
        come = self.budget.entered()
        by = {way: value - self.entered[way] for way, value in come.items()}
        forcing, mass = self.model.options.forcing, self.model.options.density.reference
        capacity, salt = mass * forcing.heat.capacity, 1e-3 * mass
        frost = {"freezing": capacity * by["freezing"]} if forcing.freezing else {}
        warm_boxes, salt_boxes = (
            {"boxes": scale * by[way]} if way in by else {}
            for way, scale in (("heat of boxes", capacity), ("salt of boxes", salt))
        )
        volume = now.volume
        return [
            Gain(
                "water", "m3", volume - first.volume, {"the surface": by["water"]}, "of all", volume
            ),
            Gain(
                "heat",
                "J",
                capacity * (now.heat - first.heat),
                {"the surface": capacity * by["heat"], **frost, **warm_boxes},
                "K",
                capacity * volume,
            ),
            Gain(
                "salt",
                "kg",
                salt * (now.salt - first.salt),
                {"the surface": salt * by["salt"], **salt_boxes},
                "of salinity",
                salt * volume,
            ),
        ]

    def basin_contents(self) -> dict[str, Contents]:
        """What every basin holds; for all ranks."""
        found = {}
        for name, cells in self.basins.items():
            inside = Field(name, "1", self.state.space, place=Place.center, static=True)
            inside.set_global(cells.astype(inside.dtype))
            found[name] = self.budget.contents(inside)
        return found

    def stream_function(self, target: Field) -> None:
        """Set the barotropic stream function [m3 s-1], a field at corners."""
        faces = face_transports(self.state)
        plane = None if faces is None else stream_function(faces.x, target.shape[0])
        if plane is not None and self.zero is not None:
            plane -= plane[self.zero]
        plane = target.decomposition.communicator.broadcast(plane)
        target.set_global(plane.astype(target.dtype))

    def mixed_layers(self, target: Field) -> None:
        """Set the depth of the mixed layer [m], a field at centres."""
        s, options = self.state, self.model.options
        axis, space, dtype = s.levels, s.space, s.dtype
        zero = Field("depth", "m", space, axes=(axis,), place=Place.none, dtype=dtype, static=True)
        zero.set_global(np.zeros(axis.size, dtype))
        at_surface = Field(
            "density", "kg m-3", space, axes=(axis,), place=Place.center, dtype=dtype
        )
        at_zero = {"density": at_surface, "depth": zero, "bottom_share": None}
        find = self.model.run.bind(kernels["ocean_density"], s, **at_zero)
        find(numbers=options.density.numbers)
        levels = self.model.levels
        depth, interfaces, thickness = levels.depth, levels.interfaces, levels.thickness
        with target.change() as owned:
            shares = shares_of_blocks(s.floor_level, s.bottom_share, depth.size)
            blocks = zip(owned, at_surface.read(), s.floor_level.read(), shares, strict=True)
            for to, density, level, share in blocks:
                missing = ((1.0 - share) * thickness[:, None, None]).sum(axis=0)
                floor = interfaces[level.astype(np.int64)] - missing
                to[...] = mixed_layer_depth(density.astype(np.float64), depth, level, floor)

    def transports(self) -> dict[str, float]:
        """Through the named sections, to the right of their ways [m3 s-1]; for all ranks."""
        found = section_transports(self.sections, face_transports(self.state))
        passed: dict[str, float] = self.state.area.decomposition.communicator.broadcast(found)
        return passed

    def summary(self) -> str:
        """What it holds and has gained since the start, extremes with places, transports."""
        s, lines = self.state, []
        if self.first is not None:
            now = self.budget.contents()
            lines.append(now.since(self.first))
            lines += [gain.words() for gain in self.gains(self.first, now)]
        depth = self.model.levels.depth
        speeds = [np.hypot(u, v) for u, v in zip(s.u.read(), s.v.read(), strict=True)]
        for name, form, field, arrays in (
            ("temperature", ".2f", s.density, [a[0] for a in s.tracer.read()]),
            ("salinity", ".2f", s.density, [a[1] for a in s.tracer.read()]),
            ("sea level", ".3f", s.surface, [a / gravity for a in s.surface.read()]),
        ):
            found = extremes(field, arrays)
            ends = (one.words(self.grid, field.place, depth, form) for one in found)
            lines.append(f"{name} from {' to '.join(ends)}")
        fastest = extremes(s.u, speeds)[1]
        lines.append(f"fastest current {fastest.words(self.grid, s.u.place, depth, '.3f')} m/s")
        passed = self.transports() if self.sections else {}
        said = ", ".join(f"{name} {value / 1e6:.2f} Sv" for name, value in passed.items())
        return "\n".join(lines + [f"transports: {said}"] * bool(said))
