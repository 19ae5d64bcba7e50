"""How a case says what stands beyond the sides of its grid."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.topology import Reflection, Reflections

kinds_x = "", "closed", "periodic", "mirror"
kinds_y = (*kinds_x, "pole")


@dataclass(frozen=True, kw_only=True)
class SideOptions(Options):
    """What stands beyond the sides of the grid; not every component knows mirrors and poles.

    A mirror shows the grid the other way round, so that nothing crosses it. A pole is the end of a
    longitude-latitude grid around the globe: beyond it stands the last row, half way round.
    """

    west: str = option(
        "",
        "",
        "western side; periodic ones go by two. Where nothing is said, the other options of the"
        " grid count",
        choices=kinds_x,
    )
    east: str = option("", "", "eastern side", choices=kinds_x)
    south: str = option("", "", "southern side", choices=kinds_y)
    north: str = option("", "", "northern side", choices=kinds_y)

    @property
    def reflections(self) -> Reflections:
        """Which sides reflect the grid."""
        return Reflections(*map(_reflection, (self.west, self.east, self.south, self.north)))

    def joined(self, low: str, high: str, otherwise: bool | None, usual: bool) -> bool:
        """Whether two sides are joined: as they say or another option does, else as is usual."""
        said = getattr(self, low), getattr(self, high)
        if said == ("", ""):
            return usual if otherwise is None else otherwise
        words = f"grid.sides.{low} = '{said[0]}' and grid.sides.{high} = '{said[1]}'"
        joined = said[0] == "periodic"
        if joined != (said[1] == "periodic"):
            raise UserError(
                f"{words}: a side is periodic together with the opposite one. Say it of both."
            )
        if otherwise not in (None, joined):
            axis = "x" if low == "west" else "y"
            raise UserError(
                f"{words} do not go with grid.periodic_{axis} = {str(otherwise).lower()}. Leave"
                " that out: sides say it."
            )
        return joined


def _reflection(kind: str) -> Reflection:
    """What a side does to the grid that a case calls so."""
    known: dict[str, Reflection] = {"mirror": "mirror", "pole": "pole"}
    return known.get(kind, "")


def refuse_poles(grid: Grid, given: SideOptions) -> None:
    """Refuse poles that the faces of the last row do not reach."""
    for side, row, sign in (("south", 0, -1.0), ("north", -1, 1.0)):
        face = float(grid.y[row]) + sign * 0.5 * grid.step_y
        if given.reflections.on(side) != "pole":
            continue
        if not grid.spherical or abs(face - sign * 90.0) > 1e-6 * grid.step_y:
            where = f"at {face:g} degrees north" if grid.spherical else "on no latitude"
            raise UserError(
                f"grid.sides.{side} = 'pole', but the faces of the last row lie {where}. Choose"
                " rows of a spherical grid that end there (grid.y0, grid.dy, grid.ny): from pole to"
                " pole, dy = 180 / ny and y0 = dy / 2 - 90."
            )
