"""The commands of the laboratory, by the room that each lives in."""

from __future__ import annotations

from importlib import import_module
from typing import Any

lab_rooms = {
    "reporting": {
        "report": "what a run did with its time, from its record: a page, and on the terminal",
    },
    "recording": {
        "export": "a record for other tools: Perfetto, OTF2, tables",
        "record": "the record of any MPI program: record -- mpiexec -n 4 ./model",
    },
    "diagnosis": {
        "faults": "planted faults: named by the advice, with the gain that mending has?",
        "noise": "what the operating system takes of the ranks' time, and what that costs",
        "peak": "what this machine can do at most: the roof of the roofline",
    },
    "scaling": {
        "papers": "numbers that the papers print, recomputed; what contradicts itself",
        "scale": "how a case scales over ranks, threads and placements",
        "loading": "what a way to load a cluster does to run times",
    },
    "prediction": {
        "predict": "how long a run would take elsewhere, longer, on more ranks",
        "platform": "machines for predictions: shipped ones, files, this one measured",
    },
    "statistics": {
        "duel": "two commands in turns: which is faster, or cannot tell",
    },
    "evolution": {
        "history": "how benchmarks came out in the course of time, and why",
    },
    "comparing": {
        "compare": "whether two outputs are the same, or differ by round-off only",
    },
    "benchmarks": {
        "waves": "the wave model on the benchmark of Tolman (2003)",
        "transport": "the transport of tracers",
        "solver": "the elliptic solver on POP's x1 grid",
        "recorder": "the cost of the record of a run",
        "tiles": "what tiles do to time and caches, by the processor's counters",
        "communication": "every way to exchange halos and to sum",
        "decompose": "the best way to cut a case into ranks, threads and blocks",
    },
    "output_cost": {
        "output": "what output, restarts and input cost, beside the papers' numbers",
    },
}
"""What `halocline lab COMMAND` does, by room and command."""

lab_commands = {name: words for room in lab_rooms.values() for name, words in room.items()}


def lab_module(command: str) -> Any:
    """The module of a command: `add_arguments(parser)` and `main(options)`."""
    (room,) = (room for room, commands in lab_rooms.items() if command in commands)
    return import_module(f"halocline_lab.{room}.{command}")


def lab_table() -> str:
    """All commands as text, a paragraph for each room."""
    paragraphs = [
        "\n".join(f"  {name:<15}{words}" for name, words in commands.items())
        for commands in lab_rooms.values()
    ]
    return "commands:\n" + "\n\n".join(paragraphs)
