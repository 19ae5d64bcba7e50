"""Rough seas with random states, and the same as wide planes for the plain references."""

from types import SimpleNamespace

import numpy as np

from biogeochemistry.folded_ocean import folded_ocean
from halocline.core.constants import earth_rotation
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.options import OceanMixingOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.runtime.fields.place import Place
from ocean import oceans
from references.joined_planes import JoinedPlanes, least_of_four, mean_of_four, shift

kinds = ("belt", "faces", "centres", "straits", "plane", "thin belt", "thin centres")
"""Periodic, folded in two ways, closed with straits of one cell, periodic both ways; those with
thin cells at the floor are `oceans.thinned`."""

chart = """
...........
.444.444..
.4443434.4.
.444.414.4.
....4.4..2.
.22444444..
.24.1...42.
.222.332.4.
...........
"""
"""Levels with water: dots are land; straits are one cell wide, one cell is a lake."""

viscosity, diffusivity, drag, drag_speed, tau = 2e4, 2e3, 3e-3, 0.3, 7200.0

ranges = {
    "tracer": (1.0, 20.0), "old_tracer": (1.0, 20.0), "old_layer": (80.0, 120.0),
    "water_flux": (-1e-3, 1e-3), "surface_flux": (-1e-2, 1e-2), "nonlocal_share": (0.0, 1.0),
    "vertical_diffusivity": (0.0, 1.0), "vertical_viscosity": (0.0, 1.0),
    "u": (-1.0, 1.0), "v": (-1.0, 1.0), "old_u": (-1.0, 1.0), "old_v": (-1.0, 1.0),
    "old_mean_u": (-1.0, 1.0), "old_mean_v": (-1.0, 1.0),
    "auxiliary_u": (-1.0, 1.0), "auxiliary_v": (-1.0, 1.0),
    "force_x": (-1e-4, 1e-4), "force_y": (-1e-4, 1e-4),
    "stress_x": (-1e-2, 1e-2), "stress_y": (-1e-2, 1e-2), "pressure": (-10.0, 10.0),
    "pressure_slope": (-0.5, 0.5),
    "old_density": (-5.0, 5.0), "density": (-5.0, 5.0), "new_density": (-5.0, 5.0),
    "old_surface": (-10.0, 10.0), "surface": (-10.0, 10.0), "new_surface": (-10.0, 10.0),
}  # fmt: skip
"""Least and greatest random values of fields; every term of a step is far above round-off."""


def levels_of(kind):
    """A sea whose sides are joined in one way."""
    if kind.startswith("thin "):
        return oceans.thinned(levels_of(kind.removeprefix("thin ")))
    if kind in ("faces", "centres"):
        return folded_ocean(kind)
    if kind == "belt":
        return oceans.rough_sphere()
    rows = [line.ljust(11, ".") for line in chart.split()]
    count = np.array([[int(c) if c != "." else 0 for c in row] for row in rows[::-1]])
    if kind == "straits":
        depth = np.array([0.0, 50.0, 200.0, 500.0, 1500.0])[count]
        options = GridOptions(
            nx=11, ny=9, dx=2.0, dy=3.0, x0=20.0, y0=30.0, depth=depth.tolist(), closed_edges=True
        )
        return layered(regular_grid(options), np.array([100.0, 200.0, 400.0, 800.0]))
    depth = 60.0 + 40.0 * np.roll(count, (3, 4), (0, 1))
    depth[count == 1] = 0.0
    return oceans.plane(11, 9, 5e4, [90.0, 60.0, 50.0], depth=depth.tolist(), periodic_x=True,
                        periodic_y=True)  # fmt: skip


def random_fields(model):
    """Fields of a model by the names of `ranges`; those that all whole cells do without are not."""
    found = {name: getattr(model.state, name) for name in ranges}
    return {name: field for name, field in found.items() if field is not None}


def random_ocean(kind, seed=1, dtype=np.float64):
    """A model whose fields are random; velocity is 0 on land, as kernels want it."""
    levels, random = levels_of(kind), np.random.default_rng(seed)
    mixing = OceanMixingOptions(
        scheme="kpp", viscosity=viscosity, diffusivity=diffusivity, drag=drag
    )
    turning = CoriolisOptions(parameter=1e-4 if kind == "plane" else None)
    model = oceans.build(levels, 0.5 * tau, mixing=mixing, rotation=turning, dtype=dtype)
    wet = oceans.wet_corners(levels)
    for name, field in random_fields(model).items():
        least, greatest = ranges[name]
        values = random.uniform(least, greatest, field.shape)
        if field.place == Place.corner and name.endswith(("u", "v")):
            values *= wet if values.ndim == 3 else wet[-1]
        field.set_global(values)
    return model


def wide_planes(model):
    """What the references want: fields by their names, geometry from the grid itself."""
    levels, planes = model.levels, JoinedPlanes(model.levels.topology)
    a = SimpleNamespace(planes=planes, thickness=levels.thickness, pressure_slope=None)
    for name, field in random_fields(model).items():
        found = planes.wide(field.gather().astype(float), field.place, vector=field.vector)
        setattr(a, name, found)
    grid = levels.horizontal
    x_face, y_face = (
        {
            name: planes.wide(getattr(grid.at(place), name), place, outside=1.0)
            for name in ("dx", "dy")
        }
        for place in (Place.x_face, Place.y_face)
    )
    a.area = np.maximum(planes.wide(grid.area, Place.center), 1.0)  # 0 at poles on a seam
    a.wet = planes.wide(levels.wet, Place.center)
    a.wet_corner = mean_of_four(a.wet.astype(float)) == 1.0
    whole, thick = levels.thickness[:, None, None], planes.wide(levels.cell_thickness, Place.center)
    a.cell_thickness = np.where(a.wet, thick, whole)
    a.corner_thickness = np.where(a.wet_corner, least_of_four(thick), whole)
    a.depth = levels.interfaces[1:, None, None] + 0.5 * a.cell_thickness
    a.corner_depth = (a.corner_thickness * a.wet_corner).sum(axis=0)
    a.x_diffusive = diffusivity * x_face["dy"] / x_face["dx"]
    a.y_diffusive = diffusivity * y_face["dx"] / y_face["dy"]
    a.dx = 0.5 * (y_face["dx"] + shift(y_face["dx"], 0, -1))
    a.dy = 0.5 * (x_face["dy"] + shift(x_face["dy"], -1, 0))
    a.x_face_ratio, a.y_face_ratio = x_face["dx"] / x_face["dy"], y_face["dy"] / y_face["dx"]
    a.curvature_x = (y_face["dy"] - shift(y_face["dy"], 0, -1)) / (a.dx * a.dy)
    a.curvature_y = (x_face["dx"] - shift(x_face["dx"], -1, 0)) / (a.dx * a.dy)
    along_x, along_y = (
        0.5 * (shift(plane, *one) - shift(plane, -one[0], -one[1]))
        for plane, one in ((a.curvature_x, (0, 1)), (a.curvature_y, (1, 0)))
    )
    a.curvature_change, a.viscosity = along_x / a.dx + along_y / a.dy, viscosity
    a.coriolis = np.full_like(a.area, 1e-4)
    if grid.spherical or grid.curvilinear is not None:
        latitude = planes.wide(np.radians(grid.at(Place.corner).y), Place.corner)
        a.coriolis = 2.0 * earth_rotation * np.sin(latitude)
    return a
