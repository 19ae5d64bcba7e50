#pragma once
#include <algorithm>

#include "atmosphere/microphysics/thompson_flows.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What a radar sees of Thompson's particles.
namespace halocline {

namespace thompson {

/// Integral of the squares of volumes of melted particles, times (6 / pi)^2 [m3]: ice counts 0.176
/// / 0.930 of it (Smith 1984, J. Climate Appl. Meteor. 23, 1258).
template <class V>
INLINE V echo(const Cell<V>& c) {
  constexpr double icy = 0.176 / 0.930, melted = 6.0 / (pi * 917.0);
  const auto of_ice = [&](Entry some, const Kind& kind, const auto& sizes) {
    const double volume = melted * kind.c;
    return where(c.has(some), V(icy * volume * volume * sizes.moment(kind.echoing)));
  };
  V sum{};
  if (any(c.has(rain))) sum = where(c.has(rain), drops_of(c).moment(raindrops.echoing));
  if (any(c.has(snow))) sum += of_ice(snow, flakes, flakes_of(c));
  if (any(c.has(graupel))) sum += of_ice(graupel, grains, grains_of(c));
  return sum;
}

}  // namespace thompson

inline constexpr Contract<6> atmosphere_thompson_reflectivity_contract{
    "atmosphere_thompson_reflectivity",
    {{{"exner", Access::read, Place::center, "1", "depth"},
      {"air_density", Access::read, Place::center, "kg m-3", "depth"},
      {"dry_theta", Access::read, Place::center, "K", "depth"},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"reflectivity", Access::write, Place::center, "dBZ", "depth"},
      {"column_reflectivity", Access::write, Place::center, "dBZ"}}}};

/// Equivalent reflectivity 10 log10(Z / (1 mm6 m-3)) of rain, snow and graupel, at least -30 dBZ.
///
/// @param[in]  exner                T / theta [1]
/// @param[in]  air_density          of dry air [kg m-3]
/// @param[in]  dry_theta            potential temperature less 300 K
/// @param[in]  water                as in `atmosphere_thompson`
/// @param[out] reflectivity         [dBZ]
/// @param[out] column_reflectivity  the largest of the column [dBZ]
template <class T>
void atmosphere_thompson_reflectivity(Box box, View3<const T> exner, View3<const T> air_density,
                                      View3<const T> dry_theta, View4<const T> water,
                                      View3<T> reflectivity, View2<T> column_reflectivity) {
  for_rows(box, [&](int j) {
    T* highest = column_reflectivity.row(j);
    std::fill(highest + box.i0, highest + box.i1, T(-30));
    for (int k = 0; k < static_cast<int>(exner.extent[0]); ++k)
      over_row<double>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        using S = thompson::Stored<T, V>;
        constexpr double per_ten = 4.342944819032518;  // 10 / log 10
        const V found = 1e18 * thompson::echo(thompson::cell_of<V>(exner, air_density, dry_theta,
                                                                   water, k, j, i));
        const V echo = per_ten * log(maximum(found, splat<V>(1e-3)));
        const S bright = thompson::narrowed<T>(V(maximum(echo, splat<V>(-30.0))));
        store<S>(reflectivity.row(k, j) + i, bright);
        store<S>(highest + i, maximum(load<S>(highest + i), bright));
      });
  });
}

}  // namespace halocline
