"""Writes the same records and restarts in every way, on the ranks that run this, with servers.

As a program under MPI: `every_way.py FOLDER SERVERS [WAY ...]`. Rank 0 compares all bytes with
those of a plain growing file of gathered values.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

from halocline.core.clock import Clock, date, duration
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology
from halocline.runtime.files.classic_files import GrowingFile, create, verify_records
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.roles import split
from halocline.runtime.writing.restart import read_restart, restart_target
from halocline.runtime.writing.serving import Server
from halocline.runtime.writing.sources import Columns
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import Stream, define_time, define_values, missing_value
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions

nj, ni, levels, components = 23, 31, 5, 11
start = date("2000-01-01")
direct = (
    "first", "separate", "gathered", "blocked", "buffered", "shared", "parts", "striped",
    "mpiio", "mpiio-collective",
)  # fmt: skip
mask = np.random.default_rng(1).random((nj, ni)) < 0.7
wet_levels = mask * np.random.default_rng(2).integers(1, levels + 1, (nj, ni))
rows, columns = np.arange(3, 20), np.arange(30, 4, -1) % ni


def clock():
    return Clock(start, start + duration("9h"), duration("1h"))


def cut(communicator, kind):
    options = DecompositionOptions(kind=kind, blocks_per_rank=2)
    return Decomposition(
        mask, Topology(nj, ni), halo=2, options=options, communicator=communicator,
        components=components,
    )  # fmt: skip


def made_fields(decomposition):
    """Fields of all kinds, with values that are not finite."""
    made = [
        Field("spectrum", "1", decomposition, axes=(decomposition.component_axis,)),
        Field("height", "m", decomposition, dtype=np.float64),
        Field("age", "s", decomposition, place=Place.none, axes=(2,)),
    ]
    if decomposition.kind != "cards":
        space = Space(decomposition, levels=Axis("depth", levels), wet_levels=wet_levels)
        axes = (space.levels,)
        made += [
            Field("tracer", "1", space, place=Place.center, axes=axes, dtype=np.float64),
            Field("speed", "m s-1", space, place=Place.x_face, axes=axes),
            Field("turn", "s-1", space, place=Place.corner, axes=(Axis("kind", 2), *axes)),
            Field("stress", "Pa", space, place=Place.y_face),
        ]
    return made


def set_values(fields, seed):
    """Set all fields; their global values by name."""
    random, values = np.random.default_rng(seed), {}
    for field in fields:
        value = random.normal(size=field.shape).astype(field.dtype)
        if field.place != Place.none:
            value[random.random(value.shape) < 0.05] = np.nan
        field.set_global(value)
        values[field.name] = value
    return values


def shape_in_file(field):
    return (*field.outer, rows.size, columns.size)


def content(fields):
    def define(file):
        define_time(file, "standard")
        file.createDimension("two", 2)
        file.createVariable("note", "i4", ("time",))
        for field in fields:
            if field.place == Place.none:
                continue
            names = [f"{field.name}{n}" for n in range(len(shape_in_file(field)))]
            for name, size in zip(names, shape_in_file(field), strict=True):
                file.createDimension(name, size)
            kind = "f4" if field.name == "tracer" else "f8"
            define_values(file, field.name, kind, ("time", *names), {"units": field.units})

    return define


def as_in_file(field, value):
    """The global values of a field on the region, missing ones filled."""
    if field.place == Place.point:
        plane = np.full((*field.outer, nj, ni), missing_value)
        plane[..., mask] = value
    else:
        plane = np.where(wet(field), value, missing_value)
    plane = plane[..., rows[:, None], columns]
    return np.where(np.isfinite(plane), plane, missing_value)


def wet(field):
    """Where a planar field is wet, from the mask of all cells shifted by one."""
    deep = np.arange(levels)[:, None, None] >= levels - wet_levels
    cells = np.pad(deep if field.levels else mask, [(0, 0)] * bool(field.levels) + [(1, 1), (1, 1)])
    found = cells[..., 1:, 1:] & cells[..., 1:, :-1] & cells[..., :-1, 1:] & cells[..., :-1, :-1]
    if field.place == Place.center:
        found = cells[..., 1:-1, 1:-1]
    elif field.place == Place.x_face:
        found = cells[..., 1:-1, 1:] & cells[..., 1:-1, :-1]
    elif field.place == Place.y_face:
        found = cells[..., 1:, 1:-1] & cells[..., :-1, 1:-1]
    return found


def write(folder, writers, kind, options):
    """Three records, the last in a new file, and two restarts; then compare on rank 0."""
    decomposition = cut(writers.communicator, kind)
    fields = made_fields(decomposition)
    on_map = Columns(rows, columns, fill=missing_value)
    root = writers.communicator.rank == 0
    stream = Stream("maps", options, clock(), folder, content(fields))
    stream.open(writers)
    facts, expected = {"nj": nj}, []
    for hour in range(3):
        values, time = set_values(fields, hour), start + duration(f"{hour}h")
        shown = {field.name: field for field in fields if field.place != Place.none}
        sources = {name: on_map.source(field) for name, field in shown.items()}
        note = np.array(hour, np.int32)
        stream.append(time, sources | ({"note": note} if root else {}))
        expected.append({n: as_in_file(f, values[n]) for n, f in shown.items()} | {"note": note})
        if hour > 0:
            path = folder / f"restart_20000101T0{hour}0000.safetensors"
            writers.restart(restart_target(path, fields, time, facts), fields)
    stream.close()
    writers.close()
    if root:
        compare(folder, stream, expected)
    for hour in (1, 2):
        again = made_fields(decomposition)
        path = folder / f"restart_20000101T0{hour}0000.safetensors"
        assert read_restart(path, again, facts, "standard") == start + duration(f"{hour}h")
        values = set_values(fields, hour)
        for field in again:
            whole = field.gather()
            if root:
                kept = field.space.owners(field.place) >= 0 if field.place.planar else True
                expected = np.where(kept, values[field.name], 0)
                assert np.array_equal(whole, expected, equal_nan=True)


def compare(folder, stream, expected):
    for number, records in enumerate((expected[:2], expected[2:])):
        path = stream.plan.path(number)
        plain = folder / f"plain{number}.nc"
        create(plain, stream.plan.head)
        file = GrowingFile(plain)
        for at, values in enumerate(records):
            hour = 2 * number + at
            file.append({"time": np.array(seconds(hour)), **values})
        file.close()
        assert verify_records(path) == (len(records), 0)
        assert path.read_bytes() == plain.read_bytes(), path


def seconds(hour):
    from halocline.core.clock import to_number

    return to_number(start + duration(f"{hour}h"))


def settings(servers):
    """Options of servers, of writing, and kinds of decomposition to try."""
    kinds = itertools.cycle(["blocks", "curve", "cards"])
    if not servers:
        for way in sys.argv[3:] or direct:
            for kind in ("blocks", "cards"):
                yield {}, WritingOptions(way=way, blocks=3, block_size=4096), kind
        return
    for groups, robin, size, copies in [
        (1, False, 4096, 1), (1, True, 4096, 2), (servers, False, 1 << 22, 1),
        (servers, True, 8192, 0),
    ]:  # fmt: skip
        writing = WritingOptions(way="servers", block_size=size, copies=copies)
        yield {"groups": groups, "round_robin": robin}, writing, next(kinds)
    yield {"groups": 1, "round_robin": False}, WritingOptions(budget=0.0), "blocks"


def main(folder, servers):
    for number, (roles_of, writing, kind) in enumerate(settings(servers)):
        here = folder / str(number)
        if world().rank == 0:
            here.mkdir()
        world().broadcast(None)
        round_robin = roles_of.get("round_robin", False)
        model, roles = split(world(), servers, groups=roles_of.get("groups", 1))
        if model is None:
            Server(world(), roles, writing, round_robin).serve()
        else:
            known = roles if servers else None
            writers = Writers(model, writing, world=world(), roles=known, round_robin=round_robin)
            write(here, writers, kind, StreamOptions(split="2h", interval="1h"))
            writers.free()
        world().broadcast(None)
    if world().rank == 0:
        print("all the same bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
