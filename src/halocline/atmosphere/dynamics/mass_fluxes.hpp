#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// Dry mass that the wind carries through the faces of cells.
namespace halocline {

inline constexpr Reach to_east{0, 1, 0, 0}, to_north{0, 0, 0, 1}, to_west{-1, 0, 0, 0},
    to_south{0, 0, -1, 0}, to_west_and_south{-1, 0, -1, 0}, around{-1, 1, -1, 1};

inline constexpr Contract<10> atmosphere_mass_fluxes_contract{
    "atmosphere_mass_fluxes",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth"},
      {"v", Access::read, Place::y_face, "m s-1", "depth"},
      {"mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"base_mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"x_length", Access::read, Place::x_face, "m"},
      {"y_length", Access::read, Place::y_face, "m"},
      {"x_flux", Access::write, Place::x_face, "Pa m2 s-1", "depth"},
      {"y_flux", Access::write, Place::y_face, "Pa m2 s-1", "depth"}}}};

/// Mass fluxes eastward and northward, per unit of the coordinate.
///
/// @param[in]  u, v   wind [m s-1]
/// @param[in]  mass   of columns, less `base_mass` [Pa]
/// @param[in]  x_length, y_length  of western and southern faces [m]
/// @param[out] x_flux, y_flux  [Pa m2 s-1]
template <class T>
void atmosphere_mass_fluxes(Box box, View3<const T> u, View3<const T> v, View2<const T> mass,
                            View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                            View2<const T> x_length, View2<const T> y_length, View3<T> x_flux,
                            View3<T> y_flux) {
  const air::Columns<T> columns{base_mass, mass};
  const int levels = static_cast<int>(u.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    const T half = T(0.5) * c1(k), rest = c2(k);
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V x = half * columns.template two<V>(j, i, 0, 1) + rest;
      const V y = half * columns.template two<V>(j, i, 1, 0) + rest;
      air::put<V>(x_flux.row(k, j) + i,
                  x * load<V>(x_length.row(j) + i) * load<V>(u.row(k, j) + i));
      air::put<V>(y_flux.row(k, j) + i,
                  y * load<V>(y_length.row(j) + i) * load<V>(v.row(k, j) + i));
    });
  });
}

inline constexpr Contract<7> atmosphere_rise_contract{
    "atmosphere_rise",
    {{{"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east, Column::whole},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"rise", Access::write, Place::center, "Pa s-1", "depth+1"},
      {"mass_tendency", Access::write, Place::center, "Pa s-1"}}}};

/// What the mass of columns gains, and what then rises through interfaces; none through ground and
/// top.
///
/// @param[in]  x_flux, y_flux  [Pa m2 s-1]
/// @param[in]  c1              share of layers in a change of the column's mass [1]
/// @param[in]  thickness       of layers in the coordinate [1]
/// @param[out] rise            mass through interfaces, upward [Pa s-1]
/// @param[out] mass_tendency   of columns [Pa s-1]
template <class T>
void atmosphere_rise(Box box, View3<const T> x_flux, View3<const T> y_flux, View2<const T> area,
                     View1<const T> c1, View1<const T> thickness, View3<T> rise,
                     View2<T> mass_tendency) {
  const int levels = static_cast<int>(x_flux.extent[0]);
  for_rows(box, [&](int j) {
    T* gain = mass_tendency.row(j);
    std::fill(gain + box.i0, gain + box.i1, T(0));
    std::fill(rise.row(0, j) + box.i0, rise.row(0, j) + box.i1, T(0));
    for (int k = 0; k < levels; ++k)
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
        const T *x = x_flux.row(k, j) + i, *y = y_flux.row(k, j) + i;
        const V out = (load<V>(x + 1) - load<V>(x)) + (load<V>(y + y_flux.stride[1]) - load<V>(y));
        const V lost = thickness(k) * (out / load<V>(area.row(j) + i));
        air::put<V>(rise.row(k + 1, j) + i, lost);
        air::put<V>(gain + i, load<V>(gain + i) - lost);
      });
    for (int k = 0; k < levels; ++k) {
      const T share = thickness(k) * c1(k);
      T *below = rise.row(k, j), *above = rise.row(k + 1, j);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
        const V kept = load<V>(above + i) + share * load<V>(gain + i);
        air::put<V>(above + i, k + 1 < levels ? load<V>(below + i) - kept : V{});
      });
    }
  });
}

}  // namespace halocline
