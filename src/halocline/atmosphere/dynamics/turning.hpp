#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// What the turning Earth and the curvature of its surface and of the grid's lines do to the wind
/// (Skamarock et al. 2019, NCAR/TN-556, equations 2.23 to 2.25).
namespace halocline {

namespace air {

/// Wind and its turning in the middle of cells. The forces of a cell do no work there.
template <class T>
struct CellTurning {
  View3<const T> u, v, w;
  View2<const T> mass, base_mass;
  View2<const T> turning, tilt_x, tilt_y;  ///< twice the Earth's rotation about z, x and y
  View2<const T> x_length, y_length, area;
  View1<const T> c1, c2;
  T curvature;  ///< of the Earth [m-1]

  template <class V>
  struct Wind {
    V u, v, w, layer;
  };

  template <class V>
  INLINE Wind<V> wind(int k, int j, std::ptrdiff_t i) const {
    const auto half = [&](const T* one, const T* other) {
      return T(0.5) * (load<V>(one + i) + load<V>(other + i));
    };
    const V column = load<V>(base_mass.row(j) + i) + load<V>(mass.row(j) + i);
    return {half(u.row(k, j), u.row(k, j) + 1), half(v.row(k, j), v.row(k, j + 1)),
            half(w.row(k, j), w.row(k + 1, j)), layer_mass<V>(c1(k), c2(k), column)};
  }

  /// About z times the area, with the curvature of the grid's lines: cells grow along x, or along y
  /// [m2 s-1].
  template <class V>
  INLINE V about_z(const Wind<V>& now, int j, std::ptrdiff_t i) const {
    const V wider = load<V>(y_length.row(j + 1) + i) - load<V>(y_length.row(j) + i);
    const V longer = load<V>(x_length.row(j) + i + 1) - load<V>(x_length.row(j) + i);
    return load<V>(turning.row(j) + i) * load<V>(area.row(j) + i) + now.v * longer - now.u * wider;
  }

  /// Force on all of a cell along x, and along y [Pa m3 s-2].
  template <class V>
  INLINE V eastward(int k, int j, std::ptrdiff_t i) const {
    const auto now = wind<V>(k, j, i);
    const V about_y = load<V>(tilt_y.row(j) + i) + curvature * now.u;
    return now.layer * (about_z<V>(now, j, i) * now.v - about_y * now.w * load<V>(area.row(j) + i));
  }
  template <class V>
  INLINE V northward(int k, int j, std::ptrdiff_t i) const {
    const auto now = wind<V>(k, j, i);
    const V about_x = load<V>(tilt_x.row(j) + i) - curvature * now.v;
    return now.layer * (about_x * now.w * load<V>(area.row(j) + i) - about_z<V>(now, j, i) * now.u);
  }
  /// What a face gets of the forces on its two cells, by their area.
  template <class V>
  INLINE V shared(V force, int j, std::ptrdiff_t i, int dj, int di) const {
    return force / (load<V>(area.row(j) + i) + load<V>(area.row(j - dj) + i - di));
  }
};

}  // namespace air

inline constexpr Reach west_and_east{-1, 1, 0, 0}, west_and_north{-1, 0, 0, 1},
    east_and_south{0, 1, -1, 0}, south_and_north{0, 0, -1, 1};

inline constexpr Contract<14> atmosphere_turn_u_contract{
    "atmosphere_turn_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", west_and_east},
      {"v", Access::read, Place::y_face, "m s-1", "depth", west_and_north},
      {"w", Access::read, Place::center, "m s-1", "depth+1", to_west, Column::whole},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"turning", Access::read, Place::center, "s-1", to_west},
      {"tilt_y", Access::read, Place::center, "s-1", to_west},
      {"x_length", Access::read, Place::x_face, "m", west_and_east},
      {"y_length", Access::read, Place::y_face, "m", west_and_north},
      {"area", Access::read, Place::center, "m2", to_west},
      {"x_open", Access::read, Place::x_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_tendency", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// Add to the tendency of momentum along x what turns it, the mean over two cells.
///
/// By their areas: where these differ, as beside a pole, a plain mean of forces would be too strong
/// (by a third there), and do work.
///
/// @param[in] u, v, w     wind [m s-1]
/// @param[in] mass        of columns, less `base_mass` [Pa]
/// @param[in] turning     2 Omega sin(latitude) [s-1]
/// @param[in] tilt_y      2 Omega cos(latitude) times the cosine between y and north [s-1]
/// @param[in] x_length, y_length, area  of western and southern faces [m], cells [m2]
/// @param[in] x_open      1, 0 at closed faces
/// @param[in,out] u_tendency  [Pa m s-2]
/// @param[in] curvature   of the Earth [m-1]
template <class T>
void atmosphere_turn_u(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                       View2<const T> mass, View2<const T> base_mass, View2<const T> turning,
                       View2<const T> tilt_y, View2<const T> x_length, View2<const T> y_length,
                       View2<const T> area, View2<const T> x_open, View1<const T> c1,
                       View1<const T> c2, View3<T> u_tendency, double curvature) {
  const air::CellTurning<T> cells{
      u,      v,        w,        mass, base_mass, turning, {},
      tilt_y, x_length, y_length, area, c1,        c2,      static_cast<T>(curvature)};
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V force = cells.template eastward<V>(k, j, i) + cells.template eastward<V>(k, j, i - 1);
      const V gain = cells.template shared<V>(force, j, i, 0, 1) * load<V>(x_open.row(j) + i);
      T* to = u_tendency.row(k, j) + i;
      store<V>(to, load<V>(to) + gain);
    });
  });
}

inline constexpr Contract<14> atmosphere_turn_v_contract{
    "atmosphere_turn_v",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", east_and_south},
      {"v", Access::read, Place::y_face, "m s-1", "depth", south_and_north},
      {"w", Access::read, Place::center, "m s-1", "depth+1", to_south, Column::whole},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"turning", Access::read, Place::center, "s-1", to_south},
      {"tilt_x", Access::read, Place::center, "s-1", to_south},
      {"x_length", Access::read, Place::x_face, "m", east_and_south},
      {"y_length", Access::read, Place::y_face, "m", south_and_north},
      {"area", Access::read, Place::center, "m2", to_south},
      {"y_open", Access::read, Place::y_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_tendency", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// The same along y; `tilt_x` is 2 Omega cos(latitude) times the sine of the angle of x against
/// east [s-1].
template <class T>
void atmosphere_turn_v(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                       View2<const T> mass, View2<const T> base_mass, View2<const T> turning,
                       View2<const T> tilt_x, View2<const T> x_length, View2<const T> y_length,
                       View2<const T> area, View2<const T> y_open, View1<const T> c1,
                       View1<const T> c2, View3<T> v_tendency, double curvature) {
  const air::CellTurning<T> cells{
      u,  v,        w,        mass, base_mass, turning, tilt_x,
      {}, x_length, y_length, area, c1,        c2,      static_cast<T>(curvature)};
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V force =
          cells.template northward<V>(k, j, i) + cells.template northward<V>(k, j - 1, i);
      const V gain = cells.template shared<V>(force, j, i, 1, 0) * load<V>(y_open.row(j) + i);
      T* to = v_tendency.row(k, j) + i;
      store<V>(to, load<V>(to) + gain);
    });
  });
}

inline constexpr Contract<10> atmosphere_turn_w_contract{
    "atmosphere_turn_w",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", to_east, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", to_north, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"tilt_x", Access::read, Place::center, "s-1"},
      {"tilt_y", Access::read, Place::center, "s-1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"w_tendency", Access::update, Place::center, "Pa m s-2", "depth+1"}}}};

/// The same upward at interfaces above the ground; arguments as in `atmosphere_turn_u`.
template <class T>
void atmosphere_turn_w(Box box, View3<const T> u, View3<const T> v, View2<const T> mass,
                       View2<const T> base_mass, View2<const T> tilt_x, View2<const T> tilt_y,
                       View1<const T> c1, View1<const T> c2, View1<const T> upper_share,
                       View3<T> w_tendency, double curvature) {
  const int levels = static_cast<int>(u.extent[0]);
  const T bend = static_cast<T>(curvature);
  for_pairs(levels, box.j0, box.j1, 1, [&](int lower, int j) {
    const int k = lower + 1;
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V column = load<V>(base_mass.row(j) + i) + load<V>(mass.row(j) + i);
      const auto upward = [&](int k) {
        const V x = T(0.5) * (load<V>(u.row(k, j) + i) + load<V>(u.row(k, j) + i + 1));
        const V y = T(0.5) * (load<V>(v.row(k, j) + i) + load<V>(v.row(k, j + 1) + i));
        return air::layer_mass<V>(c1(k), c2(k), column) *
               ((load<V>(tilt_y.row(j) + i) + bend * x) * x -
                (load<V>(tilt_x.row(j) + i) - bend * y) * y);
      };
      V force = upward(k - 1);
      if (k < levels) force = air::at_interface<V>(upper_share(k), upward(k), force);
      T* to = w_tendency.row(k, j) + i;
      store<V>(to, load<V>(to) + force);
    });
  });
}

}  // namespace halocline
