#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "atmosphere/microphysics/falling.hpp"
#include "atmosphere/microphysics/thompson_growth.hpp"
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Clouds with ice after Thompson, Field, Rasmussen and Hall 2008 (Mon. Wea. Rev. 136, 5095): six
/// kinds of water, of which rain and cloud ice have numbers too. docs/microphysics.md has the
/// equations.
namespace halocline {

namespace thompson {

/// Move water and numbers as the flows say for dt [s]; a kind of which more is wanted than there is
/// gives the same share of all.
inline void apply(Cell& c, const Flows& f, double dt) {
  const auto lost = [](double vapor) { return std::max(-vapor, 0.0); };
  const auto share = [&](Entry kind, double losses) {
    return dt * std::min(1.0, std::max(c.water[kind], 0.0) / std::max(losses * dt, 1e-30));
  };
  const double from_cloud =
      share(cloud, f.cloud_rain + f.cloud_ice + f.cloud_snow + f.cloud_graupel);
  const double from_rain =
      share(rain, f.rain_ice + f.rain_snow + f.rain_graupel + lost(f.vapor_rain));
  const double from_ice = share(ice, f.ice_snow + f.ice_graupel + f.ice_cloud + lost(f.vapor_ice));
  const double from_snow =
      share(snow, f.snow_ice + f.snow_graupel + f.snow_rain + lost(f.vapor_snow));
  const double from_graupel =
      share(graupel, f.graupel_ice + f.graupel_rain + lost(f.vapor_graupel));
  double condensed = 0.0, frozen = 0.0;
  const auto move = [&](Entry from, Entry to, double amount) {
    c.water[from] -= amount;
    c.water[to] += amount;
    condensed += from == vapor ? amount : 0.0;
    frozen += (to >= ice ? amount : 0.0) - (from >= ice ? amount : 0.0);
  };
  const auto grow = [&](Entry kind, double rate, double from_kind) {
    move(vapor, kind, rate * (rate < 0.0 ? from_kind : dt));
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
  for (int kind = cloud; kind <= graupel; ++kind) c.water[kind] = std::max(c.water[kind], 0.0);
  const auto count = [&](Entry number, double born, double gone) {
    c.water[number] = std::max(c.water[number] + dt * (born - gone), 0.0);
  };
  count(rain_number, f.drops_born, f.drops_lost);
  count(ice_number, f.crystals_born, f.crystals_lost);
}

/// Vapour condenses, or cloud evaporates, towards saturation over water.
inline void condense(Cell& c) {
  const double excess = condensation(c.water[vapor], saturation(c.temperature, c.pressure));
  const double condensed = std::max(excess, -c.water[cloud]);
  c.water[vapor] -= condensed;
  c.water[cloud] += condensed;
  c.release(condensed, 0.0);
}

/// What advection left below 0 is filled from vapour.
inline void fill(Cell& c) {
  for (int kind = cloud; kind <= graupel; ++kind) {
    const double lacking = std::max(-c.water[kind], 0.0);
    if (lacking == 0.0) continue;
    c.water[kind] = 0.0;
    c.water[vapor] -= lacking;
    c.release(lacking, kind >= ice ? lacking : 0.0);
  }
  for (Entry number : {rain_number, ice_number}) c.water[number] = std::max(c.water[number], 0.0);
}

/// Numbers of particles of which there are any are within what their sizes may be.
inline void count_again(Cell& c) {
  c.water[rain_number] = c.has(rain) ? drops_of(c).number() / c.density : 0.0;
  c.water[ice_number] = c.has(ice) ? crystals_of(c).number() / c.density : 0.0;
}

/// Whether nothing can happen.
inline bool at_rest(const Cell& c) {
  for (int kind = cloud; kind <= graupel; ++kind)
    if (c.water[kind] != 0.0) return false;
  double most = saturation(c.temperature, c.pressure).ratio;
  if (c.supercooling() > 0.0)
    most = std::min(most, 1.25 * ice_saturation(c.temperature, c.pressure));
  return c.water[vapor] < 0.999 * most;
}

/// All processes from one state, then saturation.
inline void change(Cell& c, const Numbers& n, double dt) {
  fill(c);
  const Population p = population(c, n);
  const Diffusivities d = diffusivities(c);
  Flows f;
  const Growth growth = growth_of(c, p, d);
  warm_rain(f, c, p, d, n);
  rime(f, c, p, d, growth.snow);
  if (c.supercooling() > 0.0) collect_crystals(f, c, p);
  collide(f, c, p);
  freeze(f, c, p, n, dt);
  melt(f, c, p, d, dt);
  exchange_vapor(f, c, p, d, growth, dt);
  apply(c, f, dt);
  condense(c);
  count_again(c);
}

/// Rows of columns: what falls, then what changes.
template <class T>
struct Fields {
  View3<const T> air_pressure, exner, air_density, layer_depth;
  View3<T> dry_theta;
  View4<T> water;
  View2<T> rain_fallen, snow_fallen, graupel_fallen;
};

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
    for (std::ptrdiff_t i = box_.i0; i < box_.i1; ++i) {
      fall(j, i, static_cast<T>(dt));
      for (int k = 0; k < levels_; ++k) act(k, j, i, dt);
    }
  }

 private:
  double at(const auto& field, int k, int j, std::ptrdiff_t i) const {
    return double(field.row(k, j)[i]);
  }
  int top_of(Entry kind, int j, std::ptrdiff_t i) const {
    int top = levels_;
    while (top > 0 && !(f_.water.row(kind, top - 1, j)[i] > T(0))) --top;
    return top;
  }

  /// Rain and crystals with their numbers, snow, graupel.
  void fall(int j, std::ptrdiff_t i, T dt) {
    const int rainy = top_of(rain, j, i), icy = top_of(ice, j, i);
    const int snowy = top_of(snow, j, i), hail = top_of(graupel, j, i);
    const int top = std::max({rainy, icy, snowy, hail});
    if (top == 0) return;
    columns_.template take<T>(f_.air_density, f_.layer_depth, j, i, top, [&](int k, T air) {
      const double celsius =
          (at(f_.dry_theta, k, j, i) + air::reference_temperature) * at(f_.exner, k, j, i) -
          air::melting_point;
      return std::pair(std::sqrt(T(speed_density) / air), static_cast<T>(celsius));
    });
    const auto thin = [&](int k) { return double(columns_.template first<T>(k)); };
    T fallen[2], snow_fallen[1];
    const auto counted = [&](Entry mass, Entry number, int high, const Kind& kind, auto sizes) {
      columns_.template fall<2, T>(
          {f_.water.row(mass, 0, j) + i, f_.water.row(number, 0, j) + i}, f_.water.stride[1], high,
          dt, courant_,
          [&](int k, const T(&content)[2], T(&speed)[2]) {
            const Exponential some = sizes(double(content[0]), double(content[1]));
            speed[0] = speed[1] = T(0);
            if (some.intercept <= 0.0) return;
            speed[0] = static_cast<T>(thin(k) * mass_speed(kind, some));
            speed[1] =
                static_cast<T>(thin(k) * kind.a * some.moment(kind.b, kind.f) / some.number());
          },
          fallen);
    };
    counted(rain, rain_number, rainy, raindrops, [](double content, double number) {
      return by_number(raindrops, content, number, 10e-6, 680e-6);
    });
    f_.rain_fallen.row(j)[i] += fallen[0];
    counted(ice, ice_number, icy, crystals, [](double content, double number) {
      return by_number(crystals, content, number, 5e-6, 75e-6);
    });
    f_.snow_fallen.row(j)[i] += fallen[0];
    columns_.template fall<1, T>(
        {f_.water.row(snow, 0, j) + i}, f_.water.stride[1], snowy, dt, courant_,
        [&](int k, const T(&content)[1], T(&speed)[1]) {
          const double celsius = std::min(double(columns_.template second<T>(k)), 0.0);
          const Snowflakes some = snowflakes(double(content[0]), celsius);
          speed[0] = some.second > 0.0 ? static_cast<T>(thin(k) * mass_speed(flakes, some)) : T(0);
        },
        snow_fallen);
    f_.snow_fallen.row(j)[i] += snow_fallen[0];
    columns_.template fall<1, T>(
        {f_.water.row(graupel, 0, j) + i}, f_.water.stride[1], hail, dt, courant_,
        [&](int k, const T(&content)[1], T(&speed)[1]) {
          Cell some{};
          some.density = double(speed_density) / (thin(k) * thin(k));
          some.water[graupel] = double(content[0]) / some.density;
          const Exponential sizes = grains_of(some);
          speed[0] =
              sizes.intercept > 0.0 ? static_cast<T>(thin(k) * mass_speed(grains, sizes)) : T(0);
        },
        snow_fallen);
    f_.graupel_fallen.row(j)[i] += snow_fallen[0];
  }

  void act(int k, int j, std::ptrdiff_t i, double dt) {
    Cell c = cell_of(f_.exner, f_.air_density, f_.dry_theta, f_.water, k, j, i);
    c.pressure = at(f_.air_pressure, k, j, i);
    if (at_rest(c)) return;
    change(c, n_, dt);
    for (int kind = 0; kind < entries; ++kind)
      f_.water.row(kind, k, j)[i] = static_cast<T>(c.water[kind]);
    f_.dry_theta.row(k, j)[i] += static_cast<T>(c.warming / at(f_.exner, k, j, i));
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
