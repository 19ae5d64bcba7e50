"""Tiles and caches: cuts of a case, in turns, with what the processor counts."""

import json
from types import SimpleNamespace

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
    return found


def test_counts_that_some_kernel_lacks_are_not_added():
    row = rows()[0]
    assert tiles.together(row)["D1 misses"] == 220.0
    del row.counts["advect"]["D1 misses"]
    assert "D1 misses" not in tiles.together(row)
    assert "unknown" in tiles.table([row])


def test_the_table_and_the_picture_show_all_cuts():
    found = rows()
    assert len(tiles.table(found).splitlines()) == 4
    panels = figure("swell", found).axes
    assert len(panels) == 6
    assert [len(panel.lines) for panel in panels] == [1, 2, 2, 2, 2, 2]
    found[0].counts = None
    assert [len(panel.lines) for panel in figure("swell", found).axes] == [1, 0, 0, 0, 0, 0]


def test_transport_has_tiles_of_other_lengths_too():
    cuts = tiles.cuts("tracer-51", [1, 4])
    assert [(row.blocks_per_rank, row.tile_bytes) for row in cuts[:3]] == [
        (1, 640), (4, 640), (1, 160),
    ]  # fmt: skip
    assert [row.tile_bytes for row in tiles.cuts("swell", [1])] == [0]


def test_a_cut_is_timed_and_counted_here():
    settings = {"case": "swell", "blocks_per_rank": 2, "tile_bytes": 0, "steps": 2}
    found = tiles_run.answer({**settings, "counters": ["instructions"]})
    assert found["seconds"] > 0.0 and "propagate_space" in found["counts"]
    assert set(found["counts"]["propagate_space"]) <= {"instructions"}


def test_the_command_end_to_end(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = SimpleNamespace(
        case="swell", ranks=1, tiles="1,2", steps=2, repeat=2, plot="t.png", json="t.json"
    )
    assert tiles.main(options) == 0
    assert (tmp_path / "t.png").stat().st_size > 10_000
    found = json.loads((tmp_path / "t.json").read_text())
    assert [row["blocks_per_rank"] for row in found["rows"]] == [1, 2]
    assert "2 per rank" in capsys.readouterr().out
    for wrong in ({"tiles": "1,x"}, {"tiles": "0"}, {"steps": 0}):
        with pytest.raises(UserError):
            tiles.main(SimpleNamespace(**{**vars(options), **wrong}))
