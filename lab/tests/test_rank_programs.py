"""Programs of the laboratory on ranks: answers, and mistakes as one message.

Ranks: 1, and 2 by the launcher.
"""

import json
import sys

import pytest

from halocline.core.errors import UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline_lab.benchmarks.rank_programs import answer_of

program = """
from halocline.core.errors import UserError
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline.runtime.ranks.communicator import world


def measure(settings):
    communicator = world()
    if communicator.rank in settings["mistaken"]:
        raise UserError("No wind. Wait for it.")
    if settings["broken"]:
        raise RuntimeError("a bug")
    communicator.broadcast(None)
    return {"ranks": communicator.size, "given": settings["given"]}


give_answer(measure)
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    (tmp_path / "rank_program.py").write_text(program)
    path = [str(tmp_path), *(p for p in sys.path if p)]
    monkeypatch.setenv("PYTHONPATH", ":".join(path))

    def answered(ranks, mistaken=(), broken=False):
        asked = {"given": [1, "two"], "mistaken": list(mistaken), "broken": broken}
        return json.loads(answer_of("rank_program", asked, ranks))

    return answered


@pytest.mark.parametrize("ranks", [1, 2])
def test_answers_come_back(ask, ranks):
    assert ask(ranks) == {"ranks": ranks, "given": [1, "two"]}


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_mistake_found_by_all_ranks_is_one_message(ask, ranks):
    with pytest.raises(UserError) as caught:
        ask(ranks, mistaken=range(ranks))
    assert str(caught.value) == "No wind. Wait for it."


def test_a_mistake_found_by_one_rank_ends_all(ask):
    with pytest.raises(UserError) as caught:
        ask(2, mistaken=[1])
    assert str(caught.value) == "No wind. Wait for it.\n(on rank 1)"


def test_our_own_errors_keep_their_traceback(ask):
    with pytest.raises(UserError, match="(?s)rank_program on 1 ranks failed:.*RuntimeError: a bug"):
        ask(1, broken=True)


def test_the_command_says_it_in_one_line(capfd):
    words = ["lab", "decompose", "swell", "-n", "2", "--set", "forcing.wind.file=none.nc"]
    assert main(words) == exit_codes.user_error
    printed = capfd.readouterr().err
    assert "No data file 'none.nc'" in printed
    assert "Traceback" not in printed
    assert printed.splitlines()[1:] == [printed.splitlines()[-1]]
