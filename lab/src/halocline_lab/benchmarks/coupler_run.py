"""One run of the coupled pair of `halocline lab coupler`, on ranks of its own.

`python -m halocline_lab.benchmarks.coupler_run SETTINGS.json ANSWER` leaves its times in ANSWER.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

from halocline.experiment.exchange_report import parts
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Counter
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.benchmarks.rank_programs import give_answer

every = 5
"""Steps between exchanges."""

minutes = {False: 2, True: 5}
"""Step of both; of the small pair (`quick`) it is longer."""


def pair(steps: int, path: str, ranks: tuple[int, int], *, quick: bool) -> dict[str, Any]:
    """Tables of air of 161 x 161 x 30 cells over an ocean of 200 x 200 x 15, without files.

    Air gives stress, and takes the temperature of the sea, every 5 of `steps` steps; both
    compute side by side. The ocean lies inside of the air.
    """
    wide, side = (40, 50) if quick else (161, 200)
    layers, levels = (6, 4) if quick else (30, 15)
    scale = 160.0 / (wide - 1)
    step = f"{minutes[quick]}min"
    air = {
        "component": "atmosphere",
        "ranks": ranks[0],
        "time": {"step": step},
        "grid": {
            "kind": "lambert", "nx": wide, "ny": wide, "dx": 30e3 * scale, "dy": 30e3 * scale,
            "projection": {
                "center_longitude": -165.0, "center_latitude": 42.0, "true_latitudes": [30.0, 55.0]
            },
        },
        "atmosphere": {
            "layers": {"count": layers, "top": 19.5e3},
            "start": {"wind_u": 10.0, "wind_v": -4.0},
            "sides": {"kind": "open"},
            "physics": {"turbulence": "ysu"},
        },
    }  # fmt: skip
    ocean = {
        "component": "ocean",
        "precision": "float32",
        "ranks": ranks[1],
        "time": {"step": step},
        "grid": {
            "nx": side, "ny": side, "x0": 173.0, "y0": 24.0, "dx": 43.8 / (side - 1),
            "dy": 35.8 / (side - 1), "depth": 4000.0,
            "levels": {"thickness": [4000.0 / levels] * levels},
        },
        "ocean": {"mixing": {"viscosity": 2e4}},
    }  # fmt: skip
    both = {"interval": f"{every * minutes[quick]}min", "lagged": True, "path": path}
    return {
        "time": {"start": "2000-01-01T00:00:00", "length": f"{steps * minutes[quick]}min"},
        "members": {"air": air, "ocean": ocean},
        "exchanges": {
            "stress": {
                "source": "air", "target": "ocean",
                "fields": ["wind_stress_east", "wind_stress_north"], **both,
            },
            "temperature": {
                "source": "ocean", "target": "air", "fields": ["surface_temperature"], **both,
            },
        },
    }  # fmt: skip


def bytes_of(record: RunRecord) -> dict[str, int]:
    """What each exchange has sent in all [byte], on all ranks."""
    sent: dict[str, int] = {}
    for number, region in enumerate(record.regions):
        if region.kind == "start send" and region.name.startswith("exchange "):
            rows = record.messages[record.messages["region"] == number]
            name = region.name.removeprefix("exchange ").partition(":")[0]
            sent[name] = sent.get(name, 0) + int(rows["bytes"].sum())
    return sent


def timed(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Seconds of exchanges by member and part, and of steps, on the slowest rank of each.

    A call for all ranks.
    """
    communicator = world()
    ranks = settings["ranks"]
    case = pair(settings["steps"], settings["path"], (ranks[0], ranks[1]), quick=settings["quick"])
    with tempfile.TemporaryDirectory() as folder:
        place = communicator.broadcast(folder)
        result = run(case, output=place)
        mine = {
            (name, part): seconds
            for name, component in result.components.items()
            for part, seconds in _spent(component.run.recorder.counters).items()
        }
        everyone = communicator.gather(mine)
        communicator.broadcast(None)
        if everyone is None:
            return None
        sent = bytes_of(read_record(place))
    members: dict[str, dict[str, float]] = {"air": {}, "ocean": {}}
    for one in everyone:
        for (name, part), seconds in one.items():
            members[name][part] = max(members[name].get(part, 0.0), seconds)
    return {"members": members, "bytes": sent}


def _spent(counters: Mapping[str, Counter]) -> dict[str, float]:
    """Seconds of parts of exchanges, and of steps."""
    found = dict.fromkeys((*parts, "step"), 0.0)
    for name, counter in counters.items():
        first, _, part = name.rpartition(": ")
        if first.startswith("exchange ") and part in parts:
            found[part] += counter.seconds
        elif name == "step":
            found["step"] += counter.seconds
    return found


if __name__ == "__main__":
    give_answer(timed)
