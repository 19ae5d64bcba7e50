#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Light for plants [umol m-2 s-1] at the surface and in the cells below it.
namespace halocline::biogeochemistry {

/// The sun over one place on one day: its height's sine is `middle + swing cos(hour angle)`, and
/// it is up for hour angles below `half_day` [rad].
template <class V>
struct Sun {
  V middle, swing, half_day;
};

/// @param latitude     [rad]
/// @param declination  of the sun [rad]
template <class V>
HD inline Sun<V> sun_over(V latitude, V declination) {
  const V a = sin(latitude) * sin(declination), b = cos(latitude) * cos(declination);
  return {a, b, atan2(square_root(maximum(b * b - a * a, V{})), -a)};
}

/// Length of the day [h].
template <class V>
HD inline V day_length(const Sun<V>& sun) {
  return scalar_of<V>(24.0 / 3.14159265358979323846) * sun.half_day;
}

/// Integral over the hour angle of the sine of its height while it is up, from the noon of day 0.
template <class V>
HD inline V sun_since_noon(const Sun<V>& sun, V hour_angle) {
  using T = scalar_of<V>;
  const T turn = T(6.28318530717958647692);
  const V days = elementary::round<V>(hour_angle / turn).value;
  const V within = minimum(maximum(hour_angle - days * turn, -sun.half_day), sun.half_day);
  const V half = sun.middle * sun.half_day + sun.swing * sin(sun.half_day);
  return T(2) * days * half + sun.middle * within + sun.swing * sin(within);
}

/// Light from `begin` to `end` (local solar time in days, noon at 0.5) over that of the whole day.
template <class V>
HD inline V share_of_day(const Sun<V>& sun, V begin, V end) {
  using T = scalar_of<V>;
  const T turn = T(6.28318530717958647692);
  const V first = turn * (begin - T(0.5)), last = turn * (end - T(0.5));
  const V all = T(2) * (sun.middle * sun.half_day + sun.swing * sin(sun.half_day));
  const V now = (sun_since_noon(sun, last) - sun_since_noon(sun, first)) * turn / (last - first);
  return all > V{} ? maximum(V(now / all), V{}) : V{};
}

inline constexpr Contract<4> surface_light_contract{
    "surface_light",
    {{{"short_wave", Access::read, Place::center, "W m-2"},
      {"longitude", Access::read, Place::center, "degree"},
      {"latitude", Access::read, Place::center, "degree"},
      {"surface_light", Access::write, Place::center, "umol m-2 s-1"}}}};

/// Light that enters the sea.
///
/// @param[in]  box            cells to compute
/// @param[in]  short_wave     that enters the sea, of now or, with `course`, mean of the day [W
/// m-2]
/// @param[in]  longitude      [degree]
/// @param[in]  latitude       [degree]
/// @param[out] surface_light  mean of the step [umol m-2 s-1]
/// @param[in]  per_watt       light of the short wave [umol J-1]
/// @param[in]  course         whether the sun's course distributes it over the day
/// @param[in]  declination    of the sun [rad]
/// @param[in]  begin, end     of the step in days of universal time; only the parts of a day matter
template <class T>
void surface_light(Box box, View2<const T> short_wave, View2<const T> longitude,
                   View2<const T> latitude, View2<T> surface_light, double per_watt, bool course,
                   double declination, double begin, double end) {
  for_rows(box, [&](int j) {
    for (int i = box.i0; i < box.i1; ++i) {
      double share = 1.0;
      if (course) {
        const double east = static_cast<double>(longitude(j, i)) / 360.0;
        const double north = static_cast<double>(latitude(j, i)) * 0.017453292519943295;
        share = share_of_day(sun_over(north, declination), begin + east, end + east);
      }
      surface_light(j, i) =
          static_cast<T>(share * per_watt * static_cast<double>(short_wave(j, i)));
    }
  });
}

inline constexpr Contract<7> light_in_water_contract{
    "light_in_water",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"surface_light", Access::read, Place::center, "umol m-2 s-1"},
      {"attenuation", Access::read, Place::center, "m-1"},
      {"tracer_attenuation", Access::read, Place::none, "any", "tracer"},
      {"light", Access::write, Place::center, "umol m-2 s-1", "depth", {}, Column::whole}}}};

/// Light in the cells, that falls as exp(- sum of attenuation x thickness) from the surface.
///
/// @param[in]  box                 cells to compute
/// @param[in]  tracer              per m3, shape (tracer, k, j, i)
/// @param[in]  volume              of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]  area                of the cells [m2], shape (j, i)
/// @param[in]  surface_light       [umol m-2 s-1], shape (j, i)
/// @param[in]  attenuation         of all that is no tracer here [m-1], shape (j, i)
/// @param[in]  tracer_attenuation  of each tracer [m2 per its amount], shape (tracer); 0 for most
/// @param[out] light               at the middle of the cells, or mean [umol m-2 s-1], (k, j, i)
/// @param[in]  mean                whether it is the mean over a cell
template <class T>
void light_in_water(Box box, View4<const T> tracer, View3<const T> volume, View2<const T> area,
                    View2<const T> surface_light, View2<const T> attenuation,
                    View1<const T> tracer_attenuation, View3<T> light, bool mean) {
  const int levels = static_cast<int>(volume.extent[0]);
  const std::ptrdiff_t tracers = tracer.extent[0];
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V plane = load<V>(area.row(j) + i), rest = load<V>(attenuation.row(j) + i);
      V above = load<V>(surface_light.row(j) + i);
      for (int k = levels - 1; k >= 0; --k) {
        V sum = rest;
        for (std::ptrdiff_t t = 0; t < tracers; ++t) {
          const T weight = tracer_attenuation(t);
          if (weight != T(0)) sum += weight * maximum(load<V>(tracer.row(t, k, j) + i), V{});
        }
        const V thickness = load<V>(volume.row(k, j) + i) / plane;
        const V middle = exp(T(-0.5) * sum * thickness), through = middle * middle;
        const V loss = sum * thickness;
        const V averaged = loss > T(0.02) ? V((T(1) - through) / loss)
                                          : V(T(1) - T(0.5) * loss * (T(1) - loss / T(3)));
        store<V>(light.row(k, j) + i, above * (mean ? averaged : middle));
        above *= through;
      }
    });
  });
}

}  // namespace halocline::biogeochemistry
