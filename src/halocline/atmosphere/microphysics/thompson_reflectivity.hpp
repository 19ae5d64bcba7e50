#pragma once
#include <algorithm>
#include <cmath>

#include "atmosphere/microphysics/thompson_cell.hpp"
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What a radar sees of Thompson's particles.
namespace halocline {

namespace thompson {

/// Integral of the squares of volumes of melted particles, times (6 / pi)^2 [m3]: ice counts 0.176
/// / 0.930 of it (Smith 1984, J. Climate Appl. Meteor. 23, 1258).
inline double echo(const Cell& c) {
  constexpr double icy = 0.176 / 0.930, melted = 6.0 / (pi * 917.0);
  const Exponential drops = drops_of(c);
  double sum = c.has(rain) ? drops.moment(6.0) : 0.0;
  const auto of_ice = [&](const Kind& kind, const auto& sizes) {
    const double volume = melted * kind.c;
    return icy * volume * volume * sizes.moment(2.0 * kind.d);
  };
  if (c.has(snow)) sum += of_ice(flakes, flakes_of(c));
  if (c.has(graupel)) sum += of_ice(grains, grains_of(c));
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
      for (std::ptrdiff_t i = box.i0; i < box.i1; ++i) {
        const double found =
            1e18 * thompson::echo(thompson::cell_of(exner, air_density, dry_theta, water, k, j, i));
        const T bright = static_cast<T>(10.0 * std::log10(std::max(found, 1e-3)));
        reflectivity.row(k, j)[i] = bright;
        highest[i] = std::max(highest[i], bright);
      }
  });
}

}  // namespace halocline
