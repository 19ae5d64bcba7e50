"""Small oceans for the tests of the elliptic solver."""

import numpy as np

from halocline.numerics.elliptic import NinePoint, nine_point
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from references import double_cover


def basin(seed=0, shape=(26, 40), periodic_i=True):
    """Metrics and depths of a rough basin with land, and its operator; land on the last rows."""
    random = np.random.default_rng(seed)
    nj, ni = shape
    depth = random.uniform(200.0, 5000.0, shape)
    depth[random.uniform(size=shape) < 0.15] = 0.0
    depth[:, 5:9] *= random.uniform(size=(nj, 1)) < 0.6
    depth[-1] = 0.0
    stretch = 1.0 + 0.4 * np.sin(np.linspace(0.0, 3.0, nj + 1))
    y_face_width = 4e4 * np.outer(stretch, np.ones(ni)) * random.uniform(0.95, 1.05, (nj + 1, ni))
    x_face_width = 5e4 * random.uniform(0.95, 1.05, (nj, ni + 1))
    if periodic_i:
        x_face_width[:, -1] = x_face_width[:, 0]
    area = (
        0.25 * (y_face_width[1:] + y_face_width[:-1]) * (x_face_width[:, 1:] + x_face_width[:, :-1])
    )
    return depth, x_face_width, y_face_width, area, periodic_i


def numbers_of(parts, shift=1e-8) -> NinePoint:
    depth, x_face_width, y_face_width, area, periodic_i = parts
    topology = Topology(*depth.shape, periodic_i=periodic_i)
    return nine_point(depth, x_face_width, y_face_width, area, topology, shift)


def folded_basin(fold, shape=(14, 24), shift=1e-8):
    """The operator of a rough sea up to the seam of a fold, whose poles are land.

    Also its depths, widths of faces and areas, laid out flat.
    """
    random = np.random.default_rng(3)
    nj, ni = shape
    topology = Topology(nj, ni, periodic_i=True, fold=fold)
    depth = random.uniform(200.0, 5000.0, shape) * (random.random(shape) > 0.1)
    depth[-2:, [0, 1, -1, ni // 2 - 1, ni // 2, ni // 2 + 1]] = 0.0
    planes = (
        (depth, Place.center),
        (random.uniform(4e4, 6e4, shape), Place.x_face),
        (random.uniform(4e4, 6e4, topology.shape(Place.y_face)), Place.y_face),
        (random.uniform(1.0e9, 3.0e9, shape), Place.center),
    )
    deep, across, along, area = (double_cover.flat(*plane, fold) for plane in planes)
    across = np.hstack([across, across[:, :1]])
    numbers = nine_point(deep[:nj], across[:nj], along[: nj + 1], area[:nj], topology, shift)
    return numbers, (deep, across, along, area)
