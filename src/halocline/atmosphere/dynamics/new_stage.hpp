#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// The end of a stage: the state that its acoustic steps have led to, and from where the acoustic
/// steps of the next one begin.
namespace halocline {

namespace air {

/// (1 + x)^(7/5) - 1 without loss of digits where x is small.
template <class V>
INLINE V grown_by_gamma(V x) {
  using T = scalar_of<V>;
  constexpr T gamma = T(1.4);
  if constexpr (std::is_same_v<T, float>) {
    // binomial series: to 1e-8 of x for |x| < 0.3
    const V series =
        gamma * x *
        elementary::polynomial(x, 1.0, 0.2, -0.04, 0.016, -0.00832, 0.004992, -0.0032804571,
                               0.00229632, -0.001683968, 0.0012798157, -0.0010005832, 0.0008004665);
    const auto far = absolute(x) > splat<V>(T(0.3));
    if (!any(far)) return series;
    return far ? pow(V(T(1) + x), gamma) - T(1) : series;
  } else {
    return pow(V(T(1) + x), gamma) - T(1);
  }
}

/// The base state and the layers of a grid, with what follows from heat and geopotential.
template <class T>
struct AirState {
  Layers<T> layers;
  View2<const T> base_mass;
  View3<const T> base_pressure, base_volume, base_theta, base_geopotential;
  View3<T> pressure, full_volume, stiffness, middle_geopotential;

  template <class V>
  struct Found {
    V per_heat, per_depth;
  };

  /// Pressure less the base state's, volume, gamma p and middle of layer k, from its potential
  /// temperature, the geopotential below and above it and the mass added to its column; and what
  /// the pressure changes by for a change of heat [1/K] and of depth [Pa s2 m-2].
  template <class V>
  INLINE Found<V> find(int k, int j, std::ptrdiff_t i, V theta, V below, V above, V mass) const {
    const T c1 = layers.c1(k), c2 = layers.c2(k), depth = layers.thickness(k);
    const V layer = layer_mass<V>(c1, c2, load<V>(base_mass.row(j) + i) + mass);
    const V volume0 = load<V>(base_volume.row(k, j) + i);
    const V volume1 = ((above - below) / depth - volume0 * (c1 * mass)) / layer;
    const V volume = volume0 + volume1;
    const V theta0 = load<V>(base_theta.row(k, j) + i);
    const V warm0 = theta0 + T(reference_temperature), warm = theta + T(reference_temperature);
    const V denser = ((theta - theta0) * volume0 - warm0 * volume1) / (warm0 * volume);
    const V p0 = load<V>(base_pressure.row(k, j) + i);
    const V p1 = p0 * grown_by_gamma<V>(denser), stiff = T(1.4) * (p0 + p1);
    air::put<V>(pressure.row(k, j) + i, p1);
    air::put<V>(full_volume.row(k, j) + i, volume);
    air::put<V>(stiffness.row(k, j) + i, stiff);
    const V base =
        load<V>(base_geopotential.row(k, j) + i) + load<V>(base_geopotential.row(k + 1, j) + i);
    air::put<V>(middle_geopotential.row(k, j) + i, T(0.5) * (base + (below + above)));
    return {stiff / (layer * warm), stiff / (volume * layer * depth)};
  }
};

}  // namespace air

inline constexpr Contract<15> atmosphere_air_state_contract{
    "atmosphere_air_state",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"base_pressure", Access::read, Place::center, "Pa", "depth"},
      {"base_volume", Access::read, Place::center, "m3 kg-1", "depth"},
      {"base_theta", Access::read, Place::center, "K", "depth"},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"pressure", Access::write, Place::center, "Pa", "depth"},
      {"full_volume", Access::write, Place::center, "m3 kg-1", "depth"},
      {"stiffness", Access::write, Place::center, "Pa", "depth"},
      {"middle_geopotential", Access::write, Place::center, "m2 s-2", "depth"}}}};

/// Pressure, specific volume, gamma p and the geopotential of the middle of layers, by the law of
/// gases p = p0 (R theta / (p0 alpha))^gamma.
///
/// @param[in]  theta         moist potential temperature less 300 K [K]
/// @param[in]  geopotential, mass  less those of the base state [m2 s-2], [Pa]
/// @param[out] pressure      less that of the base state [Pa]
/// @param[out] full_volume   of dry air [m3 kg-1]
/// @param[out] stiffness     gamma p [Pa]
/// @param[out] middle_geopotential  [m2 s-2]
template <class T>
void atmosphere_air_state(Box box, View3<const T> theta, View3<const T> geopotential,
                          View2<const T> mass, View2<const T> base_mass,
                          View3<const T> base_pressure, View3<const T> base_volume,
                          View3<const T> base_theta, View3<const T> base_geopotential,
                          View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                          View3<T> pressure, View3<T> full_volume, View3<T> stiffness,
                          View3<T> middle_geopotential) {
  const air::AirState<T> state{{c1, c2, {}, {}, thickness, {}, {}},
                               base_mass,
                               base_pressure,
                               base_volume,
                               base_theta,
                               base_geopotential,
                               pressure,
                               full_volume,
                               stiffness,
                               middle_geopotential};
  const int levels = static_cast<int>(theta.extent[0]);
  for_rows(box, [&](int j) {
    for (int k = 0; k < levels; ++k)
      over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
        state.template find<V>(k, j, i, load<V>(theta.row(k, j) + i),
                               load<V>(geopotential.row(k, j) + i),
                               load<V>(geopotential.row(k + 1, j) + i), load<V>(mass.row(j) + i));
      });
  });
}

inline constexpr Contract<14> atmosphere_new_wind_contract{
    "atmosphere_new_wind",
    {{{"stage_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"stage_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"old_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"old_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"stage_mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"old_mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"base_mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"mass_change", Access::read, Place::center, "Pa", to_west_and_south},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_change", Access::update, Place::x_face, "Pa m s-1", "depth"},
      {"v_change", Access::update, Place::y_face, "Pa m s-1", "depth"},
      {"u", Access::write, Place::x_face, "m s-1", "depth"},
      {"v", Access::write, Place::y_face, "m s-1", "depth"}}}};

/// The wind at the end of a stage; its change becomes what the state at the beginning of the step
/// differs by, or 0 after the last stage.
///
/// @param[in]  stage_u, stage_v, stage_mass  of the stage that ends [m s-1], [Pa]
/// @param[in]  old_u, old_v, old_mass        at the beginning of the step
/// @param[in,out] u_change, v_change         momentum per area and coordinate [Pa m s-1]
/// @param[out] u, v                          [m s-1]
/// @param[in]  last                          not 0: after the last stage
template <class T>
void atmosphere_new_wind(Box box, View3<const T> stage_u, View3<const T> stage_v,
                         View3<const T> old_u, View3<const T> old_v, View2<const T> stage_mass,
                         View2<const T> old_mass, View2<const T> base_mass,
                         View2<const T> mass_change, View1<const T> c1, View1<const T> c2,
                         View3<T> u_change, View3<T> v_change, View3<T> u, View3<T> v, int last) {
  const air::Columns<T> before{base_mass, stage_mass}, first{base_mass, old_mass};
  const int levels = static_cast<int>(stage_u.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    const T half = T(0.5) * c1(k), rest = c2(k);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const auto turn = [&](const View3<const T>& stage, const View3<const T>& old,
                            const View3<T>& change, const View3<T>& to, int dj, int di) {
        const V more = load<V>(mass_change.row(j) + i) + load<V>(mass_change.row(j - dj) + i - di);
        const V columns = before.template two<V>(j, i, dj, di);
        const V now = half * (columns + more) + rest, was = half * columns + rest;
        const V momentum = load<V>(change.row(k, j) + i) + was * load<V>(stage.row(k, j) + i);
        air::put<V>(to.row(k, j) + i, momentum / now);
        V back{};
        if (last == 0)
          back = (half * first.template two<V>(j, i, dj, di) + rest) * load<V>(old.row(k, j) + i) -
                 momentum;
        air::put<V>(change.row(k, j) + i, back);
      };
      turn(stage_u, old_u, u_change, u, 0, 1);
      turn(stage_v, old_v, v_change, v, 1, 0);
    });
  });
}

inline constexpr Contract<32> atmosphere_new_stage_contract{
    "atmosphere_new_stage",
    {{{"stage_theta", Access::read, Place::center, "K", "depth"},
      {"stage_w", Access::read, Place::center, "m s-1", "depth+1"},
      {"stage_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"stage_mass", Access::read, Place::center, "Pa"},
      {"old_theta", Access::read, Place::center, "K", "depth"},
      {"old_w", Access::read, Place::center, "m s-1", "depth+1"},
      {"old_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"old_mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"base_pressure", Access::read, Place::center, "Pa", "depth"},
      {"base_volume", Access::read, Place::center, "m3 kg-1", "depth"},
      {"base_theta", Access::read, Place::center, "K", "depth"},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"theta_change", Access::update, Place::center, "Pa K", "depth"},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1"},
      {"geopotential_change", Access::update, Place::center, "m2 s-2", "depth+1"},
      {"mass_change", Access::update, Place::center, "Pa"},
      {"theta", Access::write, Place::center, "K", "depth"},
      {"w", Access::write, Place::center, "m s-1", "depth+1"},
      {"geopotential", Access::write, Place::center, "m2 s-2", "depth+1"},
      {"mass", Access::write, Place::center, "Pa"},
      {"mass_rate", Access::write, Place::center, "Pa s-1"},
      {"pressure_change", Access::write, Place::center, "Pa", "depth", {}, Column::whole},
      {"pressure", Access::write, Place::center, "Pa", "depth", {}, Column::whole},
      {"full_volume", Access::write, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"stiffness", Access::write, Place::center, "Pa", "depth", {}, Column::whole},
      {"middle_geopotential",
       Access::write,
       Place::center,
       "m2 s-2",
       "depth",
       {},
       Column::whole}}}};

/// Mass, potential temperature, upward wind, geopotential and what follows from them at the end of
/// a stage; their changes become what the state at the beginning of the step differs by, or 0
/// after the last stage.
///
/// @param[in]  stage_...  of the stage that ends; old_... at the beginning of the step
/// @param[in,out] theta_change, w_change  heat and momentum per area and coordinate
/// @param[in,out] geopotential_change, mass_change  [m2 s-2], [Pa]
/// @param[out] mass_rate  0
/// @param[out] pressure_change  that of these changes [Pa]
/// @param[out] pressure, full_volume, stiffness, middle_geopotential  as in `atmosphere_air_state`
/// @param[in]  last       not 0: after the last stage
template <class T>
void atmosphere_new_stage(Box box, View3<const T> stage_theta, View3<const T> stage_w,
                          View3<const T> stage_geopotential, View2<const T> stage_mass,
                          View3<const T> old_theta, View3<const T> old_w,
                          View3<const T> old_geopotential, View2<const T> old_mass,
                          View2<const T> base_mass, View3<const T> base_pressure,
                          View3<const T> base_volume, View3<const T> base_theta,
                          View3<const T> base_geopotential, View1<const T> c1, View1<const T> c2,
                          View1<const T> c1_face, View1<const T> c2_face, View1<const T> thickness,
                          View3<T> theta_change, View3<T> w_change, View3<T> geopotential_change,
                          View2<T> mass_change, View3<T> theta, View3<T> w, View3<T> geopotential,
                          View2<T> mass, View2<T> mass_rate, View3<T> pressure_change,
                          View3<T> pressure, View3<T> full_volume, View3<T> stiffness,
                          View3<T> middle_geopotential, int last) {
  const air::AirState<T> state{{c1, c2, c1_face, c2_face, thickness, {}, {}},
                               base_mass,
                               base_pressure,
                               base_volume,
                               base_theta,
                               base_geopotential,
                               pressure,
                               full_volume,
                               stiffness,
                               middle_geopotential};
  const int levels = static_cast<int>(theta.extent[0]);
  const T reference = static_cast<T>(air::reference_temperature);
  for_pairs(levels + 1, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V base = load<V>(base_mass.row(j) + i), was = base + load<V>(stage_mass.row(j) + i);
      const V first = base + load<V>(old_mass.row(j) + i);
      const V now = was + load<V>(mass_change.row(j) + i);
      const auto layer = [&](V column) {
        return air::layer_mass<V>(c1_face(k), c2_face(k), column);
      };
      const V momentum =
          load<V>(w_change.row(k, j) + i) + layer(was) * load<V>(stage_w.row(k, j) + i);
      air::put<V>(w.row(k, j) + i, momentum / layer(now));
      const V back = layer(first) * load<V>(old_w.row(k, j) + i) - momentum;
      air::put<V>(w_change.row(k, j) + i, last ? V{} : back);
      const V lifted =
          load<V>(geopotential_change.row(k, j) + i) + load<V>(stage_geopotential.row(k, j) + i);
      air::put<V>(geopotential.row(k, j) + i, lifted);
      const V lower = load<V>(old_geopotential.row(k, j) + i) - lifted;
      air::put<V>(geopotential_change.row(k, j) + i, last ? V{} : lower);
    });
  });
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V base = load<V>(base_mass.row(j) + i), was = load<V>(stage_mass.row(j) + i);
      const V old = load<V>(old_mass.row(j) + i);
      const V now = was + load<V>(mass_change.row(j) + i);
      const auto layer = [&](V mass) { return air::layer_mass<V>(c1(k), c2(k), base + mass); };
      const V heat =
          load<V>(theta_change.row(k, j) + i) + layer(was) * load<V>(stage_theta.row(k, j) + i);
      const V warm = heat / layer(now);
      air::put<V>(theta.row(k, j) + i, warm);
      const V back = layer(old) * load<V>(old_theta.row(k, j) + i) - heat;
      air::put<V>(theta_change.row(k, j) + i, last ? V{} : back);
      const auto found = state.template find<V>(k, j, i, warm, load<V>(geopotential.row(k, j) + i),
                                                load<V>(geopotential.row(k + 1, j) + i), now);
      const V deeper = load<V>(geopotential_change.row(k + 1, j) + i) -
                       load<V>(geopotential_change.row(k, j) + i);
      const V more_heat = back + reference * c1(k) * (old - now);
      const V pressed = found.per_heat * more_heat - found.per_depth * deeper;
      air::put<V>(pressure_change.row(k, j) + i, last ? V{} : pressed);
    });
  });
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V now = load<V>(stage_mass.row(j) + i) + load<V>(mass_change.row(j) + i);
      air::put<V>(mass_change.row(j) + i, last ? V{} : V(load<V>(old_mass.row(j) + i) - now));
      air::put<V>(mass.row(j) + i, now);
      air::put<V>(mass_rate.row(j) + i, V{});
    });
  });
}

}  // namespace halocline
