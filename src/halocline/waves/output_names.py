"""The fields that a run of waves can write, by name."""

from __future__ import annotations

from halocline.component.streams.describing import list_fields
from halocline.core.names import quantities
from halocline.waves.absolute_frequency import absolute_outputs
from halocline.waves.model import WaveModel
from halocline.waves.parameters import PARAMETERS
from halocline.waves.partition import PARTITION_FIELDS, WHOLE_VALUES

partition_names = (*PARTITION_FIELDS, *WHOLE_VALUES)
map_names = (*PARAMETERS, *absolute_outputs, *partition_names, *WaveModel.diagnostics)
"""What maps and series at points can hold."""

missing_in_calm = {
    name
    for name in (*PARAMETERS, *absolute_outputs, *PARTITION_FIELDS)
    if not name.endswith(("_height", "_slope")) and not name.startswith("stokes_drift")
} | {"wind_direction", "drag_coefficient"}
"""What is no number where there are no waves, or no wind."""


def listing() -> str:
    """All of `map_names`, a line for each."""
    return list_fields([quantities[name] for name in map_names])
