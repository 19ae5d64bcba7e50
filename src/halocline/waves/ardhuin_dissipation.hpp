#pragma once
#include <cstddef>

#include "elementary.hpp"
#include "waves/tile.hpp"

/// Dissipation by breaking of Ardhuin et al. (2010): spontaneous, from the saturation in a window
/// of directions, and cumulative, by longer breakers that run over shorter waves.
namespace halocline::waves {

/// Options of ArdhuinDissipation (ardhuin.py).
struct ArdhuinDissipationOptions {
  double coefficient = -2.2e-5;
  double threshold = 9e-4;
  double threshold_ratio = 1.0;
  double isotropic_part = 0.3;
  double power = 2.0;
  double cumulative = -0.40344;
  double breaking_probability = 28.16;
  double cumulative_gap = 0.5;
  double window_half_width = 80.0;  ///< [degree]
  double window_power = 2.0;
};

/// Weights of the dissipation on one spectral grid (ardhuin_tables.hpp); owned by the caller.
template <class T>
struct DissipationTables {
  int half_window = 0;        // directions on each side of the saturation window
  int first_difference = 0;   // frequencies between a breaker and the longest wave it runs over
  int harmonics = 0;          // of the cumulative weights, without the mean
  const T* window = nullptr;  // weights of direction differences 0 ... half_window
  const T* speed = nullptr;   // [frequencies][1 + harmonics]: |C - C'| / C' by frequency difference
  const T* waves = nullptr;   // [2 harmonics][directions]: cos, sin, cos 2, sin 2, ...
};

/// Harmonics over directions of a row: mean, cos, sin, cos 2, sin 2, ..., unnormalised. `row` is
/// changed.
///
/// With an even number of directions, opposite ones are first added and subtracted: even harmonics
/// need the sums only, odd ones the differences, of half the directions each.
template <class V>
HD inline void analyse(const DissipationTables<scalar_of<V>>& tables, int directions, V* row,
                       V* amplitude) {
  const bool even = directions % 2 == 0;
  const int count = even ? directions / 2 : directions;
  for (int j = 0; even && j < count; ++j) {
    const V a = row[j], b = row[j + count];
    row[j] = a + b;
    row[j + count] = a - b;
  }
  V sum = row[0];
  for (int j = 1; j < count; ++j) sum += row[j];
  amplitude[0] = sum;
  for (int h = 1; h <= tables.harmonics; ++h) {
    const V* values = even && h % 2 == 1 ? row + count : row;
    const scalar_of<V>* cosine = tables.waves + static_cast<std::ptrdiff_t>(2 * h - 2) * directions;
    const scalar_of<V>* sine = cosine + directions;
    V along = values[0] * cosine[0], across = values[0] * sine[0];
    for (int j = 1; j < count; ++j) {
      along += values[j] * cosine[j];
      across += values[j] * sine[j];
    }
    amplitude[2 * h - 1] = along;
    amplitude[2 * h] = across;
  }
}

/// The row that has these harmonics; the inverse of `analyse` up to normalisation.
template <class V>
HD inline void synthesise(const DissipationTables<scalar_of<V>>& tables, int directions,
                          const V* amplitude, V* row) {
  const bool even = directions % 2 == 0;
  const int count = even ? directions / 2 : directions;
  const auto part = [&](int j, int first, int step) {
    V sum{};
    for (int h = first; h <= tables.harmonics; h += step) {
      const scalar_of<V>* wave =
          tables.waves + static_cast<std::ptrdiff_t>(2 * h - 2) * directions + j;
      sum += amplitude[2 * h - 1] * wave[0] + amplitude[2 * h] * wave[directions];
    }
    return sum;
  };
  for (int j = 0; j < count; ++j) {
    if (even) {
      const V same = amplitude[0] + part(j, 2, 2), opposite = part(j, 1, 2);
      row[j] = same + opposite;
      row[j + count] = same - opposite;
    } else {
      row[j] = amplitude[0] + part(j, 1, 1);
    }
  }
}

/// Saturation of each direction of one frequency: the sum over the window of cos^power F, times
/// `factor` = cg k^3 dtheta / (2 pi) (eq. 15); returns the largest. `around` is working memory of
/// two rows.
///
/// The window is folded about its middle: two additions and a product for two directions. That
/// costs as much as running sums of F, F cos 2 theta and F sin 2 theta at 24 directions, and its
/// result is never negative.
template <class V>
HD inline V saturation(const DissipationTables<scalar_of<V>>& tables, int directions,
                       const V* spectrum, V factor, V* around, V* row) {
  const int half = tables.half_window;
  for (int j = 0; j < directions; ++j) around[half + j] = spectrum[j];
  for (int j = 0; j < half; ++j) {
    around[j] = around[directions + j];
    around[half + directions + j] = around[half + j];
  }
  V largest{};
  for (int j = 0; j < directions; ++j) {
    const V* middle = around + half + j;
    V sum = tables.window[0] * middle[0];
    for (int d = 1; d <= half; ++d) sum += tables.window[d] * (middle[-d] + middle[d]);
    row[j] = factor * sum;
    largest = maximum(largest, row[j]);
  }
  return largest;
}

/// Rate at which breakers of the frequencies `first` to `last` run over the waves of
/// frequency i [s-1]: sum of |C - C'| times the density of their crests (eq. 20 of Ardhuin et al.
/// 2010), as a product of harmonics because |C - C'| / C' depends only on the differences of
/// frequency index and of direction.
template <class V>
HD inline void overrunning(const DissipationTables<scalar_of<V>>& tables, int directions, int i,
                           int first, int last, const V* crests, V* amplitude, V* row) {
  const int all = 2 * tables.harmonics + 1;
  for (int h = 0; h <= tables.harmonics; ++h) {
    V along{}, across{};
    for (int longer = first; longer <= last; ++longer) {
      const scalar_of<V> speed = tables.speed[(i - longer) * (tables.harmonics + 1) + h];
      const V* crest = crests + static_cast<std::ptrdiff_t>(longer) * all;
      along += speed * crest[h == 0 ? 0 : 2 * h - 1];
      across += speed * crest[2 * h];
    }
    amplitude[h == 0 ? 0 : 2 * h - 1] = along;
    amplitude[2 * h] = across;
  }
  synthesise(tables, directions, amplitude, row);
}

/// Working memory of `breaking_dissipation`, in packs.
template <class V>
struct BreakingScratch {
  V* level;      ///< one row of directions
  V* turned;     ///< two rows
  V* amplitude;  ///< one row
  V* crests;     ///< as many as the spectrum
};

/// Add the rate of breaking [s-1] to the `rates` of the frequencies below `end`.
///
/// Packs over (frequency, direction): spectrum, rates; over frequency: wavenumber [rad m-1],
/// group_velocity [m s-1].
/// Frequencies where no point of the pack breaks are passed over: they would add zero.
template <class V>
HD inline void breaking_dissipation(const ArdhuinDissipationOptions& p,
                                    const SpectralTables<scalar_of<V>>& spectral,
                                    const DissipationTables<scalar_of<V>>& tables,
                                    const V* wavenumber, const V* group_velocity, int end,
                                    const V* spectrum, V* rates,
                                    const BreakingScratch<V>& scratch) {
  using T = scalar_of<V>;
  constexpr T two_pi = T(6.28318530717958647692);
  const int directions = spectral.directions, all = 2 * tables.harmonics + 1;
  const T root = square_root(T(p.threshold)), inverse = T(1) / T(p.threshold);
  const T least = T(p.threshold) * minimum(T(p.threshold_ratio), T(1)) * T(0.999);
  V* const level = scratch.level;
  V* const cumulative = scratch.turned;
  int first = end;
  for (int i = 0; i < end; ++i) {
    const T sigma = spectral.sigma[i];
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i) * directions;
    const V k = wavenumber[i];
    const V factor = group_velocity[i] * (k * k * k) * (spectral.direction_width / two_pi);
    const V largest = saturation(tables, directions, spectrum + row, factor, scratch.turned, level);
    if (first == end && any(largest > least)) first = i;
    if (first == end) continue;
    if (first <= i - tables.first_difference) {
      overrunning(tables, directions, i, first, i - tables.first_difference, scratch.crests,
                  scratch.amplitude, cumulative);
    } else {
      for (int j = 0; j < directions; ++j) cumulative[j] = V{};
    }
    const V above = maximum(largest * inverse - T(p.threshold_ratio), V{});
    const V isotropic = (T(p.coefficient) * sigma * T(p.isotropic_part)) * (above * above);
    const T directed = T(p.coefficient) * sigma * (T(1) - T(p.isotropic_part));
    for (int j = 0; j < directions; ++j) {
      const V excess = maximum(level[j] * inverse - T(p.threshold_ratio), V{});
      const V power = T(p.power) == T(2) ? excess * excess : pow(excess, splat<V>(T(p.power)));
      rates[row + j] += isotropic + directed * power + T(p.cumulative) * cumulative[j];
    }
    if (i + tables.first_difference >= end) continue;
    // crests per direction, times twice the band of sigma and that of direction
    const T density = T(4) * T(p.breaking_probability) / two_pi * spectral.band_width[i] *
                      spectral.direction_width;
    for (int j = 0; j < directions; ++j) {
      const V excess = maximum(square_root(level[j]) - root, V{});
      level[j] = density * (excess * excess);
    }
    analyse(tables, directions, level, scratch.crests + static_cast<std::ptrdiff_t>(i) * all);
  }
}

}  // namespace halocline::waves
