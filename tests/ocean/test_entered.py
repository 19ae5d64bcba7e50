"""What the sea holds less what has come in stays, however levels in time are kept together.

Ranks: 1.
"""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from halocline.ocean.forcing_options import WaterFluxOptions
from halocline.ocean.relaxation_options import RelaxationOptions
from halocline.ocean.time_filter import TimeFilterOptions
from halocline.ocean.whole_ocean import WholeOcean
from ocean.forced_ocean import advance, build, everything, small_sea
from ocean.oceans import thinned
from ocean.test_surface_forcing import held

box = {"west": RelaxationOptions(box=(-1.5, 13.5, 36.5, 80.0), time_scale=0.5)}
rain = WaterFluxOptions(amplitude=2e-7, balanced=False)
salted = WaterFluxOptions(amplitude=2e-7, enters_as="salt", balanced=False)
"""Rain that is not balanced: as volume, and as the salt that it thins."""


def come(component):
    """Heat [K m3], salt [1e-3 m3] and water [m3] that have entered, without freezing."""
    entered = component.diagnostics.budget.entered()
    heat, salt = (entered[name] + entered.get(f"{name} of boxes", 0.0) for name in ("heat", "salt"))
    return np.array([heat, salt, entered["water"]])


@pytest.mark.parametrize(
    ("scheme", "averaging", "relax", "thin", "water"),
    [
        ("averaging", 5, box, True, rain),
        ("averaging", 5, {}, False, salted),
        ("matsuno", 5, box, False, salted),
        ("robert", 0, box, True, rain),
    ],
)
def test_contents_change_by_what_enters(scheme, averaging, relax, thin, water):
    forcing = replace(everything.forcing, water=water)
    filtered = TimeFilterOptions(scheme=scheme, strength=0.2, share=0.53)
    options = replace(
        everything, forcing=forcing, averaging=averaging, relax=relax, time_filter=filtered
    )
    component, time = build(options, levels=thinned(small_sea()) if thin else None)
    first, before = held(component), come(component)
    advance(component, time, 12)
    gained, entered = held(component) - first, come(component) - before
    assert (np.abs(entered)[:2] > 1e-8 * np.abs(first)[:2]).all()
    assert (abs(entered[2]) > 1e-7 * first[2]) == (water is rain)
    np.testing.assert_allclose(gained, entered, rtol=0.0, atol=3e-13 * np.abs(first).max())


def test_the_summary_and_the_numbers_tell_it():
    """With boxes, through the surface and by freezing; as the series has it."""
    component, time = build(replace(everything, relax=box))
    advance(component, time, 4)
    text = component.summary()
    number = r"([+-][0-9.]+e[+-][0-9]+)"
    way = f"heat gained {number} J: by the surface {number}, freezing {number}, boxes {number}"
    found = re.search(f"{way}; left over {number} J", text)
    assert found, text
    gained, surface, freezing, boxes, rest = map(float, found.groups())
    assert gained == pytest.approx(surface + freezing + boxes, rel=2e-3)
    assert abs(rest) < 1e-9 * abs(gained)
    numbers = WholeOcean(component)()
    assert float(numbers["heat_entered"]) == pytest.approx(surface + boxes, rel=1e-3)
    assert float(numbers["heat_lent"]) == pytest.approx(freezing, rel=1e-3)
    assert "salt gained" in text and "water gained" in text
    assert math.isclose(float(numbers["salt_entered"]), salt_of(text), rel_tol=1e-3)


def salt_of(text):
    """Salt by the surface and boxes in a summary [kg]."""
    told = re.search(r"salt gained \S+ kg: by the surface (\S+), boxes (\S+);", text)
    return sum(map(float, told.groups()))
