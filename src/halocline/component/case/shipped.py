"""The cases and data that come with Halocline, from a checkout or an installed package."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import halocline
from halocline.core.errors import UserError, nearest
from halocline.core.paths import is_there


def case_folder() -> Path:
    """Folder of the shipped cases: in the package, or in the checkout that it lies in.

    >>> (case_folder() / "global-waves" / "case.toml").exists()
    True
    """
    package = Path(halocline.__file__).parent
    installed = package / "cases"
    return installed if installed.is_dir() else package.parents[1] / "cases"


def data_folder() -> Path:
    """Folder of the shipped data files."""
    return case_folder() / "data"


def names() -> list[str]:
    """Names of all shipped cases.

    >>> "global-waves" in names()
    True
    """
    return sorted(path.parent.name for path in case_folder().glob("*/case.toml"))


def summary(name: str) -> str:
    """First sentence of a shipped case: what it shows."""
    for line in (case_folder() / name / "case.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return ""


def about(name: str) -> str:
    """What a shipped case says of itself: the comment that it begins with, up to its scaling.

    >>> about("two-members").splitlines()[0]
    'Waves and tracers side by side in one run, each on its own grid, clock and ranks.'
    """
    lines = (case_folder() / name / "case.toml").read_text(encoding="utf-8").splitlines()
    comment = itertools.takewhile(lambda line: line.startswith("#"), lines)
    said = [line.removeprefix("#").strip() for line in comment]
    return "\n".join(itertools.takewhile(lambda line: not line.startswith("Scaling"), said)).strip()


def find_case(name: str) -> Path:
    """Path of a case given as a file, a folder with a case.toml, or the name of a shipped case."""
    path = Path(name)
    for some in (path, path / "case.toml", case_folder() / name / "case.toml"):
        if is_there(some) and some.is_file():
            return some
    raise UserError(
        f"No case '{name[:200]}': no such file, no folder with a case.toml, and no shipped case of"
        f" that name.{nearest(name[:200], names())} Shipped: {', '.join(names())}."
    )


def find_data(name: str, folder: str | Path) -> Path:
    """Path of a data file named in a case: in `folder` first, then among the shipped data."""
    places = [Path(folder), data_folder()]
    for place in places:
        path = place / name
        if is_there(path) and (path.is_file() or (path.is_dir() and path.suffix == ".zarr")):
            return path
    looked = " and ".join(f"'{place}'" for place in places)
    known = [path.name for place in places if place.is_dir() for path in place.iterdir()]
    raise UserError(f"No data file '{name[:200]}' in {looked}.{nearest(name[:200], known)}")


def copy_case(name: str, target: str | Path) -> Path:
    """Copy a shipped case and the data that it names to the new folder `target`."""
    source = find_case(name)
    target = Path(target)
    if target.exists() and any(target.iterdir()):
        raise UserError(f"The folder '{target}' is not empty. Choose another one.")
    try:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target / "case.toml")
        text = source.read_text(encoding="utf-8")
        for data in sorted(data_folder().glob("*.nc")):
            if f'"{data.name}"' in text:
                shutil.copy(data, target)
                shutil.copy(data_folder() / "LICENSES.txt", target)
    except OSError as error:
        raise UserError(f"Cannot write to '{target}': {error.strerror}.") from None
    return target / "case.toml"
