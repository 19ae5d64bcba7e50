"""Every way to add over ranks gives the same bits. Ranks: 1, and groups of 1 to 9 of 9 ranks."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Alone, Communicator, Ranks, under_mpi, world
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.sums.choice import SumChoice, choices, every_choice
from halocline.runtime.sums.reductions import GlobalSums
from halocline.runtime.sums.variants import reduction

plain = {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def on_ranks(ranks: int, *command: str, limit: float) -> subprocess.CompletedProcess[str]:
    """Run a command on ranks; a deadlock ends at the limit [s]."""
    return subprocess.run(
        [*mpiexec_command(ranks), sys.executable, *command],
        env=mpi_environment({**os.environ, **plain}),
        capture_output=True,
        text=True,
        timeout=limit,
    )


def on_nine_ranks(*options: str, limit: float) -> None:
    """Run this file's tests on 9 ranks."""
    quiet = ["-q", "-x", "-p", "no:cacheprovider"]
    done = on_ranks(9, "-m", "pytest", *quiet, __file__, *options, limit=limit)
    assert done.returncode == 0, done.stdout + done.stderr


def groups() -> Iterator[Communicator]:
    """Communicators of all sizes up to that of the world, this rank in one of two at a time."""
    whole = world()
    if not isinstance(whole, Ranks):
        yield whole
        return
    for first in range(whole.size, whole.size // 2, -1):
        yield Ranks(whole.comm.Split(int(whole.rank >= first)))


def numbers(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers, so that they add up exactly; some zeros are negative."""
    values = random.integers(-(2**40), 2**40, shape).astype(float)
    values[random.random(shape) < 0.1] = -0.0
    return values


def check_rounds(communicator: Communicator, choice: SumChoice, rounds: int, delay: float) -> None:
    """Sums of random vectors, up to four under way, finished in random order."""
    common, own = np.random.default_rng(len(str(choice))), np.random.default_rng()
    count = int(common.integers(1, 30))
    values = numbers(common, (rounds, communicator.size, count))
    expected_sums = values.sum(axis=1)
    sums, pending = reduction(communicator, choice, count), {}
    for number in range(rounds):
        if delay and own.random() < 0.1:
            time.sleep(own.random() * delay)
        mine = values[number, communicator.rank].copy()
        pending[number] = sums.start(mine), expected_sums[number]
        mine[:] = np.nan
        while pending and (number - 3 in pending or common.random() < 0.5):
            oldest = number - 3
            at = oldest if oldest in pending else list(pending)[common.integers(len(pending))]
            under_way, expected = pending.pop(at)
            assert np.array_equal(under_way.finish(), expected), (communicator.size, str(choice))
    for under_way, expected in pending.values():
        assert np.array_equal(under_way.finish(), expected)
    sums.free()


def ways(communicator: Communicator) -> list[SumChoice]:
    """All that these ranks can take, and trees of odd branching."""
    several = choices(communicator)
    if communicator.size > 1:
        trees = [f"tree:{n} {way}" for n in (3, 5, 16) for way in ("messages", "shared sentinels")]
        several += [SumChoice.parse(text) for text in trees]
    return several


def test_overlapping_sums_of_random_vectors():
    for communicator in groups():
        for choice in ways(communicator):
            check_rounds(communicator, choice, rounds=30, delay=0.0)


def test_global_sums_are_those_of_one_rank():
    for communicator in groups():
        random = np.random.default_rng(communicator.size)
        kept = {choice: GlobalSums(communicator, 3, choice) for choice in ways(communicator)}
        for _ in range(4):
            scale = 10.0 ** random.uniform(-100, 100, 3)
            terms = random.standard_normal((3, 500)) * 10.0 ** random.uniform(-9, 9, (3, 500))
            terms *= scale[:, None]
            expected = GlobalSums(Alone(), 3)([[row] for row in terms])
            mine = [[row[communicator.rank :: communicator.size]] for row in terms]
            for choice, sums in kept.items():
                assert np.array_equal(sums(mine), expected), (communicator.size, str(choice))
        for sums in kept.values():
            sums.free()


def test_numbers_that_are_not_finite_arrive_on_all_ranks():
    """Also a NaN with the bits of the sentinel."""
    odd = np.array([0x7FF45E4E71494E41], np.uint64).view(float)[0]
    for communicator in groups():
        for choice in ways(communicator):
            sums = reduction(communicator, choice, 4)
            last = communicator.rank == communicator.size - 1
            with np.errstate(invalid="ignore"):
                got = sums.add(np.array([1.0, odd, np.inf, 2.0]) if last else np.ones(4))
            assert np.isnan(got[1]) and got[2] == np.inf
            assert got[0] == communicator.size and got[3] == communicator.size + 1
            again = sums.add(np.ones(4))
            assert np.array_equal(again, np.full(4, communicator.size))
            sums.free()


def test_nodes_within_a_machine(monkeypatch):
    monkeypatch.setenv("HALOCLINE_RANKS_PER_NODE", "2")
    for communicator in groups():
        if communicator.size == 1:
            continue
        names = [str(choice) for choice in choices(communicator)]
        if communicator.size > 2:
            assert "node-then-network" in names and "everyone shared" not in names
            with pytest.raises(UserError, match="node-then-network"):
                reduction(communicator, SumChoice("everyone", "shared"), 1)
        check_rounds(communicator, SumChoice("node-then-network"), rounds=200, delay=0.0)


def test_every_way_is_offered_once():
    names = [str(choice) for choice in every_choice()]
    assert len(set(names)) == len(names) > 40
    if world().size == 9:
        offered = [str(choice) for choice in choices(world())]
        assert offered[:2] == ["all-reduce", "non-blocking"] and set(offered) < set(names)
        assert {"tree:2 messages", "tree:4 shared sentinels", "tree:2 shared"} < set(offered)


@pytest.mark.slow
def test_thousands_of_sums_with_random_delays():
    for communicator in groups():
        for choice in ways(communicator):
            check_rounds(communicator, choice, rounds=500, delay=1e-4)


@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
def test_on_groups_of_nine_ranks():
    on_nine_ranks(limit=240.0)


@pytest.mark.slow
@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
def test_thousands_of_sums_on_groups_of_nine_ranks():
    on_nine_ranks("--all", "-k", "thousands", limit=900.0)


killed = """
import os, signal, sys
from halocline.runtime.ranks.communicator import world
from halocline.runtime.sums.choice import SumChoice
from halocline.runtime.sums.variants import reduction
import numpy as np

sums = reduction(world(), SumChoice.parse(sys.argv[1]), 1)
for number in range(10**9):
    if world().rank == 1 and number == 100:
        os.kill(os.getpid(), signal.SIGKILL)
    sums.add(np.ones(1))
"""


@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
@pytest.mark.parametrize("choice", ["everyone shared", "collect one-sided", "tree:2 messages"])
def test_a_killed_rank_ends_all(choice):
    done = on_ranks(3, "-c", killed, choice, limit=120.0)
    assert done.returncode != 0 and "signal 9" in done.stdout + done.stderr
