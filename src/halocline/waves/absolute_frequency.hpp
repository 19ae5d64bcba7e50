#pragma once
#include <algorithm>
#include <cmath>

#include "contract.hpp"
#include "dispersion.hpp"
#include "schedules.hpp"

/// The frequency at which waves on a current pass a place that does not move.
namespace halocline::waves {

inline constexpr Contract<6> absolute_peak_contract{
    "absolute_peak",
    {{{"peak_frequency", Access::read, Place::point, "Hz"},
      {"peak_direction", Access::read, Place::point, "degree"},
      {"depth", Access::read, Place::point, "m"},
      {"point_current", Access::read, Place::point, "m s-1", "2"},
      {"absolute_peak_frequency", Access::write, Place::point, "Hz"},
      {"absolute_peak_period", Access::write, Place::point, "s"}}}};

/// omega = sigma + k . U of the peak; frequency and period are missing where there are no waves,
/// the period also where crests stand still or are carried backwards.
///
/// @param[in]  peak_frequency           relative to the water, NaN where there are no waves
/// @param[in]  peak_direction           where waves come from, clockwise from north
/// @param[in]  depth                    of the water
/// @param[in]  point_current            along x and y, shape (2, point)
/// @param[out] absolute_peak_frequency  negative where crests are carried backwards
/// @param[out] absolute_peak_period     1 over it
/// @param[in]  gravity                  [m s-2]
/// @param[in]  missing                  value where there is none
template <class T>
void absolute_peak(Box box, View<const T, 1> peak_frequency, View<const T, 1> peak_direction,
                   View<const T, 1> depth, View<const T, 2> point_current,
                   View<T, 1> absolute_peak_frequency, View<T, 1> absolute_peak_period,
                   double gravity, double missing) {
  constexpr double circle = 6.28318530717958647692;
  for_each_in<std::ptrdiff_t>(0, box.points, 1, [=](std::ptrdiff_t point) {
    const double frequency = peak_frequency(point);
    const double from = peak_direction(point) * (circle / 360.0);
    double absolute = missing, period = missing;
    if (frequency > 0.0) {
      const auto wave = linear_wave(circle * frequency, static_cast<double>(depth(point)), gravity);
      const auto turn = sine_cosine(from);
      const double along =
          -(point_current(0, point) * turn.sine + point_current(1, point) * turn.cosine);
      absolute = frequency + wave.wavenumber * along / circle;
      if (absolute > 0.0) period = 1.0 / absolute;
    }
    absolute_peak_frequency(point) = static_cast<T>(absolute);
    absolute_peak_period(point) = static_cast<T>(period);
  });
}

}  // namespace halocline::waves
