#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "runtime/ranks/flags.hpp"
#include "view.hpp"

/// Adding a few numbers over the ranks of a node through memory that they share.
namespace halocline {

/// Sums that may be under way at a time.
inline constexpr int most_pending = 4;
/// A rank that begins sum n has finished sum n - most_pending, so all have begun that one and
/// finished n - 2 most_pending: its slot may be cleared, to be used again by n + most_pending.
inline constexpr int slot_count = 3 * most_pending;

/// A NaN that no arithmetic gives: "no number yet".
inline constexpr std::uint64_t sentinel = 0x7ff45e4e71494e41;

/// Numbers in shared memory that one rank writes and others wait for, one entry per slot.
struct Entry {
  std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;

  std::uint64_t* words(std::uint64_t sequence) const {
    return reinterpret_cast<std::uint64_t*>(first + sequence % slot_count * stride);
  }
  explicit operator bool() const { return first != nullptr; }
};

/// The numbers follow a flag that holds the sequence number of the sum.
struct ByFlag {
  static constexpr int words_before = 1;
  static void clear(const Entry&, std::uint64_t, std::ptrdiff_t) {}

  static void write(const Entry& entry, std::uint64_t sequence, const double* values,
                    std::ptrdiff_t count) {
    std::uint64_t* words = entry.words(sequence);
    std::memcpy(words + 1, values, count * sizeof(double));
    write_flag(words[0], sequence);
  }

  template <class Wait, class Take>
  static void read(const Entry& entry, std::uint64_t sequence, std::ptrdiff_t count, Wait&& wait,
                   Take&& take) {
    const std::uint64_t* words = entry.words(sequence);
    wait([&] { return read_flag(words[0]) >= sequence; });
    for (std::ptrdiff_t n = 0; n < count; ++n) take(n, std::bit_cast<double>(words[n + 1]));
  }
};

/// Every number tells by itself that it is there.
struct BySentinel {
  static constexpr int words_before = 0;
  static void clear(const Entry& entry, std::uint64_t sequence, std::ptrdiff_t count) {
    std::uint64_t* words = entry.words(sequence);
    for (std::ptrdiff_t n = 0; n < count; ++n) write_flag(words[n], sentinel);
  }

  static void write(const Entry& entry, std::uint64_t sequence, const double* values,
                    std::ptrdiff_t count) {
    std::uint64_t* words = entry.words(sequence);
    for (std::ptrdiff_t n = 0; n < count; ++n) {
      const auto bits = std::bit_cast<std::uint64_t>(values[n]);
      constexpr double plain = std::numeric_limits<double>::quiet_NaN();
      write_flag(words[n], bits == sentinel ? std::bit_cast<std::uint64_t>(plain) : bits);
    }
  }

  template <class Wait, class Take>
  static void read(const Entry& entry, std::uint64_t sequence, std::ptrdiff_t count, Wait&& wait,
                   Take&& take) {
    const std::uint64_t* words = entry.words(sequence);
    for (std::ptrdiff_t n = count - 1; n >= 0; --n) {
      std::uint64_t bits = sentinel;
      wait([&] { return (bits = read_flag(words[n])) != sentinel; });
      take(n, std::bit_cast<double>(bits));
    }
  }
};

/// What one rank does in a sum: adds its `sources` and, unless it is the root, hands the sum up;
/// takes the result from `result_from`, or has it, and hands it down.
struct Part {
  std::vector<Entry> sources;
  Entry up, result_from, down;
  /// Every rank is its own root: its `sources` are all ranks, itself among them.
  bool everyone = false;
};

/// Sums of `count` numbers; `Signal` is ByFlag or BySentinel.
template <class Signal>
class SharedSum {
 public:
  SharedSum(Part part, std::ptrdiff_t count)
      : part_(std::move(part)), count_(count), values_(count * slot_count) {
    for (std::uint64_t sequence = 0; sequence < slot_count; ++sequence) clear(sequence);
  }

  /// Hand in this rank's numbers; returns the sequence number of the sum.
  std::uint64_t start(const double* values) {
    const std::uint64_t sequence = ++sequence_;
    if (under_way_[(sequence + slot_count - most_pending) % slot_count])
      throw std::logic_error("too many sums under way");
    under_way_[sequence % slot_count] = true;
    clear(sequence + most_pending);
    std::memcpy(own(sequence), values, count_ * sizeof(double));
    if (part_.up && (part_.everyone || part_.sources.empty()))
      Signal::write(part_.up, sequence, own(sequence), count_);
    return sequence;
  }

  /// Wait for the sources and add them to `sum`; hand it up.
  template <class Wait>
  void gather(std::uint64_t sequence, double* sum, Wait&& wait) {
    if (part_.everyone)
      std::memset(sum, 0, count_ * sizeof(double));
    else
      std::memcpy(sum, own(sequence), count_ * sizeof(double));
    for (const Entry& source : part_.sources)
      Signal::read(source, sequence, count_, wait,
                   [&](std::ptrdiff_t n, double value) { sum[n] += value; });
    if (part_.up && !part_.everyone && !part_.sources.empty())
      Signal::write(part_.up, sequence, sum, count_);
  }

  /// Take the result, or give `sum` as the result, and hand it down.
  template <class Wait>
  void spread(std::uint64_t sequence, double* sum, Wait&& wait) {
    if (part_.result_from)
      Signal::read(part_.result_from, sequence, count_, wait,
                   [&](std::ptrdiff_t n, double value) { sum[n] = value; });
    if (part_.down) Signal::write(part_.down, sequence, sum, count_);
    under_way_[sequence % slot_count] = false;
  }

 private:
  double* own(std::uint64_t sequence) { return &values_[sequence % slot_count * count_]; }
  void clear(std::uint64_t sequence) {
    if (part_.up) Signal::clear(part_.up, sequence, count_);
    if (part_.down) Signal::clear(part_.down, sequence, count_);
  }

  Part part_;
  std::ptrdiff_t count_;
  std::vector<double> values_;
  std::uint64_t sequence_ = 0;
  bool under_way_[slot_count] = {};
};

}  // namespace halocline
