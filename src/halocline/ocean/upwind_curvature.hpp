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

/// Six times the bend at either face of a cell among equal ones: how much less it grows after it.
template <class V>
HD INLINE V curvature(V before, V here, V after) {
  return (here - before) - (after - here);
}

/// Bends of a cell, of the present and the old level.
template <class V>
struct Bends {
  V now, old;
};

/// The same where `wet`, and none elsewhere.
template <class V>
HD INLINE Bends<V> where(mask_of<V> wet, const Bends<V>& bends) {
  const V zero{};
  return {wet ? bends.now : zero, wet ? bends.old : zero};
}

/// What bends let pass a face in a second.
///
/// @param flux           volume that passes it, positive to the higher index [m3 s-1]
/// @param before, after  of the cells on both sides, 0 where the one beyond is dry
/// @param share          1/2 of bends, 1/12 of curvatures
template <class V>
HD INLINE V passing_by_bends(V flux, const Bends<V>& before, const Bends<V>& after,
                             scalar_of<V> share) {
  const V centred = flux * (before.now + after.now);
  const V damping = maximum(flux, V(-flux)) * (before.old - after.old);
  return V(share * (centred + damping));
}

}  // namespace halocline
