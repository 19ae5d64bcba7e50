"""Kernels compute with 0 for subnormal numbers, on all threads; what is outside does not."""

import numpy as np
import pytest

from halocline.numerics import _native as numerics
from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native as laboratory

small = {np.float32: 1e-30, np.float64: 1e-290}
"""Normal numbers whose squares are no normal numbers."""


def subnormal_of(dtype: type) -> np.floating:
    return dtype(np.finfo(dtype).tiny) * dtype(0.5)


@pytest.fixture
def several_threads():
    before = laboratory.threads()
    set_threads(3)
    yield
    set_threads(before)


@pytest.mark.usefixtures("several_threads")
@pytest.mark.parametrize("dtype", small)
def test_kernels_see_and_make_none(dtype):
    rows, columns = 7, 37
    box = (0, rows, 0, columns, rows * columns)
    nothing = np.zeros((rows, columns), dtype)
    products = np.full_like(nothing, 2.0 * small[dtype])
    numerics.new_direction(box, nothing, products, beta=subnormal_of(dtype) / (4.0 * small[dtype]))
    assert (products == 0.0).all()
    operands = np.full_like(nothing, subnormal_of(dtype))
    numerics.new_direction(box, nothing, operands, beta=4.0 / small[dtype])
    assert (operands == 0.0).all()
    normal = np.full_like(nothing, small[dtype])
    numerics.new_direction(box, nothing, normal, beta=0.5)
    assert (normal == dtype(0.5 * small[dtype])).all()


@pytest.mark.parametrize("dtype", small)
def test_bound_kernels_too(dtype):
    one = np.full((3, 20), 0.5 * small[dtype], dtype)
    box = (0, 3, 0, 20, 60)
    ((_, bind),) = [
        binding
        for binding in numerics.bindings["new_direction"]
        if binding[0][0][0] == np.dtype(dtype).name
    ]
    bind([(box, np.zeros_like(one), one)])(beta=subnormal_of(dtype) / small[dtype])
    assert (one == 0.0).all()


@pytest.mark.parametrize("dtype", small)
def test_who_calls_a_kernel_computes_as_before(dtype):
    numerics.new_direction(
        (0, 1, 0, 1, 1), np.zeros((1, 1), dtype), np.ones((1, 1), dtype), beta=1.0
    )
    subnormal = np.full(50, subnormal_of(dtype))
    assert (subnormal * dtype(0.5) > 0.0).all()
