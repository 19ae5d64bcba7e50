#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "view.hpp"

/// Moving the parts of a frame: out of the owners' rows into messages, out of messages into the
/// blocks of a file. Packed columns are those of the runs, one run after the other.
namespace halocline::frames {

using Numbers = View1<const std::int64_t>;
using Bytes = View1<std::uint8_t>;
using ConstBytes = View1<const std::uint8_t>;

[[noreturn]] inline void refuse(const std::string& what, std::int64_t expected, std::int64_t got) {
  throw std::invalid_argument(what + ": expected " + std::to_string(expected) + ", got " +
                              std::to_string(got));
}

/// A run of columns and the packed column at which it begins.
struct Stretch {
  std::int64_t start, length, packed;
};

/// The packed columns [first, last) of some runs; packed column `first` becomes number 0.
inline std::vector<Stretch> stretches_of(Numbers starts, Numbers lengths, std::int64_t first,
                                         std::int64_t last) {
  const std::ptrdiff_t runs = starts.extent[0];
  if (lengths.extent[0] != runs) refuse("The number of lengths of runs", runs, lengths.extent[0]);
  if (first < 0 || last < first) refuse("The end of the packed columns, at least", first, last);
  std::vector<Stretch> stretches;
  std::int64_t begin = 0;
  for (std::ptrdiff_t run = 0; run < runs && begin < last; ++run) {
    const std::int64_t end = begin + lengths(run);
    if (starts(run) < 0 || end < begin)
      refuse("The start and the length of a run, at least", 0, -1);
    const std::int64_t from = std::max(begin, first), to = std::min(end, last);
    if (from < to) stretches.push_back({starts(run) + from - begin, to - from, from - first});
    begin = end;
  }
  if (begin < last) refuse("The packed columns of all runs, at least", last, begin);
  return stretches;
}

/// The extent of what some stretches touch.
struct Extent {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), end = 0;
};

inline Extent reach_of(const std::vector<Stretch>& stretches) {
  Extent reach;
  for (const Stretch& s : stretches) {
    reach.lowest = std::min(reach.lowest, s.start);
    reach.end = std::max(reach.end, s.start + s.length);
  }
  return reach;
}

/// Runs so short that a list of places is faster: of each packed column its column, else nothing.
inline std::vector<std::int64_t> places_of(const std::vector<Stretch>& stretches,
                                           std::int64_t columns) {
  constexpr std::int64_t worth_a_run = 4;
  std::vector<std::int64_t> places;
  if (columns >= worth_a_run * static_cast<std::int64_t>(stretches.size())) return places;
  places.reserve(static_cast<std::size_t>(columns));
  for (const Stretch& s : stretches)
    for (std::int64_t n = 0; n < s.length; ++n) places.push_back(s.start + n);
  return places;
}

template <class T>
inline T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
inline void store(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Call `body` with an unsigned integer as wide as `size` bytes.
template <class Body>
inline void with_bits(std::int64_t size, Body&& body) {
  switch (size) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    case 8:
      return body(std::uint64_t{});
  }
  throw std::invalid_argument("Items have 1, 2, 4 or 8 bytes, got " + std::to_string(size));
}

/// Rows of items that lie next to each other, the rows `stride` bytes apart.
struct Rows {
  const std::uint8_t* data;
  std::int64_t rows, columns, stride, item;
};

/// Pack the columns of `stretches` of all rows, one row after the other.
inline void pack_rows(const Rows& source, const std::vector<Stretch>& stretches,
                      std::int64_t columns, std::uint8_t* target) {
  const std::int64_t width = columns * source.item;
  if (stretches.size() == 1 && width == source.stride) {
    std::memcpy(target, source.data + stretches[0].start * source.item,
                static_cast<std::size_t>(width * source.rows));
    return;
  }
  const auto places = places_of(stretches, columns);
  with_bits(source.item, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t row = 0; row < source.rows; ++row, target += width) {
      const std::uint8_t* __restrict from = source.data + row * source.stride;
      std::uint8_t* __restrict to = target;
      for (std::size_t n = 0; n < places.size(); ++n)
        store(to + n * sizeof(T), load<T>(from + places[n] * static_cast<int>(sizeof(T))));
      if (places.empty())
        for (const Stretch& s : stretches)
          std::memcpy(to + s.packed * source.item, from + s.start * source.item,
                      static_cast<std::size_t>(s.length * source.item));
    }
  });
}

/// Copy the packed columns [first, last) of all rows into `target`, which they fill.
inline void pack_runs(const Rows& source, Numbers starts, Numbers lengths, std::int64_t first,
                      std::int64_t last, Bytes target) {
  const auto stretches = stretches_of(starts, lengths, first, last);
  const Extent reach = reach_of(stretches);
  if (reach.end > source.columns)
    refuse("The columns of a source, at least", reach.end, source.columns);
  const std::int64_t size = source.rows * (last - first) * source.item;
  if (target.extent[0] != size) refuse("The bytes of a target", size, target.extent[0]);
  if (size > 0) pack_rows(source, stretches, last - first, target.data);
}

/// Type and byte order of items, from NumPy's name of them: "<f4", ">i2", "|u1".
struct ItemType {
  bool floating = false, swapped = false;
  int size = 0;

  explicit ItemType(std::string_view name) {
    constexpr bool little = std::endian::native == std::endian::little;
    const bool known = name.size() == 3 && name.find_first_of("<>|=") == 0 &&
                       std::string_view("fiub").find(name[1]) != std::string_view::npos &&
                       std::string_view("1248").find(name[2]) != std::string_view::npos;
    size = known ? name[2] - '0' : 0;
    floating = known && name[1] == 'f';
    swapped = known && size > 1 && name[0] == (little ? '>' : '<');
    if (!known || (floating && size < 4))
      throw std::invalid_argument("No type of items of a file: '" + std::string(name) + "'");
  }
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, T>>;

template <class T>
inline T turned(T bits) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(bits);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(bits);
  return bits;
}

/// What becomes of a value on its way from In to Out; of integers only the bits are known.
template <class In, class Out, bool swap, bool filled>
struct Conversion {
  using Bits = BitsOf<Out>;
  static constexpr std::int64_t in = sizeof(In), out = sizeof(Out);
  Bits fill{};

  Bits operator()(const std::uint8_t* from) const {
    Bits bits;
    if constexpr (std::is_same_v<In, Out>)
      bits = load<Bits>(from);
    else
      bits = std::bit_cast<Bits>(static_cast<Out>(load<In>(from)));
    if constexpr (filled) {
      constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Out>::infinity());
      bits = (bits & exponent) == exponent ? fill : bits;
    }
    return swap ? turned(bits) : bits;
  }
};

/// Call `body` with the conversion between two types; of floating type, what is not finite
/// afterwards becomes `fill` where there is one.
template <class Body>
inline void with_conversion(ItemType from, ItemType to, const double* fill, Body&& body) {
  const auto in_order = [&]<class In, class Out, bool filled>() {
    BitsOf<Out> bits{};
    if constexpr (filled) bits = std::bit_cast<BitsOf<Out>>(static_cast<Out>(*fill));
    if (to.swapped)
      body(Conversion<In, Out, true, filled>{bits});
    else
      body(Conversion<In, Out, false, filled>{bits});
  };
  const auto floating = [&]<class In, class Out>() {
    if (fill)
      in_order.template operator()<In, Out, true>();
    else
      in_order.template operator()<In, Out, false>();
  };
  if (from.swapped || from.floating != to.floating || (!from.floating && from.size != to.size))
    throw std::invalid_argument(
        "Items become others only from float to float, or integers of the same size, and out of "
        "this machine's byte order");
  if (!from.floating)
    return with_bits(from.size, [&]<class T>(T) { in_order.template operator()<T, T, false>(); });
  if (from.size == 4 && to.size == 4) return floating.template operator()<float, float>();
  if (from.size == 4) return floating.template operator()<float, double>();
  if (to.size == 4) return floating.template operator()<double, float>();
  floating.template operator()<double, double>();
}

/// Convert items that lie next to each other. Once inlined, the pointers were no longer known to
/// point apart, and the loop would not use the lanes.
template <class Convert>
__attribute__((noinline)) void convert_run(Convert convert, const std::uint8_t* __restrict from,
                                           std::uint8_t* __restrict to, std::int64_t count) {
  for (std::int64_t n = 0; n < count; ++n)
    store(to + n * Convert::out, convert(from + n * Convert::in));
}

template <class Convert>
inline void convert_places(Convert convert, const std::uint8_t* __restrict from,
                           std::uint8_t* __restrict to, const std::vector<std::int64_t>& places) {
  for (std::size_t n = 0; n < places.size(); ++n)
    store(to + places[n] * Convert::out,
          convert(from + static_cast<std::int64_t>(n) * Convert::in));
}

/// Unpack rows of packed columns to their columns in `target`, whose rows are `row_length` apart.
inline void unpack_rows(const std::uint8_t* packed, std::int64_t rows,
                        const std::vector<Stretch>& stretches, std::int64_t columns,
                        std::uint8_t* target, std::int64_t row_length, ItemType from, ItemType to,
                        const double* fill) {
  const auto places = places_of(stretches, columns);
  with_conversion(from, to, fill, [&]<class Convert>(Convert convert) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::uint8_t* source = packed + row * columns * Convert::in;
      std::uint8_t* place = target + row * row_length * Convert::out;
      if (!places.empty())
        convert_places(convert, source, place, places);
      else
        for (const Stretch& s : stretches)
          convert_run(convert, source + s.packed * Convert::in, place + s.start * Convert::out,
                      s.length);
    }
  });
}

/// Put rows of the packed columns [first, last) where the runs say: column c of a row lies at item
/// c - first_column of the row in `target`, whose rows are `row_length` items apart.
inline void unpack_runs(ConstBytes packed, Numbers starts, Numbers lengths, std::int64_t first,
                        std::int64_t last, std::int64_t first_column, Bytes target,
                        std::int64_t row_length, ItemType from, ItemType to, const double* fill) {
  auto stretches = stretches_of(starts, lengths, first, last);
  for (Stretch& s : stretches) s.start -= first_column;
  const Extent reach = reach_of(stretches);
  if (stretches.empty()) return;
  const std::int64_t row = (last - first) * from.size, rows = packed.extent[0] / row;
  if (packed.extent[0] != rows * row) refuse("The packed bytes", rows * row, packed.extent[0]);
  if (rows == 0) return;
  if (reach.lowest < 0)
    refuse("The first column, at most", reach.lowest + first_column, first_column);
  if (row_length < 0 || (rows > 1 && reach.end > row_length))
    refuse("The length of a row, at least", reach.end, row_length);
  const std::int64_t size = ((rows - 1) * row_length + reach.end) * to.size;
  if (target.extent[0] < size) refuse("The bytes of a target, at least", size, target.extent[0]);
  unpack_rows(packed.data, rows, stretches, last - first, target.data, row_length, from, to, fill);
}

/// Give all items of `target` the bytes of `item`.
inline void fill_items(Bytes target, ConstBytes item) {
  const std::int64_t size = item.extent[0], items = size == 0 ? 0 : target.extent[0] / size;
  if (size == 0 || items * size != target.extent[0])
    refuse("The bytes of a target", items * size, target.extent[0]);
  with_bits(size, [&]<class T>(T) {
    const T value = load<T>(item.data);
    std::uint8_t* to = target.data;
    for (std::int64_t n = 0; n < items; ++n)
      store(to + n * static_cast<std::int64_t>(sizeof(T)), value);
  });
}

}  // namespace halocline::frames
