#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "prediction/replay_network.hpp"

/// Collective operations of a replay, as the messages that MPI libraries make of them.
///
/// Algorithms: Thakur, Rabenseifner & Gropp (2005), "Optimization of collective communication
/// operations in MPICH". A collective is a sequence of rounds of messages; who takes part begins
/// when it has come. Times are seconds, sizes bytes.
namespace halocline {

enum class Collective {
  barrier,
  broadcast,
  reduce,
  all_reduce,
  gather,
  scatter,
  all_gather,
  all_to_all,
  reduce_scatter,
  scan
};
enum class Algorithm {
  linear,
  binomial,
  recursive_doubling,
  ring,
  rabenseifner,
  scatter_all_gather,
  pairwise,
  bruck,
  dissemination,
  recursive_halving,
  reduce_broadcast
};

/// One collective operation of the members of a communicator.
class Rounds {
 public:
  /// `ranks` are the members, `time` when each has come and, at the end, when it goes on;
  /// `wake` is what each receipt costs a rank besides, `reduction` the arithmetic per byte.
  Rounds(Network& network, const std::vector<std::int32_t>& ranks, std::vector<double>& time,
         const std::vector<double>& wake, double reduction)
      : network_(network), ranks_(ranks), time_(time), wake_(wake), reduction_(reduction) {}

  void run(Collective what, Algorithm how, int root, const std::vector<double>& bytes) {
    const double most = *std::max_element(bytes.begin(), bytes.end());
    root_ = root;
    switch (what) {
      case Collective::barrier:
        return dissemination(0.0);
      case Collective::broadcast:
        return how == Algorithm::scatter_all_gather ? scatter_all_gather(most)
               : how == Algorithm::linear           ? linear_from_root(constant(most))
                                                    : tree_from_root(most, false);
      case Collective::reduce:
        if (how == Algorithm::linear) return linear_to_root(constant(most), true);
        if (how != Algorithm::rabenseifner) return tree_to_root(constant(most), true);
        halving(most);
        return tree_to_root(constant(most / size()), false);
      case Collective::all_reduce:
        return all_reduce(how, most);
      case Collective::gather:
        return how == Algorithm::linear ? linear_to_root(bytes, false) : tree_to_root(bytes, false);
      case Collective::scatter:
        return how == Algorithm::linear ? linear_from_root(constant(most / size()))
                                        : tree_from_root(most / size(), true);
      case Collective::all_gather:
        return all_gather(how, most);
      case Collective::all_to_all:
        return all_to_all(how, most / size());
      case Collective::reduce_scatter:
        return how == Algorithm::pairwise ? shifted(size() - 1, most / size(), true)
                                          : halving(most);
      case Collective::scan:
        return upward(most);
    }
  }

 private:
  struct Step {
    int from, to;
    double bytes, when;  // when: its head, then all of it is there
  };

  int size() const { return static_cast<int>(ranks_.size()); }
  int at(int relative) const { return (relative + root_) % size(); }
  std::vector<double> constant(double bytes) const {
    return std::vector<double>(ranks_.size(), bytes);
  }

  void add(int from, int to, double bytes) { steps_.push_back({from, to, bytes, 0.0}); }

  /// Send all messages collected by `add`, as early as their senders can, then receive them.
  void go(bool reduces = false, bool in_order = true) {
    const auto earlier = [&](const Step& a, const Step& b) {
      return time_[a.from] < time_[b.from];
    };
    if (!std::is_sorted(steps_.begin(), steps_.end(), earlier))
      std::stable_sort(steps_.begin(), steps_.end(), earlier);
    for (Step& step : steps_) send(step);
    arrive_all(in_order);
    for (const auto& [from, when] : sent_) time_[from] = std::max(time_[from], when);
    sent_.clear();
    for (const Step& step : steps_) receive(step, reduces);
    steps_.clear();
  }

  /// Heads of messages take the ways to their receivers in the order of time.
  void arrive_all(bool in_order) {
    order_.resize(steps_.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto sooner = [&](int a, int b) { return steps_[a].when < steps_[b].when; };
    if (!std::is_sorted(order_.begin(), order_.end(), sooner))
      std::stable_sort(order_.begin(), order_.end(), sooner);
    for (const int at : order_) arrive(steps_[at]);
    if (in_order) return;
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](const Step& a, const Step& b) { return a.when < b.when; });
  }

  void arrive(Step& step) {
    const int from = ranks_[step.from], to = ranks_[step.to];
    const Protocol& protocol = network_.protocol(from, to, step.bytes);
    step.when = network_.arrive(from, to, step.bytes, step.when, protocol);
  }

  void send(Step& step) {
    const int from = ranks_[step.from], to = ranks_[step.to];
    const Protocol& protocol = network_.protocol(from, to, step.bytes);
    double ready = time_[step.from] + protocol.send_overhead + step.bytes * protocol.send_per_byte;
    const bool eager = protocol.handshake < 0.0;
    if (eager) time_[step.from] = ready;
    if (!eager) ready = std::max(ready, time_[step.to]) + protocol.handshake;
    const Departure departure = network_.depart(from, to, step.bytes, ready, protocol);
    step.when = departure.head;
    if (!eager) sent_.push_back({step.from, departure.sent});
  }

  void receive(const Step& step, bool reduces) {
    const Protocol& protocol = network_.protocol(ranks_[step.from], ranks_[step.to], step.bytes);
    time_[step.to] = std::max(time_[step.to], step.when) + protocol.receive_overhead +
                     step.bytes * protocol.receive_per_byte + wake_[ranks_[step.to]] +
                     (reduces ? step.bytes * reduction_ : 0.0);
  }

  /// `count` rounds that are alike; where there are very many, the last ones are extrapolated.
  template <class MakeRound>
  void alike(int count, MakeRound make, bool reduces = false) {
    const int some = std::min(count, std::max(32, (1 << 24) / std::max(1, size())));
    double half = 0.0;
    for (int round = 0; round < some; ++round) {
      if (round == some / 2) half = latest();
      make(round);
      go(reduces);
    }
    if (some == count) return;
    const double each = (latest() - half) / (some - some / 2);
    for (double& time : time_) time += each * (count - some);
  }
  double latest() const { return *std::max_element(time_.begin(), time_.end()); }

  void dissemination(double bytes) {
    for (int distance = 1; distance < size(); distance *= 2) {
      for (int i = 0; i < size(); ++i) add(i, (i + distance) % size(), bytes);
      go();
    }
  }

  /// A binomial tree from the root; with `scatters`, a message holds what all below it get.
  void tree_from_root(double bytes, bool scatters) {
    int top = 1;
    while (top < size()) top *= 2;
    for (int distance = top / 2; distance >= 1; distance /= 2) {
      for (int i = 0; i + distance < size(); i += 2 * distance) {
        const int below = std::min(distance, size() - i - distance);
        add(at(i), at(i + distance), scatters ? bytes * below : bytes);
      }
      go();
    }
  }

  /// A binomial tree to the root; unless it reduces, messages grow on their way.
  void tree_to_root(std::vector<double> bytes, bool reduces) {
    for (int distance = 1; distance < size(); distance *= 2) {
      for (int i = 0; i + distance < size(); i += 2 * distance) {
        const int from = at(i + distance), to = at(i);
        add(from, to, bytes[from]);
        if (!reduces) bytes[to] += bytes[from];
      }
      go(reduces);
    }
  }

  void linear_from_root(const std::vector<double>& bytes) {
    for (int i = 1; i < size(); ++i) add(at(0), at(i), bytes[at(i)]);
    go();
  }

  void linear_to_root(const std::vector<double>& bytes, bool reduces) {
    for (int i = 1; i < size(); ++i) add(at(i), at(0), bytes[at(i)]);
    go(reduces, false);
  }

  int power_of_two() const {
    int power = 1;
    while (2 * power <= size()) power *= 2;
    return power;
  }

  /// Who takes part when those beyond a power of two have handed over to a neighbour.
  int member(int place, int power) const {
    const int beyond = size() - power;
    return place < beyond ? 2 * place + 1 : place + beyond;
  }
  void fold(double bytes, bool back, bool reduces) {
    for (int i = 0; i < size() - power_of_two(); ++i)
      back ? add(2 * i + 1, 2 * i, bytes) : add(2 * i, 2 * i + 1, bytes);
    go(reduces);
  }

  void doubling(double bytes, bool reduces, bool grows) {
    const int power = power_of_two();
    for (int distance = 1; distance < power; distance *= 2) {
      for (int i = 0; i < power; ++i)
        add(member(i, power), member(i ^ distance, power), grows ? bytes * distance : bytes);
      go(reduces);
    }
  }

  /// Reduce-scatter: halves of the vector go to ever nearer partners.
  void halving(double bytes) {
    const int power = power_of_two();
    fold(bytes, false, true);
    for (int distance = power / 2; distance >= 1; distance /= 2) {
      for (int i = 0; i < power; ++i)
        add(member(i, power), member(i ^ distance, power), bytes * distance / power);
      go(true);
    }
  }

  void all_reduce(Algorithm how, double bytes) {
    const int power = power_of_two();
    if (how == Algorithm::reduce_broadcast) {
      tree_to_root(constant(bytes), true);
      return tree_from_root(bytes, false);
    }
    if (how == Algorithm::ring) {
      shifted(size() - 1, bytes / size(), true, true);
      return shifted(size() - 1, bytes / size(), false, true);
    }
    if (how == Algorithm::rabenseifner) {
      halving(bytes);
      doubling(bytes / power, false, true);
    } else {
      fold(bytes, false, true);
      doubling(bytes, true, false);
    }
    fold(bytes, true, false);
  }

  /// Rounds in which each member sends to the one `round + 1` further, or always to its neighbour.
  void shifted(int rounds, double bytes, bool reduces, bool to_neighbour = false) {
    alike(
        rounds,
        [&](int round) {
          const int distance = to_neighbour ? 1 : round + 1;
          for (int i = 0; i < size(); ++i) add(i, (i + distance) % size(), bytes);
        },
        reduces);
  }

  void scatter_all_gather(double bytes) {
    tree_from_root(bytes / size(), true);
    shifted(size() - 1, bytes / size(), false, true);
  }

  void all_gather(Algorithm how, double bytes) {
    if (how == Algorithm::ring) return shifted(size() - 1, bytes, false, true);
    if (how == Algorithm::recursive_doubling && power_of_two() == size())
      return doubling(bytes, false, true);
    for (int distance = 1; distance < size(); distance *= 2) {  // Bruck
      const int blocks = std::min(distance, size() - distance);
      for (int i = 0; i < size(); ++i) add(i, (i - distance + size()) % size(), bytes * blocks);
      go();
    }
  }

  void all_to_all(Algorithm how, double bytes) {
    if (how == Algorithm::pairwise) return shifted(size() - 1, bytes, false);
    if (how == Algorithm::linear) return all_at_once(bytes);
    for (int distance = 1; distance < size(); distance *= 2) {  // Bruck
      double blocks = 0;
      for (int i = 0; i < size(); ++i) blocks += (i & distance) != 0;
      for (int i = 0; i < size(); ++i) add(i, (i + distance) % size(), bytes * blocks);
      go();
    }
  }

  /// All messages are started before any is received.
  void all_at_once(double bytes) {
    const std::vector<double> came = time_;
    std::vector<double> last(ranks_.size(), 0.0), costs(ranks_.size(), 0.0);
    const int rounds = size() - 1;
    const int some = std::min(rounds, std::max(32, (1 << 24) / std::max(1, size())));
    for (int round = 1; round <= some; ++round)
      for (int i = 0; i < size(); ++i) {
        Step step{i, (i + round) % size(), bytes, 0.0};
        send(step);
        arrive(step);
        const Protocol& protocol = network_.protocol(ranks_[i], ranks_[step.to], bytes);
        const double cost = protocol.receive_overhead + bytes * protocol.receive_per_byte;
        last[step.to] = std::max(last[step.to], step.when + cost);
        costs[step.to] += cost;
      }
    for (const auto& [from, when] : sent_) last[from] = std::max(last[from], when);
    sent_.clear();
    for (int i = 0; i < size(); ++i) {
      const double end = std::max(time_[i] + costs[i], last[i]) + wake_[ranks_[i]];
      time_[i] = some == 0 ? came[i] : came[i] + (end - came[i]) * rounds / some;
    }
  }

  /// An inclusive scan by doubling: partial results go up only.
  void upward(double bytes) {
    for (int distance = 1; distance < size(); distance *= 2) {
      for (int i = 0; i + distance < size(); ++i) add(i, i + distance, bytes);
      go(true);
    }
  }

  Network& network_;
  const std::vector<std::int32_t>& ranks_;
  std::vector<double>& time_;
  const std::vector<double>& wake_;
  double reduction_;
  int root_ = 0;
  std::vector<Step> steps_;
  std::vector<int> order_;
  std::vector<std::pair<int, double>> sent_;
};

}  // namespace halocline
