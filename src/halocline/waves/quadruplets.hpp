#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "elementary.hpp"
#include "waves/tile.hpp"

/// Nonlinear transfer by quadruplets of waves: the discrete interaction approximation of Hasselmann
/// et al. (1985), for a wave (counted twice) and two waves of (1 + shape) and (1 - shape) times its
/// frequency at the angles that resonance demands, and for its mirror image.
namespace halocline::waves {

/// Options of the approximation; see quadruplets.py.
struct QuadrupletOptions {
  double strength = 1e7;
  double shape = 0.25;
  double depth_stretch = 0.75;
  double least_relative_depth = 0.5;
  double depth_factor_1 = 5.5;
  double depth_factor_2 = 0.833;
  double depth_factor_3 = -1.25;
  double gravity = 9.806;
};

/// Increase of the transfer in shallow water (Hasselmann and Hasselmann 1985).
template <class V>
HD inline V quadruplet_depth_factor(V relative_depth, const QuadrupletOptions& options) {
  using T = scalar_of<V>;
  const V x =
      maximum(T(options.depth_stretch) * relative_depth, splat<V>(T(options.least_relative_depth)));
  return T(1) + T(options.depth_factor_1) / x * (T(1) - T(options.depth_factor_2) * x) *
                    exp(T(options.depth_factor_3) * x);
}

/// What one quadruplet does, in halves: its transfer is c e b / 2 with e the energy of the doubled
/// wave and c the strength times frequency^11; the derivatives of the transfer by e and by the
/// energies of the other two waves are c slope / 2, p c e slope_plus, m c e slope_minus.
template <class V>
struct QuadrupletExchange {
  V b, slope, slope_plus, slope_minus;
};

/// `plus` and `minus` are 2 p and 2 m times the energies of the other two waves,
/// p = (1 + shape)^-4, m = (1 - shape)^-4.
template <class V>
HD inline QuadrupletExchange<V> exchange(V energy, V plus, V minus) {
  const V both = energy * (plus + minus);
  const V b = multiply_add(-plus, minus, both);
  return {b, both + b, energy - minus, energy - plus};
}

/// Source term [m2 Hz-1 rad-1 s-1] of a component and its derivative by that component [s-1].
template <class V>
struct QuadrupletSource {
  V source, diagonal;
};

/// Where the other two waves lie in the spectral grid, and with which weights.
template <class T>
struct QuadrupletTables {
  int up = 0, down = 0;     ///< steps of frequency to the nearer bin
  int plus = 0, minus = 0;  ///< steps of direction to the nearer bin
  T up_near{}, up_far{}, down_near{}, down_far{};
  T plus_near{}, plus_far{}, minus_near{}, minus_far{};
  T plus_share{}, minus_share{};  ///< p and m of `exchange`
  std::vector<T> strength;        ///< strength / g^4 frequency^11, tail included
  std::vector<T> tail;            ///< (X^-5)^n

  QuadrupletTables(const QuadrupletOptions& options, const SpectralTables<T>& grid) {
    const double x = grid.factor, shape = options.shape;
    const double greater = (1 + shape) * (1 + shape), less = (1 - shape) * (1 - shape);
    const double minus_angle = std::acos((less * less + 4 - greater * greater) / (4 * less));
    const double plus_angle = std::asin(std::sin(minus_angle) * less / greater);
    const double width = 2 * 3.14159265358979323846 / grid.directions;
    up = static_cast<int>(std::log(1 + shape) / std::log(x));
    down = static_cast<int>(-std::log(1 - shape) / std::log(x));
    plus = static_cast<int>(plus_angle / width);
    minus = static_cast<int>(minus_angle / width);
    const double far_up = (1 + shape - std::pow(x, up)) / (std::pow(x, up + 1) - std::pow(x, up));
    const double far_down =
        (std::pow(x, -down) - (1 - shape)) / (std::pow(x, -down) - std::pow(x, -down - 1));
    const double far_plus = plus_angle / width - plus, far_minus = minus_angle / width - minus;
    up_far = T(far_up), up_near = T(1 - far_up);
    down_far = T(far_down), down_near = T(1 - far_down);
    plus_far = T(far_plus), plus_near = T(1 - far_plus);
    minus_far = T(far_minus), minus_near = T(1 - far_minus);
    plus_share = T(1 / (greater * greater));
    minus_share = T(1 / (less * less));
    const double unit = options.strength / std::pow(options.gravity, 4);
    for (int f = 0; f <= grid.frequencies + down; ++f) {
      const double frequency = grid.first_sigma / (2 * 3.14159265358979323846) * std::pow(x, f);
      strength.push_back(T(unit * std::pow(frequency, 11)));
    }
    for (int n = 0; n <= up + down + 2; ++n) tail.push_back(T(std::pow(x, -5.0 * n)));
  }

  int pad() const { return std::max(plus, minus) + 1; }
  int ring() const { return up + down + 3; }

  /// Packs of working space.
  std::ptrdiff_t scratch(int directions) const {
    return 8 * (directions + 2 * pad()) + 2 * ring() * directions + directions;
  }
};

/// The quadruplets of a tile, rolling over frequency. What rows of interactions bring is summed in
/// a ring of output rows, small enough for the nearest cache; with the last part of a row
/// `finish(f, transfer)` is called, and transfer(d), to be called once, is the QuadrupletSource of
/// a direction.
template <class T, int Width>
class QuadrupletSweep {
 public:
  using V = pack<T, Width>;

  QuadrupletSweep(const QuadrupletTables<T>& tables, const Tile<T, Width>& tile, V* scratch)
      : q_(tables), nf_(tile.frequencies()), nd_(tile.directions()), energy_(tile.spectrum) {
    const int pad = tables.pad(), padded = nd_ + 2 * pad;
    plus_ = scratch + pad;
    minus_ = plus_ + padded;
    exchanged_ = reinterpret_cast<Exchanged*>(scratch + 2 * padded) + pad;
    sums_ = reinterpret_cast<QuadrupletSource<V>*>(scratch + 8 * padded);
    tail_ = scratch + 8 * padded + 2 * tables.ring() * nd_;
    std::fill(sums_, sums_ + (tables.up + 1) * nd_, QuadrupletSource<V>{});
  }

  template <class Finish>
  void run(V factor, Finish finish) {
    const int reach = q_.down + 1;
    for (int f = 0; f < nf_ + reach; ++f) {
      neighbours(f);
      interact(row(f), T(0.5) * q_.strength[f] * factor, sums(f));
      const auto transfer = spread(f);
      if (f >= reach) {
        finish(f - reach, transfer);
      } else {
        for (int d = 0; d < nd_; ++d) transfer(d);
      }
    }
  }

 private:
  /// What the two quadruplets of a component move, and its derivatives by the other two waves.
  struct Exchanged {
    V one, two, plus_one, plus_two, minus_one, minus_two;
  };

  /// Sums of output row f; those below the first one are dropped.
  QuadrupletSource<V>* sums(int f) const { return sums_ + (f + q_.ring()) % q_.ring() * nd_; }

  /// Energy of a frequency; beyond the last one it belongs to an f^-5 tail.
  const V* row(int f) {
    if (f < nf_) return energy_ + f * nd_;
    const V* last = energy_ + (nf_ - 1) * nd_;
    for (int d = 0; d < nd_; ++d) tail_[d] = q_.tail[f - nf_ + 1] * last[d];
    return tail_;
  }
  const V* source_row(int f, T& scale) const {
    if (f < 0) scale = T(0);
    if (f < nf_) return energy_ + std::max(f, 0) * nd_;
    scale *= q_.tail[f - nf_ + 1];
    return energy_ + (nf_ - 1) * nd_;
  }

  static V mean(T near, V first, T far, V second) {
    return multiply_add(near, first, far * second);
  }

  /// Continue a row around the circle.
  template <class Value>
  void wrap(Value* row, int pad) const {
    for (int d = 1; d <= pad; ++d) row[-d] = row[nd_ - d];
    for (int d = 0; d < pad; ++d) row[nd_ + d] = row[d];
  }

  /// Energies at the other two frequencies, times 2 p and 2 m.
  void neighbours(int f) {
    T far = T(2) * q_.plus_share * q_.up_far, near = T(2) * q_.plus_share * q_.up_near;
    const V* first = source_row(f + q_.up + 1, far);
    const V* second = source_row(f + q_.up, near);
    for (int d = 0; d < nd_; ++d) plus_[d] = mean(far, first[d], near, second[d]);
    wrap(plus_, q_.plus + 1);
    far = T(2) * q_.minus_share * q_.down_far, near = T(2) * q_.minus_share * q_.down_near;
    first = source_row(f - q_.down - 1, far);
    second = source_row(f - q_.down, near);
    for (int d = 0; d < nd_; ++d) minus_[d] = mean(far, first[d], near, second[d]);
    wrap(minus_, q_.minus + 1);
  }

  void interact(const V* energy, V half_strength, QuadrupletSource<V>* own) {
    const int p = q_.plus, m = q_.minus;
    const T pn = q_.plus_near, pf = q_.plus_far, mn = q_.minus_near, mf = q_.minus_far;
    const V *plus = plus_, *minus = minus_, loss = T(-2) * half_strength;
    Exchanged* exchanged = exchanged_;
    for (int d = 0; d < nd_; ++d) {
      const V e = energy[d];
      const auto first = exchange<V>(e, mean(pn, plus[d + p], pf, plus[d + p + 1]),
                                     mean(mn, minus[d - m], mf, minus[d - m - 1]));
      const auto second = exchange<V>(e, mean(pn, plus[d - p], pf, plus[d - p - 1]),
                                      mean(mn, minus[d + m], mf, minus[d + m + 1]));
      const V half = half_strength * e;
      Exchanged& to = exchanged[d];
      to.one = half * first.b;
      to.two = half * second.b;
      to.plus_one = half * first.slope_plus;
      to.plus_two = half * second.slope_plus;
      to.minus_one = half * first.slope_minus;
      to.minus_two = half * second.slope_minus;
      own[d].source = multiply_add(T(-2), to.one + to.two, own[d].source);
      own[d].diagonal = multiply_add(loss, first.slope + second.slope, own[d].diagonal);
    }
    wrap(exchanged, q_.pad());
  }

  /// Bring the interactions of row f to the directions and frequencies of the other two waves. The
  /// function of direction returned completes the row that lies farthest below.
  auto spread(int f) const {
    const T pn = q_.plus_near, pf = q_.plus_far, mn = q_.minus_near, mf = q_.minus_far;
    const T pn2 = T(2) * q_.plus_share * pn * pn, pf2 = T(2) * q_.plus_share * pf * pf;
    const T mn2 = T(2) * q_.minus_share * mn * mn, mf2 = T(2) * q_.minus_share * mf * mf;
    const T un = q_.up_near, uf = q_.up_far, dn = q_.down_near, df = q_.down_far;
    const T un2 = un * un, uf2 = uf * uf, dn2 = dn * dn, df2 = df * df;
    const Exchanged *p1 = exchanged_ - q_.plus, *p2 = exchanged_ + q_.plus;
    const Exchanged *m1 = exchanged_ + q_.minus, *m2 = exchanged_ - q_.minus;
    auto *up_far = sums(f + q_.up + 1), *up_near = sums(f + q_.up);
    auto *down_near = sums(f - q_.down), *down_far = sums(f - q_.down - 1);
    return [=](int d) {
      const V above = mean(pn, p1[d].one + p2[d].two, pf, p1[d - 1].one + p2[d + 1].two);
      const V below = mean(mn, m1[d].one + m2[d].two, mf, m1[d + 1].one + m2[d - 1].two);
      const V above_slope =
          mean(pn2, p1[d].plus_one + p2[d].plus_two, pf2, p1[d - 1].plus_one + p2[d + 1].plus_two);
      const V below_slope = mean(mn2, m1[d].minus_one + m2[d].minus_two, mf2,
                                 m1[d + 1].minus_one + m2[d - 1].minus_two);
      up_far[d] = {uf * above, uf2 * above_slope};
      up_near[d].source = multiply_add(un, above, up_near[d].source);
      up_near[d].diagonal = multiply_add(un2, above_slope, up_near[d].diagonal);
      down_near[d].source = multiply_add(dn, below, down_near[d].source);
      down_near[d].diagonal = multiply_add(dn2, below_slope, down_near[d].diagonal);
      return QuadrupletSource<V>{multiply_add(df, below, down_far[d].source),
                                 multiply_add(df2, below_slope, down_far[d].diagonal)};
    };
  }

  const QuadrupletTables<T>& q_;
  const int nf_, nd_;
  const V* energy_;
  V *plus_, *minus_, *tail_;
  Exchanged* exchanged_;
  QuadrupletSource<V>* sums_;
};

}  // namespace halocline::waves
