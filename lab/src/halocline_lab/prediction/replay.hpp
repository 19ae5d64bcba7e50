#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "prediction/replay_mail.hpp"
#include "prediction/replay_meetings.hpp"
#include "prediction/replay_network.hpp"
#include "prediction/replay_operations.hpp"
#include "prediction/replay_processors.hpp"
#include "view.hpp"

/// What ranks do, replayed on a described machine: a discrete-event simulation of messages.
namespace halocline {

class Replay {
 public:
  Replay(View1<const std::uint8_t> operations, View1<const std::int64_t> first,
         const Members& communicators, Network& network, View1<const std::int32_t> node_of_rank,
         View1<const std::int32_t> processors, View2<const double> algorithms,
         const ReplayOptions& options)
      : operations_(reinterpret_cast<const Operation*>(operations.data)),
        first_(first),
        network_(network),
        node_(node_of_rank),
        options_(options),
        mail_(static_cast<std::size_t>(first.extent[0]) - 1),
        meetings_(communicators, operations_, algorithms,
                  static_cast<std::size_t>(first.extent[0]) - 1) {
    const std::size_t size = static_cast<std::size_t>(first.extent[0]) - 1;
    std::vector<int> on_node(processors.extent[0], 0);
    for (std::size_t rank = 0; rank < size; ++rank) ++on_node[node_.data[rank]];
    for (std::size_t node = 0; node < on_node.size(); ++node) {
      shared_.emplace_back(processors.data[node], options.watching);
      crowded_.push_back(on_node[node] > processors.data[node]);
    }
    wake_.assign(size, 0.0);
    ranks_.reserve(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
      ranks_.emplace_back(options.noise.seed, rank);
      Rank& me = ranks_.back();
      me.at = first_.data[rank];
      me.phase = options.noise.together ? 0.0 : me.draws.uniform() * options.noise.period;
      if (crowded_[node_.data[rank]]) wake_[rank] = options.wake;
    }
    for (std::int64_t at = 0; at < first_.data[size]; ++at)
      if (operations_[at].partner == anybody || operations_[at].tag == any_tag) mail_.expect_wild();
  }

  /// Run all to the end. `begins` and `ends` get the times of all operations, repetition after
  /// repetition, if they are not empty; `repetitions` the end of each; `summary[rank]` the end, the
  /// seconds of computing and of waiting; `stuck[rank]` the operation that never ended, or -1.
  void run(View1<double> begins, View1<double> ends, View1<double> repetitions,
           View2<double> summary, View1<std::int64_t> stuck) {
    begins_ = begins, ends_ = ends, repetitions_ = repetitions;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) push(0.0, rank_goes_on, rank);
    while (!queue_.empty() && meetings_.mismatch[0] < 0) {
      const Event event = queue_.top();
      queue_.pop();
      if (event.what == rank_goes_on) go_on(static_cast<int>(event.id));
      if (event.what == transfer_begins) depart(event.id, event.time);
      if (event.what == message_arrives) arrive(event.id, event.time);
      if (event.what == node_finishes) finish_on(static_cast<int>(event.id), event);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const Rank& me = ranks_[rank];
      double* row = summary.row(rank);
      row[0] = me.clock, row[1] = me.computing, row[2] = me.waiting;
      stuck.data[rank] = me.repeat == options_.repeats ? -1 : me.at;
    }
  }

  std::array<std::int64_t, 4> mismatch() const { return meetings_.mismatch; }

 private:
  enum What { message_arrives, transfer_begins, node_finishes, rank_goes_on };
  struct Event {
    double time;
    What what;
    std::int64_t id;
    std::uint64_t version;
    bool operator>(const Event& other) const {
      if (time != other.time) return time > other.time;
      return what != other.what ? what > other.what : id > other.id;
    }
  };
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t of_call = 0xffffffffu;  // request of a blocking call

  struct Request {
    std::uint32_t number;
    double ready = unknown;  // when the message is there, or has left
    double cost = 0.0;       // of receiving it
    bool called = false;     // wanted by a wait before the one that ends them all
  };
  struct Rank {
    Rank(std::uint64_t seed, std::size_t rank) : draws(seed, rank) {}
    Draws draws;
    double clock = 0.0, computing = 0.0, waiting = 0.0, phase = 0.0, in_call_since = 0.0;
    std::int64_t at = 0;
    int repeat = 0;
    bool in_call = false, watching = false, blocked = false;
    std::vector<Request> requests;
    std::vector<std::int64_t> held;  // messages that move when this rank is in a call of MPI
  };
  void push(double time, What what, std::int64_t id, std::uint64_t version = 0) {
    queue_.push({time, what, id, version});
  }

  // ---- one rank ----

  void go_on(int rank) {
    Rank& me = ranks_[rank];
    me.in_call = false;
    if (me.watching) {
      me.watching = false;
      shared_[node_.data[rank]].wake(me.clock);
      schedule(node_.data[rank]);
    }
    while (me.repeat < options_.repeats) {
      if (me.at == first_.data[rank + 1]) {
        if (repetitions_.extent[0] > 0)
          repetitions_.data[me.repeat] = std::max(repetitions_.data[me.repeat], me.clock);
        me.at = first_.data[rank];
        ++me.repeat;
        if (first_.data[rank] == first_.data[rank + 1]) continue;
        if (me.repeat == options_.repeats) return;
      }
      const Operation& operation = operations_[me.at];
      if (needs_turn(operation, rank) && !queue_.empty() && queue_.top().time < me.clock)
        return push(me.clock, rank_goes_on, rank);
      if (!act(rank, me, operation)) return;
    }
  }

  /// Whether it must be done in the order of time: it takes ways that others want as well.
  bool needs_turn(const Operation& operation, int rank) const {
    return crowded_[node_.data[rank]] || operation.kind == Operation::send ||
           operation.kind == Operation::start_send || operation.partner == anybody;
  }

  /// Begin what a rank does next; false if it goes on later.
  bool act(int rank, Rank& me, const Operation& operation) {
    note(begins_, me, me.clock);
    switch (operation.kind) {
      case Operation::compute:
        return compute(rank, me, operation);
      case Operation::send:
      case Operation::start_send:
        send(rank, me, operation);
        if (operation.kind == Operation::start_send) return finish(me);
        return await(rank, me);
      case Operation::receive:
      case Operation::start_receive:
        receive(rank, me, operation);
        if (operation.kind == Operation::start_receive) return finish(me);
        return await(rank, me);
      case Operation::wait:
        if (operation.tag == 0) return await(rank, me);
        for (Request& request : me.requests)
          if (request.number == operation.request) request.called = true;
        return finish(me);
      case Operation::collective:
      case Operation::start_collective:
        return meet(rank, me, operation);
      default:
        return finish(me);
    }
  }

  bool finish(Rank& me) {
    note(ends_, me, me.clock);
    ++me.at;
    return true;
  }

  void note(View1<double>& times, const Rank& me, double time) {
    if (times.extent[0] > 0) times.data[me.repeat * first_.data[ranks_.size()] + me.at] = time;
  }

  bool compute(int rank, Rank& me, const Operation& operation) {
    const double end = disturbed(options_.noise, me.draws, me.phase, me.clock, operation.seconds);
    me.computing += operation.seconds;
    const int node = node_.data[rank];
    if (!crowded_[node] || operation.seconds <= 0.0) {
      me.clock = end;
      return finish(me);
    }
    shared_[node].start(rank, end - me.clock, me.clock);
    schedule(node);
    return false;
  }

  void schedule(int node) {
    SharedNode& shared = shared_[node];
    if (shared.any()) push(shared.next_end(), node_finishes, node, shared.version);
  }

  void finish_on(int node, const Event& event) {
    if (event.version != shared_[node].version) return;
    const int rank = shared_[node].finish(event.time);
    ranks_[rank].clock = event.time;
    finish(ranks_[rank]);
    schedule(node);
    go_on(rank);
  }

  // ---- messages ----

  void send(int rank, Rank& me, const Operation& operation) {
    const double bytes = static_cast<double>(operation.bytes);
    const Protocol& protocol = network_.protocol(rank, operation.partner, bytes);
    const bool blocking = operation.kind == Operation::send;
    const std::uint32_t request = blocking ? of_call : operation.request;
    me.clock += protocol.send_overhead + bytes * protocol.send_per_byte;
    me.requests.push_back({request});
    const std::int64_t id = static_cast<std::int64_t>(mail_.messages.size());
    mail_.messages.push_back(
        {rank, operation.partner, operation.tag, operation.communicator, request, bytes, me.clock});
    if (protocol.handshake < 0.0) {
      depart(id, me.clock);
      settle(rank, request, me.clock, 0.0);
    }
    if (blocking) enter_call(rank, me);
    const std::int64_t receive = mail_.bring(id);
    if (receive >= 0) join(id, receive);
  }

  void receive(int rank, Rank& me, const Operation& operation) {
    const bool blocking = operation.kind == Operation::receive;
    const std::uint32_t request = blocking ? of_call : operation.request;
    me.requests.push_back({request});
    const std::int64_t id = static_cast<std::int64_t>(mail_.receives.size());
    mail_.receives.push_back(
        {operation.partner, rank, operation.tag, operation.communicator, request, 0.0, me.clock});
    if (blocking) enter_call(rank, me);
    const std::int64_t message = mail_.ask(id);
    if (message >= 0) join(message, id);
  }

  /// A message and its receive have found each other.
  void join(std::int64_t id, std::int64_t receive) {
    Letter& message = mail_.messages[id];
    const Letter& posted = mail_.receives[receive];
    message.partner = receive;
    const Protocol& protocol = network_.protocol(message.from, message.to, message.bytes);
    if (protocol.handshake < 0.0) {
      if (message.arrival >= 0.0)
        settle(message.to, posted.request, message.arrival, receive_cost(message));
      return;
    }
    const bool met_at_post = posted.ready >= message.ready;
    message.ready = std::max(message.ready, posted.ready);
    if (options_.progress >= ReplayOptions::receiver && !met_at_post)
      if (hold(message.to, id)) return;
    if (options_.progress >= ReplayOptions::both && hold(message.from, id)) return;
    push(message.ready + protocol.handshake, transfer_begins, id);
  }

  /// Keep a message until a rank is in a call of MPI; false if it is.
  bool hold(int rank, std::int64_t id) {
    if (ranks_[rank].in_call) {
      // Ranks run ahead of each other: the call may have begun after the message was ready.
      double& ready = mail_.messages[id].ready;
      ready = std::max(ready, ranks_[rank].in_call_since);
      return false;
    }
    ranks_[rank].held.push_back(id);
    return true;
  }

  void enter_call(int rank, Rank& me) {
    me.in_call = true;
    me.in_call_since = me.clock;
    const std::vector<std::int64_t> held = std::move(me.held);
    me.held.clear();
    for (const std::int64_t id : held) {
      Letter& message = mail_.messages[id];
      message.ready = std::max(message.ready, me.clock);
      const bool both = options_.progress >= ReplayOptions::both;
      if (both && message.to == rank && hold(message.from, id)) continue;
      const Protocol& protocol = network_.protocol(message.from, message.to, message.bytes);
      push(message.ready + protocol.handshake, transfer_begins, id);
    }
  }

  void depart(std::int64_t id, double time) {
    const Letter& message = mail_.messages[id];
    const Protocol& protocol = network_.protocol(message.from, message.to, message.bytes);
    const Departure departure =
        network_.depart(message.from, message.to, message.bytes, time, protocol);
    push(departure.head, message_arrives, id);
    if (protocol.handshake >= 0.0) settle(message.from, message.request, departure.sent, 0.0);
  }

  void arrive(std::int64_t id, double time) {
    Letter& message = mail_.messages[id];
    const Protocol& protocol = network_.protocol(message.from, message.to, message.bytes);
    message.arrival = network_.arrive(message.from, message.to, message.bytes, time, protocol);
    if (message.partner >= 0)
      settle(message.to, mail_.receives[message.partner].request, message.arrival,
             receive_cost(message));
  }

  double receive_cost(const Letter& message) const {
    const Protocol& protocol = network_.protocol(message.from, message.to, message.bytes);
    return protocol.receive_overhead + message.bytes * protocol.receive_per_byte;
  }

  // ---- waiting ----

  void settle(int rank, std::uint32_t number, double ready, double cost) {
    Rank& me = ranks_[rank];
    for (Request& request : me.requests)
      if (request.number == number && request.ready == unknown) {
        request.ready = ready;
        request.cost = cost;
        break;
      }
    if (me.blocked && all_known(me)) {
      me.blocked = false;
      complete(rank, me);
      push(me.clock, rank_goes_on, rank);
    }
  }

  bool wanted(const Rank& me, const Request& request) const {
    const Operation& operation = operations_[me.at];
    if (operation.kind == Operation::wait)
      return request.called || operation.request == 0 || request.number == operation.request;
    return request.number == of_call;
  }

  bool all_known(const Rank& me) const {
    for (const Request& request : me.requests)
      if (request.ready == unknown && wanted(me, request)) return false;
    return true;
  }

  /// Wait for what the operation of the rank wants; false if the rank goes on later.
  bool await(int rank, Rank& me) {
    enter_call(rank, me);
    if (!all_known(me)) {
      me.blocked = true;
      watch(rank, me);
      return false;
    }
    const double before = me.clock;
    complete(rank, me);
    if (!crowded_[node_.data[rank]] || me.clock <= before) return true;
    watch(rank, me, before);
    push(me.clock, rank_goes_on, rank);
    return false;
  }

  void watch(int rank, Rank& me, double since = -1.0) {
    const int node = node_.data[rank];
    if (!crowded_[node]) return;
    me.watching = true;
    shared_[node].wait(since < 0.0 ? me.clock : since);
    schedule(node);
  }

  /// Receive what has come, in the order in which it came.
  void complete(int rank, Rank& me) {
    chosen_.clear();
    std::size_t kept = 0;
    for (const Request& request : me.requests)
      if (wanted(me, request))
        chosen_.push_back(request);
      else
        me.requests[kept++] = request;
    me.requests.resize(kept);
    std::sort(chosen_.begin(), chosen_.end(),
              [](const Request& a, const Request& b) { return a.ready < b.ready; });
    const double before = me.clock;
    for (const Request& request : chosen_) {
      if (request.ready > me.clock) {
        me.waiting += request.ready - me.clock;
        me.clock = request.ready;
      }
      me.clock += request.cost;
    }
    if (me.clock > before) me.clock += wake_[rank];
    if (operations_[me.at].kind == Operation::wait) note_together(rank, me);
    finish(me);
  }

  /// Waits that belong to one call end together.
  void note_together(int rank, Rank& me) {
    const std::int64_t last = me.at;
    while (me.at > first_.data[rank] && operations_[me.at - 1].kind == Operation::wait &&
           operations_[me.at - 1].tag == 1) {
      --me.at;
      note(ends_, me, me.clock);
    }
    me.at = last;
  }

  // ---- collectives ----

  bool meet(int rank, Rank& me, const Operation& operation) {
    enter_call(rank, me);
    const bool blocking = operation.kind == Operation::collective;
    const std::int64_t at = me.at;
    if (!blocking) {
      me.requests.push_back({operation.request});
      finish(me);
    } else {
      watch(rank, me);
    }
    Meeting meeting;
    if (meetings_.come(rank, at, me.clock, meeting) && meetings_.agree(meeting)) {
      meetings_.hold(meeting, network_, wake_, options_.reduction);
      part(meeting);
    }
    return !blocking;
  }

  /// Members go on, or learn that what they started has ended.
  void part(const Meeting& meeting) {
    for (std::size_t i = 0; i < meeting.time.size(); ++i) {
      const int member = (*meeting.members)[i];
      const Operation& operation = operations_[meeting.operation[i]];
      Rank& me = ranks_[member];
      if (operation.kind == Operation::start_collective) {
        settle(member, operation.request, meeting.time[i], 0.0);
        continue;
      }
      me.clock = meeting.time[i];
      me.waiting += me.clock - meeting.came[i];
      finish(me);
      push(me.clock, rank_goes_on, member);
    }
  }

  const Operation* operations_;
  View1<const std::int64_t> first_;
  Network& network_;
  View1<const std::int32_t> node_;
  ReplayOptions options_;
  Mail mail_;
  Meetings meetings_;
  std::vector<Rank> ranks_;
  std::vector<SharedNode> shared_;
  std::vector<bool> crowded_;
  std::vector<double> wake_;
  std::vector<Request> chosen_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  View1<double> begins_, ends_, repetitions_;
};

}  // namespace halocline
