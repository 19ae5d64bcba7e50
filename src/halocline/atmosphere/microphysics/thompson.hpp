#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "atmosphere/microphysics/falling.hpp"
#include "atmosphere/microphysics/thompson_freezing.hpp"
#include "atmosphere/microphysics/thompson_growth.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Clouds with ice after Thompson, Field, Rasmussen and Hall 2008 (Mon. Wea. Rev. 136, 5095): six
/// kinds of water, of which rain and cloud ice have numbers too. docs/microphysics.md has the
/// equations.
namespace halocline {

namespace thompson {

/// Of less nothing falls: quotients of it would be none of numbers [kg m-3, m-4].
inline constexpr double nothing = 1e-250;

/// Move water and numbers as the flows say for dt [s]; a kind of which more is wanted than there is
/// gives the same share of all.
template <class V>
INLINE void apply(Cell<V>& c, const Flows<V>& f, double dt) {
  const auto lost = [](V vapor) __attribute__((always_inline)) { return maximum(V(-vapor), V{}); };
  const auto share = [&](Entry kind, V losses) __attribute__((always_inline)) {
    const V wanted = maximum(V(losses * dt), splat<V>(1e-30));
    return V(dt * minimum(V(maximum(c.water[kind], V{}) / wanted), splat<V>(1.0)));
  };
  const V from_cloud = share(cloud, V(f.cloud_rain + f.cloud_ice + f.cloud_snow + f.cloud_graupel));
  const V from_rain =
      share(rain, V(f.rain_ice + f.rain_snow + f.rain_graupel + lost(f.vapor_rain)));
  const V from_ice = share(ice, V(f.ice_snow + f.ice_graupel + f.ice_cloud + lost(f.vapor_ice)));
  const V from_snow =
      share(snow, V(f.snow_ice + f.snow_graupel + f.snow_rain + lost(f.vapor_snow)));
  const V from_graupel = share(graupel, V(f.graupel_ice + f.graupel_rain + lost(f.vapor_graupel)));
  V condensed{}, frozen{};
  const auto move = [&](Entry from, Entry to, V amount) __attribute__((always_inline)) {
    c.water[from] -= amount;
    c.water[to] += amount;
    if (from == vapor) condensed += amount;
    if (to >= ice && from < ice) frozen += amount;
    if (from >= ice && to < ice) frozen -= amount;
  };
  const auto grow = [&](Entry kind, V rate, V from_kind) __attribute__((always_inline)) {
    move(vapor, kind, rate < V{} ? V(rate * from_kind) : V(rate * dt));
  };
  move(cloud, rain, from_cloud * f.cloud_rain);
  move(cloud, ice, from_cloud * f.cloud_ice);
  move(cloud, snow, from_cloud * f.cloud_snow);
  move(cloud, graupel, from_cloud * f.cloud_graupel);
  move(rain, ice, from_rain * f.rain_ice);
  move(rain, snow, from_rain * f.rain_snow);
  move(rain, graupel, from_rain * f.rain_graupel);
  move(ice, snow, from_ice * f.ice_snow);
  move(ice, graupel, from_ice * f.ice_graupel);
  move(ice, cloud, from_ice * f.ice_cloud);
  move(snow, ice, from_snow * f.snow_ice);
  move(snow, graupel, from_snow * f.snow_graupel);
  move(snow, rain, from_snow * f.snow_rain);
  move(graupel, ice, from_graupel * f.graupel_ice);
  move(graupel, rain, from_graupel * f.graupel_rain);
  grow(rain, f.vapor_rain, from_rain);
  grow(ice, f.vapor_ice, from_ice);
  grow(snow, f.vapor_snow, from_snow);
  grow(graupel, f.vapor_graupel, from_graupel);
  c.release(condensed, frozen);
  for (int kind = cloud; kind <= graupel; ++kind) c.water[kind] = maximum(c.water[kind], V{});
  const auto count = [&](Entry number, V born, V gone) __attribute__((always_inline)) {
    c.water[number] = maximum(V(c.water[number] + dt * (born - gone)), V{});
  };
  count(rain_number, f.drops_born, f.drops_lost);
  count(ice_number, f.crystals_born, f.crystals_lost);
}

/// Vapour condenses, or cloud evaporates, towards saturation over water.
template <class V>
INLINE void condense(Cell<V>& c) {
  const V excess = condensation(c.water[vapor], saturation(c.temperature, c.pressure));
  const V condensed = maximum(excess, V(-c.water[cloud]));
  c.water[vapor] -= condensed;
  c.water[cloud] += condensed;
  c.release(condensed, V{});
}

/// What advection left below 0 is filled from vapour.
template <class V>
INLINE void fill(Cell<V>& c) {
  for (int kind = cloud; kind <= graupel; ++kind) {
    const V lacking = maximum(V(-c.water[kind]), V{});
    if (!any(lacking > V{})) continue;
    c.water[kind] = maximum(c.water[kind], V{});
    c.water[vapor] -= lacking;
    c.release(lacking, kind >= ice ? lacking : V{});
  }
  for (Entry number : {rain_number, ice_number}) c.water[number] = maximum(c.water[number], V{});
}

/// Numbers of particles of which there are any are within what their sizes may be.
template <class V>
INLINE void count_again(Cell<V>& c) {
  const auto again = [&](Entry kind, Entry number, auto sizes) __attribute__((always_inline)) {
    const auto some = c.has(kind);
    const V found = any(some) ? V(sizes(c).number() / c.density) : V{};
    c.water[number] = where(some, found);
  };
  again(rain, rain_number,
        [](const Cell<V>& c) __attribute__((always_inline)) { return drops_of(c); });
  again(ice, ice_number,
        [](const Cell<V>& c) __attribute__((always_inline)) { return crystals_of(c); });
}

/// Where something can happen.
template <class V>
INLINE auto acting(const Cell<V>& c) {
  V some{};
  for (int kind = cloud; kind <= graupel; ++kind) some += absolute(c.water[kind]);
  const auto s = saturated_in(c);
  const auto cold = c.supercooling() > V{};
  const V over = cold ? minimum(V(1.25 * s.over_ice), s.over_water) : s.over_water;
  return either(some > V{}, c.water[vapor] >= V(0.999 * over));
}

/// All processes from one state, then saturation.
template <class V>
INLINE void change(Cell<V>& c, const Numbers& n, double dt) {
  fill(c);
  const Population<V> p = population(c, n);
  const Diffusivities<V> d = diffusivities(c);
  const Saturated<V> s = saturated_in(c);
  Flows<V> f;
  const Growth<V> growth = growth_of(c, p, d, s);
  warm_rain(f, c, p, d, n);
  rime(f, c, p, d, growth.snow);
  collect_crystals(f, c, p);
  collide(f, c, p);
  freeze(f, c, p, n, dt);
  melt(f, c, p, d, dt);
  exchange_vapor(f, c, p, d, s, growth, dt);
  apply(c, f, dt);
  condense(c);
  count_again(c);
}

template <class T>
struct Fields {
  View3<const T> air_pressure, exner, air_density, layer_depth;
  View3<T> dry_theta;
  View4<T> water;
  View2<T> rain_fallen, snow_fallen, graupel_fallen;
};

/// Rows of columns: what falls, then what changes.
template <class T>
class Rows {
 public:
  Rows(const Fields<T>& fields, const Numbers& numbers, Box box, T courant)
      : f_(fields),
        n_(numbers),
        box_(box),
        courant_(courant),
        levels_(static_cast<int>(fields.exner.extent[0])),
        columns_(levels_, 2) {}

  void start(int j) {
    for (const auto& plane : {f_.rain_fallen, f_.snow_fallen, f_.graupel_fallen})
      std::fill(plane.row(j) + box_.i0, plane.row(j) + box_.i1, T(0));
  }
  void step(int j, double dt) {
    over_row<double>(box_.i0, box_.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      fall<V>(j, i, static_cast<T>(dt));
    });
    for (int k = 0; k < levels_; ++k)
      over_row<double>(box_.i0, box_.i1,
                       [&]<class V>(Lane<V>, std::ptrdiff_t i) { act<V>(k, j, i, dt); });
  }

 private:
  /// Levels up to the highest with any of a kind in one of the columns.
  template <class V>
  int top_of(Entry kind, int j, std::ptrdiff_t i) const {
    using S = Stored<T, V>;
    int top = levels_;
    while (top > 0 && !any(load<S>(f_.water.row(kind, top - 1, j) + i) > S{})) --top;
    return top;
  }
  /// Speeds `of_mass` [m s-1] of some particles, by sizes of which there are some.
  template <class V, class M>
  static Stored<T, V> speed(M some, V thin, V of_mass) {
    return narrowed<T>(V(some ? V(thin * of_mass) : V{}));
  }
  template <class V>
  static void add(T* to, Stored<T, V> value) {
    using S = Stored<T, V>;
    store<S>(to, load<S>(to) + value);
  }

  /// Rain and crystals with their numbers, snow, graupel.
  template <class V>
  void fall(int j, std::ptrdiff_t i, T dt) {
    using S = Stored<T, V>;
    const int rainy = top_of<V>(rain, j, i), icy = top_of<V>(ice, j, i);
    const int snowy = top_of<V>(snow, j, i), hail = top_of<V>(graupel, j, i);
    const int top = std::max({rainy, icy, snowy, hail});
    if (top == 0) return;
    columns_.template take<S>(f_.air_density, f_.layer_depth, j, i, top, [&](int k, S air) {
      const V theta = widened<V>(f_.dry_theta.row(k, j) + i) + air::reference_temperature;
      const V celsius = theta * widened<V>(f_.exner.row(k, j) + i) - air::melting_point;
      return std::pair(square_root(S(T(speed_density) / air)), narrowed<T>(celsius));
    });
    counted<V>(rain, rain_number, j, i, rainy, dt, raindrops, 10e-6, 680e-6, f_.rain_fallen);
    counted<V>(ice, ice_number, j, i, icy, dt, crystals, 5e-6, 75e-6, f_.snow_fallen);
    massive<V>(snow, j, i, snowy, dt, f_.snow_fallen, [&](int k, V content) {
      const V celsius = minimum(second<V>(k), V{});
      return mass_speed(flakes, snowflakes(content, celsius));
    });
    massive<V>(graupel, j, i, hail, dt, f_.graupel_fallen, [&](int k, V content) {
      const V thin = first<V>(k), density = speed_density / (thin * thin);
      return mass_speed(grains, grains_with(content, V(content / density)));
    });
  }
  /// (Density of air at which speeds are given / that of level k)^(1/2), and its temperature [C].
  template <class V>
  V first(int k) {
    const auto found = columns_.template first<Stored<T, V>>(k);
    return widened_value<V>(found);
  }
  template <class V>
  V second(int k) {
    const auto found = columns_.template second<Stored<T, V>>(k);
    return widened_value<V>(found);
  }
  template <class V>
  static V widened_value(Stored<T, V> value) {
    T stored[width_of<V>];
    store<Stored<T, V>>(stored, value);
    return widened<V>(stored);
  }

  /// Particles that fall by mass, and their numbers as fast as the mean of them.
  template <class V>
  void counted(Entry mass, Entry number, int j, std::ptrdiff_t i, int high, T dt, const Kind& kind,
               double shortest, double longest, const View2<T>& to) {
    using S = Stored<T, V>;
    S fallen[2];
    columns_.template fall<2, S>(
        {f_.water.row(mass, 0, j) + i, f_.water.row(number, 0, j) + i}, f_.water.stride[1], high,
        dt, courant_,
        [&](int k, const S(&content)[2], S(&speed)[2]) {
          const auto some = by_number(kind, widened_value<V>(content[0]),
                                      widened_value<V>(content[1]), shortest, longest);
          const auto is = some.intercept > splat<V>(nothing);
          const V one = is ? some.intercept : splat<V>(1.0), thin = first<V>(k);
          const Exponential<V> sizes{one, some.slope};
          const V of_number = kind.a * sizes.moment(kind.sinking, kind.f) / sizes.number();
          speed[0] = this->speed(is, thin, V(mass_speed(kind, sizes)));
          speed[1] = this->speed(is, thin, of_number);
        },
        fallen);
    add<V>(to.row(j) + i, fallen[0]);
  }
  /// Particles that fall by mass at `speed_of(k, content)`.
  template <class V, class Speed>
  void massive(Entry mass, int j, std::ptrdiff_t i, int high, T dt, const View2<T>& to,
               const Speed& speed_of) {
    using S = Stored<T, V>;
    S fallen[1];
    columns_.template fall<1, S>(
        {f_.water.row(mass, 0, j) + i}, f_.water.stride[1], high, dt, courant_,
        [&](int k, const S(&content)[1], S(&speed)[1]) {
          const V some = widened_value<V>(content[0]);
          const auto is = some > splat<V>(nothing);
          const V of_mass = speed_of(k, V(is ? some : splat<V>(1.0)));
          speed[0] = this->speed(is, first<V>(k), of_mass);
        },
        fallen);
    add<V>(to.row(j) + i, fallen[0]);
  }

  template <class V>
  void act(int k, int j, std::ptrdiff_t i, double dt) {
    Cell<V> c = cell_of<V>(f_.exner, f_.air_density, f_.dry_theta, f_.water, k, j, i);
    c.pressure = widened<V>(f_.air_pressure.row(k, j) + i);
    const auto acts = acting(c);
    if (!any(acts)) return;
    Cell<V> after = c;
    change(after, n_, dt);
    using S = Stored<T, V>;
    for (int kind = 0; kind < entries; ++kind) {
      const V now = acts ? after.water[kind] : c.water[kind];
      store<S>(f_.water.row(kind, k, j) + i, narrowed<T>(now));
    }
    const V warming = acts ? V(after.warming / widened<V>(f_.exner.row(k, j) + i)) : V{};
    add<V>(f_.dry_theta.row(k, j) + i, narrowed<T>(warming));
  }

  Fields<T> f_;
  Numbers n_;
  Box box_;
  T courant_;
  int levels_;
  FallingColumns<T> columns_;
};

}  // namespace thompson

inline constexpr Contract<9> atmosphere_thompson_contract{
    "atmosphere_thompson",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth"},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"dry_theta", Access::update, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::update, Place::center, "1", "species depth", {}, Column::whole},
      {"rain_fallen", Access::write, Place::center, "kg m-2"},
      {"snow_fallen", Access::write, Place::center, "kg m-2"},
      {"graupel_fallen", Access::write, Place::center, "kg m-2"}}}};

/// A step of clouds with ice, numbers of drops and crystals. Computed in double precision.
///
/// @param[in]     air_pressure  [Pa]
/// @param[in]     exner         T / theta [1]
/// @param[in]     air_density   of dry air [kg m-3]
/// @param[in]     layer_depth   [m]
/// @param[in,out] dry_theta     potential temperature less 300 K
/// @param[in,out] water         mixing ratios of vapour, cloud, rain, ice, snow, graupel [1], then
///                              numbers of drops and crystals [kg-1]
/// @param[out]    rain_fallen, snow_fallen, graupel_fallen  on the ground in this step, crystals
///                with the snow [kg m-2]
/// @param[in]     dt            [s], in equal parts of at most `longest` [s]
/// @param[in]     courant       the largest of a sub-step of falling [1]
/// @param[in]     droplets      of cloud [m-3]
template <class T>
void atmosphere_thompson(Box box, View3<const T> air_pressure, View3<const T> exner,
                         View3<const T> air_density, View3<const T> layer_depth, View3<T> dry_theta,
                         View4<T> water, View2<T> rain_fallen, View2<T> snow_fallen,
                         View2<T> graupel_fallen, double dt, double longest, double courant,
                         double droplets) {
  const thompson::Fields<T> fields{air_pressure, exner,       air_density, layer_depth,   dry_theta,
                                   water,        rain_fallen, snow_fallen, graupel_fallen};
  const int parts = std::max(1, static_cast<int>(std::ceil(dt / longest)));
  thompson::with_snow();
  thompson::with_graupel();
  for_each_in_with(
      box.j0, box.j1, 1,
      [&] {
        return thompson::Rows<T>(fields, thompson::Numbers{droplets}, box, static_cast<T>(courant));
      },
      [&](int j, thompson::Rows<T>& rows) {
        rows.start(j);
        for (int at = 0; at < parts; ++at) rows.step(j, dt / parts);
      });
}

}  // namespace halocline
