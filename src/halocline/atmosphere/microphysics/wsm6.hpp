#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "atmosphere/microphysics/falling.hpp"
#include "atmosphere/microphysics/wsm6_flows.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Clouds with ice, one moment of six kinds of water: Hong and Lim 2006 (J. Korean Meteor. Soc. 42,
/// 129), with the crystals of Hong, Dudhia and Chen 2004. docs/microphysics.md has the equations.
namespace halocline {

/// The share of its losses that a kind of water can bear, which gives no more than it has.
template <class V>
HD INLINE V bearable(V stock, V losses, scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V wanted = maximum(V(losses * dt), splat<V>(T(1e-30)));
  return minimum(V(maximum(stock, V{}) / wanted), splat<V>(T(1)));
}

/// Move water as the flows say for dt [s]; a kind of which more is wanted than there is gives the
/// same share of all.
template <class V>
HD INLINE void apply(Wsm6Cell<V>& c, const Wsm6Flows<V>& f, scalar_of<V> dt) {
  const auto lost = [](V vapor) { return maximum(V(-vapor), V{}); };
  const V cloud = dt * bearable(c.cloud, V(f.cloud_rain + f.cloud_snow + f.cloud_graupel), dt);
  const V rain = dt * bearable(c.rain, V(f.rain_snow + f.rain_graupel + lost(f.vapor_rain)), dt);
  const V ice = dt * bearable(c.ice, V(f.ice_snow + f.ice_graupel + lost(f.vapor_ice)), dt);
  const V snow = dt * bearable(c.snow, V(f.snow_graupel + f.snow_rain + lost(f.vapor_snow)), dt);
  const V graupel = dt * bearable(c.graupel, V(f.graupel_rain + lost(f.vapor_graupel)), dt);

  const auto grown = [&](V vapor, V share) { return V(vapor < V{} ? vapor * share : vapor * dt); };
  const V to_rain = grown(f.vapor_rain, rain), to_ice = grown(f.vapor_ice, ice);
  const V to_snow = grown(f.vapor_snow, snow), to_graupel = grown(f.vapor_graupel, graupel);
  const V cloud_rain = cloud * f.cloud_rain, cloud_snow = cloud * f.cloud_snow;
  const V cloud_graupel = cloud * f.cloud_graupel, rain_snow = rain * f.rain_snow;
  const V rain_graupel = rain * f.rain_graupel, ice_snow = ice * f.ice_snow;
  const V ice_graupel = ice * f.ice_graupel, snow_graupel = snow * f.snow_graupel;
  const V snow_rain = snow * f.snow_rain, graupel_rain = graupel * f.graupel_rain;

  const auto change = [](V& stock, V change) {
    stock = maximum(minimum(stock, V{}), V(stock + change));
  };
  const V condensed = (to_rain + to_ice) + (to_snow + to_graupel);
  c.vapor = c.vapor - condensed;
  change(c.cloud, -(cloud_rain + cloud_snow + cloud_graupel));
  change(c.rain, cloud_rain + snow_rain + graupel_rain + to_rain - (rain_snow + rain_graupel));
  change(c.ice, to_ice - (ice_snow + ice_graupel));
  change(c.snow, cloud_snow + rain_snow + ice_snow + to_snow - (snow_graupel + snow_rain));
  change(c.graupel,
         cloud_graupel + rain_graupel + ice_graupel + snow_graupel + to_graupel - graupel_rain);
  c.release(condensed, (cloud_snow + cloud_graupel) + (rain_snow + rain_graupel) -
                           (snow_rain + graupel_rain) + (to_ice + to_snow + to_graupel));
}

/// Vapour condenses, or cloud evaporates, towards saturation over water (HDC 17).
template <class V>
HD INLINE void condense(Wsm6Cell<V>& c, V pressure) {
  const V excess = condensation(c.vapor, saturation(c.temperature, pressure));
  const V condensed = maximum(excess, V(-c.cloud));
  c.vapor = c.vapor - condensed;
  c.cloud = c.cloud + condensed;
  c.release(condensed, V{});
}

/// Whether nothing can happen in any of the cells.
template <class V>
HD INLINE bool at_rest(const Wsm6Cell<V>& c, V pressure) {
  const V some = absolute(c.cloud) + absolute(c.rain);
  if (any(some + (absolute(c.ice) + absolute(c.snow) + absolute(c.graupel)) != V{})) return false;
  const auto cold = c.supercooling() > V{};
  V most = saturation(c.temperature, pressure).ratio;
  if (any(cold)) most = cold ? minimum(ice_saturation(c.temperature, pressure), most) : most;
  return !any(c.vapor > most);
}

/// What advection left below 0 is filled from vapour.
template <class V>
HD INLINE void fill(Wsm6Cell<V>& c) {
  const V least = minimum(minimum(c.cloud, c.rain), minimum(minimum(c.ice, c.snow), c.graupel));
  if (!any(least < V{})) return;
  V lacking{}, solid{};
  for (V* kind : {&c.ice, &c.snow, &c.graupel}) {
    solid = solid - minimum(*kind, V{});
    *kind = maximum(V{}, *kind);
  }
  for (V* kind : {&c.cloud, &c.rain}) {
    lacking = lacking - minimum(*kind, V{});
    *kind = maximum(V{}, *kind);
  }
  c.vapor = c.vapor - (lacking + solid);
  c.release(V(lacking + solid), solid);
}

/// 1. melting and freezing  2. collisions and growth by vapour, all from one state  3. saturation.
template <class V>
HD INLINE void wsm6_step(Wsm6Cell<V>& cell, const Wsm6Air<V>& air,
                         const Wsm6Numbers<scalar_of<V>>& n, scalar_of<V> dt) {
  fill(cell);
  if (any(maximum(cell.cloud, cell.particles()) > V{})) {
    melt(cell, air, n, dt);
    freeze(cell, air, n, dt);
  }
  const Wsm6Population<V> p = population(cell, air, n);
  Wsm6Flows<V> flows;
  const Riming<V> riming = collect_cloud(flows, cell, air, p, n);
  if (any(cell.supercooling() > V{})) collect_ice(flows, cell, air, p, n, dt);
  collide(flows, cell, air, p, riming, n);
  exchange_vapor(flows, cell, air, p, dt);
  apply(cell, flows, dt);
  condense(cell, air.pressure);
}

inline constexpr Contract<9> atmosphere_wsm6_contract{
    "atmosphere_wsm6",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth"},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"dry_theta", Access::update, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::update, Place::center, "1", "species depth", {}, Column::whole},
      {"rain_fallen", Access::write, Place::center, "kg m-2"},
      {"snow_fallen", Access::write, Place::center, "kg m-2"},
      {"graupel_fallen", Access::write, Place::center, "kg m-2"}}}};

template <class T>
struct Wsm6Fields {
  View3<const T> air_pressure, exner, air_density, layer_depth;
  View3<T> dry_theta;
  View4<T> water;
  View2<T> rain_fallen, snow_fallen, graupel_fallen;
};

/// Rows of columns: what falls, then what changes.
template <class T>
class Wsm6Rows {
 public:
  Wsm6Rows(const Wsm6Fields<T>& fields, const Wsm6Numbers<T>& numbers, Box box, T courant)
      : f_(fields),
        n_(numbers),
        box_(box),
        courant_(courant),
        levels_(static_cast<int>(fields.exner.extent[0])),
        width_(static_cast<std::size_t>(box.i1 - box.i0)),
        tops_(falls * width_),
        columns_(levels_, 2) {}

  void start(int j) {
    for (const auto& plane : {f_.rain_fallen, f_.snow_fallen, f_.graupel_fallen})
      std::fill(plane.row(j) + box_.i0, plane.row(j) + box_.i1, T(0));
  }
  void step(int j, T dt) {
    wet_levels(f_.water, {wsm6_rain}, box_, j, &top(of_rain, box_.i0));
    wet_levels(f_.water, {wsm6_snow, wsm6_graupel}, box_, j, &top(of_grains, box_.i0));
    wet_levels(f_.water, {wsm6_ice}, box_, j, &top(of_ice, box_.i0));
    over_row<T>(box_.i0, box_.i1,
                [&]<class V>(Lane<V>, std::ptrdiff_t i) { fall_in_columns<V>(j, i, dt); });
    for (int k = 0; k < levels_; ++k)
      over_row<T>(box_.i0, box_.i1,
                  [&]<class V>(Lane<V>, std::ptrdiff_t i) { change<V>(k, j, i, dt); });
  }

 private:
  /// What falls together.
  enum Falling { of_rain, of_grains, of_ice, falls };
  int& top(Falling kinds, std::ptrdiff_t i) {
    return tops_[kinds * width_ + static_cast<std::size_t>(i - box_.i0)];
  }

  template <class V>
  V temperature(int k, int j, std::ptrdiff_t i) const {
    const V theta = load<V>(f_.dry_theta.row(k, j) + i) + T(air::reference_temperature);
    return theta * load<V>(f_.exner.row(k, j) + i);
  }
  T* kind(int entry, int j, std::ptrdiff_t i) const { return f_.water.row(entry, 0, j) + i; }
  template <class V>
  static void add(T* to, V value) {
    store<V>(to, load<V>(to) + value);
  }

  /// Rain; snow with graupel; crystals.
  template <class V>
  void fall_in_columns(int j, std::ptrdiff_t i, T dt) {
    const int rainy = top(of_rain, i), grainy = top(of_grains, i), icy = top(of_ice, i);
    const std::ptrdiff_t stride = f_.water.stride[1];
    columns_.template take<V>(
        f_.air_density, f_.layer_depth, j, i, std::max({rainy, grainy, icy}), [&](int k, V air) {
          const V thinness = square_root(V(T(particle::air_density) / air));
          if (k >= grainy) return std::pair(thinness, V{});
          const V supercooling = T(air::melting_point) - temperature<V>(k, j, i);
          return std::pair(thinness, V(n_.snow * more_snow(supercooling, n_)));
        });
    V rain[1], grains[2], ice[1];
    columns_.template fall<1, V>(
        {kind(wsm6_rain, j, i)}, stride, rainy, dt, courant_,
        [&](int k, const V(&content)[1], V(&speed)[1]) {
          speed[0] = rain_of(content[0], columns_.template first<V>(k), n_).speed;
        },
        rain);
    columns_.template fall<2, V>(
        {kind(wsm6_snow, j, i), kind(wsm6_graupel, j, i)}, stride, grainy, dt, courant_,
        [&](int k, const V(&content)[2], V(&speed)[2]) {
          const V thinness = columns_.template first<V>(k);
          auto snow = snow_with(content[0], columns_.template second<V>(k), thinness, n_);
          auto graupel = graupel_of(content[1], thinness, n_);
          if (n_.one_speed) fall_together(snow, graupel, content[0], content[1]);
          speed[0] = snow.speed, speed[1] = graupel.speed;
        },
        grains);
    columns_.template fall<1, V>(
        {kind(wsm6_ice, j, i)}, stride, icy, dt, courant_,
        [&](int, const V(&content)[1], V(&speed)[1]) { speed[0] = crystals(content[0]).speed; },
        ice);
    add<V>(f_.rain_fallen.row(j) + i, rain[0]);
    add<V>(f_.snow_fallen.row(j) + i, grains[0] + ice[0]);
    add<V>(f_.graupel_fallen.row(j) + i, grains[1]);
  }

  template <class V>
  void change(int k, int j, std::ptrdiff_t i, T dt) {
    T* first = f_.water.row(0, k, j) + i;
    const std::ptrdiff_t stride = f_.water.stride[0];
    const auto at = [=](int entry)
                        __attribute__((always_inline)) { return first + entry * stride; };
    const auto get = [=](int entry)
                         __attribute__((always_inline)) { return load<V>(first + entry * stride); };
    Wsm6Cell<V> cell{get(wsm6_vapor), get(wsm6_cloud),   get(wsm6_rain),          get(wsm6_ice),
                     get(wsm6_snow),  get(wsm6_graupel), temperature<V>(k, j, i), V{}};
    const V pressure = load<V>(f_.air_pressure.row(k, j) + i);
    if (at_rest(cell, pressure)) return;
    const V density = load<V>(f_.air_density.row(k, j) + i);
    wsm6_step(cell, Wsm6Air<V>{density, pressure}, n_, dt);
    store<V>(at(wsm6_vapor), cell.vapor);
    store<V>(at(wsm6_cloud), cell.cloud);
    store<V>(at(wsm6_rain), cell.rain);
    store<V>(at(wsm6_ice), cell.ice);
    store<V>(at(wsm6_snow), cell.snow);
    store<V>(at(wsm6_graupel), cell.graupel);
    add<V>(f_.dry_theta.row(k, j) + i, cell.warming / load<V>(f_.exner.row(k, j) + i));
  }

  Wsm6Fields<T> f_;
  Wsm6Numbers<T> n_;
  Box box_;
  T courant_;
  int levels_;
  std::size_t width_;
  std::vector<int> tops_;
  FallingColumns<T> columns_;
};

/// A step of clouds with ice.
///
/// @param[in]     air_pressure  [Pa]
/// @param[in]     exner         T / theta [1]
/// @param[in]     air_density   of dry air [kg m-3]
/// @param[in]     layer_depth   [m]
/// @param[in,out] dry_theta     potential temperature less 300 K
/// @param[in,out] water         mixing ratios of vapour, cloud, rain, ice, snow, graupel [1]
/// @param[out]    rain_fallen, snow_fallen, graupel_fallen  on the ground in this step, crystals
///                with the snow [kg m-2]
/// @param[in]     dt            [s], in equal parts of at most `longest` [s]
/// @param[in]     droplets ... weak_if_scarce  Wsm6Numbers
/// @param[in]     courant       the largest of a sub-step of falling [1]
template <class T>
void atmosphere_wsm6(Box box, View3<const T> air_pressure, View3<const T> exner,
                     View3<const T> air_density, View3<const T> layer_depth, View3<T> dry_theta,
                     View4<T> water, View2<T> rain_fallen, View2<T> snow_fallen,
                     View2<T> graupel_fallen, double dt, double longest, double courant,
                     double droplets, double rain_intercept, double snow_intercept,
                     double graupel_intercept, double graupel_density, double graupel_speed,
                     bool one_speed, bool weak_if_scarce) {
  const Wsm6Fields<T> fields{air_pressure, exner,       air_density, layer_depth,   dry_theta,
                             water,        rain_fallen, snow_fallen, graupel_fallen};
  const Wsm6Numbers<T> numbers{
      T(droplets),        T(rain_intercept), T(snow_intercept), T(graupel_intercept),
      T(graupel_density), T(graupel_speed),  one_speed,         weak_if_scarce};
  const int parts = std::max(1, static_cast<int>(std::ceil(dt / longest)));
  const T part = static_cast<T>(dt / parts);
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return Wsm6Rows<T>(fields, numbers, box, static_cast<T>(courant)); },
      [&](int j, Wsm6Rows<T>& rows) {
        rows.start(j);
        for (int at = 0; at < parts; ++at) rows.step(j, part);
      });
}

}  // namespace halocline
