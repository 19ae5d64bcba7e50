#pragma once
#include "atmosphere/boundary_layer/similarity.hpp"
#include "atmosphere/moist_air.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// The surface layer: fluxes between air and ground by similarity (J12: `similarity.hpp`).
namespace halocline {

namespace air {

/// Viscosity of air [m2 s-1].
inline constexpr double viscosity = 1.5e-5;
/// Iterations of z / L, roughness and gusts together.
inline constexpr int surface_iterations = 12;

/// Numbers of the surface layer; see `SurfaceLayerOptions`.
template <class T>
struct SurfaceNumbers {
  T zilitinkevich, gustiness, least_wind, sea_saturation;
};

/// Air of the lowest layer and the ground below it.
template <class V>
struct SurfaceColumn {
  V wind;                  ///< [m s-1]
  V height;                ///< [m]
  V theta, vapor;          ///< potential temperature of air [K], mixing ratio [1]
  V ground, ground_vapor;  ///< the same that air at rest on the ground has
  V sea;                   ///< 1 at sea, 0 on land
  V land_roughness;        ///< [m]
  V charnock;              ///< of waves [1]
  V depth;                 ///< of the boundary layer [m]
};

/// What similarity finds.
template <class V>
struct SurfaceFluxes {
  V roughness, heat_roughness;  ///< [m]
  V inverse_length;             ///< 1 / L [m-1]
  V wind;                       ///< with gusts [m s-1]
  V momentum, heat;             ///< rise of the profiles to the height of the air [1]
};

/// Roughness for momentum: of land as given, at sea by Charnock 1955 with a smooth part (Smith
/// 1988, J. Geophys. Res. 93, 15467).
template <class V>
HD INLINE V momentum_roughness(const SurfaceColumn<V>& at, V friction) {
  using T = scalar_of<V>;
  const V wavy = at.charnock / T(gravity) * friction * friction + T(0.11 * viscosity) / friction;
  return at.sea > V{} ? wavy : at.land_roughness;
}

/// Roughness for heat and moisture: on land Zilitinkevich 1995 with the coefficient of Chen et al.
/// 1997, at sea Fairall et al. 2003, J. Climate 16, 571, equation 28.
template <class V>
HD INLINE V scalar_roughness(const SurfaceColumn<V>& at, V roughness, V friction,
                             const SurfaceNumbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V reynolds = maximum(V(friction * roughness / T(viscosity)), splat<V>(T(1e-6)));
  const V land = roughness * exp((-T(karman) * n.zilitinkevich) * square_root(reynolds));
  const V sea = minimum(V(T(5.5e-5) * pow(reynolds, T(-0.6))), splat<V>(T(1.1e-4)));
  return at.sea > V{} ? sea : maximum(land, splat<V>(T(1e-8)));
}

/// Solve Ri = (z / L) H / M^2 for z / L, where H and M are the rises of heat and momentum (J12,
/// equation 10): Newton's steps for log (z / L / Ri), in which neutral air is nothing special.
/// Roughness at sea and gusts of free convection (Beljaars 1995, Q. J. R. Meteorol. Soc. 121, 255)
/// are found on the way.
template <class V>
HD INLINE SurfaceFluxes<V> surface_fluxes(const SurfaceColumn<V>& at,
                                          const SurfaceNumbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1)), least = splat<V>(n.least_wind);
  const V air = at.theta * (T(1) + T(0.608) * at.vapor);
  const V excess = air - at.ground * (T(1) + T(0.608) * at.ground_vapor);
  const V buoyancy = (T(gravity) / at.theta) * excess;
  V friction = T(0.04) * maximum(at.wind, one), gust = splat<V>(T(0.5)), ratio{};
  SurfaceFluxes<V> found{};
  for (int iteration = 0; iteration <= surface_iterations; ++iteration) {
    found.roughness = momentum_roughness(at, friction);
    found.heat_roughness = scalar_roughness(at, found.roughness, friction, n);
    const V blowing = square_root(at.wind * at.wind + (excess < V{} ? V(gust * gust) : V{}));
    found.wind = maximum(blowing, least);
    const V top = at.height + found.roughness, heat_top = at.height + found.heat_roughness;
    const V start = log(top / found.roughness);
    if (iteration == 0) ratio = log(start * start / log(heat_top / found.heat_roughness));
    const V richardson = buoyancy * at.height / (found.wind * found.wind);
    found.inverse_length = richardson * exp(ratio) / at.height;
    const auto momentum = profile_rise<false>(found.inverse_length, found.roughness, top);
    const auto heat = profile_rise<true>(found.inverse_length, found.heat_roughness, heat_top);
    found.momentum = momentum.rise;
    found.heat = heat.rise;
    const V slope = T(1) + heat.slope / heat.rise - T(2) * momentum.slope / momentum.rise;
    const V off = ratio + log(heat.rise / (momentum.rise * momentum.rise));
    const V change = off / maximum(slope, splat<V>(T(0.1)));
    ratio = ratio - maximum(minimum(change, splat<V>(T(2))), splat<V>(T(-2)));
    friction = maximum(V(T(karman) * found.wind / momentum.rise), splat<V>(T(1e-4)));
    const V rising = maximum(V(-buoyancy * at.depth * friction * T(karman) / heat.rise), V{});
    gust = n.gustiness * cube_root(rising);
  }
  return found;
}

/// Heights over the ground of thermometers and of masts [m].
inline constexpr double thermometer = 2.0, mast = 10.0;

}  // namespace air

inline constexpr Contract<23> atmosphere_surface_layer_contract{
    "atmosphere_surface_layer",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, 0, 0}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {0, 0, 0, 1}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"height", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"surface_pressure", Access::read, Place::center, "Pa"},
      {"skin_temperature", Access::read, Place::center, "K"},
      {"land", Access::read, Place::center, "1"},
      {"moisture_availability", Access::read, Place::center, "1"},
      {"boundary_layer_depth", Access::read, Place::center, "m"},
      {"charnock", Access::read, Place::center, "1"},
      {"roughness", Access::update, Place::center, "m"},
      {"friction_velocity", Access::write, Place::center, "m s-1"},
      {"heat_flux", Access::write, Place::center, "W m-2"},
      {"vapor_flux", Access::write, Place::center, "kg m-2 s-1"},
      {"momentum_exchange", Access::write, Place::center, "kg m-2 s-1"},
      {"heat_exchange", Access::write, Place::center, "kg m-2 s-1"},
      {"low_temperature", Access::write, Place::center, "K"},
      {"low_vapor", Access::write, Place::center, "1"},
      {"low_u", Access::write, Place::center, "m s-1"},
      {"low_v", Access::write, Place::center, "m s-1"}}}};

/// Fluxes between the ground and the lowest layer of air, and what thermometers and masts there
/// would show.
///
/// @param[in]     u, v                   wind at faces [m s-1], shape (k, j, i)
/// @param[in]     dry_theta              dry potential temperature less 300 K [K]
/// @param[in]     water                  mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]     air_density            of dry air [kg m-3]
/// @param[in]     exner                  temperature over potential temperature [1]
/// @param[in]     height                 of the centres of layers over the ground [m]
/// @param[in]     surface_pressure       [Pa]
/// @param[in]     skin_temperature       [K]
/// @param[in]     land                   1 on land, 0 at sea
/// @param[in]     moisture_availability  of land: flux of vapour over that from water [1]
/// @param[in]     boundary_layer_depth   of the last step [m]
/// @param[in]     charnock               of waves: roughness over u*^2 / g [1]
/// @param[in,out] roughness              for momentum; of land given, of the sea found [m]
/// @param[out]    friction_velocity      [m s-1]
/// @param[out]    heat_flux              upward [W m-2]
/// @param[out]    vapor_flux             upward [kg m-2 s-1]
/// @param[out]    momentum_exchange, heat_exchange  fluxes of momentum and of potential temperature
/// over the differences of air and ground [kg m-2 s-1]
/// @param[out]    low_temperature, low_vapor  at 2 m [K], [1]
/// @param[out]    low_u, low_v           wind at 10 m [m s-1]
/// @param[in]     zilitinkevich, gustiness, least_wind, sea_saturation  see
/// `SurfaceLayerOptions`
template <class T>
void atmosphere_surface_layer(Box box, View3<const T> u, View3<const T> v, View3<const T> dry_theta,
                              View4<const T> water, View3<const T> air_density,
                              View3<const T> exner, View3<const T> height,
                              View2<const T> surface_pressure, View2<const T> skin_temperature,
                              View2<const T> land, View2<const T> moisture_availability,
                              View2<const T> boundary_layer_depth, View2<const T> charnock,
                              View2<T> roughness, View2<T> friction_velocity, View2<T> heat_flux,
                              View2<T> vapor_flux, View2<T> momentum_exchange,
                              View2<T> heat_exchange, View2<T> low_temperature, View2<T> low_vapor,
                              View2<T> low_u, View2<T> low_v, double zilitinkevich,
                              double gustiness, double least_wind, double sea_saturation) {
  const air::SurfaceNumbers<T> numbers{static_cast<T>(zilitinkevich), static_cast<T>(gustiness),
                                       static_cast<T>(least_wind), static_cast<T>(sea_saturation)};
  const T karman = T(air::karman), capacity = T(air::heat_capacity);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto plane = [&](const auto& field) { return load<V>(field.row(j) + i); };
      const auto lowest = [&](const View3<const T>& field) { return load<V>(field.row(0, j) + i); };
      const V east = T(0.5) * (load<V>(u.row(0, j) + i) + load<V>(u.row(0, j) + i + 1));
      const V north = T(0.5) * (load<V>(v.row(0, j) + i) + load<V>(v.row(0, j + 1) + i));
      const V skin = plane(skin_temperature), pressure = plane(surface_pressure);
      const V sea = plane(land) < T(0.5) ? splat<V>(T(1)) : V{};
      const V theta = lowest(dry_theta) + T(air::reference_temperature);
      const V vapor = load<V>(water.row(0, 0, j) + i), ground_exner = air::exner(pressure);
      const V open = air::saturation_pressure(skin);
      const V wet = sea > V{} ? splat<V>(T(1)) : plane(moisture_availability);
      const V saturated =
          air::mixing_ratio(sea > V{} ? V(numbers.sea_saturation * open) : open, pressure);
      const V ground_vapor = vapor + wet * (saturated - vapor), ground = skin / ground_exner;
      const V wind = square_root(east * east + north * north);
      const auto found =
          air::surface_fluxes<V>({wind, lowest(height), theta, vapor, ground, ground_vapor, sea,
                                  plane(roughness), plane(charnock), plane(boundary_layer_depth)},
                                 numbers);
      const V friction = karman * found.wind / found.momentum;
      const V passing = lowest(air_density) * friction;
      const V exchange = passing * karman / found.heat;
      const V warming = ground - theta, moistening = ground_vapor - vapor;
      const auto put = [&](const View2<T>& to, V value) { store<V>(to.row(j) + i, value); };
      put(roughness, found.roughness);
      put(friction_velocity, friction);
      put(momentum_exchange, passing * friction / found.wind);
      put(heat_exchange, exchange);
      put(heat_flux, capacity * lowest(exner) * exchange * warming);
      put(vapor_flux, exchange * moistening);
      const V low = found.heat_roughness + T(air::thermometer);
      const V mast = found.roughness + T(air::mast);
      const V share =
          air::profile_rise<true>(found.inverse_length, found.heat_roughness, low).rise /
          found.heat;
      const V blown = air::profile_rise<false>(found.inverse_length, found.roughness, mast).rise /
                      found.momentum;
      put(low_temperature, (ground - share * warming) * ground_exner);
      put(low_vapor, ground_vapor - share * moistening);
      put(low_u, blown * east);
      put(low_v, blown * north);
    });
  });
}

}  // namespace halocline
