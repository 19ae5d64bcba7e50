"""Calls that are bound once do what the runner does."""

import numpy as np
import pytest

from halocline.numerics.elliptic import EllipticOperator, kernels
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.running.prepared import PreparedCall
from halocline.runtime.running.runner import Runner
from numerics.basins import basin, numbers_of


@pytest.mark.parametrize("mode", [{}, {"check_halos": True}, {"overlap": True}], ids=str)
def test_a_prepared_call_exchanges_and_marks_as_the_runner_does(mode):
    numbers = numbers_of(basin(2))
    decomposition = Decomposition(
        numbers.mask, numbers.topology, halo=2, options=DecompositionOptions(blocks_per_rank=4)
    )
    operator, run = EllipticOperator(numbers, decomposition), Runner(decomposition, **mode)
    values, image, expected = (operator.field(name) for name in ("values", "image", "expected"))
    call = PreparedCall(run, kernels["apply_nine_point"], operator, direction=values, image=image)
    scale = PreparedCall(run, kernels["new_direction"], preconditioned=image, direction=values)
    random = np.random.default_rng(0)
    for _ in range(3):
        values.set_from(lambda block: random.standard_normal([n - 4 for n in block.shape]))
        call()
        Runner(decomposition)(
            kernels["apply_nine_point"], operator, direction=values, image=expected
        )
        assert np.array_equal(image.gather(), expected.gather())
        assert np.isfinite(image.gather()).all()
        storage = values.storage(values.layout)
        assert storage.fresh.min() == 1
        scale(beta=0.5)
        assert storage.fresh.max() == 0
    assert run.recorder.counters["apply_nine_point"].calls >= 3
