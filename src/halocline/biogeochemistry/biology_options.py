"""Options of models of life in the sea, and of the transport that carries their tracers."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.biogeochemistry.bfm.options import BfmOptions
from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.fabm.options import FabmOptions
from halocline.biogeochemistry.known_biologies import biology_kind, check_known
from halocline.biogeochemistry.npzd.options import NpzdOptions
from halocline.biogeochemistry.transport import TransportOptions
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class CarriedOptions(TransportOptions):
    """What moves the tracers of a biology; those of the transport alone, but for the tracers."""

    tracers: list[str] = option([], "", "those of the biology; not to be given")
    circulation: str = option(
        "rest",
        "",
        "what moves the tracers: an analytic circulation (rest: none), or files",
        choices=("rotation", "gyres", "rest", "files"),
    )

    def _check_names(self) -> None:
        if self.tracers:
            super()._check_names()


@dataclass(frozen=True, kw_only=True)
class BiologyOptions(Options):
    """The model of life in the sea."""

    model: str = option(
        "bfm", "", "which model: bfm, npzd, fabm, or one that another package registers"
    )
    start: dict[str, float] = option(
        {}, "", "values at the start by tracer; where none is given, those of the model"
    )
    numbers: dict[str, float] = option(
        {}, "", "options of a model that another package registers, by name"
    )
    bfm: BfmOptions = option(BfmOptions(), meaning="the Biogeochemical Flux Model, 51 tracers")
    npzd: NpzdOptions = option(
        NpzdOptions(), meaning="nutrient, phytoplankton, zooplankton, detritus"
    )
    fabm: FabmOptions = option(FabmOptions(), meaning="a model of FABM, where pyfabm is installed")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_known(self.model)
        if self.numbers and self.model in self._ours:
            raise UserError(
                f"biology.numbers are those of models of other packages. Those of '{self.model}'"
                f" stand in [biology.{self.model}]."
            )

    @property
    def _ours(self) -> dict[str, Options]:
        return {"bfm": self.bfm, "npzd": self.npzd, "fabm": self.fabm}

    def build(self) -> Biology:
        """The model that is chosen."""
        kind = biology_kind(self.model)
        own = self._ours.get(self.model) or kind.options_kind.from_table(
            self.numbers, "biology.numbers"
        )
        biology = kind(own)
        for name, value in self.start.items():
            if name not in biology.names:
                hint = nearest(name, biology.names)
                raise UserError(f"biology.start: '{self.model}' has no tracer '{name}'.{hint}")
            if not value >= 0.0:
                raise UserError(
                    f"biology.start.{name} = {value}: a tracer is not negative. Give at least 0."
                )
        return biology
