#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/ranks/flags.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Moving halo values between flat arrays [row][place] and buffers: all pieces of an exchange in
/// one call. Arrays and buffers are given by address, in tables that live longer than the call.
namespace halocline {

using Address = std::int64_t;

/// A stretch of neighbouring places, in the array that gives and in the array or buffer that takes.
struct Run {
  std::int32_t from, to, length;
};

/// Stretches in which both lists go on by one.
inline std::vector<Run> runs_of(View1<const std::int32_t> from, View1<const std::int32_t> to) {
  std::vector<Run> runs;
  for (std::ptrdiff_t n = 0; n < from.extent[0]; ++n) {
    if (!runs.empty() && from.data[n] == runs.back().from + runs.back().length &&
        to.data[n] == runs.back().to + runs.back().length)
      ++runs.back().length;
    else
      runs.push_back({from.data[n], to.data[n], 1});
  }
  return runs;
}

/// A part of the work of a thread: rows [begin, end) of one part.
struct Chunk {
  std::size_t part;
  std::ptrdiff_t begin, end;
};

/// Cut the rows of a new part into chunks of about `values` values.
inline void append_chunks(std::vector<Chunk>& chunks, std::size_t part, std::ptrdiff_t rows,
                          std::ptrdiff_t count, std::ptrdiff_t values = 4096) {
  const std::ptrdiff_t step =
      std::max<std::ptrdiff_t>(1, values / std::max<std::ptrdiff_t>(count, 1));
  for (std::ptrdiff_t row = 0; row < rows; row += step)
    chunks.push_back({part, row, std::min(rows, row + step)});
}

/// Do the chunks [begin, end); threads share them where there are many bytes (a parallel region
/// of one thread would cost as much as a small message).
template <class Body>
inline void each_chunk(std::size_t begin, std::size_t end, std::ptrdiff_t bytes, Body&& body) {
  constexpr std::ptrdiff_t threaded = 1 << 17;
  if (bytes > threaded) {
    for_each_in<std::size_t>(begin, end, 1, body);
  } else {
    for (std::size_t n = begin; n < end; ++n) body(n);
  }
}

template <class T>
inline void move_runs(const T* from, T* to, const std::vector<Run>& runs) {
  constexpr std::size_t ahead = 12;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    const Run& run = runs[at];
    const T* source = from + run.from;
    T* target = to + run.to;
    if (at + ahead < runs.size()) {
      __builtin_prefetch(from + runs[at + ahead].from);
      __builtin_prefetch(to + runs[at + ahead].to, 1);
    }
    if (run.length < 16)
      for (std::int32_t n = 0; n < run.length; ++n) target[n] = source[n];
    else
      std::memcpy(target, source, static_cast<std::size_t>(run.length) * sizeof(T));
  }
}

/// Call `body` with an unsigned integer as wide as `item` bytes.
template <class Body>
inline void with_item(int item, Body&& body) {
  switch (item) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

/// What a kernel of a table sees: address of the first row of an array and its row stride [bytes].
using Arrays = View2<const Address>;
using Buffers = View1<const Address>;

/// Pieces of buffers, each filled from (or emptied into) rows of one array.
class Parts {
 public:
  /// Rows [first_row, first_row + rows) of `array` at `places`, from byte `offset` of `buffer` on.
  void add(int array, int buffer, std::ptrdiff_t offset, int item, std::ptrdiff_t first_row,
           std::ptrdiff_t rows, View1<const std::int32_t> places) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(places.extent[0]));
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<std::int32_t>(n);
    const View1<const std::int32_t> to{order.data(), {places.extent[0]}, {1}};
    parts_.push_back(
        {array, buffer, offset, item, first_row, rows, places.extent[0], runs_of(places, to), {}});
    Part& part = parts_.back();
    // Scattered points: a list of places is shorter and faster than runs of one or two.
    if (part.runs.size() * 3 > order.size()) {
      part.places.assign(places.data, places.data + places.extent[0]);
      part.runs.clear();
    }
    append_chunks(chunks_, parts_.size() - 1, rows, part.count);
    bytes_ += rows * part.count * item;
    ends_.push_back(chunks_.size());
  }

  std::size_t size() const { return parts_.size(); }

  /// Fill the parts [first, last) of the buffers.
  void pack(Arrays arrays, Buffers buffers, std::size_t first, std::size_t last) const {
    each(first, last, [&](const Part& part, std::ptrdiff_t row, auto item) {
      using T = decltype(item);
      const T* from = array_row<const T>(part, arrays, row);
      T* to = buffer_row<T>(part, buffers, row);
      if (part.places.empty()) return move_runs(from, to, part.runs);
      for (std::ptrdiff_t n = 0; n < part.count; ++n) to[n] = from[part.places[n]];
    });
  }

  /// Empty all parts of the buffers into the arrays.
  void unpack(Arrays arrays, Buffers buffers) const {
    each(0, parts_.size(), [&](const Part& part, std::ptrdiff_t row, auto item) {
      using T = decltype(item);
      const T* from = buffer_row<const T>(part, buffers, row);
      T* to = array_row<T>(part, arrays, row);
      if (!part.places.empty()) {
        for (std::ptrdiff_t n = 0; n < part.count; ++n) to[part.places[n]] = from[n];
        return;
      }
      for (const Run& run : part.runs)
        std::memcpy(to + run.from, from + run.to, static_cast<std::size_t>(run.length) * sizeof(T));
    });
  }

 private:
  struct Part {
    int array, buffer;
    std::ptrdiff_t offset;
    int item;
    std::ptrdiff_t first_row, rows, count;
    std::vector<Run> runs;
    std::vector<std::int32_t> places;  // instead of runs
  };

  template <class T>
  static T* array_row(const Part& part, Arrays arrays, std::ptrdiff_t row) {
    return reinterpret_cast<T*>(arrays(part.array, 0) +
                                (part.first_row + row) * arrays(part.array, 1));
  }

  template <class T>
  static T* buffer_row(const Part& part, Buffers buffers, std::ptrdiff_t row) {
    return reinterpret_cast<T*>(buffers(part.buffer) + part.offset) + row * part.count;
  }

  template <class Body>
  void each(std::size_t first, std::size_t last, Body&& body) const {
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1];
    const std::size_t end = last == 0 ? 0 : ends_[last - 1];
    each_chunk(begin, end, bytes_, [&](std::size_t n) {
      const Part& part = parts_[chunks_[n].part];
      with_item(part.item, [&](auto item) {
        for (std::ptrdiff_t row = chunks_[n].begin; row < chunks_[n].end; ++row)
          body(part, row, item);
      });
    });
  }

  std::vector<Part> parts_;
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> ends_;  // of the chunks of each part
  std::ptrdiff_t bytes_ = 0;
};

/// Copies between blocks of one process.
class Copies {
 public:
  /// All `rows` of two arrays: to[row][to_places[n]] = from[row][from_places[n]].
  void add(int from, int to, int item, std::ptrdiff_t rows, View1<const std::int32_t> from_places,
           View1<const std::int32_t> to_places) {
    copies_.push_back({from, to, item, runs_of(from_places, to_places)});
    append_chunks(chunks_, copies_.size() - 1, rows, from_places.extent[0]);
    bytes_ += rows * from_places.extent[0] * item;
  }

  std::size_t size() const { return copies_.size(); }

  void run(Arrays arrays) const {
    each_chunk(0, chunks_.size(), bytes_, [&](std::size_t n) {
      const Copy& copy = copies_[chunks_[n].part];
      with_item(copy.item, [&](auto item) {
        using T = decltype(item);
        for (std::ptrdiff_t row = chunks_[n].begin; row < chunks_[n].end; ++row)
          move_runs(reinterpret_cast<const T*>(arrays(copy.from, 0) + row * arrays(copy.from, 1)),
                    reinterpret_cast<T*>(arrays(copy.to, 0) + row * arrays(copy.to, 1)), copy.runs);
      });
    });
  }

 private:
  struct Copy {
    int from, to, item;
    std::vector<Run> runs;
  };
  std::vector<Copy> copies_;
  std::vector<Chunk> chunks_;
  std::ptrdiff_t bytes_ = 0;
};

/// Changes of sign of floating-point numbers that came across a fold.
class Turns {
 public:
  /// All `rows` of an array: array[row][places[n]] = -array[row][places[n]].
  void add(int array, int item, std::ptrdiff_t rows, View1<const std::int32_t> places) {
    turns_.push_back({array, item, rows,
                      std::vector<std::int32_t>(places.data, places.data + places.extent[0])});
  }

  std::size_t size() const { return turns_.size(); }

  void run(Arrays arrays) const {
    for (const Turn& turn : turns_)
      with_item(turn.item, [&](auto item) {
        using T = decltype(item);
        constexpr T sign = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
        for (std::ptrdiff_t row = 0; row < turn.rows; ++row) {
          T* values = reinterpret_cast<T*>(arrays(turn.array, 0) + row * arrays(turn.array, 1));
          for (const std::int32_t place : turn.places) values[place] ^= sign;
        }
      });
  }

 private:
  struct Turn {
    int array, item;
    std::ptrdiff_t rows;
    std::vector<std::int32_t> places;
  };
  std::vector<Turn> turns_;
};

}  // namespace halocline
