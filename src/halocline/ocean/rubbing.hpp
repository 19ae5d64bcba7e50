#pragma once
#include "pack.hpp"

/// The velocity that horizontal viscosity acts on in a leapfrog step.
///
/// The pressure of density is a mean of three levels, so that internal waves may turn by up to half
/// a period in a step. Friction of the old velocity lets those grow that turn by more than a
/// quarter, W^2 > 2 - 2 v with W = omega dt and what a step takes, v; with a third of the present
/// velocity waves do that turn by more than a third, W^2 > 3 - 2 v (with b / a for what the present
/// weighs against the old one: 2 (1 + b / a) (1 - a v)). As much of both would damp up to a half,
/// but nothing would damp what leapfrog makes of a current that turns from step to step.
namespace halocline {

template <class V>
HD INLINE V rubbing(V old, V now) {
  return old + scalar_of<V>(1.0 / 3.0) * (now - old);
}

}  // namespace halocline
