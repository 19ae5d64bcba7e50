"""Parameters of spectra against their definition, and the station sheet."""

from __future__ import annotations

import numpy as np
import pytest
import wavespectra
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from halocline.analysis.spectra import (
    draw_frequency_spectrum,
    draw_polar_spectrum,
    place_of,
    quiet_angle,
    station_sheet,
    wind_at,
)
from halocline.analysis.spectrum import station_spectra


def test_height_period_and_direction(spectra: xr.Dataset) -> None:
    found = station_spectra(spectra, 1)
    assert found.significant_height == pytest.approx([3.0, 4.0, 5.0], rel=1e-6)
    assert found.peak_period == pytest.approx([10.0] * 3, rel=0.01)
    assert found.mean_direction == pytest.approx([240.0] * 3, abs=1e-6)
    assert found.mean_period == pytest.approx([10.1] * 3, rel=0.03)


def test_tail_beyond_the_last_frequency() -> None:
    frequency = 0.05 * 1.01 ** np.arange(300)
    data = xr.Dataset(
        {
            "efth": (
                ("time", "frequency", "direction"),
                np.tile((frequency**-5)[None, :, None] / (2.0 * np.pi), (1, 1, 24)),
            )
        },
        {"time": [np.datetime64("2011-01-01", "ns")], "frequency": frequency,
         "direction": np.arange(24) * 15.0},
    )  # fmt: skip
    exact = 0.25 * frequency[0] ** -4
    assert station_spectra(data, 0).moment(0) == pytest.approx([exact], rel=2e-3)


def test_radians_and_from_directions_are_understood(spectra: xr.Dataset) -> None:
    turned = np.remainder(spectra.direction.values + 180.0, 360.0)
    attributes = {"standard_name": "sea_surface_wave_from_direction", "units": "radian"}
    again = spectra.assign_coords(direction=("direction", np.deg2rad(turned), attributes))
    assert station_spectra(again, 0).density == pytest.approx(station_spectra(spectra, 0).density)


def test_calm_has_no_period_and_no_direction(spectra: xr.Dataset) -> None:
    calm = station_spectra(spectra.assign(efth=0.0 * spectra.efth), 0)
    assert calm.significant_height == pytest.approx(0.0)
    for values in (calm.peak_period, calm.mean_period, calm.mean_direction):
        assert np.isnan(values).all()


def test_same_values_as_wavespectra(spectra: xr.Dataset) -> None:
    renamed = spectra.efth.rename(frequency="freq", direction="dir") * np.pi / 180.0
    theirs = wavespectra.SpecArray(renamed.isel(station=0))
    ours = station_spectra(spectra, 0)
    assert ours.significant_height == pytest.approx(theirs.hs(tail=False).values, rel=1e-3)
    assert ours.peak_period == pytest.approx(theirs.tp().values, rel=0.02)


def test_polar_spectrum_peaks_where_waves_come_from(spectra: xr.Dataset) -> None:
    figure = Figure()
    axes = figure.add_subplot(projection="polar")
    assert isinstance(axes, PolarAxes)
    filled = draw_polar_spectrum(figure, axes, station_spectra(spectra, 0), 2, (9.0, 230.0))
    highest = filled.get_paths()[-1].vertices
    assert np.rad2deg(highest[:, 0].mean()) == pytest.approx(240.0, abs=3.0)
    assert axes.get_theta_direction() == -1
    assert [label.get_text() for label in axes.get_xticklabels()][::2] == ["N", "E", "S", "W"]
    assert "wind 9.0 m/s" in [text.get_text() for text in axes.texts]


def test_frequency_spectrum_is_the_sum_over_directions(spectra: xr.Dataset) -> None:
    axes = Figure().add_subplot()
    found = station_spectra(spectra, 0)
    draw_frequency_spectrum(axes, found, 1)
    line = axes.get_lines()[0]
    assert np.asarray(line.get_xdata()) == pytest.approx(spectra.frequency.values)
    summed = spectra.efth.values[1, 0].sum(axis=1) * np.deg2rad(15.0)
    assert np.asarray(line.get_ydata()) == pytest.approx(summed)


def test_station_sheet_has_all_its_parts(spectra: xr.Dataset) -> None:
    figure = station_sheet(spectra, 0, 2)
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    assert any("Directional spectrum" in title for title in titles)
    assert any("History" in title for title in titles)
    words = " ".join(text.get_text() for text in figure.texts)
    for expected in ("Biscay", "2011-01-15 14:00 UTC", "Hs 5.00 m", "from 240°", "47.5°N"):
        assert expected in words


def test_one_time_only_has_no_history(spectra: xr.Dataset) -> None:
    assert len(station_sheet(spectra.isel(time=[0]), 0, 0).axes) == 2


def test_place_and_wind(spectra: xr.Dataset) -> None:
    assert place_of(spectra, 1) == "20°N  160°W"
    wind = wind_at(spectra, 1)
    assert wind is not None
    assert wind[0].tolist() == [9.0] * 3 and wind[1].tolist() == [230.0] * 3
    assert wind_at(spectra.drop_vars("wnd"), 0) is None


def test_ring_labels_keep_away_from_the_energy(spectra: xr.Dataset) -> None:
    found = station_spectra(spectra, 0)
    angle = quiet_angle(found.coming_from, found.density[0])
    assert abs((angle - 240.0 + 180.0) % 360.0 - 180.0) > 90.0
