"""Two runs never write to one folder at a time."""

from pathlib import Path

import pytest

from halocline.core.errors import UserError
from halocline.experiment.folder_lock import holding
from halocline.runtime.ranks.communicator import Alone


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with holding(folder, Alone()):
        with pytest.raises(UserError, match="Another run writes to"), holding(folder, Alone()):
            pass
        with holding(tmp_path / "others", Alone()):
            pass
    with holding(folder, Alone()):
        assert not list(folder.iterdir())


def test_a_run_that_fails_frees_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="gust") as kept, holding(tmp_path, Alone()):
        raise ValueError("gust")
    with holding(tmp_path, Alone()):
        assert kept.value


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="Cannot write"), holding(tmp_path / "file", Alone()):
        pass
