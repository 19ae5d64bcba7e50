#pragma once
#include "waves/bottom_friction.hpp"
#include "waves/tile.hpp"

/// Momentum that passes into waves and out of them, over the density of water.
///
/// Waves of variance density F have the momentum g k / sigma F along their direction (Phillips
/// 1977, The Dynamics of the Upper Ocean, section 3.2; in water of any depth it is the volume that
/// Stokes' drift carries), and a source term S changes it by
///
///   g integral k / sigma (cos theta, sin theta) S df dtheta   [m2 s-2]
///
/// (Janssen 1989, J. Phys. Oceanogr. 19, 745; Komen et al. 1994, section II.4).
namespace halocline::waves {

template <class V>
struct MomentumFlux {
  V x{}, y{};
};

/// Of one frequency, from sums of S cos theta and S sin theta over the directions.
template <class T, int W>
MomentumFlux<pack<T, W>> momentum_flux(const Tile<T, W>& tile, int f,
                                       const MomentumFlux<pack<T, W>>& sums, T gravity) {
  using V = pack<T, W>;
  const SpectralTables<T>& s = *tile.tables;
  const T width = gravity * s.output_band_width[f] * s.direction_width / s.sigma[f];
  const V weight = width * tile.wavenumber[f];
  return {weight * sums.x, weight * sums.y};
}

/// What the input of the wind, with the damping of swell by the air, brings to the first `rows`
/// frequencies. `rate`, `row_rate` and linear input are those of the input alone.
template <class T, int W>
MomentumFlux<pack<T, W>> momentum_of_input(const Tile<T, W>& tile, pack<T, W> rows, T gravity) {
  using V = pack<T, W>;
  const SpectralTables<T>& s = *tile.tables;
  const int nd = tile.directions();
  MomentumFlux<V> whole;
  for (int f = 0; f < tile.frequencies(); ++f) {
    const auto integrated = T(f) < rows;
    if (!any(integrated)) break;
    MomentumFlux<V> sums;
    for (int d = 0; d < nd; ++d) {
      const V rate = tile.rate[f * nd + d] + tile.row_rate[f];
      const V growth =
          rate * tile.spectrum[f * nd + d] + tile.linear_row[f] * tile.linear_direction[d];
      sums.x += growth * s.cosine[d];
      sums.y += growth * s.sine[d];
    }
    const MomentumFlux<V> part = momentum_flux(tile, f, sums, gravity);
    whole.x += integrated ? part.x : V{};
    whole.y += integrated ? part.y : V{};
  }
  return whole;
}

/// What friction takes to the bottom.
template <class T, int W>
MomentumFlux<pack<T, W>> momentum_to_bottom(const Tile<T, W>& tile, T coefficient, T gravity) {
  using V = pack<T, W>;
  const SpectralTables<T>& s = *tile.tables;
  const int nd = tile.directions();
  MomentumFlux<V> whole;
  for (int f = 0; f < tile.frequencies(); ++f) {
    if (!any(tile.wavenumber[f] * tile.depth <= T(deep_water))) continue;
    const V rate = bottom_friction_rate(splat<V>(s.sigma[f]), tile.wavenumber[f],
                                        tile.group_velocity[f], tile.depth, coefficient, gravity);
    MomentumFlux<V> sums;
    for (int d = 0; d < nd; ++d) {
      const V lost = -rate * tile.spectrum[f * nd + d];
      sums.x += lost * s.cosine[d];
      sums.y += lost * s.sine[d];
    }
    const MomentumFlux<V> part = momentum_flux(tile, f, sums, gravity);
    whole.x += part.x;
    whole.y += part.y;
  }
  return whole;
}

}  // namespace halocline::waves
