#pragma once
#include "atmosphere/dynamics/advection.hpp"

/// Values at faces that take little from across a step.
namespace halocline::air {

/// As `FaceWeights`, for values at faces that are of fifth order where values are smooth, else
/// mostly that of the three cells upstream, ahead or between that is smoothest (WENO; Jiang and Shu
/// 1996, J. Comput. Phys. 126, 202), whatever the order; where there are fewer values, those of the
/// order.
template <class T>
struct WenoFaces {
  FaceWeights<T> beside;
  bool whole = true;

  static WenoFaces of(int order) { return {FaceWeights<T>::of(order)}; }
  static WenoFaces within(int order, int values) {
    return {FaceWeights<T>::within(order, values), values >= 3};
  }

  /// What `flux` carries across a face between a[0] and b[0]; a[1], b[1] ... lie farther from it.
  template <class V>
  INLINE V carried(V flux, const V (&a)[3], const V (&b)[3]) const {
    if (!whole) return beside.carried(flux, a, b);
    const auto forward = flux > V{};
    const V q[] = {forward ? a[2] : b[2], forward ? a[1] : b[1], forward ? a[0] : b[0],
                   forward ? b[0] : a[0], forward ? b[1] : a[1]};
    // of three cells each: six times the value at the face, and how rough they are
    const V values[] = {T(2) * q[0] - T(7) * q[1] + T(11) * q[2], T(5) * q[2] - q[1] + T(2) * q[3],
                        T(2) * q[2] + T(5) * q[3] - q[4]};
    const V slopes[] = {q[0] - T(4) * q[1] + T(3) * q[2], q[1] - q[3],
                        T(3) * q[2] - T(4) * q[3] + q[4]};
    // steps of a millionth of the values are smooth: those of round-off are less
    const V even = T(1e-12) * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) + splat<V>(T(1e-36));
    V rough[3];
    for (int n = 0; n < 3; ++n) {
      const V bend = q[n] - T(2) * q[n + 1] + q[n + 2];
      rough[n] = T(13) / 12 * (bend * bend) + T(0.25) * (slopes[n] * slopes[n]) + even;
    }
    const V smoothest = minimum(minimum(rough[0], rough[1]), rough[2]);
    constexpr T shares[] = {T(0.1), T(0.6), T(0.3)};
    V sum{}, all{};
    for (int n = 0; n < 3; ++n) {
      const V smooth = smoothest / rough[n], weight = shares[n] * (smooth * smooth);
      sum += weight * values[n];
      all += weight;
    }
    return flux * sum / (T(6) * all);
  }
};

/// `work` with what makes values at faces: those of an order, or `weno`.
template <class T, class Work>
void with_faces(int weno, const Work& work) {
  weno ? work(WenoFaces<T>{}) : work(FaceWeights<T>{});
}

}  // namespace halocline::air
