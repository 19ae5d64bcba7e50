"""Microphysics in a step: a scheme's kernel on the fields of an atmosphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.kessler import KesslerOptions
from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.atmosphere.microphysics.thompson import ThompsonOptions
from halocline.atmosphere.microphysics.wsm6 import Wsm6Options
from halocline.core.options import Options, option
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


@dataclass(frozen=True, kw_only=True)
class MicrophysicsOptions(Options):
    """Clouds and precipitation."""

    scheme: str = option(
        "none", "", "how water changes its phase and falls",
        choices=("none", "kessler", "wsm6", "thompson"),
    )  # fmt: skip
    kessler: KesslerOptions = option(KesslerOptions(), meaning="warm rain")
    wsm6: Wsm6Options = option(Wsm6Options(), meaning="clouds with ice")
    thompson: ThompsonOptions = option(
        ThompsonOptions(), meaning="clouds with ice, numbers of drops and crystals"
    )

    @property
    def chosen(self) -> MicrophysicsScheme | None:
        """The scheme that acts.

        >>> MicrophysicsOptions(scheme="kessler").chosen.species
        ('vapor', 'cloud', 'rain')
        """
        schemes: dict[str, MicrophysicsScheme] = {
            "kessler": self.kessler, "wsm6": self.wsm6, "thompson": self.thompson,
        }  # fmt: skip
        return schemes.get(self.scheme)


class Clouds:
    """Changes `dry_theta` and `water` of a state, and keeps what falls.

    `fallen` is of the last step, by the kernel's names; `totals` since the start of the run, in
    double precision, by names that end in "_total". All [kg m-2].
    """

    def __init__(
        self, scheme: MicrophysicsScheme, run: Runner, state: object, space: Space, dtype: DTypeLike
    ) -> None:
        self.scheme = scheme
        place = Place.center
        self.fallen = {
            name: Field(name, "kg m-2", space, place=place, dtype=dtype) for name in scheme.fallen
        }
        self.totals = {
            name.replace("_fallen", "_total"): Field(
                name.replace("_fallen", "_total"), "kg m-2", space, place=place,
                dtype=np.float64, restart=True,
            )
            for name in scheme.fallen
        }  # fmt: skip
        self._change = run.bind(kernels[scheme.kernel], state, **self.fallen)
        self._collect = [
            run.bind(kernels["atmosphere_collect"], amount=fallen, total=total)
            for fallen, total in zip(self.fallen.values(), self.totals.values(), strict=True)
        ]

    def step(self, dt: float) -> None:
        """A step of `dt` [s]."""
        self._change(dt=dt, **self.scheme.numbers)
        for collect in self._collect:
            collect(factor=1.0)
