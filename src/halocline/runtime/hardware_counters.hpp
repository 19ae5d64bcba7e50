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

  /// The count since the counter was made.
  double read() const {
    double sum = 0.0;
    for (const auto& [file, weight] : open_) {
      std::uint64_t count = 0;
      if (::read(file, &count, sizeof count) == static_cast<ssize_t>(sizeof count))
        sum += weight * static_cast<double>(count);
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
