// The recorder of one process: what its threads do, when, and with whom, in bounded memory.
//
// Statistics count everything. Events, each with its begin and end, go into a ring; those of
// representative steps (or windows of time, where steps are not known) are copied out of it and
// kept. The tables and their meaning: src/halocline/runtime/record/run_record.py.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "recording_memory.hpp"

namespace halocline {

/// Time on the clock of the node [ns].
inline std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{1000000000} * now.tv_sec + now.tv_nsec;
}

inline constexpr std::int32_t nobody = -1;

/// What an event tells besides its region and times.
struct Told {
  std::int64_t bytes = 0;
  std::int32_t partner = nobody;
  std::int32_t tag = 0;
  std::uint32_t request = 0;
  std::uint16_t communicator = 0;
  bool gaps = false;  ///< the data are not contiguous in memory
};

#pragma pack(push, 1)
struct EventRow {
  std::int64_t begin, end, bytes;
  std::uint32_t region, rank;
  std::int32_t partner, tag;
  std::uint32_t request;
  std::uint16_t communicator, thread;
};
struct StatisticRow {
  std::uint32_t rank, thread, region, period;
  std::int64_t calls;
  double seconds, own_seconds, shortest, longest, squares;
  std::int64_t bytes;
};
struct MessageRow {
  std::uint32_t rank;
  std::int32_t partner;
  std::uint32_t region, size_class;
  std::int64_t count, bytes;
  double seconds;
};
struct StepRow {
  std::uint32_t rank;
  std::int64_t step;
  std::uint32_t count;
  std::int64_t begin;
  double seconds, longest, mpi_seconds;
  std::uint64_t signature;
};
struct SpanRow {
  std::uint32_t rank;
  std::int64_t begin, end, step;
  std::uint32_t steps;
};
#pragma pack(pop)

/// Bounds of memory: what one process keeps at most.
struct RecordingLimits {
  std::size_t ring = 1 << 16;             ///< events in the ring; the last ones are kept at the end
  std::size_t kept = 1 << 16;             ///< events copied from it, in all
  std::size_t window = 1 << 12;           ///< events of one window of time
  std::size_t step_rows = 1 << 16;        ///< rows of the table of steps
  std::int64_t tail_steps = 8;            ///< steps kept at the end
  std::int64_t first_window = 100000000;  ///< [ns]; windows begin at this time, twice, four times
  bool whole = false;  ///< keep the events of the whole run if they fit into ring and kept
};

/// Bounds with which the record of so many ranks stays within some tens of megabytes.
inline RecordingLimits limits_of(std::size_t ranks) {
  RecordingLimits limits;
  const std::size_t count = std::max<std::size_t>(1, ranks);
  limits.kept = std::clamp<std::size_t>((std::size_t{1} << 20) / count, 2048, limits.kept);
  limits.window = std::min(limits.window, limits.kept / 4);
  limits.step_rows = std::clamp<std::size_t>((std::size_t{1} << 19) / count, 512, limits.step_rows);
  return limits;
}

class Recording {
 public:
  explicit Recording(RecordingLimits limits = {}) : limits_(limits), begin_(now_ns()) {
    pthread_getcpuclockid(pthread_self(), &clock_);
    steady_processor_begin_ = processor_ns();
    window_begin_ = begin_;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The number of a region, the same for the same words.
  std::uint32_t region(std::string_view name, std::string_view kind, std::string_view site = "") {
    const std::lock_guard lock(mutex_);
    std::string key;
    key.append(name).append(1, '\0').append(kind).append(1, '\0').append(site);
    const auto [found, added] =
        numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(regions_.size()));
    if (added) regions_.push_back(describe(name, kind, site));
    return found->second;
  }

  /// Bounds what is kept, before much is recorded.
  void keep_at_most(std::size_t events) {
    const std::lock_guard lock(mutex_);
    limits_.kept = events;
    limits_.ring = std::max({events, 2 * limits_.window, ring_.size()});
  }

  /// Another text for where a region is, known later than the region.
  void place(std::uint32_t region, std::string_view site) {
    const std::lock_guard lock(mutex_);
    regions_[region].site = site;
  }

  /// The calling thread enters a region.
  void begin(std::uint32_t region) { mine().open.push_back({region, now_ns(), 0}); }

  /// The calling thread leaves the region that it entered last.
  void end(const Told& told = {}) {
    Thread& thread = mine();
    if (thread.open.empty()) return;
    const Open left = thread.open.back();
    thread.open.pop_back();
    finish(thread, left.region, left.begin, now_ns(), left.inside, told);
  }

  /// The calling thread, for `end_for`.
  void* thread() { return &mine(); }

  /// A thread that stands still left at `end` what it entered last, and waited in it since `idle`.
  void end_for(void* other, std::uint32_t waiting, std::int64_t idle, std::int64_t end) {
    Thread& thread = *static_cast<Thread*>(other);
    if (thread.open.empty()) return;
    finish(thread, waiting, idle, end, 0, {});
    const Open left = thread.open.back();
    thread.open.pop_back();
    finish(thread, left.region, left.begin, end, left.inside, {});
  }

  /// The calling thread calls something, whose event comes when it is back (`came_back`).
  void* called(std::uint32_t region, std::int64_t begin) {
    Thread& thread = mine();
    thread.call = {region, begin, 0};
    return &thread;
  }
  static void came_back(void* thread) { static_cast<Thread*>(thread)->call.region = no_region; }

  /// A finished event inside what the calling thread has open.
  void add(std::uint32_t region, std::int64_t begin, std::int64_t end, const Told& told = {}) {
    finish(mine(), region, begin, end, 0, told);
  }

  /// A finished event of a thread that does not live long; those of a region count as one thread.
  void add_beside(std::uint32_t region, std::int64_t begin, std::int64_t end) {
    Thread* thread = nullptr;
    {
      const std::lock_guard lock(mutex_);
      thread = &beside_[region];
      thread->number = static_cast<std::uint16_t>(most_threads + region);
    }
    finish(*thread, region, begin, end, 0, {});
  }

  /// Without steps: what is steady begins (the program has started), or has ended.
  void steady_begins() {
    const std::lock_guard lock(mutex_);
    if (steps_ != 0 || stepping_) return;
    steady_begin_ = now_ns();
    steady_processor_begin_ = processor_ns();
    stage_ = 1;
  }
  void steady_ends() {
    const std::lock_guard lock(mutex_);
    if (stage_ != 1 || steps_ != 0) return;
    steady_end_ = now_ns();
    steady_processor_end_ = processor_ns();
    stage_ = 2;
  }

  /// A step of the program begins; all ranks have the same steps. What comes between two steps
  /// belongs to the first of them.
  void step_begin() {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = now_ns();
    if (steps_ == 0) {
      steady_begin_ = now;
      steady_processor_begin_ = processor_ns();
      if (stage_ != 0) fold_start();
      keep_start(now);
    } else {
      close_step(now);
    }
    fold_between();
    step_begin_ = now;
    step_mark_ = written_;
    step_mpi_ = 0;
    signature_ = first_signature;
    stepping_ = true;
  }

  void step_end() {
    const std::lock_guard lock(mutex_);
    if (!stepping_) return;
    steady_end_ = now_ns();
    steady_processor_end_ = processor_ns();
    stepping_ = false;
    count_step(steady_end_);
    ++steps_;
  }

  std::int64_t steps() const { return steps_; }
  std::int64_t calls() const { return calls_; }

  /// The process is no more: what its threads had begun lasts until `end` (0: until the last that
  /// is known of it).
  void ended(std::int64_t end);

  /// Everything as one row of bytes: "HALOREC1", the length of a JSON text, the text, the tables.
  /// `about` is JSON too. `rank` and `size` are those of the whole program.
  std::string part(std::uint32_t rank, std::uint32_t size, std::string_view about = "{}");

  /// Write the part to a file; false, with errno set, where that fails.
  bool write(const std::string& path, std::uint32_t rank, std::uint32_t size,
             std::string_view about = "{}") {
    const std::string bytes = part(rank, size, about);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    return (std::fclose(file) == 0) && whole;
  }

 private:
  static constexpr std::int64_t most_tail = 64;
  static constexpr std::uint32_t most_threads = 1 << 15;
  static constexpr std::uint32_t no_region = std::numeric_limits<std::uint32_t>::max();

  struct Described {
    LastingString name, kind, site;
    bool communicates, is_message, in_pattern;
  };
  struct Open {
    std::uint32_t region;
    std::int64_t begin, inside;
  };
  struct Statistic {
    std::int64_t calls = 0, nanoseconds = 0, own = 0;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0, bytes = 0;
    double squares = 0.0;

    void take(const Statistic& other) {
      calls += other.calls;
      nanoseconds += other.nanoseconds;
      own += other.own;
      bytes += other.bytes;
      squares += other.squares;
      shortest = std::min(shortest, other.shortest);
      longest = std::max(longest, other.longest);
    }
  };
  struct Message {
    std::int64_t count = 0, bytes = 0, nanoseconds = 0;
  };
  struct Thread {
    std::uint16_t number = 0;
    std::thread::id id;
    LastingVector<Open> open;
    Open call{no_region, 0, 0};            // what it has called and not come back from
    LastingVector<Statistic> statistics;   // [region][period]
    LastingVector<std::uint32_t> between;  // regions with statistics since the last step
  };
  struct Tail {
    std::int64_t begin, end;
    std::uint64_t first, last;
  };

  static Described describe(std::string_view name, std::string_view kind, std::string_view site) {
    const auto is = [kind](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), kind) != names.end();
    };
    return {LastingString(name), LastingString(kind), LastingString(site),
            is({"send", "receive", "start send", "start receive", "send receive", "wait", "test",
                "collective", "start collective", "one-sided", "file", "other mpi", "halo", "sum",
                "transpose"}),
            is({"send", "receive", "start send", "start receive", "collective", "start collective",
                "one-sided"}),
            // How requests complete changes from step to step of one pattern.
            !is({"wait", "test", "completion", "phase", "threads", "thread wait"})};
  }

  Thread& mine() {
    thread_local std::uint64_t owner = 0;
    thread_local Thread* thread = nullptr;
    if (owner != identity_) {
      const std::lock_guard lock(mutex_);
      const auto id = std::this_thread::get_id();  // it may have recorded elsewhere meanwhile
      const auto known = std::find_if(threads_.begin(), threads_.end(),
                                      [id](const auto& one) { return one.id == id; });
      thread = known != threads_.end() ? &*known : add_thread(id);
      owner = identity_;
    }
    return *thread;
  }

  Thread* add_thread(std::thread::id id) {
    Thread* const thread = &threads_.emplace_back();
    thread->number = static_cast<std::uint16_t>(threads_.size() - 1);
    thread->id = id;
    return thread;
  }

  void finish(Thread& thread, std::uint32_t region, std::int64_t begin, std::int64_t end,
              std::int64_t inside, const Told& told) {
    const std::int64_t length = end - begin, own = length - inside;
    if (!thread.open.empty()) thread.open.back().inside += length;
    const std::lock_guard lock(mutex_);
    ++calls_;
    const Described& what = regions_[region];
    count(thread, region, length, own, told.bytes);
    if (what.is_message) count_message(region, length, told);
    if (what.communicates) step_mpi_ += own;
    if (what.in_pattern) {
      for (const std::uint64_t word :
           {std::uint64_t{region}, static_cast<std::uint64_t>(told.bytes),
            static_cast<std::uint64_t>(told.partner)}) {
        signature_ = (signature_ ^ word) * 1099511628211ULL;
      }
    }
    look(end);
    put({begin, end, told.bytes, region, 0, told.partner, told.tag, told.request, told.communicator,
         thread.number});
    if (steps_ == 0 && !stepping_) window(end);
  }

  /// How long the thread that made the recorder had a processor [ns].
  std::int64_t processor_ns() const {
    timespec used{};
    clock_gettime(clock_, &used);
    return std::int64_t{1000000000} * used.tv_sec + used.tv_nsec;
  }

  /// The process lives, and has used so much of processors.
  void look(std::int64_t now) {
    if (now < looked_ + looking) return;
    looked_ = now;
    timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    cpu_seconds_ = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

  void put(const EventRow& event) {
    if (ring_.size() < limits_.ring)
      ring_.push_back(event);
    else
      ring_[written_ % limits_.ring] = event;
    ++written_;
  }

  void count(Thread& thread, std::uint32_t region, std::int64_t length, std::int64_t own,
             std::int64_t bytes) {
    const std::size_t period = stepping_ ? 1 : steps_ == 0 ? stage_ : 2;
    const std::size_t at = 3 * region + period;
    if (at >= thread.statistics.size()) thread.statistics.resize(3 * regions_.size());
    Statistic& one = thread.statistics[at];
    if (period == 2 && steps_ != 0 && one.calls == 0) thread.between.push_back(region);
    const double square = static_cast<double>(length) * static_cast<double>(length);
    one.take({1, length, own, length, length, bytes, square});
  }

  void count_message(std::uint32_t region, std::int64_t length, const Told& told) {
    std::uint64_t size_class = 0;
    while ((std::int64_t{1} << size_class) < told.bytes) ++size_class;
    const std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(told.partner))
                                  << 32 |
                              std::uint64_t{region} << 6 | size_class;
    Message& one = messages_[key];
    ++one.count;
    one.bytes += told.bytes;
    one.nanoseconds += length;
  }

  static constexpr std::uint64_t first_signature = 1469598103934665603ULL;

  /// The first steps, and two at each power of two.
  static bool representative(std::int64_t step) {
    return step < 3 || (step & (step - 1)) == 0 || ((step - 1) & (step - 2)) == 0;
  }

  void count_step(std::int64_t now) {
    const double seconds = 1e-9 * static_cast<double>(now - step_begin_);
    const double mpi = 1e-9 * static_cast<double>(step_mpi_);
    if (!rows_.empty() && rows_.back().count < stride_) {
      StepRow& row = rows_.back();
      ++row.count;
      row.seconds += seconds;
      row.longest = std::max<double>(row.longest, seconds);
      row.mpi_seconds += mpi;
    } else {
      rows_.push_back({0, steps_, 1, step_begin_, seconds, seconds, mpi, signature_});
    }
    ++patterns_[signature_];
    if (patterns_.size() > most_patterns) patterns_.erase(patterns_.begin());
    if (rows_.size() >= limits_.step_rows && rows_.back().count == stride_) halve_rows();
  }

  void halve_rows() {
    for (std::size_t at = 0; at + 1 < rows_.size(); at += 2) {
      StepRow row = rows_[at];
      const StepRow& next = rows_[at + 1];
      row.count += next.count;
      row.seconds += next.seconds;
      row.longest = std::max<double>(row.longest, next.longest);
      row.mpi_seconds += next.mpi_seconds;
      rows_[at / 2] = row;
    }
    rows_.resize(rows_.size() / 2);
    stride_ *= 2;
  }

  void window(std::int64_t now) {
    const std::uint64_t count = written_ - window_mark_;
    if (in_window_ && (count >= limits_.window || now > window_end_)) {
      keep(window_mark_, written_, window_begin_, now, -1);
      in_window_ = false;
    }
    if (!in_window_ && now >= next_window()) {
      in_window_ = true;
      window_begin_ = now;
      window_mark_ = written_;
      while (now >= next_window()) ++windows_;
      window_end_ = now + (next_window() - now) / 8;
    }
  }

  std::int64_t next_window() const {
    return begin_ + (limits_.first_window << std::min(windows_, std::int64_t{30}));
  }

  /// What happened before the first step: its last events.
  void keep_start(std::int64_t now) {
    const std::uint64_t first = written_ > limits_.window ? written_ - limits_.window : 0;
    if (in_window_ && window_mark_ <= first) {
      keep(window_mark_, written_, window_begin_, now, -1);
    } else {
      keep(first, written_, first == 0 ? begin_ : ring_[first % ring_.size()].begin, now, -1);
    }
    in_window_ = false;
  }

  /// The last step, with what came after it, is over.
  void close_step(std::int64_t now) {
    const std::int64_t step = steps_ - 1;
    tail_[static_cast<std::size_t>(step % most_tail)] = {step_begin_, now, step_mark_, written_};
    if (representative(step)) keep(step_mark_, written_, step_begin_, now, step);
  }

  /// There are steps, so that all before the first one was start.
  void fold_start() {
    for (Thread& thread : threads_) {
      for (std::size_t at = 0; at < thread.statistics.size(); at += 3) {
        for (const std::size_t later : {at + 1, at + 2}) {
          thread.statistics[at].take(thread.statistics[later]);
          thread.statistics[later] = {};
        }
      }
    }
  }

  /// Statistics of what came between two steps are steady, now that another step has come.
  void fold_between() {
    for_each_thread([](Thread& thread) {
      for (const std::uint32_t region : thread.between) {
        Statistic& after = thread.statistics[3 * region + 2];
        thread.statistics[3 * region + 1].take(after);
        after = {};
      }
      thread.between.clear();
    });
  }

  template <class Action>
  void for_each_thread(const Action& action) {
    for (Thread& thread : threads_) action(thread);
    for (auto& [region, thread] : beside_) action(thread);
  }

  void keep(std::uint64_t first, std::uint64_t last, std::int64_t begin, std::int64_t end,
            std::int64_t step) {
    const std::uint64_t count = last - first;
    if (count > ring_.size() || kept_.size() + count > limits_.kept ||
        written_ - first > ring_.size()) {
      ++not_kept_;
      return;
    }
    kept_spans_.push_back({0, begin, end, step, step < 0 ? 0U : 1U});
    copy(first, last);
  }

  void copy(std::uint64_t first, std::uint64_t last) {
    first = std::max(first, copied_);
    for (std::uint64_t at = first; at < last; ++at) kept_.push_back(ring_[at % ring_.size()]);
    copied_ = std::max(copied_, last);
  }

  void keep_tail(std::int64_t now);
  std::string header(std::uint32_t rank, std::uint32_t size, std::string_view about,
                     std::int64_t end,
                     const std::vector<std::pair<std::string, std::size_t>>& tables);

  static inline std::atomic<std::uint64_t> recordings_{0};
  static constexpr std::size_t most_patterns = 256;

  const std::uint64_t identity_ = ++recordings_;
  RecordingLimits limits_;
  std::int64_t begin_;
  ShortLock mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  LastingVector<Described> regions_;
  LastingList<Thread> threads_;
  LastingMap<std::uint32_t, Thread> beside_;  // by region
  LastingMap<std::uint64_t, Message> messages_;
  LastingVector<EventRow> ring_, kept_;
  LastingVector<SpanRow> kept_spans_;
  std::uint64_t written_ = 0, copied_ = 0, not_kept_ = 0;
  std::int64_t calls_ = 0;

  static constexpr std::int64_t looking = 50000000;
  std::int64_t looked_ = 0, ended_ = 0;  ///< ended_: 0 as long as the process lives
  double cpu_seconds_ = 0.0;
  clockid_t clock_{};
  std::int64_t steady_processor_begin_ = 0, steady_processor_end_ = 0;

  bool stepping_ = false;
  std::size_t stage_ = 0;  ///< without steps: 0 start or unknown, 1 steady, 2 after it
  std::int64_t steps_ = 0, step_begin_ = 0, step_mpi_ = 0, steady_begin_ = 0, steady_end_ = 0;
  std::uint64_t step_mark_ = 0, signature_ = first_signature;
  std::uint32_t stride_ = 1;
  LastingVector<StepRow> rows_;
  LastingMap<std::uint64_t, std::int64_t> patterns_;
  std::array<Tail, most_tail> tail_{};

  bool in_window_ = true;
  std::int64_t windows_ = 0, window_begin_ = 0,
               window_end_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t window_mark_ = 0;
};

}  // namespace halocline

#include "recording_part.hpp"
