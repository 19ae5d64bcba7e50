#pragma once
#include "contract.hpp"
#include "numerics/tracer_advection.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Sinking at a given speed, implicit and upwind: any step, never negative. The floor is closed:
/// what arrives there stays in the lowest cell. The numerical diffusivity is
/// speed * (thickness + speed * dt) / 2 [m2 s-1].
namespace halocline {

/// Tracer of a cell after sinking, from that of the cell above after sinking.
///
/// @param above   speed * interface volume above / volume of the cell [1]
/// @param below   speed * interface volume below / volume of the cell [1]
template <class V>
HD INLINE V sunk(V tracer, V above, V below, V sunk_above) {
  return (tracer + above * sunk_above) / (splat<V>(1) + below);
}

/// Area of an interface times the step, per unit of speed [m2 s]; 0 where either side is land.
template <class T>
HD INLINE T open_interface(T area, T dt, T low_volume, T high_volume) {
  return (low_volume > T(0) && high_volume > T(0)) ? area * dt : T(0);
}

inline constexpr Contract<4> sinking_contract{
    "sinking",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"sinking_speed", Access::read, Place::none, "m s-1", "tracer"}}}};

/// Let tracers sink (plain reference of `transport_tracers`).
///
/// @param[in]     box            cells to compute
/// @param[in,out] tracer         per volume, shape (tracer, k, j, i)
/// @param[in]     volume         of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]     area           of the cells [m2], shape (j, i)
/// @param[in]     sinking_speed  positive down [m s-1], shape (tracer)
/// @param[in]     dt             step [s]
template <class T>
void sinking(Box box, View4<T> tracer, View3<const T> volume, View2<const T> area,
             View1<const T> sinking_speed, double dt) {
  const T step = static_cast<T>(dt);
  const int levels = static_cast<int>(volume.extent[0]);
  for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t) {
    const T speed = sinking_speed(t);
    if (!(speed > T(0))) continue;
    for_rows(box, [=](int j) {
      for (int i = box.i0; i < box.i1; ++i) {
        T interface_above = 0, sunk_above = 0;
        for (int k = levels - 1; k >= 0; --k) {
          const T interface =
              k > 0 ? open_interface(area(j, i), step, volume(k - 1, j, i), volume(k, j, i)) : T(0);
          const T reciprocal = reciprocal_or_zero(volume(k, j, i));
          sunk_above = sunk(tracer(t, k, j, i), speed * (interface_above * reciprocal),
                            speed * (interface * reciprocal), sunk_above);
          tracer(t, k, j, i) = sunk_above;
          interface_above = interface;
        }
      }
    });
  }
}

}  // namespace halocline
