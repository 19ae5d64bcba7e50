#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/buoyancy.hpp"
#include "ocean/kpp_points.hpp"
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
  View3<const T> stability, old_u, old_v;
  BottomCells<T> bottom;
  View2<const T> coriolis, friction_velocity, buoyancy_flux, light_flux;
  View1<const T> depths, thickness, spacing;
  View3<T> center_viscosity, vertical_diffusivity, nonlocal_share;
  View2<T> boundary_layer_depth;
};

/// Columns of a row. Fields of all levels are read and written row by row, to and from planes of
/// scratch; between, packs of columns are worked out by themselves.
template <class T>
class KppColumns {
 public:
  KppColumns(const KppFields<T>& fields, const KppNumbers<T>& numbers,
             const DeficitOfRow<T>& deficit, int width)
      : f_(fields),
        n_(numbers),
        deficit_(deficit),
        levels_(static_cast<int>(fields.old_u.extent[0])),
        pitch_(width),
        scratch_(static_cast<std::size_t>(5 * levels_ + search_rows) * width) {
    T* next = scratch_.data();
    for (T** plane : {&stability_, &shear_, &viscosity_, &diffusivity_, &share_}) {
      *plane = next;
      next += static_cast<std::ptrdiff_t>(levels_) * width;
    }
    search_ = next;
  }

  /// Columns [i0, i1) of row j.
  void tile(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T* floor = f_.bottom.floor_level.row(j);
    deepest_ = levels_of(floor + i0, floor + i1);
    take(j, i0, i1);
    boundary(j, i0, i1);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      at_ = i - i0;
      columns<V>(j, i);
    });
    give(j, i0, i1);
  }

 private:
  /// Levels of the deepest of some columns, and as many more as are smoothed over.
  int levels_of(const T* floor, const T* end) const {
    const int lowest = static_cast<int>(*std::min_element(floor, end));
    return std::min(levels_ - lowest + n_.smoothing, levels_);
  }

  /// A pack of columns of row j.
  template <class V>
  void columns(int j, std::ptrdiff_t i) {
    const T* floor = f_.bottom.floor_level.row(j) + i;
    const V last = last_of<V>(j, i);
    count_ = levels_of(floor, floor + width_of<V>);
    if (!any(last > V{})) return finish<V>({splat<V>(depth(0)), last}, last, j, i);
    const V friction = load<V>(f_.friction_velocity.row(j) + i);
    const Buoyancy<V> forcing = forcing_of<V>(j, i);
    interior<V>(last);
    Layer<V> layer{get<V>(search_, depth_found), get<V>(search_, level_found)};
    if (n_.limited) limit<V>(layer, last, friction, taken(forcing, layer.h), turning<V>(j, i));
    const V flux = taken(forcing, layer.h);
    mix<V>(layer, friction, flux);
    finish<V>(layer, last, j, i);
  }

  /// Buoyancy through the surface: of what stays there, and of light [m2 s-3].
  template <class V>
  struct Buoyancy {
    V surface, light;
  };
  template <class V>
  Buoyancy<V> forcing_of(int j, std::ptrdiff_t i) const {
    return {load<V>(f_.buoyancy_flux.row(j) + i), load<V>(f_.light_flux.row(j) + i)};
  }
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

  /// Levels above the lowest one, 0 on land.
  template <class V>
  V last_of(int j, std::ptrdiff_t i) const {
    return maximum(V(splat<V>(T(levels_ - 1)) - load<V>(f_.bottom.floor_level.row(j) + i)), V{});
  }
  int k(int d) const { return levels_ - 1 - d; }
  T depth(int d) const { return f_.depths(k(d)); }
  T thick(int d) const { return f_.thickness(k(d)); }
  T spaced(int d) const { return f_.spacing(k(d)); }
  T bottom(int d) const { return depth(d) + T(0.5) * thick(d); }
  template <class V>
  V get(const T* plane, int d) const {
    return load<V>(plane + d * pitch_ + at_);
  }
  template <class V>
  void set(T* plane, int d, V value) const {
    store<V>(plane + d * pitch_ + at_, value);
  }

  /// Velocities of one level at the corners south (0) and north (1) of a row of cells.
  struct CornerRows {
    const T *u[2], *v[2];
  };
  CornerRows corners(int d, int j) const {
    const int level = k(d);
    return {{f_.old_u.row(level, j), f_.old_u.row(level, j + 1)},
            {f_.old_v.row(level, j), f_.old_v.row(level, j + 1)}};
  }

  /// Square of the difference of velocity between two levels at corner i [m2 s-2].
  template <class V>
  static INLINE V apart(const CornerRows& a, const CornerRows& b, int row, std::ptrdiff_t i) {
    const V u = load<V>(a.u[row] + i) - load<V>(b.u[row] + i);
    const V v = load<V>(a.v[row] + i) - load<V>(b.v[row] + i);
    return u * u + v * v;
  }

  /// Buoyancy frequency squared between levels d and d + 1 [s-2], the Richardson number there, and
  /// the largest shear to the surface.
  FLAT void take(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) const {
    const T* floor = f_.bottom.floor_level.row(j);
    const CornerRows surface = corners(0, j);
    for (int d = 0; d < deepest_; ++d) {
      const T* stability = f_.stability.row(k(d), j);
      const std::ptrdiff_t shift = d * pitch_ - i0;
      const T* before = viscosity_ + shift - (d > 0 ? pitch_ : 0);
      T *kept = stability_ + shift, *numbers = viscosity_ + shift, *shears = shear_ + shift;
      const CornerRows here = corners(d, j), lower = corners(std::min(d + 1, levels_ - 1), j);
      const bool lowest = d == levels_ - 1;
      const RowShares<T> cells = f_.bottom.row(lowest ? k(d) : k(d + 1), j);
      const T whole = lowest ? T(0) : spaced(d), under = lowest ? T(0) : thick(d + 1);
      const Ahead ahead({next_row(f_.stability, k(d), j + 1), next_row(f_.old_u, k(d), j + 2),
                         next_row(f_.old_v, k(d), j + 2),
                         next_row(f_.center_viscosity, k(d), j + 1),
                         next_row(f_.vertical_diffusivity, k(d), j + 1),
                         next_row(f_.nonlocal_share, k(d), j + 1)});
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        V number = d > 0 ? load<V>(before + i) : V{};
        const V wet = splat<V>(T(levels_)) - load<V>(floor + i), below = load<V>(stability + i);
        if (!any(splat<V>(T(d)) < wet)) return store<V>(numbers + i, number);
        if (!lowest) {
          const V shear =
              T(0.25) * ((apart<V>(here, lower, 0, i) + apart<V>(here, lower, 0, i + 1)) +
                         (apart<V>(here, lower, 1, i) + apart<V>(here, lower, 1, i + 1)));
          const V apart_by = whole - cells.template raised<V>(i, under);
          const V found = apart_by * apart_by * below / (shear + least_shear<T>);
          number = splat<V>(T(d + 1)) < wet ? found : number;
        }
        const V south = maximum(apart<V>(surface, here, 0, i), apart<V>(surface, here, 0, i + 1));
        const V north = maximum(apart<V>(surface, here, 1, i), apart<V>(surface, here, 1, i + 1));
        store<V>(kept + i, below);
        store<V>(numbers + i, number);
        store<V>(shears + i, maximum(south, north));
      });
    }
  }

  /// Mixing by shear and waves, from the Richardson number that `viscosity_` holds.
  template <class V>
  void interior(V last) const {
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

  /// Rows of `search_`: the depth and the level found, 1 of columns that search, the bulk
  /// Richardson number of the last level and its change with depth, and `DeficitOfRow`.
  enum Search { depth_found, level_found, searching, bulk_number, slope, deficit, search_rows };

  /// The shallowest depth where the bulk Richardson number is critical (LMD, equations 21 and 23).
  void boundary(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      at_ = i - i0;
      const V last = last_of<V>(j, i), one = splat<V>(T(1));
      set<V>(search_, depth_found, splat<V>(depth(0)));
      set<V>(search_, level_found, last);
      set<V>(search_, searching, last > V{} ? one : V{});
      set<V>(search_, bulk_number, V{});
      set<V>(search_, slope, V{});
    });
    bool some = true;
    for (int d = 1; d < deepest_ && some; ++d) {
      some = false;
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        at_ = i - i0;
        if (!any(get<V>(search_, searching) > V{})) return;
        some = true;
        deficit_(k(d), j, i, i + width_of<V>, search_ + deficit * pitch_ - i0);
        seek<V>(d, j, i);
      });
    }
  }

  /// Whether the layer ends between levels d - 1 and d.
  template <class V>
  void seek(int d, int j, std::ptrdiff_t i) const {
    const T unresolved = square_root(T(0.2 / (kpp::c_s * kpp::surface_layer))) /
                         (n_.critical * T(kpp::karman * kpp::karman));
    const T here = depth(d), above = depth(d - 1);
    const V last = last_of<V>(j, i), friction = load<V>(f_.friction_velocity.row(j) + i);
    const V flux = taken(forcing_of<V>(j, i), splat<V>(here));
    const V scale = turbulent_scales(splat<V>(T(kpp::surface_layer) * here), friction, flux).tracer;
    const V above_floor = splat<V>(T(d)) < last ? get<V>(stability_, d) : V{};
    const V n = square_root(maximum(above_floor, V{}));
    const V turbulence =
        here * scale * n * (unresolved * maximum(V(T(2.1) - T(200) * n), splat<V>(T(1.7))));
    const V found = (here - depth(0)) * get<V>(search_, deficit) /
                    (get<V>(shear_, d) + turbulence + least_shear<T>);
    const V number = get<V>(search_, bulk_number);
    const V in = parabola_passes(number, get<V>(search_, slope), found, here - above, n_.critical);
    const auto seeks = get<V>(search_, searching) > V{};
    const auto reached = seeks & (found > n_.critical);
    const V ended = reached ? V(above + in) : splat<V>(here);
    set<V>(search_, depth_found, seeks ? ended : get<V>(search_, depth_found));
    set<V>(search_, level_found, reached ? splat<V>(T(d)) : get<V>(search_, level_found));
    const V still = last > splat<V>(T(d)) ? get<V>(search_, searching) : V{};
    set<V>(search_, searching, reached ? V{} : still);
    set<V>(search_, slope, (found - number) / (here - above));
    set<V>(search_, bulk_number, found);
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

  /// Convection below the boundary layer, nothing at the floor.
  template <class V>
  void finish(const Layer<V>& layer, V last, int j, std::ptrdiff_t i) const {
    for (int d = std::max(count_ - 1, 0); d < deepest_; ++d)
      for (T* plane : {viscosity_, diffusivity_, share_}) set<V>(plane, d, V{});
    for (int d = 0; d < count_ - 1; ++d) {
      const V number = splat<V>(T(d));
      const auto heavy = (get<V>(stability_, d) < V{}) & (number >= layer.level);
      const auto open = number < last;
      const auto with = [&](T* plane, T more) {
        const V found = get<V>(plane, d) + (heavy ? splat<V>(more) : V{});
        set<V>(plane, d, open ? found : V{});
      };
      with(viscosity_, n_.convective_viscosity);
      with(diffusivity_, n_.convective_diffusivity);
      set<V>(share_, d, open ? get<V>(share_, d) : V{});
    }
    store<V>(f_.boundary_layer_depth.row(j) + i, layer.h);
  }

  /// Store the results.
  void give(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) const {
    const auto put = [&](const View3<T>& to, const T* plane) {
      for (int d = 0; d < levels_; ++d) {
        T* row = to.row(k(d), j) + i0;
        if (d < deepest_) {
          std::copy_n(plane + d * pitch_, i1 - i0, row);
        } else {
          std::fill_n(row, i1 - i0, T(0));
        }
      }
    };
    put(f_.center_viscosity, viscosity_);
    put(f_.vertical_diffusivity, diffusivity_);
    put(f_.nonlocal_share, share_);
  }

  KppFields<T> f_;
  KppNumbers<T> n_;
  const DeficitOfRow<T>& deficit_;
  int levels_;
  int deepest_ = 0, count_ = 0;  ///< levels of the tile, and of the pack
  std::ptrdiff_t pitch_, at_ = 0;
  std::vector<T> scratch_;
  T *stability_, *shear_, *viscosity_, *diffusivity_, *share_, *search_;
};

inline constexpr Contract<17> ocean_kpp_contract{
    "ocean_kpp",
    {{{"stability", Access::read, Place::interface, "s-2", "depth", {}, Column::whole},
      {"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"old_u", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"old_v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
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
/// @param[in]  tracer                     temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  old_u, old_v               velocity at corners [m s-1]
/// @param[in]  floor_level                the lowest wet level; as many as levels on land
/// @param[in]  bottom_share               of its level that the cell there has [1]
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
/// @param[in]  gravity                    [m s-2]
/// @param[in]  numbers                    of the equation of state
/// @param[in]  width                      most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_kpp(Box box, View3<const T> stability, View4<const T> tracer, View3<const T> old_u,
               View3<const T> old_v, View2<const T> floor_level, View2<const T> bottom_share,
               View2<const T> coriolis, View2<const T> friction_velocity,
               View2<const T> buoyancy_flux, View2<const T> light_flux, View1<const T> depths,
               View1<const T> thickness, View1<const T> spacing, View3<T> center_viscosity,
               View3<T> vertical_diffusivity, View3<T> nonlocal_share,
               View2<T> boundary_layer_depth, double critical, double shear_viscosity,
               double shear_limit, double background, double prandtl, double nonlocal_strength,
               double convective_viscosity, double convective_diffusivity, int smoothing,
               bool limited, double red, double short_length, double long_length, double gravity,
               DensityNumbers numbers, int width) {
  const KppFields<T> fields{stability,
                            old_u,
                            old_v,
                            BottomCells<T>{floor_level, bottom_share},
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
  const KppNumbers<T> some{static_cast<T>(critical),
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
  const DeficitOfRow<T> deficit = deficit_of_row<T>(tracer, depths, gravity, numbers);
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return KppColumns<T>(fields, some, deficit, width); },
      [&](int j, KppColumns<T>& columns) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += width)
          columns.tile(j, i0, std::min<std::ptrdiff_t>(i0 + width, box.i1));
      });
}

}  // namespace halocline
