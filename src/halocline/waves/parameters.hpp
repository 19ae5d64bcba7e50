#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "view.hpp"

namespace halocline {

inline constexpr Contract<21> mean_parameters_contract{
    "mean_parameters",
    {{{"spectrum",
       Access::read,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      {"wavenumber", Access::read, Place::point, "rad m-1", "frequency", {}, Column::whole},
      {"weights", Access::read, Place::none, "1", "6 frequency"},
      {"frequency", Access::read, Place::none, "Hz", "frequency"},
      {"unit_vector", Access::read, Place::none, "1", "2 direction"},
      if_wanted({"significant_height", Access::write, Place::point, "m"}),
      if_wanted({"mean_period_energy", Access::write, Place::point, "s"}),
      if_wanted({"mean_period", Access::write, Place::point, "s"}),
      if_wanted({"mean_period_zero_crossing", Access::write, Place::point, "s"}),
      if_wanted({"peak_frequency", Access::write, Place::point, "Hz"}),
      if_wanted({"peak_period", Access::write, Place::point, "s"}),
      if_wanted({"mean_direction", Access::write, Place::point, "degree"}),
      if_wanted({"peak_direction", Access::write, Place::point, "degree"}),
      if_wanted({"directional_spread", Access::write, Place::point, "degree"}),
      if_wanted({"directional_moment_a1", Access::write, Place::point}),
      if_wanted({"directional_moment_b1", Access::write, Place::point}),
      if_wanted({"directional_moment_a2", Access::write, Place::point}),
      if_wanted({"directional_moment_b2", Access::write, Place::point}),
      if_wanted({"stokes_drift_u", Access::write, Place::point, "m s-1"}),
      if_wanted({"stokes_drift_v", Access::write, Place::point, "m s-1"}),
      if_wanted({"mean_square_slope", Access::write, Place::point})}}};

namespace parameters {

/// Rows of the table of weights, each with one value per frequency.
enum Weight { minus_one, zero, one, two, drift, slope };

/// What one direction-integrated frequency holds: energy, first and second direction moments.
template <class V>
struct Harmonics {
  V energy{}, east{}, north{}, cosine_2{}, sine_2{};
};

/// Direction from, clockwise from north [degree], of a vector towards.
template <class V>
HD inline V direction_from(V east, V north) {
  using T = scalar_of<V>;
  const V angle = T(270) - atan2(north, east) * T(57.295779513082320877);
  return angle >= T(360) ? angle - T(360) : angle;
}

/// Spread sqrt(2 (1 - r)) [degree], r the length of the mean unit vector (Kuik et al. 1988).
template <class V>
HD inline V spread(V a1, V b1) {
  using T = scalar_of<V>;
  const V length = square_root(a1 * a1 + b1 * b1);
  return square_root(maximum(T(2) - T(2) * length, V{})) * T(57.295779513082320877);
}

/// The highest bin of a frequency spectrum and its two neighbours, found bin after bin.
template <class V>
struct Peak {
  V below{}, top{}, above{}, frequency{}, east{}, north{};
  V previous{}, inner{};

  HD void add(const Harmonics<V>& bin, scalar_of<V> bin_frequency, bool last) {
    using T = scalar_of<V>;
    const auto higher = bin.energy > top;
    const auto follows = inner < V{};  // the highest bin was the previous one
    above = follows ? bin.energy : above;
    inner = follows ? splat<V>(1) : inner;
    below = higher ? previous : below;
    above = higher ? V{} : above;
    top = higher ? bin.energy : top;
    frequency = higher ? splat<V>(bin_frequency) : frequency;
    east = higher ? bin.east : east;
    north = higher ? bin.north : north;
    inner = higher ? splat<V>(last || first ? T(0) : T(-1)) : inner;
    previous = bin.energy;
    first = false;
  }

  /// Frequency of the vertex of the parabola through the three bins; that of the bin at the ends.
  HD V refined(scalar_of<V> factor) const {
    using T = scalar_of<V>;
    const T low = T(1) / factor - T(1), high = factor - T(1);
    const V fall = below - top, rise = above - top;
    const V denominator = low * rise - high * fall;
    const V shift = T(0.5) * (low * low * rise - high * high * fall) /
                    (denominator > V{} ? denominator : splat<V>(1));
    const auto usable = (inner > V{}) & (denominator > V{});
    return frequency * (usable ? T(1) + shift : splat<V>(1));
  }

  bool first = true;
};

/// Sums over a spectrum from which all mean parameters follow.
template <class V>
struct Sums {
  V moment_minus_one{}, moment_zero{}, moment_one{}, moment_two{};
  V east{}, north{}, cosine_2{}, sine_2{};
  V drift_east{}, drift_north{}, slope{};
  Peak<V> peak;
};

template <class T>
struct Tables {
  View2<const T> weights, unit_vector;
  View1<const T> frequency;
};

/// Add one frequency; `wavenumber` is only used where drift or slope are wanted.
template <class V, class T>
HD inline void add_frequency(Sums<V>& sums, const Harmonics<V>& bin, V wavenumber, int f, bool last,
                             T gravity, const Tables<T>& tables) {
  const View2<const T>& w = tables.weights;
  const T sigma = T(6.283185307179586477) * tables.frequency(f);
  sums.moment_minus_one += w(minus_one, f) * bin.energy;
  sums.moment_zero += w(zero, f) * bin.energy;
  sums.moment_one += w(one, f) * bin.energy;
  sums.moment_two += w(two, f) * bin.energy;
  sums.east += w(zero, f) * bin.east;
  sums.north += w(zero, f) * bin.north;
  sums.cosine_2 += w(zero, f) * bin.cosine_2;
  sums.sine_2 += w(zero, f) * bin.sine_2;
  // cosh(2 k d) / sinh^2(k d) = (1 + t^2) / t^2 with t = tanh(k d) = sigma^2 / (g k)
  const V depth_factor = sigma * sigma / (gravity * wavenumber);
  const V square = depth_factor * depth_factor;
  const V speed = sigma * wavenumber * (T(1) + square) / square;
  sums.drift_east += w(drift, f) * speed * bin.east;
  sums.drift_north += w(drift, f) * speed * bin.north;
  sums.slope += w(slope, f) * wavenumber * wavenumber * bin.energy;
  sums.peak.add(bin, tables.frequency(f), last);
}

/// Load `count` lanes, all of them where the tile is full; the others are zero or `filler`.
template <class V>
HD inline V load_lanes(const scalar_of<V>* from, int count, scalar_of<V> filler = 0) {
  if (count >= width_of<V>) return load<V>(from);
  V value = splat<V>(filler);
  if (count > 0) std::memcpy(&value, from, count * sizeof(scalar_of<V>));
  return value;
}

/// Store `count` lanes in a wanted output; an output of length zero is not wanted.
template <class V, class T>
HD inline void store_lanes(View1<T> to, std::ptrdiff_t at, int count, V value) {
  if (to.extent[0] == 0) return;
  if (count > width_of<V>) count = width_of<V>;
  std::memcpy(&to(at), &value, count * sizeof(T));
}

/// Integrate one frequency over direction for the points in the lanes of V.
template <class V, class T>
HD inline Harmonics<V> integrate_directions(View2<const T> spectrum, std::ptrdiff_t first,
                                            int count, int f, View2<const T> unit_vector) {
  const int directions = static_cast<int>(unit_vector.extent[1]);
  Harmonics<V> bin;
  for (int d = 0; d < directions; ++d) {
    const V density = load_lanes<V>(spectrum.row(f * directions + d) + first, count);
    const T c = unit_vector(0, d), s = unit_vector(1, d);
    bin.energy += density;
    bin.east += density * c;
    bin.north += density * s;
    bin.cosine_2 += density * (c * c - s * s);
    bin.sine_2 += density * (T(2) * c * s);
  }
  return bin;
}

template <class T>
struct Outputs {
  View1<T> significant_height, mean_period_energy, mean_period, mean_period_zero_crossing,
      peak_frequency, peak_period, mean_direction, peak_direction, directional_spread,
      directional_moment_a1, directional_moment_b1, directional_moment_a2, directional_moment_b2,
      stokes_drift_u, stokes_drift_v, mean_square_slope;
};

/// Turn sums into parameters; where there are no waves, all but height, drift and slope are
/// missing.
template <class V, class T>
HD inline void finish(const Sums<V>& sums, T factor, T missing, std::ptrdiff_t at, int count,
                      const Outputs<T>& out) {
  const V m0 = sums.moment_zero;
  const auto waves = m0 > V{};
  const auto given = [&](V value) { return waves ? value : splat<V>(missing); };
  const V safe = waves ? m0 : splat<V>(1);
  const auto ratio = [](V above, V below) { return above / (below > V{} ? below : splat<V>(1)); };
  const V a1 = sums.east / safe, b1 = sums.north / safe;
  const V peak_frequency = sums.peak.refined(factor);
  store_lanes(out.significant_height, at, count, T(4) * square_root(m0));
  store_lanes(out.mean_period_energy, at, count, given(sums.moment_minus_one / safe));
  store_lanes(out.mean_period, at, count, given(ratio(m0, sums.moment_one)));
  store_lanes(out.mean_period_zero_crossing, at, count,
              given(square_root(ratio(m0, sums.moment_two))));
  store_lanes(out.peak_frequency, at, count, given(peak_frequency));
  store_lanes(out.peak_period, at, count, given(ratio(splat<V>(1), peak_frequency)));
  store_lanes(out.mean_direction, at, count, given(direction_from(sums.east, sums.north)));
  store_lanes(out.peak_direction, at, count,
              given(direction_from(sums.peak.east, sums.peak.north)));
  store_lanes(out.directional_spread, at, count, given(spread(a1, b1)));
  store_lanes(out.directional_moment_a1, at, count, given(a1));
  store_lanes(out.directional_moment_b1, at, count, given(b1));
  store_lanes(out.directional_moment_a2, at, count, given(sums.cosine_2 / safe));
  store_lanes(out.directional_moment_b2, at, count, given(sums.sine_2 / safe));
  store_lanes(out.stokes_drift_u, at, count, sums.drift_east);
  store_lanes(out.stokes_drift_v, at, count, sums.drift_north);
  store_lanes(out.mean_square_slope, at, count, sums.slope);
}

}  // namespace parameters

/// Compute mean wave parameters of the first `box.points` points. An output array of length zero is
/// not wanted and is left alone.
///
/// @param[in]  spectrum     variance density [m2 Hz-1 rad-1], shape (component, point)
/// @param[in]  wavenumber   [rad m-1], shape (frequency, point)
/// @param[in]  weights      of the moments -1, 0, 1, 2, the drift and the slope, shape (6,
/// frequency)
/// @param[in]  frequency    [Hz]
/// @param[in]  unit_vector  cosine and sine of the directions, shape (2, direction)
/// @param[in]  factor       ratio of successive frequencies
/// @param[in]  gravity      [m s-2]
/// @param[in]  missing      value of periods and directions where there are no waves
/// @param[out] ...          the parameters, shape (point,)
template <class T>
inline void mean_parameters(
    Box box, View2<const T> spectrum, View2<const T> wavenumber, View2<const T> weights,
    View1<const T> frequency, View2<const T> unit_vector, View1<T> significant_height,
    View1<T> mean_period_energy, View1<T> mean_period, View1<T> mean_period_zero_crossing,
    View1<T> peak_frequency, View1<T> peak_period, View1<T> mean_direction, View1<T> peak_direction,
    View1<T> directional_spread, View1<T> directional_moment_a1, View1<T> directional_moment_b1,
    View1<T> directional_moment_a2, View1<T> directional_moment_b2, View1<T> stokes_drift_u,
    View1<T> stokes_drift_v, View1<T> mean_square_slope, T factor, T gravity, T missing) {
  using V = pack<T, lanes<T>>;
  constexpr int packs = 4, tile = packs * lanes<T>;
  const int frequencies = static_cast<int>(frequency.extent[0]);
  const parameters::Tables<T> tables{weights, unit_vector, frequency};
  const parameters::Outputs<T> out{significant_height,    mean_period_energy,
                                   mean_period,           mean_period_zero_crossing,
                                   peak_frequency,        peak_period,
                                   mean_direction,        peak_direction,
                                   directional_spread,    directional_moment_a1,
                                   directional_moment_b1, directional_moment_a2,
                                   directional_moment_b2, stokes_drift_u,
                                   stokes_drift_v,        mean_square_slope};
  const auto points_from = [&](std::ptrdiff_t at) {
    return static_cast<int>(std::min<std::ptrdiff_t>(box.points - at, lanes<T>));
  };
  for_each_in<std::ptrdiff_t>(0, box.points, tile, [&](std::ptrdiff_t first) {
    parameters::Sums<V> sums[packs];
    for (int f = 0; f < frequencies; ++f) {
      for (int p = 0; p < packs; ++p) {
        const std::ptrdiff_t at = first + p * lanes<T>;
        const int count = points_from(at);
        if (count <= 0) break;
        const auto bin = parameters::integrate_directions<V>(spectrum, at, count, f, unit_vector);
        const V k = parameters::load_lanes<V>(wavenumber.row(f) + at, count, T(1));
        parameters::add_frequency(sums[p], bin, k, f, f == frequencies - 1, gravity, tables);
      }
    }
    for (int p = 0; p < packs; ++p) {
      const std::ptrdiff_t at = first + p * lanes<T>;
      const int count = points_from(at);
      if (count <= 0) break;
      parameters::finish(sums[p], factor, missing, at, count, out);
    }
  });
}

}  // namespace halocline
