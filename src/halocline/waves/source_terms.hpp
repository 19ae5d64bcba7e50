#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
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

/// One value of each of the points first, first + 1, ...; beyond the last point it is repeated.
template <class V, class T>
V read_points(const T* values, std::ptrdiff_t first, std::ptrdiff_t points) {
  if (first + width_of<V> <= points) return load<V>(values + first);
  V result;
  for (int lane = 0; lane < width_of<V>; ++lane)
    result[lane] = values[std::min(first + lane, points - 1)];
  return result;
}

template <class V, class T>
void write_points(V value, T* values, std::ptrdiff_t first, std::ptrdiff_t points) {
  if (first + width_of<V> <= points) {
    store<V>(values + first, value);
  } else {
    std::memcpy(values + first, &value, sizeof(T) * static_cast<std::size_t>(points - first));
  }
}

/// Copies the values of a tile's points between arrays and tile.
template <class T, int W, class Package>
class TileCopy {
 public:
  using V = pack<T, W>;

  TileCopy(View2<T> spectrum, const SourceArrays<T>& arrays, std::ptrdiff_t points,
           const StabilityOptions& stability)
      : spectrum_(spectrum), a_(arrays), points_(points), stability_(stability) {}

  void in(Tile<T, W>& tile, std::ptrdiff_t first) const {
    for (int at = 0; at < tile.components(); ++at) {
      const T* row = spectrum_.row(at);
      if (first + W < points_) __builtin_prefetch(row + first + W, 0, 2);
      tile.spectrum[at] = read_points<V>(row, first, points_);
    }
    for (int f = 0; f < tile.frequencies(); ++f) {
      tile.wavenumber[f] = read_points<V>(a_.wavenumber.row(f), first, points_);
      tile.group_velocity[f] = read_points<V>(a_.group_velocity.row(f), first, points_);
      tile.linear_row[f] = V{};
    }
    for (int d = 0; d < tile.directions(); ++d) tile.linear_direction[d] = V{};
    const auto read = [&](View1<const T> from) {
      return read_points<V>(from.data, first, points_);
    };
    tile.depth = read(a_.depth);
    tile.open_water = T(1) - read(a_.ice);
    tile.friction_velocity = read_points<V>(a_.friction_velocity.data, first, points_);
    tile.roughness = V{};
    for (int m = 0; m < Package::memory; ++m)
      tile.memory[m] = read_points<V>(a_.source_memory.row(m), first, points_);
    wind(tile, read(a_.wind_u), read(a_.wind_v), read(a_.air_sea_difference));
  }

  void out(const Tile<T, W>& tile, std::ptrdiff_t first) const {
    for (int at = 0; at < tile.components(); ++at)
      write_points(tile.spectrum[at], spectrum_.row(at), first, points_);
    state_out(tile, first);
  }

  void state_out(const Tile<T, W>& tile, std::ptrdiff_t first) const {
    write_points(tile.friction_velocity, a_.friction_velocity.data, first, points_);
    write_points(tile.roughness, a_.roughness.data, first, points_);
    for (int m = 0; m < Package::memory; ++m)
      write_points(tile.memory[m], a_.source_memory.row(m), first, points_);
  }

 private:
  void wind(Tile<T, W>& tile, V u, V v, V temperature_difference) const {
    const V speed = square_root(u * u + v * v);
    const auto calm = speed <= T(0);
    const V safe = calm ? splat<V>(T(1)) : speed;
    tile.wind_cosine = calm ? splat<V>(T(1)) : u / safe;
    tile.wind_sine = calm ? V{} : v / safe;
    tile.wind_speed = stability_.enabled
                          ? effective_wind_speed(speed, temperature_difference, stability_)
                          : speed;
  }

  View2<T> spectrum_;
  const SourceArrays<T>& a_;
  std::ptrdiff_t points_;
  StabilityOptions stability_;
};

/// Sums over the tiles of one thread.
struct SourceCounts {
  std::int64_t points = 0;    ///< points that were advanced
  std::int64_t steps = 0;     ///< their sub-steps
  std::int64_t executed = 0;  ///< lanes times sub-steps of their tiles
  std::int64_t tiles = 0;
};

/// Options that all packages share.
struct SourceOptions {
  SpectralNumbers grid;
  IntegrationOptions integration;
  QuadrupletOptions quadruplets;
  StabilityOptions stability;
};

/// Advance the spectra of the first `points` sea points by `duration` [s].
///
/// @param[in]     package   source package
/// @param[in]     turning   called with each tile and its first point before the source terms
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
  const std::ptrdiff_t scratch =
      Integration::scratch(quadruplets, grid.tables.frequencies, grid.tables.directions);
  const std::ptrdiff_t tiles = (points + W - 1) / W;
#pragma omp parallel
  {
    TileMemory<T, W> memory(grid.tables, scratch);
    Tile<T, W>& tile = memory.tile;
    Integration integration(options.integration, options.quadruplets, quadruplets, package);
    const TileCopy<T, W, Package> copy(spectrum, arrays, points, options.stability);
    SourceCounts counts;
    PhaseClock clock;
#pragma omp for schedule(dynamic, 4)
    for (std::ptrdiff_t at = 0; at < tiles; ++at) {
      const std::ptrdiff_t first = at * W;
      const std::ptrdiff_t valid = std::min<std::ptrdiff_t>(W, points - first);
      clock.mark(Phase::copy_out);
      copy.in(tile, first);
      clock.mark(Phase::copy_in);
      turning(tile, first);
      clock.mark(Phase::turning);
      const auto count = integration.run(tile, memory.extra, T(duration), clock);
      copy.out(tile, first);
      write_points(count.steps, source_steps.data, first, points);
      counts.points += valid;
      for (int lane = 0; lane < valid; ++lane)
        counts.steps += static_cast<std::int64_t>(reinterpret_cast<const T*>(&count.steps)[lane]);
      counts.executed += static_cast<std::int64_t>(count.executed) * W;
      ++counts.tiles;
      clock.mark(Phase::copy_out);
    }
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
  TileMemory<T, W> memory(grid.tables, Integration::scratch(quadruplets, grid.tables.frequencies,
                                                            grid.tables.directions));
  Tile<T, W>& tile = memory.tile;
  const TileCopy<T, W, Package> copy(spectrum, arrays, points, options.stability);
  const int nf = tile.frequencies(), nd = tile.directions();
  for (std::ptrdiff_t first = 0; first < points; first += W) {
    const auto write = [&](View2<T> to, auto value) {
      for (int f = 0; f < nf; ++f)
        for (int d = 0; d < nd; ++d)
          write_points(V(value(f, f * nd + d)), to.row(f * nd + d), first, points);
    };
    const auto growth = [&](int f, int at) {
      return (tile.rate[at] + tile.row_rate[f]) * tile.spectrum[at];
    };
    const auto clear = [&] {
      for (int f = 0; f < nf; ++f) tile.row_rate[f] = V{};
    };
    copy.in(tile, first);
    for (int round = 0; round < rounds; ++round) {
      package.start(tile);
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
    sweep.run(integration.quadruplet_factor(tile), [&](int f, int d, V transfer, V slope) {
      tile.source[f * nd + d] = transfer;
      tile.diagonal[f * nd + d] = slope;
    });
    write(parts.quadruplets, [&](int, int at) { return tile.source[at]; });
    write(parts.quadruplet_diagonal, [&](int, int at) { return tile.diagonal[at]; });
    copy.state_out(tile, first);
  }
}

}  // namespace halocline::waves
