// One clock for all ranks: how far the clock of each node is from that of rank 0.
#pragma once

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "profiling.hpp"
#include "recording.hpp"

namespace halocline {

/// What is the same for all processes that read the same clock.
inline std::int64_t own_clock() {
  std::array<char, 512> text{};
  gethostname(text.data(), text.size() - 1);
  std::string words = text.data(), boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const auto length = readlink("/proc/self/ns/time", text.data(), text.size() - 1);
  words += "/" + boot + "/" +
           std::string(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return static_cast<std::int64_t>(std::hash<std::string>{}(words) >> 1);
}

/// What to add to a clock to get that of rank 0, at one time of it [ns].
struct ClockOffset {
  std::int64_t time = 0, offset = 0;
};

class Clocks {
 public:
  /// All ranks: who shares a clock with whom.
  void start(const Handles& handles, int rank, int size) {
    handles_ = &handles;
    rank_ = rank;
    pmpi::Comm_dup(handles.world, &communicator_);
    std::int64_t own = own_clock();
    clocks_.resize(static_cast<std::size_t>(size));
    pmpi::Allgather(&own, 1, handles.long_integer, clocks_.data(), 1, handles.long_integer,
                    communicator_);
    for (int at = 0; at < size; ++at) {
      bool first = true;
      for (const int other : leaders_) first = first && clock(other) != clock(at);
      if (first) leaders_.push_back(at);
    }
  }

  bool one_clock() const { return leaders_.size() <= 1; }

  /// All ranks: compare the clocks. One rank of each node plays ping-pong with rank 0; the shortest
  /// of the round trips is taken, its middle is when rank 0 looked at its clock.
  ClockOffset compare() {
    std::vector<std::int64_t> found(2 * leaders_.size(), 0);
    for (std::size_t at = 1; at < leaders_.size(); ++at) {
      if (rank_ == 0) serve(leaders_[at], &found[2 * at]);
      if (rank_ == leaders_[at]) ask();
    }
    pmpi::Bcast(found.data(), static_cast<int>(found.size()), handles_->long_integer, 0,
                communicator_);
    for (std::size_t at = 0; at < leaders_.size(); ++at) {
      if (clock(leaders_[at]) == clock(rank_)) return {found[2 * at], found[2 * at + 1]};
    }
    return {};
  }

  /// The same number on all ranks, from rank 0.
  std::int64_t agree(std::int64_t number) {
    pmpi::Bcast(&number, 1, handles_->long_integer, 0, communicator_);
    return number;
  }

  void end() { pmpi::Comm_free(&communicator_); }

 private:
  static constexpr int rounds = 20;
  static constexpr int tag = 7;

  std::int64_t clock(int rank) const { return clocks_[static_cast<std::size_t>(rank)]; }

  void serve(int leader, std::int64_t* found) const {
    std::array<std::int64_t, 2> times{};
    MPI_Status status;
    for (int round = 0; round < rounds; ++round) {
      pmpi::Recv(times.data(), 1, handles_->long_integer, leader, tag, communicator_, &status);
      times[0] = now_ns();
      pmpi::Send(times.data(), 1, handles_->long_integer, leader, tag, communicator_);
    }
    pmpi::Recv(found, 2, handles_->long_integer, leader, tag, communicator_, &status);
  }

  void ask() const {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    std::array<std::int64_t, 2> best{};
    for (int round = 0; round < rounds; ++round) {
      std::int64_t there = 0;
      MPI_Status status;
      const std::int64_t begin = now_ns();
      pmpi::Send(&there, 1, handles_->long_integer, 0, tag, communicator_);
      pmpi::Recv(&there, 1, handles_->long_integer, 0, tag, communicator_, &status);
      const std::int64_t end = now_ns();
      if (end - begin >= shortest) continue;
      shortest = end - begin;
      const std::int64_t middle = begin + shortest / 2;
      best = {middle, there - middle};
    }
    pmpi::Send(best.data(), 2, handles_->long_integer, 0, tag, communicator_);
  }

  const Handles* handles_ = nullptr;
  int rank_ = 0;
  MPI_Comm communicator_{};
  std::vector<std::int64_t> clocks_;
  std::vector<int> leaders_;  ///< the first rank of each clock; 0 is the first of all
};

}  // namespace halocline
