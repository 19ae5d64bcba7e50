"""Tables of correlated k of RRTMGP, as the kernels of radiation take them.

Pincus, Mlawer and Delamere (2019), J. Adv. Model. Earth Syst. 11, 3074. The shipped files are made
of those of the project `rrtmgp-data` (BSD licence; cases/data/rrtmgp/make_tables.py), which can be
read too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.radiation.radiation_options import RadiationOptions
from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock

Array = NDArray[np.float64]

shares: Mapping[str, float] = MappingProxyType(
    {
        "n2o": 336e-9,
        "ch4": 1.92e-6,
        "co": 1.2e-7,
        "o2": 0.209,
        "n2": 0.781,
        "cfc11": 2.2e-10,
        "cfc12": 4.9e-10,
        "cfc22": 2.5e-10,
        "ccl4": 7.5e-11,
    }
)
"""Molecules of well mixed gases but carbon dioxide per molecule of dry air, about 2023 (NOAA's
index of greenhouse gases); carbon monoxide, oxygen and nitrogen of RFMIP (Pincus et al. 2016)."""

most_terms = 16
"""Of a band."""

ozone_pressure = 100.0 * np.array(
    [1013.0, 795.0, 616.6, 472.2, 356.5, 265.0, 194.0, 141.7, 103.5, 75.65, 55.29, 40.47, 29.72,
     21.1, 11.97, 5.746, 2.871, 1.491, 0.7978, 0.425, 0.219]
)  # fmt: skip
"""Of `ozone_share` [Pa]."""

ozone_share = 1e-6 * np.array(
    [0.0266, 0.03237, 0.03387, 0.04112, 0.05966, 0.1313, 0.3095, 0.503, 0.8701, 1.587, 2.579, 3.647,
     4.627, 5.46, 6.553, 7.837, 7.3, 5.25, 3.1, 1.8, 1.1]
)  # fmt: skip
"""Of ozone in the U.S. standard atmosphere (Anderson et al. 1986, AFGL-TR-86-0110) [1]."""


standard_temperature = np.array(
    [288.2, 275.2, 262.2, 249.2, 236.2, 223.3, 216.6, 216.6, 216.6, 216.6, 216.6, 218.6, 220.6,
     222.8, 226.5, 236.5, 250.4, 264.2, 270.7, 260.8, 247.0]
)  # fmt: skip
"""Of the U.S. standard atmosphere of 1976 at those pressures [K]."""


@dataclass(frozen=True)
class RadiationTables:
    """Tables of files by names of arguments of a kernel, and a number beside them."""

    tables: Mapping[str, Array]
    tropopause: float
    """Pressure between the parts of the tables [Pa]."""


def _texts(values: NDArray[np.bytes_]) -> list[str]:
    return [b"".join(row.tolist()).decode().strip() for row in np.ma.filled(values, b" ")]


def _minors(file: netCDF4.Dataset, part: str, gases: list[str], ends: list[int]) -> Array:
    """A row for each minor gas of a band; see `Minor` in gas_optics.hpp."""
    names = dict(
        zip(_texts(file["identifier_minor"][:]), _texts(file["gas_minor"][:]), strict=True)
    )
    rows = []
    for name, (first, last), density, scaling, others, column in zip(
        _texts(file[f"minor_gases_{part}"][:]),
        file[f"minor_limits_gpt_{part}"][:].tolist(),
        file[f"minor_scales_with_density_{part}"][:].tolist(),
        _texts(file[f"scaling_gas_{part}"][:]),
        file[f"scale_by_complement_{part}"][:].tolist(),
        file[f"kminor_start_{part}"][:].tolist(),
        strict=True,
    ):
        band = ends.index(first - 1)
        assert last == ends[band + 1], "a minor gas absorbs in one whole band"
        other = gases.index(scaling) if scaling else -1
        rows.append([gases.index(names[name]), band, density, other, others, column - 1])
    return np.array(rows, float)


def _common(file: netCDF4.Dataset, options: RadiationOptions) -> dict[str, Array]:
    """Tables that both radiations have."""
    gases = ["dry", *_texts(file["gas_names"][:])]
    ends = [0, *file["bnd_limits_gpt"][:, 1].tolist()]
    assert max(np.diff(ends)) <= most_terms
    keys = np.array(file["key_species"][:].transpose(1, 0, 2))
    keys[(keys == 0).all(axis=-1)] = 2
    reference = np.array(file["vmr_ref"][:])
    ratios = np.empty((2, len(ends) - 1, reference.shape[0]))
    for part, band in np.ndindex(*ratios.shape[:2]):
        one, other = keys[part, band]
        ratios[part, band] = reference[:, one, part] / reference[:, other, part]
    share = np.array([shares.get(gas, 0.0) for gas in gases])
    share[0] = 1.0
    share[gases.index("co2")] = options.carbon_dioxide
    return {
        "absorption": np.array(file["kmajor"][:]),
        "lower": np.array(file["kminor_lower"][:]),
        "upper": np.array(file["kminor_upper"][:]),
        "minors_lower": _minors(file, "lower", gases, ends),
        "minors_upper": _minors(file, "upper", gases, ends),
        "keys": keys.astype(float),
        "ratios": ratios,
        "band_ends": np.array(ends, float),
        "temperatures": np.array(file["temp_ref"][:]),
        "pressures": np.array(file["press_ref"][:]),
        "ozone_pressure": ozone_pressure,
        "ozone_share": ozone_share,
        "standard_temperature": standard_temperature,
        "shares": share,
    }


def _clouds(path: Path, options: RadiationOptions) -> dict[str, tuple[Array, Array, Array]]:
    """Extinction [m2 kg-1], albedo and asymmetry of single scattering, of drops and crystals."""

    def at(values: Array, least: float, largest: float, size: float) -> Array:
        sizes = np.linspace(least, largest, values.shape[-1])
        return np.array([np.interp(size, sizes, row) for row in values])

    with netcdf_lock, netCDF4.Dataset(path) as file:
        limits = {
            name: float(file[name][...])
            for name in ("radliq_lwr", "radliq_upr", "diamice_lwr", "diamice_upr")
        }
        drops = [
            at(file[name][:], limits["radliq_lwr"], limits["radliq_upr"], options.drop_radius)
            for name in ("extliq", "ssaliq", "asyliq")
        ]
        rough = 1
        crystals = [
            at(
                file[name][rough],
                limits["diamice_lwr"],
                limits["diamice_upr"],
                options.crystal_diameter,
            )
            for name in ("extice", "ssaice", "asyice")
        ]
    per_gram = 1e3
    return {
        "liquid": (per_gram * drops[0], drops[1], drops[2]),
        "ice": (per_gram * crystals[0], crystals[1], crystals[2]),
    }


def _file(options: RadiationOptions, name: str) -> Path:
    """A file of tables: of the folder of the options, or as shipped."""
    folder = Path(options.tables) if options.tables else data_folder() / "rrtmgp"
    if not (folder / name).is_file():
        raise UserError(
            f"There is no file {name} of RRTMGP's tables in {folder}, the folder that"
            " physics.radiation.tables names. Leave that out for the shipped tables."
        )
    return folder / name


def long_wave_tables(options: RadiationOptions) -> RadiationTables:
    """Tables of the long wave, of 16 bands with 16 terms each."""
    clouds = _clouds(_file(options, "rrtmgp-clouds-lw-bnd.nc"), options)
    more = {name: extinction * (1 - albedo) for name, (extinction, albedo, _) in clouds.items()}
    path = _file(options, "rrtmgp-gas-lw-g256.nc")
    with netcdf_lock, netCDF4.Dataset(path) as file:
        more |= {
            "planck_share": np.array(file["plank_fraction"][:]),
            "planck": np.array(file["totplnk"][:]),
        }
        tropopause = float(file["press_ref_trop"][...])
        return RadiationTables(_common(file, options) | more, tropopause)


def short_wave_tables(options: RadiationOptions) -> RadiationTables:
    """Tables of the short wave, of 14 bands with 16 terms each."""
    clouds = _clouds(_file(options, "rrtmgp-clouds-sw-bnd.nc"), options)
    more = {
        f"{kind}_{quantity}": values
        for kind, found in clouds.items()
        for quantity, values in zip(("extinction", "albedo", "asymmetry"), found, strict=True)
    }
    path = _file(options, "rrtmgp-gas-sw-g224.nc")
    with netcdf_lock, netCDF4.Dataset(path) as file:
        quiet, facular, sunspot = (
            np.array(file[f"solar_source_{name}"][:]) for name in ("quiet", "facular", "sunspot")
        )
        active = (float(file["mg_default"][...]) - 0.1495954) * facular
        light = quiet + active + (float(file["sb_default"][...]) - 0.00066696) * sunspot
        more |= {
            "lower_scattering": np.array(file["rayl_lower"][:]),
            "upper_scattering": np.array(file["rayl_upper"][:]),
            "sunlight": light / light.sum(),
        }
        tropopause = float(file["press_ref_trop"][...])
        return RadiationTables(_common(file, options) | more, tropopause)
