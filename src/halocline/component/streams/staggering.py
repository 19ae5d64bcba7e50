"""How places on the grid are told apart in files, by the SGRID conventions (version 0.3).

Nodes are corners, faces are cells, edge1 the western faces of cells and edge2 the southern ones.
With it xgcm and others find which dimension of a file lies between which, and how wide cells are.
"""

from __future__ import annotations

import netCDF4
import numpy as np

from halocline.component.streams.conventions import coordinates_of, define_place
from halocline.component.streams.region import GridRegion
from halocline.runtime.fields.place import Place

topology = "grid_topology"
"""The variable that describes the grid."""
locations = {
    Place.center: "face",
    Place.x_face: "edge1",
    Place.y_face: "edge2",
    Place.corner: "node",
}
conventions = "CF-1.8 SGRID-0.3"


def location_of(place: Place) -> dict[str, str]:
    """Attributes of a variable: the grid that it belongs to, and where it lies there.

    >>> location_of(Place.corner)
    {'grid': 'grid_topology', 'location': 'node'}
    """
    measures = {"cell_measures": "area: cell_area"} if place is Place.center else {}
    return {"grid": topology, "location": locations[place]} | measures


def define_topology(file: netCDF4.Dataset, region: GridRegion) -> None:
    """The grid of a file with values at several places: dimensions, areas and lengths."""
    y, x = define_place(file, region, Place.center)
    y_node, x_node = define_place(file, region, Place.corner)
    along_x, along_y = (
        f"{x}: {x_node} {_padding(region, 1)}",
        f"{y}: {y_node} {_padding(region, 0)}",
    )
    attributes = {
        "cf_role": "grid_topology",
        "long_name": "where values lie: cells, their faces and their corners",
        "topology_dimension": 2,
        "node_dimensions": f"{x_node} {y_node}",
        "face_dimensions": f"{along_x} {along_y}",
        "edge1_dimensions": f"{x_node} {along_y}",
        "edge2_dimensions": f"{along_x} {y_node}",
    }
    if region.grid.longitude is not None:
        attributes["node_coordinates"] = "longitude_corner latitude_corner"
        attributes["face_coordinates"] = "longitude latitude"
    else:
        attributes["node_coordinates"] = f"{x_node} {y_node}"
        attributes["face_coordinates"] = f"{x} {y}"
    variable = file.createVariable(topology, "i4", ())
    variable.setncatts(attributes)
    _define_measures(file, region)
    file.Conventions = conventions


def _padding(region: GridRegion, axis: int) -> str:
    """Whether the last cell has a corner beyond it in the file."""
    cells, corners = region.lines(Place.center)[axis], region.lines(Place.corner)[axis]
    return "(padding: none)" if corners.size > cells.size else "(padding: high)"


def _define_measures(file: netCDF4.Dataset, region: GridRegion) -> None:
    """Areas of cells, and lengths of their western and southern faces."""
    for name, place, what, units, words in (
        ("cell_area", Place.center, "area", "m2", "area of cells"),
        ("x_face_length", Place.x_face, "dy", "m", "length of western faces of cells"),
        ("y_face_length", Place.y_face, "dx", "m", "length of southern faces of cells"),
    ):
        dimensions = define_place(file, region, place)
        here, planes = np.ix_(*region.lines(place)), region.whole.on_both_sides(place)
        variable = file.createVariable(name, "f8", dimensions)
        standard = {"standard_name": "cell_area"} if place is Place.center else {}
        facts = {"long_name": words, "units": units, "grid": topology}
        facts |= {"location": locations[place]} | coordinates_of(region.grid, place)
        variable.setncatts(standard | facts)
        variable[:] = getattr(planes, what)[here]
