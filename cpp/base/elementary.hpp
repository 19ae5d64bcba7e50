#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pack.hpp"

/// Elementary functions without branches, for a scalar or a pack: every lane of a pack of any width
/// has the bits of the scalar function, on a CPU and (compiled without contraction) on a GPU.
///
/// Errors, in units in the last place (measured over all float32 inputs and many float64 ones):
/// exp, log, sin, cos below 1; tan, atan2, tanh, cube_root below 3; sinh, cosh below 4; pow(x, y)
/// below 2 + 2.5 |y log x|; sines and cosines below 1e-4 have the absolute error of 1e-4. Angles
/// are taken up to 8192 (float) and 1e6 (double); beyond, the result is NaN. The polynomials
/// interpolate the functions at Chebyshev points and were computed for this file with 60 digits.
namespace halocline {

namespace elementary {

template <class V>
struct IntegerOf {
  using type = mask_of<V>;
};
template <>
struct IntegerOf<float> {
  using type = std::int32_t;
};
template <>
struct IntegerOf<double> {
  using type = std::int64_t;
};
/// The integer of the same size and width as V.
template <class V>
using integer_of = typename IntegerOf<V>::type;

template <class V>
inline constexpr bool is_single = sizeof(scalar_of<V>) == 4;
template <class V>
inline constexpr int mantissa_bits = is_single<V> ? 23 : 52;
template <class V>
inline constexpr int exponent_bias = is_single<V> ? 127 : 1023;

template <class To, class From>
HD inline To bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

/// An integer constant in every lane.
template <class I>
HD inline I integer(std::int64_t value) {
  if constexpr (std::is_arithmetic_v<I>) {
    return static_cast<I>(value);
  } else {
    using Element = std::remove_cvref_t<decltype(I{}[0])>;
    return I{} + static_cast<Element>(value);
  }
}

/// 2^n for integer n between the exponents of the smallest and largest normal numbers.
template <class V>
HD inline V power_of_two(integer_of<V> n) {
  using I = integer_of<V>;
  return bits<V>((n + integer<I>(exponent_bias<V>)) << mantissa_bits<V>);
}

/// Adding this to a number of moderate size rounds it to an integer, in the lowest bits of the sum.
template <class V>
HD inline V rounder() {
  return splat<V>(is_single<V> ? scalar_of<V>(12582912) : scalar_of<V>(6755399441055744));
}

/// A number of moderate size as the nearest integer, and that integer as a number.
template <class V>
struct Rounded {
  integer_of<V> integer;
  V value;
};
template <class V>
HD inline Rounded<V> round(V x) {
  const V shifted = x + rounder<V>();
  return {bits<integer_of<V>>(shifted) - bits<integer_of<V>>(rounder<V>()), shifted - rounder<V>()};
}

/// An integer of moderate size as a number.
template <class V>
HD inline V number(integer_of<V> n) {
  return bits<V>(n + bits<integer_of<V>>(rounder<V>())) - rounder<V>();
}

/// The whole part of a number that fits an integer of its size, and an integer as a number.
template <class V>
HD inline integer_of<V> truncated(V x) {
#ifndef __CUDACC__
  if constexpr (!std::is_arithmetic_v<V>) return __builtin_convertvector(x, integer_of<V>);
#endif
  if constexpr (std::is_arithmetic_v<V>) return static_cast<integer_of<V>>(x);
}
template <class V>
HD inline V converted(integer_of<V> n) {
#ifndef __CUDACC__
  if constexpr (!std::is_arithmetic_v<V>) return __builtin_convertvector(n, V);
#endif
  if constexpr (std::is_arithmetic_v<V>) return static_cast<V>(n);
}

/// first + x (second + x (...)).
template <class V>
HD inline V polynomial(V, double last) {
  return splat<V>(static_cast<scalar_of<V>>(last));
}
template <class V, class... Rest>
HD inline V polynomial(V x, double first, double second, Rest... rest) {
  return multiply_add(x, polynomial(x, second, rest...), static_cast<scalar_of<V>>(first));
}

template <class V>
HD inline V infinity() {
  return splat<V>(static_cast<scalar_of<V>>(HUGE_VAL));
}
template <class V>
HD inline V not_a_number() {
  return infinity<V>() - infinity<V>();
}

/// `value` with its sign changed where that of `sign` is set.
template <class V>
HD inline V with_sign_of(V value, V sign) {
  using I = integer_of<V>;
  const I top = integer<I>(1) << (8 * static_cast<int>(sizeof(scalar_of<V>)) - 1);
  return bits<V>(bits<I>(value) ^ (bits<I>(sign) & top));
}

/// The number without its sign.
template <class V>
HD inline V magnitude(V value) {
  using I = integer_of<V>;
  const I top = integer<I>(1) << (8 * static_cast<int>(sizeof(scalar_of<V>)) - 1);
  return bits<V>(bits<I>(value) & ~top);
}

}  // namespace elementary

/// Square root, correctly rounded.
template <class V>
HD inline V square_root(V x) {
  if constexpr (std::is_arithmetic_v<V>) {
    return std::sqrt(x);
  } else {
    V result;
    for (int lane = 0; lane < width_of<V>; ++lane) result[lane] = std::sqrt(x[lane]);
    return result;
  }
}

namespace elementary {
/// e to the power x as a mantissa near 1 and a power of two.
template <class V>
struct Exponential {
  V mantissa;
  integer_of<V> exponent;
};
template <class V>
HD inline Exponential<V> exponential(V x) {
  using T = scalar_of<V>;
  constexpr bool single = is_single<V>;
  constexpr T ln2_high = single ? T(0.693359375) : T(6.93147180369123816490e-01);
  constexpr T ln2_low = single ? T(-2.12194440e-4) : T(1.90821492927058770002e-10);
  const auto n = round<V>(x * T(1.44269504088896340736));
  const V r = (x - n.value * ln2_high) - n.value * ln2_low;
  V q;
  if constexpr (single) {
    q = polynomial(r, 5.000000000e-01, 1.666657689e-01, 4.166655450e-02, 8.363194882e-03,
                   1.392620336e-03);
  } else {
    q = polynomial(r, 5.0e-01, 1.66666666666666713e-01, 4.16666666666666713e-02,
                   8.33333333332612024e-03, 1.38888888888837373e-03, 1.98412698748739747e-04,
                   2.48015873255858388e-05, 2.75572553325544091e-06, 2.75572735947994133e-07,
                   2.51052451539013709e-08, 2.09147070696123546e-09);
  }
  return {T(1) + (r + r * r * q), n.integer};
}
}  // namespace elementary

/// e to the power x; results below the normal range are rounded correctly to zero or a denormal.
template <class V>
HD inline V exp(V x) {
  using T = scalar_of<V>;
  namespace el = elementary;
  constexpr bool single = el::is_single<V>;
  constexpr T lowest = single ? T(-104) : T(-746);
  constexpr T highest = single ? T(88.7228394) : T(709.782712893384);
  const V inside = minimum(maximum(x, splat<V>(lowest)), splat<V>(highest));
  const auto found = el::exponential(inside);
  const auto half = found.exponent >> 1;
  const V y =
      found.mantissa * el::power_of_two<V>(half) * el::power_of_two<V>(found.exponent - half);
  const V bounded = x > highest ? el::infinity<V>() : y;
  return x == x ? bounded : x;
}

/// exp(x) for |x| <= 87, of the same bits, with less work.
template <class V>
HD inline V exp_moderate(V x) {
  const auto found = elementary::exponential(x);
  return found.mantissa * elementary::power_of_two<V>(found.exponent);
}

/// Natural logarithm; NaN below 0.
template <class V>
HD inline V log(V x) {
  using T = scalar_of<V>;
  namespace el = elementary;
  using I = el::integer_of<V>;
  constexpr bool single = el::is_single<V>;
  constexpr T smallest = single ? T(1.17549435e-38) : T(2.2250738585072014e-308);
  constexpr T ln2_high = single ? T(0.693359375) : T(6.93147180369123816490e-01);
  constexpr T ln2_low = single ? T(-2.12194440e-4) : T(1.90821492927058770002e-10);
  constexpr T lift = single ? T(8388608) : T(4503599627370496);

  const auto denormal = x < smallest;
  const V normal = denormal ? x * lift : x;
  const I raw = el::bits<I>(normal);
  const I shifted = raw - el::bits<I>(splat<V>(T(0.70710678118654752440)));
  const I exponent = shifted >> el::mantissa_bits<V>;
  const V f = el::bits<V>(raw - (exponent << el::mantissa_bits<V>)) - T(1);
  const V e = el::number<V>(exponent) - (denormal ? splat<V>(T(el::mantissa_bits<V>)) : V{});
  const V half_square = T(0.5) * f * f;
  V result;
  if constexpr (single) {
    const V p = el::polynomial(f, 3.333333118e-01, -2.499999695e-01, 2.000071614e-01,
                               -1.666780363e-01, 1.424904424e-01, -1.242564301e-01, 1.168551610e-01,
                               -1.148013245e-01, 6.971862657e-02);
    result = e * ln2_high + (f - (half_square - (f * f * f * p + e * ln2_low)));
  } else {
    const V s = f / (T(2) + f);
    const V z = s * s;
    const V p = z * el::polynomial(z, 6.66666666666666963e-01, 3.99999999998994493e-01,
                                   2.85714286260014272e-01, 2.22222111305607262e-01,
                                   1.81828894337575153e-01, 1.53317113466729965e-01,
                                   1.46165764216443866e-01);
    result = e * ln2_high - ((half_square - (s * (half_square + p) + e * ln2_low)) - f);
  }
  result = x < el::infinity<V>() ? result : x;
  result = x == V{} ? -el::infinity<V>() : result;
  return x < V{} ? el::not_a_number<V>() : result;
}

/// x to the power y for x >= 0; the relative error grows as |y log x|.
template <class V>
HD inline V pow(V x, V y) {
  return exp(y * log(x));
}
template <class V>
HD inline V pow(V x, std::type_identity_t<scalar_of<V>> y)
  requires(!std::is_arithmetic_v<V>)
{
  return exp(y * log(x));
}

/// x multiplied N times with itself.
template <int N, class V>
HD inline V power(V x) {
  static_assert(N >= 1);
  if constexpr (N == 1) {
    return x;
  } else if constexpr (N % 2 == 0) {
    return power<N / 2>(x * x);
  } else {
    return x * power<N - 1>(x);
  }
}

template <class V>
HD inline V cube_root(V x) {
  using T = scalar_of<V>;
  const V size = absolute(x);
  const V guess = exp(T(1.0 / 3.0) * log(size));
  const V better = guess - (guess - size / (guess * guess)) * T(1.0 / 3.0);
  const V root = size > V{} ? better : size;
  return elementary::with_sign_of(root, x);
}

/// Sine and cosine of one angle.
template <class V>
struct SineCosine {
  V sine, cosine;
};

/// Sine and cosine of an angle [rad] of moderate size.
template <class V>
HD inline SineCosine<V> sine_cosine(V x) {
  using T = scalar_of<V>;
  namespace el = elementary;
  using I = el::integer_of<V>;
  constexpr bool single = el::is_single<V>;
  constexpr T limit = single ? T(8192) : T(1e6);
  constexpr T part_1 = single ? T(1.5703125) : T(1.57079632673412561417e+00);
  constexpr T part_2 = single ? T(4.837512969970703e-04) : T(6.07710050630396597660e-11);
  constexpr T part_3 = single ? T(7.549533620476723e-08) : T(2.02226624871116645580e-21);
  constexpr T part_4 = single ? T(2.563344151594519e-12) : T(8.47842766036889956997e-32);

  const auto n = el::round<V>(x * T(0.63661977236758134308));
  const V first = x - n.value * part_1;
  const V second = n.value * part_2;
  const V near = first - second;
  const V rest = (n.value * part_3 - ((first - near) - second)) + n.value * part_4;
  const V r = near - rest;
  const V r_low = (near - r) - rest;
  const V z = r * r;
  const V half = T(0.5) * z;
  const V one_less = T(1) - half;
  const V lost = (T(1) - one_less) - half;
  V sine, cosine;
  if constexpr (single) {
    sine = el::polynomial(z, -1.666666466e-01, 8.332748177e-03, -1.958787058e-04);
    cosine = el::polynomial(z, 4.166666466e-02, -1.388830294e-03, 2.454792175e-05);
  } else {
    sine = el::polynomial(z, -1.66666666666666657e-01, 8.33333333333094797e-03,
                          -1.98412698367571208e-04, 2.75573161017990920e-06,
                          -2.50511316880002971e-08, 1.59181179838488148e-10);
    cosine = el::polynomial(z, 4.16666666666666644e-02, -1.38888888888873976e-03,
                            2.48015872987647777e-05, -2.75573172712585145e-07,
                            2.08761461701839760e-09, -1.13826253494475925e-11);
  }
  sine = r + (r * z * sine + r_low);
  cosine = one_less + (lost + (z * z * cosine - r * r_low));
  const auto swapped = (n.integer & el::integer<I>(1)) != el::integer<I>(0);
  const auto sine_flips = (n.integer & el::integer<I>(2)) != el::integer<I>(0);
  const auto cosine_flips =
      ((n.integer + el::integer<I>(1)) & el::integer<I>(2)) != el::integer<I>(0);
  const V s = swapped ? cosine : sine;
  const V c = swapped ? sine : cosine;
  const auto valid = absolute(x) <= limit;
  const V nothing = el::not_a_number<V>();
  return {valid ? (sine_flips ? -s : s) : nothing, valid ? (cosine_flips ? -c : c) : nothing};
}

template <class V>
HD inline V sin(V x) {
  return sine_cosine(x).sine;
}
template <class V>
HD inline V cos(V x) {
  return sine_cosine(x).cosine;
}
template <class V>
HD inline V tan(V x) {
  const auto both = sine_cosine(x);
  return both.sine / both.cosine;
}

/// Angle of the vector (x, y) [rad], between -pi and pi; atan2(0, 0) is 0.
template <class V>
HD inline V atan2(V y, V x) {
  using T = scalar_of<V>;
  namespace el = elementary;
  constexpr T pi = T(3.14159265358979323846);
  constexpr T pi_rest =
      el::is_single<V> ? T(-8.74227765734758577e-08) : T(1.22464679914735317723e-16);
  const V across = absolute(y), along = absolute(x);
  const auto steep = across > along;
  const V small = steep ? along : across;
  const V large = steep ? across : along;
  const auto middle = small > T(0.41421356237309504880) * large;
  const V above = middle ? small - large : small;
  const V below = middle ? small + large : large;
  const V t = above / (below == V{} ? splat<V>(T(1)) : below);
  const V z = t * t;
  V series;
  if constexpr (el::is_single<V>) {
    series = el::polynomial(z, -3.333333176e-01, 1.999954041e-01, -1.426395317e-01, 1.074370526e-01,
                            -6.451841277e-02);
  } else {
    series = el::polynomial(
        z, -3.33333333333333315e-01, 1.99999999999998040e-01, -1.42857142856598063e-01,
        1.11111111051534289e-01, -9.09090875340049925e-02, 7.69229637212996420e-02,
        -6.66642483361355176e-02, 5.87892839851723234e-02, -5.23044985670924056e-02,
        4.55157308666419083e-02, -3.45700441860955360e-02, 1.62851830298656672e-02);
  }
  V angle = t + t * z * series;
  angle = middle ? T(0.25) * pi + (angle + T(0.25) * pi_rest) : angle;
  angle = steep ? T(0.5) * pi - (angle - T(0.5) * pi_rest) : angle;
  angle = el::with_sign_of(splat<V>(T(1)), x) < V{} ? pi - (angle - pi_rest) : angle;
  return el::with_sign_of(angle, y);
}
template <class V>
HD inline V atan(V x) {
  return atan2(x, splat<V>(1));
}

namespace elementary {
/// (sinh(x) - x) / x^3 for |x| <= 1, of z = x^2.
template <class V>
HD inline V hyperbolic_sine_series(V z) {
  if constexpr (is_single<V>) {
    return polynomial(z, 1.666666665e-01, 8.333339676e-03, 1.983810197e-04, 2.806280258e-06);
  } else {
    return polynomial(z, 1.66666666666666657e-01, 8.33333333333329852e-03, 1.98412698413241977e-04,
                      2.75573191913818156e-06, 2.50521176959078228e-08, 1.60576796238016376e-10,
                      7.74617859301882728e-13);
  }
}
}  // namespace elementary

template <class V>
HD inline V sinh(V x) {
  using T = scalar_of<V>;
  const V size = absolute(x);
  const V root = exp(T(0.5) * size);
  const V large = (T(0.5) * root) * root - (T(0.5) / root) / root;
  const V small = size + size * size * size * elementary::hyperbolic_sine_series(size * size);
  return elementary::with_sign_of(size < T(1) ? small : large, x);
}
template <class V>
HD inline V cosh(V x) {
  using T = scalar_of<V>;
  const V root = exp(T(0.5) * absolute(x));
  return (T(0.5) * root) * root + (T(0.5) / root) / root;
}
template <class V>
HD inline V tanh(V x) {
  using T = scalar_of<V>;
  namespace el = elementary;
  const V size = absolute(x);
  const V z = size * size;
  V series;
  if constexpr (el::is_single<V>) {
    series = el::polynomial(z, -3.333332894e-01, 1.333276974e-01, -5.385090958e-02, 2.099717900e-02,
                            -6.096714166e-03);
  } else {
    series =
        el::polynomial(z, -3.33333333333333204e-01, 1.33333333333266579e-01,
                       -5.39682539613955681e-02, 2.18694882605591154e-02, -8.86322983092570869e-03,
                       3.59205897747345545e-03, -1.45530929753464201e-03, 5.87437286009438145e-04,
                       -2.30776162695198569e-04, 7.95995573526480781e-05, -1.72448744948443291e-05);
  }
  const V small = size + size * z * series;
  const V large = T(1) - T(2) / (exp(T(2) * size) + T(1));
  return el::with_sign_of(size < T(0.625) ? small : large, x);
}

}  // namespace halocline
