"""Plain NumPy transport of tracers: sweeps along an axis of arrays (..., k, j, i), periodic."""

import numpy as np


def shift(array, steps, axis):
    """The value `steps` cells further on, wrapping around."""
    return np.roll(array, -steps, axis)


def sweep(tracer, volume, flux, exchange, axis, limited=True):
    """One sweep along `axis` (-3, -2, -1).

    `flux` is the volume that passes the lower face in the step [m3], `exchange` the volume
    exchanged by diffusion through it [m3]. Returns the new tracer and volume.
    """
    next_flux, next_exchange = shift(flux, 1, axis), shift(exchange, 1, axis)
    leaving = np.maximum(next_flux, 0) + np.maximum(-flux, 0) + exchange + next_exchange
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(leaving > volume / 1024, volume / leaving - 1, 1023)
        bound = np.where(volume > 0, np.maximum(bound, 0), 0)
        inverse = np.where(volume > 0, 1 / volume, 0)
    cell = [shift(tracer, m, axis) for m in (-2, -1, 0, 1)]
    forward = flux > 0
    courant = np.abs(flux) * np.where(forward, shift(inverse, -1, axis), inverse)
    donor = np.where(forward, cell[1], cell[2])
    ahead = cell[2] - cell[1]
    behind = np.where(forward, cell[1] - cell[0], cell[3] - cell[2])
    upstream = np.where(forward, shift(volume, -2, axis), shift(volume, 1, axis)) > 0
    steepest = np.where(upstream, np.where(forward, shift(bound, -1, axis), bound), 0)
    correction = (1 - courant) * ((2 - courant) * ahead + (1 + courant) * behind) / 6
    if limited:
        size = np.minimum(np.abs(ahead), steepest * np.abs(behind))
        same = np.sign(ahead) == np.sign(behind)
        correction = np.where(same, np.sign(ahead) * np.minimum(np.abs(correction), size), 0)
    else:
        correction = np.where(steepest > 0, correction, 0)
    content = flux * donor + np.abs(flux) * correction - exchange * ahead
    new_volume = volume - (next_flux - flux)
    new_content = volume * tracer - (shift(content, 1, axis) - content)
    return np.where(new_volume > 0, new_content / np.where(new_volume > 0, new_volume, 1), 0), (
        new_volume
    )


def exchanges(volume, conductance, thickness, dt, axis):
    """Volumes exchanged by horizontal diffusion through the lower faces along `axis` [m3]."""
    open_face = (volume > 0) & (shift(volume, -1, axis) > 0)
    return np.where(open_face, conductance * thickness[:, None, None] * dt, 0)


def sink(tracer, volume, area, speed, dt):
    """Implicit upwind sinking over a closed floor."""
    result = tracer.copy()
    for t in range(tracer.shape[0]):
        arriving = np.zeros_like(area)
        for k in reversed(range(volume.shape[0])):
            wet = volume[k] > 0
            below = wet & (volume[k - 1] > 0) if k > 0 else np.zeros_like(wet)
            leaving = np.where(below, speed[t] * dt * area, 0)
            held = np.where(wet, volume[k], 1)
            result[t, k] = (tracer[t, k] * held + arriving) / (held + leaving)
            arriving = leaving * result[t, k]
    return result


def diffuse_vertically(tracer, volume, diffusivity, area, spacing, dt):
    """Implicit vertical diffusion, every column solved as a dense system."""
    levels = volume.shape[0]
    result = tracer.copy()
    for j, i in np.ndindex(area.shape):
        matrix = np.diag(np.where(volume[:, j, i] > 0, volume[:, j, i], 1.0))
        for k in range(1, levels):
            if volume[k, j, i] > 0 and volume[k - 1, j, i] > 0:
                exchange = dt * area[j, i] * diffusivity[k, j, i] / spacing[k]
                matrix[k, k] += exchange
                matrix[k - 1, k - 1] += exchange
                matrix[k, k - 1] -= exchange
                matrix[k - 1, k] -= exchange
        held = np.where(volume[:, j, i] > 0, volume[:, j, i], 1.0)
        result[:, :, j, i] = np.linalg.solve(matrix, (tracer[:, :, j, i] * held).T).T
    return result


def transport(a, dt, limited=True, diffusive=True):
    """The whole step on arrays named as the arguments of `transport_tracers`."""
    zero = 0 * a["volume"]

    def exchange(volume, name, axis):
        if not diffusive:
            return zero
        return exchanges(volume, a[name], a["thickness"], dt, axis)

    tracer, volume = a["tracer"], a["volume"]
    tracer, volume = sweep(
        tracer,
        volume,
        a["x_volume_flux"] * dt,
        exchange(volume, "x_conductance", -1),
        -1,
        limited,
    )
    tracer, volume = sweep(
        tracer,
        volume,
        a["y_volume_flux"] * dt,
        exchange(volume, "y_conductance", -2),
        -2,
        limited,
    )
    padding = [(0, 0)] * (tracer.ndim - 3) + [(3, 3), (0, 0), (0, 0)]
    padded, padded_volume = sweep(
        np.pad(tracer, padding),
        np.pad(volume, padding[-3:]),
        np.pad(a["z_volume_flux"] * dt, padding[-3:]),
        np.pad(zero, padding[-3:]),
        -3,
        limited,
    )
    tracer, volume = padded[..., 3:-3, :, :], padded_volume[3:-3]
    tracer = sink(tracer, volume, a["area"], a["sinking_speed"], dt)
    return diffuse_vertically(
        tracer, volume, a["vertical_diffusivity"], a["area"], a["spacing"], dt
    )
