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
///
/// `axes` are those before the horizontal ones, a word for each: "tracer depth". In all arguments
/// of a kernel a word stands for one number of entries, "depth+1" for one more, "row*column" for
/// the product, "2" for two.
struct Argument {
  std::string_view name;
  Access access = Access::read;
  Place place = Place::center;
  std::string_view units = "1";
  std::string_view axes;
  Reach reach{};
  Column column = Column::own;
  bool optional = false;  ///< a result that a caller may do without: the view is empty then

  constexpr Argument() = default;
  constexpr Argument(std::string_view name, Access access, Place place,
                     std::string_view units = "1", Reach reach = {}, Column column = Column::own)
      : Argument(name, access, place, units, "", reach, column) {}
  constexpr Argument(std::string_view name, Access access, Place place, std::string_view units,
                     std::string_view axes, Reach reach = {}, Column column = Column::own)
      : name(name),
        access(access),
        place(place),
        units(units),
        axes(axes),
        reach(reach),
        column(column) {}
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
