"""Options of a member that is a program of its own: how it starts, what it gives, takes, keeps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity, quantities
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class KeptField(Options):
    """A field of the program's own state that restarts keep for it."""

    levels: int = option(1, "1", "values of each cell", at_least=1)


@dataclass(frozen=True, kw_only=True)
class OwnQuantity(Options):
    """A quantity that Halocline has no name for."""

    standard_name: str = option("", "", "its CF standard name, if there is one")
    units: str = option("1", "", "its units in files and between members")
    long_name: str = option("", "", "what it is")


@dataclass(frozen=True, kw_only=True)
class ProgramOptions(Options):
    """A program of its own that computes the steps of this member."""

    command: str = option(
        "",
        "",
        "what starts it, on each of its ranks: a path from the folder of the case or from here, or"
        " a program on PATH, and its arguments",
    )
    gives: list[str] = option([], "", "short names of fields that others may take from it")
    takes: list[str] = option([], "", "short names of fields that others may give it")
    keeps: Mapping[str, KeptField] = option(
        {}, "", "fields of its own that restarts hold for it, by names of its own"
    )
    quantities: Mapping[str, OwnQuantity] = option(
        {}, "", "quantities of its own among these, by short name"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.words:
            raise UserError(
                "A program has no command. Say how it starts: program.command = './theirs'."
            )
        names = [*self.gives, *self.takes, *self.keeps]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UserError(
                f"[program] has '{twice[0]}' twice. Name every field once, among what it gives,"
                " takes or keeps."
            )
        if not names:
            raise UserError(
                "A program gives, takes and keeps nothing. Name fields (program.gives,"
                " program.takes, program.keeps)."
            )
        for name in (*self.gives, *self.takes):
            if name not in quantities and name not in self.quantities:
                raise UserError(
                    f"[program] names '{name}', which is no known field.{nearest(name, quantities)}"
                    f" Describe it in [program.quantities.{name}], or take a name that"
                    " 'halocline explain' lists."
                )

    @property
    def words(self) -> list[str]:
        """The command, word by word."""
        return shlex.split(self.command)

    def quantity(self, name: str) -> Quantity:
        """What a field is."""
        own = self.quantities.get(name)
        if own is None:
            return quantities[name]
        return Quantity(name, own.standard_name, own.units, own.long_name)
