"""Plain NumPy forms of what currents and a changing level do to waves."""

import numpy as np

from references.spatial_propagation import ultimate


def shift(density, courant, scheme, open_ends, tail):
    """Move density [frequency] by signed Courant numbers at faces, the lowest and highest included.

    Returns the density and what passed the lower and the upper end, upward.
    """
    last = density[-1]
    cells = np.concatenate([[0.0, 0.0], density, [last * tail, last * tail**2]])
    inner = courant.copy()
    if not open_ends:
        inner[[0, -1]] = 0.0
    c_before = np.concatenate([inner[:1], inner[:-1]])
    c_after = np.concatenate([inner[1:], inner[-1:]])
    flux = np.zeros(courant.size)
    for face, c in enumerate(inner):
        before, left, right, after = cells[face : face + 4]
        forward = c > 0
        centre, upstream, downstream = (left, before, right) if forward else (right, after, left)
        speed = abs(c)
        value = 0.5 * (centre + downstream) - 0.5 * speed * (downstream - centre)
        value -= (1 - speed**2) / 6 * (downstream - 2 * centre + upstream)
        out = speed * value
        if scheme == "UQ":
            bounds = speed * centre, speed * downstream, centre, upstream, speed
            out = float(ultimate(out, *(np.asarray(one) for one in bounds)))
            out = min(out, centre)
        spread = 1.0 - 0.25 * (c_after[face] - c_before[face])
        out = speed * centre if scheme == "upwind" else out * spread
        diverges = c_before[face] < 0 if forward else c_after[face] > 0
        out = min(out, 0.5 * centre if diverges else centre)
        flux[face] = out if forward else -out
    if not open_ends:
        flux[[0, -1]] = 0.0
    return density - flux[1:] + flux[:-1], flux[0], flux[-1]


def sweep(content, courant, passing, scheme, behind_coast):
    """Move content along the last axis; `passing` is the share that each face lets through, one
    more than cells. What meets a closed face is lost."""
    count = content.shape[-1]
    out = np.zeros_like(content)
    for row in np.ndindex(content.shape[:-1]):
        for i in range(count):
            c = courant[row][i]
            step = 1 if c > 0 else -1
            behind, ahead = i - step, i + step
            face_behind, face_ahead = (i, i + 1) if c > 0 else (i + 1, i)
            q, speed = content[row][i], abs(c)
            fed, leads = passing[row][face_behind] > 0, passing[row][face_ahead] > 0
            flux = speed * q
            flux_behind = behind_coast * flux
            q_behind = behind_coast * q
            if fed:
                q_behind = content[row][behind]
                flux_behind = max(step * courant[row][behind], 0.0) * q_behind
            moved = flux
            if leads and scheme != "upwind":
                flux_ahead = max(step * courant[row][ahead], 0.0) * content[row][ahead]
                value = 0.5 * (flux + flux_ahead) - 0.5 * speed * (flux_ahead - flux)
                value -= (1 - speed**2) / 6 * (flux_ahead - 2 * flux + flux_behind)
                moved = value
                if scheme == "UQ":
                    bounds = flux, flux_ahead, q, q_behind, speed
                    moved = float(ultimate(value, *(np.asarray(one) for one in bounds)))
            out[row][i] = step * (min(moved, q) if scheme != "QUICKEST" else moved)
    after = content - np.abs(out)
    after[..., 1:] += passing[..., 1:-1] * np.maximum(out[..., :-1], 0.0)
    after[..., :-1] += passing[..., 1:-1] * np.maximum(-out[..., 1:], 0.0)
    return after


def gradients(values, sea, dx, dy):
    """Along x and y, means of the differences to the sea on both sides, one-sided beside land."""
    found = []
    for axis, width in ((1, dx), (0, dy)):
        ahead = np.diff(values, axis=axis) / width
        both = np.logical_and(
            *(np.take(sea, range(a, sea.shape[axis] + a - 1), axis) for a in (0, 1))
        )
        total, number = np.zeros(values.shape), np.zeros(values.shape)
        for lower in (True, False):
            where = [slice(None), slice(None)]
            where[axis] = slice(None, -1) if lower else slice(1, None)
            total[tuple(where)] += np.where(both, ahead, 0.0)
            number[tuple(where)] += both
        found.append(total / np.maximum(number, 1.0))
    return found
