"""Commands of other packages: entry points of the group `halocline.commands`."""

from __future__ import annotations

import argparse
from typing import Protocol

group = "halocline.commands"


class AddedCommand(Protocol):
    """What an entry point of the group names: a module."""

    words: str
    """What it does, in a line."""

    example: str
    """Words after `halocline`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the command."""

    def main(self, options: argparse.Namespace) -> int:
        """Run the command; its exit code."""


def added_commands() -> dict[str, AddedCommand]:
    """The commands that other packages add, by name."""
    from importlib.metadata import entry_points  # reads what all packages say of themselves

    return {entry.name: entry.load() for entry in entry_points(group=group)}
