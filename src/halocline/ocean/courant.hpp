#pragma once
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/tracers.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// How far the flow goes in a step.
namespace halocline {

inline constexpr Contract<12> ocean_courant_contract{
    "ocean_courant",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", north_east, Column::whole},
      {"v", Access::read, Place::corner, "m s-1", "depth", north_east, Column::whole},
      {"corner_dx", Access::read, Place::corner, "m", north_east},
      {"corner_dy", Access::read, Place::corner, "m", north_east},
      {"corner_floor", Access::read, Place::corner, "1", north_east},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", north_east}),
      {"area", Access::read, Place::center, "m2"},
      {"layer", Access::read, Place::center, "m"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"courant", Access::write, Place::center, "1"}}}};

/// The largest Courant number of a column: of a cell half of what passes all its faces in a step,
/// over its volume; what centred differences and leapfrog steps bear is 1.
///
/// @param[in]  u, v       velocity at corners [m s-1], 0 where land is near
/// @param[in]  layer      thickness of the uppermost cell [m]
/// @param[in]  corner_bottom_share, bottom_share  of their level that the lowest cells have [1]
/// @param[in]  thickness  of levels [m]
/// @param[out] courant    [1], 0 on land
/// @param[in]  dt         the step [s]
template <class T>
void ocean_courant(Box box, View3<const T> u, View3<const T> v, View2<const T> corner_dx,
                   View2<const T> corner_dy, View2<const T> corner_floor,
                   View2<const T> corner_bottom_share, View2<const T> area, View2<const T> layer,
                   View2<const T> floor_level, View2<const T> bottom_share,
                   View1<const T> thickness, View2<T> courant, double dt) {
  const BottomCells<T> corners{corner_floor, corner_bottom_share};
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int levels = static_cast<int>(u.extent[0]);
  const auto width = static_cast<std::size_t>(box.i1 - box.i0);
  const T step = static_cast<T>(dt);
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return std::vector<T>(width); },
      [&](int j, std::vector<T>& rises) {
        std::fill(rises.begin(), rises.end(), T(0));
        T *rise = rises.data() - box.i0, *to = courant.row(j);
        std::fill(to + box.i0, to + box.i1, T(0));
        for (int k = 0; k < levels; ++k) {
          const T dz = thickness(k);
          const CornerRow<T> u0(u, corner_dy, corners, k, j), u1(u, corner_dy, corners, k, j + 1);
          const CornerRow<T> v0(v, corner_dx, corners, k, j), v1(v, corner_dx, corners, k, j + 1);
          const RowShares<T> cells = bottom.row(k, j);
          over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
            const auto wet = load<V>(floor_level.row(j) + i) <= splat<V>(static_cast<T>(k));
            if (!any(wet)) return;
            const V west = x_volume_flux<V>(u0, u1, dz, i);
            const V east = x_volume_flux<V>(u0, u1, dz, i + 1);
            const V south = y_volume_flux<V>(v0, dz, i);
            const V north = y_volume_flux<V>(v1, dz, i);
            const V below = load<V>(rise + i);
            const V above = below + ((west - east) + (south - north));
            store<V>(rise + i, above);
            const V passing = (absolute(west) + absolute(east)) +
                              (absolute(south) + absolute(north)) +
                              (absolute(below) + absolute(above));
            const V thick = dz * cells.template at<V>(i);
            const V deep = k == levels - 1 ? load<V>(layer.row(j) + i) : thick;
            const V found = (T(0.5) * step) * passing / (load<V>(area.row(j) + i) * deep);
            store<V>(to + i, maximum(load<V>(to + i), wet ? found : V{}));
          });
        }
      });
}

}  // namespace halocline
