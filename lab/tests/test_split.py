"""`halocline lab split`: known costs, made-up members, all divisions. Ranks: up to 8, asleep."""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from halocline.component.case import registry
from halocline.core.errors import UserError
from halocline.experiment.schedule import ExchangeEnds, Giving, ScheduleLine, in_turn, make_schedule
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.scaling import split
from halocline_lab.scaling.split_costs import MeasuredCosts, costs_of
from halocline_lab.scaling.split_search import Search, compositions, partitions
from halocline_lab.scaling.split_timeline import Division, MemberTurns, neighbours, passes
from halocline_lab.scaling.split_words import case_lines, confidence

coupled = Path(__file__).parent / "coupled"


@dataclass(frozen=True)
class Known:
    """Known costs: (shared, fixed, growing) of members, (gives, takes) of exchanges [s]."""

    steps: dict[str, tuple[float, float, float]]
    ends: dict[str, tuple[float, float]] = field(default_factory=dict)
    outside: float = 0.0

    def step(self, member: str, ranks: int) -> float:
        shared, fixed, growing = self.steps[member]
        return shared / ranks + fixed + growing * ranks

    def gives(self, exchange: str, ranks: int) -> float:
        return self.ends.get(exchange, (0.0, 0.0))[0]

    def takes(self, exchange: str, ranks: int) -> float:
        return self.ends.get(exchange, (0.0, 0.0))[1]

    def rest(self) -> float:
        return self.outside


def turns(*, lagged: bool, every: int = 0, late: bool = False, names: str = "ab") -> MemberTurns:
    """a steps thrice by 20 min, b twice by 30 min; each gives the other something."""
    minutes = dict(zip(names, (20, 30, 60, 15), strict=False))
    steps = {name: timedelta(minutes=some) for name, some in minutes.items()}
    hour, often = timedelta(hours=1), timedelta(hours=every)
    links = [
        ExchangeEnds("down", names[0], names[1], lagged or late, often, hour),
        ExchangeEnds("up", names[1], names[0], lagged or late, often, hour),
    ]
    found = make_schedule(steps, None, links)
    return MemberTurns(found, frozenset({"down", "up"} if late else ()), max(every, 1))


costs = Known(
    {"a": (0.3, 0.0, 0.0), "b": (0.3, 0.0, 0.0)}, {"down": (0.01, 0.02), "up": (0.03, 0.04)}
)
apart, together = Division((("a",), ("b",)), (1, 1)), Division((("a", "b"),), (2,))


def test_lagged_members_compute_side_by_side():
    """a works for 0.9 s and gives down for 0.01; b for 0.6, takes it (0.02), gives up for 0.03.

    b waits until down is begun, at 0.91; then 0.93 and 0.96, whence a takes up until 1.0, and b
    waits for the end.
    """
    found = passes(turns(lagged=True), apart, costs)
    assert found.seconds == pytest.approx(1.0)
    assert found.steps == (pytest.approx(0.9), pytest.approx(0.6))
    assert found.exchanges == (pytest.approx(0.05), pytest.approx(0.05))
    assert found.waiting == (pytest.approx(0.05), pytest.approx(0.35))


def test_without_a_lag_the_target_waits_for_the_steps_of_its_source():
    """0.9 and 0.01 of a, then 0.02, 0.6 and 0.03 of b, then 0.04 of a."""
    found = passes(turns(lagged=False), apart, costs)
    assert found.seconds == pytest.approx(0.91 + 0.02 + 0.6 + 0.03 + 0.04)
    assert found.waiting == (pytest.approx(0.65), pytest.approx(0.91 + 0.04))


def test_in_sequence_nobody_waits():
    for lagged in (True, False):
        found = passes(turns(lagged=lagged), together, costs)
        assert found.seconds == pytest.approx(0.75 + 0.1) and found.waiting == (0.0,)


def test_exchanges_that_are_seldom_count_so_often_and_late_ones_hold_nobody_up():
    seldom = passes(turns(lagged=True, every=4), together, costs)
    assert seldom.seconds == pytest.approx(0.75 + 0.1 / 4)
    late = passes(turns(lagged=True, late=True), apart, costs)
    assert late.seconds == pytest.approx(0.9 + 0.01 + 0.04)
    assert late.waiting[1] == pytest.approx(0.95 - 0.65)


def test_what_lies_outside_of_members_comes_on_top():
    more = Known(costs.steps, costs.ends, outside=0.5)
    assert passes(turns(lagged=True), apart, more).seconds == pytest.approx(1.5)


@pytest.mark.parametrize("lagged", [True, False])
def test_the_best_is_the_best_of_all(lagged: bool):
    """Three members: all crews with all shares, one after the other."""
    some = Known(
        {"a": (0.3, 0.01, 0.0), "b": (0.2, 0.0, 0.004), "c": (0.9, 0.02, 0.001)}, costs.ends
    )
    here = turns(lagged=lagged, names="abc")
    for ranks in range(1, 9):
        every = [
            Division(tuple(map(tuple, crews)), shares)
            for crews in partitions("abc")
            for shares in compositions(ranks, len(crews))
        ]
        least = min(passes(here, one, some).seconds for one in every)
        found = Search(here, some, "abc").best(ranks)
        assert found[0].seconds == pytest.approx(least)
        assert [one.seconds for one in found] == sorted(one.seconds for one in found)


def test_moves_find_what_trying_all_finds(monkeypatch: pytest.MonkeyPatch):
    some = Known({"a": (3.0, 0.01, 0.0), "b": (2.0, 0.0, 4e-4), "c": (9.0, 0.02, 1e-4)})
    search = Search(turns(lagged=True, names="abc"), some, "abc")
    every = search.best(40)[0]
    monkeypatch.setattr("halocline_lab.scaling.split_search.most_shares", 1)
    assert search.best(40)[0].seconds == pytest.approx(every.seconds, rel=0.01)


def test_programs_have_ranks_of_their_own_and_nobody_more_than_it_has_work_for():
    search = Search(turns(lagged=True), costs, "ab", alone="ab")
    assert all(len(one.division.crews) == 2 for one in search.best(3))
    small = Search(turns(lagged=True), costs, "ab", most={"a": 2})
    assert [one.division.ranks for one in small.best(6)] == [(2, 4)]


def test_the_fewest_ranks_that_are_fast_enough():
    search = Search(turns(lagged=True), costs, "ab")
    found = search.fewest(8, 0.5)
    assert found is not None and found.seconds <= 0.5
    assert search.best(found.division.total - 1)[0].seconds > 0.5
    assert search.fewest(8, 0.01) is None


def test_neighbours_differ_by_one_rank():
    assert {one.ranks for one in neighbours(Division((("a",), ("b",)), (3, 1)))} == {(2, 2)}


class Crews:
    """Crews as threads that sleep as long as their members' steps take: no model of ours."""

    def __init__(self, here: MemberTurns, division: Division, known: Known) -> None:
        self.here, self.division, self.known = here, division, known
        self.meeting = threading.Barrier(len(division.crews))
        self.mail: dict[str, Any] = {name: queue.Queue() for name in here.exchanges}
        self.seconds = 0.0

    def run(self, intervals: int = 3) -> None:
        own = [
            threading.Thread(target=self._crew, args=(at, intervals))
            for at in range(len(self.division.crews))
        ]
        begin = time.monotonic()
        for one in own:
            one.start()
        for one in own:
            one.join()
        self.seconds = (time.monotonic() - begin) / intervals

    def _crew(self, at: int, intervals: int) -> None:
        mine, ranks = self.division.crews[at], self.division.ranks[at]
        for _ in range(intervals):
            for turn in in_turn(self.here.schedule.entries):
                if isinstance(turn, ScheduleLine) and turn.member in mine:
                    time.sleep(turn.steps * self.known.step(turn.member, ranks))
                if isinstance(turn, Giving) and turn.source in mine:
                    time.sleep(self.known.gives(turn.exchange, ranks))
                    self.mail[turn.exchange].put(1)
                if isinstance(turn, Giving) and turn.target in mine:
                    self.mail[turn.exchange].get()
                    time.sleep(self.known.takes(turn.exchange, ranks))
            self.meeting.wait()


@pytest.mark.parametrize("lagged", [True, False])
def test_the_split_found_is_within_5_percent_of_the_best_of_all_on_2_to_8_ranks(lagged: bool):
    """G-02, G-12: every division of 2 to 8 ranks run at once, by threads that sleep.

    Both ways to share the ranks in all numbers; costs of the split are what laws make of those on
    1, 2, 4 and 8 ranks.
    """
    known = Known(
        {"a": (0.6, 0.03, 0.0), "b": (0.5, 0.0, 0.02)}, {"down": (0.004, 0.01), "up": (0.01, 0.01)}
    )
    here = turns(lagged=lagged)
    every = [
        Division(tuple(map(tuple, crews)), shares)
        for ranks, crews in product(range(2, 9), partitions("ab"))
        for shares in compositions(ranks, len(crews))
    ]
    running = {one: Crews(here, one, known) for one in every}
    own = [threading.Thread(target=some.run) for some in running.values()]
    for one in own:
        one.start()
    for one in own:
        one.join()
    search = Search(here, measured(known, (1, 2, 4, 8)), "ab")
    for ranks in range(2, 9):
        chosen = search.best(ranks)[0].division
        least = min(some.seconds for one, some in running.items() if one.total == ranks)
        assert running[chosen].seconds <= 1.05 * least, (ranks, chosen.words)


def measured(known: Known, counts: tuple[int, ...]) -> MeasuredCosts:
    """Costs as if they had been measured on some numbers of ranks only."""
    from halocline_lab.scaling.extrapolation import PhaseTime

    times: dict[Any, Any] = {
        (name, "step"): [PhaseTime("computation", "step", known.step(name, n), n) for n in counts]
        for name in known.steps
    }
    for name, (gives, takes) in known.ends.items():
        times[name, "gives"] = [PhaseTime("exchange", "step", gives, n) for n in counts]
        times[name, "takes"] = [PhaseTime("exchange", "step", takes, n) for n in counts]
    return MeasuredCosts(times, known.outside)


def test_what_was_measured_is_taken_and_between_it_a_law():
    found = measured(Known({"a": (0.6, 0.03, 0.0)}), (1, 2, 4, 8))
    for ranks in range(1, 13):
        assert found.step("a", ranks) == pytest.approx(0.6 / ranks + 0.03, rel=1e-6)
    times = {key: [*some] for key, some in found.times.items()}
    times["a", "step"][2] = replace(times["a", "step"][2], seconds=1.0)
    odd = replace(found, times=times)
    assert odd.step("a", 4) == 1.0


def test_the_72_processors_of_the_paper_are_better_divided_by_63_and_9():
    """G-12: 64 and 8 scaled perfectly are a loop of 13.0 s, by ROMS; one rank moved, of 11.9."""
    from halocline_lab.scaling.extrapolation import PhaseTime

    loops = {
        ("a", "step"): [PhaseTime("computation", "step", 125.0 / 3.0, 6)],
        ("b", "step"): [PhaseTime("computation", "step", 52.0 / 2.0, 2)],
    }
    search = Search(turns(lagged=True), MeasuredCosts(loops, 0.0, perfect=True), "ab", alone="ab")
    printed = search.at(Division((("a",), ("b",)), (64, 8)))
    assert printed.seconds == pytest.approx(13.0)
    assert printed.interval.steps[0] == pytest.approx(11.7, abs=0.05)
    best = search.best(72)[0]
    assert best.division.ranks == (63, 9) and best.seconds == pytest.approx(11.9, abs=0.01)


def test_confidence_is_told():
    found = measured(Known({"a": (0.6, 0.03, 0.0), "b": (0.3, 0.0, 0.0)}), (1, 2))
    best = Search(turns(lagged=True), found, "ab").best(8)[0]
    words = " ".join(confidence(found, best, cores=2, measured_on=[1, 2, 4], here=True))
    assert "lies outside of what was measured (1 to 2 ranks)" in words
    assert "Runs on 4 ranks shared 2 cores" in words
    within = Search(turns(lagged=True), found, "ab").best(2)[0]
    assert not confidence(found, within, cores=2, measured_on=[1, 2], here=True)


def test_lines_for_the_case_seat_the_members_so():
    assert 'on_ranks_of = "air"' in case_lines(Division((("air", "fluxes"), ("sea",)), (5, 3)))
    assert "share" not in case_lines(Division((("air", "sea"),), (5,)))
    assert "share = 0.375" in case_lines(Division((("air", "fluxes"), ("sea",)), (5, 3)))


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The sleeping component as an installed package would register it, and a folder for a case."""
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


def case_of(folder: Path, **tables: Any) -> str:
    """A case file with the two toys."""
    from toy import pair

    path = folder / "case.toml"
    path.write_text(tomli_w.dumps(pair(**tables)))
    return str(path)


def asked(*words: str) -> int:
    """The command."""
    parser = argparse.ArgumentParser()
    split.add_arguments(parser)
    return split.main(parser.parse_args(words))


def test_the_command_measures_recommends_and_verifies(
    toys: Path, capsys: pytest.CaptureFixture[str]
):
    """G-12, G-20: twice the work beside the other has its rank; draws, and tells what was found."""
    case = case_of(toys, sky={"fixed": 0.1, "shared": 0.0}, sea={"growing": 0.1, "shared": 0.0})
    words = ["--ranks", "2", "--measure", "1,2", "--rounds", "1", "--intervals", "3", "--verify"]
    found, drawn = toys / "found.json", toys / "found.png"
    assert asked(case, *words, "--json", str(found), "--output", str(drawn)) == 0
    told = capsys.readouterr().out
    # In sequence 3 x 0.1 + 2 x 0.1 x 2 s on two ranks; side by side 3 x 0.1 and 2 x 0.1.
    best = json.loads(found.read_text())["best"]
    assert best["crews"] == [["sky"], ["sea"]] and best["ranks"] == [1, 1]
    assert best["seconds"] == pytest.approx(0.3, rel=0.4)
    assert "[members.sky]\nranks = 1" in told and "measured fastest: sky: 1; sea: 1" in told
    assert drawn.stat().st_size > 10_000


def test_a_run_that_fails_is_told_with_its_division(toys: Path):
    case = case_of(toys, sea={"fails_at": 3})
    with pytest.raises(UserError, match=r"The run with sky, sea: 1 failed after"):
        asked(case, "--ranks", "2", "--measure", "1", "--intervals", "3")


def test_what_cannot_be_asked_is_refused(toys: Path):
    case = case_of(toys)
    with pytest.raises(UserError, match="'swell' has one component"):
        asked("swell")
    with pytest.raises(UserError, match="--speed -1"):
        asked(case, "--speed", "-1")
    with pytest.raises(UserError, match="--ranks 0: give 1 or more"):
        asked(case, "--ranks", "0")


def all_divisions(folder: Path) -> dict[str, float]:
    """Seconds of an interval of every division of 2 to 8 ranks, by MPI."""
    program = [sys.executable, str(coupled / "all_divisions.py"), str(folder)]
    done = subprocess.run(
        [*mpiexec_command(8), *program], env=mpi_environment(), capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, float] = json.loads((folder / "seconds.json").read_text())
    return found


@pytest.mark.slow
def test_by_mpi_the_split_found_is_within_5_percent_of_the_best_of_all(tmp_path: Path, toys: Path):
    """The same with the run's own schedule, exchanges and meetings; costs from four records."""
    found = all_divisions(tmp_path)
    records = [read_record(tmp_path / f"sky, sea{count}") for count in (1, 2, 4, 8)]
    from toy import ToyCase, pair

    from halocline.experiment.members import make_members

    assert ToyCase is not None
    search = Search(
        MemberTurns.of(make_members(pair())), costs_of(records, ["sky", "sea"]), ["sky", "sea"]
    )
    for ranks in range(2, 9):
        chosen = search.best(ranks)[0].division
        least = min(
            seconds for words, seconds in found.items()
            if sum(int(some.rpartition(": ")[2]) for some in words.split("; ")) == ranks
        )  # fmt: skip
        assert found[chosen.words] <= 1.05 * least, (ranks, chosen.words, found)


def test_what_crosses_sites_comes_later_but_for_what_has_a_lag():
    """down is on its way for 0.2 s: taken at 1.11 to 1.13, up given to 1.16, and taken to 1.2."""
    found = passes(turns(lagged=True), apart, costs, {"down": 0.2})
    assert found.seconds == pytest.approx(1.2)
    assert found.waiting[1] == pytest.approx(0.51 + 0.04)
    late = passes(turns(lagged=True, late=True), apart, costs, {"down": 0.2, "up": 0.2})
    assert late.seconds == pytest.approx(0.95)
