"""Names and units of fields against the CF standard-name table and what the words mean.

The table is the one that comes with compliance-checker; units are compared by UDUNITS.
"""

import re
from functools import lru_cache
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pytest
from cf_units import Unit

from halocline.biogeochemistry.bfm.model import Bfm
from halocline.biogeochemistry.npzd.model import Npzd
from halocline.biogeochemistry.reacting_state import shown_at_surface, shown_on_levels
from halocline.core.names import Quantity, quantities


def shown_by_life() -> list[Quantity]:
    """Tracers of all biologies and what they show."""
    found = [*shown_on_levels.values(), *shown_at_surface.values()]
    for kind in (Bfm, Npzd):
        found += [*kind.tracers, *kind.diagnostics.values(), *kind.planes.values()]
    return found


named = {name: q.standard_name for name, q in quantities.items() if q.standard_name}

in_other_units = {"temperature": "degree_C"}
"""Not in the table's canonical units: ocean models give temperatures so."""

without_standard_name = {
    "stress_into_ocean_east": "Pa", "stress_into_ocean_north": "Pa",
    "stokes_transport_u": "m2 s-1", "stokes_transport_v": "m2 s-1",
    "peak_frequency": "s-1", "absolute_peak_frequency": "s-1", "absolute_peak_period": "s",
    "directional_moment_a1": "1", "directional_moment_b1": "1",
    "directional_moment_a2": "1", "directional_moment_b2": "1", "wind_sea_fraction": "1",
    "partitions": "1", "friction_velocity": "m s-1", "air_sea_temperature_difference": "K",
    "obstruction_x": "1", "obstruction_y": "1", "tracer": "1", "surface_temperature": "degree_C",
    "x_volume_flux": "m3 s-1", "y_volume_flux": "m3 s-1", "potential_temperature_anomaly": "K",
    "dry_column_pressure": "Pa", "updraft": "m s-1", "rain_mixing_ratio": "1",
    "rain_number": "kg-1", "ice_number": "kg-1",
    "snow_mixing_ratio": "1", "graupel_mixing_ratio": "1", "column_reflectivity": "dBZ",
}  # fmt: skip


@lru_cache
def canonical_units() -> dict[str, str]:
    """Units of every standard name, aliases included."""
    path = files("compliance_checker") / "data" / "cf-standard-name-table.xml"
    table = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    units = {e.get("id"): e.findtext("canonical_units") for e in table.iter("entry")}
    for alias in table.iter("alias"):
        units[alias.get("id")] = units[alias.findtext("entry_id")]
    assert len(units) > 4000
    return units


@pytest.mark.parametrize("name", quantities)
def test_units_are_canonical(name):
    """One of our units is one of theirs, and nothing is nothing: no factor and no other zero."""
    if name in named:
        wanted = in_other_units.get(name, canonical_units()[named[name]])
    else:
        wanted = without_standard_name[name]
    ours = Unit(quantities[name].units)
    assert ours.convert(1.0, wanted) == pytest.approx(1.0, rel=1e-12)
    assert ours.convert(0.0, wanted) == 0.0


@pytest.mark.parametrize("shown", shown_by_life(), ids=lambda one: one.short_name)
def test_what_life_shows_has_names_and_units_of_the_table(shown):
    """Biologists count in mg and mmol: units of the table but for a factor of ten."""
    assert shown.long_name
    if shown.standard_name:
        wanted = in_other_units.get(shown.short_name, canonical_units()[shown.standard_name])
        factor = Unit(shown.units).convert(1.0, wanted)
        assert np.log10(factor) == pytest.approx(round(np.log10(factor)), abs=1e-9)
        assert Unit(shown.units).convert(0.0, wanted) == 0.0


means = {
    r"_u$": r"eastward|_x_velocity",
    r"_v$": r"northward|_y_velocity",
    r"_w$": r"upward",
    r"^stokes_drift_": r"stokes_drift_\w+_velocity$",
    r"^stress_into_waves_": r"^surface_downward_\w+_stress_due_to_sea_surface_waves$",
    r"^stress_from_waves_": r"_stress_due_to_dissipation_of_sea_surface_waves$",
    r"(^stress|waves)\w*_east$": r"eastward_stress_due_to",
    r"(^stress|waves)\w*_north$": r"northward_stress_due_to",
    r"^(isobaric_)?wind_[uv]$": r"_wind$",
    r"^current_": r"sea_water_velocity$",
    r"(?<!geopotential_)(?<!isobaric_)height$": r"significant_height$",
    r"^mean_period_energy$": r"mean_period_\w+_inverse_frequency_moment$",
    r"^mean_period$": r"mean_period_\w+_first_frequency_moment$",
    r"^mean_period_zero_crossing$": r"mean_period_\w+_second_frequency_moment$",
    r"peak_period$": r"_period_at_variance_spectral_density_maximum$",
    r"(mean|wind_sea|swell\d|wind)_direction$": r"from_direction$",
    r"^peak_direction$": r"from_direction_at_variance_spectral_density_maximum$",
    r"^direction$": r"to_direction$",
    r"spread$": r"directional_spread$",
    r"^wind_sea_(height|peak|direction|spread)": r"sea_surface_wind_wave_",
    r"^swell1": r"primary_swell",
    r"^swell2": r"secondary_swell",
    r"^swell3": r"tertiary_swell",
    r"^(significant|mean|peak|stokes|directional_spread)": r"^sea_surface_wave_",
}
"""What a short name that fits says of the standard name: the one does if and only if the other."""


def test_short_names_mean_what_standard_names_say():
    of_waves = [name for name, standard in named.items() if standard.startswith("sea_surface_")]
    assert len(of_waves) > 25
    for short, standard in means.items():
        fitting = [name for name in named if re.search(short, name)]
        assert fitting, short
        for name in fitting:
            assert re.search(standard, named[name]), (name, named[name])
    told = [n for n in of_waves if any(re.search(short, n) for short in means)]
    assert set(of_waves) - set(told) <= {
        "wave_spectrum", "frequency", "sea_surface_temperature", "sea_level", "surface_salinity"
    }  # fmt: skip


def test_directions_say_where_they_come_from_or_go_to():
    for name, standard in named.items():
        comes = re.search(r"from_direction", standard) is not None
        assert quantities[name].is_direction == comes
        if comes:
            assert quantities[name].comment == "where it comes from, clockwise from north"
        if "to_direction" in standard:
            assert quantities[name].comment == "where waves go to, clockwise from north"
