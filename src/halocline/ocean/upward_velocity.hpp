#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/volume_fluxes.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Upward velocity at interfaces, as continuity gives it from velocities at corners.
namespace halocline {

inline constexpr Contract<9> ocean_upward_velocity_contract{
    "ocean_upward_velocity",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_floor", Access::read, Place::corner, "1", {0, 1, 0, 1}},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", {0, 1, 0, 1}}),
      {"area", Access::read, Place::center, "m2"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"upward_velocity",
       Access::write,
       Place::interface,
       "m s-1",
       "depth+1",
       {},
       Column::whole}}}};

/// What converges below an interface over the area of the cell; at the surface what thickens it.
///
/// @param[in]  u, v                  velocity at corners [m s-1], 0 where land is near
/// @param[in]  corner_dx, corner_dy  lengths of velocity cells [m]
/// @param[in]  corner_floor          the lowest wet level of corners; as many as levels on land
/// @param[in]  corner_bottom_share   what the lowest cells of corners have of their levels [1]
/// @param[in]  area                  of cells [m2]
/// @param[in]  thickness             of levels [m]
/// @param[out] upward_velocity       at all interfaces, from the floor of the deepest level [m s-1]
template <class T>
void ocean_upward_velocity(Box box, View3<const T> u, View3<const T> v, View2<const T> corner_dx,
                           View2<const T> corner_dy, View2<const T> corner_floor,
                           View2<const T> corner_bottom_share, View2<const T> area,
                           View1<const T> thickness, View3<T> upward_velocity) {
  const BottomCells<T> bottom{corner_floor, corner_bottom_share};
  const int levels = static_cast<int>(thickness.extent[0]);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V of_cell = load<V>(area.row(j) + i);
      V rise{};
      for (int k = 0; k < levels; ++k) {
        store<V>(upward_velocity.row(k, j) + i, rise / of_cell);
        const CornerRow<T> u0(u, corner_dy, bottom, k, j), u1(u, corner_dy, bottom, k, j + 1);
        const CornerRow<T> v0(v, corner_dx, bottom, k, j), v1(v, corner_dx, bottom, k, j + 1);
        const T dz = thickness(k);
        rise += (x_volume_flux<V>(u0, u1, dz, i) - x_volume_flux<V>(u0, u1, dz, i + 1)) +
                (y_volume_flux<V>(v0, dz, i) - y_volume_flux<V>(v1, dz, i));
      }
      store<V>(upward_velocity.row(levels, j) + i, rise / of_cell);
    });
  });
}

}  // namespace halocline
