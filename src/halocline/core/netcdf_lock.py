"""One lock for the netCDF library, which only one thread at a time may use."""

from __future__ import annotations

import threading

netcdf_lock = threading.RLock()
"""Held by whoever opens, reads, writes or closes a file through netCDF4 while a run has threads."""
