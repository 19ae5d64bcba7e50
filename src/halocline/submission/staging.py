"""What a case needs at a site: one case file with every option, and the files that it names.

Texts of the case that name files here are changed to where these will lie there, in `input`.
Certificates and keys of a link are not among them: they never leave the machine that has them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.core.paths import is_there
from halocline.experiment.members import read_members
from halocline.runtime.files.file_names import restart_name

folder_there = "input"
case_there = "case.toml"

not_files = ("title", "component", "data_folder", "command", "credentials", "weights")
"""Options whose texts are never names of input, whatever lies beside the case."""


@dataclass(frozen=True)
class StagedFile:
    """A file for a site: its name in the folder of the run there, what it holds, its size [byte].

    It lies at `path` here, or its `content` is made here.
    """

    name: str
    sha256: str
    size: int
    path: Path | None = None
    content: bytes = b""

    @classmethod
    def of(cls, name: str, source: Path | bytes) -> StagedFile:
        """A file here, or some content."""
        if isinstance(source, bytes):
            digest = hashlib.sha256(source).hexdigest()
            return cls(name, digest, len(source), content=source)
        try:
            with source.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                return cls(name, digest, os.fstat(file.fileno()).st_size, path=source)
        except OSError as error:
            raise UserError(f"Cannot read '{source}': {error.strerror}.") from None


@dataclass
class _Inputs:
    """Files that cases name, each once, and the names that they get there."""

    names: dict[Path, str] = field(default_factory=dict)
    folders: dict[tuple[Path, ...], str] = field(default_factory=dict)
    files: list[StagedFile] = field(default_factory=list)

    def add(self, path: Path) -> str:
        """The name there of a file or folder here."""
        path = path.resolve()
        if path not in self.names:
            self.names[path] = self._free(path.name)
            self._add_all(self.names[path], path)
        return self.names[path]

    def add_together(self, paths: Sequence[Path]) -> str:
        """The folder there of files that have it for themselves, under their own names."""
        key = tuple(path.resolve() for path in paths)
        if key not in self.folders:
            self.folders[key] = f"{folder_there}/{len(self.folders) + 1}"
            for path in paths:
                self._add_all(f"{self.folders[key]}/{path.name}", path)
        return self.folders[key]

    def _add_all(self, name: str, path: Path) -> None:
        for some in _files_of(path):
            below = "" if some == path else f"/{some.relative_to(path).as_posix()}"
            self.files.append(StagedFile.of(name + below, some))

    def _free(self, name: str) -> str:
        taken, wanted = set(self.names.values()), f"{folder_there}/{name}"
        number = 1
        while wanted in taken:
            number += 1
            wanted = f"{folder_there}/another-{number}/{name}"
        return wanted


def _files_of(path: Path) -> Iterator[Path]:
    """A file, or all files of a folder."""
    if path.is_file():
        yield path
        return
    for folder, _, names in sorted(os.walk(path)):
        for name in sorted(names):
            yield Path(folder, name)


def staged_files(table: Mapping[str, Any]) -> list[StagedFile]:
    """The case file of a run and all its input, from the whole table of the run."""
    inputs = _Inputs()
    changed = _with_names_there(table, str(table.get("data_folder", "")), inputs, ())
    case = StagedFile.of(case_there, tomli_w.dumps(changed).encode())
    for file in [case, *inputs.files]:
        if not file.name.isprintable():
            raise UserError(f"The name {file.name!r} cannot be sent. Rename the file.")
    return [case, *inputs.files]


def _with_names_there(
    table: Mapping[str, Any], folder: str, inputs: _Inputs, where: tuple[str, ...]
) -> dict[str, Any]:
    folder = str(table.get("data_folder", folder))
    return {
        key: _changed(value, folder, inputs, (*where, key))
        for key, value in table.items()
        if key != "data_folder"
    }


def _changed(value: Any, folder: str, inputs: _Inputs, where: tuple[str, ...]) -> Any:
    """A value of a case as it is there."""
    if isinstance(value, Mapping):
        return _with_names_there(value, folder, inputs, where)
    if isinstance(value, list):
        return [_changed(item, folder, inputs, where) for item in value]
    if not isinstance(value, str) or not value or _is_no_input(where):
        return value
    if where[-1] == "case":
        return _nested_case(value, folder, inputs)
    if where[-2:] == ("restart", "source"):
        return _restarts(value, inputs)
    if any(sign in value for sign in "*?["):
        pattern = Path(folder) / value
        found = sorted(pattern.parent.glob(pattern.name))
        return f"{inputs.add_together(found)}/{pattern.name}" if found else value
    name, colon, function = value.partition(":") if ".py:" in value else (value, "", "")
    path = _found(name, folder, where[-1])
    return value if path is None else f"{inputs.add(path)}{colon}{function}"


def _is_no_input(where: tuple[str, ...]) -> bool:
    """Whether an option names no input: some never do, and those of a stream name its output."""
    if where[-1] in not_files or where[0] == "link":
        return True
    return "output" in where and where[-1] not in ("positions", "case")


def _found(name: str, folder: str, option: str) -> Path | None:
    """The file here that an option names; None where it names none."""
    if not any(sign in name for sign in "./"):
        return None
    for path in (Path(folder, name), Path(name), data_folder() / name):
        if is_there(path) and (path.is_file() or path.suffix == ".zarr" or option == "tables"):
            return path
    return None


def _restarts(value: str, inputs: _Inputs) -> str:
    """The restart that a run begins with, of all its members; of a folder, all restarts in it."""
    source = Path(value)
    folder, date = (source, "") if source.is_dir() else (source.parent, source.name.split(".")[0])
    if not is_there(source):
        return value
    found = sorted(
        path
        for path in folder.iterdir()
        if path == source or (restart_name.fullmatch(path.name) and path.name.startswith(date))
    )
    if not found:
        return value
    there = inputs.add_together(found)
    return there if source.is_dir() else f"{there}/{source.name}"


def _nested_case(value: str, folder: str, inputs: _Inputs) -> str:
    """A nested case that is a file here, with every option; shipped ones are there too."""
    beside = Path(folder) / value
    path = beside if folder and is_there(beside) else Path(value)
    if not is_there(path):
        return value
    table = read_members(path).to_table()
    own = _with_names_there(table, str(table.get("data_folder", "")), inputs, ())
    content = tomli_w.dumps(own).encode()
    name = f"nested-{hashlib.sha256(content).hexdigest()[:8]}.toml"
    if name not in (some.name for some in inputs.files):
        inputs.files.append(StagedFile.of(name, content))
    return name
