#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "ocean/rubbing.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Horizontal viscosity as the divergence of a stress tensor.
///
/// With lengths dx, dy of cells along the lines of the grid the rates of strain are
///
///   tension  D = dy d(u/dy)/dx - dx d(v/dx)/dy,   shear  E = dy d(v/dy)/dx + dx d(u/dx)/dy,
///
/// both 0 in the rotation of a solid body. A cell has four quarters, one for each of its corners,
/// with the differences along the two sides that meet there. Stress is a symmetric matrix of the
/// cell, nowhere negative, times (D, E); the force on a corner is what the dissipated power, a sum
/// over all quarters, changes by with its velocity. So the sum of velocity times force over the sea
/// is minus that power, to round-off, and no pattern of velocity escapes (Griffies and Hallberg
/// 2000, Mon. Wea. Rev. 128, 2935; Smith and McWilliams 2003, Ocean Modelling 5, 129). With one
/// viscosity on squares the force is the Laplacian of five points. The velocity is that of
/// `rubbing.hpp`.
namespace halocline {

/// Differences of a component along the sides of a cell [s-1], over lengths that spread with it.
template <class V>
struct Sides {
  V south, north, west, east;
};

/// Geometry of one row of cells: of corners and sides below (0) and above (1).
template <class T>
struct StrainRows {
  const T *per_dx[2], *per_dy[2], *along_x[2], *along_y;

  StrainRows(View2<const T> of_dx, View2<const T> of_dy, View2<const T> x, View2<const T> y, int j)
      : per_dx{of_dx.row(j), of_dx.row(j + 1)},
        per_dy{of_dy.row(j), of_dy.row(j + 1)},
        along_x{x.row(j), x.row(j + 1)},
        along_y(y.row(j)) {}

  /// Differences of f, given in the rows below and above.
  template <class V>
  HD INLINE Sides<V> of(const T* below, const T* above, std::ptrdiff_t i) const {
    const auto x = [&](const T* f, int row) {
      const T* per = per_dy[row];
      return V(load<V>(along_x[row] + i) *
               (load<V>(f + i + 1) * load<V>(per + i + 1) - load<V>(f + i) * load<V>(per + i)));
    };
    const auto y = [&](std::ptrdiff_t at) {
      return V(load<V>(along_y + at) * (load<V>(above + at) * load<V>(per_dx[1] + at) -
                                        load<V>(below + at) * load<V>(per_dx[0] + at)));
    };
    return {x(below, 0), x(above, 1), y(i), y(i + 1)};
  }
};

inline constexpr Reach around_corner{-1, 1, -1, 1}, four_cells{-1, 0, -1, 0},
    two_cells_south{-1, 0, -1, 1}, two_cells_west{-1, 1, -1, 0}, ahead{0, 1, 0, 1};

inline constexpr Contract<8> ocean_strain_viscosity_contract{
    "ocean_strain_viscosity",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", ahead},
      {"v", Access::read, Place::corner, "m s-1", "depth", ahead},
      {"per_dx", Access::read, Place::corner, "m-1", ahead},
      {"per_dy", Access::read, Place::corner, "m-1", ahead},
      {"along_x", Access::read, Place::y_face, "1", {0, 0, 0, 1}},
      {"along_y", Access::read, Place::x_face, "1", {0, 1, 0, 0}},
      {"squared_length", Access::read, Place::center, "m2"},
      {"strain_viscosity", Access::write, Place::center, "m2 s-1", "depth"}}}};

/// Smagorinsky's viscosity (C L / pi)^2 (D^2 + E^2)^(1/2), of the mean over the quarters of a cell;
/// at most as much as explicit steps bear, L^2 times `most` (Griffies and Hallberg 2000).
///
/// @param[in]  u, v              velocity [m s-1], 0 on land
/// @param[in]  per_dx, per_dy    1 over the lengths of velocity cells [m-1]
/// @param[in]  along_x, along_y  width over length of southern and western sides [1]
/// @param[in]  squared_length    L^2 = 2 / (1 / dx^2 + 1 / dy^2) [m2]
/// @param[out] strain_viscosity  [m2 s-1]
/// @param[in]  strength          (C / pi)^2 [1]
/// @param[in]  most              [s-1]
template <class T>
void ocean_strain_viscosity(Box box, View3<const T> u, View3<const T> v, View2<const T> per_dx,
                            View2<const T> per_dy, View2<const T> along_x, View2<const T> along_y,
                            View2<const T> squared_length, View3<T> strain_viscosity,
                            double strength, double most) {
  const T factor = static_cast<T>(strength), bound = static_cast<T>(most);
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const StrainRows<T> rows(per_dx, per_dy, along_x, along_y, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const Sides<V> a = rows.template of<V>(u.row(k, j), u.row(k, j + 1), i);
      const Sides<V> b = rows.template of<V>(v.row(k, j), v.row(k, j + 1), i);
      const auto quarter = [](V ux, V uy, V vx, V vy) {
        const V tension = ux - vy, shear = vx + uy;
        return V(tension * tension + shear * shear);
      };
      const V square =
          (quarter(a.south, a.west, b.south, b.west) + quarter(a.south, a.east, b.south, b.east)) +
          (quarter(a.north, a.west, b.north, b.west) + quarter(a.north, a.east, b.north, b.east));
      const V rate = minimum(V(factor * square_root(V(T(0.25) * square))), splat<V>(bound));
      store<V>(strain_viscosity.row(k, j) + i, load<V>(squared_length.row(j) + i) * rate);
    });
  });
}

template <class T>
struct ViscousFields {
  View3<const T> u, v, now_u, now_v;
  View2<const T> per_dx, per_dy, along_x, along_y, area, squared_length;
  BottomCells<T> corners;
  View2<const T> viscosity_along, viscosity_across, axis_x, axis_y;
  View3<const T> strain_viscosity;
  View3<T> force_x, force_y;
};

template <class T>
struct ViscousNumbers {
  T factor, share;
  bool twice;
};

/// Forces on rows of corners, one after the other from south to north: each row of cells is worked
/// out once and pulls at the corners of both its sides.
template <class T>
class ViscousRows {
 public:
  ViscousRows(const ViscousFields<T>& fields, const ViscousNumbers<T>& numbers,
              std::ptrdiff_t width)
      : f_(fields),
        n_(numbers),
        pitch_(width + 34),
        scratch_(static_cast<std::size_t>(pitch_) * 20) {}

  /// The lowest level where a corner of the tile is wet.
  int lowest(int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) const {
    T found = *(f_.corners.floor_level.row(j0) + i0);
    for (int j = j0; j < j1; ++j) {
      const T* floor = f_.corners.floor_level.row(j);
      found = std::min(found, *std::min_element(floor + i0, floor + i1));
    }
    return static_cast<int>(found);
  }

  void dry(int k, int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) const {
    for (int j = j0; j < j1; ++j)
      for (T* row : {f_.force_x.row(k, j), f_.force_y.row(k, j)})
        std::fill(row + i0, row + i1, T(0));
  }
  void rows(int k, int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    mix(k, j0 - 1, i0, i1);
    for (int j = j0 - 1; j < j1; ++j) {
      mix(k, j + 1, i0, i1);
      cells(k, j, i0, i1);
      if (j < j0) continue;
      forces(k, j, i0, i1);
    }
  }

 private:
  /// Stress times area of the quarters along a side of cells, tension and shear.
  enum Side { south, north, west, east };
  T* pull(int j, Side side, bool shear, std::ptrdiff_t i0) {
    const int row = 8 * (j & 1) + 2 * side + (shear ? 1 : 0);
    return scratch_.data() + 16 + row * pitch_ - (i0 - 1);
  }

  /// Row j of the velocity that rubs: as it is given, or a mixture of two levels in scratch.
  struct Flow {
    const T *u, *v;
  };
  T* mixed(int j, int component, std::ptrdiff_t i0) {
    return scratch_.data() + 16 + (16 + 2 * (j & 1) + component) * pitch_ - (i0 - 1);
  }
  Flow flow(int k, int j, std::ptrdiff_t i0) {
    if (f_.now_u.data) return {mixed(j, 0, i0), mixed(j, 1, i0)};
    return {f_.u.row(k, j), f_.v.row(k, j)};
  }
  void mix(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    if (!f_.now_u.data) return;
    const T *old_u = f_.u.row(k, j), *now_u = f_.now_u.row(k, j);
    const T *old_v = f_.v.row(k, j), *now_v = f_.now_v.row(k, j);
    T *to_u = mixed(j, 0, i0), *to_v = mixed(j, 1, i0);
    const Ahead ahead({next_row(f_.u, k, j + 2), next_row(f_.v, k, j + 2),
                       next_row(f_.now_u, k, j + 2), next_row(f_.now_v, k, j + 2)});
    over_row<T>(i0 - 1, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      ahead.fetch(i);
      store<V>(to_u + i, rubbing(load<V>(old_u + i), load<V>(now_u + i)));
      store<V>(to_v + i, rubbing(load<V>(old_v + i), load<V>(now_v + i)));
    });
  }

  /// A symmetric matrix of stress over strain, times a quarter of the area of the cell.
  template <class V>
  struct Stiffness {
    V tension, mixed, shear;
  };
  /// Rows of what the stiffness of cells is made of.
  struct StiffnessRows {
    const T *along, *across, *axis_x, *axis_y, *area, *squared_length, *strained;

    StiffnessRows(const ViscousFields<T>& f, int k, int j)
        : along(f.viscosity_along.row(j)),
          across(f.viscosity_across.row(j)),
          axis_x(f.axis_x.row(j)),
          axis_y(f.axis_y.row(j)),
          area(f.area.row(j)),
          squared_length(f.squared_length.row(j)),
          strained(f.strain_viscosity.data ? f.strain_viscosity.row(k, j) : nullptr) {}
  };
  /// @param[in] height  of the stress, a share of the level [1]
  template <class V>
  INLINE Stiffness<V> stiffness(const StiffnessRows& of, V height, std::ptrdiff_t i) const {
    V along = load<V>(of.along + i), across = load<V>(of.across + i);
    if (of.strained) {
      const V found = load<V>(of.strained + i);
      const V squared = T(0.125) * load<V>(of.squared_length + i) * found;
      const V strained = n_.twice ? square_root(squared) : found;
      along = maximum(along, strained);
      across = maximum(across, V(n_.share * strained));
    }
    const V x = load<V>(of.axis_x + i), y = load<V>(of.axis_y + i);
    const V quarter = T(0.25) * load<V>(of.area + i) * height;
    return {quarter * (along * (x * x) + across * (y * y)), quarter * ((along - across) * (x * y)),
            quarter * (along * (y * y) + across * (x * x))};
  }

  /// The least share of its level that a corner of the cell has [1]: no stress is higher than any.
  template <class V>
  static INLINE V shared(const RowShares<T>& south, const RowShares<T>& north, std::ptrdiff_t i) {
    return minimum(minimum(south.template at<V>(i), south.template at<V>(i + 1)),
                   minimum(north.template at<V>(i), north.template at<V>(i + 1)));
  }

  /// What the cells of row j pull, from the one west of corner i0 on.
  FLAT void cells(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const StrainRows<T> rows(f_.per_dx, f_.per_dy, f_.along_x, f_.along_y, j);
    const Flow below = flow(k, j, i0), above = flow(k, j + 1, i0);
    const T *south_of = f_.corners.floor_level.row(j),
            *north_of = f_.corners.floor_level.row(j + 1);
    T* to[4][2];
    for (Side side : {south, north, west, east})
      for (bool shear : {false, true}) to[side][shear] = pull(j, side, shear, i0);
    const StiffnessRows planes(f_, k, j);
    const RowShares<T> shares_south = f_.corners.row(k, j), shares_north = f_.corners.row(k, j + 1);
    over_row<T>(i0 - 1, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto least = [&](const T* floor) {
        return minimum(load<V>(floor + i), load<V>(floor + i + 1));
      };
      if (!any(minimum(least(south_of), least(north_of)) <= splat<V>(static_cast<T>(k)))) {
        for (const auto& rows : to)
          for (T* row : rows) store<V>(row + i, V{});
        return;
      }
      const Sides<V> u = rows.template of<V>(below.u, above.u, i);
      const Sides<V> v = rows.template of<V>(below.v, above.v, i);
      const Stiffness<V> m = stiffness<V>(planes, shared<V>(shares_south, shares_north, i), i);
      const auto put = [&](Side side, const T* spread, V tension, V shear) {
        const V of = load<V>(spread);
        store<V>(to[side][0] + i, of * (m.tension * tension + m.mixed * shear));
        store<V>(to[side][1] + i, of * (m.mixed * tension + m.shear * shear));
      };
      const V ux = u.south + u.north, uy = u.west + u.east;
      const V vx = v.south + v.north, vy = v.west + v.east;
      put(south, rows.along_x[0] + i, T(2) * u.south - vy, T(2) * v.south + uy);
      put(north, rows.along_x[1] + i, T(2) * u.north - vy, T(2) * v.north + uy);
      put(west, rows.along_y + i, ux - T(2) * v.west, vx + T(2) * u.west);
      put(east, rows.along_y + i + 1, ux - T(2) * v.east, vx + T(2) * u.east);
    });
  }

  /// What the cells of rows j - 1 and j pull together.
  FLAT void forces(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const RowShares<T> shares = f_.corners.row(k, j);
    const T* floor = f_.corners.floor_level.row(j);
    const T *of_dx = f_.per_dx.row(j), *of_dy = f_.per_dy.row(j);
    const T* from[2][4][2];
    for (int row : {0, 1})
      for (Side side : {south, north, west, east})
        for (bool shear : {false, true})
          from[row][side][shear] = pull(j - 1 + row, side, shear, i0);
    T *to_x = f_.force_x.row(k, j), *to_y = f_.force_y.row(k, j);
    const Ahead ahead({next_row(f_.force_x, k, j + 2), next_row(f_.force_y, k, j + 2)});
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      ahead.fetch(i);
      const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
      if (!any(wet)) {
        store<V>(to_x + i, V{});
        return store<V>(to_y + i, V{});
      }
      const auto eastward = [&](bool shear) {
        const auto side = [&](std::ptrdiff_t at) {
          return V(load<V>(from[0][north][shear] + at) + load<V>(from[1][south][shear] + at));
        };
        return V(side(i) - side(i - 1));
      };
      const auto northward = [&](bool shear) {
        const auto side = [&](int row) {
          return V(load<V>(from[row][west][shear] + i) + load<V>(from[row][east][shear] + i - 1));
        };
        return V(side(1) - side(0));
      };
      const V per_x = load<V>(of_dx + i), per_y = load<V>(of_dy + i);
      const V whole = n_.factor * (per_x * per_y);
      const V per_area = shares.template whole<V>(i) ? whole : V(whole / shares.template at<V>(i));
      const V x = per_area * (per_y * eastward(false) + per_x * northward(true));
      const V y = per_area * (per_y * eastward(true) - per_x * northward(false));
      store<V>(to_x + i, wet ? x : V{});
      store<V>(to_y + i, wet ? y : V{});
    });
  }

  ViscousFields<T> f_;
  ViscousNumbers<T> n_;
  std::ptrdiff_t pitch_;
  std::vector<T> scratch_;
};

/// The contract of a pass over what has these units.
constexpr Contract<19> viscous_contract(std::string_view name, std::string_view units) {
  return {
      name,
      {{{"u", Access::read, Place::corner, units, "depth", around_corner},
        {"v", Access::read, Place::corner, units, "depth", around_corner},
        if_wanted({"now_u", Access::read, Place::corner, units, "depth", around_corner}),
        if_wanted({"now_v", Access::read, Place::corner, units, "depth", around_corner}),
        {"per_dx", Access::read, Place::corner, "m-1", around_corner},
        {"per_dy", Access::read, Place::corner, "m-1", around_corner},
        {"along_x", Access::read, Place::y_face, "1", two_cells_south},
        {"along_y", Access::read, Place::x_face, "1", two_cells_west},
        {"area", Access::read, Place::center, "m2", four_cells},
        {"squared_length", Access::read, Place::center, "m2", four_cells},
        {"corner_floor", Access::read, Place::corner, "1", around_corner},
        if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", around_corner}),
        {"viscosity_along", Access::read, Place::center, "m2 s-1", four_cells},
        {"viscosity_across", Access::read, Place::center, "m2 s-1", four_cells},
        {"axis_x", Access::read, Place::center, "1", four_cells},
        {"axis_y", Access::read, Place::center, "1", four_cells},
        if_wanted({"strain_viscosity", Access::read, Place::center, "m2 s-1", "depth", four_cells}),
        {"force_x", Access::write, Place::corner, "m s-2", "depth"},
        {"force_y", Access::write, Place::corner, "m s-2", "depth"}}}};
}
inline constexpr Contract<19> ocean_viscous_contract = viscous_contract("ocean_viscous", "m s-1"),
                              ocean_viscous_again_contract =
                                  viscous_contract("ocean_viscous_again", "m s-2");

/// The force of viscosity per mass; twice in a row, the second time on what the first one gave and
/// with factor -1 s, the biharmonic one, whose viscosities are (B / 1 s)^(1/2), B in m4 s-1.
///
/// In axes along and across a direction stress is `along` times tension and `across` times shear.
///
/// @param[in]  box               corners to compute
/// @param[in]  u, v              old velocity, or what the first pass gave; 0 on land
/// @param[in]  now_u, now_v      present velocity, of the first pass
/// @param[in]  per_dx, per_dy    1 over the lengths of velocity cells [m-1]
/// @param[in]  along_x, along_y  width over length of southern and western sides of cells [1]
/// @param[in]  area              of cells [m2]
/// @param[in]  squared_length    L^2 = 2 / (1 / dx^2 + 1 / dy^2) [m2]
/// @param[in]  corner_floor      the lowest wet level; as many as levels on land
/// @param[in]  corner_bottom_share  of its level that the velocity cell there has [1]
/// @param[in]  viscosity_along, viscosity_across  least ones [m2 s-1]
/// @param[in]  axis_x, axis_y    cosine and sine of twice the angle of the direction to x [1]
/// @param[in]  strain_viscosity  A, taken where it is more [m2 s-1]; `twice`: (A L^2 / 8 s)^(1/2)
/// @param[out] force_x, force_y  [m s-2]
/// @param[in]  factor            of the force [1, of the second pass s]
/// @param[in]  share             of `strain_viscosity` across the direction [1]
/// @param[in]  twice             whether viscosities are those of the biharmonic force
/// @param[in]  width             most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_viscous(Box box, View3<const T> u, View3<const T> v, View3<const T> now_u,
                   View3<const T> now_v, View2<const T> per_dx, View2<const T> per_dy,
                   View2<const T> along_x, View2<const T> along_y, View2<const T> area,
                   View2<const T> squared_length, View2<const T> corner_floor,
                   View2<const T> corner_bottom_share, View2<const T> viscosity_along,
                   View2<const T> viscosity_across, View2<const T> axis_x, View2<const T> axis_y,
                   View3<const T> strain_viscosity, View3<T> force_x, View3<T> force_y,
                   double factor, double share, bool twice, int width) {
  const ViscousFields<T> fields{u,
                                v,
                                now_u,
                                now_v,
                                per_dx,
                                per_dy,
                                along_x,
                                along_y,
                                area,
                                squared_length,
                                BottomCells<T>{corner_floor, corner_bottom_share},
                                viscosity_along,
                                viscosity_across,
                                axis_x,
                                axis_y,
                                strain_viscosity,
                                force_x,
                                force_y};
  const ViscousNumbers<T> numbers{static_cast<T>(factor), static_cast<T>(share), twice};
  constexpr int strip = 8;
  for_each_in_with(
      box.j0, box.j1, strip, [&] { return ViscousRows<T>(fields, numbers, width + 2); },
      [&](int j0, ViscousRows<T>& some) {
        const int j1 = std::min(j0 + strip, box.j1);
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += width) {
          const std::ptrdiff_t i1 = std::min<std::ptrdiff_t>(i0 + width, box.i1);
          const int lowest = some.lowest(j0, j1, i0, i1);
          for (int k = 0; k < static_cast<int>(u.extent[0]); ++k)
            k < lowest ? some.dry(k, j0, j1, i0, i1) : some.rows(k, j0, j1, i0, i1);
        }
      });
}

}  // namespace halocline
