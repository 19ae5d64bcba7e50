"""Inner cells while halos fly, and recomputed halos: the same bits, fewer exchanges.

Ranks: 1, and 3 and 5 through test_ranks.py.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel, rim
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.exchange import fixed
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner

boxes = []


def smooth(box, value, weight, result):
    """Mean of a cell and its four neighbours, weighted."""
    j0, j1, i0, i1, _ = box
    boxes.append(box)
    around = sum(
        weight[..., j0 + dj : j1 + dj, i0 + di : i1 + di]
        * value[..., j0 + dj : j1 + dj, i0 + di : i1 + di]
        for dj, di in [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)]
    )
    result[..., j0:j1, i0:i1] = around / 5


reach = (-1, 1, -1, 1)
own = (0, 0, 0, 0)
smooth_kernel = Kernel(
    "smooth",
    (
        Argument("value", "read", "center", "1", reach, "own"),
        Argument("weight", "read", "center", "1", reach, "own"),
        Argument("result", "write", "center", "1", own, "own"),
    ),
    smooth,
)


def sample(seed: int) -> tuple[Decomposition, SimpleNamespace, np.ndarray]:
    """A grid with land, sometimes periodic, in a few blocks per rank; fields and their values."""
    random = np.random.default_rng(seed)
    nj, ni = (int(n) for n in random.integers(10, 24, 2))
    topology = Topology(nj, ni, bool(random.integers(2)), bool(random.integers(2)))
    options = DecompositionOptions(blocks_per_rank=int(random.integers(1, 4)))
    halo = int(random.integers(1, 5))
    mask = np.ones((nj, ni), bool)
    if seed % 3 == 0:
        mask[: nj // 2, : ni // 2] = False
    decomposition = Decomposition(mask, topology, halo=halo, options=options, communicator=world())
    state = SimpleNamespace(
        a=Field("a", "1", decomposition, place=Place.center, axes=(2,), dtype=np.float64),
        b=Field("b", "1", decomposition, place=Place.center, axes=(2,), dtype=np.float64),
        weight=Field("w", "1", decomposition, place=Place.center, dtype=np.float64, static=True),
    )
    state.weight.set_global(random.random((nj, ni)))
    truth = random.random((2, nj, ni))
    state.a.set_from(
        lambda b: truth[:, b.rectangle.j0 : b.rectangle.j1, b.rectangle.i0 : b.rectangle.i1]
    )
    return decomposition, state, truth


def seven_times(run: Runner, state: SimpleNamespace) -> np.ndarray | None:
    """Smooth seven times, there and back between two fields."""
    for turn in range(7):
        value, result = (state.a, state.b) if turn % 2 == 0 else (state.b, state.a)
        run(smooth_kernel, value=value, weight=state.weight, result=result)
    return state.b.gather()


@pytest.mark.parametrize("check_halos", [False, True])
def test_overlap_and_recomputation_change_no_bit(check_halos):
    saved = 0
    for seed in range(24 // world().size):
        answers, exchanges = [], []
        for settings in (
            {},
            {"overlap": True},
            {"recompute_halos": True},
            {"overlap": True, "recompute_halos": True},
        ):
            decomposition, state, _ = sample(seed)
            run = Runner(decomposition, check_halos=check_halos, **settings)
            answers.append(seven_times(run, state))
            exchanges.append(run.recorder.counters["halo exchange"].calls)
            run.exchange.free()
        assert exchanges[0] == exchanges[1] == 7
        assert exchanges[2] == exchanges[3] <= 7
        saved += exchanges[0] - exchanges[2]
        if world().rank == 0:
            assert np.isfinite(answers[0]).all() and answers[0].any()
            for answer in answers[1:]:
                assert np.array_equal(answer, answers[0])
    assert saved > 40 // world().size


def test_recomputation_sends_fewer_messages():
    options = DecompositionOptions(blocks_per_rank=2)
    counts = {}
    for recompute in (False, True):
        topology = Topology(24, 24, True, True)
        mask = np.ones((24, 24), bool)
        decomposition = Decomposition(mask, topology, halo=4, options=options, communicator=world())
        fields = {
            name: Field(
                name, "1", decomposition, place=Place.center, axes=(2,), static=name == "weight"
            )
            for name in ("a", "b", "weight")
        }
        fields["weight"].set_global(np.ones((2, 24, 24)))
        run = Runner(decomposition, recompute_halos=recompute)
        fields["a"].written()
        seven_times(run, SimpleNamespace(**fields))
        counts[recompute] = run.recorder.message_count, run.recorder.counters["halo exchange"].calls
        run.exchange.free()
    assert counts[True][1] == 2 and counts[False][1] == 7
    assert counts[True][0] * 7 == counts[False][0] * 2


def test_inner_cells_are_computed_before_the_rim():
    decomposition, state, _ = sample(1)
    run = Runner(decomposition, overlap=True)
    boxes.clear()
    run(smooth_kernel, value=state.a, weight=state.weight, result=state.b)
    blocks = decomposition.planes.blocks
    inner = [smooth_kernel.inner(block.box) for block in blocks]
    inner = [i for i in inner if i[0] < i[1] and i[2] < i[3]]
    assert inner and boxes[: len(inner)] == inner
    assert len(boxes) > len(inner)
    run.exchange.free()


def test_a_choice_asks_for_overlap():
    decomposition, state, _ = sample(1)
    run = Runner(decomposition)
    run.exchange.choose = fixed(HaloChoice(overlap=True))
    boxes.clear()
    run(smooth_kernel, value=state.a, weight=state.weight, result=state.b)
    assert len(boxes) > len(decomposition.planes.blocks)
    run.exchange.free()


def test_inner_and_rim_are_the_box():
    random = np.random.default_rng(0)
    for _ in range(200):
        j0, i0 = random.integers(0, 4, 2)
        j1, i1 = j0 + random.integers(1, 9), i0 + random.integers(1, 9)
        sides = random.integers(0, 3, 4)
        inner = (j0 + sides[0], j1 - sides[1], i0 + sides[2], i1 - sides[3], 0)
        if inner[0] >= inner[1] or inner[2] >= inner[3]:
            continue
        count = np.zeros((14, 14), int)
        for a0, a1, b0, b1, _ in [inner, *rim((j0, j1, i0, i1, 0), inner)]:
            count[a0:a1, b0:b1] += 1
        wanted = np.zeros((14, 14), int)
        wanted[j0:j1, i0:i1] = 1
        assert np.array_equal(count, wanted)


def test_kernels_that_write_points_or_tables_or_what_neighbours_read_do_not_split():
    value = Argument("value", "read", "center", "1", reach, "own")
    for place, access, looks in [
        ("point", "write", own),
        ("none", "update", own),
        ("center", "update", reach),
    ]:
        written = Argument("result", access, place, "1", looks, "own")
        assert not Kernel("one", (value, written), smooth).splits
    assert smooth_kernel.splits


def test_a_field_read_and_written_by_one_kernel_is_not_overlapped():
    decomposition, state, _ = sample(2)
    run = Runner(decomposition, overlap=True)
    boxes.clear()
    run(smooth_kernel, value=state.a, weight=state.weight, result=state.a)
    assert len(boxes) == len(decomposition.planes.blocks)
    run.exchange.free()
