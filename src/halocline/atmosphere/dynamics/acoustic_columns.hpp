#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// The vertical half of an acoustic step: mass, heat, then upward wind and geopotential together.
namespace halocline {

namespace air {

/// Rows of values of a tile of columns that a thread works on, one for each layer or interface.
template <class T>
class TileRows {
 public:
  static constexpr std::ptrdiff_t columns = 160;

  explicit TileRows(int levels)
      : rows_(static_cast<std::size_t>(levels + 1)),
        values_((kinds * rows_ + passing) * columns + line / sizeof(T)) {}

  /// Columns count from `first`, that of the tile.
  void begin(std::ptrdiff_t first) { first_ = first; }
  T* lost(int k) { return at(0, k); }          ///< mass that the wind carries out of a layer
  T* heat_out(int k) { return at(1, k); }      ///< and heat
  T* stiffness(int k) { return at(2, k); }     ///< pressure per change of a layer's depth
  T* ahead(int k) { return at(3, k); }         ///< new pressure, looking ahead, at the old depth 0
  T* geopotential(int k) { return at(4, k); }  ///< without the new upward wind
  T* factor(int k) { return at(5, k); }
  T* lifting(int k) { return at(6, k); }  ///< geopotential per new upward momentum, 0 at the ground
  // of what is above and below only
  T* rise(int k) { return some(k & 1); }
  T* taken(int k) { return some(2 + (k & 1)); }    ///< geopotential that rising mass takes along
  T* between(int k) { return some(4 + (k & 3)); }  ///< pressure between the old and the new one
  // of columns
  T* column(int row) { return some(8 + row); }
  T* old_mass() { return column(0); }
  T* new_mass() { return column(1); }
  T* gain() { return column(2); }
  T* per_area() { return column(3); }
  T* whole_mass() { return column(4); }  ///< of the stage
  T* weight() { return column(5); }      ///< mass between the old and the new one

 private:
  static constexpr std::size_t kinds = 7, passing = 14, line = 64;
  T* at(std::size_t kind, int k) {
    const auto begin = (reinterpret_cast<std::uintptr_t>(values_.data()) + line - 1) / line * line;
    return reinterpret_cast<T*>(begin) + (kind * rows_ + static_cast<std::size_t>(k)) * columns -
           first_;
  }
  T* some(int row) { return at(kinds, 0) + row * columns; }
  std::size_t rows_;
  std::vector<T> values_;
  std::ptrdiff_t first_ = 0;
};

/// Weights and lengths of acoustic steps.
template <class T>
struct AcousticStep {
  T dt;       ///< [s]
  T after;    ///< weight of the new values, of the old ones is what is left to 1
  T damping;  ///< of divergence: how far the pressure looks ahead
  T base_theta = static_cast<T>(reference_temperature);
  T g = static_cast<T>(gravity);
};

/// One acoustic step of columns; members are the arguments of the kernel.
template <class T>
struct AcousticColumns {
  Layers<T> layers;
  Columns<T> mass;
  AcousticStep<T> step;
  View3<const T> u_change, v_change, theta, full_volume, stiffness;
  View3<const T> theta_rate, w_tendency, geopotential_tendency, dilution;
  View2<const T> mass_tendency, x_length, y_length, area, x_slope, y_slope;
  View1<const T> to_ground;
  View3<const T> w;
  View1<const T> w_damping;
  View3<T> theta_change, w_change, geopotential_change, pressure_change;
  View2<T> mass_change, mass_rate;
  int levels;

  /// Columns [a, b) of row j; what a layer leaves for the next one stays in the first cache.
  template <bool moist, bool damps>
  void advance(TileRows<T>& rows, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    rows.begin(a);
    gather(rows, j, a, b);
    at_ground(j, a, b);
    heat<false>(rows, 0, j, a, b);
    for (int k = 1; k <= levels; ++k) {
      if (k < levels) heat<false>(rows, k, j, a, b);
      lift(rows, k, j, a, b);
      if (k > 1) eliminate<moist>(rows, k - 1, j, a, b);
    }
    eliminate<moist>(rows, levels, j, a, b);
    for (int k = levels; k >= 1; --k) substitute<damps>(rows, k, j, a, b);
  }

  /// The same of hydrostatic air: pressure is what the mass above weighs, and layers are as deep as
  /// they then are by the law of gases.
  template <bool moist>
  void advance_hydrostatic(TileRows<T>& rows, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    rows.begin(a);
    gather(rows, j, a, b);
    at_ground(j, a, b);
    for (int k = 0; k < levels; ++k) heat<true>(rows, k, j, a, b);
    for (int k = levels; k >= 1; --k) weigh<moist>(rows, k, j, a, b);
    for (int k = 0; k <= levels; ++k) stack(rows, k, j, a, b);
  }

 private:
  /// Asks for values two layers above: rows of one column after the other are too short for the
  /// hardware to foresee the next.
  template <class S>
  INLINE void fetch(const View3<S>& of, int k, int j, std::ptrdiff_t i) const {
    __builtin_prefetch(of.row(std::min(k + 2, levels - 1), j) + i);
  }

  /// What the wind carries out of columns, layer by layer, and in all.
  void gather(TileRows<T>& rows, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    T *gain = rows.gain(), *before = rows.old_mass(), *after = rows.new_mass();
    T *per_area = rows.per_area(), *whole = rows.whole_mass(), *weight = rows.weight();
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      put<V>(per_area + i, T(1) / load<V>(area.row(j) + i));
      put<V>(whole + i, mass.template at<V>(j, i));
      put<V>(gain + i, V{});
      put<V>(rows.rise(0) + i, V{});
      put<V>(rows.geopotential(0) + i, V{});
      put<V>(rows.lifting(0) + i, V{});
    });
    for (int k = 0; k < levels; ++k) leave(rows, k, j, a, b);
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V rate = load<V>(gain + i) + load<V>(mass_tendency.row(j) + i);
      const V old = load<V>(mass_change.row(j) + i), now = old + step.dt * rate;
      put<V>(before + i, old);
      put<V>(after + i, now);
      put<V>(weight + i, step.after * now + (1 - step.after) * old);
      put<V>(mass_change.row(j) + i, now);
      put<V>(mass_rate.row(j) + i, rate);
    });
  }

  /// Mass and heat that the change of the wind carries out of layer k.
  void leave(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T depth = layers.thickness(k), half = T(0.5);
    T *gain = rows.gain(), *lost = rows.lost(k), *heat = rows.heat_out(k);
    const T* per_area = rows.per_area();
    const std::ptrdiff_t row = theta.stride[1], next = v_change.stride[1];
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const T *u = u_change.row(k, j) + i, *v = v_change.row(k, j) + i;
      fetch(u_change, k, j, i);
      fetch(v_change, k, j + 1, i);
      fetch(theta, k, j + 1, i);
      const V west = load<V>(u) * load<V>(x_length.row(j) + i);
      const V east = load<V>(u + 1) * load<V>(x_length.row(j) + i + 1);
      const V south = load<V>(v) * load<V>(y_length.row(j) + i);
      const V north = load<V>(v + next) * load<V>(y_length.row(j + 1) + i);
      const V share = load<V>(per_area + i);
      const V mass = depth * (((east - west) + (north - south)) * share);
      put<V>(lost + i, mass);
      put<V>(gain + i, load<V>(gain + i) - mass);
      const T* at = theta.row(k, j) + i;
      const V here = load<V>(at);
      const V along = east * (load<V>(at + 1) + here) - west * (load<V>(at - 1) + here);
      const V across = north * (load<V>(at + row) + here) - south * (load<V>(at - row) + here);
      put<V>(heat + i, (along + across) * (half * share));
    });
  }

  /// The stage's potential temperature at the interface below layer k.
  template <class V>
  INLINE V theta_below(int k, int j, std::ptrdiff_t i) const {
    return at_interface<V>(layers.upper_share(k), load<V>(theta.row(k, j) + i),
                           load<V>(theta.row(k - 1, j) + i));
  }

  /// What rises above layer k, its new heat, and what both mean for the pressure; of hydrostatic
  /// air `ahead` is the new pressure at the old depth.
  template <bool hydrostatic>
  void heat(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T depth = layers.thickness(k), c1 = layers.c1(k), c2 = layers.c2(k);
    const T per_depth = 1 / depth, base = step.base_theta * c1, share = depth * c1;
    const bool top = k + 1 == levels;
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V below = load<V>(rows.rise(k) + i), lost = load<V>(rows.lost(k) + i);
      for (const View3<const T>* of : {&theta_rate, &full_volume, &stiffness}) fetch(*of, k, j, i);
      for (const View3<const T>* of : {&dilution, &w})
        if (of->data != nullptr) fetch(*of, k, j, i);
      for (const View3<T>* of : {&theta_change, &geopotential_change, &pressure_change})
        fetch(*of, k, j, i);
      if constexpr (!hydrostatic) {
        fetch(w_tendency, k, j, i);
        fetch(geopotential_tendency, k, j, i);
        fetch(w_change, k, j, i);
      }
      const V above = top ? V{} : V(below - multiply_add(share, load<V>(rows.gain() + i), lost));
      put<V>(rows.rise(k + 1) + i, above);
      V leaves{};
      if (!top) leaves = above * theta_below<V>(k + 1, j, i);
      if (k > 0) leaves -= below * theta_below<V>(k, j, i);
      T* heat = theta_change.row(k, j) + i;
      const V old_heat = load<V>(heat);
      const V rate = load<V>(theta_rate.row(k, j) + i) -
                     multiply_add(leaves, per_depth, load<V>(rows.heat_out(k) + i));
      const V new_heat = multiply_add(step.dt, rate, old_heat);
      put<V>(heat, new_heat);
      const V layer = layer_mass<V>(c1, c2, load<V>(rows.whole_mass() + i));
      const V by_volume = load<V>(full_volume.row(k, j) + i) * layer;
      const V deep = by_volume * depth;
      const V hot = layer * (load<V>(theta.row(k, j) + i) + step.base_theta);
      const V shared = load<V>(stiffness.row(k, j) + i) / (deep * hot);
      const V stiff = shared * hot, per_heat = shared * deep;
      const V warmed = per_heat * multiply_add(base, load<V>(rows.new_mass() + i), new_heat);
      put<V>(rows.stiffness(k) + i, stiff);
      if constexpr (hydrostatic) {
        put<V>(rows.ahead(k) + i, warmed);
      } else {
        const V was = load<V>(geopotential_change.row(k + 1, j) + i) -
                      load<V>(geopotential_change.row(k, j) + i);
        const V old =
            per_heat * multiply_add(base, load<V>(rows.old_mass() + i), old_heat) - stiff * was;
        put<V>(rows.ahead(k) + i, multiply_add(step.damping, warmed - old, warmed));
        put<V>(rows.between(k) + i, step.after * warmed + (1 - step.after) * old);
        put<V>(rows.taken(k) + i, T(0.5) * (below + above) * by_volume);
      }
    });
  }

  /// The geopotential of interface k but for what the new upward wind will do, and the pressure
  /// between the old and the new one of the layer below without it.
  void lift(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T old_share = step.g * (1 - step.after), new_share = step.dt * step.g * step.after;
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V rising = old_share * load<V>(w_change.row(k, j) + i);
      if (k < levels)
        rising -= at_interface<V>(layers.upper_share(k), load<V>(rows.taken(k) + i),
                                  load<V>(rows.taken(k - 1) + i));
      const V per_mass = T(1) / face_mass<V>(rows, k, i);
      const V rate = multiply_add(rising, per_mass, load<V>(geopotential_tendency.row(k, j) + i));
      const V lifted = multiply_add(step.dt, rate, load<V>(geopotential_change.row(k, j) + i));
      put<V>(rows.lifting(k) + i, new_share * per_mass);
      put<V>(rows.geopotential(k) + i, lifted);
      const V deeper = lifted - load<V>(rows.geopotential(k - 1) + i);
      const V less = step.after * load<V>(rows.stiffness(k - 1) + i);
      put<V>(rows.between(k - 1) + i, load<V>(rows.between(k - 1) + i) - less * deeper);
    });
  }

  template <class V>
  INLINE V face_mass(TileRows<T>& rows, int k, std::ptrdiff_t i) const {
    return layer_mass<V>(layers.c1_face(k), layers.c2_face(k), load<V>(rows.whole_mass() + i));
  }

  /// Upward momentum at the ground, along its slopes.
  void at_ground(int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const auto along = [&](const View3<const T>& of, const View2<const T>& slope, int j,
                             std::ptrdiff_t i) INTO_LOOP {
        const V momentum =
            to_ground(0) * load<V>(of.row(0, j) + i) +
            (to_ground(1) * load<V>(of.row(1, j) + i) + to_ground(2) * load<V>(of.row(2, j) + i));
        return momentum * load<V>(slope.row(j) + i);
      };
      const V eastward = along(u_change, x_slope, j, i) + along(u_change, x_slope, j, i + 1);
      const V northward = along(v_change, y_slope, j, i) + along(v_change, y_slope, j + 1, i);
      put<V>(w_change.row(0, j) + i, T(0.5) * (eastward + northward));
    });
  }

  /// Row k of the tridiagonal system of the new upward momentum.
  template <bool moist>
  void eliminate(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T per_spacing = step.dt * step.g / layers.spacing(k);
    const T heavier = step.dt * step.g * layers.c1_face(k);
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V push = load<V>(rows.between(k - 1) + i), above{};
      if (k < levels) {
        push -= load<V>(rows.between(k) + i);
        above = load<V>(rows.stiffness(k) + i);
      }
      const V below = load<V>(rows.stiffness(k - 1) + i);
      V share = splat<V>(per_spacing);
      if constexpr (moist) share *= moist_share<V>(k, j, i);
      const V coupling = step.after * share;
      T* momentum = w_change.row(k, j) + i;
      const V forced = multiply_add(share, push, step.dt * load<V>(w_tendency.row(k, j) + i)) -
                       heavier * load<V>(rows.weight() + i);
      const V lower = coupling * below * load<V>(rows.lifting(k - 1) + i);
      V pivot = multiply_add(coupling * (below + above), load<V>(rows.lifting(k) + i), T(1));
      V upper{}, right = load<V>(momentum) + forced;
      if (k < levels) upper = coupling * above * load<V>(rows.lifting(k + 1) + i);
      if (k > 1) {
        pivot -= lower * load<V>(rows.factor(k - 1) + i);
        right = multiply_add(lower, load<V>(w_change.row(k - 1, j) + i), right);
      }
      const V per_pivot = T(1) / pivot;
      put<V>(rows.factor(k) + i, upper * per_pivot);
      put<V>(momentum, right * per_pivot);
    });
  }

  /// Dry mass over all mass at interface k.
  template <class V>
  INLINE V moist_share(int k, int j, std::ptrdiff_t i) const {
    const V below = load<V>(dilution.row(k - 1, j) + i);
    if (k == levels) return below;
    return at_interface<V>(layers.upper_share(k), load<V>(dilution.row(k, j) + i), below);
  }

  /// Upward momentum, damped with that of the stage's state by an implicit step (Klemp, Dudhia and
  /// Hassiotis 2008, Mon. Wea. Rev. 136, 3987).
  template <class V>
  INLINE V damped(TileRows<T>& rows, V change, int k, int j, std::ptrdiff_t i) const {
    const T share = step.dt * w_damping(k);
    const V stage = face_mass<V>(rows, k, i) * load<V>(w.row(k, j) + i);
    return (change - share * stage) / (1 + share);
  }

  /// The new upward momentum and geopotential of interface k, and the pressure of the layer above.
  template <bool damps>
  void substitute(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V now = load<V>(w_change.row(k, j) + i);
      if (k < levels)
        now = multiply_add(load<V>(rows.factor(k) + i), load<V>(rows.factor(k + 1) + i), now);
      put<V>(rows.factor(k) + i, now);
      if constexpr (damps) now = damped<V>(rows, now, k, j, i);
      put<V>(w_change.row(k, j) + i, now);
      const V lifted =
          multiply_add(load<V>(rows.lifting(k) + i), now, load<V>(rows.geopotential(k) + i));
      put<V>(geopotential_change.row(k, j) + i, lifted);
      const auto press = [&](int k, V deeper) INTO_LOOP {
        const V less = (1 + step.damping) * load<V>(rows.stiffness(k) + i);
        put<V>(pressure_change.row(k, j) + i, load<V>(rows.ahead(k) + i) - less * deeper);
      };
      if (k < levels) press(k, load<V>(geopotential_change.row(k + 1, j) + i) - lifted);
      if (k == 1) press(0, lifted);
    });
  }

  /// The pressure of the layer below interface k by the mass above it; `factor` is what it changes
  /// by for a change of the column's mass.
  template <bool moist>
  void weigh(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T heavy = layers.spacing(k) * layers.c1_face(k);
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V weight = splat<V>(heavy);
      if constexpr (moist) weight /= moist_share<V>(k, j, i);
      if (k < levels) weight += load<V>(rows.factor(k) + i);
      put<V>(rows.factor(k - 1) + i, weight);
      const V old = load<V>(rows.old_mass() + i), now = load<V>(rows.new_mass() + i);
      const V ahead = multiply_add(step.damping, V(now - old), now);
      put<V>(pressure_change.row(k - 1, j) + i, weight * ahead);
    });
  }

  /// The geopotential of interface k by the depth of the layer below.
  void stack(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V lifted{};
      if (k > 0) {
        const V pressed = load<V>(rows.factor(k - 1) + i) * load<V>(rows.new_mass() + i);
        const V deeper =
            (load<V>(rows.ahead(k - 1) + i) - pressed) / load<V>(rows.stiffness(k - 1) + i);
        lifted = load<V>(rows.geopotential(k - 1) + i) + deeper;
      }
      put<V>(rows.geopotential(k) + i, lifted);
      put<V>(geopotential_change.row(k, j) + i, lifted);
    });
  }
};

}  // namespace air

inline constexpr Contract<33> atmosphere_acoustic_columns_contract{
    "atmosphere_acoustic_columns",
    {{{"u_change", Access::read, Place::x_face, "Pa m s-1", "depth", to_east, Column::whole},
      {"v_change", Access::read, Place::y_face, "Pa m s-1", "depth", to_north, Column::whole},
      {"theta", Access::read, Place::center, "K", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"stiffness", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"theta_rate", Access::read, Place::center, "Pa K s-1", "depth", {}, Column::whole},
      {"w_tendency", Access::read, Place::center, "Pa m s-2", "depth+1", {}, Column::whole},
      {"geopotential_tendency",
       Access::read,
       Place::center,
       "m2 s-3",
       "depth+1",
       {},
       Column::whole},
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", {}, Column::whole}),
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"mass_tendency", Access::read, Place::center, "Pa s-1"},
      {"x_length", Access::read, Place::x_face, "m", to_east},
      {"y_length", Access::read, Place::y_face, "m", to_north},
      {"area", Access::read, Place::center, "m2"},
      {"x_slope", Access::read, Place::x_face, "1", to_east},
      {"y_slope", Access::read, Place::y_face, "1", to_north},
      {"to_ground", Access::read, Place::none, "1", "3"},
      if_wanted({"w", Access::read, Place::center, "m s-1", "depth+1", {}, Column::whole}),
      if_wanted({"w_damping", Access::read, Place::none, "s-1", "depth+1"}),
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"theta_change", Access::update, Place::center, "Pa K", "depth", {}, Column::whole},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1", {}, Column::whole},
      {"geopotential_change",
       Access::update,
       Place::center,
       "m2 s-2",
       "depth+1",
       {},
       Column::whole},
      {"pressure_change", Access::write, Place::center, "Pa", "depth", {}, Column::whole},
      {"mass_change", Access::update, Place::center, "Pa"},
      {"mass_rate", Access::write, Place::center, "Pa s-1"}}}};

/// Advance the changes since the state of the stage by one acoustic step, in this order: mass of
/// columns, heat, then upward momentum with the geopotential, implicitly in columns (Skamarock et
/// al. 2019, equations 3.9 to 3.12; Klemp, Skamarock and Dudhia 2007, Mon. Wea. Rev. 135, 2897).
///
/// With the depth D of a layer in geopotential and its heat H, p = p0 (R H / (p0 D))^gamma whatever
/// its mass, so p'' = gamma p (H'' / H - D'' / D). The pressure above the top is constant.
///
/// @param[in] u_change, v_change  new changes of momentum [Pa m s-1]
/// @param[in] theta, full_volume, mass  of the state of the stage; `stiffness` is gamma p [Pa]
/// @param[in] theta_rate, w_tendency, geopotential_tendency, mass_tendency  of that state
/// @param[in] x_slope, y_slope   of the ground [1]
/// @param[in] w, w_damping       upward wind of that state [m s-1] and how fast it is damped [s-1]
/// @param[in,out] theta_change   heat less 300 K times mass [Pa K]
/// @param[in,out] w_change       upward momentum [Pa m s-1]
/// @param[in,out] geopotential_change, mass_change  [m2 s-2], [Pa]
/// @param[out] pressure_change   as it will be `divergence_damping` steps later [Pa]
/// @param[out] mass_rate         of columns [Pa s-1]
/// @param[in] dt                 acoustic step [s]
/// @param[in] off_centring       by which the new upward wind has more weight than the old [1]
template <class T>
void atmosphere_acoustic_columns(
    Box box, View3<const T> u_change, View3<const T> v_change, View3<const T> theta,
    View3<const T> full_volume, View3<const T> stiffness, View3<const T> theta_rate,
    View3<const T> w_tendency, View3<const T> geopotential_tendency, View3<const T> dilution,
    View2<const T> mass, View2<const T> base_mass, View2<const T> mass_tendency,
    View2<const T> x_length, View2<const T> y_length, View2<const T> area, View2<const T> x_slope,
    View2<const T> y_slope, View1<const T> to_ground, View3<const T> w, View1<const T> w_damping,
    View1<const T> c1, View1<const T> c2, View1<const T> c1_face, View1<const T> c2_face,
    View1<const T> thickness, View1<const T> spacing, View1<const T> upper_share,
    View3<T> theta_change, View3<T> w_change, View3<T> geopotential_change,
    View3<T> pressure_change, View2<T> mass_change, View2<T> mass_rate, double dt,
    double off_centring, double divergence_damping) {
  using namespace air;
  const int levels = static_cast<int>(theta.extent[0]);
  const AcousticStep<T> step{static_cast<T>(dt), static_cast<T>(0.5 * (1.0 + off_centring)),
                             static_cast<T>(divergence_damping)};
  const AcousticColumns<T> advance{{c1, c2, c1_face, c2_face, thickness, spacing, upper_share},
                                   {base_mass, mass},
                                   step,
                                   u_change,
                                   v_change,
                                   theta,
                                   full_volume,
                                   stiffness,
                                   theta_rate,
                                   w_tendency,
                                   geopotential_tendency,
                                   dilution,
                                   mass_tendency,
                                   x_length,
                                   y_length,
                                   area,
                                   x_slope,
                                   y_slope,
                                   to_ground,
                                   w,
                                   w_damping,
                                   theta_change,
                                   w_change,
                                   geopotential_change,
                                   pressure_change,
                                   mass_change,
                                   mass_rate,
                                   levels};
  const auto columns = [&](auto moist, auto damps) {
    for_each_in_with(
        box.j0, box.j1, 1, [&] { return TileRows<T>(levels); },
        [&](int j, TileRows<T>& rows) {
          constexpr std::ptrdiff_t width = TileRows<T>::columns;
          for (std::ptrdiff_t a = box.i0; a < box.i1; a += width)
            advance.template advance<moist.value, damps.value>(
                rows, j, a, std::min<std::ptrdiff_t>(a + width, box.i1));
        });
  };
  const auto with_damping = [&](auto damps) {
    dilution.data != nullptr ? columns(std::true_type{}, damps) : columns(std::false_type{}, damps);
  };
  w_damping.data != nullptr ? with_damping(std::true_type{}) : with_damping(std::false_type{});
}

}  // namespace halocline
