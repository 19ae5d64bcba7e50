#pragma once
#include <algorithm>

#include "elementary.hpp"
#include "waves/bottom_friction.hpp"
#include "waves/depth_breaking.hpp"
#include "waves/momentum_flux.hpp"
#include "waves/phase_clock.hpp"
#include "waves/quadruplets.hpp"
#include "waves/tile.hpp"

/// Integration of the source terms of a tile over a global step: semi-implicit, with a step of its
/// own for every point (Tolman 1992; WAVEWATCH III manual, "source term integration").
namespace halocline::waves {

/// Options of the integration; see source_integration.py.
struct IntegrationOptions {
  double minimum_step = 300.0;
  double parametric_change = 0.15;
  double relative_change = 0.10;
  double filter_level = 0.05;
  double implicitness = 1.0;
  double friction_coefficient = -0.067;
  double breaking_intensity = 1.0;
  double breaking_height_ratio = 0.73;
  double gravity = 9.806;
  bool friction = true;
  bool breaking = true;
  bool seeding = true;
};

/// Largest change of a component that a step may make [m2 Hz-1 rad-1]: X_p 0.62e-3 / pi of a
/// Pierson-Moskowitz shape (2 pi)^4 / (g^2 k^3 sigma) of action over wavenumber.
template <class V>
HD inline V parametric_change(V wavenumber, V group_velocity, scalar_of<V> share,
                              scalar_of<V> gravity) {
  using T = scalar_of<V>;
  constexpr T unit = T(0.62e-3 / 3.14159265358979323846 * 1558.5454565440389 * 6.2831853071795865);
  const V cube = wavenumber * wavenumber * wavenumber;
  return unit * share / (gravity * gravity) / (cube * group_velocity);
}

/// Change of a component by a semi-implicit step of length `step` [s].
template <class V>
HD inline V semi_implicit_change(V source, V diagonal, V step, scalar_of<V> implicitness) {
  using T = scalar_of<V>;
  return source * step /
         maximum(multiply_add(-implicitness * step, diagonal, T(1)), splat<V>(T(1)));
}

/// Variance density below which a direction near that of the wind does not fall at high
/// frequencies, WAVEWATCH III's "seeding" [m2 Hz-1 rad-1].
template <class V>
HD inline V seed_level(V wind_speed, V along, V wavenumber, V group_velocity, scalar_of<V> sigma,
                       scalar_of<V> gravity) {
  using T = scalar_of<V>;
  const V excess = wind_speed * (sigma / gravity) - T(1);
  const V share = minimum(maximum(excess, V{}), splat<V>(T(1)));
  const V cube = wavenumber * wavenumber * wavenumber;
  const V with = maximum(along, V{});
  return T(6.25e-4 * 6.2831853071795865) * share / (cube * group_velocity) * with * with;
}

template <class T, int W, class Package>
class SourceIntegration {
 public:
  using V = pack<T, W>;
  using Mask = mask_of<V>;

  SourceIntegration(const IntegrationOptions& options, const QuadrupletOptions& quadruplet_options,
                    const QuadrupletTables<T>& quadruplets, const Package& package,
                    bool stressed = false)
      : o_(options),
        quadruplet_options_(quadruplet_options),
        quadruplets_(quadruplets),
        package_(package),
        stressed_(stressed) {}

  /// Packs of working space.
  static std::ptrdiff_t scratch(const QuadrupletTables<T>& tables, int directions) {
    return tables.scratch(directions);
  }

  /// Begin a global step of the lanes `fresh`, the others are in the middle of theirs.
  void begin(Tile<T, W>& tile, Mask fresh) {
    State before(tile);
    set_limits(tile, fresh);
    package_.start(tile);
    before.keep(tile, fresh);
    done_ = fresh ? V{} : done_;
    steps_ = fresh ? V{} : steps_;
    for (V& some : stress_) some = fresh ? V{} : some;
    active_ |= fresh;
  }

  /// Make one sub-step of every active lane; returns the lanes that reached `duration` [s].
  Mask advance(Tile<T, W>& tile, V* scratch, T duration, PhaseClock& clock) {
    clock.mark(Phase::update);
    State before(tile);
    rates(tile, clock);
    const V left = duration - done_;
    const V worst = combine(tile, scratch, left);
    clock.mark(Phase::quadruplets);
    const Step step = choose(worst, left);
    const V length = active_ ? step.length : V{};
    increment(tile, length, step.limited);
    if (stressed_) add_stress(length);
    package_.finish(tile);
    tail(tile);
    before.keep(tile, active_);
    done_ += length;
    steps_ += active_ ? splat<V>(T(1)) : V{};
    const Mask finished = active_ & (done_ >= T(0.9999) * duration);
    active_ &= ~finished;
    clock.mark(Phase::update);
    return finished;
  }

  /// Momentum over the density of water that passed in the global step: from the air east and
  /// north, to the bottom east and north [m2 s-1].
  const V& stress(int row) const { return stress_[row]; }
  static constexpr int stresses = 4;

  /// Sub-steps of each lane in its global step.
  const V& steps() const { return steps_; }

  /// Growth rates of input, dissipation, bottom friction.
  void rates(Tile<T, W>& tile, PhaseClock& clock) {
    for (int f = 0; f < tile.frequencies(); ++f) tile.row_rate[f] = V{};
    package_.input(tile);
    if (stressed_) {
      from_air_ = momentum_of_input(tile, V(package_.integrated_rows(tile)), T(o_.gravity));
      from_air_ = {from_air_.x * tile.open_water, from_air_.y * tile.open_water};
      if (o_.friction)
        to_bottom_ = momentum_to_bottom(tile, T(o_.friction_coefficient), T(o_.gravity));
    }
    package_.dissipation(tile);
    clock.mark(Phase::input);
    if (any(tile.open_water < T(1))) under_ice(tile);
    if (o_.friction) friction(tile);
    clock.mark(Phase::friction);
  }

  /// Add the growth rate of bottom friction to `row_rate`.
  void friction(Tile<T, W>& tile) {
    for (int f = 0; f < tile.frequencies(); ++f) {
      if (!any(tile.wavenumber[f] * tile.depth <= T(deep_water))) continue;
      tile.row_rate[f] += bottom_friction_rate(splat<V>(tile.tables->sigma[f]), tile.wavenumber[f],
                                               tile.group_velocity[f], tile.depth,
                                               T(o_.friction_coefficient), T(o_.gravity));
    }
  }

  /// Growth rate of breaking in shallow water.
  V breaking(const Tile<T, W>& tile) {
    return depth_breaking_rate(tile.variance, tile.mean_frequency, tile.depth,
                               T(o_.breaking_intensity), T(o_.breaking_height_ratio));
  }

  V quadruplet_factor(const Tile<T, W>& tile) {
    return tile.open_water *
           quadruplet_depth_factor(tile.mean_wavenumber * tile.depth, quadruplet_options_);
  }

 private:
  struct Step {
    V length;
    Mask limited;
  };

  /// What a package keeps per point, so that lanes which are not meant stay as they were.
  struct State {
    explicit State(const Tile<T, W>& tile)
        : friction_velocity(tile.friction_velocity), roughness(tile.roughness) {
      for (int m = 0; m < Package::memory; ++m) memory[m] = tile.memory[m];
    }
    void keep(Tile<T, W>& tile, Mask changed) const {
      tile.friction_velocity = changed ? tile.friction_velocity : friction_velocity;
      tile.roughness = changed ? tile.roughness : roughness;
      for (int m = 0; m < Package::memory; ++m)
        tile.memory[m] = changed ? tile.memory[m] : memory[m];
    }
    V friction_velocity, roughness, memory[Package::memory]{};
  };

  /// Limits of change that hold for the whole global step; `initial` becomes the inverse of the
  /// largest relative change.
  void set_limits(Tile<T, W>& tile, Mask fresh) {
    const int nd = tile.directions();
    V most_action{};
    for (int f = 0; f < tile.frequencies(); ++f) {
      tile.largest_change[f] = parametric_change(tile.wavenumber[f], tile.group_velocity[f],
                                                 T(o_.parametric_change), T(o_.gravity));
      tile.largest_change_inverse[f] = T(1) / tile.largest_change[f];
      V most{};
      for (int d = 0; d < nd; ++d) {
        const V density = tile.spectrum[f * nd + d];
        most = maximum(most, density);
        V& inverse = tile.initial[f * nd + d];
        inverse = fresh ? T(1) / (T(o_.relative_change) * density) : inverse;
      }
      most_action = maximum(most_action, most * action_unit(tile, f));
    }
    most_action_ = fresh ? most_action : most_action_;
  }

  /// What passes in a sub-step of each lane [s].
  void add_stress(V length) {
    const V fluxes[stresses] = {from_air_.x, from_air_.y, to_bottom_.x, to_bottom_.y};
    for (int row = 0; row < stresses; ++row) stress_[row] += length * fluxes[row];
  }

  void under_ice(Tile<T, W>& tile) {
    for (int f = 0; f < tile.frequencies(); ++f) tile.row_rate[f] *= tile.open_water;
    for (int at = 0; at < tile.components(); ++at) tile.rate[at] *= tile.open_water;
    for (int f = 0; f < tile.frequencies(); ++f) tile.linear_row[f] *= tile.open_water;
  }

  /// All sources together and, in the place of `rate`, their diagonal: one plane less to hold in
  /// cache. Returns the inverse of the step that the largest relative change demands, at least that
  /// of what is left.
  V combine(Tile<T, W>& tile, V* scratch, V left) {
    const int nd = tile.directions();
    V worst = T(1) / (left > T(0) ? left : splat<V>(T(1)));
    const V floor = filter_action(tile);
    const V rows = package_.integrated_rows(tile);
    QuadrupletSweep<T, W> sweep(quadruplets_, tile, scratch);
    sweep.run(quadruplet_factor(tile), [&](int f, auto transfer) {
      const V row_rate = tile.row_rate[f], linear = tile.linear_row[f];
      const Mask integrated = T(f) < rows;
      const V inverse_limit = tile.largest_change_inverse[f];
      const V inverse_floor = action_unit(tile, f) / floor;
      const V* spectrum = tile.spectrum + f * nd;
      const V *initial = tile.initial + f * nd, *direction = tile.linear_direction;
      V *sources = tile.source + f * nd, *rates = tile.rate + f * nd;
      V fastest = worst;
      for (int d = 0; d < nd; ++d) {
        const auto exchanged = transfer(d);
        const V rate = rates[d] + row_rate;
        const V total =
            multiply_add(rate, spectrum[d], multiply_add(linear, direction[d], exchanged.source));
        const V source = integrated ? total : V{};
        const V diagonal = rate + exchanged.diagonal;
        const V inverse_change = maximum(inverse_limit, minimum(initial[d], inverse_floor));
        fastest = maximum(fastest, multiply_add(elementary::magnitude(source), inverse_change,
                                                minimum(diagonal, V{})));
        sources[d] = source;
        rates[d] = diagonal;
      }
      worst = fastest;
    });
    return worst;
  }

  /// Action density that counts as noise in the relative change.
  V filter_action(const Tile<T, W>& tile) {
    const V least =
        tile.largest_change[tile.frequencies() - 1] * action_unit(tile, tile.frequencies() - 1);
    return maximum(least, T(o_.filter_level) * most_action_);
  }

  /// Action over wavenumber of variance density 1 at a frequency.
  static V action_unit(const Tile<T, W>& tile, int f) {
    return tile.group_velocity[f] / (T(two_pi) * tile.tables->sigma[f]);
  }

  /// Equal steps over what is left, not shorter than the minimum; where the minimum holds, the
  /// limiter acts.
  Step choose(V worst, V left) {
    const V wanted = maximum(T(1) / worst, splat<V>(T(0.5)));
    const V ratio = T(0.99) * left / wanted;
    const V nearest = elementary::round<V>(ratio).value;
    const V pieces = T(1) + (nearest > ratio ? nearest - T(1) : nearest);
    const V length = left / pieces;
    const V least = minimum(splat<V>(T(o_.minimum_step)), left);
    const auto limited = (length < T(o_.minimum_step)) & (length < left);
    return {maximum(length, least), limited};
  }

  void increment(Tile<T, W>& tile, V step, Mask limited) {
    const int nd = tile.directions();
    const T implicitness = T(o_.implicitness);
    V broken{};
    if (o_.breaking) {
      const V rate = breaking(tile);
      broken = rate * step / maximum(T(1) - implicitness * step * rate, splat<V>(T(1)));
    }
    const bool breaks = any(broken < V{});
    most_action_ = V{};
    for (int f = 0; f < tile.frequencies(); ++f) {
      V highest{};
      const V most = limited ? tile.largest_change[f] : elementary::infinity<V>();
      for (int d = 0; d < nd; ++d) {
        const int at = f * nd + d;
        const V change = semi_implicit_change(tile.source[at], tile.rate[at], step, implicitness);
        const V old = tile.spectrum[at];
        V next = maximum(old + maximum(minimum(change, most), -most), V{});
        if (breaks) next = maximum(next + broken * old, V{});
        tile.spectrum[at] = next;
        highest = maximum(highest, next);
      }
      most_action_ = maximum(most_action_, highest * action_unit(tile, f));
    }
  }

  /// Impose the f^-5 tail and the least energy near the wind beyond the prognostic frequencies.
  void tail(Tile<T, W>& tile) {
    const SpectralTables<T>& s = *tile.tables;
    const int nf = s.frequencies, nd = s.directions;
    const T decay = T(1) / (s.factor * s.factor * s.factor * s.factor * s.factor);
    for (int f = 0; f < nf; ++f) {
      const V found = package_.tail_share(tile, f);
      const V following = f + 1 < nf ? package_.tail_share(tile, f + 1) : splat<V>(T(1));
      const V share = active_ ? found : V{};
      const auto seeded = active_ & ((o_.seeding ? following : V{}) > V{});
      if (!any(seeded) && !any(share > V{})) continue;
      const V least = seed_level(tile.wind_speed, splat<V>(T(1)), tile.wavenumber[f],
                                 tile.group_velocity[f], s.sigma[f], T(o_.gravity));
      const V seed = seeded ? tile.open_water * least : V{};
      V* row = tile.spectrum + f * nd;
      V sum{};
      for (int d = 0; d < nd; ++d) {
        const V along = maximum(s.cosine[d] * tile.wind_cosine + s.sine[d] * tile.wind_sine, V{});
        const V level = maximum(row[d], seed * along * along);
        const V lower = f > 0 ? row[d - nd] : V{};
        const V next = share * (decay * lower) + (T(1) - share) * level;
        row[d] = next;
        sum += next;
      }
      tile.row_energy[f] = s.direction_width * sum;
    }
  }

  static constexpr double two_pi = 6.28318530717958647692;
  IntegrationOptions o_;
  QuadrupletOptions quadruplet_options_;
  const QuadrupletTables<T>& quadruplets_;
  const Package& package_;
  V done_{};   ///< advanced so far [s]
  V steps_{};  ///< sub-steps so far
  bool stressed_;
  MomentumFlux<V> from_air_, to_bottom_;  ///< in the sub-step
  V stress_[stresses]{};
  Mask active_{};
  V most_action_{};  ///< highest action density of the spectrum
};

}  // namespace halocline::waves
