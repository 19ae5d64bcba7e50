#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "view.hpp"

/// Fixed work quanta: the same work again and again, and when each began and ended.
namespace halocline {

/// Now, on the clock of `std::chrono::steady_clock` [ns].
inline std::int64_t steady_nanoseconds() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

/// Work of `rounds` dependent steps, in registers.
inline double fixed_quantum(std::ptrdiff_t rounds, double seed) {
  double x = seed;
  for (std::ptrdiff_t n = 0; n < rounds; ++n) x = x * 0.999999 + 1e-6;
  return x;
}

/// One quantum for each place of `begin` and `end` [ns]; returns what was computed.
inline double fixed_work(std::ptrdiff_t rounds, View1<std::int64_t> begin,
                         View1<std::int64_t> end) {
  double x = 0.5;
  for (std::ptrdiff_t n = 0; n < begin.extent[0]; ++n) {
    begin.data[n] = steady_nanoseconds();
    x = fixed_quantum(rounds, x);
    end.data[n] = steady_nanoseconds();
  }
  return x;
}

}  // namespace halocline
