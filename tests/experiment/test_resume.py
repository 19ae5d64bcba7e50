"""Broken runs go on where their last good restart was: the same bits, on other ranks too.

Ranks: 1, and 2 by the command.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.resuming import case_file, end_file, never_refusing
from halocline.experiment.run import run
from halocline.experiment.simulation import Simulation
from halocline.runtime.files.classic_files import read_header
from halocline.runtime.writing.restart import find_restarts

waves = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 8, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h"},
    "output": {
        "fields": {"maps": {"interval": "1h"}, "means": {"interval": "3h", "processing": "mean"}},
        "points": {"buoys": {"points": {"a": [50.0, 0.0]}, "interval": "1h"}},
    },
}
transport = {
    "component": "transport",
    "precision": "float64",
    "grid": {"nx": 16, "ny": 12, "x0": -7.5, "y0": -5.5, "depth": 300.0, "closed_edges": False},
    "time": {"length": "6h", "step": "1h"},
    "transport": {"tracers": ["bell", "constant"], "start_offset": 2.0},
    "restart": {"interval": "2h"},
    "output": {"fields": {"maps": {"interval": "1h"}}},
}


def broken(folder: Path, case, hours: int = 6, restart: int = 4) -> Path:
    """A folder as a run leaves it that breaks after `hours`, the last restart at hour `restart`."""
    run(case, output=folder)
    (folder / end_file).unlink()
    for path in find_restarts(folder):
        if int(path.stem[-6:-4]) > restart:
            path.unlink()
    return folder


def files(folder: Path) -> dict[str, bytes]:
    paths = [*folder.glob("*.nc"), *find_restarts(folder)]
    return {path.name: path.read_bytes() for path in paths}


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[5000] ^= 16
    path.write_bytes(content)


@pytest.mark.parametrize("case", [waves, transport], ids=["waves", "transport"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_broken_run_goes_on(tmp_path, case, ranks):
    """Records after the restart are cut off and written again: all files have the same bytes."""
    run(case, output=tmp_path / "whole")
    folder = broken(tmp_path / "broken", case, restart=2)
    assert main(["resume", str(folder), "-n", str(ranks), "--quiet"]) == exit_codes.done
    assert files(folder) == files(tmp_path / "whole")
    with xarray.open_dataset(folder / "maps.nc") as data:
        assert data.sizes["time"] == 7
        assert np.isfinite(data.time.values.astype(float)).all()
    assert len([line for line in _log(folder) if line == "== command =="]) == 2


def _log(folder: Path) -> list[str]:
    return (folder / "halocline.log").read_text().splitlines()


def test_the_summary_of_the_transport_knows_the_start(tmp_path):
    whole = run(transport, output=tmp_path)
    (tmp_path / end_file).unlink()
    again = run(tmp_path / case_file, output=tmp_path, resume=True)
    assert again.outcome.steps == 0
    state = [line for line in whole.summary.splitlines() if "greatest change" in line]
    assert "e-" in state[0]
    assert state[0] in again.summary.splitlines()


def test_a_finished_run_has_nothing_to_do(tmp_path, capsys):
    run(waves, output=tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert main(["resume", str(tmp_path)]) == exit_codes.done
    assert main(["resume", "waves", "--output", str(tmp_path)]) == exit_codes.done
    words = f"nothing to do: the run in '{tmp_path}' reached its end, 2000-01-01 06:00\n"
    assert capsys.readouterr().out == 2 * words
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_finished_run_that_is_resumed_all_the_same_has_not_ended_meanwhile(tmp_path, monkeypatch):
    """Its finished files may be growing ones again."""
    run(waves, output=tmp_path)

    def fails(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Simulation, "begin", fails)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / case_file, output=tmp_path, resume=True)
    assert not (tmp_path / end_file).exists()


def test_a_case_stands_for_its_folder_of_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = broken(tmp_path / "results" / "mine", waves)
    assert main(["resume", "mine", "-n", "1", "--quiet"]) == exit_codes.done
    assert (folder / end_file).exists()


def test_no_run_to_resume(tmp_path, capsys):
    assert main(["resume", str(tmp_path), "--output", str(tmp_path)]) == exit_codes.user_error
    assert f"There is no run to resume in '{tmp_path}'" in capsys.readouterr().err


def test_the_folder_that_was_named_is_that_of_the_message(tmp_path, capsys):
    assert main(["resume", str(tmp_path / "lost")]) == exit_codes.user_error
    assert f"There is no run to resume in '{tmp_path / 'lost'}'" in capsys.readouterr().err


def test_a_damaged_restart_is_named_and_the_one_before_is_used(tmp_path, capsys):
    run(waves, output=tmp_path / "whole")
    folder = broken(tmp_path / "broken", waves)
    damage(folder / "restart_20000101T040000.safetensors")
    assert main(["resume", str(folder), "-n", "1", "--quiet"]) == exit_codes.done
    words = capsys.readouterr().err
    assert "restart_20000101T040000.safetensors' is damaged: range 1 (bytes 4096 to" in words
    assert "Going on from" in words
    assert "restart_20000101T020000.safetensors' (2000-01-01 02:00)" in words
    assert any("is damaged: range 1" in line for line in _log(folder))
    assert files(folder) == files(tmp_path / "whole")
    aside = folder / "restart_20000101T040000.1.safetensors"
    assert aside.exists()


def test_no_good_restart_is_one_clear_error(tmp_path):
    folder = broken(tmp_path, waves)
    for path in find_restarts(folder):
        damage(path)
    before = files(folder)
    with pytest.raises(UserError, match=r"No restart file .* is good.*T040000.*is damaged: range"):
        run(folder / case_file, output=folder, resume=True)
    assert files(folder) == before


def test_a_case_that_names_a_damaged_restart_takes_the_one_before(tmp_path):
    folder = broken(tmp_path / "first", waves)
    whole = run(waves).component.model.spectrum.gather()
    source = folder / "restart_20000101T040000.safetensors"
    damage(source)
    for name in (str(source), str(folder)):
        result = run(waves | {"restart": {"source": name}})
        assert result.outcome.steps == 4
        np.testing.assert_array_equal(result.component.model.spectrum.gather(), whole)


def test_without_a_restart_the_run_begins_anew(tmp_path):
    """What was there is moved aside, also where the stream would refuse to write."""
    output = {"fields": {"maps": {"interval": "1h", "existing": "refuse"}}}
    case = waves | {"output": output}
    run(case, output=tmp_path / "whole")
    folder = broken(tmp_path / "broken", case, restart=0)
    run(folder / case_file, output=folder, resume=True)
    assert files(folder).items() >= files(tmp_path / "whole").items()
    assert (folder / "maps.1.nc").read_bytes() == (folder / "maps.nc").read_bytes()
    changed = never_refusing(make_case(case))
    assert changed.output.fields["maps"].existing == "move"


def test_what_resume_says_of_files_that_another_version_began(tmp_path):
    """Output that differs is a remark of its own: there is no other folder, or name, to choose."""
    output = {"fields": {"maps": {"interval": "1h", "existing": "refuse"}}}
    folder = broken(tmp_path / "broken", waves | {"output": output})
    otherwise = waves | {"output": output, "title": "made otherwise"}
    kept = (folder / "maps.nc").read_bytes()
    words = (
        r"cannot go on with the file .*maps.nc.*another version of Halocline.*Move it away, then"
    )
    with pytest.raises(UserError, match=words):
        run(otherwise, output=folder, resume=True)
    assert (folder / "maps.nc").read_bytes() == kept
    (folder / "maps.nc").rename(folder / "kept.nc")
    run(otherwise, output=folder, resume=True)
    assert (folder / end_file).exists() and (folder / "maps.nc").exists()


def test_a_new_run_moves_the_restarts_of_another_aside(tmp_path):
    """They would else be taken for restarts of the new run when that is resumed."""
    run(waves, output=tmp_path)
    shorter = waves | {"time": waves["time"] | {"length": "1h"}}
    run(shorter, output=tmp_path)
    names = sorted(path.name for path in tmp_path.glob("restart_*"))
    old = [f"restart_20000101T0{hour}0000.1.safetensors" for hour in (2, 4, 6)]
    assert names == ["restart_20000101T010000.safetensors", *old]


def test_a_refused_run_leaves_the_folder_as_it_was(tmp_path):
    output = {"fields": {"maps": {"interval": "1h", "existing": "refuse"}}}
    run(waves, output=tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.name != "halocline.log"}
    with pytest.raises(UserError, match="exists. Choose another folder"):
        run(waves | {"output": output}, output=tmp_path)
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.name != "halocline.log"}
    assert after == before


def test_a_refused_stream_leaves_the_files_of_the_others_as_they_were(tmp_path, monkeypatch):
    """All is checked before any file is touched: what exists, and the room for all together."""
    output = {"fields": {"first": {"interval": "1h"}, "maps": {"interval": "1h"}}}
    run(waves | {"output": output}, output=tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.name != "halocline.log"}
    output["fields"]["maps"]["existing"] = "refuse"
    with pytest.raises(UserError, match="maps.nc' exists. Choose another folder"):
        run(waves | {"output": output}, output=tmp_path)
    output["fields"]["maps"]["existing"] = "move"
    room = 7 * 396 + 100  # records of 8 bytes of time, 4 of checksum, and 12 x 8 values
    monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": room}))
    words = r"\('first' 2.77 kB, 'maps' 2.77 kB, 'restarts' .*\), but the disk has 2.87 kB left"
    with pytest.raises(UserError, match=words):
        run(waves | {"output": output}, output=tmp_path)
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.name != "halocline.log"}
    assert after == before


@pytest.mark.parametrize("flipped", [1, 2, 4, 8, 128])
def test_a_damaged_count_of_records_is_mended(tmp_path, flipped):
    run(waves, output=tmp_path / "whole")
    folder = broken(tmp_path / "broken", waves)
    _flip_count(folder / "maps.nc", flipped)
    run(folder / case_file, output=folder, resume=True)
    assert files(folder) == files(tmp_path / "whole")


def test_a_file_that_has_lost_records_is_not_gone_on_with(tmp_path):
    """A count that is too low, and the record that follows is damaged too: 3 of 5 are left."""
    run(waves, output=tmp_path / "whole")
    folder = broken(tmp_path / "broken", waves)
    path = folder / "maps.nc"
    _flip_count(path, 4)
    header = read_header(path)
    content = bytearray(path.read_bytes())
    content[header.record_at(3) + 20] ^= 1
    path.write_bytes(content)
    before = files(folder)
    words = r"maps.nc' is damaged: after 2000-01-01 02:00 it lacks 2 records up to 2000-01-01 04:00"
    with pytest.raises(UserError, match=words):
        run(folder / case_file, output=folder, resume=True)
    assert files(folder)["maps.nc"] == before["maps.nc"]
    path.rename(folder / "maps.old.nc")
    run(folder / case_file, output=folder, resume=True)
    with xarray.open_dataset(path) as data:
        assert data.sizes["time"] == 2


def _flip_count(path: Path, bit: int) -> None:
    """Damage the number of records in a file's header."""
    content = bytearray(path.read_bytes())
    content[11] ^= bit
    path.write_bytes(content)


def test_a_run_that_is_stopped_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    """Of a wall time of nothing the first step remains; the rest follows on other ranks."""
    monkeypatch.chdir(tmp_path)
    run(waves, output=tmp_path / "whole")
    (tmp_path / "case.toml").write_bytes((tmp_path / "whole" / case_file).read_bytes())
    words = ["run", "case.toml", "-n", "1", "--walltime", "0", "--output", "a folder"]
    assert main(words) == exit_codes.stopped
    assert "to go on: halocline resume 'a folder'" in capsys.readouterr().out
    assert main(["resume", "a folder", "-n", "2", "--quiet"]) == exit_codes.done
    assert files(tmp_path / "a folder").items() >= files(tmp_path / "whole").items()


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_the_last_restarts_are_kept(tmp_path, keep):
    run(waves | {"restart": {"interval": "1h", "keep": keep}}, output=tmp_path)
    hours = [int(path.stem[-6:-4]) for path in find_restarts(tmp_path)]
    assert hours == [6, 5, 4, 3, 2, 1][: keep or 6]
