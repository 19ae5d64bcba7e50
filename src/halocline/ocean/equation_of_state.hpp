#pragma once
#include "elementary.hpp"
#include "numerics/dual.hpp"
#include "pack.hpp"
#include "view.hpp"

/// Density of sea water at one depth, as functions of temperature [degree C] and salinity [1e-3].
///
/// Pressure is a fixed function of depth, so what depends on it alone is worked out once for a
/// level, in float64. All functions give density less a reference [kg m-3], which is taken off
/// before anything is rounded to the type of the fields: float32 keeps 1e-5 kg m-3 of it.
/// Called with `Dual` values they give their derivatives too. Salinity below 0 counts as 0 under
/// roots.
namespace halocline {

/// Sea pressure [dbar] at a depth [m]: Dukowicz 2001, J. Phys. Oceanogr. 31, 1915, fitted to the
/// World Ocean Atlas 1994, with 10 dbar in a bar.
inline double pressure_at(double depth) {
  return 0.59808 * (exp(-0.025 * depth) - 1.0) + (1.00766 + 2.28405e-6 * depth) * depth;
}

/// Linear in temperature and salinity, whatever the depth.
template <class T>
struct LinearDensity {
  T at_reference, expansion, contraction, temperature, salinity;

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    return at_reference - expansion * (t - temperature) + contraction * (s - salinity);
  }
};

/// Quotient of two polynomials in potential temperature, salinity, its root, and pressure, with 25
/// coefficients: McDougall, Jackett, Wright and Feistel 2003, J. Atmos. Oceanic Technol. 20, 730,
/// table A2.
template <class T>
class RationalDensity {
 public:
  RationalDensity(double depth, double reference) {
    const double p = pressure_at(depth);
    const double over[7] = {9.99843699e+02 + p * (1.04004591e-02 - 3.24041825e-08 * p),
                            7.35212840e+00,
                            -5.45928211e-02 + p * (1.03970529e-07 - 1.23869360e-11 * p),
                            3.98476704e-04,
                            2.96938239e+00 + 5.18761880e-06 * p,
                            -7.23268813e-03,
                            2.12382341e-03};
    const double t_under[5] = {1.0 + 5.30848875e-06 * p,
                               7.28606739e-03 - 1.27934137e-17 * p * p * p, -4.60835542e-05,
                               3.68390573e-07 - 3.03175128e-16 * p * p, 1.80809186e-10};
    const double s_under[5] = {2.14691708e-03, -9.27062484e-06, -1.78343643e-10, 4.76534122e-06,
                               1.63410736e-09};
    for (int n = 0; n < 5; ++n) {
      t_under_[n] = static_cast<T>(t_under[n]);
      s_under_[n] = static_cast<T>(s_under[n]);
      t_over_[n] = static_cast<T>((n < 4 ? over[n] : 0.0) - reference * t_under[n]);
      s_over_[n] = static_cast<T>((n < 2 ? over[4 + n] : 0.0) - reference * s_under[n]);
    }
    salinity_squared_ = static_cast<T>(over[6]);
  }

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    const V square = t * t, root = positive_root(s);
    const V over = horner(s, of_temperature(t_over_, t),
                          of_salinity(s_over_, t, square, root) + salinity_squared_ * s);
    const V under = horner(s, of_temperature(t_under_, t), of_salinity(s_under_, t, square, root));
    return over / under;
  }

 private:
  template <class V>
  HD INLINE static V of_temperature(const T* c, V t) {
    return horner(t, c[0], c[1], c[2], c[3], c[4]);
  }
  template <class V>
  HD INLINE static V of_salinity(const T* c, V t, V square, V root) {
    return horner(t, c[0], horner(square, c[1], c[2])) + root * horner(square, c[3], c[4]);
  }

  T t_over_[5], s_over_[5], t_under_[5], s_under_[5], salinity_squared_;
};

/// Secant bulk modulus [bar]: polynomials in temperature, alone, with salinity and with its power
/// 3/2, each a polynomial in pressure [bar].
struct BulkModulus {
  double alone[3][5], with_salinity[3][4], with_root[2][3];
};

/// Of in-situ temperature: EOS-80 (Unesco 1981, Technical Papers in Marine Science 36; Fofonoff and
/// Millard 1983, the same 44).
inline constexpr BulkModulus unesco_modulus{
    {{19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5},
     {3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7, 0.0},
     {8.50935e-5, -6.12293e-6, 5.2787e-8, 0.0, 0.0}},
    {{54.6746, -0.603459, 1.09987e-2, -6.1670e-5},
     {2.2838e-3, -1.0981e-5, -1.6078e-6, 0.0},
     {-9.9348e-7, 2.0816e-8, 9.1697e-10, 0.0}},
    {{7.944e-2, 1.6483e-2, -5.3009e-4}, {1.91075e-4, 0.0, 0.0}}};

/// Of potential temperature: Jackett and McDougall 1995, J. Atmos. Oceanic Technol. 12, 381, table
/// A1.
inline constexpr BulkModulus jackett_modulus{
    {{1.965933e4, 1.444304e2, -1.706103, 9.648704e-3, -4.190253e-5},
     {3.186519, 2.212276e-2, -2.984642e-4, 1.956415e-6, 0.0},
     {2.102898e-4, -1.202016e-5, 1.394680e-7, 0.0, 0.0}},
    {{5.284855e1, -3.101089e-1, 6.283263e-3, -5.084188e-5},
     {6.704388e-3, -1.847318e-4, 2.059331e-7, 0.0},
     {-2.040237e-6, 6.128773e-8, 6.207323e-10, 0.0}},
    {{3.886640e-1, 9.085835e-3, -4.619924e-4}, {1.480266e-4, 0.0, 0.0}}};

/// Density at the surface (EOS-80) over 1 - pressure / secant bulk modulus.
template <class T>
class SecantDensity {
 public:
  SecantDensity(const BulkModulus& modulus, double depth, double reference) {
    const double p = 0.1 * pressure_at(depth);
    at_surface_ = static_cast<T>(999.842594 - reference);
    reference_ = static_cast<T>(reference);
    pressure_ = static_cast<T>(p);
    for (int n = 0; n < 5; ++n)
      alone_[n] =
          static_cast<T>(modulus.alone[0][n] + p * (modulus.alone[1][n] + p * modulus.alone[2][n]));
    for (int n = 0; n < 4; ++n)
      with_salinity_[n] =
          static_cast<T>(modulus.with_salinity[0][n] +
                         p * (modulus.with_salinity[1][n] + p * modulus.with_salinity[2][n]));
    for (int n = 0; n < 3; ++n)
      with_root_[n] = static_cast<T>(modulus.with_root[0][n] + p * modulus.with_root[1][n]);
  }

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    const V root = positive_root(s);
    const V fresh = horner(t, at_surface_, T(6.793952e-2), T(-9.095290e-3), T(1.001685e-4),
                           T(-1.120083e-6), T(6.536332e-9));
    const V linear =
        horner(t, T(8.24493e-1), T(-4.0899e-3), T(7.6438e-5), T(-8.2467e-7), T(5.3875e-9));
    const V rooted = horner(t, T(-5.72466e-3), T(1.0227e-4), T(-1.6546e-6));
    const V surface = horner(s, fresh, linear + root * rooted + T(4.8314e-4) * s);
    const V modulus = horner(
        s, horner(t, alone_[0], alone_[1], alone_[2], alone_[3], alone_[4]),
        horner(t, with_salinity_[0], with_salinity_[1], with_salinity_[2], with_salinity_[3]) +
            root * horner(t, with_root_[0], with_root_[1], with_root_[2]));
    return (surface * modulus + reference_ * pressure_) / (modulus - pressure_);
  }

 private:
  T at_surface_, reference_, pressure_, alone_[5], with_salinity_[4], with_root_[3];
};

/// In-situ from potential temperature at one pressure, by one Runge-Kutta step along the adiabatic
/// lapse rate of Bryden 1973, Deep-Sea Res. 20, 401 (Fofonoff 1977, Deep-Sea Res. 24, 489).
template <class T>
class InSituTemperature {
 public:
  explicit InSituTemperature(double pressure) {
    for (int half = 0; half < 3; ++half) {
      const double p = 0.5 * half * pressure;
      const double rate[6] = {3.5803e-5 + p * (1.8741e-8 - 4.6206e-13 * p),
                              8.5258e-6 + p * (-6.7795e-10 + 1.8676e-14 * p),
                              -6.836e-8 + p * (8.733e-12 - 2.1687e-16 * p),
                              6.6228e-10 - 5.4481e-14 * p,
                              1.8932e-6 - 1.1351e-10 * p,
                              -4.2393e-8 + 2.7759e-12 * p};
      for (int n = 0; n < 6; ++n) rise_[half][n] = static_cast<T>(pressure * rate[n]);
    }
  }

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    const V salty = s - T(35);
    const V first = rise(0, t, salty);
    const V second = rise(1, t + T(0.5) * first, salty);
    const V third = rise(1, t + T(0.5) * second, salty);
    const V fourth = rise(2, t + third, salty);
    return t + T(1.0 / 6.0) * (first + T(2) * (second + third) + fourth);
  }

 private:
  /// How much warmer it gets down to the pressure at the lapse rate of 0, a half or all of it.
  template <class V>
  HD INLINE V rise(int half, V t, V salty) const {
    const T* c = rise_[half];
    return horner(t, c[0], c[1], c[2], c[3]) + salty * horner(t, c[4], c[5]);
  }

  T rise_[3][6];
};

/// EOS-80, of potential temperature.
template <class T>
class UnescoDensity {
 public:
  UnescoDensity(double depth, double reference)
      : temperature_(pressure_at(depth)), density_(unesco_modulus, depth, reference) {}

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    return density_(temperature_(t, s), s);
  }

 private:
  InSituTemperature<T> temperature_;
  SecantDensity<T> density_;
};

/// TEOS-10 for Boussinesq models, of conservative temperature, absolute salinity [g kg-1] and
/// depth: Roquet, Madec, McDougall and Barker 2015, Ocean Modelling 90, 29, appendix A.1 (55
/// terms). The polynomial in t = temperature / 40 and s = sqrt((salinity + 32) / (40 x 35.16504 /
/// 35)) is moved to the middle of the ocean's, where its terms are small.
template <class T>
class PolynomialDensity {
 public:
  PolynomialDensity(double depth, double reference) {
    const double z = 1e-4 * depth;
    double c[order][order];
    for (int j = 0; j < order; ++j)
      for (int i = 0; i < order; ++i)
        c[j][i] = terms[0][j][i] + z * (terms[1][j][i] + z * (terms[2][j][i] + z * terms[3][j][i]));
    c[0][0] += z * (profile[0] +
                    z * (profile[1] +
                         z * (profile[2] + z * (profile[3] + z * (profile[4] + z * profile[5])))));
    c[0][0] -= reference;
    for (int j = 0; j < order; ++j) move(c[j], 1, middle_root);
    for (int i = 0; i < order; ++i) move(&c[0][i], order, middle_temperature);
    for (int j = 0; j < order; ++j)
      for (int i = 0; i < order; ++i) c_[j][i] = static_cast<T>(c[j][i]);
  }

  template <class V>
  HD INLINE V operator()(V t, V s) const {
    const V x = positive_root(T(1.0 / salinity_unit) * (s + T(32))) - T(middle_root);
    const V y = T(1.0 / 40.0) * t - T(middle_temperature);
    return horner(y, row<6>(c_[0], x), row<5>(c_[1], x), row<4>(c_[2], x), row<3>(c_[3], x),
                  row<2>(c_[4], x), row<1>(c_[5], x), c_[6][0]);
  }

 private:
  static constexpr int order = 7;
  static constexpr double salinity_unit = 40.0 * 35.16504 / 35.0;
  static constexpr double middle_root = 1.29, middle_temperature = 0.2;
  static constexpr double profile[6] = {4.6494977072e+01, -5.2099962525e+00, 2.2601900708e-01,
                                        6.4326772569e-02, 1.5616995503e-02,  -1.7243708991e-03};
  /// By powers of depth / 10^4 m, of t and of s.
  static constexpr double terms[4][order][order] = {
      {{8.0189615746e+02, 8.6672408165e+02, -1.7864682637e+03, 2.0375295546e+03, -1.2849161071e+03,
        4.3227585684e+02, -6.0579916612e+01},
       {2.6010145068e+01, -6.5281885265e+01, 8.1770425108e+01, -5.6888046321e+01, 1.7681814114e+01,
        -1.9193502195e+00},
       {-3.7074170417e+01, 6.1548258127e+01, -6.0362551501e+01, 2.9130021253e+01,
        -5.4723692739e+00},
       {2.1661789529e+01, -3.3449108469e+01, 1.9717078466e+01, -3.1742946532e+00},
       {-8.3627885467e+00, 1.1311538584e+01, -5.3563304045e+00},
       {5.4048723791e-01, 4.8169980163e-01},
       {-1.9083568888e-01}},
      {{1.9681925209e+01, -4.2549998214e+01, 5.0774768218e+01, -3.0938076334e+01, 6.6051753097e+00},
       {-1.3336301113e+01, -4.4870114575e+00, 5.0042598061e+00, -6.5399043664e-01},
       {6.7080479603e+00, 3.5063081279e+00, -1.8795372996e+00},
       {-2.4649669534e+00, -5.5077101279e-01},
       {5.5927935970e-01}},
      {{2.0660924175e+00, -4.9527603989e+00, 2.5019633244e+00},
       {2.0564311499e+00, -2.1311365518e-01},
       {-1.2419983026e+00}},
      {{-2.3342758797e-02, -1.8507636718e-02}, {3.7969820455e-01}}};

  /// Coefficients of the same polynomial in x - middle.
  static void move(double* c, int stride, double middle) {
    for (int from = 0; from < order - 1; ++from)
      for (int n = order - 2; n >= from; --n) c[n * stride] += middle * c[(n + 1) * stride];
  }

  template <int Degree, class V>
  HD INLINE static V row(const T* c, V x) {
    if constexpr (Degree == 1) {
      return horner(x, c[0], c[1]);
    } else {
      return multiply_add(x, row<Degree - 1>(c + 1, x), c[0]);
    }
  }

  T c_[order][order];
};

/// Which equation, and the numbers of the linear one.
struct DensityNumbers {
  int equation;
  double reference, at, expansion, contraction, temperature, salinity;
};
enum class Equation { linear, rational, jackett, unesco, polynomial };

/// `body(make)`, where make(depth) is the density at a depth [m] by the equation that is asked for.
template <class T, class Body>
void with_equation(const DensityNumbers& some, const Body& body) {
  const double reference = some.reference;
  switch (static_cast<Equation>(some.equation)) {
    case Equation::linear:
      return body([&](double) {
        return LinearDensity<T>{static_cast<T>(some.at - reference), static_cast<T>(some.expansion),
                                static_cast<T>(some.contraction), static_cast<T>(some.temperature),
                                static_cast<T>(some.salinity)};
      });
    case Equation::rational:
      return body([&](double depth) { return RationalDensity<T>(depth, reference); });
    case Equation::jackett:
      return body(
          [&](double depth) { return SecantDensity<T>(jackett_modulus, depth, reference); });
    case Equation::unesco:
      return body([&](double depth) { return UnescoDensity<T>(depth, reference); });
    case Equation::polynomial:
      return body([&](double depth) { return PolynomialDensity<T>(depth, reference); });
  }
}

/// Temperature [degree C] at which sea water freezes, of salinity [1e-3] and pressure [dbar]:
/// Millero 1978, Unesco Technical Papers in Marine Science 28, annex 6 (Fofonoff and Millard 1983,
/// the same 44).
template <class V>
HD INLINE V freezing_temperature(V s, scalar_of<V> pressure) {
  using T = scalar_of<V>;
  const V root = positive_root(s);
  return s * horner(root, T(-0.0575), T(1.710523e-3), T(-2.154996e-4)) - T(7.53e-4) * pressure;
}

}  // namespace halocline
