#pragma once
#include "atmosphere/microphysics/wsm6_cell.hpp"

/// Melting and freezing of what a cell has, before anything collides.
namespace halocline {

/// Conductivity of air for heat [J m-1 s-1 K-1], diffusivity of vapour [m2 s-1], and the `flow` of
/// `exchange` (HDC, appendix).
template <class V>
struct Diffusion {
  V conductivity, vapor, flow;
};
template <class V>
HD INLINE Diffusion<V> diffusion(V temperature, const Wsm6Air<V>& air) {
  using T = scalar_of<V>;
  const V dynamic = T(1.496e-6) * temperature * square_root(temperature) / (temperature + T(120));
  const V viscosity = dynamic * air.volume;
  const V vapor = T(8.794e-5) * pow(temperature, T(1.81)) / air.pressure;
  const V flow = cube_root(V(viscosity / vapor)) * square_root(V(air.thinness / viscosity));
  return {T(1.414e3) * dynamic, vapor, flow};
}

/// Snow and graupel melt as fast as air brings heat, 2 pi Ka (T - T0) / (Lf rho) times what they
/// exchange (LFO 32, 47); cloud ice melts at once.
template <class V>
HD INLINE void melt(Wsm6Cell<V>& cell, const Wsm6Air<V>& air, const Wsm6Numbers<scalar_of<V>>& n,
                    scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V supercooling = cell.supercooling();
  const auto warm = supercooling < V{};
  if (!any(warm & (cell.frozen() > V{}))) return;
  const Diffusion<V> d = diffusion(cell.temperature, air);
  constexpr T factor = T(2.0 * particle::pi / air::fusion);
  const V brings = factor * dt * d.conductivity * maximum(V(-supercooling), V{}) * air.volume;
  const auto flakes = snow_of(V(air.density * cell.snow), supercooling, air.thinness, n);
  const auto grains = graupel_of(V(air.density * cell.graupel), air.thinness, n);
  const V snow = minimum(V(brings * exchange(snowflakes, flakes, d.flow)), cell.snow);
  const V graupel = minimum(V(brings * exchange(graupel_grains, grains, d.flow)), cell.graupel);
  const V ice = warm ? cell.ice : V{};
  cell.snow = cell.snow - snow;
  cell.graupel = cell.graupel - graupel;
  cell.rain = cell.rain + (snow + graupel);
  cell.ice = cell.ice - ice;
  cell.cloud = cell.cloud + ice;
  cell.release(V{}, V(-(snow + graupel + ice)));
}

/// Below -40 degrees C cloud freezes at once; above, drops freeze by their volume (Bigg 1953) at
/// 100 m-3 s-1 (exp(0.66 K-1 (T0 - T)) - 1): cloud times rho qc^2 / (rho_w Nc), rain as LFO 45.
template <class V>
HD INLINE void freeze(Wsm6Cell<V>& cell, const Wsm6Air<V>& air, const Wsm6Numbers<scalar_of<V>>& n,
                      scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V supercooling = cell.supercooling();
  const auto cold = supercooling > V{};
  if (!any(cold & (maximum(cell.cloud, cell.rain) > V{}))) return;
  const V bounded = minimum(maximum(supercooling, V{}), splat<V>(T(50)));
  const V rate = T(100) * dt * (exp(V(T(0.66) * bounded)) - T(1));
  constexpr T water = T(air::water_density);
  const V slowly = rate * air.density * (cell.cloud * cell.cloud) * (T(1) / (water * n.droplets));
  const V cloud = supercooling > T(40) ? cell.cloud : minimum(slowly, cell.cloud);
  const auto drops = rain_of(V(air.density * cell.rain), air.thinness, n);
  constexpr T factor = T(20.0 * particle::pi * particle::pi * air::water_density);
  const V volumes = factor * n.rain * (power<3>(drops.length) * power<4>(drops.length));
  const V rain = minimum(V(rate * volumes * air.volume), cell.rain);
  cell.cloud = cell.cloud - cloud;
  cell.ice = cell.ice + cloud;
  cell.rain = cell.rain - rain;
  cell.graupel = cell.graupel + rain;
  cell.release(V{}, V(cloud + rain));
}

}  // namespace halocline
