"""The water of docs/examples/declared_water in NumPy, whole planes at once, on one processor."""

import numpy as np

dx, gravity, coriolis, bump = 1.0e4, 9.81, 1.0e-4, 1.0


def depths(nx, ny, island=(35, 40, 14, 22)):
    """100 m, and 0 in columns and rows (from 0) of an island, with land beyond south and north."""
    depth = np.zeros((ny + 2, nx + 2))
    depth[1:-1] = 100.0
    i0, i1, j0, j1 = island
    depth[j0 + 1 : j1 + 1, i0 + 1 : i1 + 1] = 0.0
    return _wrapped(depth)


def bumped(depth):
    """Height at the start [m]."""
    ny, nx = depth.shape[0] - 2, depth.shape[1] - 2
    i, j = np.arange(nx + 2.0), np.arange(ny + 2.0)[:, None]
    far = 1.0 + ((i - 0.3 * nx) ** 2 + (j - 0.4 * ny) ** 2) / 16.0
    return _wrapped(np.where(depth > 0.0, bump / (far * far), 0.0))


def stepped(depth, height, steps, dt=120.0, turning=coriolis):
    """Height, u and v of the cells after some steps, v with the northern wall."""
    u, v = np.zeros_like(depth), np.zeros_like(depth)
    wet = depth > 0.0
    open_x, open_y = np.zeros_like(wet), np.zeros_like(wet)
    open_x[:, 1:] = wet[:, :-1] & wet[:, 1:]
    open_y[1:] = wet[:-1] & wet[1:]
    for _ in range(steps):
        full = depth + height
        west, south = _moved(full, 0, 1), _moved(full, 1, 0)
        # sums from left to right, as in the program
        sum_x = _moved(depth, 0, 1) + _moved(height, 0, 1) + depth + height
        sum_y = _moved(depth, 1, 0) + _moved(height, 1, 0) + depth + height
        assert np.allclose(sum_x, west + full) and np.allclose(sum_y, south + full)
        flux_x, flux_y = _wrapped(0.5 * u * sum_x), _wrapped(0.5 * v * sum_y)
        out_x = (flux_x - _moved(flux_x, 0, -1)) / dx
        out_y = (flux_y - _moved(flux_y, -1, 0)) / dx
        height = _inner(height, height + dt * (out_x + out_y))
        across = _moved(v, 0, 1) + v + _moved(_moved(v, 0, 1), -1, 0) + _moved(v, -1, 0)
        slope = gravity * (height - _moved(height, 0, 1)) / dx
        u = _wrapped(np.where(open_x, u + dt * (turning * 0.25 * across - slope), 0.0))
        across = _moved(u, 1, 0) + _moved(_moved(u, 0, -1), 1, 0) + u + _moved(u, 0, -1)
        slope = gravity * (height - _moved(height, 1, 0)) / dx
        v = _wrapped(np.where(open_y, v - dt * (turning * 0.25 * across + slope), 0.0))
    return height[1:-1, 1:-1], u[1:-1, 1:-1], v[1:, 1:-1]


def _moved(plane, j, i):
    return np.roll(plane, (j, i), (0, 1))


def _inner(before, after):
    """New values of cells only: what is beyond south and north stays 0."""
    found = before.copy()
    found[1:-1] = after[1:-1]
    return _wrapped(found)


def _wrapped(plane):
    plane = plane.copy()
    plane[:, 0], plane[:, -1] = plane[:, -2], plane[:, 1]
    return plane
