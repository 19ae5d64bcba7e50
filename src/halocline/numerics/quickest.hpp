#pragma once
#include "pack.hpp"

/// One-dimensional conservative advection, third order in space and time, without divisions.
namespace halocline::numerics {

/// First-order upwind; QUICKEST (Leonard 1979); QUICKEST with the ULTIMATE limiter (Leonard 1991).
enum class Advection { upwind, quickest, ultimate_quickest };

/// What leaves the centre cell through its downstream face in one step, in cell contents.
///
/// All differences are taken with the flow: `behind` = centre - upstream, `ahead` = downstream -
/// centre; a difference of 0 stands for a neighbour that must not be used, and turns the limited
/// scheme into upwind there. With 0 <= courant <= 1 the upwind and the limited outflow lie between
/// 0 and `centre`, so contents stay positive.
///
/// Leonard (1979): face value = (C + D)/2 - c/2 (D - C) - (1 - c^2)/6 (D - 2C + U). Leonard (1991)
/// bounds it by C, D and U + (C - U)/c; both are written here as corrections to the upwind value C.
template <Advection scheme, class V>
HD inline V outflow(V centre, V behind, V ahead, V courant) {
  using T = scalar_of<V>;
  V flux = courant * centre;
  if constexpr (scheme != Advection::upwind) {
    const V stays = T(1) - courant;
    const V third = courant * stays * T(1.0 / 6.0);
    V correction = third * ((T(2) - courant) * ahead + (T(1) + courant) * behind);
    if constexpr (scheme == Advection::ultimate_quickest) {
      const V zero = splat<V>(T(0));
      const V to_downstream = courant * ahead;
      const V to_upstream = stays * behind;
      const V highest = maximum(zero, minimum(to_downstream, to_upstream));
      const V lowest = minimum(zero, maximum(to_downstream, to_upstream));
      correction = minimum(maximum(correction, lowest), highest);
    }
    flux = flux + correction;
  }
  if constexpr (scheme == Advection::quickest) return flux;
  return minimum(flux, centre);
}

}  // namespace halocline::numerics
