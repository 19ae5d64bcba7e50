"""Reading one record ahead: what is taken, where mistakes appear, that no thread stays."""

import threading
import time

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.files.read_ahead import ReadAhead, RecordError, agree, end_readings
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.record.recorder import Recorder


class Reader:
    """Gives ten times the number of a record; notes which thread read what."""

    def __init__(self, failure=None, seconds=0.0):
        self.failure, self.seconds = failure or {}, seconds
        self.read_by = {}

    def __call__(self, record):
        self.read_by[record] = threading.current_thread() is threading.main_thread()
        time.sleep(self.seconds)
        if record in self.failure:
            raise self.failure[record]
        return 10 * record


def threads():
    return [some for some in threading.enumerate() if some.name.startswith("read ahead")]


def ahead(reader, recorder=None):
    return ReadAhead(reader, Alone(), recorder or Recorder())


def test_a_prepared_record_is_read_in_the_background_once():
    reader = Reader()
    records = ahead(reader)
    assert records.take(0) == 0
    records.prepare(1)
    records.prepare(1)
    assert records.take(1) == 10
    assert reader.read_by == {0: True, 1: False}
    assert not threads()


def test_another_record_than_the_prepared_one_is_read_at_once():
    reader = Reader()
    records = ahead(reader)
    records.prepare(5)
    assert records.take(2) == 20
    records.prepare(3)
    records.prepare(4)
    assert records.take(4) == 40
    assert reader.read_by[2] and not reader.read_by[4]
    assert not threads()


@pytest.mark.parametrize("failure", [UserError("hole"), ValueError("bug"), OSError("disk")])
def test_a_failure_appears_where_the_record_is_needed(failure):
    records = ahead(Reader({1: failure}))
    records.prepare(1)
    records.wait()
    assert not threads()
    with pytest.raises(type(failure), match=str(failure)):
        records.take(1)
    assert records.take(2) == 20


def test_a_failing_record_that_nobody_takes_is_no_mistake():
    records = ahead(Reader({1: UserError("hole")}))
    records.take(0)
    records.prepare(1)
    records.wait()
    assert not threads()


def test_readings_that_nobody_waits_for_are_ended():
    records = [ahead(Reader(seconds=0.2)) for _ in range(2)]
    for some in records:
        some.prepare(1)
    assert len(threads()) == 2
    end_readings()
    assert not threads()
    assert [some.take(1) for some in records] == [10, 10]


def test_reading_and_waiting_are_on_record():
    recorder = Recorder()
    records = ahead(Reader(seconds=0.02), recorder)
    records.take(0)
    assert recorder.seconds("input: waiting for a record") >= 0.02
    records.prepare(1)
    assert len(threads()) == 1
    assert recorder.counters["input: waiting for a record"].calls == 1
    records.take(1)
    assert recorder.seconds("input: reading") >= 0.04
    assert recorder.counters["input: reading"].calls == 2


class Several(Alone):
    """What one rank sees of ranks with these mistakes."""

    def __init__(self, failures):
        self.failures, self.size = failures, len(failures)

    def maximum(self, values):
        return np.array([float(any(self.failures))])

    def gather(self, item):
        return [
            f and (getattr(f, "number", 0), rank, str(f)) for rank, f in enumerate(self.failures)
        ]


def test_all_ranks_tell_the_mistake_of_the_least_number():
    found = [None, RecordError("v", 1), RecordError("u", 0), None]
    for failure in found:
        with pytest.raises(UserError, match="^u$"):
            agree(Several(found), failure)
    agree(Several([None, None]), None)
