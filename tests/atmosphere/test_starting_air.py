"""The air at the start: a bubble that no column has is refused."""

import numpy as np
import pytest

import halocline
from halocline.atmosphere.starting_air import BubbleOptions
from halocline.core.errors import UserError


def test_a_bubble_beside_the_grid_is_refused_with_both_places() -> None:
    """A case made smaller without moving its corner; nothing would rise in it."""
    small = ["grid.nx=24", "grid.ny=24", "time.length=12s"]
    with pytest.raises(UserError, match=r"x = 0, y = 0.*x = -83000 to -37000") as refused:
        halocline.run("supercell", settings=small)
    assert "grid.x0" in str(refused.value)


def test_bubbles_that_reach_a_column_are_not_refused() -> None:
    """Also ones without an end along an axis, and none at all."""
    x, y = np.meshgrid(np.arange(3) * 1e3, np.arange(2) * 1e3)
    BubbleOptions(amplitude=1.0, x=2.9e3, radius_x=1e3, radius_y=0.0).refuse_beside(x, y)
    BubbleOptions(amplitude=0.0, x=9e3, radius_x=1e3).refuse_beside(x, y)
    with pytest.raises(UserError, match="beside the grid"):
        BubbleOptions(amplitude=-1.0, x=3.1e3, radius_x=1e3, radius_y=0.0).refuse_beside(x, y)
