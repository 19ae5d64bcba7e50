"""Components are found by entry points: whose, under which name, only when they are asked for."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from halocline.component.case import registry
from halocline.component.case.case import Case
from halocline.component.case.reading import make_case, read_case, read_table
from halocline.component.case.shipped import names
from halocline.core.checkout import top
from halocline.core.errors import UserError
from halocline.core.names import quantities

Packages = Path


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Packages]:
    """A folder in which packages may be put that Python finds."""
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.registered.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    registry.registered.cache_clear()
    registry.load.cache_clear()


def install(folder: Path, package: str, name: str, value: str) -> None:
    """Put a package with one component there."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.group}]\n{name} = {value}\n")
    registry.registered.cache_clear()


def test_ours_come_first_and_are_those_of_pyproject() -> None:
    assert list(registry.all_cases(only_ours=True)) == [
        "waves",
        "transport",
        "ocean",
        "atmosphere",
        "biogeochemistry",
        "data",
        "program",
        "living-ocean",
        "air-sea-fluxes",
    ]
    project = tomllib.loads((top / "pyproject.toml").read_text())["project"]
    found = registry.all_cases(only_ours=True).items()
    listed = {name: f"{kind.__module__}:{kind.__name__}" for name, kind in found}
    assert listed == project["entry-points"][registry.group]


def test_a_case_that_names_none_is_of_the_first_that_is_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert make_case({}).component == next(iter(registry.registered())) == "waves"
    others = dict(reversed(registry.registered().items()))
    monkeypatch.setattr(registry, "registered", lambda: others)
    assert make_case({}).component == "air-sea-fluxes"


@pytest.mark.parametrize("name", names())
def test_shipped_cases_say_what_they_simulate(name: str) -> None:
    _, table = read_table(name)
    assert "component" in table or "members" in table


@pytest.mark.parametrize(("case", "other"), [("swell", "biogeochemistry"), ("tracer-51", "waves")])
def test_a_case_imports_only_the_component_that_it_names(case: str, other: str) -> None:
    program = (
        "import sys; from halocline.component.case.reading import read_case\n"
        f"read_case({case!r})\n"
        f"print([name for name in sys.modules if name.startswith('halocline.{other}')])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=240
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_package_adds_a_component(packages: Packages) -> None:
    install(packages, "tides", "tides", "tides_model:TideCase")
    (packages / "tides_model.py").write_text(
        "from dataclasses import dataclass\n"
        "from halocline.component.case.case import Case, named\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class TideCase(Case):\n"
        "    '''A run of tides.'''\n"
        "    component: str = named('tides')\n"
    )
    ours = registry.all_cases(only_ours=True)
    assert list(registry.all_cases()) == [*ours, "tides"]
    assert "tides" not in ours
    assert make_case({"component": "tides"}).title == ""
    assert registry.component_names().splitlines()[-1].split() == "tides A run of tides.".split()
    with pytest.raises(
        UserError, match=f"not one of: {', '.join(ours)}, tides. Did you mean 'tides'"
    ):
        make_case({"component": "tide"})


def test_two_components_of_one_name_are_refused(packages: Packages) -> None:
    install(packages, "impostor", "waves", "impostor:Case")
    with pytest.raises(
        UserError, match=r"'waves': halocline.*'halocline' and impostor.*'impostor'"
    ):
        read_case("swell")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_module:Case", "cannot be loaded: No module named 'no_such_module'"),
        ("halocline.component.case.case:Kase", "cannot be loaded: .*Kase"),
        ("halocline.core.options:Options", "is no class of cases"),
        ("halocline.waves.case:WaveCase", "calls itself 'waves'"),
    ],
)
def test_what_is_no_component_is_refused(packages: Packages, value: str, says: str) -> None:
    install(packages, "broken", "broken", value)
    assert read_case("swell").component == "waves"
    with pytest.raises(UserError, match=f"'broken' of {value} of package 'broken' {says}"):
        make_case({"component": "broken"})


@pytest.mark.parametrize("kind", registry.all_cases(only_ours=True).values())
def test_what_a_component_gives_and_takes_is_named_once(kind: type[Case]) -> None:
    for name in kind.imports:
        assert quantities[name].units
    for name, facts in kind.exports.items():
        assert name == facts.short_name == quantities[name].short_name
