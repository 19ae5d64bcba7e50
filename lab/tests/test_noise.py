"""Noise: its cost and its period in times that are known, and the quanta themselves."""

import json

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline_lab import _native
from halocline_lab.diagnosis import noise
from halocline_lab.diagnosis.noise import measure, period_of, quanta


def test_what_noise_costs_alone_and_together():
    times = np.ones((100, 4))
    for rank in range(4):
        times[rank * 10, rank] = 3.0
    found = quanta(times)
    assert found.typical == 1.0
    assert found.lost_alone == pytest.approx(4 * 2.0 / 400)
    assert found.lost_together == pytest.approx(4 * 2.0 / 100)
    assert found.amplification == pytest.approx(4.0)
    assert sum(found.count) == 400 and found.count[found.limit.index(5.0)] == 4


def test_a_period_is_found():
    begin = np.cumsum(np.full(5000, 1e-3))
    excess = np.where((begin % 0.1) < 1e-3, 1e-3, 0.0)
    assert period_of(begin, excess) == pytest.approx(0.1, rel=0.03)


def test_random_disturbances_have_no_period():
    random = np.random.default_rng(2)
    begin = np.cumsum(np.full(5000, 1e-3))
    assert period_of(begin, np.where(random.random(5000) < 0.01, 1e-3, 0.0)) is None


def test_quanta_follow_each_other():
    begin, end = np.zeros(20, np.int64), np.zeros(20, np.int64)
    _native.fixed_work(1000, begin, end)
    assert (end > begin).all() and (begin[1:] >= end[:-1]).all()


def test_a_quantum_does_its_work():
    begin, end = np.zeros(1, np.int64), np.zeros(1, np.int64)
    x = 0.5
    for _ in range(1000):
        x = x * 0.999999 + 1e-6
    assert _native.fixed_work(1000, begin, end) == x


def test_measured_on_ranks(tmp_path, capsys):
    found = measure(2, quantum=1e-4, seconds=0.01)
    assert found.alone.ranks == found.together.ranks == 2
    assert found.alone.pieces == found.together.pieces == 200
    assert found.advice


def test_times_of_ranks_are_put_together():
    def launch(module, settings, ranks):
        assert (module, ranks, settings["pieces"]) == ("halocline_lab.diagnosis.noise_run", 2, 100)
        begin = np.arange(100)[:, None] * 2_000_000 + np.zeros((1, 2), np.int64)
        end = begin + 1_000_000
        end[::10, 0] += 500_000
        names = [f"{part}_{what}" for part in ("alone", "together") for what in ("begin", "end")]
        return json.dumps(dict(zip(names, [t.tolist() for t in (begin, end) * 2], strict=True)))

    found = measure(2, quantum=1e-3, seconds=0.1, launch=launch)
    assert found.together.typical == pytest.approx(1e-3)
    assert found.together.lost_together == pytest.approx(0.05)
    assert "5.0 % to noise" in found.advice


def test_bad_lengths_are_refused():
    class Options:
        quantum, seconds, ranks, json = -1.0, 1.0, 2, None

    with pytest.raises(UserError, match="positive"):
        noise.main(Options())
