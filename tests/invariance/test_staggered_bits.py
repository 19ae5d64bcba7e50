"""The staggered model: the same bits on any ranks, cuts, restart splits, halos questioned.

All places, levels, interfaces, several axes, two time levels, on grids with closed, periodic,
folded, mirrored sides and poles. Ranks: 1 and 3, started here. Where all sides are closed or
periodic, the reference is NumPy on whole arrays: a closed side is a row or column of land on a
torus; a grid between mirrors is a quarter of a torus.
"""

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.topology import Reflections, Topology
from halocline.runtime.running.runner import Runner
from invariance.printed_bits import printed_bits
from invariance.staggered import Staggered, dt, kernels, levels, ni, nj, wet_levels

scripts = 7 * 3 * 2  # topologies, ways, with and without a restart


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_cuts_and_restarts(ranks):
    assert len(printed_bits("small_staggered.py", 1, 1, lines=scripts)) == 7
    found = printed_bits("small_staggered.py", ranks, 1, lines=scripts)
    assert found == printed_bits("small_staggered.py", 1, 1, lines=scripts)


def shifted(values, dj=0, di=0):
    """What lies dj rows north and di columns east, on a torus."""
    return np.roll(values, (-dj, -di), (-2, -1))


def on_torus(model, count, steps, turns=(1, 1)):
    """The same formulas on whole arrays, with land beyond sides that are closed.

    `turns` are the signs with which what turns drives both components of the flow.
    """
    cells = np.arange(levels)[:, None, None] >= levels - count
    wet = {
        "height": cells[-1], "tracer": cells,
        "u": cells & shifted(cells, 0, -1), "v": cells & shifted(cells, -1, 0),
    }  # fmt: skip
    now = {}
    for name in ("u", "v", "height", "old_height", "tracer", "old_tracer"):
        given = model.start_of[name]
        whole = np.zeros((*given.shape[:-2], *count.shape))
        whole[..., : given.shape[-2], : given.shape[-1]] = given
        now[name] = whole
    u, v, h, old_h, t, old_t = now.values()
    for _ in range(steps):
        turn = (v - shifted(v, 0, -1)) - (u - shifted(u, -1))
        force = (shifted(h, 0, -1) - h) + turns[0] * 0.1 * (turn + shifted(turn, 1))
        u = np.where(wet["u"], u + dt * force, 0.0)
        force = (shifted(h, -1) - h) - turns[1] * 0.1 * (turn + shifted(turn, 0, 1))
        v = np.where(wet["v"], v + dt * force, 0.0)
        spread = (shifted(u, 0, 1) - u) + (shifted(v, 1) - v)
        w = np.zeros((levels + 1, *count.shape))
        for k in range(levels):
            w[k + 1] = w[k] - spread[k]
        total = (spread[0] + spread[1]) + spread[2]
        new_h = np.where(wet["height"], old_h - 2 * dt * total, 0.0)
        along_x = u * shifted(t, 0, -1) - shifted(u, 0, 1) * shifted(t, 0, 1)
        along_y = v * shifted(t, -1) - shifted(v, 1) * shifted(t, 1)
        up = (w[:-1] - w[1:]) * t
        new_t = np.where(wet["tracer"], old_t + 2 * dt * ((along_x + along_y) + up), 0.0)
        h, old_h, t, old_t = new_h, h, new_t, t
    return {"u": u, "v": v, "height": h, "tracer": t}


@pytest.mark.parametrize("periodic", [(False, False), (False, True), (True, True)])
def test_it_computes_what_its_formulas_say(periodic):
    topology, count = Topology(nj, ni, *periodic), wet_levels()
    options = DecompositionOptions(blocks_per_rank=4)
    model = Staggered(Decomposition(count > 0, topology, halo=1, options=options), count)
    model.start()
    model.start_of = {field.name: field.gather() for field in model.restart_fields}
    run = Runner(model.space.decomposition)
    for _ in range(3):
        model.step(run)
    land = [(0, int(not side)) for side in periodic]
    expected = on_torus(model, np.pad(count, land), 3)
    found = model.values()
    for name, whole in expected.items():
        rows, columns = found[name].shape[-2:]
        assert np.array_equal(found[name], whole[..., :rows, :columns]), name
        assert np.isfinite(whole).all() and np.ptp(whole) > 0


def with_images(values, signs):
    """A quarter of a torus, and what mirrors in the north and east show of it.

    Of faces those on the mirrors are there already; they are shown with the sign of their axis.
    """
    for axis, size, sign in ((-2, nj, signs[0]), (-1, ni, signs[1])):
        image = np.flip(values, axis)
        if values.shape[axis] > size:
            image = sign * np.take(image, range(1, size), axis)
        values = np.concatenate([values, image], axis)
    return values


def test_a_grid_between_mirrors_is_a_quarter_of_a_torus():
    topology, count = Topology(nj, ni, reflections=Reflections(*["mirror"] * 4)), wet_levels()
    options = DecompositionOptions(blocks_per_rank=4)
    model = Staggered(Decomposition(count > 0, topology, halo=2, options=options), count)
    model.start()
    for field, walls in (
        (model.state.u, np.s_[..., [0, ni]]),
        (model.state.v, np.s_[..., [0, nj], :]),
    ):
        values = field.gather()
        values[walls] = 0.0
        field.set_global(values)
    signs = {"u": (1, -1), "v": (-1, 1)}
    model.start_of = {
        field.name: with_images(field.gather(), signs.get(field.name, (1, 1)))
        for field in model.restart_fields
    }
    run = Runner(model.space.decomposition)
    for _ in range(3):
        model.step(run)
    turns = np.repeat([1, -1], nj)[:, None], np.repeat([1, -1], ni)
    expected, found = on_torus(model, with_images(count, (1, 1)), 3, turns), model.values()
    for name, whole in expected.items():
        rows, columns = found[name].shape[-2:]
        assert np.array_equal(found[name], whole[..., :rows, :columns]), name
        assert np.isfinite(whole).all() and np.ptp(found[name]) > 0


def test_the_kernels_reach_where_their_contracts_say():
    """Every argument, every offset in a frame of two cells: an answer changes within reach only."""
    box, shape = (3, 9, 3, 9, 0), (12, 12)
    random = np.random.default_rng(4)
    outer = {"height": (), "old_height": (), "new_height": (), "w": (levels + 1,)}
    outer |= dict.fromkeys(("tracer", "old_tracer", "new_tracer"), (2, levels))
    for kernel in kernels.values():
        arrays = {
            a.name: 0.5 + random.random((*outer.get(a.name, (levels,)), *shape))
            for a in kernel.arguments
        }
        scalars = {"dt": dt} if "dt" in kernel.function.__code__.co_varnames else {}

        def answers(changed, kernel=kernel, scalars=scalars):
            copies = {name: values.copy() for name, values in changed.items()}
            kernel.function(box=box, **copies, **scalars)
            return [copies[a.name] for a in kernel.arguments if a.writes]

        before = answers(arrays)
        for argument in kernel.arguments:
            if argument.access == "write" or argument.name.startswith("wet"):
                continue
            found = {(0, 0)}
            for dj, di in np.ndindex(5, 5):
                at = (..., 6 + dj - 2, 6 + di - 2)
                changed = arrays[argument.name].copy()
                changed[at] += 1.0
                after = answers(arrays | {argument.name: changed})
                if any((a != b)[..., 6, 6].any() for a, b in zip(before, after, strict=True)):
                    found.add((dj - 2, di - 2))
            rows, columns = zip(*found, strict=True)
            measured = (min(columns), max(columns), min(rows), max(rows))
            assert measured == argument.reach, (kernel.name, argument.name)
