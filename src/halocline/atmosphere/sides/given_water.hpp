#pragma once
#include <cmath>

#include "atmosphere/sides/given_sides.hpp"

/// Water at the sides of a limited area: kinds that are given there are as heat is; of others
/// nothing comes in, and what leaves is what stands inside (Skamarock et al. 2019, NCAR/TN-556,
/// section 6.4). The given kinds are the first ones, vapour before all.
namespace halocline {

inline constexpr Contract<11> atmosphere_draw_water_contract{
    "atmosphere_draw_water",
    {{{"water", Access::read, Place::center, "1", "species depth", cross, Column::whole},
      {"before_water", Access::read, Place::center, "1", "known depth", cross},
      {"after_water", Access::read, Place::center, "1", "known depth", cross},
      {"mass", Access::read, Place::center, "Pa", cross},
      {"base_mass", Access::read, Place::center, "Pa", cross},
      {"before_mass", Access::read, Place::center, "Pa", cross},
      {"after_mass", Access::read, Place::center, "Pa", cross},
      {"drawn", Access::read, Place::center, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"water_forcing", Access::update, Place::center, "Pa s-1", "species depth"}}}};

/// Draw given kinds of water, times dry mass, to those of given values.
///
/// @param[in]     water, mass    at the beginning of the step [1], less `base_mass` [Pa]
/// @param[in]     before_water, after_water, before_mass, after_mass  given values
/// @param[in]     drawn          weight, 0 where nothing is drawn [1]
/// @param[in,out] water_forcing  [Pa s-1]
/// @param[in]     share          of the way from `before` to `after` [1]
/// @param[in]     pull, smoothing  of what is lacking and of its Laplacian per cell [s-1]
/// @param[in]     fresh          whether it is set, not added to
template <class T>
void atmosphere_draw_water(Box box, View4<const T> water, View4<const T> before_water,
                           View4<const T> after_water, View2<const T> mass,
                           View2<const T> base_mass, View2<const T> before_mass,
                           View2<const T> after_mass, View2<const T> drawn, View1<const T> c1,
                           View1<const T> c2, View4<T> water_forcing, double share, double pull,
                           double smoothing, int fresh) {
  const T part = static_cast<T>(share);
  const air::Given<View4<const T>, T> wanted{before_water, after_water, part};
  const air::Given<View2<const T>, T> column{before_mass, after_mass, part};
  const air::Drawing<T> drawing{static_cast<T>(pull), static_cast<T>(smoothing)};
  const int known = static_cast<int>(before_water.extent[0]);
  const int levels = static_cast<int>(water.extent[1]);
  air::along_sides(box, drawn, [&](int j, int a, int b) {
    for (int s = 0; s < known; ++s)
      for (int k = 0; k < levels; ++k)
        over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const auto lacking = [&](int dj, int di) {
            const std::ptrdiff_t at = i + di;
            const V base = load<V>(base_mass.row(j + dj) + at);
            const V then = base + column.template at<V>(j + dj, at);
            const V now = base + load<V>(mass.row(j + dj) + at);
            const V given = wanted.template of<V>(before_water.row(s, k, j + dj) + at,
                                                  after_water.row(s, k, j + dj) + at);
            return V(air::layer_mass<V>(c1(k), c2(k), then) * given -
                     air::layer_mass<V>(c1(k), c2(k), now) * load<V>(water.row(s, k, j + dj) + at));
          };
          V more = drawing.template rate<V>(load<V>(drawn.row(j) + i), lacking);
          if (fresh == 0) more += load<V>(water_forcing.row(s, k, j) + i);
          store<V>(water_forcing.row(s, k, j) + i, more);
        });
  });
}

inline constexpr Contract<10> atmosphere_given_water_contract{
    "atmosphere_given_water",
    {{{"water", Access::read, Place::center, "1", "species depth", three_around},
      {"old_water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"before_water", Access::read, Place::center, "1", "known depth"},
      {"after_water", Access::read, Place::center, "1", "known depth"},
      {"u", Access::read, Place::x_face, "m s-1", "depth", to_east},
      {"v", Access::read, Place::y_face, "m s-1", "depth", to_north},
      {"given", Access::read, Place::center, "1"},
      {"inward_x", Access::read, Place::center, "1"},
      {"inward_y", Access::read, Place::center, "1"},
      {"next_water", Access::update, Place::center, "1", "species depth"}}}};

/// Mixing ratios of given cells at the end of a stage: kinds that are given are on the way of a
/// step from what they were to what is given at its end; of others there is nothing where the wind
/// comes in, and as much as in the nearest cell inside where it leaves.
///
/// @param[in] water      of the stage's state [1]
/// @param[in] old_water  at the beginning of the step [1]
/// @param[in] before_water, after_water  given values [1]
/// @param[in] u, v       at the end of the stage [m s-1]
/// @param[in] given      not 0 in given cells
/// @param[in] inward_x, inward_y  cells to the nearest one inside [1]
/// @param[in,out] next_water  [1]
/// @param[in] share      of the way from `before` to `after` at the end of the step [1]
/// @param[in] elapsed    of the step [1]
template <class T>
void atmosphere_given_water(Box box, View4<const T> water, View4<const T> old_water,
                            View4<const T> before_water, View4<const T> after_water,
                            View3<const T> u, View3<const T> v, View2<const T> given,
                            View2<const T> inward_x, View2<const T> inward_y, View4<T> next_water,
                            double share, double elapsed) {
  const air::Given<View4<const T>, T> wanted{before_water, after_water, static_cast<T>(share)};
  const T done = static_cast<T>(elapsed);
  const int known = static_cast<int>(before_water.extent[0]);
  const int species = static_cast<int>(water.extent[0]);
  const int levels = static_cast<int>(water.extent[1]);
  air::along_sides(box, given, [&](int j, int a, int b) {
    for (int k = 0; k < levels; ++k) {
      for (int s = 0; s < known; ++s)
        over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const V old = load<V>(old_water.row(s, k, j) + i);
          const V then =
              wanted.template of<V>(before_water.row(s, k, j) + i, after_water.row(s, k, j) + i);
          store<V>(next_water.row(s, k, j) + i, old + done * (then - old));
        });
      if (known == species) continue;
      for (int i = a; i < b; ++i) {
        const int dj = static_cast<int>(std::lround(inward_y(j, i)));
        const int di = static_cast<int>(std::lround(inward_x(j, i)));
        const T entering = (u(k, j, i) + u(k, j, i + 1)) * static_cast<T>(di) +
                           (v(k, j, i) + v(k, j + 1, i)) * static_cast<T>(dj);
        for (int s = known; s < species; ++s)
          next_water(s, k, j, i) = entering > T(0) ? T(0) : water(s, k, j + dj, i + di);
      }
    }
  });
}

}  // namespace halocline
