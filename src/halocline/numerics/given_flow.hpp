#pragma once
#include "contract.hpp"
#include "numerics/column_fluxes.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// A flow that is given at two times: its volume fluxes and volumes between these, and what rises
/// through the columns so that both fit.
///
/// The volume of a cell changes by what passes its faces: dV = -dt div F. Of horizontal fluxes and
/// the volumes before and after a step the vertical fluxes follow from the floor up; what then
/// passes the surface is the water of rain, rivers and evaporation, and whatever the two do not
/// agree on.
namespace halocline {

constexpr Contract<3> between_contract(std::string_view name, Place place) {
  return {name,
          {{{"before", Access::read, place, "any", "depth"},
            {"after", Access::read, place, "any", "depth"},
            {"now", Access::write, place, "any", "depth"}}}};
}
inline constexpr auto between_centers_contract = between_contract("between_centers", Place::center);
inline constexpr auto between_x_faces_contract = between_contract("between_x_faces", Place::x_face);
inline constexpr auto between_y_faces_contract = between_contract("between_y_faces", Place::y_face);

/// Linear interpolation in time:  now = (1 - weight) before + weight after.
///
/// @param[in]  box            values to compute
/// @param[in]  before, after  at both times, any unit, shape (k, j, i)
/// @param[out] now            between them; of weight 0 or 1 that of one time to the bit
/// @param[in]  weight         of `after` [1]
template <class T>
void between(Box box, View3<const T> before, View3<const T> after, View3<T> now, double weight) {
  const T late = static_cast<T>(weight), early = T(1) - late;
  for_pairs(static_cast<int>(now.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(now.row(k, j) + i,
               early * load<V>(before.row(k, j) + i) + late * load<V>(after.row(k, j) + i));
    });
  });
}

inline constexpr Contract<4> corners_to_x_faces_contract{
    "corners_to_x_faces",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", {0, 0, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 0, 0, 1}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"x_volume_flux", Access::write, Place::x_face, "m3 s-1", "depth"}}}};

/// Volume that passes western faces from the velocity at their two corners (B-grid).
///
/// A face carries the mean of its corners,  F = 1/2 dz (u dy + u_north dy_north)  (Smith et al.
/// 2010, The Parallel Ocean Program reference manual, LAUR-10-01853, section 3).
///
/// @param[in]  box            faces to compute
/// @param[in]  u              at corners, 0 where land is near [m s-1], shape (k, j, i)
/// @param[in]  corner_dy      distance of the faces' middles around corners [m], shape (j, i)
/// @param[in]  thickness      of levels [m], shape (k)
/// @param[out] x_volume_flux  positive to the east [m3 s-1]
template <class T>
void corners_to_x_faces(Box box, View3<const T> u, View2<const T> corner_dy,
                        View1<const T> thickness, View3<T> x_volume_flux) {
  for_cells(box, u.extent[0], [=](int k, int j, int i) {
    const T south = u(k, j, i) * corner_dy(j, i), north = u(k, j + 1, i) * corner_dy(j + 1, i);
    x_volume_flux(k, j, i) = T(0.5) * thickness(k) * (south + north);
  });
}

inline constexpr Contract<4> corners_to_y_faces_contract{
    "corners_to_y_faces",
    {{{"v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 0}},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 0}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"y_volume_flux", Access::write, Place::y_face, "m3 s-1", "depth"}}}};

/// The same of southern faces, from the corners west and east of them.
template <class T>
void corners_to_y_faces(Box box, View3<const T> v, View2<const T> corner_dx,
                        View1<const T> thickness, View3<T> y_volume_flux) {
  for_cells(box, v.extent[0], [=](int k, int j, int i) {
    const T west = v(k, j, i) * corner_dx(j, i), east = v(k, j, i + 1) * corner_dx(j, i + 1);
    y_volume_flux(k, j, i) = T(0.5) * thickness(k) * (west + east);
  });
}

inline constexpr Contract<7> fit_volumes_contract{
    "fit_volumes",
    {{through_x_faces,
      through_y_faces,
      {"next_volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"volume", Access::update, Place::center, "m3", "depth", {}, Column::whole},
      {"z_volume_flux", Access::write, Place::interface, "m3 s-1", "depth", {}, Column::whole},
      {"surface_water", Access::write, Place::center, "m3"},
      {"outflow", Access::write, Place::center, "1"}}}};

/// What rises through a column so that its volumes become those after the step, and what has to
/// come through the surface, which is given to the uppermost cell at once.
///
/// @param[in]     box                           cells to compute
/// @param[in]     x_volume_flux, y_volume_flux  through western and southern faces [m3 s-1]
/// @param[in]     next_volume                   after the step [m3], shape (k, j, i); 0 on land
/// @param[in,out] volume         before the step [m3]; with the water that came in afterwards
/// @param[out]    z_volume_flux  through lower faces, positive up [m3 s-1]
/// @param[out]    surface_water  that comes in through the surface in the step [m3]
/// @param[out]    outflow        most of its volume that leaves a cell of the column in a sweep [1]
/// @param[in]     dt             step [s]
/// @param[in]     x_first        whether the sweep along x is the first
/// @param[in]     at_once        whether all directions are moved at once
template <class T>
void fit_volumes(Box box, View3<const T> x_volume_flux, View3<const T> y_volume_flux,
                 View3<const T> next_volume, View3<T> volume, View3<T> z_volume_flux,
                 View2<T> surface_water, View2<T> outflow, double dt, bool x_first, bool at_once) {
  const T step = static_cast<T>(dt), per_step = static_cast<T>(1.0 / dt);
  const int levels = static_cast<int>(volume.extent[0]);
  for_rows(box, [&](int j) {
    for (int k = 0; k < levels; ++k)
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V zero{}, dt_ = splat<V>(step);
        const V held = load<V>(volume.row(k, j) + i);
        const auto wet = held > zero;
        const auto leaving = [&](V low, V high) {
          return maximum(high, zero) - minimum(low, zero);
        };
        const auto share = [&](V out, V of) {
          return V(wet ? V(out / maximum(of, splat<V>(T(1e-30)))) : zero);
        };
        const T *x = x_volume_flux.row(k, j) + i, *y = y_volume_flux.row(k, j) + i;
        const V west = load<V>(x) * dt_, east = load<V>(x + 1) * dt_;
        const V south = load<V>(y) * dt_;
        const V north = load<V>(y_volume_flux.row(k, j + 1) + i) * dt_;
        const V out_x = leaving(west, east), out_y = leaving(south, north);
        const V along_x = held - (east - west), along_y = held - (north - south);
        const V flat = along_x - (north - south);
        const V low = k > 0 ? load<V>(surface_water.row(j) + i) : zero;
        const V rise = wet ? V(low + (flat - load<V>(next_volume.row(k, j) + i))) : zero;
        V most = k > 0 ? load<V>(outflow.row(j) + i) : zero;
        const V out_z = leaving(low, rise);
        if (at_once) {
          most = maximum(most, share(out_x + out_y + out_z, held));
        } else {
          most = maximum(most, x_first ? share(out_x, held) : share(out_y, held));
          most = maximum(most, x_first ? share(out_y, along_x) : share(out_x, along_y));
          most = maximum(most, share(out_z, flat));
        }
        store<V>(z_volume_flux.row(k, j) + i, low * splat<V>(per_step));
        store<V>(outflow.row(j) + i, most);
        if (k == levels - 1) store<V>(volume.row(k, j) + i, held - rise);
        store<V>(surface_water.row(j) + i, k == levels - 1 ? V(-rise) : rise);
      });
  });
}

}  // namespace halocline
