// Parallel regions of OpenMP as GCC compiles them: what each thread did, and its wait at the end.
//
// A process may hold several copies of libgomp (Python's wheels bring their own). A call goes on to
// the copy of the object that calls; the copies never meet.
#pragma once

#include <map>
#include <mutex>

#include "lifetime.hpp"

namespace halocline {

/// Functions of the copy of libgomp that a caller belongs to.
class Copies {
 public:
  explicit Copies(const char* name) : name_(name) {}

  void* of(const void* caller) {
    static thread_local const Copies* asked = nullptr;
    static thread_local const void* near = nullptr;
    static thread_local void* found = nullptr;
    if (asked != this || near != caller) {
      found = look(caller);
      asked = this;
      near = caller;
    }
    return found;
  }

 private:
  void* look(const void* caller) {
    const std::lock_guard lock(mutex_);
    void*& function = by_object_[object_of(caller)];
    if (function == nullptr) {
      Dl_info info;
      const bool library = dladdr(caller, &info) != 0 && info.dli_fname != nullptr;
      function = library ? in_library(info.dli_fname, name_) : nullptr;
      if (function == nullptr) function = next_or_end(name_, caller);
    }
    return function;
  }

  const char* name_;
  std::mutex mutex_;
  std::map<const void*, void*> by_object_;
};

/// One parallel region while it runs: its work, and where its threads note when they are done.
class Team {
 public:
  using Work = void (*)(void*);

  Team(Recorder& all, const void* address, Work work, void* data)
      : all_(all), work_(work), data_(data) {
    static const Function parallel{"OpenMP parallel", "threads"};
    static const Function end{"end of OpenMP parallel", "thread wait"};
    region_ = all.sites.of(parallel, address)->region(all.recording);
    waiting_ = all.sites.of(end, address)->region(all.recording);
  }

  /// What each thread runs instead of its work.
  static void run(void* team) { static_cast<Team*>(team)->run_here(); }

  /// The region is over, and its other threads stand still.
  void end() {
    const std::int64_t now = now_ns();
    const int count = std::min(count_.load(std::memory_order_acquire), most);
    for (int at = 0; at < count; ++at)
      all_.recording.end_for(members_[at].thread, waiting_, members_[at].idle, now);
  }

 private:
  static constexpr int most = 512;
  struct Member {
    void* thread;
    std::int64_t idle;
  };

  void run_here() {
    const int at = count_.fetch_add(1, std::memory_order_acq_rel);
    if (at >= most) return work_(data_);
    all_.recording.begin(region_);
    work_(data_);
    members_[at] = {all_.recording.thread(), now_ns()};
  }

  Recorder& all_;
  Work work_;
  void* data_;
  std::uint32_t region_ = 0, waiting_ = 0;
  std::atomic<int> count_{0};
  Member members_[most];
};

/// Run a region through `forward`, which gets the function and the data for the threads.
template <class Forward>
void parallel(const void* address, Team::Work work, void* data, Forward forward) {
  Recorder* const all = recorder.load(std::memory_order_acquire);
  if (all == nullptr || !all->threads) return forward(work, data);
  Team team(*all, address, work, data);
  forward(&Team::run, static_cast<void*>(&team));
  team.end();
}

}  // namespace halocline

#define HALOCLINE_PARALLEL(symbol, parameters, ...)                                                \
  extern "C" HALOCLINE_SHOWN void halocline_##symbol(void (*work)(void*), void* data,              \
                                                     unsigned threads HALOCLINE_UNPACK parameters, \
                                                     unsigned flags) __asm__(#symbol);             \
  void halocline_##symbol(void (*work)(void*), void* data,                                         \
                          unsigned threads HALOCLINE_UNPACK parameters, unsigned flags) {          \
    static halocline::Copies copies(#symbol);                                                      \
    const void* const from_where = HERE;                                                           \
    const auto real = reinterpret_cast<decltype(&halocline_##symbol)>(copies.of(from_where));      \
    halocline::parallel(from_where, work, data, [&](void (*own)(void*), void* team) {              \
      real(own, team, threads __VA_OPT__(, ) __VA_ARGS__, flags);                                  \
    });                                                                                            \
  }
#define HALOCLINE_UNPACK(...) __VA_OPT__(, ) __VA_ARGS__

HALOCLINE_PARALLEL(GOMP_parallel, ())
HALOCLINE_PARALLEL(GOMP_parallel_sections, (unsigned count), count)
HALOCLINE_PARALLEL(GOMP_parallel_loop_static, (long first, long last, long step, long chunk), first,
                   last, step, chunk)
HALOCLINE_PARALLEL(GOMP_parallel_loop_dynamic, (long first, long last, long step, long chunk),
                   first, last, step, chunk)
HALOCLINE_PARALLEL(GOMP_parallel_loop_guided, (long first, long last, long step, long chunk), first,
                   last, step, chunk)
HALOCLINE_PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic,
                   (long first, long last, long step, long chunk), first, last, step, chunk)
HALOCLINE_PARALLEL(GOMP_parallel_loop_nonmonotonic_guided,
                   (long first, long last, long step, long chunk), first, last, step, chunk)
HALOCLINE_PARALLEL(GOMP_parallel_loop_runtime, (long first, long last, long step), first, last,
                   step)
HALOCLINE_PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, (long first, long last, long step),
                   first, last, step)
HALOCLINE_PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime,
                   (long first, long last, long step), first, last, step)
