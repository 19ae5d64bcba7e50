"""Constants in Python and in C++ are the same."""

import re
from pathlib import Path

from halocline.atmosphere import constants

header = Path(constants.__file__).with_suffix(".hpp").read_text(encoding="utf-8")


def test_numbers():
    for name in ("gravity", "reference_pressure", "reference_temperature"):
        (found,) = re.findall(rf"\b{name} = ([\d.e]+);", header)
        assert float(found) == getattr(constants, name)
    (dry, vapor) = re.findall(r"gas_constant = ([\d.]+)[,;]", header)[:2]
    assert (float(dry), float(vapor)) == (
        constants.dry_gas_constant,
        constants.vapor_gas_constant,
    )
    assert constants.kappa == 2 / 7
