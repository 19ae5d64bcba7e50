"""How many output servers a run has: by the case, by its output and disk, by who starts it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from halocline.component.case.case import Case
from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment import launching, server_advice
from halocline.experiment.command_line import main
from halocline.experiment.expectations import restart_bytes, work
from halocline.experiment.server_advice import (
    advised_servers,
    decided_servers,
    disk_bandwidth,
    planned_servers,
    telling,
    trial_bytes,
)
from halocline.runtime.files.disk import using
from halocline.runtime.files.emulated_disks import FullDisk, SlowDisk
from halocline.runtime.ranks.communicator import Alone

small: dict[str, Any] = {
    "grid": {"kind": "cartesian", "nx": 12, "ny": 10, "dx": 1e4, "dy": 1e4},
    "spectrum": {"frequencies": 5, "directions": 8},
    "time": {"length": "2h"},
}


def case(**output: Any) -> Case:
    return make_case({**small, "output": output})


@pytest.mark.parametrize(
    ("volume", "seconds", "bandwidth", "budget", "ranks", "count", "words"),
    [
        (
            1e9,
            1000.0,
            1e8,
            0.02,
            4,
            0,
            "take 10 s, 1 % of the .*within the budget of 2 %",
        ),
        (1e9, 1000.0, 1e8, 0.005, 4, 1, "take 10 s, 1 %.*beyond the budget of 0.5 %"),
        (1e9, 100.0, 1e8, 0.02, 4, 1, "1,000 MB at 100 MB/s take 10 s, 10 %"),
        (1e9, 10.0, 1e8, 0.02, 64, 2, "beyond the budget of 2 %$"),
        (1e9, 9.0, 1e8, 0.02, 64, 3, "beyond the budget of 2 %$"),
        (1e9, 1.0, 1e8, 0.02, 64, 16, "more would not be worth it beside 64 ranks"),
        (1e9, 1.0, 1e8, 0.02, 1, 1, "more would not be worth it beside 1 rank$"),
        (1e9, 1.0, 1e8, 1.0, 8, 2, "beyond the budget of 100 %"),
    ],
)
def test_advice_follows_from_numbers(
    volume, seconds, bandwidth, budget, ranks, count, words
) -> None:
    found = advised_servers(volume, seconds, bandwidth, budget, ranks)
    assert found.count == count
    assert found == advised_servers(volume, seconds, bandwidth, budget, ranks)
    assert re.search(words, found.reason), found.reason


def plan(asked: Case, ranks: int = 8, folder: Path | None = Path("results")):
    return planned_servers(asked, asked.build_grid(), ranks, folder)


def test_a_case_that_says_a_number_gets_it() -> None:
    assert plan(case(servers={"count": 3})).count == 3
    assert plan(case(servers={"count": 0})).count == 0
    assert plan(case(servers={"placement": [3, 5]})).count == 2
    assert plan(case(servers={"count": 3}), folder=None).line == (
        "no output server: nothing is written"
    )


def test_who_asks_for_servers_gets_as_many_as_there_are_groups() -> None:
    assert plan(case(writing={"way": "servers"})).count == 1
    assert plan(case(writing={"way": "servers"}, servers={"groups": 2})).count == 2
    assert "way = 'servers'" in plan(case(writing={"way": "servers"})).reason


def test_a_small_output_is_not_worth_a_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_advice, "disk_bandwidth", lambda folder: pytest.fail("measured"))
    found = plan(case())
    assert found.count == 0 and "small" in found.reason


def test_the_disk_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = case()
    monkeypatch.setattr(server_advice, "trial_bytes", 1)
    monkeypatch.setattr(server_advice, "cores", lambda: 2)
    volume = sum(asked.stream_bytes(asked.build_grid(), asked.time.clock()).values())
    volume += restart_bytes(asked, asked.build_grid(), asked.time.clock())
    seconds = max(work(asked, asked.build_grid(), asked.time.clock()) / 2, 1e-3)
    monkeypatch.setattr(server_advice, "assembly_speed", 1e15)
    for share, count in ((0.01, 0), (0.4, 1), (0.9, 2)):
        speed = volume / (share * seconds)
        monkeypatch.setattr(server_advice, "disk_bandwidth", lambda folder, s=speed: s)
        assert plan(asked).count == count
    monkeypatch.setattr(server_advice, "disk_bandwidth", lambda folder: 1e15)
    monkeypatch.setattr(server_advice, "assembly_speed", volume / (0.4 * seconds))
    assert plan(asked).count == 1, "however fast the disk is"
    more = case(servers={"groups": 3})
    assert plan(more).count == 3
    monkeypatch.setattr(server_advice, "disk_bandwidth", lambda folder: None)
    assert plan(asked).count == 0


def test_bytes_of_restarts_are_those_of_the_state() -> None:
    def expected(**restart: Any) -> int:
        asked = make_case({**small, "time": {"length": "12h"}, "restart": restart})
        return restart_bytes(asked, asked.build_grid(), asked.time.clock())

    one = 80 * 5 * 8 * 4
    assert expected() == one
    assert expected(at_end=False) == 0
    assert expected(interval="6h") == 2 * one
    assert expected(interval="5h") == 3 * one
    assert expected(interval="5h", at_end=False) == 2 * one


def test_bytes_of_tracers_are_those_of_all_levels() -> None:
    asked = make_case(
        {
            "component": "transport",
            "grid": {**small["grid"], "levels": {"thickness": [10.0, 20.0, 30.0]}},
            "time": {"length": "2h"},
            "transport": {"tracers": ["a", "b"]},
            "output": {"fields": {"maps": {"interval": "1h", "precision": "float64"}}},
        }
    )
    grid, clock = asked.build_grid(), asked.time.clock()
    assert asked.stream_bytes(grid, clock) == {"maps": 3 * (2 * 3 * 120 * 8 + 12)}
    assert restart_bytes(asked, grid, clock) == 2 * 3 * 120 * 4


def test_a_disk_is_measured_and_left_as_it_was(tmp_path: Path) -> None:
    speed = 4.0 * trial_bytes
    with using(SlowDisk(speed)):
        found = disk_bandwidth(tmp_path / "not" / "there")
    assert found is not None and 0.0 < found < speed
    with using(FullDisk(trial_bytes // 2)):
        assert disk_bandwidth(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_ranks_are_told_by_whoever_started_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server_advice.variable, raising=False)

    def decided(asked: Case):
        return decided_servers(asked, Alone(), Path("results"))

    assert decided(case()).count == 0
    assert decided(case(writing={"way": "servers"}, servers={"groups": 2})).count == 2
    with telling(server_advice.ServerCount(2, "the disk is slow")):
        assert decided(case()) == server_advice.ServerCount(2, "the disk is slow")
        assert decided(case(servers={"count": 1})).count == 1
    assert server_advice.variable not in os.environ
    monkeypatch.setenv(server_advice.variable, "3")
    assert decided(case()) == server_advice.ServerCount(3, "as HALOCLINE_SERVERS says")
    assert decided_servers(case(), Alone(), None).count == 0
    monkeypatch.setenv(server_advice.variable, "some")
    with pytest.raises(UserError, match="HALOCLINE_SERVERS is 'some'"):
        decided(case())


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launcher that says what it was to start."""
    words = 'echo "started $0: $HALOCLINE_SERVERS"'
    monkeypatch.setattr(
        launching, "mpiexec_command", lambda ranks, threads: ["sh", "-c", words, str(ranks)]
    )
    for name in (server_advice.variable, "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "")  # so that it is restored
    monkeypatch.delenv("SLURM_NTASKS", raising=False)


def begin(folder: Path, *words: str, servers: str = "count = 1") -> int:
    path = folder / "case.toml"
    path.write_text(
        "[grid]\nkind = 'cartesian'\nnx = 40\nny = 40\n[time]\nlength = '1h'\n"
        f"[output.servers]\n{servers}\n"
    )
    return main(["run", str(path), "--output", str(folder / "out"), *words])


@pytest.mark.usefixtures("launcher")
@pytest.mark.parametrize(
    ("words", "servers", "said", "started"),
    [
        (("-n", "2"), "count = 1", "starting 2 ranks of 1 thread and 1 output server", "3: 1 "),
        (("-n", "1"), "count = 1", "starting 1 rank of 1 thread and 1 output server", "2: 1 "),
        (("-n", "2"), "count = 0", "starting 2 ranks of 1 thread: ", "2: 0 as the case says"),
        (("-n", "2"), "", "starting 2 ranks of 1 thread: ", "2: 0 the output is small"),
        (("-n", "3"), "placement = [1, 4]", "3 ranks of 1 thread and 2 output servers", "5: 2 "),
    ],
)
def test_servers_are_started_besides_the_ranks_of_the_model(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], words, servers, said, started
) -> None:
    assert begin(tmp_path, *words, servers=servers) == 0
    out = capfd.readouterr().out
    assert said in out
    assert f"started {started}" in out
    ours = [line for line in out.splitlines() if not line.startswith("started")]
    told = "as the case says" in "\n".join(ours).partition("starting")[0]
    assert told == ("output server" in said)


@pytest.mark.usefixtures("launcher")
def test_servers_are_among_the_tasks_of_slurm(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_NTASKS", "4")
    assert begin(tmp_path) == 0
    assert "starting 3 ranks of 1 thread and 1 output server" in capfd.readouterr().out
    assert begin(tmp_path, "-n", "4") == 0
    assert "starting 4 ranks of 1 thread and 1 output server" in capfd.readouterr().out


@pytest.mark.usefixtures("launcher")
def test_servers_come_with_resume_and_cycle_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert begin(tmp_path, "-n", "2") == 0
    (tmp_path / "case.toml").rename(tmp_path / "halocline.toml")
    assert main(["resume", str(tmp_path), "-n", "2"]) == 0
    assert capfd.readouterr().out.count("started 3: 1 as the case says") == 2
    file, folder = str(tmp_path / "halocline.toml"), str(tmp_path / "forecasts")
    assert main(["cycle", file, "-n", "3", "--output", folder]) == 0
    assert "started 4: 1 as the case says" in capfd.readouterr().out


@pytest.mark.usefixtures("launcher")
def test_a_wrong_placement_is_said_before_anything_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert begin(tmp_path, "-n", "2", servers="placement = [3]") == 2
    shown = capfd.readouterr()
    assert "rank 3 cannot be a server of a run of 3 ranks, servers included" in shown.err
    assert "start" not in shown.out


def test_check_says_how_many_servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "swell", "-n", "2"]) == 0
    assert "servers   no output server: the output is small" in capsys.readouterr().out
    assert main(["check", "swell", "-n", "2", "--set", "output.servers.count=2"]) == 0
    assert "servers   2 output servers: as the case says" in capsys.readouterr().out
    words = ["--set", "output.servers.placement=[3]"]
    assert main(["check", "swell", "-n", "2", *words]) == 2
    assert "rank 3 cannot be a server of a run of 3 ranks" in capsys.readouterr().err
