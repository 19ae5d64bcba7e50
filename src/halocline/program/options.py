"""Options of a member that is a program of its own: how it starts, what it gives, takes, keeps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity, quantities
from halocline.core.options import Options, option

own_fields = ("depth",)
"""Fields that declared loops can read and that no case names."""


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
class DeclaredField(OwnQuantity):
    """A field on which the program declares loops: an array with halos, in Halocline's memory."""

    place: str = option(
        "center",
        "",
        "where its values lie: x_face west of the cell of the same number, y_face south of it",
        choices=("center", "x_face", "y_face", "corner"),
    )
    levels: int = option(1, "1", "values of each cell", at_least=1)
    restart: bool = option(False, "", "whether restarts hold it")


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
    fields: Mapping[str, DeclaredField] = option(
        {},
        "",
        "fields of a program that declares its loops, in place of `keeps` and `gives`; others may"
        " take those at centres, and give it those that `takes` names",
    )
    halo: int = option(
        1, "1", "cells around each block that declared loops may read", at_least=1, at_most=16
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.words:
            raise UserError(
                "A program has no command. Say how it starts: program.command = './theirs'."
            )
        if self.fields:
            self._refuse_wrong_fields()
            return
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

    def _refuse_wrong_fields(self) -> None:
        """Refuse what does not go with declared loops."""
        for word in ("gives", "keeps", "quantities"):
            if getattr(self, word):
                raise UserError(
                    f"program.{word} is for programs that cut the grid themselves, but"
                    f" program.fields has fields of declared loops. Leave program.{word} out:"
                    " a field says itself what it is."
                )
        for name in self.fields:
            if not name.isidentifier() or name in own_fields:
                raise UserError(
                    f"[program.fields] has '{name}'. Give a field a name of letters, digits and"
                    f" underscores, other than that of what there is: {', '.join(own_fields)}."
                )
        for name in self.takes:
            some = self.fields.get(name)
            if some is None or some.place != "center" or some.levels > 1:
                raise UserError(
                    f"program.takes has '{name}', which is no field at centres without levels."
                    f"{nearest(name, self.fields)} Others give to such fields of"
                    " [program.fields]."
                )

    @property
    def words(self) -> list[str]:
        """The command, word by word."""
        return shlex.split(self.command)

    def quantity(self, name: str) -> Quantity:
        """What a field is."""
        own = self.quantities.get(name) or self.fields.get(name)
        unsaid = own is None or (own.standard_name, own.units, own.long_name) == ("", "1", "")
        if own is None or (unsaid and name in quantities):
            return quantities[name]
        return Quantity(name, own.standard_name, own.units, own.long_name)
