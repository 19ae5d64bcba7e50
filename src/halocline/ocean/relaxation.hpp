#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Relaxation of a tracer on all levels to a target, as in a box that stands for an ocean beyond.
namespace halocline {

inline constexpr Contract<8> ocean_relax_contract{
    "ocean_relax",
    {{{"relaxed", Access::update, Place::center, "any", "depth"},
      {"target", Access::read, Place::center, "any", "depth"},
      {"relaxation_rate", Access::read, Place::center, "s-1"},
      {"new_layer", Access::read, Place::center, "m"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"gain", Access::write, Place::center, "any"}}}};

/// Draw a tracer to its target for some time, exactly:  c += (1 - exp(-r tau)) (c* - c).
///
/// @param[in,out] relaxed          c
/// @param[in]     target           c*, in units of the tracer
/// @param[in]     relaxation_rate  r, 0 where nothing is drawn to it [s-1]
/// @param[in]     new_layer        thickness of the uppermost cell [m]
/// @param[in]     floor_level      the lowest wet level; as many as levels on land
/// @param[in]     bottom_share     of its level that the cell there has [1]
/// @param[in]     thickness        of levels, lowest first [m]
/// @param[out]    gain             what the column has got by it [m times units of the tracer]
/// @param[in]     tau              how long [s]
template <class T>
void ocean_relax(Box box, View3<T> relaxed, View3<const T> target, View2<const T> relaxation_rate,
                 View2<const T> new_layer, View2<const T> floor_level, View2<const T> bottom_share,
                 View1<const T> thickness, View2<T> gain, double tau) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const T interval = static_cast<T>(tau);
  const int top = static_cast<int>(relaxed.extent[0]) - 1;
  for_rows(box, [&](int j) {
    const T *rate = relaxation_rate.row(j), *layer = new_layer.row(j), *floor = floor_level.row(j);
    T* gained = gain.row(j);
    for (std::ptrdiff_t i = box.i0; i < box.i1; ++i) gained[i] = T(0);
    std::ptrdiff_t first = box.i0, last = box.i1;
    while (first < last && !(rate[first] > T(0))) ++first;
    while (last > first && !(rate[last - 1] > T(0))) --last;
    over_row<T>(first, last, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V share = T(1) - exp(-interval * load<V>(rate + i));
      V sum{};
      for (int k = 0; k <= top; ++k) {
        const V here = load<V>(relaxed.row(k, j) + i);
        const V change = share * (load<V>(target.row(k, j) + i) - here);
        const V below = thickness(k) * bottom.row(k, j).template at<V>(i);
        const V dz = k == top ? load<V>(layer + i) : below;
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        sum += wet ? V(dz * change) : V{};
        store<V>(relaxed.row(k, j) + i, here + change);
      }
      store<V>(gained + i, sum);
    });
  });
}

}  // namespace halocline
