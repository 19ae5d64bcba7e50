#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "schedules.hpp"
#include "view.hpp"
#include "waves/phase_clock.hpp"
#include "waves/quadruplets.hpp"
#include "waves/source_integration.hpp"
#include "waves/tile.hpp"
#include "waves/tile_copy.hpp"
#include "waves/wind_stability.hpp"

/// The schedule of the source terms: points are copied into the lanes of tiles, worked on, and
/// copied back.
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
template <class T, int W, class Package>
class LaneSchedule {
 public:
  using V = pack<T, W>;
  using Integration = SourceIntegration<T, W, Package>;
  using Copy = TileCopy<T, W, Package>;

  LaneSchedule(Tile<T, W>& tile, Integration& integration, const Copy& copy, PointQueue& queue,
               PhaseClock& clock)
      : tile_(tile), integration_(integration), copy_(copy), queue_(queue), clock_(clock) {
    for (std::ptrdiff_t& point : point_) point = -1;
  }

  /// Advance points of the queue until there are none left.
  SourceCounts run(V* scratch, T duration, View1<T> source_steps, View2<T> wave_stress) {
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
      if (wave_stress.extent[1] > 0)
        for (int row = 0; row < Integration::stresses; ++row)
          put(V(integration_.stress(row) / duration), outlet, wave_stress.row(row));
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
/// @param[in,out] spectrum  [m2 Hz-1 rad-1], shape (component, point)
/// @param[out]    source_steps steps of each point
/// @param[out]    wave_stress  means of the momentum from the air and to the bottom, east and
/// north,
///                             over the density of water [m2 s-2]; where wanted
/// @param[in,out] counters  see SourceCounts
/// @param[in,out] phase_times  [ns], see Phase; only where `timed`
template <class T, int W, class Package>
void integrate_tiles(const Package& package, std::ptrdiff_t points, View2<T> spectrum,
                     const SourceArrays<T>& arrays, View1<T> source_steps, View2<T> wave_stress,
                     View1<std::int64_t> counters, View1<std::int64_t> phase_times,
                     const SourceOptions& options, double duration, bool timed) {
  const SpectralTableMemory<T> grid(options.grid);
  const QuadrupletTables<T> quadruplets(options.quadruplets, grid.tables);
  using Integration = SourceIntegration<T, W, Package>;
  const std::ptrdiff_t scratch = Integration::scratch(quadruplets, grid.tables.directions);
  PointQueue queue(points);
  struct Done {
    SourceCounts counts;
    PhaseClock clock;
  };
  const auto work = [&] {
    TileMemory<T, W> memory(grid.tables, scratch);
    Integration integration(options.integration, options.quadruplets, quadruplets, package,
                            wave_stress.extent[1] > 0);
    const TileCopy<T, W, Package> copy(spectrum, arrays, points, options.stability);
    PhaseClock clock;
    LaneSchedule<T, W, Package> schedule(memory.tile, integration, copy, queue, clock);
    const SourceCounts counts = schedule.run(memory.extra, T(duration), source_steps, wave_stress);
    return Done{counts, clock};
  };
  on_threads(work, [&](const Done& done) {
    counters(0) += done.counts.points;
    counters(1) += done.counts.steps;
    counters(2) += done.counts.executed;
    counters(3) += done.counts.tiles;
    if (timed) done.clock.report(phase_times.data);
  });
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
