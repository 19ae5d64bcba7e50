#pragma once
#include "numerics/quickest.hpp"
#include "pack.hpp"

/// What crosses a face between two bins of the spectrum, of directions or of frequencies.
namespace halocline::waves {

using numerics::Advection;

/// The flux through one face in a step, positive from `left` to `right`.
///
/// Where waves turn or shift at different rates, `spread` makes the flux of the higher schemes
/// second order in time. A bin that loses energy to both sides may lose half of it to each, so that
/// none becomes negative.
///
/// @param before, left, right, after  contents of the four bins around the face
/// @param c_before, c, c_after        Courant numbers of the face before, this one and the next
template <Advection scheme, class V>
[[gnu::always_inline]] inline V spectral_flux(V before, V left, V right, V after, V c_before, V c,
                                              V c_after) {
  using T = scalar_of<V>;
  const V zero{};
  const auto forward = c > zero;
  const V centre = forward ? left : right;
  const V difference = right - left;
  const V ahead = forward ? difference : -difference;
  const V behind = forward ? left - before : right - after;
  const auto diverges = forward ? c_before < zero : c_after > zero;
  const V spread = T(1) - T(0.25) * (c_after - c_before);
  const V most = diverges ? T(0.5) * centre : centre;
  const V speed = absolute(c);
  const V out = numerics::outflow<scheme>(centre, speed * centre, speed * behind, speed * ahead,
                                          behind, speed);
  const V moved = minimum(scheme == Advection::upwind ? out : out * spread, most);
  return forward ? moved : -moved;
}

}  // namespace halocline::waves
