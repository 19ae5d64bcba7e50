"""Sea ice: thresholds, scaled sources, no waves where it is closed, and its retreat."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.core.clock import Clock, date, duration
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.runtime.ranks.communicator import Alone
from halocline.waves import inspection, spectra
from halocline.waves.component import ForcingOptions, WaveComponent
from halocline.waves.forcing import WindOptions
from halocline.waves.parameters import mean_parameters
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.start import WaveStart
from halocline.waves.waves_options import WavesOptions

spectral = SpectralGrid(frequencies=20, factor=1.13, directions=12)


class Sea:
    """A square sea under 15 m/s from the west whose ice the test sets before every step."""

    def __init__(self, physics="ST2", start="calm", **options):
        clock = Clock(date("2000-01-01"), date("2000-01-03"), duration("1h"))
        grid = regular_grid(
            GridOptions(kind="cartesian", nx=14, ny=12, dx=3e4, dy=3e4, depth=500.0)
        )
        self.component = WaveComponent(
            grid,
            spectral,
            WavesOptions.from_table({"physics": physics, **options}),
            WaveStart(kind=start),
            ForcingOptions(wind=WindOptions(speed=15.0)),
            clock,
            Alone(),
        )
        self.clock, self.model = clock, self.component.model
        self.component.start(clock.time, False)

    def run(self, concentration, hours):
        numbers = self.component.ice.share.numbers
        ice = np.broadcast_to(np.asarray(concentration, float), numbers.shape).copy()
        for _ in range(hours):
            self.model.set_ice(numbers, ice)
            self.component.step(self.clock.time)
            self.clock.advance()
        return self

    @property
    def energy(self):
        """Sum over components at every sea point."""
        return self.model.spectrum.gather().sum(axis=0)

    @property
    def height(self):
        density = self.model.spectrum.gather().reshape(*spectral.shape, -1)
        return mean_parameters(density, spectral)["significant_height"]


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
@pytest.mark.parametrize("concentration", [0.75, 0.8, 1.0])
def test_no_waves_grow_where_ice_is_closed(physics, concentration):
    """A day of 15 m/s, from a calm and from a young sea."""
    for start in ("calm", "jonswap"):
        assert not Sea(physics, start).run(concentration, 24).energy.any()


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
def test_open_ice_lets_less_grow_the_denser_it_is(physics):
    heights = [Sea(physics).run(ice, 12).height.max() for ice in (0.0, 0.25, 0.5, 0.74)]
    assert (np.diff(heights) < 0).all() and heights[-1] > 0
    assert heights[0] > 2.0 and heights[2] < 0.75 * heights[0] and heights[3] < 0.5 * heights[0]


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
def test_sources_are_scaled_by_open_water(physics):
    """One short step, so that the spectrum hardly changes: half the water, half the change."""
    change = {}
    for water in (0.0, 0.5, 1.0):
        settings = inspection.default_settings(physics, spectral)
        box = inspection.BoxModel(spectral, wind=(15.0, 270.0), physics=physics, settings=settings)
        before = spectra.jonswap_directional(spectral, 0.004, 0.15)
        box.state["spectrum"][:, 0] = before.ravel()
        box.state["open_water"][:] = water
        box.advance(0.5)
        prognostic = slice(0, 12)
        change[water] = (box.spectrum - before)[prognostic]
    assert np.abs(change[0.0]).max() < 1e-24
    np.testing.assert_allclose(change[0.5], 0.5 * change[1.0], rtol=0.02, atol=1e-9)


def test_ice_effect_is_the_share_of_ice_that_counts():
    weak = Sea(ice_effect=0.4).run(0.6, 1).model.open_water.gather()
    np.testing.assert_allclose(weak, 1.0 - 0.4 * 0.6, rtol=1e-6)
    assert WavesOptions().ice_effect == 1.0


def test_waves_end_at_an_edge_and_begin_anew_behind_retreating_ice():
    """The eastern half is closed, then opens: waves run into it, none are left from before."""
    sea = Sea(start="jonswap")
    x = sea.component.grid.point_x
    east = x > np.median(x)
    sea.run(np.where(east, 1.0, 0.0), 12)
    assert not sea.energy[east].any() and sea.height[~east].min() > 0.5
    behind = sea.height.max()
    sea.run(0.0, 1)
    assert 0.0 < sea.height[x == x.max()].max() < 0.5 < behind
    sea.run(0.0, 12)
    assert sea.height[east].min() > 1.0


def test_start_and_restart_have_no_waves_under_closed_ice():
    sea = Sea(start="jonswap")
    numbers = sea.component.ice.share.numbers
    ice = np.where(numbers % 3 == 0, 0.9, 0.1)
    assert sea.energy.all()
    spectrum = sea.model.spectrum
    spectrum.fill(0.0)
    sea.model.set_spectra(lambda some: np.ones((spectral.components, some.size)))
    assert not any(spectrum.storage(spectrum.layout).fresh.of())
    sea.model.set_ice(numbers, ice)
    assert not sea.energy[numbers % 3 == 0].any() and sea.energy[numbers % 3 != 0].all()
    sea.model.set_spectra(lambda some: np.ones((spectral.components, some.size)))
    assert not sea.energy[numbers % 3 == 0].any() and sea.energy[numbers % 3 != 0].all()
