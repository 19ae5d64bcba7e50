#include "elementary.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bind.hpp"

namespace halocline {
namespace {

/// Apply one function of one or two packs to whole arrays, `Width` values at a time; what is left
/// is computed in a pack that is filled up with ones.
template <int Width, class T, class Function>
void apply(View1<const T> x, View1<const T> y, View1<T> result, Function function) {
  using V = pack<T, Width>;
  for (std::ptrdiff_t start = 0; start < result.extent[0]; start += Width) {
    V a = splat<V>(1), b = splat<V>(1), value;
    const std::ptrdiff_t count = std::min<std::ptrdiff_t>(Width, result.extent[0] - start);
    std::memcpy(&a, &x(start), count * sizeof(T));
    std::memcpy(&b, &y(start), count * sizeof(T));
    value = function(a, b);
    std::memcpy(&result(start), &value, count * sizeof(T));
  }
}

template <int Width, class T>
void evaluate(const std::string& name, View1<const T> x, View1<const T> y, View1<T> result) {
  using V = pack<T, Width>;
  const auto run = [&](auto function) { apply<Width, T>(x, y, result, function); };
  if (name == "exp") return run([](V a, V) { return exp(a); });
  if (name == "exp_moderate") return run([](V a, V) { return exp_moderate(a); });
  if (name == "log") return run([](V a, V) { return log(a); });
  if (name == "pow") return run([](V a, V b) { return pow(a, b); });
  if (name == "sin") return run([](V a, V) { return sin(a); });
  if (name == "cos") return run([](V a, V) { return cos(a); });
  if (name == "tan") return run([](V a, V) { return tan(a); });
  if (name == "atan2") return run([](V a, V b) { return atan2(a, b); });
  if (name == "sinh") return run([](V a, V) { return sinh(a); });
  if (name == "cosh") return run([](V a, V) { return cosh(a); });
  if (name == "tanh") return run([](V a, V) { return tanh(a); });
  if (name == "cube_root") return run([](V a, V) { return cube_root(a); });
  if (name == "square_root") return run([](V a, V) { return square_root(a); });
  throw std::invalid_argument("no elementary function '" + name + "'");
}

/// One elementary function of arrays, with the scalar (width 1) or a pack of 4, 8 or 16 lanes.
template <class T>
void elementary_function(const std::string& name, int width, View1<const T> x, View1<const T> y,
                         View1<T> result) {
  if (width == 1) return evaluate<1>(name, x, y, result);
  if (width == 4) return evaluate<4>(name, x, y, result);
  if (width == 8) return evaluate<8>(name, x, y, result);
  if (width == 16) return evaluate<16>(name, x, y, result);
  throw std::invalid_argument("width is 1, 4, 8 or 16");
}

template <int Width, class T>
void evaluate_multiply_add(View1<const T> x, View1<const T> y, View1<const T> z, View1<T> result) {
  using V = pack<T, Width>;
  for (std::ptrdiff_t at = 0; at + Width <= result.extent[0]; at += Width)
    store<V>(&result(at),
             halocline::multiply_add(load<V>(&x(at)), load<V>(&y(at)), load<V>(&z(at))));
}

/// x * y + z of arrays whose length is a multiple of `width`.
template <class T>
void multiply_add(int width, View1<const T> x, View1<const T> y, View1<const T> z,
                  View1<T> result) {
  if (width == 1) return evaluate_multiply_add<1>(x, y, z, result);
  if (width == 4) return evaluate_multiply_add<4>(x, y, z, result);
  if (width == 8) return evaluate_multiply_add<8>(x, y, z, result);
  if (width == 16) return evaluate_multiply_add<16>(x, y, z, result);
  throw std::invalid_argument("width is 1, 4, 8 or 16");
}

template <class T>
void bind_functions(nb::module_& module) {
  module.def("elementary_function", &elementary_function<T>, "name"_a, "width"_a, "x"_a, "y"_a,
             "result"_a);
  module.def("multiply_add", &multiply_add<T>, "width"_a, "x"_a, "y"_a, "z"_a, "result"_a);
}

HALOCLINE_BIND(elementary) {
  bind_functions<float>(module);
  bind_functions<double>(module);
}

}  // namespace
}  // namespace halocline
