#pragma once
#include "elementary.hpp"
#include "numerics/dual.hpp"
#include "pack.hpp"
#include "view.hpp"

namespace halocline::biogeochemistry {

/// Density of sea water [kg m-3] of in-situ temperature [degree C], salinity [1] and pressure
/// [dbar]: EOS-80 (Fofonoff and Millard 1983, Unesco Technical Papers in Marine Science 44).
template <class V>
HD inline V water_density(V temperature, V salinity, V pressure) {
  using T = scalar_of<V>;
  const V t = temperature, s = maximum(salinity, V{}), root = positive_root(s);
  const V bar = T(0.1) * pressure;
  const V fresh = horner(t, T(999.842594), T(6.793952e-2), T(-9.095290e-3), T(1.001685e-4),
                         T(-1.120083e-6), T(6.536332e-9));
  const V linear =
      horner(t, T(8.24493e-1), T(-4.0899e-3), T(7.6438e-5), T(-8.2467e-7), T(5.3875e-9));
  const V rooted = horner(t, T(-5.72466e-3), T(1.0227e-4), T(-1.6546e-6));
  const V surface = horner(s, fresh, linear + root * rooted + T(4.8314e-4) * s);
  const V modulus =
      horner(t, T(19652.21), T(148.4206), T(-2.327105), T(1.360477e-2), T(-5.155288e-5)) +
      s * (horner(t, T(54.6746), T(-0.603459), T(1.09987e-2), T(-6.1670e-5)) +
           root * horner(t, T(7.944e-2), T(1.6483e-2), T(-5.3009e-4)));
  const V by_pressure =
      horner(t, T(3.239908), T(1.43713e-3), T(1.16092e-4), T(-5.77905e-7)) +
      s * (horner(t, T(2.2838e-3), T(-1.0981e-5), T(-1.6078e-6)) + T(1.91075e-4) * root);
  const V by_square = horner(t, T(8.50935e-5), T(-6.12293e-6), T(5.2787e-8)) +
                      s * horner(t, T(-9.9348e-7), T(2.0816e-8), T(9.1697e-10));
  return surface / (T(1) - bar / horner(bar, modulus, by_pressure, by_square));
}

/// Pressure of the sea [dbar] at a depth [m], of water of 1025 kg m-3 and 9.81 m s-2.
template <class T>
HD inline T sea_pressure(T depth) {
  return T(1.005525) * depth;
}

}  // namespace halocline::biogeochemistry
