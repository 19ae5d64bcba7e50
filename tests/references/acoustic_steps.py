"""One acoustic step of the air as its equations are written (docs/atmosphere.md, step 3).

Arguments are those of the kernels by name, with halos, whose outermost values come out wrong.
"""

import numpy as np

gravity, reference = 9.81, 300.0


def up(values):
    """A table over layers or interfaces beside fields of them."""
    return values[:, None, None]


def at_interfaces(a, q):
    """Values of layers at the interfaces between them."""
    share = up(a.upper_share[1:-1])
    return share * q[1:] + (1.0 - share) * q[:-1]


def pressure_force(a, before, distance):
    """Along a direction in which `before(q)` is the value one cell before it [Pa m s-2]."""

    def mean(q):
        return 0.5 * (q + before(q))

    def gradient(q):
        return (q - before(q)) / distance

    p, phi, thickness, c1 = a.pressure_change, a.geopotential_change, up(a.thickness), up(a.c1)
    layer = c1 * (a.base_mass + a.mass) + up(a.c2)
    volume_change = (np.diff(phi, axis=0) / thickness - c1 * a.mass_change * a.full_volume) / layer
    along = gradient(0.5 * (phi[1:] + phi[:-1])) + mean(a.full_volume) * gradient(p)
    if a.base_pressure is not None:
        along = along + mean(volume_change) * gradient(a.base_pressure)
    ground = np.tensordot(a.to_ground, p[:3], 1)
    pressures = np.concatenate([ground[None], at_interfaces(a, p), np.zeros((1, *ground.shape))])
    unbalanced = -np.diff(pressures, axis=0) / thickness - c1 * a.mass_change
    force = -(mean(layer) * along + gradient(a.middle_geopotential) * mean(unbalanced))
    return force if a.dilution is None else mean(a.dilution) * force


def push(a, dt, external_damping):
    """The new changes of momentum along x and y."""

    def along(axis, change, tendency, distance, is_open):
        def before(q):
            return np.roll(q, 1, axis)

        rate = tendency + pressure_force(a, before, distance)
        uneven = a.mass_rate - before(a.mass_rate)
        return change + is_open * (dt * rate - external_damping * distance * uneven)

    return (
        along(-1, a.u_change, a.u_tendency, a.x_distance, a.x_open),
        along(-2, a.v_change, a.v_tendency, a.y_distance, a.y_open),
    )


def diverging(a, q=None):
    """Divergence of the changes of momentum, or of what they carry of q."""
    x, y = a.u_change * a.x_length, a.v_change * a.y_length
    if q is not None:
        x, y = x * 0.5 * (q + np.roll(q, 1, -1)), y * 0.5 * (q + np.roll(q, 1, -2))
    return (np.roll(x, -1, -1) - x + np.roll(y, -1, -2) - y) / a.area


def mass_and_heat(a, dt):
    """New changes of mass and heat, the rate of mass, and what rises through interfaces."""
    c1, thickness = up(a.c1), up(a.thickness)
    nothing = np.zeros_like(a.mass)[None]
    # mass of columns; what rises keeps c1 dM/dt + divergence + d(rise) = 0
    gain = -(thickness * diverging(a)).sum(axis=0)
    mass_rate = gain + a.mass_tendency
    mass = a.mass_change + dt * mass_rate
    risen = -np.cumsum(thickness * (diverging(a) + c1 * gain), axis=0)
    rise = np.concatenate([nothing, risen[:-1], nothing])
    # heat
    carried = np.concatenate([nothing, rise[1:-1] * at_interfaces(a, a.theta), nothing])
    outward = diverging(a, a.theta) + np.diff(carried, axis=0) / thickness
    return mass, mass_rate, a.theta_change + dt * (a.theta_rate - outward), rise


def dry_share(a):
    """Dry mass over all mass at interfaces above the ground."""
    if a.dilution is None:
        return 1.0
    return np.concatenate([at_interfaces(a, a.dilution), a.dilution[-1:]])


def along_ground(a):
    """The change of upward momentum at the ground, that of all others as it was."""
    at_ground = np.tensordot(a.to_ground, a.u_change[:3], 1) * a.x_slope
    northward = np.tensordot(a.to_ground, a.v_change[:3], 1) * a.y_slope
    w = a.w_change.copy()
    w[0] = 0.5 * (at_ground + np.roll(at_ground, -1, -1) + northward + np.roll(northward, -1, -2))
    return w


def hydrostatic_columns(a, dt, divergence_damping):
    """As `columns`, of air whose pressure is the weight of what lies above."""
    mass, mass_rate, heat, _ = mass_and_heat(a, dt)
    layer = up(a.c1) * (a.base_mass + a.mass) + up(a.c2)
    weight = up(a.spacing * a.c1_face)[1:] / dry_share(a) + 0.0 * a.theta
    per_mass = np.cumsum(weight[::-1], axis=0)[::-1]
    warmer = (heat + reference * up(a.c1) * mass) / (layer * (a.theta + reference))
    deep = a.full_volume * layer * up(a.thickness)
    depth = deep * (warmer - per_mass * mass / a.stiffness)
    geopotential = np.concatenate([np.zeros_like(mass)[None], np.cumsum(depth, axis=0)])
    ahead = per_mass * (mass + divergence_damping * (mass - a.mass_change))
    return mass, mass_rate, heat, along_ground(a), geopotential, ahead


def columns(a, dt, off_centring, divergence_damping):
    """New changes of mass, heat, upward momentum, geopotential, pressure; the rate of mass."""
    c1, thickness, after = up(a.c1), up(a.thickness), 0.5 * (1.0 + off_centring)
    column = a.base_mass + a.mass
    layer, face = c1 * column + up(a.c2), up(a.c1_face) * column + up(a.c2_face)
    nothing = np.zeros_like(a.mass)[None]
    mass, mass_rate, heat, rise = mass_and_heat(a, dt)
    # upward momentum and geopotential
    deepness = a.full_volume * layer
    lifted = at_interfaces(a, 0.5 * (rise[1:] + rise[:-1]) * deepness)
    lifted = np.concatenate([nothing, lifted, nothing])

    def pressure(heat, mass, geopotential):
        warmer = (heat + reference * c1 * mass) / (layer * (a.theta + reference))
        deeper = np.diff(geopotential, axis=0) / (deepness * thickness)
        return a.stiffness * (warmer - deeper)

    def raised(momentum):
        between = after * momentum + (1.0 - after) * a.w_change
        rate = a.geopotential_tendency + (gravity * between - lifted) / face
        new = a.geopotential_change + dt * rate
        new[0] = 0.0
        return new

    was = pressure(a.theta_change, a.mass_change, a.geopotential_change)
    share = dry_share(a)

    def accelerated(momentum):
        """What interfaces above the ground would have if the new upward momentum were this."""
        now = pressure(heat, mass, raised(momentum))
        between = np.concatenate([after * now + (1.0 - after) * was, nothing])
        push = -share * np.diff(between, axis=0) / up(a.spacing[1:])
        weight = up(a.c1_face[1:]) * (after * mass + (1.0 - after) * a.mass_change)
        return a.w_change[1:] + dt * (a.w_tendency[1:] + gravity * (push - weight))

    w = np.zeros_like(a.w_change)
    w[0] = along_ground(a)[0]
    known = accelerated(np.zeros_like(w))
    matrix = []
    for k in range(1, len(w)):
        unit = np.zeros_like(w)
        unit[k] = 1.0
        matrix.append(unit[1:] - (accelerated(unit) - known))
    system = np.moveaxis(np.array(matrix), (0, 1), (-1, -2))
    solved = np.linalg.solve(system, np.moveaxis(known, 0, -1)[..., None])[..., 0]
    w[1:] = np.moveaxis(solved, -1, 0)
    if a.w_damping is not None:
        rate = dt * up(a.w_damping)[1:]
        w[1:] = (w[1:] - rate * (face * a.w)[1:]) / (1.0 + rate)
    geopotential = raised(w)
    now = pressure(heat, mass, geopotential)
    ahead = now + divergence_damping * (now - was)
    return mass, mass_rate, heat, w, geopotential, ahead
