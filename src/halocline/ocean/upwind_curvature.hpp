#pragma once
#include "pack.hpp"
#include "view.hpp"

/// Third-order upwind values at faces: a parabola through the means of the cell upstream, the one
/// beyond it and the one downstream (Leonard 1979, doi:10.1016/0045-7825(79)90034-3, for means of
/// cells). What it adds to the mean of both cells at the face is a bend; half the sum of the bends
/// from both sides is centred and takes the present level of leapfrog, half their difference damps
/// and takes the old one. Where the cell beyond is dry a bend is 0.
namespace halocline {

/// Weights in a bend of the step over the face and of the one behind it [1].
template <class T>
struct BendWeights {
  T over, behind;
};

/// Those of a face after `near`, with `far` behind it and `next` beyond the face: their lengths.
template <class T>
HD INLINE BendWeights<T> bend_weights(T far, T near, T next) {
  const T all = far + near + next;
  return {near * (far + near) / ((near + next) * all) - T(0.5), near * next / ((far + near) * all)};
}

/// The same of both faces of a cell in the middle of five, from either side of each.
template <class T>
struct LineWeights {
  BendWeights<T> low_forward, low_backward, high_forward, high_backward;
};

template <class T>
HD INLINE LineWeights<T> line_weights(const T (&length)[5]) {
  return {
      bend_weights(length[0], length[1], length[2]), bend_weights(length[3], length[2], length[1]),
      bend_weights(length[1], length[2], length[3]), bend_weights(length[4], length[3], length[2])};
}

template <class V>
HD INLINE V bend(BendWeights<scalar_of<V>> weights, V far, V near, V next) {
  return weights.over * (next - near) + weights.behind * (near - far);
}

/// What bends bring the middle one of five cells in a second, through both of its faces.
///
/// @param low, high  volumes that pass its faces, positive to the higher index [m3 s-1]
/// @param now, old   values of the five cells
/// @param open       whether water is on both sides of the four faces between them
template <class V>
HD INLINE V gain_by_bends(V low, V high, const LineWeights<scalar_of<V>>& weights,
                          const V (&now)[5], const V (&old)[5], const mask_of<V> (&open)[4]) {
  using T = scalar_of<V>;
  const V zero{};
  const auto forward = [&](V flux, const V(&c)[5], int face, BendWeights<T> w) {
    return open[face - 1] ? V(flux * bend<V>(w, c[face - 1], c[face], c[face + 1])) : zero;
  };
  const auto backward = [&](V flux, const V(&c)[5], int face, BendWeights<T> w) {
    return open[face + 1] ? V(flux * bend<V>(w, c[face + 2], c[face + 1], c[face])) : zero;
  };
  const auto passing = [&](V flux, int face, BendWeights<T> ahead, BendWeights<T> back) {
    const V strength = absolute(flux);
    const V centred = forward(flux, now, face, ahead) + backward(flux, now, face, back);
    const V damping = forward(strength, old, face, ahead) - backward(strength, old, face, back);
    return V(T(0.5) * (centred + damping));
  };
  return passing(low, 1, weights.low_forward, weights.low_backward) -
         passing(high, 2, weights.high_forward, weights.high_backward);
}

}  // namespace halocline
