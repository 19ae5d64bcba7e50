#pragma once
#include "elementary.hpp"

/// Breaking in shallow water (Battjes and Janssen 1978).
namespace halocline::waves {

/// Share of broken waves Q with (1 - Q) / -ln Q = ratio, ratio = (H_rms / H_max)^2: a first guess,
/// a Newton step and three rounds of fixed points, as far as practice needs it.
template <class V>
HD inline V breaking_share(V ratio) {
  using T = scalar_of<V>;
  const V b = square_root(ratio);
  const V safe = minimum(maximum(ratio, splat<V>(T(0.04))), splat<V>(T(0.9999)));
  const V root = square_root(safe);
  const V guess = root > T(0.5) ? (T(2) * root - T(1)) * (T(2) * root - T(1)) : V{};
  const V argument = exp((guess - T(1)) / safe);
  V share = guess - safe * (guess - argument) / (safe - argument);
  for (int round = 0; round < 3; ++round) share = exp((share - T(1)) / safe);
  share = b <= T(0.2) ? V{} : share;
  return b < T(1) ? share : splat<V>(T(1));
}

/// Growth rate [s-1] of all waves, from their variance [m2] and mean frequency [Hz]. Where waves
/// are higher than they can be, the excess vanishes smoothly.
template <class V>
HD inline V depth_breaking_rate(V variance, V mean_frequency, V depth, scalar_of<V> intensity,
                                scalar_of<V> height_ratio) {
  using T = scalar_of<V>;
  const V highest = height_ratio * depth;
  const V ratio = T(8) * variance / (highest * highest);
  const V share = breaking_share(ratio);
  const V per_wave = ratio < T(1) ? share / maximum(ratio, splat<V>(T(1e-12))) : ratio;
  return T(-2) * intensity * mean_frequency * per_wave;
}

}  // namespace halocline::waves
