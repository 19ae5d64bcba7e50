#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract.hpp"
#include "subnormals.hpp"
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

/// What is kept under a name of the module, made empty when first asked for.
template <class Kept>
Kept kept(nb::module_& module, const char* name) {
  if (!nb::hasattr(module, name)) module.attr(name) = Kept();
  return nb::borrow<Kept>(module.attr(name));
}

/// Publish a contract in the module's `contracts`: name -> list of
/// (name, access, place, units, (west, east, south, north), column, optional, axes).
template <std::size_t N>
void publish(nb::module_& module, const Contract<N>& contract) {
  static constexpr const char* access[] = {"read", "write", "update"};
  static constexpr const char* place[] = {"center",    "x_face", "y_face", "corner",
                                          "interface", "point",  "none"};
  static constexpr const char* column[] = {"own", "whole"};
  nb::list arguments;
  for (const Argument& argument : contract.arguments) {
    arguments.append(nb::make_tuple(
        std::string(argument.name).c_str(), access[static_cast<int>(argument.access)],
        place[static_cast<int>(argument.place)], std::string(argument.units).c_str(),
        nb::make_tuple(argument.reach.west, argument.reach.east, argument.reach.south,
                       argument.reach.north),
        column[static_cast<int>(argument.column)], argument.optional,
        std::string(argument.axes).c_str()));
  }
  kept<nb::dict>(module, "contracts")[contract.name.data()] = arguments;
}

/// How NumPy calls the numbers of a view, and its number of axes.
template <class T, int Rank>
nb::tuple taken(const View<T, Rank>*) {
  using Number = std::remove_const_t<T>;
  const std::string kind = std::is_floating_point_v<Number> ? "float"
                           : std::is_unsigned_v<Number>     ? "uint"
                                                            : "int";
  return nb::make_tuple((kind + std::to_string(8 * sizeof(Number))).c_str(), Rank);
}

/// The view of an array; of None, for a result that nobody wants, an empty one.
template <class V>
V view_of(nb::handle array) {
  return array.is_none() ? V{} : nb::cast<V>(array);
}

/// A kernel as Python takes it: a function of a box, of the arrays of a contract in its order, and
/// of scalars. It computes with 0 for subnormal numbers.
template <std::size_t Count, class... Arguments>
class PythonKernel {
 public:
  using Function = void (*)(Box, Arguments...);
  static constexpr std::size_t scalar_count = sizeof...(Arguments) - Count;
  using Names = std::array<const char*, scalar_count>;

  PythonKernel(const Contract<Count>& contract, Function function, Names scalars)
      : contract_(contract), function_(function), scalars_(scalars) {}

  /// In the module: the function by its name, and in `bindings` how to bind it to arrays, as
  /// name -> list of ([(type, axes) of every array], function of a list of (box, *arrays)).
  void define(nb::module_& module) const { define(module, Arrays{}, Scalars{}); }

 private:
  using Arrays = std::make_index_sequence<Count>;
  using Scalars = std::make_index_sequence<scalar_count>;
  template <std::size_t At>
  using Taken = std::tuple_element_t<At, std::tuple<Arguments...>>;

  template <std::size_t... A, std::size_t... S>
  void define(nb::module_& module, std::index_sequence<A...> arrays,
              std::index_sequence<S...> scalars) const {
    const char* name = contract_.name.data();
    module.def(
        name,
        [function = function_](Box box, Arguments... arguments) {
          const Computing normal(Arithmetic::of_this_thread().without_subnormals());
          function(box, arguments...);
        },
        "box"_a, nb::arg(contract_.arguments[A].name.data())..., nb::arg(scalars_[S])...);
    nb::list takes;
    (takes.append(taken(static_cast<const Taken<A>*>(nullptr))), ...);
    nb::dict bindings = kept<nb::dict>(module, "bindings");
    if (!bindings.contains(name)) bindings[name] = nb::list();
    nb::cast<nb::list>(bindings[name])
        .append(nb::make_tuple(takes,
                               nb::cpp_function([kernel = *this, arrays, scalars](nb::list calls) {
                                 return kernel.bind(calls, arrays, scalars);
                               })));
  }

  /// A function of the scalars that calls the kernel for every box with arrays that it keeps.
  template <std::size_t... A, std::size_t... S>
  nb::object bind(nb::list calls, std::index_sequence<A...>, std::index_sequence<S...>) const {
    std::vector<std::tuple<Box, Taken<A>...>> bound;
    for (nb::handle call : calls)
      bound.emplace_back(nb::cast<Box>(call[0]), view_of<Taken<A>>(call[A + 1])...);
    return nb::cpp_function(
        [function = function_, bound = std::move(bound), calls](Taken<Count + S>... scalars) {
          const Computing normal(Arithmetic::of_this_thread().without_subnormals());
          for (const auto& call : bound)
            function(std::get<0>(call), std::get<A + 1>(call)..., scalars...);
        },
        nb::name(contract_.name.data()), nb::arg(scalars_[S])...);
  }

  Contract<Count> contract_;
  Function function_;
  Names scalars_;
};

/// Publish a kernel: its contract, and the function with the names of its scalars. Versions for
/// other types of numbers are defined in the same way.
template <std::size_t Count, class... Arguments, class... Names>
void define(nb::module_& module, const Contract<Count>& contract,
            void (*function)(Box, Arguments...), Names... scalars) {
  static_assert(sizeof...(Arguments) == Count + sizeof...(Names),
                "a kernel takes a box, the arrays of its contract, then the scalars named here");
  publish(module, contract);
  PythonKernel<Count, Arguments...>(contract, function, {scalars...}).define(module);
}

}  // namespace halocline

/// Registers what follows in the room's module: `HALOCLINE_BIND(name) { module.def(...); }`.
#define HALOCLINE_BIND(name)                                  \
  static void bind_##name(nanobind::module_& module);         \
  static const halocline::Binder binder_##name{&bind_##name}; \
  static void bind_##name(nanobind::module_& module)
