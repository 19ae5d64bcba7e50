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

/// The same of one face, between the second and the third of four cells.
template <class T>
struct FaceWeights {
  BendWeights<T> forward, backward;
};

template <class T>
HD INLINE FaceWeights<T> face_weights(const T (&length)[4]) {
  return {bend_weights(length[0], length[1], length[2]),
          bend_weights(length[3], length[2], length[1])};
}

template <class V>
HD INLINE V bend(BendWeights<scalar_of<V>> weights, V far, V near, V next) {
  return weights.over * (next - near) + weights.behind * (near - far);
}

/// What bends let pass the face between the second and the third of four cells in a second.
///
/// @param flux           volume that passes it, positive to the higher index [m3 s-1]
/// @param now, old       values of the four cells
/// @param before, after  whether water is on both sides of the faces before and after it
template <class V>
HD INLINE V passing_by_bends(V flux, const FaceWeights<scalar_of<V>>& weights, const V (&now)[4],
                             const V (&old)[4], mask_of<V> before, mask_of<V> after) {
  using T = scalar_of<V>;
  const V zero{}, strength = absolute(flux);
  const auto forward = [&](V flux, const V(&c)[4]) {
    return before ? V(flux * bend<V>(weights.forward, c[0], c[1], c[2])) : zero;
  };
  const auto backward = [&](V flux, const V(&c)[4]) {
    return after ? V(flux * bend<V>(weights.backward, c[3], c[2], c[1])) : zero;
  };
  const V centred = forward(flux, now) + backward(flux, now);
  const V damping = forward(strength, old) - backward(strength, old);
  return V(T(0.5) * (centred + damping));
}

}  // namespace halocline
