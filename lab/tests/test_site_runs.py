"""What is predicted for two sites, beside runs at two sites: sleeping members over a slow path."""

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tomli_w

from halocline.component.case import registry
from halocline.experiment.members import read_members
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.scaling.split_costs import costs_of
from halocline_lab.scaling.split_runs import interval_seconds
from halocline_lab.scaling.split_search import Search
from halocline_lab.scaling.split_timeline import MemberTurns
from halocline_lab.sites.shaper import NetworkPath, Shaper
from halocline_lab.sites.site_split import crossings, site_divisions
from halocline_lab.sites.slow_start import WindowPath
from halocline_lab.sites.two_sides import make_credentials

coupled = Path(__file__).parent / "coupled"
delay = 0.15
intervals = 4


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """The sleeping component as an installed package would register it."""
    info = tmp_path / "packages" / "toy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.group}]\ntoy = toy:ToyCase\n")
    paths = [str(info.parent), str(coupled)]
    for path in paths:
        monkeypatch.syspath_prepend(path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    registry.registered.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    registry.registered.cache_clear()
    registry.load.cache_clear()


def case_of(folder, **more):
    """sky sleeps 3 x 0.1 s in an interval, sea 2 x 0.1 s; each gives the other its level."""
    from toy import pair

    slow = {"fixed": 0.1, "shared": 0.0, "growing": 0.0}
    table = pair(sky=slow, sea=slow)
    table["time"]["length"] = f"{intervals}h"
    for exchange in table["exchanges"].values():
        exchange |= more
    path = folder / "case.toml"
    path.write_text(tomli_w.dumps(table))
    return path


def run(case, folder, *words):
    """The seconds of an interval, and the record."""
    command = [sys.executable, "-m", "halocline", "run", str(case), "--quiet", "--output"]
    done = subprocess.run([*command, str(folder), *words], capture_output=True, text=True,
                          check=False, timeout=100)  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = read_record(folder)
    return interval_seconds(record), record


def at_two_sites(case, folder):
    """The seconds of an interval at two sites, over the path: the slower of both."""
    make_credentials(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Shaper(port, NetworkPath(delay=delay)) as shaper, ThreadPoolExecutor() as two:
        ends = {"air": f"listen=127.0.0.1:{port}", "ocean": f"connect=127.0.0.1:{shaper.port}"}
        seats = ["members.sky.site=air", "members.sea.site=ocean"]
        found = []
        for site, end in ends.items():
            settings = [*seats, f"link.{end}", f"link.credentials={folder / site}"]
            words = [word for one in settings for word in ("--set", one)]
            place = folder / f"at-{site}"
            found.append(two.submit(run, case, place, "-n", "1", "--site", site, *words))
        return max(one.result()[0] for one in found)


@pytest.mark.slow
def test_two_sites_take_what_is_predicted(toys):
    """Lagged, both ways add up behind the longer member: 0.3 s and twice 0.15 s; with a lag none.

    What is predicted comes from a run of the same case at one site.
    """
    case = case_of(toys)
    alone, record = run(case, toys / "one", "-n", "1")
    assert alone == pytest.approx(0.5, rel=0.15)  # in sequence
    for more, by_hand in ({}, 0.3 + 2 * delay), ({"lag": "1h"}, 0.3):
        case = case_of(toys, **more)
        members = read_members(str(case), [])
        names = list(members.members)
        costs = costs_of([record], names, perfect=True)
        search, path = Search(MemberTurns.of(members), costs, names), WindowPath(delay, 0.0, 16)
        best = site_divisions(search, crossings(members, path), path, 1, 1)[0]
        assert best.seconds == pytest.approx(by_hand, rel=0.15)
        place = toys / ("late" if more else "lagged")
        place.mkdir()
        assert at_two_sites(case, place) == pytest.approx(best.seconds, rel=0.15)
