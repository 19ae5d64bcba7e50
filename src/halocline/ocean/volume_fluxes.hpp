#pragma once
#include "contract.hpp"
#include "numerics/column_fluxes.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Volumes of cells and what passes their faces, from velocities at corners (B-grid).
///
/// The volume that passes a western face is the mean of what its two corners carry,
/// Fx = 1/2 dz (u dy + u_north dy_north); no water passes a corner that touches land, so coasts
/// need no mask. What converges in a cell leaves upward, and at the surface thickens the uppermost
/// cell (Smith et al. 2010, The Parallel Ocean Program reference manual, LAUR-10-01853, section 3).
namespace halocline {

/// One row of corners of a level: a component of velocity, and the width of cells across it.
template <class T, bool Whole = false>
struct CornerRow {
  const T *velocity, *width;
  RowShares<T, Whole> cells;

  CornerRow(const View3<const T>& of, const View2<const T>& across, const BottomCells<T>& bottom,
            int k, int j)
      : velocity(of.row(k, j)), width(across.row(j)), cells(bottom.template row<Whole>(k, j)) {}

  /// What corners carry, over the thickness of the level [m2 s-1].
  template <class V>
  INLINE V carried(std::ptrdiff_t i) const {
    const V whole = load<V>(velocity + i) * load<V>(width + i);
    return cells.template whole<V>(i) ? whole : V(whole * cells.template at<V>(i));
  }
};

/// Volume that passes western faces of one row [m3 s-1] from the corners south and north of it.
template <class V, class Row>
INLINE V x_volume_flux(const Row& south, const Row& north, scalar_of<V> thickness,
                       std::ptrdiff_t i) {
  const V sum = south.template carried<V>(i) + north.template carried<V>(i);
  return scalar_of<V>(0.5) * thickness * sum;
}

/// The same of southern faces; the corners are those at i and i + 1 of one row.
template <class V, class Row>
INLINE V y_volume_flux(const Row& row, scalar_of<V> thickness, std::ptrdiff_t i) {
  const V sum = row.template carried<V>(i) + row.template carried<V>(i + 1);
  return scalar_of<V>(0.5) * thickness * sum;
}

inline constexpr Contract<6> ocean_x_volume_flux_contract{
    "ocean_x_volume_flux",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", {0, 0, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 0, 0, 1}},
      {"corner_floor", Access::read, Place::corner, "1", {0, 0, 0, 1}},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", {0, 0, 0, 1}}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"x_volume_flux", Access::write, Place::x_face, "m3 s-1", "depth"}}}};

/// Volume that passes western faces, positive to the east [m3 s-1].
template <class T>
void ocean_x_volume_flux(Box box, View3<const T> u, View2<const T> corner_dy,
                         View2<const T> corner_floor, View2<const T> corner_bottom_share,
                         View1<const T> thickness, View3<T> x_volume_flux) {
  const BottomCells<T> bottom{corner_floor, corner_bottom_share};
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const CornerRow<T> south(u, corner_dy, bottom, k, j), north(u, corner_dy, bottom, k, j + 1);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(x_volume_flux.row(k, j) + i,
               halocline::x_volume_flux<V>(south, north, thickness(k), i));
    });
  });
}

inline constexpr Contract<6> ocean_y_volume_flux_contract{
    "ocean_y_volume_flux",
    {{{"v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 0}},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 0}},
      {"corner_floor", Access::read, Place::corner, "1", {0, 1, 0, 0}},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", {0, 1, 0, 0}}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"y_volume_flux", Access::write, Place::y_face, "m3 s-1", "depth"}}}};

/// Volume that passes southern faces, positive to the north [m3 s-1].
template <class T>
void ocean_y_volume_flux(Box box, View3<const T> v, View2<const T> corner_dx,
                         View2<const T> corner_floor, View2<const T> corner_bottom_share,
                         View1<const T> thickness, View3<T> y_volume_flux) {
  const BottomCells<T> bottom{corner_floor, corner_bottom_share};
  for_pairs(static_cast<int>(v.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const CornerRow<T> row(v, corner_dx, bottom, k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(y_volume_flux.row(k, j) + i, halocline::y_volume_flux<V>(row, thickness(k), i));
    });
  });
}

inline constexpr Contract<11> ocean_volumes_contract{
    "ocean_volumes",
    {{through_x_faces,
      through_y_faces,
      {"area", Access::read, Place::center, "m2"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"old_layer", Access::read, Place::center, "m"},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"z_volume_flux", Access::write, Place::interface, "m3 s-1", "depth", {}, Column::whole},
      {"volume", Access::write, Place::center, "m3", "depth"},
      {"new_layer", Access::write, Place::center, "m"}}}};

/// Volumes of cells at the old level, what rises through them, and the new uppermost thickness.
///
/// @param[in]  box                           cells to compute
/// @param[in]  x_volume_flux, y_volume_flux  through western and southern faces [m3 s-1]
/// @param[in]  area                          of cells [m2]
/// @param[in]  floor_level                   the lowest wet level; as many as levels on land
/// @param[in]  bottom_share                  of its level that the cell there has [1]
/// @param[in]  old_layer                     thickness of the uppermost cell at the old level [m]
/// @param[in]  water_flux                    volume of rain and rivers per area [m s-1]
/// @param[in]  thickness                     of levels [m]
/// @param[out] z_volume_flux                 through lower interfaces, positive up [m3 s-1]
/// @param[out] volume                        at the old level [m3]; 0 on land
/// @param[out] new_layer                     thickness of the uppermost cell at the new level [m]
/// @param[in]  tau                           from the old to the new level [s]
template <class T>
void ocean_volumes(Box box, View3<const T> x_volume_flux, View3<const T> y_volume_flux,
                   View2<const T> area, View2<const T> floor_level, View2<const T> bottom_share,
                   View2<const T> old_layer, View2<const T> water_flux, View1<const T> thickness,
                   View3<T> z_volume_flux, View3<T> volume, View2<T> new_layer, double tau) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const T step = static_cast<T>(tau);
  const int levels = static_cast<int>(thickness.extent[0]);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const auto& field) { return load<V>(field.row(j) + i); };
      V rise{};
      for (int k = 0; k < levels; ++k) {
        const auto wet = at(floor_level) <= splat<V>(static_cast<T>(k));
        const V below = thickness(k) * bottom.row(k, j).template at<V>(i);
        const V dz = k == levels - 1 ? at(old_layer) : below;
        const T *x = x_volume_flux.row(k, j) + i, *south = y_volume_flux.row(k, j) + i;
        const T* north = y_volume_flux.row(k, j + 1) + i;
        store<V>(volume.row(k, j) + i, wet ? V(dz * at(area)) : V{});
        store<V>(z_volume_flux.row(k, j) + i, rise);
        rise += (load<V>(x) - load<V>(x + 1)) + (load<V>(south) - load<V>(north));
      }
      const V rate = rise / at(area) + at(water_flux);
      store<V>(new_layer.row(j) + i, at(old_layer) + step * rate);
    });
  });
}

}  // namespace halocline
