#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Density of sea water, the hydrostatic pressure, and mixing where heavy water lies over light.
namespace halocline {

/// Density less the reference [kg m-3], linear in temperature [degree C] and salinity [1e-3].
template <class T>
struct LinearDensity {
  T at_reference, expansion, contraction, temperature, salinity;

  template <class V>
  HD INLINE V operator()(V t, V s, T) const {
    return at_reference - expansion * (t - temperature) + contraction * (s - salinity);
  }
};

inline constexpr Contract<3> ocean_density_contract{
    "ocean_density",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"density", Access::write, Place::center, "kg m-3", "depth"}}}};

/// Density less the reference, of temperature and salinity, tracers 0 and 1.
///
/// @param[out] density  [kg m-3], shape (k, j, i)
template <class T>
void ocean_density(Box box, View4<const T> tracer, View1<const T> depth, View3<T> density,
                   double at_reference, double expansion, double contraction, double temperature,
                   double salinity) {
  const LinearDensity<T> of{static_cast<T>(at_reference), static_cast<T>(expansion),
                            static_cast<T>(contraction), static_cast<T>(temperature),
                            static_cast<T>(salinity)};
  for_pairs(static_cast<int>(density.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T *t = tracer.row(0, k, j), *s = tracer.row(1, k, j);
    T* to = density.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, of(load<V>(t + i), load<V>(s + i), depth(k)));
    });
  });
}

inline constexpr Contract<5> ocean_pressure_contract{
    "ocean_pressure",
    {{{"old_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"new_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"spacing", Access::read, Place::none, "m", "depth+1"},
      {"pressure", Access::write, Place::center, "m2 s-2", "depth", {}, Column::whole}}}};

/// Hydrostatic pressure of the water below the resting surface, over the reference density.
///
/// With outer = 1/4 the density is averaged over three levels in time, which lets steps be twice as
/// long for internal waves (Brown and Campana 1978, Mon. Wea. Rev. 106, 1125).
///
/// @param[in]  spacing   between the centres of levels, of the last from its centre to the surface
/// @param[out] pressure  at the centres of levels [m2 s-2]
/// @param[in]  weight    gravity over the reference density [m4 kg-1 s-2]
/// @param[in]  outer     weight of the old and of the new density [1]
template <class T>
void ocean_pressure(Box box, View3<const T> old_density, View3<const T> density,
                    View3<const T> new_density, View1<const T> spacing, View3<T> pressure,
                    double weight, double outer) {
  const int levels = static_cast<int>(density.extent[0]);
  const T side = static_cast<T>(outer), middle = T(1) - T(2) * side, g = static_cast<T>(weight);
  for_rows(box, [&](int j) {
    for (int k = levels - 1; k >= 0; --k) {
      const int up = k < levels - 1 ? k + 1 : k;
      const T *o = old_density.row(k, j), *p = density.row(k, j), *n = new_density.row(k, j);
      const T *ou = old_density.row(up, j), *pu = density.row(up, j), *nu = new_density.row(up, j);
      const T* above = pressure.row(up, j);
      T* to = pressure.row(k, j);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto mean = [&](const T* a, const T* b, const T* c) {
          return side * (load<V>(a + i) + load<V>(c + i)) + middle * load<V>(b + i);
        };
        const V here = mean(o, p, n);
        if (up == k) {
          store<V>(to + i, (g * spacing(levels)) * here);
        } else {
          const T half = T(0.5) * g * spacing(up);
          store<V>(to + i, load<V>(above + i) + half * (here + mean(ou, pu, nu)));
        }
      });
    }
  });
}

inline constexpr Contract<2> ocean_convection_contract{
    "ocean_convection",
    {{{"density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"vertical_diffusivity", Access::write, Place::interface, "m2 s-1", "depth", {},
       Column::whole}}}};

/// Vertical diffusivity: a background, and a large one where the water above is heavier.
///
/// @param[out] vertical_diffusivity  at the lower interfaces [m2 s-1]
template <class T>
void ocean_convection(Box box, View3<const T> density, View3<T> vertical_diffusivity,
                      double background, double convective) {
  const T weak = static_cast<T>(background), strong = static_cast<T>(convective);
  for_pairs(static_cast<int>(density.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T *below = density.row(k > 0 ? k - 1 : k, j), *above = density.row(k, j);
    T* to = vertical_diffusivity.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto heavy = load<V>(above + i) > load<V>(below + i);
      store<V>(to + i, heavy ? splat<V>(strong) : splat<V>(weak));
    });
  });
}

}  // namespace halocline
