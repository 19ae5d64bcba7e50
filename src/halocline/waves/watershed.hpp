#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace halocline {

/// Labels the hills of spectra by immersion (Vincent and Soille 1991), from the highest level down.
///
/// Energy is cut into `levels` steps between its extremes. At each level the hills so far grow,
/// ring after ring, over the bins of this level that touch them; what no hill reaches is a new one.
/// A bin that touches several hills at once is on a line; lines are given, in the end, to the
/// neighbour of most similar energy. Bins have eight neighbours, directions are cyclic. What is not
/// a number counts as the lowest level.
///
/// The states of bins lie in a frame of one bin, which repeats the first and last direction, so
/// that all neighbours lie at fixed distances. At most 65,536 bins.
class Watershed {
 public:
  using State = std::int16_t;

  Watershed(int frequencies, int directions, int levels)
      : frequencies_(frequencies),
        directions_(directions),
        width_(directions + 2),
        levels_(levels),
        first_(levels + 1),
        level_(frequencies * directions),
        order_(frequencies * directions),
        queue_(frequencies * directions),
        home_((frequencies + 2) * width_),
        image_((frequencies + 2) * width_),
        result_((frequencies + 2) * width_),
        state_((frequencies + 2) * width_, untouched),
        highest_(state_),
        lowest_((frequencies + 2) * width_) {
    for (int f = 0; f < frequencies + 2; ++f)
      for (int d = 0; d < width_; ++d) {
        const int last = f * width_ + directions, at = f * width_ + d;
        home_[at] = d == 0 ? last : d == directions + 1 ? f * width_ + 1 : at;
        image_[at] = d == 1 ? last + 1 : d == directions ? f * width_ : at;
      }
  }

  /// Label all bins from 1 to the number of hills, which is returned; 0 where all is equal. `low`
  /// and `high` are the extremes of `energy`.
  template <class T>
  int operator()(const T* energy, T low, T high) {
    if (!(high > low)) return 0;
    sort_by_level(energy, low, high);
    for (int f = 1; f <= frequencies_; ++f)
      std::fill_n(&state_[f * width_], width_, State(untouched));
    hills_ = 0;
    for (int level = 0; level < levels_; ++level) {
      const int begin = first_[level], end = first_[level + 1];
      for (int at = begin; at < end; ++at) set(order_[at], waiting);
      if (end - begin > many) {
        while (extend_everywhere()) continue;
        find_new_hills(begin, end);
      } else if (extend_few(begin, end)) {
        find_new_hills(begin, end);
      }
    }
    settle_lines(energy);
    return hills_;
  }

  /// Labels of the directions of one frequency.
  const State* labels(int frequency) const { return &state_[(frequency + 1) * width_ + 1]; }

 private:
  static constexpr State line = 0, untouched = -1, waiting = -2;
  /// From this size of a level on, sweeps over all bins are faster than visits to single ones.
  static constexpr int many = 48;

  void set(int at, State value) { state_[at] = state_[image_[at]] = value; }

  template <class T>
  void sort_by_level(const T* energy, T low, T high) {
    const int bins = frequencies_ * directions_;
    const T scale = T(levels_ - 1) / (high - low);
    std::fill(first_.begin(), first_.end(), 0);
    for (int bin = 0; bin < bins; ++bin) {
      const T step = (high - energy[bin]) * scale + T(0.5);
      level_[bin] = step >= T(0) && step < T(levels_) ? static_cast<int>(step) : levels_ - 1;
    }
    for (int bin = 0; bin < bins; ++bin) ++first_[level_[bin] + 1];
    for (int level = 0; level < levels_; ++level) first_[level + 1] += first_[level];
    const int* level = level_.data();
    for (int f = 1; f <= frequencies_; ++f)
      for (int d = 1; d <= directions_; ++d) order_[first_[*level++]++] = f * width_ + d;
    for (int l = levels_; l > 0; --l) first_[l] = first_[l - 1];
    first_[0] = 0;
  }

  /// The highest state around a bin, and the lowest label less one (huge where there is none). The
  /// bin itself waits and changes neither.
  std::pair<State, std::uint16_t> around(int at) const {
    State highest = waiting;
    std::uint16_t lowest = 0xffff;
    for (const int row : {at - width_, at, at + width_})
      for (int d = -1; d <= 1; ++d) {
        highest = std::max(highest, state_[row + d]);
        lowest = std::min(lowest, static_cast<std::uint16_t>(state_[row + d] - 1));
      }
    return {highest, lowest};
  }

  /// The only hill that a bin touches, or a line where there are several or none.
  static State joined(State highest, std::uint16_t lowest) {
    return static_cast<std::uint16_t>(highest - 1) == lowest ? highest : line;
  }

  /// Let hills grow over the waiting bins of a small level; whether some still wait.
  bool extend_few(int begin, int end) {
    int left = end - begin;
    std::copy_n(&order_[begin], left, queue_.begin());
    while (left > 0) {
      int still = 0, grown = left;
      for (int at = 0; at < left; ++at) {
        const int bin = queue_[at];
        const auto [highest, lowest] = around(bin);
        result_[bin] = highest >= line ? joined(highest, lowest) : State(waiting);
      }
      for (int at = 0; at < left; ++at) {
        const int bin = queue_[at];
        queue_[still] = bin;
        still += result_[bin] == waiting;
        set(bin, result_[bin]);
      }
      grown -= still;
      left = still;
      if (grown == 0) return true;
    }
    return false;
  }

  /// One ring of growth over all bins; whether any bin was reached.
  bool extend_everywhere() {
    const int all = (frequencies_ + 2) * width_;
    gather(all, state_.data(), highest_.data(), lowest_.data());
    // Seen from the frame, the end of one row is beside the start of the next.
    for (int f = 1; f <= frequencies_; ++f)
      state_[f * width_] = state_[(f + 1) * width_ - 1] = untouched;
    const bool reached = grow(all, width_, highest_.data(), lowest_.data(), state_.data());
    for (int f = 1; f <= frequencies_; ++f) {
      State* row = &state_[f * width_];
      row[0] = row[directions_];
      row[directions_ + 1] = row[1];
    }
    return reached;
  }

  /// Extremes of each bin and its two neighbours in direction, for the whole frame.
  static void gather(int all, const State* __restrict state, State* __restrict highest,
                     std::uint16_t* __restrict lowest) {
    for (int at = 1; at < all - 1; ++at) {
      highest[at] = larger(larger(state[at - 1], state[at]), state[at + 1]);
      const auto a = static_cast<std::uint16_t>(state[at - 1] - 1);
      const auto b = static_cast<std::uint16_t>(state[at] - 1);
      const auto c = static_cast<std::uint16_t>(state[at + 1] - 1);
      lowest[at] = smaller(smaller(a, b), c);
    }
  }

  static bool grow(int all, int width, const State* __restrict high,
                   const std::uint16_t* __restrict low, State* __restrict state) {
    State any = 0;
    for (int at = width; at < all - width; ++at) {
      const State highest = larger(larger(high[at - width], high[at]), high[at + width]);
      const std::uint16_t lowest = smaller(smaller(low[at - width], low[at]), low[at + width]);
      const State grown = static_cast<std::uint16_t>(highest - 1) == lowest ? highest : line;
      const State reached = static_cast<State>((state[at] == waiting) & (highest >= line));
      state[at] = reached ? grown : state[at];
      any |= reached;
    }
    return any;
  }

  static State larger(State a, State b) { return a > b ? a : b; }
  static std::uint16_t smaller(std::uint16_t a, std::uint16_t b) { return a < b ? a : b; }

  void find_new_hills(int begin, int end) {
    for (int at = begin; at < end; ++at) {
      if (state_[order_[at]] != waiting) continue;
      set(order_[at], static_cast<State>(++hills_));
      queue_[0] = order_[at];
      int tail = 1;
      for (int head = 0; head < tail; ++head)
        for (const int row : {-width_, 0, width_})
          for (int d = -1; d <= 1; ++d) {
            const int other = queue_[head] + row + d;
            if (state_[other] != waiting) continue;
            set(home_[other], static_cast<State>(hills_));
            queue_[tail++] = home_[other];
          }
    }
  }

  template <class T>
  void settle_lines(const T* energy) {
    int left = 0;
    for (int f = 1; f <= frequencies_; ++f)
      for (int d = 1; d <= directions_; ++d) {
        queue_[left] = f * width_ + d;
        left += state_[f * width_ + d] == line;
      }
    while (left > 0) {
      for (int at = 0; at < left; ++at) result_[queue_[at]] = most_similar(energy, queue_[at]);
      int still = 0;
      for (int at = 0; at < left; ++at) {
        const int bin = queue_[at];
        set(bin, result_[bin]);
        queue_[still] = bin;
        still += result_[bin] == line;
      }
      left = still;
    }
  }

  /// Label of the neighbour of most similar energy, the first of equals.
  template <class T>
  State most_similar(const T* energy, int bin) const {
    const auto at = [&](int place) {
      return energy[(place / width_ - 1) * directions_ + place % width_ - 1];
    };
    State label = line;
    T least{};
    for (const int row : {-width_, 0, width_})
      for (int d = -1; d <= 1; ++d) {
        const int other = bin + row + d;
        if (state_[other] <= line) continue;
        const T step = at(home_[other]) - at(bin);
        const T difference = step < T(0) ? -step : step;
        if (label == line || difference < least) {
          least = difference;
          label = state_[other];
        }
      }
    return label;
  }

  int frequencies_, directions_, width_, levels_, hills_ = 0;
  std::vector<int> first_, level_, order_, queue_, home_, image_;
  std::vector<State> result_, state_, highest_;
  std::vector<std::uint16_t> lowest_;
};

}  // namespace halocline
