#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "numerics/row_loops.hpp"

/// The pressure force along layers, for the whole state and for small changes of it.
namespace halocline::air {

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

  /// Force [Pa m s-2 m] times the distance, at the face between the cell and the one dj rows, di
  /// columns before it (Skamarock et al. 2019, equations 2.40 and 3.7).
  template <class V>
  INLINE V at(int k, int j, std::ptrdiff_t i, int dj, int di) const {
    const auto difference = [&](const View3<const T>& of, int k) __attribute__((always_inline)) {
      return load<V>(of.row(k, j) + i) - load<V>(of.row(k, j - dj) + i - di);
    };
    const auto sum = [&](const View3<const T>& of, int k) __attribute__((always_inline)) {
      return load<V>(of.row(k, j) + i) + load<V>(of.row(k, j - dj) + i - di);
    };
    const int levels = static_cast<int>(pressure.extent[0]);
    const T c1 = layers.c1(k), c2 = layers.c2(k), per_depth = 1 / layers.thickness(k);
    const V mass = T(0.5) * c1 * columns.template two<V>(j, i, dj, di) + c2;
    const V lifted = T(0.5) * (difference(geopotential, k + 1) + difference(geopotential, k));
    const V pushed = T(0.5) * sum(full_volume, k) * difference(pressure, k);
    V along = lifted + pushed;
    if (base_pressure.data != nullptr) {
      // sum of the changes of specific volume of the two cells, with one division
      const V own = layer_mass<V>(c1, c2, columns.template at<V>(j, i));
      const V other = layer_mass<V>(c1, c2, columns.template at<V>(j - dj, i - di));
      const V volume = volume_gain<V>(k, j, i, per_depth) * other +
                       volume_gain<V>(k, j - dj, i - di, per_depth) * own;
      along += T(0.5) * (volume / (own * other)) * difference(base_pressure, k);
    }
    const V here = sum(pressure, k);
    V above{}, below;
    if (k + 1 < levels)
      above = at_interface<V>(layers.upper_share(k + 1), sum(pressure, k + 1), here);
    if (k > 0)
      below = at_interface<V>(layers.upper_share(k), here, sum(pressure, k - 1));
    else
      below =
          to_ground(0) * here + (to_ground(1) * sum(pressure, 1) + to_ground(2) * sum(pressure, 2));
    const V load_change =
        load<V>(mass_change.row(j) + i) + load<V>(mass_change.row(j - dj) + i - di);
    const V unbalanced = T(0.5) * ((below - above) * per_depth - c1 * load_change);
    V force = mass * along + difference(middle_geopotential, k) * unbalanced;
    if (dilution.data != nullptr) force *= T(0.5) * sum(dilution, k);
    return -force;
  }

 private:
  /// Change of the specific volume times the mass of the layer [m2 s-2].
  template <class V>
  INLINE V volume_gain(int k, int j, std::ptrdiff_t i, T per_depth) const {
    const V deeper = load<V>(geopotential.row(k + 1, j) + i) - load<V>(geopotential.row(k, j) + i);
    const V more = layers.c1(k) * load<V>(mass_change.row(j) + i);
    return deeper * per_depth - load<V>(reference_volume.row(k, j) + i) * more;
  }
};

}  // namespace halocline::air
