#pragma once
#include <type_traits>

#include "elementary.hpp"
#include "pack.hpp"

/// Values with their derivatives by two variables: a function that is written for any type gives
/// its derivatives when it is called with these (forward differentiation).
namespace halocline {

template <class V>
struct Dual {
  V value, by_first, by_second;
};

template <class A>
inline constexpr bool is_dual = false;
template <class V>
inline constexpr bool is_dual<Dual<V>> = true;

template <class V>
HD INLINE Dual<V> operator+(Dual<V> a, Dual<V> b) {
  return {a.value + b.value, a.by_first + b.by_first, a.by_second + b.by_second};
}
template <class V>
HD INLINE Dual<V> operator-(Dual<V> a, Dual<V> b) {
  return {a.value - b.value, a.by_first - b.by_first, a.by_second - b.by_second};
}
template <class V>
HD INLINE Dual<V> operator*(Dual<V> a, Dual<V> b) {
  return {a.value * b.value, a.by_first * b.value + a.value * b.by_first,
          a.by_second * b.value + a.value * b.by_second};
}
template <class V>
HD INLINE Dual<V> operator/(Dual<V> a, Dual<V> b) {
  const V reciprocal = scalar_of<V>(1) / b.value, quotient = a.value * reciprocal;
  return {quotient, (a.by_first - quotient * b.by_first) * reciprocal,
          (a.by_second - quotient * b.by_second) * reciprocal};
}

/// With constants.
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator+(Dual<V> a, A b) {
  return {a.value + b, a.by_first, a.by_second};
}
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator+(A a, Dual<V> b) {
  return b + a;
}
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator-(Dual<V> a, A b) {
  return {a.value - b, a.by_first, a.by_second};
}
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator-(A a, Dual<V> b) {
  return {a - b.value, -b.by_first, -b.by_second};
}
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator*(A a, Dual<V> b) {
  return {a * b.value, a * b.by_first, a * b.by_second};
}
template <class V, class A>
  requires(!is_dual<A>)
HD INLINE Dual<V> operator*(Dual<V> a, A b) {
  return b * a;
}

template <class V, class B, class C>
HD INLINE Dual<V> multiply_add(Dual<V> a, B b, C c) {
  return a * b + c;
}

/// Square root of what is positive, 0 of the rest.
template <class V>
HD INLINE V positive_root(V x) {
  return square_root(maximum(x, V{}));
}
/// Its derivative counts as 0 where it has none, so that that of x times its root is right at 0.
template <class V>
HD INLINE Dual<V> positive_root(Dual<V> x) {
  using T = scalar_of<V>;
  const V root = positive_root(x.value);
  const V slope = x.value > V{} ? T(0.5) / root : V{};
  return {root, slope * x.by_first, slope * x.by_second};
}

/// first + x (second + x (...)); coefficients are numbers, or of the type of x.
template <class X, class A, class B>
HD INLINE X horner(X x, A first, B second) {
  return multiply_add(x, second, first);
}
template <class X, class A, class B, class... Rest>
HD INLINE X horner(X x, A first, B second, Rest... rest) {
  return multiply_add(x, horner(x, second, rest...), first);
}

}  // namespace halocline
