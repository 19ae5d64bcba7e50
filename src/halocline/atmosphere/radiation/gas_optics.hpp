#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "atmosphere/constants.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "pack.hpp"
#include "view.hpp"

/// Absorption by gases from tables of correlated k (RRTMGP: Pincus, Mlawer and Delamere 2019, J.
/// Adv. Model. Earth Syst. 11, 3074). Lanes are the terms g of a band.
namespace halocline::air {

/// Molecules that tables know: dry air, water vapour, and others of constant share but ozone.
inline constexpr int gas_count = 20, ozone_gas = 3;
/// Most terms of a band.
inline constexpr int most_terms = 16;
/// Avogadro's number [mol-1]; masses of moles of dry air and water [kg mol-1].
inline constexpr double avogadro = 6.02214076e23, dry_mole = 0.028964, water_mole = 0.018016;

/// Entries of a row of `minors`: the gas, its band, whether density scales it, the gas that does
/// (-1: none), whether the share of all others does, and the first column of its coefficients.
enum Minor { minor_gas, minor_band, by_density, scaling_gas, by_others, first_column };

/// Tables of absorption; entry 0 of axes of two is the lower atmosphere.
template <class T>
struct GasTables {
  View4<const T> absorption;                   ///< temperature, pressure + 1, eta, term [cm2]
  View3<const T> lower, upper;                 ///< of minor gases: temperature, eta, column
  View2<const T> minors_lower, minors_upper;   ///< gases of them
  View3<const T> keys;                         ///< two, band, two: the main gases of a band
  View3<const T> ratios;                       ///< two, band, temperature: reference share of those
  View1<const T> band_ends;                    ///< first term of a band, and one more
  View1<const T> temperatures, pressures;      ///< [K], [Pa]
  View1<const T> ozone_pressure, ozone_share;  ///< profile of ozone, pressure falling [Pa], [1]
  View1<const T> standard_temperature;         ///< at the same pressures [K]
  View1<const T> shares;                       ///< of the gases, per molecule of dry air
  T tropopause;                                ///< pressure between both parts [Pa]
};

/// A layer of air: what interpolation in the tables needs.
template <class T>
struct GasLayer {
  T temperature, pressure;
  int part;        ///< 0: lower, 1: upper atmosphere
  int warm, high;  ///< indices of temperature and of pressure below
  T warm_share, high_share;
  T amounts[gas_count];  ///< molecules [cm-2]
};

/// Weights of the mixture of the main gases at both temperatures around.
template <class T>
struct Mixture {
  int eta[2];
  T share[2];   ///< of eta + 1
  T amount[2];  ///< molecules of the mixture [cm-2]
};

/// Values of a standard atmosphere at a pressure, linear in log p.
template <class T>
T standard(const GasTables<T>& tables, const View1<const T>& values, T pressure) {
  const auto& p = tables.ozone_pressure;
  const auto count = p.extent[0];
  if (pressure >= p(0)) return values(0);
  for (std::ptrdiff_t at = 1; at < count; ++at) {
    if (pressure < p(at)) continue;
    const T part = log(T(p(at - 1) / pressure)) / log(T(p(at - 1) / p(at)));
    return values(at - 1) + part * (values(at) - values(at - 1));
  }
  return values(count - 1);
}

/// A layer of temperature [K], pressure [Pa], mass of dry air [kg m-2] and mixing ratio of vapour.
template <class T>
GasLayer<T> gas_layer(const GasTables<T>& tables, T temperature, T pressure, T mass, T vapor) {
  GasLayer<T> made{};
  made.temperature = temperature;
  made.pressure = pressure;
  made.part = pressure > tables.tropopause ? 0 : 1;
  const auto warmest = static_cast<int>(tables.temperatures.extent[0]) - 2;
  const T first = tables.temperatures(0), step = tables.temperatures(1) - first;
  made.warm = std::clamp(static_cast<int>((temperature - first) / step), 0, warmest);
  made.warm_share = (temperature - tables.temperatures(made.warm)) / step;
  const auto highest = static_cast<int>(tables.pressures.extent[0]) - 2;
  const T ground = log(T(tables.pressures(0))), gap = ground - log(T(tables.pressures(1)));
  const T at = (ground - log(pressure)) / gap;
  made.high = std::clamp(static_cast<int>(at), 0, highest);
  made.high_share = at - static_cast<T>(made.high);
  const T dry = mass * T(1e-4 * avogadro / dry_mole);
  for (int gas = 0; gas < gas_count; ++gas) made.amounts[gas] = dry * tables.shares(gas);
  made.amounts[1] = dry * vapor * T(dry_mole / water_mole);
  made.amounts[ozone_gas] = dry * standard(tables, tables.ozone_share, pressure);
  return made;
}

template <class T>
Mixture<T> mixture(const GasTables<T>& tables, const GasLayer<T>& layer, int band) {
  Mixture<T> made{};
  const T one = layer.amounts[static_cast<int>(tables.keys(layer.part, band, 0))];
  const T other = layer.amounts[static_cast<int>(tables.keys(layer.part, band, 1))];
  const auto last = static_cast<int>(tables.absorption.extent[2]) - 2;
  for (int warmer = 0; warmer < 2; ++warmer) {
    made.amount[warmer] = one + tables.ratios(layer.part, band, layer.warm + warmer) * other;
    const T eta = made.amount[warmer] > T(0) ? one / made.amount[warmer] : T(0.5);
    const T place = eta * static_cast<T>(last + 1);
    made.eta[warmer] = std::clamp(static_cast<int>(place), 0, last);
    made.share[warmer] = place - static_cast<T>(made.eta[warmer]);
  }
  return made;
}

/// Amount of a minor gas by which its coefficients are multiplied.
template <class T>
T minor_amount(const GasLayer<T>& layer, const T* row) {
  T amount = layer.amounts[static_cast<int>(row[minor_gas])];
  if (row[by_density] > T(0)) {
    amount *= T(0.01) * layer.pressure / layer.temperature;
    if (row[scaling_gas] >= T(0)) {
      const T dry = layer.amounts[0];
      const T share = layer.amounts[static_cast<int>(row[scaling_gas])] / (dry + layer.amounts[1]);
      amount *= row[by_others] > T(0) ? T(1) - share : share;
    }
  }
  return amount;
}

/// Values of a table of minor gases or of scattering at terms from `column` on, in one lane each.
template <class V, class T>
V between_two(const View3<const T>& table, const GasLayer<T>& layer, const Mixture<T>& mixed,
              std::ptrdiff_t column) {
  V sum{};
  for (int warmer = 0; warmer < 2; ++warmer) {
    const T weight = warmer ? layer.warm_share : T(1) - layer.warm_share;
    const T rich = weight * mixed.share[warmer];
    const auto at = [&](int more) {
      return load<V>(table.row(layer.warm + warmer, mixed.eta[warmer] + more) + column);
    };
    sum = sum + (weight - rich) * at(0) + rich * at(1);
  }
  return sum;
}

/// The same of a table with pressure; of amounts if `scaled`.
template <class V, class T>
V between_three(const View4<const T>& table, const GasLayer<T>& layer, const Mixture<T>& mixed,
                std::ptrdiff_t term, bool scaled) {
  V sum{};
  for (int warmer = 0; warmer < 2; ++warmer) {
    const T all = (warmer ? layer.warm_share : T(1) - layer.warm_share) *
                  (scaled ? mixed.amount[warmer] : T(1));
    for (int higher = 0; higher < 2; ++higher) {
      const T weight = all * (higher ? layer.high_share : T(1) - layer.high_share);
      const T rich = weight * mixed.share[warmer];
      const auto at = [&](int more) {
        return load<V>(table.row(layer.warm + warmer, layer.high + layer.part + higher,
                                 mixed.eta[warmer] + more) +
                       term);
      };
      sum = sum + (weight - rich) * at(0) + rich * at(1);
    }
  }
  return sum;
}

/// Optical depth of a layer at terms of a band, into `depth`.
template <class T>
void absorb(const GasTables<T>& tables, const GasLayer<T>& layer, const Mixture<T>& mixed, int band,
            T* depth) {
  const auto begin = static_cast<std::ptrdiff_t>(tables.band_ends(band));
  const auto terms = static_cast<std::ptrdiff_t>(tables.band_ends(band + 1)) - begin;
  over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
    store<V>(depth + g, between_three<V>(tables.absorption, layer, mixed, begin + g, true));
  });
  const View2<const T>& minors = layer.part ? tables.minors_upper : tables.minors_lower;
  const View3<const T>& table = layer.part ? tables.upper : tables.lower;
  for (std::ptrdiff_t m = 0; m < minors.extent[0]; ++m) {
    const T* row = minors.row(m);
    if (static_cast<int>(row[minor_band]) != band) continue;
    const T amount = minor_amount(layer, row);
    if (!(amount > T(0))) continue;
    const auto column = static_cast<std::ptrdiff_t>(row[first_column]);
    over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
      const V more = amount * between_two<V>(table, layer, mixed, column + g);
      store<V>(depth + g, load<V>(depth + g) + more);
    });
  }
  over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
    store<V>(depth + g, maximum(load<V>(depth + g), V{}));
  });
}

}  // namespace halocline::air
