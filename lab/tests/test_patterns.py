"""Patterns of messages are recognised, each from its pairs of ranks."""

import numpy as np
import pytest

from halocline_lab.diagnosis.patterns import recognise


def halo_pairs(grid, *, corners=False, periodic=()):
    """Senders and receivers of a halo on a grid of processes."""
    ranks = np.arange(int(np.prod(grid))).reshape(grid)
    senders, receivers = [], []
    for step in np.ndindex(*(3,) * len(grid)):
        step = np.array(step) - 1
        if not step.any() or (not corners and np.abs(step).sum() > 1):
            continue
        for place in np.ndindex(*grid):
            there = np.array(place) + step
            for axis in periodic:
                there[axis] %= grid[axis]
            if (there >= 0).all() and (there < grid).all():
                senders.append(ranks[place])
                receivers.append(ranks[tuple(there)])
    return senders, receivers


def found(senders, receivers, size):
    return recognise(senders, receivers, np.ones(len(senders)), size)


@pytest.mark.parametrize("grid", [(6,), (4, 2), (3, 5), (8, 8), (2, 3, 4), (4, 4, 4)])
@pytest.mark.parametrize("corners", [False, True])
def test_halos(grid, corners):
    pattern = found(*halo_pairs(grid, corners=corners and len(grid) > 1), int(np.prod(grid)))
    assert pattern.name == f"halo {len(grid)}D"
    assert pattern.grid == list(grid)
    assert pattern.periodic == ""


def test_periodic_halos():
    pattern = found(*halo_pairs((4, 5), periodic=(1,)), 20)
    assert (pattern.name, pattern.grid, pattern.periodic) == ("halo 2D", [4, 5], "i")
    pattern = found(*halo_pairs((4, 5), corners=True, periodic=(0, 1)), 20)
    assert (pattern.name, pattern.grid, pattern.periodic) == ("halo 2D", [4, 5], "ji")


def test_stars():
    others = np.arange(1, 8)
    zeros = np.zeros(7, int)
    assert found(others, zeros, 8).name == "all-to-one"
    assert found(zeros, others, 8).name == "one-to-all"
    both = np.concatenate([others, zeros]), np.concatenate([zeros, others])
    assert found(*both, 8).name == "master-worker"


def test_lines():
    ranks = np.arange(8)
    assert found(ranks, (ranks + 1) % 8, 8).name == "ring"
    assert found(ranks[:-1], ranks[1:], 8).name == "pipeline"


def test_everyone_and_butterfly():
    a, b = np.divmod(np.arange(64), 8)
    assert found(a, b, 8).name == "all-to-all"
    bits = [(rank, rank ^ bit) for rank in range(16) for bit in (1, 2, 4, 8)]
    assert found(*zip(*bits, strict=True), 16).name == "butterfly"


def test_no_pattern():
    assert found([], [], 4).name == "none"
    random = np.random.default_rng(3)
    pairs = random.integers(0, 30, (60, 2))
    assert found(pairs[:, 0], pairs[:, 1], 30).name == "irregular"
    assert recognise([0], [1], [0], 4).name == "none"


def test_strips_are_strips_beside_a_few_messages_at_the_start():
    """Rank 0 sends something to all at first: that makes no grid of two dimensions."""
    for size in (4, 6, 8):
        senders, receivers = halo_pairs((size,))
        counts = [100] * len(senders) + [1] * (size - 1)
        senders, receivers = [*senders, *[0] * (size - 1)], [*receivers, *range(1, size)]
        assert recognise(senders, receivers, counts, size).name == "halo 1D"
    assert recognise([0, 0, 0, 1, 2, 3, 1], [1, 2, 3, 0, 0, 0, 2], [9] * 7, 4).name == "irregular"
