"""Members of one run give the bits that they have alone: side by side, in sequence, over restarts.

Ranks: 1 here; 2, 3 and 4 by the command. Waves with a step of 1 h, tracers with 20 min.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

from halocline.component.streams.own_stream import OwnStream
from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.members import make_members
from halocline.experiment.resuming import end_file
from halocline.experiment.run import run
from halocline.runtime.writing.restart import find_restarts, restarts_of_all

waves: dict[str, Any] = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 8, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "output": {
        "fields": {"maps": {"interval": "1h"}, "means": {"interval": "3h", "processing": "mean"}}
    },
}
tracers: dict[str, Any] = {
    "component": "transport",
    "precision": "float64",
    "grid": {"nx": 16, "ny": 12, "x0": -7.5, "y0": -5.5, "depth": 300.0, "closed_edges": False},
    "time": {"length": "8h", "step": "20min"},
    "transport": {"tracers": ["bell", "constant"], "start_offset": 2.0},
    "output": {"fields": {"maps": {"interval": "1h"}}},
}
alone = {"waves": waves, "tracers": tracers}


def together(**more: Any) -> dict[str, Any]:
    members = {"waves": {**waves}, "tracers": {**tracers}}
    return {"members": members, "restart": {"interval": "2h"}, **more}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All files of the members alone, by the names that they have in a run of both."""
    found = {}
    for name, case in alone.items():
        folder = tmp_path_factory.mktemp(name)
        run(case | {"restart": {"interval": "2h"}}, output=folder)
        found |= {f"{name}.{path.name}": path.read_bytes() for path in folder.glob("*.nc")}
        for path in find_restarts(folder):
            found[f"{path.stem}.{name}{path.suffix}"] = path.read_bytes()
    return found


def files(folder: Path) -> dict[str, bytes]:
    paths = [*folder.glob("*.nc"), *restarts_of_all(folder)]
    return {path.name: path.read_bytes() for path in paths}


def broken(folder: Path) -> Path:
    """A folder as a run leaves it that breaks after 5 h, the last restart of one being damaged."""
    run(together(), output=folder)
    (folder / end_file).unlink()
    for path in restarts_of_all(folder):
        if int(path.name[17:19]) > 4:
            path.unlink()
    newest = folder / "restart_20000101T040000.tracers.safetensors"
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 16
    newest.write_bytes(content)
    return folder


def test_in_sequence_on_one_rank(tmp_path: Path, expected: dict[str, bytes]):
    result = run(together(), output=tmp_path)
    assert files(tmp_path) == expected
    assert result.components.keys() == {"waves", "tracers"} and not result.stopped_by
    assert "waves: 6 steps to 2000-01-01 06:00" in result.summary
    assert "tracers: 24 steps to 2000-01-01 08:00" in result.summary
    log = (tmp_path / "halocline.log").read_text()
    assert "every 1h\n  1. waves 1 x 1h\n  2. tracers 3 x 20min" in log
    assert all(f"== {name}: time by phase ==" in log for name in alone)
    assert main(["verify", str(tmp_path)]) == exit_codes.done


@pytest.mark.parametrize(
    ("ranks", "more"),
    [
        (2, {}),
        (3, {"tracers": {"ranks": 1}}),
        (4, {"waves": {"share": 0.5}}),
        (2, {"tracers": {"on_ranks_of": "waves"}}),
    ],
    ids=["two", "three", "four", "both-on-both"],
)
def test_on_ranks(tmp_path: Path, expected: dict[str, bytes], ranks: int, more: dict[str, Any]):
    case = together()
    for name, options in more.items():
        case["members"][name] |= options
    path = tmp_path / "case.toml"
    path.write_text(tomli_w.dumps(case))
    words = ["run", str(path), "-n", str(ranks), "--output", str(tmp_path / "a"), "--quiet"]
    assert main([*words, "--oversubscribe"]) == exit_codes.done
    assert files(tmp_path / "a") == expected
    assert (tmp_path / "a" / end_file).exists()
    assert not [part for part in (tmp_path / "a").iterdir() if part.name.endswith(".part")]


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_broken_run_goes_on_from_the_newest_moment_that_is_good_for_all(
    tmp_path: Path, expected: dict[str, bytes], ranks: int, capfd: Any
):
    """That of hour 4 is damaged for the tracers: both begin at hour 2, on other ranks too."""
    folder = broken(tmp_path / "broken")
    assert main(["resume", str(folder), "-n", str(ranks), "--quiet"]) == exit_codes.done
    told = capfd.readouterr().err
    assert "restart_20000101T040000.tracers" in told and "damaged" in told
    assert "Going on from" in told and "(2000-01-01 02:00)" in told
    assert {name: content for name, content in files(folder).items() if ".1." not in name} == (
        expected
    )


def test_a_restart_without_its_partner_does_not_count(tmp_path: Path, expected: dict[str, bytes]):
    folder = tmp_path / "a"
    run(together(), output=folder)
    (folder / end_file).unlink()
    for path in restarts_of_all(folder):
        if path.name > "restart_20000101T06" or path.name == "restart_20000101T040000.waves":
            path.unlink()
    (folder / "restart_20000101T040000.waves.safetensors").unlink()
    run(folder / "halocline.toml", output=folder, resume=True)
    assert "Going on from" in (log := (folder / "halocline.log").read_text())
    assert "(2000-01-01 02:00)" in log
    assert files(folder).items() >= expected.items()


def test_a_run_begins_from_the_restarts_of_another(tmp_path: Path, expected: dict[str, bytes]):
    first = together(time={"length": "4h"})
    for name in alone:
        first["members"][name] = {**alone[name], "time": {"step": alone[name]["time"]["step"]}}
    run(first, output=tmp_path / "first")
    run(together(restart={"source": str(tmp_path / "first")}), output=tmp_path / "second")
    for name in alone:
        (last,) = find_restarts(tmp_path / "second", name)
        assert last.read_bytes() == expected[last.name]


def test_restarts_that_are_too_many_go_together(tmp_path: Path):
    run(together(restart={"interval": "1h", "keep": 2}), output=tmp_path)
    names = [path.name for path in restarts_of_all(tmp_path)]
    hours = [f"restart_20000101T0{hour}0000" for hour in (5, 6, 7, 8)]
    assert names == [f"{hours[0]}.waves.safetensors", f"{hours[1]}.waves.safetensors"] + [
        f"{hour}.tracers.safetensors" for hour in hours[2:]
    ]
    assert main(["verify", str(tmp_path)]) == exit_codes.done


def test_a_run_that_is_stopped_leaves_restarts_of_one_moment(
    tmp_path: Path, expected: dict[str, bytes]
):
    result = run(together(), output=tmp_path, walltime=1e-3)
    assert result.stopped_by == "the wall time"
    assert [path.name[17:19] for path in restarts_of_all(tmp_path)] == ["01", "01"]
    assert not (tmp_path / end_file).exists()
    run(tmp_path / "halocline.toml", output=tmp_path, resume=True)
    assert files(tmp_path).items() >= expected.items()


def test_another_schedule_goes_on_from_moments_that_it_has(
    tmp_path: Path, expected: dict[str, bytes]
):
    """Stopped after the first hour; an interval of 2 h never comes there, one of 1 h does."""
    assert run(together(), output=tmp_path, walltime=1e-3).stopped_by
    before = files(tmp_path)
    with pytest.raises(UserError, match="is of 2000-01-01 01:00, and the schedule.*every 2h only"):
        run(together(schedule={"interval": "2h"}), output=tmp_path, resume=True)
    assert files(tmp_path) == before
    turned = {"order": ["tracers", "waves"], "interval": "1h"}
    run(together(schedule=turned), output=tmp_path, resume=True)
    assert files(tmp_path).items() >= expected.items()


def extent() -> OwnStream:
    def summed(fields: Any, grid: Any) -> dict[str, float]:
        return {name: float(np.nansum(values)) for name, values in fields.items()}

    names = ["significant_height"]
    return OwnStream("sums", summed, reads=names, writes=dict.fromkeys(names, "m"), interval="2h")


def test_members_of_one_component_have_streams_of_their_own(tmp_path: Path):
    """Two seas of waves, deep and shallow, with maps, stations and sums of the same names."""
    output = {
        "fields": {"maps": {"interval": "1h"}},
        "points": {"points": {"interval": "2h", "points": {"one": [30.0, 0.0]}}},
    }
    deep = waves | {"output": output}
    shallow = deep | {"grid": waves["grid"] | {"depth": 20.0}, "precision": "float64"}
    for name, case in (("deep", deep), ("shallow", shallow)):
        run(case, output=tmp_path / name, streams=[extent()])
    streams = {"deep": [extent()], "shallow": [extent()]}
    both = {"members": {"deep": deep, "shallow": shallow}}
    for folder in ("once", "both"):  # the streams given are not changed by a run
        run(both, output=tmp_path / folder, streams=streams)
    for name in ("deep", "shallow"):
        for stream in ("maps", "points", "sums"):
            alone = (tmp_path / name / f"{stream}.nc").read_bytes()
            assert (tmp_path / "both" / f"{name}.{stream}.nc").read_bytes() == alone


@pytest.mark.parametrize(
    ("streams", "words"),
    [
        ([extent()], "streams={'waves': "),
        ({"wave": [extent()]}, "streams for 'wave', which is no member.*Did you mean 'waves'"),
    ],
)
def test_streams_of_nobody_are_refused(streams: Any, words: str):
    with pytest.raises(UserError, match=words):
        run(together(), streams=streams)


def changed(name: str, **more: Any) -> dict[str, Any]:
    case = together()
    case["members"][name] = {**case["members"][name], **more}
    return case


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (together(schedule={"order": ["waves"]}), "never advances the member 'tracers'"),
        (together(schedule={"interval": "30min"}), "no whole number of steps of|never advances"),
        (together(restart={"interval": "90min"}), "is no whole number of intervals of the sched"),
        (changed("waves", shares=1.0), "Member 'waves': Unknown option 'shares'"),
        (changed("waves", share=0.5, ranks=1), "Give one of ranks, share and on_ranks_of"),
        (changed("waves", time={"length": "0h"}), "never advances the member 'waves'"),
        (
            changed("waves", time={"start": "2001-01-01", "length": "6h"}),
            "begins at 2000-01-01 00:00 .standard., 'waves' at 2001-01-01",
        ),
        (changed("tracers", restart={"keep": 3}), "different options in .restart."),
        (changed("tracers", case="two-members"), "has members itself"),
        ({"members": {"a b": waves}}, "the name of a member begins the names of its files"),
        ({"members": {}}, "names no member"),
        ({"members": {"a": waves, "A": waves}}, "Two members have one name: 'a' and 'A'"),
        ({"members": {"a": waves}, "steps": 1}, "Unknown option 'steps'"),
    ],
)
def test_refused(case: dict[str, Any], words: str):
    with pytest.raises(UserError, match=words):
        make_members(case)


def test_ranks_that_are_not_there_are_refused_before_any_start(tmp_path: Path, capsys: Any):
    case = changed("waves", ranks=3)
    (tmp_path / "case.toml").write_text(tomli_w.dumps(case))
    words = ["run", str(tmp_path), "-n", "3", "--output", str(tmp_path / "a")]
    assert main(words) == exit_codes.user_error
    assert "tracers needs one each, of 3 ranks. Start 4 at least" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def command(folder: Path, case: dict[str, Any], ranks: int) -> list[str]:
    (folder / "case.toml").write_text(tomli_w.dumps(case))
    words = ["run", str(folder), "-n", str(ranks), "--output", str(folder / "a"), "--quiet"]
    return [sys.executable, "-P", "-m", "halocline", *words, "--oversubscribe"]


def test_the_mistake_of_one_member_ends_all(tmp_path: Path):
    """The tracers ask for an output that nobody knows; the waves would go on for a year."""
    case = together()
    case["members"]["waves"] |= {"time": {"length": "365d", "step": "1h"}}
    maps = {"interval": "1h", "variables": ["salt"]}
    case["members"]["tracers"] |= {"output": {"fields": {"maps": maps}}}
    done = subprocess.run(command(tmp_path, case, 3), capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("halocline: Member 'tracers': ")
    assert done.stderr.count("salt") == 1 and "Traceback" not in done.stderr


def test_a_signal_stops_all_members_at_one_moment(tmp_path: Path):
    case = together(restart={})
    for name in case["members"]:
        step = case["members"][name]["time"]["step"]
        case["members"][name] |= {"time": {"length": "3650d", "step": step}}
        case["members"][name] |= {"output": {}}
    process = subprocess.Popen(
        command(tmp_path, case, 2), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        log = tmp_path / "a" / "halocline.log"
        began = time.monotonic()
        while not (log.exists() and "tracers: options" in log.read_text()):
            assert process.poll() is None and time.monotonic() - began < 60
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 3, err
    names = [path.name for path in restarts_of_all(tmp_path / "a")]
    assert len(names) == 2 and len({name[:23] for name in names}) == 1, names
    assert not (tmp_path / "a" / end_file).exists()


def test_a_member_has_servers_of_its_own(tmp_path: Path, expected: dict[str, bytes]):
    """Two ranks compute, two write: the files are the same."""
    case = together()
    for name in case["members"]:
        output = case["members"][name]["output"] | {"servers": {"count": 1}}
        case["members"][name] |= {"output": output | {"writing": {"way": "servers"}}}
    words = command(tmp_path, case, 2)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "a") == expected
    log = (tmp_path / "a" / "halocline.log").read_text()
    assert "waves: 1 rank of the model and 1 output server" in log
