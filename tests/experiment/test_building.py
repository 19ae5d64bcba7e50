"""Components made from cases, and what a failing one leaves."""

import threading
import time
from types import SimpleNamespace

import pytest

from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.runtime.files.read_ahead import ReadAhead
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.record.recorder import Recorder


def test_no_reading_outlives_a_component_that_cannot_be_made():
    def build(clock, communicator, **_):
        ReadAhead(lambda record: time.sleep(0.3), communicator, Recorder()).prepare(0)
        raise UserError("the second of its files is bad")

    before = threading.active_count()
    with pytest.raises(UserError, match="bad"):
        build_component(SimpleNamespace(takes=(), build=build), None, Alone())
    assert threading.active_count() == before
