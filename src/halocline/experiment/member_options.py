"""Options of a member of a run: its case, where it computes, and of a nest when it is where."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class FollowOptions(Options):
    """What a nest that moves along keeps in its middle: an extreme of one of its own maps."""

    field: str = option(
        "", "", "name of the map, without levels, whose extreme it follows; empty: it does not"
    )
    extreme: str = option("minimum", "", "which one", choices=("minimum", "maximum"))
    interval: str | float = option(
        "15min", "s", "time between two looks, a multiple of the schedule's interval"
    )
    most: int = option(
        1, "1", "cells of the member around it that it moves at most after a look, along each axis",
        at_least=1,
        source="ARW moves by one (Skamarock et al. 2019, NCAR/TN-556, section 7.4)",
    )  # fmt: skip
    fastest: float = option(
        0.0,
        "m s-1",
        "the extreme is looked for no farther from the nest's middle than this times the interval;"
        " 0: in all of it",
        at_least=0.0,
    )
    margin: int = option(
        4, "1", "cells of the member around it that stay between the sides of both", at_least=0
    )


@dataclass(frozen=True, kw_only=True)
class MemberOptions(Options):
    """A member of a run: its case, and on which ranks it computes."""

    case: str = option(
        "", "", "a case file, its folder or a shipped case, which further tables change; or empty"
    )
    ranks: int = option(
        0, "1", "ranks that compute for it; 0: a part of those that nobody asks for", at_least=0
    )
    share: float = option(
        0.0, "1", "its part of these ranks; 0: by the expected work", at_least=0, at_most=1
    )
    on_ranks_of: str = option(
        "", "", "the member on whose ranks it computes, in sequence; empty: on ranks of its own"
    )
    recorded_in: str = option(
        "",
        "",
        "folder of results of an earlier run (schedule.recorded): the member is not computed, the"
        " others are given what it gave them there",
    )
    nested_in: str = option(
        "",
        "",
        "the member in whose grid it lies: it steps through each step of that one, and takes its"
        " sides from it",
    )
    feedback: bool = option(
        True, "", "whether it gives back to that member what it computed (two-way nesting)"
    )

    begins: str | float = option(
        "",
        "s",
        "of a nest: how long after the start of the run it begins, with what the member around it"
        " has there, as '2h'; with a start of its own, and at that of the run, if empty",
    )
    moves: list[str] = option(
        [],
        "",
        "of a nest: when it moves, after the start of the run, and by how many cells of the member"
        " around it, as '2h east 1' or '150min east 1 north 2'",
    )
    follow: FollowOptions = option(
        FollowOptions(), meaning="of a nest: what it keeps in its middle, moving along"
    )

    site: str = option(
        "", "", "the site where it computes, of a run at two sites; empty: all are at one"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.ranks > 0) + (self.share > 0.0) + bool(self.on_ranks_of) > 1:
            raise UserError("Give one of ranks, share and on_ranks_of, or none of them.")
