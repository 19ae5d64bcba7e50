"""Runs a module as a rank: `python -m halocline.runtime.ranks.as_rank MODULE ARGUMENTS...`.

But it ends with its launcher from the first moment on, before it has loaded what it needs.
"""

from __future__ import annotations

import runpy
import sys

from halocline.runtime.ranks.launched import end_with_launcher

if __name__ == "__main__":
    end_with_launcher()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
