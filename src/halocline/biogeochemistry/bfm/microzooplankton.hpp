#pragma once
#include "biogeochemistry/bfm/bacteria.hpp"
#include "biogeochemistry/bfm/grazing.hpp"

/// Microzooplankton and heterotrophic nanoflagellates, which eat prey more than in proportion.
namespace halocline::biogeochemistry::bfm {

/// Numbers of a group, rates per second; microzooplankton.py says what each is.
template <class T>
struct MicrozooplanktonNumbers {
  T warming, rest_respiration, maximum_rate, oxygen_mortality, mortality;
  T assimilation, excretion, oxygen_half, food_half, prey_half, egested_calcite;
  T nitrogen_quota, phosphorus_quota;
  DietNumbers<T> diet;
};

template <class V>
HD INLINE void microzooplankton(const MicrozooplanktonNumbers<scalar_of<V>>& o,
                                const CytoplasmNumbers<scalar_of<V>>& cytoplasm,
                                const Constituents& at, const Surroundings<V>& around,
                                const Rains<V>& rains, Cell<V>& cell) {
  using T = scalar_of<V>;
  const V c = cell[at.c], heat = around.heat(o.warming);
  const auto worth = [&](V prey) { return saturation(prey, o.prey_half); };
  const V there = food(o.diet, worth, cell);
  const V rate = heat * o.maximum_rate * c / (there + o.food_half);
  const Ingestion<V> eaten = graze(o.diet, worth, rate, o.egested_calcite, rains, cell);

  // carbon of the food: built in, respired, excreted
  const V built = o.assimilation * eaten.c, excreted = o.excretion * eaten.c;
  const V busy = eaten.c - built - excreted, basal = heat * o.rest_respiration * c;
  cell.make(at.c, built);
  cell.make(O3c, busy);
  cell.take(O2o, V(busy / T(carbon_mass)));
  cell.respire(at.c, basal);
  cell.share_out(R1c, R6c, excreted, splat<V>(cytoplasm.carbon));

  // nutrients of the food, and of what is respired: excreted, kept, given off
  const auto nutrient = [&](Tracer own, V food, T quota, Tracer dissolved, Tracer particulate,
                            Tracer inorganic, T share) {
    const V out = o.excretion * food, freed = heat * o.rest_respiration * cell[own];
    const V usable = (food - out) + freed, kept = minimum(usable, V(quota * built));
    cell.share_out(dissolved, particulate, out, splat<V>(share));
    cell.take(own, freed);
    cell.make(own, kept);
    cell.make(inorganic, V(usable - kept));
  };
  nutrient(at.n, eaten.n, o.nitrogen_quota, R1n, R6n, N4n, cytoplasm.nitrogen);
  nutrient(at.p, eaten.p, o.phosphorus_quota, R1p, R6p, N1p, cytoplasm.phosphorus);

  // mortality
  const V airless = T(1) - saturation(cell[O2o], o.oxygen_half);
  cell.lose(at, V(airless * o.oxygen_mortality + o.mortality), splat<V>(cytoplasm.carbon),
            splat<V>(cytoplasm.nitrogen), splat<V>(cytoplasm.phosphorus));
}

}  // namespace halocline::biogeochemistry::bfm
