#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

/// The processors of a replay: what disturbs a computation, and ranks that share the processors.
namespace halocline {

/// What takes a rank's processor away from it (Petrini, Kerbyson & Pakin 2003; Tsafrir et al.
/// 2005).
struct Noise {
  enum Kind { none = 0, periodic = 1, random = 2, delay = 3 };
  int kind = none;
  double period = 1.0;       // periodic: from one interruption to the next; random: on average
  double duration = 0.0;     // of an interruption; random and delay: its mean
  double probability = 1.0;  // delay: that a computation is delayed
  bool together = false;     // periodic: all ranks at the same moments
  std::uint64_t seed = 0;
};

/// Draws of a rank: the same whatever the others do (splitmix64, Steele, Lea & Flood 2014).
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t rank) : state_(mix(seed + 0x9e3779b97f4a7c15u * ~rank)) {}

  double uniform() {
    state_ += 0x9e3779b97f4a7c15u;
    return (static_cast<double>(mix(state_) >> 11) + 0.5) * 0x1p-53;
  }
  double exponential(double mean) { return -mean * std::log(uniform()); }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// The end of a computation of `seconds` that begins at `begin`, interruptions included.
inline double disturbed(const Noise& noise, Draws& draws, double phase, double begin,
                        double seconds) {
  if (noise.kind == Noise::none || seconds <= 0.0) return begin + seconds;
  if (noise.kind == Noise::delay) {
    const bool hit = noise.probability >= 1.0 || draws.uniform() < noise.probability;
    return begin + seconds + (hit ? draws.exponential(noise.duration) : 0.0);
  }
  if (noise.kind == Noise::random) {
    double end = begin + seconds;
    for (double at = draws.exponential(noise.period); at < seconds;
         at += draws.exponential(noise.period))
      end += draws.exponential(noise.duration);
    return end;
  }
  // Interruptions are [phase + n period, phase + n period + duration); work goes on between them.
  const double room = noise.period - noise.duration;
  double into = std::fmod(begin - phase, noise.period);
  if (into < 0.0) into += noise.period;
  const double wait = std::max(0.0, noise.duration - into);
  const double done = std::max(0.0, into - noise.duration);  // of the room before `begin`
  const double whole = std::max(0.0, std::ceil((done + seconds) / room) - 1.0);
  return begin + wait + seconds + whole * noise.duration;
}

/// Processors of a node that more ranks want than there are: all computing ranks go on alike.
///
/// `progress` is how far a rank has come that computes since the start; ranks that wait and watch
/// count as `watching` of one that computes.
class SharedNode {
 public:
  SharedNode(int processors, double watching) : processors_(processors), watching_(watching) {}

  void start(int rank, double seconds, double now) {
    advance(now);
    computing_.push({progress_ + seconds, rank});
  }
  void wait(double now) { advance(now), ++waiting_; }
  void wake(double now) { advance(now), --waiting_; }

  bool any() const { return !computing_.empty(); }
  double next_end() const {
    return last_ + std::max(0.0, computing_.top().first - progress_) / rate();
  }
  int finish(double now) {
    advance(now);
    const int rank = computing_.top().second;
    progress_ = std::max(progress_, computing_.top().first);
    computing_.pop();
    return rank;
  }
  std::uint64_t version = 0;  // counts up whenever `next_end` may have changed

 private:
  double rate() const {
    const double wanted = static_cast<double>(computing_.size()) + watching_ * waiting_;
    return std::min(1.0, processors_ / std::max(wanted, 1.0));
  }
  void advance(double now) {
    if (now > last_) {
      progress_ += (now - last_) * rate();
      last_ = now;
    }
    ++version;
  }

  using Task = std::pair<double, int>;
  std::priority_queue<Task, std::vector<Task>, std::greater<>> computing_;
  double processors_, watching_, progress_ = 0.0, last_ = 0.0;
  int waiting_ = 0;
};

}  // namespace halocline
