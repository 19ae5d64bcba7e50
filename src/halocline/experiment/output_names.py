"""The fields that a run of waves can write, by name."""

from __future__ import annotations

from halocline.core.names import quantities
from halocline.core.other_names import elsewhere
from halocline.waves.model import WaveModel
from halocline.waves.parameters import PARAMETERS
from halocline.waves.partition import PARTITION_FIELDS, WHOLE_VALUES

partition_names = (*PARTITION_FIELDS, *WHOLE_VALUES)
map_names = (*PARAMETERS, *partition_names, *WaveModel.diagnostics)
"""What maps and series at points can hold."""


def listing() -> str:
    """All of `map_names`, a line for each."""
    width = max(len(name) for name in map_names)
    return "\n".join(f"{name:<{width}}  {_meaning(name)}" for name in map_names)


def describe(name: str) -> str:
    """All about a field."""
    facts = quantities[name]
    others = ", ".join(elsewhere.get(name, ()))
    lines = [name, f"  {_meaning(name)}"]
    lines += [f"  CF name  {facts.standard_name}"] if facts.standard_name else []
    lines += [f"  others   {others}"] if others else []
    return "\n".join(lines)


def _meaning(name: str) -> str:
    """Meaning, units and formula.

    >>> _meaning("significant_height")
    'significant height of wind and swell waves [m]: 4 sqrt(m0)'
    """
    facts = quantities[name]
    units = f" [{facts.units}]" if facts.units != "1" else ""
    return f"{facts.long_name}{units}" + (f": {facts.comment}" if facts.comment else "")
