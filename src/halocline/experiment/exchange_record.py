"""What exchanges gave, as output of a run: fields as their target has them, moment by moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from halocline.component.component import Component
from halocline.component.streams.field_stream import FieldStream, FieldStreamOptions
from halocline.core.clock import Clock, Date, duration_text
from halocline.core.names import Quantity
from halocline.experiment.exchange_table import ExchangePlan
from halocline.runtime.fields.field import Field
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.writers import Writers


class ExchangeRecord:
    """An output stream with the ports that an exchange fills, in their precision.

    A record is at the end of each interval of the schedule, and holds what the target had in its
    steps to there: given again at these times, before these steps, it makes the same bits.
    """

    names: Sequence[str] = ()  # nothing is asked of the component
    restart_fields: Sequence[Field] = ()

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
        self.stream = FieldStream(
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

    @property
    def plan(self) -> FilePlan:
        """The files that it writes."""
        return self.stream.plan

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""
        return self.stream.path

    def open(self, writers: Writers) -> None:
        """Open the file."""
        self.stream.open(writers)

    def due(self, time: Date) -> bool:
        """Whether an interval of the schedule ends."""
        return self.stream.due(time)

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append a record of the ports."""
        self.stream.write(time, self.fields)

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()


def file_of(plan: ExchangePlan) -> str:
    """Name of the file that an exchange is recorded in.

    >>> from halocline.experiment.schedule import ExchangeEnds
    >>> file_of(ExchangePlan(ExchangeEnds("heat", "fluxes", "ocean"), ()))
    'ocean.heat.exchange.nc'
    """
    return f"{plan.link.target}.{plan.link.exchange}.exchange.nc"
