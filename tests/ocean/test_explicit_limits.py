"""Viscosities and diffusivities that explicit steps do not bear are refused. Ranks: 1."""

import re

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.explicit_limits import refuse_unstable
from halocline.ocean.viscous_options import ViscousOptions
from ocean import oceans

step, length = 3600.0, 1e4
square, fourth = length**2 / (8.0 * step), length**4 / (64.0 * step)
"""What leapfrog steps bear on squares of 10 km of what is old [m2 s-1], [m4 s-1]."""
more = 1.5
"""Of viscosity they bear so much more: it acts on a third of the present velocity, too."""


def anisotropic(value):
    return {"viscous": ViscousOptions(scheme="anisotropic", across=value)}


kinds = [
    ("viscosity", more * square, lambda value: {"viscosity": value}),
    ("diffusivity", square, lambda value: {"diffusivity": value}),
    ("eddies.along", square, lambda value: {"eddies": EddyOptions(along=value)}),
    ("viscous.across", more * square, anisotropic),
    (
        "viscous.biharmonic",
        more * fourth,
        lambda value: {"viscous": ViscousOptions(scheme="biharmonic", biharmonic=value)},
    ),
]


@pytest.mark.parametrize(("name", "most", "options"), kinds, ids=lambda some: str(some)[:12])
def test_what_is_beyond_the_limit_is_refused_with_a_step_that_would_do(name, most, options):
    levels = oceans.plane(6, 5, length, [100.0])
    refuse_unstable(levels, oceans.with_numbers(**options(0.99 * most)), step)
    twice = oceans.with_numbers(**options(2.0 * most))
    with pytest.raises(UserError, match="explicit steps of 3600 s") as caught:
        refuse_unstable(levels, twice, step)
    words = str(caught.value)
    assert f"ocean.mixing.{name} = {2.0 * most:g}" in words and "10 x 10 km" in words
    told = float(re.search(r"steps of (\d+) s or less", words)[1])
    assert 0.45 * step < told <= 0.5 * step
    refuse_unstable(levels, twice, told)


@pytest.mark.parametrize(("name", "most"), [("viscosity", more * square), ("diffusivity", square)])
@pytest.mark.parametrize(("part", "grows"), [(0.9, False), (1.15, True)])
def test_the_limit_is_where_checkerboards_grow(name, most, part, grows):
    """All around a torus at rest, a wave of two cells along x and y."""
    levels = oceans.plane(6, 6, length, [100.0], periodic_x=True, periodic_y=True)
    model = oceans.build(levels, step, mixing=oceans.with_numbers(**{name: part * most}))
    board = np.where(np.indices(levels.shape).sum(axis=0) % 2, 1.0, -1.0)
    if name == "viscosity":
        oceans.put_velocity(model, 1e-6 * board, 0.0)
    else:
        oceans.put_tracers(model, np.stack([10.0 + 1e-6 * board, 35.0 + 0.0 * board]))
    *_, state = oceans.go(model, 60)
    found = state.u.gather() if name == "viscosity" else state.tracer.gather()[0]
    assert (np.ptp(found) > 1e-5) == grows


def polar_rows(**more):
    """Rows of 5 degrees from 40 N to 85 N."""
    sides = {"nx": 72, "ny": 9, "dx": 5.0, "dy": 5.0, "x0": 2.5, "y0": 42.5}
    options = GridOptions(**sides | {"closed_edges": False, "depth": 100.0} | more)
    return layered(regular_grid(options), np.array([100.0]))


def test_small_cells_that_have_less_and_dry_ones_are_not_refused():
    """Rows near the pole: too small for the given viscosity, unless it goes with their area."""
    much = oceans.with_numbers(viscosity=1e6)
    refuse_unstable(polar_rows(), oceans.with_numbers(viscosity=1e6, viscosity_length=5e5), step)
    with pytest.raises(UserError, match=r"in row 8, column \d+ \(\d+\.\d E, 8\d\.\d N\)"):
        refuse_unstable(polar_rows(), much, step)
    depth = np.full((9, 72), 100.0)
    depth[3:] = 0.0
    refuse_unstable(polar_rows(depth=depth.tolist()), much, step)
