"""What other models and centres call the fields that have a name of their own here."""

from __future__ import annotations

from collections.abc import Iterable

from halocline.core.errors import nearest
from halocline.core.names import quantities

elsewhere: dict[str, tuple[str, ...]] = {
    ours: tuple(words.split())
    for ours, words in {
        "significant_height": "hs swh hsig hsign hm0 htsgw vhm0 wvht",
        "mean_period_energy": "mwp t0m1 tm10 tmm10 te vtm10",
        "mean_period": "mp1 t01 tm01 tm1",
        "mean_period_zero_crossing": "mp2 t02 tm02 tm2 tz vtm02 apd",
        "peak_period": "tp pp1d rtpeak rtp perpw vtpk dpd",
        "peak_frequency": "fp",
        "mean_direction": "dir mwd vmdr",
        "peak_direction": "dp pkdir dirpw vped",
        "directional_spread": "spr dspr wdw",
        "stokes_drift_u": "uuss vsdx",
        "stokes_drift_v": "vuss vsdy",
        "mean_square_slope": "mss msqs",
        "wave_spectrum": "efth spec espec ef",
        "wind_sea_height": "shww phs0 vhm0_ww",
        "wind_sea_peak_period": "ptp0",
        "wind_sea_direction": "mdww pdir0 vmdr_ww",
        "wind_sea_spread": "pspr0",
        **{
            f"swell{number}_{ours}": words.replace("1", str(number))
            for number in (1, 2, 3)
            for ours, words in {
                "height": "swh1 phs1 vhm0_sw1",
                "peak_period": "ptp1",
                "direction": "mwd1 pdir1 vmdr_sw1",
                "spread": "pspr1",
            }.items()
        },
        "wind_sea_fraction": "tws",
        "partitions": "pnr",
        "air_temperature": "t2 t2m 2t tas",
        "air_humidity": "q2 q2m huss",
        "sea_level_pressure": "slp msl mslp prmsl psl pmsl",
        "surface_pressure": "psfc sp",
        "ground": "hgt orog",
        "vapor_content": "pwat tcwv prw pw",
        "surface_cape": "cape sbcape",
        "surface_cin": "cin sbcin",
        "unstable_cape": "mucape",
        "unstable_cin": "mucin",
        "column_reflectivity": "mdbz refc cref",
        "reflectivity": "dbz refl",
        "rain_total": "rainnc",
        "precipitation_total": "apcp",
        "layer_temperature": "tk",
        "eastward_wind": "ua",
        "northward_wind": "va",
        "wind_u": "u10 10u uwnd ugrd",
        "wind_v": "v10 10v vwnd vgrd",
        "wind_speed": "wspd si10 ws10",
        "wind_direction": "wdir dwi",
        "friction_velocity": "ustar zust",
        "charnock": "chnk cha",
        "drag_coefficient": "cd cdww",
        "depth": "dpt dep bathymetry",
        "ice": "ci siconc icec aice",
    }.items()
}
"""Lower-case names by ours, of WAVEWATCH III, SWAN, ECMWF, NCEP, Copernicus, NDBC and WRF.

Names that mean different things in two of them ("ust") are left out.
"""

_ours = {other: ours for ours, others in elsewhere.items() for other in others}
_ours |= {q.standard_name: q.short_name for q in reversed(quantities.values()) if q.standard_name}


def our_name(word: str) -> str:
    """Our name of what others call `word`, or what CF calls so; empty if nobody does.

    >>> our_name("Hs"), our_name("sea_surface_wave_significant_height"), our_name("ust")
    ('significant_height', 'significant_height', '')
    """
    return _ours.get(word.lower(), "")


def hint(word: str, known: Iterable[str]) -> str:
    """Return ' It is called ... here.' for another name of a known field, or the nearest word.

    >>> hint("hs", ["significant_height", "halos"])
    " It is called 'significant_height' here."
    >>> hint("significant_height", ["hs", "tp"])
    " It is called 'hs' here."
    >>> hint("depht", ["depth"])
    " Did you mean 'depth'?"
    """
    words = list(known)
    for other in words:
        if (our_name(other) or other) == (our_name(word) or word):
            return f" It is called '{other}' here."
    return nearest(word, words)
