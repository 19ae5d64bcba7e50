#pragma once
#include "biogeochemistry/bfm/cell.hpp"

/// What all that eats has in common.
namespace halocline::biogeochemistry::bfm {

/// What may be eaten, in the order of the numbers of a diet.
inline constexpr std::array<Constituents, 9> all_prey{bacteria_tracers,
                                                      phytoplankton_tracers[0],
                                                      phytoplankton_tracers[1],
                                                      phytoplankton_tracers[2],
                                                      phytoplankton_tracers[3],
                                                      z3_tracers,
                                                      z4_tracers,
                                                      z5_tracers,
                                                      z6_tracers};

/// Availability of each prey, from 0 to 1.
template <class T>
struct DietNumbers {
  T B1, P1, P2, P3, P4, Z3, Z4, Z5, Z6;
};

/// Calcite that goes with the dead carbon of each prey.
template <class V>
using Rains = std::array<V, 4>;

/// Ingested matter per time; carbon [mg m-3 s-1], nitrogen and phosphorus [mmol m-3 s-1].
template <class V>
struct Ingestion {
  V c{}, n{}, p{};
};

/// Eat `rate` times the `worth` [1] of every prey: the prey loses it; chlorophyll is lost, silicon
/// becomes detritus, and calcite is made as far as it is `egested`.
template <class V, class Worth>
HD INLINE Ingestion<V> graze(const DietNumbers<scalar_of<V>>& diet, const Worth& worth, V rate,
                             scalar_of<V> egested, const Rains<V>& rains, Cell<V>& cell) {
  using T = scalar_of<V>;
  const T share[] = {diet.B1, diet.P1, diet.P2, diet.P3, diet.P4,
                     diet.Z3, diet.Z4, diet.Z5, diet.Z6};
  Ingestion<V> eaten;
  for (int which = 0; which < static_cast<int>(all_prey.size()); ++which) {
    if (!(share[which] > T(0))) continue;
    const Constituents& prey = all_prey[which];
    const V part = rate * share[which] * worth(cell[prey.c]);
    const V c = part * cell[prey.c], n = part * cell[prey.n], p = part * cell[prey.p];
    cell.take(prey.c, c);
    cell.take(prey.n, n);
    cell.take(prey.p, p);
    eaten.c += c;
    eaten.n += n;
    eaten.p += p;
    if (prey.l == absent) continue;
    cell.take(prey.l, V(part * cell[prey.l]));
    if (prey.s != absent) cell.move(prey.s, R6s, V(part * cell[prey.s]));
    cell.make_calcite(V(egested * rains[which - 1] * c));
  }
  return eaten;
}

/// Sum of the carbon of all prey, each by its availability and its worth.
template <class V, class Worth>
HD INLINE V food(const DietNumbers<scalar_of<V>>& diet, const Worth& worth, const Cell<V>& cell) {
  using T = scalar_of<V>;
  const T share[] = {diet.B1, diet.P1, diet.P2, diet.P3, diet.P4,
                     diet.Z3, diet.Z4, diet.Z5, diet.Z6};
  V sum{};
  for (int which = 0; which < static_cast<int>(all_prey.size()); ++which) {
    if (!(share[which] > T(0))) continue;
    const V c = cell[all_prey[which].c];
    sum += share[which] * worth(c) * c;
  }
  return sum;
}

}  // namespace halocline::biogeochemistry::bfm
