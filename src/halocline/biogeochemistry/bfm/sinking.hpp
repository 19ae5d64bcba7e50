#pragma once
#include <vector>

#include "biogeochemistry/bfm/bacteria.hpp"
#include "biogeochemistry/bfm/chemistry.hpp"
#include "biogeochemistry/bfm/phytoplankton.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// What sinks through the water, and the floor that takes it and may give it back.
namespace halocline::biogeochemistry::bfm {

/// What lies on the floor, per area: dissolved, particulate, and calcite.
enum FloorBox : int { Q1c, Q1n, Q1p, Q6c, Q6n, Q6p, Q6s, Q5c, floor_count };

/// Numbers of sinking and of the floor, rates per second; sinking.py says what each is.
template <class T>
struct SinkingNumbers {
  T detritus, calcite, buried_detritus, buried_calcite;
  T dissolved_return, particulate_return, nitrate_share, warming, base_temperature, oxygen_half;
  T closed, returned;
};

template <class T>
struct SinkingGroups {
  PhytoplanktonNumbers<T> P1, P2, P3, P4;
  CytoplasmNumbers<T> cytoplasm;
  ChemistryNumbers<T> chemistry;
  SinkingNumbers<T> sinking;
};

/// Some columns of a row, side by side in lanes.
template <class T, class V>
class SinkingColumns {
 public:
  SinkingColumns(const SinkingGroups<T>& numbers, View4<T> tracer, View3<const T> volume,
                 View2<const T> area, View3<T> floor, int j, std::ptrdiff_t i, T dt)
      : o_(numbers),
        tracer_(tracer),
        floor_(floor),
        j_(j),
        i_(i),
        dt_(dt),
        thickness_(static_cast<std::size_t>(volume.extent[0])),
        speed_(thickness_.size()) {
    const V plane = load<V>(area.row(j) + i);
    for (int k = 0; k < levels(); ++k) {
      const V room = load<V>(volume.row(k, j) + i);
      thickness_[k] = room > V{} ? V(room / plane) : V{};
    }
  }

  bool dry() const { return !any(thickness_.back() > V{}); }

  /// All that sinks, a step of `dt_`.
  void sink() {
    const PhytoplanktonNumbers<T>* groups[] = {&o_.P1, &o_.P2, &o_.P3, &o_.P4};
    for (int which = 0; which < 4; ++which) phytoplankton(*groups[which], which);
    even(o_.sinking.detritus);
    const T buried = o_.sinking.buried_detritus;
    settle(Q6c, fall(R6c, buried));
    settle(Q6n, fall(R6n, buried));
    settle(Q6p, fall(R6p, buried));
    settle(Q6s, fall(R6s, buried));
    even(o_.sinking.calcite);
    settle(Q5c, fall(O5c, o_.sinking.buried_calcite));
  }

  /// What decays on the floor returns to the lowest cell, with the oxygen that it takes.
  void give_back(View3<const T> temperature) {
    for (int k = 0; k < levels(); ++k) {
      const auto lowest = (thickness_[k] > V{}) & !open_below(k);
      if (!any(lowest)) continue;
      const V t = load<V>(temperature.row(k, j_) + i_);
      const V oxygen = get(O2o, k);
      const V heat = exp(V((t - o_.sinking.base_temperature) * o_.sinking.warming));
      const V oxic = saturation(oxygen, o_.sinking.oxygen_half);
      const V share = lowest ? V(dt_ * heat * oxic) : V{};
      const auto from = [&](FloorBox box, T rate) {
        return take(box, minimum(V(rate * share), splat<V>(T(1))));
      };
      const T quick = o_.sinking.dissolved_return, slow = o_.sinking.particulate_return;
      const V per = lowest ? V(T(1) / thickness_[k]) : V{};
      const V carbon = per * (from(Q1c, quick) + from(Q6c, slow));
      const V nitrogen = per * (from(Q1n, quick) + from(Q6n, slow));
      const V nitrate = o_.sinking.nitrate_share * nitrogen;
      add(O3c, k, carbon);
      add(N3n, k, nitrate);
      add(N4n, k, V(nitrogen - nitrate));
      add(N1p, k, V(per * (from(Q1p, quick) + from(Q6p, slow))));
      add(N5s, k, V(per * from(Q6s, slow)));
      const V wanted = carbon / T(carbon_mass), breathed = minimum(wanted, oxygen);
      add(O2o, k, V(-breathed));
      add(N6r, k, V(o_.chemistry.sulphide_per_oxygen * (wanted - breathed)));
    }
  }

 private:
  int levels() const { return static_cast<int>(thickness_.size()); }
  T* at(int tracer, int k) const { return tracer_.row(tracer, k, j_) + i_; }
  V get(int tracer, int k) const { return load<V>(at(tracer, k)); }
  void add(int tracer, int k, V amount) const { store<V>(at(tracer, k), get(tracer, k) + amount); }
  auto open_below(int k) const { return (k > 0 ? thickness_[k - 1] : V{}) > V{}; }

  /// One speed at all levels.
  void even(T speed) { speed_.assign(speed_.size(), splat<V>(speed)); }

  /// Speeds after what a group lacks; its dead cells are dissolved in part.
  void phytoplankton(const PhytoplanktonNumbers<T>& o, int which) {
    if (!(o.base_sinking > T(0)) && !(o.stress_sinking > T(0))) return;
    const Constituents& of = phytoplankton_tracers[which];
    for (int k = 0; k < levels(); ++k) {
      const V c = get(of.c, k);
      const auto quota = [&](int of_group) { return ratio(get(of_group, k), c); };
      const V silicon = of.s == absent ? V{} : quota(of.s);
      speed_[k] = sinking_speed(o, shortage(o, quota(of.n), quota(of.p), silicon, get(N5s, k)));
    }
    const T buried = o_.sinking.buried_detritus;
    split(Q1c, Q6c, fall(of.c, buried), o_.cytoplasm.carbon);
    split(Q1n, Q6n, fall(of.n, buried), o_.cytoplasm.nitrogen);
    split(Q1p, Q6p, fall(of.p, buried), o_.cytoplasm.phosphorus);
    fall(of.l, buried);
    if (of.s != absent) settle(Q6s, fall(of.s, buried));
  }

  /// Let a tracer sink, implicit and upwind, with `speed_`, at the floor with `buried` at most.
  /// What leaves through the floor [amount m-2].
  V fall(int tracer, T buried) {
    V arrives{}, left{};
    for (int k = levels() - 1; k >= 0; --k) {
      const V h = thickness_[k];
      const auto wet = h > V{}, open = open_below(k);
      const V out = o_.sinking.closed > T(0) ? V{} : minimum(speed_[k], splat<V>(buried));
      const V through = dt_ * (open ? speed_[k] : out);
      const V now = (get(tracer, k) + arrives / h) / (T(1) + through / h);
      store<V>(at(tracer, k), wet ? now : get(tracer, k));
      const V leaves = wet ? V(through * now) : V{};
      left += open ? V{} : leaves;
      arrives = open ? leaves : V{};
    }
    return left;
  }

  void settle(FloorBox box, V amount) {
    T* here = floor_.row(box, j_) + i_;
    store<V>(here, load<V>(here) + amount);
  }
  void split(FloorBox dissolved, FloorBox particulate, V amount, T share) {
    const V one = share * amount;
    settle(dissolved, one);
    settle(particulate, V(amount - one));
  }
  V take(FloorBox box, V share) const {
    T* here = floor_.row(box, j_) + i_;
    const V there = load<V>(here), taken = share * there;
    store<V>(here, there - taken);
    return taken;
  }

  const SinkingGroups<T>& o_;
  View4<T> tracer_;
  View3<T> floor_;
  int j_;
  std::ptrdiff_t i_;
  T dt_;
  std::vector<V> thickness_, speed_;
};

inline constexpr Contract<5> bfm_sink_contract{
    "bfm_sink",
    {{{"tracer", Access::update, Place::center, "1", "51 depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"temperature", Access::read, Place::center, "degree C", "depth", {}, Column::whole},
      {"floor", Access::update, Place::center, "m", "8"}}}};

/// Let tracers sink; what reaches the floor stays in the water, leaves it, or comes back in time.
///
/// @param[in]     box          cells to compute
/// @param[in,out] tracer       contents, shape (51, k, j, i)
/// @param[in]     volume       [m3]; 0 on land
/// @param[in]     area         [m2]
/// @param[in]     temperature  [degree C]
/// @param[in,out] floor        what lies there [mg m-2, mmol m-2], shape (8, j, i)
/// @param[in]     numbers      parameters
/// @param[in]     dt           step [s]
template <class T>
void bfm_sink(Box box, View4<T> tracer, View3<const T> volume, View2<const T> area,
              View3<const T> temperature, View3<T> floor, const SinkingGroups<double>& numbers,
              double dt) {
  const SinkingGroups<T> o = numbers_as<T>(numbers);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      SinkingColumns<T, V> columns(o, tracer, volume, area, floor, j, i, static_cast<T>(dt));
      if (columns.dry()) return;
      columns.sink();
      if (o.sinking.returned > T(0)) columns.give_back(temperature);
    });
  });
}

}  // namespace halocline::biogeochemistry::bfm
