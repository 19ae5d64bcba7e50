#pragma once
#include <algorithm>
#include <vector>

#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// The vertical half of an acoustic step: mass, heat, then upward wind and geopotential together.
namespace halocline {

namespace air {

/// Rows of values, one for each layer or interface, of a tile of columns that a thread works on.
template <class T>
class TileRows {
 public:
  static constexpr std::ptrdiff_t columns = 160;

  explicit TileRows(int levels)
      : rows_(static_cast<std::size_t>(levels + 1)), values_(kinds * rows_ * columns) {}

  /// Columns count from `first`, that of the tile.
  void begin(std::ptrdiff_t first) { first_ = first; }
  T* rise(int k) { return at(0, k); }
  T* stiffness(int k) { return at(1, k); }  ///< pressure per change of a layer's depth
  T* warmed(int k) { return at(2, k); }     ///< pressure that new heat makes
  T* old_pressure(int k) { return at(3, k); }
  T* lifted(int k) { return at(4, k); }        ///< of a layer, then upward momentum and factors
  T* geopotential(int k) { return at(5, k); }  ///< without the new upward wind
  T* factor(int k) { return at(6, k); }
  T* per_mass(int k) { return at(7, k); }  ///< 1 / mass per coordinate at interfaces, 0 at ground
  T* old_mass() { return at(8, 0); }
  T* new_mass() { return at(8, 1); }
  T* gain() { return at(8, 2); }
  T* per_area() { return at(8, 3); }

 private:
  static constexpr std::size_t kinds = 9;
  T* at(std::size_t kind, int k) {
    return values_.data() + (kind * rows_ + static_cast<std::size_t>(k)) * columns - first_;
  }
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

  /// Columns [a, b) of row j.
  void operator()(TileRows<T>& rows, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    rows.begin(a);
    gather(rows, j, a, b);
    for (int k = 0; k < levels; ++k) heat(rows, k, j, a, b);
    for (int k = 1; k <= levels; ++k) lift(rows, k, j, a, b);
    at_ground(j, a, b);
    for (int k = 1; k <= levels; ++k) eliminate(rows, k, j, a, b);
    for (int k = levels; k >= 1; --k) substitute(rows, k, j, a, b);
  }

 private:
  /// Half of the sum with the next face along x, and y, of U'' times its length.
  template <class V>
  INLINE V through(const View3<const T>& of, const View2<const T>& length, int k, int j,
                   std::ptrdiff_t i) const {
    return load<V>(of.row(k, j) + i) * load<V>(length.row(j) + i);
  }

  /// What columns lose, layer by layer, and in all.
  void gather(TileRows<T>& rows, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    T *gain = rows.gain(), *before = rows.old_mass(), *after = rows.new_mass();
    T* per_area = rows.per_area();
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      put<V>(per_area + i, T(1) / load<V>(area.row(j) + i));
      put<V>(gain + i, V{});
    });
    for (int k = 0; k < levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
        const V east = through<V>(u_change, x_length, k, j, i + 1);
        const V north = through<V>(v_change, y_length, k, j + 1, i);
        const V out = (east - through<V>(u_change, x_length, k, j, i)) +
                      (north - through<V>(v_change, y_length, k, j, i));
        const V lost = layers.thickness(k) * (out * load<V>(per_area + i));
        put<V>(rows.rise(k + 1) + i, lost);
        put<V>(gain + i, load<V>(gain + i) - lost);
      });
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V rate = load<V>(gain + i) + load<V>(mass_tendency.row(j) + i);
      const V old = load<V>(mass_change.row(j) + i);
      put<V>(before + i, old);
      put<V>(after + i, old + step.dt * rate);
      put<V>(mass_change.row(j) + i, old + step.dt * rate);
      put<V>(mass_rate.row(j) + i, rate);
      put<V>(rows.rise(0) + i, V{});
    });
  }

  /// The stage's potential temperature at the interface below layer k.
  template <class V>
  INLINE V theta_below(int k, int j, std::ptrdiff_t i) const {
    return at_interface<V>(layers.upper_share(k), load<V>(theta.row(k, j) + i),
                           load<V>(theta.row(k - 1, j) + i));
  }

  /// What rises above layer k, its new heat, and what both mean for the pressure.
  void heat(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T depth = layers.thickness(k), c1 = layers.c1(k), c2 = layers.c2(k);
    const T per_depth = 1 / depth, base = step.base_theta * c1;
    const bool top = k + 1 == levels;
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V below = load<V>(rows.rise(k) + i), lost = load<V>(rows.rise(k + 1) + i);
      const V above = top ? V{} : below - (lost + depth * c1 * load<V>(rows.gain() + i));
      put<V>(rows.rise(k + 1) + i, above);
      const V out = heat_out<V>(k, j, i) * load<V>(rows.per_area() + i);
      V leaves{};
      if (!top) leaves = above * theta_below<V>(k + 1, j, i);
      if (k > 0) leaves -= below * theta_below<V>(k, j, i);
      T* heat = theta_change.row(k, j) + i;
      const V old_heat = load<V>(heat);
      const V rate = load<V>(theta_rate.row(k, j) + i) - (out + leaves * per_depth);
      const V new_heat = old_heat + step.dt * rate;
      put<V>(heat, new_heat);
      const V layer = layer_mass<V>(c1, c2, mass.template at<V>(j, i));
      const V gamma_p = load<V>(stiffness.row(k, j) + i);
      const V by_volume = load<V>(full_volume.row(k, j) + i) * layer;
      const V deep = by_volume * depth;
      const V hot = layer * (load<V>(theta.row(k, j) + i) + step.base_theta);
      const V shared = gamma_p / (deep * hot);
      const V stiff = shared * hot, per_heat = shared * deep;
      const V was = load<V>(geopotential_change.row(k + 1, j) + i) -
                    load<V>(geopotential_change.row(k, j) + i);
      put<V>(rows.stiffness(k) + i, stiff);
      put<V>(rows.warmed(k) + i, per_heat * (new_heat + base * load<V>(rows.new_mass() + i)));
      put<V>(rows.old_pressure(k) + i,
             per_heat * (old_heat + base * load<V>(rows.old_mass() + i)) - stiff * was);
      put<V>(rows.lifted(k) + i, T(0.5) * (below + above) * by_volume);
    });
  }

  /// Heat that the change of the wind carries out of a cell, times its area [Pa K m2 s-1].
  template <class V>
  INLINE V heat_out(int k, int j, std::ptrdiff_t i) const {
    const T* at = theta.row(k, j) + i;
    const std::ptrdiff_t row = theta.stride[1];
    const V here = load<V>(at);
    const V west = through<V>(u_change, x_length, k, j, i) * (load<V>(at - 1) + here);
    const V east = through<V>(u_change, x_length, k, j, i + 1) * (here + load<V>(at + 1));
    const V south = through<V>(v_change, y_length, k, j, i) * (load<V>(at - row) + here);
    const V north = through<V>(v_change, y_length, k, j + 1, i) * (here + load<V>(at + row));
    return T(0.5) * ((east - west) + (north - south));
  }

  /// The geopotential of interface k but for what the new upward wind will do.
  void lift(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V taken{};
      if (k < levels)
        taken = at_interface<V>(layers.upper_share(k), load<V>(rows.lifted(k) + i),
                                load<V>(rows.lifted(k - 1) + i));
      const V rising = step.g * (1 - step.after) * load<V>(w_change.row(k, j) + i);
      const V per_mass = T(1) / face_mass<V>(k, j, i);
      const V rate = load<V>(geopotential_tendency.row(k, j) + i) + (rising - taken) * per_mass;
      put<V>(rows.per_mass(k) + i, per_mass);
      put<V>(rows.geopotential(k) + i, load<V>(geopotential_change.row(k, j) + i) + step.dt * rate);
      if (k > 1) return;
      put<V>(rows.geopotential(0) + i, V{});
      put<V>(rows.per_mass(0) + i, V{});
    });
  }

  template <class V>
  INLINE V face_mass(int k, int j, std::ptrdiff_t i) const {
    return layer_mass<V>(layers.c1_face(k), layers.c2_face(k), mass.template at<V>(j, i));
  }

  /// What the new upward momentum at an interface adds to the geopotential there.
  template <class V>
  INLINE V lifting(TileRows<T>& rows, int k, std::ptrdiff_t i) const {
    return (step.dt * step.g * step.after) * load<V>(rows.per_mass(k) + i);
  }

  /// Upward momentum at the ground, along its slopes.
  void at_ground(int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const auto along = [&](const View3<const T>& of, const View2<const T>& slope, int j,
                             std::ptrdiff_t i) {
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

  /// Mean of the old pressure of layer k and the new one without the new upward wind.
  template <class V>
  INLINE V pressure_between(TileRows<T>& rows, int k, std::ptrdiff_t i) const {
    const V deeper = load<V>(rows.geopotential(k + 1) + i) - load<V>(rows.geopotential(k) + i);
    const V after = load<V>(rows.warmed(k) + i) - load<V>(rows.stiffness(k) + i) * deeper;
    return step.after * after + (1 - step.after) * load<V>(rows.old_pressure(k) + i);
  }

  /// Row k of the tridiagonal system of the new upward momentum.
  void eliminate(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T per_spacing = step.dt * step.g / layers.spacing(k), c1 = layers.c1_face(k);
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V push = pressure_between<V>(rows, k - 1, i), above{};
      if (k < levels) {
        push -= pressure_between<V>(rows, k, i);
        above = load<V>(rows.stiffness(k) + i);
      }
      const V below = load<V>(rows.stiffness(k - 1) + i);
      V share = splat<V>(per_spacing);
      if (dilution.data != nullptr) share *= moist_share<V>(k, j, i);
      const V coupling = step.after * share;
      const V weight = step.after * load<V>(rows.new_mass() + i) +
                       (1 - step.after) * load<V>(rows.old_mass() + i);
      const V known = load<V>(w_change.row(k, j) + i) +
                      step.dt * load<V>(w_tendency.row(k, j) + i) + share * push -
                      step.dt * step.g * c1 * weight;
      const V lower = coupling * below * lifting<V>(rows, k - 1, i);
      const V diagonal = splat<V>(T(1)) + coupling * (below + above) * lifting<V>(rows, k, i);
      V upper{};
      if (k < levels) upper = coupling * above * lifting<V>(rows, k + 1, i);
      V pivot = diagonal, right = known;
      if (k > 1) {
        pivot -= lower * load<V>(rows.factor(k - 1) + i);
        right += lower * load<V>(w_change.row(k - 1, j) + i);
      }
      const V per_pivot = T(1) / pivot;
      put<V>(rows.factor(k) + i, upper * per_pivot);
      put<V>(w_change.row(k, j) + i, right * per_pivot);
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
  INLINE V damped(V change, int k, int j, std::ptrdiff_t i) const {
    const T share = step.dt * w_damping(k);
    const V stage = face_mass<V>(k, j, i) * load<V>(w.row(k, j) + i);
    return (change - share * stage) / (1 + share);
  }

  /// The new upward momentum and geopotential of interface k, and the pressure of the layer above.
  void substitute(TileRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V now = load<V>(w_change.row(k, j) + i);
      if (k < levels) now += load<V>(rows.factor(k) + i) * load<V>(rows.factor(k + 1) + i);
      put<V>(rows.factor(k) + i, now);
      if (w_damping.data != nullptr) now = damped<V>(now, k, j, i);
      put<V>(w_change.row(k, j) + i, now);
      const V lifted = load<V>(rows.geopotential(k) + i) + lifting<V>(rows, k, i) * now;
      put<V>(geopotential_change.row(k, j) + i, lifted);
      const auto press = [&](int k, V deeper) {
        const V after = load<V>(rows.warmed(k) + i) - load<V>(rows.stiffness(k) + i) * deeper;
        const V more = after - load<V>(rows.old_pressure(k) + i);
        put<V>(pressure_change.row(k, j) + i, after + step.damping * more);
      };
      if (k < levels) press(k, load<V>(geopotential_change.row(k + 1, j) + i) - lifted);
      if (k == 1) press(0, lifted);
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
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return TileRows<T>(levels); },
      [&](int j, TileRows<T>& rows) {
        constexpr std::ptrdiff_t width = TileRows<T>::columns;
        for (std::ptrdiff_t a = box.i0; a < box.i1; a += width)
          advance(rows, j, a, std::min<std::ptrdiff_t>(a + width, box.i1));
      });
}

}  // namespace halocline
