#pragma once
#include <vector>

#include "contract.hpp"
#include "numerics/sinking.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Implicit vertical diffusion: one tridiagonal system per column, no flux through surface, floor
/// and land. The matrix is the same for all tracers and an M-matrix: no new extremes, any step.
///
/// (1 + a + b) x[k] - a x[k-1] - b x[k+1] = c[k], a and b the conductances of the interfaces below
/// and above over the volume. Elimination runs downward: x[k] = y[k] + below[k] x[k-1], with
/// y[k] = pivot[k] c[k] + above[k] y[k+1] (Thomas algorithm).
namespace halocline {

template <class T>
struct Elimination {
  T pivot, above, below;
};

/// Elimination of one level.
///
/// @param conductance_below, conductance_above  volumes exchanged through the interfaces [m3]
/// @param reciprocal   1 / volume of the cell [m-3]
/// @param next_below   `below` of the level above; 0 at the surface
template <class T>
HD INLINE Elimination<T> eliminate(T conductance_below, T conductance_above, T reciprocal,
                                   T next_below) {
  const T a = conductance_below * reciprocal;
  const T b = conductance_above * reciprocal;
  const T pivot = T(1) / (T(1) + a + b * (T(1) - next_below));
  return {pivot, b * pivot, a * pivot};
}

inline constexpr Contract<5> vertical_diffusion_contract{
    "vertical_diffusion",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"vertical_diffusivity",
       Access::read,
       Place::interface,
       "m2 s-1",
       "depth",
       {},
       Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"spacing", Access::read, Place::none, "m", "depth"}}}};

/// Diffuse tracers vertically (plain reference of `transport_tracers`).
///
/// @param[in]     box                   cells to compute
/// @param[in,out] tracer                per volume, shape (tracer, k, j, i)
/// @param[in]     volume                of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]     vertical_diffusivity  at the lower interfaces [m2 s-1], shape (k, j, i)
/// @param[in]     area                  of the cells [m2], shape (j, i)
/// @param[in]     spacing               from the centre of k - 1 to that of k [m], shape (k)
/// @param[in]     dt                    step [s]
template <class T>
void vertical_diffusion(Box box, View4<T> tracer, View3<const T> volume,
                        View3<const T> vertical_diffusivity, View2<const T> area,
                        View1<const T> spacing, double dt) {
  const T step = static_cast<T>(dt);
  const int levels = static_cast<int>(volume.extent[0]);
  const auto make = [=] { return std::vector<Elimination<T>>(levels); };
  for_each_in_with(box.j0, box.j1, 1, make, [=](int j, std::vector<Elimination<T>>& column) {
    for (int i = box.i0; i < box.i1; ++i) {
      T conductance_above = 0, next_below = 0;
      for (int k = levels - 1; k >= 0; --k) {
        const T conductance =
            k > 0 ? open_interface(area(j, i), step, volume(k - 1, j, i), volume(k, j, i)) *
                        (vertical_diffusivity(k, j, i) * (T(1) / spacing(k)))
                  : T(0);
        column[k] = eliminate(conductance, conductance_above, reciprocal_or_zero(volume(k, j, i)),
                              next_below);
        conductance_above = conductance;
        next_below = column[k].below;
      }
      for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t) {
        T value = 0;
        for (int k = levels - 1; k >= 0; --k) {
          value = column[k].pivot * tracer(t, k, j, i) + column[k].above * value;
          tracer(t, k, j, i) = value;
        }
        value = 0;
        for (int k = 0; k < levels; ++k) {
          value = tracer(t, k, j, i) + column[k].below * value;
          tracer(t, k, j, i) = value;
        }
      }
    }
  });
}

}  // namespace halocline
