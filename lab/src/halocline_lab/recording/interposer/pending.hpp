// Requests that are not complete yet.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "communicators.hpp"
#include "sites.hpp"

namespace halocline {

/// A started operation.
struct Pending {
  const Site* site = nullptr;  ///< where it was started
  Communicator* communicator = nullptr;
  Told told;
  Deed deed = Deed::start_send;
  bool twin = false;  ///< the next with the same request completes with it
};

/// A library gives one handle to many requests where these are complete at once, so that the
/// operations of a handle form a queue.
class PendingRequests {
 public:
  std::uint32_t next_number() { return ++numbers_; }

  void add(MPI_Request handle, const Pending& one) {
    const std::lock_guard lock(mutex_);
    queues_[key_of(handle)].push_back(one);
  }

  /// The oldest operation of a handle that was not complete; false: none.
  bool take(MPI_Request handle, Pending& one) {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(key_of(handle));
    if (found == queues_.end() || found->second.empty()) return false;
    one = found->second.front();
    found->second.pop_front();
    return true;
  }

  void prepare(MPI_Request handle, const Pending& one) {
    const std::lock_guard lock(mutex_);
    prepared_[key_of(handle)] = one;
  }

  bool prepared(MPI_Request handle, Pending& one) {
    const std::lock_guard lock(mutex_);
    const auto found = prepared_.find(key_of(handle));
    if (found == prepared_.end()) return false;
    one = found->second;
    return true;
  }

  void forget(MPI_Request handle) {
    const std::lock_guard lock(mutex_);
    if (prepared_.erase(key_of(handle)) != 0) return;
    const auto found = queues_.find(key_of(handle));
    if (found != queues_.end() && !found->second.empty()) found->second.pop_front();
  }

  void match(MPI_Message message, Communicator& communicator, int partner, int tag) {
    const std::lock_guard lock(mutex_);
    matched_[key_of(message)] = {&communicator, partner, tag};
  }

  /// Whose message it is; the world's nobody where it is unknown.
  struct Matched {
    Communicator* communicator = nullptr;
    int partner = nobody;
    int tag = 0;
  };
  Matched take_matched(MPI_Message message) {
    const std::lock_guard lock(mutex_);
    const auto found = matched_.find(key_of(message));
    if (found == matched_.end()) return {};
    const Matched one = found->second;
    matched_.erase(found);
    return one;
  }

 private:
  /// First in, first out; mostly one.
  class Queue {
   public:
    bool empty() const { return first_ == all_.size(); }
    const Pending& front() const { return all_[first_]; }
    void push_back(const Pending& one) { all_.push_back(one); }
    void pop_front() {
      if (++first_ == all_.size()) {
        all_.clear();
        first_ = 0;
      }
    }

   private:
    std::vector<Pending> all_;
    std::size_t first_ = 0;
  };

  ShortLock mutex_;
  std::atomic<std::uint32_t> numbers_{0};
  std::unordered_map<std::uintptr_t, Queue> queues_;
  std::unordered_map<std::uintptr_t, Pending> prepared_;
  std::unordered_map<std::uintptr_t, Matched> matched_;
};

}  // namespace halocline
