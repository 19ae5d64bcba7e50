"""Small oceans for the tests of the elliptic solver."""

import numpy as np

from halocline.numerics.elliptic import NinePoint, nine_point
from halocline.runtime.fields.topology import Topology


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
