#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#ifdef __x86_64__
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif

#include "runtime/writing/frame_parts.hpp"
#include "view.hpp"

/// CRC32C of bytes that are known in parts. A linear CRC is that of a register which starts at
/// zero and is not inverted at the end: that of two parts is the one of the first, shifted over
/// the bytes of the second, XOR the one of the second; bytes of zero add nothing.
namespace halocline::checksums {

using frames::ConstBytes;
using frames::Numbers;
using frames::refuse;
using frames::Stretch;

/// Polynomials over GF(2) modulo Castagnoli's, the coefficient of x^0 in the highest bit.
using Remainder = std::uint32_t;
constexpr Remainder castagnoli = 0x82f63b78u;

constexpr Remainder multiply_plainly(Remainder a, Remainder b) {
  Remainder product = 0;
  for (Remainder bit = 1u << 31; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b >> 1) ^ (b & 1 ? castagnoli : 0);
  }
  return product;
}

/// x^(8 k 256^d) for every digit k at place d of a number of bytes.
using ShiftTable = std::array<std::array<Remainder, 256>, 8>;

inline const ShiftTable& shift_table() {
  static const ShiftTable table = [] {
    ShiftTable made;
    Remainder base = 1u << 23;
    for (auto& place : made) {
      place[0] = 1u << 31;
      for (std::size_t k = 1; k < place.size(); ++k)
        place[k] = multiply_plainly(place[k - 1], base);
      base = multiply_plainly(place.back(), base);
    }
    return made;
  }();
  return table;
}

/// Tables of Remainder after a byte that is followed by 0 ... 7 bytes of zero.
inline const std::array<std::array<Remainder, 256>, 8>& byte_table() {
  static const auto table = [] {
    std::array<std::array<Remainder, 256>, 8> made;
    for (Remainder byte = 0; byte < 256; ++byte) {
      Remainder value = byte;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? castagnoli : 0);
      made[0][byte] = value;
    }
    for (std::size_t n = 1; n < 8; ++n)
      for (std::size_t byte = 0; byte < 256; ++byte)
        made[n][byte] = (made[n - 1][byte] >> 8) ^ made[0][made[n - 1][byte] & 255];
    return made;
  }();
  return table;
}

/// The linear CRC that goes on from `value` over more bytes, eight at a time.
inline Remainder extend_plainly(Remainder value, const std::uint8_t* data, std::size_t count) {
  const auto& table = byte_table();
  for (; count >= 8; data += 8, count -= 8) {
    Remainder next = 0;
    for (std::size_t n = 0; n < 8; ++n) {
      const Remainder before = n < 4 ? value >> (8 * n) : 0;
      next ^= table[7 - n][(before ^ data[n]) & 255];
    }
    value = next;
  }
  for (; count > 0; ++data, --count) value = (value >> 8) ^ table[0][(value ^ *data) & 255];
  return value;
}

#ifdef __x86_64__
#define WITH_CHECKSUM_INSTRUCTIONS __attribute__((target("sse4.2,pclmul")))

inline bool has_checksum_instructions() {
  static const bool has = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
  return has;
}

WITH_CHECKSUM_INSTRUCTIONS inline Remainder multiply_in_hardware(Remainder a, Remainder b) {
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(b), 0);
  const auto bits = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)) << 1;
  return static_cast<Remainder>(bits >> 32) ^ _mm_crc32_u32(0, static_cast<Remainder>(bits));
}

WITH_CHECKSUM_INSTRUCTIONS inline std::uint64_t word(const std::uint8_t* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return value;
}

/// The instruction takes three cycles and can start in each: three streams of `words` words.
template <int words>
WITH_CHECKSUM_INSTRUCTIONS inline Remainder extend_three(Remainder value, const std::uint8_t*& data,
                                                         std::size_t& count) {
  constexpr std::size_t stream = 8 * words;
  static const Remainder one = shift_table()[0][stream & 255],
                         one_high = shift_table()[1][stream >> 8];
  static const Remainder over_one = multiply_plainly(one, one_high);
  static const Remainder over_two = multiply_plainly(over_one, over_one);
  for (; count >= 3 * stream; data += 3 * stream, count -= 3 * stream) {
    std::uint64_t a = value, b = 0, c = 0;
    for (std::size_t n = 0; n < stream; n += 8) {
      a = _mm_crc32_u64(a, word(data + n));
      b = _mm_crc32_u64(b, word(data + stream + n));
      c = _mm_crc32_u64(c, word(data + 2 * stream + n));
    }
    value = multiply_in_hardware(static_cast<Remainder>(a), over_two) ^
            multiply_in_hardware(static_cast<Remainder>(b), over_one) ^ static_cast<Remainder>(c);
  }
  return value;
}

WITH_CHECKSUM_INSTRUCTIONS inline Remainder extend_in_hardware(Remainder value,
                                                               const std::uint8_t* data,
                                                               std::size_t count) {
  value = extend_three<128>(value, data, count);
  value = extend_three<16>(value, data, count);
  for (; count >= 8; data += 8, count -= 8)
    value = static_cast<Remainder>(_mm_crc32_u64(value, word(data)));
  for (; count > 0; ++data, --count) value = _mm_crc32_u8(value, *data);
  return value;
}
#else
inline bool has_checksum_instructions() { return false; }
inline Remainder multiply_in_hardware(Remainder a, Remainder b) { return multiply_plainly(a, b); }
inline Remainder extend_in_hardware(Remainder value, const std::uint8_t* data, std::size_t count) {
  return extend_plainly(value, data, count);
}
#endif

inline Remainder extend(Remainder value, const std::uint8_t* data, std::size_t count) {
  if (has_checksum_instructions()) return extend_in_hardware(value, data, count);
  return extend_plainly(value, data, count);
}

/// The linear CRC `value` after `count` more bytes of zero.
inline Remainder shift(Remainder value, std::uint64_t count) {
  const bool hardware = has_checksum_instructions();
  for (std::size_t place = 0; count != 0; ++place, count >>= 8) {
    if ((count & 255) == 0) continue;
    const Remainder power = shift_table()[place][count & 255];
    value = hardware ? multiply_in_hardware(value, power) : multiply_plainly(value, power);
  }
  return value;
}

/// Sums of ranges of a frame: range n is the bytes [bounds[n], bounds[n + 1]), without the four
/// at `hole` (-1: no hole), in which a checksum itself may lie.
class RangeSums {
 public:
  RangeSums(Numbers bounds, std::int64_t hole, View1<std::uint32_t> sums)
      : bounds_(bounds), hole_(hole), sums_(sums) {
    if (bounds.extent[0] != sums.extent[0] + 1 || sums.extent[0] < 1)
      throw std::invalid_argument("Sums of ranges need one bound more than there are sums");
    if (!std::is_sorted(bounds.data, bounds.data + bounds.extent[0]))
      throw std::invalid_argument("The bounds of the ranges of checksums must not fall");
  }

  /// Take in `count` bytes that lie at `begin` in the frame.
  void add(std::int64_t begin, const std::uint8_t* data, std::int64_t count) {
    while (count > 0) {
      if (begin < low_ || begin >= high_) find(begin);
      std::int64_t length = std::min(count, high_ - begin);
      const bool hidden = hole_ >= 0 && begin >= hole_ && begin < hole_ + width;
      if (hidden)
        length = std::min(length, hole_ + width - begin);
      else if (begin < hole_)
        length = std::min(length, hole_ - begin);
      if (!hidden) take(counted(begin), data, length);
      begin += length;
      data += length;
      count -= length;
    }
  }

  /// Shift what was taken in to the end of its range, and add it to the sum.
  void flush() {
    if (range_ < 0) return;
    sums_.data[range_] ^= shift(value_, static_cast<std::uint64_t>(counted(high_) - at_));
    value_ = 0;
    at_ = counted(low_);
  }

 private:
  static constexpr std::int64_t width = 4;

  /// Bytes before a place that are part of a checksum.
  std::int64_t counted(std::int64_t place) const {
    return hole_ < 0 ? place : place - std::clamp<std::int64_t>(place - hole_, 0, width);
  }

  void find(std::int64_t place) {
    flush();
    const std::int64_t* end = bounds_.data + bounds_.extent[0];
    const std::int64_t* above = std::upper_bound(bounds_.data, end, place);
    if (above == bounds_.data || above == end)
      throw std::invalid_argument("Byte " + std::to_string(place) + " of a frame lies in no range");
    range_ = above - bounds_.data - 1;
    low_ = above[-1];
    high_ = *above;
    value_ = 0;
    at_ = counted(low_);
  }

  void take(std::int64_t place, const std::uint8_t* data, std::int64_t length) {
    if (place < at_) flush();
    if (value_ != 0) value_ = shift(value_, static_cast<std::uint64_t>(place - at_));
    value_ = extend(value_, data, static_cast<std::size_t>(length));
    at_ = place + length;
  }

  Numbers bounds_;
  std::int64_t hole_;
  View1<std::uint32_t> sums_;
  std::int64_t range_ = -1, low_ = 0, high_ = -1;
  std::int64_t at_ = 0;  // counted bytes up to which `value_` goes
  Remainder value_ = 0;
};

/// Short runs with short gaps: the stretches [begin, end), from column `start` on.
struct Group {
  std::size_t begin, end;
  std::int64_t start, columns;
};

constexpr std::int64_t group_bytes = 4096;

/// Runs that are summed together with zeros in the gaps, which is faster than a shift over each.
inline std::vector<Group> groups_of(const std::vector<Stretch>& stretches, std::int64_t item) {
  constexpr std::int64_t longest_run = 256, longest_gap = 128;
  std::vector<Group> groups;
  std::int64_t before = longest_run + 1;
  for (std::size_t n = 0; n < stretches.size(); ++n) {
    const auto [start, length, packed] = stretches[n];
    const bool close = std::max(before, length * item) <= longest_run &&
                       start >= groups.back().start + groups.back().columns &&
                       (start - groups.back().start - groups.back().columns) * item <= longest_gap;
    before = length * item;
    if (close && (start + length - groups.back().start) * item <= group_bytes) {
      groups.back().end = n + 1;
      groups.back().columns = start + length - groups.back().start;
    } else {
      groups.push_back({n, n + 1, start, length});
    }
  }
  return groups;
}

/// The bytes of a group's columns, zero between its runs.
inline void spread_out(const std::uint8_t* row, const std::vector<Stretch>& stretches,
                       const Group& group, std::int64_t item, std::uint8_t* spread) {
  std::memset(spread, 0, static_cast<std::size_t>(group.columns * item));
  for (std::size_t n = group.begin; n < group.end; ++n) {
    const Stretch& s = stretches[n];
    std::memcpy(spread + (s.start - group.start) * item, row + s.packed * item,
                static_cast<std::size_t>(s.length * item));
  }
}

/// Add what packed columns [first, last) of some rows give to the sums of their ranges. Column 0
/// of the first row lies at `offset` in the frame, and a row has `row_bytes`.
inline void sum_runs(ConstBytes packed, Numbers starts, Numbers lengths, std::int64_t first,
                     std::int64_t last, std::int64_t item, std::int64_t offset,
                     std::int64_t row_bytes, RangeSums& sums) {
  const auto stretches = frames::stretches_of(starts, lengths, first, last);
  const std::int64_t width = (last - first) * item;
  if (width == 0 && packed.extent[0] == 0) return;
  if (width <= 0 || packed.extent[0] % width != 0)
    refuse("The bytes of a packed row", width, packed.extent[0]);
  const auto groups = groups_of(stretches, item);
  const std::uint8_t* end = packed.data + packed.extent[0];
  for (const std::uint8_t* row = packed.data; row < end; row += width, offset += row_bytes)
    for (const Group& group : groups) {
      const Stretch& only = stretches[group.begin];
      const std::uint8_t* data = row + only.packed * item;
      std::uint8_t spread[group_bytes];
      if (group.end - group.begin > 1) {
        spread_out(row, stretches, group, item, spread);
        data = spread;
      }
      sums.add(offset + group.start * item, data, group.columns * item);
    }
  sums.flush();
}

}  // namespace halocline::checksums
