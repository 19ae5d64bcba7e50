"""A disk that fills up at any byte: one message, what was complete is good, and the run goes on.

Ranks: 1, and 3, or 2 with 2 servers, by the command.
"""

import errno
import os
import random
import resource
import shutil
import subprocess
import sys

import pytest
import tomli_w

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.check import report
from halocline.experiment.resuming import case_file, ended
from halocline.experiment.run import run
from halocline.experiment.run_log import RunLog
from halocline.experiment.verifying import verify_file
from halocline.runtime.files import compressed_files
from halocline.runtime.files.classic_files import read_header
from halocline.runtime.files.disk import using, variable
from halocline.runtime.files.emulated_disks import FullDisk
from halocline.runtime.ranks.launch import mpi_environment
from halocline.runtime.writing.restart import find_restarts

maps = {"variables": ["significant_height"], "interval": "1h"}
case = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 8, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h"},
    "output": {
        "fields": {
            "maps": maps,
            "means": {**maps, "interval": "3h", "processing": "mean"},
            "chunks": {**maps, "format": "zarr"},
            "packed": {**maps, "format": "netcdf4", "compression": 1},
        },
        "points": {"buoys": {"points": {"a": [50.0, 0.0]}, "interval": "2h"}},
    },
}


def results(folder):
    """All files under final names, and what they hold."""
    found = {}
    for path in [*folder.glob("*.nc"), *folder.glob("*.zarr"), *find_restarts(folder)]:
        words = verify_file(path)
        if path.name == "packed.nc":
            found[path.name] = words
        elif path.is_dir():
            inner = {str(p.relative_to(path)): p for p in path.rglob("*") if p.is_file()}
            found[path.name] = {name: p.read_bytes() for name, p in inner.items()}
        else:
            found[path.name] = path.read_bytes()
    return found


def go_on(folder):
    begun = folder / case_file
    if begun.exists():
        run(begun, settings=["output.servers.count=0"], output=folder, resume=True)
    else:
        run(case, output=folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run with room enough, and the bytes that it took."""
    folder, room = tmp_path_factory.mktemp("full") / "whole", 1 << 40
    with using(FullDisk(room)) as disk:
        run(case, output=folder)
    return folder, room - disk.room


def test_a_disk_that_is_full_at_any_byte(tmp_path, whole, capfd):
    """12 amounts of room; where only the log has none, the run comes to its end and says so."""
    folder, needed = whole
    luck, stopped = random.Random(4), []
    for number in range(12):
        broken = tmp_path / str(number)
        with using(FullDisk(luck.randrange(needed))):
            try:
                run(case, output=broken)
            except UserError as error:
                stopped.append(str(error))
                assert "Cannot write '" in str(error)
                assert ": No space left on device." in str(error)
                assert not ended(broken)
            else:
                assert "halocline.log' any more: No space left" in capfd.readouterr().err
        results(broken)
        assert not [*broken.glob("*.part"), *broken.glob("*.new"), *broken.glob("*.old")]
        if not ended(broken):
            go_on(broken)
        assert results(broken).items() >= results(folder).items()
    assert len({message.split("'")[1].split("/")[-1] for message in stopped}) > 4, "many places"


@pytest.mark.parametrize("servers, share", [(0, 0.6), (2, 0.3)])
def test_all_ranks_end_with_one_message(tmp_path, whole, servers, share):
    """The full disk is that of some rank: of one that writes."""
    broken, (folder, needed) = tmp_path / "broken", whole
    path = tmp_path / "case.toml"
    path.write_bytes((folder / case_file).read_bytes())
    command = [
        sys.executable, "-m", "halocline", "run", str(path), "-n", "2" if servers else "3",
        "--quiet", "--output", str(broken), "--set", f"output.servers.count={servers}",
    ]  # fmt: skip
    environment = mpi_environment({**os.environ, variable: f"full:{int(share * needed)}"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == exit_codes.user_error, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if "halocline.log" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("halocline: Cannot write '")
    assert "No space left on device" in lines[0]
    results(broken)
    go_on(broken)
    assert results(broken).items() >= results(folder).items()


def test_a_disk_that_is_full_at_the_last_restart_of_servers(tmp_path):
    """The model learns of it when servers have ended their work: one message, no traceback."""
    path = tmp_path / "case.toml"
    spectrum = {"frequencies": 5, "factor": 1.3, "directions": 32}  # 61 kB in a restart
    alone = {**case, "spectrum": spectrum, "output": {"servers": {"count": 1}}}
    path.write_text(tomli_w.dumps({**alone, "restart": {"way": "servers"}}))
    command = [sys.executable, "-m", "halocline", "run", str(path), "-n", "2", "--quiet"]
    command += ["--output", str(tmp_path / "broken")]
    environment = mpi_environment({**os.environ, variable: "full:40000"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == exit_codes.user_error, done.stdout + done.stderr
    words = [line for line in done.stderr.splitlines() if "halocline.log" not in line]
    assert len(words) == 1, done.stderr
    assert words[0].startswith("halocline: Cannot write '")
    assert "restart_" in words[0] and "No space left on device" in words[0]
    assert not find_restarts(tmp_path / "broken")


def test_a_folder_that_goes_during_the_run(tmp_path):
    """One message, and nothing is made again in its place."""
    folder = tmp_path / "results"

    def wind(time, x, y):
        if time > 2 * 3600.0 and folder.exists():
            folder.rename(tmp_path / "elsewhere")
        return 0 * x, 0 * y

    changed = {**case, "forcing": {"wind": {"function": "given"}}}
    with pytest.raises(UserError, match="results' was removed or renamed while the run wrote"):
        run(changed, output=folder, wind_function=wind)
    assert not folder.exists()
    there = tmp_path / "elsewhere"
    run(there / case_file, output=there, resume=True, wind_function=wind)
    assert ended(there)


@pytest.mark.parametrize("keep, count", [(0, 3), (1, 2), (5, 3)])
def test_restarts_count_in_what_the_disk_must_hold(tmp_path, monkeypatch, keep, count):
    """All that stay, and the one that is written beside them; refused before anything is there."""
    given = {**case, "restart": {"interval": "2h", "keep": keep}, "output": {}}
    run(given, output=tmp_path / "whole")
    size = find_restarts(tmp_path / "whole")[0].stat().st_size

    def room(free):
        monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))

    room(count * size - 1)
    words = f"{count} restarts need .*, but the disk has .* left"
    with pytest.raises(UserError, match=words):
        run(given, output=tmp_path / "none")
    assert not find_restarts(tmp_path / "none")
    with pytest.raises(UserError, match=words):
        report(make_case(given), folder=tmp_path / "none")
    room(count * size)
    run(given, output=tmp_path / "enough")


def test_what_is_there_does_not_count_when_a_run_goes_on(tmp_path, monkeypatch):
    """Records and restarts before the one that a run goes on from need no room again."""
    output = {"fields": {"maps": maps}}
    wind = {"wind": {"function": "given"}}
    given = {**case, "forcing": wind, "restart": {"interval": "2h", "keep": 1}, "output": output}

    def calm(time, x, y):
        return 0 * x, 0 * y

    def stops(time, x, y):
        if time > 4 * 3600.0:
            raise UserError("gust")
        return calm(time, x, y)

    with pytest.raises(UserError, match="gust"):
        run(given, output=tmp_path, wind_function=stops)
    (newest,) = find_restarts(tmp_path)
    record = read_header(tmp_path / "maps.nc").record_size
    free = newest.stat().st_size + 3 * record  # at 4, 5 and 6 h, and the next restart
    for missing in (1, 0):
        usage = type("Usage", (), {"free": free - missing})
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        if missing:
            with pytest.raises(UserError, match="'maps' 1.19 kB.*but the disk has"):
                run(tmp_path / case_file, output=tmp_path, resume=True, wind_function=calm)
        else:
            run(tmp_path / case_file, output=tmp_path, resume=True, wind_function=calm)
    assert ended(tmp_path)


def test_a_limit_of_the_system_for_files_is_noticed_before_the_run(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(UserError, match=r"1 kB at most here \(ulimit -f\). Raise the limit"):
            run(case, output=tmp_path / "none")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_no_room_to_compress_keeps_the_records(tmp_path, whole, monkeypatch):
    """What the netCDF library writes by itself meets a limit of the system."""
    to_netcdf4, limits = compressed_files.to_netcdf4, resource.getrlimit(resource.RLIMIT_FSIZE)

    def limited(path, compression):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        try:
            to_netcdf4(path, compression)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    monkeypatch.setattr("halocline.runtime.writing.record_files.to_netcdf4", limited)
    words = "Cannot write .*packed.nc': .* The file is complete, but not compressed. Free some"
    with pytest.raises(UserError, match=words):
        run(case, output=tmp_path)
    monkeypatch.undo()
    assert not list(tmp_path.glob("*.part"))
    assert verify_file(tmp_path / "packed.nc") == "7 records"
    go_on(tmp_path)
    assert results(tmp_path).items() >= results(whole[0]).items()


@pytest.mark.parametrize("free, words", [(1000, os.strerror(errno.ENOSPC)), (1 << 30, "HDF error")])
def test_a_full_disk_is_named_where_the_library_does_not(tmp_path, monkeypatch, free, words):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(compressed_files.shutil, "disk_usage", lambda _: usage)
    assert words in compressed_files._reason(tmp_path / "x.nc.part", RuntimeError("HDF error"))


def test_a_log_without_room_says_so_once(tmp_path, capfd):
    with using(FullDisk(20)):
        log = RunLog(tmp_path / "halocline.log")
        for _ in range(3):
            log.section("title", "words")
    assert (tmp_path / "halocline.log").read_text() == "== title ==\nwords\n\n="
    words = f"Cannot write the log '{log.path}' any more: No space left on device. The run goes on."
    assert capfd.readouterr().err == f"halocline: {words}\n"
