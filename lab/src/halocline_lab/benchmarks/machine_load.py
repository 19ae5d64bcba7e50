"""Whether other programs disturb what is measured."""

from __future__ import annotations

import os

little = 0.25
"""Of the cores in use by others: less does not matter much."""


def load_words(load: float | None = None, cores: int | None = None) -> str:
    """A warning where other programs use much of the machine; nothing otherwise.

    To be asked before own runs begin; `load` are programs that ran on average in the last minute.

    >>> load_words(0.2, 2), load_words(7.83, 2)[:57]
    ('', 'Other programs were running: a load of 7.8 on 2 cores. Ti')
    """
    if load is None:
        load = os.getloadavg()[0]
    cores = cores or len(os.sched_getaffinity(0))
    if load < little * cores:
        return ""
    return (
        f"Other programs were running: a load of {load:.1f} on {cores} cores. Times vary with them;"
        " turns and bounds account for it, but the numbers are not those of an idle machine."
    )
