#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "contract.hpp"
#include "view.hpp"
#include "waves/phase_clock.hpp"
#include "waves/quadruplets.hpp"
#include "waves/source_integration.hpp"
#include "waves/tile.hpp"
#include "waves/wind_stability.hpp"

/// The schedule of the source terms: tiles of points are copied in, worked on, and copied back.
namespace halocline::waves {

/// Numbers of a SpectralGrid (spectrum.py).
struct SpectralNumbers {
  double first_frequency = 0.0418;
  double factor = 1.1;
  int frequencies = 25;
  int directions = 24;
  double offset = 0.0;
};

/// Tables of a spectral grid, in the precision of the kernel.
template <class T>
class SpectralTableMemory {
 public:
  explicit SpectralTableMemory(const SpectralNumbers& grid) {
    const int nf = grid.frequencies, nd = grid.directions;
    const double x = grid.factor, width = two_pi / nd;
    for (int f = 0; f < nf; ++f) {
      const double frequency = grid.first_frequency * std::pow(x, f);
      const double below = f > 0 ? frequency * (1 - 1 / x) : 0;
      const double above = f + 1 < nf ? frequency * (x - 1) : 0;
      sigma_.push_back(T(two_pi * frequency));
      band_.push_back(T(0.5 * frequency * (x - 1 / x)));
      output_band_.push_back(T(0.5 * (below + above)));
    }
    for (int d = 0; d < nd; ++d) {
      const bool opposite = nd % 2 == 0 && d >= nd / 2;
      const double angle = (d + grid.offset) * width;
      cosine_.push_back(opposite ? -cosine_[d - nd / 2] : T(std::cos(angle)));
      sine_.push_back(opposite ? -sine_[d - nd / 2] : T(std::sin(angle)));
    }
    tables = {nf,
              nd,
              T(x),
              T(width),
              sigma_[0],
              T(std::log(x)),
              sigma_.data(),
              band_.data(),
              output_band_.data(),
              cosine_.data(),
              sine_.data()};
  }
  SpectralTableMemory(const SpectralTableMemory&) = delete;
  SpectralTableMemory& operator=(const SpectralTableMemory&) = delete;

  SpectralTables<T> tables;

 private:
  static constexpr double two_pi = 6.28318530717958647692;
  std::vector<T> sigma_, band_, output_band_, cosine_, sine_;
};

/// The arrays on sea points that source terms read and update.
template <class T>
struct SourceArrays {
  View2<const T> wavenumber;          ///< [rad m-1], shape (frequency, point)
  View2<const T> group_velocity;      ///< [m s-1]
  View1<const T> depth;               ///< [m]
  View1<const T> wind_u, wind_v;      ///< [m s-1]
  View1<const T> air_sea_difference;  ///< [K]
  View1<const T> ice;                 ///< [1]
  View1<T> friction_velocity;         ///< [m s-1]
  View1<T> roughness;                 ///< [m]
  View2<T> source_memory;             ///< shape (value, point), as the package likes
};

/// Arguments that the kernels of all packages share.
inline constexpr Argument source_arguments[] = {
    {"wavenumber", Access::read, Place::point, "rad m-1", {}, Column::whole},
    {"group_velocity", Access::read, Place::point, "m s-1", {}, Column::whole},
    {"depth", Access::read, Place::point, "m"},
    {"wind_u", Access::read, Place::point, "m s-1"},
    {"wind_v", Access::read, Place::point, "m s-1"},
    {"air_sea_difference", Access::read, Place::point, "K"},
    {"ice", Access::read, Place::point, "1"},
    {"friction_velocity", Access::update, Place::point, "m s-1"},
    {"roughness", Access::write, Place::point, "m"},
    {"source_memory", Access::update, Place::point, "1", {}, Column::whole}};

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
    tile.open_water = read(tile.open_water, a_.ice.data);
    tile.open_water = intake.taken ? T(1) - tile.open_water : tile.open_water;
    tile.friction_velocity = read(tile.friction_velocity, a_.friction_velocity.data);
    for (int m = 0; m < Package::memory; ++m)
      tile.memory[m] = read(tile.memory[m], a_.source_memory.row(m));
    wind(tile, intake);
  }

  void out(const Tile<T, W>& tile, const Outlet<W>& outlet) const {
    for (int at = 0; at < tile.components(); ++at)
      put(tile.spectrum[at], outlet, spectrum_.row(at));
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

/// Sums over the points of one thread.
struct SourceCounts {
  std::int64_t points = 0;    ///< points that were advanced
  std::int64_t steps = 0;     ///< their sub-steps
  std::int64_t executed = 0;  ///< sub-steps of tiles times lanes, busy or not
  std::int64_t tiles = 0;     ///< sub-steps of tiles
};

/// Options that all packages share.
struct SourceOptions {
  SpectralNumbers grid;
  IntegrationOptions integration;
  QuadrupletOptions quadruplets;
  StabilityOptions stability;
};

/// Hands out points to threads, batch by batch; which thread takes which changes no bit.
class PointQueue {
 public:
  explicit PointQueue(std::ptrdiff_t points) : points_(points) {}

  /// The next batch [begin, end); empty when all are taken.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> batch() {
    const std::ptrdiff_t begin = std::min(next_.fetch_add(size), points_);
    return {begin, std::min(begin + size, points_)};
  }

 private:
  static constexpr std::ptrdiff_t size = 128;
  std::ptrdiff_t points_;
  std::atomic<std::ptrdiff_t> next_{0};
};

/// One thread's tile, whose lanes take a new point as soon as theirs is done: points differ in the
/// number of their sub-steps, and so no lane waits for another.
template <class T, int W, class Package, class Turning>
class LaneSchedule {
 public:
  using V = pack<T, W>;
  using Integration = SourceIntegration<T, W, Package>;
  using Copy = TileCopy<T, W, Package>;

  LaneSchedule(Tile<T, W>& tile, Integration& integration, const Copy& copy, const Turning& turning,
               PointQueue& queue, PhaseClock& clock)
      : tile_(tile),
        integration_(integration),
        copy_(copy),
        turning_(turning),
        queue_(queue),
        clock_(clock) {
    for (std::ptrdiff_t& point : point_) point = -1;
  }

  /// Advance points of the queue until there are none left.
  SourceCounts run(V* scratch, T duration, View1<T> source_steps) {
    while (refill()) {
      const auto finished = integration_.advance(tile_, scratch, duration, clock_);
      counts_.executed += W;
      ++counts_.tiles;
      Outlet<W> outlet;
      for (int lane = 0; lane < W; ++lane) {
        if (!finished[lane] || point_[lane] < 0) continue;
        outlet.add(lane, point_[lane]);
        counts_.steps += static_cast<std::int64_t>(integration_.steps()[lane]);
        point_[lane] = -1;
      }
      if (outlet.count == 0) continue;
      counts_.points += outlet.count;
      copy_.out(tile_, outlet);
      put(integration_.steps(), outlet, source_steps.data);
      clock_.mark(Phase::copy_out);
    }
    return counts_;
  }

 private:
  /// Give points to the lanes that have none; says whether any lane has one.
  bool refill() {
    mask_of<V> fresh{};
    while (true) {
      if (begin_ == end_) std::tie(begin_, end_) = queue_.batch();
      if (begin_ == end_) break;
      Intake<V> intake{{}, {}, begin_};
      bool any_idle = false;
      for (int lane = 0; lane < W; ++lane) {
        if (point_[lane] >= 0 || begin_ == end_) continue;
        intake.taken[lane] = -1;
        intake.order[lane] = begin_ - intake.first;
        point_[lane] = begin_++;
        any_idle = true;
      }
      if (!any_idle) break;
      if (first_) intake = whole(intake);
      copy_.in(tile_, intake);
      clock_.mark(Phase::copy_in);
      turning_(tile_, intake);
      clock_.mark(Phase::turning);
      fresh |= intake.taken;
    }
    bool busy = false;
    for (const std::ptrdiff_t point : point_) busy |= point >= 0;
    if (any(fresh)) integration_.begin(tile_, fresh);
    return busy;
  }

  /// The first points of a thread fill all lanes, some with copies, so that all hold valid values.
  Intake<V> whole(Intake<V> intake) {
    first_ = false;
    intake.taken = V{} == V{};
    return intake;
  }

  Tile<T, W>& tile_;
  Integration& integration_;
  const Copy& copy_;
  const Turning& turning_;
  PointQueue& queue_;
  PhaseClock& clock_;
  SourceCounts counts_;
  std::ptrdiff_t point_[W];
  std::ptrdiff_t begin_ = 0, end_ = 0;
  bool first_ = true;
};

/// Advance the spectra of the first `points` sea points by `duration` [s].
///
/// @param[in]     package   source package
/// @param[in]     turning   called with each tile and its new points before the source terms
/// @param[in,out] spectrum  [m2 Hz-1 rad-1], shape (component, point)
/// @param[out]    source_steps steps of each point
/// @param[in,out] counters  see SourceCounts
/// @param[in,out] phase_times  [ns], see Phase; only where `timed`
template <class T, int W, class Package, class Turning>
void integrate_tiles(const Package& package, const Turning& turning, std::ptrdiff_t points,
                     View2<T> spectrum, const SourceArrays<T>& arrays, View1<T> source_steps,
                     View1<std::int64_t> counters, View1<std::int64_t> phase_times,
                     const SourceOptions& options, double duration, bool timed) {
  const SpectralTableMemory<T> grid(options.grid);
  const QuadrupletTables<T> quadruplets(options.quadruplets, grid.tables);
  using Integration = SourceIntegration<T, W, Package>;
  const std::ptrdiff_t scratch = Integration::scratch(quadruplets, grid.tables.directions);
  PointQueue queue(points);
#pragma omp parallel
  {
    TileMemory<T, W> memory(grid.tables, scratch);
    Integration integration(options.integration, options.quadruplets, quadruplets, package);
    const TileCopy<T, W, Package> copy(spectrum, arrays, points, options.stability);
    PhaseClock clock;
    LaneSchedule<T, W, Package, Turning> schedule(memory.tile, integration, copy, turning, queue,
                                                  clock);
    const SourceCounts counts = schedule.run(memory.extra, T(duration), source_steps);
#pragma omp critical
    {
      counters(0) += counts.points;
      counters(1) += counts.steps;
      counters(2) += counts.executed;
      counters(3) += counts.tiles;
      if (timed) clock.report(phase_times.data);
    }
  }
}

/// The arrays that take the source terms one by one [m2 Hz-1 rad-1 s-1], shape (component, point).
template <class T>
struct SourceParts {
  View2<T> input, dissipation, quadruplets, quadruplet_diagonal, friction, breaking;
};

/// Source terms of given spectra one by one; stress and spectrum are brought into balance by
/// `rounds` evaluations. Friction velocity, roughness and the memory of the package are updated.
template <class T, int W, class Package>
void separate_tiles(const Package& package, std::ptrdiff_t points, View2<T> spectrum,
                    const SourceArrays<T>& arrays, const SourceParts<T>& parts,
                    const SourceOptions& options, int rounds) {
  using V = pack<T, W>;
  const SpectralTableMemory<T> grid(options.grid);
  const QuadrupletTables<T> quadruplets(options.quadruplets, grid.tables);
  using Integration = SourceIntegration<T, W, Package>;
  Integration integration(options.integration, options.quadruplets, quadruplets, package);
  TileMemory<T, W> memory(grid.tables, Integration::scratch(quadruplets, grid.tables.directions));
  Tile<T, W>& tile = memory.tile;
  const TileCopy<T, W, Package> copy(spectrum, arrays, points, options.stability);
  const int nf = tile.frequencies(), nd = tile.directions();
  for (std::ptrdiff_t first = 0; first < points; first += W) {
    const Outlet<W> outlet = all_points<W>(first, points);
    const auto write = [&](View2<T> to, auto value) {
      for (int f = 0; f < nf; ++f)
        for (int d = 0; d < nd; ++d) put(V(value(f, f * nd + d)), outlet, to.row(f * nd + d));
    };
    const auto growth = [&](int f, int at) {
      return (tile.rate[at] + tile.row_rate[f]) * tile.spectrum[at];
    };
    const auto clear = [&] {
      for (int f = 0; f < nf; ++f) tile.row_rate[f] = V{};
    };
    copy.in(tile, all_lanes<V>(first));
    package.start(tile);
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) package.finish(tile);
      clear();
      package.input(tile);
    }
    write(parts.input, [&](int f, int at) {
      return growth(f, at) + tile.linear_row[f] * tile.linear_direction[at % nd];
    });
    clear();
    std::fill(tile.rate, tile.rate + nf * nd, V{});
    package.dissipation(tile);
    write(parts.dissipation, growth);
    clear();
    std::fill(tile.rate, tile.rate + nf * nd, V{});
    integration.friction(tile);
    write(parts.friction, growth);
    const V broken = integration.breaking(tile);
    write(parts.breaking, [&](int, int at) { return broken * tile.spectrum[at]; });
    QuadrupletSweep<T, W> sweep(quadruplets, tile, memory.extra);
    sweep.run(integration.quadruplet_factor(tile), [&](int f, auto transfer) {
      for (int d = 0; d < nd; ++d) {
        const auto exchanged = transfer(d);
        tile.source[f * nd + d] = exchanged.source;
        tile.diagonal[f * nd + d] = exchanged.diagonal;
      }
    });
    write(parts.quadruplets, [&](int, int at) { return tile.source[at]; });
    write(parts.quadruplet_diagonal, [&](int, int at) { return tile.diagonal[at]; });
    copy.state_out(tile, outlet);
  }
}

}  // namespace halocline::waves
