"""A folded grid laid out flat: what lies beyond the seam is drawn once more, turned.

What happens on the folded grid happens twice on the flat one, which knows no fold: its northern
side is the southern one. No image is computed by `Topology`.
"""

import numpy as np

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology


def turned(row, place, fold):
    """A row seen from beyond the seam: columns i -> -1 - i, -i or 1 - i."""
    between = place in (Place.x_face, Place.corner)
    first = {"faces": -1, "centres": 0}[fold] + between
    return row[..., (first - np.arange(row.shape[-1])) % row.shape[-1]]


def flat(plane, place, fold, *, vector=False):
    """Planes (..., rows, columns) of a place of the folded grid, laid out flat.

    On the seam the second half of each pair takes the value of the first.
    """
    on_seam = (fold == "faces") == (place in (Place.y_face, Place.corner))
    sign = -1 if vector else 1
    below = plane[..., :-1, :] if on_seam else plane
    above = sign * turned(below[..., ::-1, :], place, fold)
    if not on_seam:
        return np.concatenate([below, above], axis=-2)
    seam = plane[..., -1:, :].copy()
    number = np.arange(seam.shape[-1])
    twins = turned(number, place, fold)
    double = twins < number
    seam[..., double] = sign * seam[..., twins[double]]
    return np.concatenate([below, seam, above], axis=-2)


def once(place, fold, rows, columns):
    """Which values of a place of the folded grid are the first of their pair, or alone."""
    found = np.ones((rows, columns), bool)
    if (fold == "faces") == (place in (Place.y_face, Place.corner)):
        number = np.arange(columns)
        found[-1] = turned(number, place, fold) >= number
    return found


def flat_topology(topology):
    """The topology of the flat grid, closed in the north as in the south."""
    return Topology(2 * topology.nj - (topology.fold == "centres"), topology.ni, periodic_i=True)
