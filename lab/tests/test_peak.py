"""The peak loop computes what it says, and counters become ratios and rates."""

import numpy as np
import pytest

from halocline_lab import _native
from halocline_lab.diagnosis import peak


@pytest.mark.parametrize("threads", [1, 3])
def test_the_loop_computes(threads):
    expected = 0.0
    for chain in range(12):
        x = 1.0 + chain
        for _ in range(7):
            x = x * 0.5 + 1.0
        expected += x
    lanes = _native.peak_operations(1) / (2 * 12)
    found = _native.multiply_and_add(7, factor=0.5, summand=1.0, threads=threads)
    np.testing.assert_allclose(found, expected * lanes * threads, rtol=1e-14)


def test_counts_become_ratios():
    counts = {
        "instructions": 300.0,
        "cycles": 100.0,
        "D1 loads": 1000.0,
        "D1 misses": 50.0,
        "D1 refills from L2": 30.0,
        "D1 refills from memory": 10.0,
    }
    found = {one.name: one for one in peak.counter_quantities(counts, 2.0)}
    assert found["instructions per cycle"].value == 3.0
    assert found["D1 hit ratio"].value == pytest.approx(0.95)
    assert found["D2 hit ratio"].value == pytest.approx(0.75)
    assert found["D1 refills from memory"].value == 5.0


def test_a_machine_without_counters_says_so():
    for one in peak.counter_quantities({}, 1.0):
        assert one.value is None and "gives no such counter" in one.because


def test_a_machine_is_measured():
    found = peak.measure_machine(1, size=200_000)
    assert found.bandwidth > 1e8 and found.operations > 1e8
