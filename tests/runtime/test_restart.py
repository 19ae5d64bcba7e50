"""Restart files: the same bits after any change of ranks, refusals, damage.

Ranks: 1, and 3 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.runtime import classic_files
from halocline.runtime.communicator import world
from halocline.runtime.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields import Field
from halocline.runtime.picking import pick
from halocline.runtime.restart import (
    latest_restart,
    read_restart,
    restart_path,
    write_restart,
)
from halocline.runtime.topology import Topology

components = 7
facts = {"sea points": 12, "first frequency": 0.0418}
time = date("2011-01-15 18:00")
kinds = ["blocks", "curve", "cards"]


def decomposition(kind, blocks=1, seed=0):
    mask = np.random.default_rng(seed).random((11, 17)) < 0.7
    options = DecompositionOptions(kind=kind, blocks_per_rank=blocks)
    return Decomposition(
        mask, Topology(11, 17), halo=2, options=options, communicator=world(),
        components=components,
    )  # fmt: skip


def fields(cut, dtype=np.float32):
    made = [
        Field("spectrum", "m2 s rad-1", cut, outer=(components,), by_component=True, dtype=dtype),
        Field("roughness", "m", cut, dtype=np.float64),
        Field("age", "s", cut, on="none", outer=(2,)),
    ]
    if cut.kind != "cards":
        made.append(Field("plane", "1", cut, on="cells"))
    return made


def fill(made, seed=5):
    random = np.random.default_rng(seed)
    world = made[0].decomposition.world
    values = {}
    for field in made:
        horizontal = {"points": (world.sea_points,), "cells": world.mask.shape, "none": ()}
        shape = (*field.outer, *horizontal[field.on])
        values[field.name] = random.normal(size=shape).astype(field.dtype)
        field.set_global(values[field.name])
    return values


def shared(tmp_path_factory):
    """One folder for all ranks."""
    folder = tmp_path_factory.mktemp("restart") if world().rank == 0 else None
    return world().broadcast(folder)


@pytest.mark.parametrize("written", kinds)
@pytest.mark.parametrize("read", kinds)
def test_any_decomposition_reads_what_any_other_wrote(tmp_path_factory, written, read):
    path = restart_path(shared(tmp_path_factory), time)
    first = fields(decomposition(written, 2))[:3]
    values = fill(first)
    write_restart(path, first, time, facts)
    second = fields(decomposition(read, 3))[:3]
    assert read_restart(path, second, facts, "standard") == time
    for field in second:
        whole = field.gather()
        if whole is not None:
            assert np.array_equal(whole, values[field.name])
            assert whole.dtype == values[field.name].dtype


def test_fields_on_cells(tmp_path_factory):
    path = restart_path(shared(tmp_path_factory), time)
    first = fields(decomposition("blocks", 2))
    fill(first)
    write_restart(path, first, time, facts)
    second = fields(decomposition("curve"))
    read_restart(path, second, facts, "standard")
    mine, theirs = first[3].gather(), second[3].gather()
    assert mine is None or np.array_equal(mine[second[3].decomposition.world.mask],
                                          theirs[second[3].decomposition.world.mask])  # fmt: skip


@pytest.mark.parametrize("kind", kinds)
def test_picked_points(kind):
    spectrum = fields(decomposition(kind, 2))[0]
    values = fill([spectrum])["spectrum"]
    numbers = np.array([40, 3, 17, 90])
    picked = pick(spectrum, numbers)
    assert (picked is None) == (world().rank > 0)
    assert picked is None or np.array_equal(picked, values[:, numbers])


def test_names_and_the_latest(tmp_path_factory):
    folder = shared(tmp_path_factory)
    with pytest.raises(UserError, match="no restart file"):
        latest_restart(folder)
    made = fields(decomposition("blocks"))
    fill(made)
    for hour in (6, 18, 12):
        when = date(f"2011-01-15 {hour}")
        write_restart(restart_path(folder, when), made, when, facts)
    assert latest_restart(folder).name == "restart_20110115T180000.nc"


def written(folder, dtype=np.float32):
    path = restart_path(folder, time)
    made = fields(decomposition("blocks"), dtype)
    fill(made)
    write_restart(path, made, time, facts)
    return path, made


def test_another_run_is_refused(tmp_path_factory):
    folder = shared(tmp_path_factory)
    path, made = written(folder)
    with pytest.raises(UserError, match=r"first frequency = 0.0418, this run has .* = 0.05"):
        read_restart(path, made, facts | {"first frequency": 0.05}, "standard")
    with pytest.raises(UserError, match=r"is float32 \(7, .*this run needs float64"):
        read_restart(path, fields(decomposition("blocks"), np.float64), facts, "standard")
    other = [*made, Field("charnock", "1", made[0].decomposition)]
    with pytest.raises(UserError, match="has no field 'charnock'"):
        read_restart(path, other, facts, "standard")
    with pytest.raises(UserError, match="no restart file"):
        read_restart(folder / "restart.nc", made, facts, "standard")
    if world().rank == 0:
        (folder / "text.nc").write_text("no netCDF")
    world().broadcast(None)
    with pytest.raises(UserError, match="is no netCDF file"):
        read_restart(folder / "text.nc", made, facts, "standard")


def test_a_flipped_bit_is_found(tmp_path_factory):
    path, made = written(shared(tmp_path_factory))
    if world().rank == 0:
        content = bytearray(path.read_bytes())
        content[classic_files.read_header(path).places["spectrum"].offset + 101] ^= 4
        path.write_bytes(content)
    world().broadcast(None)
    with pytest.raises(UserError, match="field 'spectrum' .* is damaged"):
        read_restart(path, made, facts, "standard")


def test_a_failed_write_keeps_the_earlier_file(tmp_path_factory, monkeypatch):
    path, made = written(shared(tmp_path_factory))
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(classic_files.os, "fsync", full)
    with pytest.raises(UserError, match="Cannot write .*: No space left on device"):
        write_restart(path, made, time, facts)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]
