#pragma once
#include "biogeochemistry/bfm/cell.hpp"

/// Phytoplankton: growth by light and nutrients, of each constituent by itself.
namespace halocline::biogeochemistry::bfm {

/// How shortages of nitrogen and of phosphorus act together.
enum Limitation : int { least, geometric, harmonic };
/// What silicate does to growth: nothing, by what is in the water, or by what is in the cells.
enum SilicateControl : int { no_silicate, external, internal };

/// Numbers of a group, rates per second; phytoplankton.py says what each is.
template <class T>
struct PhytoplanktonNumbers {
  T warming, temperature_cutoff, maximum_rate, basal_respiration;
  T stress_lysis, stress_lysis_half, extra_lysis, extra_lysis_half;
  T excretion, activity_respiration, exudes_semi_labile, net_growth, least_adaptation;
  T limitation, nitrogen_affinity, ammonium_preference;
  T least_nitrogen, reference_nitrogen, nitrogen_luxury;
  T phosphorus_affinity, least_phosphorus, reference_phosphorus, phosphorus_luxury;
  T silicate_control, silicate_half, reference_silicon, silicon_excess_rate;
  T silicon_affinity, least_silicon, silicon_luxury;
  T base_sinking, stress_sinking, stress_sinking_below;
  T rain_ratio, rain_half, least_rain, most_rain;
  T initial_slope, most_chlorophyll, chlorophyll_by_nutrients, chlorophyll_turnover;
};

/// What holds growth back: 1 is nothing.
template <class V>
struct Shortage {
  V nutrients, silicate;
};

template <class V>
HD INLINE Shortage<V> shortage(const PhytoplanktonNumbers<scalar_of<V>>& o, V nitrogen_quota,
                               V phosphorus_quota, V silicon_quota, V silicate) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1)), none = splat<V>(T(small));
  const auto filled = [&](V quota, T empty, T full) {
    return minimum(maximum(V((quota - empty) / (full - empty)), none), one);
  };
  const V n = filled(nitrogen_quota, o.least_nitrogen, o.reference_nitrogen);
  const V p = filled(phosphorus_quota, o.least_phosphorus, o.reference_phosphorus);
  const V both = o.limitation == T(least)       ? minimum(n, p)
                 : o.limitation == T(geometric) ? square_root(V(n * p))
                                                : V(T(2) / (T(1) / n + T(1) / p));
  const V s = o.silicate_control == T(external) ? saturation(silicate, o.silicate_half)
              : o.silicate_control == T(internal)
                  ? filled(silicon_quota, o.least_silicon, o.reference_silicon)
                  : one;
  return {both, s};
}

/// Speed downward [m s-1].
template <class V>
HD INLINE V sinking_speed(const PhytoplanktonNumbers<scalar_of<V>>& o,
                          const Shortage<V>& short_of) {
  const V missing = o.stress_sinking_below - minimum(short_of.nutrients, short_of.silicate);
  return o.base_sinking + o.stress_sinking * positive(missing);
}

/// What others have to know of a group.
template <class V>
struct Production {
  V gross, net;  ///< growth, and less respiration [mg m-3 s-1]
  V rain;        ///< calcite that goes with its dead carbon [1]
};

/// Take up a nutrient: the constituent gains `wanted` [mmol m-3 s-1], but no more than `capacity`,
/// from the sources in proportion to what is there; less than none is given off.
template <class V, class Give>
HD INLINE void take_up(Cell<V>& cell, V wanted, V capacity, Tracer constituent, Tracer excess,
                       const Give& take_from_sources) {
  const V amount = minimum(wanted, capacity);
  take_from_sources(positive(amount));
  cell.move(constituent, excess, positive(V(-amount)));
}

template <class V>
HD INLINE Production<V> phytoplankton(const PhytoplanktonNumbers<scalar_of<V>>& o,
                                      const Constituents& at, const Surroundings<V>& around,
                                      Cell<V>& cell) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1));
  const V c = cell[at.c], n = cell[at.n], p = cell[at.p], l = cell[at.l];
  const V nitrogen_quota = ratio(n, c), phosphorus_quota = ratio(p, c);

  // what limits
  const V silicon_quota = at.s == absent ? V{} : ratio(cell[at.s], c);
  const Shortage<V> short_of =
      shortage(o, nitrogen_quota, phosphorus_quota, silicon_quota, cell[N5s]);
  const V heat = positive(V(around.heat(o.warming) - o.temperature_cutoff));
  const V absorbed =
      ratio(l, c) * (o.initial_slope / o.maximum_rate) * maximum(around.light, splat<V>(T(small)));
  const V lit = T(1) - exp(V(-absorbed));

  // carbon [mg m-3 s-1]
  const V growth = o.maximum_rate * heat * lit * short_of.silicate * c;
  const V busy = o.activity_respiration * growth, basal = heat * o.basal_respiration * c;
  const V excreted = o.excretion * growth;
  const V kept = (T(1) - o.excretion - o.activity_respiration) * growth;
  const V exuded = o.net_growth > T(0) ? V{} : V(kept * (T(1) - short_of.nutrients));
  const V stored = kept - exuded;
  const V lysis =
      o.stress_lysis * o.stress_lysis_half / (short_of.nutrients + o.stress_lysis_half) +
      o.extra_lysis * ratio(c, V(c + o.extra_lysis_half));
  cell.move(O3c, at.c, growth);
  cell.make(O2o, V(growth / T(carbon_mass)));
  cell.respire(at.c, V(busy + basal));
  cell.move(at.c, o.exudes_semi_labile > T(0) ? R2c : R1c, V(excreted + exuded));

  // lysis: nothing dissolved of what is poorest in nutrients
  const V poorest = minimum(ratio(splat<V>(o.least_phosphorus), phosphorus_quota),
                            ratio(splat<V>(o.least_nitrogen), nitrogen_quota));
  const V particulate = minimum(one, poorest), dissolved = T(1) - particulate;
  cell.lose(at, lysis, dissolved, dissolved, dissolved);

  // nitrogen and phosphorus [mmol m-3 s-1]
  const V net = stored - basal, added = positive(net);
  const V adaptation = o.net_growth > T(0) ? maximum(ratio(net, c), splat<V>(o.least_adaptation))
                                           : V(heat * o.maximum_rate);
  const V preference = ratio(splat<V>(o.ammonium_preference), V(o.ammonium_preference + cell[N4n]));
  const V nitrate = cell[N3n] * preference, nitrogen = nitrate + cell[N4n];
  take_up(cell,
          V(o.nitrogen_luxury * o.reference_nitrogen * (added + adaptation * c) - adaptation * n),
          V(o.nitrogen_affinity * c * nitrogen), at.n, R1n, [&](V amount) {
            const V of_nitrate = amount * ratio(nitrate, nitrogen);
            cell.move(N3n, at.n, of_nitrate);
            cell.move(N4n, at.n, V(amount * ratio(cell[N4n], nitrogen)));
          });
  take_up(
      cell,
      V(o.phosphorus_luxury * o.reference_phosphorus * (added + adaptation * c) - adaptation * p),
      V(o.phosphorus_affinity * c * cell[N1p]), at.p, R1p,
      [&](V amount) { cell.move(N1p, at.p, amount); });

  // silicon: as carbon is stored, or as the cells need it
  if (at.s != absent) {
    const V s = cell[at.s];
    if (o.silicate_control == T(internal)) {
      take_up(cell,
              V(o.silicon_luxury * o.reference_silicon * (added + adaptation * c) - adaptation * s),
              V(o.silicon_affinity * c * cell[N5s]), at.s, N5s,
              [&](V amount) { cell.move(N5s, at.s, amount); });
      cell.move(at.s, R6s, V(lysis * s));
    } else {
      const V excess = positive(V(s - o.reference_silicon * c));
      cell.move(N5s, at.s, V(o.reference_silicon * stored));
      cell.move(at.s, R6s,
                V((heat * o.basal_respiration + lysis) * s + o.silicon_excess_rate * excess));
    }
  }

  // chlorophyll
  if (o.chlorophyll_by_nutrients > T(0)) {
    const V per_carbon =
        o.most_chlorophyll * heat * short_of.silicate * ratio(lit, absorbed) * short_of.nutrients;
    const V turnover = o.chlorophyll_turnover * (T(1) - short_of.nutrients);
    const V unused = positive(V(l - o.most_chlorophyll * c));
    cell.make(at.l, V(per_carbon * added));
    cell.take(at.l, V(maximum(turnover, lysis) * l + ratio(positive(V(-net)), c) * unused));
  } else {
    const V per_carbon = o.most_chlorophyll * minimum(one, ratio(lit, absorbed));
    cell.make(at.l, V(per_carbon * stored));
    cell.take(at.l, V(lysis * l));
  }

  // calcite
  V rain{};
  if (o.rain_ratio > T(0)) {
    rain = o.rain_ratio * minimum(short_of.nutrients, short_of.silicate) * heat *
           ratio(c, V(c + o.rain_half));
    rain = minimum(maximum(rain, splat<V>(o.least_rain)), splat<V>(o.most_rain));
    cell.make_calcite(V(rain * (lysis * c * particulate)));
  }
  return {growth, V(growth - busy - basal), rain};
}

}  // namespace halocline::biogeochemistry::bfm
