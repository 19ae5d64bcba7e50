"""Options of a data model: what it gives, from which files, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.errors import UserError, nearest
from halocline.core.names import quantities
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class GivenFiles(SeriesOptions):
    """Maps in time from files, that others may take."""

    fields: list[str] = option([], "", "short names of what is given")
    variables: list[str] = option(
        [], "", "variables of the files, one for each field; found by their CF names if empty"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unknown(self.fields)
        if not self.fields or not self.file:
            raise UserError(
                f"A table [data.gives.NAME] has the file {self.file!r} and the fields"
                f" {self.fields}. Give both."
            )
        if self.variables and len(self.variables) != len(self.fields):
            raise UserError(
                f"There are {len(self.fields)} fields and {len(self.variables)} variables. Name one"
                " variable for each field, or none."
            )


@dataclass(frozen=True, kw_only=True)
class DataOptions(Options):
    """What a data model gives from files, and what it takes from others to write it."""

    gives: Mapping[str, GivenFiles] = option({}, "", "maps in time that others may take, by name")
    takes: list[str] = option(
        [], "", "short names of fields that others may give it; its maps write them"
    )
    recorded: list[str] = option(
        [],
        "",
        "files that a coupled run wrote of its exchanges (schedule.recorded), which are given as"
        " they are; [grid] is that of the member that took them",
    )
    grid: str = option(
        "files",
        "",
        "cells around the points of the first files it gives, sea where they have values; or those"
        " of [grid], to which files are interpolated. Without files it is that of [grid]",
        choices=("files", "case"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unknown(self.takes)
        names = [*self.given, *self.takes]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise UserError(
                f"A data model has '{twice[0]}' twice in [data]. Name every field once, among what"
                " it gives or what it takes."
            )
        if self.recorded and self.gives:
            raise UserError(
                "A data model gives what is recorded or maps of files, each on a grid of its own."
                " Let two members do so."
            )
        if not names and not self.recorded:
            raise UserError(
                "A data model gives and takes nothing. Name files ([data.gives.NAME]) or fields"
                " that it takes (data.takes)."
            )

    @property
    def given(self) -> list[str]:
        """Short names of all that it gives."""
        return [name for some in self.gives.values() for name in some.fields]

    @property
    def on_files_grid(self) -> bool:
        """Whether its cells are those of files."""
        return bool(self.gives) and self.grid == "files"


def refuse_unknown(names: list[str]) -> None:
    """Refuse names of no quantity."""
    for name in names:
        if name not in quantities:
            raise UserError(
                f"[data] names '{name}', which is no known field.{nearest(name, quantities)}"
                " 'halocline explain' lists the fields of components."
            )
