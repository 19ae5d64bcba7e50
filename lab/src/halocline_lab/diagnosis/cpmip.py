"""The CPMIP sheet: computational performance of a climate model (Balaji et al. 2017).

Balaji, V., et al. (2017), "CPMIP: measurements of real computational performance of Earth system
models in CMIP6", Geosci. Model Dev. 10, 19-34. What a record does not tell is unknown, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, for_others
from halocline_lab.diagnosis.phases import rank_seconds
from halocline_lab.diagnosis.processors import crowded_hosts
from halocline_lab.diagnosis.quantities import Quantity, known, unknown
from halocline_lab.diagnosis.timeline import compute_ranks

day = 86400.0
year = 365.0 * day
"""Simulated years are of 365 days, as in SYPD of Balaji et al."""

bytes_of_gigabyte = 1e9


@dataclass(frozen=True)
class _Run:
    """What all metrics are made of; simulated time [s] is None where the record has none."""

    record: RunRecord
    simulated: float | None
    seconds: float
    cores: float

    @property
    def simulated_years(self) -> float | None:
        return self.simulated / year if self.simulated else None


def cpmip_sheet(record: RunRecord) -> list[Quantity]:
    """All metrics of the sheet, in the order of Balaji et al., and what a core hour computes."""
    simulated = record.about.get("simulated_seconds")
    run = _Run(
        record=record,
        simulated=float(simulated) if simulated else None,
        seconds=record.seconds,
        cores=_cores(record),
    )
    makers: tuple[Callable[[_Run], Quantity], ...] = (
        _resolution,
        _complexity,
        _parallelisation,
        _sypd,
        _asypd,
        _chsy,
        _core_hour,
        _jpsy,
        _coupling_cost,
        _memory_bloat,
        _output_cost,
        _data_intensity,
    )
    return [make(run) for make in makers]


def _cores(record: RunRecord) -> float:
    """Cores used: threads of all ranks, on each host no more than there are cores."""
    too_many = sum(threads - cores for _, threads, cores in crowded_hosts(record))
    return float(record.ranks["threads"].sum()) - too_many


_no_model = "the record is of a program whose simulated time is not known"


def _resolution(run: _Run) -> Quantity:
    meaning = "grid points of the model"
    points = run.record.about.get("points")
    if not isinstance(points, int | float) or points <= 0:
        return unknown(
            "resolution", "points", meaning, "the record does not name the grid's points"
        )
    return known("resolution", float(points), "points", meaning)


def _complexity(run: _Run) -> Quantity:
    meaning = "prognostic variables, as numbers per grid point that a restart needs"
    found = run.record.about.get("prognostic_variables")
    if not isinstance(found, int | float):
        return unknown("complexity", "variables", meaning, "the record does not count them")
    return known("complexity", float(found), "variables", meaning)


def _parallelisation(run: _Run) -> Quantity:
    meaning = "cores used: threads of all ranks, servers among them, as far as there are cores"
    return known("parallelisation", run.cores, "cores", meaning)


def _sypd(run: _Run) -> Quantity:
    name, unit = "SYPD", "years per day"
    meaning = "simulated years per day of the run's wall time, start and output included"
    if run.simulated_years is None:
        return unknown(name, unit, meaning, _no_model)
    return known(name, run.simulated_years / (run.seconds / day), unit, meaning)


def _asypd(run: _Run) -> Quantity:
    name, unit = "ASYPD", "years per day"
    meaning = "simulated years per day, waiting in queues and all else between jobs included"
    if run.simulated_years is None:
        return unknown(name, unit, meaning, _no_model)
    calendar = run.record.about.get("calendar_seconds")
    if not isinstance(calendar, int | float) or calendar <= 0:
        because = "one record knows one job; about['calendar_seconds'] would tell the time of all"
        return unknown(name, unit, meaning, because)
    return known(name, run.simulated_years / (calendar / day), unit, meaning)


def _chsy(run: _Run) -> Quantity:
    name, unit = "CHSY", "core hours per year"
    meaning = "core hours per simulated year"
    if run.simulated_years is None:
        return unknown(name, unit, meaning, _no_model)
    hours = run.cores * run.seconds / 3600.0
    return known(name, hours / run.simulated_years, unit, meaning)


def _core_hour(run: _Run) -> Quantity:
    """Of Balaji's metrics it is 1 / CHSY but for start-up, in a forecaster's units."""
    name, unit = "in a core hour", "hours"
    meaning = "simulated hours that a core computes in an hour, start-up apart"
    if run.simulated is None:
        return unknown(name, unit, meaning, _no_model)
    return known(name, run.simulated / (run.cores * run.record.steady_seconds), unit, meaning)


def _jpsy(run: _Run) -> Quantity:
    name, unit = "JPSY", "J per year"
    meaning = "joules per simulated year, of the processors' energy counters"
    joules = run.record.about.get("joules")
    if not isinstance(joules, int | float):
        return unknown(name, unit, meaning, "the machine let nobody read energy counters")
    if run.simulated_years is None:
        return unknown(name, unit, meaning, _no_model)
    return known(name, float(joules) / run.simulated_years, unit, meaning)


def _coupling_cost(run: _Run) -> Quantity:
    name = "coupling cost"
    meaning = "share of core time spent on coupling components, waiting for each other included"
    because = "the record has no components that are coupled"
    names = [region.name for region in run.record.regions]
    of_coupler = np.array([one == for_others or "coupl" in one.lower() for one in names])
    if not of_coupler.any():
        return unknown(name, "", meaning, because)
    rows = run.record.statistics
    spent = float(rows["seconds"][of_coupler[rows["region"]] & (rows["thread"] == 0)].sum())
    return known(name, spent / float(rank_seconds(run.record).sum()), "", meaning)


def _memory_bloat(run: _Run) -> Quantity:
    name = "memory bloat"
    meaning = "peak memory of all ranks over the size of the state that a restart holds"
    state = run.record.about.get("state_bytes")
    peak = run.record.ranks["peak_memory"]
    if (peak < 0).any():
        return unknown(name, "", meaning, "the peak memory of some rank is not known")
    if not isinstance(state, int | float) or state <= 0:
        return unknown(name, "", meaning, "the record does not tell the size of the state")
    return known(name, float(peak.sum()) / float(state), "", meaning)


def _output_cost(run: _Run) -> Quantity:
    """Time lost (R-20) over the time without it: a ratio of 1 costs nothing."""
    name = "output cost"
    meaning = "run time over run time without what the slowest rank spends on output and restarts"
    ranks = compute_ranks(run.record)
    regions = [region.kind for region in run.record.regions]
    if "output" not in regions:
        return unknown(name, "", meaning, "the record has no region of the kind 'output'")
    rows = run.record.statistics
    of_output = np.array([kind == "output" for kind in regions])
    some = rows[of_output[rows["region"]] & (rows["thread"] == 0)]
    lost = np.bincount(some["rank"], some["seconds"], minlength=run.record.size)[ranks].max()
    return known(name, run.seconds / max(run.seconds - float(lost), 1e-300), "", meaning)


def _data_intensity(run: _Run) -> Quantity:
    name, unit = "data intensity", "GB per core hour"
    meaning = "output per core hour"
    written = run.record.about.get("output_bytes")
    if not isinstance(written, int | float):
        files = own_bytes(run.record, ("output",))
        if not files:
            return unknown(name, unit, meaning, "the record does not count bytes of output")
        written = files
    hours = run.cores * run.seconds / 3600.0
    return known(name, float(written) / bytes_of_gigabyte / hours, unit, meaning)


def own_bytes(record: RunRecord, kinds: tuple[str, ...]) -> int:
    """Bytes counted in regions of some kinds, of all ranks."""
    wanted = np.array([region.kind in kinds for region in record.regions] or [False])
    return int(record.statistics["bytes"][wanted[record.statistics["region"]]].sum())
