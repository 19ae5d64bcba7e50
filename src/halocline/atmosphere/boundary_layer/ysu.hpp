#pragma once
#include <vector>

#include "atmosphere/boundary_layer/similarity.hpp"
#include "atmosphere/constants.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// The boundary layer of Yonsei University: Hong, Noh and Dudhia 2006, Mon. Wea. Rev. 134, 2318
/// (HND), in stable air as Hong 2010, Q. J. R. Meteorol. Soc. 136, 1481. Levels are counted upward;
/// interface k lies below level k.
namespace halocline {

namespace air {

/// HND: excess of thermals and counter-gradient of heat; of momentum (Brown and Grant 1997); share
/// of the surface layer; greatest excess [K]; shear beside convection at the top.
inline constexpr double thermal_excess = 6.8, momentum_excess = 15.9, surface_share = 0.1;
inline constexpr double greatest_excess = 3.0, top_shear = 5.0;
/// Growth of the velocity scale with height: w(s)^3 = u*^3 + 8 karman w*^3 z / h.
inline constexpr double convective_growth = 8.0;
/// Depth of the zone of entrainment over h: the first, and the second over Ri (HND, equation 16).
inline constexpr double entrainment_depth = 0.02, entrainment_spread = 0.05;
/// Mixing ratio of cloud from which air is saturated [1].
inline constexpr double least_cloud = 1e-5;
/// Greatest viscosity [m2 s-1].
inline constexpr double most_mixing = 1000.0;

/// Numbers of YSU; see `YsuOptions`.
template <class T>
struct YsuNumbers {
  T critical, entrainment, free_length, background;
};

/// Forcing at the ground and scales that follow from the depth.
template <class V>
struct MixedLayer {
  V theta;                   ///< virtual potential temperature of the lowest layer [K]
  V friction;                ///< velocity [m s-1]
  V heat, vapor, buoyant;    ///< fluxes of theta, vapour, virtual theta [K m s-1], [m s-1]
  V drag_x, drag_y;          ///< fluxes of momentum [m2 s-2]
  V inverse_length;          ///< 1 / L [m-1]
  V depth, convective_cube;  ///< h [m], w*^3 [m3 s-3]

  /// Set the depth.
  void reach(V h) {
    using T = scalar_of<V>;
    depth = h;
    convective_cube = maximum(V(T(gravity) / theta * buoyant * h), V{});
  }
  V friction_cube() const { return power<3>(friction); }

  /// Scale of velocity at a height: with convection, or limited by stable air [m s-1].
  V scale(V height) const {
    using T = scalar_of<V>;
    const V growing = T(convective_growth * karman) * convective_cube * height / depth;
    const V stable = friction / (T(1) + T(5) * height * maximum(inverse_length, V{}));
    return buoyant > V{} ? cube_root(V(friction_cube() + growing)) : stable;
  }
  /// That at half the depth.
  V middle_scale() const { return scale(V(scalar_of<V>(0.5) * depth)); }

  /// Excess of theta that thermals have [K].
  V excess(V flux) const {
    using T = scalar_of<V>;
    const V over = T(thermal_excess) * flux / middle_scale();
    return maximum(minimum(over, splat<V>(T(greatest_excess))), V{});
  }

  /// Viscosity over diffusivity at a height (HND, equation 5).
  V prandtl(V height) const {
    using T = scalar_of<V>;
    const V steep = T(1) - T(16 * surface_share) * depth * minimum(inverse_length, V{});
    const V ratio = T(1) / square_root(square_root(steep));
    const V low = ratio + T(thermal_excess * surface_share * karman);
    const V from = (height - T(surface_share) * depth) / depth;
    const V at = T(1) + (low - T(1)) * exp(V(T(-3) * from * from));
    return buoyant > V{} ? at : splat<V>(T(1));
  }
};

/// The inversion over the mixed layer: what it lets in.
template <class V>
struct Entrainment {
  V speed;                ///< of entrainment [m s-1]
  V theta, vapor, u, v;   ///< fluxes at h
  V reach, conductivity;  ///< of the zone above h [m], [m2 s-1]
};

/// Local mixing by Louis 1979, Boundary-Layer Meteorol. 17, 187, as HND's free atmosphere.
template <class V>
struct LocalMixing {
  V viscosity, diffusivity;
};
template <class V>
HD INLINE LocalMixing<V> local_mixing(V height, V shear, V richardson, scalar_of<V> length) {
  using T = scalar_of<V>;
  const V wall = T(karman) * height, mixing = wall * length / (wall + length);
  const V base = mixing * mixing * shear;
  const V calm = maximum(richardson, V{}),
          lively = maximum(minimum(richardson, V{}), splat<V>(T(-100)));
  const V damping = T(1) + T(5) * calm, stable = T(1) / (damping * damping);
  const V root = square_root(-lively);
  const V heat = T(1) - T(8) * lively / (T(1) + T(1.286) * root);
  const V momentum = T(1) - T(8) * lively / (T(1) + T(1.746) * root);
  const V heavy = base * stable;
  return {richardson > V{} ? V(heavy * (T(1) + T(2.1) * calm)) : V(base * momentum),
          richardson > V{} ? heavy : V(base * heat)};
}

/// Richardson number in saturated air (Durran and Klemp 1982, J. Atmos. Sci. 39, 2152, as HND).
///
/// @param[in] clear        that of unsaturated air [1]
/// @param[in] square       of the shear [s-2]
/// @param[in] vapor, warm  mixing ratio [1] and temperature [K]
template <class V>
HD INLINE V in_cloud(V clear, V square, V vapor, V warm) {
  using T = scalar_of<V>;
  const V lifting = T(vaporization / dry_gas_constant) * vapor / warm;
  const V holding =
      T(vaporization * vaporization / (heat_capacity * vapor_gas_constant)) * vapor / (warm * warm);
  const V gained = T(gravity * gravity / heat_capacity) / (square * warm);
  return (T(1) + lifting) * (clear - gained * (holding - lifting) / (T(1) + holding));
}

template <class T>
struct YsuFields {
  View3<const T> u, v, dry_theta;
  View4<const T> water;
  View3<const T> air_density, exner, height, layer_depth;
  View2<const T> friction_velocity, heat_flux, vapor_flux, momentum_exchange, stress_x, stress_y;
  View3<T> viscosity, diffusivity, theta_nonlocal, vapor_nonlocal, u_nonlocal, v_nonlocal;
  View2<T> boundary_layer_depth;
  int cloud, ice;  ///< entries of `water`, -1: none
};

/// Columns, a pack of them at a time, in scratch of their own.
template <class T>
class YsuColumns {
 public:
  YsuColumns(const YsuFields<T>& fields, const YsuNumbers<T>& numbers)
      : f_(fields), n_(numbers), levels_(static_cast<int>(fields.exner.extent[0])) {
    scratch_.resize(static_cast<std::size_t>(planes) * (levels_ + 1) * lanes<T>);
  }

  /// Columns from i on of row j, as many as V has lanes.
  template <class V>
  void columns(int j, std::ptrdiff_t i) {
    take<V>(j, i);
    MixedLayer<V> layer = forcing<V>(j, i);
    layer.reach(depth_of<V>(layer, V{}));
    layer.reach(depth_of<V>(layer, rising<V>(layer)));
    store<V>(f_.boundary_layer_depth.row(j) + i, layer.depth);
    give<V>(layer, top<V>(layer), j, i);
  }

 private:
  enum Plane { u, v, theta, vapor, virtual_theta, warmth, cloudy, center, face, planes };

  template <class V>
  V get(Plane plane, int k) const {
    return load<V>(scratch_.data() + (plane * (levels_ + 1) + k) * lanes<T>);
  }
  template <class V>
  void set(Plane plane, int k, V value) {
    store<V>(scratch_.data() + (plane * (levels_ + 1) + k) * lanes<T>, value);
  }

  template <class V>
  void take(int j, std::ptrdiff_t i) {
    V height{};
    for (int k = 0; k < levels_; ++k) {
      const auto at = [&](const View3<const T>& field) { return load<V>(field.row(k, j) + i); };
      const V warm = at(f_.dry_theta) + T(reference_temperature);
      const V moist = load<V>(f_.water.row(0, k, j) + i);
      set<V>(u, k, T(0.5) * (at(f_.u) + load<V>(f_.u.row(k, j) + i + 1)));
      set<V>(v, k, T(0.5) * (at(f_.v) + load<V>(f_.v.row(k, j + 1) + i)));
      set<V>(theta, k, warm);
      set<V>(vapor, k, moist);
      set<V>(virtual_theta, k, warm * (T(1) + T(0.608) * moist));
      set<V>(warmth, k, warm * at(f_.exner));
      set<V>(cloudy, k, condensed<V>(f_.cloud, k, j, i) + condensed<V>(f_.ice, k, j, i));
      set<V>(center, k, at(f_.height));
      set<V>(face, k, height);
      height = height + at(f_.layer_depth);
    }
    set<V>(face, levels_, height);
  }

  /// An entry of `water`; nothing of one that is not there.
  template <class V>
  V condensed(int entry, int k, int j, std::ptrdiff_t i) const {
    return entry < 0 ? V{} : load<V>(f_.water.row(entry, k, j) + i);
  }

  template <class V>
  MixedLayer<V> forcing(int j, std::ptrdiff_t i) const {
    const auto at = [&](const View2<const T>& field) { return load<V>(field.row(j) + i); };
    const V density = load<V>(f_.air_density.row(0, j) + i);
    MixedLayer<V> made{};
    made.theta = get<V>(virtual_theta, 0);
    made.friction = maximum(at(f_.friction_velocity), splat<V>(T(1e-3)));
    made.heat = at(f_.heat_flux) / (density * T(heat_capacity) * load<V>(f_.exner.row(0, j) + i));
    made.vapor = at(f_.vapor_flux) / density;
    made.buoyant =
        made.heat * (T(1) + T(0.608) * get<V>(vapor, 0)) + T(0.608) * get<V>(theta, 0) * made.vapor;
    const V drag = at(f_.momentum_exchange) / density;
    made.drag_x = -drag * get<V>(u, 0) - at(f_.stress_x) / density;
    made.drag_y = -drag * get<V>(v, 0) - at(f_.stress_y) / density;
    made.inverse_length = T(-karman * gravity) * made.buoyant / (made.theta * made.friction_cube());
    return made;
  }

  /// Excess of virtual potential temperature of rising air [K].
  template <class V>
  V rising(const MixedLayer<V>& layer) const {
    return layer.buoyant > V{} ? layer.excess(layer.buoyant) : V{};
  }

  /// Where the bulk Richardson number of air from the ground becomes critical, 0 in unstable air
  /// (HND, equation 2); at least the top of the lowest layer.
  template <class V>
  V depth_of(const MixedLayer<V>& layer, V excess) const {
    const V critical = layer.buoyant > V{} ? V{} : splat<V>(n_.critical);
    const V ground = layer.theta + excess;
    V last{}, found{}, open = splat<V>(T(1));
    for (int k = 0; k < levels_ && any(open > V{}); ++k) {
      const V speed = get<V>(u, k) * get<V>(u, k) + get<V>(v, k) * get<V>(v, k);
      const V height = get<V>(center, k);
      const V number = T(gravity) * (get<V>(virtual_theta, k) - ground) * height /
                       (layer.theta * maximum(speed, splat<V>(T(1))));
      const auto passed = (number > critical) & (open > V{});
      const V below = k > 0 ? get<V>(center, k - 1) : V{};
      const V gap = number - last;
      const V part = (critical - last) / (gap > V{} ? gap : splat<V>(T(1)));
      found = passed ? V(below + part * (height - below)) : (open > V{} ? height : found);
      open = passed ? V{} : open;
      last = number;
    }
    return maximum(found, get<V>(face, 1));
  }

  /// Entrainment at the top of unstable layers (HND, equations 9 to 16).
  template <class V>
  Entrainment<V> top(const MixedLayer<V>& layer) const {
    V theta_jump{}, vapor_jump{}, jump{}, u_jump{}, v_jump{}, gap = splat<V>(T(1));
    for (int k = 0; k < levels_ - 1; ++k) {
      const auto here = (get<V>(center, k) < layer.depth) & (get<V>(center, k + 1) >= layer.depth);
      if (!any(here)) continue;
      const auto across = [&](Plane plane, V so_far) {
        return here ? V(get<V>(plane, k + 1) - get<V>(plane, k)) : so_far;
      };
      theta_jump = across(theta, theta_jump);
      vapor_jump = across(vapor, vapor_jump);
      jump = across(virtual_theta, jump);
      u_jump = across(u, u_jump);
      v_jump = across(v, v_jump);
      gap = across(center, gap);
    }
    const auto open = layer.buoyant > V{};
    const V cube = layer.convective_cube + T(top_shear) * layer.friction_cube();
    const V scale = cube_root(cube), least = splat<V>(T(0.01));
    const V inversion = maximum(jump, least);
    const V flux = n_.entrainment * layer.theta / T(gravity) * cube / layer.depth;
    const V speed = open ? minimum(V(flux / inversion), scale) : V{};
    const V richardson = T(gravity) / layer.theta * layer.depth * inversion / (scale * scale);
    const V reach = layer.depth * (T(entrainment_depth) + T(entrainment_spread) / richardson);
    return {speed,
            -speed * maximum(theta_jump, V{}),
            -speed * minimum(vapor_jump, V{}),
            -speed * u_jump,
            -speed * v_jump,
            open ? reach : splat<V>(T(1e-3)),
            speed * gap};
  }

  /// Mixing and nonlocal fluxes at the interfaces.
  template <class V>
  void give(const MixedLayer<V>& layer, const Entrainment<V>& entrainment, int j,
            std::ptrdiff_t i) {
    const V h = layer.depth, scale = layer.middle_scale(), square = scale * scale;
    const V heat_gradient = rising_heat<V>(layer) / h;
    const V drag_share = layer.buoyant > V{}
                             ? V(T(momentum_excess) * layer.convective_cube / (square * square * h))
                             : V{};
    for (int k = 0; k <= levels_; ++k) {
      const auto put = [&](const View3<T>& to, V value) { store<V>(to.row(k, j) + i, value); };
      V viscosity{}, diffusivity{}, share{}, inside{};
      if (k > 0 && k < levels_) {
        const V height = get<V>(face, k), s = height / h;
        inside = height < h ? splat<V>(T(1)) : V{};
        const LocalMixing<V> local = between<V>(k);
        const V rest = maximum(V(T(1) - s), V{});
        const V profile = T(karman) * layer.scale(height) * height * rest * rest;
        const V from = (height - h) / entrainment.reach, square_from = from * from;
        const auto near = (layer.buoyant > V{}) & (square_from < splat<V>(T(4.6)));
        const V zone = entrainment.conductivity * exp(-minimum(square_from, splat<V>(T(5))));
        const auto above = [&](V found) { return near ? square_root(V(zone * found)) : found; };
        viscosity = limited(inside > V{} ? profile : above(local.viscosity));
        diffusivity =
            limited(inside > V{} ? V(profile / layer.prandtl(height)) : above(local.diffusivity));
        share = layer.buoyant > V{} ? V(inside * s * s * s) : V{};
      }
      put(f_.viscosity, viscosity);
      put(f_.diffusivity, diffusivity);
      put(f_.theta_nonlocal, inside * diffusivity * heat_gradient + share * entrainment.theta);
      put(f_.vapor_nonlocal, share * entrainment.vapor);
      const V carried = inside * viscosity * drag_share;
      put(f_.u_nonlocal, carried * layer.drag_x + share * entrainment.u);
      put(f_.v_nonlocal, carried * layer.drag_y + share * entrainment.v);
    }
  }

  /// Excess of potential temperature that the gradient is countered by [K].
  template <class V>
  V rising_heat(const MixedLayer<V>& layer) const {
    return layer.buoyant > V{} ? layer.excess(layer.heat) : V{};
  }

  template <class V>
  V limited(V mixing) const {
    return minimum(maximum(mixing, splat<V>(n_.background)), splat<V>(T(most_mixing)));
  }

  /// Local mixing between level k and the one below.
  template <class V>
  LocalMixing<V> between(int k) const {
    const auto change = [&](Plane plane) { return get<V>(plane, k) - get<V>(plane, k - 1); };
    const V gap = change(center), east = change(u) / gap, north = change(v) / gap;
    const V square = east * east + north * north + T(1e-9);
    const V mean = T(0.5) * (get<V>(virtual_theta, k) + get<V>(virtual_theta, k - 1));
    const V clear = T(gravity) / mean * change(virtual_theta) / gap / square;
    const auto cloud = (get<V>(cloudy, k) > splat<V>(T(least_cloud))) &
                       (get<V>(cloudy, k - 1) > splat<V>(T(least_cloud)));
    const V wet = T(0.5) * (get<V>(vapor, k) + get<V>(vapor, k - 1));
    const V warm = T(0.5) * (get<V>(warmth, k) + get<V>(warmth, k - 1));
    const V richardson = cloud ? in_cloud(clear, square, wet, warm) : clear;
    return local_mixing(get<V>(face, k), square_root(square), richardson, n_.free_length);
  }

  YsuFields<T> f_;
  YsuNumbers<T> n_;
  int levels_;
  std::vector<T> scratch_;
};

}  // namespace air

inline constexpr Contract<21> atmosphere_ysu_contract{
    "atmosphere_ysu",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, 0, 0}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {0, 0, 0, 1}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"height", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"friction_velocity", Access::read, Place::center, "m s-1"},
      {"heat_flux", Access::read, Place::center, "W m-2"},
      {"vapor_flux", Access::read, Place::center, "kg m-2 s-1"},
      {"momentum_exchange", Access::read, Place::center, "kg m-2 s-1"},
      {"stress_x", Access::read, Place::center, "Pa"},
      {"stress_y", Access::read, Place::center, "Pa"},
      {"viscosity", Access::write, Place::interface, "m2 s-1", "depth+1", {}, Column::whole},
      {"diffusivity", Access::write, Place::interface, "m2 s-1", "depth+1", {}, Column::whole},
      {"theta_nonlocal", Access::write, Place::interface, "K m s-1", "depth+1", {}, Column::whole},
      {"vapor_nonlocal", Access::write, Place::interface, "m s-1", "depth+1", {}, Column::whole},
      {"u_nonlocal", Access::write, Place::interface, "m2 s-2", "depth+1", {}, Column::whole},
      {"v_nonlocal", Access::write, Place::interface, "m2 s-2", "depth+1", {}, Column::whole},
      {"boundary_layer_depth", Access::write, Place::center, "m"}}}};

/// Mixing of columns by YSU, and what it carries besides, at interfaces, upward; 0 at the ground
/// and at the top.
///
/// @param[in]  u, v                  wind at faces [m s-1], shape (k, j, i)
/// @param[in]  dry_theta             dry potential temperature less 300 K [K]
/// @param[in]  water                 mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]  air_density           of dry air [kg m-3]
/// @param[in]  exner                 temperature over potential temperature [1]
/// @param[in]  height, layer_depth   of centres over the ground, of layers [m]
/// @param[in]  friction_velocity     [m s-1]
/// @param[in]  heat_flux, vapor_flux upward from the ground [W m-2], [kg m-2 s-1]
/// @param[in]  momentum_exchange     stress over the wind of the lowest layer [kg m-2 s-1]
/// @param[in]  stress_x, stress_y    on the ground, besides [Pa]
/// @param[out] viscosity, diffusivity  [m2 s-1]
/// @param[out] theta_nonlocal, vapor_nonlocal, u_nonlocal, v_nonlocal  [K m s-1], [m s-1], [m2 s-2]
/// @param[out] boundary_layer_depth  [m]
/// @param[in]  critical, entrainment, free_length, background  see `YsuOptions`
/// @param[in]  cloud, ice_entry      entries of `water` that are drops and crystals; -1: none
template <class T>
void atmosphere_ysu(Box box, View3<const T> u, View3<const T> v, View3<const T> dry_theta,
                    View4<const T> water, View3<const T> air_density, View3<const T> exner,
                    View3<const T> height, View3<const T> layer_depth,
                    View2<const T> friction_velocity, View2<const T> heat_flux,
                    View2<const T> vapor_flux, View2<const T> momentum_exchange,
                    View2<const T> stress_x, View2<const T> stress_y, View3<T> viscosity,
                    View3<T> diffusivity, View3<T> theta_nonlocal, View3<T> vapor_nonlocal,
                    View3<T> u_nonlocal, View3<T> v_nonlocal, View2<T> boundary_layer_depth,
                    double critical, double entrainment, double free_length, double background,
                    int cloud, int ice_entry) {
  const air::YsuFields<T> fields{u,
                                 v,
                                 dry_theta,
                                 water,
                                 air_density,
                                 exner,
                                 height,
                                 layer_depth,
                                 friction_velocity,
                                 heat_flux,
                                 vapor_flux,
                                 momentum_exchange,
                                 stress_x,
                                 stress_y,
                                 viscosity,
                                 diffusivity,
                                 theta_nonlocal,
                                 vapor_nonlocal,
                                 u_nonlocal,
                                 v_nonlocal,
                                 boundary_layer_depth,
                                 cloud,
                                 ice_entry};
  const air::YsuNumbers<T> numbers{static_cast<T>(critical), static_cast<T>(entrainment),
                                   static_cast<T>(free_length), static_cast<T>(background)};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return air::YsuColumns<T>(fields, numbers); },
      [&](int j, air::YsuColumns<T>& columns) {
        over_row<T>(box.i0, box.i1,
                    [&]<class V>(Lane<V>, std::ptrdiff_t i) { columns.template columns<V>(j, i); });
      });
}

}  // namespace halocline
