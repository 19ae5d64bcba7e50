"""The benchmark of the reaction measures what it says, at tiny size."""

import json
from pathlib import Path

from halocline_lab import _native
from halocline_lab.benchmarks import kernel_table
from halocline_lab.benchmarks.biology import biology, keys, table


def test_figures_and_file(tmp_path: Path) -> None:
    path = tmp_path / "biology.json"
    before = _native.threads()
    result = biology(cells=640, repeats=1, json=path, threads=[1])
    assert _native.threads() == before
    written = json.loads(path.read_text())
    assert written["rows"] == result["rows"]
    assert written["keys"] == keys
    assert result["cells"] == 640
    assert set(result) | {f"rows.{name}" for name in result["rows"][0]} == set(keys)
    for row in result["rows"]:
        assert 0.01 < row["microseconds"] < 1e4
        assert row["spread"][0] <= row["microseconds"] <= row["spread"][1]
        assert row["floor"] > 0.0
        assert abs(row["over_floor"] * row["floor"] - row["microseconds"]) < 1e-9
        assert row["cut"] == 0
    assert table(result).count("float") == 2
    assert "x floor" in table(result) and kernel_table.legend in table(result)
