#pragma once
#include "biogeochemistry/bfm/cell.hpp"

/// Nitrogen, sulphide, silica and calcite without life.
namespace halocline::biogeochemistry::bfm {

/// Numbers of the chemistry, rates per second; chemistry.py says what each is.
template <class T>
struct ChemistryNumbers {
  T nitrification, nitrogen_warming, oxygen_half, oxygen_per_nitrified;
  T reoxidation, sulphide_per_oxygen;
  T denitrification, sulphide_half, anoxic_reference, oxygen_per_denitrified;
  T silica_dissolution, silica_warming, calcite_dissolution, calcite_order;
  T alkalinity_of_nitrogen;
};

/// @param[in] reduced  N6r that bacteria make [mmol m-3 s-1]
template <class V>
HD INLINE void chemistry(const ChemistryNumbers<scalar_of<V>>& o, V reduced,
                         const Surroundings<V>& around, Cell<V>& cell) {
  using T = scalar_of<V>;
  const V heat = around.heat(o.nitrogen_warming), oxic = saturation(cell[O2o], o.oxygen_half);

  const V nitrified = o.nitrification * heat * oxic * cell[N4n];
  cell.move(N4n, N3n, nitrified);
  cell.take(O2o, V(o.oxygen_per_nitrified * nitrified));

  const V mineralised = reduced / (o.sulphide_per_oxygen * o.anoxic_reference);
  const V denitrified =
      o.denitrification * heat * saturation(cell[N6r], o.sulphide_half) * mineralised * cell[N3n];
  cell.move(N3n, O4n, denitrified);
  const auto scarce = cell[O2o] < cell[N6r] / o.sulphide_per_oxygen;
  const V oxidised = o.sulphide_per_oxygen * o.oxygen_per_denitrified * denitrified;
  cell.take(N6r, scarce ? oxidised : V{});

  const V reoxidised = o.reoxidation * oxic * cell[N6r];
  cell.take(N6r, reoxidised);
  cell.take(O2o, V(reoxidised / o.sulphide_per_oxygen));

  cell.move(R6s, N5s, V(o.silica_dissolution * around.heat(o.silica_warming) * cell[R6s]));

  const V undersaturation = positive(V(T(1) - around.calcite_saturation));
  if (any(undersaturation > V{})) {
    const V some =
        o.calcite_order == T(1) ? undersaturation : pow(undersaturation, splat<V>(o.calcite_order));
    cell.dissolve_calcite(V(o.calcite_dissolution * some * cell[O5c]));
  }
}

/// Alkalinity rises as ammonium does and falls as nitrate rises (Wolf-Gladrow et al. 2007); the
/// last of all processes of a cell.
template <class V>
HD INLINE void nitrogen_to_alkalinity(Cell<V>& cell) {
  cell.make(O3h, V(cell.gain[N4n] + cell.loss[N3n]));
  cell.take(O3h, V(cell.loss[N4n] + cell.gain[N3n]));
}

}  // namespace halocline::biogeochemistry::bfm
