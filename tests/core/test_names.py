"""Names of fields."""

import re

import pytest

from halocline.core.errors import UserError
from halocline.core.names import quantities, quantity
from halocline.core.other_names import elsewhere, hint, our_name


def test_names_are_well_formed_and_listed_once():
    of_layers = {"eastward_wind", "northward_wind", "layer_temperature"}
    once = [q for name, q in quantities.items() if name not in of_layers and "isobaric" not in name]
    standard = [q.standard_name for q in once if q.standard_name]
    assert len(standard) == len(set(standard))
    for name, facts in quantities.items():
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert re.fullmatch("([a-z][a-z0-9_]*)?", facts.standard_name)
        assert facts.units
        assert facts.long_name


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UserError, match="Did you mean 'significant_height'"):
        quantity("significant_hight")


def test_names_of_other_models_mean_one_of_ours():
    others = [other for names in elsewhere.values() for other in names]
    assert len(others) == len(set(others))
    assert elsewhere.keys() <= quantities.keys()
    assert not set(others) & {*quantities, *(q.standard_name for q in quantities.values())}
    assert all(other == other.lower() for other in others)
    assert our_name("SWH") == "significant_height" and our_name("wave") == ""


def test_names_of_other_models_are_hinted_at_where_ours_is_known():
    assert hint("U10", ["wind_u"]) == " It is called 'wind_u' here."
    assert hint("u10", ["wind_v"]) == ""
    assert hint("significant_hight", quantities) == " Did you mean 'significant_height'?"
