#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// Mixing with constant coefficients, along layers and upward: K times the divergence of rho grad
/// q. Nothing passes ground and top.
namespace halocline {

namespace air {

/// Where the mixed values lie.
enum class Mixed { cells, x_faces, y_faces, interfaces };

/// What mixing brings, by layers or interfaces.
template <class T, Mixed place>
struct Mixing {
  View3<const T> q, full_volume, middle_geopotential, geopotential, base_geopotential;
  Columns<T> columns;
  View2<const T> dx, dy;
  View1<const T> share, rest, depth;  ///< c1, c2 and thickness, or those of interfaces and spacing
  T coefficient;

  /// Of entry k per area and coordinate.
  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const V here = load<V>(q.row(k, j) + i), column = column_at<V>(j, i);
    const auto from = [&](int dj, int di) {
      const V mass = T(0.5) * share(k) * (column + column_at<V>(j + dj, i + di)) + rest(k);
      return mass * (load<V>(q.row(k, j + dj) + i + di) - here);
    };
    const V x = load<V>(dx.row(j) + i), y = load<V>(dy.row(j) + i);
    const V along = (from(0, 1) + from(0, -1)) / (x * x) + (from(1, 0) + from(-1, 0)) / (y * y);
    V upward{};
    if (k + 1 < q.extent[0])
      upward += conductance<V>(k + 1, j, i) * (load<V>(q.row(k + 1, j) + i) - here);
    if (k > 0) upward += conductance<V>(k, j, i) * (load<V>(q.row(k - 1, j) + i) - here);
    return coefficient * (along + upward / depth(k));
  }

 private:
  /// Column mass at the value.
  template <class V>
  INLINE V column_at(int j, std::ptrdiff_t i) const {
    return between<V>(j, i, [&](int j, std::ptrdiff_t i) { return columns.template at<V>(j, i); });
  }
  /// g^2 rho over the geopotential between entries k - 1 and k [Pa m-2].
  template <class V>
  INLINE V conductance(int k, int j, std::ptrdiff_t i) const {
    const T g = static_cast<T>(gravity);
    return between<V>(j, i, [&](int j, std::ptrdiff_t i) {
      const auto full = [&](int k) {
        return load<V>(geopotential.row(k, j) + i) + load<V>(base_geopotential.row(k, j) + i);
      };
      if constexpr (place == Mixed::interfaces) {
        const V volume = load<V>(full_volume.row(k - 1, j) + i);
        return g * g / (volume * (full(k) - full(k - 1)));
      } else {
        const V volume =
            load<V>(full_volume.row(k - 1, j) + i) + load<V>(full_volume.row(k, j) + i);
        const V apart = load<V>(middle_geopotential.row(k, j) + i) -
                        load<V>(middle_geopotential.row(k - 1, j) + i);
        return T(2) * g * g / (volume * apart);
      }
    });
  }
  /// The value of cells, or the mean of the two beside a face.
  template <class V, class Of>
  INLINE V between(int j, std::ptrdiff_t i, const Of& of) const {
    if constexpr (place == Mixed::x_faces) return T(0.5) * (of(j, i - 1) + of(j, i));
    if constexpr (place == Mixed::y_faces) return T(0.5) * (of(j - 1, i) + of(j, i));
    return of(j, i);
  }
};

/// What mixing brings to all entries from `first` on.
template <class T, Mixed place>
void mix(Box box, const Mixing<T, place>& mixing, int first, View3<T> forcing) {
  const int levels = static_cast<int>(mixing.q.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    if (k < first) {
      std::fill(forcing.row(k, j) + box.i0, forcing.row(k, j) + box.i1, T(0));
      return;
    }
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(forcing.row(k, j) + i, mixing.template gain<V>(k, j, i));
    });
  });
}

}  // namespace air

inline constexpr Contract<11> atmosphere_mix_u_contract{
    "atmosphere_mix_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west, Column::whole},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_west,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", {-2, 1, -1, 1}},
      {"base_mass", Access::read, Place::center, "Pa", {-2, 1, -1, 1}},
      {"x_distance", Access::read, Place::x_face, "m"},
      {"x_length", Access::read, Place::x_face, "m"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"u_forcing", Access::write, Place::x_face, "Pa m s-2", "depth"}}}};

/// What mixing does to the wind along x.
///
/// @param[in]  u  [m s-1]
/// @param[in]  full_volume, middle_geopotential  of dry air [m3 kg-1], of middles [m2 s-2]
/// @param[in]  x_distance, x_length  lengths along x and y [m]
/// @param[out] u_forcing  [Pa m s-2]
/// @param[in]  coefficient  [m2 s-1]
template <class T>
void atmosphere_mix_u(Box box, View3<const T> u, View3<const T> full_volume,
                      View3<const T> middle_geopotential, View2<const T> mass,
                      View2<const T> base_mass, View2<const T> x_distance, View2<const T> x_length,
                      View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                      View3<T> u_forcing, double coefficient) {
  const air::Mixing<T, air::Mixed::x_faces> mixing{
      u,          full_volume, middle_geopotential,
      {},         {},          {base_mass, mass},
      x_distance, x_length,    c1,
      c2,         thickness,   static_cast<T>(coefficient)};
  air::mix(box, mixing, 0, u_forcing);
}

inline constexpr Contract<11> atmosphere_mix_v_contract{
    "atmosphere_mix_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_south, Column::whole},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_south,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", {-1, 1, -2, 1}},
      {"base_mass", Access::read, Place::center, "Pa", {-1, 1, -2, 1}},
      {"y_length", Access::read, Place::y_face, "m"},
      {"y_distance", Access::read, Place::y_face, "m"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"v_forcing", Access::write, Place::y_face, "Pa m s-2", "depth"}}}};

/// What mixing does to the wind along y.
///
/// @param[in]  v  [m s-1]
/// @param[in]  full_volume, middle_geopotential  of dry air [m3 kg-1], of middles [m2 s-2]
/// @param[in]  y_length, y_distance  lengths along x and y [m]
/// @param[out] v_forcing  [Pa m s-2]
/// @param[in]  coefficient  [m2 s-1]
template <class T>
void atmosphere_mix_v(Box box, View3<const T> v, View3<const T> full_volume,
                      View3<const T> middle_geopotential, View2<const T> mass,
                      View2<const T> base_mass, View2<const T> y_length, View2<const T> y_distance,
                      View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                      View3<T> v_forcing, double coefficient) {
  const air::Mixing<T, air::Mixed::y_faces> mixing{
      v,        full_volume, middle_geopotential,
      {},       {},          {base_mass, mass},
      y_length, y_distance,  c1,
      c2,       thickness,   static_cast<T>(coefficient)};
  air::mix(box, mixing, 0, v_forcing);
}

inline constexpr Contract<11> atmosphere_mix_theta_contract{
    "atmosphere_mix_theta",
    {{{"theta", Access::read, Place::center, "K", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"theta_forcing", Access::write, Place::center, "Pa K s-1", "depth"}}}};

/// What mixing does to potential temperature.
///
/// @param[in]  theta  [K]
/// @param[in]  full_volume, middle_geopotential  of dry air [m3 kg-1], of middles [m2 s-2]
/// @param[in]  dx, dy  lengths along x and y [m]
/// @param[out] theta_forcing  [Pa K s-1]
/// @param[in]  coefficient  [m2 s-1]
template <class T>
void atmosphere_mix_theta(Box box, View3<const T> theta, View3<const T> full_volume,
                          View3<const T> middle_geopotential, View2<const T> mass,
                          View2<const T> base_mass, View2<const T> dx, View2<const T> dy,
                          View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                          View3<T> theta_forcing, double coefficient) {
  const air::Mixing<T, air::Mixed::cells> mixing{
      theta, full_volume, middle_geopotential,        {}, {}, {base_mass, mass}, dx, dy, c1,
      c2,    thickness,   static_cast<T>(coefficient)};
  air::mix(box, mixing, 0, theta_forcing);
}

inline constexpr Contract<12> atmosphere_mix_w_contract{
    "atmosphere_mix_w",
    {{{"w", Access::read, Place::center, "m s-1", "depth+1", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"w_forcing", Access::write, Place::center, "Pa m s-2", "depth+1"}}}};

/// What mixing does to the upward wind.
///
/// @param[in]  w  [m s-1]
/// @param[in]  full_volume  of dry air [m3 kg-1]
/// @param[in]  dx, dy  lengths along x and y [m]
/// @param[out] w_forcing  [Pa m s-2]
/// @param[in]  coefficient  [m2 s-1]
template <class T>
void atmosphere_mix_w(Box box, View3<const T> w, View3<const T> full_volume,
                      View3<const T> geopotential, View3<const T> base_geopotential,
                      View2<const T> mass, View2<const T> base_mass, View2<const T> dx,
                      View2<const T> dy, View1<const T> c1_face, View1<const T> c2_face,
                      View1<const T> spacing, View3<T> w_forcing, double coefficient) {
  const air::Mixing<T, air::Mixed::interfaces> mixing{
      w,  full_volume, {},      geopotential, base_geopotential, {base_mass, mass},
      dx, dy,          c1_face, c2_face,      spacing,           static_cast<T>(coefficient)};
  air::mix(box, mixing, 1, w_forcing);
}

}  // namespace halocline
