"""Steps of a case on so many ranks and threads, cut in many ways, in processes of their own.

`python -m halocline_lab.benchmarks.decompose_run SETTINGS.json ANSWER` leaves the pickled answer
in ANSWER.
"""

from __future__ import annotations

import pickle
import statistics
import time
from typing import Any

import numpy as np

from halocline.component.case.reading import read_case
from halocline.experiment.advice import Steps, measure, rate_all
from halocline.experiment.start import cores
from halocline.runtime.ranks.communicator import world
from halocline_lab.benchmarks.rank_programs import give_answer


def answer(settings: dict[str, Any]) -> Any:
    """Advice on all candidates, or times [s] of single steps of one; all ranks take part."""
    communicator = world()
    case = read_case(settings["case"], settings["settings"])
    if "steps" in settings:
        trial, seconds = Steps(case, communicator), []
        trial()
        for _ in range(settings["steps"]):
            communicator.sum(np.zeros(1))
            begin = time.perf_counter()
            trial()
            spent = np.array([time.perf_counter() - begin])
            seconds.append(float(communicator.maximum(spent)[0]))
        return statistics.median(seconds)
    grid = case.build_grid()
    rated = rate_all(case, grid, communicator.size, settings["threads"], cores())
    return measure(case, rated, communicator, settings["budget"])


if __name__ == "__main__":
    give_answer(answer, pickle.dumps)
