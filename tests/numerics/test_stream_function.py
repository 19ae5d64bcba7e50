"""Fluxes of potentials: coasts found, no flux through them, divergence exactly zero."""

import numpy as np
import pytest

from halocline.numerics.stream_function import (
    Coasts,
    LevelFluxes,
    VolumeFluxes,
    coast_labels,
    divergence,
)
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from references import double_cover


def faces(wet, periodic):
    """Open western and southern faces of (nk, nj, ni) cells, one more than cells."""
    west = np.roll(wet, 1, -1)
    south = np.roll(wet, 1, -2)
    south[:, 0] = False
    if not periodic:
        west[..., 0] = False
    x, y = wet & west, wet & south
    east = x[..., :1] if periodic else np.zeros_like(x[..., :1])
    return np.concatenate([x, east], -1), np.concatenate([y, np.zeros_like(y[:, :1])], 1)


def test_coasts_by_hand():
    """A basin with an island: the outer coast is one, the island another, the rest sea."""
    wet = np.ones((1, 6, 7), bool)
    wet[0, 2:4, 3] = False
    open_x, open_y = faces(wet, False)
    label = coast_labels(open_x[0], open_y[0], Topology(6, 7))
    sides = np.concatenate([label[0], label[-1], label[:, 0], label[:, -1]])
    assert (sides == 0).all()
    assert len(np.unique(label[2:5, 3:5])) == 1
    assert len(np.unique(label)) == 2 + 5 * 6 - 6


@pytest.mark.parametrize("periodic", [False, True])
def test_divergence_and_coasts_are_exact(periodic):
    for seed in range(4):
        random = np.random.default_rng(seed)
        floor = random.integers(0, 5, (17, 23)) * (random.random((17, 23)) < 0.3)
        wet = np.arange(4)[:, None, None] >= floor
        open_x, open_y = faces(wet, periodic)
        raw = random.normal(size=(4, 18, 24)) * 1e7
        if periodic:
            raw[..., -1] = raw[..., 0]
        topology = Topology(17, 23, periodic_i=periodic)
        coasts = Coasts(topology, smoothing=3)
        stream = [coasts(raw[k], open_x[k], open_y[k]) for k in (3, 2, 1, 0)][::-1]
        padded = np.pad(wet, ((1, 0), (1, 1), (0, 0)))
        turn = random.normal(size=(4, 18, 23)) * 1e5
        turn *= padded[1:, 1:] & padded[:-1, 1:] & padded[1:, :-1] & padded[:-1, :-1]
        fluxes = LevelFluxes(4, topology, stream.__getitem__, turn.__getitem__).whole()
        assert np.abs(fluxes.x).max() > 1e5 and np.abs(fluxes.z).max() > 1e4
        single = VolumeFluxes(*(getattr(fluxes, n).astype(np.float32) for n in "xyz"))
        assert not divergence(fluxes, topology).any()
        assert not divergence(single, topology).any()
        assert not fluxes.x[~open_x[..., :-1]].any()
        assert not fluxes.y[~open_y[:, :-1]].any()
        assert not fluxes.z[0].any()
        assert not fluxes.z[1:][~(wet[1:] & wet[:-1])].any()


@pytest.mark.parametrize("fold", ["faces", "centres"])
def test_divergence_and_coasts_are_exact_on_a_fold(fold):
    """Laid out flat, where nothing is there twice, what leaves a cell enters another one."""
    topology, place = Topology(17, 24, periodic_i=True, fold=fold), Place.center
    for seed in range(4):
        random = np.random.default_rng(seed)
        wet = double_cover.flat(random.random((17, 24)), place, fold) > 0.2
        open_x = wet & np.roll(wet, 1, 1)
        open_y = np.vstack([0 * wet[:1], wet[1:] & wet[:-1], 0 * wet[:1]]).astype(bool)
        raw = random.normal(size=(18, 25)) * 1e7
        potential = Coasts(topology, smoothing=3)(
            raw, np.hstack([open_x, open_x[:, :1]])[:17], open_y[:18]
        )
        loose = LevelFluxes(1, topology, lambda k, plane=raw: plane).whole()
        assert loose.x.any() and not divergence(loose, topology).any()
        found = LevelFluxes(1, topology, lambda k, plane=potential: plane).whole()
        assert not divergence(found, topology).any()
        x = double_cover.flat(found.x[0], Place.x_face, fold, vector=True)
        y = double_cover.flat(found.y[0], Place.y_face, fold, vector=True)
        assert np.abs(x).max() > 1e5 and np.abs(y[16:19]).max() > 1e5
        y = np.vstack([y, 0 * y[: wet.shape[0] + 1 - y.shape[0]]])
        assert np.array_equal(x[:17], found.x[0]) and np.array_equal(
            y[: found.y[0].shape[0]], found.y[0]
        )
        assert not ((np.roll(x, -1, 1) - x) + (y[1:] - y[:-1])).any()
        assert not x[~open_x].any() and not y[~open_y].any()
