"""The benchmark of the transport measures what it says, at tiny size."""

import json
from pathlib import Path

from halocline_lab import _native
from halocline_lab.benchmarks import kernel_table
from halocline_lab.benchmarks.transport import keys, table, transport


def test_figures_and_file(tmp_path: Path) -> None:
    path = tmp_path / "transport.json"
    before = _native.threads()
    result = transport(tracers=(2,), precision=("float32",), repeats=1, json=path, levels=2)
    assert _native.threads() == before
    written = json.loads(path.read_text())
    assert written["rows"] == result["rows"]
    assert written["keys"] == keys
    assert set(result) | {f"rows.{name}" for name in result["rows"][0]} == set(keys)
    assert {row["processes"] for row in result["rows"]} == {"advection", "all"}
    for row in result["rows"]:
        assert 0.01 < row["nanoseconds"] < 1e4
        assert row["spread"][0] <= row["nanoseconds"] <= row["spread"][1]
        assert abs(row["over_floor"] * row["floor"] - row["nanoseconds"]) < 1e-9
    assert table(result).count("float32") == len(result["rows"])
    assert "x floor" in table(result) and kernel_table.legend in table(result)
