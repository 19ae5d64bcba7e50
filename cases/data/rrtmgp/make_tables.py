"""Makes the tables here from those of rrtmgp-data: python make_tables.py FOLDER_OF_RRTMGP_DATA

What Halocline reads, and nothing else, is copied. Large tables are rounded to fewer bits (`bits`)
and compressed, numbers below 1e-37 (of no effect) are 0; all else stays as it is.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import netCDF4
import numpy as np

sources = {
    "rrtmgp-gas-lw-g256.nc": "4048360199d1917ed8f2ccaae2ec097d0f990da3bbad9830337b739b4fa01be7",
    "rrtmgp-gas-sw-g224.nc": "584f1dd41ea9fc07d4ee3754eb1dafbd46ad3161cd6fd20fa06b6922b6f0702e",
    "rrtmgp-clouds-lw-bnd.nc": "09d6704c5b863b4c3ceb417d20bb3076ec492e6bf2dfbcc9f3c5996a3706f0b0",
    "rrtmgp-clouds-sw-bnd.nc": "7671835992a45afe66244b591a02c0b3df73d7d59ecb746bbffd9763497651cd",
}
"""SHA-256 of the files of rrtmgp-data, version 1.9 (commit eff0433, 27 January 2025)."""

bits = {
    "kmajor": 13, "kminor_lower": 13, "kminor_upper": 13, "rayl_lower": 13, "rayl_upper": 13,
    "plank_fraction": 16,
}  # fmt: skip
"""Of what follows the first digit; 13: to 6e-5 of the number."""

kept = (
    *bits, "gas_names", "bnd_limits_gpt", "key_species", "vmr_ref", "temp_ref",
    "press_ref", "press_ref_trop", "identifier_minor", "gas_minor", "totplnk", "mg_default",
    "sb_default",
    *(f"solar_source_{name}" for name in ("quiet", "facular", "sunspot")),
    *(f"{name}_{part}" for part in ("lower", "upper") for name in (
        "minor_gases", "minor_limits_gpt", "minor_scales_with_density", "scaling_gas",
        "scale_by_complement", "kminor_start")),
    *(f"{name}_{end}" for name in ("radliq", "diamice") for end in ("lwr", "upr")),
    *(f"{name}{what}" for name in ("ext", "ssa", "asy") for what in ("liq", "ice")),
)  # fmt: skip


def rounded(values: np.ndarray, count: int) -> np.ndarray:
    """To the nearest of float32 with so many bits after the first."""
    less = np.uint32(23 - count)
    whole = np.asarray(values, np.float32).view(np.uint32)
    odd = (whole >> less) & np.uint32(1)
    up = np.uint32((1 << (int(less) - 1)) - 1) + odd
    nearest = ((whole + up) >> less << less).view(np.float32)
    return np.where(np.abs(nearest) < 1e-37, np.float32(0), nearest)


def copy(source: netCDF4.Dataset, target: netCDF4.Dataset) -> None:
    """What is kept of a file of RRTMGP."""
    target.title = "Tables of RRTMGP as Halocline reads them"
    target.source = "rrtmgp-data 1.9, github.com/earth-system-radiation/rrtmgp-data"
    target.references = "Pincus, Mlawer and Delamere 2019, J. Adv. Model. Earth Syst. 11, 3074"
    target.license = "BSD 3-Clause, see LICENSES.txt"
    target.comment = "large tables rounded, others left out, by make_tables.py"
    for name in kept:
        if name not in source.variables:
            continue
        old = source[name]
        for dimension, size in zip(old.dimensions, old.shape, strict=True):
            if dimension not in target.dimensions:
                target.createDimension(dimension, size)
        large = name in bits
        chunks = (*old.shape[:-1], min(16, old.shape[-1])) if large else None
        new = target.createVariable(
            name, "f4" if large else old.dtype, old.dimensions, zlib=old.ndim > 0, complevel=9,
            chunksizes=chunks,
        )  # fmt: skip
        new.setncatts({key: old.getncattr(key) for key in old.ncattrs() if key != "_FillValue"})
        old.set_auto_mask(False)
        new[...] = rounded(old[...], bits[name]) if large else old[...]


if __name__ == "__main__":
    for name, digest in sources.items():
        original = Path(sys.argv[1]) / name
        if hashlib.sha256(original.read_bytes()).hexdigest() != digest:
            sys.exit(f"{original} is not that of rrtmgp-data 1.9. Take the file of that version.")
        made = Path(__file__).parent / name
        with netCDF4.Dataset(original) as old, netCDF4.Dataset(made, "w") as new:
            copy(old, new)
