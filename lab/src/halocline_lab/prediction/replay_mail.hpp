#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

/// Which message a receive gets: in order, by sender, tag and communicator, as MPI has it.
namespace halocline {

inline constexpr std::int32_t anybody = -2;
inline constexpr std::int32_t any_tag = -1;

/// A message, or a receive: in both `from` and `tag` tell what belongs together.
struct Letter {
  std::int32_t from, to, tag;
  std::uint16_t communicator;
  std::uint32_t request;
  double bytes = 0.0;
  double ready = 0.0;     // messages: when it could leave; receives: when it was posted
  double arrival = -1.0;  // messages: negative while it has not left
  bool taken = false;
  std::int64_t partner = -1;  // the receive of a message
};

class Mail {
 public:
  explicit Mail(std::size_t ranks) : wild_(ranks), early_(ranks) {}

  std::vector<Letter> messages, receives;

  /// The receive that waits for a message, or -1; then it is kept.
  std::int64_t bring(std::int64_t message) {
    const Letter& letter = messages[message];
    Lane& lane = lanes_[{letter.to, letter.from, letter.tag, letter.communicator}];
    skip_taken(lane.receives, lane.next_receive, receives);
    std::int64_t found = -1;
    if (lane.next_receive < lane.receives.size()) found = lane.receives[lane.next_receive];
    for (const std::int64_t wild : wild_[letter.to])
      if (!receives[wild].taken && fits(receives[wild], letter) && (found < 0 || wild < found)) {
        found = wild;
        break;
      }
    if (found >= 0) {
      receives[found].taken = messages[message].taken = true;
    } else {
      lane.messages.push_back(message);
      if (any_wild_) early_[letter.to].push_back(message);
    }
    return found;
  }

  /// The message that is there for a receive, or -1; then it is kept.
  std::int64_t ask(std::int64_t receive) {
    const Letter& letter = receives[receive];
    const bool wild = letter.from == anybody || letter.tag == any_tag;
    std::int64_t found = -1;
    if (wild) {
      for (const std::int64_t early : early_[letter.to])
        if (!messages[early].taken && fits(letter, messages[early])) {
          found = early;
          break;
        }
    } else {
      Lane& lane = lanes_[{letter.to, letter.from, letter.tag, letter.communicator}];
      skip_taken(lane.messages, lane.next_message, messages);
      if (lane.next_message < lane.messages.size()) found = lane.messages[lane.next_message];
      if (found < 0) lane.receives.push_back(receive);
    }
    if (found >= 0)
      receives[receive].taken = messages[found].taken = true;
    else if (wild)
      wild_[letter.to].push_back(receive);
    return found;
  }

  /// Say beforehand that some receives take messages of anybody.
  void expect_wild() { any_wild_ = true; }

 private:
  struct Key {
    std::int32_t to, from, tag;
    std::uint16_t communicator;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t z = (std::uint64_t(std::uint32_t(key.to)) << 32) | std::uint32_t(key.from);
      z ^= (std::uint64_t(std::uint32_t(key.tag)) << 17) + key.communicator * 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9u;
      return static_cast<std::size_t>(z ^ (z >> 29));
    }
  };
  /// What came that nobody asked for yet, and what was asked for that did not come yet, in order.
  struct Lane {
    std::vector<std::int64_t> messages, receives;
    std::size_t next_message = 0, next_receive = 0;
  };

  static bool fits(const Letter& wanted, const Letter& message) {
    return (wanted.from == anybody || wanted.from == message.from) &&
           (wanted.tag == any_tag || wanted.tag == message.tag) &&
           wanted.communicator == message.communicator;
  }
  static void skip_taken(std::vector<std::int64_t>& line, std::size_t& next,
                         const std::vector<Letter>& letters) {
    while (next < line.size() && letters[line[next]].taken) ++next;
    if (next == line.size()) line.clear(), next = 0;
  }

  std::unordered_map<Key, Lane, Hash> lanes_;
  std::vector<std::vector<std::int64_t>> wild_, early_;
  bool any_wild_ = false;
};

}  // namespace halocline
