#pragma once
#include <array>
#include <vector>

#include "runtime/halos/parts.hpp"
#include "runtime/ranks/patience.hpp"

/// Halos through memory that the ranks of a node share, each side in one call.
namespace halocline {

/// Addresses of counters, in whatever segments they lie.
class Counters {
 public:
  explicit Counters(View1<const Address> addresses) {
    for (std::ptrdiff_t n = 0; n < addresses.extent[0]; ++n)
      flags_.push_back(reinterpret_cast<Flag*>(addresses(n)));
  }

  bool reached(Flag value) const {
    for (const Flag* flag : flags_)
      if (read_flag(*flag) < value) return false;
    return true;
  }

  void wait(Flag value) const {
    std::size_t n = 0;
    wait_patiently([&] {
      while (n < flags_.size() && read_flag(*flags_[n]) >= value) ++n;
      return n == flags_.size();
    });
  }

  void post(Flag value) const {
    for (Flag* flag : flags_) write_flag(*flag, value);
  }

 private:
  std::vector<Flag*> flags_;
};

/// Who is waited for and who is told in an exchange.
struct Signals {
  Counters not_taken;  // of those who take from this rank
  Counters tell;       // that this rank has packed
  Counters come;       // that others have packed
  Counters take;       // that this rank has taken all
};

/// Messages packed where the receiver finds them, in two buffers used in turn: a sender waits only
/// for what was taken two exchanges ago.
class SharedMoves {
 public:
  /// `out` and `in` are the tables of buffers of both halves.
  SharedMoves(const Parts& packer, const Parts& unpacker, const Signals& signals,
              View2<const Address> out, View2<const Address> in)
      : packer_(packer), unpacker_(unpacker), signals_(signals), out_(rows(out)), in_(rows(in)) {}

  bool may_start() const { return signals_.not_taken.reached(before()); }
  bool may_finish() const { return signals_.come.reached(count_); }

  void start(Arrays arrays) {
    signals_.not_taken.wait(before());
    ++count_;
    nb::gil_scoped_release free;
    packer_.pack(arrays, table(out_), 0, packer_.size());
    signals_.tell.post(count_);
  }

  void finish(Arrays arrays) {
    signals_.come.wait(count_);
    nb::gil_scoped_release free;
    unpacker_.unpack(arrays, table(in_));
    signals_.take.post(count_);
  }

 protected:
  using Tables = std::array<std::vector<Address>, 2>;

  static Tables rows(View2<const Address> both) {
    Tables tables;
    for (std::ptrdiff_t half = 0; half < 2; ++half)
      tables[half].assign(both.row(half), both.row(half) + both.extent[1]);
    return tables;
  }

  /// What must have been taken before the next exchange may start.
  Flag before() const { return count_ == 0 ? 0 : count_ - 1; }

  const std::vector<Address>& half(const Tables& tables) const { return tables[count_ % 2]; }

  Buffers table(const Tables& tables) const {
    const std::vector<Address>& chosen = half(tables);
    return {chosen.data(), {static_cast<std::ptrdiff_t>(chosen.size())}, {1}};
  }

  const Parts& packer_;
  const Parts& unpacker_;
  Signals signals_;
  Tables out_, in_;
  Flag count_ = 0;
};

/// The same without counters for what has come: each 4-byte word is stored beside the low half of
/// the count of exchanges in 8 bytes at once, which says that the word has come, whatever its bits.
class CountedMoves : public SharedMoves {
 public:
  /// `from` and `to` are tables of private packed buffers, `sent` and `received` their words.
  CountedMoves(const Parts& packer, const Parts& unpacker, const Signals& signals,
               View2<const Address> out, View2<const Address> in, View2<const Address> sent,
               View2<const Address> received)
      : SharedMoves(packer, unpacker, signals, out, in),
        sent_(rows(sent)),
        received_(rows(received)) {}

  void start(Arrays arrays) {
    signals_.not_taken.wait(before());
    ++count_;
    nb::gil_scoped_release free;
    packer_.pack(arrays, view(sent_[0]), 0, packer_.size());
    const Flag mark = count_ << 32;
    for (std::size_t m = 0; m < sent_[0].size(); ++m) {
      const auto* words = reinterpret_cast<const std::uint32_t*>(sent_[0][m]);
      Flag* target = reinterpret_cast<Flag*>(half(out_)[m]);
      for (Address n = 0; n < sent_[1][m]; ++n)
        std::atomic_ref<Flag>(target[n]).store(mark | words[n], std::memory_order_relaxed);
    }
  }

  bool may_finish() {
    for (std::size_t m = 0; m < received_[0].size(); ++m)
      if (received_[1][m] && !come(half(in_)[m], received_[1][m] - 1)) return false;
    return true;
  }

  void finish(Arrays arrays) {
    for (std::size_t m = 0; m < received_[0].size(); ++m) {
      auto* words = reinterpret_cast<std::uint32_t*>(received_[0][m]);
      const Flag* source = reinterpret_cast<const Flag*>(half(in_)[m]);
      Address n = 0;
      wait_patiently([&] {
        for (; n < received_[1][m]; ++n) {
          const Flag word = read(source[n]);
          if (word >> 32 != (count_ & 0xFFFFFFFF)) return false;
          words[n] = static_cast<std::uint32_t>(word);
        }
        return true;
      });
    }
    nb::gil_scoped_release free;
    unpacker_.unpack(arrays, view(received_[0]));
    signals_.take.post(count_);
  }

 private:
  static Flag read(const Flag& word) {
    return std::atomic_ref<Flag>(const_cast<Flag&>(word)).load(std::memory_order_relaxed);
  }

  bool come(Address begin, Address n) const {
    return read(reinterpret_cast<const Flag*>(begin)[n]) >> 32 == (count_ & 0xFFFFFFFF);
  }

  static Buffers view(const std::vector<Address>& table) {
    return {table.data(), {static_cast<std::ptrdiff_t>(table.size())}, {1}};
  }

  Tables sent_, received_;  // addresses, numbers of words
};

}  // namespace halocline
