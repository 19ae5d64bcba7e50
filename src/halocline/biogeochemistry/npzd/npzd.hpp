#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Nutrient, phytoplankton, zooplankton and detritus, all in mmol of nitrogen per m3: Kuhn, Fennel
/// and Mattern 2015, doi:10.1016/j.pocean.2015.07.004.
namespace halocline::biogeochemistry::npzd {

/// NpzdOptions of options.py; rates in s-1.
struct NpzdNumbers {
  double warming, growth, slope, nutrient_half, respiration, death, grazing, prey_half,
      assimilation, excretion, predation, remineralisation, carbon_per_nitrogen;
};

template <class V>
struct Plankton {
  V nutrient, phytoplankton, zooplankton, detritus;
};

/// Share of an amount that is lost in a step over what would be at the rate of its beginning:
/// (1 - exp(-x)) / x. No loss takes more than there is.
template <class V>
HD INLINE V kept_rate(V x) {
  using T = scalar_of<V>;
  const V safe = maximum(x, splat<V>(T(1e-3)));
  return x < T(1e-3) ? V(T(1) - T(0.5) * x * (T(1) - x / T(3))) : V((T(1) - exp(-safe)) / safe);
}

/// What phytoplankton takes from the nutrient, over it [s-1].
template <class V>
HD INLINE V uptake_rate(const NpzdNumbers& o, const Plankton<V>& now, V warmth, V light) {
  using T = scalar_of<V>;
  const V most = T(o.growth) * warmth, slope = T(o.slope) * light;
  const V by_light = slope / square_root(most * most + slope * slope + T(1e-30));
  return most * by_light * now.phytoplankton / (T(o.nutrient_half) + now.nutrient);
}

/// Plankton after a step of `dt` [s], and growth less respiration during it [mmol m-3].
///
/// @param temperature  [degree C]
/// @param light        [umol m-2 s-1]
template <class V>
HD inline V advance(const NpzdNumbers& o, V temperature, V light, V dt, Plankton<V>& cell) {
  using T = scalar_of<V>;
  const Plankton<V> now{maximum(cell.nutrient, V{}), maximum(cell.phytoplankton, V{}),
                        maximum(cell.zooplankton, V{}), maximum(cell.detritus, V{})};
  const V p = now.phytoplankton, z = now.zooplankton;
  const V warmth = exp(T(o.warming) * temperature);
  const V uptake = uptake_rate(o, now, warmth, light);
  const V grazing = T(o.grazing) * p * z / (T(o.prey_half * o.prey_half) + p * p);
  const V respiration = T(o.respiration) * warmth, death = T(o.death) * warmth;
  const V excretion = T(o.excretion) * warmth, predation = T(o.predation) * warmth * z;
  const V remineralisation = splat<V>(T(o.remineralisation));

  // Amounts that pass from one to the other in the step.
  const V of_n = dt * now.nutrient * kept_rate<V>(dt * uptake);
  const V of_p = dt * p * kept_rate<V>(dt * (grazing + respiration + death));
  const V of_z = dt * z * kept_rate<V>(dt * (excretion + predation));
  const V of_d = dt * now.detritus * kept_rate<V>(dt * remineralisation);
  const V grown = uptake * of_n, eaten = grazing * of_p, respired = respiration * of_p;
  const V assimilated = T(o.assimilation) * eaten;
  const V returned = remineralisation * of_d;
  cell.nutrient += respired + excretion * of_z + returned - grown;
  cell.phytoplankton += grown - eaten - respired - death * of_p;
  cell.zooplankton += assimilated - (excretion + predation) * of_z;
  cell.detritus += (eaten - assimilated) + death * of_p + predation * of_z - returned;
  return grown - respired;
}

inline constexpr Contract<5> npzd_react_contract{
    "npzd_react",
    {{{"tracer", Access::update, Place::center, "1", "4 depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth"},
      {"temperature", Access::read, Place::center, "degree C", "depth"},
      {"light", Access::read, Place::center, "umol m-2 s-1", "depth"},
      {"primary_production", Access::write, Place::center, "mg m-3 s-1", "depth"}}}};

/// Advance nutrient, phytoplankton, zooplankton and detritus by the reaction.
///
/// @param[in]     box                 cells to compute
/// @param[in,out] tracer              [mmol m-3 of nitrogen], shape (4, k, j, i)
/// @param[in]     volume              [m3], shape (k, j, i); 0 on land
/// @param[in]     temperature         [degree C]
/// @param[in]     light               [umol m-2 s-1]
/// @param[out]    primary_production  growth less respiration [mg m-3 s-1 of carbon]
/// @param[in]     numbers             parameters
/// @param[in]     dt                  step [s]
template <class T>
void npzd_react(Box box, View4<T> tracer, View3<const T> volume, View3<const T> temperature,
                View3<const T> light, View3<T> primary_production, const NpzdNumbers& numbers,
                double dt) {
  const T per_second = static_cast<T>(numbers.carbon_per_nitrogen / dt);
  for_pairs(static_cast<int>(volume.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto wet = load<V>(volume.row(k, j) + i) > V{};
      const auto at = [&](int number) { return tracer.row(number, k, j) + i; };
      Plankton<V> cell{load<V>(at(0)), load<V>(at(1)), load<V>(at(2)), load<V>(at(3))};
      const V step = wet ? splat<V>(static_cast<T>(dt)) : V{};
      const V produced = advance<V>(numbers, load<V>(temperature.row(k, j) + i),
                                    load<V>(light.row(k, j) + i), step, cell);
      store<V>(at(0), cell.nutrient);
      store<V>(at(1), cell.phytoplankton);
      store<V>(at(2), cell.zooplankton);
      store<V>(at(3), cell.detritus);
      store<V>(primary_production.row(k, j) + i, per_second * produced);
    });
  });
}

}  // namespace halocline::biogeochemistry::npzd
