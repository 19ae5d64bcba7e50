// The recorder of this process, and a call of MPI while it runs.
#pragma once

#include <atomic>

#include "communicators.hpp"
#include "pending.hpp"
#include "recording.hpp"
#include "sites.hpp"
#include "story.hpp"

#define HERE __builtin_extract_return_addr(__builtin_return_address(0))
#define HALOCLINE_SHOWN __attribute__((visibility("default")))

namespace halocline {

/// The partner of a receive from any source whose sender is not known yet.
inline constexpr int anybody = -2;

/// What lives from MPI_Init to MPI_Finalize; never destroyed, threads may still come.
struct Recorder {
  Recorder(Recording& one, Story& told) : recording(one), story(told) {}

  Recording& recording;
  Story& story;
  Sites sites;
  Communicators communicators;
  PendingRequests requests;
  Handles handles{};
  std::atomic<bool> cancels{false};         ///< the program cancels requests
  bool threads = false;                     ///< parallel regions of OpenMP are recorded
  std::vector<const void*> in_place;        ///< what Fortran passes as MPI_IN_PLACE
  std::vector<const void*> ignored_status;  ///< what Fortran passes as MPI_STATUS(ES)_IGNORE
};

inline std::atomic<Recorder*> recorder{nullptr};

/// This thread is inside a recorded call: what it calls now is the library's own business.
inline thread_local bool inside = false;

class Call {
 public:
  Call(const Function& function, const void* address)
      : all_(recorder.load(std::memory_order_acquire)) {
    if (all_ == nullptr || inside) {
      all_ = nullptr;
      return;
    }
    inside = true;
    site_ = all_->sites.of(function, address);
    begin_ = now_ns();
    thread_ = all_->recording.called(site_->region(all_->recording), begin_);
  }
  ~Call() {
    if (all_ == nullptr) return;
    Recording::came_back(thread_);
    inside = false;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  explicit operator bool() const { return all_ != nullptr; }
  Recorder& all() const { return *all_; }
  const Site* site() const { return site_; }

  /// The call is over: its time is taken.
  void over() { end_ = now_ns(); }

  void add(const Told& told = {}) {
    all_->recording.add(site_->region(all_->recording, Deed::itself, told.gaps), begin_, end_,
                        told);
  }

  /// The call as another kind of event than its function is known for.
  void add_as(Deed deed, const Told& told) {
    all_->recording.add(site_->region(all_->recording, deed, told.gaps), begin_, end_, told);
  }

  /// Something that takes no time of its own, at the begin or the end of the call.
  void add_at_begin(Deed deed, const Told& told) {
    all_->recording.add(site_->region(all_->recording, deed, told.gaps), begin_, begin_, told);
  }
  void add_at_end(const Site& site, Deed deed, const Told& told) {
    all_->recording.add(site.region(all_->recording, deed), end_, end_, told);
  }

 private:
  Recorder* all_;
  const Site* site_ = nullptr;
  void* thread_ = nullptr;
  std::int64_t begin_ = 0, end_ = 0;
};

/// A call of which nothing but its time is known.
template <class L, class Forward>
int timed(const Function& function, const void* address, Forward forward) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    call.add();
  }
  return error;
}

}  // namespace halocline
