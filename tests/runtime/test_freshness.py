"""How deep halos are filled, row by row, as plain arrays tell it."""

import numpy as np
import pytest

from halocline.runtime.fields.freshness import Freshness, everywhere


@pytest.mark.parametrize("seed", range(20))
def test_rows_and_sides_are_kept_apart(seed):
    random = np.random.default_rng(seed)
    rows = int(random.integers(0, 6))
    fresh, plain = Freshness(rows), np.zeros((rows, 4), int)
    for _ in range(12):
        some = slice(*sorted(random.integers(0, rows + 1, 2).tolist()))
        depths = tuple(random.integers(0, 3, 4).tolist())
        some = slice(None) if random.random() < 0.3 else some
        fresh.set(depths, some)
        plain[some] = depths
        asked = slice(*sorted(random.integers(0, rows + 1, 2).tolist()))
        least = tuple(plain[asked].min(axis=0, initial=everywhere[0]).tolist())
        assert fresh.of(asked) == least
        assert fresh.covers(least, asked)
        assert not fresh.covers((least[0] + 1, *least[1:]), asked)
        assert fresh.stale_rows(asked).tolist() == (~plain[asked].any(axis=1)).tolist()
