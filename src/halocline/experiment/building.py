"""Components and output streams of a case."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.component.streams.own_stream import OwnStream
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.errors import UserError, nearest
from halocline.runtime.files.file_names import refuse_shared
from halocline.runtime.files.read_ahead import end_readings
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan


def build_component(
    case: Case,
    clock: Clock,
    communicator: Communicator,
    *,
    check_halos: bool = False,
    plan: Plan | None = None,
    given: Mapping[str, Any] | None = None,
) -> Component:
    """The component of a case, with its grid and decomposition; `given` as its case `takes` it."""
    for name in given or {}:
        if name not in case.takes:
            takes = ", ".join(case.takes) or "none"
            raise UserError(
                f"A case of the component '{case.component}' takes no argument '{name}'."
                f"{nearest(name, case.takes)} It takes: {takes}."
            )
    try:
        component = case.build(clock, communicator, check_halos=check_halos, plan=plan, given=given)
    except BaseException:
        end_readings()
        raise
    component.run.overlap = case.communication.overlap
    component.run.recompute_halos = case.communication.recompute
    return component


def build_streams(
    case: Case,
    component: Component,
    clock: Clock,
    communicator: Communicator,
    folder: Path | None,
    *,
    resumed: bool,
    own: Sequence[OwnStream] = (),
    looked_at: Collection[str] = (),
) -> Sequence[OutputStream]:
    """Output streams of a case and of the user; none without a folder.

    The component may be asked for maps that are `looked_at` besides.
    """
    if folder is None:
        return []
    streams = list(case.streams(component, clock, folder, communicator, resumed=resumed))
    for some in own:
        streams.append(some.prepare(component.plane, clock, folder, communicator, resumed=resumed))
    refuse_shared([stream.plan for stream in streams])
    component.show_only(shown_names(case, streams, looked_at))
    return streams


def shown_names(
    case: Case, streams: Sequence[OutputStream], looked_at: Collection[str]
) -> set[str]:
    """Maps that a component will be asked for: by others, by streams, and to follow them."""
    return {*case.exports, *looked_at, *(name for stream in streams for name in stream.names)}
