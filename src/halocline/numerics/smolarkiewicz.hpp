#pragma once
#include <limits>

#include "contract.hpp"
#include "numerics/tracer_advection.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Advection by donor cells, and a second time by antidiffusive fluxes that take back what the
/// first has diffused (Smolarkiewicz 1983, doi:10.1175/1520-0493(1983)111<0479:ASPDAS>2.0.CO;2;
/// with cross terms: 1984, doi:10.1016/0021-9991(84)90121-9, equation 13). All directions at once;
/// nothing becomes negative, a constant stays constant. Land has volume 0 and holds 0.
namespace halocline {

inline constexpr Contract<7> advect_upstream_contract{
    "advect_upstream",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-1, 1, -1, 1}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth"},
      {"next_volume", Access::read, Place::center, "m3", "depth"},
      {"x_volume_flux", Access::read, Place::x_face, "m3 s-1", "depth", {0, 1, 0, 0}},
      {"y_volume_flux", Access::read, Place::y_face, "m3 s-1", "depth", {0, 0, 0, 1}},
      {"z_volume_flux", Access::read, Place::interface, "m3 s-1", "depth", {}, Column::whole},
      {"new_tracer", Access::write, Place::center, "any", "tracer depth"}}}};

/// Content that a flux carries from the donor cell.
template <class T>
HD INLINE T donated(T flux, T low, T high) {
  return flux > T(0) ? flux * low : flux * high;
}

/// Move tracers by donor cells.
///
/// @param[in]  box            cells to compute
/// @param[in]  tracer         per volume, any unit, shape (tracer, k, j, i); 0 on land
/// @param[in]  volume         of the cells before the step [m3], shape (k, j, i); 0 on land
/// @param[in]  next_volume    after the step [m3]
/// @param[in]  x_volume_flux, y_volume_flux, z_volume_flux  through western, southern and lower
///                            faces [m3 s-1]; 0 on coasts and floors
/// @param[out] new_tracer     after the step
/// @param[in]  dt             step [s]
template <class T>
void advect_upstream(Box box, View4<const T> tracer, View3<const T> volume,
                     View3<const T> next_volume, View3<const T> x_volume_flux,
                     View3<const T> y_volume_flux, View3<const T> z_volume_flux,
                     View4<T> new_tracer, double dt) {
  const T step = static_cast<T>(dt);
  const int levels = static_cast<int>(volume.extent[0]);
  for_cells(box, levels, [=](int k, int j, int i) {
    const T over = reciprocal_or_zero(next_volume(k, j, i));
    const T west = x_volume_flux(k, j, i), east = x_volume_flux(k, j, i + 1);
    const T south = y_volume_flux(k, j, i), north = y_volume_flux(k, j + 1, i);
    const T low = k > 0 ? z_volume_flux(k, j, i) : T(0);
    const T high = k + 1 < levels ? z_volume_flux(k + 1, j, i) : T(0);
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t) {
      const T c = tracer(t, k, j, i);
      const T below = k > 0 ? tracer(t, k - 1, j, i) : T(0);
      const T above = k + 1 < levels ? tracer(t, k + 1, j, i) : T(0);
      const T out =
          (donated(east, c, tracer(t, k, j, i + 1)) - donated(west, tracer(t, k, j, i - 1), c)) +
          (donated(north, c, tracer(t, k, j + 1, i)) - donated(south, tracer(t, k, j - 1, i), c)) +
          (donated(high, c, above) - donated(low, below, c));
      new_tracer(t, k, j, i) = (volume(k, j, i) * c - step * out) * over;
    }
  });
}

/// The six neighbours of a cell: what lies `m` cells further along an axis of a sweep.
struct Offset {
  int k, j, i;
};

/// Antidiffusive flux through the lower face of a cell along one of three axes [m3 s-1].
///
/// (|F| - F^2 dt / V) (c - c') / (c + c')  and, for each other axis with the mean flux G there,
/// -1/2 F G dt / V (s+ - s-) / (s+ + s-)  with sums s of the cells beside both.  At most a sixth of
/// the donor leaves through a face.
///
/// @param volume(k, j, i), tracer(k, j, i)  0 outside of the sea
/// @param flux(axis, k, j, i)  through lower faces along an axis: 0 x, 1 y, 2 z
template <class T, class Volume, class Tracer, class Flux>
HD INLINE T antidiffusive_flux(int axis, int k, int j, int i, T dt, const Volume& volume,
                               const Tracer& tracer, const Flux& flux) {
  constexpr Offset along[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  const Offset a = along[axis];
  const int k0 = k - a.k, j0 = j - a.j, i0 = i - a.i;
  const T low_volume = volume(k0, j0, i0), high_volume = volume(k, j, i);
  if (!(low_volume > T(0) && high_volume > T(0))) return T(0);
  constexpr T tiny = std::numeric_limits<T>::min();
  const T f = flux(axis, k, j, i), low = tracer(k0, j0, i0), high = tracer(k, j, i);
  const T courant = f * dt / (T(0.5) * (low_volume + high_volume));
  T result = (absolute(f) - f * courant) * ((high - low) / (high + low + tiny));
  for (int other = 0; other < 3; ++other) {
    if (other == axis) continue;
    const Offset b = along[other];
    const bool wet = volume(k0 + b.k, j0 + b.j, i0 + b.i) > T(0) &&
                     volume(k0 - b.k, j0 - b.j, i0 - b.i) > T(0) &&
                     volume(k + b.k, j + b.j, i + b.i) > T(0) &&
                     volume(k - b.k, j - b.j, i - b.i) > T(0);
    if (!wet) continue;
    const T across =
        T(0.25) *
        ((flux(other, k0, j0, i0) + flux(other, k, j, i)) +
         (flux(other, k0 + b.k, j0 + b.j, i0 + b.i) + flux(other, k + b.k, j + b.j, i + b.i)));
    const T plus = tracer(k0 + b.k, j0 + b.j, i0 + b.i) + tracer(k + b.k, j + b.j, i + b.i);
    const T minus = tracer(k0 - b.k, j0 - b.j, i0 - b.i) + tracer(k - b.k, j - b.j, i - b.i);
    result -= T(0.5) * courant * across * ((plus - minus) / (plus + minus + tiny));
  }
  const T most = T(1.0 / 6.0) / dt;
  return minimum(maximum(result, -high_volume * most), low_volume * most);
}

inline constexpr Contract<6> advect_corrected_contract{
    "advect_corrected",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-1, 1, -1, 1}, Column::whole},
      {"next_volume", Access::read, Place::center, "m3", "depth", {-1, 1, -1, 1}, Column::whole},
      {"x_volume_flux",
       Access::read,
       Place::x_face,
       "m3 s-1",
       "depth",
       {0, 1, -1, 1},
       Column::whole},
      {"y_volume_flux",
       Access::read,
       Place::y_face,
       "m3 s-1",
       "depth",
       {-1, 1, 0, 1},
       Column::whole},
      {"z_volume_flux",
       Access::read,
       Place::interface,
       "m3 s-1",
       "depth",
       {-1, 1, -1, 1},
       Column::whole},
      {"new_tracer", Access::write, Place::center, "any", "tracer depth"}}}};

/// Move tracers by donor cells with antidiffusive fluxes, after `advect_upstream`; arguments as
/// there, but that volumes are those after the step.
template <class T>
void advect_corrected(Box box, View4<const T> tracer, View3<const T> next_volume,
                      View3<const T> x_volume_flux, View3<const T> y_volume_flux,
                      View3<const T> z_volume_flux, View4<T> new_tracer, double dt) {
  const T step = static_cast<T>(dt);
  const int levels = static_cast<int>(next_volume.extent[0]);
  const auto volume = [=](int k, int j, int i) {
    return k >= 0 && k < levels ? next_volume(k, j, i) : T(0);
  };
  const auto flux = [=](int axis, int k, int j, int i) {
    if (axis == 2) return k > 0 && k < levels ? z_volume_flux(k, j, i) : T(0);
    return axis == 0 ? x_volume_flux(k, j, i) : y_volume_flux(k, j, i);
  };
  for_pairs(static_cast<int>(tracer.extent[0]), box.j0, box.j1, 1, [&](int t, int j) {
    const auto held = [=](int k, int j, int i) {
      return k >= 0 && k < levels ? tracer(t, k, j, i) : T(0);
    };
    const auto content = [&](int axis, int k, int j, int i, Offset low) {
      if (k < 0 || k >= levels) return T(0);
      return donated(antidiffusive_flux(axis, k, j, i, step, volume, held, flux),
                     held(k - low.k, j - low.j, i - low.i), held(k, j, i));
    };
    for (int k = 0; k < levels; ++k)
      for (int i = box.i0; i < box.i1; ++i) {
        const T v = next_volume(k, j, i);
        const T out = (content(0, k, j, i + 1, {0, 0, 1}) - content(0, k, j, i, {0, 0, 1})) +
                      (content(1, k, j + 1, i, {0, 1, 0}) - content(1, k, j, i, {0, 1, 0})) +
                      (content(2, k + 1, j, i, {1, 0, 0}) - content(2, k, j, i, {1, 0, 0}));
        new_tracer(t, k, j, i) = (v * tracer(t, k, j, i) - step * out) * reciprocal_or_zero(v);
      }
  });
}

}  // namespace halocline
