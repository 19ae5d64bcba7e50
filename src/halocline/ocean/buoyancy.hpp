#pragma once
#include <functional>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/dual.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/density.hpp"
#include "ocean/equation_of_state.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What a boundary layer asks of the equation of state: how much heavier water is than that of the
/// surface, and the buoyancy that the surface takes.
namespace halocline {

/// Sets in columns [begin, end) of row j by how much water of the uppermost level would be more
/// buoyant at level k than what is there [m s-2].
template <class T>
using DeficitOfRow =
    std::function<void(int k, int j, std::ptrdiff_t begin, std::ptrdiff_t end, T* deficit)>;

/// @param[in] tracer   temperature and salinity, shape (tracer, k, j, i)
/// @param[in] depth    of the centres of levels [m]
/// @param[in] gravity  [m s-2]
/// @param[in] numbers  of the equation of state
template <class T>
DeficitOfRow<T> deficit_of_row(View4<const T> tracer, View1<const T> depth, double gravity,
                               const DensityNumbers& numbers) {
  const T weight = static_cast<T>(gravity / numbers.reference);
  const std::ptrdiff_t top = depth.extent[0] - 1;
  DeficitOfRow<T> made;
  with_equation<T>(numbers, [&](const auto& make) {
    made = [tracer, weight, top, levels = densities_of(depth, make)](
               int k, int j, std::ptrdiff_t begin, std::ptrdiff_t end, T* deficit) {
      const T *t = tracer.row(0, top, j), *here_t = tracer.row(0, k, j);
      const T *s = tracer.row(1, top, j), *here_s = tracer.row(1, k, j);
      const auto& of = levels[k];
      over_row<T>(begin, end, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V here = of(load<V>(here_t + i), load<V>(here_s + i));
        const V surface = of(load<V>(t + i), load<V>(s + i));
        store<V>(deficit + i, weight * (here - surface));
      });
    };
  });
  return made;
}

inline constexpr Contract<10> ocean_surface_forcing_contract{
    "ocean_surface_forcing",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"stress_x", Access::read, Place::corner, "m2 s-2", {0, 1, 0, 1}},
      {"stress_y", Access::read, Place::corner, "m2 s-2", {0, 1, 0, 1}},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"surface_flux", Access::read, Place::center, "any", "tracer"},
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"friction_velocity", Access::write, Place::center, "m s-1"},
      {"buoyancy_flux", Access::write, Place::center, "m2 s-3"},
      {"light_flux", Access::write, Place::center, "m2 s-3"}}}};

/// Friction velocity, the mean of those of the corners, and the buoyancy that the surface takes.
///
/// Rain brings water without heat or salt of its own: it acts as a loss of what is diluted.
///
/// @param[in]  tracer              temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  depth               of the centres of levels [m]
/// @param[in]  stress_x, stress_y  of the wind over the reference density [m2 s-2]
/// @param[in]  water_flux          volume of rain and rivers per area [m s-1]
/// @param[in]  surface_flux        downward, of tracers per area [m s-1 times their units]
/// @param[in]  short_wave          that enters the water, downward [W m-2]
/// @param[out] friction_velocity   [m s-1]
/// @param[out] buoyancy_flux       downward: positive where it steadies the water [m2 s-3]
/// @param[out] light_flux          the same of the short wave, which is not in `surface_flux` [m2
/// s-3]
/// @param[in]  gravity             [m s-2]
/// @param[in]  per_capacity        1 / (density times heat capacity) [K m3 J-1]
/// @param[in]  numbers             of the equation of state
template <class T>
void ocean_surface_forcing(Box box, View4<const T> tracer, View1<const T> depth,
                           View2<const T> stress_x, View2<const T> stress_y,
                           View2<const T> water_flux, View3<const T> surface_flux,
                           View2<const T> short_wave, View2<T> friction_velocity,
                           View2<T> buoyancy_flux, View2<T> light_flux, double gravity,
                           double per_capacity, DensityNumbers numbers) {
  const T weight = static_cast<T>(gravity / numbers.reference),
          warmer = static_cast<T>(per_capacity);
  const auto top = tracer.extent[1] - 1;
  with_equation<T>(numbers, [&](const auto& make) {
    const auto of = make(depth(top));
    for_rows(box, [&](int j) {
      const T *t = tracer.row(0, top, j), *s = tracer.row(1, top, j);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto corner = [&](int dj, int di) {
          const V x = load<V>(stress_x.row(j + dj) + i + di);
          const V y = load<V>(stress_y.row(j + dj) + i + di);
          return square_root(square_root(x * x + y * y));
        };
        const V south = corner(0, 0) + corner(0, 1), north = corner(1, 0) + corner(1, 1);
        store<V>(friction_velocity.row(j) + i, T(0.25) * (south + north));
        const V warmth = load<V>(t + i), salt = load<V>(s + i),
                rain = load<V>(water_flux.row(j) + i);
        const V one = splat<V>(T(1)), none{};
        const Dual<V> density = of(Dual<V>{warmth, one, none}, Dual<V>{salt, none, one});
        const V heavier = density.by_first * (load<V>(surface_flux.row(0, j) + i) - rain * warmth) +
                          density.by_second * (load<V>(surface_flux.row(1, j) + i) - rain * salt);
        store<V>(buoyancy_flux.row(j) + i, -weight * heavier);
        const V warming = warmer * load<V>(short_wave.row(j) + i);
        store<V>(light_flux.row(j) + i, -weight * (density.by_first * warming));
      });
    });
  });
}

}  // namespace halocline
