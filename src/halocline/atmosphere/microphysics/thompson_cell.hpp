#pragma once
#include "atmosphere/microphysics/saturation.hpp"
#include "atmosphere/microphysics/thompson_collisions.hpp"

/// Cells of Thompson's scheme: their water, air and particles. In double precision, a pack at once.
namespace halocline::thompson {

/// Entries of `water`: mixing ratios [1], then numbers of drops and crystals [kg-1].
enum Entry { vapor, cloud, rain, ice, snow, graupel, rain_number, ice_number, entries };

/// Contents below which there is nothing [kg m-3].
inline constexpr double least = 1e-9;
/// Mass of a new crystal [kg]; diameters of the smallest drops and of flakes that begin [m].
inline constexpr double new_crystal = 1e-12, new_drop = 50e-6, new_flake = 200e-6;

/// As many values of T as V has.
template <class T, class V>
using Stored = pack<T, width_of<V>>;
/// Values of T as values of V, and back.
template <class V, class T>
INLINE V widened(const T* from) {
  using S = Stored<T, V>;
  if constexpr (std::is_arithmetic_v<V> || std::is_same_v<S, V>) {
    return static_cast<V>(load<S>(from));
  } else {
    return __builtin_convertvector(load<S>(from), V);
  }
}
template <class T, class V>
INLINE Stored<T, V> narrowed(V value) {
  using S = Stored<T, V>;
  if constexpr (std::is_arithmetic_v<V> || std::is_same_v<S, V>) {
    return static_cast<S>(value);
  } else {
    return __builtin_convertvector(value, S);
  }
}

template <class V>
struct Cell {
  V water[entries];
  V temperature, pressure, density;  ///< [K], [Pa], of dry air [kg m-3]
  V warming{};                       ///< since the start of the step [K]

  INLINE V content(Entry kind) const { return density * water[kind]; }
  INLINE auto has(Entry kind) const { return content(kind) > splat<V>(least); }
  INLINE V supercooling() const { return air::melting_point - temperature; }
  /// How much faster particles fall than at the ground.
  INLINE V thinness() const { return square_root(V(speed_density / density)); }

  /// Warm by what became liquid of vapour and solid of liquid [1].
  INLINE void release(V condensed, V frozen) {
    const V added = (air::vaporization * condensed + air::fusion * frozen) / air::heat_capacity;
    temperature += added;
    warming += added;
  }
};

/// Cells from (k, j, i) on, but for their pressure.
template <class V, class Air, class Theta, class Water>
INLINE Cell<V> cell_of(const Air& exner, const Air& density, const Theta& dry_theta,
                       const Water& water, int k, int j, std::ptrdiff_t i) {
  Cell<V> c{};
  for (int kind = 0; kind < entries; ++kind) c.water[kind] = widened<V>(water.row(kind, k, j) + i);
  c.temperature = (widened<V>(dry_theta.row(k, j) + i) + air::reference_temperature) *
                  widened<V>(exner.row(k, j) + i);
  c.density = widened<V>(density.row(k, j) + i);
  return c;
}

/// Numbers of the scheme: cloud droplets [m-3].
struct Numbers {
  double droplets;

  /// Exponent of the gamma distribution of droplets (Thompson et al. 2008, equation 2).
  double shape() const { return std::min(15.0, 1e9 / droplets + 2.0); }
};

template <class V>
INLINE Exponential<V> drops_of(const Cell<V>& cell) {
  return by_number(raindrops, cell.content(rain), V(cell.density * cell.water[rain_number]), 10e-6,
                   680e-6);
}
template <class V>
INLINE Exponential<V> crystals_of(const Cell<V>& cell) {
  return by_number(crystals, cell.content(ice), V(cell.density * cell.water[ice_number]), 5e-6,
                   75e-6);
}
/// N0 = 200 m-4 / qg, from 1e4 to 5e6 m-4.
template <class V>
INLINE Exponential<V> grains_with(V content, V ratio) {
  const V some = maximum(ratio, splat<V>(1e-12));
  return by_intercept(grains, content, within(V(200.0 / some), 1e4, 5e6));
}
template <class V>
INLINE Exponential<V> grains_of(const Cell<V>& cell) {
  return grains_with(cell.content(graupel), cell.water[graupel]);
}
template <class V>
INLINE Snowflakes<V> flakes_of(const Cell<V>& cell) {
  return snowflakes(cell.content(snow), V(-maximum(cell.supercooling(), V{})));
}

/// Particles of a cell; `droplet` is the diameter of mean volume of cloud [m].
template <class V>
struct Population {
  Exponential<V> rain, ice, graupel;
  Snowflakes<V> snow;
  V droplet;
};
template <class V>
INLINE Population<V> population(const Cell<V>& cell, const Numbers& n) {
  Population<V> p{};
  if (any(cell.has(rain))) p.rain = drops_of(cell);
  if (any(cell.has(ice))) p.ice = crystals_of(cell);
  if (any(cell.has(graupel))) p.graupel = grains_of(cell);
  if (any(cell.has(snow))) p.snow = flakes_of(cell);
  p.droplet = cube_root(V(maximum(cell.content(cloud), V{}) / (raindrops.c * n.droplets)));
  return p;
}

inline const double cube_root_of_schmidt = std::cbrt(0.632);

/// Conductivity of air for heat [J m-1 s-1 K-1], diffusivity of vapour [m2 s-1], dynamic viscosity
/// [kg m-1 s-1], and the `flow` of `ventilated` (Pruppacher and Klett 1997; Sc = 0.632).
template <class V>
struct Diffusivities {
  V heat, vapor, viscosity, flow;
};
template <class V>
INLINE Diffusivities<V> diffusivities(const Cell<V>& cell) {
  const V celsius = -cell.supercooling();
  const V bend = celsius < V{} ? V(1.2e-5 * celsius) : V{};
  const V viscosity = (1.718 + (0.0049 - bend) * celsius) * 1e-5;
  const V vapor =
      2.11e-5 * pow(V(cell.temperature / air::melting_point), 1.94) * (101325.0 / cell.pressure);
  const V heat = (5.69 + 0.0168 * celsius) * 1e-5 * 418.936;
  const V flow = cube_root_of_schmidt * square_root(V(cell.thinness() * cell.density / viscosity));
  return {heat, vapor, viscosity, flow};
}

}  // namespace halocline::thompson
