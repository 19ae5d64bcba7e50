"""The Basic Model Interface of any case: how other frameworks step it, look at it and fill it.

Hutton, Piper and Tucker (2020), The Basic Model Interface 2.0, J. Open Source Softw. 5, 2317; all
of its functions are here, in the order of its pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.case import Case
from halocline.core.clock import Date, duration_text, text
from halocline.core.errors import UserError, nearest
from halocline.experiment.bmi_grids import BmiGrid
from halocline.experiment.bmi_values import BmiVariable, variables_of
from halocline.experiment.joint_run import JointRun
from halocline.experiment.member_run import Extras
from halocline.experiment.members import Members
from halocline.experiment.pauses import to_end
from halocline.experiment.run import as_members, assembled
from halocline.runtime.ranks.communicator import Communicator, world

Values = NDArray[Any]


class Bmi:
    """A case behind the Basic Model Interface 2.0.

    Variables have the names of output files, with that of the member before them
    (`waves.significant_height`) where a run has several; values are those of the whole grid on all
    ranks, row by row, missing ones NaN. Files are written only into a folder `output`. `takes`
    names what others will set, in place of what the case says: more input variables than it has
    by itself.
    """

    def __init__(
        self,
        output: str | Path | None = None,
        communicator: Communicator | None = None,
        takes: Sequence[str] = (),
    ) -> None:
        self._takes = tuple(takes)
        self._output = None if output is None else Path(output)
        self._communicator = communicator
        self._stack = ExitStack()
        self._joint: JointRun | None = None
        self._variables: Mapping[str, BmiVariable] = {}
        self._grids: list[BmiGrid] = []

    # --- control ------------------------------------------------------------------------------

    def initialize(self, config_file: str | Path | Case | Members) -> None:
        """Get a case ready for its first step: a file, its folder, or the name of a shipped one.

        From Python it may be a case, or members, too.
        """
        if self._joint is not None:
            raise UserError(
                "This model is initialized already. Call finalize() before, or make another."
            )
        members = as_members(config_file, ())
        communicator = self._communicator or world()
        if members.several and communicator.size > 1:
            raise UserError(
                f"The run has several members, which others can drive on one rank only, and"
                f" there are {communicator.size}. Start one, or drive each member by itself."
            )
        with ExitStack() as stack:
            found = stack.enter_context(assembled(members, communicator, self._output, Extras()))
            if found is None:
                raise UserError(
                    "Output servers cannot be driven by others. Set output.servers.count = 0."
                )
            joint = found.joint
            self._expect(joint)
            joint.read_restart()
            joint.open_files()
            joint.begin()
            self._stack = stack.pop_all()
        self._joint = joint
        self._variables, self._grids = variables_of(joint)

    def _expect(self, joint: JointRun) -> None:
        """Tell members what others will set, to each all of it at once."""
        left = dict.fromkeys(self._takes)
        for some in joint.here:
            before = f"{some.name}." if joint.members.several else ""
            known = {f"{before}{name}": name for name in some.case.imports}
            names = [name for name in left if name in known]
            if names:
                some.component.expect([known[name] for name in names])
            left = {name: None for name in left if name not in known}
        for name in left:
            members = joint.here
            before = "MEMBER." if joint.members.several else ""
            all_known = [f"{before}{one}" for some in members for one in some.case.imports]
            raise UserError(
                f"Nobody takes '{name}'.{nearest(name, all_known)} What others will set is one of"
                f" {', '.join(dict.fromkeys(all_known)) or 'nothing here'}."
            )

    def update(self) -> None:
        """One step; of several members one interval of their schedule."""
        joint = self._running()
        if joint.moment >= joint.end:
            raise UserError(
                f"The run has reached its end, {text(joint.end)}. Set time.length longer."
            )
        for variable in self._variables.values():
            variable.put()
        with joint.interval():
            to_end(joint.advance())
            joint.leave_restarts_where_due()
        for variable in self._variables.values():
            variable.refresh(joint.moment)

    def update_until(self, time: float) -> None:
        """As many steps as end at a time since the start [s]."""
        joint, step = self._running(), self.get_time_step()
        steps = (time - self.get_current_time()) / step
        if steps < 0 or abs(steps - round(steps)) > 1e-6:
            raise UserError(
                f"Cannot step to {time:g} s: it is {self.get_current_time():g} s, and a step takes"
                f" {duration_text(timedelta(seconds=step))}. Choose a whole number of steps later."
            )
        end = self.get_end_time()
        if time > end + 1e-6 * step:
            raise UserError(
                f"Cannot step to {time:g} s: the run ends at {end:g} s, {text(joint.end)}."
            )
        for _ in range(round(steps)):
            self.update()

    def finalize(self) -> None:
        """Close all files; the case can then be initialized anew."""
        if self._joint is not None:
            joint, self._joint = self._joint, None
            with self._stack:
                joint.finish("" if joint.moment >= joint.end else "its driver")
                joint.report()
        self._variables, self._grids = {}, []

    # --- what it is ---------------------------------------------------------------------------

    def get_component_name(self) -> str:
        """The components of its members."""
        members = self._running().members.members.values()
        return "Halocline " + " and ".join(member.case.component for member in members)

    def get_input_item_count(self) -> int:
        """How many variables can be set."""
        return len(self.get_input_var_names())

    def get_output_item_count(self) -> int:
        """How many variables can be looked at."""
        return len(self.get_output_var_names())

    def get_input_var_names(self) -> tuple[str, ...]:
        """Variables that can be set: what other members could give it."""
        self._running()
        return tuple(name for name, some in self._variables.items() if some.port is not None)

    def get_output_var_names(self) -> tuple[str, ...]:
        """Variables that can be looked at: what maps of it can hold."""
        self._running()
        return tuple(name for name, some in self._variables.items() if some.is_shown)

    # --- variables ----------------------------------------------------------------------------

    def get_var_grid(self, name: str) -> int:
        """Number of the grid that a variable lies on."""
        return self._variable(name).grid

    def get_var_type(self, name: str) -> str:
        """Type of its numbers, as NumPy names it."""
        return self._variable(name).dtype.name

    def get_var_units(self, name: str) -> str:
        """Its units."""
        return self._variable(name).units

    def get_var_itemsize(self, name: str) -> int:
        """Bytes of a number."""
        return self._variable(name).dtype.itemsize

    def get_var_nbytes(self, name: str) -> int:
        """Bytes of all its values."""
        variable = self._variable(name)
        return variable.dtype.itemsize * self._grids[variable.grid].size

    def get_var_location(self, name: str) -> str:
        """`node`: faces and corners have grids of their own."""
        self._variable(name)
        return "node"

    # --- time ---------------------------------------------------------------------------------

    def get_start_time(self) -> float:
        """0: times are those since the start of the run."""
        self._running()
        return 0.0

    def get_current_time(self) -> float:
        """Time since the start of the run [s]."""
        return self._since_start(self._running().moment)

    def get_end_time(self) -> float:
        """When the case ends [s]."""
        return self._since_start(self._running().end)

    def get_time_units(self) -> str:
        """Seconds."""
        return "s"

    def get_time_step(self) -> float:
        """A step; of several members the interval of their schedule [s]."""
        return self._running().schedule.interval.total_seconds()

    def get_date(self) -> str:
        """The date of now, ISO 8601: no part of the interface, but times are since the start."""
        return str(self._running().moment.isoformat())

    # --- values -------------------------------------------------------------------------------

    def get_value(self, name: str, dest: Values) -> Values:
        """Copy all values of now into a flat array."""
        dest[:] = self._values(name)
        return dest

    def get_value_ptr(self, name: str) -> Values:
        """Flat values that are those of now after every `update`.

        What is written into those of an input variable is set before the next step; into those of
        others it changes nothing.
        """
        return self._variable(name).followed(self._running().moment)

    def get_value_at_indices(
        self, name: str, dest: Values, inds: NDArray[np.integer[Any]]
    ) -> Values:
        """Copy the values of now at some places of the flat array."""
        dest[:] = self._values(name)[inds]
        return dest

    def set_value(self, name: str, src: Values) -> None:
        """Give an input variable values, with which the next steps are made."""
        self._set(name, slice(None), src)

    def set_value_at_indices(self, name: str, inds: NDArray[np.integer[Any]], src: Values) -> None:
        """Give an input variable values at some places of the flat array."""
        self._set(name, inds, src)

    # --- grids --------------------------------------------------------------------------------

    def get_grid_rank(self, grid: int) -> int:
        """How many dimensions it has."""
        return len(self._grid(grid).shape)

    def get_grid_size(self, grid: int) -> int:
        """How many values lie on it."""
        return self._grid(grid).size

    def get_grid_type(self, grid: int) -> str:
        """`uniform_rectilinear`, `rectilinear` or `structured_quadrilateral`."""
        return self._grid(grid).kind

    def get_grid_shape(self, grid: int, shape: NDArray[np.int_]) -> NDArray[np.int_]:
        """Its extents: axes before the horizontal ones, rows, columns."""
        shape[:] = self._grid(grid).shape
        return shape

    def get_grid_spacing(self, grid: int, spacing: Values) -> Values:
        """Distances of rows and columns of a uniform grid."""
        spacing[:] = self._uniform(grid).spacing
        return spacing

    def get_grid_origin(self, grid: int, origin: Values) -> Values:
        """Its first row and column."""
        origin[:] = self._uniform(grid).origin
        return origin

    def get_grid_x(self, grid: int, x: Values) -> Values:
        """Longitudes [degree] or distances [m] of its columns, or of all its points."""
        x[:] = self._grid(grid).x
        return x

    def get_grid_y(self, grid: int, y: Values) -> Values:
        """Latitudes [degree] or distances [m] of its rows, or of all its points."""
        y[:] = self._grid(grid).y
        return y

    def get_grid_z(self, grid: int, z: Values) -> Values:
        """The axis before the horizontal ones: levels as files have them, else counted from 0."""
        z[:] = self._grid(grid).z
        return z

    def get_grid_node_count(self, grid: int) -> int:
        """How many points it has."""
        return self._grid(grid).size

    def get_grid_edge_count(self, grid: int) -> int:
        """Of a grid with rows and columns: lines between neighbours in it."""
        return self._grid(grid).edges

    def get_grid_face_count(self, grid: int) -> int:
        """Of a grid with rows and columns: quadrilaterals between its points."""
        return self._grid(grid).faces

    def get_grid_edge_nodes(self, grid: int, edge_nodes: NDArray[np.int_]) -> NDArray[np.int_]:
        """Of unstructured grids only."""
        raise self._structured(grid)

    def get_grid_face_edges(self, grid: int, face_edges: NDArray[np.int_]) -> NDArray[np.int_]:
        """Of unstructured grids only."""
        raise self._structured(grid)

    def get_grid_face_nodes(self, grid: int, face_nodes: NDArray[np.int_]) -> NDArray[np.int_]:
        """Of unstructured grids only."""
        raise self._structured(grid)

    def get_grid_nodes_per_face(
        self, grid: int, nodes_per_face: NDArray[np.int_]
    ) -> NDArray[np.int_]:
        """Of unstructured grids only."""
        raise self._structured(grid)

    # --- own ----------------------------------------------------------------------------------

    def _running(self) -> JointRun:
        if self._joint is None:
            raise UserError("This model is not initialized. Call initialize(CASE) first.")
        return self._joint

    def _since_start(self, time: Date) -> float:
        return float((time - self._running().clock.start).total_seconds())

    def _variable(self, name: str) -> BmiVariable:
        self._running()
        if name not in self._variables:
            raise UserError(f"There is no variable '{name}'.{nearest(name, self._variables)}")
        return self._variables[name]

    def _input(self, name: str) -> BmiVariable:
        variable = self._variable(name)
        if variable.port is None:
            names = ", ".join(self.get_input_var_names()) or "none"
            raise UserError(f"'{name}' cannot be set. Input variables are: {names}.")
        return variable

    def _values(self, name: str) -> Values:
        return self._variable(name).values(self._running().moment)

    def _set(self, name: str, places: NDArray[np.integer[Any]] | slice, src: Values) -> None:
        given = np.asarray(src).reshape(-1)
        variable = self._input(name)
        values, used = variable.given, variable.used
        if given.size != values[places].size:
            raise UserError(
                f"There are {values[places].size} values of '{name}' there, not {given.size}."
            )
        if not np.isfinite(given[used[places]]).all():
            raise UserError(
                f"Values for '{name}' are missing where the model uses them. Give numbers."
            )
        values[places] = np.where(used[places], given, values[places])

    def _grid(self, number: int) -> BmiGrid:
        self._running()
        if not 0 <= number < len(self._grids):
            raise UserError(f"There is no grid {number}; there are {len(self._grids)}, from 0 on.")
        return self._grids[number]

    def _uniform(self, number: int) -> BmiGrid:
        grid = self._grid(number)
        if grid.kind != "uniform_rectilinear":
            raise UserError(
                f"Grid {number} is {grid.kind}: it has no one spacing. Ask for x and y."
            )
        return grid

    def _structured(self, number: int) -> UserError:
        return UserError(
            f"Grid {number} is {self._grid(number).kind}: only unstructured grids have lists of"
            " nodes. Ask for its shape, x and y."
        )
