#pragma once
#include <algorithm>

#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Momentum of waves over the density of water: the volume that Stokes' drift carries past a line
/// of unit length, over the whole depth (momentum_flux.hpp).
namespace halocline::waves {

inline constexpr Contract<5> wave_momentum_contract{
    "wave_momentum",
    {{{"spectrum",
       Access::read,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      {"wavenumber", Access::read, Place::point, "rad m-1", "frequency", {}, Column::whole},
      {"momentum_weight", Access::read, Place::none, "1", "frequency"},
      {"unit_vector", Access::read, Place::none, "1", "2 direction"},
      {"wave_momentum", Access::write, Place::point, "m2 s-1", "2"}}}};

/// Sums over the spectrum of g k / sigma F along east and north.
///
/// @param[in]  spectrum         F [m2 Hz-1 rad-1], shape (component, point)
/// @param[in]  wavenumber       [rad m-1], shape (frequency, point)
/// @param[in]  momentum_weight  g / sigma times the widths of frequencies and directions [m]
/// @param[in]  unit_vector      cosine and sine of directions
/// @param[out] wave_momentum    east and north [m2 s-1]
template <class T>
void wave_momentum(Box box, View2<const T> spectrum, View2<const T> wavenumber,
                   View1<const T> momentum_weight, View2<const T> unit_vector,
                   View2<T> wave_momentum) {
  constexpr std::ptrdiff_t together = 64;
  const int frequencies = static_cast<int>(momentum_weight.extent[0]);
  const int directions = static_cast<int>(unit_vector.extent[1]);
  for_each_in<std::ptrdiff_t>(0, box.points, together, [=](std::ptrdiff_t first) {
    const std::ptrdiff_t count = std::min(together, box.points - first);
    T east[together]{}, north[together]{};
    for (int f = 0; f < frequencies; ++f) {
      T x[together]{}, y[together]{};
      for (int d = 0; d < directions; ++d) {
        const T* density = spectrum.row(f * directions + d) + first;
        const T cosine = unit_vector(0, d), sine = unit_vector(1, d);
        for (std::ptrdiff_t p = 0; p < count; ++p) {
          x[p] += cosine * density[p];
          y[p] += sine * density[p];
        }
      }
      const T* k = wavenumber.row(f) + first;
      for (std::ptrdiff_t p = 0; p < count; ++p) {
        east[p] += momentum_weight(f) * k[p] * x[p];
        north[p] += momentum_weight(f) * k[p] * y[p];
      }
    }
    std::copy(east, east + count, wave_momentum.row(0) + first);
    std::copy(north, north + count, wave_momentum.row(1) + first);
  });
}

}  // namespace halocline::waves
