"""The commands of the laboratory, by rooms; each is loaded when it is used."""

from __future__ import annotations

import argparse
from typing import Protocol


class Command(Protocol):
    """A module that is a command; its docstring describes it."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the command."""

    def main(self, options: argparse.Namespace) -> int:
        """Run the command; its exit code."""


def report() -> Command:
    """what a run did with its time, from its record: a page, and on the terminal"""
    from halocline_lab.reporting import report

    return report


def export() -> Command:
    """a record for other tools: Perfetto, OTF2, tables"""
    from halocline_lab.recording import export

    return export


def record() -> Command:
    """the record of any MPI program: record -- mpiexec -n 4 ./model"""
    from halocline_lab.recording import record

    return record


def faults() -> Command:
    """planted faults: named by the advice, with the gain that mending has?"""
    from halocline_lab.diagnosis import faults

    return faults


def noise() -> Command:
    """what the operating system takes of the ranks' time, and what that costs"""
    from halocline_lab.diagnosis import noise

    return noise


def peak() -> Command:
    """what this machine can do at most: the roof of the roofline"""
    from halocline_lab.diagnosis import peak

    return peak


def scale() -> Command:
    """how a case scales over ranks, threads and placements"""
    from halocline_lab.scaling import scale

    return scale


def split() -> Command:
    """how to divide ranks over the members of a coupled case, verified by runs"""
    from halocline_lab.scaling import split

    return split


def predict() -> Command:
    """how long a run would take elsewhere, longer, on more ranks"""
    from halocline_lab.prediction import predict

    return predict


def platform() -> Command:
    """machines for predictions: shipped ones, files, this one measured"""
    from halocline_lab.prediction import platform

    return platform


def duel() -> Command:
    """two commands in turns: which is faster, or cannot tell"""
    from halocline_lab.statistics import duel

    return duel


def history() -> Command:
    """how benchmarks came out in the course of time, and why"""
    from halocline_lab.evolution import history

    return history


def compare() -> Command:
    """whether two outputs are the same, or differ by round-off only"""
    from halocline_lab.comparing import compare

    return compare


def flags() -> Command:
    """which flags of the compiler change the results of a case, or end it"""
    from halocline_lab.comparing import flags

    return flags


def waves() -> Command:
    """the wave model on the benchmark of Tolman (2003)"""
    from halocline_lab.benchmarks import waves

    return waves


def transport() -> Command:
    """the transport of tracers"""
    from halocline_lab.benchmarks import transport

    return transport


def biology() -> Command:
    """the reaction of BFM's 51 tracers"""
    from halocline_lab.benchmarks import biology

    return biology


def ocean() -> Command:
    """the ocean's steps on POP's x1 grid, by phase, beside other models"""
    from halocline_lab.benchmarks import ocean

    return ocean


def atmosphere() -> Command:
    """the dry atmosphere's steps on a box, by kernel"""
    from halocline_lab.benchmarks import atmosphere

    return atmosphere


def coupler() -> Command:
    """exchanges of air and ocean by part, beside table 1 of Govett et al. (2004)"""
    from halocline_lab.benchmarks import coupler

    return coupler


def sites() -> Command:
    """exchanges between two sites, why they take so long, and whether two sites pay"""
    from halocline_lab.sites import sites

    return sites


def solver() -> Command:
    """the elliptic solver on POP's x1 grid"""
    from halocline_lab.benchmarks import solver

    return solver


def calls() -> Command:
    """what a call of a kernel costs beside the kernel"""
    from halocline_lab.benchmarks import calls

    return calls


def recorder() -> Command:
    """the cost of the record of a run"""
    from halocline_lab.benchmarks import recorder

    return recorder


def tiles() -> Command:
    """what tiles do to time and caches, by the processor's counters"""
    from halocline_lab.benchmarks import tiles

    return tiles


def communication() -> Command:
    """every way to exchange halos and to sum"""
    from halocline_lab.benchmarks import communication

    return communication


def decompose() -> Command:
    """the best way to cut a case into ranks, threads and blocks"""
    from halocline_lab.benchmarks import decompose

    return decompose


def output() -> Command:
    """what output, restarts and input cost, beside the papers' numbers"""
    from halocline_lab.output_cost import output

    return output


def papers() -> Command:
    """numbers that the papers print, recomputed; what contradicts itself"""
    from halocline_lab.acceptance import papers

    return papers


def loading() -> Command:
    """what a way to load a cluster does to run times"""
    from halocline_lab.acceptance import loading

    return loading


def tracers() -> Command:
    """messages and files of 51 tracers, beside OPATM-BFM's numbers"""
    from halocline_lab.acceptance import tracers

    return tracers


rooms = {
    "reporting": (report,),
    "recording": (export, record),
    "diagnosis": (faults, noise, peak),
    "scaling": (scale, split),
    "prediction": (predict, platform),
    "statistics": (duel,),
    "evolution": (history,),
    "comparing": (compare, flags),
    "benchmarks": (
        waves,
        transport,
        biology,
        ocean,
        atmosphere,
        coupler,
        solver,
        calls,
        recorder,
        tiles,
        communication,
        decompose,
    ),
    "output_cost": (output,),
    "sites": (sites,),
    "acceptance": (papers, loading, tracers),
}
"""Commands by room."""

commands = {load.__name__: load for room in rooms.values() for load in room}
"""What loads a command, by its name; its docstring says in a line what the command does."""


def table() -> str:
    """All commands as text, a paragraph for each room."""
    paragraphs = [
        "\n".join(f"  {load.__name__:<15}{load.__doc__}" for load in room)
        for room in rooms.values()
    ]
    return "commands:\n" + "\n\n".join(paragraphs)
