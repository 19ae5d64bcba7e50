#pragma once
#include <vector>

#include "atmosphere/constants.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Implicit vertical mixing of columns of air with given diffusivities, fluxes from the ground and
/// fluxes that do not follow gradients.
///
/// For the change d of a quantity x in a step, m d[k] = dt (F[k] - F[k+1]), where m is the mass of
/// the layer, F[k] = -c[k] (x[k] - x[k-1] + d[k] - d[k-1]) + G[k], c = density K / distance.
namespace halocline {

namespace air {

template <class T>
struct MixingFields {
  View3<const T> u, v, dry_theta;
  View4<const T> water;
  View1<const T> mixed;
  View3<const T> air_density, exner, height, layer_depth, viscosity, diffusivity, theta_nonlocal,
      vapor_nonlocal, u_nonlocal, v_nonlocal;
  View2<const T> heat_flux, vapor_flux, momentum_exchange, stress_x, stress_y;
  View3<T> theta_tendency;
  View4<T> water_tendency;
  View3<T> u_tendency, v_tendency;
};

/// Columns, a pack of them at a time, in scratch of their own.
template <class T>
class MixingColumns {
 public:
  MixingColumns(const MixingFields<T>& fields, T step)
      : f_(fields), step_(step), levels_(static_cast<int>(fields.exner.extent[0])) {
    scratch_.resize(static_cast<std::size_t>(planes) * (levels_ + 1) * lanes<T>);
  }

  /// Columns from i on of row j, as many as V has lanes.
  template <class V>
  void columns(int j, std::ptrdiff_t i) {
    const auto plane = [&](const View2<const T>& field) { return load<V>(field.row(j) + i); };
    const auto level = [&](const View3<const T>& field, int k) {
      return load<V>(field.row(k, j) + i);
    };
    const auto put = [&](const View3<T>& to) {
      return [&, j, i](int k, V rate) { store<V>(to.row(k, j) + i, rate); };
    };
    mass<V>(j, i);
    conduct<V>(f_.viscosity, plane(f_.momentum_exchange), j, i);
    const V drag = plane(f_.momentum_exchange);
    const auto x_wind = [&](int k) {
      return V(T(0.5) * (level(f_.u, k) + load<V>(f_.u.row(k, j) + i + 1)));
    };
    const auto y_wind = [&](int k) {
      return V(T(0.5) * (level(f_.v, k) + load<V>(f_.v.row(k, j + 1) + i)));
    };
    const auto across = [&](const View3<const T>& flux) {
      return [&, j, i](int k) { return load<V>(flux.row(k, j) + i); };
    };
    mix<V>(x_wind, V(-drag * x_wind(0) - plane(f_.stress_x)), across(f_.u_nonlocal),
           put(f_.u_tendency));
    mix<V>(y_wind, V(-drag * y_wind(0) - plane(f_.stress_y)), across(f_.v_nonlocal),
           put(f_.v_tendency));
    conduct<V>(f_.diffusivity, V{}, j, i);
    const V heat = plane(f_.heat_flux) / (T(heat_capacity) * level(f_.exner, 0));
    mix<V>([&](int k) { return level(f_.dry_theta, k); }, heat, across(f_.theta_nonlocal),
           put(f_.theta_tendency));
    for (int s = 0; s < static_cast<int>(f_.mixed.extent[0]); ++s) {
      const auto rate = [&](int k, V value) {
        store<V>(f_.water_tendency.row(s, k, j) + i, value);
      };
      const auto amount = [&](int k) { return load<V>(f_.water.row(s, k, j) + i); };
      if (s == 0) {
        mix<V>(amount, plane(f_.vapor_flux), across(f_.vapor_nonlocal), rate);
      } else if (f_.mixed(s) > T(0)) {
        mix<V>(amount, V{}, [](int) { return V{}; }, rate);
      } else {
        for (int k = 0; k < levels_; ++k) rate(k, V{});
      }
    }
  }

 private:
  enum Plane { weight, density, conductance, pivot, above, change, planes };

  template <class V>
  V get(Plane plane, int k) const {
    return load<V>(scratch_.data() + (plane * (levels_ + 1) + k) * lanes<T>);
  }
  template <class V>
  void set(Plane plane, int k, V value) {
    store<V>(scratch_.data() + (plane * (levels_ + 1) + k) * lanes<T>, value);
  }

  /// Step over mass of the layers, and densities of interfaces.
  template <class V>
  void mass(int j, std::ptrdiff_t i) {
    V below{};
    for (int k = 0; k < levels_; ++k) {
      const V here = load<V>(f_.air_density.row(k, j) + i);
      set<V>(weight, k, step_ / (here * load<V>(f_.layer_depth.row(k, j) + i)));
      set<V>(density, k, T(0.5) * (here + (k > 0 ? below : here)));
      below = here;
    }
  }

  /// Conductances of interfaces [kg m-2 s-1] and the elimination of the system that they make, from
  /// the ground up; `exchange` is that with a ground at rest.
  template <class V>
  void conduct(const View3<const T>& mixing, V exchange, int j, std::ptrdiff_t i) {
    V last_above{};
    set<V>(conductance, 0, V{});
    set<V>(conductance, levels_, V{});
    for (int k = 0; k < levels_; ++k) {
      if (k + 1 < levels_) {
        const V gap = load<V>(f_.height.row(k + 1, j) + i) - load<V>(f_.height.row(k, j) + i);
        set<V>(conductance, k + 1,
               get<V>(density, k + 1) * load<V>(mixing.row(k + 1, j) + i) / gap);
      }
      const V w = get<V>(weight, k), low = w * get<V>(conductance, k);
      const V high = w * get<V>(conductance, k + 1);
      const V rest = k > 0 ? V(low * (T(1) - last_above)) : V(w * exchange);
      const V one_over = T(1) / (T(1) + high + rest);
      last_above = high * one_over;
      set<V>(pivot, k, one_over);
      set<V>(above, k, last_above);
    }
  }

  /// Rates of change of a quantity: `value(k)`, the flux from the ground, other fluxes over density
  /// at interfaces, and where the rates go.
  template <class V, class Value, class Flux, class Put>
  void mix(const Value& value, V ground, const Flux& nonlocal, const Put& put) {
    V entering = ground, here = value(0), solved{};
    for (int k = 0; k < levels_; ++k) {
      V leaving{}, next = here;
      if (k + 1 < levels_) {
        next = value(k + 1);
        leaving =
            get<V>(density, k + 1) * nonlocal(k + 1) - get<V>(conductance, k + 1) * (next - here);
      }
      const V w = get<V>(weight, k);
      const V low = w * get<V>(conductance, k);
      solved = (w * (entering - leaving) + low * solved) * get<V>(pivot, k);
      set<V>(change, k, solved);
      entering = leaving;
      here = next;
    }
    V above_it{};
    const T rate = T(1) / step_;
    for (int k = levels_ - 1; k >= 0; --k) {
      above_it = get<V>(change, k) + get<V>(above, k) * above_it;
      put(k, V(rate * above_it));
    }
  }

  MixingFields<T> f_;
  T step_;
  int levels_;
  std::vector<T> scratch_;
};

}  // namespace air

inline constexpr Contract<24> atmosphere_column_mixing_contract{
    "atmosphere_column_mixing",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, 0, 0}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {0, 0, 0, 1}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"mixed", Access::read, Place::none, "1", "species"},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"height", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"viscosity", Access::read, Place::interface, "m2 s-1", "depth+1", {}, Column::whole},
      {"diffusivity", Access::read, Place::interface, "m2 s-1", "depth+1", {}, Column::whole},
      {"theta_nonlocal", Access::read, Place::interface, "K m s-1", "depth+1", {}, Column::whole},
      {"vapor_nonlocal", Access::read, Place::interface, "m s-1", "depth+1", {}, Column::whole},
      {"u_nonlocal", Access::read, Place::interface, "m2 s-2", "depth+1", {}, Column::whole},
      {"v_nonlocal", Access::read, Place::interface, "m2 s-2", "depth+1", {}, Column::whole},
      {"heat_flux", Access::read, Place::center, "W m-2"},
      {"vapor_flux", Access::read, Place::center, "kg m-2 s-1"},
      {"momentum_exchange", Access::read, Place::center, "kg m-2 s-1"},
      {"stress_x", Access::read, Place::center, "Pa"},
      {"stress_y", Access::read, Place::center, "Pa"},
      {"theta_tendency", Access::write, Place::center, "K s-1", "depth", {}, Column::whole},
      {"water_tendency", Access::write, Place::center, "s-1", "species depth", {}, Column::whole},
      {"u_tendency", Access::write, Place::center, "m s-2", "depth", {}, Column::whole},
      {"v_tendency", Access::write, Place::center, "m s-2", "depth", {}, Column::whole}}}};

/// Tendencies of an implicit step of vertical mixing. Fluxes pass from layer to layer: the integral
/// of density times a tendency over a column is the flux from the ground, which of momentum is that
/// of the wind after the step, and the stress that is given besides.
///
/// @param[in]  u, v                  wind at faces [m s-1], shape (k, j, i)
/// @param[in]  dry_theta             dry potential temperature less 300 K [K]
/// @param[in]  water                 mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]  mixed                 1 for entries of `water` that are mixed; vapour always is
/// @param[in]  air_density           of dry air [kg m-3]
/// @param[in]  exner                 temperature over potential temperature [1]
/// @param[in]  height, layer_depth   of centres over the ground, of layers [m]
/// @param[in]  viscosity, diffusivity  at interfaces [m2 s-1]
/// @param[in]  theta_nonlocal, vapor_nonlocal, u_nonlocal, v_nonlocal  upward fluxes besides, over
/// density, at interfaces [K m s-1], [m s-1], [m2 s-2]; at the ground and the top not read
/// @param[in]  heat_flux, vapor_flux upward from the ground [W m-2], [kg m-2 s-1]
/// @param[in]  momentum_exchange     stress over the wind of the lowest layer [kg m-2 s-1]
/// @param[in]  stress_x, stress_y    on the ground, besides [Pa]
/// @param[out] theta_tendency, water_tendency, u_tendency, v_tendency  at centres [K s-1], [s-1],
/// [m s-2]
/// @param[in]  dt                    step [s]
template <class T>
void atmosphere_column_mixing(
    Box box, View3<const T> u, View3<const T> v, View3<const T> dry_theta, View4<const T> water,
    View1<const T> mixed, View3<const T> air_density, View3<const T> exner, View3<const T> height,
    View3<const T> layer_depth, View3<const T> viscosity, View3<const T> diffusivity,
    View3<const T> theta_nonlocal, View3<const T> vapor_nonlocal, View3<const T> u_nonlocal,
    View3<const T> v_nonlocal, View2<const T> heat_flux, View2<const T> vapor_flux,
    View2<const T> momentum_exchange, View2<const T> stress_x, View2<const T> stress_y,
    View3<T> theta_tendency, View4<T> water_tendency, View3<T> u_tendency, View3<T> v_tendency,
    double dt) {
  const air::MixingFields<T> fields{u,
                                    v,
                                    dry_theta,
                                    water,
                                    mixed,
                                    air_density,
                                    exner,
                                    height,
                                    layer_depth,
                                    viscosity,
                                    diffusivity,
                                    theta_nonlocal,
                                    vapor_nonlocal,
                                    u_nonlocal,
                                    v_nonlocal,
                                    heat_flux,
                                    vapor_flux,
                                    momentum_exchange,
                                    stress_x,
                                    stress_y,
                                    theta_tendency,
                                    water_tendency,
                                    u_tendency,
                                    v_tendency};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return air::MixingColumns<T>(fields, static_cast<T>(dt)); },
      [&](int j, air::MixingColumns<T>& columns) {
        over_row<T>(box.i0, box.i1,
                    [&]<class V>(Lane<V>, std::ptrdiff_t i) { columns.template columns<V>(j, i); });
      });
}

}  // namespace halocline
