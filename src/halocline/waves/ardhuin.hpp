#pragma once
#include "waves/ardhuin_dissipation.hpp"
#include "waves/ardhuin_input.hpp"
#include "waves/linear_input.hpp"

/// The source package of Ardhuin et al. (2010), WAVEWATCH III's ST4: wind input with the stress
/// that waves take up, swell dissipation, breaking, and linear input.
namespace halocline::waves {

/// Options of Ardhuin (ardhuin.py): its four parts, and where the tail begins.
struct ArdhuinOptions {
  ArdhuinInputOptions wind_input;
  ArdhuinDissipationOptions breaking;
  LinearInputOptions linear;
  double mean_frequency_factor = 2.5;
  double peak_factor = 4.0;
  double wavenumber_power = 0.5;
  bool stress_from_rest = false;
};

/// Tables of the package on one spectral grid (ArdhuinTables in ardhuin.py); owned by the caller.
template <class T>
struct ArdhuinTables {
  DissipationTables<T> dissipation;
  FrictionFactors<T> friction;
};

template <class T>
class Ardhuin {
 public:
  /// memory[0]: share of the stress that waves take up, from the last sub-step. (memory[1]: their
  /// stress [m2 s-2], from `input` to `finish`.)
  static constexpr int memory = 1;

  Ardhuin(const ArdhuinOptions& options, const ArdhuinTables<T>& tables)
      : o_(options), tables_(tables) {}

  /// Stress of the wind of now over waves that take up the same share of it as before; or, from
  /// rest, as much as they would of the stress over a sea without waves.
  template <int Width>
  void start(Tile<T, Width>& tile) const {
    using V = pack<T, Width>;
    if (!o_.stress_from_rest) {
      set(tile, coupled_friction_velocity(o_.wind_input, tile.wind_speed, tile.memory[0]));
      return;
    }
    set(tile, waves::friction_velocity(o_.wind_input, tile.wind_speed, V{}));
    mean_values(tile);
    const V stress = rates(tile, tile.diagonal);
    set(tile, waves::friction_velocity(o_.wind_input, tile.wind_speed, stress));
  }

  template <int Width>
  void input(Tile<T, Width>& tile) const {
    mean_values(tile);
    tile.memory[1] = rates(tile, tile.rate);
    linear_input(o_.linear, tile, cutoff(tile));
  }

  template <int Width>
  void dissipation(Tile<T, Width>& tile) const {
    breaking_dissipation(
        o_.breaking, *tile.tables, tables_.dissipation, tile.wavenumber, tile.group_velocity,
        tile.frequencies(), tile.spectrum, tile.rate,
        {tile.direction_row[0], tile.diagonal, tile.direction_row[1], tile.source});
  }

  /// After a sub-step: stress over the waves that were there before it.
  template <int Width>
  void finish(Tile<T, Width>& tile) const {
    mean_values(tile);
    set(tile, waves::friction_velocity(o_.wind_input, tile.wind_speed, tile.memory[1]));
    tile.memory[0] = acting_stress(o_.wind_input, tile.memory[1]) /
                     (tile.friction_velocity * tile.friction_velocity);
  }

  /// One more than the prognostic frequencies.
  template <int Width>
  pack<T, Width> integrated_rows(const Tile<T, Width>& tile) const {
    using V = pack<T, Width>;
    return minimum(prognostic_rows(tile) + T(1), splat<V>(T(tile.frequencies())));
  }

  template <int Width>
  pack<T, Width> tail_share(const Tile<T, Width>& tile, int frequency) const {
    using V = pack<T, Width>;
    return prognostic_rows(tile) > splat<V>(T(frequency)) ? V{} : splat<V>(T(1));
  }

 private:
  template <int Width>
  static void set(Tile<T, Width>& tile, const Drag<pack<T, Width>>& drag) {
    tile.friction_velocity = drag.friction_velocity;
    tile.roughness = drag.roughness;
  }

  /// Set `rate` to growth by wind and swell dissipation; the stress that waves take up [m2 s-2].
  template <int Width>
  pack<T, Width> rates(Tile<T, Width>& tile, pack<T, Width>* rate) const {
    using V = pack<T, Width>;
    const Air<V> air{tile.wind_cosine, tile.wind_sine, {tile.friction_velocity, tile.roughness}};
    const auto swell =
        swell_rates(o_.wind_input, *tile.tables, tile.row_energy, air.drag, tables_.friction);
    return wind_input(o_.wind_input, *tile.tables, air, swell, tile.wavenumber, tile.spectrum,
                      rate);
  }

  /// Frequency [rad s-1] up to which sources are integrated: mean_frequency_factor times the mean
  /// frequency, at least peak_factor times that of Pierson and Moskowitz, g / (28 u*).
  template <int Width>
  pack<T, Width> cutoff(const Tile<T, Width>& tile) const {
    return maximum(T(6.28318530717958647692) * T(o_.mean_frequency_factor) * tile.mean_frequency,
                   T(o_.peak_factor) * T(o_.wind_input.gravity) / (T(28) * tile.friction_velocity));
  }

  /// Number of frequencies up to the cut-off, at least 2. The small number keeps a cut-off at a
  /// frequency of the grid from losing it to rounding.
  template <int Width>
  pack<T, Width> prognostic_rows(const Tile<T, Width>& tile) const {
    using V = pack<T, Width>;
    const SpectralTables<T>& spectral = *tile.tables;
    const V place = log(cutoff(tile) / spectral.first_sigma) / spectral.log_factor + T(1e-3);
    const V bounded = minimum(maximum(place, splat<V>(T(1))), splat<V>(T(tile.frequencies() - 1)));
    const V nearest = elementary::round<V>(bounded).value;
    return (nearest > bounded ? nearest - T(1) : nearest) + T(1);
  }

  /// Variance, mean frequency f(m0, -1) and mean wavenumber (mean of k^p)^(1/p), with a tail f^-5.
  template <int Width>
  void mean_values(Tile<T, Width>& tile) const {
    using V = pack<T, Width>;
    const SpectralTables<T>& spectral = *tile.tables;
    const T power = T(o_.wavenumber_power);
    V variance{}, periods{}, wavenumbers{};
    for (int i = 0; i < spectral.frequencies; ++i) {
      const V* row = tile.spectrum + static_cast<std::ptrdiff_t>(i) * spectral.directions;
      V sum = row[0];
      for (int j = 1; j < spectral.directions; ++j) sum += row[j];
      tile.row_energy[i] = spectral.direction_width * sum;
      const V energy = spectral.output_band_width[i] * tile.row_energy[i];
      variance += energy;
      periods += energy / spectral.sigma[i];
      const V k = tile.wavenumber[i];
      wavenumbers += energy * (power == T(0.5) ? square_root(k) : pow(k, splat<V>(power)));
    }
    const int last = spectral.frequencies - 1;
    const T sigma = spectral.sigma[last];
    const T wave = sigma * sigma / T(o_.wind_input.gravity);
    const V beyond = tile.row_energy[last] * (sigma / T(6.28318530717958647692));
    variance += T(0.25) * beyond;
    periods += T(0.2) / sigma * beyond;
    wavenumbers += pow(wave, power) / (T(4) - T(2) * power) * beyond;
    const V least = splat<V>(T(1e-7));
    const V bounded = maximum(variance, least);
    tile.variance = variance;
    tile.mean_frequency = (periods < least ? splat<V>(sigma) : bounded / maximum(periods, least)) *
                          T(0.15915494309189533577);
    const V mean = maximum(wavenumbers, least) / bounded;
    tile.mean_wavenumber = power == T(0.5) ? mean * mean : pow(mean, splat<V>(T(1) / power));
  }

  ArdhuinOptions o_;
  ArdhuinTables<T> tables_;
};

}  // namespace halocline::waves
