#pragma once
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "view.hpp"

/// Flags in memory that several processes share: a counter only grows, and whoever sees it at a
/// value also sees everything that was written before it was posted.
namespace halocline {

using Flag = std::uint64_t;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// How often a wait looks before it gives its core to others: about a microsecond or two, but once
/// where ranks share cores, for what they wait for does not come while they spin.
inline int spins = 64;

/// Wait with `ready()`: spin a little, then yield. False after about `patience` [s].
template <class Ready>
bool wait_until(Ready&& ready, double patience = 0.05) {
  for (int spin = 0; spin < spins; ++spin) {
    if (ready()) return true;
    relax();
  }
  using clock = std::chrono::steady_clock;
  const auto begun = clock::now();
  while (true) {
    for (int turn = 0; turn < 16; ++turn) {
      sched_yield();
      if (ready()) return true;
    }
    if (std::chrono::duration<double>(clock::now() - begun).count() > patience) return false;
  }
}

inline Flag read_flag(const Flag& flag) {
  return std::atomic_ref<Flag>(const_cast<Flag&>(flag)).load(std::memory_order_acquire);
}

inline void write_flag(Flag& flag, Flag value) {
  std::atomic_ref<Flag>(flag).store(value, std::memory_order_release);
}

}  // namespace halocline
