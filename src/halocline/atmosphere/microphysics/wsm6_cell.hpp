#pragma once
#include "atmosphere/microphysics/particles.hpp"
#include "atmosphere/moist_air.hpp"

/// A cell of the WSM6 scheme: its water, its air, its particles.
namespace halocline {

/// Entries of `water`.
enum Wsm6Water { wsm6_vapor, wsm6_cloud, wsm6_rain, wsm6_ice, wsm6_snow, wsm6_graupel };

namespace wsm6 {
/// a of the speeds of rain and snow [m^(1-b) s-1]; density of snow [kg m-3].
inline constexpr double rain_speed = 841.9, snow_speed = 11.72, snow_density = 100.0;
/// Most of snow's N0 [m-4].
inline constexpr double most_snow = 1e11;
/// Contents at and below which particles do not collide [1].
inline constexpr double least = 1e-9;
/// Diameter of the largest crystals [m].
inline constexpr double largest_crystal = 500e-6;
}  // namespace wsm6

/// Numbers of the scheme: cloud droplets [m-3], N0 of rain, snow and graupel [m-4], density of
/// graupel [kg m-3], a of its speed [m0.2 s-1]; whether snow and graupel fall at one speed, and
/// what is scarce collects less.
template <class T>
struct Wsm6Numbers {
  T droplets, rain, snow, graupel, graupel_density, graupel_speed;
  bool one_speed, weak_if_scarce;

  /// 0.104 g 0.55 / (mu (Nc rho_w)^(1/3)) of `autoconversion`, 1 / (pi density N0) of `particles`,
  /// that of snow times N0.
  T conversion =
      T(0.104 * air::gravity * 0.55 / 1.718e-5) / cube_root(T(droplets * T(air::water_density)));
  T per_rain = T(1) / (T(particle::pi * air::water_density) * rain);
  T per_snow = T(1.0 / (particle::pi * wsm6::snow_density));
  T per_graupel = T(1) / (T(particle::pi) * graupel_density * graupel);
};

/// Mixing ratios [1], temperature, and how much warmer the cell is than at first [K].
template <class V>
struct Wsm6Cell {
  V vapor, cloud, rain, ice, snow, graupel, temperature, warming;

  HD V supercooling() const { return scalar_of<V>(air::melting_point) - temperature; }
  HD V frozen() const { return ice + snow + graupel; }
  /// The largest of what falls and of crystals.
  HD V particles() const { return maximum(maximum(rain, ice), maximum(snow, graupel)); }

  /// Warm by what became liquid of vapour and solid of liquid [1].
  HD void release(V condensed, V frozen) {
    using T = scalar_of<V>;
    const V added = T(air::vaporization / air::heat_capacity) * condensed +
                    T(air::fusion / air::heat_capacity) * frozen;
    temperature = temperature + added;
    warming = warming + added;
  }
};

/// Density of dry air [kg m-3], its pressure [Pa], 1 / density [m3 kg-1], and (1.28 kg m-3 /
/// density)^(1/2).
template <class V>
struct Wsm6Air {
  V density, pressure;
  V volume = scalar_of<V>(1) / density;
  V thinness = square_root(V(scalar_of<V>(particle::air_density) * volume));
};

/// How much more snowflakes there are in the cold, exp(0.12 (T0 - T)) (Houze et al. 1979; HDC 6),
/// N0 at most 1e11 m-4.
template <class V>
HD INLINE V more_snow(V supercooling, const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V more = exp(V(T(0.12) * maximum(supercooling, V{})));
  return minimum(more, splat<V>(T(wsm6::most_snow) / n.snow));
}

template <class V>
HD INLINE Particles<V> rain_of(V content, V thinness, const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  return particles(raindrops, content, splat<V>(n.per_rain), T(wsm6::rain_speed), splat<V>(n.rain),
                   thinness);
}
/// @param[in] intercept  N0 [m-4]
template <class V>
HD INLINE Particles<V> snow_with(V content, V intercept, V thinness,
                                 const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  return particles(snowflakes, content, V(n.per_snow / intercept), T(wsm6::snow_speed), intercept,
                   thinness);
}
template <class V>
HD INLINE Particles<V> snow_of(V content, V supercooling, V thinness,
                               const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V intercept = any(content > V{}) ? V(n.snow * more_snow(supercooling, n)) : splat<V>(T(1));
  return snow_with(content, intercept, thinness, n);
}
template <class V>
HD INLINE Particles<V> graupel_of(V content, V thinness, const Wsm6Numbers<scalar_of<V>>& n) {
  return particles(graupel_grains, content, splat<V>(n.per_graupel), n.graupel_speed,
                   splat<V>(n.graupel), thinness);
}

/// Snow and graupel that fall at one speed, the mean by mass (Dudhia, Hong and Lim 2008, J. Meteor.
/// Soc. Japan 86A, 33).
///
/// @param[in] snow_mass, graupel_mass  in the same units
template <class V>
HD INLINE void fall_together(Particles<V>& snow, Particles<V>& graupel, V snow_mass,
                             V graupel_mass) {
  const V all = snow_mass + graupel_mass;
  const V speed = (snow_mass * snow.speed + graupel_mass * graupel.speed) /
                  maximum(all, splat<V>(scalar_of<V>(1e-30)));
  snow.speed = graupel.speed = all > V{} ? speed : V{};
}

/// Crystals of cloud ice: number [m-3], diameter [m] and speed [m s-1] (HDC 4, 5).
template <class V>
struct Crystals {
  V number, diameter, speed;
};

/// All 0 where a cell has none.
///
/// @param[in] content  of ice [kg m-3]
template <class V>
HD INLINE Crystals<V> crystals(V content) {
  using T = scalar_of<V>;
  const auto some = content > V{};
  if (!any(some)) return {V{}, V{}, V{}};
  const V root = square_root(maximum(content, V{}));
  const V many = T(5.38e7) * root * square_root(root);
  const V number = minimum(maximum(many, splat<V>(T(1e3))), splat<V>(T(1e6)));
  const V mean = T(11.9) * (root / square_root(number));
  const V diameter = minimum(mean, splat<V>(T(wsm6::largest_crystal)));
  const V speed = T(1.49e4) * pow(diameter, T(1.31));
  return {some ? number : V{}, diameter, some ? speed : V{}};
}

}  // namespace halocline
