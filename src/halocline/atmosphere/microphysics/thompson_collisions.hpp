#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "atmosphere/microphysics/thompson_sizes.hpp"

/// Drops that meet flakes or grains: integrals over both sizes of the volume that they sweep, in
/// tables, made on first use (64 x 64 entries each) and interpolated in the
/// logarithms of the two lengths.
namespace halocline::thompson {

/// What meets, for N0 = 1 m-4 of drops and M2 / L^3 (snow) or N0 (graupel) of 1: mass of drops
/// lighter than what they meet, of the others, of what these meet, and number of all drops.
template <class V>
struct Meeting {
  V light_drops{}, heavy_drops{}, others{}, drops{};
};

/// One value of a pack; a number is a pack of one.
template <class V>
INLINE double lane_of(const V& values, int lane) {
  if constexpr (std::is_arithmetic_v<V>) {
    return values;
  } else {
    return values[lane];
  }
}
template <class V>
INLINE void set_lane(V& values, int lane, double value) {
  if constexpr (std::is_arithmetic_v<V>) {
    values = value;
  } else {
    values[lane] = value;
  }
}

/// Over 1 / slope of rain and a length of the others.
class Collisions {
 public:
  /// @param[in] other  what meets drops
  /// @param[in] shape  their sizes, of length 1, by x = D / length
  template <class Shape>
  Collisions(const Kind& other, double shortest, double longest, double widest, const Shape& shape)
      : first_(std::log(shortest)), step_((std::log(longest) - first_) / (count - 1)) {
    table_.resize(count * count);
    const Bins small = bins(widest_drop, [](double x) { return std::exp(-x); });
    const Bins same = bins(widest, shape);
    for (int r = 0; r < count; ++r) {
      const Bins drops = sized(small, raindrops, std::exp(rain_first + r * rain_step));
      for (int s = 0; s < count; ++s)
        at(r, s) = meet(drops, sized(same, other, std::exp(first_ + s * step_)));
    }
  }

  /// @param[in] drops, others  logarithms of 1 / slope of rain and of the other's length [m]
  template <class V>
  INLINE Meeting<V> operator()(V drops, V others) const {
    Meeting<V> found;
    for (int lane = 0; lane < width_of<V>; ++lane) {
      const Meeting<double> one = logarithms(lane_of(drops, lane), lane_of(others, lane));
      set_lane(found.light_drops, lane, one.light_drops);
      set_lane(found.heavy_drops, lane, one.heavy_drops);
      set_lane(found.others, lane, one.others);
      set_lane(found.drops, lane, one.drops);
    }
    return {exp(found.light_drops), exp(found.heavy_drops), exp(found.others), exp(found.drops)};
  }

 private:
  static constexpr int count = 64, parts = 48;
  static constexpr double widest_drop = 24.0;
  /// Logarithms of 1 / slope of rain: 10 um to 2 mm.
  static constexpr double rain_first = -11.512925464970229,
                          rain_step = 5.298317366548036 / (count - 1);

  using Entry = Meeting<double>;

  Entry& at(int r, int s) { return table_[static_cast<std::size_t>(r * count + s)]; }
  const Entry& at(int r, int s) const { return table_[static_cast<std::size_t>(r * count + s)]; }

  /// Between the entries around it.
  Entry logarithms(double drops, double others) const {
    const auto [r, x] = place((drops - rain_first) / rain_step);
    const auto [s, y] = place((others - first_) / step_);
    const Entry &a = at(r, s), &b = at(r + 1, s), &c = at(r, s + 1), &d = at(r + 1, s + 1);
    const auto blend = [x, y](double a, double b, double c, double d) {
      return (1.0 - y) * ((1.0 - x) * a + x * b) + y * ((1.0 - x) * c + x * d);
    };
    return {blend(a.light_drops, b.light_drops, c.light_drops, d.light_drops),
            blend(a.heavy_drops, b.heavy_drops, c.heavy_drops, d.heavy_drops),
            blend(a.others, b.others, c.others, d.others),
            blend(a.drops, b.drops, c.drops, d.drops)};
  }

  /// What is not a number is taken as the first entry.
  static std::pair<int, double> place(double where) {
    const double inside = where > 0.0 ? std::min(where, count - 1.0) : 0.0;
    const int low = std::min(static_cast<int>(inside), count - 2);
    return {low, inside - low};
  }

  /// Parts of a distribution of sizes, equal in the root of x: numbers, diameters, speeds, masses.
  struct Bins {
    std::array<double, parts> many, size, speed, mass;
  };
  template <class Shape>
  static Bins bins(double widest, const Shape& shape) {
    Bins made{};
    for (std::size_t m = 0; m < parts; ++m) {
      const double a = (static_cast<double>(m) + 0.5) / parts;
      made.size[m] = widest * a * a;
      made.many[m] = shape(made.size[m]) * widest * 2.0 * a / parts;
    }
    return made;
  }
  static Bins sized(const Bins& by_length, const Kind& kind, double length) {
    Bins made{};
    for (std::size_t m = 0; m < parts; ++m) {
      made.many[m] = by_length.many[m] * length;
      made.size[m] = by_length.size[m] * length;
      made.speed[m] = speed_of(kind, made.size[m]);
      made.mass[m] = mass_of(kind, made.size[m]);
    }
    return made;
  }

  /// Logarithms of the integrals.
  static Entry meet(const Bins& drops, const Bins& others) {
    Entry sum;
    for (std::size_t m = 0; m < parts; ++m)
      for (std::size_t n = 0; n < parts; ++n) {
        const double across = drops.size[m] + others.size[n];
        const double volume =
            0.25 * pi * across * across * std::abs(drops.speed[m] - others.speed[n]);
        const double meetings = drops.many[m] * others.many[n] * volume;
        const bool heavy = drops.mass[m] > others.mass[n];
        sum.drops += meetings;
        (heavy ? sum.heavy_drops : sum.light_drops) += meetings * drops.mass[m];
        if (heavy) sum.others += meetings * others.mass[n];
      }
    for (double* part : {&sum.light_drops, &sum.heavy_drops, &sum.others, &sum.drops})
      *part = std::log(std::max(*part, 1e-200));
    return sum;
  }

  double first_, step_;
  std::vector<Entry> table_;
};

inline const Collisions& with_snow() {
  static const Collisions table(flakes, 50e-6, 5e-3, 8.0, [](double x) {
    return 490.6 * std::exp(-20.78 * x) + 17.46 * std::pow(x, 0.6357) * std::exp(-3.29 * x);
  });
  return table;
}
inline const Collisions& with_graupel() {
  static const Collisions table(grains, 20e-6, 5e-3, 24.0, [](double x) { return std::exp(-x); });
  return table;
}

}  // namespace halocline::thompson
