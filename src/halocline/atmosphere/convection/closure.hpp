#pragma once
#include <algorithm>
#include <vector>

#include "atmosphere/convection/downdraft.hpp"

/// What a cloud does to the air around it, and how strong it is: clouds take so much mass that in
/// the time of convection nine tenths of what is available to them goes (Kain 2004).
namespace halocline::convection {

/// Mean rates of change of a layer [K s-1], [s-1].
struct Change {
  double temperature = 0.0, vapor = 0.0, liquid = 0.0, ice = 0.0;
};

/// Of a column; rain and snow reach the ground [kg m-2 s-1].
struct Outcome {
  std::vector<Change> layers;
  double rain = 0.0, snow = 0.0;
};

/// Snow melts within this pressure below where it is 0 degrees C [Pa].
inline constexpr double melting_depth = 100e2;

class Closure {
 public:
  /// Of a cloud and its downdraft in air that they do not change.
  Closure(const Surroundings& before, const Updraft& cloud, const Downdraft& downdraft)
      : before_(before), cloud_(cloud), down_(downdraft) {
    const std::size_t count = before.layers.size();
    net_.resize(count + 1);
    energy_.resize(count);
    vapor_.resize(count);
    melting_.assign(count, 0.0);
    melt();
  }

  /// Mass flux through the cloud's base that uses up a layer in `time` [kg m-2 s-1].
  double most(double time) const {
    double found = 1e30;
    for (int k = 0; k <= cloud_.top; ++k) {
      const double taken = up(k).entrained + down(k).entrained;
      if (taken > 0.0) found = std::min(found, before_[k].mass / (taken * time));
    }
    return found;
  }

  /// Air after `time` [s] of a cloud that takes `strength` [kg m-2 s-1] through its base, in
  /// `after`, which has the layers of the air before; and the mean rates of change. False where
  /// vapour would become negative.
  ///
  /// Layers lose the flux of energy and vapour that leaves them; the air around sinks as much as
  /// clouds rise more than they sink, with what it has upstream, in steps of half a layer at most.
  bool act(double strength, double time, Surroundings& after, Outcome& made) {
    const int count = before_.count();
    net_[0] = 0.0;
    double fastest = 0.0;
    for (int k = 0; k < count; ++k) {
      energy_[index(k)] = before_[k].energy();
      vapor_[index(k)] = before_[k].vapor;
      const double above = k + 1 < count ? down(k + 1).flux : 0.0;
      net_[index(k) + 1] = up(k).flux - above;
      fastest = std::max(fastest, std::abs(net_[index(k) + 1]) / before_[k].mass);
      if (k + 1 < count)
        fastest = std::max(fastest, std::abs(net_[index(k) + 1]) / before_[k + 1].mass);
    }
    const int steps = 1 + static_cast<int>(2.0 * strength * fastest * time);
    for (int step = 0; step < steps; ++step) move(strength, time / steps);
    bool positive = true;
    made.layers.assign(index(count), {});
    made.rain = -down_.evaporated;
    made.snow = 0.0;
    for (int k = 0; k < count; ++k) {
      Layer& layer = after.layers[index(k)];
      layer = before_[k];
      layer.vapor = vapor_[index(k)];
      layer.temperature =
          (energy_[index(k)] - air::gravity * layer.height - air::vaporization * layer.vapor) /
          air::heat_capacity;
      positive = positive && layer.vapor >= 0.0;
      const double per_mass = strength / layer.mass;
      made.layers[index(k)] = {(layer.temperature - before_[k].temperature) / time,
                               (layer.vapor - before_[k].vapor) / time,
                               per_mass * up(k).detrained_liquid, per_mass * up(k).detrained_ice};
      made.rain += up(k).rain;
      (melts_ ? made.rain : made.snow) += up(k).snow;
    }
    made.rain *= strength;
    made.snow *= strength;
    return positive;
  }

 private:
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  const Rising& up(int k) const { return cloud_.layers[index(k)]; }
  const Sinking& down(int k) const { return down_.layers[index(k)]; }

  /// Where the snow of the cloud melts, if the lowest layer is above freezing.
  void melt() {
    melts_ = before_[0].temperature > air::melting_point;
    if (!melts_) return;
    double falling = 0.0, weight = 0.0;
    int top = 0;
    for (int k = 0; k <= cloud_.top; ++k) {
      falling += up(k).snow;
      if (before_[k].temperature > air::melting_point) top = k;
    }
    int low = top;
    for (; low >= 0 && weight < melting_depth; --low) weight += before_[low].weight();
    for (int k = low + 1; k <= top; ++k)
      melting_[index(k)] = falling * before_[k].weight() / weight;
  }

  /// A step: what passes faces, and sources of energy and vapour by changes of phase.
  void move(double strength, double dt) {
    const int count = before_.count();
    double energy_below = 0.0, vapor_below = 0.0;
    double energy_here = energy_[0], vapor_here = vapor_[0];
    for (int k = 0; k < count; ++k) {
      const bool last = k + 1 == count;
      const double energy_above = last ? 0.0 : energy_[index(k) + 1];
      const double vapor_above = last ? 0.0 : vapor_[index(k) + 1];
      const double net = net_[index(k) + 1];
      double energy_passes = up(k).flux * up(k).energy;
      double vapor_passes = up(k).flux * up(k).water;
      if (!last) {
        energy_passes -= down(k + 1).flux * down(k + 1).energy;
        vapor_passes -= down(k + 1).flux * down(k + 1).water;
        energy_passes -= net * (net > 0.0 ? energy_above : energy_here);
        vapor_passes -= net * (net > 0.0 ? vapor_above : vapor_here);
      }
      const double latent = up(k).snow + up(k).detrained_ice - melting_[index(k)];
      const double wetting = down(k).evaporated - up(k).rain - up(k).snow - up(k).detrained_liquid -
                             up(k).detrained_ice;
      const double share = strength * dt / before_[k].mass;
      energy_[index(k)] += share * (energy_below - energy_passes + air::fusion * latent);
      vapor_[index(k)] += share * (vapor_below - vapor_passes + wetting);
      energy_below = energy_passes;
      vapor_below = vapor_passes;
      energy_here = energy_above;
      vapor_here = vapor_above;
    }
  }

  const Surroundings& before_;
  const Updraft& cloud_;
  const Downdraft& down_;
  std::vector<double> net_, energy_, vapor_, melting_;
  bool melts_ = false;
};

}  // namespace halocline::convection
