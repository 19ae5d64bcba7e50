#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
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
/// flattening, and the taper f of the true slope, a triad carries of any tracer c
///
///   beside   - w (K d_x c + (K - G) f s d_z c),   upward   - w ((K + G) f s d_x c + K f s^2 d_z
///   c),
///
/// whose last term is left to implicit vertical diffusion. There are no triads into the floor,
/// the surface or land; where water overturns s = 0. The sum of c^2 loses
/// 2 w K ((d_x c)^2 + 2 f s d_x c d_z c + f s^2 (d_z c)^2) >= 0 with every triad, as 0 <= f <= 1.
namespace halocline {

/// K and G [m2 s-1], the slope where tapers begin and how soon they end [1], and which one it is.
template <class T>
struct EddyNumbers {
  T along, flattening, largest, width;
  bool smooth;
};

/// f s and f s^2 of a triad.
template <class V>
struct Tilt {
  V slope, square;
};

/// Tapered slope. Beyond the largest slope m diffusivities fall as (m / S)^2 (Gerdes, Koeberle and
/// Willebrand 1991, Climate Dyn. 5, 211), or `smooth` as (1 + tanh((m - S) / width)) / 2
/// (Danabasoglu and McWilliams 1995, J. Climate 8, 2967).
///
/// @param[in] across  d_x rho [kg m-3]
/// @param[in] down    - d_z rho, positive in steady water [kg m-3]
/// @param[in] length, distance  between centres beside and along the vertical [m]
template <class V>
HD INLINE Tilt<V> tapered_slope(V across, V down, V length, scalar_of<V> distance,
                                const EddyNumbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const auto steady = down > V{};
  if (n.smooth) {
    const V reciprocal = steady ? V(T(1) / (down * length)) : V{};
    const V slope = across * length * reciprocal;
    const V beyond = (absolute(across) * distance * reciprocal - n.largest) * (T(2) / n.width);
    const V tapered = slope / (T(1) + exp(beyond));
    return {tapered, tapered * slope};
  }
  const V most = length * (n.largest / distance), bound = most * down;
  const auto gentle = absolute(across) <= bound;
  const V over = gentle ? across : V(most * bound), under = gentle ? down : across;
  const V slope = steady ? V(over / under) : V{};
  const V square = gentle ? V(slope * slope) : V(most * most);
  return {slope, steady ? square : V{}};
}

template <class T>
struct EddyFields {
  View4<const T> tracer;
  View3<const T> thermal_expansion, haline_contraction;
  View2<const T> floor_level, area, x_ratio, y_ratio, x_length, y_length;
  View1<const T> thickness, spacing;
  View4<T> eddy_convergence;
  View3<T> vertical_diffusivity;
};

/// One row of columns, level after level from the floor on.
template <class T>
class EddyRow {
 public:
  EddyRow(const EddyFields<T>& fields, const EddyNumbers<T>& numbers, std::ptrdiff_t width)
      : f_(fields),
        n_(numbers),
        levels_(static_cast<int>(fields.tracer.extent[1])),
        tracers_(static_cast<int>(fields.tracer.extent[0])),
        pitch_(width + 32),
        scratch_(static_cast<std::size_t>(pitch_) * (first_carry + 1 + tracers_)) {}

  void row(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    for (int carry = 0; carry <= tracers_; ++carry)
      std::fill_n(at(first_carry + carry, i0) + i0, i1 - i0, T(0));
    for (int k = 0; k < levels_; ++k) {
      tilts({j, j, 1, false, f_.x_ratio.row(j), f_.x_length.row(j), 1}, east, k, i0 - 1, i1, i0);
      tilts({j, j, -1, true, f_.x_ratio.row(j), f_.x_length.row(j), 0}, west, k, i0, i1 + 1, i0);
      const T* ratio[2] = {f_.y_ratio.row(j), f_.y_ratio.row(j + 1)};
      const T* length[2] = {f_.y_length.row(j), f_.y_length.row(j + 1)};
      tilts({j, j + 1, 0, false, ratio[1], length[1], 0}, north, k, i0, i1, i0);
      tilts({j, j - 1, 0, true, ratio[0], length[0], 0}, south, k, i0, i1, i0);
      tilts({j - 1, j, 0, false, ratio[0], length[0], 0}, from_south, k, i0, i1, i0);
      tilts({j + 1, j, 0, true, ratio[1], length[1], 0}, from_north, k, i0, i1, i0);
      steepen(k, j, i0, i1);
      for (int t = 0; t < tracers_; ++t) {
        eastward(t, k, j, i0, i1);
        converge(t, k, j, i0, i1);
      }
    }
  }

 private:
  /// Triads of a row by the side that they look through; the last two are those of rows beside.
  enum Group { east, west, north, south, from_south, from_north };
  /// Rows of scratch: of a group f s above and below, f s^2 above and below; then what crosses
  /// western sides, and what interfaces got from below: of f s^2, and of every tracer.
  enum Row { slope_above, slope_below, square_above, square_below };
  static constexpr int groups = 6, rows_of_group = 4, side_row = groups * rows_of_group,
                       first_carry = side_row + 1;

  T* at(int row, std::ptrdiff_t i0) {
    return scratch_.data() + 16 + static_cast<std::ptrdiff_t>(row) * pitch_ - (i0 - 1);
  }
  const T* of(Group group, Row row, std::ptrdiff_t i0) {
    return at(group * rows_of_group + row, i0);
  }

  /// Rows of the cells of triads and of their neighbours, how far these lie east, whether the axis
  /// points from neighbour to cell, and the sides between them.
  struct Look {
    int row, beside;
    std::ptrdiff_t shift;
    bool backward;
    const T *ratio, *length;
    std::ptrdiff_t side;
  };

  /// w f s and w f s^2 of the triads above and below of cells [begin, end) at level k.
  void tilts(const Look& look, Group group, int k, std::ptrdiff_t begin, std::ptrdiff_t end,
             std::ptrdiff_t i0) {
    const bool lowest = k == 0, highest = k == levels_ - 1;
    const auto rows = [&](int level, int row) {
      return std::array{f_.tracer.row(0, level, row), f_.tracer.row(1, level, row)};
    };
    const auto here = rows(k, look.row), beside = rows(k, look.beside);
    const auto over = rows(highest ? k : k + 1, look.row),
               under = rows(lowest ? k : k - 1, look.row);
    const T* expansion = f_.thermal_expansion.row(k, look.row);
    const T* contraction = f_.haline_contraction.row(k, look.row);
    const T *floor = f_.floor_level.row(look.row), *floor_beside = f_.floor_level.row(look.beside);
    const T up = highest ? T(0) : f_.spacing(k + 1), down = f_.spacing(k);
    const T quarter = T(0.25) * f_.thickness(k), level = static_cast<T>(k);
    T* to[rows_of_group];
    for (int row = 0; row < rows_of_group; ++row) to[row] = at(group * rows_of_group + row, i0);
    over_row<T>(begin, end, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V bottom = load<V>(floor + i), length = load<V>(look.length + i + look.side);
      const auto open =
          (bottom <= splat<V>(level)) & (load<V>(floor_beside + i + look.shift) <= splat<V>(level));
      if (!any(open)) {
        for (T* row : to) store<V>(row + i, V{});
        return;
      }
      const V a = load<V>(expansion + i), b = load<V>(contraction + i);
      const V t = load<V>(here[0] + i), s = load<V>(here[1] + i);
      const auto heavier = [&](const std::array<const T*, 2>& other, std::ptrdiff_t shift) {
        return V(b * (load<V>(other[1] + i + shift) - s) - a * (load<V>(other[0] + i + shift) - t));
      };
      const V difference = heavier(beside, look.shift);
      const V across = look.backward ? -difference : difference;
      const V weight = open ? V(quarter * load<V>(look.ratio + i + look.side)) : V{};
      const auto put = [&](Row slope, Row square, V weight, V lighter, T distance) {
        const Tilt<V> tilt = tapered_slope(across, lighter, length, distance, n_);
        store<V>(to[slope] + i, weight * tilt.slope);
        store<V>(to[square] + i, weight * tilt.square);
      };
      const V above = highest ? V{} : V(-heavier(over, 0)), below = heavier(under, 0);
      put(slope_above, square_above, weight, above, up);
      const V to_floor = bottom < splat<V>(level) ? weight : V{};
      put(slope_below, square_below, to_floor, below, down);
    });
  }

  /// Add to the diffusivity of the interface below level k.
  void steepen(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    T* carry = at(first_carry, i0);
    T* to = f_.vertical_diffusivity.row(k, j);
    const T* area = f_.area.row(j);
    const T factor = n_.along * f_.spacing(k);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto sum = [&](Row row) {
        const auto get = [&](Group group) { return load<V>(of(group, row, i0) + i); };
        return V((get(east) + get(west)) + (get(north) + get(south)));
      };
      const V squares = load<V>(carry + i) + sum(square_below);
      store<V>(carry + i, sum(square_above));
      store<V>(to + i, load<V>(to + i) + factor * squares / load<V>(area + i));
    });
  }

  /// Values of a tracer in a row of cells, and above and below them.
  struct Column3 {
    const T *here, *over, *under;
    Column3(const View4<const T>& f, int t, int k, int j, int levels)
        : here(f.row(t, k, j)),
          over(f.row(t, k < levels - 1 ? k + 1 : k, j)),
          under(f.row(t, k > 0 ? k - 1 : k, j)) {}
    /// What slopes of triads make of the differences along the vertical.
    template <class V>
    V tilted(const T* above, const T* below, std::ptrdiff_t i) const {
      const V c = load<V>(here + i);
      return load<V>(above + i) * (load<V>(over + i) - c) +
             load<V>(below + i) * (c - load<V>(under + i));
    }
  };

  /// What crosses a side forward, from `one` to `other`.
  template <class V>
  V crossing(V one, V other, V ratio, V tilted, T thickness) const {
    return -(n_.along * thickness * ratio * (other - one) + (n_.along - n_.flattening) * tilted);
  }

  /// Width over length of a side, of the share of its four triads that there are.
  template <class V>
  V open_ratio(const T* ratio, const T* floor, const T* beside, std::ptrdiff_t i,
               std::ptrdiff_t shift, T level) const {
    const V one = load<V>(floor + i), other = load<V>(beside + i + shift), here = splat<V>(level);
    const V quarter = splat<V>(T(0.25)), none{};
    const V above = level < T(levels_ - 1) ? splat<V>(T(0.5)) : none;
    const V share = above + ((one < here ? quarter : none) + (other < here ? quarter : none));
    return (one <= here) & (other <= here) ? V(share * load<V>(ratio + i)) : none;
  }

  /// What crosses western sides.
  void eastward(int t, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const Column3 c(f_.tracer, t, k, j, levels_);
    const T *e_above = of(east, slope_above, i0), *e_below = of(east, slope_below, i0);
    const T *w_above = of(west, slope_above, i0), *w_below = of(west, slope_below, i0);
    const T *floor = f_.floor_level.row(j), *ratio = f_.x_ratio.row(j);
    T* to = at(side_row, i0);
    over_row<T>(i0, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V tilted =
          c.template tilted<V>(e_above, e_below, i - 1) + c.template tilted<V>(w_above, w_below, i);
      const V open = open_ratio<V>(ratio, floor, floor, i, -1, static_cast<T>(k));
      store<V>(to + i, crossing(load<V>(c.here + i - 1), load<V>(c.here + i), open, tilted,
                                f_.thickness(k)));
    });
  }

  /// What converges in cells of level k, but for what level k + 1 sends down.
  void converge(int t, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const Column3 c(f_.tracer, t, k, j, levels_), before(f_.tracer, t, k, j - 1, levels_),
        behind(f_.tracer, t, k, j + 1, levels_);
    const T* slopes[groups][2];
    for (int group = 0; group < groups; ++group)
      for (Row row : {slope_above, slope_below})
        slopes[group][row] = of(static_cast<Group>(group), row, i0);
    const T* area = f_.area.row(j);
    const T* side = at(side_row, i0);
    T* carry = at(first_carry + 1 + t, i0);
    T *to = f_.eddy_convergence.row(t, k, j),
      *lower = f_.eddy_convergence.row(t, k > 0 ? k - 1 : k, j);
    const T* floor[3] = {f_.floor_level.row(j - 1), f_.floor_level.row(j),
                         f_.floor_level.row(j + 1)};
    const T* ratio[2] = {f_.y_ratio.row(j), f_.y_ratio.row(j + 1)};
    const T dz = f_.thickness(k), level = static_cast<T>(k), both = n_.along + n_.flattening;
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      if (!any(load<V>(floor[1] + i) <= splat<V>(level))) {
        store<V>(carry + i, V{});
        return store<V>(to + i, V{});
      }
      const V here = load<V>(c.here + i), south_of = load<V>(before.here + i),
              north_of = load<V>(behind.here + i);
      const auto tilted = [&](const Column3& column, Group group) {
        return column.template tilted<V>(slopes[group][0], slopes[group][1], i);
      };
      const V in =
          crossing(south_of, here, open_ratio<V>(ratio[0], floor[1], floor[0], i, 0, level),
                   V(tilted(before, from_south) + tilted(c, south)), dz);
      const V out =
          crossing(here, north_of, open_ratio<V>(ratio[1], floor[1], floor[2], i, 0, level),
                   V(tilted(c, north) + tilted(behind, from_north)), dz);
      const V to_east = load<V>(c.here + i + 1) - here, to_west = here - load<V>(c.here + i - 1);
      const V to_north = north_of - here, to_south = here - south_of;
      const auto risen = [&](Row row) {
        const auto get = [&](Group group) { return load<V>(slopes[group][row] + i); };
        return V(-both * ((get(east) * to_east + get(west) * to_west) +
                          (get(north) * to_north + get(south) * to_south)));
      };
      const V per_area = T(1) / load<V>(area + i);
      const V through_floor = risen(slope_below), through_roof = risen(slope_above);
      const V beside = (load<V>(side + i) - load<V>(side + i + 1)) + (in - out);
      const V below = load<V>(carry + i) + through_floor;
      if (k > 0) store<V>(lower + i, load<V>(lower + i) - per_area * through_floor);
      store<V>(carry + i, through_roof);
      store<V>(to + i, per_area * ((beside + below) - through_roof));
    });
  }

  EddyFields<T> f_;
  EddyNumbers<T> n_;
  int levels_, tracers_;
  std::ptrdiff_t pitch_;
  std::vector<T> scratch_;
};

inline constexpr Reach next_to{-1, 1, -1, 1};

inline constexpr Contract<13> ocean_eddies_contract{
    "ocean_eddies",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", next_to, Column::whole},
      {"thermal_expansion", Access::read, Place::center, "kg m-3 K-1", "depth", next_to},
      {"haline_contraction", Access::read, Place::center, "kg m-3", "depth", next_to},
      {"floor_level", Access::read, Place::center, "1", next_to},
      {"area", Access::read, Place::center, "m2"},
      {"x_ratio", Access::read, Place::x_face, "1", {0, 1, 0, 0}},
      {"y_ratio", Access::read, Place::y_face, "1", {0, 0, 0, 1}},
      {"x_length", Access::read, Place::x_face, "m", {0, 1, 0, 0}},
      {"y_length", Access::read, Place::y_face, "m", {0, 0, 0, 1}},
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
/// @param[in]     box                   cells to compute
/// @param[in]     tracer                0 temperature, 1 salinity, and others, (tracer, k, j, i)
/// @param[in]     thermal_expansion     less density per degree [kg m-3 K-1]
/// @param[in]     haline_contraction    more density per 1e-3 of salinity [kg m-3]
/// @param[in]     floor_level           the lowest wet level; as many as levels on land
/// @param[in]     area                  of cells [m2]
/// @param[in]     x_ratio, y_ratio      width of a side over distance of centres, 0 where closed
/// @param[in]     x_length, y_length    distance of centres [m]
/// @param[in]     thickness, spacing    of levels, and between their centres [m]
/// @param[out]    eddy_convergence      [m s-1 times units of the tracer]
/// @param[in,out] vertical_diffusivity  at lower interfaces [m2 s-1]
/// @param[in]     along                 diffusivity along surfaces of density [m2 s-1]
/// @param[in]     flattening            diffusivity of the flattening of these surfaces [m2 s-1]
/// @param[in]     largest               slope beyond which both are less [1]
/// @param[in]     width                 of slopes over which they vanish, of the smooth taper [1]
/// @param[in]     smooth                whether the taper is that of a hyperbolic tangent
/// @param[in]     tile                  most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_eddies(Box box, View4<const T> tracer, View3<const T> thermal_expansion,
                  View3<const T> haline_contraction, View2<const T> floor_level,
                  View2<const T> area, View2<const T> x_ratio, View2<const T> y_ratio,
                  View2<const T> x_length, View2<const T> y_length, View1<const T> thickness,
                  View1<const T> spacing, View4<T> eddy_convergence, View3<T> vertical_diffusivity,
                  double along, double flattening, double largest, double width, bool smooth,
                  int tile) {
  const EddyFields<T> fields{tracer,
                             thermal_expansion,
                             haline_contraction,
                             floor_level,
                             area,
                             x_ratio,
                             y_ratio,
                             x_length,
                             y_length,
                             thickness,
                             spacing,
                             eddy_convergence,
                             vertical_diffusivity};
  const EddyNumbers<T> numbers{static_cast<T>(along), static_cast<T>(flattening),
                               static_cast<T>(largest), static_cast<T>(width), smooth};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return EddyRow<T>(fields, numbers, tile + 2); },
      [&](int j, EddyRow<T>& row) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += tile)
          row.row(j, i0, std::min<std::ptrdiff_t>(i0 + tile, box.i1));
      });
}

}  // namespace halocline
