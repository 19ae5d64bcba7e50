"""Checked runs refuse stale halos, and say which exchanges brought nothing.

Ranks: 1, and 3 by test_ranks.py.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.halo_truth import StaleHalo
from halocline.runtime.running.runner import Runner

blocks = 4


def west(stated: int, read: int, access: str = "write") -> Kernel:
    """total = value of the cell `read` to the west; the contract says `stated`."""

    def take_west(box, value, total):
        j0, j1, i0, i1, _ = box
        total[..., j0:j1, i0:i1] = value[..., j0:j1, i0 - read : i1 - read]

    arguments = (
        Argument("value", "read", "center", "1", (-stated, 0, 0, 0), "own"),
        Argument("total", access, "center", "1", (0, 0, 0, 0), "own"),
    )
    return Kernel("take_west", arguments, take_west)


def add(number: float) -> Kernel:
    def add_number(box, value):
        j0, j1, i0, i1, _ = box
        value[..., j0:j1, i0:i1] += number

    argument = Argument("value", "update", "center", "1", (0, 0, 0, 0), "own")
    return Kernel("add_number", (argument,), add_number)


def prepare(halo: int = 3, **more) -> tuple[Runner, SimpleNamespace]:
    decomposition = Decomposition(
        np.ones((12, 24), bool),
        Topology(12, 24, periodic_i=True),
        halo=halo,
        options=DecompositionOptions(blocks_per_rank=blocks),
        communicator=world(),
    )
    fields = {
        name: Field(name, "1", decomposition, place=Place.center, dtype=np.float64)
        for name in ("value", "total")
    }
    run = Runner(decomposition, check_halos=True, **more)
    return run, SimpleNamespace(**fields)


def count_up(state: SimpleNamespace) -> None:
    truth = np.arange(12 * 24.0).reshape(12, 24)
    state.value.set_from(
        lambda b: truth[b.rectangle.j0 : b.rectangle.j1, b.rectangle.i0 : b.rectangle.i1]
    )


@pytest.mark.parametrize("stated, read", [(0, 1), (1, 2), (0, 3)])
def test_a_contract_that_lies_is_refused_and_says_how_deep(stated, read):
    run, state = prepare()
    count_up(state)
    with pytest.raises(StaleHalo) as refused:
        run(west(stated, read), state)
    message = str(refused.value)
    assert f"kernel 'take_west' reads 'value' (field 'value') {read} deep" in message
    assert f"fresh to {stated} (step 1, block " in message
    assert "correct it there" in message


def test_an_honest_contract_passes_and_missing_values_are_no_stale_read():
    run, state = prepare()
    count_up(state)
    for array in state.value.owned:
        array[array == 40.0] = np.nan
    run(west(2, 2), state)
    total = state.total.gather()
    assert total is None or np.isnan(total).sum() == 1


def test_a_field_changed_behind_the_runner_is_refused():
    run, state = prepare()
    count_up(state)
    run(west(1, 1), state)
    for array in state.value.owned:
        array += 1.0
    with pytest.raises(StaleHalo) as refused:
        run(west(1, 1), state)
    message = str(refused.value)
    assert "reads 'value' (field 'value') 1 deep. Its halo counts as fresh to 1" in message
    assert "its owner" in message and "cell j = " in message
    assert "'written()'" in message


def test_saying_that_it_was_written_is_enough():
    run, state = prepare()
    count_up(state)
    run(west(1, 1), state)
    for array in state.value.owned:
        array += 1.0
    state.value.written()
    run(west(1, 1), state)
    assert run.truth is not None
    assert "redundant exchanges: none" in run.truth.report() or world().rank


def lines_of(run: Runner) -> list[str]:
    report = run.truth.report()
    return report.splitlines() if world().rank == 0 else []


def test_an_exchange_of_unchanged_values_is_reported_with_its_cost():
    run, state = prepare()
    count_up(state)
    for number in (1.0, 0.0, 0.0):
        run(add(number), state)
        run(west(1, 1), state)
    lines = lines_of(run)
    if world().rank:
        return
    (all_of_them,) = [line for line in lines if line.startswith("take_west: value")]
    assert all_of_them.split()[2:4] == ["1", "3"]
    (redundant,) = [line for line in lines if line.startswith("redundant, unchanged")]
    assert redundant.startswith("redundant, unchanged: take_west: value")
    assert redundant.split()[-4] == "2"
    assert float(redundant.split()[-2]) > 0
    assert not any("never read" in line for line in lines)


def test_a_halo_that_nobody_reads_is_reported():
    run, state = prepare()
    count_up(state)
    for _ in range(3):
        run(add(1.0), state)
        run(west(1, 0), state)
    run(add(1.0), state)
    run(west(1, 1), state)
    lines = lines_of(run)
    if world().rank == 0:
        (redundant,) = [line for line in lines if line.startswith("redundant")]
        assert redundant.startswith("redundant, never read: take_west: value")
        assert redundant.split()[-4] == "3"


def test_a_halo_that_a_later_kernel_reads_is_not_redundant():
    run, state = prepare()
    count_up(state)
    run(west(1, 0), state)
    run(west(1, 1), state)
    assert not any(line.startswith("redundant, ") for line in lines_of(run))


def test_examining_changes_no_result():
    results = []
    for checked in (True, False):
        run, state = prepare()
        if not checked:
            run = Runner(run.decomposition)
        count_up(state)
        for number in (1.0, 2.0):
            run(add(number), state)
            run(west(3, 2, "update"), state)
            run(west(1, 1), value=state.total, total=state.value)
        results.append((state.value.gather(), state.total.gather()))
        assert run.recorder.counters["take_west"].calls == 4
    if world().rank == 0:
        for checked, plain in zip(*results, strict=True):
            assert np.array_equal(checked, plain)


def test_recomputed_halos_are_compared_with_their_owners():
    run, state = prepare(recompute_halos=True)
    count_up(state)
    run(west(1, 1), state)
    run(west(1, 1), value=state.total, total=state.value)
    lines = lines_of(run)
    if world().rank == 0:
        assert lines[0].startswith("stale halos: none in 1 comparisons")
        (exchanges,) = [line for line in lines if line.startswith("take_west: value")]
        assert exchanges.split()[2:4] == ["3", "1"]


def test_the_saving_by_deeper_halos_follows_the_stated_formula():
    run, state = prepare(halo=1)
    count_up(state)
    run(west(1, 1), state)
    (account,) = run.truth.ledger.page.accounts.values()
    sides = [b.rectangle for b in run.decomposition.home.blocks]
    sizes = [(r.j1 - r.j0, r.i1 - r.i0) for r in sides]
    own = sum(rows * columns for rows, columns in sizes)
    rim = [sum((a + 2 * w) * (b + 2 * w) - a * b for a, b in sizes) / own for w in (1, 2, 3)]
    assert account.rims == pytest.approx([rim[0] / 2, sum(rim[:2]) / 3, sum(rim) / 4])
    lines = lines_of(run)
    if world().rank == 0:
        (words,) = [line for line in lines if line.startswith("  take_west: value")]
        times = int(words.split()[2])
        fewer = account.events[0].messages * world().size * (1 - 1 / times)
        assert abs(int(words.split()[6]) - fewer) <= world().size
