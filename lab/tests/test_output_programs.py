"""The programs of `halocline lab output` that write in every way, at tiny size."""

import json

import numpy as np
import pytest

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.runtime.files.disk import variable
from halocline.runtime.ranks.communicator import Alone
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.output_cost import output_frames_run, output_restart, output_restart_run
from halocline_lab.output_cost.output_writing import Watch, enlist, rehearsed
from halocline_lab.statistics.paired import in_turns

ways = ["first", "striped", "gathered", "blocked", "buffered", "shared", "parts", "servers"]
case = {
    "component": "waves",
    "grid": {"nx": 24, "ny": 18, "dx": 10.0, "dy": 5.0, "y0": -42.0, "depth": 3000.0},
    "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "1h", "step": "1h"},
}


def restart_settings(folder, **more) -> dict:
    return {
        "case": case, "folder": str(folder), "servers": 0, "rounds": 2, "rehearse": True,
        "ways": ways, **more,
    }  # fmt: skip


def frame_settings(folder, **more) -> dict:
    return {
        "kind": "ranks", "servers": 0, "placement": "packed", "assignment": "consecutive",
        "ways": ["first", "parts", "servers"], "levels": 2, "grids": [[6, 8], [5, 7]],
        "whole": False, "frames": 2, "folder": str(folder), **more,
    }  # fmt: skip


def check_restarts(found: dict, expected: list[str]) -> None:
    seconds = np.array(found["seconds"])
    assert found["ways"] == [output_restart.alone, *expected]
    assert seconds.shape == (2, len(found["ways"]), 3)
    lost, on_disk, memory = np.moveaxis(seconds, -1, 0)
    assert (lost > 0.0).all() and (on_disk >= lost).all() and (memory >= 0.0).all()
    assert found["damaged"] == dict.fromkeys(expected, 0)
    spectra, parameters = 6 * 8, output_restart_run.parameters
    values = (spectra + parameters) * make_case(case).build_grid().sea_points
    assert 4 * values < found["bytes"] < 4 * values + 10_000


def test_restarts_in_every_way_on_one_rank(tmp_path):
    found = output_restart_run.measure(Alone(), restart_settings(tmp_path))
    check_restarts(found, ways[:-1])
    assert list(tmp_path.glob("*.part")) == []


def test_restarts_by_ranks_and_a_server(tmp_path):
    settings = restart_settings(tmp_path, servers=1, ways=["buffered", "parts", "servers"])
    found = json.loads(answer_of(output_restart_run.__name__, settings, 3))
    check_restarts(found, settings["ways"])
    assert (found["ranks"], found["servers"]) == (2, 1)


def test_an_emulated_disk_damages_what_many_write(tmp_path):
    """W-27: the checksums tell."""
    settings = restart_settings(tmp_path, ways=["gathered", "parts"], rehearse=False)
    environment = {variable: "incoherent:seed=1"}
    found = json.loads(answer_of(output_restart_run.__name__, settings, 2, environment=environment))
    assert found["damaged"]["gathered"] == 0
    assert found["damaged"]["parts"] > 0


def test_frames_in_three_ways(tmp_path):
    settings = frame_settings(tmp_path, servers=1)
    found = json.loads(answer_of(output_frames_run.__name__, settings, 3))
    seconds = np.array(found["seconds"])
    assert found["ways"] == settings["ways"] and seconds.shape == (2, 3, 4)
    assert (seconds[:, :, 1] >= seconds[:, :, 0]).all() and (seconds[:, :, 0] > 0.0).all()
    assert (seconds[:, :, 3] > 0.0).all() and (seconds[:, :, 3] <= seconds[:, :, 0]).all()
    cells = 6 * 8 + 5 * 7
    assert found["bytes"] == 4 * cells * (30 * 2 + 130)
    assert list(tmp_path.iterdir()) == [], "frames are not kept"


def test_what_cannot_be_done_here_is_left_out():
    def broken():
        raise UserError("no library")

    able, unable = rehearsed({"good": lambda: (1.0,), "bad": broken})
    assert list(able) == ["good"] and unable == {"bad": "no library"}
    assert enlist(Alone(), 0).offered(["first", "servers"]) == ["first"]


def test_memory_is_that_of_the_first_use():
    watch, kept = Watch(Alone()), []
    megabytes = 40
    first = watch.times(lambda: kept.append(np.ones(megabytes << 17)), lambda: None)
    assert first[2] == pytest.approx(megabytes << 20, rel=0.2)
    again = watch.times(lambda: None, lambda: None)
    assert again[2] == first[2]


def test_turns_without_a_rehearsal():
    done = []
    in_turns(Alone(), [lambda: done.append(1) or (0.0,)], 3, rehearse=False)
    assert len(done) == 3
