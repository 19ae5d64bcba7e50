#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/checkerboard.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Diffusivity of stable columns as the corners around them have it.
///
/// On the B-grid the shear of a column is that of four corners, whose viscosity is the mean of four
/// columns: of columns that mix more and less by turns all corners see the same. The one that mixes
/// more has less stratification, and mixes more still: waves of two cells grow where mixing is by
/// the Richardson number. The mean of the corners' means knows no such waves, for
/// quarter, half, quarter along both axes is 0 of them.
namespace halocline {

inline constexpr Contract<5> ocean_even_diffusivity_contract{
    "ocean_even_diffusivity",
    {{{"column_diffusivity", Access::read, Place::interface, "m2 s-1", "depth", one_around},
      {"stability", Access::read, Place::interface, "s-2", "depth", one_around},
      {"floor_level", Access::read, Place::center, "1"},
      {"corner_floor", Access::read, Place::corner, "1", {0, 1, 0, 1}},
      {"vertical_diffusivity", Access::write, Place::interface, "m2 s-1", "depth"}}}};

/// Where a column is stable, the mean over its four corners: of each the mean of the four columns
/// there, of which those that convect count as the column itself does; of corners with a column
/// that ends above, the column's own. Columns that convect stay as they are.
///
/// @param[in]  box                   cells to compute
/// @param[in]  column_diffusivity    of each column by itself, at lower interfaces [m2 s-1]
/// @param[in]  stability             square of the buoyancy frequency there [s-2]
/// @param[in]  floor_level           the lowest wet level; as many as levels on land
/// @param[in]  corner_floor          that of the shallowest column around a corner
/// @param[out] vertical_diffusivity  [m2 s-1]; 0 at the floor
template <class T>
void ocean_even_diffusivity(Box box, View3<const T> column_diffusivity, View3<const T> stability,
                            View2<const T> floor_level, View2<const T> corner_floor,
                            View3<T> vertical_diffusivity) {
  for_pairs(static_cast<int>(stability.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    T* to = vertical_diffusivity.row(k, j);
    const T *floor = floor_level.row(j),
            *floor_of[2] = {corner_floor.row(j), corner_floor.row(j + 1)};
    const T *given[3], *stable[3];
    for (int row = 0; row < 3; ++row) {
      given[row] = column_diffusivity.row(k, j + row - 1);
      stable[row] = stability.row(k, j + row - 1);
    }
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k));
      const auto open = load<V>(floor + i) < level;
      if (!any(open)) return store<V>(to + i, V{});
      const V own = load<V>(given[1] + i);
      const auto convects = load<V>(stable[1] + i) < V{};
      const auto column = [&](int row, int di) {
        const auto unstable = load<V>(stable[row] + i + di) < V{};
        return unstable ? own : load<V>(given[row] + i + di);
      };
      const auto corner = [&](int north, int east) {
        const int row = north == 0 ? 0 : 2, di = east == 0 ? -1 : 1;
        const V mean = T(0.25) * ((own + column(row, di)) + (column(1, di) + column(row, 0)));
        return load<V>(floor_of[north] + i + east) < level ? mean : own;
      };
      const V evened = T(0.25) * ((corner(0, 0) + corner(1, 1)) + (corner(0, 1) + corner(1, 0)));
      store<V>(to + i, open ? (convects ? own : evened) : V{});
    });
  });
}

}  // namespace halocline
