#pragma once
#include "biogeochemistry/bfm/bacteria.hpp"
#include "biogeochemistry/bfm/grazing.hpp"

/// Mesozooplankton: what they build follows the scarcest of carbon, nitrogen and phosphorus.
namespace halocline::biogeochemistry::bfm {

/// Numbers of a group, rates per second; mesozooplankton.py says what each is.
template <class T>
struct MesozooplanktonNumbers {
  T warming, rest_respiration, maximum_rate, search_volume, assimilation, egestion;
  T oxygen_mortality, density_mortality, egested_calcite, oxygen_half;
  T nitrogen_quota, phosphorus_quota;
  DietNumbers<T> diet;
};

template <class V>
HD INLINE void mesozooplankton(const MesozooplanktonNumbers<scalar_of<V>>& o,
                               const Constituents& at, const Surroundings<V>& around,
                               const Rains<V>& rains, Cell<V>& cell) {
  using T = scalar_of<V>;
  const V c = cell[at.c], heat = around.heat(o.warming);
  const V oxic = oxygen_cubed(cell[O2o], o.oxygen_half);
  const auto worth = [&](V) { return splat<V>(T(1)); };
  const V found = o.search_volume * food(o.diet, worth, cell);
  const V rate = heat * o.maximum_rate * o.search_volume * c / (found + o.maximum_rate);
  const Ingestion<V> eaten = graze(o.diet, worth, rate, o.egested_calcite, rains, cell);

  // carbon of the food: egested, respired, the rest may be built in
  const V egested = o.egestion * eaten.c, growth = o.assimilation * eaten.c;
  const V busy = eaten.c - egested - growth;
  cell.make(R6c, egested);
  cell.make(O3c, busy);
  cell.take(O2o, V(busy / T(carbon_mass)));
  cell.respire(at.c, V(heat * o.rest_respiration * c));

  // nutrients of the food, and which of the three limits
  const V out_n = o.egestion * eaten.n, usable_n = eaten.n - out_n;
  const V out_p = o.egestion * eaten.p, usable_p = eaten.p - out_p;
  cell.make(R6n, out_n);
  cell.make(R6p, out_p);
  const V own_n = ratio(cell[at.n], c), own_p = ratio(cell[at.p], c);
  const V new_n = ratio(usable_n, growth), new_p = ratio(usable_p, growth);
  const V rich_n = ratio(new_n, own_n), rich_p = ratio(new_p, own_p);
  const auto by_p = (rich_p <= rich_n) & (new_p < own_p);
  const auto by_n = (rich_n < rich_p) & (new_n < own_n);
  const V for_n = usable_n / o.nitrogen_quota, for_p = usable_p / o.phosphorus_quota;
  const V enough = by_p ? for_p : (by_n ? for_n : growth);
  const V built = minimum(growth, enough);
  const V kept_n = by_n ? usable_n : minimum(usable_n, V(o.nitrogen_quota * built));
  const V kept_p = by_p ? usable_p : minimum(usable_p, V(o.phosphorus_quota * built));
  cell.make(at.c, built);
  cell.make(at.n, kept_n);
  cell.make(at.p, kept_p);
  cell.make(R6c, V(growth - built));
  cell.make(N4n, V(usable_n - kept_n));
  cell.make(N1p, V(usable_p - kept_p));

  // basal release, mortality
  const V release = heat * o.rest_respiration * oxic;
  cell.move(at.n, N4n, V(release * cell[at.n]));
  cell.move(at.p, N1p, V(release * cell[at.p]));
  cell.lose(at, V(o.oxygen_mortality * (T(1) - oxic) * heat + o.density_mortality * c), V{}, V{},
            V{});
}

}  // namespace halocline::biogeochemistry::bfm
