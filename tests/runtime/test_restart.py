"""Restart files: the same bits after any change of ranks, refusals, damage.

Ranks: 1, and 3 and 5 through test_ranks.py.
"""

import json
import os

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology
from halocline.runtime.files import restart_layout
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.ranks.communicator import world
from halocline.runtime.writing.restart import (
    find_restarts,
    read_restart,
    restart_path,
    verified,
)
from halocline.runtime.writing.writers import write_restart

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
        Field("spectrum", "m2 s rad-1", cut, axes=(cut.component_axis,), dtype=dtype),
        Field("roughness", "m", cut, dtype=np.float64),
        Field("age", "s", cut, place=Place.none, axes=(2,)),
    ]
    return made


def fill(made, seed=5):
    random = np.random.default_rng(seed)
    values = {}
    for field in made:
        values[field.name] = random.normal(size=field.shape).astype(field.dtype)
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


def places(cut):
    """Fields at every place, with levels, and values on land and below the sea floor."""
    mask = cut.world.mask
    space = Space(cut, levels=Axis("depth", 3), wet_levels=mask * (1 + np.arange(17) % 3))
    axes = (Axis("tracer", 2), space.levels)
    return [Field(p.value, "1", space, place=p, axes=axes) for p in Place if p.planar]


@pytest.mark.parametrize("first, second", [("blocks", "curve"), ("curve", "blocks")])
def test_planes_keep_all_values_that_blocks_have(tmp_path_factory, first, second):
    path = restart_path(shared(tmp_path_factory), time)
    written = places(decomposition(first, 2))
    values = fill(written)
    write_restart(path, written, time, facts)
    read = places(decomposition(second))
    read_restart(path, read, facts, "standard")
    for old, new in zip(written, read, strict=True):
        owners = old.space.owners(old.place), new.space.owners(new.place)
        kept = (owners[0] >= 0) & (owners[1] >= 0)
        dry = ~old.space.wet(old.place)
        whole = new.gather()
        if whole is not None:
            assert np.array_equal(whole, np.where(kept, values[old.name], 0))
            assert (whole[:, dry & kept] != 0).any()


def test_names_and_the_latest(tmp_path_factory):
    folder = shared(tmp_path_factory)
    assert find_restarts(folder) == []
    made = fields(decomposition("blocks"))
    fill(made)
    for hour in (6, 18, 12):
        when = date(f"2011-01-15 {hour}")
        write_restart(restart_path(folder, when), made, when, facts)
    wait()
    names = [f"restart_20110115T{hour}0000.safetensors" for hour in ("18", "12", "06")]
    assert [path.name for path in find_restarts(folder)] == names


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
    with pytest.raises(UserError, match="has no field 'charnock'.* the version of Halocline, of"):
        read_restart(path, other, facts, "standard")
    with pytest.raises(UserError, match="Cannot read the restart file .*: No such file"):
        read_restart(folder / "restart", made, facts, "standard")
    if world().rank == 0:
        (folder / "text").write_text("no restart")
    wait()
    with pytest.raises(DamagedFile, match="is no restart file"):
        read_restart(folder / "text", made, facts, "standard")


def wait():
    world().broadcast(world().gather(None))


def change(path, function):
    """Change the bytes of a file on rank 0; a call for all ranks."""
    wait()
    if world().rank == 0:
        path.write_bytes(function(bytearray(path.read_bytes())))
    wait()


def flip(at, bit=4):
    def change_bit(content):
        content[at] ^= bit
        return content

    return change_bit


@pytest.mark.parametrize(
    "place, words",
    [
        ("spectrum", r"range 2 \(bytes 4608 to 5119, roughness, spectrum"),
        ("roughness", r"range 1 \(bytes 4096 to 4607, roughness"),
        ("length", "is no restart file of Halocline, or its header"),
        ("header", r"range 0 \(bytes 0 to 4095, the header\) has the checksum"),
        ("table", "its table of checksums has the checksum"),
    ],
)
def test_a_flipped_bit_is_found_and_named(tmp_path_factory, monkeypatch, place, words):
    monkeypatch.setattr(restart_layout, "range_length", 512)
    path, made = written(shared(tmp_path_factory))
    layout = restart_layout.read_layout(path)
    places = {
        "length": 6,
        "header": layout.header.index(b"0418") + 1,
        "table": layout.table.offset + 5,
    }
    at = places[place] if place in places else layout.entries[place].offset + 8
    if place == "spectrum":
        at = 4608 + 511
    change(path, flip(at))
    with pytest.raises(DamagedFile, match=words):
        read_restart(path, made, facts, "standard")
    change(path, flip(at))
    assert read_restart(path, made, facts, "standard") == time


def test_every_flipped_bit_of_a_random_choice_is_found(tmp_path_factory):
    path, _ = written(shared(tmp_path_factory))
    random = np.random.default_rng(11)
    size = path.stat().st_size
    for at, bit in zip(*random.integers(0, [[size], [8]], (2, 40 // world().size)), strict=True):
        change(path, flip(at, 1 << bit))
        with pytest.raises(DamagedFile):
            verified(path, world())
        change(path, flip(at, 1 << bit))
    assert verified(path, world()).size == size


@pytest.mark.parametrize("kept", [0, 5, 4000, 4096, 5000])
def test_a_file_that_is_cut_off_is_found(tmp_path_factory, kept):
    path, made = written(shared(tmp_path_factory))
    change(path, lambda content: content[:kept])
    with pytest.raises(DamagedFile):
        read_restart(path, made, facts, "standard")


@pytest.mark.parametrize("length", [64, 512, 1 << 22])
def test_the_bytes_do_not_know_the_decomposition(tmp_path_factory, monkeypatch, length):
    monkeypatch.setattr(restart_layout, "range_length", length)
    folder, contents = shared(tmp_path_factory), []
    for kind, blocks in (("blocks", 1), ("blocks", 4), ("curve", 2), ("cards", 1)):
        made = fields(decomposition(kind, blocks))[:3]
        fill(made)
        write_restart(folder / f"{kind}{blocks}", made, time, facts)
        contents.append((folder / f"{kind}{blocks}").read_bytes())
    for blocks in (1, 5):
        made = fields(decomposition("blocks", blocks))
        fill(made)
        write_restart(folder / f"cells{blocks}", made, time, facts)
    assert all(content == contents[0] for content in contents)
    assert (folder / "cells1").read_bytes() == (folder / "cells5").read_bytes()


def test_spectra_in_planes(tmp_path_factory):
    """Cards hold spectral components of all points, or all components of some points."""
    cut = decomposition("cards")
    path = restart_path(shared(tmp_path_factory), time)
    other = Field("spectrum", "1", cut, axes=(cut.component_axis, 2))
    values = fill([other])["spectrum"]
    other.storage(cut.planes)
    other.now_in(cut.planes)
    other.set_global(values)
    write_restart(path, [other], time, facts)
    layout = restart_layout.read_layout(path)
    assert np.array_equal(restart_layout.map_entry(path, layout.entries["spectrum"]), values)


def test_other_programs_can_read_it(tmp_path_factory):
    """The format safetensors: eight bytes, a header in JSON, little-endian arrays."""
    path, made = written(shared(tmp_path_factory))
    whole = made[0].gather()
    if whole is None:
        return
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    spectrum = header["spectrum"]
    begin, end = spectrum["data_offsets"]
    read = np.frombuffer(content[8 + length + begin : 8 + length + end], "<f4")
    assert spectrum["dtype"] == "F32"
    assert np.array_equal(read.reshape(spectrum["shape"]), whole)
    arrays = sorted(item["data_offsets"] for name, item in header.items() if name[0] != "_")
    assert arrays[0][0] == 0
    assert arrays[-1][1] == len(content) - 8 - length
    assert all(a[1] == b[0] for a, b in zip(arrays, arrays[1:], strict=False))


def test_a_failed_write_keeps_the_earlier_file(tmp_path_factory, monkeypatch):
    """A full disk at any write of any rank: one message, the earlier file as it was."""
    path, made = written(shared(tmp_path_factory))
    before = path.read_bytes()
    wait()
    pwrite = os.pwrite
    for fatal_rank, fatal_call in [(0, 0), (0, 1), (0, 2), (world().size - 1, 0)]:
        calls = []

        def full(*arguments, rank=fatal_rank, call=fatal_call, calls=calls):
            calls.append(1)
            if world().rank == rank and len(calls) > call:
                raise OSError(28, "No space left on device")
            return pwrite(*arguments)

        monkeypatch.setattr(restart_layout, "range_length", 256)
        monkeypatch.setattr(os, "pwrite", full)
        with pytest.raises(UserError, match="Cannot write .*: .*No space left on device"):
            write_restart(path, made, time, facts, way="parts" if fatal_rank else "shared")
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert [p.name for p in path.parent.iterdir()] == [path.name]
        wait()
