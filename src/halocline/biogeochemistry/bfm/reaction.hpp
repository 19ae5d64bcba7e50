#pragma once
#include <cstdint>

#include "biogeochemistry/bfm/bacteria.hpp"
#include "biogeochemistry/bfm/chemistry.hpp"
#include "biogeochemistry/bfm/mesozooplankton.hpp"
#include "biogeochemistry/bfm/microzooplankton.hpp"
#include "biogeochemistry/bfm/phytoplankton.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// The reaction of BFM: every group in turn, then a step that leaves nothing negative.
namespace halocline::biogeochemistry::bfm {

/// How a step is cut where a tracer would lose too much of itself.
template <class T>
struct LimiterNumbers {
  T largest_share, most_parts;
};

template <class T>
struct BfmNumbers {
  PhytoplanktonNumbers<T> P1, P2, P3, P4;
  BacteriaNumbers<T> B1;
  MesozooplanktonNumbers<T> Z3, Z4;
  MicrozooplanktonNumbers<T> Z5, Z6;
  ChemistryNumbers<T> chemistry;
  CytoplasmNumbers<T> cytoplasm;
  LimiterNumbers<T> limiter;
};

/// Growth of carbon [mg m-3 s-1]: gross, and less respiration.
template <class V>
struct Productions {
  V gross{}, primary{}, bacterial{};
};

/// Gains and losses of all tracers of a cell.
template <class V>
HD __attribute__((noinline)) inline Productions<V> react(const BfmNumbers<scalar_of<V>>& o,
                                                         const Surroundings<V>& around,
                                                         Cell<V>& cell) {
  for (int at = 0; at < tracer_count; ++at) cell.gain[at] = cell.loss[at] = V{};
  const auto& groups = phytoplankton_tracers;
  const auto p1 = phytoplankton(o.P1, groups[0], around, cell);
  const auto p2 = phytoplankton(o.P2, groups[1], around, cell);
  const auto p3 = phytoplankton(o.P3, groups[2], around, cell);
  const auto p4 = phytoplankton(o.P4, groups[3], around, cell);
  const Rains<V> rains{p1.rain, p2.rain, p3.rain, p4.rain};
  const auto b1 = bacteria(o.B1, o.cytoplasm, o.chemistry.sulphide_per_oxygen, around, cell);
  microzooplankton(o.Z5, o.cytoplasm, z5_tracers, around, rains, cell);
  microzooplankton(o.Z6, o.cytoplasm, z6_tracers, around, rains, cell);
  mesozooplankton(o.Z3, z3_tracers, around, rains, cell);
  mesozooplankton(o.Z4, z4_tracers, around, rains, cell);
  chemistry(o.chemistry, b1.reduced, around, cell);
  if (o.chemistry.alkalinity_of_nitrogen > scalar_of<V>(0)) nitrogen_to_alkalinity(cell);
  return {p1.gross + p2.gross + p3.gross + p4.gross, p1.net + p2.net + p3.net + p4.net,
          b1.production};
}

/// What a step made, and how it was cut.
template <class V>
struct Advanced {
  Productions<V> mean;
  V cut{};         ///< 1 where it was made in parts
  V unfinished{};  ///< rest of the time for which there was no part left [s]
};

/// The longest part of `left` [s] in which no tracer but oxygen loses more than a share of itself.
template <class V>
HD INLINE V longest_part(const Cell<V>& cell, V left, scalar_of<V> share) {
  for (int at = 0; at < tracer_count; ++at) {
    if (at == O2o) continue;
    const V lost = cell.loss[at] - cell.gain[at], most = share * cell.content[at];
    const auto too_long = left * lost > most;
    if (any(too_long)) left = too_long ? V(most / lost) : left;
  }
  return left;
}

/// Contents after a part of `dt` [s]. Respiration for which there is no oxygen makes N6r in its
/// place.
template <class V>
HD INLINE void add(Cell<V>& cell, V dt, scalar_of<V> sulphide_per_oxygen) {
  for (int at = 0; at < tracer_count; ++at)
    cell.content[at] += dt * (cell.gain[at] - cell.loss[at]);
  const V oxygen = cell.content[O2o];
  cell.content[O2o] = positive(oxygen);
  cell.content[N6r] += sulphide_per_oxygen * positive(V(-oxygen));
}

/// Advance the contents of a cell by `dt` [s], in as many parts as it takes that nothing becomes
/// negative. Every part is a step of all processes together, so that elements are conserved.
template <class V>
HD INLINE Advanced<V> advance(const BfmNumbers<scalar_of<V>>& o, const Surroundings<V>& around,
                              V dt, Cell<V>& cell) {
  using T = scalar_of<V>;
  Advanced<V> done;
  done.unfinished = dt;
  for (T part = T(0); part < o.limiter.most_parts && any(done.unfinished > V{}); part += T(1)) {
    const Productions<V> now = react(o, around, cell);
    const V h = longest_part(cell, done.unfinished, o.limiter.largest_share);
    add(cell, h, o.chemistry.sulphide_per_oxygen);
    done.mean.gross += h * now.gross;
    done.mean.primary += h * now.primary;
    done.mean.bacterial += h * now.bacterial;
    done.cut = h < done.unfinished ? splat<V>(T(1)) : done.cut;
    done.unfinished -= h;
  }
  const V whole = maximum(dt, splat<V>(T(small)));
  done.mean = {done.mean.gross / whole, done.mean.primary / whole, done.mean.bacterial / whole};
  return done;
}

/// How many lanes of a mask are set.
template <class M>
INLINE int lanes_in(M mask) {
  if constexpr (std::is_arithmetic_v<M>) {
    return mask;
  } else {
    int count = 0;
    for (int lane = 0; lane < static_cast<int>(sizeof(M) / sizeof(mask[0])); ++lane)
      count += mask[lane] != 0;
    return count;
  }
}

template <class T, class V>
INLINE void take(View4<T> tracer, std::ptrdiff_t k, int j, std::ptrdiff_t i, Cell<V>& cell) {
  for (int at = 0; at < tracer_count; ++at) cell.content[at] = load<V>(tracer.row(at, k, j) + i);
}

inline constexpr Contract<9> bfm_react_contract{
    "bfm_react",
    {{{"tracer", Access::update, Place::center, "1", "51 depth"},
      {"volume", Access::read, Place::center, "m3", "depth"},
      {"temperature", Access::read, Place::center, "degree C", "depth"},
      {"light", Access::read, Place::center, "umol m-2 s-1", "depth"},
      {"calcite_saturation", Access::read, Place::center, "1", "depth"},
      if_wanted({"gross_production", Access::write, Place::center, "mg m-3 s-1", "depth"}),
      if_wanted({"primary_production", Access::write, Place::center, "mg m-3 s-1", "depth"}),
      if_wanted({"bacterial_production", Access::write, Place::center, "mg m-3 s-1", "depth"}),
      {"cut_cells", Access::update, Place::none, "1", "2"}}}};

/// Advance all tracers by the reaction.
///
/// @param[in]     box                   cells to compute
/// @param[in,out] tracer                contents, shape (51, k, j, i)
/// @param[in]     volume                [m3]; 0 on land
/// @param[in]     temperature           [degC]
/// @param[in]     light                 in the middle of the cells [umol m-2 s-1]
/// @param[in]     calcite_saturation    [1]
/// @param[out]    gross_production      growth of phytoplankton, mean of the step [mg m-3 s-1 of
///                                      carbon]
/// @param[out]    primary_production    growth of phytoplankton less its respiration, mean of the
///                                      step [mg m-3 s-1 of carbon]
/// @param[out]    bacterial_production  the same of bacteria
/// @param[in,out] cut_cells             cells whose step was made in parts, and those whose step
///                                      was not finished, are added
/// @param[in]     numbers               parameters
/// @param[in]     dt                    step [s]
template <class T>
void bfm_react(Box box, View4<T> tracer, View3<const T> volume, View3<const T> temperature,
               View3<const T> light, View3<const T> calcite_saturation, View3<T> gross_production,
               View3<T> primary_production, View3<T> bacterial_production,
               View1<std::int64_t> cut_cells, const BfmNumbers<double>& numbers, double dt) {
  const BfmNumbers<T> o = numbers_as<T>(numbers);
  const int rows = box.j1 - box.j0, levels = static_cast<int>(volume.extent[0]);
  std::int64_t cut = 0, unfinished = 0;
  for_each_in_with(
      0, levels * rows, 1, [] { return std::array<std::int64_t, 2>{}; },
      [&](int number, std::array<std::int64_t, 2>& counted) {
        const int k = number / rows, j = box.j0 + number % rows;
        over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const auto wet = load<V>(volume.row(k, j) + i) > V{};
          Advanced<V> done;
          if (any(wet)) {
            Cell<V> cell;
            take(tracer, k, j, i, cell);
            const Surroundings<V> around{load<V>(temperature.row(k, j) + i),
                                         load<V>(light.row(k, j) + i),
                                         load<V>(calcite_saturation.row(k, j) + i)};
            done = advance(o, around, V(wet ? splat<V>(T(dt)) : V{}), cell);
            for (int at = 0; at < tracer_count; ++at) {
              T* to = tracer.row(at, k, j) + i;
              store<V>(to, wet ? cell.content[at] : load<V>(to));
            }
            counted[0] += lanes_in(done.cut > V{});
            counted[1] += lanes_in(done.unfinished > V{});
          }
          const auto put = [&](const View3<T>& field, V value) {
            if (field.data) store<V>(field.row(k, j) + i, wet ? value : V{});
          };
          put(gross_production, done.mean.gross);
          put(primary_production, done.mean.primary);
          put(bacterial_production, done.mean.bacterial);
        });
      },
      [&](const std::array<std::int64_t, 2>& counted) {
        cut += counted[0];
        unfinished += counted[1];
      });
  cut_cells(0) += cut;
  cut_cells(1) += unfinished;
}

inline constexpr Contract<6> bfm_rates_contract{
    "bfm_rates",
    {{{"tracer", Access::read, Place::center, "1", "51 depth"},
      {"temperature", Access::read, Place::center, "degree C", "depth"},
      {"light", Access::read, Place::center, "umol m-2 s-1", "depth"},
      {"calcite_saturation", Access::read, Place::center, "1", "depth"},
      {"tracer_gain", Access::write, Place::center, "s-1", "51 depth"},
      {"tracer_loss", Access::write, Place::center, "s-1", "51 depth"}}}};

/// Gains and losses of all tracers [unit of the tracer per second], for looking at.
template <class T>
void bfm_rates(Box box, View4<const T> tracer, View3<const T> temperature, View3<const T> light,
               View3<const T> calcite_saturation, View4<T> tracer_gain, View4<T> tracer_loss,
               const BfmNumbers<double>& numbers) {
  const BfmNumbers<T> o = numbers_as<T>(numbers);
  for_pairs(static_cast<int>(temperature.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      Cell<V> cell;
      take(tracer, k, j, i, cell);
      react(o,
            Surroundings<V>{load<V>(temperature.row(k, j) + i), load<V>(light.row(k, j) + i),
                            load<V>(calcite_saturation.row(k, j) + i)},
            cell);
      for (int at = 0; at < tracer_count; ++at) {
        store<V>(tracer_gain.row(at, k, j) + i, cell.gain[at]);
        store<V>(tracer_loss.row(at, k, j) + i, cell.loss[at]);
      }
    });
  });
}

}  // namespace halocline::biogeochemistry::bfm
