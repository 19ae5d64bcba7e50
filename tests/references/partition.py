"""Plain reference of the partitioning of one spectrum: watershed, wind sea, swells."""

import numpy as np

from references.parameters import mean_parameters


def neighbours(f, d, shape):
    """The eight bins around one, cyclic in direction, in rising order of offsets."""
    return [
        (f + df, (d + dd) % shape[1])
        for df in (-1, 0, 1)
        for dd in (-1, 0, 1)
        if (df, dd) != (0, 0) and 0 <= f + df < shape[0]
    ]


def watershed(spectrum, levels=100):
    """Labels [frequency][direction] from 1 on; hills in the order in which they emerge."""
    shape = spectrum.shape
    labels = np.full(shape, -1)
    high, low = spectrum.max(), spectrum.min()
    if not high > low:
        return np.zeros(shape, int)
    level_of = ((high - spectrum) * ((levels - 1) / (high - low)) + 0.5).astype(int)
    for level in range(levels):
        left = [tuple(b) for b in np.argwhere(level_of == level)]
        grown = True
        while grown:
            grown = {}
            for b in left:
                seen = {labels[n] for n in neighbours(*b, shape)} - {-1}
                hills = seen - {0}
                if seen:
                    grown[b] = hills.pop() if len(hills) == 1 else 0
            for b, label in grown.items():
                labels[b] = label
            left = [b for b in left if b not in grown]
        for b in left:
            if labels[b] != -1:
                continue
            labels[b] = labels.max(initial=0) + 1
            member = [b]
            while member:
                for n in neighbours(*member.pop(), shape):
                    if labels[n] == -1 and level_of[n] == level:
                        labels[n] = labels[b]
                        member.append(n)
    while (labels == 0).any():
        settled = {}
        for b in map(tuple, np.argwhere(labels == 0)):
            near = [n for n in neighbours(*b, shape) if labels[n] > 0]
            if near:
                settled[b] = labels[min(near, key=lambda n: abs(spectrum[n] - spectrum[b]))]
        for b, label in settled.items():
            labels[b] = label
    return labels


def partition(spectrum, grid, wavenumber, wind, *, minimum=0.05, factor=1.7, share=0.333):
    """Parts of `spectrum` as dictionaries of mean parameters, wind sea first (None if absent)."""
    labels = watershed(spectrum)
    speed = grid.sigma / wavenumber
    along = wind[0] * np.cos(grid.direction) + wind[1] * np.sin(grid.direction)
    forced = factor * along[None, :] > speed[:, None]

    def energy(density):
        total = (density.sum(axis=1) * grid.output_band_width).sum()
        return (total + density[-1].sum() * grid.frequency[-1] / 4) * grid.direction_width

    wind_sea, swells = np.zeros_like(spectrum), []
    for label in range(1, labels.max() + 1):
        hill = np.where(labels == label, spectrum, 0.0)
        if energy(np.where(forced, hill, 0.0)) > share * energy(hill):
            wind_sea += hill
        elif 4 * np.sqrt(energy(hill)) >= minimum and energy(hill) > 0:
            swells.append(hill)
    swells.sort(key=energy, reverse=True)

    def describe(density):
        if 4 * np.sqrt(energy(density)) < minimum or energy(density) == 0:
            return None
        values = mean_parameters(density, grid, wavenumber)
        return {
            "partition_height": values["significant_height"],
            "partition_peak_period": values["peak_period"],
            "partition_direction": values["mean_direction"],
            "partition_spread": values["directional_spread"],
            "partition_wind_fraction": energy(np.where(forced, density, 0.0)) / energy(density),
        }

    return [describe(wind_sea), *map(describe, swells)]
