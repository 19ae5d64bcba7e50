"""Runs small_solver.py with fields on a pretended device."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from halocline.runtime.fields.memory import using
from references.pretended_device import PretendedDevice  # after sys.path

with using(PretendedDevice()):
    runpy.run_path(str(Path(__file__).with_name("small_solver.py")))
