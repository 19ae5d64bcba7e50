"""What an exchange took, by its parts, as its two members have it on record."""

import time
from types import SimpleNamespace

import pytest

from halocline.component.exchange_paths import PartTimes
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.record.run_record_parts import join, read_part


def test_waiting_for_the_source_is_a_region_within_the_receiving():
    """The message was begun 60 ms after the target asked for it, and took 20 ms."""
    recorder, transfer = Recorder(), SimpleNamespace(begun=0)
    begin = time.perf_counter()
    times = PartTimes("exchange wind", None, recorder)
    with times.receives(transfer):
        time.sleep(0.06)
        transfer.begun = time.time_ns()
        time.sleep(0.02)
    elapsed = time.perf_counter() - begin
    record = join([read_part(recorder.recording.part(0, 1, "{}"))], {"x": 1})
    rows = {record.regions[row["region"]].name: row for row in record.statistics}
    wait, receive = rows["exchange wind: wait"], rows["exchange wind: receive"]
    waited = recorder.counters["exchange wind: wait"].seconds
    assert waited > 0.055 and recorder.counters["exchange wind: transfer"].seconds > 0.015
    assert wait["own_seconds"] == pytest.approx(waited, abs=1e-6)
    assert receive["own_seconds"] == pytest.approx(receive["seconds"] - waited, abs=1e-6)
    whole = recorder.counters["exchange wind: receive"].seconds
    assert whole - waited <= times.work <= elapsed - waited
