"""Fields of the output in words, for the manual."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.core.names import Quantity
from halocline.core.other_names import elsewhere


def list_fields(fields: Sequence[Quantity]) -> str:
    """A line for each field: name, meaning, units and formula."""
    width = max(len(facts.short_name) for facts in fields)
    return "\n".join(f"{facts.short_name:<{width}}  {_meaning(facts)}" for facts in fields)


def describe(facts: Quantity) -> str:
    """All about a field."""
    others = ", ".join(elsewhere.get(facts.short_name, ()))
    lines = [facts.short_name, f"  {_meaning(facts)}"]
    lines += [f"  CF name  {facts.standard_name}"] if facts.standard_name else []
    lines += [f"  others   {others}"] if others else []
    return "\n".join(lines)


def _meaning(facts: Quantity) -> str:
    """Meaning, units and formula.

    >>> _meaning(Quantity("h", "", "m", "thickness of the layer", "H + z"))
    'thickness of the layer [m]: H + z'
    """
    units = f" [{facts.units}]" if facts.units != "1" else ""
    return f"{facts.long_name}{units}" + (f": {facts.comment}" if facts.comment else "")
