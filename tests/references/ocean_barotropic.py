"""The ocean's surface and mean velocity in one step; wide planes, complex velocity.

As in `ocean_momentum`. The pressure of the surface p is that over the reference density [m2 s-2].
"""

from references.joined_planes import shift
from references.ocean_momentum import gradient
from references.ocean_tracers import converging


def auxiliary(a, tau, alpha, gamma):
    """Mean velocity without the new surface [m s-1].

    (w - w_old) (1 + i tau alpha f) = tau (force - grad(gamma p + (1 - gamma) p_old)).
    """
    slope = gradient(gamma * a.surface + (1.0 - gamma) * a.old_surface, a.dx, a.dy)
    force = a.force_x + 1j * a.force_y - slope
    w = a.old_mean_u + 1j * a.old_mean_v
    return (w + tau * force / (1.0 + 1j * tau * alpha * a.coriolis)) * (a.corner_depth > 0.0)


def right_side(a, tau, alpha, shift_per_length):
    """Minus the area times div H (w / (alpha tau) + grad p_old) - s p - water / (alpha tau)."""
    w = (a.auxiliary_u + 1j * a.auxiliary_v) / (alpha * tau)
    carried = a.corner_depth * (w + gradient(a.old_surface, a.dx, a.dy))
    along_x, along_y = 0.5 * carried.real * a.dy, 0.5 * carried.imag * a.dx
    inward = converging(along_x + shift(along_x, 1, 0), along_y + shift(along_y, 0, 1))
    return inward + a.area * (shift_per_length * a.surface + a.water_flux / (alpha * tau))


def mean_velocity(a, tau, alpha):
    """With the new surface: w - alpha tau grad(p_new - p_old) [m s-1]."""
    slope = gradient(a.new_surface - a.old_surface, a.dx, a.dy)
    w = a.auxiliary_u + 1j * a.auxiliary_v
    return (w - alpha * tau * slope) * (a.corner_depth > 0.0)
