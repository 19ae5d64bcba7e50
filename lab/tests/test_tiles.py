"""Tiles and caches: cuts of a case, in turns, with what the processor counts. Ranks: 2, started."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline_lab.benchmarks import tiles, tiles_run
from halocline_lab.benchmarks.tiles_plot import figure


def counts(scale):
    names = [name for half in tiles.counted for name in half]
    return {name: scale * (at + 1.0) for at, name in enumerate(names)}


def rows():
    found = [tiles.Row(count, 0, 1.0 / count, 0.5 / count, 2.0 / count) for count in (1, 2, 4)]
    for row in found:
        row.counts = {"advect": counts(100.0), "diffuse": counts(10.0)}
        row.kernels = {
            "advect": {"seconds": 0.5 * row.seconds, "bytes": 2.0**21 / row.blocks_per_rank},
            "diffuse": {"seconds": 0.2 * row.seconds, "bytes": 2.0**20 / row.blocks_per_rank},
        }
    return found


sizes = {"L1": 32768, "L2": 2**20}


def test_counts_that_some_kernel_lacks_are_not_added():
    row = rows()[0]
    assert tiles.together(row)["D1 misses"] == 220.0
    del row.counts["advect"]["D1 misses"]
    assert "D1 misses" not in tiles.together(row)
    assert "unknown" in tiles.table([row])


def test_the_table_and_the_picture_show_all_cuts():
    found = rows()
    assert len(tiles.table(found).splitlines()) == 4
    panels = figure("swell", found, sizes).axes
    assert len(panels) == 6
    assert [len(panel.lines) for panel in panels] == [1, 2, 2, 2, 2, 2]


def test_where_nobody_counts_sizes_of_tiles_stand_beside_those_of_caches():
    found = rows()
    for row in found:
        row.counts = {}
    lines = tiles.kernel_table(found, sizes).splitlines()
    assert "L1 0.0312 MiB, L2 1 MiB" in lines[0]
    assert lines[2].split() == ["advect", "500.00", "(2)", "250.00", "(1)", "125.00", "(0.5)"]
    _, over, size = figure("swell", found, sizes).axes
    np.testing.assert_allclose(over.lines[0].get_ydata(), [1.0, 0.5, 0.25])
    np.testing.assert_allclose(size.lines[1].get_ydata(), [1.0, 0.5, 0.25])
    assert len(size.lines) == 2 + len(sizes)


def test_the_least_of_all_runs_is_that_of_a_kernel():
    row = tiles.Row(1, 0)
    for seconds in (3.0, 2.0, 4.0):
        some = {"advect": {"seconds": seconds, "bytes": 8.0}}
        tiles.take(row, {"kernels": some, "counts": {}})
    assert row.kernels == {"advect": {"seconds": 2.0, "bytes": 8.0}}


def test_caches_for_data_are_read_by_level(tmp_path):
    for at, (level, kind, size) in enumerate(
        [("1", "Data", "48K"), ("1", "Instruction", "64K"), ("2", "Unified", "2048K")]
    ):
        folder = tmp_path / f"index{at}"
        folder.mkdir()
        for name, word in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(f"{word}\n")
    assert tiles.caches(tmp_path) == {"L1": 49152, "L2": 2**21}
    assert tiles.caches(tmp_path / "nowhere") == {}


def test_transport_has_tiles_of_other_lengths_too():
    cuts = tiles.cuts("tracer-51", [], [1, 4])
    assert [(row.blocks_per_rank, row.tile_bytes) for row in cuts[:3]] == [
        (1, 640), (4, 640), (1, 160),
    ]  # fmt: skip
    assert [row.tile_bytes for row in tiles.cuts("swell", [], [1])] == [0]


def test_a_cut_is_timed_and_counted_here():
    settings = {"case": "swell", "settings": [], "blocks_per_rank": 2, "tile_bytes": 0, "steps": 2}
    found = tiles_run.answer({**settings, "counters": ["instructions"]})
    assert found["seconds"] > 0.0 and "propagate_space" in found["counts"]
    assert set(found["counts"]["propagate_space"]) <= {"instructions"}
    kernel = found["kernels"]["propagate_space"]
    assert 0.0 < kernel["seconds"] < found["seconds"]
    whole = tiles_run.answer({**settings, "blocks_per_rank": 1, "counters": []})
    assert 0.5 < 2.0 * kernel["bytes"] / whole["kernels"]["propagate_space"]["bytes"] < 2.0


def test_the_command_end_to_end(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = SimpleNamespace(
        case="swell", settings=["spectrum.directions=12"], ranks=2, threads=1, tiles="1,2",
        steps=2, repeat=2, plot="t.png", json="t.json",
    )  # fmt: skip
    assert tiles.main(options) == 0
    assert (tmp_path / "t.png").stat().st_size > 10_000
    found = json.loads((tmp_path / "t.json").read_text())
    assert [row["blocks_per_rank"] for row in found["rows"]] == [1, 2]
    assert "2 per rank" in capsys.readouterr().out
    for wrong in ({"tiles": "1,x"}, {"tiles": "0"}, {"steps": 1}):
        with pytest.raises(UserError):
            tiles.main(SimpleNamespace(**{**vars(options), **wrong}))
