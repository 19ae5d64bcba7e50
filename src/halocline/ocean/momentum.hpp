#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/rubbing.hpp"
#include "ocean/volume_fluxes.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Velocity of the ocean: the baroclinic part of one leapfrog step on the B-grid.
///
///   du/dt = - advection + (f + M) v - dp/dx + viscosity,   M = v cx - u cy,
///
/// with cx = d(dy)/dx / (dx dy) and cy = d(dx)/dy / (dx dy), the curvature of the grid's lines, p
/// the hydrostatic pressure over the reference density. Fluxes through the faces of a velocity cell
/// are means of those of the four cells of tracers around it, so that centred advection keeps
/// kinetic energy; the term of Coriolis takes weights alpha, gamma, alpha of the new, present and
/// old level and is solved for point by point; viscosity along the vertical is implicit (Smith et
/// al. 2010, The Parallel Ocean Program reference manual, LAUR-10-01853, sections 3 and 4).
namespace halocline {

template <class T>
struct MomentumFields {
  View3<const T> u, v, old_u, old_v, pressure, pressure_slope, vertical_viscosity;
  View2<const T> stress_x, stress_y, coriolis, corner_dx, corner_dy;
  BottomCells<T> corners, centers;
  View2<const T> curvature_x, curvature_y, viscous_east, viscous_north, viscous_turn, cross_x,
      cross_y;
  View1<const T> thickness, spacing;
  View3<const T> friction_x, friction_y;
  View3<T> new_u, new_v;
  View2<T> force_x, force_y;
};

/// Numbers of a step: from the old to the new level [s], weights of levels [1], drag [1] and the
/// square of the speed that it adds to that of the flow [m2 s-2].
template <class T>
struct MomentumStep {
  T tau, alpha, gamma, drag, tide;
};

template <class T, bool Whole>
class MomentumRow {
 public:
  MomentumRow(const MomentumFields<T>& fields, const MomentumStep<T>& step, std::ptrdiff_t width)
      : f_(fields),
        s_(step),
        levels_(static_cast<int>(fields.u.extent[0])),
        pitch_(width + 32),
        scratch_(static_cast<std::size_t>(pitch_) * (3 * levels_ + 19)),
        first_(static_cast<std::size_t>(width)),
        around_(static_cast<std::size_t>(width)) {
    T* next = scratch_.data() + 16;
    const auto take = [&](int rows) {
      T* begin = next;
      next += static_cast<std::ptrdiff_t>(pitch_) * rows;
      return begin;
    };
    along_ = take(1), south_ = take(1), middle_ = take(1), north_ = take(1);
    per_dx_ = take(1), per_dy_ = take(1), per_area_ = take(1), turned_ = take(1), share_ = take(1);
    rise_ = take(2), mean_x_ = take(1), mean_y_ = take(1), depth_ = take(1);
    exchange_ = take(levels_), factor_ = take(levels_), pivot_ = take(levels_);
  }

  /// Row j, columns [i0, i1). What is dry is 0, and not computed where all lanes are.
  void row(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T* floor = f_.corners.floor_level.row(j);
    lowest_ = static_cast<int>(*std::min_element(floor + i0, floor + i1));
    clear(j, i0, i1);
    if (lowest_ == levels_) return;
    const int lowest = planes(j, i0, i1);
    for (T* some : {rise_, rise_ + pitch_, mean_x_, mean_y_, depth_})
      for (std::ptrdiff_t i = 0; i < i1 - i0; ++i) some[i] = 0;
    for (int k = lowest; k < levels_; ++k) {
      carried(k, j, i0, i1);
      accelerations(k, j, i0, i1);
    }
    means(f_.force_x.row(j), f_.force_y.row(j), i0, i1);
    eliminate(j, i0, i1);
    solve(f_.new_u, j, i0, i1);
    solve(f_.new_v, j, i0, i1);
    remove_means(j, i0, i1);
  }

 private:
  T* at(T* plane, std::ptrdiff_t i0, int k = 0) const {
    return plane + static_cast<std::ptrdiff_t>(k) * pitch_ - i0;
  }

  /// Nothing below the lowest wet level.
  void clear(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    for (T* row : {f_.force_x.row(j), f_.force_y.row(j)}) std::fill(row + i0, row + i1, T(0));
    for (int k = 0; k < lowest_; ++k)
      for (T* row : {f_.new_u.row(k, j), f_.new_v.row(k, j)}) std::fill(row + i0, row + i1, T(0));
  }

  /// The first wet level of the lanes from i on, and that of them and all corners around them.
  int first(std::ptrdiff_t i, std::ptrdiff_t i0) const { return first_[i - i0]; }
  int around(std::ptrdiff_t i, std::ptrdiff_t i0) const { return around_[i - i0]; }

  /// What is the same on all levels: half of 1 / dx and of 1 / dy, 1 / area, tau alpha f, and what
  /// implicit turning leaves of tau. The lowest level that any corner has, those around too.
  int planes(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    T *per_dx = at(per_dx_, i0), *per_dy = at(per_dy_, i0), *per_area = at(per_area_, i0);
    T *turned = at(turned_, i0), *share = at(share_, i0);
    const T* floor = f_.corners.floor_level.row(j);
    int lowest = levels_;
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V dx = load<V>(f_.corner_dx.row(j) + i), dy = load<V>(f_.corner_dy.row(j) + i);
      const V turning = (s_.tau * s_.alpha) * load<V>(f_.coriolis.row(j) + i);
      store<V>(per_dx + i, T(0.5) / dx);
      store<V>(per_dy + i, T(0.5) / dy);
      store<V>(per_area + i, T(1) / (dx * dy));
      store<V>(turned + i, turning);
      store<V>(share + i, s_.tau / (T(1) + turning * turning));
      first_[i - i0] = static_cast<int>(*std::min_element(floor + i, floor + i + width_of<V>));
      around_[i - i0] = first_[i - i0];
      for (const int beside : {j - 1, j, j + 1}) {
        const T* near = f_.corners.floor_level.row(beside) + i;
        const T least = *std::min_element(near - 1, near + width_of<V> + 1);
        around_[i - i0] = std::min(around_[i - i0], static_cast<int>(least));
      }
      lowest = std::min(lowest, around_[i - i0]);
    });
    return lowest;
  }

  /// What velocity cells carry, added up over neighbours: A = a_south + 2 a + a_north of a = u dy
  /// for eastern and western faces; B of v dx in rows j - 1, j and j + 1 for the others. Nothing
  /// where all that is added up is dry.
  FLAT void carried(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const CornerRow<T, Whole> u0(f_.u, f_.corner_dy, f_.corners, k, j - 1);
    const CornerRow<T, Whole> u1(f_.u, f_.corner_dy, f_.corners, k, j);
    const CornerRow<T, Whole> u2(f_.u, f_.corner_dy, f_.corners, k, j + 1);
    T* along = at(along_, i0 - 1);
    const auto eastward = [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V ends = u0.template carried<V>(i) + u2.template carried<V>(i);
      store<V>(along + i, ends + T(2) * u1.template carried<V>(i));
    };
    eastward(Lane<T>{}, i0 - 1);
    over_row<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
      k < around(i, i0) ? store<V>(along + i, V{}) : eastward(lane, i);
    });
    eastward(Lane<T>{}, i1);
    T* const across[3] = {south_, middle_, north_};
    for (int shift = 0; shift < 3; ++shift) {
      const CornerRow<T, Whole> v(f_.v, f_.corner_dx, f_.corners, k, j - 1 + shift);
      T* to = at(across[shift], i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < around(i, i0)) return;
        const V ends = v.template carried<V>(i - 1) + v.template carried<V>(i + 1);
        store<V>(to + i, ends + T(2) * v.template carried<V>(i));
      });
    }
  }

  /// Rows around a cell of one component of velocity.
  struct Around {
    const T *here, *south, *north, *under, *over;
    Around(const View3<const T>& f, int k, int j, int levels)
        : here(f.row(k, j)),
          south(f.row(k, j - 1)),
          north(f.row(k, j + 1)),
          under(f.row(k > 0 ? k - 1 : k, j)),
          over(f.row(k < levels - 1 ? k + 1 : k, j)) {}
  };

  /// Velocity after all but viscosity along the vertical, into the new level, and what the means of
  /// the accelerations add up.
  FLAT void accelerations(int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const bool lowest = k == 0, highest = k == levels_ - 1;
    const Around u(f_.u, k, j, levels_), v(f_.v, k, j, levels_);
    const Around old_u(f_.old_u, k, j, levels_), old_v(f_.old_v, k, j, levels_);
    const T *p0 = f_.pressure.row(k, j - 1), *p1 = f_.pressure.row(k, j);
    const T *along = at(along_, i0 - 1), *south = at(south_, i0), *middle = at(middle_, i0);
    const T *north = at(north_, i0), *floor = f_.corners.floor_level.row(j);
    T *below = at(rise_, i0, k & 1), *above = at(rise_, i0, (k + 1) & 1);
    T *mean_x = at(mean_x_, i0), *mean_y = at(mean_y_, i0), *depth = at(depth_, i0);
    const T *half_per_dx = at(per_dx_, i0), *half_per_dy = at(per_dy_, i0);
    const T *per_areas = at(per_area_, i0), *turns = at(turned_, i0), *shares = at(share_, i0);
    const RowShares<T, Whole> cells = f_.corners.template row<Whole>(k, j),
                              south_of = f_.corners.template row<Whole>(k, j - 1);
    const RowShares<T, Whole> north_of = f_.corners.template row<Whole>(k, j + 1);
    const T dz = f_.thickness(k), per_whole = T(1) / dz, level = static_cast<T>(k);
    T *to_u = f_.new_u.row(k, j), *to_v = f_.new_v.row(k, j);
    const T *coriolis = f_.coriolis.row(j), *curvature_x = f_.curvature_x.row(j),
            *curvature_y = f_.curvature_y.row(j);
    const bool rubs = f_.friction_x.data != nullptr;
    const T *friction_x = rubs ? f_.friction_x.row(k, j) : nullptr,
            *friction_y = rubs ? f_.friction_y.row(k, j) : nullptr;
    const Ahead ahead({next_row(f_.u, k, j + 2), next_row(f_.v, k, j + 2),
                       next_row(f_.old_u, k, j + 2), next_row(f_.old_v, k, j + 2),
                       next_row(f_.pressure, k, j + 1), next_row(f_.vertical_viscosity, k, j + 1),
                       next_row(f_.friction_x, k, j + 1), next_row(f_.friction_y, k, j + 1),
                       next_row(f_.new_u, k, j + 1), next_row(f_.new_v, k, j + 1)});
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const auto plane = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const auto put = [&](V u, V v) {
        store<V>(to_u + i, u);
        store<V>(to_v + i, v);
      };
      ahead.fetch(i);
      if (k < around(i, i0)) return put(V{}, V{});
      // volumes through the faces
      const V eighth = splat<V>(T(0.125) * dz);
      const V west = eighth * (get(along, -1) + get(along)),
              east = eighth * (get(along) + get(along, 1));
      const V from_south = eighth * (get(south) + get(middle)),
              to_north = eighth * (get(middle) + get(north));
      const V rise = get(below), risen = rise + ((west - east) + (from_south - to_north));
      store<V>(above + i, risen);
      if (k < first(i, i0)) return put(V{}, V{});
      const V here = cells.template at<V>(i);
      const V per_dz = cells.template whole<V>(i) ? splat<V>(per_whole) : V(per_whole / here);
      const V per_area = get(per_areas), per_volume = (T(0.5) * per_dz) * per_area;
      const auto advected = [&](const Around& w) {
        const V c = get(w.here);
        V sum = west * (get(w.here, -1) + c) - east * (c + get(w.here, 1));
        sum += from_south * (get(w.south) + c) - to_north * (c + get(w.north));
        const V lower = lowest ? V{} : V(rise * (get(w.under) + c));
        sum += lower - risen * (highest ? V(c + c) : V(c + get(w.over)));
        return sum * per_volume;
      };
      V x = advected(u), y = advected(v);
      // turning: Coriolis of the present and old level, curvature of the present
      const V un = get(u.here), vn = get(v.here), uo = get(old_u.here), vo = get(old_v.here);
      const V f = get(coriolis);
      const V curved = vn * get(curvature_x) - un * get(curvature_y);
      const T rest = T(1) - s_.gamma;
      x += f * (s_.gamma * vn + rest * vo) + curved * vn;
      y -= f * (s_.gamma * un + rest * uo) + curved * un;
      // slope of the pressure
      const V ne = get(p1), nw = get(p1, -1), se = get(p0), sw = get(p0, -1);
      x -= ((ne - nw) + (se - sw)) * get(half_per_dx);
      y -= ((ne - se) + (nw - sw)) * get(half_per_dy);
      if (!Whole) {
        const Lowered<V> lowered = to_common_depth<V>(k, j, i);
        x -= lowered.x * get(half_per_dx);
        y -= lowered.y * get(half_per_dy);
      }
      // viscosity, of the velocity that rubs
      if (f_.viscous_east.data) {
        const V w_east = plane(f_.viscous_east), w_west = load<V>(f_.viscous_east.row(j) + i - 1);
        const V w_north = plane(f_.viscous_north);
        const V w_south = load<V>(f_.viscous_north.row(j - 1) + i);
        // of a neighbour only the part that is as high as this cell: the rest is a wall
        const auto met = [&](const RowShares<T, Whole>& other, int shift, V value) {
          if (cells.template whole<V>(i) && other.template whole<V>(i + shift)) return value;
          return V(value * (minimum(here, other.template at<V>(i + shift)) / here));
        };
        const auto rubbed = [&](const T* old, const T* now, int shift = 0) {
          return rubbing(get(old, shift), get(now, shift));
        };
        const auto smoothed = [&](const Around& old, const Around& now) {
          const V c = rubbed(old.here, now.here);
          const V sum = w_east * (met(cells, 1, rubbed(old.here, now.here, 1)) - c) +
                        w_west * (met(cells, -1, rubbed(old.here, now.here, -1)) - c);
          return (sum + (w_north * (met(north_of, 0, rubbed(old.north, now.north)) - c) +
                         w_south * (met(south_of, 0, rubbed(old.south, now.south)) - c))) *
                 per_area;
        };
        const V turn = plane(f_.viscous_turn);
        const V along_x = plane(f_.cross_x), along_y = plane(f_.cross_y);
        const auto crossed = [&](const Around& old, const Around& now) {
          return along_x * (rubbed(old.here, now.here, 1) - rubbed(old.here, now.here, -1)) -
                 along_y * (rubbed(old.north, now.north) - rubbed(old.south, now.south));
        };
        x += smoothed(old_u, u) + (turn * rubbing(uo, un) + crossed(old_v, v));
        y += smoothed(old_v, v) + (turn * rubbing(vo, vn) - crossed(old_u, u));
      }
      if (rubs) {
        x += get(friction_x);
        y += get(friction_y);
      }
      // stress at the surface and at the floor
      if (highest) {
        x += plane(f_.stress_x) * per_dz;
        y += plane(f_.stress_y) * per_dz;
      }
      const auto rests = get(floor) == splat<V>(level);
      if (any(rests)) {
        const V rate = (s_.drag * per_dz) * square_root(uo * uo + vo * vo + s_.tide);
        const V drag = rests ? V(rate / (T(1) + s_.tau * rate)) : V{};
        x -= drag * uo;
        y -= drag * vo;
      }
      // implicit turning; nothing below the floor
      const auto wet = get(floor) <= splat<V>(level);
      x = wet ? x : V{};
      y = wet ? y : V{};
      const V thick = dz * here;
      store<V>(mean_x + i, get(mean_x) + thick * x);
      store<V>(mean_y + i, get(mean_y) + thick * y);
      store<V>(depth + i, get(depth) + (wet ? thick : V{}));
      const V turned = get(turns), share = get(shares);
      put(uo + share * (x + turned * y), vo + share * (y - turned * x));
    });
  }

  /// Twice what the pressure of four cells differs by besides, along x and y: their centres lie at
  /// different depths, and down to a common one it grows by the mean of both slopes (Pacanowski and
  /// Gnanadesikan 1998).
  template <class V>
  struct Lowered {
    V x, y;
  };
  template <class V>
  INLINE Lowered<V> to_common_depth(int k, int j, std::ptrdiff_t i) const {
    const T dz = f_.thickness(k);
    const RowShares<T, Whole> south = f_.centers.template row<Whole>(k, j - 1),
                              north = f_.centers.template row<Whole>(k, j);
    if (south.template whole<V>(i - 1) && south.template whole<V>(i) &&
        north.template whole<V>(i - 1) && north.template whole<V>(i))
      return {V{}, V{}};
    const V sw = south.template raised<V>(i - 1, dz), se = south.template raised<V>(i, dz);
    const V nw = north.template raised<V>(i - 1, dz), ne = north.template raised<V>(i, dz);
    const T *q0 = f_.pressure_slope.row(k, j - 1) + i, *q1 = f_.pressure_slope.row(k, j) + i;
    const auto between = [&](const T* from, const T* to, V rise) {
      return V(T(0.5) * (load<V>(from) + load<V>(to)) * rise);
    };
    return {between(q1 - 1, q1, ne - nw) + between(q0 - 1, q0, se - sw),
            between(q0, q1, ne - se) + between(q0 - 1, q1 - 1, nw - sw)};
  }

  /// Sums over the column become means; 0 on land.
  void means(T* to_x, T* to_y, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    T *x = at(mean_x_, i0), *y = at(mean_y_, i0), *depth = at(depth_, i0);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V whole = load<V>(depth + i);
      const V share = whole > V{} ? V(T(1) / whole) : V{};
      store<V>(to_x + i, load<V>(x + i) * share);
      store<V>(to_y + i, load<V>(y + i) * share);
      store<V>(depth + i, share);
      store<V>(x + i, V{});
      store<V>(y + i, V{});
    });
  }

  /// The matrix of vertical viscosity, eliminated downward from the surface.
  void eliminate(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    for (int k = levels_ - 1; k >= lowest_; --k) {
      const bool lowest = k == 0, highest = k == levels_ - 1;
      const T spacing = f_.spacing(k), share = lowest ? T(0) : s_.tau / spacing;
      const T dz = f_.thickness(k), under = f_.thickness(lowest ? k : k - 1);
      const RowShares<T, Whole> cells = f_.corners.template row<Whole>(k, j),
                                lower = f_.corners.template row<Whole>(k - 1, j);
      const T* viscosity = f_.vertical_viscosity.row(k, j);
      const T* floor = f_.corners.floor_level.row(j);
      const T* above = at(exchange_, i0, highest ? k : k + 1);
      const T* above_factor = at(factor_, i0, highest ? k : k + 1);
      T *here = at(exchange_, i0, k), *factor = at(factor_, i0, k), *pivot = at(pivot_, i0, k);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const V per_spacing = lower.template whole<V>(i)
                                  ? splat<V>(share)
                                  : V(s_.tau / (spacing - lower.template raised<V>(i, under)));
        const V open = load<V>(floor + i) < splat<V>(static_cast<T>(k)) ? per_spacing : V{};
        const V a = open * load<V>(viscosity + i);
        const V b = highest ? V{} : load<V>(above + i);
        const V kept = highest ? V{} : V(T(1) - load<V>(above_factor + i));
        const V reciprocal = T(1) / (dz * cells.template at<V>(i) + a + b * kept);
        store<V>(here + i, a);
        store<V>(pivot + i, reciprocal);
        store<V>(factor + i, a * reciprocal);
      });
    }
  }

  /// Solve for one component in place, and add up its mean.
  void solve(View3<T> velocity, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    T* mean = at(velocity.data == f_.new_u.data ? mean_x_ : mean_y_, i0);
    for (int k = levels_ - 1; k >= lowest_; --k) {
      const bool highest = k == levels_ - 1;
      T* here = velocity.row(k, j);
      const T* above = velocity.row(highest ? k : k + 1, j);
      const T *exchange = at(exchange_, i0, highest ? k : k + 1), *pivot = at(pivot_, i0, k);
      const RowShares<T, Whole> cells = f_.corners.template row<Whole>(k, j);
      const T dz = f_.thickness(k);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const V given = dz * cells.template at<V>(i) * load<V>(here + i);
        const V from_above = highest ? V{} : V(load<V>(exchange + i) * load<V>(above + i));
        store<V>(here + i, (given + from_above) * load<V>(pivot + i));
      });
    }
    for (int k = lowest_; k < levels_; ++k) {
      T* here = velocity.row(k, j);
      const T *below = velocity.row(k > 0 ? k - 1 : k, j), *factor = at(factor_, i0, k);
      const T* floor = f_.corners.floor_level.row(j);
      const RowShares<T, Whole> cells = f_.corners.template row<Whole>(k, j);
      const T dz = f_.thickness(k);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const V from_below = k > 0 ? V(load<V>(factor + i) * load<V>(below + i)) : V{};
        const V value = load<V>(here + i) + from_below;
        const V wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k)) ? value : V{};
        store<V>(here + i, wet);
        store<V>(mean + i, load<V>(mean + i) + dz * cells.template at<V>(i) * wet);
      });
    }
  }

  /// What is left is the baroclinic velocity.
  void remove_means(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T *x = at(mean_x_, i0), *y = at(mean_y_, i0), *share = at(depth_, i0);
    const T* floor = f_.corners.floor_level.row(j);
    for (int k = lowest_; k < levels_; ++k) {
      T *u = f_.new_u.row(k, j), *v = f_.new_v.row(k, j);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        const V part = load<V>(share + i);
        store<V>(u + i, wet ? V(load<V>(u + i) - load<V>(x + i) * part) : V{});
        store<V>(v + i, wet ? V(load<V>(v + i) - load<V>(y + i) * part) : V{});
      });
    }
  }

  MomentumFields<T> f_;
  MomentumStep<T> s_;
  int levels_, lowest_ = 0;
  std::ptrdiff_t pitch_;
  std::vector<T> scratch_;
  std::vector<int> first_, around_;
  T *along_, *south_, *middle_, *north_, *per_dx_, *per_dy_, *per_area_, *turned_, *share_, *rise_,
      *mean_x_, *mean_y_, *depth_;
  T *exchange_, *factor_, *pivot_;
};

inline constexpr Reach all_sides{-1, 1, -1, 1};

inline constexpr Contract<31> ocean_momentum_contract{
    "ocean_momentum",
    {{{"u", Access::read, Place::corner, "m s-1", "depth", all_sides, Column::whole},
      {"v", Access::read, Place::corner, "m s-1", "depth", all_sides, Column::whole},
      {"old_u", Access::read, Place::corner, "m s-1", "depth", all_sides, Column::whole},
      {"old_v", Access::read, Place::corner, "m s-1", "depth", all_sides, Column::whole},
      {"pressure", Access::read, Place::center, "m2 s-2", "depth", {-1, 0, -1, 0}, Column::whole},
      if_wanted({"pressure_slope", Access::read, Place::center, "m s-2", "depth", {-1, 0, -1, 0}}),
      {"vertical_viscosity", Access::read, Place::corner, "m2 s-1", "depth", {}, Column::whole},
      {"stress_x", Access::read, Place::corner, "m2 s-2"},
      {"stress_y", Access::read, Place::corner, "m2 s-2"},
      {"coriolis", Access::read, Place::corner, "s-1"},
      {"corner_dx", Access::read, Place::corner, "m", all_sides},
      {"corner_dy", Access::read, Place::corner, "m", all_sides},
      {"corner_floor", Access::read, Place::corner, "1", all_sides},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", all_sides}),
      {"floor_level", Access::read, Place::center, "1", {-1, 0, -1, 0}},
      if_wanted({"bottom_share", Access::read, Place::center, "1", {-1, 0, -1, 0}}),
      {"curvature_x", Access::read, Place::corner, "m-1"},
      {"curvature_y", Access::read, Place::corner, "m-1"},
      if_wanted({"viscous_east", Access::read, Place::y_face, "m2 s-1", {-1, 0, 0, 0}}),
      if_wanted({"viscous_north", Access::read, Place::x_face, "m2 s-1", {0, 0, -1, 0}}),
      if_wanted({"viscous_turn", Access::read, Place::corner, "s-1"}),
      if_wanted({"cross_x", Access::read, Place::corner, "s-1"}),
      if_wanted({"cross_y", Access::read, Place::corner, "s-1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      if_wanted({"friction_x", Access::read, Place::corner, "m s-2", "depth"}),
      if_wanted({"friction_y", Access::read, Place::corner, "m s-2", "depth"}),
      {"new_u", Access::write, Place::corner, "m s-1", "depth", {}, Column::whole},
      {"new_v", Access::write, Place::corner, "m s-1", "depth", {}, Column::whole},
      {"force_x", Access::write, Place::corner, "m s-2"},
      {"force_y", Access::write, Place::corner, "m s-2"}}}};

template <bool Whole, class T>
void step_momentum(Box box, const MomentumFields<T>& fields, const MomentumStep<T>& step,
                   int width) {
  using Row = MomentumRow<T, Whole>;
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return Row(fields, step, width + 2); },
      [&](int j, Row& row) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += width)
          row.row(j, i0, std::min<std::ptrdiff_t>(i0 + width, box.i1));
      });
}

/// Advance the baroclinic velocity from the old to the new level of a leapfrog step.
///
/// @param[in]  box                 corners to compute
/// @param[in]  u, v, old_u, old_v  present and old velocity [m s-1], 0 on land and below the floor
/// @param[in]  pressure            hydrostatic, over the reference density [m2 s-2]
/// @param[in]  pressure_slope      how much it grows with depth [m s-2]; where cells are thin
/// @param[in]  vertical_viscosity  at the lower interfaces of corners [m2 s-1]
/// @param[in]  stress_x, stress_y  of the wind over the reference density [m2 s-2]
/// @param[in]  coriolis            parameter [s-1]
/// @param[in]  corner_dx, corner_dy  lengths of velocity cells [m]
/// @param[in]  corner_floor        the lowest wet level; as many as levels on land
/// @param[in]  corner_bottom_share  of its level that the velocity cell there has [1]
/// @param[in]  floor_level, bottom_share  the same of cells of tracers
/// @param[in]  curvature_x, curvature_y  of the lines of the grid, cx and cy [m-1]
/// @param[in]  viscous_east        viscosity times length over distance of a cell's eastern face
///     and its like: none where `friction_x` and `friction_y` hold the force of viscosity
/// @param[in]  friction_x, friction_y  forces computed apart: viscosity from a stress tensor, and
///     that of Coriolis on the drift of waves [m s-2]
/// @param[in]  viscous_turn, cross_x, cross_y  viscosity times the metric parts of the Laplacian:
///     -(d(cx)/dx + d(cy)/dy + 2 cx^2 + 2 cy^2), 2 cy over two cells along x, 2 cx along y [s-1]
/// @param[out] new_u, new_v        without their means over the column [m s-1]
/// @param[out] force_x, force_y    means of all accelerations but that by the surface [m s-2]
/// @param[in]  tau                 from the old to the new level [s]
/// @param[in]  alpha, gamma        weights of the new (and old) and of the present level [1]
/// @param[in]  drag                coefficient of the quadratic drag at the floor [1]
/// @param[in]  drag_speed          of tides: the drag goes by the root of the sum of squares [m
/// s-1]
/// @param[in]  width               most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_momentum(Box box, View3<const T> u, View3<const T> v, View3<const T> old_u,
                    View3<const T> old_v, View3<const T> pressure, View3<const T> pressure_slope,
                    View3<const T> vertical_viscosity, View2<const T> stress_x,
                    View2<const T> stress_y, View2<const T> coriolis, View2<const T> corner_dx,
                    View2<const T> corner_dy, View2<const T> corner_floor,
                    View2<const T> corner_bottom_share, View2<const T> floor_level,
                    View2<const T> bottom_share, View2<const T> curvature_x,
                    View2<const T> curvature_y, View2<const T> viscous_east,
                    View2<const T> viscous_north, View2<const T> viscous_turn,
                    View2<const T> cross_x, View2<const T> cross_y, View1<const T> thickness,
                    View1<const T> spacing, View3<const T> friction_x, View3<const T> friction_y,
                    View3<T> new_u, View3<T> new_v, View2<T> force_x, View2<T> force_y, double tau,
                    double alpha, double gamma, double drag, double drag_speed, int width) {
  const BottomCells<T> corners{corner_floor, corner_bottom_share};
  const BottomCells<T> centers{floor_level, bottom_share};
  const MomentumFields<T> fields{u,
                                 v,
                                 old_u,
                                 old_v,
                                 pressure,
                                 pressure_slope,
                                 vertical_viscosity,
                                 stress_x,
                                 stress_y,
                                 coriolis,
                                 corner_dx,
                                 corner_dy,
                                 corners,
                                 centers,
                                 curvature_x,
                                 curvature_y,
                                 viscous_east,
                                 viscous_north,
                                 viscous_turn,
                                 cross_x,
                                 cross_y,
                                 thickness,
                                 spacing,
                                 friction_x,
                                 friction_y,
                                 new_u,
                                 new_v,
                                 force_x,
                                 force_y};
  const MomentumStep<T> step{static_cast<T>(tau), static_cast<T>(alpha), static_cast<T>(gamma),
                             static_cast<T>(drag), static_cast<T>(drag_speed * drag_speed)};
  if (corner_bottom_share.data)
    step_momentum<false>(box, fields, step, width);
  else
    step_momentum<true>(box, fields, step, width);
}

}  // namespace halocline
