#pragma once
#include "atmosphere/constants.hpp"
#include "pack.hpp"
#include "view.hpp"

/// For bodies of loops over rows: addresses of rows are then found once for a row (GCC 12).
#define INTO_LOOP __attribute__((always_inline))

/// The hybrid dry-mass coordinate: layer k holds the dry mass c1 M + c2 per area and coordinate
/// [Pa] where the column holds M (Skamarock et al. 2019, NCAR/TN-556, section 2.2). Layers and
/// their interfaces count upward, and so does the coordinate here: it is 1 less eta.
namespace halocline::air {

/// What interpolates from layers to interfaces and back, whatever the column.
template <class T>
struct Layers {
  View1<const T> c1, c2;            ///< of layers
  View1<const T> c1_face, c2_face;  ///< of interfaces
  View1<const T> thickness;         ///< of layers, in the coordinate
  View1<const T> spacing;           ///< between the middles of layers at interfaces, halves at ends
  View1<const T> upper_share;       ///< weight of the layer above in a value at an interface
};

/// Stores a pack as values of its type: the compiler knows that no address of a row lies there, as
/// it does not of `store`, and keeps addresses in registers over a row (GCC 12).
template <class V>
INLINE void put(scalar_of<V>* to, V value) {
  typedef V Unaligned __attribute__((aligned(alignof(scalar_of<V>))));
  *reinterpret_cast<Unaligned*>(to) = value;
}

/// Asks for values of the next row: kernels read more fields than the hardware foresees.
template <class S>
INLINE void fetch_north(const View3<S>& of, int k, int j, std::ptrdiff_t i) {
  __builtin_prefetch(of.row(k, j + 1) + i);
}

/// Mass of a layer per area and coordinate [Pa] in a column of mass `column` [Pa].
template <class V>
INLINE V layer_mass(scalar_of<V> c1, scalar_of<V> c2, V column) {
  return c1 * column + splat<V>(c2);
}

/// A value at an interface between two layers.
template <class V>
INLINE V at_interface(scalar_of<V> upper_share, V above, V below) {
  return upper_share * above + (1 - upper_share) * below;
}

/// Mass of columns [Pa]: the base state's and what is added to it.
template <class T>
struct Columns {
  View2<const T> base_mass, mass;

  template <class V>
  INLINE V at(int j, std::ptrdiff_t i) const {
    return load<V>(base_mass.row(j) + i) + load<V>(mass.row(j) + i);
  }
  /// Twice the mean of the column and the one dj rows, di columns before it.
  template <class V>
  INLINE V two(int j, std::ptrdiff_t i, int dj, int di) const {
    return at<V>(j, i) + at<V>(j - dj, i - di);
  }
};

}  // namespace halocline::air
