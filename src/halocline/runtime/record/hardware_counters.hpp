#pragma once
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace halocline {

/// A count by the processor of what this thread, and threads that it starts later, do: a weighted
/// sum of events, by their number in the processor's manual. Closed where the machine has none.
class HardwareCounter {
 public:
  struct Event {
    std::uint32_t type;
    std::uint64_t config;
    double weight;
  };

  explicit HardwareCounter(const std::vector<Event>& events) {
    for (const Event& event : events) {
      perf_event_attr wanted{};
      wanted.size = sizeof wanted;
      wanted.type = event.type;
      wanted.config = event.config;
      wanted.inherit = 1;
      wanted.exclude_kernel = 1;
      wanted.exclude_hv = 1;
      wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const long file = syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
      if (file < 0) {
        close_all();
        return;
      }
      open_.push_back({static_cast<int>(file), event.weight, {}});
    }
  }
  HardwareCounter(const HardwareCounter&) = delete;
  HardwareCounter& operator=(const HardwareCounter&) = delete;
  ~HardwareCounter() { close_all(); }

  bool works() const { return !open_.empty(); }

  /// From now on `since` counts.
  void mark() {
    for (Open& one : open_) one.marked = now(one);
  }

  /// The count since the mark. Where the counter had to share its place with others it is reckoned
  /// from the time in which it ran; NaN where it did not, or jumped.
  double since() const {
    double sum = 0.0;
    for (const Open& one : open_) {
      const Found found = now(one);
      const auto enabled = static_cast<double>(found.enabled - one.marked.enabled);
      const auto running = static_cast<double>(found.running - one.marked.running);
      const auto count = static_cast<double>(found.count - one.marked.count);
      if (count >= too_large) return std::numeric_limits<double>::quiet_NaN();
      sum += one.weight * count * (running == enabled ? 1.0 : enabled / running);
    }
    return sum;
  }

 private:
  struct Found {
    std::uint64_t count = 0, enabled = 0, running = 0;
  };
  struct Open {
    int file;
    double weight;
    Found marked;
  };

  // Counters have 48 bits; those of some virtual machines jump by as much now and then.
  static constexpr double too_large = 1e14;

  static Found now(const Open& one) {
    Found found;
    if (::read(one.file, &found, sizeof found) != static_cast<ssize_t>(sizeof found)) return {};
    return found;
  }

  void close_all() {
    for (const Open& one : open_) close(one.file);
    open_.clear();
  }

  std::vector<Open> open_;
};

}  // namespace halocline
