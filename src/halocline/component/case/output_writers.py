"""Who writes: the tables that the output of every component has, and what they must agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.component.streams.field_stream import FieldStreamOptions
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.runtime.ranks.roles import ServerOptions
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.writing_options import WritingOptions


@dataclass(frozen=True, kw_only=True)
class OutputWriters(Options):
    """Who writes the output of a run."""

    servers: ServerOptions = option(ServerOptions(), meaning="ranks that only write")
    writing: WritingOptions = option(WritingOptions(), meaning="how files are written")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_servers_without_any("writing.way", self.writing.way)
        for name, stream in self.streams():
            self.refuse_servers_without_any(f"{name}.way", stream.way)
            if stream.group >= self.servers.groups:
                raise UserError(
                    f"{name}.group = {stream.group}, and there are {self.servers.groups} groups of"
                    f" servers, counted from 0. Set it to {self.servers.groups - 1} at most, or"
                    f" servers.groups to {stream.group + 1}."
                )

    def streams(self) -> list[tuple[str, StreamOptions]]:
        """All streams, by the names of their tables in [output]."""
        return [
            (f"{kind}.{name}", stream)
            for kind, streams in vars(self).items()
            if isinstance(streams, dict)
            for name, stream in streams.items()
        ]

    def kinds(self) -> list[str]:
        """Names of the tables in [output] that hold streams."""
        return [kind for kind, streams in vars(self).items() if isinstance(streams, dict)]

    def refuse_servers_without_any(self, name: str, way: str) -> None:
        """Refuse an option that asks for servers where the case says that there are none."""
        if way == "servers" and self.servers.given == 0:
            raise UserError(
                f"{name} = 'servers', but servers.count = 0. Set servers.count to 1 or more or"
                " 'auto', or choose another way."
            )

    def needs_servers(self, restart_way: str) -> bool:
        """Whether some output is to be written by servers, whatever else would be chosen."""
        ways = {stream.way for _, stream in self.streams()} | {restart_way, self.writing.way}
        return "servers" in ways


@dataclass(frozen=True, kw_only=True)
class MapOutput(OutputWriters):
    """What a run writes."""

    fields: Mapping[str, FieldStreamOptions] = option({}, "", "streams of maps, by name")
