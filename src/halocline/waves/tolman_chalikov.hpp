#pragma once
#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "waves/chalikov_growth.hpp"
#include "waves/tile.hpp"

/// Wind input and dissipation of Tolman and Chalikov (1996) with the constants of WAVEWATCH III
/// 2.22 (Tolman 2002), known there as ST2, and the stress of Chalikov (1995) that belongs to it.
namespace halocline::waves {

/// Options of the package; see tolman_chalikov.py.
struct TolmanChalikovOptions {
  double wind_height = 10.0;
  double swell_factor = 0.1;
  double dissipation_a0 = 4.8;
  double dissipation_a1 = 1.7e-4;
  double dissipation_a2 = 2.0;
  double dissipation_b0 = 3.0e-4;
  double dissipation_b1 = 0.47;
  double least_phi = 0.003;
  double least_input_peak = 0.009;
  double reference_level = 0.002;
  double tail_start = 2.5;
  double tail_end = 3.0;
  double gravity = 9.806;
};

/// Peak frequency of waves from that of their input, both in units of g / u* (Tolman and Chalikov
/// 1996, eq. 26).
template <class V>
HD inline V peak_from_input(V input_peak) {
  using T = scalar_of<V>;
  const V cube = input_peak * input_peak * input_peak;
  return T(3.6e-4) + T(0.92) * input_peak - T(6.3e-10) / cube;
}

/// Wavenumber [rad m-1] of linear waves by Newton's method from Eckart's approximation.
template <class V>
HD inline V linear_wavenumber(V sigma, V depth, scalar_of<V> gravity) {
  using T = scalar_of<V>;
  const V deep = sigma * sigma * depth / gravity;
  V x = deep / square_root(tanh(deep));
  for (int round = 0; round < 3; ++round) {
    const V t = tanh(x);
    x = x - (x * t - deep) / (t + x * (T(1) - t * t));
  }
  return x / depth;
}

template <class V>
struct SurfaceStress {
  V friction_velocity;  ///< [m s-1]
  V roughness;          ///< [m]
};

/// Stress over waves that peak at `peak` [rad s-1] (Chalikov 1995; Tolman and Chalikov 1996, eq.
/// 24), in three rounds from the last known friction velocity.
template <class V>
HD inline SurfaceStress<V> surface_stress(V wind_speed, V peak, V depth, V friction_velocity,
                                          scalar_of<V> wind_height, scalar_of<V> gravity) {
  using T = scalar_of<V>;
  const V sigma = maximum(peak, splat<V>(T(0.00628318530717958647692)));
  const V phase_speed = sigma / linear_wavenumber(sigma, depth, gravity);
  const V speed = maximum(wind_speed, splat<V>(T(0.01)));
  const V scale = wind_height * gravity / (T(0.2) * speed * speed);
  V drag{};
  for (int round = 0; round < 3; ++round) {
    const V inverse_age = maximum(friction_velocity, splat<V>(T(1e-4))) / phase_speed;
    const V level = T(0.57) * inverse_age * square_root(inverse_age);
    const V r = maximum(log(scale / square_root(level)), splat<V>(T(1e-6)));
    drag = T(0.001) * (T(0.021) + T(10.4) / (exp(T(1.23) * log(r)) + T(1.85)));
    friction_velocity = square_root(drag) * speed;
  }
  return {friction_velocity, wind_height * exp(T(-0.4) / square_root(drag))};
}

/// Part phi of the dissipation of long waves as a function of the input's peak in units of g / u*:
/// linear, with an inverse power that gives it a minimum (Tolman 2002).
struct WaveAgeFactor {
  double constant, linear, inverse, power, least_peak;

  explicit WaveAgeFactor(const TolmanChalikovOptions& o)
      : constant(o.dissipation_b0),
        linear(o.dissipation_b1),
        inverse(0),
        power(4),
        least_peak(o.least_input_peak) {
    if (o.least_phi <= 0) return;
    const double at_minimum = (o.least_phi - constant) / linear;
    if (at_minimum < least_peak) {
      inverse = std::pow(least_peak, power) * (o.least_phi - constant - linear * least_peak);
    } else {
      least_peak = std::max(at_minimum - 0.0025, least_peak);
      const double rest = std::max(o.least_phi - constant - linear * least_peak, 1e-15);
      power = std::min(10.0, linear * least_peak / rest);
      inverse = std::pow(least_peak, power) * rest;
    }
  }

  template <class V>
  HD V operator()(V peak) const {
    using T = scalar_of<V>;
    const V x = maximum(peak, splat<V>(T(least_peak)));
    return T(constant) + T(linear) * x + T(inverse) * exp(T(-power) * log(x));
  }
};

/// The package; memory[0] is the peak frequency of the input [rad s-1].
template <class T>
class TolmanChalikov {
 public:
  static constexpr int memory = 1;

  explicit TolmanChalikov(const TolmanChalikovOptions& options) : o_(options), phi_(options) {}

  template <int W>
  void start(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    const V last = splat<V>(s.sigma[s.frequencies - 1]);
    tile.memory[0] = tile.memory[0] > T(0) ? tile.memory[0] : last;
    tile.friction_velocity =
        tile.friction_velocity > T(0) ? tile.friction_velocity : splat<V>(T(0.05));
    for (int f = 0; f < s.frequencies; ++f)
      length_row(tile)[f] = log(T(two_pi) / tile.wavenumber[f]);
    for (int d = 0; d < s.directions; ++d) {
      const V along = s.cosine[d] * tile.wind_cosine + s.sine[d] * tile.wind_sine;
      cosine_row(tile)[d] = along;
      size_row(tile)[d] = maximum(absolute(along), splat<V>(T(0.0087)));
      log_row(tile)[d] = log(size_row(tile)[d]);
    }
    finish(tile);
  }

  template <int W>
  void input(Tile<T, W>& tile) const {
    mean_values(tile);
    const GrowthTable<pack<T, W>> table(columns_);
    const auto roughness = log(tile.roughness);
    for (int f = 0; f < tile.frequencies(); ++f) {
      if (tile.directions() % 2 == 0) {
        growth_row<true>(tile, table, roughness, f);
      } else {
        growth_row<false>(tile, table, roughness, f);
      }
    }
    find_input_peak(tile);
    filter_swell(tile);
  }

  /// Dissipation does not depend on direction: it goes into `row_rate`.
  template <int W>
  void dissipation(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    const V star = tile.friction_velocity * T(1 / o_.gravity);
    const V peak = tile.memory[0];
    const V low =
        T(-2) * tile.friction_velocity * high_waves(tile) * phi_(peak * T(1 / two_pi) * star);
    const V start = T(1.75) * peak, width = T(0.75) * peak;
    const V log_star = log(star) + log(s.first_sigma * T(1 / two_pi));
    for (int f = 0; f < s.frequencies; ++f) {
      const V level = level_row(tile)[f] * T(1 / o_.reference_level);
      const V age = exp(T(-o_.dissipation_a2) * multiply_add(T(f), s.log_factor, log_star));
      const V power = minimum(T(o_.dissipation_a1) * age, splat<V>(T(25)));
      exponent_row(tile)[f] = level > T(0) ? power * log(level) : -elementary::infinity<V>();
    }
    const V high = T(-o_.dissipation_a0) * star * star;
    for (int f = 0; f < s.frequencies; ++f) {
      const T frequency = s.sigma[f] * T(1 / two_pi);
      const V k = tile.wavenumber[f];
      const V share = limited((s.sigma[f] - start) / width);
      const V short_waves = high * (frequency * frequency * frequency) * exp(exponent_row(tile)[f]);
      tile.row_rate[f] += (T(1) - share) * low * k * k + share * short_waves;
    }
  }

  template <int W>
  void finish(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const T g = T(o_.gravity);
    const V scale = maximum(tile.friction_velocity, splat<V>(T(1e-4))) / g;
    const V star = maximum(tile.memory[0] * scale, splat<V>(T(0.008)));
    const auto stress = surface_stress(tile.wind_speed, peak_from_input(star) / scale, tile.depth,
                                       tile.friction_velocity, T(o_.wind_height), g);
    tile.friction_velocity = stress.friction_velocity;
    tile.roughness = stress.roughness;
  }

  /// One frequency more than those up to `tail_end` times the peak of the input.
  template <int W>
  pack<T, W> integrated_rows(const Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const V place = place_of(tile, T(o_.tail_end) * tile.memory[0]);
    const V nearest = elementary::round<V>(place).value;
    const V whole = nearest > place ? nearest - T(1) : nearest;
    return minimum(whole + T(1), splat<V>(T(tile.frequencies())));
  }

  /// From `tail_start` times the peak of the input to `tail_end` times it the tail grows in.
  template <int W>
  pack<T, W> tail_share(const Tile<T, W>& tile, int f) const {
    using V = pack<T, W>;
    const V from = T(o_.tail_start) * tile.memory[0];
    const V width = T(o_.tail_end - o_.tail_start) * tile.memory[0];
    return f == 0 ? V{} : limited((tile.tables->sigma[f] - from) / width);
  }

 private:
  static constexpr double two_pi = 6.28318530717958647692;

  template <class V>
  static V limited(V share) {
    return minimum(maximum(share, V{}), splat<V>(T(1)));
  }

  template <int W>
  static auto* length_row(Tile<T, W>& tile) {
    return tile.row[0];
  }
  template <int W>
  static auto* level_row(Tile<T, W>& tile) {
    return tile.row[1];
  }
  template <int W>
  static auto* gain_row(Tile<T, W>& tile) {
    return tile.row[2];
  }
  template <int W>
  static auto* exponent_row(Tile<T, W>& tile) {
    return tile.row[3];
  }
  template <int W>
  static auto* cosine_row(Tile<T, W>& tile) {
    return tile.direction_row[0];
  }
  template <int W>
  static auto* size_row(Tile<T, W>& tile) {
    return tile.direction_row[1];
  }
  template <int W>
  static auto* log_row(Tile<T, W>& tile) {
    return tile.direction_row[2];
  }

  /// Number of a frequency in the grid, counted from 1.
  template <int W>
  static pack<T, W> place_of(const Tile<T, W>& tile, pack<T, W> sigma) {
    const SpectralTables<T>& s = *tile.tables;
    return log(sigma / s.first_sigma) / s.log_factor + T(1);
  }

  /// Energy of each frequency, saturation level k^3 F(k) of waves, and mean values with the tail.
  template <int W>
  void mean_values(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    V m0{}, period{}, length{};
    for (int f = 0; f < s.frequencies; ++f) {
      const V* spectrum = tile.spectrum + static_cast<std::ptrdiff_t>(f) * s.directions;
      V sum{};
      for (int d = 0; d < s.directions; ++d) sum += spectrum[d];
      const V energy = s.direction_width * sum;
      const V k = tile.wavenumber[f];
      tile.row_energy[f] = energy;
      level_row(tile)[f] = T(2 / two_pi) * k * k * k * tile.group_velocity[f] * energy;
      const V band = s.output_band_width[f] * energy;
      m0 += band;
      period += band / s.sigma[f];
      length += band / square_root(k);
    }
    const T last = s.sigma[s.frequencies - 1];
    const V beyond = tile.row_energy[s.frequencies - 1] * T(1 / two_pi);
    m0 += T(0.25) * last * beyond;
    period += T(0.2) * beyond;
    length += T(0.2) * std::sqrt(T(o_.gravity)) * beyond;
    const V least = splat<V>(T(1e-7));
    tile.variance = m0;
    tile.mean_frequency = T(1 / two_pi) * m0 / maximum(period, least);
    const V root = m0 / maximum(length, least);
    tile.mean_wavenumber = root * root;
  }

  /// Growth rates of one frequency, and the input to it. Directions are taken in opposite pairs
  /// where there are such. The places in the table are found for some directions ahead, so that the
  /// divisions are under way while the table is read.
  template <bool paired, int W>
  void growth_row(Tile<T, W>& tile, const GrowthTable<pack<T, W>>& table, pack<T, W> log_roughness,
                  int f) const {
    using V = pack<T, W>;
    constexpr int ahead = 12;
    const SpectralTables<T>& s = *tile.tables;
    const int count = paired ? s.directions / 2 : s.directions;
    const V* spectrum = tile.spectrum + static_cast<std::ptrdiff_t>(f) * s.directions;
    V* rate = tile.rate + static_cast<std::ptrdiff_t>(f) * s.directions;
    const V length = length_row(tile)[f] - log_roughness;
    const V slowness =
        tile.wavenumber[f] * tile.friction_velocity * T(2.5 / growth_step / s.sigma[f]);
    const T unit = T(1e-4) * s.sigma[f];
    const T root_drag = T(0.4 / std::sqrt(growth_drag_step));
    V gain{};
    for (int first = 0; first < count; first += ahead) {
      const int last = std::min(first + ahead, count);
      GrowthPlace<V> places[ahead];
      for (int d = first; d < last; ++d) {
        const V profile = maximum(length - log_row(tile)[d], splat<V>(T(0.1)));
        const V inverse = root_drag / profile;
        places[d - first] =
            GrowthPlace<V>::of(slowness * profile * size_row(tile)[d], inverse * inverse);
      }
      for (int d = first; d < last; ++d) {
        const auto pair = table(places[d - first]);
        const auto with = cosine_row(tile)[d] >= V{};
        const V one = unit * (with ? pair.with : pair.against);
        rate[d] = one;
        gain = multiply_add(maximum(one, V{}), spectrum[d], gain);
        if constexpr (paired) {
          const V two = unit * (with ? pair.against : pair.with);
          rate[d + count] = two;
          gain = multiply_add(maximum(two, V{}), spectrum[d + count], gain);
        }
      }
    }
    gain_row(tile)[f] = s.direction_width * gain;
  }

  /// Peak frequency of the input from its moments, divided by sigma^3 (Tolman and Chalikov 1996).
  template <int W>
  void find_input_peak(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    V m0{}, m1{};
    for (int f = 0; f < s.frequencies; ++f) {
      const T sigma = s.sigma[f];
      const V gain = gain_row(tile)[f] * (s.output_band_width[f] / (sigma * sigma * sigma));
      m0 += gain;
      m1 += gain / sigma;
    }
    const T last = s.sigma[s.frequencies - 1];
    const V beyond = gain_row(tile)[s.frequencies - 1] * (T(1 / two_pi) / (last * last * last));
    m0 += T(0.25) * last * beyond;
    m1 += T(0.2) * beyond;
    const auto calm = m1 < T(1e-20);
    tile.memory[0] = calm ? splat<V>(s.factor * last) : m0 / (calm ? splat<V>(T(1)) : m1);
  }

  /// Weaken the damping of waves well below the peak of the wind sea.
  template <int W>
  void filter_swell(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    const V scale = tile.friction_velocity / T(o_.gravity);
    const V star = maximum(tile.memory[0] * scale, splat<V>(T(o_.least_input_peak)));
    const V first = T(0.8) * peak_from_input(star) / scale;
    for (int f = 0; f < s.frequencies; ++f) {
      const V share = limited((s.sigma[f] / first - T(0.75)) * T(4));
      const V factor = share + (T(1) - share) * T(o_.swell_factor);
      if (!any(share < T(1))) break;
      V* rate = tile.rate + static_cast<std::ptrdiff_t>(f) * s.directions;
      for (int d = 0; d < s.directions; ++d)
        rate[d] = maximum(rate[d], V{}) + factor * minimum(rate[d], V{});
    }
  }

  /// Height of the waves above twice the peak of the input [m].
  template <int W>
  pack<T, W> high_waves(Tile<T, W>& tile) const {
    using V = pack<T, W>;
    const SpectralTables<T>& s = *tile.tables;
    const int last = s.frequencies - 1;
    const V high = T(2) * tile.memory[0];
    const V place = place_of(tile, high) + T(0.5);
    V energy = T(0.25 / two_pi) * s.sigma[last] * tile.row_energy[last];
    for (int f = 0; f < last; ++f)
      energy += limited(T(f + 2) - place) * s.output_band_width[f] * tile.row_energy[f];
    const V rest = T(last + 2) - place;
    const V half = limited(rest < T(1) ? rest - T(0.5) : rest);
    energy += half * s.output_band_width[last] * tile.row_energy[last];
    const V ratio = s.sigma[last] / high;
    const V square = ratio * ratio;
    const V beyond = T(0.25 / two_pi) * high * tile.row_energy[last] * (square * square * ratio);
    return T(4) * square_root(high < s.sigma[last] * s.factor ? energy : beyond);
  }

  TolmanChalikovOptions o_;
  WaveAgeFactor phi_;
  GrowthColumns<T> columns_;
};

}  // namespace halocline::waves
