#pragma once
#include <cstdint>
#include <vector>

#include "prediction/replay_processors.hpp"

/// What ranks do in a replay, and what the replay needs to know besides the network.
namespace halocline {

/// One row of `programs.operation_type`.
struct Operation {
  enum Kind : std::uint8_t {
    compute,
    send,
    receive,
    start_send,
    start_receive,
    wait,  // for `request`, 0: for all that are open; with tag 1 together with the next wait
    collective,
    start_collective,
    enter,
    leave
  };
  double seconds;
  std::int64_t bytes;
  std::int32_t partner;  // of collectives: the root, in ranks of the world
  std::int32_t tag;      // of collectives: which
  std::uint32_t request;
  std::uint32_t region;
  std::uint16_t communicator;
  std::uint8_t kind;
  std::uint8_t unused[5];
};
static_assert(sizeof(Operation) == 40);

/// What the replay needs to know besides the network.
struct ReplayOptions {
  /// Who must be in a call of MPI for a large message to begin to move.
  enum Progress { nobody = 0, receiver = 1, both = 2 };
  Noise noise;
  double reduction = 0.0;  // seconds per byte of a sum
  double watching = 0.0;   // share of a processor that a waiting rank takes on a crowded node
  double wake = 0.0;       // until a waiting rank of a crowded node goes on
  int progress = nobody;
  int repeats = 1;
};

}  // namespace halocline
