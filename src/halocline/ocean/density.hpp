#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "ocean/equation_of_state.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Density of sea water, the hydrostatic pressure, and mixing where heavy water lies over light.
namespace halocline {

/// The density of every level.
template <class T, class Make>
auto densities_of(View1<const T> depth, const Make& make) {
  std::vector<decltype(make(0.0))> levels;
  for (std::ptrdiff_t k = 0; k < depth.extent[0]; ++k) levels.push_back(make(depth(k)));
  return levels;
}

inline constexpr Contract<6> ocean_density_contract{
    "ocean_density",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"density", Access::write, Place::center, "kg m-3", "depth"}}}};

/// Density less the reference, of temperature and salinity, tracers 0 and 1.
///
/// Of a thin cell it is interpolated between the pressures of its level and of the one above.
///
/// @param[in]  tracer       temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  floor_level  the lowest wet level; as many as levels on land
/// @param[in]  bottom_share of its level that the cell there has [1]
/// @param[in]  thickness    of levels [m]
/// @param[in]  depth        of the centres of levels [m]
/// @param[out] density      [kg m-3], shape (k, j, i); 0 on land
/// @param[in]  numbers      of the equation of state
template <class T>
void ocean_density(Box box, View4<const T> tracer, View2<const T> floor_level,
                   View2<const T> bottom_share, View1<const T> thickness, View1<const T> depth,
                   View3<T> density, DensityNumbers numbers) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int top = static_cast<int>(density.extent[0]) - 1;
  with_equation<T>(numbers, [&](const auto& make) {
    const auto levels = densities_of(depth, make);
    for_pairs(static_cast<int>(density.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
      const T *t = tracer.row(0, k, j), *s = tracer.row(1, k, j);
      const T* floor = floor_level.row(j);
      T* to = density.row(k, j);
      const auto of = levels[k];
      const auto of_above = levels[std::min(k + 1, top)];
      const RowShares<T> cells = bottom.row(k, j);
      const T per_spacing = k < top ? T(1) / (depth(k) - depth(k + 1)) : T(0);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        if (!any(wet)) return store<V>(to + i, V{});
        const V warm = load<V>(t + i), salty = load<V>(s + i), found = of(warm, salty);
        if (cells.template whole<V>(i)) return store<V>(to + i, wet ? found : V{});
        const V rise = cells.template raised<V>(i, thickness(k));
        const V thin = found + rise * per_spacing * (of_above(warm, salty) - found);
        store<V>(to + i, wet ? thin : V{});
      });
    });
  });
}

inline constexpr Contract<9> ocean_pressure_contract{
    "ocean_pressure",
    {{{"old_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"new_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth+1"},
      {"pressure", Access::write, Place::center, "m2 s-2", "depth", {}, Column::whole},
      if_wanted({"pressure_slope", Access::write, Place::center, "m s-2", "depth"})}}};

/// Hydrostatic pressure of the water below the resting surface, over the reference density.
///
/// With outer = 1/4 the density is averaged over three levels in time, which lets steps be twice as
/// long for internal waves (Brown and Campana 1978, Mon. Wea. Rev. 106, 1125).
///
/// @param[in]  floor_level     the lowest wet level; as many as levels on land
/// @param[in]  bottom_share    of its level that the cell there has [1]
/// @param[in]  thickness       of levels [m]
/// @param[in]  spacing         between the centres of levels, of the last from its centre to the
/// surface
/// @param[out] pressure        at the centres of cells [m2 s-2], 0 on land
/// @param[out] pressure_slope  how much it grows with depth there [m s-2]
/// @param[in]  weight          gravity over the reference density [m4 kg-1 s-2]
/// @param[in]  outer           weight of the old and of the new density [1]
template <class T>
void ocean_pressure(Box box, View3<const T> old_density, View3<const T> density,
                    View3<const T> new_density, View2<const T> floor_level,
                    View2<const T> bottom_share, View1<const T> thickness, View1<const T> spacing,
                    View3<T> pressure, View3<T> pressure_slope, double weight, double outer) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int levels = static_cast<int>(density.extent[0]);
  const T side = static_cast<T>(outer), middle = T(1) - T(2) * side, g = static_cast<T>(weight);
  for_rows(box, [&](int j) {
    for (int k = levels - 1; k >= 0; --k) {
      const int up = k < levels - 1 ? k + 1 : k;
      const T *o = old_density.row(k, j), *p = density.row(k, j), *n = new_density.row(k, j);
      const T *ou = old_density.row(up, j), *pu = density.row(up, j), *nu = new_density.row(up, j);
      const T* above = pressure.row(up, j);
      T* to = pressure.row(k, j);
      const T* floor = floor_level.row(j);
      const RowShares<T> cells = bottom.row(k, j);
      const Ahead ahead({next_row(old_density, k, j + 1), next_row(density, k, j + 1),
                         next_row(new_density, k, j + 1), next_row(pressure, k, j + 1)});
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        if (!any(wet)) {
          if (pressure_slope.data) store<V>(pressure_slope.row(k, j) + i, V{});
          return store<V>(to + i, V{});
        }
        const auto mean = [&](const T* a, const T* b, const T* c) {
          return side * (load<V>(a + i) + load<V>(c + i)) + middle * load<V>(b + i);
        };
        const V here = mean(o, p, n);
        if (pressure_slope.data) store<V>(pressure_slope.row(k, j) + i, wet ? V(g * here) : V{});
        if (up == k) {
          store<V>(to + i, wet ? V((g * spacing(levels)) * here) : V{});
        } else {
          const V half = T(0.5) * g * (spacing(up) - cells.template raised<V>(i, thickness(k)));
          const V found = load<V>(above + i) + half * (here + mean(ou, pu, nu));
          store<V>(to + i, wet ? found : V{});
        }
      });
    }
  });
}

inline constexpr Contract<2> ocean_convection_contract{
    "ocean_convection",
    {{{"stability", Access::read, Place::interface, "s-2", "depth"},
      {"vertical_diffusivity", Access::write, Place::interface, "m2 s-1", "depth"}}}};

/// Vertical diffusivity: a background, and a large one where the water above is heavier.
///
/// @param[in]  stability             square of the buoyancy frequency at lower interfaces [s-2]
/// @param[out] vertical_diffusivity  at the lower interfaces [m2 s-1]
template <class T>
void ocean_convection(Box box, View3<const T> stability, View3<T> vertical_diffusivity,
                      double background, double convective) {
  const T weak = static_cast<T>(background), strong = static_cast<T>(convective);
  for_pairs(static_cast<int>(stability.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T* of = stability.row(k, j);
    T* to = vertical_diffusivity.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto overturns = load<V>(of + i) < V{};
      store<V>(to + i, overturns ? splat<V>(strong) : splat<V>(weak));
    });
  });
}

}  // namespace halocline
