#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/vertical_mixing.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Vertical mixing by the profile of a boundary layer, KPP: Large, McWilliams and Doney 1994, Rev.
/// Geophys. 32, 363 (LMD); numbers and what they leave open as in the Parallel Ocean Program (Smith
/// et al. 2010, reference manual, LAUR-10-01853, section 8.3).
///
/// Below the boundary layer mixing is by shear, waves and convection. The layer ends at the depth h
/// where the bulk Richardson number is critical. In it K = h w(s) G(s), s = d / h, with turbulent
/// scales w and the cubic G that meets the interior with its value and slope; where the surface
/// loses buoyancy, a share of its flux of tracers is carried down whatever the gradient is.
/// Levels are counted downward here: d = 0 is the surface, interface d lies below level d.
namespace halocline {

namespace kpp {
inline constexpr double karman = 0.4;
/// Part of the boundary layer that is its surface layer, to whose end the scales grow.
inline constexpr double surface_layer = 0.1;
/// Numbers of the turbulent scales where convection is strong (LMD, appendix B).
inline constexpr double zeta_m = -0.2, zeta_s = -1.0;
inline constexpr double a_m = 1.26, c_m = 8.38, a_s = -28.86, c_s = 98.96;
}  // namespace kpp

/// Scales of turbulent velocity of momentum and of tracers [m s-1].
template <class V>
struct TurbulentScales {
  V momentum, tracer;
};

/// Turbulent scales (LMD, equation 13 and appendix B).
///
/// @param[in] depth     [m]
/// @param[in] friction  velocity [m s-1]
/// @param[in] buoyancy  flux into the water [m2 s-3]
template <class V>
HD INLINE TurbulentScales<V> turbulent_scales(V depth, V friction, V buoyancy) {
  using T = scalar_of<V>;
  constexpr T karman = T(kpp::karman);
  const V cube = friction * friction * friction, production = depth * (karman * buoyancy);
  const V zeta = production / (cube + T(1e-16)), wall = karman * friction;
  const V stable = wall / (T(1) + T(5) * maximum(zeta, V{}));
  if (!any(zeta < V{})) return {stable, stable};
  const V root = square_root(T(1) - T(16) * minimum(zeta, V{}));
  const auto strong = [&](double a, double c) {
    return V(karman * cube_root(maximum(V(T(a) * cube - T(c) * production), V{})));
  };
  V momentum = wall * square_root(root), tracer = wall * root;
  momentum = zeta < T(kpp::zeta_m) ? strong(kpp::a_m, kpp::c_m) : momentum;
  tracer = zeta < T(kpp::zeta_s) ? strong(kpp::a_s, kpp::c_s) : tracer;
  return {zeta < V{} ? momentum : stable, zeta < V{} ? tracer : stable};
}

/// Viscosity that shear adds below the boundary layer, of `most` at Ri = 0 and none above `limit`
/// (LMD, equation 28).
template <class V>
HD INLINE V shear_mixing(V richardson, scalar_of<V> most, scalar_of<V> limit) {
  using T = scalar_of<V>;
  const V ratio = minimum(maximum(richardson, V{}) / limit, splat<V>(T(1)));
  return most * power<3>(V(T(1) - ratio * ratio));
}

/// Where a parabola that begins with value and slope at 0 and ends with `last` at `length` passes
/// `wanted`, if value <= wanted < last.
template <class V>
HD INLINE V parabola_passes(V value, V slope, V last, scalar_of<V> length, scalar_of<V> wanted) {
  using T = scalar_of<V>;
  const V bend = (last - value - slope * length) / (length * length), rest = wanted - value;
  const V root = square_root(maximum(V(slope * slope + T(4) * bend * rest), V{}));
  const V found = T(2) * rest / (slope + root);
  return minimum(found, splat<V>(length));
}

/// h w(s) G(s), where G and dG/ds at s = 1 are `value` and `slope` (LMD, equations 10, 11 and 17).
template <class V>
HD INLINE V boundary_mixing(V h, V scale, V s, V value, V slope) {
  using T = scalar_of<V>;
  const V shape = s * (T(1) + s * ((s - T(2)) + (T(3) - T(2) * s) * value + (s - T(1)) * slope));
  return h * scale * shape;
}

/// Numbers of KPP; viscosities and diffusivities [m2 s-1].
template <class T>
struct KppNumbers {
  T critical, shear_viscosity, shear_limit, background, prandtl, nonlocal;
  T convective_viscosity, convective_diffusivity;
  int smoothing;
  bool limited;
  T red, short_length, long_length;
};

template <class T>
struct KppFields {
  View3<const T> stability, surface_deficit, old_u, old_v;
  View2<const T> floor_level, coriolis, friction_velocity, buoyancy_flux, light_flux;
  View1<const T> depths, thickness, spacing;
  View3<T> center_viscosity, vertical_diffusivity, nonlocal_share;
  View2<T> boundary_layer_depth;
};

/// As many columns of a row as there are lanes.
template <class T>
class KppColumns {
 public:
  KppColumns(const KppFields<T>& fields, const KppNumbers<T>& numbers)
      : f_(fields),
        n_(numbers),
        levels_(static_cast<int>(fields.old_u.extent[0])),
        scratch_(static_cast<std::size_t>(4 * levels_) * lanes<T>) {
    T* next = scratch_.data();
    for (T** plane : {&shear_, &viscosity_, &diffusivity_, &share_}) {
      *plane = next;
      next += static_cast<std::ptrdiff_t>(levels_) * lanes<T>;
    }
  }

  /// Columns of row j from i on.
  template <class V>
  void columns(int j, std::ptrdiff_t i) {
    const V wet = splat<V>(T(levels_)) - load<V>(f_.floor_level.row(j) + i);
    const V last = maximum(V(wet - T(1)), V{});
    const T* floor = f_.floor_level.row(j) + i;
    const int lowest = static_cast<int>(*std::min_element(floor, floor + width_of<V>));
    count_ = std::min(levels_ - lowest + n_.smoothing, levels_);
    if (lowest >= levels_ - 1) return finish<V>({splat<V>(depth(0)), last}, last, j, i);
    const V friction = load<V>(f_.friction_velocity.row(j) + i);
    const Buoyancy<V> forcing{load<V>(f_.buoyancy_flux.row(j) + i),
                              load<V>(f_.light_flux.row(j) + i)};
    interior<V>(j, i, last);
    Layer<V> layer = boundary<V>(last, friction, forcing, j, i);
    if (n_.limited) limit<V>(layer, last, friction, taken(forcing, layer.h), turning<V>(j, i));
    const V flux = taken(forcing, layer.h);
    mix<V>(layer, friction, flux);
    finish<V>(layer, last, j, i);
  }

 private:
  /// Buoyancy through the surface: of what stays there, and of light [m2 s-3].
  template <class V>
  struct Buoyancy {
    V surface, light;
  };
  /// What the water above a depth takes (LMD, appendix A): light that goes deeper is not in it.
  template <class V>
  V taken(const Buoyancy<V>& forcing, V depth) const {
    if (!any(forcing.light != V{})) return forcing.surface;
    const V left =
        n_.red * exp(-depth / n_.short_length) + (T(1) - n_.red) * exp(-depth / n_.long_length);
    return forcing.surface + forcing.light * (T(1) - left);
  }
  /// Depth of the boundary layer [m] and the first level that lies below it.
  template <class V>
  struct Layer {
    V h, level;
  };
  /// Value and slope at the end of the layer of the cubics of momentum and of tracers.
  template <class V>
  struct Ends {
    V viscosity, viscosity_slope, diffusivity, diffusivity_slope;
  };

  int k(int d) const { return levels_ - 1 - d; }
  T depth(int d) const { return f_.depths(k(d)); }
  T thick(int d) const { return f_.thickness(k(d)); }
  T spaced(int d) const { return f_.spacing(k(d)); }
  T bottom(int d) const { return depth(d) + T(0.5) * thick(d); }
  template <class V>
  V get(const T* plane, int d) const {
    return load<V>(plane + static_cast<std::ptrdiff_t>(d) * lanes<T>);
  }
  template <class V>
  void set(T* plane, int d, V value) const {
    store<V>(plane + static_cast<std::ptrdiff_t>(d) * lanes<T>, value);
  }

  /// Buoyancy frequency squared between levels d and d + 1 [s-2].
  template <class V>
  V stability(int d, int j, std::ptrdiff_t i) const {
    return load<V>(f_.stability.row(k(d), j) + i);
  }

  /// Square of the difference of velocity between levels a and b at the corner [m2 s-2].
  template <class V>
  V apart(int a, int b, int j, std::ptrdiff_t i) const {
    const V u = load<V>(f_.old_u.row(k(a), j) + i) - load<V>(f_.old_u.row(k(b), j) + i);
    const V v = load<V>(f_.old_v.row(k(a), j) + i) - load<V>(f_.old_v.row(k(b), j) + i);
    return u * u + v * v;
  }

  /// Mixing by shear and waves; `shear_` is left with the largest shear to the surface.
  template <class V>
  void interior(int j, std::ptrdiff_t i, V last) {
    V number{};
    for (int d = 0; d < count_; ++d) {
      if (d < levels_ - 1) {
        const V shear =
            T(0.25) * ((apart<V>(d, d + 1, j, i) + apart<V>(d, d + 1, j, i + 1)) +
                       (apart<V>(d, d + 1, j + 1, i) + apart<V>(d, d + 1, j + 1, i + 1)));
        const V found = spaced(d) * spaced(d) * stability<V>(d, j, i) / (shear + least_shear<T>);
        number = splat<V>(T(d)) < last ? found : number;
      }
      set<V>(viscosity_, d, number);
      const V south = maximum(apart<V>(0, d, j, i), apart<V>(0, d, j, i + 1));
      const V north = maximum(apart<V>(0, d, j + 1, i), apart<V>(0, d, j + 1, i + 1));
      set<V>(shear_, d, maximum(south, north));
    }
    for (int pass = 0; pass < n_.smoothing; ++pass) smooth<V>(viscosity_);
    for (int d = 0; d < count_; ++d) {
      const V added = shear_mixing(get<V>(viscosity_, d), n_.shear_viscosity, n_.shear_limit);
      const auto open = splat<V>(T(d)) < last;
      set<V>(viscosity_, d, open ? V(n_.prandtl * n_.background + added) : V{});
      set<V>(diffusivity_, d, open ? V(n_.background + added) : V{});
    }
  }

  /// Quarter, half, quarter along the column.
  template <class V>
  void smooth(T* plane) const {
    V above = get<V>(plane, 0);
    for (int d = 0; d < count_; ++d) {
      const V here = get<V>(plane, d), below = get<V>(plane, std::min(d + 1, count_ - 1));
      set<V>(plane, d, T(0.25) * (above + below) + T(0.5) * here);
      above = here;
    }
  }

  /// The shallowest depth where the bulk Richardson number is critical (LMD, equations 21 and 23).
  template <class V>
  Layer<V> boundary(V last, V friction, const Buoyancy<V>& forcing, int j, std::ptrdiff_t i) const {
    const T start = depth(0);
    const T unresolved = square_root(T(0.2 / (kpp::c_s * kpp::surface_layer))) /
                         (n_.critical * T(kpp::karman * kpp::karman));
    Layer<V> layer{splat<V>(start), last};
    V searching = last > V{} ? splat<V>(T(1)) : V{}, number{}, slope{};
    for (int d = 1; d < count_ && any(searching > V{}); ++d) {
      const T here = depth(d), above = depth(d - 1);
      const V flux = taken(forcing, splat<V>(here));
      const V scale =
          turbulent_scales(splat<V>(T(kpp::surface_layer) * here), friction, flux).tracer;
      const V above_floor = splat<V>(T(d)) < last ? stability<V>(d, j, i) : V{};
      const V n = square_root(maximum(above_floor, V{}));
      const V turbulence =
          here * scale * n * (unresolved * maximum(V(T(2.1) - T(200) * n), splat<V>(T(1.7))));
      const V found = (here - start) * load<V>(f_.surface_deficit.row(k(d), j) + i) /
                      (get<V>(shear_, d) + turbulence + least_shear<T>);
      const V in = parabola_passes(number, slope, found, here - above, n_.critical);
      const auto reached = (searching > V{}) & (found > n_.critical);
      layer.h = searching > V{} ? splat<V>(here) : layer.h;
      layer.h = reached ? V(above + in) : layer.h;
      layer.level = reached ? splat<V>(T(d)) : layer.level;
      searching = reached ? V{} : searching;
      searching = last > splat<V>(T(d)) ? searching : V{};
      slope = (found - number) / (here - above);
      number = found;
    }
    return layer;
  }

  template <class V>
  V turning(int j, std::ptrdiff_t i) const {
    return absolute(mean_of_corners<V>(f_.coriolis.row(j), f_.coriolis.row(j + 1), i));
  }

  /// Where the forcing is stable the layer ends at the depths of Ekman and of Monin and Obukhov
  /// at the latest (LMD, equation 24).
  template <class V>
  void limit(Layer<V>& layer, V last, V friction, V flux, V turning) const {
    const V ekman = T(0.7) * friction / (turning + T(1e-10));
    const V obukhov = power<3>(friction) / (T(kpp::karman) * (maximum(flux, V{}) + T(1e-14)));
    const V most = maximum(minimum(ekman, obukhov), splat<V>(depth(0)));
    layer.h = flux > V{} ? minimum(layer.h, most) : layer.h;
    V level{};
    for (int d = 0; d < count_; ++d)
      level = splat<V>(depth(d)) < layer.h ? splat<V>(T(d + 1)) : level;
    layer.level = minimum(maximum(level, splat<V>(T(1))), last);
  }

  /// What the cubics must meet at the end of the layer, from the interface nearest to it.
  template <class V>
  Ends<V> ends(const Layer<V>& layer, V inside, V friction, V flux) const {
    const V h = layer.h, level = inside > V{} ? V(layer.level - T(1)) : layer.level;
    const auto scales = turbulent_scales(V(T(kpp::surface_layer) * h), friction, flux);
    const V stable = T(5) * maximum(flux, V{}) / (power<4>(friction) + T(1e-20));
    Ends<V> found{};
    for (int d = 0; d < count_; ++d) {
      const auto here = level == splat<V>(T(d));
      if (!any(here)) continue;
      const V rest = bottom(d) - h, share = T(1) - rest / thick(d);
      const auto meet = [&](const T* plane, V scale, V& value, V& slope) {
        const V at = get<V>(plane, d), above = d > 0 ? get<V>(plane, d - 1) : V{};
        const V below = d < count_ - 1 ? get<V>(plane, d + 1) : V{};
        const T width = d < levels_ - 1 ? thick(d + 1) : thick(d);
        const V up = maximum(V((above - at) / thick(d)), V{});
        const V down = maximum(V((at - below) / width), V{});
        const V change = (T(1) - share) * up + share * down, end = at + change * rest;
        const V per_scale = T(1) / (scale + T(1e-12));
        value = here ? V(end / h * per_scale) : value;
        slope = here ? minimum(V(stable * end - change * per_scale), V{}) : slope;
      };
      meet(viscosity_, scales.momentum, found.viscosity, found.viscosity_slope);
      meet(diffusivity_, scales.tracer, found.diffusivity, found.diffusivity_slope);
    }
    return found;
  }

  /// Mixing in the boundary layer, enhanced at the interface that its end is nearest to (LMD,
  /// appendix D), and the share of the surface's flux that passes each interface besides.
  template <class V>
  void mix(const Layer<V>& layer, V friction, V flux) const {
    const V h = layer.h, deep = V(T(kpp::surface_layer) * h);
    V inside{};
    for (int d = 1; d < count_; ++d) {
      const auto above = (layer.level == splat<V>(T(d))) & (splat<V>(bottom(d - 1)) > h);
      inside = above ? splat<V>(T(1)) : inside;
    }
    const Ends<V> end = ends<V>(layer, inside, friction, flux);
    const TurbulentScales<V> whole = turbulent_scales(deep, friction, flux);
    const auto scales_at = [&](T depth) {
      if (!any(splat<V>(depth) < deep)) return whole;
      return turbulent_scales(minimum(splat<V>(depth), deep), friction, flux);
    };
    const T carried =
        n_.nonlocal * T(kpp::karman) * cube_root(T(kpp::c_s * kpp::karman * kpp::surface_layer));
    for (int d = 0; d < count_; ++d) {
      const V number = splat<V>(T(d));
      const auto in = number < layer.level;
      set<V>(share_, d, V{});
      if (!any(in)) continue;
      const auto at = [&](T depth, V& momentum, V& tracer, V& scale) {
        const auto w = scales_at(depth);
        const V s = depth / h;
        momentum = boundary_mixing(h, w.momentum, s, end.viscosity, end.viscosity_slope);
        tracer = boundary_mixing(h, w.tracer, s, end.diffusivity, end.diffusivity_slope);
        scale = w.tracer;
      };
      V viscosity, diffusivity, scale, open = splat<V>(T(1));
      at(bottom(d), viscosity, diffusivity, scale);
      const auto next = number + T(1) == layer.level;
      if (any(next)) {
        V middle_viscosity, middle_diffusivity, unused;
        at(depth(d), middle_viscosity, middle_diffusivity, unused);
        const V part = (h - depth(d)) / spaced(d), rest = T(1) - part;
        const auto enhanced = [&](V below, V middle, V end_of) {
          const V last = inside > V{} ? below : end_of;
          return V(rest * below + part * (rest * rest * middle + part * part * last));
        };
        viscosity = next ? enhanced(get<V>(viscosity_, d), middle_viscosity, viscosity) : viscosity;
        diffusivity =
            next ? enhanced(get<V>(diffusivity_, d), middle_diffusivity, diffusivity) : diffusivity;
        open = next ? V(T(1) - inside) : open;
      }
      set<V>(viscosity_, d, in ? viscosity : get<V>(viscosity_, d));
      set<V>(diffusivity_, d, in ? diffusivity : get<V>(diffusivity_, d));
      const V share = open * diffusivity * carried / (scale * h + T(1e-14));
      set<V>(share_, d, (in & (flux < V{})) ? share : V{});
    }
  }

  /// Convection below the boundary layer, nothing at the floor; results are stored.
  template <class V>
  void finish(const Layer<V>& layer, V last, int j, std::ptrdiff_t i) const {
    for (int d = std::max(count_ - 1, 0); d < levels_; ++d)
      for (const auto& f : {f_.center_viscosity, f_.vertical_diffusivity, f_.nonlocal_share})
        store<V>(f.row(k(d), j) + i, V{});
    for (int d = 0; d < count_ - 1; ++d) {
      const V number = splat<V>(T(d));
      const auto heavy = (stability<V>(d, j, i) < V{}) & (number >= layer.level);
      const auto open = number < last;
      const auto with = [&](const T* plane, T more) {
        const V found = get<V>(plane, d) + (heavy ? splat<V>(more) : V{});
        return open ? found : V{};
      };
      store<V>(f_.center_viscosity.row(k(d), j) + i, with(viscosity_, n_.convective_viscosity));
      store<V>(f_.vertical_diffusivity.row(k(d), j) + i,
               with(diffusivity_, n_.convective_diffusivity));
      store<V>(f_.nonlocal_share.row(k(d), j) + i, open ? get<V>(share_, d) : V{});
    }
    store<V>(f_.boundary_layer_depth.row(j) + i, layer.h);
  }

  KppFields<T> f_;
  KppNumbers<T> n_;
  int levels_;
  int count_ = 0;  ///< levels of the deepest of the columns, and as many more as are smoothed over
  std::vector<T> scratch_;
  T *shear_, *viscosity_, *diffusivity_, *share_;
};

inline constexpr Contract<16> ocean_kpp_contract{
    "ocean_kpp",
    {{{"stability", Access::read, Place::interface, "s-2", "depth", {}, Column::whole},
      {"surface_deficit", Access::read, Place::center, "m s-2", "depth", {}, Column::whole},
      {"old_u", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"old_v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      {"coriolis", Access::read, Place::corner, "s-1", {0, 1, 0, 1}},
      {"friction_velocity", Access::read, Place::center, "m s-1"},
      {"buoyancy_flux", Access::read, Place::center, "m2 s-3"},
      {"light_flux", Access::read, Place::center, "m2 s-3"},
      {"depths", Access::read, Place::none, "m", "depth"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"center_viscosity", Access::write, Place::interface, "m2 s-1", "depth", {}, Column::whole},
      {"vertical_diffusivity",
       Access::write,
       Place::interface,
       "m2 s-1",
       "depth",
       {},
       Column::whole},
      {"nonlocal_share", Access::write, Place::interface, "1", "depth", {}, Column::whole},
      {"boundary_layer_depth", Access::write, Place::center, "m"}}}};

/// Mixing of the columns of cells by KPP, at the lower interfaces of levels.
///
/// @param[in]  box                        cells to compute
/// @param[in]  stability                  square of the buoyancy frequency at lower interfaces
/// [s-2]
/// @param[in]  surface_deficit            buoyancy of water of the surface above that of a level [m
/// s-2]
/// @param[in]  old_u, old_v               velocity at corners [m s-1]
/// @param[in]  floor_level                the lowest wet level; as many as levels on land
/// @param[in]  coriolis                   parameter [s-1]
/// @param[in]  friction_velocity          at the surface [m s-1]
/// @param[in]  buoyancy_flux              downward through the surface, without light [m2 s-3]
/// @param[in]  light_flux                 buoyancy that light brings, wherever it is absorbed [m2
/// s-3]
/// @param[in]  depths, thickness, spacing of the centres of levels, of levels, between centres [m]
/// @param[out] center_viscosity, vertical_diffusivity  [m2 s-1]; 0 at the floor
/// @param[out] nonlocal_share             of the surface's flux of a tracer that passes [1]
/// @param[out] boundary_layer_depth       [m]
/// @param[in]  critical                   bulk Richardson number at its end [1]
/// @param[in]  smoothing                  passes over the Richardson number of the interior
/// @param[in]  limited                    by the depths of Ekman and of Monin and Obukhov
/// @param[in]  red                        part of light that goes as e^(-depth / short_length) [1]
/// @param[in]  short_length, long_length  of that part and of the rest [m]
template <class T>
void ocean_kpp(Box box, View3<const T> stability, View3<const T> surface_deficit,
               View3<const T> old_u, View3<const T> old_v, View2<const T> floor_level,
               View2<const T> coriolis, View2<const T> friction_velocity,
               View2<const T> buoyancy_flux, View2<const T> light_flux, View1<const T> depths,
               View1<const T> thickness, View1<const T> spacing, View3<T> center_viscosity,
               View3<T> vertical_diffusivity, View3<T> nonlocal_share,
               View2<T> boundary_layer_depth, double critical, double shear_viscosity,
               double shear_limit, double background, double prandtl, double nonlocal_strength,
               double convective_viscosity, double convective_diffusivity, int smoothing,
               bool limited, double red, double short_length, double long_length) {
  const KppFields<T> fields{stability,
                            surface_deficit,
                            old_u,
                            old_v,
                            floor_level,
                            coriolis,
                            friction_velocity,
                            buoyancy_flux,
                            light_flux,
                            depths,
                            thickness,
                            spacing,
                            center_viscosity,
                            vertical_diffusivity,
                            nonlocal_share,
                            boundary_layer_depth};
  const KppNumbers<T> numbers{static_cast<T>(critical),
                              static_cast<T>(shear_viscosity),
                              static_cast<T>(shear_limit),
                              static_cast<T>(background),
                              static_cast<T>(prandtl),
                              static_cast<T>(nonlocal_strength),
                              static_cast<T>(convective_viscosity),
                              static_cast<T>(convective_diffusivity),
                              smoothing,
                              limited,
                              static_cast<T>(red),
                              static_cast<T>(short_length),
                              static_cast<T>(long_length)};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return KppColumns<T>(fields, numbers); },
      [&](int j, KppColumns<T>& some) {
        over_row<T>(box.i0, box.i1,
                    [&]<class V>(Lane<V>, std::ptrdiff_t i) { some.template columns<V>(j, i); });
      });
}

}  // namespace halocline
