"""What a run is expected to take: time to compute, bytes to write; rough rules."""

from __future__ import annotations

import numpy as np

from halocline.core.clock import Alarm, Clock, duration
from halocline.experiment.case import Case, TransportCase, WaveCase
from halocline.experiment.output import output_volume
from halocline.experiment.output_sources import output_sources
from halocline.experiment.region import cut_region
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.writing.stream_options import in_stream

wave_cost = {"ST2": 12e-9, "ST4": 15e-9, "none": 6e-9}
"""Time for a sea point, spectral component and global step on one core [s]: `halocline lab waves`
on an AMD Zen 5 at 2 cores, rounded up."""

transport_cost = 3e-9
"""Time for a cell, tracer and step on one core [s]: `halocline lab transport` on the same."""


def work(case: Case, grid: Grid, clock: Clock) -> float:
    """Expected time of the whole run on one core, without output [s]."""
    if isinstance(case, TransportCase):
        cells = grid.depth.size * len(case.build_levels().thickness)
        return transport_cost * cells * len(case.transport.tracers) * clock.steps
    assert isinstance(case, WaveCase)
    values = grid.sea_points * case.spectrum.components
    return wave_cost[case.waves.physics] * values * clock.steps


def stream_bytes(case: Case, grid: Grid, clock: Clock) -> dict[str, int]:
    """Bytes that each output stream will write, before compression, by its name."""
    if isinstance(case, WaveCase):
        return output_volume(case.output, grid, case.spectrum, clock, output_sources(case))
    assert isinstance(case, TransportCase)
    names = case.transport.tracers
    levels = len(case.build_levels().thickness)
    volume = {}
    for name, maps in case.output.fields.items():
        with in_stream(name):
            cells = cut_region(grid, maps.region).grid.mask.size
            values = maps.records(clock) * len(maps.variables or names) * levels * cells
        volume[name] = values * np.dtype(maps.precision).itemsize
    return volume


def restart_bytes(case: Case, grid: Grid, clock: Clock) -> int:
    """Bytes of all restart files of a run that reaches its end: the state of its component."""
    options, count = case.restart, int(case.restart.at_end)
    if options.interval != "":
        alarm = Alarm(clock.start, duration(options.interval))
        count = alarm.count(clock.start, clock.end) - 1
        count += options.at_end and not alarm.rings(clock.end)
    return count * state_bytes(case, grid)


def state_bytes(case: Case, grid: Grid) -> int:
    """Bytes of the state of a component, on all ranks: spectra, or tracers."""
    if isinstance(case, TransportCase):
        cells = grid.depth.size * len(case.build_levels().thickness)
        values = cells * len(case.transport.tracers)
    else:
        assert isinstance(case, WaveCase)
        values = grid.sea_points * case.spectrum.components
    return values * np.dtype(case.precision).itemsize
