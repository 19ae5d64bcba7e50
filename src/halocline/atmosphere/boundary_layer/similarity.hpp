#pragma once
#include "elementary.hpp"
#include "pack.hpp"

/// Similarity of Monin and Obukhov: departures of profiles from logarithms, as blended by Jimenez
/// et al. 2012, Mon. Wea. Rev. 140, 898 (J12). zeta is height over Obukhov's length.
namespace halocline::air {

inline constexpr double karman = 0.4;

/// psi, and phi = 1 - zeta d psi / d zeta [1].
template <class V>
struct Similarity {
  V psi, phi;
};

/// Stable air (Cheng and Brutsaert 2005, Boundary-Layer Meteorol. 114, 519; J12 equations 11-12).
template <class V>
HD INLINE Similarity<V> stable_similarity(V zeta, double strength, double power) {
  using T = scalar_of<V>;
  const V raised = pow(zeta, T(power)), more = T(1) + raised;
  const V root = pow(more, T(1 / power)), sum = zeta + root;
  const T a = T(strength);
  return {-a * log(sum), T(1) + a * (zeta + raised * root / more) / sum};
}

/// Free convection, phi = (1 - steepness zeta)^(-1/3) (Fairall et al. 1996; Grachev et al. 2000).
template <class V>
HD INLINE Similarity<V> convective_similarity(V zeta, double steepness) {
  using T = scalar_of<V>;
  constexpr T root_3 = T(1.7320508075688772), third_pi = T(1.0471975511965976);
  const V y = cube_root(T(1) - T(steepness) * zeta);
  const V angle = atan(V((T(2) * y + T(1)) / root_3)) - splat<V>(third_pi);
  return {T(1.5) * log((y * y + y + T(1)) / T(3)) - root_3 * angle, T(1) / y};
}

/// Weak instability (Paulson 1970, J. Appl. Meteorol. 9, 857), with 16 as J12 has it.
template <bool Heat, class V>
HD INLINE Similarity<V> kansas_similarity(V zeta) {
  using T = scalar_of<V>;
  constexpr T quarter_pi = T(0.78539816339744831);
  const V square = square_root(T(1) - T(16) * zeta), mean = T(0.5) * (T(1) + square);
  if constexpr (Heat) {
    return {T(2) * log(mean), T(1) / square};
  } else {
    const V x = square_root(square), half = T(0.5) * (T(1) + x);
    return {log(half * half * mean) - T(2) * (atan(x) - splat<V>(quarter_pi)), T(1) / x};
  }
}

/// Any air: of heat and moisture, or of momentum. In unstable air psi goes from weak instability to
/// free convection with weight zeta^2 / (1 + zeta^2) (J12, equations 14-17).
template <bool Heat, class V>
HD INLINE Similarity<V> similarity(V zeta) {
  using T = scalar_of<V>;
  const V rising = minimum(zeta, V{}), sinking = maximum(zeta, V{});
  const auto stable = stable_similarity(sinking, Heat ? 5.3 : 6.1, Heat ? 1.1 : 2.5);
  const auto weak = kansas_similarity<Heat>(rising);
  const auto strong = convective_similarity(rising, Heat ? 34.0 : 10.0);
  const V share = T(1) / (T(1) + rising * rising), rest = T(1) - share;
  const V psi = share * weak.psi + rest * strong.psi;
  const V turning = T(2) * (share * rest) * (strong.psi - weak.psi);
  const V phi = share * weak.phi + rest * strong.phi - turning;
  return {zeta > V{} ? stable.psi : psi, zeta > V{} ? stable.phi : phi};
}

/// Integral of phi / height between two heights, and how it changes with log zeta [1].
template <class V>
struct ProfileRise {
  V rise, slope;
};
/// @param[in] inverse_length  1 / Obukhov's length [m-1]
/// @param[in] low, high       [m]
template <bool Heat, class V>
HD INLINE ProfileRise<V> profile_rise(V inverse_length, V low, V high) {
  const auto below = similarity<Heat>(V(low * inverse_length));
  const auto above = similarity<Heat>(V(high * inverse_length));
  return {log(high / low) - (above.psi - below.psi), above.phi - below.phi};
}

}  // namespace halocline::air
