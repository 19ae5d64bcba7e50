"""Fixed work quanta on ranks: alone, and with a meeting of all ranks before each; see `noise.py`.

`python -m halocline_lab.diagnosis.noise_run SETTINGS.json ANSWER` leaves the times in ANSWER.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.runtime.ranks.communicator import Communicator, world
from halocline_lab import _native
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.diagnosis.timeline import Integers


def answer(settings: dict[str, Any]) -> dict[str, Any]:
    """Times [ns] of all ranks: begins and ends [piece, rank], alone and together."""
    communicator = world()
    rounds = communicator.broadcast(_rounds(settings["quantum"]))
    pieces = int(settings["pieces"])
    found = {"rounds": rounds}
    for name, work in (("alone", _alone), ("together", _together)):
        begin, end = work(communicator, rounds, pieces)
        for what, times in (("begin", begin), ("end", end)):
            everyone = communicator.gather(times.tolist())
            found[f"{name}_{what}"] = np.array(everyone or []).T.tolist()
    return found


def _rounds(seconds: float) -> int:
    """Rounds of work that take about so long undisturbed: of many tries the quickest counts."""
    rounds, begin, end = 20_000, np.zeros(50, np.int64), np.zeros(50, np.int64)
    _native.fixed_work(rounds, begin, end)
    return max(100, int(rounds * seconds * 1e9 / max(int((end - begin).min()), 1)))


def _alone(communicator: Communicator, rounds: int, pieces: int) -> tuple[Integers, Integers]:
    begin, end = np.zeros(pieces, np.int64), np.zeros(pieces, np.int64)
    communicator.sum(np.zeros(1))
    _native.fixed_work(rounds, begin, end)
    return begin, end


def _together(communicator: Communicator, rounds: int, pieces: int) -> tuple[Integers, Integers]:
    begin, end = np.zeros(pieces, np.int64), np.zeros(pieces, np.int64)
    for n in range(pieces):
        communicator.sum(np.zeros(1))
        _native.fixed_work(rounds, begin[n : n + 1], end[n : n + 1])
    return begin, end


if __name__ == "__main__":
    give_answer(answer)
