#pragma once
#include <array>
#include <cstddef>

/// Functions of points, and what they use: a device takes them as the host does. A check compiles
/// them as functions that the compiler evaluates, which call nothing that only a host has.
#if defined(__CUDACC__)
#define HD __host__ __device__
#elif defined(HALOCLINE_POINTS_AS_CONSTANTS)
#define HD constexpr
#else
#define HD
#endif

/// For small functions of points: a call would keep the loop around it from using the lanes.
#define INLINE inline __attribute__((always_inline))

/// For functions with a long loop: all that they call is put into them. A compiler leaves parts of
/// large loops as calls, which look up the addresses of all rows again for each pack of lanes.
#define FLAT __attribute__((flatten))

namespace halocline {

/// A strided view of an array that somebody else owns: `a(k, j, i)`, i contiguous in memory.
template <class T, int Rank>
struct View {
  T* data = nullptr;
  std::array<std::ptrdiff_t, Rank> extent{};
  std::array<std::ptrdiff_t, Rank> stride{};

  template <class... Index>
  HD T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank);
    const std::ptrdiff_t at[Rank] = {static_cast<std::ptrdiff_t>(index)...};
    std::ptrdiff_t offset = 0;
    for (int axis = 0; axis < Rank - 1; ++axis) offset += at[axis] * stride[axis];
    return data[offset + at[Rank - 1]];
  }

  /// Address of the first element of a row, a plane, ...: leading indices only.
  template <class... Index>
  HD T* row(Index... index) const {
    static_assert(sizeof...(Index) < Rank);
    const std::ptrdiff_t at[Rank] = {static_cast<std::ptrdiff_t>(index)...};
    std::ptrdiff_t offset = 0;
    for (std::size_t axis = 0; axis < sizeof...(Index); ++axis) offset += at[axis] * stride[axis];
    return data + offset;
  }
};

template <class T>
using View1 = View<T, 1>;
template <class T>
using View2 = View<T, 2>;
template <class T>
using View3 = View<T, 3>;
template <class T>
using View4 = View<T, 4>;

/// What a kernel has to compute of a block: cells [j0, j1) x [i0, i1) of the padded plane, and the
/// first `points` entries of compact (sea point) fields; halo points follow the owned ones.
struct Box {
  int j0 = 0, j1 = 0, i0 = 0, i1 = 0;
  std::ptrdiff_t points = 0;
};

}  // namespace halocline
