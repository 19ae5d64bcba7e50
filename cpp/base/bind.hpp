#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

#include "contract.hpp"
#include "view.hpp"

namespace nanobind::detail {

/// A View is taken from a NumPy array of exactly this type and rank, never copied or converted.
template <class T, int Rank>
struct type_caster<halocline::View<T, Rank>> {
  using ViewType = halocline::View<T, Rank>;
  NB_TYPE_CASTER(ViewType, const_name("numpy.ndarray"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    using Array = ndarray<T, ndim<Rank>, device::cpu>;
    make_caster<Array> caster;
    if (!caster.from_python(source, flags & ~static_cast<uint8_t>(cast_flags::convert), cleanup))
      return false;
    const Array& array = caster.value;
    value.data = array.data();
    for (int axis = 0; axis < Rank; ++axis) {
      value.extent[axis] = static_cast<std::ptrdiff_t>(array.shape(axis));
      value.stride[axis] = static_cast<std::ptrdiff_t>(array.stride(axis));
    }
    return array.size() == 0 || value.extent[Rank - 1] < 2 || value.stride[Rank - 1] == 1;
  }
};

/// A Box is taken from a tuple (j0, j1, i0, i1, points).
template <>
struct type_caster<halocline::Box> {
  NB_TYPE_CASTER(halocline::Box, const_name("tuple[int, int, int, int, int]"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!PyTuple_Check(source.ptr()) || PyTuple_GET_SIZE(source.ptr()) != 5) return false;
    long long item[5];
    for (int at = 0; at < 5; ++at) {
      item[at] = PyLong_AsLongLong(PyTuple_GET_ITEM(source.ptr(), at));
      if (item[at] == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
      }
    }
    value = {static_cast<int>(item[0]), static_cast<int>(item[1]), static_cast<int>(item[2]),
             static_cast<int>(item[3]), static_cast<std::ptrdiff_t>(item[4])};
    return true;
  }
};

}  // namespace nanobind::detail

namespace halocline {

namespace nb = nanobind;
using namespace nb::literals;

using BindFunction = void (*)(nb::module_&);

/// All binders of one room; the generated module definition calls them.
inline std::vector<BindFunction>& binders() {
  static std::vector<BindFunction> all;
  return all;
}
struct Binder {
  explicit Binder(BindFunction function) { binders().push_back(function); }
};

/// Publish a contract in the module's `contracts`: name -> list of
/// (name, access, place, units, (west, east, south, north), column).
template <std::size_t N>
void publish(nb::module_& module, const Contract<N>& contract) {
  static constexpr const char* access[] = {"read", "write", "update"};
  static constexpr const char* place[] = {"center",    "x_face", "y_face", "corner",
                                          "interface", "point",  "none"};
  static constexpr const char* column[] = {"own", "whole"};
  if (!nb::hasattr(module, "contracts")) module.attr("contracts") = nb::dict();
  nb::list arguments;
  for (const Argument& argument : contract.arguments) {
    arguments.append(nb::make_tuple(
        std::string(argument.name).c_str(), access[static_cast<int>(argument.access)],
        place[static_cast<int>(argument.place)], std::string(argument.units).c_str(),
        nb::make_tuple(argument.reach.west, argument.reach.east, argument.reach.south,
                       argument.reach.north),
        column[static_cast<int>(argument.column)]));
  }
  module.attr("contracts")[std::string(contract.name).c_str()] = arguments;
}

}  // namespace halocline

/// Registers what follows in the room's module: `HALOCLINE_BIND(name) { module.def(...); }`.
#define HALOCLINE_BIND(name)                                  \
  static void bind_##name(nanobind::module_& module);         \
  static const halocline::Binder binder_##name{&bind_##name}; \
  static void bind_##name(nanobind::module_& module)
