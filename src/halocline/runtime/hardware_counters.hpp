#pragma once
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>
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
      open_.emplace_back(static_cast<int>(file), event.weight);
    }
  }
  HardwareCounter(const HardwareCounter&) = delete;
  HardwareCounter& operator=(const HardwareCounter&) = delete;
  ~HardwareCounter() { close_all(); }

  bool works() const { return !open_.empty(); }

  /// The count since the counter was made. Where more counters are wanted than there are, it is
  /// reckoned from the time in which it ran; NaN where it never did.
  double read() const {
    double sum = 0.0;
    for (const auto& [file, weight] : open_) {
      struct {
        std::uint64_t count, enabled, running;
      } found{};
      if (::read(file, &found, sizeof found) != static_cast<ssize_t>(sizeof found)) continue;
      const double share = static_cast<double>(found.running) /
                           static_cast<double>(found.enabled ? found.enabled : 1);
      sum += weight * static_cast<double>(found.count) / share;
    }
    return sum;
  }

 private:
  void close_all() {
    for (const auto& [file, weight] : open_) close(file);
    open_.clear();
  }

  std::vector<std::pair<int, double>> open_;
};

}  // namespace halocline
