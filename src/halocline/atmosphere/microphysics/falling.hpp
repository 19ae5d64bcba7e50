#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "pack.hpp"
#include "view.hpp"

/// Water that falls through a column: first order upstream, in sub-steps of which each moves no
/// more than a share of what a layer holds, so that nothing becomes negative and what leaves a
/// layer enters the one below.
namespace halocline {

/// No more sub-steps than this, so that values that are not finite end too.
inline constexpr double most_sub_steps = 1000.0;

/// Of the columns of a row, the levels up to the highest one with any of some kinds of water; one
/// number for columns that are computed together, at the first of them.
///
/// @param[in]  water  mixing ratios [1], (kind, k, j, i)
/// @param[out] top    of box.i1 - box.i0 columns
template <class T, std::size_t Count>
void wet_levels(const View4<T>& water, const int (&kinds)[Count], Box box, int j, int* top) {
  std::fill(top, top + (box.i1 - box.i0), 0);
  for (int k = 0; k < static_cast<int>(water.extent[1]); ++k) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      V most = load<V>(water.row(kinds[0], k, j) + i);
      for (std::size_t at = 1; at < Count; ++at)
        most = maximum(most, load<V>(water.row(kinds[at], k, j) + i));
      if (any(most > V{})) top[i - box.i0] = k + 1;
    });
  }
}

/// A pack of columns in which water falls, and what of their air stays meanwhile, in scratch.
template <class T>
class FallingColumns {
 public:
  /// @param kinds  of water that fall together at most
  FallingColumns(int levels, int kinds)
      : rows_(levels + 1),
        scratch_(static_cast<std::size_t>((falling_planes + kinds) * rows_ * lanes<T>)) {}

  /// Take columns (j, i) up to level `top`; `own(k, density)` gives two numbers more of a level.
  ///
  /// @param[in] air_density  [kg m-3]
  /// @param[in] layer_depth  [m]
  template <class V, class Own>
  INLINE void take(const View3<const T>& air_density, const View3<const T>& layer_depth, int j,
                   std::ptrdiff_t i, int top, const Own& own) {
    for (int k = 0; k < top; ++k) {
      const V density = load<V>(air_density.row(k, j) + i);
      const V per_depth = T(1) / load<V>(layer_depth.row(k, j) + i);
      store<V>(at(air_plane, k), density);
      store<V>(at(per_depth_plane, k), per_depth);
      store<V>(at(per_mass_plane, k), per_depth / density);
      const auto [first, second] = own(k, density);
      store<V>(at(first_plane, k), first);
      store<V>(at(second_plane, k), second);
    }
  }
  /// The two numbers that `take` was given for a level.
  template <class V>
  V first(int k) {
    return load<V>(at(first_plane, k));
  }
  template <class V>
  V second(int k) {
    return load<V>(at(second_plane, k));
  }

  /// Let some kinds of water fall for `dt` [s] below level `top`, above which there is none.
  ///
  /// The step is divided by the column's largest Courant number over `courant`, rounded up, and
  /// after each part what is left of it again.
  ///
  /// @param[in,out] water   mixing ratios [1] at the lowest level, levels `stride` apart
  /// @param[in]     speed   speed(k, densities of the waters, speeds [m s-1] to set)
  /// @param[out]    fallen  what passes the ground [kg m-2]
  template <int Count, class V, class Speed>
  INLINE void fall(T* const (&water)[Count], std::ptrdiff_t stride, int top, T dt, T courant,
                   const Speed& speed, V (&fallen)[Count]) {
    const auto of = [&](int some, int k) { return water[some] + k * stride; };
    const auto flux = [&](int some, int k) { return at(flux_planes + some, k); };
    for (int some = 0; some < Count; ++some) {
      fallen[some] = V{};
      store<V>(flux(some, top), V{});
    }
    V left = top > 0 ? splat<V>(dt) : V{};
    while (any(left > V{})) {
      V fastest{};
      for (int k = 0; k < top; ++k) {
        const V air = load<V>(at(air_plane, k)), per_depth = load<V>(at(per_depth_plane, k));
        V content[Count], falls[Count];
        for (int some = 0; some < Count; ++some)
          content[some] = air * maximum(load<V>(of(some, k)), V{});
        speed(k, content, falls);
        for (int some = 0; some < Count; ++some) {
          const V down = content[some] > V{} ? falls[some] : V{};
          store<V>(flux(some, k), content[some] * down);
          fastest = maximum(V(down * per_depth), fastest);
        }
      }
      const V number = minimum(V(left * fastest / courant), splat<V>(T(most_sub_steps)));
      const V parts = elementary::converted<V>(elementary::truncated(number)) + T(1);
      const V step = left / parts;
      for (int k = 0; k < top; ++k) {
        const V share = step * load<V>(at(per_mass_plane, k));
        for (int some = 0; some < Count; ++some) {
          const V gain = load<V>(flux(some, k + 1)) - load<V>(flux(some, k));
          store<V>(of(some, k), load<V>(of(some, k)) + share * gain);
        }
      }
      for (int some = 0; some < Count; ++some)
        fallen[some] = fallen[some] + step * load<V>(flux(some, 0));
      left = parts > T(1) ? left - step : V{};
    }
  }

 private:
  enum Plane { air_plane, per_depth_plane, per_mass_plane, first_plane, second_plane, flux_planes };
  static constexpr int falling_planes = flux_planes;
  T* at(int plane, int k) { return scratch_.data() + (plane * rows_ + k) * lanes<T>; }

  int rows_;
  std::vector<T> scratch_;
};

}  // namespace halocline
