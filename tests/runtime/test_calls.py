"""Calls that are bound once: what they refuse, and that they do what fields hold now."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.freshness import all_around, nowhere
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.bound import PerBlock
from halocline.runtime.running.checks import KernelMismatch
from halocline.runtime.running.runner import Runner
from numerics.basins import basin, numbers_of


def cut(blocks: int = 4, halo: int = 2) -> Decomposition:
    options = DecompositionOptions(blocks_per_rank=blocks)
    topology = Topology(8, 12, periodic_i=True)
    return Decomposition(np.ones((8, 12), bool), topology, halo=halo, options=options)


decomposition = cut()


def cells(name: str, units: str = "m2 s-2", where: Decomposition = decomposition, **more) -> Field:
    return Field(name, units, where, **{"place": Place.center, "dtype": np.float64} | more)


def nine_point(**changed: Field | None) -> dict[str, Field | None]:
    """Fields that fit the kernel `apply_nine_point`, some of them changed."""
    places = {"west": Place.x_face, "south": Place.y_face, "corner": Place.corner}
    coefficients = {
        name: cells(name, "m", place=places.get(name, Place.center))
        for name in ("diagonal", *places)
    }
    return coefficients | {
        "direction": cells("pressure"), "image": cells("image", "m3 s-2")
    } | changed  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "both_sides"),
    [
        ({"direction": cells("pressure", "Pa")}, r"'direction'.*\[m2 s-2\].*'pressure'.*\[Pa\]"),
        ({"image": cells("image", place=Place.point, units="m3 s-2")}, r"'image'.*center.*'point'"),
        ({"west": cells("west", "m")}, r"'west'.*at 'x_face', field 'west'.*at 'center'"),
        (
            {"west": cells("west", "m", axes=(3,), place=Place.x_face)},
            r"'west'.*takes 2 axes.*\(3,\).*has 3",
        ),
        (
            {"west": cells("west", "m", dtype=np.float32, place=Place.x_face)},
            r"compiled for \(all float32\) or \(all float64\).*west float32, south float64",
        ),
        (
            {"south": cells("south", "m", cut(2), place=Place.y_face)},
            r"'south'.*4 blocks.*works on|'south'.*2 blocks",
        ),
        ({"image": None}, r"'image'.*wants a field, got none"),
        ({"image": 1.0}, r"'image'.*wants a field, got 1.0"),
        ({"picture": cells("image", "m3 s-2")}, r"takes no field 'picture'.*It takes .*image"),
        ({"image": cells("image", "m3 s-2", static=True)}, r"'image'.*write.*'image' is static"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_sides_named(changed, both_sides):
    run = Runner(decomposition)
    run.bind(kernels["apply_nine_point"], **nine_point())
    with pytest.raises(KernelMismatch, match=both_sides):
        run.bind(kernels["apply_nine_point"], **nine_point(**changed))
    with pytest.raises(KernelMismatch, match=both_sides):
        run(kernels["apply_nine_point"], **nine_point(**changed))


def test_a_field_that_nobody_has_is_refused():
    given = nine_point()
    del given["image"]
    with pytest.raises(KernelMismatch, match=r"'apply_nine_point', argument 'image'.*none of this"):
        Runner(decomposition).bind(kernels["apply_nine_point"], **given)


def test_axes_of_one_name_have_one_extent():
    run, copy = Runner(decomposition), kernels["copy_values"]
    deep = cells("deep", axes=(Axis("depth", 4),)).part(0)
    flat = cells("flat", axes=(Axis("depth", 3),)).part(0)
    run.bind(copy, source=deep, copy=flat)
    tracers = Argument("a", "read", Place.center, "any", (0, 0, 0, 0), "own")
    both = Kernel("both", (tracers, replace(tracers, name="b", access="write")), print)
    run.bind(both, a=deep.field, b=cells("top", axes=(Axis("depth", 5, staggered=True),)))
    with pytest.raises(KernelMismatch, match="'both'.*'deep' has 4.*'depth', 'flat' has 3"):
        run.bind(both, a=deep.field, b=flat.field)


def test_units_that_are_any_are_one():
    run, copy = Runner(decomposition), kernels["copy_values"]
    run.bind(copy, source=cells("heat", "W m-2"), copy=cells("flux", "kg s-3"))
    with pytest.raises(KernelMismatch, match=r"'copy'.*'heat' in \[W m-2\].*'flux' is in \[K\]"):
        run.bind(copy, source=cells("heat", "W m-2"), copy=cells("flux", "K"))


@pytest.mark.parametrize(
    ("change", "sides"),
    [
        ({"axes": (2,)}, "axes"),
        ({"dtype": np.float32}, "dtype = float64, the second float32"),
        ({"place": Place.point}, "place = center, the second point"),
        ({"units": "m"}, "units = m2 s-2, the second m"),
        ({"static": True}, "static = False, the second True"),
        ({"where": cut()}, "decomposition"),
    ],
    ids=str,
)
def test_unequal_fields_are_not_swapped(change, sides):
    one, other = cells("now", axes=(3,)), cells("new", **{"axes": (3,)} | change)
    one.set_global(np.ones(one.shape))
    for first, second in ((one, other), (other, one)):
        with pytest.raises(UserError, match=f"Cannot swap.*'{first.name}'.*'{second.name}'"):
            first.swap(second)
    with pytest.raises(UserError, match=sides):
        one.swap(other)
    assert (one.gather() == 1.0).all() and not other.gather().any()


def test_static_fields_and_parts_of_a_vector_are_not_swapped():
    one, other = cells("x", static=True), cells("y", static=True)
    with pytest.raises(UserError, match="static fields do not change"):
        one.swap(other)
    u, v, height = cells("u"), cells("v"), cells("height")
    pair(u, v)
    for field in (v, height):
        with pytest.raises(UserError, match="direction = x"):
            u.swap(field)


@pytest.mark.parametrize(
    "mode", [{}, {"check_halos": True}, {"overlap": True}, {"recompute_halos": True}], ids=str
)
def test_a_bound_call_exchanges_and_marks_as_one_made_anew(mode):
    numbers = numbers_of(basin(2))
    parts = Decomposition(
        numbers.mask, numbers.topology, halo=2, options=DecompositionOptions(blocks_per_rank=4)
    )
    operator, run = EllipticOperator(numbers, parts), Runner(parts, **mode)
    values, expected = operator.field("values"), operator.field("expected", "m3 s-2")
    image = operator.field("image", "m3 s-2")
    call = run.bind(kernels["apply_nine_point"], operator, direction=values, image=image)
    scale = run.bind(kernels["new_direction"], preconditioned=values, direction=values)
    random = np.random.default_rng(0)
    for _ in range(3):
        values.set_from(lambda block: random.standard_normal([n - 4 for n in block.shape]))
        call()
        Runner(parts)(kernels["apply_nine_point"], operator, direction=values, image=expected)
        assert np.array_equal(image.gather(), expected.gather())
        assert np.isfinite(image.gather()).all()
        fresh = values.storage(values.layout).fresh
        assert fresh.of() == all_around(2 if run.recompute_halos else 1)
        scale(beta=0.5)
        assert run.recompute_halos or fresh.of() == nowhere
    assert run.recorder.counters["apply_nine_point"].calls >= 3


def test_a_bound_call_takes_what_fields_hold_now():
    """Three time levels take turns; each turn is prepared once."""
    now, old, new = (cells(name) for name in ("now", "old", "new"))
    for number, field in enumerate((now, old, new)):
        field.set_global(np.full((8, 12), 10.0**number))
    made = []
    kernel = replace(kernels["copy_values"])
    versions = tuple(
        replace(one, bind=lambda calls, bind=one.bind: made.append(len(calls)) or bind(calls))
        for one in kernel.versions
    )
    call = Runner(decomposition).bind(replace(kernel, versions=versions), source=now, copy=new)
    held = [1.0, 10.0, 100.0]
    for _ in range(9):
        call()
        held[2] = held[0]
        assert [field.gather()[0, 0] for field in (now, old, new)] == held
        now.owned[0][...] += 1.0
        for block in now.owned[1:]:
            block[...] += 1.0
        held[0] += 1.0
        old.swap(now)
        now.swap(new)
        held = [held[2], held[0], held[1]]
    assert made == [4] * 3


def test_an_entry_of_an_outer_axis_has_its_own_freshness():
    levels = cells("levels", axes=(2, 3))
    values = np.random.default_rng(1).random((2, 3, 8, 12))
    levels.set_from(
        lambda b: values[..., b.rectangle.j0 : b.rectangle.j1, b.rectangle.i0 : b.rectangle.i1]
    )
    one = cells("one", axes=(2,))
    run = Runner(decomposition)

    def from_west(box, value, result):
        j0, j1, i0, i1, _ = box
        result[..., j0:j1, i0:i1] = value[..., j0:j1, i0 - 1 : i1 - 1]

    arguments = (
        Argument("value", "read", Place.center, "m2 s-2", (-1, 0, 0, 0), "own"),
        Argument("result", "write", Place.center, "m2 s-2", (0, 0, 0, 0), "own"),
    )
    run(Kernel("from_west", arguments, from_west), value=levels.part(1, axis=1), result=one)
    assert np.array_equal(one.gather(), np.roll(values[:, 1], 1, axis=-1))
    fresh = levels.storage(levels.layout).fresh
    depths = [fresh.of(slice(row, row + 1)) for row in range(6)]
    assert depths == [nowhere, (1, 0, 0, 0), nowhere] * 2
    run(Kernel("from_west", arguments, from_west), value=one, result=levels.part(1, axis=1))
    assert [fresh.of(slice(row, row + 1)) for row in range(6)] == [nowhere] * 6
    assert np.array_equal(levels.gather()[:, 1], np.roll(values[:, 1], 2, axis=-1))
    assert np.array_equal(levels.gather()[:, [0, 2]], values[:, [0, 2]])


def test_a_part_gets_stale_where_others_stay_fresh():
    """Rows of several freshness: what was deep enough once is looked at again."""
    levels, one = cells("levels", axes=(2,)), cells("one")
    random, run = np.random.default_rng(2), Runner(decomposition)

    def from_west(box, value, result):
        j0, j1, i0, i1, _ = box
        result[..., j0:j1, i0:i1] = value[..., j0:j1, i0 - 1 : i1 - 1]

    arguments = (
        Argument("value", "read", Place.center, "m2 s-2", (-1, 0, 0, 0), "own"),
        Argument("result", "write", Place.center, "m2 s-2", (0, 0, 0, 0), "own"),
    )
    kernel = Kernel("from_west", arguments, from_west)
    lower, upper = (run.bind(kernel, value=levels.part(k), result=one) for k in (0, 1))
    change = run.bind(kernels["copy_values"], source=one, copy=levels.part(1))
    levels.set_from(lambda block: random.random((2, *(n - 4 for n in block.shape))))
    lower()
    for _ in range(3):
        upper()
        upper()
        values = np.roll(levels.gather()[1], 1, axis=-1)
        assert np.array_equal(one.gather(), values)
        change()
        assert np.array_equal(levels.gather()[1], values)


def test_scalars_by_block_are_bound():
    result = cells("result")
    seen = []

    def take(box, result, number, shift):
        seen.append((number, shift))

    arguments = (Argument("result", "write", Place.center, "m2 s-2", (0, 0, 0, 0), "own"),)
    number = PerBlock(lambda layout, at: layout.blocks[at].number)
    call = Runner(decomposition).bind(Kernel("take", arguments, take), result=result, number=number)
    call(shift=1)
    call(shift=2)
    assert seen == [(at, shift) for shift in (1, 2) for at in range(4)]


def test_a_call_does_little_beside_its_kernel(monkeypatch):
    """Per call: one look at the clock before and after, one native call, nothing looked up."""
    count = SimpleNamespace(native=0, looked=0)
    numbers = numbers_of(basin(2))
    parts = Decomposition(
        numbers.mask, numbers.topology, halo=1, options=DecompositionOptions(blocks_per_rank=4)
    )
    operator, run = EllipticOperator(numbers, parts), Runner(parts)
    values, image = operator.field("values"), operator.field("image", "m3 s-2")

    def counted(bind):
        def bound(calls):
            function = bind(calls)

            def native(**scalars):
                count.native += 1
                function(**scalars)

            return native

        return bound

    kernel = kernels["apply_nine_point"]
    versions = tuple(replace(one, bind=counted(one.bind)) for one in kernel.versions)
    call = run.bind(replace(kernel, versions=versions), operator, direction=values, image=image)
    call()
    storage = Field.storage

    def looked_up(field, layout):
        count.looked += 1
        return storage(field, layout)

    monkeypatch.setattr(Field, "storage", looked_up)
    count.native = 0
    for _ in range(10):
        call()
    assert (count.native, count.looked) == (10, 0)
    assert run.recorder.counters["halo exchange"].calls == 1
