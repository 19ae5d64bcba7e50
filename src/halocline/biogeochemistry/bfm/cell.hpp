#pragma once
#include <array>
#include <bit>

#include "elementary.hpp"
#include "pack.hpp"
#include "view.hpp"

/// A cell of the model BFM: what it holds of each tracer, and what it gains and loses.
///
/// Carbon, chlorophyll and calcite are in mg m-3, all else in mmol m-3; rates are per second.
namespace halocline::biogeochemistry::bfm {

/// The tracers in their order (docs/biogeochemistry.md says what each is).
enum Tracer : int {
  O2o,
  N1p,
  N3n,
  N4n,
  O4n,
  N5s,
  N6r,  //
  B1c,
  B1n,
  B1p,  //
  P1c,
  P1n,
  P1p,
  P1l,
  P1s,
  P2c,
  P2n,
  P2p,
  P2l,  //
  P3c,
  P3n,
  P3p,
  P3l,
  P4c,
  P4n,
  P4p,
  P4l,  //
  Z3c,
  Z3n,
  Z3p,
  Z4c,
  Z4n,
  Z4p,
  Z5c,
  Z5n,
  Z5p,
  Z6c,
  Z6n,
  Z6p,  //
  R1c,
  R1n,
  R1p,
  R2c,
  R3c,
  R6c,
  R6n,
  R6p,
  R6s,  //
  O3c,
  O3h,
  O5c
};
inline constexpr int tracer_count = O5c + 1;
/// In the place of a constituent that a group does not have.
inline constexpr Tracer absent = static_cast<Tracer>(-1);

/// Carbon, nitrogen, phosphorus, and of some chlorophyll and silicon, of a group.
struct Constituents {
  Tracer c, n, p, l = absent, s = absent;
};
inline constexpr Constituents bacteria_tracers{B1c, B1n, B1p};
inline constexpr std::array<Constituents, 4> phytoplankton_tracers{
    {{P1c, P1n, P1p, P1l, P1s}, {P2c, P2n, P2p, P2l}, {P3c, P3n, P3p, P3l}, {P4c, P4n, P4p, P4l}}};
inline constexpr Constituents z3_tracers{Z3c, Z3n, Z3p}, z4_tracers{Z4c, Z4n, Z4p},
    z5_tracers{Z5c, Z5n, Z5p}, z6_tracers{Z6c, Z6n, Z6p};

/// Added to what is divided by.
inline constexpr double small = 1e-20;
/// A mmol of carbon [mg].
inline constexpr double carbon_mass = 12.0;
/// Where the factor of temperature is 1 [degC].
inline constexpr double base_temperature = 10.0;

/// part / whole, also where both are 0.
template <class V>
HD INLINE V ratio(V part, V whole) {
  return part / (whole + scalar_of<V>(small));
}
template <class V>
HD INLINE V positive(V value) {
  return maximum(value, V{});
}
/// The share of a process that a substance allows, half of it where `half` is there.
template <class V>
HD INLINE V saturation(V there, scalar_of<V> half) {
  return ratio(there, V(there + half));
}

/// Contents of a cell with gains and losses, each of which is at least 0: what one tracer loses
/// another gains, with one number.
template <class V>
struct Cell {
  V content[tracer_count];
  V gain[tracer_count];
  V loss[tracer_count];

  HD INLINE V operator[](Tracer at) const { return content[at]; }
  HD INLINE void make(Tracer to, V amount) { gain[to] += amount; }
  HD INLINE void take(Tracer from, V amount) { loss[from] += amount; }
  HD INLINE void move(Tracer from, Tracer to, V amount) {
    loss[from] += amount;
    gain[to] += amount;
  }
  /// The same `rate` [s-1] of carbon, nitrogen and phosphorus; the first `share` of it goes to R1,
  /// the rest to R6.
  HD INLINE void lose(Constituents from, V rate, V share_c, V share_n, V share_p) {
    split(from.c, R1c, R6c, V(rate * content[from.c]), share_c);
    split(from.n, R1n, R6n, V(rate * content[from.n]), share_n);
    split(from.p, R1p, R6p, V(rate * content[from.p]), share_p);
  }
  HD INLINE void split(Tracer from, Tracer first, Tracer second, V amount, V share) {
    take(from, amount);
    share_out(first, second, amount, share);
  }
  HD INLINE void share_out(Tracer first, Tracer second, V amount, V share) {
    const V one = amount * share;
    make(first, one);
    make(second, V(amount - one));
  }
  /// Respired carbon: inorganic carbon is made of it and of oxygen.
  HD INLINE void respire(Tracer from, V carbon) {
    move(from, O3c, carbon);
    take(O2o, V(carbon / scalar_of<V>(carbon_mass)));
  }
  /// Calcite [mg m-3 s-1 of carbon] that is made of dissolved carbon, with the alkalinity of it.
  HD INLINE void make_calcite(V carbon) {
    move(O3c, O5c, carbon);
    take(O3h, V(carbon * scalar_of<V>(2.0 / carbon_mass)));
  }
  HD INLINE void dissolve_calcite(V carbon) {
    move(O5c, O3c, carbon);
    make(O3h, V(carbon * scalar_of<V>(2.0 / carbon_mass)));
  }
};

/// What is around the tracers of a cell, and numbers that several groups use.
template <class V>
struct Surroundings {
  V temperature;         ///< [degC]
  V light;               ///< in the middle of the cell [umol m-2 s-1]
  V calcite_saturation;  ///< [1]

  /// Factor of rates that grow by the share `warming` per degree, as measured at 10 degC.
  HD INLINE V heat(scalar_of<V> warming) const {
    return exp(V((temperature - scalar_of<V>(base_temperature)) * warming));
  }
};

/// Numbers of one precision as those of another, in structs of nothing but numbers.
template <class T, template <class> class Numbers>
HD constexpr Numbers<T> numbers_as(const Numbers<double>& from) {
  constexpr std::size_t count = sizeof(from) / sizeof(double);
  static_assert(sizeof(Numbers<T>) == count * sizeof(T));
  const auto given = std::bit_cast<std::array<double, count>>(from);
  std::array<T, count> wanted{};
  for (std::size_t at = 0; at < count; ++at) wanted[at] = static_cast<T>(given[at]);
  return std::bit_cast<Numbers<T>>(wanted);
}

}  // namespace halocline::biogeochemistry::bfm
