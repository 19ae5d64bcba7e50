"""Contests with trials whose times are known, on a clock that only they move."""

import numpy as np
import pytest

from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running import contest as module
from halocline.runtime.running.contest import contest


class Clock:
    """Time that passes only in trials."""

    def __init__(self, seed: int = 0) -> None:
        self.now = 0.0
        self.random = np.random.default_rng(seed)
        self.done: list[int] = []

    def trials(self, means: list[float], noise: float) -> list:
        def trial(at: int, mean: float):
            def run() -> None:
                self.done.append(at)
                self.now += mean * (1 + noise * self.random.exponential())

            return run

        return [trial(at, mean) for at, mean in enumerate(means)]


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module.time, "perf_counter", lambda: clock.now)
    return clock


def test_names_the_fastest_where_the_gap_exceeds_noise(clock):
    means = [3e-5, 2.6e-5, 9e-5, 2e-5, 4e-5]
    won = [contest(Alone(), clock.trials(means, 0.2)).winner for _ in range(50)]
    assert won.count(3) == 50


def test_of_equals_the_simplest_wins_and_all_are_said_to_be_tied(clock):
    standing = contest(Alone(), clock.trials([1e-4, 1e-4, 1e-4, 3e-4], 0.1))
    assert standing.winner == 0
    assert set(standing.tied) >= {0}
    assert 3 not in standing.tied
    assert standing.scores[3].low > 1


def test_never_takes_one_that_is_clearly_slower(clock):
    for seed in range(40):
        clock.random = np.random.default_rng(seed)
        means = list(clock.random.uniform(1e-5, 3e-5, 12))
        winner = contest(Alone(), clock.trials(means, 0.1)).winner
        assert means[winner] <= 1.08 * min(means)


def test_keeps_to_its_time(clock):
    many = [1e-3 * (1 + 0.01 * n) for n in range(200)]
    standing = contest(Alone(), clock.trials(many, 0.05), budget=0.5)
    assert standing.seconds < 0.75
    assert clock.now < 0.75


def test_hopeless_trials_are_not_repeated(clock):
    contest(Alone(), clock.trials([1e-4, 5e-4, 1e-2], 0.1))
    assert clock.done.count(2) == 3
    assert clock.done.count(1) < 12


def test_one_that_was_disturbed_at_first_may_still_win(clock):
    trials = clock.trials([3e-4, 1e-4], 0.02)
    quick, calls = trials[1], 0

    def disturbed():
        nonlocal calls
        calls += 1
        quick()
        clock.now += 0.01 * (calls == 2)

    assert contest(Alone(), [trials[0], disturbed]).winner == 1


def test_one_trial_wins(clock):
    standing = contest(Alone(), clock.trials([1e-4], 0.1))
    assert (standing.winner, standing.tied, standing.rounds) == (0, (0,), 0)
