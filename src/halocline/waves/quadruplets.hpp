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
  const V b = both - plus * minus;
  return {b, both + b, energy - minus, energy - plus};
}

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
    return 9 * (directions + 2 * pad()) + 6 * ring() * directions + 2 * directions;
  }
};

/// The quadruplets of a tile, rolling over frequency. Rows of interactions are kept in rings until
/// all that reach an output row are there; then `finish(f, d, source, diagonal)` gets its bins.
template <class T, int Width>
class QuadrupletSweep {
 public:
  using V = pack<T, Width>;

  QuadrupletSweep(const QuadrupletTables<T>& tables, const Tile<T, Width>& tile, V* scratch)
      : q_(tables),
        nf_(tile.frequencies()),
        nd_(tile.directions()),
        pad_(tables.pad()),
        energy_(tile.spectrum) {
    const auto padded = [&] {
      V* row = scratch + pad_;
      scratch += nd_ + 2 * pad_;
      return row;
    };
    for (V** row :
         {&plus_, &minus_, &one_, &two_, &plus_one_, &plus_two_, &minus_one_, &minus_two_, &tail_})
      *row = padded();
    for (V** rows : {&center_, &above_, &below_, &center_slope_, &above_slope_, &below_slope_}) {
      *rows = scratch;
      scratch += tables.ring() * nd_;
    }
    zeros_ = scratch;
    std::fill(zeros_, zeros_ + nd_, V{});
  }

  template <class Finish>
  void run(V factor, Finish finish) {
    const int reach = q_.down + 1;
    for (int f = 0; f < nf_ + reach; ++f) {
      neighbours(f);
      const V* middle = row(f);
      interact(middle, T(0.5) * q_.strength[f] * factor, slot(f));
      fold(slot(f));
      if (f >= reach) spread(f - reach, factor, finish);
    }
  }

 private:
  int slot(int f) const { return f % q_.ring() * nd_; }

  /// Energy of a frequency; beyond the last one it belongs to an f^-5 tail.
  const V* row(int f) {
    if (f < nf_) return energy_ + f * nd_;
    const V* last = energy_ + (nf_ - 1) * nd_;
    for (int d = 0; d < nd_; ++d) tail_[d] = q_.tail[f - nf_ + 1] * last[d];
    return tail_;
  }
  const V* source_row(int f, T& scale) const {
    if (f < 0) return zeros_;
    if (f < nf_) return energy_ + f * nd_;
    scale *= q_.tail[f - nf_ + 1];
    return energy_ + (nf_ - 1) * nd_;
  }

  void wrap(V* row, int before, int after) const {
    for (int d = 1; d <= before; ++d) row[-d] = row[((-d % nd_) + nd_) % nd_];
    for (int d = 0; d < after; ++d) row[nd_ + d] = row[d % nd_];
  }

  /// Energies at the other two frequencies, times 2 p and 2 m.
  void neighbours(int f) {
    T far = T(2) * q_.plus_share * q_.up_far, near = T(2) * q_.plus_share * q_.up_near;
    const V* first = source_row(f + q_.up + 1, far);
    const V* second = source_row(f + q_.up, near);
    for (int d = 0; d < nd_; ++d) plus_[d] = far * first[d] + near * second[d];
    wrap(plus_, q_.plus + 1, q_.plus + 1);
    far = T(2) * q_.minus_share * q_.down_far, near = T(2) * q_.minus_share * q_.down_near;
    first = source_row(f - q_.down - 1, far);
    second = source_row(f - q_.down, near);
    for (int d = 0; d < nd_; ++d) minus_[d] = far * first[d] + near * second[d];
    wrap(minus_, q_.minus + 1, q_.minus + 1);
  }

  void interact(const V* energy, V half_strength, int at) {
    const int p = q_.plus, m = q_.minus;
    const T pn = q_.plus_near, pf = q_.plus_far, mn = q_.minus_near, mf = q_.minus_far;
    for (int d = 0; d < nd_; ++d) {
      const V e = energy[d];
      const auto first = exchange<V>(e, pn * plus_[d + p] + pf * plus_[d + p + 1],
                                     mn * minus_[d - m] + mf * minus_[d - m - 1]);
      const auto second = exchange<V>(e, pn * plus_[d - p] + pf * plus_[d - p - 1],
                                      mn * minus_[d + m] + mf * minus_[d + m + 1]);
      const V half = half_strength * e;
      const V one = half * first.b, two = half * second.b;
      one_[d] = one;
      two_[d] = two;
      center_[at + d] = one + two;
      center_slope_[at + d] = half_strength * (first.slope + second.slope);
      plus_one_[d] = half * first.slope_plus;
      plus_two_[d] = half * second.slope_plus;
      minus_one_[d] = half * first.slope_minus;
      minus_two_[d] = half * second.slope_minus;
    }
    wrap(one_, p + 1, m + 1);
    wrap(two_, m + 1, p + 1);
    wrap(plus_one_, p + 1, 0);
    wrap(plus_two_, 0, p + 1);
    wrap(minus_one_, 0, m + 1);
    wrap(minus_two_, m + 1, 0);
  }

  /// Bring the transfers of a row to the directions of the other two waves.
  void fold(int at) {
    const int p = q_.plus, m = q_.minus;
    const T pn = q_.plus_near, pf = q_.plus_far, mn = q_.minus_near, mf = q_.minus_far;
    const T pn2 = T(2) * q_.plus_share * pn * pn, pf2 = T(2) * q_.plus_share * pf * pf;
    const T mn2 = T(2) * q_.minus_share * mn * mn, mf2 = T(2) * q_.minus_share * mf * mf;
    for (int d = 0; d < nd_; ++d) {
      above_[at + d] = pn * (one_[d - p] + two_[d + p]) + pf * (one_[d - p - 1] + two_[d + p + 1]);
      below_[at + d] = mn * (one_[d + m] + two_[d - m]) + mf * (one_[d + m + 1] + two_[d - m - 1]);
      above_slope_[at + d] = pn2 * (plus_one_[d - p] + plus_two_[d + p]) +
                             pf2 * (plus_one_[d - p - 1] + plus_two_[d + p + 1]);
      below_slope_[at + d] = mn2 * (minus_one_[d + m] + minus_two_[d - m]) +
                             mf2 * (minus_one_[d + m + 1] + minus_two_[d - m - 1]);
    }
  }

  /// Gather at frequency f what the rows around it bring.
  template <class Finish>
  void spread(int f, V, Finish& finish) {
    const T un = q_.up_near, uf = q_.up_far, dn = q_.down_near, df = q_.down_far;
    const T un2 = un * un, uf2 = uf * uf, dn2 = dn * dn, df2 = df * df;
    const int a1 = f - q_.up, a2 = a1 - 1, b1 = slot(f + q_.down), b2 = slot(f + q_.down + 1);
    const V* above_near = a1 < 0 ? zeros_ : above_ + slot(a1);
    const V* above_far = a2 < 0 ? zeros_ : above_ + slot(a2);
    const V* slope_near = a1 < 0 ? zeros_ : above_slope_ + slot(a1);
    const V* slope_far = a2 < 0 ? zeros_ : above_slope_ + slot(a2);
    const V* center = center_ + slot(f);
    const V* center_slope = center_slope_ + slot(f);
    for (int d = 0; d < nd_; ++d) {
      const V source = (un * above_near[d] + uf * above_far[d]) +
                       (dn * below_[b1 + d] + df * below_[b2 + d]) - T(2) * center[d];
      const V diagonal = (un2 * slope_near[d] + uf2 * slope_far[d]) +
                         (dn2 * below_slope_[b1 + d] + df2 * below_slope_[b2 + d]) -
                         T(2) * center_slope[d];
      finish(f, d, source, diagonal);
    }
  }

  const QuadrupletTables<T>& q_;
  const int nf_, nd_, pad_;
  const V* energy_;
  V *plus_, *minus_, *one_, *two_, *plus_one_, *plus_two_, *minus_one_, *minus_two_, *tail_;
  V *center_, *above_, *below_, *center_slope_, *above_slope_, *below_slope_;
  V* zeros_;
};

}  // namespace halocline::waves
