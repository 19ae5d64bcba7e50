"""`halocline verify`: damage is found and named in every kind of file, whole files are good."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.component.streams.field_stream import FieldStream
from halocline.core.clock import Clock, date, duration
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.verifying import verify_file
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.classic_files import GrowingFile, read_header
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from halocline.waves.output import WaveMapOptions

records = 5


def make_stream(folder: Path, **options) -> FieldStream:
    mask = np.ones((6, 8), bool)
    grid = Grid(x=np.arange(8.0), y=np.arange(6.0), depth=np.ones((6, 8)), mask=mask)
    start = date("2011-01-15")
    clock = Clock(start, start + duration("100h"), duration("1h"))
    stream = FieldStream("maps", WaveMapOptions(**options), grid, clock, folder)
    stream.open(Writers(Alone(), WritingOptions(way="gathered")))
    return stream


def write(stream: FieldStream) -> None:
    random = np.random.default_rng(1)
    for hour in range(records):
        time = date("2011-01-15") + duration(f"{hour}h")
        stream.write(time, {"significant_height": random.random((6, 8))})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    stream = make_stream(tmp_path)
    write(stream)
    stream.close()
    return stream.path


def flip(path: Path, at: int, bit: int = 1) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= bit
    path.write_bytes(content)


def test_a_growing_file_is_good_at_every_record(tmp_path):
    stream = make_stream(tmp_path)
    assert verify_file(stream.path) == "0 records"
    write(stream)
    with stream.path.open("ab") as file:
        file.write(b"half a record that was never committed")
    assert verify_file(stream.path) == "5 records"


def test_damage_is_named(path, capsys):
    header = read_header(path)
    at = header.record_start + 2 * header.record_size + 30
    flip(path, at)
    end = header.record_start + 3 * header.record_size - 1
    assert main(["verify", str(path)]) == exit_codes.damaged
    words = capsys.readouterr().err
    begin = header.record_start + 2 * header.record_size
    assert f"'{path}' is damaged: record 2 (bytes {begin} to {end}) has the checksum" in words


def test_every_flipped_bit_of_a_random_choice_is_found(path):
    """Anywhere but in the count of records, which is the commit."""
    random = np.random.default_rng(2)
    header = read_header(path)
    size = header.record_start + records * header.record_size
    for at in random.integers(12, size, 60):
        bit = 1 << int(random.integers(0, 8))
        flip(path, int(at), bit)
        with pytest.raises(UserError):
            verify_file(path)
        flip(path, int(at), bit)
    assert verify_file(path) == "5 records"


def test_a_wrong_count_of_records_is_noticed(path, tmp_path):
    """Any flipped bit of the count of 5, and of 15, where more follow than a kill leaves."""
    for bit in range(63):
        at, mask = 11 - bit // 8, 1 << bit % 8
        flip(path, at, mask)
        if 5 & 1 << bit:
            more = 5 - (5 ^ 1 << bit)
            words = f"{5 - more} record{'s' * (more < 4)}; {more} more complete, but not counted: a"
            assert verify_file(path).startswith(words)
        else:
            with pytest.raises(DamagedFile, match=r"has \d+ bytes, its \d+ records need"):
                verify_file(path)
        flip(path, at, mask)
    stream = make_stream(tmp_path, existing="replace")
    for hour in range(15):
        time = date("2011-01-15") + duration(f"{hour}h")
        stream.write(time, {"significant_height": np.full((6, 8), hour)})
    flip(path, 11, 8)
    assert "7 records; 8 more complete" in verify_file(path)
    flip(path, 11, 4)
    with pytest.raises(DamagedFile, match="its header counts 3 records, but 12 more follow"):
        verify_file(path)


@pytest.mark.parametrize("left", [0, 7, 30])
def test_a_file_is_good_at_every_moment_of_a_cut(tmp_path, monkeypatch, left):
    stream = make_stream(tmp_path)
    for hour in range(30):
        time = date("2011-01-15") + duration(f"{hour}h")
        stream.write(time, {"significant_height": np.full((6, 8), hour)})
    file, seen = GrowingFile(stream.path), []

    def watched(action):
        def act(*arguments):
            result = action(*arguments)
            seen.append(verify_file(stream.path))
            return result

        return act

    for name in ("pwrite", "ftruncate"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    file.cut(left)
    monkeypatch.undo()
    assert seen[-1] == f"{left} records"
    assert stream.path.stat().st_size == file.header.record_start + left * file.header.record_size


def test_a_file_that_is_cut_off_is_damaged(path):
    header = read_header(path)
    end = header.record_start + records * header.record_size
    path.write_bytes(path.read_bytes()[: end - 1])
    with pytest.raises(DamagedFile, match=rf"has {end - 1} bytes, its 5 records need {end}"):
        verify_file(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DamagedFile):
        verify_file(path)


@pytest.mark.parametrize("format, name", [("netcdf4", "maps.nc"), ("zarr", "maps.zarr")])
@pytest.mark.parametrize("compression", [0, 3])
def test_finished_files_in_other_formats(tmp_path, format, name, compression):
    stream = make_stream(tmp_path, format=format, compression=compression, precision="float64")
    write(stream)
    stream.close()
    path = tmp_path / name
    assert verify_file(path) == "5 records"
    how = {"engine": "zarr", "consolidated": False} if format == "zarr" else {}
    with xarray.open_dataset(path, **how) as data:
        expected = data.significant_height.values[2]
        assert "record_checksum" not in data
    inside = path / "significant_height" / "c" / "2" / "0" / "0" if path.is_dir() else path
    content = inside.read_bytes()
    at = 100 if path.is_dir() else _find(content, expected.astype("<f8").tobytes(), compression)
    flip(inside, at)
    with pytest.raises(DamagedFile, match="is damaged"):
        verify_file(path)


def test_zarr_with_shards(tmp_path):
    write(stream := make_stream(tmp_path, format="zarr", shard=2, precision="float64"))
    stream.close()
    assert verify_file(stream.path) == "5 records"
    for at in (100, 500):
        inside = stream.path / "significant_height" / "c" / "1" / "0" / "0"
        flip(inside, at)
        with pytest.raises(DamagedFile, match="is damaged in record [23] of 'significant_height'"):
            verify_file(stream.path)
        flip(inside, at)
    assert verify_file(stream.path) == "5 records"


@pytest.mark.parametrize("shard", [1, 2])
def test_a_file_that_is_missing_from_a_zarr_folder_is_named(tmp_path, shard):
    stream = make_stream(tmp_path, format="zarr", shard=shard)
    write(stream)
    nothing = np.full((6, 8), np.nan)
    stream.write(date("2011-01-15") + duration("5h"), {"significant_height": nothing})
    stream.close()
    folder = stream.path
    assert verify_file(folder) == "6 records"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        content = path.read_bytes()
        path.unlink()
        with pytest.raises(DamagedFile, match=f"'{folder}' is damaged in .*"):
            verify_file(folder)
        path.write_bytes(content)
    chunk = folder / "significant_height" / "c" / "2" / "0" / "0"
    content = chunk.read_bytes()
    chunk.unlink()
    with pytest.raises(DamagedFile, match=r"in 'significant_height': the chunk 'c/2/0/0' is miss"):
        verify_file(folder)
    chunk.write_bytes(content)
    (folder / "significant_height" / "c" / "9").write_bytes(content)
    with pytest.raises(DamagedFile, match=r"in 'significant_height': there is 'c/9' beyond its 6"):
        verify_file(folder)


def _find(content: bytes, values: bytes, compression: int) -> int:
    """Somewhere in the values of a file, where they can be seen."""
    if compression:
        # The chunks of zlib begin with 78 and the level; the last is one of values.
        return content.rindex(b"\x78\x5e") + 20
    return content.index(values) + 20


def test_folders_and_strange_files(path, tmp_path, capsys):
    shutil.copy(path, tmp_path / "copy.nc")
    (tmp_path / "notes.txt").write_text("not ours")
    (tmp_path / "maps.nc.part").write_text("not complete")
    assert main(["verify", str(tmp_path)]) == exit_codes.done
    out = capsys.readouterr().out
    assert out == f"{tmp_path}/copy.nc: good, 5 records\n{path}: good, 5 records\n"
    xarray.Dataset({"a": 1}).to_netcdf(tmp_path / "other.nc", format="NETCDF3_64BIT")
    for name, words in (
        ("other.nc", "is no netCDF file of the kind CDF-5"),
        ("nothing", "There is no file or folder"),
    ):
        assert main(["verify", str(tmp_path / name)]) == exit_codes.user_error
        assert words in capsys.readouterr().err
