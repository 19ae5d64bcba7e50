"""No test leaves a reader behind.

The netCDF library crashes if a test calls it while a record is read ahead, in another thread.
"""

import threading

import pytest
import xarray


def wait_for_readers():
    """Let what is read ahead come to its end."""
    for thread in threading.enumerate():
        if thread.name.startswith("read ahead"):
            thread.join()


@pytest.fixture(autouse=True)
def no_reader_left(monkeypatch):
    """Files are written when nothing is read, and no reading goes on after a test."""
    to_netcdf = xarray.Dataset.to_netcdf

    def write(*arguments, **options):
        wait_for_readers()
        return to_netcdf(*arguments, **options)

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", write)
    yield
    wait_for_readers()
