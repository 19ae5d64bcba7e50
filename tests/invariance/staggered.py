"""A small model that has what ocean and atmosphere will have, in NumPy, for tests of the house.

All places of the C-grid, levels and interfaces, an axis of tracers, two time levels, a vector, land
and a stepped floor. The formulas mean nothing; every term is there to be read from somewhere.
"""

from types import SimpleNamespace

import numpy as np

from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space

nj, ni, levels = 12, 16, 3
dt = 0.1
here, west, south, cross = (0, 0, 0, 0), (-1, 0, 0, 0), (0, 0, -1, 0), (-1, 1, -1, 1)
east, north = (0, 1, 0, 0), (0, 0, 0, 1)


def at(array, box, dj=0, di=0):
    """What lies dj rows north and di columns east of a box."""
    j0, j1, i0, i1, _ = box
    return array[..., j0 + dj : j1 + dj, i0 + di : i1 + di]


def spreading(box, u, v):
    return (at(u, box, 0, 1) - at(u, box)) + (at(v, box, 1, 0) - at(v, box))


def turning(box, u, v, turn):
    """Corners."""
    at(turn, box)[...] = (at(v, box) - at(v, box, 0, -1)) - (at(u, box) - at(u, box, -1, 0))


def push_x(box, height, turn, wet_x, u, dt):
    """Faces along x."""
    force = (at(height, box, 0, -1) - at(height, box)) + 0.1 * (at(turn, box) + at(turn, box, 1, 0))
    at(u, box)[...] = np.where(at(wet_x, box) > 0, at(u, box) + dt * force, 0.0)


def push_y(box, height, turn, wet_y, v, dt):
    """Faces along y."""
    force = (at(height, box, -1, 0) - at(height, box)) - 0.1 * (at(turn, box) + at(turn, box, 0, 1))
    at(v, box)[...] = np.where(at(wet_y, box) > 0, at(v, box) + dt * force, 0.0)


def rising(box, u, v, w):
    """Interfaces, from the floor up."""
    spread = spreading(box, u, v)
    at(w, box)[0] = 0.0
    for k in range(levels):
        at(w, box)[k + 1] = at(w, box)[k] - spread[k]


def raise_height(box, u, v, wet, old_height, new_height, dt):
    """The surface, over two steps."""
    spread = spreading(box, u, v)
    total = (spread[0] + spread[1]) + spread[2]
    new = at(old_height, box) - 2 * dt * total
    at(new_height, box)[...] = np.where(at(wet, box)[-1] > 0, new, 0.0)


def carry(box, tracer, u, v, w, wet, old_tracer, new_tracer, dt):
    """Tracers on all levels, over two steps."""
    along_x = at(u, box) * at(tracer, box, 0, -1) - at(u, box, 0, 1) * at(tracer, box, 0, 1)
    along_y = at(v, box) * at(tracer, box, -1, 0) - at(v, box, 1, 0) * at(tracer, box, 1, 0)
    up = (at(w, box)[:-1] - at(w, box)[1:]) * at(tracer, box)
    new = at(old_tracer, box) + 2 * dt * ((along_x + along_y) + up)
    at(new_tracer, box)[...] = np.where(at(wet, box) > 0, new, 0.0)


places = {
    "u": Place.x_face, "wet_x": Place.x_face, "v": Place.y_face, "wet_y": Place.y_face,
    "turn": Place.corner,
}  # fmt: skip
heights, tracers = ("height", "old_height", "new_height"), ("tracer", "old_tracer", "new_tracer")
words = (
    {"w": ("depth+1",)} | dict.fromkeys(heights, ()) | dict.fromkeys(tracers, ("tracer", "depth"))
)
units = {"u": "m s-1", "v": "m s-1", "w": "m s-1", "turn": "m s-1"} | dict.fromkeys(heights, "m")


def kernel(function, writes, updates=(), **reads):
    """The contract: what is read, how far; the last arguments are written or updated."""
    names = [*reads, *updates, *writes]
    access = ["read"] * len(reads) + ["update"] * len(updates) + ["write"] * len(writes)
    arguments = tuple(
        Argument(
            n,
            a,
            places.get(n, Place.center),
            units.get(n, "1"),
            reads.get(n, here),
            "whole",
            axes=words.get(n, ("depth",)),
        )
        for n, a in zip(names, access, strict=True)
    )
    return Kernel(function.__name__, arguments, function)


kernels = {
    one.name: one
    for one in (
        kernel(turning, ["turn"], u=south, v=west),
        kernel(push_x, [], ["u"], height=west, turn=north, wet_x=here),
        kernel(push_y, [], ["v"], height=south, turn=east, wet_y=here),
        kernel(rising, ["w"], u=east, v=north),
        kernel(raise_height, ["new_height"], u=east, v=north, wet=here, old_height=here),
        kernel(
            carry, ["new_tracer"], tracer=cross, u=east, v=north, w=here, wet=here, old_tracer=here
        ),
    )
}


def wet_levels(land=True):
    """Columns of one to all levels; with a continent, and land in a fifth of the other cells."""
    random = np.random.default_rng(11)
    sea = random.random((nj, ni)) < 1 - 0.2 * land
    sea[3:10, 5:13] &= not land
    return random.integers(1, levels + 1, (nj, ni)) * sea


def start(name, shape):
    """Values at the start."""
    return np.random.default_rng(sum(map(ord, name))).normal(size=shape)


class Staggered:
    """The model on some decomposition."""

    def __init__(self, decomposition, count):
        depth = Axis("depth", coordinates=(30.0, 20.0, 5.0), units="m")
        self.space = space = Space(decomposition, levels=depth, wet_levels=count)
        tracers = Axis("tracer", entries=("salt", "age"), entry_units=("1", "1"))
        axes = {"w": (space.interfaces,)} | dict.fromkeys(("height",), ())
        self.state = s = SimpleNamespace()
        for name in ("u", "v", "w", "turn", "wet", "wet_x", "wet_y", "height", "tracer"):
            of = axes.get(name, (tracers, depth) if name == "tracer" else (depth,))
            for each in (name, f"old_{name}", f"new_{name}"):
                if each == name or name in ("height", "tracer"):
                    field = Field(
                        each, units.get(each, "1"), space, axes=of,
                        place=places.get(name, Place.center), dtype=np.float64,
                        static=name.startswith("wet"),
                    )  # fmt: skip
                    setattr(s, each, field)
        pair(s.u, s.v)
        self.restart_fields = [s.u, s.v, s.height, s.old_height, s.tracer, s.old_tracer]

    def start(self):
        """Set masks, and all that a restart has; what is dry is 0."""
        for field in vars(self.state).values():
            wet = self.space.wet(field.place)
            if field.name.startswith("wet"):
                field.set_global(wet.astype(float))
            elif field in self.restart_fields:
                wet = wet if field.levels else wet[-1]
                field.set_global(np.where(wet, start(field.name, field.shape), 0.0))

    def step(self, run):
        """1. turning  2. velocities  3. surface and tracers  4. new is now, now is old"""
        s = self.state
        # 1. turning
        run(kernels["turning"], s)
        # 2. velocities
        run(kernels["push_x"], s, dt=dt)
        run(kernels["push_y"], s, dt=dt)
        run(kernels["rising"], s)
        # 3. surface and tracers
        run(kernels["raise_height"], s, dt=dt)
        run(kernels["carry"], s, dt=dt)
        # 4. new is now, now is old
        for now, old, new in (
            (s.height, s.old_height, s.new_height), (s.tracer, s.old_tracer, s.new_tracer),
        ):  # fmt: skip
            old.swap(now)
            now.swap(new)

    def values(self):
        """All wet values, by name, on rank 0."""
        found = {}
        for name in ("u", "v", "turn", "height", "tracer"):
            field = getattr(self.state, name)
            whole, wet = field.gather(), self.space.wet(field.place)
            if whole is not None:
                found[name] = np.where(wet if field.levels else wet[-1], whole, 0.0)
        return found
