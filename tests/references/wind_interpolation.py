"""Wind between two times, in plain NumPy."""

import numpy as np


def interpolate_wind(before, after, weight, along_arc):
    """Winds (u, v) [m s-1] between `before` and `after`; shapes (2, points), `longdouble`.

    Sines and angles in double precision are some units in the last place off, by processors.
    """
    assert before.dtype == after.dtype == np.longdouble
    pi = 4 * np.arctan(np.longdouble(1))
    if not along_arc:
        return (1 - weight) * before + weight * after
    first, last = before[0] + 1j * before[1], after[0] + 1j * after[1]
    first_angle = np.where(first == 0, np.angle(last), np.angle(first))
    last_angle = np.where(last == 0, np.angle(first), np.angle(last))
    turn = last_angle - first_angle
    turn = np.where(turn > pi, turn - 2 * pi, turn)
    turn = np.where(turn < -pi, turn + 2 * pi, turn)
    speed = (1 - weight) * abs(first) + weight * abs(last)
    now = speed * np.exp(1j * (first_angle + weight * turn))
    return np.stack([now.real, now.imag])
