"""What output costs WRF on 1024 cores (Porter et al., 2010, section 6.1), from its phases."""

from __future__ import annotations

from halocline_lab.acceptance.golden import Section, Value
from halocline_lab.output_cost.output_papers import frame_bytes, gather_ranks, model_hour
from halocline_lab.scaling.extrapolation import PhaseTime, Wanted, forecast

cores = 1024
step_seconds = 2.14
model_step = 18.0
frame_seconds = gather_ranks[cores]


def phases() -> list[PhaseTime]:
    """A step and an hourly frame of history, as measured."""
    return [
        PhaseTime("step", "step", step_seconds, cores),
        PhaseTime("history", "frame", frame_seconds, cores),
    ]


def section() -> Section:
    """The cost of hourly output."""
    hour = forecast(phases(), Wanted(3600.0 / model_step, 1.0, cores))
    stepping, writing = (phase.seconds for phase in hour.phases)
    share, of_all = 100.0 * writing / stepping, 100.0 * writing / hour.seconds
    values = (
        Value("6.1", "a model hour, without output", model_hour, stepping, "s"),
        Value("6.1", "an hourly frame, of a model hour's steps", 6.1, share, "%"),
    )
    remarks = (
        f"of the whole run with its output the frame is {of_all:.1f} %",
        f"{frame_bytes / 1e9:g} GB in {writing:g} s are {frame_bytes / writing / 1e6:.0f} MB/s",
    )
    return Section("Porter et al. (2010)", "the cost of history output", values, remarks)
