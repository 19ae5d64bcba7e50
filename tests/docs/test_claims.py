"""What is said of the package in several places is said alike, and what can be counted is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import halocline
from halocline.component.case.shipped import names
from named_programs import named

root = Path(__file__).parents[2]
readme = (root / "README.md").read_text(encoding="utf-8")


def test_one_description_everywhere() -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert halocline.__doc__ == f"Halocline: {project['description'][0].lower()}" + (
        f"{project['description'][1:]}."
    )
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{halocline.__doc__[:-1]}"' in citation


def test_it_names_the_components_that_there_are() -> None:
    """No room for an ocean or an atmosphere is promised by the description."""
    rooms = {path.parent.name for path in (root / "src" / "halocline").glob("*/__init__.py")}
    for word, room in (("ocean model", "ocean"), ("atmosphere", "atmosphere")):
        assert (word in (halocline.__doc__ or "")) <= (room in rooms)


def test_readme_names_all_that_the_machine_must_have() -> None:
    needed = re.search(r"this needs (.*?);", readme, re.DOTALL)
    assert needed is not None
    packages = set(re.split(r",\s+|\s+and\s+", needed[1]))
    assert packages == {"git", "g++", "python3-venv", "python3-dev"}
    assert {"git", "g++"} <= set(named)
    assert not {"cmake", "ninja", "mpiexec", "clang-format"} & set(named)


def test_the_wind_of_the_demo_is_called_what_it_is() -> None:
    """It is moved along latitude circles (cases/data/README.md): no page sells it as weather."""
    assert "no record of weather" in (root / "cases" / "data" / "README.md").read_text()
    pages = [root / "README.md", root / "halo", *(root / "docs").glob("*.md")]
    for page in [*pages, *(root / "cases" / name / "case.toml" for name in names())]:
        text = page.read_text(encoding="utf-8")
        claims = re.findall(r"real (?:depths and )?winds?\b", text)
        assert not claims or "storm1996" in text, page
    assert "no record of weather" in readme


def test_pages_name_only_programs_that_users_have() -> None:
    """The environment of a checkout may hold more than `./halo` leaves there."""
    pages = [root / "README.md", *root.glob("docs/*.md"), root / "CONTRIBUTING.md"]
    found = {
        program
        for page in pages
        for program in re.findall(r"\.venv/bin/([\w-]+)", page.read_text(encoding="utf-8"))
    }
    assert found == {"python", "activate"}
