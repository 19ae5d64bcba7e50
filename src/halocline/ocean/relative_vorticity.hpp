#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Relative vorticity of cells: the circulation around a cell over its area.
namespace halocline {

inline constexpr Contract<6> ocean_relative_vorticity_contract{
    "ocean_relative_vorticity",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}},
      {"v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"area", Access::read, Place::center, "m2"},
      {"relative_vorticity", Access::write, Place::center, "s-1", "depth"}}}};

/// Along a side of a cell flows the mean of what its two corners have, each over its own length:
///   vorticity = (1/2 [v dy]_(i, i+1) summed over j, j+1 - 1/2 [u dx]_(j, j+1) over i, i+1) / area.
///
/// On coasts water stands still, so that the vorticity of a sea sums to nothing.
///
/// @param[in]  box                   cells to compute
/// @param[in]  u, v                  velocity at corners [m s-1], 0 where land is near
/// @param[in]  corner_dx, corner_dy  lengths of velocity cells [m]
/// @param[in]  area                  of cells [m2]
/// @param[out] relative_vorticity    positive anticlockwise [s-1]
template <class T>
void ocean_relative_vorticity(Box box, View3<const T> u, View3<const T> v, View2<const T> corner_dx,
                              View2<const T> corner_dy, View2<const T> area,
                              View3<T> relative_vorticity) {
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto along = [&](const auto& velocity, const auto& length, int dj, int di) {
        const std::ptrdiff_t at = i + di;
        return V(load<V>(velocity.row(k, j + dj) + at) * load<V>(length.row(j + dj) + at));
      };
      const V east = along(v, corner_dy, 0, 1) + along(v, corner_dy, 1, 1);
      const V west = along(v, corner_dy, 0, 0) + along(v, corner_dy, 1, 0);
      const V south = along(u, corner_dx, 0, 0) + along(u, corner_dx, 0, 1);
      const V north = along(u, corner_dx, 1, 0) + along(u, corner_dx, 1, 1);
      const V around = T(0.5) * ((east - west) + (south - north));
      store<V>(relative_vorticity.row(k, j) + i, around / load<V>(area.row(j) + i));
    });
  });
}

}  // namespace halocline
