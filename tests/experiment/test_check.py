"""`halocline check` and `halocline plan`: what a run would need, and what it would do."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.component.case.reading import make_case, read_case
from halocline.component.case.shipped import names
from halocline.core.errors import UserError
from halocline.experiment import check
from halocline.experiment.check import fields_of, report
from halocline.experiment.command_line import main
from halocline.experiment.plan import plan
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Alone

small = {
    "grid": {"kind": "cartesian", "nx": 12, "ny": 10, "dx": 1e4, "dy": 1e4},
    "spectrum": {"frequencies": 5, "directions": 8},
    "time": {"length": "6h"},
    "output": {
        "fields": {"maps": {"interval": "2h", "variables": ["significant_height", "wind_u"]}},
        "points": {"buoys": {"interval": "3h", "points": {"here": [5e4, 5e4]}}},
    },
}


def test_report_counts_points_records_and_bytes() -> None:
    words = report(make_case(small), ranks=2)
    assert "12 x 10 cells, 80 sea points" in words
    assert "6 steps of 1h" in words
    assert "5 frequencies x 8 directions" in words
    assert "2 blocks on 2 ranks" in words
    assert "maps: 4 records" in words
    assert "buoys: 3 records" in words


def test_fields_are_found_in_lists_tuples_tables_and_parts_each_once() -> None:
    case = make_case(small)
    component = case.build(case.time.clock(), Alone())
    cut = component.run.decomposition
    listed, paired, named, held = (Field(f"f{n}", "1", cut) for n in range(4))
    vars(component)["kept_by_a_test"] = held
    alone = {id(field) for field in fields_of(component)}
    assert id(held) in alone
    found = list(fields_of([component, [listed], (paired, listed), {"some": [named]}]))
    assert {id(field) for field in found} == alone | {id(listed), id(paired), id(named)}
    assert len(found) == len(alone) + 3


@pytest.mark.parametrize(
    "name", ["global-waves", "swell", "tracer-rotation", "storm-1996", "two-continents"]
)
def test_shipped_cases_pass(name: str) -> None:
    assert name in names()
    words = report(read_case(name))
    assert "run time" in words and "no units" not in words


def told(words: str) -> float:
    """The run time that a report tells, if it is below a minute [s]."""
    (line,) = [line for line in words.splitlines() if line.startswith("run time")]
    return float(line.removeprefix("run time").split()[1])


def test_time_of_small_grids_is_that_of_start_calls_and_means() -> None:
    """Of a cell: 5,760 steps took 1.7 s, a column of 17,520 with means of all steps 9 to 12 s."""
    assert told(report(read_case("bloom-box", ["time.length=1d"]), 1)) == 1
    box, column = (report(read_case(name), 1) for name in ("bloom-box", "bloom-column"))
    assert 2 <= told(box) <= 4 and 7 <= told(column) <= 15
    snapshots = ["output.fields.column.processing='instantaneous'"]
    fewer = told(report(read_case("bloom-column", snapshots), 1))
    assert told(column) - 5 <= fewer <= told(column) - 2


def test_time_to_start_is_part_of_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.5 <= check.to_start <= 1.0
    monkeypatch.setattr(check, "to_start", 20.0)
    assert told(report(read_case("bloom-box", ["time.length=1d"]), 1)) == 20


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"output": {"fields": {"a": {"variables": ["hight"]}}}}, "Unknown output variable"),
        (
            {"output": {"fields": {"a": {"variables": ["hs"]}}}},
            "'hs'. It is called 'significant_height' here",
        ),
        ({"grid": {"file": "w_depth.nc"}}, "No data file 'w_depth.nc'"),
        ({"grid": {"depth": 0.0}}, "no sea point"),
        ({"forcing": {"wind": {"file": "w_wind_6h_2p5.nc"}}}, "Cartesian"),
    ],
)
def test_what_would_stop_a_run_is_found(table: dict[str, object], message: str) -> None:
    case = {**small, "output": {}, **table}
    if "grid" in table:
        case["grid"] = {**dict(small["grid"]), **table["grid"]}
    with pytest.raises(UserError, match=message):
        report(make_case(case))


def test_ranks_without_a_block_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.toml"
    path.write_text("[grid]\nkind = 'cartesian'\nnx = 4\nny = 4\n[time]\nlength = '1h'\n")
    assert main(["check", str(path), "-n", "9"]) == 0
    words = capsys.readouterr().out
    assert "5 of 9 ranks are idle: the grid has no block for them" in words
    assert "4 blocks on 4 ranks" in words


def test_plan_lists_exchanges_before_the_kernels_that_need_them() -> None:
    lines = plan(make_case(small), 2).splitlines()
    assert lines[0].startswith("one step on 2 ranks")
    moved = next(n for n, line in enumerate(lines) if "propagate_space" in line)
    assert lines[moved - 1].startswith("exchange   spectrum")
    cards = plan(make_case({**small, "decomposition": {"kind": "cards"}}), 2)
    assert "transpose  spectrum to planes" in cards


def test_a_cut_that_the_run_decides_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "swell", "--set", "decomposition.tiles=auto"]) == 0
    assert "tiles = 'auto': the run measures others" in capsys.readouterr().out


def test_the_grid_is_told_in_the_words_of_the_component(capsys: pytest.CaptureFixture[str]) -> None:
    for case, words in {
        "bubble": "Cartesian, 200 x 1 cells, 100 layers, to 10000 m",
        "swell": "81 x 71 cells, 5451 sea points, to 4000 m depth",
    }.items():
        assert main(["check", case]) == 0
        assert words in capsys.readouterr().out
