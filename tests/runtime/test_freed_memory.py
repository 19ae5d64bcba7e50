"""Memory that is free again goes back to the system. Ranks: 1; Linux with glibc."""

import subprocess
import sys

import pytest

HELD = """
import sys
import numpy as np
from halocline.runtime.ranks.freed_memory import return_large_arrays

if "return" in sys.argv:
    return_large_arrays()
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
np.ones(30 * 2**17)  # as large as what a set-up frees
begin = resident()
arrays = [np.ones(5 * 2**17) for _ in range(20)]
del arrays[:-1]
print(resident() - begin)
"""


def held(*words):
    """What stays of 100 MB in 20 arrays when only the last one is kept [MB]."""
    done = subprocess.run(
        [sys.executable, "-c", HELD, *words], capture_output=True, text=True, check=True, timeout=60
    )
    return float(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_large_arrays_go_back():
    assert held() > 90.0, "the library keeps nothing by itself"
    assert held("return") < 10.0
