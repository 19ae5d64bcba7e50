#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "view.hpp"

/// The network of a replay: the LogGP parameters of messages, and who gets in whose way.
///
/// LogGP: Alexandrov, Ionescu, Schauser & Scheiman (1995), "LogGP: incorporating long messages into
/// the LogP model"; time per byte on the processor as in LogGOPS (Hoefler, Schneider & Lumsdaine,
/// 2010). Times are seconds.
namespace halocline {

/// What messages up to some size cost; a row of the tables `inside` and `between`.
struct Protocol {
  double up_to;             // bytes
  double latency;           // L
  double send_overhead;     // o of the sender, its processor is busy
  double receive_overhead;  // o of the receiver
  double gap;               // g: between two messages of a rank
  double per_byte;          // G
  double send_per_byte;     // O: the processor copies
  double receive_per_byte;
  double handshake;  // of a rendezvous; negative: the message is sent eagerly
};
inline constexpr int protocol_columns = 9;

/// How nodes are joined.
struct Wiring {
  enum Kind { crossbar = 0, fat_tree = 1, torus = 2 };
  int kind = crossbar;
  int leaf_nodes = 1;  // fat tree: nodes per leaf switch
  int uplinks = 1;     // fat tree: of each leaf switch
  std::array<int, 3> shape{1, 1, 1};
  double hop_latency = 0.0;
  double link_per_byte = 0.0;
  double node_gap = 0.0;         // of the adapter that the ranks of a node share
  double node_per_byte = 0.0;    // of the same
  double memory_per_byte = 0.0;  // of messages inside a node, together
};

/// When a message has left its sender, and when its head is at the receiver.
struct Departure {
  double sent, head;
};

class Network {
 public:
  Network(View2<const double> inside, View2<const double> between, const Wiring& wiring,
          View1<const std::int32_t> node_of_rank)
      : inside_(rows(inside)), between_(rows(between)), wiring_(wiring), node_(node_of_rank) {
    const std::size_t ranks = static_cast<std::size_t>(node_of_rank.extent[0]);
    std::int32_t nodes = 1;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      nodes = std::max(nodes, node_of_rank.data[rank] + 1);
    port_out_.assign(ranks, 0.0), port_in_.assign(ranks, 0.0);
    adapter_out_.assign(nodes, 0.0), adapter_in_.assign(nodes, 0.0), memory_.assign(nodes, 0.0);
    const std::size_t leaves = nodes / std::max(1, wiring.leaf_nodes) + 1;
    if (wiring.kind == Wiring::fat_tree) links_.assign(2 * leaves * wiring.uplinks, 0.0);
    if (wiring.kind == Wiring::torus)
      links_.assign(6 * std::size_t(wiring.shape[0]) * wiring.shape[1] * wiring.shape[2], 0.0);
  }

  const Protocol& protocol(int from, int to, double bytes) const {
    const std::vector<Protocol>& table = node_.data[from] == node_.data[to] ? inside_ : between_;
    for (const Protocol& row : table)
      if (bytes <= row.up_to) return row;
    return table.back();
  }

  /// Let a message that is ready leave; calls are made in the order of time.
  Departure depart(int from, int to, double bytes, double ready, const Protocol& protocol) {
    const double wire = bytes * protocol.per_byte;
    double head = std::max(ready, port_out_[from]);
    const int node = node_.data[from], other = node_.data[to];
    if (node == other) {
      take(head, memory_[node], bytes * wiring_.memory_per_byte);
    } else {
      take(head, adapter_out_[node], adapter_time(bytes));
    }
    port_out_[from] = head + std::max(protocol.gap, wire);
    const double sent = head + wire;
    if (node != other) head = across(node, other, bytes, head);
    return {sent, head + protocol.latency};
  }

  /// When all of a message is there whose head is there now; calls are made in the order of time.
  double arrive(int from, int to, double bytes, double head, const Protocol& protocol) {
    const double wire = bytes * protocol.per_byte;
    const int node = node_.data[from], other = node_.data[to];
    head = std::max(head, port_in_[to]);
    if (node != other) take(head, adapter_in_[other], adapter_time(bytes));
    port_in_[to] = head + std::max(protocol.gap, wire);
    return head + wire;
  }

 private:
  static std::vector<Protocol> rows(View2<const double> table) {
    std::vector<Protocol> result;
    for (std::ptrdiff_t row = 0; row < table.extent[0]; ++row) {
      const double* at = table.data + row * table.stride[0];
      result.push_back({at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]});
    }
    return result;
  }

  double adapter_time(double bytes) const {
    return std::max(wiring_.node_gap, bytes * wiring_.node_per_byte);
  }

  static void take(double& head, double& free, double seconds) {
    head = std::max(head, free);
    free = head + seconds;
  }

  /// Flows that meet share a link; who waits for one link does not keep others from the next.
  void take_link(double& head, double& delay, std::size_t link, double seconds) {
    delay = std::max(delay, links_[link] - head);
    links_[link] = std::max(links_[link], head) + seconds;
    head += wiring_.hop_latency;
  }

  double across(int node, int other, double bytes, double head) {
    const double seconds = bytes * wiring_.link_per_byte;
    double delay = 0.0;
    if (wiring_.kind == Wiring::fat_tree) {
      const int leaf = node / wiring_.leaf_nodes, other_leaf = other / wiring_.leaf_nodes;
      if (leaf == other_leaf) return head + wiring_.hop_latency;
      // The target picks the spine, so that flows to different targets part (D-mod-k routing).
      const std::size_t spine = other % wiring_.uplinks, half = links_.size() / 2;
      take_link(head, delay, std::size_t(leaf) * wiring_.uplinks + spine, seconds);
      take_link(head, delay, half + std::size_t(other_leaf) * wiring_.uplinks + spine, seconds);
    }
    if (wiring_.kind == Wiring::torus) around(node, other, seconds, head, delay);
    return head + delay;
  }

  /// Along x, then y, then z, each the shorter way round.
  void around(int node, int other, double seconds, double& head, double& delay) {
    int stride = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const int size = wiring_.shape[axis];
      int at = node / stride % size;
      const int target = other / stride % size;
      const int ahead = (target - at + size) % size;
      const bool up = 2 * ahead <= size;
      for (int hops = up ? ahead : size - ahead; hops > 0; --hops) {
        take_link(head, delay, std::size_t(node) * 6 + 2 * axis + (up ? 0 : 1), seconds);
        const int next = up ? (at + 1) % size : (at + size - 1) % size;
        node += (next - at) * stride;
        at = next;
      }
      stride *= size;
    }
  }

  std::vector<Protocol> inside_, between_;
  Wiring wiring_;
  View1<const std::int32_t> node_;
  std::vector<double> port_out_, port_in_, adapter_out_, adapter_in_, memory_, links_;
};

}  // namespace halocline
