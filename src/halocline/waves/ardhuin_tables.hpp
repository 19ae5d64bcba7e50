#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "elementary.hpp"
#include "view.hpp"
#include "waves/ardhuin.hpp"

/// Tables of the package of Ardhuin et al. (2010), made once at start in double precision.
namespace halocline::waves {

/// |K0(x e^{i pi/4})|^2 = ker^2 x + kei^2 x for 1e-6 < x < 20: trapezoidal sum of the integral of
/// exp(-z cosh t), steps of 1/8 until the integrand is below e^-50; its error falls as
/// exp(-pi^2 / (2 step)).
inline double kelvin_square(double x) {
  const double a = x * 0.70710678118654752440;
  double real = 0.5 * exp(-a) * cos(a), imaginary = 0.5 * exp(-a) * sin(a);
  for (int at = 1; at < 400; ++at) {
    const double height = a * cosh(0.125 * at);
    if (height > 50.0) break;
    const double size = exp(-height);
    real += size * cos(height);
    imaginary += size * sin(height);
  }
  return 0.015625 * (real * real + imaginary * imaginary);
}

/// Friction factor of an oscillating turbulent boundary layer (Grant and Madsen 1979), at most 0.5:
/// f = 0.08 / |K0(2 sqrt(zeta) e^{i pi/4})|^2 with zeta = roughness / (21.2 kappa amplitude sqrt
/// f). Entry n belongs to log10(amplitude / roughness) = -1 + 9 n / (size - 1); each is found by 50
/// bisections of log zeta.
inline void friction_factor_table(View1<double> table, double von_karman) {
  const std::ptrdiff_t size = table.extent[0];
  for (std::ptrdiff_t n = 0; n < size; ++n) {
    const double wanted = 2.30258509299404568402 * (-1.0 + 9.0 * n / (size - 1.0));
    double low = -25.0, high = 2.5, factor = 0.5;
    for (int bisection = 0; bisection < 50; ++bisection) {
      const double middle = 0.5 * (low + high);
      factor = 0.08 / kelvin_square(2.0 * exp(0.5 * middle));
      const double ratio = -log(21.2 * von_karman) - middle - 0.5 * log(factor);
      (ratio > wanted ? low : high) = middle;
    }
    table(n) = minimum(factor, 0.5);
  }
}

/// cos^power of direction differences 0, 1, ... widths: weights of the saturation window.
inline void saturation_window(View1<double> window, double direction_width, double power) {
  for (std::ptrdiff_t d = 0; d < window.extent[0]; ++d)
    window(d) = d == 0 ? 1.0 : pow(cos(direction_width * d), power);
}

/// Harmonics of the difference of phase velocities in deep water, |C - C'| / C', for frequency
/// ratios factor^-m, m = 0, 1, ...: sqrt(1 + r^2 - 2 r cos) = sum over h of speed(m, h) cos(h .),
/// on `directions` directions.
inline void speed_harmonics(View2<double> speed, double factor, int directions) {
  const double width = 6.28318530717958647692 / directions;
  for (std::ptrdiff_t m = 0; m < speed.extent[0]; ++m) {
    const double ratio = exp(-log(factor) * m);
    for (std::ptrdiff_t h = 0; h < speed.extent[1]; ++h) {
      double sum = 0.0;
      for (int j = 0; j < directions; ++j) {
        const double square = 1.0 + ratio * ratio - 2.0 * ratio * cos(width * j);
        sum += std::sqrt(maximum(square, 0.0)) * cos(width * ((j * h) % directions));
      }
      const bool alone = h == 0 || 2 * h == directions;
      speed(m, h) = sum * (alone ? 1.0 : 2.0) / directions;
    }
  }
}

/// cos, sin, cos 2, sin 2, ... of the numbers of the directions.
inline void direction_waves(View2<double> waves) {
  const std::ptrdiff_t directions = waves.extent[1];
  const double width = 6.28318530717958647692 / static_cast<double>(directions);
  for (std::ptrdiff_t at = 0; at < waves.extent[0]; ++at) {
    for (std::ptrdiff_t j = 0; j < directions; ++j) {
      const double angle = width * static_cast<double>(((at / 2 + 1) * j) % directions);
      waves(at, j) = at % 2 == 0 ? cos(angle) : sin(angle);
    }
  }
}

/// Tables of one spectral grid in the precision of the kernel.
template <class T>
class ArdhuinTableMemory {
 public:
  static constexpr int friction_factor_count = 451;
  /// Sum of the harmonics left out of |C - C'|, over its mean.
  static constexpr double cumulative_tolerance = 1e-3;

  ArdhuinTableMemory(const ArdhuinOptions& options, double factor, int frequencies,
                     int directions) {
    const double width = 6.28318530717958647692 / directions;
    const ArdhuinDissipationOptions& breaking = options.breaking;
    const double bins = breaking.window_half_width / (360.0 / directions);
    const int half = std::min(static_cast<int>(bins + 0.5), directions / 2 - 1);
    std::vector<double> window(half + 1), friction(friction_factor_count);
    saturation_window({window.data(), {half + 1}, {1}}, width, breaking.window_power);
    friction_factor_table({friction.data(), {friction_factor_count}, {1}},
                          options.wind_input.von_karman);

    const int gap = std::max(static_cast<int>(breaking.cumulative_gap / (factor - 1.0) + 0.5), 1);
    const int most = (directions - 1) / 2;
    std::vector<double> speed(static_cast<std::size_t>(frequencies) * (most + 1));
    const View2<double> speeds{speed.data(), {frequencies, most + 1}, {most + 1, 1}};
    speed_harmonics(speeds, factor, directions);
    const int kept = harmonics_kept(speeds, gap);
    std::vector<double> waves(static_cast<std::size_t>(2 * kept) * directions);
    direction_waves({waves.data(), {2 * kept, directions}, {directions, 1}});

    window_.assign(window.begin(), window.end());
    friction_.assign(friction.begin(), friction.end());
    waves_.assign(waves.begin(), waves.end());
    for (int m = 0; m < frequencies; ++m)
      for (int h = 0; h <= kept; ++h) speed_.push_back(static_cast<T>(speeds(m, h)));
    tables_ = {{half, gap, kept, window_.data(), speed_.data(), waves_.data()},
               {friction_.data(), friction_factor_count}};
  }
  ArdhuinTableMemory(const ArdhuinTableMemory&) = delete;
  ArdhuinTableMemory& operator=(const ArdhuinTableMemory&) = delete;

  const ArdhuinTables<T>& tables() const { return tables_; }

 private:
  /// Least number of harmonics that keeps the tolerance for all differences from `gap` on.
  static int harmonics_kept(View2<double> speed, int gap) {
    const int most = static_cast<int>(speed.extent[1]) - 1;
    int kept = 0;
    for (std::ptrdiff_t m = gap; m < speed.extent[0]; ++m) {
      double beyond = 0.0;
      int here = most;
      while (here > 0) {
        beyond += std::fabs(speed(m, here));
        if (beyond > cumulative_tolerance * speed(m, 0)) break;
        --here;
      }
      kept = std::max(kept, here);
    }
    return kept;
  }

  std::vector<T> window_, speed_, waves_, friction_;
  ArdhuinTables<T> tables_;
};

}  // namespace halocline::waves
