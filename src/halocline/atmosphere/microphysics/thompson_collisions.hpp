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
struct Meeting {
  double light_drops = 0.0, heavy_drops = 0.0, others = 0.0, drops = 0.0;
};

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

  /// Logarithms of 1 / slope of rain and of the other's length [m].
  Meeting operator()(double drops, double others) const {
    const auto [r, x] = place((drops - rain_first) / rain_step);
    const auto [s, y] = place((others - first_) / step_);
    const auto blend = [&](auto part) {
      const double low = (1.0 - x) * part(at(r, s)) + x * part(at(r + 1, s));
      const double high = (1.0 - x) * part(at(r, s + 1)) + x * part(at(r + 1, s + 1));
      return std::exp((1.0 - y) * low + y * high);
    };
    return {blend([](const Meeting& m) { return m.light_drops; }),
            blend([](const Meeting& m) { return m.heavy_drops; }),
            blend([](const Meeting& m) { return m.others; }),
            blend([](const Meeting& m) { return m.drops; })};
  }

 private:
  static constexpr int count = 64, parts = 48;
  static constexpr double widest_drop = 24.0;
  /// Logarithms of 1 / slope of rain: 10 um to 2 mm.
  static constexpr double rain_first = -11.512925464970229,
                          rain_step = 5.298317366548036 / (count - 1);

  Meeting& at(int r, int s) { return table_[static_cast<std::size_t>(r * count + s)]; }
  const Meeting& at(int r, int s) const { return table_[static_cast<std::size_t>(r * count + s)]; }

  static std::pair<int, double> place(double where) {
    const double inside = std::clamp(where, 0.0, count - 1.0);
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
  static Meeting meet(const Bins& drops, const Bins& others) {
    Meeting sum;
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
  std::vector<Meeting> table_;
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
