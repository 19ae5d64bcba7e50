#pragma once
#include "elementary.hpp"
#include "waves/tile.hpp"

/// Linear input by wind of Cavaleri and Malanotte-Rizzoli (1981) with the filter of Tolman (1992).
namespace halocline::waves {

/// Options of LinearInput (linear_input.py) and constants.
struct LinearInputOptions {
  double gravity = 9.806;
  double density_ratio = 1.225e-3;
  double coefficient = 80.0;
  double peak_factor = 1.0;
  double cutoff_factor = 0.5;
};

/// Set linear_row and linear_direction of a tile: their product is
/// S = coefficient (rho_a / rho_w)^2 g^-2 (u* max(0, cos))^4 / k exp(-(sigma / sigma_f)^-4) as an
/// action density of wavenumber, times 2 pi sigma / cg; zero below half of sigma_f = max(
/// peak_factor g / (28 u*), cutoff_factor min(cutoff_sigma, highest sigma)) [rad s-1].
template <class T, int Width>
HD inline void linear_input(const LinearInputOptions& p, Tile<T, Width>& tile,
                            pack<T, Width> cutoff_sigma) {
  using V = pack<T, Width>;
  const SpectralTables<T>& spectral = *tile.tables;
  const T highest = spectral.sigma[spectral.frequencies - 1];
  const V stress = tile.friction_velocity * tile.friction_velocity;
  const V strength = (T(p.coefficient) * T(p.density_ratio) * T(p.density_ratio) /
                      (T(p.gravity) * T(p.gravity)) * T(6.28318530717958647692)) *
                     (stress * stress);
  const V peak = T(p.peak_factor) * T(p.gravity) / (T(28) * tile.friction_velocity);
  const V cut = T(p.cutoff_factor) * minimum(cutoff_sigma, splat<V>(highest));
  const V filter = minimum(maximum(peak, cut), splat<V>(T(2) * highest));
  for (int i = 0; i < spectral.frequencies; ++i) {
    const V ratio = filter / spectral.sigma[i];
    const V square = ratio * ratio;
    const V passed = ratio > T(2) ? V{} : exp(-(square * square));
    tile.linear_row[i] =
        strength * spectral.sigma[i] / (tile.wavenumber[i] * tile.group_velocity[i]) * passed;
  }
  for (int j = 0; j < spectral.directions; ++j) {
    const V along =
        maximum(spectral.cosine[j] * tile.wind_cosine + spectral.sine[j] * tile.wind_sine, V{});
    const V square = along * along;
    tile.linear_direction[j] = square * square;
  }
}

}  // namespace halocline::waves
