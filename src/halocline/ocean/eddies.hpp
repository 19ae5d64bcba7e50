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
///
/// Beside thin cells at the floor d_x is that of `CellPair`, at one depth, and the thickness in w
/// the one that both cells have. Of what crosses such a side, the share by which the deeper cell is
/// compared on its way up comes from, or goes to, the cell above it: the adjoint of d_x, so that
/// sums of c^2 lose what is said above.
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
HD INLINE Lean<V> lean_of(const Halves<V>& down, V gradient, const Halves<V>& distance,
                          const EddyNumbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1)), end = splat<V>(T(39));
  const auto steady = [&](V step) { return step > splat<V>(least_step<T>); };
  const Halves<V> per = reciprocals<V>({steady(down.above) ? down.above : one,  //
                                        steady(down.below) ? down.below : one});
  const auto beyond = [&](V per, V distance) {
    const V slope = gradient * distance * per;
    return n.smooth ? V((slope - n.largest) * (T(2) / n.width)) : V(slope * (T(1) / n.largest));
  };
  const Halves<V> far{beyond(per.above, distance.above), beyond(per.below, distance.below)};
  const auto divisor = [&](V far) {
    return n.smooth ? V(one + exp_moderate(minimum(maximum(far, V(-end)), end)))
                    : maximum(far, one);
  };
  const Halves<V> part = reciprocals<V>({divisor(far.above), divisor(far.below)});
  // No `&` of masks that are used elsewhere: GCC 12 takes their lanes apart, one after the other.
  const V limit = n.smooth ? end : splat<V>(std::numeric_limits<T>::max());
  const auto tapered = [&](V step, V per, V far, V part) {
    const V whole = per * (n.smooth ? part : V(part * part));
    const V slope = steady(step) ? far : limit;
    return slope < limit ? whole : V{};
  };
  const V above = tapered(down.above, per.above, far.above, part.above);
  const V below = tapered(down.below, per.below, far.below, part.below);
  return {{above, below}, {above * per.above, below * per.below}};
}

template <class T>
struct EddyFields {
  View4<const T> tracer;
  BottomCells<T> bottom;
  View2<const T> area, x_ratio, y_ratio, per_x_length, per_y_length;
  View1<const T> thickness, spacing;
  View4<T> mixing_convergence;
  View3<T> vertical_diffusivity;
};

/// Rows [j0, j1) of columns [i0, i1): level after level from the floor on, rows from the south.
template <class T, bool Whole>
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
    begin(j0, j1, i0, i1);
    int lowest = levels_;
    for (int j = j0; j < j1; ++j) {
      const T *floor = floor_of(j), *area = f_.area.row(j);
      lowest = std::min(lowest, static_cast<int>(*std::min_element(floor + i0, floor + i1)));
      T* per_area = of_plane(0, j);
      for (std::ptrdiff_t i = i0; i < i1; ++i) per_area[i] = T(1) / area[i];
      for (int carry = 1; carry < plane_count(); ++carry)
        std::fill_n(of_plane(carry, j) + i0, i1 - i0, T(0));
    }
    for (int k = 0; k < levels_; ++k) k < lowest ? dry(k) : level(k);
  }

 protected:
  void begin(int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    j0_ = j0, j1_ = j1, i0_ = i0, i1_ = i1;
  }

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
        std::fill_n(f_.mixing_convergence.row(t, k, j) + i0_, i1_ - i0_, T(0));
  }

  void level(int k) {
    for (int j = j0_ - 1; j <= j1_; ++j) {
      slopes(k, j, i0_ - 1, i1_ + 1);
      for (int t = 0; t < tracers_; ++t) rise(t, k, j);
      if (j > j0_) steepen(k, j - 1);
      for (int t = 0; t < tracers_ && j >= j0_; ++t)
        j == j0_ ? from_south(t, k) : converge(t, k, j - 1);
    }
  }

  using Shares = RowShares<T, Whole>;
  Shares cells(int k, int j) const { return f_.bottom.template row<Whole>(k, j); }
  const T* floor_of(int j) const { return f_.bottom.floor_level.row(j); }
  int over(int k) const { return std::min(k + 1, levels_ - 1); }
  int under(int k) const { return std::max(k - 1, 0); }
  RowAndAbove<T> values(int t, int k, int j) const {
    return {f_.tracer.row(t, k, j), f_.tracer.row(t, over(k), j)};
  }
  struct Water {
    RowAndAbove<T> temperature, salinity;
  };
  Water water(int k, int j) const { return {values(0, k, j), values(1, k, j)}; }

  /// A cell of level k, and the one to its east or north.
  template <class V>
  CellPair<V> pair(int k, const Shares& one, std::ptrdiff_t i, const Shares& other,
                   std::ptrdiff_t beside) const {
    return pair_of<V>(one, i, other, beside, f_.thickness(k), f_.spacing(over(k)));
  }

  /// All rows of scratch of row j but those of tracers, columns [first, last).
  FLAT void slopes(int k, int j, std::ptrdiff_t first, std::ptrdiff_t last) {
    const Water here = water(k, j), lower = water(under(k), j), southern = water(k, j - 1),
                northern = water(k, j + 1);
    const Shares own = cells(k, j), own_lower = cells(k - 1, j);
    const Shares own_south = cells(k, j - 1), own_north = cells(k, j + 1);
    const T *floor = floor_of(j), *floor_south = floor_of(j - 1), *floor_north = floor_of(j + 1);
    T *expansion = of_level(0), *contraction = of_level(1);
    expansion_(k, j, first, last, floor, expansion, contraction);
    const bool highest = k == levels_ - 1;
    const T dz = f_.thickness(k), dz_lower = f_.thickness(under(k));
    T* to[first_rise];
    for (int which = 0; which < first_rise; ++which) to[which] = of_cells(which, j);
    over_row_again<T>(first, last, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k)), bottom = load<V>(floor + i), none{};
      const auto wet = bottom <= level;
      if (!any(wet)) {
        for (T* row : to) store<V>(row + i, none);
        return;
      }
      const V a = load<V>(expansion + i), b = load<V>(contraction + i);
      const V t = load<V>(here.temperature.here + i), s = load<V>(here.salinity.here + i);
      const auto heavier = [&](const T* temperature, const T* salinity) {
        return V(b * (load<V>(salinity + i) - s) - a * (load<V>(temperature + i) - t));
      };
      V squares = none, weighted_squares = none;
      const auto side = [&](Row which, const CellPair<V>& pair, const Water& one,
                            const Water& other, V floor, const T* ratio, const T* per_length) {
        const V step = b * pair.apart(one.salinity, other.salinity) -
                       a * pair.apart(one.temperature, other.temperature);
        const V ratio_here = load<V>(ratio + i);
        const V reached = ratio_here > none ? level : V(none - T(1));
        const V across = maximum(bottom, floor) <= reached ? step : none;
        const V weighted = (T(0.25) * dz) * ratio_here * pair.common * across;
        const V gradient = load<V>(per_length + i) * across;
        squares += gradient * gradient;
        weighted_squares += weighted * across;
        store<V>(to[which] + i, weighted);
      };
      const T *x = f_.x_ratio.row(j), *per_x = f_.per_x_length.row(j);
      const V floors[4] = {load<V>(floor + i - 1), load<V>(floor + i + 1), load<V>(floor_south + i),
                           load<V>(floor_north + i)};
      const CellPair<V> to_west = pair<V>(k, own, i - 1, own, i);
      const CellPair<V> to_south = pair<V>(k, own_south, i, own, i);
      side(west, to_west, here, here, floors[0], x, per_x);
      side(east, pair<V>(k, own, i, own, i + 1), here, here, floors[1], x + 1, per_x + 1);
      side(south, to_south, southern, here, floors[2], f_.y_ratio.row(j), f_.per_y_length.row(j));
      side(north, pair<V>(k, own, i, own_north, i), here, northern, floors[3],
           f_.y_ratio.row(j + 1), f_.per_y_length.row(j + 1));
      const auto standing = bottom < level;
      const Halves<V> down{
          highest ? none : V(-heavier(here.temperature.above, here.salinity.above)),
          standing ? heavier(lower.temperature.here, lower.salinity.here) : none};
      const Halves<V> distance{
          highest ? none : own.template to_above<V>(i, dz, f_.spacing(over(k))),
          own_lower.template to_above<V>(i, dz_lower, f_.spacing(k))};
      const V gradient = square_root(V(T(0.5) * squares));
      const Lean<V> lean = lean_of(down, gradient, distance, n_);
      store<V>(to[above] + i, lean.once.above);
      store<V>(to[below] + i, lean.once.below);
      store<V>(to[squares_above] + i, weighted_squares * lean.twice.above);
      store<V>(to[squares_below] + i, weighted_squares * lean.twice.below);
      const auto conductance = [&](const CellPair<V>& pair, V floor, const T* ratio) {
        const V quarter = splat<V>(T(0.25)), upper = splat<V>(highest ? T(0) : T(0.5));
        const V triads = upper + ((standing ? quarter : none) + (floor < level ? quarter : none));
        const V found = (n_.along * dz) * triads * load<V>(ratio + i) * pair.common;
        return maximum(bottom, floor) <= level ? found : none;
      };
      store<V>(to[beside] + i, conductance(to_west, floors[0], x));
      store<V>(to[before] + i, conductance(to_south, floors[2], f_.y_ratio.row(j)));
    });
  }

  /// What slopes of halves make of the differences of tracer t along the vertical.
  void rise(int t, int k, int j) {
    const T *here = f_.tracer.row(t, k, j), *upper = f_.tracer.row(t, over(k), j),
            *lower = f_.tracer.row(t, under(k), j);
    const T *half_above = of_cells(above, j), *half_below = of_cells(below, j);
    const T* floor = floor_of(j);
    T* to = of_cells(first_rise + t, j);
    const Ahead ahead(
        {next_row(f_.tracer, t, over(k), j + 3), next_row(f_.mixing_convergence, t, k, j + 1)});
    over_row_again<T>(i0_ - 1, i1_ + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      ahead.fetch(i);
      if (!any(load<V>(floor + i) <= splat<V>(static_cast<T>(k)))) return store<V>(to + i, V{});
      const V c = load<V>(here + i);
      store<V>(to + i, load<V>(half_above + i) * (load<V>(upper + i) - c) +
                           load<V>(half_below + i) * (c - load<V>(lower + i)));
    });
  }

  /// Add to the diffusivity of the interface below level k.
  void steepen(int k, int j) {
    const T *from_above = of_cells(squares_below, j), *next = of_cells(squares_above, j);
    const T *per_area = of_plane(0, j), *floor = floor_of(j);
    T *carry = of_plane(1, j), *to = f_.vertical_diffusivity.row(k, j);
    const Shares lower = cells(k - 1, j);
    const T spacing = f_.spacing(k), dz_lower = f_.thickness(under(k));
    const Ahead ahead({next_row(f_.vertical_diffusivity, k, j + 2)});
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      ahead.fetch(i);
      if (!any(load<V>(floor + i) <= splat<V>(static_cast<T>(k)))) return;
      const V squares = load<V>(carry + i) + load<V>(from_above + i);
      store<V>(carry + i, load<V>(next + i));
      const V factor = n_.along * lower.template to_above<V>(i, dz_lower, spacing);
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
    const RowAndAbove<T> here = values(t, k, j0_), southern = values(t, k, j0_ - 1);
    const Shares own = cells(k, j0_), own_south = cells(k, j0_ - 1);
    const T *to_north = of_cells(north, j0_ - 1), *rise_south = of_cells(first_rise + t, j0_ - 1);
    const T *to_south = of_cells(south, j0_), *rise_here = of_cells(first_rise + t, j0_);
    const T* conductance = of_cells(before, j0_);
    T* to = of_level(2 + t);
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto get = [&](const T* row) { return load<V>(row + i); };
      store<V>(to + i,
               crossing(pair<V>(k, own_south, i, own, i).apart(southern, here), get(conductance),
                        V(get(to_north) * get(rise_south)), V(get(to_south) * get(rise_here))));
    });
  }

  /// What converges in cells of level k, but for what level k + 1 sends down.
  FLAT void converge(int t, int k, int j) {
    const RowAndAbove<T> here = values(t, k, j), southern = values(t, k, j - 1),
                         northern = values(t, k, j + 1);
    const Shares own = cells(k, j), own_south = cells(k, j - 1), own_north = cells(k, j + 1);
    const T* floor = floor_of(j);
    const T* of[first_rise];
    for (int which = 0; which < first_rise; ++which) of[which] = of_cells(which, j);
    const T *rise_here = of_cells(first_rise + t, j), *rise_north = of_cells(first_rise + t, j + 1);
    const T *from_north = of_cells(south, j + 1), *conductance = of_cells(before, j + 1);
    const T* per_area = of_plane(0, j);
    T *carry = of_plane(2 + t, j), *passed = of_level(2 + t);
    T *to = f_.mixing_convergence.row(t, k, j), *lower = f_.mixing_convergence.row(t, under(k), j);
    over_row<T>(i0_, i1_, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
      if (!any(wet)) {
        store<V>(passed + i, V{});
        return store<V>(to + i, V{});
      }
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const CellPair<V> pairs[4] = {pair<V>(k, own, i - 1, own, i), pair<V>(k, own, i, own, i + 1),
                                    pair<V>(k, own_south, i, own, i),
                                    pair<V>(k, own, i, own_north, i)};
      const V to_west = pairs[0].apart(here, here), to_east = pairs[1].apart(here, here);
      const V to_south = pairs[2].apart(southern, here), to_north = pairs[3].apart(here, northern);
      const auto rising = [&](Row which, int shift) {
        return V(get(of[which], shift) * get(rise_here, shift));
      };
      const V from_west = crossing(to_west, get(of[beside]), rising(east, -1), rising(west, 0));
      const V out_east = crossing(to_east, get(of[beside], 1), rising(east, 0), rising(west, 1));
      const V out_north = crossing(to_north, get(conductance), rising(north, 0),
                                   V(get(from_north) * get(rise_north)));
      const V tilted = -n_.both * ((get(of[east]) * to_east + get(of[west]) * to_west) +
                                   (get(of[north]) * to_north + get(of[south]) * to_south));
      const V through_floor = get(of[below]) * tilted;
      V through_roof = get(of[above]) * tilted;
      if (!(pairs[0].even && pairs[1].even && pairs[2].even && pairs[3].even))
        through_roof += (pairs[0].other_up * from_west - pairs[1].one_up * out_east) +
                        (pairs[2].other_up * get(passed) - pairs[3].one_up * out_north);
      const V sides = (from_west - out_east) + (get(passed) - out_north);
      const V gained = (sides + (get(carry) + through_floor)) - through_roof;
      store<V>(passed + i, out_north);
      store<V>(carry + i, through_roof);
      if (k > 0 && any(load<V>(floor + i) < splat<V>(static_cast<T>(k))))
        store<V>(lower + i, get(lower) - get(per_area) * through_floor);
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

template <bool Whole, class T>
void eddies_of_strips(Box box, const EddyFields<T>& fields, const EddyNumbers<T>& numbers,
                      const ExpansionOfRow<T>& expansion, int tile) {
  constexpr int strip = 32;
  using Tile = EddyTile<T, Whole>;
  for_each_in_with(
      box.j0, box.j1, strip, [&] { return Tile(fields, numbers, expansion, strip, tile); },
      [&](int j0, Tile& cells) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += tile)
          cells.go(j0, std::min(j0 + strip, box.j1), i0,
                   std::min<std::ptrdiff_t>(i0 + tile, box.i1));
      });
}

inline constexpr Reach two_around{-2, 2, -2, 2};
inline constexpr Reach of_x_sides{-1, 2, -1, 1}, of_y_sides{-1, 1, -1, 2};

inline constexpr Contract<13> ocean_eddies_contract{
    "ocean_eddies",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", two_around, Column::whole},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"floor_level", Access::read, Place::center, "1", two_around},
      if_wanted({"bottom_share", Access::read, Place::center, "1", two_around}),
      {"area", Access::read, Place::center, "m2"},
      {"x_ratio", Access::read, Place::x_face, "1", of_x_sides},
      {"y_ratio", Access::read, Place::y_face, "1", of_y_sides},
      {"per_x_length", Access::read, Place::x_face, "m-1", of_x_sides},
      {"per_y_length", Access::read, Place::y_face, "m-1", of_y_sides},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"mixing_convergence",
       Access::write,
       Place::center,
       "any",
       "tracer depth",
       {},
       Column::whole},
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
/// @param[in]     bottom_share                of its level that the cell there has [1]
/// @param[in]     area                        of cells [m2]
/// @param[in]     x_ratio, y_ratio            width of a side over distance of centres, 0 where
/// closed
/// @param[in]     per_x_length, per_y_length  1 over the distance of centres [m-1]
/// @param[in]     thickness, spacing          of levels, and between their centres [m]
/// @param[out]    mixing_convergence            [m s-1 times units of the tracer]
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
                  View2<const T> bottom_share, View2<const T> area, View2<const T> x_ratio,
                  View2<const T> y_ratio, View2<const T> per_x_length, View2<const T> per_y_length,
                  View1<const T> thickness, View1<const T> spacing, View4<T> mixing_convergence,
                  View3<T> vertical_diffusivity, double along, double flattening, double largest,
                  double width, bool smooth, int tile, DensityNumbers numbers) {
  const EddyFields<T> fields{tracer,
                             {floor_level, bottom_share},
                             area,
                             x_ratio,
                             y_ratio,
                             per_x_length,
                             per_y_length,
                             thickness,
                             spacing,
                             mixing_convergence,
                             vertical_diffusivity};
  const EddyNumbers<T> some{static_cast<T>(along),
                            static_cast<T>(along - flattening),
                            static_cast<T>(along + flattening),
                            static_cast<T>(largest),
                            static_cast<T>(width),
                            smooth};
  const ExpansionOfRow<T> expansion = expansion_of_row<T>(tracer, depth, numbers);
  const auto go = bottom_share.data ? eddies_of_strips<false, T> : eddies_of_strips<true, T>;
  go(box, fields, some, expansion, tile);
}

}  // namespace halocline
