#pragma once
#include "pack.hpp"

namespace halocline::waves {

/// A variance density, or 0 where it is below 1e-25 m2 Hz-1 rad-1, which no wave is: what is left
/// of a front far ahead of it would decay to subnormal numbers, with which processors are slow.
template <class V>
HD inline V unless_negligible(V density) {
  return maximum(density, -density) > splat<V>(scalar_of<V>(1e-25)) ? density : V{};
}

}  // namespace halocline::waves
