#pragma once
#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Time within a kernel, phase by phase.
namespace halocline::waves {

enum class Phase { copy_in, input, friction, quadruplets, update, copy_out };
inline constexpr int phases = 6;

/// Adds what passed since the last mark to a phase; each thread has its own.
class PhaseClock {
 public:
  PhaseClock() : wall_(std::chrono::steady_clock::now()), first_(ticks()), last_(first_) {}

  void mark(Phase phase) {
    const std::int64_t now = ticks();
    spent_[static_cast<int>(phase)] += now - last_;
    last_ = now;
  }

  /// Add the times [ns] to an array of one value per phase.
  void report(std::int64_t* times) const {
    const double wall =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - wall_).count();
    const double elapsed = static_cast<double>(ticks() - first_);
    const double unit = elapsed > 0 ? wall / elapsed : 0;
    for (int phase = 0; phase < phases; ++phase)
      times[phase] += static_cast<std::int64_t>(unit * static_cast<double>(spent_[phase]));
  }

 private:
  static std::int64_t ticks() {
#if defined(__x86_64__)
    return static_cast<std::int64_t>(__rdtsc());
#else
    return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
  }

  std::chrono::steady_clock::time_point wall_;
  std::int64_t first_, last_;
  std::int64_t spent_[phases] = {};
};

}  // namespace halocline::waves
