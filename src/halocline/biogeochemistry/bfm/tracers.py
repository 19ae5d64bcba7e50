"""The 51 tracers of BFM, in the order in which they are carried."""

from __future__ import annotations

from halocline.core.names import Quantity

_units = {
    "c": ("mg m-3", "carbon"),
    "n": ("mmol m-3", "nitrogen"),
    "p": ("mmol m-3", "phosphorus"),
    "l": ("mg m-3", "chlorophyll"),
    "s": ("mmol m-3", "silicon"),
}


def _plain(name: str, units: str, standard: str, words: str) -> Quantity:
    return Quantity(name, standard, units, words)


def _group(name: str, constituents: str, words: str) -> list[Quantity]:
    """The constituents of a group, each a tracer."""
    return [
        Quantity(name + one, "", _units[one][0], f"{words}, {_units[one][1]}")
        for one in constituents
    ]


_moles = "mole_concentration_of_"
tracers: tuple[Quantity, ...] = (
    _plain(
        "O2o", "mmol m-3", f"{_moles}dissolved_molecular_oxygen_in_sea_water", "dissolved oxygen"
    ),
    _plain("N1p", "mmol m-3", f"{_moles}phosphate_in_sea_water", "phosphate"),
    _plain("N3n", "mmol m-3", f"{_moles}nitrate_in_sea_water", "nitrate"),
    _plain("N4n", "mmol m-3", f"{_moles}ammonium_in_sea_water", "ammonium"),
    _plain("O4n", "mmol m-3", "", "denitrified nitrogen"),
    _plain("N5s", "mmol m-3", f"{_moles}silicate_in_sea_water", "silicate"),
    _plain("N6r", "mmol m-3", "", "reduction equivalents, as sulphide"),
    *_group("B1", "cnp", "bacteria"),
    *_group("P1", "cnpls", "diatoms"),
    *_group("P2", "cnpl", "nanoflagellates"),
    *_group("P3", "cnpl", "picophytoplankton"),
    *_group("P4", "cnpl", "large phytoplankton"),
    *_group("Z3", "cnp", "carnivorous mesozooplankton"),
    *_group("Z4", "cnp", "omnivorous mesozooplankton"),
    *_group("Z5", "cnp", "microzooplankton"),
    *_group("Z6", "cnp", "heterotrophic nanoflagellates"),
    *_group("R1", "cnp", "labile dissolved organic matter"),
    *_group("R2", "c", "semi-labile dissolved organic matter"),
    *_group("R3", "c", "semi-refractory dissolved organic matter"),
    *_group("R6", "cnps", "particulate detritus"),
    _plain("O3c", "mg m-3", "", "dissolved inorganic carbon"),
    _plain("O3h", "mmol m-3", "sea_water_alkalinity_expressed_as_mole_equivalent", "alkalinity"),
    _plain("O5c", "mg m-3", "", "calcite, carbon"),
)
names: tuple[str, ...] = tuple(one.short_name for one in tracers)
index: dict[str, int] = {name: at for at, name in enumerate(names)}

living = ("B1", "P1", "P2", "P3", "P4", "Z3", "Z4", "Z5", "Z6")
phytoplankton = ("P1", "P2", "P3", "P4")
"""Groups, by the beginning of the names of their tracers."""

letters = {"carbon": "c", "nitrogen": "n", "phosphorus": "p", "silicon": "s"}
"""How the names of tracers end that hold an element."""
elements: dict[str, tuple[str, ...]] = {
    element: tuple(name for name in names if name.endswith(letter))
    for element, letter in letters.items()
}
"""The tracers that hold an element."""


def homogeneous_start() -> dict[str, float]:
    """The homogeneous initial state of the preset: plankton of 1 mg m-3 of carbon each.

    >>> homogeneous_start()["P1n"]
    0.0126
    """
    values = {
        "O2o": 300.0,
        "N1p": 1.0,
        "N3n": 5.0,
        "N4n": 1.0,
        "O4n": 200.0,
        "N5s": 8.0,
        "N6r": 1.0,
        "R2c": 0.1,
        "R3c": 1.0,
        "O3c": 27060.0,
        "O3h": 2660.0,
        "O5c": 1e-3,
    }
    quotas = {
        "B1": (0.0167, 0.00185),
        "Z5": (0.0167, 0.00185),
        "Z6": (0.0167, 0.00185),
        "Z3": (0.015, 0.00167),
        "Z4": (0.015, 0.00167),
        "R1": (0.0126, 0.0007862),
        "R6": (0.0126, 0.0007862),
        **dict.fromkeys(phytoplankton, (0.0126, 0.000786)),
    }
    for group, (nitrogen, phosphorus) in quotas.items():
        values |= {f"{group}c": 1.0, f"{group}n": nitrogen, f"{group}p": phosphorus}
    values |= {"P1l": 0.025, "P2l": 0.015, "P3l": 0.02, "P4l": 0.02, "P1s": 0.01, "R6s": 0.0145}
    return {name: values[name] for name in names}
