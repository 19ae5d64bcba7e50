"""Names of fields."""

import re

import pytest

from halocline.core.errors import UserError
from halocline.core.names import quantities, quantity


def test_names_are_well_formed_and_listed_once():
    standard = [q.standard_name for q in quantities.values() if q.standard_name]
    assert len(standard) == len(set(standard))
    for name, facts in quantities.items():
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert re.fullmatch("([a-z][a-z0-9_]*)?", facts.standard_name)
        assert facts.units
        assert facts.long_name


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UserError, match="Did you mean 'significant_height'"):
        quantity("significant_hight")
