"""The page of the laboratory names its commands, all of them and no others."""

import re
from pathlib import Path

from halocline_lab.commands import commands, rooms

page = Path(__file__).parents[2] / "docs" / "laboratory.md"


def test_the_page_names_every_command():
    named = set(re.findall(r"\blab ([a-z]+)\b", page.read_text()))
    assert named == set(commands)


def test_every_command_is_a_module_of_its_room():
    for room, loaders in rooms.items():
        for load in loaders:
            command = load()
            assert command.__name__ == f"halocline_lab.{room}.{load.__name__}"
            assert command.__doc__ and callable(command.add_arguments) and callable(command.main)
