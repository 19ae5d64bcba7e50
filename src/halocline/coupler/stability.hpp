#pragma once
#include "elementary.hpp"

/// Departures of the profiles of wind and of heat near the surface from logarithms.
///
/// Stable air after Beljaars and Holtslag 1991, J. Appl. Meteor. 30, 327; unstable air between the
/// profiles of Kansas and those of free convection, after Grachev, Fairall and Bradley 2000,
/// Boundary-Layer Meteor. 94, 495.
namespace halocline {

/// What the profile of wind is told by: of stable air, and how steep both unstable ones are [1].
struct WindProfile {
  double stable, kansas, convective;
};

/// That of the iteration, and that of the first guess.
inline constexpr WindProfile usual_profile{0.7, 15.0, 10.15}, first_profile{1.0, 18.0, 10.0};

/// The profile of free convection, of the height over Monin and Obukhov's length (below 0).
template <class V>
HD INLINE V convective_departure(V stability, double steepness) {
  using T = scalar_of<V>;
  constexpr double root_of_three = 1.7320508075688773, pi = 3.1415926535897932;
  const V x = cube_root(V(T(1) - T(steepness) * stability));
  return T(1.5) * log((x * x + x + T(1)) / T(3)) -
         T(root_of_three) * atan(V((T(2) * x + T(1)) / T(root_of_three))) +
         splat<V>(T(pi / root_of_three));
}

/// Both unstable profiles, weighed by how unstable the air is.
template <class V>
HD INLINE V between(V kansas, V convective, V stability) {
  using T = scalar_of<V>;
  const V square = stability * stability, share = square / (T(1) + square);
  return (T(1) - share) * kansas + share * convective;
}

/// Of wind.
template <class V>
HD INLINE V wind_departure(V stability, const WindProfile& profile) {
  using T = scalar_of<V>;
  constexpr double b = 0.75, c = 5.0, d = 0.35, half_pi = 1.5707963267948966;
  const V stable = maximum(stability, V{}), unstable = minimum(stability, V{});
  const V fall = exp(-minimum(T(d) * stable, splat<V>(T(50))));
  const V above =
      -(T(profile.stable) * stable + T(b) * (stable - T(c / d)) * fall + splat<V>(T(b * c / d)));
  const V x = square_root(square_root(V(T(1) - T(profile.kansas) * unstable)));
  const V kansas = T(2) * log(T(0.5) * (T(1) + x)) + log(T(0.5) * (T(1) + x * x)) - T(2) * atan(x) +
                   splat<V>(T(half_pi));
  const V below = between(kansas, convective_departure(unstable, profile.convective), unstable);
  return stability < V{} ? below : above;
}

/// Of heat and moisture.
template <class V>
HD INLINE V heat_departure(V stability) {
  using T = scalar_of<V>;
  constexpr double b = 0.6667, c = 5.0, d = 0.35;
  const V stable = maximum(stability, V{}), unstable = minimum(stability, V{});
  const V fall = exp(-minimum(T(d) * stable, splat<V>(T(50))));
  const V base = T(1) + T(2.0 / 3.0) * stable;
  const V above = -(base * square_root(base) + T(b) * (stable - T(c / d)) * fall +
                    splat<V>(T(b * c / d - 1.0)));
  const V x = square_root(V(T(1) - T(15) * unstable));
  const V kansas = T(2) * log(T(0.5) * (T(1) + x));
  const V below = between(kansas, convective_departure(unstable, 34.15), unstable);
  return stability < V{} ? below : above;
}

}  // namespace halocline
