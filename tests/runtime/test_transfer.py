"""Transfers between all ways of holding points, against NumPy's indexing.

Ranks: 1 to 7 in threads of one process; and 1, 3 and 5 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.runtime._native import now_ns
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import everywhere
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import move_values, side_of
from halocline.runtime.fields.topology import Topology
from halocline.runtime.fields.transpose import move
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.side import Side, in_order
from halocline.runtime.transfer.transfer import Transfer, _spans
from rank_threads import together

shape = nj, ni = 11, 13
cells = nj * ni
components = 6


def blocks(parts, rank, per_rank=1, halo=1):
    """Rows of cells in padded planes, `per_rank` blocks of each rank; halos are not held."""
    numbers, places, sizes = [], [], []
    ends = np.linspace(0, nj, parts * per_rank + 1).astype(int)
    plane = np.arange(cells).reshape(shape)
    for at in range(rank * per_rank, (rank + 1) * per_rank):
        own = plane[ends[at] : ends[at + 1]]
        j, i = np.indices(own.shape)
        numbers.append(own.ravel())
        places.append(((j + halo) * (ni + 2 * halo) + i + halo).ravel())
        sizes.append((own.shape[0] + 2 * halo) * (ni + 2 * halo))
    return numbers, places, sizes


def dealt(parts, rank):
    """Every n-th cell of a part of them (a sub-region of the others)."""
    numbers = np.arange(20, cells)[rank::parts]
    return [numbers], [np.arange(numbers.size)[::-1]], [numbers.size]


def scattered(parts, rank):
    """Cells by chance, in three blocks."""
    owner = np.random.default_rng(5).integers(0, 3 * parts, cells)
    numbers = [np.flatnonzero(owner == 3 * rank + n) for n in range(3)]
    return numbers, [np.arange(n.size) for n in numbers], [n.size for n in numbers]


def whole(parts, rank):
    """All cells, on each of the parts."""
    return [np.arange(cells)], [np.arange(cells)], [cells]


kinds = {
    "blocks": blocks,
    "two blocks": lambda parts, rank: blocks(parts, rank, 2),
    "dealt": dealt,
    "scattered": scattered,
    "whole": whole,
}
sets = {
    "all": lambda ranks: list(range(ranks)),
    "first": lambda ranks: [0],
    "last two": lambda ranks: list(range(max(0, ranks - 2), ranks)),
    "even": lambda ranks: list(range(0, ranks, 2)),
}


def side(kind, members, rank):
    """What a rank holds, and the sizes of its flat arrays."""
    if rank not in members:
        return Side(), []
    numbers, places, sizes = kinds[kind](len(members), members.index(rank))
    return Side(tuple(numbers), tuple(places)), sizes


def held(side, sizes, truth):
    """Flat arrays that hold the truth (rows, cells) at their places, -1 elsewhere."""
    flats = [np.full((truth.shape[0], size), -1, truth.dtype) for size in sizes]
    for flat, numbers, places in zip(flats, side.numbers, side.places, strict=True):
        flat[:, places] = truth[:, numbers]
    return flats


def known(kind, members):
    """Cells that any rank holds."""
    parts = [kinds[kind](len(members), n)[0] for n in range(len(members))]
    return np.isin(np.arange(cells), np.concatenate([n for part in parts for n in part]))


def check(communicator, first, second, have, want):
    rank = communicator.rank
    source, source_sizes = side(first, have, rank)
    target, target_sizes = side(second, want, rank)
    transfer = Transfer(source, target, communicator)
    random = np.random.default_rng(1)
    truths = [
        random.normal(size=(3, cells)),
        random.integers(0, 99, (2, cells)).astype(np.int16),
        random.normal(size=(5, cells)).astype(np.float32),
    ]
    found = known(first, have)
    lacking = [
        (block, place)
        for block, (numbers, places) in enumerate(zip(target.numbers, target.places, strict=True))
        for place in places[~found[numbers]]
    ]
    assert sorted(map(tuple, transfer.missing.tolist())) == sorted(lacking)
    for chosen in (truths, truths[1:], truths):  # buffers serve again
        given = [held(source, source_sizes, truth) for truth in chosen]
        wanted = [[np.full((t.shape[0], n), -1, t.dtype) for n in target_sizes] for t in chosen]
        finish = transfer.start(given, wanted)
        for flats in given:
            for flat in flats:
                flat[...] = -2  # has been packed
        finish()
        for truth, flats in zip(chosen, wanted, strict=True):
            expected = held(target, target_sizes, np.where(found, truth, -1).astype(truth.dtype))
            for flat, right in zip(flats, expected, strict=True):
                np.testing.assert_array_equal(flat, right)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 7])
def test_all_pairs_of_kinds_on_all_sets_of_ranks(ranks):
    pairs = [(one, other) for one in kinds for other in kinds]
    choices = [(a(ranks), b(ranks)) for a in sets.values() for b in sets.values()]

    def program(communicator):
        for number, (first, second) in enumerate(pairs):
            for have, want in choices[number % 6 :: 6]:
                check(communicator, first, second, have, want)

    together(ranks, program)


def test_pairs_of_kinds_on_the_ranks_at_hand():
    everyone = world()
    for first, second in (("two blocks", "scattered"), ("dealt", "blocks")):
        for name in ("all", "last two"):
            check(everyone, first, second, sets[name](everyone.size), sets["all"](everyone.size))


def planes(communicator):
    """All cells of every n-th component, as cards' planes."""
    own = np.arange(communicator.rank, components, communicator.size)
    return Side((np.arange(cells),), (np.arange(cells),), own)


def to_planes_and_back(communicator, kind, inner):
    every, share = np.arange(components), planes(communicator)
    members = list(range(communicator.size))
    home, sizes = side(kind, members, communicator.rank)
    home = Side(home.numbers, home.places, every)
    truth = np.random.default_rng(2).normal(size=(components * inner, cells))
    rows = (share.components[:, None] * inner + np.arange(inner)).ravel()
    found = known(kind, members)
    given = held(home, sizes, truth)
    flat = np.full((rows.size, cells), -1.0)
    Transfer(home, share, communicator)([given], [[flat]])
    np.testing.assert_array_equal(flat, np.where(found, truth, -1.0)[rows])
    wanted = [np.full((components * inner, size), -1.0) for size in sizes]
    flat[...] = truth[rows]
    Transfer(share, home, communicator)([[flat]], [wanted])
    for got, right in zip(wanted, held(home, sizes, truth), strict=True):
        np.testing.assert_array_equal(got, right)


@pytest.mark.parametrize("ranks", [1, 2, 4, 7])
def test_components_that_ranks_share(ranks):
    """Each rank gives the components that it has; of seven ranks one has none."""

    def program(communicator):
        for kind in kinds:
            for inner in (1, 3):
                to_planes_and_back(communicator, kind, inner)

    together(ranks, program)


def test_a_halo_wants_points_twice():
    """A number may be wanted at several places; only one of those who have it gives it."""

    def program(communicator):
        rank, ranks = communicator.rank, communicator.size
        numbers = np.array([rank, (rank + 1) % ranks, rank])
        transfer = Transfer(in_order(np.arange(ranks)), in_order(numbers), communicator)
        wanted = np.zeros((1, 3))
        transfer([[np.full((1, ranks), 10.0 + rank)]], [[wanted]])
        assert (wanted == 10.0 + rank).all()
        assert not transfer.give and not transfer.take

    together(3, program)


def test_one_message_per_pair_and_none_within_a_rank():
    def program(communicator):
        members, begin, sent = list(range(communicator.size)), communicator.begin, []

        def counted(send, receive):
            sent.append([peer for peer, _ in send])
            return begin(send, receive)

        communicator.begin = counted
        source, source_sizes = side("two blocks", members, communicator.rank)
        target, target_sizes = side("scattered", members, communicator.rank)
        transfer = Transfer(source, target, communicator)
        for links in (transfer.give, transfer.take):  # and one list of places per pair of blocks
            assert len({(link.rank, link.source, link.target) for link in links}) == len(links)
        sent.clear()
        given = [[np.zeros((2, n)) for n in source_sizes] for _ in range(4)]
        transfer(given, [[np.zeros((2, n)) for n in target_sizes] for _ in range(4)])
        others = [rank for rank in members if rank != communicator.rank]
        assert sent == [others]

    together(4, program)


def test_nothing_is_sent_where_nothing_goes():
    """To find who has what, nor to move it; ranks that share no component have no message."""

    def program(communicator):
        rank, ranks = communicator.rank, communicator.size
        begin, sent = communicator.begin, []

        def watched(send, receive):
            sent.extend(buffer.nbytes for _, buffer in send)
            return begin(send, receive)

        communicator.begin = watched
        own = in_order(np.arange(4 * rank, 4 * rank + 4))  # their entries are kept here too
        flat = np.arange(4.0)[np.newaxis]
        Transfer(own, own, communicator)([[flat]], [[flat.copy()]])
        assert not sent
        home = Side(*map(tuple, blocks(ranks, rank)[:2]), np.arange(components))
        transfer = Transfer(home, planes(communicator), communicator)
        sent.clear()
        flats = [np.zeros((components, n)) for n in blocks(ranks, rank)[2]]
        transfer([flats], [[np.zeros((int(rank < components), cells))]])
        assert len(sent) == components - int(rank < components) and all(sent)

    together(components + 1, program)


def test_messages_are_aligned_with_wide_items_first():
    def program(communicator):
        rank, ranks = communicator.rank, communicator.size
        begin, sent = communicator.begin, []

        def watched(send, receive):
            sent.extend(buffer for _, buffer in send)
            return begin(send, receive)

        communicator.begin = watched
        source, target = (in_order(3 * n + np.arange(3)) for n in (rank, (rank + 1) % ranks))
        transfer = Transfer(source, target, communicator)
        sent.clear()
        narrow, wide = np.full((1, 3), rank, np.int16), np.full((1, 3), 0.5 + rank)
        wanted = [[np.zeros((1, 3), np.int16)], [np.zeros((1, 3))]]
        transfer([[narrow], [wide]], wanted)
        (message,) = sent
        assert message.nbytes == 32 and message[:24].view(float).tolist() == [0.5 + rank] * 3
        everyone = in_order(np.arange(3 * ranks))
        sent.clear()
        Transfer(source, everyone, communicator)([[narrow]], [[np.zeros((1, 3 * ranks), np.int16)]])
        first = sent[-ranks + 1].ctypes.data
        assert [one.ctypes.data - first for one in sent[-ranks + 1 :]] == [0, 8]

    together(3, program)


def test_messages_are_on_record():
    class Recording:
        def __init__(self):
            self.told = []

        def exchange(self, name, partners, begin):
            pairs = [(partners.targets, partners.sent), (partners.sources, partners.received)]
            lists = [list(zip(*map(np.ndarray.tolist, pair), strict=True)) for pair in pairs]
            self.told.append((name, *lists, begin))

    def program(communicator):
        rank, ranks, recorder = communicator.rank, communicator.size, Recording()
        numbers = np.arange(2 * rank, 2 * rank + 2)
        wanted = np.arange(2 * ranks) if rank == 0 else np.zeros(0, np.int64)
        transfer = Transfer(
            in_order(numbers), in_order(wanted), communicator, recorder=recorder, name="fetch"
        )
        begun = now_ns()
        transfer([[np.zeros((1, 2))]], [[np.zeros((1, wanted.size))]])
        ((name, sent, received, begin),) = recorder.told
        assert name == "fetch" and begun <= begin <= now_ns()
        assert sent == ([(0, 16)] if rank else [])
        assert received == ([] if rank else [(n, 16) for n in range(1, ranks)])

    together(3, program)
    alone = Recording()
    flat = np.zeros((1, 2))
    one = in_order(np.arange(2))
    Transfer(one, one, Alone(), recorder=alone)([[flat]], [[flat.copy()]])
    assert not alone.told


def test_two_under_way_have_buffers_of_their_own():
    def program(communicator):
        begin, under_way, kept = communicator.begin, [], []

        def watched(send, receive):
            under_way.append([buffer for _, buffer in (*send, *receive)])
            return begin(send, receive)

        communicator.begin = watched
        rank, ranks = communicator.rank, communicator.size
        numbers = np.array([(rank + 1) % ranks])
        transfer = Transfer(in_order(np.array([rank])), in_order(numbers), communicator)
        for _ in range(2):  # those of the first two serve again
            under_way.clear()
            wanted = np.zeros((2, 1, 1))
            calls = [
                transfer.start([[np.full((1, 1), 10.0 * n + rank)]], [[wanted[n]]]) for n in (0, 1)
            ]
            first, second = under_way
            assert first and not any(np.shares_memory(a, b) for a in first for b in second)
            kept += [*first, *second]
            assert len({buffer.ctypes.data for buffer in kept}) == 4
            for finish in calls:
                finish()
            assert wanted.ravel().tolist() == [numbers[0], 10.0 + numbers[0]]

    together(3, program)


mask = np.random.default_rng(8).random(shape) < 0.7
cuts = {
    "blocks": ("blocks", Place.point),
    "cells": ("blocks", Place.center),
    "curve": ("curve", Place.point),
    "cells of a curve": ("curve", Place.center),
    "cards": ("cards", Place.point),
}


def field_on(name, communicator, per_rank, dtype=np.float64):
    """A field on a cut of a grid with land, where values are its cells' numbers and -1 on land."""
    kind, place = cuts[name]
    cut = Decomposition(
        mask, Topology(*shape, periodic_i=True), halo=2, communicator=communicator,
        components=components, options=DecompositionOptions(kind=kind, blocks_per_rank=per_rank),
    )  # fmt: skip
    return Field(name, "1", cut, axes=(2,), place=place, dtype=dtype)


@pytest.mark.parametrize("ranks", [1, 3, 6])
def test_fields_of_all_kinds_of_cuts(ranks):
    """From points to cells and back; what is land on points is left as it is on cells."""
    plane = np.arange(2.0 * cells).reshape(2, *shape)

    def program(communicator):
        for first in cuts:
            for second in cuts:
                one, other = field_on(first, communicator, 1), field_on(second, communicator, 2)
                one.set_global(plane if one.place == Place.center else plane[:, mask])
                other.set_global(np.full(other.shape, -1.0))
                transfer = Transfer(side_of(one), side_of(other), communicator)
                move_values(transfer, [one], [other])
                sea = np.where(mask, plane, -1.0)
                for block, array in zip(other.layout.blocks, other.owned, strict=True):
                    if other.place == Place.point:
                        found = plane[:, mask][:, block.sea_numbers[: block.owned_points]]
                    else:
                        r = block.rectangle
                        here = np.s_[:, r.j0 : r.j1, r.i0 : r.i1]
                        found = sea[here]
                        if one.place == Place.center:  # land of blocks that hold some sea goes too
                            array = np.where(mask[here[1:]], array, -1.0)
                    np.testing.assert_array_equal(array, found)
                assert not any(other.storage(other.layout).fresh.of())

    together(ranks, program)


def test_a_field_goes_from_cards_to_planes_and_back():
    def program(communicator):
        field = field_on("cards", communicator, 2)
        truth = np.random.default_rng(6).random((2, int(mask.sum())))
        field.set_global(truth)
        home, planes = field.decomposition.home, field.decomposition.planes
        for _ in range(2):
            field.storage(planes).fresh.set(everywhere)
            move(field, planes, Recorder())
            assert field.layout is planes and not any(field.storage(planes).fresh.of())
            np.testing.assert_array_equal(field.owned[0], truth)
            for array in field.storage(home).arrays:
                array[...] = 0.0
            field.owned[0][...] *= 2.0
            truth *= 2.0
            move(field, home, Recorder())
            for block, array in zip(home.blocks, field.owned, strict=True):
                np.testing.assert_array_equal(array, truth[:, block.sea_numbers])

    together(3, program)


def test_mistakes_are_named():
    transfer = Transfer(in_order(np.arange(4)), in_order(np.arange(4)), Alone())
    flat, other = np.zeros((2, 4)), np.zeros((2, 4), np.float32)
    with pytest.raises(AssertionError, match="2 fields given, 1 wanted"):
        transfer([[flat], [flat]], [[flat]])
    with pytest.raises(AssertionError, match="items of 8 bytes are given, of 4 wanted"):
        transfer([[flat]], [[other]])
    with pytest.raises(AssertionError, match="2 rows are given, 3 wanted"):
        transfer([[flat]], [[np.zeros((3, 4))]])
    with pytest.raises(AssertionError, match="items of 16 bytes are not moved"):
        transfer([[np.zeros((2, 4), complex)]], [[np.zeros((2, 4), complex)]])
    with pytest.raises(AssertionError, match="rows of neighbouring places"):
        transfer([[np.zeros((2, 8))[:, ::2]]], [[flat]])
    with pytest.raises(AssertionError, match="blocks of one field differ in rows or items"):
        transfer([[flat, np.zeros((3, 4))]], [[flat]])
    with pytest.raises(AssertionError, match="one place per number: .4. numbers, .3. places"):
        Side((np.arange(4),), (np.arange(3),))
    with pytest.raises(AssertionError, match="do not say which components"):
        Transfer(in_order(np.arange(4)), planes(Alone()), Alone())


def test_spans_go_on_where_all_do():
    rows = np.array([0, 2, 4, 5, 9]), np.array([1, 2, 3, 4, 8])
    again = [
        np.concatenate([first + step * np.arange(n) for first, n, step in one])
        for one in zip(*_spans(*rows), strict=True)
    ]
    assert [part.tolist() for part in again] == [part.tolist() for part in rows]
