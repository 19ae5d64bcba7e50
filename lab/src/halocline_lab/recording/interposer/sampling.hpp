// Where the program is at equal intervals of its processor time: a profile by sampling.
#pragma once

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "sites.hpp"

namespace halocline {

/// Samples of one process: addresses of its code, and when. Where there are too many, every second
/// one stays, and from then on only every second interval counts.
class Samples {
 public:
  static constexpr std::int64_t slices = 200;  ///< of the time from start to stop

  /// Begin to keep at most so many, unless the program has a use of its own for SIGPROF.
  bool start(std::int64_t microseconds, std::size_t most) {
    struct sigaction before;
    if (sigaction(SIGPROF, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return false;
    rows_.resize(std::max<std::size_t>(2, most));
    begin_ = now_ns();
    one() = this;
    struct sigaction ours{};
    ours.sa_sigaction = &take;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGPROF, &ours, nullptr);
    set(microseconds);
    return true;
  }

  /// End, and tell: [begin, end, [[place, [[slice, count], ...]], ...]], times [ns].
  std::string stop() {
    if (one() != this) return "";
    set(0);
    while (busy_.test_and_set()) {
    }
    const std::int64_t end = now_ns() + 1;
    std::map<const void*, std::map<std::int64_t, std::int64_t>> places;
    for (std::size_t at = 0; at < count_; ++at)
      ++places[rows_[at].place][(rows_[at].time - begin_) * slices / (end - begin_)];
    std::string text = "[" + std::to_string(begin_) + ", " + std::to_string(end) + ", [";
    for (const auto& [place, counts] : places) {
      const auto* const after = static_cast<const char*>(place) + 1;
      text += (text.back() == '[' ? "[" : ", [") + quoted(place_of(after)) + ", [";
      for (const auto& [slice, number] : counts)
        text += (text.back() == '[' ? "[" : ", [") + std::to_string(slice) + ", " +
                std::to_string(number) + "]";
      text += "]]";
    }
    return text + "]]";
  }

 private:
  struct Row {
    const void* place;
    std::int64_t time;
  };

  static std::atomic<Samples*>& one() {
    static std::atomic<Samples*> samples{nullptr};
    return samples;
  }

  static void set(std::int64_t microseconds) {
    const timeval every{static_cast<time_t>(microseconds / 1000000),
                        static_cast<suseconds_t>(microseconds % 1000000)};
    const itimerval timer{every, every};
    setitimer(ITIMER_PROF, &timer, nullptr);
  }

  static const void* place_in(const ucontext_t& context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#else
    static_cast<void>(context);
    return nullptr;
#endif
  }

  static void take(int, siginfo_t*, void* context) {
    Samples& all = *one().load();
    if (all.busy_.test_and_set()) return;  // another thread, or the end
    if (++all.seen_ % all.stride_ == 0) {
      if (all.count_ == all.rows_.size()) all.thin();
      all.rows_[all.count_++] = {place_in(*static_cast<ucontext_t*>(context)), now_ns()};
    }
    all.busy_.clear();
  }

  void thin() {
    count_ = rows_.size() / 2;
    for (std::size_t at = 0; at < count_; ++at) rows_[at] = rows_[2 * at + 1];
    stride_ *= 2;
  }

  std::vector<Row> rows_;
  std::size_t count_ = 0;
  std::int64_t seen_ = 0, stride_ = 1, begin_ = 0;
  std::atomic_flag busy_;
};

inline Samples& samples() {
  static Samples* const all = new Samples;
  return *all;
}

}  // namespace halocline
