// Communicators and windows: their members as ranks of the whole program.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiling.hpp"
#include "recording.hpp"

namespace halocline {

/// A handle as a number; it is a pointer or a number, as the library likes.
template <class Handle>
std::uintptr_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uintptr_t>(handle);
}

struct Communicator {
  std::uint16_t number = 0;
  int rank = 0;
  std::vector<int> members;   ///< of this side, ranks of the program
  std::vector<int> partners;  ///< the other side of an intercommunicator, else the same
  bool between = false;       ///< an intercommunicator
  int later = 0;              ///< how many with the same members are older
  std::atomic<int> neighbours{-1};

  int partner(int of) const {
    return of >= 0 && of < static_cast<int>(partners.size())
               ? partners[static_cast<std::size_t>(of)]
               : nobody;
  }
};

/// Ranks of a group as ranks of the program.
inline std::vector<int> members_of(MPI_Group group, MPI_Group world) {
  int size = 0;
  pmpi::Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size)), members(own.size());
  for (int at = 0; at < size; ++at) own[static_cast<std::size_t>(at)] = at;
  if (size > 0) pmpi::Group_translate_ranks(group, size, own.data(), world, members.data());
  for (int& member : members) member = member < 0 ? nobody : member;
  return members;
}

/// Communicators get numbers by order of making, and again the number of a freed one with the same
/// members. Ranks may number differently; members and age say which are the same (`lab record`).
class Communicators {
 public:
  static constexpr std::size_t most = 65535;

  /// `rows` gets a row of JSON for each communicator:
  /// [number, older with the same members, [[first, step, count], ...]], and the other side's.
  void start(MPI_Group world, LastingString& rows) {
    world_ = world;
    rows_ = &rows;
  }

  /// The communicator of a handle.
  Communicator& of(MPI_Comm handle) {
    struct Near {
      std::uintptr_t key;
      std::uint64_t freed;
      Communicator* communicator;
    };
    static thread_local Near near{0, 0, nullptr};
    const std::uint64_t freed = freed_.load(std::memory_order_acquire);
    const std::uintptr_t key = key_of(handle);
    if (near.communicator == nullptr || near.key != key || near.freed != freed)
      near = {key, freed, &found_or_made(handle)};
    return *near.communicator;
  }

  void forget(MPI_Comm handle) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key_of(handle));
    if (found == known_.end()) return;
    const Communicator* const one = found->second;
    auto& same = by_members_[{one->members, one->between ? one->partners : std::vector<int>{}}];
    same.used[static_cast<std::size_t>(one->later)] = false;
    known_.erase(found);
    freed_.fetch_add(1, std::memory_order_release);
  }

  /// Partner of a one-sided operation.
  int in_window(MPI_Win handle, int target) {
    const std::lock_guard lock(mutex_);
    auto [found, added] = windows_.try_emplace(key_of(handle));
    if (added) {
      MPI_Group group;
      pmpi::Win_get_group(handle, &group);
      found->second = members_of(group, world_);
      pmpi::Group_free(&group);
    }
    const auto& members = found->second;
    return target >= 0 && target < static_cast<int>(members.size())
               ? members[static_cast<std::size_t>(target)]
               : nobody;
  }

  void forget_window(MPI_Win handle) {
    const std::lock_guard lock(mutex_);
    windows_.erase(key_of(handle));
  }

 private:
  struct Same {
    std::vector<Communicator*> members;
    std::vector<bool> used;
  };

  Communicator& found_or_made(MPI_Comm handle) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = known_.find(key_of(handle));
      if (found != known_.end()) return *found->second;
    }
    int between = 0, rank = 0;
    MPI_Group group;
    pmpi::Comm_test_inter(handle, &between);
    pmpi::Comm_group(handle, &group);
    pmpi::Group_rank(group, &rank);
    std::vector<int> members = members_of(group, world_), partners;
    pmpi::Group_free(&group);
    if (between != 0) {
      pmpi::Comm_remote_group(handle, &group);
      partners = members_of(group, world_);
      pmpi::Group_free(&group);
    }
    const std::lock_guard lock(mutex_);
    Communicator& one = numbered(members, partners, between != 0);
    one.rank = rank;
    one.neighbours = -1;
    known_[key_of(handle)] = &one;
    return one;
  }

  Communicator& numbered(const std::vector<int>& members, const std::vector<int>& partners,
                         bool between) {
    Same& same = by_members_[{members, partners}];
    std::size_t at = 0;
    while (at < same.used.size() && same.used[at]) ++at;
    if (at < same.used.size()) {
      same.used[at] = true;
      return *same.members[at];
    }
    all_.push_back(std::make_unique<Communicator>());
    Communicator& one = *all_.back();
    one.number = static_cast<std::uint16_t>(std::min(all_.size() - 1, most));
    one.members = members;
    one.partners = between ? partners : members;
    one.between = between;
    one.later = static_cast<int>(at);
    same.members.push_back(&one);
    same.used.push_back(true);
    const std::string row = "[" + std::to_string(one.number) + ", " + std::to_string(one.later) +
                            ", " + runs(one.members) + ", " +
                            (one.between ? runs(one.partners) : "[]") + "]";
    rows_->append(rows_->empty() ? "" : ", ").append(row);
    return one;
  }

  /// Ranks as rows with equal steps.
  static std::string runs(const std::vector<int>& members) {
    std::string text = "[";
    for (std::size_t at = 0; at < members.size();) {
      std::size_t last = at + 1;
      const int step = last < members.size() ? members[last] - members[at] : 1;
      while (last < members.size() && members[last] - members[last - 1] == step) ++last;
      text += (at == 0 ? "[" : ", [") + std::to_string(members[at]) + ", " + std::to_string(step) +
              ", " + std::to_string(last - at) + "]";
      at = last;
    }
    return text + "]";
  }

  MPI_Group world_{};
  LastingString* rows_ = nullptr;
  std::mutex mutex_;
  std::atomic<std::uint64_t> freed_{0};
  std::unordered_map<std::uintptr_t, Communicator*> known_;
  std::map<std::pair<std::vector<int>, std::vector<int>>, Same> by_members_;
  std::vector<std::unique_ptr<Communicator>> all_;
  std::unordered_map<std::uintptr_t, std::vector<int>> windows_;
};

}  // namespace halocline
