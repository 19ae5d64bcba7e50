"""`halocline verify FOLDER`: all that a run has written, in folders too, and what is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.component.case.reading import make_case
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.files_written import list_file, read_list
from halocline.experiment.run import run


def case(**more: Any) -> dict[str, Any]:
    """Three hours with maps in folders: split, compressed, Zarr, and of a strange name."""
    streams: dict[str, Any] = {
        "hourly": {"file": "maps/{stream}.nc", "split": "1h"},
        "all": {"format": "zarr", "file": "deep/down/all.zarr"},
        "packed": {"format": "netcdf4", "file": "packed.nc"},
        "strange": {"file": "deep/strange.dat"},
    }
    return {
        "grid": {"kind": "cartesian", "nx": 6, "ny": 6, "dx": 1e4, "dy": 1e4},
        "spectrum": {"frequencies": 3, "directions": 4},
        "time": {"length": "3h"},
        "restart": {"interval": "1h", "keep": 2},
        "output": {"fields": streams},
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(make_case(case()), output=tmp_path / "results")
    return tmp_path / "results"


def verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["verify", str(folder)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_files_in_folders_are_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = verified(folder, capsys)
    assert (code, err) == (exit_codes.done, "")
    good = {line.partition(":")[0].removeprefix(f"{folder}/") for line in out.splitlines()}
    maps = {f"maps/hourly_20000101T0{hour}0000.nc" for hour in range(4)}
    restarts = {f"restart_20000101T0{hour}0000.safetensors" for hour in (2, 3)}
    assert good == maps | restarts | {"deep/down/all.zarr", "packed.nc", "deep/strange.dat"}
    path = folder / "maps" / "hourly_20000101T010000.nc"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    code, _, err = verified(folder, capsys)
    assert code == exit_codes.damaged and f"'{path}' is damaged" in err
    assert verified(folder.parent, capsys)[0] == exit_codes.damaged


def test_every_output_that_is_gone_is_missed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {some.path for some in read_list(folder)}
    assert len(names) == 10
    for name in sorted(names):
        path = folder / name
        if not path.exists():
            assert name == "restart_20000101T010000.safetensors"  # two are kept
            continue
        aside = path.rename(path.with_name("aside"))
        code, _, err = verified(folder, capsys)
        assert (code, f"The file '{path}' is missing" in err) == (exit_codes.damaged, True)
        aside.rename(path)
    assert verified(folder, capsys)[0] == exit_codes.done


def test_all_outputs_gone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in {some.path for some in read_list(folder)}:
        path = folder / name
        if path.is_dir():
            path.rename(folder.parent / "elsewhere")
        else:
            path.unlink(missing_ok=True)
    code, _, err = verified(folder, capsys)
    assert code == exit_codes.damaged and len(err.splitlines()) == 9


def test_a_run_that_was_stopped_and_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "results"
    run(make_case(case()), output=folder, walltime=0.0)
    assert verified(folder, capsys)[0] == exit_codes.done
    assert not (folder / "halocline.end").exists()
    run(folder / "halocline.toml", output=folder, resume=True)
    assert verified(folder, capsys)[0] == exit_codes.done
    maps = {some.path for some in read_list(folder) if some.stream == "hourly"}
    assert maps == {f"maps/hourly_20000101T0{hour}0000.nc" for hour in range(4)}
    (folder / "maps" / "hourly_20000101T000000.nc").unlink()
    assert verified(folder, capsys)[0] == exit_codes.damaged


def test_a_new_run_has_a_list_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(make_case(case(output={}, time={"length": "1h"})), output=folder)
    assert [some.path for some in read_list(folder)] == ["restart_20000101T010000.safetensors"]
    (folder / "packed.nc").unlink()
    assert verified(folder, capsys)[0] == exit_codes.done


def test_a_list_that_was_broken_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A kill may leave part of a line; what was begun last may never have been there."""
    folder = tmp_path / "results"
    run(make_case(case(restart={"interval": "1h"})), output=folder)
    path = folder / list_file()
    whole = path.read_bytes()
    (folder / "halocline.end").unlink()
    (folder / "maps" / "hourly_20000101T030000.nc").unlink()
    for cut in range(1, 40):
        path.write_bytes(whole[:-cut])
        assert verified(folder, capsys)[0] == exit_codes.done
    (folder / "maps" / "hourly_20000101T010000.nc").unlink()
    assert verified(folder, capsys)[0] == exit_codes.damaged


def test_strange_files_are_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "deep" / "a.nc").write_text("no netCDF")
    code, out, err = verified(folder, capsys)
    assert code == exit_codes.user_error
    assert "a.nc' is no netCDF file" in err and "passed over" in err
    assert len(out.splitlines()) == 9


def test_every_byte_of_metadata_counts_in_zarr(folder: Path) -> None:
    from halocline.experiment.verifying import verify_file
    from halocline.runtime.files.checksums import DamagedFile

    zarr = folder / "deep" / "down" / "all.zarr"
    assert verify_file(zarr) == "4 records"
    for name in ("zarr.json", "significant_height/zarr.json", "time/zarr.json"):
        path = zarr / name
        whole = path.read_bytes()
        for at in range(0, len(whole), 37):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with pytest.raises(DamagedFile, match="is damaged"):
                verify_file(zarr)
        path.write_bytes(whole.replace(b'"units": "m"', b'"units": "k"'))
        path.write_bytes(whole)
    assert verify_file(zarr) == "4 records"
    path = zarr / "significant_height" / "zarr.json"
    path.write_bytes(path.read_bytes().replace(b'"m"', b'"s"'))
    with pytest.raises(DamagedFile, match="is damaged in its metadata"):
        verify_file(zarr)
