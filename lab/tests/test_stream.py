"""Memory bandwidth: the loops compute what they say, the figures are bandwidths."""

import numpy as np
import pytest

from halocline_lab import _native
from halocline_lab.benchmarks import stream


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_loops(threads: int) -> None:
    random = np.random.default_rng(1)
    a, b, c = random.random(1001), random.random(1001), np.zeros(1001)
    expected = a + 3.0 * b
    _native.stream_triad(a, b, c, scale=3.0, threads=threads)
    np.testing.assert_array_equal(c, expected)
    _native.stream_copy(a, b, threads=threads)
    np.testing.assert_array_equal(b, a)


def test_figures_are_bandwidths() -> None:
    found = stream.measure(1, size=1_000_000, repeats=3)
    assert set(found) == {"copy", "triad"}
    assert all(1e8 < value < 1e13 for value in found.values())
