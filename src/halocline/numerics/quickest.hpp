#pragma once
#include "pack.hpp"

/// One-dimensional conservative advection, third order in space and time, without divisions.
namespace halocline::numerics {

/// First-order upwind; QUICKEST (Leonard 1979); QUICKEST with the ULTIMATE limiter (Leonard 1991).
enum class Advection { upwind, quickest, ultimate_quickest };

/// What crosses a face in one step beyond the upwind flux.
///
/// All differences are taken with the flow: `behind` = centre - upstream, `ahead` = downstream -
/// centre. The flux c q, not q, is interpolated: then a steady flux through cells of different
/// Courant number c is kept exactly, and time is second order where c varies (Leonard's scheme
/// where it does not). Differences of 0 stand for a neighbour that must not be used, and give 0.
///
/// Leonard (1979): face value = (C + D)/2 - c/2 (D - C) - (1 - c^2)/6 (D - 2C + U). Leonard (1991)
/// bounds it by C, D and U + (C - U)/c; both are written here as corrections to the upwind value C.
///
/// @param flux_behind, flux_ahead  differences of courant * content
/// @param behind                   difference of contents
/// @param courant                  of the centre cell, between 0 and 1
template <Advection scheme, class V>
HD inline V beyond_upwind(V flux_behind, V flux_ahead, V behind, V courant) {
  using T = scalar_of<V>;
  const V stays = T(1) - courant;
  const V third = stays * T(1.0 / 6.0);
  const V flux = third * multiply_add(courant, flux_behind - flux_ahead,
                                      flux_ahead + (flux_ahead + flux_behind));
  if constexpr (scheme == Advection::quickest) return flux;
  const V zero = splat<V>(T(0));
  const V most = stays * behind;
  const V lesser = minimum(flux_ahead, most), greater = maximum(flux_ahead, most);
  // Between the lesser of the bounds and 0; 0 where they have different signs.
  return minimum(maximum(flux, minimum(greater, zero)), maximum(lesser, zero));
}

/// Outflow of the centre cell through its downstream face, in contents, from the upwind flux and
/// what goes `beyond` it. The upwind and the limited one lie between 0 and `centre`, so contents
/// stay positive.
template <Advection scheme, class V>
HD inline V outflow(V centre, V flux, V beyond) {
  if constexpr (scheme == Advection::upwind) return minimum(flux, centre);
  if constexpr (scheme == Advection::quickest) return flux + beyond;
  return minimum(flux + beyond, centre);
}

/// The same from differences with the neighbours.
template <Advection scheme, class V>
HD inline V outflow(V centre, V flux, V flux_behind, V flux_ahead, V behind, V courant) {
  return outflow<scheme>(centre, flux,
                         beyond_upwind<scheme>(flux_behind, flux_ahead, behind, courant));
}

}  // namespace halocline::numerics
