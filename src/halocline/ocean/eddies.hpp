#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/stability.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What eddies do to tracers: mixing along surfaces of density (Redi), and the flattening of these
/// surfaces (Gent and McWilliams), both as fluxes of one tensor (Griffies 1998, J. Phys. Oceanogr.
/// 28, 831, the skew flux; Griffies et al. 1998, the same 28, 805, triads).
///
/// A triad is a cell, its neighbour beside it, and the one above or below it. In steps of the grid
/// the slope of the surface of density through the cell is
///
///   s = - d_x rho / d_z rho,   d rho = - a dT + b dS with a and b of the cell,
///
/// With w = 1/4 thickness (width / length of the side), K for mixing along surfaces, G for their
/// flattening, and the taper f, a triad carries of any tracer c
///
///   beside   - w (K d_x c + (K - G) f s d_z c),   upward   - w ((K + G) f s d_x c + K f s^2 d_z
///   c),
///
/// whose last term is left to implicit vertical diffusion. There are no triads into the floor,
/// the surface or land; where water overturns s = 0. The sum of c^2 loses
/// 2 w K ((d_x c)^2 + 2 f s d_x c d_z c + f s^2 (d_z c)^2) >= 0 with every triad, as 0 <= f <= 1.
///
/// The upper and the lower half of a cell have four triads each and one taper, that of the true
/// slope S: S^2 is the mean square of the two slopes along x, and of those along y, added; closed
/// sides count as level. So f s of a triad is f / (- d_z rho) of its half times d_x rho of its
/// side, and a half asks for d_z c, a cell for the sum of w d_x rho d_x c once.
namespace halocline {

/// K, K - G and K + G [m2 s-1], the slope where tapers begin and how soon they end [1], and which
/// one it is.
template <class T>
struct EddyNumbers {
  T along, skew, both, largest, width;
  bool smooth;
};

/// Of the upper and the lower half of a cell.
template <class V>
struct Halves {
  V above, below;
};

/// 1 / x of both with one division; their product must be a number.
template <class V>
HD INLINE Halves<V> reciprocals(const Halves<V>& x) {
  const V both = scalar_of<V>(1) / (x.above * x.below);
  return {x.below * both, x.above * both};
}

/// f / (- d_z rho) and f / (d_z rho)^2, 0 where water overturns.
template <class V>
struct Lean {
  Halves<V> once, twice;
};

/// Steps of density that are round-off of none [kg m-3].
template <class T>
inline constexpr T least_step = T(1e-15);

/// Beyond the largest slope m the taper f of the slope S is (m / S)^2 (Gerdes, Koeberle and
/// Willebrand 1991, Climate Dyn. 5, 211), or `smooth`, and then everywhere,
/// (1 + tanh((m - S) / width)) / 2 (Danabasoglu and McWilliams 1995, J. Climate 8, 2967), which
/// counts as 0 below 1e-17.
///
/// @param[in] down      - d_z rho, positive in steady water [kg m-3]
/// @param[in] gradient  of density along the horizontal [kg m-4]
/// @param[in] distance  along the vertical [m]
template <class V>
HD INLINE Lean<V> lean_of(const Halves<V>& down, V gradient, const Halves<scalar_of<V>>& distance,
                          const EddyNumbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1)), end = splat<V>(T(39));
  const auto steady = [&](V step) { return step > splat<V>(least_step<T>); };
  const Halves<V> per = reciprocals<V>({steady(down.above) ? down.above : one,  //
                                        steady(down.below) ? down.below : one});
  const auto beyond = [&](V per, T distance) {
    const V slope = gradient * distance * per;
    return n.smooth ? V((slope - n.largest) * (T(2) / n.width)) : V(slope * (T(1) / n.largest));
  };
  const Halves<V> far{beyond(per.above, distance.above), beyond(per.below, distance.below)};
  const auto divisor = [&](V far) {
    return n.smooth ? V(one + exp_moderate(minimum(maximum(far, V(-end)), end)))
                    : maximum(far, one);
  };
  const Halves<V> part = reciprocals<V>({divisor(far.above), divisor(far.below)});
  const V limit = n.smooth ? end : splat<V>(std::numeric_limits<T>::max());
  const auto tapered = [&](V step, V per, V far, V part) {
    const V whole = per * (n.smooth ? part : V(part * part));
    return steady(step) & (far < limit) ? whole : V{};
  };
  const V above = tapered(down.above, per.above, far.above, part.above);
  const V below = tapered(down.below, per.below, far.below, part.below);
  return {{above, below}, {above * per.above, below * per.below}};
}

template <class T>
struct EddyFields {
  View4<const T> tracer;
  View2<const T> floor_level, area, x_ratio, y_ratio, per_x_length, per_y_length;
  View1<const T> thickness, spacing;
  View4<T> eddy_convergence;
  View3<T> vertical_diffusivity;
};

/// Rows [j0, j1) of columns [i0, i1): level after level from the floor on, rows from the south.
template <class T>
class EddyTile {
 public:
  EddyTile(const EddyFields<T>& fields, const EddyNumbers<T>& numbers,
           const ExpansionOfRow<T>& expansion, int rows, std::ptrdiff_t columns)
      : f_(fields),
        n_(numbers),
        expansion_(expansion),
        levels_(static_cast<int>(fields.tracer.extent[1])),
        tracers_(static_cast<int>(fields.tracer.extent[0])),
        rows_(rows),
        pitch_(columns + 34),
        scratch_(static_cast<std::size_t>(pitch_) *
                 (2 * row_count() + 2 + tracers_ + rows * plane_count())) {}

  void go(int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    j0_ = j0, j1_ = j1, i0_ = i0, i1_ = i1;
    int lowest = levels_;
    for (int j = j0; j < j1; ++j) {
      const T *floor = f_.floor_level.row(j), *area = f_.area.row(j);
      lowest = std::min(lowest, static_cast<int>(*std::min_element(floor + i0, floor + i1)));
      T* per_area = of_plane(0, j);
      for (std::ptrdiff_t i = i0; i < i1; ++i) per_area[i] = T(1) / area[i];
      for (int carry = 1; carry < plane_count(); ++carry)
        std::fill_n(of_plane(carry, j) + i0, i1 - i0, T(0));
    }
    for (int k = 0; k < levels_; ++k) k < lowest ? dry(k) : level(k);
  }

 private:
  /// Rows of scratch for two rows of cells: w d_x rho of sides, f / (- d_z rho) of halves, sums of
  /// w f s^2, K w of western and southern sides; behind them of every tracer f d_z c / (- d_z rho).
  enum Row { east, west, north, south, above, below, squares_above, squares_below, beside, before };
  static constexpr int first_rise = before + 1;
  int row_count() const { return first_rise + tracers_; }
  /// Planes of scratch: 1 / area, and what interfaces got from below: sums of w f s^2, and tracers.
  int plane_count() const { return 2 + tracers_; }

  T* row(std::ptrdiff_t number) { return scratch_.data() + number * pitch_ + 17 - i0_; }
  T* of_cells(int which, int j) { return row((j & 1) * row_count() + which); }
  T* of_level(int which) { return row(2 * row_count() + which); }
  T* of_plane(int which, int j) {
    return row(2 * row_count() + 2 + tracers_ + which * rows_ + j - j0_);
  }

  void dry(int k) {
    for (int t = 0; t < tracers_; ++t)
      for (int j = j0_; j < j1_; ++j)
        std::fill_n(f_.eddy_convergence.row(t, k, j) + i0_, i1_ - i0_, T(0));
  }

  void level(int k) {
    for (int j = j0_ - 1; j <= j1_; ++j) {
      slopes(k, j);
      for (int t = 0; t < tracers_; ++t) rise(t, k, j);
      if (j > j0_) steepen(k, j - 1);
      for (int t = 0; t < tracers_ && j >= j0_; ++t)
        j == j0_ ? from_south(t, k) : converge(t, k, j - 1);
    }
  }

  struct Water {
    const T *temperature, *salinity;
  };
  Water water(int k, int j) const { return {f_.tracer.row(0, k, j), f_.tracer.row(1, k, j)}; }
  int over(int k) const { return std::min(k + 1, levels_ - 1); }
  int under(int k) const { return std::max(k - 1, 0); }

  /// All rows of scratch of row j but those of tracers.
  void slopes(int k, int j) {
    const Water here = water(k, j), upper = water(over(k), j), lower = water(under(k), j),
                southern = water(k, j - 1), northern = water(k, j + 1);
    const T *floor = f_.floor_level.row(j), *floor_south = f_.floor_level.row(j - 1),
            *floor_north = f_.floor_level.row(j + 1);
    T *expansion = of_level(0), *contraction = of_level(1);
    expansion_(k, j, i0_ - 1, i1_ + 1, floor, expansion, contraction);
    const bool highest = k == levels_ - 1;
    const Halves<T> distance{highest ? T(0) : f_.spacing(k + 1), f_.spacing(k)};
    const T dz = f_.thickness(k);
    T* to[first_rise];
    for (int which = 0; which < first_rise; ++which) to[which] = of_cells(which, j);
    over_row<T>(i0_ - 1, i1_ + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k)), bottom = load<V>(floor + i), none{};
      const auto wet = bottom <= level;
      if (!any(wet)) {
        for (T* row : to) store<V>(row + i, none);
        return;
      }
      const V a = load<V>(expansion + i), b = load<V>(contraction + i);
      const V t = load<V>(here.temperature + i), s = load<V>(here.salinity + i);
      const auto heavier = [&](const Water& other, int shift) {
        return V(b * (load<V>(other.salinity + i + shift) - s) -
                 a * (load<V>(other.temperature + i + shift) - t));
      };
      V squares = none, weighted_squares = none;
      const auto side = [&](Row which, V step, V floor, const T* ratio, const T* per_length) {
        const V ratio_here = load<V>(ratio + i);
        const V across = wet & (floor <= level) & (ratio_here > none) ? step : none;
        const V weighted = (T(0.25) * dz) * ratio_here * across;
        const V gradient = load<V>(per_length + i) * across;
        squares += gradient * gradient;
        weighted_squares += weighted * across;
        store<V>(to[which] + i, weighted);
      };
      const T *x = f_.x_ratio.row(j), *per_x = f_.per_x_length.row(j);
      const V floors[4] = {load<V>(floor + i - 1), load<V>(floor + i + 1), load<V>(floor_south + i),
                           load<V>(floor_north + i)};
      side(west, -heavier(here, -1), floors[0], x, per_x);
      side(east, heavier(here, 1), floors[1], x + 1, per_x + 1);
      side(south, -heavier(southern, 0), floors[2], f_.y_ratio.row(j), f_.per_y_length.row(j));
      side(north, heavier(northern, 0), floors[3], f_.y_ratio.row(j + 1),
           f_.per_y_length.row(j + 1));
      const auto standing = bottom < level;
      const Halves<V> down{highest ? none : V(-heavier(upper, 0)),
                           standing ? heavier(lower, 0) : none};
      const V gradient = square_root(V(T(0.5) * squares));
      const Lean<V> lean = lean_of(down, gradient, distance, n_);
      store<V>(to[above] + i, lean.once.above);
      store<V>(to[below] + i, lean.once.below);
      store<V>(to[squares_above] + i, weighted_squares * lean.twice.above);
      store<V>(to[squares_below] + i, weighted_squares * lean.twice.below);
      const auto conductance = [&](V floor, const T* ratio) {  // of the triads that there are
        const V quarter = splat<V>(T(0.25)), upper = splat<V>(highest ? T(0) : T(0.5));
        const V share = upper + ((standing ? quarter : none) + (floor < level ? quarter : none));
        return wet & (floor <= level) ? V((n_.along * dz) * share * load<V>(ratio + i)) : none;
      };
      store<V>(to[beside] + i, conductance(floors[0], x));
      store<V>(to[before] + i, conductance(floors[2], f_.y_ratio.row(j)));
    });
  }

  /// What slopes of halves make of the differences of tracer t along the vertical.
  void rise(int t, int k, int j) {
    const T *here = f_.tracer.row(t, k, j), *upper = f_.tracer.row(t, over(k), j),
            *lower = f_.tracer.row(t, under(k), j);
    const T *half_above = of_cells(above, j), *half_below = of_cells(below, j);
    T* to = of_cells(first_rise + t, j);
    over_row<T>(i0_ - 1, i1_ + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V c = load<V>(here + i);
      store<V>(to + i, load<V>(half_above + i) * (load<V>(upper + i) - c) +
                           load<V>(half_below + i) * (c - load<V>(lower + i)));
    });
  }

  /// Add to the diffusivity of the interface below level k.
  void steepen(int k, int j) {
    const T *from_above = of_cells(squares_below, j), *next = of_cells(squares_above, j);
    const T *per_area = of_plane(0, j), *floor = f_.floor_level.row(j);
    T *carry = of_plane(1, j), *to = f_.vertical_diffusivity.row(k, j);
    const T factor = n_.along * f_.spacing(k);
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      if (!any(load<V>(floor + i) <= splat<V>(static_cast<T>(k)))) return;
      const V squares = load<V>(carry + i) + load<V>(from_above + i);
      store<V>(carry + i, load<V>(next + i));
      store<V>(to + i, load<V>(to + i) + factor * squares * load<V>(per_area + i));
    });
  }

  /// What crosses a side forward, over which a tracer grows by `step`: w d_x rho of both cells
  /// times what rises in them.
  template <class V>
  V crossing(V step, V conductance, V one, V other) const {
    return -(conductance * step + n_.skew * (one + other));
  }

  /// What crosses southern sides of the first row.
  void from_south(int t, int k) {
    const T *here = f_.tracer.row(t, k, j0_), *southern = f_.tracer.row(t, k, j0_ - 1);
    const T *to_north = of_cells(north, j0_ - 1), *rise_south = of_cells(first_rise + t, j0_ - 1);
    const T *to_south = of_cells(south, j0_), *rise_here = of_cells(first_rise + t, j0_);
    const T* conductance = of_cells(before, j0_);
    T* to = of_level(2 + t);
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto get = [&](const T* row) { return load<V>(row + i); };
      store<V>(to + i,
               crossing(V(get(here) - get(southern)), get(conductance),
                        V(get(to_north) * get(rise_south)), V(get(to_south) * get(rise_here))));
    });
  }

  /// What converges in cells of level k, but for what level k + 1 sends down.
  void converge(int t, int k, int j) {
    const T *here = f_.tracer.row(t, k, j), *southern = f_.tracer.row(t, k, j - 1),
            *northern = f_.tracer.row(t, k, j + 1), *floor = f_.floor_level.row(j);
    const T* of[first_rise];
    for (int which = 0; which < first_rise; ++which) of[which] = of_cells(which, j);
    const T *rise_here = of_cells(first_rise + t, j), *rise_north = of_cells(first_rise + t, j + 1);
    const T *from_north = of_cells(south, j + 1), *conductance = of_cells(before, j + 1);
    const T* per_area = of_plane(0, j);
    T *carry = of_plane(2 + t, j), *passed = of_level(2 + t);
    T *to = f_.eddy_convergence.row(t, k, j), *lower = f_.eddy_convergence.row(t, under(k), j);
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
      if (!any(wet)) {
        store<V>(carry + i, V{});
        store<V>(passed + i, V{});
        return store<V>(to + i, V{});
      }
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const V c = get(here), to_west = c - get(here, -1), to_east = get(here, 1) - c;
      const V to_south = c - get(southern), to_north = get(northern) - c;
      const auto rising = [&](Row which, int shift) {
        return V(get(of[which], shift) * get(rise_here, shift));
      };
      const V from_west = crossing(to_west, get(of[beside]), rising(east, -1), rising(west, 0));
      const V out_east = crossing(to_east, get(of[beside], 1), rising(east, 0), rising(west, 1));
      const V out_north = crossing(to_north, get(conductance), rising(north, 0),
                                   V(get(from_north) * get(rise_north)));
      const V tilted = -n_.both * ((get(of[east]) * to_east + get(of[west]) * to_west) +
                                   (get(of[north]) * to_north + get(of[south]) * to_south));
      const V through_floor = get(of[below]) * tilted, through_roof = get(of[above]) * tilted;
      const V sides = (from_west - out_east) + (get(passed) - out_north);
      const V gained = (sides + (get(carry) + through_floor)) - through_roof;
      store<V>(passed + i, out_north);
      store<V>(carry + i, through_roof);
      if (k > 0) store<V>(lower + i, get(lower) - get(per_area) * through_floor);
      store<V>(to + i, wet ? V(get(per_area) * gained) : V{});
    });
  }

  EddyFields<T> f_;
  EddyNumbers<T> n_;
  const ExpansionOfRow<T>& expansion_;
  int levels_, tracers_, rows_;
  std::ptrdiff_t pitch_;
  std::vector<T> scratch_;
  int j0_ = 0, j1_ = 0;
  std::ptrdiff_t i0_ = 0, i1_ = 0;
};

inline constexpr Reach two_around{-2, 2, -2, 2};
inline constexpr Reach of_x_sides{-1, 2, -1, 1}, of_y_sides{-1, 1, -1, 2};

inline constexpr Contract<12> ocean_eddies_contract{
    "ocean_eddies",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", two_around, Column::whole},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"floor_level", Access::read, Place::center, "1", two_around},
      {"area", Access::read, Place::center, "m2"},
      {"x_ratio", Access::read, Place::x_face, "1", of_x_sides},
      {"y_ratio", Access::read, Place::y_face, "1", of_y_sides},
      {"per_x_length", Access::read, Place::x_face, "m-1", of_x_sides},
      {"per_y_length", Access::read, Place::y_face, "m-1", of_y_sides},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"eddy_convergence", Access::write, Place::center, "any", "tracer depth", {}, Column::whole},
      {"vertical_diffusivity",
       Access::update,
       Place::interface,
       "m2 s-1",
       "depth",
       {},
       Column::whole}}}};

/// What eddies bring into cells, and what of it implicit vertical diffusion has to do.
///
/// @param[in]     box                         cells to compute
/// @param[in]     tracer                      0 temperature, 1 salinity, and others, (tracer, k, j,
/// i)
/// @param[in]     depth                       of the centres of levels [m]
/// @param[in]     floor_level                 the lowest wet level; as many as levels on land
/// @param[in]     area                        of cells [m2]
/// @param[in]     x_ratio, y_ratio            width of a side over distance of centres, 0 where
/// closed
/// @param[in]     per_x_length, per_y_length  1 over the distance of centres [m-1]
/// @param[in]     thickness, spacing          of levels, and between their centres [m]
/// @param[out]    eddy_convergence            [m s-1 times units of the tracer]
/// @param[in,out] vertical_diffusivity        at lower interfaces [m2 s-1]
/// @param[in]     along       diffusivity along surfaces of density [m2 s-1]
/// @param[in]     flattening  diffusivity of the flattening of these surfaces [m2 s-1]
/// @param[in]     largest     slope beyond which both are less [1]
/// @param[in]     width       of slopes over which they vanish, of the smooth taper [1]
/// @param[in]     smooth      whether the taper is that of a hyperbolic tangent
/// @param[in]     tile        most columns per tile [1]; any value gives the same bits
/// @param[in]     numbers     of the equation of state
template <class T>
void ocean_eddies(Box box, View4<const T> tracer, View1<const T> depth, View2<const T> floor_level,
                  View2<const T> area, View2<const T> x_ratio, View2<const T> y_ratio,
                  View2<const T> per_x_length, View2<const T> per_y_length,
                  View1<const T> thickness, View1<const T> spacing, View4<T> eddy_convergence,
                  View3<T> vertical_diffusivity, double along, double flattening, double largest,
                  double width, bool smooth, int tile, DensityNumbers numbers) {
  const EddyFields<T> fields{tracer,
                             floor_level,
                             area,
                             x_ratio,
                             y_ratio,
                             per_x_length,
                             per_y_length,
                             thickness,
                             spacing,
                             eddy_convergence,
                             vertical_diffusivity};
  const EddyNumbers<T> some{static_cast<T>(along),
                            static_cast<T>(along - flattening),
                            static_cast<T>(along + flattening),
                            static_cast<T>(largest),
                            static_cast<T>(width),
                            smooth};
  const ExpansionOfRow<T> expansion = expansion_of_row<T>(tracer, depth, numbers);
  constexpr int strip = 32;
  for_each_in_with(
      box.j0, box.j1, strip, [&] { return EddyTile<T>(fields, some, expansion, strip, tile); },
      [&](int j0, EddyTile<T>& cells) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += tile)
          cells.go(j0, std::min(j0 + strip, box.j1), i0,
                   std::min<std::ptrdiff_t>(i0 + tile, box.i1));
      });
}

}  // namespace halocline
