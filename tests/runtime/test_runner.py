"""The runner fills stale halos, only those, and moves cards to planes and back."""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import all_around, nowhere
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.halo_truth import StaleHalo
from halocline.runtime.running.runner import Plan, Runner


def add_west_kernel(reach: int) -> Kernel:
    """total = value + value of the cell `reach` to the west, on cells."""

    def add_west(box, value, total):
        j0, j1, i0, i1, _ = box
        total[..., j0:j1, i0:i1] = (
            value[..., j0:j1, i0:i1] + value[..., j0:j1, i0 - reach : i1 - reach]
        )

    arguments = (
        Argument("value", "read", "center", "1", (-reach, 0, 0, 0), "own"),
        Argument("total", "write", "center", "1", (0, 0, 0, 0), "own"),
    )
    return Kernel("add_west", arguments, add_west)


def double_kernel() -> Kernel:
    def double(box, value):
        value[..., : box[4]] *= 2

    return Kernel("double", (Argument("value", "update", "point", "1", (0,) * 4, "own"),), double)


def periodic(kind="blocks", blocks=4, halo=2, components=0):
    mask = np.ones((8, 12), bool)
    options = DecompositionOptions(kind=kind, blocks_per_rank=blocks)
    topology = Topology(8, 12, periodic_i=True)
    return Decomposition(mask, topology, halo=halo, options=options, components=components)


def test_stale_halos_are_filled_before_use_and_only_then():
    decomposition = periodic()
    state = SimpleNamespace(
        value=Field("value", "1", decomposition, place=Place.center, dtype=np.float64),
        total=Field("total", "1", decomposition, place=Place.center, dtype=np.float64),
    )
    truth = np.arange(96.0).reshape(8, 12)
    state.value.set_from(
        lambda b: truth[b.rectangle.j0 : b.rectangle.j1, b.rectangle.i0 : b.rectangle.i1]
    )
    run = Runner(decomposition)
    for _ in range(3):
        run(add_west_kernel(1), state)
    assert run.recorder.counters["halo exchange"].calls == 1
    assert np.array_equal(state.total.gather(), truth + np.roll(truth, 1, axis=1))
    run(add_west_kernel(2), state)
    assert run.recorder.counters["halo exchange"].calls == 2
    assert np.array_equal(state.total.gather(), truth + np.roll(truth, 2, axis=1))


def test_a_plan_lists_what_would_run_and_computes_nothing():
    decomposition = periodic()
    state = SimpleNamespace(
        value=Field("value", "1", decomposition, place=Place.center),
        total=Field("total", "1", decomposition, place=Place.center),
    )
    plan = Plan()
    run = Runner(decomposition, plan=plan)
    run(add_west_kernel(1), state)
    run(add_west_kernel(1), state)
    assert plan.lines == [
        "exchange   value (depth 1)",
        "kernel     add_west -> total",
        "kernel     add_west -> total",
    ]
    assert not state.total.gather().any()


def test_a_kernel_that_reads_deeper_than_it_says_is_refused():
    decomposition = periodic()
    state = SimpleNamespace(
        value=Field("value", "1", decomposition, place=Place.center, dtype=np.float64),
        total=Field("total", "1", decomposition, place=Place.center, dtype=np.float64),
        again=Field("again", "1", decomposition, place=Place.center, dtype=np.float64),
    )
    state.value.set_global(np.ones((8, 12)))
    liar = add_west_kernel(1)
    arguments = (Argument("value", "read", "center", "1", (0, 0, 0, 0), "own"), liar.arguments[1])
    liar = Kernel("liar", arguments, liar.function)
    run = Runner(decomposition, check_halos=True)
    run(add_west_kernel(1), state)
    with pytest.raises(StaleHalo, match="'liar' reads 'value'"):
        run(liar, value=state.total, total=state.again)
    honest = Runner(decomposition, check_halos=True)
    honest(add_west_kernel(1), value=state.total, total=state.again)
    assert np.isfinite(state.again.gather()).all()


@pytest.mark.parametrize("hands", [1, 3])
def test_cards_are_turned_to_planes_when_neighbours_are_read(hands):
    components = 10
    decomposition = periodic("cards", hands, halo=1, components=components)
    field = Field("value", "1", decomposition, axes=(decomposition.component_axis,))
    truth = np.random.default_rng(1).random((components, 96)).astype(np.float32)
    field.set_global(truth)

    def look_west(box, value):
        value[:, : box[4]] += 1

    arguments = (Argument("value", "update", "point", "1", (-1, 0, 0, 0), "own"),)
    looks_west = Kernel("look_west", arguments, look_west)
    plan = Plan()
    Runner(decomposition, plan=plan)(looks_west, value=field)
    assert plan.lines[0] == "transpose  value to planes"
    field.now_in(decomposition.home)
    run = Runner(decomposition)
    run(looks_west, value=field)
    assert field.layout is decomposition.planes
    run(double_kernel(), value=field)
    assert field.layout is decomposition.home
    assert np.array_equal(field.gather(), 2 * (truth + 1))


def test_leading_rows_have_their_own_freshness():
    decomposition = periodic()
    field = Field("value", "1", decomposition, axes=(6,), place=Place.point)
    field.set_global(np.zeros((6, 96), np.float32))

    def touch(box, value):
        value[:, : box[4]] += 1

    argument = Argument("value", "update", "point", "1", (-1, 1, -1, 1), "own")
    touch_kernel = Kernel("touch", (argument,), touch)
    run = Runner(decomposition)
    run(touch_kernel, value=field.part(slice(2)))
    fresh = field.storage(field.layout).fresh
    assert fresh.of(slice(0, 2)) == nowhere
    assert fresh.of(slice(2, 6)) == all_around(2)
    assert field.gather()[:, 0].tolist() == [1, 1, 0, 0, 0, 0]
