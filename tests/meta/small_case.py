"""A small case of waves on two ranks, and what is set back before it starts."""

import signal

from halocline.experiment.stopping import signals


def small_case(length: str, wind: str, more: str = "") -> str:
    """The text of a case file; `wind` is a line of its table, `more` other tables."""
    return f"""
[grid]
kind = "cartesian"
nx = 20
ny = 20
dx = 10000.0
dy = 10000.0
[spectrum]
frequencies = 3
directions = 4
[time]
length = "{length}"
step = "10min"
[forcing.wind]
{wind}
{more}"""


def obedient() -> None:
    """Whoever started these tests may have chosen to ignore signals, as nohup does."""
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
