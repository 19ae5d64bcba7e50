#pragma once
#include <algorithm>
#include <cstddef>

#include "contract.hpp"
#include "view.hpp"
#include "waves/negligible.hpp"
#include "waves/tile.hpp"
#include "waves/wind_stability.hpp"

/// Between arrays on sea points and the lanes of a tile.
namespace halocline::waves {

/// The arrays on sea points that source terms read and update.
template <class T>
struct SourceArrays {
  View2<const T> wavenumber;          ///< [rad m-1], shape (frequency, point)
  View2<const T> group_velocity;      ///< [m s-1]
  View1<const T> depth;               ///< [m]
  View1<const T> wind_u, wind_v;      ///< [m s-1]
  View1<const T> air_sea_difference;  ///< [K]
  View1<const T> open_water;          ///< share that sources act on [1]
  View1<T> friction_velocity;         ///< [m s-1]
  View1<T> roughness;                 ///< [m]
  View2<T> source_memory;             ///< shape (value, point), as the package likes
};

/// Arguments that the kernels of all packages share.
inline constexpr Argument source_arguments[] = {
    {"wavenumber", Access::read, Place::point, "rad m-1", "frequency", {}, Column::whole},
    {"group_velocity", Access::read, Place::point, "m s-1", "frequency", {}, Column::whole},
    {"depth", Access::read, Place::point, "m"},
    {"wind_u", Access::read, Place::point, "m s-1"},
    {"wind_v", Access::read, Place::point, "m s-1"},
    {"air_sea_difference", Access::read, Place::point, "K"},
    {"open_water", Access::read, Place::point, "1"},
    {"friction_velocity", Access::update, Place::point, "m s-1"},
    {"roughness", Access::write, Place::point, "m"},
    {"source_memory", Access::update, Place::point, "1", "memory", {}, Column::whole}};

/// Lanes that take new points: lane l with `taken[l]` gets point first + order[l].
template <class V>
struct Intake {
  mask_of<V> taken{};
  elementary::integer_of<V> order{};
  std::ptrdiff_t first = 0;
};

/// All lanes take the points first, first + 1, ...
template <class V>
Intake<V> all_lanes(std::ptrdiff_t first) {
  Intake<V> intake{V{} == V{}, {}, first};
  for (int lane = 0; lane < width_of<V>; ++lane) intake.order[lane] = lane;
  return intake;
}

/// The values of `old` with those of new points; beyond the last point its value is repeated.
template <class V, class T>
V take(V old, const Intake<V>& intake, const T* values, std::ptrdiff_t points) {
  V fresh;
  if (intake.first + width_of<V> <= points) {
    fresh = __builtin_shuffle(load<V>(values + intake.first), intake.order);
  } else {
    for (int lane = 0; lane < width_of<V>; ++lane)
      fresh[lane] = values[std::min<std::ptrdiff_t>(intake.first + intake.order[lane], points - 1)];
  }
  return intake.taken ? fresh : old;
}

/// Lanes whose values go to points.
template <int W>
struct Outlet {
  int count = 0;
  int lane[W + 1];
  std::ptrdiff_t point[W + 1];

  Outlet() { lane[0] = -1; }
  void add(int from, std::ptrdiff_t to) {
    lane[count] = from;
    point[count++] = to;
    lane[count] = -1;
  }
};

/// The lanes 0, 1, ... go to the points first, first + 1, ... as far as there are such.
template <int W>
Outlet<W> all_points(std::ptrdiff_t first, std::ptrdiff_t points) {
  Outlet<W> outlet;
  for (int lane = 0; lane < W && first + lane < points; ++lane) outlet.add(lane, first + lane);
  return outlet;
}

/// Write the lanes one by one; the list ends at a negative lane, which keeps compilers from turning
/// the few stores into slower scatters.
template <int W, class V, class T>
void put(const V& value, const Outlet<W>& outlet, T* values) {
  const T* lanes_of_value = reinterpret_cast<const T*>(&value);
  for (int at = 0; outlet.lane[at] >= 0; ++at)
    values[outlet.point[at]] = lanes_of_value[outlet.lane[at]];
}

/// Copies the values of a tile's points between arrays and tile.
template <class T, int W, class Package>
class TileCopy {
 public:
  using V = pack<T, W>;

  TileCopy(View2<T> spectrum, const SourceArrays<T>& arrays, std::ptrdiff_t points,
           const StabilityOptions& stability)
      : spectrum_(spectrum), a_(arrays), points_(points), stability_(stability) {}

  void in(Tile<T, W>& tile, const Intake<V>& intake) const {
    const std::ptrdiff_t next = intake.first + W;
    const bool more = next + W / 2 < points_;
    for (int at = 0; at < tile.components(); ++at) {
      const T* row = spectrum_.row(at);
      if (more) __builtin_prefetch(row + next + W / 2, 0, 2);
      tile.spectrum[at] = take(tile.spectrum[at], intake, row, points_);
    }
    for (int f = 0; f < tile.frequencies(); ++f) {
      tile.wavenumber[f] = take(tile.wavenumber[f], intake, a_.wavenumber.row(f), points_);
      tile.group_velocity[f] =
          take(tile.group_velocity[f], intake, a_.group_velocity.row(f), points_);
      tile.linear_row[f] = V{};
    }
    for (int d = 0; d < tile.directions(); ++d) tile.linear_direction[d] = V{};
    const auto read = [&](V old, const T* from) { return take(old, intake, from, points_); };
    tile.depth = read(tile.depth, a_.depth.data);
    tile.open_water = read(tile.open_water, a_.open_water.data);
    tile.friction_velocity = read(tile.friction_velocity, a_.friction_velocity.data);
    for (int m = 0; m < Package::memory; ++m)
      tile.memory[m] = read(tile.memory[m], a_.source_memory.row(m));
    wind(tile, intake);
  }

  void out(const Tile<T, W>& tile, const Outlet<W>& outlet) const {
    for (int at = 0; at < tile.components(); ++at)
      put(unless_negligible(tile.spectrum[at]), outlet, spectrum_.row(at));
    state_out(tile, outlet);
  }

  void state_out(const Tile<T, W>& tile, const Outlet<W>& outlet) const {
    put(tile.friction_velocity, outlet, a_.friction_velocity.data);
    put(tile.roughness, outlet, a_.roughness.data);
    for (int m = 0; m < Package::memory; ++m) put(tile.memory[m], outlet, a_.source_memory.row(m));
  }

 private:
  void wind(Tile<T, W>& tile, const Intake<V>& intake) const {
    const V u = take(V{}, intake, a_.wind_u.data, points_);
    const V v = take(V{}, intake, a_.wind_v.data, points_);
    const V warmer = take(V{}, intake, a_.air_sea_difference.data, points_);
    const V speed = square_root(u * u + v * v);
    const auto calm = speed <= T(0);
    const V safe = calm ? splat<V>(T(1)) : speed;
    const V effective =
        stability_.enabled ? effective_wind_speed(speed, warmer, stability_) : speed;
    tile.wind_cosine = intake.taken ? (calm ? splat<V>(T(1)) : u / safe) : tile.wind_cosine;
    tile.wind_sine = intake.taken ? (calm ? V{} : v / safe) : tile.wind_sine;
    tile.wind_speed = intake.taken ? effective : tile.wind_speed;
  }

  View2<T> spectrum_;
  const SourceArrays<T>& a_;
  std::ptrdiff_t points_;
  StabilityOptions stability_;
};

}  // namespace halocline::waves
