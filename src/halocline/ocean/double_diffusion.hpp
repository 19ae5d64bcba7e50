#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/equation_of_state.hpp"
#include "ocean/stability.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Double diffusion below the boundary layer (Large, McWilliams and Doney 1994, equations 30 to
/// 34): stable water in which heat and salt work against each other mixes both, one more than the
/// other.
namespace halocline {

namespace double_diffusion {
/// Of layers, by laboratory experiments (Marmorino and Caldwell 1976; Fedorov 1988).
inline constexpr double of_heat = 0.909, height = 4.6, steepness = -0.54;
/// Molecular viscosity of sea water [m2 s-1].
inline constexpr double molecular = 1.5e-6;
/// Least density ratio of layers: below it they mix nothing to any precision.
inline constexpr double least_ratio = 1e-2;
}  // namespace double_diffusion

/// What double diffusion adds to the diffusivities of heat and of salt [m2 s-1].
template <class V>
struct DoubleDiffusivities {
  V heat, salt;
};

/// @param[in] warm     how much heavier colder water would be over the difference of temperature
/// [kg m-3], positive where it is warmer above
/// @param[in] salty    how much heavier the water above is by its salinity [kg m-3]
/// @param[in] fingers  diffusivity of salt by fingers at the density ratio 1 [m2 s-1]
/// @param[in] limit    density ratio above which fingers mix nothing [1]
/// @param[in] share    diffusivity of heat by fingers over that of salt [1]
template <class V>
HD INLINE DoubleDiffusivities<V> double_diffusivities(V warm, V salty, scalar_of<V> fingers,
                                                      scalar_of<V> limit, scalar_of<V> share) {
  using T = scalar_of<V>;
  using namespace double_diffusion;
  const V none{}, one = splat<V>(T(1));
  const auto saltier = (salty > none) & (warm > salty) & (warm < limit * salty);
  const auto colder = (salty < none) & (warm < none) & (warm > salty);
  const V ratio = warm / (saltier | colder ? salty : one);
  const V part = minimum(maximum(V((ratio - T(1)) / (limit - T(1))), none), one);
  const V salt = fingers * power<3>(V(T(1) - part * part));
  const V layered = maximum(ratio, splat<V>(T(least_ratio)));
  const V inner = exp(V(T(steepness) * (T(1) / layered - T(1))));
  const V heat = T(molecular * of_heat) * exp(V(T(height) * inner));
  const V less = ratio < T(0.5) ? V(T(0.15) * ratio) : V(T(1.85) * ratio - T(0.85));
  return {saltier  ? V(share * salt)
          : colder ? heat
                   : none,
          saltier  ? salt
          : colder ? V(heat * less)
                   : none};
}

inline constexpr Contract<7> ocean_double_diffusion_contract{
    "ocean_double_diffusion",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      {"boundary_layer_depth", Access::read, Place::center, "m"},
      {"depths", Access::read, Place::none, "m", "depth"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"vertical_diffusivity", Access::update, Place::interface, "m2 s-1", "depth"},
      {"salinity_excess", Access::write, Place::interface, "m2 s-1", "depth"}}}};

/// Add what double diffusion mixes of heat, and find what it mixes more, or less, of salt.
///
/// Water on both sides of an interface is compared with the expansion and contraction that its mean
/// has at the pressure of the lower centre.
///
/// @param[in]     box                   cells to compute
/// @param[in]     tracer                temperature and salinity, shape (tracer, k, j, i)
/// @param[in]     floor_level           the lowest wet level; as many as levels on land
/// @param[in]     boundary_layer_depth  above which nothing is done [m]
/// @param[in]     depths, thickness     of the centres of levels, of levels [m]
/// @param[in,out] vertical_diffusivity  at lower interfaces, of heat afterwards [m2 s-1]
/// @param[out]    salinity_excess       diffusivity of salt less that of heat [m2 s-1]
/// @param[in]     fingers               diffusivity of salt at the density ratio 1 [m2 s-1]
/// @param[in]     limit                 density ratio where fingers end [1]
/// @param[in]     share                 of heat over salt, of fingers [1]
/// @param[in]     numbers               of the equation of state
template <class T>
void ocean_double_diffusion(Box box, View4<const T> tracer, View2<const T> floor_level,
                            View2<const T> boundary_layer_depth, View1<const T> depths,
                            View1<const T> thickness, View3<T> vertical_diffusivity,
                            View3<T> salinity_excess, double fingers, double limit, double share,
                            DensityNumbers numbers) {
  const T most = static_cast<T>(fingers), end = static_cast<T>(limit), of = static_cast<T>(share);
  with_equation<T>(numbers, [&](const auto& make) {
    const auto levels = densities_of(depths, make);
    for_pairs(static_cast<int>(depths.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
      T *heat = vertical_diffusivity.row(k, j), *excess = salinity_excess.row(k, j);
      const int under = k > 0 ? k - 1 : 0;
      const T *above_t = tracer.row(0, k, j), *above_s = tracer.row(1, k, j);
      const T *below_t = tracer.row(0, under, j), *below_s = tracer.row(1, under, j);
      const T interface = depths(k) + T(0.5) * thickness(k);
      const auto density = levels[under];
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto open = (load<V>(floor_level.row(j) + i) < splat<V>(static_cast<T>(k))) &
                          (load<V>(boundary_layer_depth.row(j) + i) < splat<V>(interface));
        const V above[2] = {load<V>(above_t + i), load<V>(above_s + i)};
        const V below[2] = {load<V>(below_t + i), load<V>(below_s + i)};
        if (!any(open)) return store<V>(excess + i, V{});
        const V t = T(0.5) * (above[0] + below[0]), s = T(0.5) * (above[1] + below[1]);
        const V one = splat<V>(T(1)), none{};
        const Dual<V> dense = density(Dual<V>{t, one, none}, Dual<V>{s, none, one});
        const auto found =
            double_diffusivities<V>(dense.by_first * (below[0] - above[0]),
                                    dense.by_second * (above[1] - below[1]), most, end, of);
        store<V>(heat + i, load<V>(heat + i) + (open ? found.heat : none));
        store<V>(excess + i, open ? V(found.salt - found.heat) : none);
      });
    });
  });
}

}  // namespace halocline
