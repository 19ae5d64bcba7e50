"""What exchanges gave, as output of a run: fields as their target has them, moment by moment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from halocline.component.component import Component
from halocline.component.streams.field_stream import FieldStream, FieldStreamOptions
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date, duration_text
from halocline.core.names import Quantity
from halocline.experiment.exchange_table import ExchangePlan
from halocline.runtime.fields.field import Field


class ExchangeRecord(OutputStream):
    """An output stream with the ports that an exchange fills, in their precision.

    A record is at the end of each interval of the schedule, and holds what the target had in its
    steps to there: given again at these times, before these steps, it makes the same bits.
    """

    def __init__(
        self,
        plan: ExchangePlan,
        component: Component,
        clock: Clock,
        folder: Path,
        facts: Mapping[str, Quantity],
        *,
        resumed: bool,
    ) -> None:
        self.fields = {name: component.ports[name].field for name in plan.taken}
        interval, name = duration_text(plan.link.interval), plan.link.exchange
        kinds = {field.dtype.name for field in self.fields.values()}
        options = FieldStreamOptions(
            variables=list(self.fields),
            interval=interval,
            start=interval,
            file=file_of(plan),
            precision="float64" if "float64" in kinds else "float32",
        )
        self.maps = FieldStream(
            f"exchange {name}",
            options,
            component.plane,
            clock,
            folder,
            title=f"what {plan.link.source} gave {plan.link.target} by the exchange {name}",
            resumed=resumed,
            more=facts,
            space=component.run.decomposition,
            fields=self.fields,
        )
        self.stream = self.maps.stream

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append a record of the ports."""
        self.maps.write(time, self.fields)


def file_of(plan: ExchangePlan) -> str:
    """Name of the file that an exchange is recorded in.

    >>> from halocline.experiment.schedule import ExchangeEnds
    >>> file_of(ExchangePlan(ExchangeEnds("heat", "fluxes", "ocean"), ()))
    'ocean.heat.exchange.nc'
    """
    return f"{plan.link.target}.{plan.link.exchange}.exchange.nc"
