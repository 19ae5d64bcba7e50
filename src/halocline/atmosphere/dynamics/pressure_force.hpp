#pragma once
#include <type_traits>

#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/patches.hpp"
#include "numerics/row_loops.hpp"

/// The pressure force along layers, for the whole state and for small changes of it.
namespace halocline::air {

/// What the faces of cells share: a thread keeps it of two rows of one layer.
template <class T>
class ForceRows {
 public:
  explicit ForceRows(const Patches& patches) : rows_(patches, 8) {}

  void begin(Box patch) { rows_.begin(patch); }
  T* lifted(int j) { return rows_.at(j & 1); }        ///< twice the geopotential of the middle
  T* volume(int j) { return rows_.at(2 + (j & 1)); }  ///< change of the specific volume
  T* layer(int j) { return rows_.at(4 + (j & 1)); }   ///< mass per coordinate
  T* upward(int j) { return rows_.at(6 + (j & 1)); }  ///< twice what is not in balance

 private:
  PatchRows<T> rows_;
};

/// The force at a row of western or southern faces.
template <class T, bool eastward, bool sloping, bool moist>
struct FaceForce {
  /// A row of cells of a field, and the one to the south.
  struct CellRow {
    const T *here, *south;
    CellRow(const View3<const T>& of, int k, int j)
        : here(of.data ? of.row(k, j) : nullptr), south(of.data ? of.row(k, j - 1) : nullptr) {}
    CellRow(const T* here, const T* south) : here(here), south(south) {}
  };
  CellRow lifted, layer, upward, gained, volume, pressure, middle, base, dilution;

  /// Less four times the force [Pa m s-2 m] times the distance between centres (Skamarock et al.
  /// 2019, equations 2.40 and 3.7).
  template <class V>
  INLINE V at(std::ptrdiff_t i) const {
    V along = multiply_add(sum<V>(volume, i), step<V>(pressure, i), step<V>(lifted, i));
    if constexpr (sloping) along = multiply_add(sum<V>(gained, i), step<V>(base, i), along);
    V force = multiply_add(step<V>(middle, i), sum<V>(upward, i), sum<V>(layer, i) * along);
    if constexpr (moist) force *= T(0.5) * sum<V>(dilution, i);
    return force;
  }

 private:
  template <class V>
  INLINE V before(const CellRow& of, std::ptrdiff_t i) const {
    return eastward ? load<V>(of.here + i - 1) : load<V>(of.south + i);
  }
  template <class V>
  INLINE V sum(const CellRow& of, std::ptrdiff_t i) const {
    return load<V>(of.here + i) + before<V>(of, i);
  }
  template <class V>
  INLINE V step(const CellRow& of, std::ptrdiff_t i) const {
    return load<V>(of.here + i) - before<V>(of, i);
  }
};

/// What moves: the changes of pressure [Pa], geopotential [m2 s-2] and column mass [Pa].
/// Where layers slope, `base_pressure` has values, and `reference_volume` is what the change of the
/// specific volume counts from [m3 kg-1].
template <class T>
struct PressureForce {
  Layers<T> layers;
  Columns<T> columns;
  View2<const T> mass_change;
  View3<const T> pressure, geopotential;            // changes
  View3<const T> full_volume, middle_geopotential;  // of the state
  View3<const T> base_pressure, reference_volume;   // empty where layers are level
  View3<const T> dilution;   // dry mass over all mass, empty where air is dry
  View1<const T> to_ground;  // weights of the lowest three layers at the ground

  /// `work(sloping, moist)` with types that say what there is.
  template <class Work>
  void choose(const Work& work) const {
    const auto with = [&](auto sloping) {
      dilution.data != nullptr ? work(sloping, std::true_type{}) : work(sloping, std::false_type{});
    };
    base_pressure.data != nullptr ? with(std::true_type{}) : with(std::false_type{});
  }

  /// What the faces of a row of cells [i0, i1) and of the one before it share.
  template <bool sloping>
  void share_row(ForceRows<T>& rows, int k, int j, int i0, int i1) const {
    share<sloping>(rows, k, j, i0 - 1, i0);
    share<sloping>(rows, k, j, i0, i1);
  }
  /// The same of cells [a, b).
  template <bool sloping>
  void share(ForceRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T c1 = layers.c1(k), c2 = layers.c2(k), per_depth = 1 / layers.thickness(k);
    const int top = static_cast<int>(pressure.extent[0]) - 1;
    const T upper = k < top ? layers.upper_share(k + 1) : T(0), lower = layers.upper_share(k);
    over_row_again<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      fetch_north(geopotential, k + 1, j, i);
      fetch_north(full_volume, k, j, i);
      if constexpr (sloping) fetch_north(reference_volume, k, j, i);
      if (dilution.data != nullptr) fetch_north(dilution, k, j, i);
      if (k < top) fetch_north(pressure, k + 1, j, i);
      const V under = load<V>(geopotential.row(k, j) + i);
      const V over = load<V>(geopotential.row(k + 1, j) + i);
      const V more = c1 * load<V>(mass_change.row(j) + i);
      const V layer = layer_mass<V>(c1, c2, columns.template at<V>(j, i));
      put<V>(rows.lifted(j) + i, over + under);
      put<V>(rows.layer(j) + i, layer);
      if constexpr (sloping) {
        const V gain = (over - under) * per_depth - load<V>(reference_volume.row(k, j) + i) * more;
        put<V>(rows.volume(j) + i, gain / layer);
      }
      const V here = load<V>(pressure.row(k, j) + i);
      V above{}, below;
      if (k < top) above = at_interface<V>(upper, load<V>(pressure.row(k + 1, j) + i), here);
      if (k > 0)
        below = at_interface<V>(lower, here, load<V>(pressure.row(k - 1, j) + i));
      else
        below = to_ground(0) * here + (to_ground(1) * load<V>(pressure.row(1, j) + i) +
                                       to_ground(2) * load<V>(pressure.row(2, j) + i));
      put<V>(rows.upward(j) + i, T(2) * ((below - above) * per_depth - more));
    });
  }

  /// At the western or southern faces of a row, after its cells and those to the south are shared.
  template <bool eastward, bool sloping, bool moist>
  FaceForce<T, eastward, sloping, moist> at(ForceRows<T>& rows, int k, int j) const {
    return {{rows.lifted(j), rows.lifted(j - 1)},
            {rows.layer(j), rows.layer(j - 1)},
            {rows.upward(j), rows.upward(j - 1)},
            {rows.volume(j), rows.volume(j - 1)},
            {full_volume, k, j},
            {pressure, k, j},
            {middle_geopotential, k, j},
            {base_pressure, k, j},
            {dilution, k, j}};
  }
};

}  // namespace halocline::air
