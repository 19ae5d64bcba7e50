#pragma once
#include "biogeochemistry/bfm/cell.hpp"

/// Bacteria: they live on dissolved and particulate matter, and hold nutrients or give them back.
namespace halocline::biogeochemistry::bfm {

/// Numbers of bacteria, rates per second; bacteria.py says what each is.
template <class T>
struct BacteriaNumbers {
  T warming, oxygen_half, mortality;
  T uptake_rich_R1, uptake_poor_R1, uptake_R2, uptake_R3, uptake_R6;
  T maximum_rate, activity_respiration, anoxic_respiration, rest_respiration;
  T optimal_nitrogen, optimal_phosphorus, ammonium_half, phosphate_half;
  T nitrogen_relaxation, phosphorus_relaxation;
};

/// Shares of cytoplasm, which is dissolved, in what dies or is excreted.
template <class T>
struct CytoplasmNumbers {
  T carbon, nitrogen, phosphorus;
};

template <class V>
struct BacterialRates {
  V production;  ///< growth of carbon [mg m-3 s-1]
  V reduced;     ///< N6r made where there is no oxygen [mmol m-3 s-1]
};

/// The share of a process that goes on where oxygen is low.
template <class V>
HD INLINE V oxygen_cubed(V oxygen, scalar_of<V> half) {
  return ratio(power<3>(oxygen), V(power<3>(oxygen) + half * half * half));
}

/// Nitrogen or phosphorus to the optimal quota: what is too much is given off, what is missing
/// taken.
template <class V>
HD INLINE void relax_quota(Cell<V>& cell, Tracer constituent, Tracer nutrient, V optimal,
                           scalar_of<V> rate, scalar_of<V> half) {
  const V excess = rate * (cell[constituent] - optimal);
  cell.move(constituent, nutrient, positive(excess));
  cell.move(nutrient, constituent, V(positive(V(-excess)) * saturation(cell[nutrient], half)));
}

template <class V>
HD INLINE BacterialRates<V> bacteria(const BacteriaNumbers<scalar_of<V>>& o,
                                     const CytoplasmNumbers<scalar_of<V>>& cytoplasm,
                                     scalar_of<V> sulphide_per_oxygen,
                                     const Surroundings<V>& around, Cell<V>& cell) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1));
  const V c = cell[B1c], heat = around.heat(o.warming);
  const V oxic = oxygen_cubed(cell[O2o], o.oxygen_half);
  const auto quality = [&](V carbon, V n, V p) {
    const V best = minimum(V(ratio(n, carbon) / o.optimal_nitrogen),
                           V(ratio(p, carbon) / o.optimal_phosphorus));
    return minimum(one, best);
  };

  // uptake: the shares of the substrates in the supply
  const V rich = quality(cell[R1c], cell[R1n], cell[R1p]);
  const V rate_R1 = o.uptake_rich_R1 * rich + o.uptake_poor_R1 * (T(1) - rich);
  const V rate_R6 = o.uptake_R6 * quality(cell[R6c], cell[R6n], cell[R6p]);
  const V supply =
      rate_R1 * cell[R1c] + o.uptake_R2 * cell[R2c] + o.uptake_R3 * cell[R3c] + rate_R6 * cell[R6c];
  const V capacity = quality(c, cell[B1n], cell[B1p]) * heat * o.maximum_rate * c;
  const V met = ratio(minimum(capacity, supply), supply);
  const V respired = o.activity_respiration + o.anoxic_respiration * (T(1) - oxic);
  V uptake{}, production{};
  const auto take = [&](Tracer from, V rate) {
    const V amount = met * rate * cell[from], breath = amount * respired;
    cell.move(from, O3c, breath);
    cell.move(from, B1c, V(amount - breath));
    uptake += amount;
    production += amount - breath;
  };
  take(R1c, rate_R1);
  take(R2c, splat<V>(o.uptake_R2));
  take(R3c, splat<V>(o.uptake_R3));
  take(R6c, rate_R6);
  cell.move(R1n, B1n, V(met * rate_R1 * cell[R1n]));
  cell.move(R1p, B1p, V(met * rate_R1 * cell[R1p]));
  cell.move(R6n, B1n, V(met * rate_R6 * cell[R6n]));
  cell.move(R6p, B1p, V(met * rate_R6 * cell[R6p]));

  // respiration with oxygen, or with what takes its place
  const V rest = heat * o.rest_respiration * c, aerobic = o.activity_respiration * uptake + rest;
  cell.move(B1c, O3c, rest);
  cell.take(O2o, V(oxic * aerobic / T(carbon_mass)));
  const V reduced = sulphide_per_oxygen / T(carbon_mass) * (T(1) - oxic) *
                    (aerobic + o.anoxic_respiration * uptake);
  cell.make(N6r, reduced);

  // mortality, nutrients
  cell.lose(bacteria_tracers, V(o.mortality * heat), splat<V>(cytoplasm.carbon),
            splat<V>(cytoplasm.nitrogen), splat<V>(cytoplasm.phosphorus));
  relax_quota(cell, B1n, N4n, V(o.optimal_nitrogen * c), o.nitrogen_relaxation, o.ammonium_half);
  relax_quota(cell, B1p, N1p, V(o.optimal_phosphorus * c), o.phosphorus_relaxation,
              o.phosphate_half);
  return {V(production - rest), reduced};
}

}  // namespace halocline::biogeochemistry::bfm
