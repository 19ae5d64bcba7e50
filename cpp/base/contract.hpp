#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace halocline {

enum class Access { read, write, update };

/// Where a value lies. Face i lies west of centre i, face j south, corner south-west, interface k
/// below; `point` is a compact list of sea points, `none` has no horizontal place (tables).
enum class Place { center, x_face, y_face, corner, interface, point, none };

/// How far a kernel looks, as signed offsets in the field's own horizontal indices, corners
/// included.
struct Reach {
  int west = 0, east = 0, south = 0, north = 0;
};

/// Whether the value at one k, frequency, direction or tracer depends on that index only.
enum class Column { own, whole };

/// What a kernel does with one array. Units "any" are the same, whatever they are, in all arguments
/// that say so.
struct Argument {
  std::string_view name;
  Access access = Access::read;
  Place place = Place::center;
  std::string_view units = "1";
  Reach reach{};
  Column column = Column::own;
  bool optional = false;  ///< a result that a caller may do without: the view is empty then
};

/// A result that a caller may do without.
constexpr Argument if_wanted(Argument argument) {
  argument.optional = true;
  return argument;
}

/// What a kernel touches; the runner derives halo exchanges, checks and tests from it.
template <std::size_t N>
struct Contract {
  std::string_view name;
  std::array<Argument, N> arguments;
};

}  // namespace halocline
