#pragma once
#include "contract.hpp"
#include "numerics/tracer_advection.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Horizontal diffusion of tracers, explicit: Laplacian, dc/dt = div (K grad c), and biharmonic,
/// dc/dt = -K div grad (div grad c).
///
/// Biharmonic fluxes that go up the gradient of the tracer are left out (Xue 2000,
/// doi:10.1175/1520-0493(2000)128<2853:HOMNDA>2.0.CO;2), and one takes at most a fourth of the
/// difference across its face: no new extremes, nothing negative. Waves of two cells are damped
/// where 64 K dt is at most the fourth power of the least distance of cells.
namespace halocline {

inline constexpr Contract<6> diffuse_laplacian_contract{
    "diffuse_laplacian",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-1, 1, -1, 1}},
      {"volume", Access::read, Place::center, "m3", "depth", {-1, 1, -1, 1}},
      {"x_conductance", Access::read, Place::x_face, "m2 s-1", {0, 1, 0, 0}},
      {"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, 0, 1}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"new_tracer", Access::write, Place::center, "any", "tracer depth"}}}};

/// Diffuse tracers; arguments as of `diffuse_biharmonic`, but for
///
/// @param[in]  x_conductance, y_conductance  diffusivity * width of faces / distance of centres
///                                           [m2 s-1], shape (j, i)
template <class T>
void diffuse_laplacian(Box box, View4<const T> tracer, View3<const T> volume,
                       View2<const T> x_conductance, View2<const T> y_conductance,
                       View1<const T> thickness, View4<T> new_tracer, double dt) {
  const T step = static_cast<T>(dt);
  for_cells(box, volume.extent[0], [=](int k, int j, int i) {
    const T amount = thickness(k) * step, here = volume(k, j, i);
    const T over = reciprocal_or_zero(here);
    const T west = exchanged_volume(x_conductance(j, i), amount, volume(k, j, i - 1), here);
    const T east = exchanged_volume(x_conductance(j, i + 1), amount, here, volume(k, j, i + 1));
    const T south = exchanged_volume(y_conductance(j, i), amount, volume(k, j - 1, i), here);
    const T north = exchanged_volume(y_conductance(j + 1, i), amount, here, volume(k, j + 1, i));
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t) {
      const T c = tracer(t, k, j, i);
      const T gain = (east * (tracer(t, k, j, i + 1) - c) - west * (c - tracer(t, k, j, i - 1))) +
                     (north * (tracer(t, k, j + 1, i) - c) - south * (c - tracer(t, k, j - 1, i)));
      new_tracer(t, k, j, i) = c + gain * over;
    }
  });
}

inline constexpr Contract<6> diffuse_biharmonic_contract{
    "diffuse_biharmonic",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-2, 2, -2, 2}},
      {"volume", Access::read, Place::center, "m3", "depth", {-2, 2, -2, 2}},
      {"x_ratio", Access::read, Place::x_face, "1", {-1, 2, -1, 1}},
      {"y_ratio", Access::read, Place::y_face, "1", {-1, 1, -1, 2}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"new_tracer", Access::write, Place::center, "any", "tracer depth"}}}};

/// Diffuse tracers.
///
/// @param[in]  box         cells to compute
/// @param[in]  tracer      per volume, any unit, shape (tracer, k, j, i)
/// @param[in]  volume      of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]  x_ratio     width of western faces over the distance of centres [1], shape (j, i)
/// @param[in]  y_ratio     the same of southern faces
/// @param[in]  thickness   of the levels [m], shape (k)
/// @param[out] new_tracer  after the step
/// @param[in]  dt          step [s]
/// @param[in]  diffusivity  K [m4 s-1]
template <class T>
void diffuse_biharmonic(Box box, View4<const T> tracer, View3<const T> volume,
                        View2<const T> x_ratio, View2<const T> y_ratio, View1<const T> thickness,
                        View4<T> new_tracer, double dt, double diffusivity) {
  const T amount = static_cast<T>(dt * diffusivity);
  const int levels = static_cast<int>(volume.extent[0]);
  for_cells(box, levels, [=](int k, int j, int i) {
    const T dz = thickness(k), held = volume(k, j, i);
    /// Conductance of a lower face [m]: none with land.
    const auto through_x = [=](int j, int i) {
      return exchanged_volume(x_ratio(j, i), dz, volume(k, j, i - 1), volume(k, j, i));
    };
    const auto through_y = [=](int j, int i) {
      return exchanged_volume(y_ratio(j, i), dz, volume(k, j - 1, i), volume(k, j, i));
    };
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t) {
      const auto c = [=](int j, int i) { return tracer(t, k, j, i); };
      const auto laplacian = [=](int j, int i) {
        const T here = c(j, i);
        return ((through_x(j, i + 1) * (c(j, i + 1) - here) -
                 through_x(j, i) * (here - c(j, i - 1))) +
                (through_y(j + 1, i) * (c(j + 1, i) - here) -
                 through_y(j, i) * (here - c(j - 1, i)))) *
               reciprocal_or_zero(volume(k, j, i));
      };
      const T own = laplacian(j, i);
      /// What passes a face to the higher index: never up the gradient, nor too much.
      const auto passed = [=](T conductance, T least, T low, T high, T low_bend, T high_bend) {
        const T flux = amount * conductance * (high_bend - low_bend);
        const T most = T(0.25) * least * (low - high);
        return most > T(0) ? minimum(maximum(flux, T(0)), most)
                           : maximum(minimum(flux, T(0)), most);
      };
      const auto smaller = [=](int j, int i) { return minimum(volume(k, j, i), held); };
      const T here = c(j, i);
      const T west =
          passed(through_x(j, i), smaller(j, i - 1), c(j, i - 1), here, laplacian(j, i - 1), own);
      const T east = passed(through_x(j, i + 1), smaller(j, i + 1), here, c(j, i + 1), own,
                            laplacian(j, i + 1));
      const T south =
          passed(through_y(j, i), smaller(j - 1, i), c(j - 1, i), here, laplacian(j - 1, i), own);
      const T north = passed(through_y(j + 1, i), smaller(j + 1, i), here, c(j + 1, i), own,
                             laplacian(j + 1, i));
      new_tracer(t, k, j, i) = here - ((east - west) + (north - south)) * reciprocal_or_zero(held);
    }
  });
}

}  // namespace halocline
