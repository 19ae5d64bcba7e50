"""The page of the laboratory names its commands, all of them and no others."""

import re
from importlib import import_module
from pathlib import Path

from halocline.experiment.lab_commands import lab_commands, lab_module, lab_rooms

page = Path(__file__).parents[2] / "docs" / "laboratory.md"


def test_the_page_names_every_command():
    named = set(re.findall(r"\blab ([a-z]+)\b", page.read_text()))
    assert named == set(lab_commands)


def test_every_command_is_a_module_of_its_room():
    for room, commands in lab_rooms.items():
        assert import_module(f"halocline_lab.{room}").__doc__
        for command in commands:
            module = lab_module(command)
            assert module.__name__ == f"halocline_lab.{room}.{command}" and module.__doc__
            assert callable(module.add_arguments) and callable(module.main)
