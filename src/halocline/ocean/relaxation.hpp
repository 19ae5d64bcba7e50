#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Relaxation of a tracer on all levels to a target, as in a box that stands for an ocean beyond.
namespace halocline {

inline constexpr Contract<3> ocean_relax_contract{
    "ocean_relax",
    {{{"relaxed", Access::update, Place::center, "any", "depth"},
      {"target", Access::read, Place::center, "any", "depth"},
      {"relaxation_rate", Access::read, Place::center, "s-1"}}}};

/// Draw a tracer to its target for some time, exactly:  c += (1 - exp(-r tau)) (c* - c).
///
/// @param[in,out] relaxed          c
/// @param[in]     target           c*, in units of the tracer
/// @param[in]     relaxation_rate  r, 0 where nothing is drawn to it [s-1]
/// @param[in]     tau              how long [s]
template <class T>
void ocean_relax(Box box, View3<T> relaxed, View3<const T> target, View2<const T> relaxation_rate,
                 double tau) {
  const T interval = static_cast<T>(tau);
  for_rows(box, [&](int j) {
    const T* rate = relaxation_rate.row(j);
    std::ptrdiff_t first = box.i0, last = box.i1;
    while (first < last && !(rate[first] > T(0))) ++first;
    while (last > first && !(rate[last - 1] > T(0))) --last;
    over_row<T>(first, last, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V share = T(1) - exp(-interval * load<V>(rate + i));
      for (int k = 0; k < static_cast<int>(relaxed.extent[0]); ++k) {
        const V here = load<V>(relaxed.row(k, j) + i);
        store<V>(relaxed.row(k, j) + i, here + share * (load<V>(target.row(k, j) + i) - here));
      }
    });
  });
}

}  // namespace halocline
