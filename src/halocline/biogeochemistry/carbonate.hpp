#pragma once
#include <algorithm>
#include <limits>

#include "biogeochemistry/carbonate_constants.hpp"
#include "elementary.hpp"
#include "pack.hpp"

/// The carbonate system at a point: the [H+] whose alkalinity is the given one, and what follows.
///
/// Found by Newton's method in the logarithm of [H+] between bounds that hold for any state and
/// close in at every step (Munhoven 2013, Geosci. Model Dev. 6, 1367: SolveSAPHE): alkalinity
/// falls with [H+], and what is not water in it lies between that of all acids as acid as they can
/// be and that of none. All lanes go on until each has been found; those that have stay as they
/// are.
namespace halocline::biogeochemistry {

/// CarbonateOptions of carbonate.py.
struct CarbonateNumbers {
  double boron = 0, tolerance = 0, first_ph = 0;
  int most_steps = 0;
};

/// What is given [mol kg-1].
template <class V>
struct CarbonateTotals {
  V carbon, alkalinity, phosphate, silicate;
};

/// What is found: pH on the total scale, species of carbon [mol kg-1], saturation states [1].
template <class V>
struct CarbonateState {
  V ph, carbon_dioxide, bicarbonate, carbonate, calcite_saturation, aragonite_saturation;
};

/// Alkalinity [mol kg-1] of a [H+], and its change with the logarithm of [H+], which is negative.
template <class V>
struct AlkalinityThere {
  V value, change;
};

namespace acids {

/// Adds the charge of `total` of an acid with one proton, over `share` = constant / [H+].
template <class V>
HD inline void add_single(AlkalinityThere<V>& sum, V total, V share, scalar_of<V> neutral) {
  using T = scalar_of<V>;
  const V reciprocal = T(1) / (T(1) + share), ions = share * reciprocal;
  sum.value += total * (ions - neutral);
  sum.change -= total * ions * reciprocal;
}

/// The same of acids whose parts with 1, 2, 3 protons less, over that with all, are given; the
/// change of the mean charge is the spread of charges.
template <class V>
HD inline void add_triple(AlkalinityThere<V>& sum, V total, V one, V two, V three,
                          scalar_of<V> neutral) {
  using T = scalar_of<V>;
  const V reciprocal = T(1) / (T(1) + one + two + three);
  const V mean = (one + T(2) * two + T(3) * three) * reciprocal;
  const V square = (one + T(4) * two + T(9) * three) * reciprocal;
  sum.value += total * (mean - neutral);
  sum.change -= total * (square - mean * mean);
}

}  // namespace acids

template <class V>
HD inline AlkalinityThere<V> alkalinity_of(const CarbonateConstants<V>& c,
                                           const CarbonateTotals<V>& given, V hydrogen) {
  using T = scalar_of<V>;
  const V per = T(1) / hydrogen, hydroxide = c.water * per, free = hydrogen / c.bound;
  AlkalinityThere<V> sum{hydroxide - free, -hydroxide - free};
  const V first = c.carbonic_1 * per;
  acids::add_triple<V>(sum, given.carbon, first, first * (c.carbonic_2 * per), V{}, T(0));
  const V one = c.phosphoric_1 * per, two = one * (c.phosphoric_2 * per);
  acids::add_triple<V>(sum, given.phosphate, one, two, two * (c.phosphoric_3 * per), T(1));
  acids::add_single<V>(sum, c.total_boron, c.boric * per, T(0));
  acids::add_single<V>(sum, given.silicate, c.silicic * per, T(0));
  acids::add_single<V>(sum, c.total_sulphate, c.bisulphate * per, T(1));
  acids::add_single<V>(sum, c.total_fluoride, c.fluoride * per, T(1));
  return sum;
}

/// The [H+] of water alone that has the alkalinity `rest`: water / [H+] - [H+] / bound = rest.
template <class V>
HD inline V hydrogen_of_water(const CarbonateConstants<V>& c, V rest) {
  using T = scalar_of<V>;
  const V sum = absolute(rest) + square_root(rest * rest + T(4) * c.water / c.bound);
  return rest > V{} ? T(2) * c.water / sum : T(0.5) * c.bound * sum;
}

/// [H+] on the total scale [mol kg-1]; `first` is a guess of it.
template <class V>
HD inline V hydrogen_of(const CarbonateNumbers& numbers, const CarbonateConstants<V>& c,
                        const CarbonateTotals<V>& given, V first) {
  using T = scalar_of<V>;
  const T tolerance =
      std::max(static_cast<T>(numbers.tolerance), T(32) * std::numeric_limits<T>::epsilon());
  V low = hydrogen_of_water(
      c, given.alkalinity + given.phosphate + c.total_sulphate + c.total_fluoride);
  V high = hydrogen_of_water(c, given.alkalinity - T(2) * (given.carbon + given.phosphate) -
                                    c.total_boron - given.silicate);
  V found = minimum(maximum(first, low), high), least = elementary::infinity<V>();
  auto open = low < high;
  for (int step = 0; step < numbers.most_steps && any(open); ++step) {
    const auto there = alkalinity_of(c, given, found);
    const V excess = there.value - given.alkalinity, size = absolute(excess);
    low = excess > V{} ? found : low;
    high = excess < V{} ? found : high;
    const V change = -excess / there.change;
    const auto near = absolute(change) <= splat<V>(tolerance);
    const auto far = absolute(change) > splat<V>(T(1));
    V next = found * (T(1) + change);
    if (any(far)) next = far ? found * exp(change) : next;
    const auto astray = (size > T(0.5) * least) | !((next >= low) & (next <= high));
    const V middle = square_root(low) * square_root(high);
    next = near ? next : (astray ? middle : next);
    least = minimum(least, size);
    found = open ? next : found;
    open = open & !near;
  }
  return found;
}

/// What water of given totals is like.
///
/// @param numbers   of CarbonateOptions
/// @param c         constants there
/// @param totals    [mol kg-1]; carbon, phosphate and silicate below 0 count as 0
/// @param known_ph  first guess, the last pH found; 0 where there is none
template <class V>
HD inline CarbonateState<V> carbonate_state(const CarbonateNumbers& numbers,
                                            const CarbonateConstants<V>& c,
                                            const CarbonateTotals<V>& totals, V known_ph) {
  using T = scalar_of<V>;
  const T log_10 = T(2.302585092994046);
  const CarbonateTotals<V> given{maximum(totals.carbon, V{}), totals.alkalinity,
                                 maximum(totals.phosphate, V{}), maximum(totals.silicate, V{})};
  const V guess = known_ph > V{} ? known_ph : splat<V>(static_cast<T>(numbers.first_ph));
  const V hydrogen = hydrogen_of(numbers, c, given, exp(-log_10 * guess));
  const V first = c.carbonic_1 / hydrogen, second = c.carbonic_2 / hydrogen;
  CarbonateState<V> state;
  state.ph = -log(hydrogen) / log_10;
  state.carbon_dioxide = given.carbon / (T(1) + first * (T(1) + second));
  state.bicarbonate = first * state.carbon_dioxide;
  state.carbonate = second * state.bicarbonate;
  const V ions = c.calcium * state.carbonate;
  state.calcite_saturation = ions / c.calcite;
  state.aragonite_saturation = ions / c.aragonite;
  return state;
}

}  // namespace halocline::biogeochemistry
