"""How quantities look: colour map, short title and scale of each, and the style of all figures.

Colour maps are those of cmocean (Thyng et al. 2016), even in lightness and safe for readers who
are colour-blind.
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Literal

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.colors import Colormap
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

with warnings.catch_warnings():
    # cmocean 4.0.3 builds its colour maps in a way that matplotlib 3.11 calls outdated.
    warnings.simplefilter("ignore", DeprecationWarning)
    import cmocean

Scale = Literal["from zero", "between", "around zero", "direction", "fraction"]

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 7.0,
    "axes.labelsize": 9.0,
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.7,
    "axes.grid": False,
    "axes.facecolor": "#eef0f2",
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "text.color": "#1d2329",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "legend.frameon": False,
    "hatch.color": "#98a1a9",
    "hatch.linewidth": 0.5,
}

BLUE, ORANGE, GREEN, PURPLE = "#0b5fa5", "#d1691b", "#2f8f6b", "#7a4a9e"
"""Line colours that stay apart in grey and for colour-blind readers."""


@dataclass(frozen=True)
class Look:
    """`palette` names a colour map of cmocean, `scale` how its ends are chosen.

    Fields that are smooth by nature get `contours` at the marks of the colour bar.
    """

    palette: str
    scale: Scale
    title: str = ""
    contours: bool = False

    @property
    def colours(self) -> Colormap:
        """The colour map."""
        return palette(self.palette)

    def fitted(self, values: NDArray[np.floating[Any]]) -> Look:
        """Itself; where all values are far from zero, which its scale is around, one between them.

        >>> Look("balance", "around zero").fitted(np.array([19.6, 20.4])).scale
        'between'
        """
        size = np.abs(values[np.isfinite(values)])
        one_sign = bool((values > 0.0).any()) != bool((values < 0.0).any())
        if self.scale != "around zero" or not one_sign or size.max() > 2.0 * size.min():
            return self
        return replace(self, palette="tempo", scale="between")


def palette(name: str) -> Colormap:
    """A colour map of cmocean."""
    colours: Colormap = getattr(cmocean.cm, name)
    return colours


BY_STANDARD_NAME: dict[str, Look] = {
    "sea_surface_wave_significant_height": Look(
        "haline", "from zero", "Significant wave height", True
    ),
    "sea_surface_wind_wave_significant_height": Look("haline", "from zero", "Wind-sea height"),
    "sea_surface_swell_wave_significant_height": Look("haline", "from zero", "Swell height"),
    "sea_surface_wave_directional_spread": Look("matter", "between", "Directional spread"),
    "sea_surface_primary_swell_wave_significant_height": Look(
        "haline", "from zero", "Primary swell height"
    ),
    "sea_surface_wave_period_at_variance_spectral_density_maximum": Look(
        "dense_r", "between", "Peak period"
    ),
    "sea_surface_wave_from_direction": Look("phase", "direction", "Mean wave direction (from)"),
    "wind_speed": Look("tempo", "from zero", "Wind speed"),
    "sea_ice_area_fraction": Look("ice", "fraction", "Sea ice"),
    "sea_floor_depth_below_sea_surface": Look("deep", "from zero", "Water depth"),
    "sea_floor_depth_below_geoid": Look("deep", "from zero", "Water depth"),
    "sea_surface_height_above_geoid": Look("balance", "around zero", "Sea level", True),
    "sea_water_temperature": Look("thermal", "between", "Temperature", True),
    "sea_water_potential_temperature": Look("thermal", "between", "Temperature", True),
    "sea_surface_temperature": Look("thermal", "between", "Sea surface temperature", True),
    "ocean_barotropic_streamfunction": Look(
        "haline", "between", "Barotropic stream function", True
    ),
    "ocean_mixed_layer_thickness_defined_by_sigma_theta": Look(
        "deep", "from zero", "Mixed layer depth"
    ),
    "sea_water_x_velocity": Look("balance", "around zero", "Velocity along x"),
    "sea_water_y_velocity": Look("balance", "around zero", "Velocity along y"),
    "sea_water_salinity": Look("haline", "between", "Salinity", True),
    "net_primary_production_of_biomass_expressed_as_carbon_per_unit_volume_in_sea_water": Look(
        "algae", "between", "Net primary production"
    ),
    "air_potential_temperature": Look("thermal", "between", "Potential temperature", True),
    "x_wind": Look("balance", "around zero", "Wind along x"),
    "y_wind": Look("balance", "around zero", "Wind along y"),
    "upward_air_velocity": Look("balance", "around zero", "Upward wind"),
    "air_pressure_at_mean_sea_level": Look("dense_r", "between", "Sea-level pressure", True),
    "geopotential_height": Look("haline", "between", "Geopotential height", True),
    "surface_altitude": Look("turbid", "from zero", "Height of the ground"),
    "surface_temperature": Look("thermal", "between", "Skin temperature"),
    "atmosphere_mass_content_of_water_vapor": Look("rain", "from zero", "Precipitable water"),
}

BY_WORD: tuple[tuple[str, Look], ...] = (
    ("anomaly", Look("balance", "around zero")),
    ("direction", Look("phase", "direction")),
    ("period", Look("dense_r", "between")),
    ("height", Look("haline", "from zero", contours=True)),
    ("spread", Look("matter", "between")),
    ("charnock", Look("amp", "from zero")),
    ("friction_velocity", Look("tempo", "from zero")),
    ("speed", Look("speed", "from zero")),
    ("depth", Look("deep", "from zero")),
    ("fraction", Look("ice", "fraction")),
    ("chlorophyll", Look("algae", "from zero")),
    ("temperature", Look("thermal", "between")),
    ("salinity", Look("haline", "between")),
)

BY_UNITS: dict[str, Look] = {"dBZ": Look("rain", "from zero")}
"""Below 0 dBZ a radar sees next to nothing."""


def look_of(data: xr.DataArray) -> Look:
    """The look of a variable, from its standard name, units, other names, or its values."""
    standard_name = str(data.attrs.get("standard_name", ""))
    if standard_name in BY_STANDARD_NAME:
        return BY_STANDARD_NAME[standard_name]
    if (units := data.attrs.get("units")) in BY_UNITS:
        return BY_UNITS[str(units)]
    values = np.asarray(data.values, dtype=np.float64)
    values = values[np.isfinite(values)]
    both_signs = bool(values.size) and bool(values.min() < 0.0 < values.max())
    words = f"{standard_name} {data.name} {data.attrs.get('long_name', '')}".lower()
    for word, look in BY_WORD:
        if word in words.replace(" ", "_") and not (both_signs and look.scale == "from zero"):
            return look
    return Look("balance", "around zero") if both_signs else Look("matter", "between")


def title_of(data: xr.DataArray) -> str:
    """Title of a variable: that of its look, else its long name, else its names."""
    known = BY_STANDARD_NAME.get(
        str(data.attrs.get("standard_name", "")), Look("", "between")
    ).title
    name = known or str(
        data.attrs.get("long_name") or data.attrs.get("standard_name") or data.name or ""
    )
    name = name.replace("_", " ")
    return name[:1].upper() + name[1:]


def name_with_units(data: xr.DataArray) -> str:
    """The title of a variable with its units, if it has any."""
    units = units_of(data)
    return f"{title_of(data)} [{units}]" if units else title_of(data)


def style() -> AbstractContextManager[None]:
    """Context in which figures get the style of this package."""
    context: Any = matplotlib.rc_context
    return context(STYLE)


def ink_on(look: Look) -> str:
    """Colour of arrows that show on the colours of a look: white, or a dark grey on pale ones."""
    lightness = look.colours(np.array([0.3]))[0, :3] @ (0.3, 0.6, 0.1)
    return "white" if lightness < 0.5 else "#1d2329"


_READABLE = {"m3 s-1": ("Sv", 1e-6), "W": ("PW", 1e-15), "kg s-1": ("10⁶ kg/s", 1e-6)}
"""Units of what passes sections of the sea, and factors to units in which numbers are readable."""
_LARGE = 1e4
"""In the first of these units, what is worth another."""

_UNITS = {
    "1": "",
    "1e-3": "",
    "degree": "°",
    "degrees": "°",
    "degree_c": "°C",
    "degree_celsius": "°C",
    "degc": "°C",
    "celsius": "°C",
    "m s-1": "m/s",
    "m s**-1": "m/s",
    "kg m-3": "kg/m³",
}


def units_of(data: xr.DataArray) -> str:
    """Units as printed."""
    units = str(data.attrs.get("units", ""))
    return _UNITS.get(units.lower(), units)


def is_transport(data: xr.DataArray) -> bool:
    """Whether this is what an ocean carries, in units in which that is a huge number."""
    known = str(data.attrs.get("units", "")) in _READABLE
    return known and bool(np.abs(data).max() > _LARGE)


def readable(data: xr.DataArray) -> xr.DataArray:
    """Such a variable in units whose numbers can be read, as Sv."""
    units, factor = _READABLE[str(data.attrs["units"])]
    return (data * factor).assign_attrs(data.attrs, units=units)


def limits(
    values: NDArray[np.floating[Any]], scale: Scale, steps: int = 10
) -> tuple[float, float, NDArray[np.float64]]:
    """Ends of the colour scale and its marks, round numbers that hold nearly all values.

    >>> low, high, marks = limits(np.array([0.3, 4.0, 9.7]), "from zero", steps=5)
    >>> (low, high, marks.tolist())
    (0.0, 10.0, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0])
    >>> limits(np.zeros(3), "between")[:2]  # what is nowhere has the colour of the least
    (0.0, 1.0)
    """
    if scale == "direction":
        return 0.0, 360.0, np.arange(0.0, 361.0, 45.0)
    if scale == "fraction":
        return 0.0, 1.0, np.linspace(0.0, 1.0, 6)
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if finite.size == 0:
        return 0.0, 1.0, np.linspace(0.0, 1.0, 6)
    low, high = (float(np.quantile(finite, part, method="nearest")) for part in (0.001, 0.9998))
    if scale == "from zero":
        low, high = 0.0, max(high, 1e-30)
    if scale == "around zero":
        low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
    if scale == "between" and low == high == 0.0:
        high = 1.0
    if high <= low:
        room = 0.5 * abs(low) or 0.5
        low, high = low - room, high + room
    locator = MaxNLocator(nbins=steps, steps=[1, 2, 2.5, 5, 10])
    marks = np.asarray(locator.tick_values(low, high), dtype=np.float64)
    if scale == "from zero":
        marks = marks[marks >= 0.0]
    return float(marks[0]), float(marks[-1]), marks
