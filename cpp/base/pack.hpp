#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "view.hpp"

/// Lanes: physics is written for a type V that is a scalar or a SIMD vector of T; comparisons give
/// masks, and `mask ? a : b` selects lane by lane for both.
namespace halocline {

#ifndef __CUDACC__
template <class T, int Width>
struct PackOf {
  typedef T type __attribute__((vector_size(sizeof(T) * Width)));
};
template <class T>
struct PackOf<T, 1> {
  using type = T;
};
/// `Width` values of T that are computed together.
template <class T, int Width>
using pack = typename PackOf<T, Width>::type;

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif
/// Lanes of the hardware for T. Twice as many is five times slower (GCC).
template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
#else
/// On a GPU a lane is a thread.
template <class T, int Width>
using pack = T;
template <class T>
inline constexpr int lanes = 1;
#endif

template <class V, class = void>
struct Scalar {
  using type = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
};
template <class V>
struct Scalar<V, std::enable_if_t<std::is_arithmetic_v<V>>> {
  using type = V;
};
/// The element type of a scalar or pack.
template <class V>
using scalar_of = typename Scalar<V>::type;

template <class V>
inline constexpr int width_of = sizeof(V) / sizeof(scalar_of<V>);

template <class V>
using mask_of = decltype(std::declval<V>() < std::declval<V>());

/// The same value in every lane.
template <class V>
HD inline V splat(scalar_of<V> value) {
  if constexpr (std::is_arithmetic_v<V>) {
    return value;
  } else {
    return V{} + value;
  }
}

/// a < b ? a : b and a > b ? a : b. The one instruction that hardware has for it is named, since
/// GCC 12 makes a comparison and a selection of the expression; they give the same bits.
template <class V>
HD inline V minimum(V a, V b) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
  if constexpr (std::is_same_v<V, pack<float, 16>>) {
    return __builtin_ia32_minps512_mask(a, b, a, static_cast<unsigned short>(-1), 4);
  } else if constexpr (std::is_same_v<V, pack<double, 8>>) {
    return __builtin_ia32_minpd512_mask(a, b, a, static_cast<unsigned char>(-1), 4);
  }
#endif
  return a < b ? a : b;
}
template <class V>
HD inline V maximum(V a, V b) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
  if constexpr (std::is_same_v<V, pack<float, 16>>) {
    return __builtin_ia32_maxps512_mask(a, b, a, static_cast<unsigned short>(-1), 4);
  } else if constexpr (std::is_same_v<V, pack<double, 8>>) {
    return __builtin_ia32_maxpd512_mask(a, b, a, static_cast<unsigned char>(-1), 4);
  }
#endif
  return a > b ? a : b;
}
template <class V>
HD inline V absolute(V a) {
  return a < V{} ? -a : a;
}

namespace fused {
/// Scalars beside packs go into every lane.
template <class V, class A>
HD inline V widened(A a) {
  if constexpr (std::is_same_v<A, V>) {
    return a;
  } else {
    return splat<V>(a);
  }
}

/// a * b + c of one type.
template <class V>
HD inline V multiply_add(V a, V b, V c) {
  if constexpr (std::is_arithmetic_v<V>) {
    return std::fma(a, b, c);
#if !defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<V, pack<float, 16>>) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), 4);
  } else if constexpr (std::is_same_v<V, pack<double, 8>>) {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<unsigned char>(-1), 4);
#endif
#if defined(__FMA__)
  } else if constexpr (std::is_same_v<V, pack<float, 8>>) {
    return __builtin_ia32_vfmaddps256(a, b, c);
  } else if constexpr (std::is_same_v<V, pack<double, 4>>) {
    return __builtin_ia32_vfmaddpd256(a, b, c);
#endif
#endif
  } else {
    V result{};
    for (int lane = 0; lane < width_of<V>; ++lane)
      result[lane] = std::fma(a[lane], b[lane], c[lane]);
    return result;
  }
}
}  // namespace fused

/// a * b + c of scalars and packs, rounded once: one instruction where the processor has it (x86
/// since 2013, every GPU), the same bits everywhere (docs/decisions/0008-fused-multiply-add.md).
template <class A, class B, class C>
HD inline auto multiply_add(A a, B b, C c) {
  using V = std::conditional_t<!std::is_arithmetic_v<A>, A,
                               std::conditional_t<!std::is_arithmetic_v<B>, B, C>>;
  static_assert(sizeof(scalar_of<A>) == sizeof(scalar_of<V>) &&
                sizeof(scalar_of<B>) == sizeof(scalar_of<V>) &&
                sizeof(scalar_of<C>) == sizeof(scalar_of<V>));
  return fused::multiply_add<V>(fused::widened<V>(a), fused::widened<V>(b), fused::widened<V>(c));
}

/// Whether any lane of a mask is set. The one instruction that hardware has for it is named: GCC 12
/// takes the lanes apart.
template <class M>
HD inline bool any(M mask) {
  if constexpr (std::is_arithmetic_v<M>) {
    return mask;
#if !defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
#if defined(__AVX512F__)
  } else if constexpr (sizeof(M) == 64) {
    const auto bits = reinterpret_cast<pack<long long, 8>>(mask);
    return __builtin_ia32_ptestmq512(bits, bits, static_cast<unsigned char>(-1)) != 0;
#endif
#if defined(__AVX__)
  } else if constexpr (sizeof(M) == 32) {
    const auto bits = reinterpret_cast<pack<long long, 4>>(mask);
    return __builtin_ia32_ptestz256(bits, bits) == 0;
#endif
#endif
  } else {
    std::remove_cvref_t<decltype(mask[0])> found = 0;
    for (int lane = 0; lane < static_cast<int>(sizeof(M) / sizeof(mask[0])); ++lane)
      found |= mask[lane];
    return found != 0;
  }
}

/// Unaligned load and store of one pack.
template <class V>
HD inline V load(const scalar_of<V>* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}
template <class V>
HD inline void store(scalar_of<V>* to, V value) {
  std::memcpy(to, &value, sizeof(V));
}

}  // namespace halocline
