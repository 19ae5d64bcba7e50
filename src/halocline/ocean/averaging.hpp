#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Means of neighbouring time levels, half a step earlier: old and present become
/// (old + present) / 2 and (present + new) / 2. That ends the splitting of leapfrog's levels.
namespace halocline {

/// Means of one row of values, columns [i0, i1).
template <class T>
INLINE void average_row(std::ptrdiff_t i0, std::ptrdiff_t i1, T* old, T* present,
                        const T* following) {
  over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
    const V here = load<V>(present + i);
    store<V>(old + i, T(0.5) * (load<V>(old + i) + here));
    store<V>(present + i, T(0.5) * (here + load<V>(following + i)));
  });
}

inline constexpr Contract<3> ocean_average_contract{
    "ocean_average",
    {{{"old", Access::update, Place::corner, "m s-1", "depth"},
      {"present", Access::update, Place::corner, "m s-1", "depth"},
      {"following", Access::read, Place::corner, "m s-1", "depth"}}}};

/// Means of velocities.
template <class T>
void ocean_average(Box box, View3<T> old, View3<T> present, View3<const T> following) {
  const int levels = static_cast<int>(old.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    average_row<T>(box.i0, box.i1, old.row(k, j), present.row(k, j), following.row(k, j));
  });
}

inline constexpr Contract<6> ocean_average_tracers_contract{
    "ocean_average_tracers",
    {{{"old_tracer", Access::update, Place::center, "any", "tracer depth"},
      {"tracer", Access::update, Place::center, "any", "tracer depth"},
      {"new_tracer", Access::read, Place::center, "any", "tracer depth"},
      {"old_layer", Access::update, Place::center, "m"},
      {"layer", Access::update, Place::center, "m"},
      {"new_layer", Access::read, Place::center, "m"}}}};

/// Means of tracers and of the uppermost thickness, such that what cells hold is the mean.
template <class T>
void ocean_average_tracers(Box box, View4<T> old_tracer, View4<T> tracer, View4<const T> new_tracer,
                           View2<T> old_layer, View2<T> layer, View2<const T> new_layer) {
  const int levels = static_cast<int>(tracer.extent[1]);
  for_rows(box, [&](int j) {
    T *old_h = old_layer.row(j), *h = layer.row(j);
    const T* new_h = new_layer.row(j);
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t)
      for (int k = 0; k < levels; ++k) {
        T *o = old_tracer.row(t, k, j), *p = tracer.row(t, k, j);
        const T* n = new_tracer.row(t, k, j);
        over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const auto mean = [&](V a, V b, const T* ha, const T* hb) {
            if (k < levels - 1) return V(T(0.5) * (a + b));
            const V first = load<V>(ha + i), second = load<V>(hb + i);
            return V((first * a + second * b) / (first + second));
          };
          const V here = load<V>(p + i);
          store<V>(o + i, mean(load<V>(o + i), here, old_h, h));
          store<V>(p + i, mean(here, load<V>(n + i), h, new_h));
        });
      }
    average_row<T>(box.i0, box.i1, old_h, h, new_h);
  });
}

template <class T>
void average_planes(Box box, View2<T> old, View2<T> present, View2<const T> following) {
  for_rows(box, [&](int j) {
    average_row<T>(box.i0, box.i1, old.row(j), present.row(j), following.row(j));
  });
}

inline constexpr Contract<3> ocean_average_surface_contract{
    "ocean_average_surface",
    {{{"old_surface", Access::update, Place::center, "m2 s-2"},
      {"surface", Access::update, Place::center, "m2 s-2"},
      {"new_surface", Access::read, Place::center, "m2 s-2"}}}};

/// Means of the pressure of the surface.
template <class T>
void ocean_average_surface(Box box, View2<T> old_surface, View2<T> surface,
                           View2<const T> new_surface) {
  average_planes(box, old_surface, surface, new_surface);
}

inline constexpr Contract<6> ocean_average_means_contract{
    "ocean_average_means",
    {{{"old_mean_u", Access::update, Place::corner, "m s-1"},
      {"mean_u", Access::update, Place::corner, "m s-1"},
      {"new_mean_u", Access::read, Place::corner, "m s-1"},
      {"old_mean_v", Access::update, Place::corner, "m s-1"},
      {"mean_v", Access::update, Place::corner, "m s-1"},
      {"new_mean_v", Access::read, Place::corner, "m s-1"}}}};

/// Means of the mean velocities of columns.
template <class T>
void ocean_average_means(Box box, View2<T> old_mean_u, View2<T> mean_u, View2<const T> new_mean_u,
                         View2<T> old_mean_v, View2<T> mean_v, View2<const T> new_mean_v) {
  average_planes(box, old_mean_u, mean_u, new_mean_u);
  average_planes(box, old_mean_v, mean_v, new_mean_v);
}

inline constexpr Contract<3> ocean_first_guess_contract{
    "ocean_first_guess",
    {{{"old_surface", Access::read, Place::center, "m2 s-2"},
      {"surface", Access::read, Place::center, "m2 s-2"},
      {"new_surface", Access::write, Place::center, "m2 s-2"}}}};

/// The new surface as two former ones let expect it.
template <class T>
void ocean_first_guess(Box box, View2<const T> old_surface, View2<const T> surface,
                       View2<T> new_surface) {
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V now = load<V>(surface.row(j) + i);
      store<V>(new_surface.row(j) + i, T(2) * now - load<V>(old_surface.row(j) + i));
    });
  });
}

}  // namespace halocline
