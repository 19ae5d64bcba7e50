"""KPP of one column, number by number: Large, McWilliams and Doney 1994 (LMD), Rev. Geophys. 32.

What LMD leave open is as in the Parallel Ocean Program (Smith et al. 2010, reference manual,
LAUR-10-01853, section 8.3). Level and interface 0 are the uppermost, interface d is below level d.
"""

from dataclasses import dataclass

import numpy as np

karman, surface_layer = 0.4, 0.1


def scales(depth, friction, buoyancy):
    """Of momentum and of tracers: karman u* / phi (LMD, equation 13 and appendix B)."""
    zeta = karman * depth * buoyancy / (friction**3 + 1e-16)
    if zeta >= 0.0:
        of_momentum = of_tracers = 1.0 + 5.0 * zeta
    else:
        weak = 1.0 - 16.0 * zeta
        of_momentum = weak**-0.25 if zeta >= -0.2 else (1.26 - 8.38 * zeta) ** (-1 / 3)
        of_tracers = weak**-0.5 if zeta >= -1.0 else (-28.86 - 98.96 * zeta) ** (-1 / 3)
    return karman * friction / of_momentum, karman * friction / of_tracers


@dataclass
class PlainColumn:
    """A column from the surface down, of `depth.size` wet levels, and what acts on it."""

    depth: np.ndarray  # of centres [m]
    thickness: np.ndarray  # of levels [m]
    apart: np.ndarray  # from a centre to the next lower one, the lowest cell thin or not [m]
    spacing: np.ndarray  # the same of whole cells [m]
    stability: np.ndarray  # at interfaces [s-2]
    shear: np.ndarray  # square of the step of velocity there, mean of the corners [m2 s-2]
    from_surface: np.ndarray  # the largest square of velocity less that of the surface [m2 s-2]
    deficit: np.ndarray  # buoyancy of water of the surface less that of the level [m s-2]
    friction: float
    buoyancy: float
    light: float
    coriolis: float
    numbers: dict

    def taken(self, depth):
        """Buoyancy that the water above takes (LMD, appendix A)."""
        n = self.numbers
        left = n["red"] * np.exp(-depth / n["short_length"])
        left += (1.0 - n["red"]) * np.exp(-depth / n["long_length"])
        return self.buoyancy + self.light * (1.0 - left)

    def below_the_layer(self):
        """Viscosity and diffusivity of waves and shear (LMD, equation 28), 0 at the floor."""
        n, last = self.numbers, self.depth.size - 1
        richardson = self.apart**2 * self.stability[:last] / (self.shear[:last] + 1e-14)
        richardson = np.pad(richardson, (0, n["smoothing"]), mode="edge")
        for _ in range(n["smoothing"]):
            wide = np.pad(richardson, 1, mode="edge")
            richardson = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
        ratio = np.clip(richardson[:last] / n["shear_limit"], 0.0, 1.0)
        shear = n["shear_viscosity"] * (1.0 - ratio**2) ** 3
        both = n["prandtl"] * n["background"] + shear, n["background"] + shear
        return [np.append(values, 0.0) for values in both]

    def layer(self):
        """Depth of the layer, and the first level below it (LMD, equations 21, 23 and 24)."""
        n, last = self.numbers, self.depth.size - 1
        ratio = np.sqrt(0.2 / (98.96 * surface_layer)) / (n["critical"] * karman**2)
        bulk, slope, h, level = 0.0, 0.0, self.depth[last], last
        for d in range(1, last + 1):
            here, step = self.depth[d], self.depth[d] - self.depth[d - 1]
            scale = scales(surface_layer * here, self.friction, self.taken(here))[1]
            frequency = np.sqrt(max(self.stability[d], 0.0)) if d < last else 0.0
            turbulence = ratio * max(2.1 - 200.0 * frequency, 1.7) * here * scale * frequency
            found = (here - self.depth[0]) * self.deficit[d]
            found /= self.from_surface[d] + turbulence + 1e-14
            if found > n["critical"]:
                bend = (found - bulk - slope * step) / step**2
                roots = np.roots([bend, slope, bulk - n["critical"]])
                h = self.depth[d - 1] + min(x.real for x in roots if 0.0 <= x.real <= step * 1.0001)
                level = d
                break
            bulk, slope = found, (found - bulk) / step
        gained = self.taken(h)
        if n["limited"] and gained > 0.0:
            ekman = 0.7 * self.friction / (abs(self.coriolis) + 1e-10)
            obukhov = self.friction**3 / (karman * (gained + 1e-14))
            h = min(h, max(min(ekman, obukhov), self.depth[0]))
        if n["limited"]:
            level = min(max(int((self.depth < h).sum()), 1), last)
        return h, level

    def mixing(self):
        """Viscosity, diffusivity and share of the surface's flux at interfaces; the depth."""
        below = self.below_the_layer()
        h, level = self.layer()
        gained, bottom = self.taken(h), self.depth + 0.5 * self.thickness
        inside = bottom[level - 1] > h  # the nearest interface is still below the layer
        nearest = level - 1 if inside else level
        deep, made = surface_layer * h, []
        for which, interior in enumerate(below):
            end = self.ends(interior, nearest, h, scales(deep, self.friction, gained)[which])

            def profile(depth, which=which, end=end):
                scale = scales(min(depth, deep), self.friction, gained)[which]
                s, (value, slope) = depth / h, end
                cubic = s + (s - 2.0) * s**2 + (3.0 - 2.0 * s) * s**2 * value
                return h * scale * (cubic + (s - 1.0) * s**2 * slope)

            values = np.array([*map(profile, bottom[:level]), *interior[level:]])
            d = level - 1
            part = (h - self.depth[d]) / self.spacing[d]
            last = interior[d] if inside else values[d]
            enhanced = (1.0 - part) ** 2 * profile(self.depth[d]) + part**2 * last
            values[d] = (1.0 - part) * interior[d] + part * enhanced
            made.append(values)
        share = np.zeros_like(self.depth)
        if gained < 0.0:
            factor = karman * (98.96 * karman * surface_layer) ** (1 / 3)
            for d in range(level - (1 if inside else 0)):
                scale = scales(min(bottom[d], deep), self.friction, gained)[1]
                share[d] = self.numbers["nonlocal_strength"] * factor * made[1][d] / (scale * h)
        heavy = (np.arange(self.depth.size) >= level) & (self.stability < 0.0)
        made[0][heavy] += self.numbers["convective_viscosity"]
        made[1][heavy] += self.numbers["convective_diffusivity"]
        for values in (*made, share):
            values[-1] = 0.0
        return *made, share, h

    def ends(self, interior, d, h, scale):
        """G and its slope where the layer ends (LMD, equation 18)."""
        rest = self.depth[d] + 0.5 * self.thickness[d] - h
        share = 1.0 - rest / self.thickness[d]
        wide = np.concatenate([[0.0], interior, [0.0]])
        up = max((wide[d] - wide[d + 1]) / self.thickness[d], 0.0)
        down = max(
            (wide[d + 1] - wide[d + 2]) / self.thickness[min(d + 1, self.depth.size - 1)], 0.0
        )
        change = (1.0 - share) * up + share * down
        value = interior[d] + change * rest
        steadied = 5.0 * max(self.taken(h), 0.0) / (self.friction**4 + 1e-20) * value
        return value / h / (scale + 1e-12), min(steadied - change / (scale + 1e-12), 0.0)
