#pragma once
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/sums/shared.hpp"
#include "view.hpp"

namespace halocline {

/// The sum one after the other, as a loop without licence to reorder has it.
inline double add_in_sequence(View1<const double> values) {
  double sum = 0.0;
  for (std::ptrdiff_t n = 0; n < values.extent[0]; ++n) sum += values.data[n];
  return sum;
}

/// Seconds of a shared-memory sum of `count` numbers among threads that stand for ranks: every one
/// reads all others. What is left when interpreter and message passing are taken away.
template <class Signal>
double time_shared_sum(int ranks, std::ptrdiff_t count, int repeats) {
  const std::ptrdiff_t stride = (8 * (count + 1) + 127) / 128 * 128;
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  std::vector<Line> memory(ranks * slot_count * stride / 128);
  std::vector<Entry> entries;
  for (int rank = 0; rank < ranks; ++rank)
    entries.push_back({memory.data()->bytes + rank * slot_count * stride, stride});
  std::vector<SharedSum<Signal>> sums;
  for (int rank = 0; rank < ranks; ++rank)
    sums.emplace_back(Part{entries, entries[rank], {}, {}, true}, count);
  const auto run = [&](int rank) {
    std::vector<double> values(count, 1.0), result(count);
    const auto wait = [](auto&& ready) {
      while (!wait_until(ready)) continue;
    };
    for (int n = 0; n < repeats; ++n) {
      const std::uint64_t sequence = sums[rank].start(values.data());
      sums[rank].gather(sequence, result.data(), wait);
      sums[rank].spread(sequence, result.data(), wait);
    }
  };
  std::vector<std::thread> others;
  const auto begun = std::chrono::steady_clock::now();
  for (int rank = 1; rank < ranks; ++rank) others.emplace_back(run, rank);
  run(0);
  for (std::thread& other : others) other.join();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
  return spent.count() / repeats;
}

}  // namespace halocline
