#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// Winds as maps of the Earth show them.
namespace halocline {

inline constexpr Contract<6> atmosphere_wind_at_centers_contract{
    "atmosphere_wind_at_centers",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, 0, 0}},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {0, 0, 0, 1}},
      {"cosine", Access::read, Place::center, "1"},
      {"sine", Access::read, Place::center, "1"},
      {"eastward_wind", Access::write, Place::center, "m s-1", "depth"},
      {"northward_wind", Access::write, Place::center, "m s-1", "depth"}}}};

/// Wind at centres, turned from the axes of the grid to east and north.
///
/// @param[in]  u, v            wind along x and y at faces [m s-1], shape (k, j, i)
/// @param[in]  cosine, sine    of the angle from east to the x axis, anticlockwise [1]
/// @param[out] eastward_wind   [m s-1]
/// @param[out] northward_wind  [m s-1]
template <class T>
void atmosphere_wind_at_centers(Box box, View3<const T> u, View3<const T> v, View2<const T> cosine,
                                View2<const T> sine, View3<T> eastward_wind,
                                View3<T> northward_wind) {
  const int levels = static_cast<int>(u.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V x = T(0.5) * (load<V>(u.row(k, j) + i) + load<V>(u.row(k, j) + i + 1));
      const V y = T(0.5) * (load<V>(v.row(k, j) + i) + load<V>(v.row(k, j + 1) + i));
      const V c = load<V>(cosine.row(j) + i), s = load<V>(sine.row(j) + i);
      store<V>(eastward_wind.row(k, j) + i, c * x - s * y);
      store<V>(northward_wind.row(k, j) + i, s * x + c * y);
    });
  });
}

}  // namespace halocline
