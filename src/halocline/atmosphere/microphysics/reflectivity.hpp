#pragma once
#include "atmosphere/microphysics/wsm6_cell.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What a radar sees of drops, flakes and grains much smaller than its wavelength (Rayleigh).
namespace halocline {

/// Sixth moment of exponential sizes, 720 N0 / lambda^7 [mm6 m-3].
template <class V>
HD INLINE V sixth_moment(const Particles<V>& p) {
  using T = scalar_of<V>;
  const V millimetres = T(1e3) * p.length;
  return T(720e-3) * p.intercept * (power<3>(millimetres) * power<4>(millimetres));
}

/// Reflectivity of ice over that of water of the same volume: |K|^2 is 0.176 and 0.930 (Smith 1984,
/// J. Climate Appl. Meteor. 23, 1258), and K goes as density.
inline constexpr double ice_over_water = 0.176 / 0.930 / (917.0 * 917.0);

/// Of particles of `density` [kg m-3]: dry ice, or, if `wet` says so, as bright as the water in it
/// above 0 degrees C.
template <class V>
HD INLINE V echo_of_ice(const Particles<V>& p, scalar_of<V> density, V supercooling, bool wet) {
  using T = scalar_of<V>;
  const T square = density * density, dry = T(ice_over_water) * square, melting = T(1e-6) * square;
  const V share = supercooling < V{} ? splat<V>(wet ? melting : dry) : splat<V>(dry);
  return share * sixth_moment(p);
}

inline constexpr Contract<6> atmosphere_reflectivity_contract{
    "atmosphere_reflectivity",
    {{{"exner", Access::read, Place::center, "1", "depth"},
      {"air_density", Access::read, Place::center, "kg m-3", "depth"},
      {"dry_theta", Access::read, Place::center, "K", "depth"},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"reflectivity", Access::write, Place::center, "dBZ", "depth"},
      {"column_reflectivity", Access::write, Place::center, "dBZ"}}}};

/// Equivalent reflectivity 10 log10(Z / (1 mm6 m-3)) of rain, and of snow and graupel where `water`
/// has them, at least -30 dBZ.
///
/// @param[in]  exner                T / theta [1]
/// @param[in]  air_density          [kg m-3]
/// @param[in]  dry_theta            potential temperature less 300 K
/// @param[in]  water                mixing ratios, of three or six kinds [1]
/// @param[out] reflectivity         [dBZ]
/// @param[out] column_reflectivity  the largest of the column [dBZ]
/// @param[in]  rain_intercept, snow_intercept, graupel_intercept  N0 [m-4]
/// @param[in]  graupel_density      [kg m-3]
/// @param[in]  wet                  whether ice that melts is as bright as water
template <class T>
void atmosphere_reflectivity(Box box, View3<const T> exner, View3<const T> air_density,
                             View3<const T> dry_theta, View4<const T> water, View3<T> reflectivity,
                             View2<T> column_reflectivity, double rain_intercept,
                             double snow_intercept, double graupel_intercept,
                             double graupel_density, bool wet) {
  const Wsm6Numbers<T> n{T(0),
                         T(rain_intercept),
                         T(snow_intercept),
                         T(graupel_intercept),
                         T(graupel_density),
                         T(0),
                         false,
                         false};
  const bool frozen = water.extent[0] > wsm6_graupel;
  const T least = T(1e-3), decibels = T(4.342944819032518);
  const auto echo = [&]<class V>(int k, int j, std::ptrdiff_t i) {
    const V density = load<V>(air_density.row(k, j) + i), still = splat<V>(T(1));
    const auto content = [&](int kind) {
      return V(density * maximum(load<V>(water.row(kind, k, j) + i), V{}));
    };
    const auto if_any = [&](V content, V found) { return content > V{} ? found : V{}; };
    const V rain = content(wsm6_rain);
    V all = if_any(rain, sixth_moment(rain_of(rain, still, n)));
    if (!frozen) return all;
    const V theta = load<V>(dry_theta.row(k, j) + i) + T(air::reference_temperature);
    const V cold = T(air::melting_point) - theta * load<V>(exner.row(k, j) + i);
    const V snow = content(wsm6_snow), graupel = content(wsm6_graupel);
    const auto flakes = snow_of(snow, cold, still, n);
    const auto grains = graupel_of(graupel, still, n);
    all = all + if_any(snow, echo_of_ice(flakes, T(wsm6::snow_density), cold, wet));
    return V(all + if_any(graupel, echo_of_ice(grains, n.graupel_density, cold, wet)));
  };
  for_rows(box, [&](int j) {
    T* highest = column_reflectivity.row(j);
    for (int k = 0; k < static_cast<int>(exner.extent[0]); ++k) {
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V found = echo.template operator()<V>(k, j, i);
        const V bright = decibels * log(maximum(found, splat<V>(least)));
        store<V>(reflectivity.row(k, j) + i, bright);
        const V below = k > 0 ? load<V>(highest + i) : bright;
        store<V>(highest + i, maximum(below, bright));
      });
    }
  });
}

}  // namespace halocline
