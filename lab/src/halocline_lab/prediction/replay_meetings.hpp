#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prediction/replay_collectives.hpp"
#include "prediction/replay_operations.hpp"
#include "view.hpp"

/// Members of a communicator who come to a collective operation, one after the other.
namespace halocline {

using Members = std::vector<std::vector<std::int32_t>>;

/// A collective that members come to; `time` is when each came, and at the end when it goes on.
struct Meeting {
  const std::vector<std::int32_t>* members;
  std::vector<double> came, time, bytes;
  std::vector<std::int64_t> operation;  // of each member
  std::size_t count = 0;
};

class Meetings {
 public:
  Meetings(const Members& communicators, const Operation* operations,
           View2<const double> algorithms, std::size_t ranks)
      : communicators_(communicators),
        operations_(operations),
        algorithms_(algorithms),
        counts_(ranks) {
    for (const auto& members : communicators_) {
      places_.emplace_back();
      if (members.size() == ranks && std::is_sorted(members.begin(), members.end())) continue;
      for (std::size_t place = 0; place < members.size(); ++place)
        places_.back()[members[place]] = static_cast<int>(place);
    }
  }

  /// A rank comes to its operation `at`; true if it was the last, and the meeting is in `whole`.
  bool come(int rank, std::int64_t at, double clock, Meeting& whole) {
    const Operation& operation = operations_[at];
    const int communicator = operation.communicator;
    const auto& members = communicators_[communicator];
    const auto key = std::make_pair(communicator, next(rank, communicator));
    Meeting& meeting = open_[key];
    if (meeting.count == 0)
      meeting = {&members,
                 std::vector<double>(members.size()),
                 {},
                 std::vector<double>(members.size()),
                 std::vector<std::int64_t>(members.size(), -1)};
    const int mine = place(communicator, rank);
    meeting.came[mine] = clock;
    meeting.bytes[mine] = static_cast<double>(operation.bytes);
    meeting.operation[mine] = at;
    if (++meeting.count < members.size()) return false;
    whole = std::move(meeting);
    open_.erase(key);
    return true;
  }

  /// Whether all members came to the same operation; if not, two who did not are in `mismatch`.
  bool agree(const Meeting& meeting) {
    const Operation& one = operations_[meeting.operation[0]];
    for (std::size_t i = 1; i < meeting.operation.size(); ++i) {
      const Operation& other = operations_[meeting.operation[i]];
      if (other.tag == one.tag && other.partner == one.partner) continue;
      const auto& members = *meeting.members;
      mismatch = {members[0], meeting.operation[0], members[i], meeting.operation[i]};
      return false;
    }
    return true;
  }

  /// Let the members do the collective.
  void hold(Meeting& meeting, Network& network, const std::vector<double>& wake,
            double reduction) const {
    const Operation& one = operations_[meeting.operation[0]];
    meeting.time = meeting.came;
    if (meeting.members->size() < 2) return;
    const int root = one.partner < 0 ? 0 : place(one.communicator, one.partner);
    Rounds rounds(network, *meeting.members, meeting.time, wake, reduction);
    rounds.run(static_cast<Collective>(one.tag), algorithm(one, meeting), root, meeting.bytes);
  }

  /// Two ranks and their operations that should be the same collective and are not; or -1.
  std::array<std::int64_t, 4> mismatch{-1, -1, -1, -1};

 private:
  int place(int communicator, int rank) const {
    const auto& places = places_[communicator];
    return places.empty() ? rank : places.at(rank);
  }

  /// How many collectives of a communicator a rank has come to before.
  std::uint64_t next(int rank, int communicator) {
    for (auto& [which, number] : counts_[rank])
      if (which == communicator) return number++;
    counts_[rank].push_back({communicator, 1});
    return 0;
  }

  Algorithm algorithm(const Operation& one, const Meeting& meeting) const {
    const auto what = static_cast<Collective>(one.tag);
    double size = *std::max_element(meeting.bytes.begin(), meeting.bytes.end());
    const double members = static_cast<double>(meeting.bytes.size());
    if (what == Collective::all_to_all || what == Collective::scatter) size /= members;
    if (what == Collective::all_gather) size *= members;
    for (std::ptrdiff_t row = 0; row < algorithms_.extent[0]; ++row)
      if (algorithms_(row, 0) == one.tag && size <= algorithms_(row, 1))
        return static_cast<Algorithm>(algorithms_(row, 2));
    return Algorithm::binomial;
  }

  const Members& communicators_;
  const Operation* operations_;
  View2<const double> algorithms_;
  std::vector<std::vector<std::pair<int, std::uint64_t>>> counts_;  // by communicator
  std::vector<std::unordered_map<std::int32_t, int>> places_;
  std::map<std::pair<int, std::uint64_t>, Meeting> open_;
};

}  // namespace halocline
